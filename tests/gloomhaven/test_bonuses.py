"""Active bonuses by hand: tokens moved, cards put away, cards recovered.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.gloomhaven.bonuses import PutAway, Trigger
from domain.gloomhaven.facts import Named
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import CardsDiscarded, CardsLost
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rounds import Reveal, Select
from tests.gloomhaven.tables import brog, piles, playing, selecting, spell
from tests.kit.given import Given

X_WEAVER = (61, 62, 63, 64, 65, 66, 69, 71)


def crackling() -> Given:
    """Crackling Air is active: slots 0 1 0 1, moved by hand."""
    table = selecting(spell(hand=X_WEAVER)).and_given(Select(character="spell", lead=69, second=61), Reveal())
    return table.and_given(Perform(character="spell", card=69, half="top"))


def active(*bonuses: dict[str, Any], hand: str = "2 3", discard: str = "", **options: Any) -> Given:
    return playing(**options).and_given(piles(hand, discard, active=list(bonuses)))


def bonus(card: int, kind: str = "persistent", counts_as: str = "discarded") -> dict[str, Any]:
    return {"card": card, "half": "bottom", "kind": kind, "counts_as": counts_as}


# -- tokens ------------------------------------------------------------------------------------------------


def test_23_no_token_no_trigger() -> None:
    active(bonus(5)).when(Trigger(character="brog", card=5)).refused("GH 23", "has no slots")
    active(bonus(5)).when(Trigger(character="brog", card=2)).refused("GH 23", "not in Brog's active area")
    active(bonus(5)).when(Trigger(character="brog", card="Sweping Blow")).refused(None, "3 Sweeping Blow")


# -- putting away ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "persistent_to", "pile"),
    [
        (bonus(5), "its_pile", "discard"),
        (bonus(5, counts_as="lost"), "its_pile", "lost"),
        (bonus(5), "lost", "lost"),
        (bonus(5, "round"), "lost", "discard"),
        (bonus(5, "round", "lost"), "its_pile", "lost"),
    ],
)
def test_26_30_an_active_card_is_put_away_to_its_pile_or_as_ruled(
    given: dict[str, Any], persistent_to: str, pile: str
) -> None:
    table = active(given, persistent_to=persistent_to).when(PutAway(character="brog", card=5))
    kind = CardsDiscarded if pile == "discard" else CardsLost
    table.then(kind("brog", (Named(5, "Overwhelming Assault"),), "out of the active area"))
    assert 5 in table.sheet("brog")[pile]
    table.has("brog", active=[])


def test_30_only_ones_own_active_cards_are_put_away() -> None:
    active(bonus(5)).when(PutAway(character="brog", card=2)).refused("GH 30")


# -- recovering --------------------------------------------------------------------------------------------


def test_52_active_cards_that_count_so_come_back_and_their_bonus_ends() -> None:
    table = active(bonus(5), bonus(6, counts_as="lost"))
    table.when(Recover(character="brog", cards=(6,), kind="discarded", up_to=1)).refused("GH 52")
    table.and_given(Recover(character="brog", cards=(5,), kind="discarded", up_to=1))
    table.and_given(Recover(character="brog", cards=(6,), kind="lost", up_to=1)).has(
        "brog", active=[], hand=[2, 3, 5, 6]
    )


@pytest.mark.parametrize(
    ("cards", "kind", "up_to"),
    [
        ([1, 4], "discarded", 1),
        ([1], "lost", 1),
        ([5], "discarded", 2),
        ([2], "discarded", 1),
        ([1, "trample"], "discarded", 2),
    ],
)
def test_52_what_cannot_be_recovered(cards: list[Any], kind: str, up_to: int) -> None:
    table = active(hand="2 3", discard="1 4 9")
    table.when({"type": "gloomhaven.recover", "character": "brog", "cards": cards, "kind": kind, "up_to": up_to})
    table.refused("GH 52")


def test_invalid_recoveries() -> None:
    table = playing(brog())
    for fields in ({"cards": [], "kind": "lost", "up_to": 1}, {"cards": [1], "kind": "spent", "up_to": 1},
                   {"cards": [1], "kind": "lost", "up_to": 0}):  # fmt: skip
        table.when({"type": "gloomhaven.recover", "character": "brog", **fields}).invalid()
