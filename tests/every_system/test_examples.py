"""The example campaigns come to their recorded sheets, replayed line by line and read from their stored turns."""

import msgspec

from domain.common.revisions import Amend, Undo
from domain.common.rulings import Ruling
from domain.log.port import MemoryLog
from domain.registry import record_types

from ..kit.recordings import Recording, recordings_in, sheets_of
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests

CHANGED = "read what changed, then: python -m tests.record_examples"


def test_every_rule_system_has_an_example(subject: Subject) -> None:
    assert recordings_in(subject.data, subject.key)


def test_a_replay_comes_to_the_recorded_sheets(recorded: Recording) -> None:
    assert sheets_of(recorded.replayed()) == msgspec.json.decode(recorded.file("sheets.json")), CHANGED


def test_the_stored_turns_are_read_for_ever(recorded: Recording) -> None:
    rules, lines = recorded.example.rules, recorded.file("turns.ndjson").splitlines()
    turns = [msgspec.json.decode(line, type=record_types(rules).turn) for line in lines]
    assert [msgspec.json.encode(turn) for turn in turns] == lines
    assert sheets_of(MemoryLog(rules, turns=turns)) == msgspec.json.decode(recorded.file("sheets.json")), CHANGED


def test_a_replay_tells_the_turns_that_are_stored(recorded: Recording) -> None:
    turns = [msgspec.json.encode(turn) for turn in recorded.replayed().turns]
    assert turns == recorded.file("turns.ndjson").splitlines(), CHANGED


def test_in_every_example_the_past_is_mended(recorded: Recording) -> None:
    """An old turn is taken back, one is amended, and a ruling is made to count from earlier; later turns change."""
    turns = recorded.replayed().turns
    undone = [(turn, turn.action.turns) for turn in turns if isinstance(turn.action, Undo) and turn.action.turns]
    assert any(turn.number - first > 20 and len(turn.events) > 1 for turn, (first, *_) in undone)
    assert any(turn.number - turn.action.turn > 20 for turn in turns if isinstance(turn.action, Amend))
    assert any(turn.action.since is not None for turn in turns if isinstance(turn.action, Ruling))


def test_in_every_example_an_evening_is_put_right(recorded: Recording) -> None:
    """Something forgotten is told late, something is moved, and two turns of one mistake are amended as one."""
    turns = recorded.replayed().turns
    assert any(turn.place is not None and not isinstance(turn.action, Amend) for turn in turns)
    assert any(turn.place is not None for turn in turns if isinstance(turn.action, Amend))
    assert any(turn.action.also for turn in turns if isinstance(turn.action, Amend))
