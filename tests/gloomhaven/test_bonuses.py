"""Active bonuses by hand: tokens moved, cards put away, cards recovered."""

from typing import Any

import pytest

from domain.gloomhaven.bonuses import PutAway, TokenMoved, Trigger
from domain.gloomhaven.facts import Named
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import CardsDiscarded, CardsLost
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rounds import Reveal, Select
from tests.gloomhaven.tables import brog, on_turn, piles, playing, selecting, spell
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


def test_23_a_token_is_moved_by_hand() -> None:
    table = crackling().when(Trigger(character="spell", card="crackling air"))
    table.then(TokenMoved("spell", Named(69, "Crackling Air"), 1, 0, 0))


def test_24_after_its_last_slot_the_card_is_lost() -> None:
    table = crackling()
    for _ in range(3):
        table.and_given(Trigger(character="spell", card=69))
    table.has("spell", xp=1).when(Trigger(character="spell", card=69))
    table.then_some(TokenMoved("spell", Named(69, "Crackling Air"), None, 1, 2))
    table.has("spell", xp=2, lost=[69], active=[])


def test_24_also_a_card_that_counts_as_discarded() -> None:
    slots = {**bonus(5), "slots": [0], "token": 0}
    table = active(slots, persistent_to="its_pile").and_given(Trigger(character="brog", card=5))
    assert 5 in table.sheet("brog")["lost"]


def test_slots_that_advance_by_themselves_can_be_moved_by_hand_too() -> None:
    table = on_turn(7, 1).and_given(Perform(character="brog", card=7, half="bottom"))
    table.and_given(Trigger(character="brog", card=7))
    assert table.sheet("brog")["active"][0]["token"] == 1


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


def test_52_cards_of_the_named_kind_come_into_the_hand() -> None:
    table = active(hand="2 3", discard="1 4 9")
    table.and_given(Recover(character="brog", cards=("Trample", 4), kind="discarded", up_to=3))
    table.has("brog", hand=[1, 2, 3, 4], discard=[9])
    table.and_given(Recover(character="brog", cards=(5,), kind="lost", up_to=1)).has("brog", hand=[1, 2, 3, 4, 5])


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


def recover_ether(kind: str) -> dict[str, Any]:
    return {"type": "gloomhaven.recover", "character": "spell", "cards": [63], "kind": kind, "up_to": 1}


def test_53_an_unrecoverable_card_never_comes_back_once_lost() -> None:
    table = playing(spell()).and_given(piles("61 62", "64", "spell"))
    table.when(recover_ether("lost")).refused("GH 53", "Reviving Ether")
    table = playing(spell()).and_given(piles("61 62", "63", "spell"))
    assert table.when(recover_ether("discarded")).events
    ether = {"card": 63, "half": "top", "kind": "round", "counts_as": "lost"}
    table = playing(spell()).and_given(piles("61 62", "", "spell", active=[ether]))
    table.when(recover_ether("lost")).refused("GH 53")


def test_invalid_recoveries() -> None:
    table = playing(brog())
    for fields in ({"cards": [], "kind": "lost", "up_to": 1}, {"cards": [1], "kind": "spent", "up_to": 1},
                   {"cards": [1], "kind": "lost", "up_to": 0}):  # fmt: skip
        table.when({"type": "gloomhaven.recover", "character": "brog", **fields}).invalid()
