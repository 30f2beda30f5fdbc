"""Short rests with and without a re-roll, long rests, and what the table may rule about them.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.gloomhaven.damage import Damaged
from domain.gloomhaven.facts import Named
from domain.gloomhaven.items import ItemsRefreshed, UseItem
from domain.gloomhaven.piles import CardsLost, CardsReturned
from domain.gloomhaven.rests import LongRest, ShortRest, ShortRestDrawn, ShortRestRedrawn
from domain.turn import Struck
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, playing, resting, selecting, sheet, spell
from tests.kit.given import Given

SWEEP, ROAR, CLEAVE, TRAMPLE = (
    Named(3, "Sweeping Blow"),
    Named(4, "Provoking Roar"),
    Named(9, "Leaping Cleave"),
    Named(1, "Trample"),
)


def rest(**fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.short_rest", "character": "brog", **fields}


def to_rest(hand: str = "2 3", discard: str = "1 4 9", options: dict[str, Any] | None = None, **fields: Any) -> Given:
    return cleaned_up(**(options or {})).and_given(piles(hand, discard, **fields))


# -- the short rest ----------------------------------------------------------------------------------------


def test_80_a_short_rest_belongs_to_the_cleanup_once() -> None:
    for table in (playing(), selecting(), on_turn()):
        table.and_given(piles("2 3", "1 4 9")).when(rest()).refused("GH 80", "only in the cleanup")
    table = to_rest().and_given(ShortRest(character="brog", drawn=4), piles("2 3", "1 4 9"))
    table.when(rest()).refused("GH 80", "already")


def test_78_a_rest_needs_two_discarded_cards() -> None:
    to_rest("2 3", "1").when(rest()).refused("GH 78")


@pytest.mark.parametrize(("drawn", "rule"), [(2, "GH 80"), (5, "GH 80"), ("Tramplle", None)])
def test_80_only_a_discarded_card_can_be_drawn(drawn: Any, rule: str | None) -> None:
    to_rest().when(rest(drawn=drawn)).refused(rule)


@pytest.mark.parametrize("fields", [{"redrawn": 9}, {"lose_hand": 2}, {"lose_discard": [1, 4]}])
def test_what_belongs_to_a_re_roll_needs_one(fields: dict[str, Any]) -> None:
    to_rest().when(rest(**fields)).invalid("re-roll")


# -- the re-roll -------------------------------------------------------------------------------------------


def test_81_the_drawn_card_is_kept_for_1_damage_and_another_lost() -> None:
    table = to_rest().when(rest(drawn=4, reroll=True, redrawn=9))
    table.then(
        ShortRestDrawn("brog", ROAR, True), Damaged("brog", 1, 1, None, 9, "the re-roll", False),
        ShortRestRedrawn("brog", CLEAVE), CardsLost("brog", (CLEAVE,)), CardsReturned("brog", (TRAMPLE, ROAR)),
    )  # fmt: skip
    table.has("brog", hp=9, hand=[1, 2, 3, 4], discard=[])
    sentence = table.events[0].sentence()
    assert "".join(sentence) == "Brog takes a short rest, draws Provoking Roar and keeps it for 1 damage."
    assert [part for part in sentence if isinstance(part, Struck)] == ["Provoking Roar"]


# -- the long rest -----------------------------------------------------------------------------------------


def test_84_the_player_chooses_the_card_and_takes_back_the_others() -> None:
    table = resting("2 3").and_given(sheet(hp=5), LongRest(character="brog", lose="Leaping Cleave", tokens=2))
    table.has("brog", hand=[1, 2, 3, 4], discard=[], lost=[5, 6, 7, 8, 9, 10], hp=7, acted=True, gold=2, resting=True)


def test_84_the_card_must_be_named_and_discarded() -> None:
    resting("2 3").when(LongRest(character="brog")).refused("GH 84", "must choose")
    resting("2 3").when(LongRest(character="brog", lose=2)).refused("GH 84", "not in Brog's discard pile")


def test_82_a_long_rest_must_be_declared_and_its_turn_come() -> None:
    on_turn().when(LongRest(character="brog", lose=1)).refused("GH 82", "has not declared")
    table = selecting(brog(), spell()).and_given(piles("2 3", "1 4 9"))
    for action in ({"type": "gloomhaven.declare_long_rest", "character": "brog"},
                   {"type": "gloomhaven.select", "character": "spell", "lead": 61, "second": 62}):  # fmt: skip
        assert table.when(action).events
    table.when(LongRest(character="brog", lose=1)).refused("GH 84", "not Brog's turn")
    assert table.when({"type": "gloomhaven.reveal"}).events
    table.when(LongRest(character="brog", lose=1)).refused("GH 84", "it is Spell's")


def items_after(**options: Any) -> dict[str, Any]:
    table = selecting(brog(items=(3, 8, 12)), **options).and_given(
        UseItem(character="brog", item=3), UseItem(character="brog", item=8), UseItem(character="brog", item=12)
    )
    table.and_given(piles("2 3", "1 4"))
    assert table.when({"type": "gloomhaven.declare_long_rest", "character": "brog"}).events
    assert table.when({"type": "gloomhaven.reveal"}).events
    table.when(LongRest(character="brog", lose=1))
    assert any(isinstance(event, ItemsRefreshed) for event in table.events)
    items: dict[str, Any] = table.sheet("brog")["items"]
    return items


def test_86_spent_items_are_refreshed_and_consumed_ones_are_not() -> None:
    assert items_after() == {"ready": [3, 8], "spent": [], "consumed": [12], "circles_used": {"3": 1}}
    assert items_after(part_used_items="reset")["circles_used"] == {}
