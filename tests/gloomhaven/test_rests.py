"""Short rests with and without a re-roll, long rests, and what the table may rule about them."""

from typing import Any

import pytest

from domain.gloomhaven.damage import Damaged
from domain.gloomhaven.exhaustion import Exhausted
from domain.gloomhaven.facts import Named
from domain.gloomhaven.healing import Heal
from domain.gloomhaven.items import ItemsRefreshed, UseItem
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import CardsLost, CardsReturned
from domain.gloomhaven.rests import LongRest, ShortRest, ShortRestDrawn, ShortRestRedrawn
from domain.gloomhaven.rounds import CleanUp, EndTurn, Reveal, Select
from domain.turn import Struck
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, playing, resting, selecting, sheet, spell
from tests.kit.given import Given, unchanged

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


def test_80_one_discarded_card_is_lost_and_the_others_come_back() -> None:
    table = to_rest().when(rest(drawn=4))
    table.then(
        ShortRestDrawn("brog", ROAR, False), CardsLost("brog", (ROAR,)), CardsReturned("brog", (TRAMPLE, CLEAVE))
    )
    table.has("brog", hand=[1, 2, 3, 9], discard=[], lost=[4, 5, 6, 7, 8, 10], hp=10)


def test_80_the_card_is_drawn_at_random_unless_it_is_reported() -> None:
    lost = set()
    for seed in range(12):
        table = Given("gloomhaven", brog(), seed=seed)
        for tag in ("begin_scenario", "begin_round"):
            fields = {"scenario": "1"} if tag == "begin_scenario" else {}
            assert table.when({"type": f"gloomhaven.{tag}", **fields}).events
        table.and_given(piles("2 3", "1 4 9", selected=[5, 6]))
        assert table.when({"type": "gloomhaven.reveal"}).events
        table.and_given(EndTurn(character="brog"), CleanUp(), piles("2 3", "1 4 9"))
        (event,) = [event for event in table.when(rest()).events if isinstance(event, CardsLost)]
        lost.add(event.cards[0].id)
    assert lost == {1, 4, 9}


def test_80_a_short_rest_belongs_to_the_cleanup_once() -> None:
    for table in (playing(), selecting(), on_turn()):
        table.and_given(piles("2 3", "1 4 9")).when(rest()).refused("GH 80", "only in the cleanup")
    table = to_rest().and_given(ShortRest(character="brog", drawn=4), piles("2 3", "1 4 9"))
    table.when(rest()).refused("GH 80", "already")


def test_the_next_cleanup_allows_another() -> None:
    table = to_rest().and_given(ShortRest(character="brog", drawn=4))
    for action in ({"type": "gloomhaven.begin_round"}, {"type": "gloomhaven.select", "character": "brog", "lead": 1,
                   "second": 2}, {"type": "gloomhaven.reveal"}, {"type": "gloomhaven.end_turn", "character": "brog"},
                   {"type": "gloomhaven.clean_up"}, rest(drawn=2)):  # fmt: skip
        assert table.when(action).events
    table.has("brog", hand=[1, 3, 9])


def test_78_a_rest_needs_two_discarded_cards() -> None:
    to_rest("2 3", "1").when(rest()).refused("GH 78")


def test_78_active_cards_count_but_cannot_be_the_price() -> None:
    active = [{"card": card, "half": "bottom", "kind": "persistent", "counts_as": "discarded"} for card in (5, 6)]
    to_rest("2 3", "", active=active).when(rest()).refused("GH 78", "no card in the discard pile")
    table = to_rest("2 3", "1", active=active[:1]).when(rest())
    assert table.events
    table.has("brog", lost=[1, 4, 6, 7, 8, 9, 10], discard=[])
    to_rest("2 3", "1", {"active_counts_for_rest": False}, active=active).when(rest()).refused("GH 78")


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


@pytest.mark.parametrize("redrawn", [4, 2])
def test_81_the_second_card_is_a_different_discarded_one(redrawn: int) -> None:
    to_rest().when(rest(drawn=4, reroll=True, redrawn=redrawn)).refused("GH 81")


def test_81_a_drawn_second_card_is_never_the_first() -> None:
    for card in (1, 4):
        table = to_rest("2 3", "1 4").when(rest(drawn=card, reroll=True))
        assert table.events
        assert card in table.sheet("brog")["hand"]


def test_81_nothing_else_to_lose() -> None:
    active = [{"card": 5, "half": "bottom", "kind": "persistent", "counts_as": "discarded"}]
    table = to_rest("2 3", "1", active=active)
    with unchanged(table):
        table.when(rest(reroll=True)).refused("GH 81", "no other discarded card")


def test_81_the_damage_may_be_negated_if_a_card_is_left_to_lose() -> None:
    table = to_rest("2 3", "1 4 5 9").and_given(
        ShortRest(character="brog", drawn=4, reroll=True, lose_discard=(1, 5), redrawn=9)
    )
    table.has("brog", hp=10, hand=[2, 3, 4], lost=[1, 5, 6, 7, 8, 9, 10])
    to_rest("2 3", "1 4 9").when(rest(drawn=4, reroll=True, lose_discard=[1, 9])).refused("GH 81", "left to lose")


def test_81_the_drawn_card_pays_for_nothing() -> None:
    to_rest("2 3", "1 4 5 9").when(rest(drawn=4, reroll=True, lose_discard=[4, 5])).refused("GH 81", "pays for nothing")
    to_rest().when(rest(drawn=4, reroll=True, lose_hand=4)).refused("GH 81")


def test_3_4_the_re_roll_is_paid_like_any_damage() -> None:
    to_rest().when(rest(drawn=4, reroll=True, lose_hand=9)).refused("GH 3")
    to_rest().when(rest(drawn=4, reroll=True, lose_discard=[9])).refused("GH 4")


def test_81_the_group_may_rule_that_it_is_suffered() -> None:
    options = {"reroll_damage_negatable": False}
    to_rest(options=options).when(rest(drawn=4, reroll=True, lose_hand=2)).refused("GH 81", "cannot be negated")
    assert to_rest(options=options).when(rest(drawn=4, reroll=True)).events


def test_9_the_re_roll_can_exhaust_and_then_nothing_comes_back() -> None:
    table = to_rest(hp=1).when(rest(drawn=4, reroll=True, redrawn=2))
    table.quiet_about(ShortRestRedrawn, CardsReturned)
    table.has("brog", exhausted=True, hp=0, hand=[], discard=[]).table_has(outcome="lost")


@pytest.mark.parametrize("negatable", [True, False])
def test_frost_armor_negates_the_re_rolls_damage(negatable: bool) -> None:
    table = selecting(spell(), reroll_damage_negatable=negatable)
    table.and_given(Select(character="spell", lead=66, second=61), Reveal())
    table.and_given(Perform(character="spell", card=66, half="bottom"), EndTurn(character="spell"), CleanUp())
    armor = {"card": 66, "half": "bottom", "kind": "persistent", "counts_as": "lost", "slots": [1, 1], "token": 1,
             "negates_damage": True}  # fmt: skip
    table.and_given(piles("62 63", "61 64 65", "spell", active=[armor]))
    table.when(rest(character="spell", drawn=61, reroll=True, redrawn=64))
    assert table.events
    table.has("spell", hp=6, xp=1, lost=[64, 66, 67, 68], hand=[61, 62, 63, 65])


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


def test_85_the_heal_of_a_long_rest_meets_poison() -> None:
    table = resting("2 3").and_given(sheet(hp=5, conditions=["poison"]), LongRest(character="brog", lose=1))
    table.has("brog", hp=5, conditions=[])


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


def test_86_an_item_refreshed_has_all_its_circles() -> None:
    table = selecting(brog(items=(3,))).and_given(UseItem(character="brog", item=3), UseItem(character="brog", item=3))
    assert table.sheet("brog")["items"]["spent"] == [3]
    table.and_given(piles("2 3", "1 4"))
    for action in ({"type": "gloomhaven.declare_long_rest", "character": "brog"}, {"type": "gloomhaven.reveal"}):
        assert table.when(action).events
    table.and_given(LongRest(character="brog", lose=1))
    assert table.sheet("brog")["items"] == {"ready": [3], "spent": [], "consumed": [], "circles_used": {}}


# -- short of cards ----------------------------------------------------------------------------------------


def drained(discard: str, **options: Any) -> Given:
    return resting("2 3", **options).and_given(piles("2 3", discard), sheet(hp=5))


def test_78_a_drained_rester_loses_what_there_is() -> None:
    drained("1").when(LongRest(character="brog")).refused("GH 84")
    drained("1").and_given(LongRest(character="brog", lose=1)).has("brog", hp=7, hand=[2, 3], discard=[])
    drained("").and_given(LongRest(character="brog")).has("brog", hp=7, acted=True)
    drained("").when(LongRest(character="brog", lose=1)).refused("GH 84")


def test_78_under_refuse_a_drained_resters_turn_just_ends() -> None:
    table = drained("1", long_rest_short_of_cards="refuse")
    table.when(LongRest(character="brog", lose=1)).refused("GH 78")
    table.and_given(EndTurn(character="brog")).has("brog", discard=[1], hp=5, acted=True)
    drained("1 4", long_rest_short_of_cards="refuse").when(EndTurn(character="brog")).refused("GH 82")
    drained("1").when(EndTurn(character="brog")).refused("GH 82")


def test_nothing_else_is_exhausted_by_a_rest() -> None:
    resting("", "1 4").when(LongRest(character="brog", lose=1)).quiet_about(Exhausted)
    table = resting("", "1 4").and_given(
        LongRest(character="brog", lose=1), Heal(character="brog", amount=1), CleanUp()
    )
    assert any(isinstance(event, Exhausted) for event in table.when({"type": "gloomhaven.begin_round"}).events)
