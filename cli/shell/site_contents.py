"""The contents of an exported site's pages, and the decision which pages have to be rendered again."""

from collections.abc import Iterator
from hashlib import blake2b

from cli.pages import site as site_pages
from cli.pages.site import CharacterOnSite, Site, StatisticsTable, sheet_rows
from cli.shell.rulebooks import rulebook_with_evidence
from cli.shell.site_folder import KeptSession, SiteManifest
from cli.shell.viewing import viewing
from cli.store.stored_log import StoredLog
from domain.log.effective_history import EffectiveHistory, effective_history, effective_turns
from domain.log.folding import state_at
from domain.log.hash_chain import seal_of
from domain.log.points import sessions_of
from domain.log.port import AsOf
from domain.naming import ended
from domain.system.rulesystem import RuleSystem
from projections.chronicle import turn_text
from projections.chronicle_range import chronicle
from projections.recap import recap_of
from projections.recap_document import TurnInWords
from projections.secrecy import ANYBODY, sheet_for
from projections.sheets import state_as_now
from projections.views.named_queries import answer_to, columns_of, courses, named_queries, plots, sentences_of
from projections.views.rulebook import Rulebook, rulebook_of
from projections.views.view import View


class SiteContents:
    """Renders the pages of a campaign as of turn `upto`; pages of sessions that are unchanged since `old` are kept."""

    def __init__(
        self, store: StoredLog, system: RuleSystem, upto: int, viewer: str | None, old: SiteManifest | None
    ) -> None:
        self.store, self.system, self.upto, self.viewer = store, system, upto, viewer
        self.log = AsOf(store, upto)
        self.keeps_secrets = viewer is not None and system.keeps_secrets
        # later turns may reveal more of old sessions to a player, so nothing is reused then
        reusable = old.sessions if old is not None and not self.keeps_secrets else ()
        self._old_sessions: dict[int, KeptSession] = {session.session.number: session for session in reusable}
        self.sessions: dict[int, KeptSession] = {}
        #: the paths of pages that are kept
        self.unchanged_pages: set[str] = set()

    def pages(self) -> Iterator[tuple[str, bytes]]:
        """The path and the bytes of every page that has to be written."""
        effective = effective_history(self.log)
        bounds = sessions_of(self.store, self.upto)
        recaps = {}
        numbers = list(bounds)
        for at, number in enumerate(numbers):
            key = self._key(effective, bounds[number], numbers[max(0, at - 1) : at + 2])
            reusable = self._old_sessions.get(number)
            if reusable is not None and reusable.key == key:
                self.sessions[number] = reusable
                self.unchanged_pages.add(site_pages.session_page(number))
                continue
            recap = recap_of(self.system, self.log, number, self.viewer, bounds[number], sealed=self._has_seals)
            recaps[number] = recap
            state = state_as_now(self.system, self.log, recap.last)
            sheets = {name: sheet_for(self.system, state, name, self.viewer) for name in state.characters}
            tracked = {name: sheet["tracked"] for name, sheet in sheets.items()}
            self.sessions[number] = KeptSession(key, site_pages.on_site(recap, tracked))
        site = self._site(effective)
        page_of = site_pages.turn_pages(site.sessions)
        for number, recap in recaps.items():
            yield site_pages.session_page(number), site_pages.session(site, number, recap).encode()
        yield site_pages.INDEX, site_pages.index(site).encode()
        for who in site.characters:
            yield site_pages.character_page(who.name), site_pages.character(site, who).encode()
        if site.has_outside:
            yield site_pages.OUTSIDE, site_pages.outside(site, list(self._outside(effective))).encode()
        yield site_pages.RULEBOOK, site_pages.rulebook(site, self._book(), page_of).encode()
        if site.has_statistics:
            with viewing(self.store, self.system, self.upto) as view:
                yield site_pages.STATISTICS, self._statistics(site, view).encode()

    @property
    def _has_seals(self) -> bool:
        # a seal is a hash over every turn, secrets included
        return self.store.is_linked and not self.keeps_secrets

    def _key(self, effective: EffectiveHistory, bounds: tuple[int, int], numbers: list[int]) -> str:
        """A hash over what the page of a session depends on: its turns, later changes of them, and its neighbours.

        "" if secrets are kept, as the hash covers secret parts of turns too.
        """
        if self.keeps_secrets:
            return ""
        first, last = bounds
        later = [(number, change) for number, change in effective.changes if number > last and change <= last]
        made_of = (self.store.link(last).hex(), first, last, later, numbers)
        return blake2b(repr(made_of).encode(), digest_size=12).hexdigest()

    def _site(self, effective: EffectiveHistory) -> Site:
        state = state_at(self.system, self.log)
        limits = {None: None, ANYBODY: "Only what everybody at the table may know."}
        return Site(
            state.campaign.name,
            self.system.key,
            self.upto,
            self.system.vital[1],
            tuple(session.session for session in self.sessions.values()),
            tuple(self._characters()),
            has_statistics=not self.keeps_secrets,
            has_outside=any(True for _ in self._outside(effective)),
            seal=str(seal_of(self.upto, self.store.link(self.upto))) if self._has_seals else None,
            seen_by=limits.get(self.viewer, f"Only what {self.viewer} may know.") if self.keeps_secrets else None,
        )

    def _characters(self) -> Iterator[CharacterOnSite]:
        system, state = self.system, state_at(self.system, self.log)
        rulings = self._rulings()
        field, measure = system.vital
        for name in state.characters:
            if system.is_foe(state, name):
                continue
            sheet = sheet_for(system, state, name, self.viewer)
            away = "retired" if sheet.get("away") == "retired" else None
            yield CharacterOnSite(
                name,
                sheet.get("player"),
                sheet_rows(sheet, lambda key, value, name=name: system.in_words(state, name, key, value)),  # type: ignore[misc]
                f"{sheet.get(field)} {measure}",
                system.fallen(state, name) or away,
                tuple(rulings.get(name, ())),
            )

    def _rulings(self) -> dict[str, list[tuple[int, str, str]]]:
        """The rulings that turns of each character were played under."""
        rulings: dict[str, list[tuple[int, str, str]]] = {}
        if self.keeps_secrets:
            return rulings
        with viewing(self.store, self.system, self.upto) as view:
            rows = view.ask(
                "SELECT DISTINCT involved.character, rulings.ruling, rulings.rule, rulings.text FROM under"
                " JOIN involved ON involved.turn = under.turn JOIN rulings ON rulings.ruling = under.ruling"
                " ORDER BY rulings.ruling"
            )
            for name, number, rule, text in rows:
                rulings.setdefault(name, []).append((number, rule, ended(text)))
        return rulings

    def _outside(self, effective: EffectiveHistory) -> Iterator[TurnInWords]:
        """The turns that are on no session's page."""
        on_pages = sorted(run for session in self.sessions.values() for run in session.session.turns)
        after = 0
        for first, last in (*on_pages, (self.upto + 1, self.upto + 1)):
            if after + 1 < first:
                yield from self._between(after, first - 1, effective)
            after = max(after, last)

    def _between(self, after: int, upto: int, effective: EffectiveHistory) -> Iterator[TurnInWords]:
        if self.keeps_secrets:
            entries = chronicle(self.system, self.log, viewer=self.viewer, after=after)
            yield from (TurnInWords(e.turn, e.parts, e.by, e.undone_by) for e in entries if e.turn <= upto)
            return
        for effective_turn in effective_turns(self.log, upto, effective, after=after):
            number = effective_turn.turn.number
            if after < number <= upto:
                yield TurnInWords(
                    number,
                    turn_text(self.system, effective_turn).parts,
                    effective_turn.turn.by,
                    effective_turn.undone_by,
                )

    def _book(self) -> Rulebook:
        if self.keeps_secrets:
            return rulebook_of(self.system, self.log, self.upto)
        return rulebook_with_evidence(self.store, self.system, self.upto)

    def _statistics(self, site: Site, view: View) -> str:
        tables: list[StatisticsTable] = []
        for name, query in named_queries(self.system.key).items():
            rows = answer_to(view, query)
            if rows:
                columns = tuple(columns_of(rows))
                values = tuple(tuple(row[column] for column in columns) for row in rows)
                notes = tuple(sentences_of(view, name, rows))
                tables.append(StatisticsTable(query.title, query.description, columns, values, notes))
        plot_courses = [(plot.title, courses(view, plot.field)) for plot in plots(self.system.key).values()]
        return site_pages.statistics(site, tables, [(title, curves) for title, curves in plot_courses if curves])
