"""Healing (DH 29 to 34).

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

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


def test_healing_with_nothing_to_remove_still_stands() -> None:
    given = brog((), scene("haven"), act("heal")).has("brog", wounds=0, harm=0, deck_count=20)
    assert len(given.events) == 1


def test_9_the_incapacitated_spend_no_day_healing() -> None:
    given = wounded().when(WOUND).has("brog", incapacitated=True)
    given.when(act("heal")).refused("DH 9", "cannot spend a day healing")
    given.when({"type": "override", "character": "brog", "set": {"incapacitated": False}, "why": "up again"})
    given.when(act("heal")).has("brog", wounds=1)
