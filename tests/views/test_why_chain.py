"""`campaign why` and what `campaign show` adds: the turns that made a value, and what had a say in them."""

from itertools import pairwise
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given

from domain.log.folding import state_at
from domain.refusal import Invalid, Refusal
from projections.views.targets import Target, target_of
from projections.views.turn_context import AlteredField, Rolls, context_of
from projections.views.why import changes_of, pieces, undone_since
from tests.gloomhaven.tables import brog
from tests.gloomhaven.test_bonuses import crackling
from tests.kit.given import Given
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import FEW, chances, revised
from tests.kit.views import view_in_memory
from tests.osr.tables import osr_table


def table_with(*actions: dict[str, Any]) -> Given:
    table = osr_table()
    for action in actions:
        assert table.when(action).error is None, table.error
    return table


def asked(table: Given, text: str, upto: int | None = None) -> list[Any]:
    with view_in_memory(table.log, table.system, upto) as view:
        return changes_of(view, table.system, target_of(view, table.system, table.handler.state(), text))


HIT = {"type": "osr.damage", "character": "brog", "amount": 9, "source": "trap"}
REST = {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [3, 4]}}


def test_the_chain_is_newest_first_with_old_and_new_dice_and_rule() -> None:
    links = asked(table_with(HIT, REST), "brog.hp")
    assert [(link.turn, link.old, link.new) for link in links] == [(5, 2, 7), (4, 11, 2), (2, None, 11)]
    assert links[0].rules == ("OSR 6.4", "OSR 6.5")
    assert links[0].chance == (Rolls("re-roll", "die", (3, 4), 2),)
    assert links[1].sentence == "Brog is hit for 9 (trap) and has 2 hit points left."
    assert links[1].chance == ()


def test_the_ruling_in_force_then_had_a_say_and_later_or_ended_ones_had_none() -> None:
    ruling = {"type": "ruling", "rule": "6.4", "text": "Keep it.", "why": "kinder", "set": {"keep_higher": True}}
    table = table_with(REST, ruling, REST | {"rolled": {"brog": [1, 1, 1]}}, {"type": "ruling.end", "ruling": 1}, HIT)
    rulings = {link.turn: [ruling.ruling for ruling in link.rulings] for link in asked(table, "brog.hp")}
    assert rulings == {8: [], 6: [1], 4: [], 2: []}
    superseding = table_with(ruling, ruling | {"text": "No.", "set": {"keep_higher": False}}, REST)
    assert [ruling.text for ruling in asked(superseding, "brog.hp")[0].rulings] == ["No."]


def test_undone_turns_are_not_in_the_chain_but_are_told_of() -> None:
    table = table_with(HIT, REST, {"type": "undo"})
    assert [link.turn for link in asked(table, "brog.hp")] == [4, 2]
    with view_in_memory(table.log, table.system) as view:
        found = undone_since(view, Target("brog", "hp"), 4)
    assert found == [(5, 6, "Brog rolls 3 4 and has 7 hit points. Brog's fatigue is now 1.")]
    assert [link.turn for link in asked(table, "brog.hp", upto=5)] == [5, 4, 2]


def test_it_looks_inside_lists_and_tables() -> None:
    table = table_with(
        {"type": "osr.damage", "character": "Ada", "amount": 9, "source": "wolf"},
        {"type": "osr.injury_saves", "character": "Ada", "strength": 30, "will": 30},
    )
    assert [(link.turn, link.new) for link in asked(table, "ada.injury.dc")] == [(5, None), (4, 25)]
    assert asked(table, "ada.wounds.1.severity")[0].new == "minor"
    assert asked(table, "ada.wounds.2") == []


def pieces_beside(table: Given, text: str) -> list[str]:
    """What there is where the end of this path is not."""
    with view_in_memory(table.log, table.system) as view:
        return pieces(view, target_of(view, table.system, table.handler.state(), text))


def test_what_there_is_instead_is_named_as_it_would_be_asked_about() -> None:
    wounds = [{"id": 2, "severity": "minor", "what": "burn", "effect": None, "until": None, "treated": False}]
    healed = {"type": "override", "character": "ada", "set": {"wounds": wounds}, "why": "the first has healed"}
    table = table_with(healed)
    assert pieces_beside(table, "ada.wounds.9") == ["2"]
    assert pieces_beside(Given("gloomhaven", brog()), "brog.hand.foo") == [str(place) for place in range(1, 11)]
    assert pieces_beside(crackling(), "spell.active.foo") == ["69"]


def test_a_name_alone_asks_how_much_is_left() -> None:
    table = table_with({"type": "osr.damage", "character": "brog", "amount": 4})
    assert asked(table, "brog") == asked(table, "bro") == asked(table, "brog.hp") != []


def test_names_are_found_whatever_their_case_and_full_stops() -> None:
    table = table_with({"type": "osr.enrol", "character": "Sir T. Ode", "rolled": [4]})
    assert [link.turn for link in asked(table, "sir t. ode.HP")] == [4]


@pytest.mark.parametrize(
    ("text", "error", "saying"),
    [
        ("hp", Invalid, "Say whose hp, like "),
        ("brog.", Invalid, "which field"),
        ("", Invalid, "CHARACTER.FIELD"),
        ("brok.hp", Refusal, "did you mean brog?"),
        ("brog.fatigu", Refusal, "did you mean fatigue?"),
        ("brog.cards.Trample", Refusal, "no field"),
    ],
)
def test_what_is_not_there_is_one_sentence_with_what_would_have_worked(text: str, error: Any, saying: str) -> None:
    with pytest.raises(error, match=saying):
        asked(table_with(), text)


def test_whoever_was_enrolled_by_an_undone_turn_is_told_so() -> None:
    table = table_with({"type": "osr.enrol", "character": "Tom", "rolled": [4]}, {"type": "undo"})
    with pytest.raises(Refusal, match="T4 is undone by T5"):
        asked(table, "tom.hp")


def test_a_turn_whole_tells_what_changed_on_which_sheet() -> None:
    table = table_with(HIT, REST)
    with view_in_memory(table.log, table.system) as view:
        context = context_of(view, table.system, 5, ("OSR 6.4",))
    assert context.changes == (AlteredField(1, "brog", "hp", 2, 7), AlteredField(2, "brog", "fatigue", 0, 1))
    assert context.chance == (Rolls("brog, re-roll", "die", (3, 4), 2),)


@FEW
@given(chance=chances)
def test_every_chain_begins_with_nothing_and_ends_with_the_sheet(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    state = state_at(table.system, table.log)
    with view_in_memory(table.log, table.system) as view:
        for name in state.characters:
            for field, value in table.system.sheet_view(state, name).items():
                links = changes_of(view, table.system, Target(name, field))
                assert msgspec.json.encode(links[0].new) == msgspec.json.encode(value)
                assert links[-1].old is None
                for later, earlier in pairwise(links):
                    assert later.old == earlier.new
