"""What holds at every table of every rule system, whatever is done there."""

from collections.abc import Iterable
from functools import cache
from random import Random
from typing import get_type_hints

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from domain.log.effective_history import effective_turns
from domain.registry import system_of, tag_of
from domain.turn import Event

from ..kit.given import Given
from ..kit.soundness import remember
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import MODEST, chances, fresh, line, open_table, revised, revising_line


def can_be_looked_at(table: Given) -> None:
    """Every sheet and the table can be printed, drawn, and asked what they wait for."""
    state = table.handler.state()
    for name in state.characters:
        shown = table.sheet(name)
        assert msgspec.json.decode(msgspec.json.encode(shown)) == msgspec.to_builtins(shown)
        assert table.system.rows(state, name, shown)
        assert all(matter.choices for matter in table.system.pending_for(state, name))
        assert not table.system.hidden & shown.keys(), "what is hidden is no sheet field"
    table.system.table_rows(state)
    assert msgspec.json.encode(table.system.table_view(state))


def facts_of(table: Given) -> Iterable[Event]:
    return (event for effective_turn in effective_turns(table.log) for event in effective_turn.facts)


@MODEST
@given(chance=chances)
def test_a_table_is_sound_after_every_turn(subject: Subject, chance: Random) -> None:
    table = open_table(chance, subject)
    for _ in range(2 * subject.tries[1]):
        revises = chance.random() < 0.1
        table.when(revising_line(chance, subject, table, ("drop",)) if revises else line(chance, subject, table))
        if table.error is None:
            subject.sound(table)
            can_be_looked_at(table)


@MODEST
@given(chance=chances)
def test_a_table_at_which_turns_were_kept_can_still_be_looked_at(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    for _ in range(3):
        table.when(revising_line(chance, subject, table, ("keep",)))
        subject.sound_when_kept(table)
        can_be_looked_at(table)


@MODEST
@given(chance=chances)
def test_every_event_is_told_as_a_sentence(subject: Subject, chance: Random) -> None:
    for event in facts_of(revised(chance, subject)):
        sentence = "".join(event.sentence()).rstrip()
        assert bool(sentence) != event.silent
        if sentence and tag_of(type(event)).startswith(f"{subject.key}."):
            assert sentence[-1] in ".!?)", sentence


@MODEST
@given(chance=chances)
def test_facts_fold_in_any_order(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    facts = list(facts_of(table))
    chance.shuffle(facts)
    state = table.system.opening()
    remember(state, facts[: chance.randint(0, len(facts))])
    for name in state.characters:
        assert table.system.rows(state, name, table.system.sheet_view(state, name))
        table.system.pending_for(state, name)
    table.system.table_rows(state)


@cache
def any_fact(key: str) -> st.SearchStrategy[Event]:
    """A fact of any kind that a rule system tells, with whatever its fields may hold, likely or not."""

    def of(kind: type[Event]) -> st.SearchStrategy[Event]:
        hints = get_type_hints(kind, include_extras=True)
        stored = {field.name: hints[field.name] for field in msgspec.structs.fields(kind)}
        names = st.sampled_from(("brog", "ada", "nobody"))
        return st.builds(
            kind, **{name: names if name == "character" else st.from_type(stored[name]) for name in stored}
        )

    return st.one_of([of(kind) for kind in system_of(key).events])


@MODEST
@given(chance=chances, data=st.data())
def test_any_fact_folds_into_any_state(subject: Subject, chance: Random, data: st.DataObject) -> None:
    state = fresh(chance, subject).handler.state().copy()
    remember(state, data.draw(st.lists(any_fact(subject.key), max_size=15)))


@MODEST
@given(chance=chances)
def test_a_fact_about_somebody_who_is_not_there_enrols_nobody(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    for event in facts_of(table):
        state = table.system.opening()
        remember(state, [event])
        enrols = tag_of(type(event)) == f"{subject.key}.enrolled"
        assert set(state.characters) <= ({event.character} if enrols else set())  # type: ignore[attr-defined]


@MODEST
@given(chance=chances)
def test_a_sheet_copied_from_the_screen_agrees_with_the_log(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    for name in table.handler.state().characters:
        shown = msgspec.json.decode(msgspec.json.encode(table.sheet(name)))
        table.when({"type": "sheet.check", "character": name, "expect": shown})
        assert table.error is None, table.error


@MODEST
@given(chance=chances)
def test_a_sheet_survives_being_overridden_with_itself(subject: Subject, chance: Random) -> None:
    table = fresh(chance, subject)
    stored = {field.encode_name for field in msgspec.structs.fields(table.system.sheet)} - table.system.hidden
    for name in table.handler.state().characters:
        before = msgspec.json.decode(msgspec.json.encode(table.sheet(name)))
        shown = {field: value for field, value in before.items() if field in stored}
        table.when({"type": "override", "character": name, "set": shown, "why": "copied from paper"})
        if table.error is None:
            assert msgspec.json.decode(msgspec.json.encode(table.sheet(name))) == before
