"""What holds of turns told late, whatever was told and wherever: on random tables of every rule system."""

from collections.abc import Sequence
from random import Random
from typing import Any

import msgspec
from hypothesis import given

from domain.common.sessions import SessionClose, SessionOpen
from domain.log.effective_history import effective_history, effective_turns, turns_as_folded
from domain.refusal import Invalid, Refusal
from domain.turn import Turn

from ..kit.given import Given
from ..kit.soundness import everything, is_sound
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import MODEST, chances, fresh, has_appended, late_line, line, play, second_handler


def late_entry(chance: Random, subject: Subject, table: Given) -> Turn | None:
    """Something told late that was legal there, among a few tries, as the last turn; None if nothing was."""
    for _ in range(6):
        value = late_line(chance, subject, table, chance.choice(("drop", "keep")))
        if legal(table, value) and table.attempt(value, dry_run=True).turn.place is not None:
            table.when(value)
            return table.log.turns[-1]
    return None


def of_these(subject: Subject, turns: Sequence[Turn]) -> Given:
    """Another table with the same turns."""
    table = Given(subject.key)
    table.log.turns[:] = turns
    table.handler = second_handler(table)
    return table


def legal(table: Given, value: dict[str, Any]) -> bool:
    """Whether it can be done."""
    try:
        table.attempt(value, dry_run=True)
    except (Refusal, Invalid):
        return False
    return True


@MODEST
@given(chance=chances)
def test_behind_the_last_turn_is_now(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    if table.log.last() in effective_history(table.log).place:
        return  # it folds further up, and what is placed behind it too
    again = of_these(subject, table.log.turns)
    value = {name: value for name, value in line(chance, subject, table).items() if name != "since"}
    if not legal(table, value):
        return
    # a card that is drawn may decide whether a line is legal, and each of the three draws its own
    try:
        now = table.attempt(value)
    except Refusal:
        return
    draws = any(len(drawn.values) > drawn.reported for drawn in now.turn.chance.values())
    try:
        late = again.attempt({**value, "after": "@"})
    except Refusal:
        assert draws
        return
    assert late.turn.place is None
    same = msgspec.structs.replace(late.turn, id=now.turn.id, at=now.turn.at)
    assert same.action == now.turn.action
    if not draws:
        assert [type(event) for event in same.events] == [type(event) for event in now.turn.events]


@MODEST
@given(chance=chances)
def test_told_late_and_undone_is_the_identity(subject: Subject, chance: Random) -> None:
    table = play(chance, subject, fresh(chance, subject), 4, revising=0.5)
    before, last = everything(table), table.log.last()
    turn = late_entry(chance, subject, table)
    if turn is not None:
        table.when({"type": "undo", "turns": [turn.number]})
        assert has_appended(table)
        assert everything(table, last) == before
        is_sound(table)


@MODEST
@given(chance=chances)
def test_moved_and_moved_back_is_the_identity(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    turn = late_entry(chance, subject, table)
    if turn is None:
        return
    before, last = everything(table), table.log.last()
    action = msgspec.to_builtins(
        next(
            effective_turn for effective_turn in effective_turns(table.log) if effective_turn.number == turn.number
        ).action
    )
    move = {"type": "amend", "turn": turn.number, "action": action, "conflicts": "keep"}
    table.when({**move, "after": f"T{chance.randint(1, turn.number - 1)}"})
    if has_appended(table):
        table.when({"type": "undo", "turns": [table.log.last()]})
        assert everything(table, last) == before
        is_sound(table)


@MODEST
@given(chance=chances)
def test_the_log_until_then_reads_as_it_did_at_the_points_of_then(subject: Subject, chance: Random) -> None:
    table = play(chance, subject, fresh(chance, subject), 4, revising=0.5)
    before, last = list(effective_turns(table.log)), table.log.last()
    if late_entry(chance, subject, table) is not None:
        assert list(effective_turns(table.log, last)) == before


@MODEST
@given(chance=chances)
def test_told_late_is_as_if_it_had_been_told_there(subject: Subject, chance: Random) -> None:
    """With the dice and cards that each turn had, what is not legal any more left out, as in the log itself."""
    table = fresh(chance, subject)
    # the referee's word and a check of then stay as they are, though on other sheets they would be refused
    if any(turn.action.__struct_config__.tag in ("override", "sheet.check") for turn in table.log.read()):
        return
    turns = list(table.log.read())
    table.when(late_line(chance, subject, table, "drop"))
    late = list(table.log.read())[-1]
    if not has_appended(table) or late.place is None or late.action.__struct_config__.tag == "note":
        return
    if late.place in effective_history(table.log).place:
        return  # behind a ruling that counts from further up
    there = of_these(subject, turns[: late.place])
    for turn in (late, *turns[late.place :]):
        if getattr(turn.action, "since", None) is not None:
            return  # it counts from a turn that has another number here
        try:
            there.handler.record(turn.action, branch_turn=turn)
        except (Refusal, Invalid):
            continue
    one, other = everything(table), everything(there)
    assert one["sheets"] == other["sheets"]
    assert (one["table"], one["options"], one["session"]) == (other["table"], other["options"], other["session"])


@MODEST
@given(chance=chances)
def test_a_session_told_late_holds_what_was_told_from_its_place_on(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    last = table.log.last()
    table.when({"type": "session.open", "after": f"T{chance.randint(1, last)}", "conflicts": "drop"})
    if not has_appended(table):
        return
    opened = list(table.log.read())[-1]
    number = opened.events[0].number  # type: ignore[attr-defined]
    standing = [effective_turn for effective_turn in turns_as_folded(table.log) if effective_turn.standing]
    at = next(index for index, effective_turn in enumerate(standing) if effective_turn.number == opened.number)
    assert standing[at].session == number
    assert standing[at - 1].session != number
    for later in standing[at + 1 :]:
        assert later.session == number
        if isinstance(later.turn.action, SessionOpen | SessionClose):
            break
