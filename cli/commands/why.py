"""Explain a value: the turns that made it, newest first.

Each turn is shown with its rule and ruling. A value is one on a sheet, a card, an item, or something that the table
itself keeps: the scene or the round, a foe, a number of its own like torches or the day.

Examples:
  campaign why brog
  campaign why brog.fatigue
  campaign why brog hit points
"""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import msgspec
import typer

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to, seen_by
from cli.shell.provenance import provenance_for
from cli.shell.reading import ReadOptions, reads
from cli.shell.references import must_name_nobody_by_a_place
from cli.shell.viewing import viewing
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Line, Screen, Span, pad, width
from cli.terminal.turn_context import chance_lines, ruling_line
from domain.log.effective_history import effective_history
from domain.log.folding import state_at
from domain.naming import called, fitting, possessive
from domain.refusal import Invalid, Refusal
from domain.system.rulesystem import RuleSystem
from domain.system.type_descriptions import either
from domain.values import as_json, in_words
from projections.turn_status import TurnStatus, statuses_of
from projections.views.targets import (
    OF_TABLE,
    Target,
    characters_in,
    field_of_table,
    fields_in,
    named_by_table,
    possessions,
    target_of,
    tracked_names,
)
from projections.views.view import View
from projections.views.why import Change, Provenance, changes_in_words, provenance_at_table

#: Changes in the text answer if no other number is asked for.
NEWEST = 20
COLUMNS = ("turn", "old", "new", "sentence", "rules")


@reads()
def why(
    request: ReadOptions,
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="CHARACTER.FIELD",
            help="brog.hp, ada.Trample, round; a name alone: how much is left.",
            autocompletion=options.known("about_somebody"),
        ),
    ],
    number: Annotated[int | None, typer.Option("-n", min=1, help="Only the newest N turns (as text: 20).")] = None,
) -> None:
    form, screen = request.form, request.screen
    must_name_nobody_by_a_place(what, "why")
    with open_chosen(request.campaign) as (log, system):
        upto = read_up_to(log, request.at)
        viewer = seen_by(log, system, request.as_)
        with viewing(log, system, upto) as view:
            about = _subject(view, system, log, upto, what)
            is_of_the_table = not about.character and about.field != "tracked"
            # one more than is printed, to find out whether there are more
            most = number if number is not None else NEWEST if form is Format.text else None
            if is_of_the_table:
                if viewer is not None and system.keeps_secrets:
                    raise Invalid("The turns of the table may tell secrets; leave --as out.")
                provenance = provenance_at_table(view, system, log, about, upto)
            else:
                provenance = provenance_for(view, system, log, about, most, upto, viewer)
            # a ruling may have made somebody rest whose fatigue no paragraph of that ruling counts
            is_under_none = bool(view.ask("SELECT 1 FROM rulings LIMIT 1")) and not view.ask(
                "SELECT 1 FROM under WHERE ruling IS NOT NULL AND turn IN (SELECT value FROM json_each(?)) LIMIT 1",
                as_json([change.turn for change in provenance.changes[:most]]),
            )
        changes = provenance.changes[:most]
        left_out = number is None and most is not None and len(provenance.changes) > most
        turns = [change.turn for change in changes]
        # of the turns after the first of them, but of the whole log if one of them was moved
        effective = effective_history(log, upto, after=min(turns, default=upto) - 1)
        was_moved = effective.place.keys() & set(turns)
        marks = statuses_of(effective_history(log, upto) if was_moved else effective, turns)
        if form is Format.json:
            value = changes[0].new if changes else None
            rows = [_change_json(change, marks) for change in changes]
            screen.json({"character": about.character or None, "field": about.path, "value": value, "changes": rows})
        elif form is not Format.text:
            write_rows(screen, [_change_json(change, marks) for change in changes], form, COLUMNS)
        else:
            if about.character and any(
                isinstance(value, list | dict) for change in changes for value in (change.old, change.new)
            ):
                changes = changes_in_words(system, state_at(system, log, upto), about, changes)
            headline = _headline(about, changes, provenance, screen.program)
            _print(screen, system, headline, changes, provenance.undone, marks)
            if is_under_none and changes and not any(change.rulings for change in changes):
                screen.line(Span("No ruling decided this.", "dim"))
            if left_out:
                screen.line(Span(f"Earlier changes are left out; -n {2 * len(changes)} shows more.", "dim"))
    screen.flush(pager=True)


def _subject(view: View, system: RuleSystem, log: StoredLog, upto: int, words: Sequence[str]) -> Target:
    """What the words ask about. Raises NotFound for what is not there, and Invalid for what is no subject."""
    state = cache(lambda: state_at(system, log, upto))
    try:
        text = _target_text(view, system, words)
        if (of_table := field_of_table(view, system, text)) is not None:
            return (named_by_table(system, state(), text) if of_table.inside else None) or of_table
        # a value on a sheet needs no state, which tells names of cards and items
        is_plain = text.rpartition(".")[2] in fields_in(view)
        return target_of(view, system, system.opening() if is_plain else state(), text)
    except (Invalid, Refusal) as error:
        # of somebody who is known, nothing else is meant
        names, sought = characters_in(view), " ".join(words)
        if not fitting(sought.split(".")[0], names) and not sought.isdecimal():
            if (of_table := named_by_table(system, state(), sought)) is not None:
                return of_table
            owned = [found for name in names for found in possessions(view, system, state(), name, sought)]
            if len(owned) == 1:
                return owned[0]
            if owned:
                raise Invalid(f"Say whose {owned[0].inside[0]}: why {either(map(str, owned))}.") from None
        if isinstance(error, Refusal):
            raise options.NotFound(error.reason) from None
        raise


def _target_text(view: View, system: RuleSystem, words: Sequence[str]) -> str:
    """The words joined as CHARACTER.FIELD; several words are read as a line's are, in quotes or not."""
    if len(words) == 1 and "." not in words[0]:
        words = words[0].split() or words
    if len(words) < 2:
        return words[0]
    from cli.line.why_subject import why_subject  # most questions are one word

    table = (*tracked_names(view, None), *system.table_to_view(system.opening()))
    return why_subject(words, characters_in(view), fields_in(view), system.vital, table)


def _change_json(change: Change, marks: dict[int, TurnStatus]) -> dict[str, Any]:
    mark = marks.get(change.turn)
    return {**msgspec.to_builtins(change), **(mark.as_json() if mark is not None else {})}


def _print(
    screen: Screen,
    system: RuleSystem,
    headline: str,
    changes: list[Change],
    undone_turns: list[tuple[int, int, str]],
    marks: dict[int, TurnStatus],
) -> None:
    screen.line(Span(headline, "bold"), indent=0)
    for turn, by, sentence in undone_turns:
        line: Line = [Span(f"T{turn} does not count, it is undone by T{by}: ", "yellow"), Span(sentence, "dim")]
        screen.line(*line, indent=0)
    digits = max((len(str(change.turn)) for change in changes), default=1) + 1
    columns = min(24, max((width(_change_in_words(change)) for change in changes), default=0))
    for change in changes:
        start: list[Span | str] = [
            Span(f"{f'T{change.turn}':>{digits}}", "cyan"),
            "  ",
            Span(pad(_change_in_words(change), columns), "bold"),
            "  ",
        ]
        rules = Span(f" ({', '.join(change.rules)})", "dim") if change.rules else ""
        indent = digits + columns + 4
        if width(_change_in_words(change)) > columns:
            screen.line(*start, indent=digits + 2)
            start = [" " * indent]
        mark = Span(f" [{marks[change.turn]}]", "yellow") if change.turn in marks else ""
        screen.line(*start, change.sentence, rules, mark, indent=indent)
        behind = [Span(text, "dim") for text in chance_lines(change.chance)]
        for line_of in (*behind, *(Span(ruling_line(system, ruling), "yellow") for ruling in change.rulings)):
            screen.line(" " * indent, line_of, indent=indent)


def _names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _change_in_words(change: Change) -> str:
    if isinstance(change.old, list) and isinstance(change.new, list) and (_names(change.old) or _names(change.new)):
        # of lists of names only what left and what came is printed
        losses = [f"-{item}" for item in change.old if item not in change.new]
        come = [f"+{item}" for item in change.new if item not in change.old]
        if losses or come:
            return ", ".join((*losses, *come))
    return in_words(change.new) if change.old is None else f"{in_words(change.old)} → {in_words(change.new)}"


def _headline(about: Target, changes: list[Change], provenance: Provenance, program: str) -> str:
    if about.card is not None:
        return _card_headline(about, changes, provenance.at_first)
    if not changes:
        from shlex import quote  # which most answers need not

        typed = quote(".".join((about.character or OF_TABLE, about.field)))
        whole = f" To see it whole: {program}why {typed}." if about.inside else ""
        return f"{about} is not there, and never was; {provenance.present_value or 'there is nothing now'}.{whole}"
    newest = changes[0]
    return f"{about} has been {in_words(newest.new)} since T{newest.turn}."


def _card_headline(about: Target, changes: list[Change], at_first: str | None) -> str:
    title = called(about.inside[0])
    if not changes:
        return f"Where {title} lies is not shown on {possessive(about.character)} sheet."
    newest = changes[0]
    if newest.new is None:
        return f"Where {title} lies has not been shown since T{newest.turn}."
    elsewhere = f", not {at_first}" if at_first not in (None, newest.new) else ""
    return f"{title} has been {newest.new} since T{newest.turn}{elsewhere}."
