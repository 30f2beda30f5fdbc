"""Stamina and exhaustion (DH 4 to 9).

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

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


@pytest.mark.parametrize("points", [0, -1, 1.5, 2**54, "1"])
def test_points_are_a_whole_number_from_1(points: object) -> None:
    brog().when(act("lose_stamina", points=points)).invalid()


# -- reshuffling


@pytest.mark.parametrize("order", [deck()[1:], (*deck()[1:], "1"), (*deck(), "w1"), ()])
def test_7_the_order_reported_must_hold_exactly_the_cards_of_the_new_deck(order: tuple[str, ...]) -> None:
    brog().when(act("lose_stamina", points=1, reshuffle_first=True, shuffled=list(order))).refused("DH 7")


def one_left_in_the_discard_pile() -> Given:
    """The deck holds 9 alone, the discard pile 8 and 19, the exhaustion pile all other cards with the symbol."""
    given = brog((), override(discard=["8", "19", *(c for c in BARE if c not in ("8", "9"))], exhaustion=STAMINA[:-1]))
    assert deck_of(given) == ("9",)
    return given


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


def test_8_a_search_reshuffled_first_that_finds_too_little_reshuffles_once_more() -> None:
    given = brog((), override(discard=["0", "1"], exhaustion=STAMINA))
    order = list(reversed(BARE))
    given.when(act("lose_stamina", points=1, reshuffle_first=True, shuffled=order)).has("brog", incapacitated=True)
    lost = given.events[0]
    assert isinstance(lost, StaminaLost)
    assert lost.shuffles == (0, 10)
    assert lost.flipped[:10] == tuple(order)


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


def test_35_only_a_defender_who_is_a_character_has_cards_to_reshuffle() -> None:
    blow = act("attack", None, attacker="brog", foe="ghoul")
    table(enrol()).when({**blow, "defender_reshuffle_first": True}).invalid("name the defender")
    table(enrol()).when({**blow, "defender_shuffled": ["1"]}).invalid("name the defender")


def test_7_of_two_searches_in_one_action_the_first_is_reshuffled() -> None:
    strains = act("strain", what="a", flipped=["10"]), act("strain", what="b", flipped=["11"])
    at = brog(TOP, SPENT, *strains, third_strain="both")
    at.when(act("strain", what="c", reshuffle_first=True))
    lost = [event for event in at.events if isinstance(event, StaminaLost)]
    assert [event.shuffles for event in lost] == [(0,), ()]
