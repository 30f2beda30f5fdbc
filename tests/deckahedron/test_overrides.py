"""Overrides of a deckahedron sheet, and the paper sheet held against the log."""

from typing import Any

import pytest

from domain.deckahedron.cards import FRESH_DECK
from domain.deckahedron.presentation import HIDDEN
from tests.deckahedron.tables import act, brog, deck, deck_of, override
from tests.kit.given import unchanged


def test_the_order_of_the_deck_is_no_sheet_field() -> None:
    at = brog()
    assert not HIDDEN & at.sheet("brog").keys()
    at.when(override(deck=list(deck()))).invalid("deck")
    at.when(override(deck_count=3)).invalid("deck_count")
    at.when(override(stamina_left=3)).invalid("stamina_left")


def test_an_override_may_lay_out_the_piles_and_the_deck_is_shuffled_anew() -> None:
    at = brog((), act("lose_stamina", points=2))
    at.when(override(discard=["3", "12"], exhaustion=["19"]))
    at.has("brog", discard=["3", "12"], exhaustion=["19"], deck_count=17, stamina_left=9)
    assert set(deck_of(at)) == set(FRESH_DECK) - {"3", "12", "19"}
    assert deck_of(at) != tuple(sorted(deck_of(at), key=FRESH_DECK.index))
    assert "shuffled anew" in at.sentences


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"discard": ["3", "3"]}, "DH 1"),
        ({"discard": ["3"], "exhaustion": ["3"]}, "DH 1"),
        ({"discard": ["10"]}, "DH 1"),  # 10 is exhausted
        ({"discard": ["99"]}, "DH 1"),
        ({"discard": ["w1"]}, "DH 1"),
        ({"wound_cards": ["w1", "w1"]}, "DH 1"),
        ({"wound_cards": ["12"]}, "DH 25"),
        ({"wound_cards": ["w1"], "exhaustion": ["w1"]}, "DH 25"),
        ({"harm": 3}, "DH 17"),
        ({"wounds": 3}, "DH 24"),
        ({"incapacitated_means": "dead"}, "DH 9"),
    ],
)
def test_an_override_that_breaks_the_sheet_is_refused(fields: dict[str, Any], rule: str) -> None:
    at = brog(("10",), act("lose_stamina", points=1))
    with unchanged(at):
        at.when(override(**fields)).refused(rule)


@pytest.mark.parametrize(
    ("discard", "saying"),
    [
        (["3", "3"], "Card 3 would lie in two places."),
        (["w1", "w1"], "Card w1 would lie in two places."),
        (["w2"], "Brog has no card 'w2'."),
    ],
)
def test_a_card_is_somewhere_once(discard: list[str], saying: str) -> None:
    brog().when(override(wound_cards=["w1"], discard=discard)).refused("DH 1", saying)


@pytest.mark.parametrize(
    "fields", [{"harm": -1}, {"harm": "two"}, {"discard": "3"}, {"attributes": {"strength": 5}}, {"incapacitated": 1}]
)
def test_an_override_of_another_type_is_invalid(fields: dict[str, Any]) -> None:
    brog().when(override(**fields)).invalid()


def test_an_override_gives_and_takes_wound_cards() -> None:
    at = brog((), override(wounds=1, wound_cards=["w3"])).has("brog", wound_cards=["w3"], deck_count=21)
    at.when(override(wound_cards=[])).has("brog", wound_cards=[], deck_count=20, wounds=1)


def test_an_override_of_tokens_shuffles_nothing() -> None:
    at = brog((), override(harm=2, wounds=2, incapacitated=True)).has("brog", harm=2, wounds=2, incapacitated=True)
    assert deck_of(at) == deck()
    at.when(override(incapacitated=False)).has("brog", incapacitated=False)


def test_a_paper_sheet_is_held_against_the_log() -> None:
    at = brog((), act("strain", what="a bruise"))
    at.when({"type": "sheet.check", "character": "brog", "expect": {"harm": 1, "deck_count": 9}})
    assert at.error is None
    at.when({"type": "sheet.check", "character": "brog", "expect": {"harm": 2}}).refused(None, "T3")
