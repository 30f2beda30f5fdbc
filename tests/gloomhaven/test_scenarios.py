"""The worked scenarios of the rules, as lines of `campaign act`."""

from typing import Any

from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, playing, selecting, sheet, spell
from tests.kit.given import Given

EVERYTHING = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]


def line(action: str, character: str = "brog", **fields: Any) -> dict[str, Any]:
    return {"type": f"gloomhaven.{action}", "character": character, **fields}


def test_negate_with_a_card_of_the_hand() -> None:
    table = on_turn(1, 4)
    table.when(line("damage", amount=3, effects=["poison"], lose_hand=1)).refused("GH 6")
    table.when(line("damage", amount=3, effects=["poison"], lose_hand=6))
    table.has("brog", hp=10, lost=[6], conditions=["poison"], hand=[2, 3, 5, 7, 8, 9, 10], selected=[1, 4])


def test_two_discards() -> None:
    table = playing().and_given(piles("2 3", "1 4 9", hp=3))
    table.when(line("damage", amount=5, lose_discard=[1])).refused("GH 4")
    table.when(line("damage", amount=5, lose_discard=[1, 4]))
    table.has("brog", hp=3, discard=[9], lost=[1, 4, 5, 6, 7, 8, 10])


def resting_at_hp_1() -> Given:
    return cleaned_up().and_given(piles("2 3", "1 4 9", hp=1))


def test_short_rest_with_a_re_roll_suffered_at_hp_1() -> None:
    table = resting_at_hp_1().when(line("short_rest", drawn=4, reroll=True, redrawn=9))
    table.has("brog", hp=0, exhausted=True, lost=EVERYTHING, hand=[], discard=[])


def test_short_rest_with_a_re_roll_negated_from_the_hand() -> None:
    table = resting_at_hp_1().when(line("short_rest", drawn=4, reroll=True, lose_hand=2, redrawn=9))
    table.has("brog", hp=1, lost=[2, 5, 6, 7, 8, 9, 10], hand=[1, 3, 4], discard=[], exhausted=False)


def test_frost_armor() -> None:
    table = selecting(spell()).and_given()
    for action in (
        line("select", "spell", lead=66, second=61),
        {"type": "gloomhaven.reveal"},
        line("perform", "spell", card=66, half="bottom"),
    ):
        assert table.when(action).events
    table.has("spell", hp=6, xp=0)
    assert table.sheet("spell")["active"] == [
        {
            "card": 66, "half": "bottom", "kind": "persistent", "counts_as": "lost", "slots": [1, 1], "token": 0,
            "shield": 0, "retaliate": 0, "range": 0, "negates_damage": True,
        }
    ]  # fmt: skip
    assert table.when(line("damage", "spell", amount=1, item_shield=1)).events
    table.has("spell", hp=6, xp=0)
    assert table.sheet("spell")["active"][0]["token"] == 0
    assert table.when(line("damage", "spell", amount=4)).events
    table.has("spell", hp=6, xp=1)
    assert table.sheet("spell")["active"][0]["token"] == 1
    assert table.when(line("damage", "spell", amount=1, attack=False)).events
    table.has("spell", hp=6, xp=2, active=[], lost=[66])
    assert table.when(line("damage", "spell", amount=2)).events
    table.has("spell", hp=4, xp=2)


def test_retaliate_and_exhaustion() -> None:
    table = selecting(brog(hand=(13, 2, 3, 4, 5, 6, 7, 8, 9, 10)), spell())
    for action in (
        line("select", lead=13, second=4),
        line("select", "spell", lead=68, second=63),
        {"type": "gloomhaven.reveal"},
        line("perform", card=13, half="top"),
    ):
        assert table.when(action).events
    table.and_given(sheet(hp=5))

    def retaliated(**fields: Any) -> list[int]:
        events = table.when(line("damage", **fields)).events
        return [getattr(event, "amount", 0) for event in events if type(event).__name__ == "Retaliated"]

    assert retaliated(amount=4) == [2]
    table.has("brog", hp=3)
    assert retaliated(amount=2, distance=3) == []
    table.has("brog", hp=3)
    assert retaliated(amount=4) == [2]
    table.has("brog", hp=1)
    assert retaliated(amount=4) == []
    table.has("brog", hp=0, exhausted=True, lost=[2, 3, 4, 5, 6, 7, 8, 9, 10, 13], active=[])
