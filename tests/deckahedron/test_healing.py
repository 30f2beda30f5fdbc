"""Healing (DH 29 to 34)."""

from typing import Any

import pytest

from domain.deckahedron.healing import Healed
from tests.deckahedron.tables import act, brog, deck_of, override, scene
from tests.kit.given import Given

EXHAUSTED = ["10", "12", "15", "16", "17"]
WOUND = act("wound", what="a cut")


def wounded(**options: Any) -> Given:
    """Brog bears two Wounds (w1 discarded, w2 in the deck) and two Harm tokens, in a haven."""
    given = brog((), WOUND, WOUND, **options)
    given.when(override(discard=["w1", "0"], exhaustion=EXHAUSTED, harm=2)).when(scene("haven"))
    return given.has("brog", wounds=2, wound_cards=["w1", "w2"], deck_count=15)


# -- where


@pytest.mark.parametrize("where", ["combat", "travel", "camp"])
def test_29_only_a_haven_is_fit_for_a_day_of_healing(where: str) -> None:
    wounded().when(scene(where)).when(act("heal")).refused("DH 29")


@pytest.mark.parametrize("by", ["magic", "item"])
@pytest.mark.parametrize("where", ["combat", "travel", "camp", "haven"])
def test_30_magic_and_items_heal_in_any_scene(by: str, where: str) -> None:
    wounded().when(scene(where)).when(act("heal", by=by, how="a potion")).has("brog", wounds=1, harm=0)


@pytest.mark.parametrize("wrong", [{"days": 2, "by": "magic"}, {"days": 0}, {"days": 1.5}])
def test_malformed_healing_is_invalid(wrong: dict[str, Any]) -> None:
    wounded().when(act("heal", **wrong)).invalid()


# -- what comes off and what comes back


def test_31_to_33_one_wound_all_harm_and_all_cards_but_one() -> None:
    given = wounded().when(act("heal", how="in the baths", kept=["15"]))
    given.has("brog", wounds=1, harm=0, exhaustion=["15"], stamina_left=9)
    (healed,) = given.events
    assert isinstance(healed, Healed)
    assert (healed.kept, healed.freed) == (("15",), ("10", "12", "16", "17"))


def test_31_the_wound_card_with_the_lowest_id_leaves_with_its_token() -> None:
    given = wounded().when(act("heal")).has("brog", wound_cards=["w2"], discard=["0"], deck_count=19)
    given.when(act("heal")).has("brog", wound_cards=[], wounds=0, deck_count=19, discard=["0"], exhaustion=[])


def test_31_by_ruling_the_wound_cards_stay() -> None:
    given = wounded(wound_card_removed=False).when(act("heal"))
    given.has("brog", wounds=1, wound_cards=["w1", "w2"], discard=["w1", "0"])


def test_25_wound_cards_that_stay_use_up_those_that_are_free() -> None:
    given = brog((), scene("haven"), wound_card_removed=False)
    for borne in (["w1"], ["w1", "w2"], ["w1", "w2", "w3"], ["w1", "w2", "w3", "w4"], ["w1", "w2", "w3", "w4"]):
        given.when(WOUND).has("brog", wounds=1, wound_cards=borne)
        given.when(act("heal", by="magic")).has("brog", wounds=0, wound_cards=borne)


@pytest.mark.parametrize("kept", [[], ["10", "12"], ["3"], ["99"]])
def test_33_choosing_another_number_or_other_cards_is_refused(kept: list[str]) -> None:
    wounded().when(act("heal", kept=kept)).refused("DH 33")


def test_33_the_others_are_shuffled_into_the_deck() -> None:
    given = wounded()
    order = sorted((*deck_of(given), "10", "12", "16", "17"))
    given.when(act("heal", kept=["15"], shuffled=order[1:])).refused("DH 33")
    given.when(act("heal", kept=["15"], shuffled=order)).has("brog", discard=["0"])
    assert deck_of(given) == tuple(order)


def test_22_by_ruling_they_go_to_the_discard_pile() -> None:
    given = wounded(rested_to="discard")
    for by in (None, "magic"):
        given.when(act("heal", kept=["15"], shuffled=["1"], by=by)).refused(
            "DH 33", "None of Brog's cards are shuffled"
        )
    given.when(act("heal", kept=["15"])).has("brog", discard=["0", "10", "12", "16", "17"])


def test_two_days_heal_twice_and_what_is_reported_is_of_the_first() -> None:
    given = wounded()
    order = sorted((*deck_of(given), "10", "12", "16", "17"))
    given.when(act("heal", days=2, kept=["15"], shuffled=order))
    given.has("brog", wounds=0, harm=0, exhaustion=[], wound_cards=[])
    first, second = given.events
    assert isinstance(first, Healed)
    assert isinstance(second, Healed)
    assert (first.deck, first.exhaustion, second.wounds) == (tuple(order), ("15",), 0)


def test_healing_with_nothing_to_remove_still_stands() -> None:
    given = brog((), scene("haven"), act("heal")).has("brog", wounds=0, harm=0, deck_count=20)
    assert len(given.events) == 1


def test_9_the_incapacitated_spend_no_day_healing() -> None:
    given = wounded().when(WOUND).has("brog", incapacitated=True)
    given.when(act("heal")).refused("DH 9", "cannot spend a day healing")
    given.when({"type": "override", "character": "brog", "set": {"incapacitated": False}, "why": "up again"})
    given.when(act("heal")).has("brog", wounds=1)


@pytest.mark.parametrize("by", ["magic", "item"])
def test_30_magic_and_items_heal_the_incapacitated_who_stay_incapacitated(by: str) -> None:
    wounded().when(WOUND).when(act("heal", by=by)).has("brog", wounds=1, incapacitated=True)


def test_9_by_ruling_the_incapacitated_do_spend_days_healing() -> None:
    given = wounded().when(WOUND)
    given.when({"type": "ruling", "rule": "9", "text": "They are nursed.", "set": {"incapacitated_heal": True}})
    given.when(act("heal")).has("brog", wounds=1, incapacitated=True)


# -- the day


def test_34_a_day_of_healing_is_all_of_its_hours() -> None:
    given = wounded().when(act("heal", day=3))
    given.when(act("effort", what="study", hours=1, day=3)).refused("DH 34")
    given.when(act("rest", hours=4, day=3)).refused("DH 34")
    given.when(act("heal", day=3)).refused("DH 34")
    given.when(act("heal", day=4)).has("brog", wounds=0)


def test_34_a_day_with_hours_spent_is_none_to_heal_in() -> None:
    wounded().when(act("effort", what="study", hours=1, day=3)).when(act("heal", day=3)).refused("DH 34")
    wounded().when(act("rest", hours=8, day=4)).when(act("heal", days=2, day=3)).refused("DH 34")


def test_34_two_days_are_two_days() -> None:
    given = wounded().when(act("heal", days=2, day=3))
    given.when(act("effort", what="study", hours=1, day=4)).refused("DH 34")
    given.when(act("effort", what="study", hours=1, day=5)).has("brog", wounds=0)


def test_30_magic_takes_no_day() -> None:
    given = wounded().when(act("effort", what="study", hours=24, day=3)).when(act("heal", by="item", day=3))
    given.has("brog", wounds=1)
