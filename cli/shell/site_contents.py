"""What the pages of a site are made of, and which of them need to be made anew."""

from collections.abc import Iterator, Mapping
from hashlib import blake2b

from msgspec.structs import replace

from cli.pages import site as site_pages
from cli.pages.site import CharacterOnSite, Site, StatisticsTable, sheet_rows
from cli.shell.rulebooks import weighed
from cli.shell.site_folder import KeptSession, SiteManifest
from cli.shell.viewing import sessions_known, viewing
from cli.store.streams import StoredLog
from domain.log.effective_history import EffectiveHistory, effective_history, effective_turns
from domain.log.folding import state_at
from domain.log.hash_chain import sealed
from domain.log.port import AsOf
from domain.naming import ended
from domain.system.rulesystem import RuleSystem
from domain.system.state import TrackedValue
from projections.chronicle import chronicle, turn_text
from projections.recap import TurnInWords, recap_of
from projections.secrecy import ANYBODY, sheet_for
from projections.sheets import state_as_now
from projections.views.named import answered, columns_of, courses, named_queries, plots, said_of
from projections.views.rulebook import Rulebook, rulebook_of
from projections.views.view import View


class SiteContents:
    """Makes the pages of a campaign as it stood at turn `upto`; sessions that `old` has as they are stay."""

    def __init__(
        self, store: StoredLog, system: RuleSystem, upto: int, viewer: str | None, old: SiteManifest | None
    ) -> None:
        self.store, self.system, self.upto, self.viewer = store, system, upto, viewer
        self.log = AsOf(store, upto)
        self.keeps_secrets = viewer is not None and system.keeps_secrets
        # what a player may know of an old evening can change with what is revealed later
        known = old.sessions if old is not None and not self.keeps_secrets else ()
        self._known: dict[int, KeptSession] = {each.session.number: each for each in known}
        self.sessions: dict[int, KeptSession] = {}
        #: the pages that stay as they are
        self.kept: set[str] = set()

    def pages(self) -> Iterator[tuple[str, bytes]]:
        """The path and the bytes of every page that was made anew."""
        effective = effective_history(self.log)
        bounds = sessions_known(self.store, self.system, self.upto)
        recaps = {}
        numbers = list(bounds)
        for at, number in enumerate(numbers):
            key = self._key(effective, bounds[number], numbers[max(0, at - 1) : at + 2])
            known = self._known.get(number)
            if known is not None and known.key == key:
                self.sessions[number] = known
                self.kept.add(site_pages.session_page(number))
                continue
            recap = recap_of(self.system, self.log, number, viewer=self.viewer, bounds=bounds[number])
            if self._sealed:
                recap = replace(recap, seal=str(sealed(recap.last, self.store.link(recap.last))))
            recaps[number] = recap
            self.sessions[number] = KeptSession(key, site_pages.on_site(recap, self._tracked(recap.last)))
        found = self._site(effective)
        page_of = site_pages.turn_pages(found.sessions)
        for number, recap in recaps.items():
            yield site_pages.session_page(number), site_pages.session(found, number, recap).encode()
        yield site_pages.INDEX, site_pages.index(found).encode()
        for who in found.characters:
            yield site_pages.character_page(who.name), site_pages.character(found, who).encode()
        if found.has_outside:
            yield site_pages.OUTSIDE, site_pages.outside(found, list(self._outside(effective))).encode()
        yield site_pages.RULEBOOK, site_pages.rulebook(found, self._book(), page_of).encode()
        if found.has_statistics:
            with viewing(self.store, self.system, self.upto) as view:
                yield site_pages.STATISTICS, self._statistics(found, view).encode()

    @property
    def _sealed(self) -> bool:
        # a seal is made of all that was played, what somebody may not know of included
        return self.store.is_linked and not self.keeps_secrets

    def _key(self, effective: EffectiveHistory, bounds: tuple[int, int], numbers: list[int]) -> str:
        """What a session's page is made of: its turns, whatever later turns made of them, and its neighbours.

        Nothing where something is kept secret: what all turns were made of stands in it.
        """
        if self.keeps_secrets:
            return ""
        first, last = bounds
        later = [(number, named) for number, named in effective.changes if number > last and named <= last]
        made_of = (self.store.link(last).hex(), first, last, later, numbers)
        return blake2b(repr(made_of).encode(), digest_size=12).hexdigest()

    def _tracked(self, last: int) -> Mapping[str, Mapping[str, TrackedValue]]:
        state = state_as_now(self.system, self.log, last)
        return {name: sheet_for(self.system, state, name, self.viewer)["tracked"] for name in state.characters}

    def _site(self, effective: EffectiveHistory) -> Site:
        state = state_at(self.system, self.log)
        seen = {None: None, ANYBODY: "Only what everybody at the table may know."}
        return Site(
            state.campaign.name,
            self.system.key,
            self.upto,
            self.system.vital[1],
            tuple(each.session for each in self.sessions.values()),
            tuple(self._characters()),
            has_statistics=not self.keeps_secrets,
            has_outside=any(True for _ in self._outside(effective)),
            seal=str(sealed(self.upto, self.store.link(self.upto))) if self._sealed else None,
            seen_by=seen.get(self.viewer, f"Only what {self.viewer} may know.") if self.keeps_secrets else None,
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
        """Whose turns were played under which rulings."""
        found: dict[str, list[tuple[int, str, str]]] = {}
        if self.keeps_secrets:
            return found
        with viewing(self.store, self.system, self.upto) as view:
            rows = view.ask(
                "SELECT DISTINCT involved.character, rulings.ruling, rulings.rule, rulings.text FROM under"
                " JOIN involved ON involved.turn = under.turn JOIN rulings ON rulings.ruling = under.ruling"
                " ORDER BY rulings.ruling"
            )
            for name, number, rule, text in rows:
                found.setdefault(name, []).append((number, rule, ended(text)))
        return found

    def _outside(self, effective: EffectiveHistory) -> Iterator[TurnInWords]:
        """The turns that lie on the page of no session."""
        on_pages = sorted(run for each in self.sessions.values() for run in each.session.turns)
        after = 0
        for first, last in (*on_pages, (self.upto + 1, self.upto + 1)):
            if after + 1 < first:
                yield from self._between(after, first - 1, effective)
            after = max(after, last)

    def _between(self, after: int, upto: int, effective: EffectiveHistory) -> Iterator[TurnInWords]:
        if self.keeps_secrets:
            told = chronicle(self.system, self.log, viewer=self.viewer, after=after)
            yield from (TurnInWords(e.turn, e.parts, e.by, e.undone_by) for e in told if e.turn <= upto)
            return
        for each in effective_turns(self.log, upto, effective, after=after):
            number = each.turn.number
            if after < number <= upto:
                yield TurnInWords(number, turn_text(self.system, each).parts, each.turn.by, each.undone_by)

    def _book(self) -> Rulebook:
        if self.keeps_secrets:
            return rulebook_of(self.system, self.log, self.upto)
        return weighed(self.store, self.system, self.upto)

    def _statistics(self, found: Site, view: View) -> str:
        figures: list[StatisticsTable] = []
        for name, query in named_queries(self.system.key).items():
            rows = answered(view, query)
            if rows:
                columns = tuple(columns_of(rows))
                values = tuple(tuple(row[column] for column in columns) for row in rows)
                said = tuple(said_of(view, name, rows))
                figures.append(StatisticsTable(query.title, query.description, columns, values, said))
        drawn = [(plot.title, courses(view, plot.field)) for plot in plots(self.system.key).values()]
        return site_pages.statistics(found, figures, [(title, each) for title, each in drawn if each])
