"""What holds of every osr table, whatever is played at it and however it is revised."""

from collections.abc import Mapping
from typing import Any, ClassVar, get_origin, get_type_hints

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.common.campaign import Override, Redo, Undo, decide
from domain.log.chance import Chance, Drawn
from domain.log.folding import counted, state_at
from domain.log.standing import judge, tell
from domain.osr import SYSTEM
from domain.osr.hit_points import most_hit_points
from domain.osr.sheet import ABILITIES, OsrSheet
from domain.osr.wounds import most_marks
from domain.system.registry import record_types, system_of
from domain.turn import Event
from tests.kit.given import Given

OSR = system_of("osr")
MODEST = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

NAMES = ("brog", "ada", "ogre")
names = st.sampled_from(NAMES)
some_names = st.lists(names, min_size=1, max_size=3, unique=True)
totals = st.integers(10, 40)
ability_points = st.dictionaries(st.sampled_from(ABILITIES), st.integers(1, 3), min_size=1, max_size=2)
wound_ids = st.integers(1, 4)


def line(tag: str, /, optional: Mapping[str, Any] | None = None, **fields: Any) -> st.SearchStrategy[dict[str, Any]]:
    """A line of `campaign act`. Most of what comes out is legal now and then; what is not is refused."""
    return st.fixed_dictionaries({"type": st.just(tag), **fields}, optional=dict(optional or {}))


RULINGS = (
    ("6.4", "keep_higher", True),
    ("6.4", "short_rest_together", True),
    ("6.4", "short_rest_together", False),
    ("6.6", "zero_is_injury", True),
    ("6.6", "save_meets_dc", False),
    ("6.9", "minor_injuries", "recovery_marks"),
)
rulings = st.sampled_from(RULINGS).map(
    lambda told: {"type": "ruling", "rule": told[0], "text": "So be it.", "set": {told[1]: told[2]}}
)
LINES = st.one_of(
    line("osr.short_rest", {"rerolls": st.lists(names, unique=True, max_size=2)}, characters=some_names),
    line("osr.short_rest", {"exempt": some_names, "keep": some_names}, characters=some_names),
    line("osr.night_rest", characters=some_names),
    line("osr.damage", character=names, amount=st.integers(0, 25)),
    line("osr.damage", character=names, amount=st.integers(0, 25)),
    line(
        "osr.bypassing_hit",
        {"sacrifice": st.booleans(), "source": st.just("a trap")},
        character=names,
        dc=totals,
        cost=st.integers(0, 9),
    ),
    line("osr.injury_saves", {"fail_will": st.booleans()}, character=names, strength=totals, will=totals),
    line("osr.injury_saves", {"fail_will": st.booleans()}, character=names, strength=totals, will=totals),
    line("osr.choose_fate", {"ability_loss": ability_points}, character=names, fate=st.just("major_wound")),
    line("osr.choose_fate", character=names, fate=st.just("death")),
    line("osr.treat", character=names, wound=wound_ids),
    line("osr.worsen", character=names, wound=wound_ids, dc=totals),
    line("osr.recover_wound", character=names, wound=wound_ids),
    line("osr.die_of_wounds", character=names),
    line("osr.rally", character=names),
    line("osr.level_up", character=names),
    line("osr.recovery_roll", character=names, ability=st.sampled_from(ABILITIES), improved=st.booleans()),
    rulings,
)


def settling(name: str, stage: str) -> st.SearchStrategy[dict[str, Any]]:
    """What an open injury waits for, so that tables do not stop at the first one."""
    if stage == "saves":
        return line("osr.injury_saves", character=st.just(name), strength=totals, will=totals)
    fates = st.sampled_from(("major_wound", "major_wound", "death"))
    return line("osr.choose_fate", character=st.just(name), fate=fates)


def go_on(draw: st.DrawFn, table: Given, least: int, most: int) -> None:
    """Between `least` and `most` things are tried."""
    for _ in range(draw(st.integers(least, most))):
        sheets = table.scribe.state().characters
        waiting = [(name, sheet.injury.stage) for name, sheet in sheets.items() if sheet.injury is not None]
        settles: int = draw(st.integers(0, 3))
        if waiting and settles:
            table.when(draw(settling(*waiting[0])))
        else:
            table.when(draw(LINES))


@st.composite
def tables(draw: st.DrawFn) -> Given:
    """A table at which three are enrolled and up to thirty things are tried."""
    table = Given("osr", seed=draw(st.integers(0, 1000)))
    table.when({"type": "osr.enrol", "character": "brog", "player": "Ann", "level": draw(st.integers(1, 3))})
    table.when({"type": "osr.enrol", "character": "ada", "level": 1, "rolled": [draw(st.integers(1, 6))]})
    table.when({"type": "osr.enrol", "character": "ogre", "hit_dice": draw(st.integers(1, 4))})
    go_on(draw, table, 10, 30)
    return table


@st.composite
def revised(draw: st.DrawFn) -> Given:
    """A table at which turns were taken back, whatever stood in the way dropped or kept, and play went on."""
    table = draw(tables())
    for _ in range(draw(st.integers(1, 3))):
        turn = draw(st.integers(2, table.log.last()))
        table.when(Undo(turns=(turn,), conflicts=draw(st.sampled_from(("drop", "keep")))))
        go_on(draw, table, 0, 4)
    return table


# -- the sheet -------------------------------------------------------------------------------------------


@MODEST
@given(tables())
def test_a_sheet_keeps_its_invariants_in_play(table: Given) -> None:
    for name, sheet in table.scribe.state().characters.items():
        assert isinstance(sheet, OsrSheet)
        assert 0 <= sheet.hp <= most_hit_points(sheet.hit_dice)
        assert sheet.non_player or sheet.hit_dice == sheet.level
        assert 0 <= sheet.marks <= most_marks(sheet)
        assert sheet.condition != "dead" or sheet.injury is None
        assert all(points >= 1 for points in sheet.ability_loss.values())
        numbers = [wound.id for wound in sheet.wounds]
        assert len(set(numbers)) == len(numbers)
        assert (sheet.injury is None) == (not table.system.open_matters(table.scribe.state(), name))
        assert table.system.drawn(table.scribe.state(), name, table.sheet(name))


@MODEST
@given(tables())
def test_a_sheet_survives_being_overridden_with_itself(table: Given) -> None:
    for name in table.scribe.state().characters:
        before = table.sheet(name)
        told = msgspec.json.decode(msgspec.json.encode(before))
        assert table.when(Override(character=name, set=told, why="copied from paper")).events
        assert table.sheet(name) == before


@MODEST
@given(tables())
def test_every_turn_survives_being_stored(table: Given) -> None:
    kind = record_types("osr").turn
    for turn in table.log.read():
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(turn), type=kind) == turn
        assert all("".join(event.told()) for event in turn.events)


# -- revising --------------------------------------------------------------------------------------------


@MODEST
@given(tables(), st.data())
def test_undo_and_redo_are_nothing(table: Given, data: st.DataObject) -> None:
    before = table.sheets()
    turn = data.draw(st.integers(2, table.log.last()))
    if table.when(Undo(turns=(turn,), conflicts="drop")).error is None:
        assert table.when(Redo()).events
        assert table.sheets() == before


@MODEST
@given(revised())
def test_what_was_caught_up_is_what_is_read_anew(table: Given) -> None:
    assert table.scribe.state() == state_at(table.system, table.log)


@MODEST
@given(revised())
def test_reading_a_revised_table_is_deciding_it_again(table: Given) -> None:
    used: dict[str, set[int]] = {}
    list(counted(table.log.read(), used))
    judgement = judge(table.log)
    state = table.system.opening()
    for told in tell(table.log):
        if not told.standing or told.turn.number in judgement.revisions:
            continue
        if not told.kept:
            chance = Chance(told.turn.seed, judgement.chance(told.turn), lenient=True, used=used)
            decision = decide(table.system, state, told.action, chance, told.turn.number)
            assert tuple(decision.events) == told.facts, told.turn.number
        for event in told.facts:
            table.system.evolve[type(event)](state, event)
    assert state == table.scribe.state()


# -- facts in any order ----------------------------------------------------------------------------------


def facts_of(kind: type[Event]) -> st.SearchStrategy[Event]:
    """Any fact of one kind, likely or not."""
    hints = get_type_hints(kind, include_extras=True)
    fields = {
        name: names if name == "character" else wound_ids if name == "wound" else st.from_type(hint)
        for name, hint in hints.items()
        if get_origin(hint) is not ClassVar
    }
    return st.builds(kind, **fields)


FACTS = st.one_of([facts_of(kind) for kind in SYSTEM.events])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FACTS, max_size=15))
def test_facts_fold_in_any_order(facts: list[Event]) -> None:
    state = OSR.opening()
    for event in facts:
        OSR.evolve[type(event)](state, event)
    for name in state.characters:
        assert msgspec.json.encode(OSR.shown(state, name))


@pytest.mark.parametrize("kind", SYSTEM.events)
def test_a_fact_about_somebody_who_is_not_there_changes_nothing(kind: type[Event]) -> None:
    @settings(max_examples=5, deadline=None, database=None)
    @given(facts_of(kind))
    def changes_nothing(event: Event) -> None:
        state = OSR.opening()
        OSR.evolve[kind](state, event)
        assert set(state.characters) <= ({event.character} if kind.__name__ == "Enrolled" else set())  # type: ignore[attr-defined]

    changes_nothing()


def test_every_action_is_decided_and_every_event_remembered() -> None:
    assert set(SYSTEM.decide) == set(SYSTEM.actions)
    assert set(SYSTEM.evolve) == set(SYSTEM.events)


# -- chance ----------------------------------------------------------------------------------------------


@MODEST
@given(tables())
def test_drawn_and_reported_dice_are_told_apart(table: Given) -> None:
    for turn in table.log.read():
        for event in turn.events:
            drawn = getattr(event, "drawn", None)
            if drawn is not None and hasattr(event, "dice"):
                dice = [each for key, each in turn.chance.items() if key.startswith(event.character)]  # type: ignore[attr-defined]
                assert [isinstance(each, Drawn) and each.reported < len(event.dice) for each in dice] == [drawn]
