"""Stamina and exhaustion (DH 4 to 9)."""

from typing import Any

import pytest

from domain.deckahedron.cards import CARDS, FRESH_DECK
from domain.deckahedron.incapacitation import Incapacitated, IncapacitationTold, Recovered
from domain.deckahedron.stamina import StaminaLost, WoundCardBit
from tests.deckahedron.tables import TOP, act, brog, deck, deck_of, enrol, override, scene, table
from tests.kit.given import Given

STAMINA = [card for card in FRESH_DECK if CARDS[card].stamina]
BARE = [card for card in FRESH_DECK if not CARDS[card].stamina]


# -- losing points


def test_4_the_card_found_goes_to_the_exhaustion_pile_and_the_others_to_the_discard_pile() -> None:
    given = brog(("3", "0", "12", "5")).when(act("lose_stamina", points=1))
    (lost,) = given.events
    assert isinstance(lost, StaminaLost)
    assert (lost.flipped, lost.lost, lost.left) == (("3", "0", "12"), ("12",), 9)
    assert given.sentences == "Brog loses 1 Stamina: 3, 0, 12; 9 left."


def test_5_losing_several_points_takes_as_many_cards() -> None:
    brog(("3", "12", "0", "13", "14", "5")).when(act("lose_stamina", points=3)).has(
        "brog", deck_count=15, discard=["3", "0"], exhaustion=["12", "13", "14"], stamina_left=7
    )


def test_4_a_reported_search_takes_its_cards_from_wherever_they_lie() -> None:
    given = brog(("3", "0", "12", "5")).when(act("lose_stamina", points=1, flipped=["7", "19"]))
    given.has("brog", discard=["7"], exhaustion=["19"])
    assert deck_of(given) == tuple(card for card in deck("3", "0", "12", "5") if card not in ("7", "19"))


@pytest.mark.parametrize(
    ("points", "flipped"),
    [
        (1, ["3", "0"]),  # too short
        (2, ["12"]),
        (1, []),
        (1, ["12", "5"]),  # too long
        (1, ["12", "13"]),
        (1, ["99"]),
        (1, ["w1", "12"]),
        (1, ["3", "3", "12"]),
    ],
)
def test_4_a_report_that_is_no_such_search_is_refused(points: int, flipped: list[str]) -> None:
    brog().when(act("lose_stamina", points=points, flipped=flipped)).refused("DH 4")


def test_4_an_exhausted_card_is_not_in_the_deck() -> None:
    brog(("12",), act("lose_stamina", points=1)).when(act("lose_stamina", points=1, flipped=["12"])).refused(
        "DH 4", "Card 12 is not in Brog's deck"
    )


@pytest.mark.parametrize("points", [0, -1, 1.5, 2**54, "1"])
def test_points_are_a_whole_number_from_1(points: object) -> None:
    brog().when(act("lose_stamina", points=points)).invalid()


def test_somebody_unknown_loses_nothing() -> None:
    brog().when(act("lose_stamina", "brok", points=1)).refused(None, "did you mean brog?")


# -- reshuffling


def test_7_the_discard_pile_may_be_shuffled_in_before_the_search() -> None:
    order = ["0", "12", *(card for card in deck("3") if card not in ("0", "12"))]
    given = brog(("3", "0"), act("flip", attribute="strength"))
    given.when(act("lose_stamina", points=1, reshuffle_first=True, shuffled=order))
    given.has("brog", discard=["0"], exhaustion=["12"], deck_count=18)


def test_7_with_nothing_discarded_the_deck_alone_is_shuffled() -> None:
    order = list(reversed(deck()))
    brog().when(act("lose_stamina", points=1, reshuffle_first=True, shuffled=order)).has("brog", exhaustion=["19"])


def test_7_a_reshuffle_in_the_middle_of_a_search_is_refused() -> None:
    brog().when(act("lose_stamina", points=1, shuffled=list(deck()))).refused("DH 7")
    brog().when(act("lose_stamina", points=1, flipped=["12"], shuffled=list(deck()))).refused("DH 7")


@pytest.mark.parametrize("order", [deck()[1:], (*deck()[1:], "1"), (*deck(), "w1"), ()])
def test_7_the_order_reported_must_hold_exactly_the_cards_of_the_new_deck(order: tuple[str, ...]) -> None:
    brog().when(act("lose_stamina", points=1, reshuffle_first=True, shuffled=list(order))).refused("DH 7")


def one_left_in_the_discard_pile() -> Given:
    """The deck holds 9 alone, the discard pile 8 and 19, the exhaustion pile all other cards with the symbol."""
    given = brog((), override(discard=["8", "19", *(c for c in BARE if c not in ("8", "9"))], exhaustion=STAMINA[:-1]))
    assert deck_of(given) == ("9",)
    return given


def test_8_the_player_must_reshuffle_and_search_on() -> None:
    given = one_left_in_the_discard_pile()
    order = ["8", "19", *BARE[:8], "9"]
    given.when(act("lose_stamina", points=1, shuffled=order)).has("brog", discard=["8"], stamina_left=0)
    given.quiet_about(Incapacitated).has("brog", incapacitated=False)
    (lost,) = given.events
    assert isinstance(lost, StaminaLost)
    assert (lost.flipped, lost.shuffles) == (("9", "8", "19"), (1,))


def test_8_stopping_short_is_refused() -> None:
    given = one_left_in_the_discard_pile()
    given.when(act("lose_stamina", points=1, flipped=["9"])).refused("DH 8")
    given.when(act("lose_stamina", points=1, flipped=["9", "8"])).refused("DH 8")
    given.when(act("lose_stamina", points=1, flipped=["9", "8", "9", "19"])).has("brog", discard=["8", "9"])


def test_8_an_order_that_leaves_a_card_out_is_refused() -> None:
    one_left_in_the_discard_pile().when(act("lose_stamina", points=1, shuffled=["8", "19"])).refused("DH 8")


# -- incapacitation


def test_9_too_little_stamina_even_after_the_reshuffle_incapacitates() -> None:
    given = brog().when(act("lose_stamina", points=11))
    given.has("brog", incapacitated=True, incapacitated_means=None, stamina_left=0, deck_count=0)
    assert set(given.sheet("brog")["exhaustion"]) == set(STAMINA)
    assert given.events[-1] == Incapacitated("brog", "DH 9")
    assert "loses 10 of 11 Stamina" in given.sentences
    assert given.system.pending_for(given.handler.state(), "brog")


def test_9_the_list_of_a_search_that_fails_goes_through_all_cards_that_it_saw() -> None:
    spent = override(discard=["0", "1"], exhaustion=STAMINA)
    first = [card for card in BARE if card not in ("0", "1")]
    brog((), spent).when(act("lose_stamina", points=1, flipped=[*first, *BARE])).has("brog", incapacitated=True)
    brog((), spent).when(act("lose_stamina", points=1, flipped=first)).refused("DH 8")
    brog((), spent).when(act("lose_stamina", points=1, flipped=[*first, *BARE[1:]])).refused("DH 8")
    brog((), spent).when(act("lose_stamina", points=1, flipped=[*first, *BARE, "0"])).refused("DH 4")


def test_8_a_search_reshuffled_first_that_finds_too_little_reshuffles_once_more() -> None:
    given = brog((), override(discard=["0", "1"], exhaustion=STAMINA))
    order = list(reversed(BARE))
    given.when(act("lose_stamina", points=1, reshuffle_first=True, shuffled=order)).has("brog", incapacitated=True)
    lost = given.events[0]
    assert isinstance(lost, StaminaLost)
    assert lost.shuffles == (0, 10)
    assert lost.flipped[:10] == tuple(order)


def test_9_paying_the_last_point_does_not_incapacitate() -> None:
    brog().when(act("lose_stamina", points=10)).quiet_about(Incapacitated).has(
        "brog", stamina_left=0, incapacitated=False
    )


def test_9_by_ruling_having_none_left_does() -> None:
    given = (
        brog((), incapacitated_when="none_left").when(act("lose_stamina", points=9)).has("brog", incapacitated=False)
    )
    given.when(act("lose_stamina", points=1)).has("brog", stamina_left=0, incapacitated=True)


@pytest.mark.parametrize(
    "action",
    [
        act("flip", attribute="strength"),
        act("lose_stamina", points=1),
        act("breather", attribute="dexterity"),
        act("strain", what="a bruise"),
        act("wound", what="a cut"),
        act("rest", hours=8),
        act("effort", what="study", hours=2),
        act("attack", None, attacker="brog", style="melee"),
        act("attack", None, attacker="Orik", defender="brog", style="melee"),
    ],
)
def test_9_nothing_is_done_by_the_incapacitated_and_nothing_more_befalls_them(action: dict[str, object]) -> None:
    table(enrol(), enrol("Orik"), act("lose_stamina", points=11)).when(action).refused("DH 9")


def test_9_the_storyteller_says_what_it_means_and_when_it_is_over() -> None:
    given = brog((), act("lose_stamina", points=11))
    given.when(act("storyteller", meaning="unconscious")).then(IncapacitationTold("brog", "unconscious"))
    given.has("brog", incapacitated=True, incapacitated_means="unconscious")
    assert not given.system.pending_for(given.handler.state(), "brog")
    given.when(act("storyteller", meaning="wakes up", recovered=True)).then(Recovered("brog", "wakes up"))
    given.has("brog", incapacitated=False, incapacitated_means=None)
    given.when(act("flip", attribute="strength")).quiet_about(Incapacitated)


def test_9_the_storyteller_has_nothing_to_say_about_those_who_stand() -> None:
    brog().when(act("storyteller", meaning="dead")).refused("DH 9")
    brog().when(act("storyteller", meaning="wakes up", recovered=True)).refused("DH 9")


# -- Wound cards in a search


def bearing_w1(**options: str) -> Given:
    given = table(
        enrol(top=("10",)), act("wound", what="a cut"), override("back into the deck", discard=[]), options=options
    )
    return given.has("brog", wound_cards=["w1"], deck_count=20)


def test_26_a_wound_card_met_in_a_search_has_no_effect() -> None:
    given = bearing_w1().when(act("lose_stamina", points=1, flipped=["0", "w1", "12"]))
    given.quiet_about(WoundCardBit).has("brog", discard=["0", "w1"], exhaustion=["10", "12"])


def test_26_by_ruling_it_costs_one_more_searched_for_afterwards() -> None:
    given = bearing_w1(wound_card_in_search="as_flip")
    given.when(act("lose_stamina", points=1, flipped=["0", "w1", "12"])).refused("DH 4")
    given.when(act("lose_stamina", points=1, flipped=["0", "w1", "12", "1", "13"]))
    given.then_some(WoundCardBit("brog", ("w1",), searching=True))
    given.has("brog", exhaustion=["10", "12", "13"], discard=["0", "w1", "1"])


def test_26_by_ruling_each_that_is_met_costs_one() -> None:
    given = bearing_w1(wound_card_in_search="as_flip").when(override(wounds=2, wound_cards=["w1", "w2"]))
    given.when(act("lose_stamina", points=1, flipped=["w1", "w2", "12", "13", "14"]))
    given.then_some(WoundCardBit("brog", ("w1", "w2"), searching=True))
    given.has("brog", exhaustion=["10", "12", "13", "14"], discard=["w1", "w2"])


def test_26_by_ruling_a_search_without_a_wound_card_stays_quiet() -> None:
    bearing_w1(wound_card_in_search="as_flip").when(act("lose_stamina", points=1, flipped=["0", "12"])).quiet_about(
        WoundCardBit
    )


def test_26_by_ruling_the_further_point_that_cannot_be_paid_incapacitates() -> None:
    given = bearing_w1(wound_card_in_search="as_flip").when(override(discard=[], exhaustion=STAMINA[1:]))
    given.when(act("lose_stamina", points=1, flipped=["w1", "10"])).refused("DH 4")
    given.when(act("lose_stamina", points=1, flipped=["w1", "10", *BARE, *BARE, "w1"]))
    given.has("brog", incapacitated=True)


# -- 7: reshuffling first, wherever Stamina is searched for -------------------------------------------------


#: 3 and 0 discarded, 12 exhausted; the new order begins with a card that lay in the discard pile.
SPENT = act("lose_stamina", points=1, flipped=["3", "0", "12"])


def reshuffled(*top: str) -> list[str]:
    """A new order of all cards but 12, which is exhausted."""
    return [card for card in deck(*top) if card != "12"]


SEARCHES = [
    act("lose_stamina", points=1),
    act("strain", what="a bruise"),
    act("wound", what="a cut"),
]


@pytest.mark.parametrize("search", SEARCHES)
def test_7_every_search_may_be_reshuffled_first(search: dict[str, Any]) -> None:
    at = brog(TOP, SPENT)
    at.when({**search, "reshuffle_first": True, "shuffled": reshuffled("0", "10")})
    at.has("brog", exhaustion=["12", "10"])
    assert at.sheet("brog")["discard"][0] == "0", "it lay in the discard pile and came again"
    assert at.sentences.startswith("Brog loses 1 Stamina: (shuffles) 0, 10; 8 left.")


@pytest.mark.parametrize("search", SEARCHES)
def test_7_on_the_table_the_search_is_read_from_the_reported_order(search: dict[str, Any]) -> None:
    at = table(enrol(cards="table"), SPENT)
    at.when({**search, "reshuffle_first": True, "shuffled": reshuffled("3", "0", "13")})
    at.has("brog", exhaustion=["12", "13"])
    at.when({**search, "reshuffle_first": True}).invalid("missing (flipped=…)")


def test_7_a_card_of_the_discard_pile_may_be_reported_after_the_reshuffle() -> None:
    again = act("lose_stamina", points=1, flipped=["0", "13"])
    at = table(enrol(cards="table"), SPENT)
    at.when(again).refused("DH 4", "Card 0 is not in Brog's deck.")
    at.when({**again, "reshuffle_first": True}).has("brog", exhaustion=["12", "13"], discard=["0"])


WOUNDED_TWICE = [SPENT, override(wound_cards=["w1"], discard=["3", "0"], exhaustion=["12"])]


@pytest.mark.parametrize(
    ("action", "flips"),
    [
        (act("flip", attribute="strength"), ("w1",)),
        (act("breather", attribute="dexterity", rolled=None), ("w1",)),
        (act("attack", None, attacker="brog"), ("w1",)),
        (act("foe_attack", None, foe="ghoul", foe_result="x", target="brog"), ("w1",)),
    ],
)
def test_7_the_flip_comes_from_the_deck_as_it_was_and_the_search_from_the_new_order(
    action: dict[str, Any], flips: tuple[str, ...]
) -> None:
    order = [*reshuffled("0", "3", "13"), "w1"]
    for dealt_by in ("log", "table"):
        at = table(enrol(cards=dealt_by, dexterity=4, strength=1), *WOUNDED_TWICE, scene("combat"))
        at.when({**action, "flipped": list(flips), "reshuffle_first": True, "shuffled": order})
        at.has("brog", discard=["0", "3"])
        assert at.sheet("brog")["exhaustion"][-1] == "13"
        whole = {**action, "flipped": [*flips, "0", "3", "13"], "reshuffle_first": True, "shuffled": order}
        again = table(enrol(cards=dealt_by, dexterity=4, strength=1), *WOUNDED_TWICE, scene("combat"))
        again.when(whole).has("brog", discard=["0", "3"])


def test_7_a_defender_reshuffles_first_for_what_the_attack_costs() -> None:
    at = table(
        enrol("Orik", top=("10",), strength=4),
        enrol(cards="table", strength=1),
        SPENT,
        act("attack", None, attacker="Orik", defender="brog", flipped=["10"], defender_flipped=["1"], rolled=[1],
            choice="stamina", defender_reshuffle_first=True, defender_shuffled=[*reshuffled("0", "13", "14", "1")]),
    )  # fmt: skip
    at.has("brog", exhaustion=["12", "13", "14"], discard=["0"])


def test_35_only_a_defender_who_is_a_character_has_cards_to_reshuffle() -> None:
    blow = act("attack", None, attacker="brog", foe="ghoul")
    table(enrol()).when({**blow, "defender_reshuffle_first": True}).invalid("name the defender")
    table(enrol()).when({**blow, "defender_shuffled": ["1"]}).invalid("name the defender")


def test_7_what_an_action_reshuffles_for_nothing_is_refused() -> None:
    at = brog(TOP)
    flip = act("flip", attribute="strength", flipped=["3"], reshuffle_first=True)
    at.when({**flip, "shuffled": list(deck("3"))}).refused("DH 7", "None of Brog's cards are shuffled")
    at.when(flip).has("brog", discard=["3"])


def test_7_of_two_searches_in_one_action_the_first_is_reshuffled() -> None:
    strains = act("strain", what="a", flipped=["10"]), act("strain", what="b", flipped=["11"])
    at = brog(TOP, SPENT, *strains, third_strain="both")
    at.when(act("strain", what="c", reshuffle_first=True))
    lost = [event for event in at.events if isinstance(event, StaminaLost)]
    assert [event.shuffles for event in lost] == [(0,), ()]
