"""Conditions that last until the end of the next turn (GH 5): the table is asked at that end, or they end then."""

from typing import Any

import pytest

from domain.common.revisions import Undo
from domain.gloomhaven.conditions import (
    UNTIL_END_OF_TURN,
    ConditionGained,
    ConditionKept,
    ConditionLost,
    Expire,
    SetCondition,
)
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.exhaustion import Exhausted
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rests import LongRest
from domain.gloomhaven.rounds import BeginRound, CleanUp, EndTurn, Reveal, Select, TurnEnded
from tests.gloomhaven.tables import on_turn, resting, sheet
from tests.gloomhaven.test_summons import next_round, with_spirit
from tests.kit.given import Given, unchanged

END = EndTurn(character="brog")


def gain(condition: str, name: str = "brog", **fields: Any) -> SetCondition:
    said: dict[str, Any] = {"character": name, "condition": condition, **fields}
    return SetCondition(**said)


def asked(table: Given, name: str = "brog") -> list[str]:
    """What the table is asked about conditions that are due."""
    pending = table.system.pending_now(table.handler.state())
    return [
        decision.why
        for decision in pending
        if decision.choices[0].action is Expire and f"{name.title()} " in decision.why
    ]


@pytest.mark.parametrize(
    "condition", ["poison", "wound", "stun", "disarm", "immobilize", "muddle", "invisible", "strengthen"]
)
def test_it_is_asked_at_the_end_of_the_turn_about_what_lasts_until_then(condition: str) -> None:
    table = on_turn().and_given(gain(condition))
    assert not asked(table)
    table.when(END).quiet_about(ConditionLost).has("brog", conditions=[condition])
    assert len(asked(table)) == (condition in UNTIL_END_OF_TURN)
    if condition not in UNTIL_END_OF_TURN:
        table.when(Expire(character="brog")).refused(None, "No condition of Brog's is due to end.")


def test_one_key_ends_all_that_ends_and_keep_says_what_stays() -> None:
    table = on_turn().and_given(gain("stun"), gain("muddle"), gain("poison"), END)
    assert asked(table) == ["Brog was muddled and stunned until the end of the turn."]
    assert table.hints()[1].endswith("gloomhaven expire brog"), "one key"
    kept = table.copied().when(Expire(character="brog", keep=("muddle",)))
    kept.then(ConditionKept("brog", "muddle"), ConditionLost("brog", "stun")).has(
        "brog", conditions=["muddle", "poison"]
    )
    assert not asked(kept) and kept.sentences == "Brog stays muddled. Brog is no longer stunned."
    with unchanged(table):
        table.when(Expire(character="brog", keep=("poison",))).refused(None, "Brog does not lose poison now")
    table.when(Expire(character="brog")).then(ConditionLost("brog", "muddle"), ConditionLost("brog", "stun"))
    table.has("brog", conditions=["poison"])
    assert not asked(table)
    # nothing was silent, and all of it can be taken back
    assert asked(table.when(Undo())) == ["Brog was muddled and stunned until the end of the turn."]


def test_it_stays_asked_until_it_is_answered_whatever_comes_next() -> None:
    table = on_turn(1, 4).and_given(gain("stun"), END, CleanUp(), BeginRound())
    assert asked(table) and "select" in " ".join(table.hints())
    waits = table.system.pending_for_table(table.handler.state())[-1]
    assert waits.why == "Brog still has to choose." and waits.choices[0].action is Select
    table.when(gain("stun", gained=False))
    assert not asked(table)


def test_what_is_gained_in_the_own_turn_lasts_until_the_end_of_the_next_one() -> None:
    table = on_turn(1, 4).and_given(Perform(character="brog", card=1, half="top"), gain("strengthen"), END)
    assert not asked(table)
    table.and_given(CleanUp(), BeginRound(), Select(character="brog", lead=2, second=3), Reveal(), END)
    assert asked(table) == ["Brog was strengthened until the end of the turn."]
    # it is the same by damage, and for what is gained once more
    again = on_turn(1, 4).and_given(gain("muddle"), Perform(character="brog", card=1, half="top"))
    again.when(Damage(character="brog", amount=1, effects=("muddle", "poison"), attack=False))
    again.then_some(ConditionGained("brog", "muddle", no_change=True), ConditionGained("brog", "poison"))
    assert not asked(again.and_given(END))


def test_gained_after_the_own_turn_or_before_its_first_half_it_ends_with_the_next_end() -> None:
    """Monsters act between the turns of two characters, and the log does not know theirs."""
    table = on_turn(1, 4).and_given(END, gain("disarm"))
    assert not asked(table)
    table.and_given(CleanUp(), BeginRound(), Select(character="brog", lead=2, second=3), Reveal(), gain("stun"), END)
    assert asked(table) == ["Brog was disarmed and stunned until the end of the turn."]


def test_a_long_rest_is_a_turn_too() -> None:
    table = resting("2 3").and_given(gain("immobilize"), LongRest(character="brog", lose=1))
    assert asked(table) == ["Brog was immobilized until the end of the turn."]


def test_a_ruling_ends_them_by_themselves_and_says_so() -> None:
    table = on_turn(conditions_end="by_themselves").and_given(gain("stun"), gain("wound"))
    table.when(END).then_some(TurnEnded("brog"), ConditionLost("brog", "stun")).has("brog", conditions=["wound"])
    assert "Brog is no longer stunned." in table.sentences and not asked(table)


def test_those_of_a_summon_are_asked_about_with_its_owners() -> None:
    table = with_spirit().and_given(gain("muddle", "spell", summon="Spirit"))
    next_round(table).and_given(Reveal(), gain("stun", "spell"), EndTurn(character="spell"))
    assert asked(table, "spell") == ["Spell was stunned and Spirit was muddled until the end of the turn."]
    table.when(Expire(character="spell", summon="spirit")).then(ConditionLost("spell", "muddle", "Spirit"))
    assert asked(table, "spell") == ["Spell was stunned until the end of the turn."]
    table.when(Expire(character="spell", summon="spirit")).refused(None, "No condition of Spirit's is due to end.")


def test_a_summon_that_has_had_no_turn_loses_nothing_at_its_end() -> None:
    table = with_spirit().and_given(gain("muddle", "spell", summon="Spirit"), EndTurn(character="spell"))
    assert not asked(table, "spell")


def test_nothing_is_due_of_the_exhausted() -> None:
    table = on_turn().and_given(gain("stun"), END, sheet(hp=1))
    table.when(Damage(character="brog", amount=5, attack=False)).then_some(Exhausted("brog", "hit points"))
    assert not asked(table)
