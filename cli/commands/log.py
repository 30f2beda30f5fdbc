"""Show the chronicle: a line per turn, undone turns struck.

Examples:
  campaign log
  campaign log T5..T20
  campaign log --character brog --grep ghoul
  campaign log --after T5 -n 10 -O ids
  campaign log --session S1 --with-why
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from msgspec import Struct
from msgspec.structs import replace

from cli.pages.escaping import escape
from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, point_in, read_up_to, seen_by
from cli.shell.ending import USAGE, Ended
from cli.shell.reading import ReadOptions, reads
from cli.shell.references import ruling_number, turn_name
from cli.shell.selecting import OfCharacter, OfSession, Since, Until, filters_of
from cli.store.failures import NewerVersion
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Screen, Span, complain, json_text, spans
from domain.common import ACTIONS
from domain.common.rulings import NO_RULING_YET
from domain.log.effective_history import effective_history, since_of
from domain.log.folding import state_at
from domain.log.points import number_in
from domain.log.port import AsOf, Log
from domain.naming import did_you_mean, ended, fitting, listed_first, reads_as_point
from domain.refusal import Invalid, Unknown
from domain.registry import tag_of
from domain.registry.uninstalled import Uninstalled
from domain.system.paragraphs import bare_number, citation, known_rule
from domain.system.rulesystem import RuleSystem
from domain.times import to_the_minute
from projections.chronicle import Entry
from projections.chronicle_range import chronicle, entries_between, session_titles
from projections.filters import AT_FIRST, Filters, matching_entries, tags_matching
from projections.secrecy import readable
from projections.sentences import by_person, parts_of, plain
from projections.turn_status import AGREED_THEN, SHEET_CHECK, history_of_turn, may_be_outdated

if TYPE_CHECKING:
    from cli.shell.backgrounds import BackgroundOf

COLUMNS = ("turn", "session", "at", "by", "sentence", "standing", "undone_by")


@reads()
def log(
    request: ReadOptions,
    range_: Annotated[
        str | None,
        typer.Argument(metavar="[A..B]", help="From one point to another.", autocompletion=options.known("points")),
    ] = None,
    session: OfSession = None,
    character: OfCharacter = None,
    kind: Annotated[
        str | None,
        typer.Option(help="Only this kind of action: rest, damage, note.", autocompletion=options.known("kinds")),
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help="Only turns that rest on this rule.", autocompletion=options.known("rules"))
    ] = None,
    under: Annotated[str | None, typer.Option(metavar="R2", help="Only turns played under this ruling.")] = None,
    by: Annotated[str | None, typer.Option(help="Only what this person logged.")] = None,
    since: Since = None,
    until: Until = None,
    grep: Annotated[str | None, typer.Option(metavar="WORDS", help="Only sentences with all of these words.")] = None,
    undone: Annotated[
        bool | None, typer.Option("--undone/--standing", help="Only undone turns, or only those that count.")
    ] = None,
    after: Annotated[
        str | None,
        typer.Option(
            "--after",
            metavar="T4",
            help="Only turns after this one; -n: the first N.",
            autocompletion=options.known("turns"),
        ),
    ] = None,
    number: Annotated[int | None, typer.Option("-n", min=0, help="Only the last N.")] = None,
    as_told: Annotated[bool, typer.Option("--as-told", help="Sort by turn number, late entries too.")] = False,
    reverse: Annotated[bool, typer.Option("--reverse", help="Newest first.")] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Keep printing new turns, until Ctrl-C.")] = False,
    with_why: Annotated[
        bool, typer.Option("--with-why", help="With the rules, dice and rulings of each turn.")
    ] = False,
    oneline: Annotated[bool, typer.Option("--oneline", help="One line per turn, without headings.")] = False,
    history: Annotated[str | None, typer.Option(metavar="T4", help="Everything that became of one turn.")] = None,
) -> None:
    form, screen = request.form, request.screen
    if follow:
        _must_have_an_end_to_come(request.at, reverse=reverse, history=history)
    needs_rules = request.as_ is not None or under is not None or with_why
    with open_chosen(request.campaign, needs_rules=needs_rules) as (store, system):
        source = _Source(store, system, read_up_to(store, request.at), seen_by(store, system, request.as_))
        if history is not None:
            _print_life(screen, source, history, form)
            screen.flush(pager=True)
            return
        filters = replace(
            _filters(source, range_, session, character, kind, since, until, rule, under),
            by=by,
            grep=grep,
            undone=undone,
        )
        most = None
        if after is not None:
            behind = options.or_not_found(lambda: point_in(source.log, turn_name(after)))
            filters = replace(filters, first=max(filters.first, behind + 1))
            number, most = None, number
        stopped: list[KeyboardInterrupt] = []
        with _matching(source, filters, number) as matches, ExitStack() as stack:
            background_of = None
            if with_why:
                from cli.shell.backgrounds import backgrounds  # the chronicle alone needs no tables of values

                background_of = stack.enter_context(backgrounds(store, system, source.upto))
            ordered_entries: Iterable[Entry] = matches.entries
            # a page goes by the numbers of the turns, so that the next one follows it
            if not as_told and after is None and form in (Format.text, Format.md):
                ordered_entries = _in_fold_order(matches, number, source.log)
            if reverse:
                ordered_entries = reversed(list(ordered_entries))
            ordered_entries = (
                _followed(screen, source, ordered_entries, filters, matches.titles, stopped)
                if follow
                else _flushing(screen, ordered_entries)
            )
            if after is not None:
                ordered_entries = islice(ordered_entries, most)
            _write(screen, source, ordered_entries, matches, form, background_of, oneline=oneline, follow=follow)
        if form is Format.text and not follow and not source.unruled and store.begun_version < system.version:
            begun = (
                f"Begun under version {store.begun_version} of the rules; today's is {system.version}. What an"
                " older version decided is taken on trust (campaign verify)."
            )
            screen.line(Span(begun, "dim"))
        if store.decoder.newer is not None:
            screen.flush()
            complain(store.decoder.newer.reason)
            raise Ended(USAGE)
    screen.flush(pager=not follow)
    for interrupt in stopped:
        raise interrupt


def _must_have_an_end_to_come(at: str | None, *, reverse: bool, history: str | None) -> None:
    """Raise Invalid for an option that --follow, which waits for new turns, cannot go with."""
    if at is not None:
        raise Invalid("--follow waits for new turns, and --at reads only what was there; leave out one of them.")
    if reverse:
        raise Invalid("--follow prints new turns last, and --reverse newest first; leave out one of them.")
    if history is not None:
        raise Invalid("--history is about one turn, so nothing follows; leave out --follow.")


class _Source(Struct, frozen=True):
    """The log as it is read: up to which turn, and with whose knowledge (None: the keeper's)."""

    store: StoredLog
    system: RuleSystem
    upto: int
    viewer: str | None

    @property
    def log(self) -> AsOf:
        return AsOf(self.store, self.upto)

    @property
    def unruled(self) -> bool:
        return isinstance(self.system, Uninstalled)

    def characters(self) -> Iterable[str]:
        """Who is enrolled; without the rules, whoever some turn names."""
        if not self.unruled:
            return state_at(self.system, self.log).characters
        return {name for entry in chronicle(self.system, self.log) for name in entry.characters}


class _Matches(Struct, frozen=True):
    """The entries that fit, the titles of the sessions, and the highest turn among the entries."""

    entries: Iterable[Entry]
    titles: dict[int, str]
    widest: int
    #: The entries that fit among these turns.
    among: Callable[[frozenset[int]], Iterable[Entry]]


def _filters(
    source: _Source,
    range_: str | None,
    session: str | None,
    character: str | None,
    kind: str | None,
    since: str | None,
    until: str | None,
    rule: str | None,
    under: str | None,
) -> Filters:
    """The filters by what stands in the log. Raises NotFound for what is not in the log, and Invalid."""
    system, log = source.system, source.log
    if range_ and session is None and number_in(range_, "S") is not None:
        session, range_ = range_, None  # a session alone is all of it, and not its last turn
    if range_ and range_[:1].isalpha() and ".." not in range_ and not reads_as_point(range_):
        # `log brog`: no point, so a character
        names = fitting(range_, source.characters())
        character, range_ = (range_, None) if len(names) == 1 else (character, range_)
        if range_ is not None and not names and range_.isalpha():
            raise Invalid(
                f"{range_!r} is neither a place in the log nor a name. To search for it: campaign log --grep {range_}."
            )
    selected = filters_of(
        log, source.characters, range_=range_, session=session, character=character, since=since, until=until
    )
    cited = None
    if rule and source.unruled:  # without the rules nothing is checked
        cited = citation(system, bare_number(system, rule))
    elif rule:
        own = state_at(system, log).campaign.paragraphs
        cited = citation(system, options.or_not_found(lambda: known_rule(system, rule, own)))
    return replace(
        selected,
        kinds=options.or_not_found(lambda: _tags_of_kind(system, log, kind)) if kind is not None else None,
        rule=cited,
        turns=_turns_under(source.store, system, source.upto, ruling_number(under))
        if under is not None
        else selected.turns,
    )


@contextmanager
def _matching(source: _Source, filters: Filters, number: int | None) -> Iterator[_Matches]:
    """The entries that fit (the last `number` of them): from the tables where they know enough, else from the log."""
    if not source.unruled and replace(filters, first=1, last=None) == Filters():
        yield _between(source, filters, number)
        return
    with ExitStack() as stack:
        view = None
        if not source.unruled:
            from cli.shell.viewing import viewing
            from projections.views.chronicle_queries import entries, titles_of

            with suppress(NewerVersion):
                view = stack.enter_context(viewing(source.store, source.system, source.upto, source.viewer))
        if view is not None:
            widest = max((entry.turn for entry in entries(view, filters, 1)), default=1)

            def among(turns: frozenset[int]) -> Iterator[Entry]:
                turns_filtered = turns if filters.turns is None else turns & filters.turns
                return entries(view, replace(filters, turns=turns_filtered))

            yield _Matches(entries(view, filters, number), titles_of(view), widest, among)
            return
        source.store.decoder.skips_newer = True
        titles = session_titles(source.store, source.upto)
        matches = list(matching_entries(chronicle(source.system, source.store, source.upto, source.viewer), filters))
        matches = matches[len(matches) - min(number, len(matches)) :] if number is not None else matches
        widest = max((entry.turn for entry in matches), default=1)
        yield _Matches(iter(matches), titles, widest, lambda turns: (e for e in matches if e.turn in turns))


def _between(source: _Source, filters: Filters, number: int | None) -> _Matches:
    """The entries from one turn to another, which need no tables."""
    store, system, upto, last = source.store, source.system, source.upto, filters.last or source.upto
    viewer = source.viewer
    first = filters.first if number is None else max(filters.first, last - number + 1)
    store.decoder.skips_newer = True
    found: Iterable[Entry] = entries_between(system, store, upto, first, last, viewer=viewer)
    sessions = None
    if number is not None:
        found = list(found)
        sessions = {entry.session for entry in found}
    return _Matches(
        found,
        session_titles(store, upto, sessions),
        last if first <= last else 1,
        lambda turns: entries_between(system, store, upto, first, last, turns, viewer=viewer),
    )


def _write(
    screen: Screen,
    source: _Source,
    entries: Iterable[Entry],
    matches: _Matches,
    form: Format,
    background_of: "BackgroundOf | None",
    *,
    oneline: bool,
    follow: bool,
) -> None:
    """Print the entries in any form; `background_of` if what is behind each is printed too."""
    if form is Format.text:
        titles = None if oneline else matches.titles
        digits = len(str(matches.widest)) + 1
        _print(screen, source, entries, titles, background_of, digits=digits, oneline=oneline)
    elif form is Format.md:
        _print_markdown(screen, source.system, entries, matches.titles, background_of)
    else:
        for_people = form not in (Format.json, Format.ndjson)
        rows = (_row(source.system, entry, background_of, for_people=for_people) for entry in entries)
        columns = COLUMNS if background_of is None else (*COLUMNS, "rules", "rulings", "chance")
        if follow and form is Format.json:
            number = 0
            for number, row in enumerate(rows, 1):  # the others are still to come
                screen.raw(f"{',' if number > 1 else '['}{json_text(row)}")
            screen.raw("]" if number else "[]")
        else:
            write_rows(screen, rows, form, columns)


def _row(system: RuleSystem, entry: Entry, background_of: "BackgroundOf | None", *, for_people: bool) -> dict[str, Any]:
    """The keys of an entry, with what is behind it if that is asked for."""
    if background_of is None:
        return entry.as_json()
    behind = background_of(entry)
    return entry.as_json() | (behind.sentences(system) if for_people else msgspec.to_builtins(behind))


def _followed(
    screen: Screen,
    source: _Source,
    entries: Iterable[Entry],
    filters: Filters,
    titles: dict[int, str],
    stopped: list[KeyboardInterrupt],
) -> Iterator[Entry]:
    """The entries, then every new one as it is recorded, until Ctrl-C, which is added to `stopped`.

    So what is printed is ended well. The titles of new sessions are added to `titles`.
    """
    for count, entry in enumerate(entries):
        if count % AT_ONCE == AT_FIRST:
            screen.flush()  # and not to a pager, in which nothing can follow
        yield entry
    store, after = source.store, source.upto
    if store.decoder.newer is not None:  # nothing more can be read
        return
    try:
        while True:
            screen.flush()
            store.wait(LONGEST_SILENCE)
            if (last := store.last()) == after:
                continue
            new = entries_between(source.system, store, last, after + 1, last, viewer=source.viewer)
            coming = list(matching_entries(new, replace(filters, first=after + 1, last=last)))
            titles.update(session_titles(store, last, {entry.session for entry in coming}))
            yield from coming
            after = last
    except KeyboardInterrupt as interrupt:
        stopped.append(interrupt)


#: Seconds after which the log is read again, whether or not a turn was announced.
LONGEST_SILENCE = 5.0


def _in_fold_order(matches: _Matches, number: int | None, log: Log) -> Iterator[Entry]:
    """The entries in fold order: backdated and moved turns at their places, rulings at their own numbers.

    All entries of a log are passed on as they are read; only those that are printed elsewhere are read before.
    """
    entries = matches.entries
    if number is not None:
        entries = list(entries)
        if not any(map(_is_elsewhere, entries)):
            return iter(entries)  # the whole log need not be read
    effective = effective_history(log)
    late = {
        turn.number
        for turns in effective.late.values()
        for turn in turns
        if since_of(effective.action(turn)) is None  # a ruling is printed at its own number
    }
    if not late:
        return iter(entries)
    elsewhere = matches.among(frozenset(late)) if number is None else entries

    def way(entry: Entry) -> tuple[int, ...]:
        return effective.fold_path(entry.turn) if _is_elsewhere(entry) else (entry.turn,)

    here = (entry for entry in entries if not _is_elsewhere(entry))
    return merge(here, sorted(filter(_is_elsewhere, elsewhere), key=way), key=way)


def _is_elsewhere(entry: Entry) -> bool:
    return entry.place is not None and not entry.counts_from_earlier


#: Turns that are printed between two writes, so that reading can begin before the end of a long log.
AT_ONCE = 200


def _flushing(screen: Screen, entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries unchanged, while the screen is flushed every so many of them."""
    for count, entry in enumerate(entries):
        if count % AT_ONCE == AT_FIRST:
            screen.pour()
        yield entry


def _turns_under(store: StoredLog, system: RuleSystem, upto: int, ruling: int) -> frozenset[int]:
    """The turns that were decided under a ruling. Raises NotFound if there is no ruling of this number."""
    from cli.shell.viewing import viewing
    from projections.views.rulebook import turns_under

    with viewing(store, system, upto) as view:
        numbers = [number for (number,) in view.ask("SELECT ruling FROM rulings ORDER BY ruling")]
        if ruling not in numbers:
            hint = f"known: {listed_first(f'R{number}' for number in numbers)}." if numbers else NO_RULING_YET
            raise options.NotFound(f"There is no ruling R{ruling}; {hint}")
        return frozenset(turns_under(view, ruling))


def _tags_of_kind(system: RuleSystem, log: Log, kind: str) -> list[str]:
    """The tags of a kind of action. Raises Unknown, naming the nearest, if there is no such kind."""
    tags = dict.fromkeys(tag_of(action) for action in (*ACTIONS, *system.actions))
    if isinstance(system, Uninstalled):
        tags |= dict.fromkeys(entry.kind for entry in chronicle(system, log))
    matches = tags_matching(kind, tags) or tags_matching(kind.removesuffix("s"), tags)
    if not matches:  # a short name of its verb, or as people say it
        actions = [a for a in (*ACTIONS, *system.actions) if kind.casefold() in (*a.shorts, *a.synonyms, *a.meant_by)]
        matches = list(map(tag_of, actions))
    if not matches:
        words = dict.fromkeys(tag.rpartition(".")[2].replace("_", "-") for tag in tags)
        reason = f"There is no kind of action {kind!r}"
        raise Unknown("kind of action", kind, reason, did_you_mean(kind, words, otherwise=""))
    return matches


def _print_life(screen: Screen, source: _Source, turn: str, form: Format) -> None:
    """Print the events in the life of a turn, one a line. Raises NotFound, and Invalid for whom it would tell more."""
    if source.viewer is not None and source.system.keeps_secrets:
        raise Invalid("--history would show secrets; leave --as out, or use campaign show.")
    number = options.or_not_found(lambda: point_in(source.log, turn_name(turn)))
    chapters = history_of_turn(source.log, number)
    if form is not Format.text:
        rows = [
            msgspec.to_builtins(chapter)
            | {"events": [readable(source.system, event) for event in chapter.events or ()]}
            for chapter in chapters
        ]
        write_rows(screen, rows, form, ("turn", "at", "by", "what", "why", "undone_by"))
        return
    for chapter in chapters:
        when = to_the_minute(chapter.at)
        sentence = plain(parts_of(chapter.events or ()))
        text = f": {sentence}" if sentence else ""
        why = f" Why: {ended(chapter.why)}" if chapter.why else ""
        line: list[Span | str] = [
            Span(f"T{chapter.turn}", "cyan"),
            Span(f"  {when}{f', {chapter.by}' if chapter.by else ''}  ", "dim"),
            Span(f"{chapter.what}{text}{why}", "dim strike" if chapter.undone_by else ""),
        ]
        if chapter.undone_by:
            line.append(Span(f" [undone by T{chapter.undone_by}]", "yellow"))
        screen.line(*line, indent=4)


def heading(session: int, titles: dict[int, str]) -> str:
    """ "Session 3: The crypt"."""
    if not session:
        return "Outside any session"
    title = titles.get(session, "").strip()
    return f"Session {session}: {title}" if title else f"Session {session}"


def _print(
    screen: Screen,
    source: _Source,
    entries: Iterable[Entry],
    titles: dict[int, str] | None,
    background_of: "BackgroundOf | None",
    *,
    digits: int,
    oneline: bool,
) -> None:
    history = cache(lambda: effective_history(source.log))  # read only if a sheet check is among the entries
    session: int | None = None
    entry = None
    for entry in entries:
        if titles is not None and entry.session != session:
            if session is not None:
                screen.line()
            session = entry.session
            screen.line(Span(heading(session, titles), "bold"))
        is_check = entry.standing and entry.kind == SHEET_CHECK
        is_outdated = is_check and may_be_outdated(history(), entry.turn)
        _print_entry(screen, entry, digits, of_then=is_outdated, oneline=oneline)
        for behind in background_of(entry).lines(source.system) if background_of is not None else ():
            screen.line(" " * (digits + 2), behind, indent=digits + 2)
    if entry is None:
        screen.line("No turn matches.")


def _print_entry(screen: Screen, entry: Entry, digits: int, *, of_then: bool, oneline: bool) -> None:
    number = Span(f"{f'T{entry.turn}':>{digits}}", "cyan")
    late = Span(entry.mark, "yellow")
    if entry.standing:
        *above, last = [entry.parts] if oneline else by_person(entry.parts)
        line: list[Span | str] = [number, late, "  "]
        for parts in above:  # a line for each character that does something
            screen.line(*line, *spans(parts), indent=digits + 2)
            line = [" " * (digits + 2)]
        line += spans(last)
    else:
        mark = "" if screen.paints else "✗ "
        line = [
            number,
            late,
            "  ",
            mark,
            Span(entry.sentence, "dim strike"),
            Span(f" [undone by T{entry.undone_by}]", "yellow"),
        ]
    if entry.redecided_by is not None and entry.standing:
        how = "; kept as it was" if entry.kept else f"; first: {first}" if (first := entry.first_read) else ""
        line.append(Span(f" [T{entry.redecided_by}{how}]", "yellow"))
    if of_then:
        line.append(Span(f" [{AGREED_THEN}]", "yellow"))
    line.append(Span(_mark_of_cards(entry), "dim"))
    if who := entry.recorded_by:
        line.append(Span(f" ({who})", "dim"))
    screen.line(*line, indent=digits + 2)


def _mark_of_cards(entry: Entry) -> str:
    """A mark for cards that the table reported, at least in part; what the program dealt needs none."""
    return f" [{entry.cards}]" if entry.cards not in (None, "dealt") else ""


def _print_markdown(
    screen: Screen,
    system: RuleSystem,
    entries: Iterable[Entry],
    titles: dict[int, str],
    background_of: "BackgroundOf | None",
) -> None:
    session = None
    for entry in entries:
        if entry.session != session:
            session = entry.session
            screen.raw(f"\n## {escape(heading(session, titles))}\n")
        sentence = "\\\n  ".join(escape(plain(parts)) for parts in by_person(entry.parts))
        if not entry.standing:
            sentence = escape(entry.sentence)
            sentence = f"~~{sentence}~~ [undone by T{entry.undone_by}]"
        by = f" ({escape(who)})" if (who := entry.recorded_by) else ""
        screen.raw(f"- **T{entry.turn}{entry.mark}** {sentence}{_mark_of_cards(entry)}{by}")
        for behind in background_of(entry).lines(system) if background_of is not None else ():
            screen.raw(f"  - {escape(behind.text)}")
