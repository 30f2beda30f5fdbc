"""The deck, attempts, and the Wound cards that turn up in them (DH 1, 26 to 28).

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from collections import Counter
from typing import Any

import pytest

from domain.deckahedron.attempts import CardsFlipped
from domain.deckahedron.cards import CARDS, FRESH_DECK, RESULTS, WOUND_CARDS, read
from domain.deckahedron.stamina import StaminaLost, WoundCardBit
from domain.turn import Struck
from tests.deckahedron.tables import act, brog, deck, deck_of, enrol, override, scene, table

#: Brog bears w1, which lies on top of the discard pile; the deck is 0, 1, 2 … without 10 (exhausted).
WOUNDED = (enrol(top=("10", "0")), act("wound", what="a cut"))


# -- the cards


def test_1_twenty_cards_of_which_ten_bear_stamina() -> None:
    assert len(FRESH_DECK) == 20
    assert sum(CARDS[card].stamina for card in FRESH_DECK) == 10
    assert not any(CARDS[card].stamina or CARDS[card].pips for card in WOUND_CARDS)


@pytest.mark.parametrize(
    ("rank", "counts"), [(1, (8, 4, 6, 2)), (2, (5, 6, 5, 4)), (3, (4, 5, 6, 5)), (4, (2, 6, 4, 8))]
)
def test_the_twenty_cards_give_the_published_numbers_of_results(rank: int, counts: tuple[int, ...]) -> None:
    found = Counter(read(card, rank) for card in FRESH_DECK)
    assert tuple(found[result] for result in RESULTS) == counts


# -- enrolling


def test_1_a_character_is_enrolled_with_a_whole_deck() -> None:
    given = table(enrol(player="Ada"))
    assert given.sheet("brog") == {
        "player": "Ada",
        "attributes": {"strength": 2, "dexterity": 3, "intelligence": 3},
        "deck_count": 20,
        "discard": [],
        "exhaustion": [],
        "harm": 0,
        "wounds": 0,
        "wound_cards": [],
        "stamina_left": 10,
        "incapacitated": False,
        "incapacitated_means": None,
        "tracked": {},
        "away": None,
    }
    assert deck_of(given) == deck("3", "0", "12", "5")


@pytest.mark.parametrize("wrong", [deck()[:19], (*deck()[:19], "0"), (*deck(), "w1"), (*deck()[:19], "99"), ()])
def test_1_a_deck_that_is_not_the_twenty_cards_is_refused(wrong: tuple[str, ...]) -> None:
    table().when(enrol(deck=list(wrong))).refused("DH 1")


@pytest.mark.parametrize("rank", [0, 5, "3"])
def test_a_rank_is_a_number_from_1_to_4(rank: object) -> None:
    table().when(enrol(strength=rank)).invalid("strength")


# -- scenes


def test_an_unknown_scene_is_invalid() -> None:
    table().when(scene("tavern")).invalid("scene")


# -- flipping


def test_a_flip_is_told_in_the_order_turned_and_what_does_not_count_is_struck() -> None:
    given = brog(("0", "3")).when(act("flip", attribute="strength", cards=2, attempt="climb"))
    sentence = given.events[0].sentence()
    assert "".join(sentence) == "Brog flips for Strength (climb): 0 ✗✗, 3 ✔✔."
    assert [part for part in sentence if isinstance(part, Struck)] == ["0 ✗✗"]


@pytest.mark.parametrize(
    ("cards", "flipped"), [(1, ["99"]), (1, ["w1"]), (1, []), (1, ["3", "0"]), (2, ["3"]), (2, ["3", "3"])]
)
def test_a_report_must_be_the_cards_of_the_flip(cards: int, flipped: list[str]) -> None:
    brog().when(act("flip", attribute="strength", cards=cards, flipped=flipped)).refused("DH 1")


def test_the_cards_of_this_flip_stay_out_of_a_reshuffle_in_the_middle() -> None:
    given = brog((), act("flip", attribute="strength", cards=18)).has("brog", deck_count=2)
    order = list(reversed(deck()[:18]))
    given.when(act("flip", attribute="strength", cards=3, flipped=["18", "19", "5"], shuffled=order))
    given.has("brog", deck_count=17, discard=["18", "19", "5"])
    assert "(shuffles) " in given.events[0].sentence()
    given.when(act("flip", attribute="strength", cards=18, shuffled=order)).refused("DH 1")


@pytest.mark.parametrize(
    "wrong", [{"attribute": "luck"}, {"cards": 0}, {"keep": "all"}, {"flipped": [3]}, {"card": "3"}]
)
def test_a_malformed_flip_is_invalid(wrong: dict[str, Any]) -> None:
    brog().when(act("flip", **{"attribute": "strength", **wrong})).invalid()


# -- Wound cards in attempts


def test_26_to_28_a_wound_card_ends_the_flip_bites_and_its_own_result_counts() -> None:
    given = table(*WOUNDED).has("brog", discard=["w1"], exhaustion=["10"])
    wounded = given.when(act("flip", attribute="strength", cards=19)).when(
        act("flip", attribute="strength", cards=3, flipped=["w1"])
    )
    flipped, bit, lost = wounded.events
    assert isinstance(flipped, CardsFlipped)
    assert flipped.results == ("✗",)  # w1 at rank 2 shows 2
    assert bit == WoundCardBit("brog", ("w1",))
    assert isinstance(lost, StaminaLost)
    assert lost.points == 1
    wounded.has("brog", stamina_left=8)
    assert "groans" in wounded.sentences


def bearing_w1_in_the_deck() -> tuple[dict[str, Any], ...]:
    """The deck holds w1 and every card but the exhausted 10; nothing is discarded."""
    return (*WOUNDED, override("so that it lies in the deck", discard=[]))


def test_27_cards_flipped_after_a_wound_card_are_refused() -> None:
    given = table(*bearing_w1_in_the_deck()).has("brog", discard=[], wound_cards=["w1"], deck_count=20)
    given.when(act("flip", attribute="strength", cards=3, flipped=["0", "w1", "1"])).refused("DH 27")
    given.when(act("flip", attribute="strength", cards=3, flipped=["0", "w1", "11", "1"])).refused("DH 27")
