"""What a verb answers: what happened in one or two sentences, and what is open now."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from cli.terminal.screen import Screen, Span, spans
from cli.terminal.spelling import hints_of, spelled
from domain.common.rulings import RulingEnd, RulingKeep, trials_due
from domain.common.sessions import SessionClose, SessionClosed, SessionOpened
from domain.log.deciding import names_in
from domain.log.revising import Changed, Outcome
from domain.log.standing import Told
from domain.naming import called
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.rulesystem import Matter, RuleSystem, Way
from domain.turn import Turn
from domain.values import as_json as as_json_text
from projections.chronicle import Entry, citation, entry_for, parts_of, plain, readable
from projections.difference import Difference, between
from projections.foreseen import Foreseen
from projections.values import in_words


def answer_json(system: RuleSystem, turn: Turn) -> dict[str, Any]:
    """The result line of one appended action."""
    return {"turn": turn.number, "events": [readable(system, event) for event in turn.events]}


def refusal_json(error: Refusal | Conflict | Invalid) -> dict[str, Any]:
    """The result line of one action that was not appended."""
    if isinstance(error, Refusal):
        return {"refused": {"rule": error.rule, "reason": error.reason}}
    if isinstance(error, Conflict):
        return {"conflicts": [msgspec.to_builtins(later) for later in error.turns]}
    return {"invalid": {"reason": error.reason}}


def print_answer(
    system: RuleSystem,
    outcome: Outcome,
    state: Any,
    screen: Screen,
    *,
    table_before: Sequence[Matter] = (),
    shown_before: bool = False,
    hints: bool = True,
    spell: Callable[[Way], str] = spelled,
    viewer: str | None = None,
) -> None:
    """The turn's number, its sentences, which earlier turns came out differently, and what is open now.

    `table_before` is what the table was waiting for before it, which is not said again; without `hints` nothing of
    what is open is: another answer follows, or it is in sight. `viewer` is who looks on (None: the keeper).
    """
    turn = outcome.turn
    told = Told(turn, turn.action, turn.facts, state.campaign.session or 0)
    entry = entry_for(system, told, None, state, viewer)
    print_entry(screen, entry)
    for change in () if shown_before else outcome.changed:
        if change.before is not None and change.after is not None:
            print_change(screen, change)
    if not hints:
        return
    everybody = frozenset(state.characters) if isinstance(turn.action, SessionClose) else frozenset()
    matters = open_matters(system, state, everybody | entry.characters | frozenset(names_in(turn.action)))
    matters += [each for each in system.table_matters(state) if each not in matters and each not in table_before]
    matters += trials_to_weigh(system, turn, state)
    for hint in hints_of(matters, spell):
        screen.line(Span(f"    {hint}", "yellow"), indent=None)


def trials_to_weigh(system: RuleSystem, turn: Turn, state: Any) -> list[Matter]:
    """The trials that are to be looked at again, where a turn opens or closes a session."""
    session = next((each.number for each in turn.facts if isinstance(each, SessionOpened | SessionClosed)), None)
    if session is None:
        return []
    return [
        Matter(
            (Way(RulingKeep, {"ruling": f"R{each.number}"}), Way(RulingEnd, {"ruling": f"R{each.number}"})),
            f"R{each.number} on {citation(system, each.rule)} is on trial and due to be weighed.",
        )
        for each in trials_due(state, session, turn.moment.date())
    ]


def print_entry(screen: Screen, entry: Entry) -> None:
    """One turn of the log, as it answers a command."""
    number = f"T{entry.turn}"
    screen.lines(screen.wrap((Span(number, "bold cyan"), "  ", *spans(entry.parts)), indent=len(number) + 2))


def open_matters(system: RuleSystem, state: Any, characters: frozenset[str]) -> list[Matter]:
    """What these characters are waiting for, each once."""
    found: list[Matter] = []
    for name in sorted(characters):
        if name in state.characters:
            found += [matter for matter in system.open_matters(state, name) if matter not in found]
    return found


def _change_json(system: RuleSystem, change: Changed) -> dict[str, Any]:
    return {
        "turn": change.turn,
        "before": None if change.before is None else [readable(system, event) for event in change.before],
        "after": None if change.after is None else [readable(system, event) for event in change.after],
    }


def print_preview(system: RuleSystem, outcome: Outcome, screen: Screen, *, as_json: bool) -> None:
    """Turn by turn, what a revision would change, and which turns stand in its way."""
    if as_json:
        screen.json(
            {
                "changed": [_change_json(system, change) for change in outcome.changed],
                "conflicts": [msgspec.to_builtins(later) for later in outcome.conflicts],
            }
        )
        return
    if not outcome.changed and not outcome.conflicts:
        screen.line("Nothing would change.")
    standing = {later.turn: later for later in outcome.conflicts}
    for change in outcome.changed:
        number = Span(f"T{change.turn}", "bold cyan")
        if change.turn in standing:
            later = standing[change.turn]
            refused = str(Refusal(later.rule, later.reason))
            screen.line(number, Span("  no longer legal: ", "bold red"), refused)
        elif change.after is None:
            screen.line(number, "  taken back: ", Span(plain(parts_of(change.before or ())), "strike"))
        elif change.before is None:
            screen.line(number, "  stands again: ", *spans(parts_of(change.after)))
        else:
            print_change(screen, change)
    if outcome.conflicts:
        screen.line("Settle it with --drop (those turns are undone too) or --keep (they stay as they were).")


def _foreseen_json(each: Foreseen) -> dict[str, Any]:
    into = {} if each.action is None else {"action": each.action}
    return {"turn": each.turn, "how": each.how, "events": each.events, **into}


def print_foreseen(told: Sequence[Foreseen], screen: Screen, *, as_json: bool) -> None:
    """What a player may know of a revision beforehand."""
    if as_json:
        screen.json({"asked": [_foreseen_json(each) for each in told]})
        return
    for each in told:
        screen.lines(screen.wrap((Span(f"T{each.turn}", "bold cyan"), f"  {each.how}: ", *spans(each.parts)), indent=4))
        if each.action is not None:
            screen.line("    into ", as_json_text(each.action), indent=None)
    screen.line("What comes of it may rest on what other players hold; only the keeper sees that, without --as.")


def print_change(screen: Screen, change: Changed) -> None:
    """What an earlier turn came to, and below it what it comes to now."""
    margin = " " * len(f"T{change.turn}")
    was = (Span(f"T{change.turn}", "bold cyan"), "  was: ", Span(plain(parts_of(change.before or ())), "dim"))
    screen.lines(screen.wrap(was, indent=len(margin) + 7))
    screen.lines(screen.wrap((margin, "  now: ", *spans(parts_of(change.after or ()))), indent=len(margin) + 7))


def print_sheet_changes(system: RuleSystem, before: Any, after: Any, screen: Screen) -> None:
    """What a change of the past made of the sheets: a line for each that differs, with what differs alone."""
    for name, person in between(system, before, after, 0, 0).characters.items():
        if person.change == "changed":
            what = ", ".join(map(_field_change, person.fields))
        else:
            what = "there again" if person.change == "new" else "no longer there"
        screen.lines(screen.wrap((Span(f"    {called(name)}: ", "bold"), Span(what, "yellow")), indent=6))


def _field_change(field: Difference) -> str:
    if field.change == "gone":
        return f"{field.field} gone"
    if field.change == "new":
        return f"{field.field} new ({in_words(field.new)})"
    return f"{field.field} {in_words(field.old)} → {in_words(field.new)}"
