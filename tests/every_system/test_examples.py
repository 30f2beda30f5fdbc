"""The example campaigns come to their recorded sheets, replayed line by line and read from their stored turns."""

from collections import Counter

import msgspec
import pytest

from cli.shell.examples import examples
from domain.common.campaign import Amend, Override, Ruling, Undo
from domain.log.port import MemoryLog
from domain.system.registry import SYSTEMS, record_types, system_of, tag_of
from tests.record_examples import FOLDER, replayed, sheets_of

NAMES = sorted(examples())


def recorded(name: str, file: str) -> bytes:
    return (FOLDER / name / file).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_replay_comes_to_the_recorded_sheets(name: str) -> None:
    assert sheets_of(replayed(name)) == msgspec.json.decode(recorded(name, "sheets.json"))


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_turns_are_read_for_ever(name: str) -> None:
    rules = examples()[name].rules
    kind = record_types(rules).turn
    turns = [msgspec.json.decode(line, type=kind) for line in recorded(name, "turns.ndjson").splitlines()]
    assert [msgspec.json.encode(turn) for turn in turns] == recorded(name, "turns.ndjson").splitlines()
    assert sheets_of(MemoryLog(rules, turns=turns)) == msgspec.json.decode(recorded(name, "sheets.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_replay_tells_the_turns_that_are_stored(name: str) -> None:
    assert [msgspec.json.encode(turn) for turn in replayed(name).turns] == recorded(name, "turns.ndjson").splitlines()


def test_every_rule_system_has_an_example() -> None:
    assert {example.rules for example in examples().values()} == set(SYSTEMS)


def test_the_osr_example_holds_what_the_rules_can_do() -> None:
    (name,) = [name for name in NAMES if examples()[name].rules == "osr"]
    log = replayed(name)
    tags = Counter(tag_of(type(turn.action)) for turn in log.turns)
    assert log.last() >= 80
    assert tags["session.open"] >= 3
    assert {tag_of(action) for action in system_of("osr").actions} <= set(tags)
    assert {tag_of(kind) for kind in (Undo, Amend, Override, Ruling)} <= set(tags)


@pytest.mark.parametrize("name", NAMES)
def test_in_every_example_the_past_is_mended(name: str) -> None:
    """An old turn is taken back, one is amended, and a ruling is made to count from earlier; later turns change."""
    log = replayed(name)
    last = {type(turn.action): turn for turn in log.turns if isinstance(turn.action, Undo | Amend | Ruling)}
    undo, amend, ruling = last[Undo], last[Amend], last[Ruling]
    assert isinstance(undo.action, Undo) and undo.action.turns and undo.number - undo.action.turns[0] > 20
    assert len(undo.events) > 1
    assert isinstance(amend.action, Amend) and amend.number - amend.action.turn > 20
    assert isinstance(ruling.action, Ruling) and ruling.action.since is not None
