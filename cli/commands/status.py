"""Show the sheets, now or at any point.

Examples:
  campaign status
  campaign status brog --at T20
  campaign status brog --each session -O csv
  campaign status --json
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to, seen_by
from cli.shell.reading import ReadOptions, reads
from cli.shell.references import must_name_nobody_by_a_place
from cli.store.layout import MAIN
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Screen, Span
from cli.terminal.sheet import brief_lines, ends_of_those_out, out_of_play_line, print_rows
from cli.terminal.spelling import hints_of
from domain.log.folding import state_at
from domain.log.points import sessions_of
from domain.naming import EVERYBODY, called, key_of, name_meant
from domain.system.pending import PendingDecision, besides
from domain.system.rulesystem import RuleSystem
from domain.values import in_words
from projections.secrecy import sheet_for
from projections.sheets import state_as_now, states_then, status_of

#: More sheets than this are printed in brief on a terminal.
MOST_WHOLE = 2


class Each(StrEnum):
    """At the end of what the sheets are shown."""

    session = "session"


@reads()
def status(
    request: ReadOptions,
    character: options.Character = None,
    as_now: options.AsNow = False,
    each: Annotated[
        Each | None, typer.Option("--each", help="A row for the end of each session, as it was then.")
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Whole sheets, for more than two characters too.")] = False,
) -> None:
    form, screen = request.form, request.screen
    if character:
        must_name_nobody_by_a_place(character, "status")
    with open_chosen(request.campaign) as (log, system):
        point = read_up_to(log, request.at)
        if each is not None:
            rows = list(_at_each_session(log, system, point, request.as_, " ".join(character or ()), as_now=as_now))
            write_rows(screen, rows, form, list(dict.fromkeys(column for row in rows for column in row)))
            screen.flush(pager=True)
            return
        state = state_as_now(system, log, point) if as_now else state_at(system, log, point)
        value = status_of(log, system, state, point, seen_by(log, system, request.as_))
        if log.branch != MAIN:
            value["campaign"]["branch"] = log.branch
        sheets = value["characters"]
        alone = bool(character) and key_of(" ".join(character or ())) not in EVERYBODY
        if character and alone:
            name = options.or_not_found(lambda: name_meant(" ".join(character), sheets))
            value["characters"] = sheets = {name: sheets[name]}
        match form:
            case Format.json:
                screen.json(value)
            case Format.text:
                _print(
                    screen,
                    system,
                    state,
                    value,
                    alone=alone,
                    now=point == log.last(),
                    full=full,
                )
            case _:
                rows = [{"character": name, **sheet} for name, sheet in sheets.items()]
                if form in (Format.md, Format.html):
                    rows = [
                        {key: system.in_words(state, str(row["character"]), key, cell) for key, cell in row.items()}
                        for row in rows
                    ]
                write_rows(screen, rows, form, list(rows[0]) if rows else ["character"])
    screen.flush(pager=True)


def _at_each_session(
    log: StoredLog, system: RuleSystem, upto: int, as_: str | None, who: str, *, as_now: bool
) -> Iterator[dict[str, Any]]:
    """The sheets at the end of every session, those of one character or of everybody. Raises NotFound for nobody."""
    viewer = seen_by(log, system, as_)
    known = state_at(system, log, upto).characters
    names = [options.or_not_found(lambda: name_meant(who, known))] if who and key_of(who) not in EVERYBODY else None
    ends = {session: last for session, (_, last) in sessions_of(log, upto).items()}
    now = ((last, state_as_now(system, log, last)) for last in ends.values())
    states = now if as_now else states_then(system, log, ends.values())
    for session, (last, state) in zip(ends, states, strict=True):
        for name in state.characters:
            if names is None or name in names:
                sheet = sheet_for(system, state, name, viewer)
                yield {"session": session, "turn": last, "character": name, **sheet}


def _print(
    screen: Screen, system: RuleSystem, state: Any, value: dict[str, Any], *, alone: bool, now: bool, full: bool
) -> None:
    about = value["campaign"]
    session = f" · session {about['session']}" if about["session"] else ""
    branch = f" · on {about['branch']}" if "branch" in about else ""
    screen.line(
        Span(about["name"], "bold"),
        Span(f" · {about['rules']}{branch} · {'' if now else 'as of '}T{about['turn']}{session}", "dim"),
    )
    defaults = system.options()
    changed_options = [name for name, option in value["options"].items() if option != getattr(defaults, name)]
    if changed_options and not alone:
        values_in_force = ", ".join(f"{name} = {in_words(value['options'][name])}" for name in changed_options)
        screen.line(Span(f"ruled: {values_in_force}", "dim"))
    if not alone:
        print_rows(screen, system.whole_table_rows(state))
    of_table = system.pending_for_table(state) if now and not alone else ()
    of_characters = [decision for name in value["characters"] for decision in system.pending_for(state, name)]
    brief = screen.interactive and not full and len(value["characters"]) > MOST_WHOLE
    if not brief:
        _print_pending(screen, besides(of_characters, of_table))
    if not value["characters"]:
        screen.line(f"Nobody is enrolled yet. Next: campaign {system.key} enrol --help")
    sheets = value["characters"]
    if brief:
        screen.lines(brief_lines(system, state, sheets, columns=screen.columns))
        if now:
            _print_pending(screen, [*of_table, *besides(of_table, of_characters)])
        return
    out_of_play = {} if full or alone else ends_of_those_out(system, state, sheets)
    names = [name for name in sheets if name not in out_of_play]
    foes = [name for name in names if system.is_foe(state, name)]
    for name in (*(name for name in names if name not in foes), *foes):
        sheet = sheets[name]
        player = f"  ({sheet['player']})" if sheet.get("player") else "  (foe)" if name in foes else ""
        screen.line()
        screen.line(Span(called(name), "bold cyan"), Span(player, "dim"))
        print_rows(screen, system.sheet_rows(state, name, sheet))
        if now:
            _print_pending(screen, system.pending_for(state, name))
    if out_of_play:
        screen.line()
        screen.line(out_of_play_line(out_of_play))


def _print_pending(screen: Screen, decisions: Sequence[PendingDecision]) -> None:
    if not decisions:
        return

    for hint in hints_of(decisions) if screen.hints else ():
        screen.line(Span(f"  {hint}", "yellow"), indent=None)
