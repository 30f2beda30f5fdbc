"""A recorded turn on the terminal: its sentences, what it changed of earlier turns, the pending decisions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from cli.terminal.screen import AT_ONCE, Screen, Span, spans
from cli.terminal.spelling import command_line_of, hints_of
from domain.choice import Choice
from domain.common.revisions import Amend
from domain.common.rulings import RulingEnd, RulingKeep, RulingMade, trials_due
from domain.common.sessions import SessionClose, SessionClosed, SessionOpened
from domain.common.tracking import ask_for_values_of_others
from domain.log.effective_history import EffectiveTurn, keeps_results
from domain.log.hash_chain import seal_of
from domain.log.port import Log
from domain.log.revising import ChangedTurn, Outcome
from domain.naming import listed
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.field_schema import NEW, fields_of
from domain.system.options import options_of
from domain.system.paragraphs import citation
from domain.system.pending import PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.turn import Event, Sentence, Turn
from projections.chronicle import entry_for, involved_in, turn_text
from projections.secrecy import readable
from projections.sentences import by_person, parts_of, plain

#: The turns that come out differently of which a terminal shows both sentences; a pipe or a file gets all of them.
MOST_ON_A_TERMINAL = 1_000
#: Words for a turn whose result differs while its sentence does not: other totals, or another order of a deck.
TOLD_THE_SAME = "the same words, with other dice, cards or counts behind them"


def answer_json(system: RuleSystem, turn: Turn) -> dict[str, Any]:
    """An appended action as a JSON result."""
    return {"turn": turn.number, "events": [readable(system, event) for event in turn.events]}


def refusal_json(error: Refusal | Conflict | Invalid) -> dict[str, Any]:
    """An action that was not appended as a JSON result."""
    if isinstance(error, Refusal):
        return {"refused": {"rule": error.rule, "reason": error.reason}}
    if isinstance(error, Conflict):
        return {"conflicts": [msgspec.to_builtins(later) for later in error.turns]}
    return {"invalid": {"reason": error.reason}}


def afterword(system: RuleSystem, log: Log, outcomes: Sequence[Outcome]) -> str:
    """The sentence behind turns that were just recorded: the seal of a session, or what a ruling left as it was."""
    actions = [outcome.turn.action for outcome in outcomes]
    if any(isinstance(action, SessionClose) for action in actions):
        last = log.last()
        return f"Seal: {seal_of(last, log.link(last))}"
    hints = (
        words_alone(system, event.rule)
        for outcome in outcomes
        for event in outcome.turn.facts
        if isinstance(event, RulingMade) and not event.set
    )
    return next(filter(None, hints), "")


def words_alone(system: RuleSystem, number: str) -> str:
    """A hint about a ruling in words alone on a paragraph whose options could change what the log decides; else ""."""
    options = [option for option in options_of(system.options).values() if option.rule == number]
    ways = listed(f"{option.name}=…" for option in options)
    return f"It sets nothing: the log decides {number} as before. You can set: {ways}" if options else ""


def print_answer(
    system: RuleSystem,
    outcome: Outcome,
    state: Any,
    screen: Screen,
    *,
    table_before: Sequence[PendingDecision] = (),
    next_decisions: Sequence[PendingDecision] = (),
    shown_before: bool = False,
    hints: bool = True,
    spell: Callable[[Choice], str] = command_line_of,
    viewer: str | None = None,
) -> None:
    """Print a turn with its number and sentences, its effects on earlier turns, and the pending decisions.

    Decisions of the table that were pending before (`table_before`), or are asked next (`next_decisions`), are not
    printed; without `hints` none are. With `shown_before` a preview has already shown the effects. `viewer` limits what
    is shown to one player's knowledge (None: the keeper).
    """
    turn = outcome.turn
    session = state.campaign.session or 0
    before = {change.turn: change.before or () for change in outcome.changed} if keeps_results(turn.action) else {}
    effective = EffectiveTurn(turn, turn.action, turn.facts, session, restored=outcome.restored, facts_before=before)
    is_seen_whole = viewer is None or not system.keeps_secrets
    parts = (turn_text(system, effective) if is_seen_whole else entry_for(system, effective, None, state, viewer)).parts
    if turn.place is not None and not isinstance(turn.action, Amend) and not shown_before:
        parts = (*parts, f" Late entry: it happened directly after T{turn.place}.")
    print_sentence(screen, turn.number, parts)
    if not shown_before and (outcome.moved or outcome.changed):
        _print_changes(screen, outcome)
    if not hints:
        return
    if isinstance(turn.action, SessionClose):  # every open decision is listed, even if it was before
        decisions = [*system.pending_now(state), *system.loose_ends(state)]
    else:
        decisions = system.pending_for_anyone(state, sorted(involved_in(effective) & state.characters.keys()))
        decisions += [
            decision
            for decision in system.pending_for_table(state)
            if decision not in decisions and decision not in table_before
        ]
    decisions = [*system.follow_ups(state, turn.facts), *decisions, *trials_to_weigh(system, turn, state)]
    decisions += [
        reminder for name in joined_by(turn) if (reminder := ask_for_values_of_others(system, state, name)) is not None
    ]
    for hint in hints_of([decision for decision in decisions if decision not in next_decisions], spell):
        screen.line(Span(f"    {hint}", "yellow"), indent=None)


def _print_changes(screen: Screen, outcome: Outcome) -> None:
    """Print what a turn changed of earlier ones: which fold elsewhere, and which come out differently."""
    if not isinstance(outcome.turn.action, Amend):  # the sentence of an amendment says it
        print_moves(screen, outcome.moved)
    unshown = 0
    for count, change in enumerate(outcome.changed, 1):
        if not count % AT_ONCE:
            screen.flush()
        if change.before is not None and change.after is not None:
            if screen.interactive and count > MOST_ON_A_TERMINAL:
                unshown += 1
            else:
                print_change(screen, change)
    print_unshown(screen, unshown)


def print_moves(screen: Screen, places: Mapping[int, int | None]) -> None:
    """Print which earlier turns now fold at another place."""
    for turn, place in places.items():
        where = " back to its own number" if place is None else f": it happened directly after T{place}"
        print_at_turn(screen, turn, f"moved{where}.")


def joined_by(turn: Turn) -> tuple[str, ...]:
    """The names of the characters that a turn enrols."""
    names = (getattr(turn.action, field.name) for field in fields_of(type(turn.action)) if field.names == NEW)
    return tuple(name for name in names if name is not None)


def trials_to_weigh(system: RuleSystem, turn: Turn, state: Any) -> list[PendingDecision]:
    """The trials due for review, as decisions, if a turn opens or closes a session."""
    session = next((event.number for event in turn.facts if isinstance(event, SessionOpened | SessionClosed)), None)
    if session is None:
        return []
    return [
        PendingDecision(
            (Choice(RulingKeep, {"ruling": f"R{ruling.number}"}), Choice(RulingEnd, {"ruling": f"R{ruling.number}"})),
            f"R{ruling.number} on {citation(system, ruling.rule)} is on trial and due to be looked at again.",
        )
        for ruling in trials_due(state, session, turn.moment.date())
    ]


def print_sentence(screen: Screen, turn: int, sentence: Sentence) -> None:
    """Print one turn of the log."""
    for at, parts in enumerate(by_person(sentence)):  # a line for each character that does something
        print_at_turn(screen, turn, *spans(parts), numbered=not at)


def print_at_turn(screen: Screen, turn: int, *words: Span | str, numbered: bool = True, indent: int = 0) -> None:
    """Print words behind the number of a turn, or its blanks; further rows begin below them, `indent` to the right."""
    number = f"T{turn}"
    start = Span(number, "bold cyan") if numbered else " " * len(number)
    screen.line(start, "  ", *words, indent=len(number) + 2 + indent)


def print_change(screen: Screen, change: ChangedTurn, now: str | None = None) -> None:
    """Print the old and the new sentence of an earlier turn, a pair for each character for whom they differ.

    `now` replaces the new sentence.
    """
    rows = [(plain(parts_of(change.before or ())), now)] if now is not None else _differing(change)
    for at, (before, after) in enumerate(rows):
        if before == after:
            print_at_turn(screen, change.turn, f"{TOLD_THE_SAME}: ", after, numbered=not at)
            continue
        print_at_turn(screen, change.turn, "was: ", before, numbered=not at, indent=len("was: "))
        print_at_turn(screen, change.turn, "now: ", after, numbered=False, indent=len("now: "))


def _differing(change: ChangedTurn) -> list[tuple[str, str]]:
    """Pairs of the old and the new sentence, by character where they differ; of the whole turn if that cannot be."""
    events_before, events_after = change.before or (), change.after or ()
    if len(events_before) > 1 or len(events_after) > 1:  # of a single event there is only one character
        old, new = _by_character(events_before), _by_character(events_after)
        rows = [(plain(parts_of(old.get(name, ()))), plain(parts_of(new.get(name, ())))) for name in {**old, **new}]
        differing = [row for row in rows if row[0] != row[1]]
        if differing and all(before and after for before, after in differing):
            return differing
        # the turn is about other characters now
    return [(plain(parts_of(events_before)), plain(parts_of(events_after)))]


def _by_character(events: Sequence[Event]) -> dict[str, list[Event]]:
    events_of: dict[str, list[Event]] = {}
    for event in events:
        events_of.setdefault(str(getattr(event, "character", "")), []).append(event)
    return events_of


def print_unshown(screen: Screen, turns: int) -> None:
    """Print how many more turns come out differently."""
    if turns:
        come = "turn comes" if turns == 1 else "turns come"
        screen.line(f"{turns:,} more {come} out differently; write them to a file (> FILE) to see them all.")
