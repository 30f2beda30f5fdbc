"""Exhaustion: what it takes, what it leaves, and that there is no way back in the scenario.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.gloomhaven.conditions import SetCondition
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.exhaustion import Exhausted, ScenarioLost
from domain.gloomhaven.healing import Heal
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import BeginRound
from domain.gloomhaven.scenarios import EndScenario
from tests.gloomhaven.tables import BRUTE, brog, on_turn, piles, playing, sheet, spell
from tests.kit.given import Given, unchanged

#: Every action of a character, with what else it needs.
BY_OR_ON: dict[str, dict[str, Any]] = {
    "select": {"lead": 1, "second": 2}, "declare_long_rest": {}, "perform": {"card": 1, "half": "top"}, "end_turn": {},
    "long_rest": {"lose": 1}, "short_rest": {}, "damage": {"amount": 1}, "heal": {"amount": 1},
    "condition": {"condition": "stun"}, "attack": {}, "draw_modifier": {"modifier": "+1"}, "use_item": {"item": 3},
    "trigger": {"card": 7}, "put_away": {"card": 7}, "recover": {"cards": [1], "kind": "lost", "up_to": 1},
    "refresh": {"items": [3], "kind": "spent"}, "loot": {"tokens": 1}, "kill": {"monster": "Guard"},
    "summon": {"card": 7, "name": "Bat", "hp": 1, "colour": "red"}, "summon_damage": {"summon": "Bat", "amount": 1},
    "buy_item": {"item": 3}, "sell_item": {"item": 3}, "level_up": {"card": 11}, "choose_hand": {"hand": list(BRUTE)},
}  # fmt: skip


def out(*others: Any) -> Given:
    table = on_turn(7, 1, *(brog(gold=4), *others)) if others else on_turn(7, 1, brog(gold=4))
    return table.and_given(
        Perform(character="brog", card=7, half="bottom"),
        Perform(character="brog", card=1, half="top"),
        SetCondition(character="brog", condition="stun"),
        sheet(xp=9),
        Damage(character="brog", amount=99),
    )


@pytest.mark.parametrize("action", BY_OR_ON)
def test_13_every_action_by_or_on_the_exhausted_is_refused(action: str) -> None:
    table = out(spell())
    with unchanged(table):
        table.when({"type": f"gloomhaven.{action}", "character": "brog", **BY_OR_ON[action]}).refused("GH 13")


def test_11_want_of_cards_leaves_the_hit_points() -> None:
    table = playing().and_given(piles("2", "1", hp=7)).when(BeginRound())
    table.then_some(Exhausted("brog", "cards"))
    table.has("brog", hp=7, exhausted=True, lost=list(BRUTE))


def test_14_after_that_only_the_end_is_left() -> None:
    table = out()
    for action in ("begin_round", "reveal", "clean_up", "begin_scenario", "enrol"):
        fields = {"begin_scenario": {"scenario": "2"}, "enrol": {"character": "new", "class": "brute"}}.get(action, {})
        table.when({"type": f"gloomhaven.{action}", **fields}).refused("GH 14")
    table.when(EndScenario(won=True)).refused("GH 14", "cannot be won")
    assert table.when({"type": "note", "text": "So close.", "about": "brog"}).events
    assert table.when({"type": "session.open"}).events
    table.and_given(EndScenario(won=False)).has("brog", exhausted=False, hp=10, hand=list(BRUTE))
    table.table_has(outcome="lost", phase=None)


def test_14_who_joined_in_mid_scenario_does_not_keep_it_alive() -> None:
    table = on_turn().and_given(spell()).when(Damage(character="brog", amount=99)).then_some(ScenarioLost())
    table.when(Heal(character="spell", amount=1)).refused("GH 14")
