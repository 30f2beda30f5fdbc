"""What every rule system has without a line of its own: tracked values, absence, retirement."""

from random import Random
from typing import Any

from hypothesis import given

from cli.line.context import Context
from cli.line.understanding import understand
from cli.line.words import quote, tokenize
from domain.common.presence import Absence, Retire
from domain.common.tracking import Track, Tracked
from domain.refusal import Refusal
from domain.system.groups import able, party, present

from ..kit.given import Given
from ..kit.soundness import is_sound
from ..kit.subjects import Line, Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import MODEST, Chances, chances, fresh, line, played_once, revising_line

NAMES = ("Torches", "torches", "gold coins", "armour")


def tracking_line(chance: Random, table: Given) -> Line:
    """Something kept beside the rules, or somebody who leaves."""
    name = chance.choice([*table.handler.state().characters, None])
    if name is not None and chance.random() < 0.2:
        away = table.handler.state().characters[name].away
        if away == "absent" or chance.random() < 0.7:
            return {
                "type": "absence",
                "character": name,
                "here": away == "absent",
                "why": chance.choice((None, "Ill.")),
            }
        return {"type": "retire", "character": name}
    about: Line = {"type": "track", "character": name, "name": chance.choice(NAMES)}
    return chance.choice(
        (
            {**about, "change": chance.randint(1, 9), "source": "the chest"},
            {**about, "change": -chance.randint(1, 9), "debt": chance.random() < 0.5},
            {**about, "value": chance.randint(0, 20)},
            {**about, "value": "chain, AC 5"},
            {**about, "drop": True},
            {"type": "track", "name": about["name"], "pin": chance.random() < 0.7},
        )
    )


@played_once
def tracked_and_revised(chance: Random, subject: Subject) -> Given:
    """A table at which a group keeps things beside the rules, and mends the past."""
    table = fresh(chance, subject)
    for _ in range(24):
        kind = chance.random()
        table.when(
            tracking_line(chance, table)
            if kind < 0.6
            else revising_line(chance, subject, table)
            if kind < 0.8
            else line(chance, subject, table)
        )
    return table


@MODEST
@given(chance=chances)
def test_whatever_is_kept_and_mended_the_log_is_sound(chance: Random, subject: Subject) -> None:
    table = tracked_and_revised(chance, subject)
    is_sound(table)
    subject.sound_when_kept(table)
    state = table.handler.state()
    for tracked in (*(sheet.tracked for sheet in state.characters.values()), state.table.tracked):
        assert all(value is not None and value != "" for value in tracked.values())


def somebody(subject: Subject) -> tuple[Given, str]:
    """A table with somebody of our side who is here and can act, and was never hurt."""
    for seed in range(40):
        table = fresh(Chances(seed), subject)
        names = able(table.system, table.handler.state())
        if names and not table.system.pending_for_anyone(table.handler.state()):
            return table, names[0]
    raise AssertionError("nobody was ever enrolled")


def test_tracked_values_are_on_the_sheet_and_the_table(subject: Subject) -> None:
    table, name = somebody(subject)
    table.when(Track(character=name, name="gold coins", change=75, source="the chest"))
    table.then(Tracked(name, "gold coins", 75, None, "the chest")).has(name, tracked={"gold coins": 75})
    table.when(Track(name="day", value=14)).table_has(tracked={"day": 14})
    table.when({"type": "sheet.check", "character": name, "expect": {"gold coins": 75}})
    assert table.error is None


def test_no_field_of_the_rules_is_tracked(subject: Subject) -> None:
    table, name = somebody(subject)
    for field in table.sheet(name):
        table.when(Track(character=name, name=field, value=1)).refused(None, "is kept by the rules")
        assert isinstance(table.error, Refusal) and "it changes with" in table.error.reason, field
    for field in table.system.table_view(table.handler.state()):
        if field != "tracked":
            table.when(Track(name=field, value=1)).refused(None, "is kept by the rules")


def test_each_field_that_says_what_changes_it_is_one(subject: Subject) -> None:
    table, name = somebody(subject)
    fields = {*table.sheet(name), *table.system.table_view(table.handler.state())}
    unknown = set(table.system.changed_by) - fields
    assert not unknown, f"`changed_by` of {subject.key} names what is no field of its sheets or table: {unknown}"
    foreign = {kind for kinds in table.system.changed_by.values() for kind in kinds} - set(table.system.actions)
    assert not foreign, f"`changed_by` of {subject.key} names what is no action of it: {foreign}"


def test_a_tracked_name_is_a_verb(subject: Subject) -> None:
    table, name = somebody(subject)
    table.and_given(Track(character=name, name="cinders", value=165))
    against = Context(table.system, table.handler.state(), table.log)
    (action,) = understand(tokenize(f"cinders {quote(name)} +75 the chest"), against).actions
    assert action == Track(character=name, name="cinders", change=75, source="the chest")


def test_the_absent_and_the_retired_are_in_neither_all_nor_party(subject: Subject) -> None:
    for leaves in (Absence, Retire):
        table, name = somebody(subject)

        def groups(table: Given = table) -> list[tuple[str, ...]]:
            return [group(table.system, table.handler.state()) for group in (present, able, party)]

        before = groups()
        assert name in before[1]
        table.and_given(leaves(character=name))
        assert groups() == [tuple(member for member in group if member != name) for group in before]
        assert not table.system.pending_for(table.handler.state(), name)
        assert table.sheet(name)["away"] == ("absent" if leaves is Absence else "retired")


def test_absence_ends_with_the_session_and_retirement_does_not(subject: Subject) -> None:
    table, name = somebody(subject)
    session: Any = table.handler.state().campaign.session
    opened = [] if session is not None else [{"type": "session.open"}]
    for value in (*opened, {"type": "absence", "character": name}, {"type": "session.close"}):
        assert table.when(value).error is None, table.error
    table.has(name, away=None)
    for value in ({"type": "session.open"}, {"type": "retire", "character": name}, {"type": "session.close"}):
        assert table.when(value).error is None, table.error
    table.has(name, away="retired")
