"""The deck, attempts, and the Wound cards that turn up in them (DH 1, 26 to 28)."""

from collections import Counter
from typing import Any

import pytest

from domain.deckahedron.attempts import CardsFlipped
from domain.deckahedron.cards import CARDS, FRESH_DECK, RESULTS, WOUND_CARDS, read
from domain.deckahedron.scenes import SceneBegan
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


def test_1_a_deck_that_is_not_reported_is_shuffled() -> None:
    one, other = (table(enrol(deck=None), seed=seed) for seed in (1, 2))
    assert sorted(deck_of(one)) == sorted(FRESH_DECK)
    assert deck_of(one) != deck_of(other) != FRESH_DECK


@pytest.mark.parametrize("wrong", [deck()[:19], (*deck()[:19], "0"), (*deck(), "w1"), (*deck()[:19], "99"), ()])
def test_1_a_deck_that_is_not_the_twenty_cards_is_refused(wrong: tuple[str, ...]) -> None:
    table().when(enrol(deck=list(wrong))).refused("DH 1")


@pytest.mark.parametrize("rank", [0, 5, "3"])
def test_a_rank_is_a_number_from_1_to_4(rank: object) -> None:
    table().when(enrol(strength=rank)).invalid("strength")


def test_nobody_is_enrolled_twice() -> None:
    brog().when(enrol("BROG")).refused(None)


# -- scenes


def test_a_campaign_starts_in_camp() -> None:
    table().table_has(scene="camp", foe_superior=False)


def test_a_scene_begins_anew_even_if_it_has_the_same_name() -> None:
    given = brog(("6",), scene("combat"), act("breather", attribute="dexterity", flipped=["0"]))
    given.table_has(foe_superior=True)
    given.when(scene("combat")).then(SceneBegan("combat")).table_has(scene="combat", foe_superior=False)


def test_an_unknown_scene_is_invalid() -> None:
    table().when(scene("tavern")).invalid("scene")


# -- flipping


def test_a_flip_reads_the_top_card_at_the_attributes_rank_and_discards_it() -> None:
    given = brog(("3",)).when(act("flip", attribute="strength", attempt="climb"))
    (flipped,) = given.events
    assert isinstance(flipped, CardsFlipped)
    assert (flipped.cards, flipped.results, flipped.result) == (("3",), ("✔✔",), "✔✔")
    given.has("brog", deck_count=19, discard=["3"], exhaustion=[], stamina_left=10)
    assert deck_of(given) == deck("3")[1:]


@pytest.mark.parametrize(("keep", "counts"), [("best", 1), ("worst", 0)])
def test_the_best_or_the_worst_of_several_cards_counts(keep: str, counts: int) -> None:
    given = brog(("0", "3", "1")).when(act("flip", attribute="strength", cards=3, keep=keep))
    flipped = given.events[0]
    assert isinstance(flipped, CardsFlipped)
    assert flipped.results == ("✗✗", "✔✔", "✗")
    assert flipped.counts == counts


def test_a_flip_is_told_in_the_order_turned_and_what_does_not_count_is_struck() -> None:
    given = brog(("0", "3")).when(act("flip", attribute="strength", cards=2, attempt="climb"))
    sentence = given.events[0].sentence()
    assert "".join(sentence) == "Brog flips for Strength (climb): 0 ✗✗, 3 ✔✔."
    assert [part for part in sentence if isinstance(part, Struck)] == ["0 ✗✗"]


def test_a_reported_card_is_taken_from_wherever_it_lies() -> None:
    given = brog(("3", "0")).when(act("flip", attribute="strength", flipped=["19"])).has("brog", discard=["19"])
    assert deck_of(given) == tuple(card for card in deck("3", "0") if card != "19")


@pytest.mark.parametrize(
    ("cards", "flipped"), [(1, ["99"]), (1, ["w1"]), (1, []), (1, ["3", "0"]), (2, ["3"]), (2, ["3", "3"])]
)
def test_a_report_must_be_the_cards_of_the_flip(cards: int, flipped: list[str]) -> None:
    brog().when(act("flip", attribute="strength", cards=cards, flipped=flipped)).refused("DH 1")


def test_a_card_in_the_discard_pile_cannot_be_flipped() -> None:
    brog(("3",), act("flip", attribute="strength")).when(act("flip", attribute="strength", flipped=["3"])).refused(
        "DH 1", "Card 3"
    )


def test_a_shuffle_that_nothing_calls_for_is_refused() -> None:
    brog().when(act("flip", attribute="strength", shuffled=list(deck()))).refused("DH 7")


def test_a_flip_from_an_empty_deck_reshuffles_the_discard_pile_first() -> None:
    given = brog((), act("flip", attribute="strength", cards=20)).has("brog", deck_count=0)
    order = list(reversed(deck()))
    given.when(act("flip", attribute="strength", shuffled=order)).has("brog", deck_count=19, discard=["19"])
    assert deck_of(given) == tuple(order[1:])


def test_the_cards_of_this_flip_stay_out_of_a_reshuffle_in_the_middle() -> None:
    given = brog((), act("flip", attribute="strength", cards=18)).has("brog", deck_count=2)
    order = list(reversed(deck()[:18]))
    given.when(act("flip", attribute="strength", cards=3, flipped=["18", "19", "5"], shuffled=order))
    given.has("brog", deck_count=17, discard=["18", "19", "5"])
    assert "(shuffles) " in given.events[0].sentence()
    given.when(act("flip", attribute="strength", cards=18, shuffled=order)).refused("DH 1")


def test_a_flip_is_refused_when_there_are_not_cards_enough_for_it() -> None:
    brog().when(act("flip", attribute="strength", cards=21)).refused("DH 1")
    everything = override(discard=[], exhaustion=list(deck()))
    brog((), everything).has("brog", deck_count=0).when(act("flip", attribute="strength")).refused("DH 1")


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


def test_28_the_search_that_follows_may_be_reported_too() -> None:
    given = table(*bearing_w1_in_the_deck())
    given.when(act("flip", attribute="strength", cards=3, flipped=["0", "w1", "1", "2", "12"]))
    given.has("brog", discard=["0", "w1", "1", "2"], exhaustion=["10", "12"], stamina_left=8)


def test_28_the_search_that_is_not_reported_goes_through_the_recorded_deck() -> None:
    given = table(*bearing_w1_in_the_deck())
    top = next(card for card in deck_of(given) if CARDS[card].stamina)
    given.when(act("flip", attribute="strength", flipped=["w1"])).has("brog", exhaustion=["10", top])


def test_28_a_wound_card_whose_stamina_cannot_be_paid_incapacitates() -> None:
    stamina = [card for card in FRESH_DECK if CARDS[card].stamina]
    given = table(*WOUNDED, override(discard=[], exhaustion=stamina)).has("brog", stamina_left=0)
    given.when(act("flip", attribute="strength", flipped=["w1"])).has("brog", incapacitated=True)


def test_no_wound_card_no_groan() -> None:
    brog().when(act("flip", attribute="strength")).quiet_about(WoundCardBit, StaminaLost)
