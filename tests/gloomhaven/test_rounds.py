"""Rounds: selection, the reveal and its order, turns, cleanup."""

from typing import Any

import pytest

from domain.gloomhaven.damage import Damage
from domain.gloomhaven.exhaustion import Exhausted
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rests import LongRest
from domain.gloomhaven.rounds import (
    BeginRound,
    CardsSelected,
    CleanUp,
    DeclareLongRest,
    EndTurn,
    LongRestDeclared,
    Reveal,
    Revealed,
    RoundBegun,
    Select,
    TurnsOrdered,
)
from domain.gloomhaven.scenarios import BeginScenario
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, playing, resting, selecting, sheet, spell
from tests.kit.given import Given, unchanged


def select(lead: Any, second: Any, character: str = "brog") -> Select:
    return Select(character=character, lead=lead, second=second)


# -- beginning ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "number"), [(playing, 1), (cleaned_up, 2)])
@pytest.mark.parametrize(("choice", "rule"), [(select(1, 2), "GH 75"), (DeclareLongRest(character="brog"), "GH 82")])
def test_75_before_a_round_the_way_into_it_is_named(table: Any, number: int, choice: Any, rule: str) -> None:
    before = table().when(choice).refused(rule, f"Round {number} has not begun")
    assert [way.action for way in before.error.choices] == [BeginRound]


def test_75_a_round_begins_with_selection() -> None:
    table = playing().when(BeginRound()).then(RoundBegun(1))
    table.table_has(round=1, phase="selection", order=[], outcome=None, scenario="1")


def test_a_round_needs_a_scenario() -> None:
    Given("gloomhaven", brog()).when(BeginRound()).refused(None, "begin one first")


def test_75_a_round_begins_only_after_the_last_is_over() -> None:
    selecting().when(BeginRound()).refused("GH 75", "is not over")
    on_turn().when(BeginRound()).refused("GH 75")
    cleaned_up().when(BeginRound()).then(RoundBegun(2))


def test_10_whoever_can_neither_play_nor_rest_is_exhausted_when_the_round_begins() -> None:
    for hand, discard, out in (("2", "1", True), ("", "1", True), ("2 3", "", False), ("2", "1 4", False)):
        table = playing().and_given(piles(hand, discard)).when(BeginRound())
        assert bool([event for event in table.events if isinstance(event, Exhausted)]) == out
        table.has("brog", exhausted=out, hp=10)


def test_10_it_is_not_checked_in_mid_round() -> None:
    on_turn().and_given(piles("", "1")).when(EndTurn(character="brog")).quiet_about(Exhausted)


# -- selecting ---------------------------------------------------------------------------------------------


def test_75_two_cards_are_selected_the_lead_first() -> None:
    table = selecting().when(select("Warding strength", 1))
    assert [type(event) for event in table.events] == [CardsSelected]
    table.has("brog", selected=[7, 1], hand=[2, 3, 4, 5, 6, 8, 9, 10], initiative=None)


def test_the_later_selection_replaces_the_earlier() -> None:
    table = selecting().and_given(select(7, 1)).when(select(1, 2))
    table.has("brog", selected=[1, 2], hand=[3, 4, 5, 6, 7, 8, 9, 10])
    table.and_given(piles("2 3", "1 4")).and_given(DeclareLongRest(character="brog"))
    table.has("brog", selected=[], hand=[2, 3], resting=True)
    table.and_given(select(3, 2)).has("brog", selected=[3, 2], hand=[], resting=False)


@pytest.mark.parametrize(
    ("lead", "second", "rule", "saying"),
    [
        (2, 2, "GH 75", "two different cards"),
        (2, 9, "GH 75", "does not have Leaping Cleave in hand"),
        (2, 11, "GH 75", "does not have Skewer in hand"),
        (2, 99, None, "There is no brute card 99"),
        (2, "Sweeping Bow", None, "did you mean 3 Sweeping Blow?"),
    ],
)
def test_selections_that_are_refused(lead: Any, second: Any, rule: str | None, saying: str) -> None:
    selecting().and_given(piles("2 3", "9")).when(select(lead, second)).refused(rule, saying)


def test_76_with_one_card_only_the_long_rest_is_left() -> None:
    table = selecting().and_given(piles("2", "1 4"))
    table.when(select(2, 3)).refused("GH 76", "only a long rest")
    table.when(DeclareLongRest(character="brog")).then(LongRestDeclared("brog"))


def test_selecting_happens_in_selection_only() -> None:
    for table in (playing(), on_turn(), cleaned_up()):
        table.when(select(2, 3)).refused("GH 75")
        table.when(DeclareLongRest(character="brog")).refused("GH 82")


def test_78_a_long_rest_needs_two_discarded_cards() -> None:
    selecting().and_given(piles("2 3", "1")).when(DeclareLongRest(character="brog")).refused("GH 78")


def test_29_active_cards_that_count_as_discarded_count_for_the_rest_unless_ruled_otherwise() -> None:
    active = [{"card": 4, "half": "bottom", "kind": "round", "counts_as": "discarded"}]
    rest = DeclareLongRest(character="brog")
    assert selecting().and_given(piles("2 3", "1", active=active)).when(rest).events
    table = selecting(active_counts_for_rest=False).and_given(piles("2 3", "1", active=active))
    table.when(rest).refused("GH 78")
    gone = [{**active[0], "counts_as": "lost"}]
    selecting().and_given(piles("2 3", "1", active=gone)).when(rest).refused("GH 78")


# -- the reveal --------------------------------------------------------------------------------------------


def test_the_order_is_by_the_leading_card_and_rests_come_last() -> None:
    table = selecting(brog(), spell(), spell(character="zoe"))
    table.and_given(piles("2 3", "1 4 9"), DeclareLongRest(character="brog"))
    table.and_given(select(61, 65, "spell"), select(65, 61, "zoe")).when(Reveal())
    assert [(name.character, name.initiative) for event in table.events if isinstance(event, Revealed)
            for name in event.order] == [("zoe", 7), ("spell", 69), ("brog", 99)]  # fmt: skip
    table.table_has(phase="turns", order=["zoe", "spell", "brog"])
    table.has("zoe", initiative=7, acted=False).has("brog", initiative=99)


def test_a_tie_goes_by_the_second_card_then_by_enrolment() -> None:
    table = selecting(brog(), spell(character="b"), spell(character="c"), spell(character="a"))
    # Wall of Doom is not in the hand; 20 is Frost Armor's, twice with the same second card
    table.and_given(select(66, 61, "b"), select(66, 61, "c"), select(66, 65, "a"), select(7, 1), Reveal())
    table.table_has(order=["a", "b", "c", "brog"])


def test_75_nothing_is_revealed_while_a_selection_is_missing() -> None:
    selecting(brog(), spell()).and_given(select(1, 2)).when(Reveal()).refused("GH 75", "Spell has neither")


def test_there_is_nothing_to_reveal_outside_selection() -> None:
    for table in (playing(), on_turn(), cleaned_up()):
        table.when(Reveal()).refused("GH 87")


def test_10_damage_in_the_selection_can_leave_nothing_to_play_and_nothing_to_rest_with() -> None:
    table = selecting(brog(), spell()).and_given(piles("2 3", ""), select(68, 63, "spell"))
    table.and_given(Damage(character="brog", amount=3, lose_hand=3))
    assert any(isinstance(event, Exhausted) for event in table.when(Reveal()).events)
    table.has("brog", exhausted=True, hp=10).table_has(order=["spell"])


def test_all_exhausted_at_the_reveal_loses_the_scenario() -> None:
    table = selecting().and_given(piles("2 3", ""), Damage(character="brog", amount=3, lose_hand=3), Reveal())
    table.table_has(outcome="lost", order=[])


def test_a_declared_rest_stands_when_its_cards_are_gone() -> None:
    table = resting("2", "1 4", Damage(character="brog", amount=9, lose_discard=(1, 4)))
    table.has("brog", exhausted=False, resting=True, initiative=99)


# -- turns -------------------------------------------------------------------------------------------------


def test_70_selected_cards_that_are_not_performed_are_discarded() -> None:
    table = on_turn(1, 4).and_given(EndTurn(character="brog"))
    table.has("brog", discard=[1, 4], selected=[], acted=True)


def test_turns_are_taken_in_order() -> None:
    table = on_turn(1, 4, brog(), spell())
    table.table_has(order=["brog", "spell"])
    table.when(EndTurn(character="spell")).refused("GH 69", "it is Brog's")
    table.and_given(EndTurn(character="brog")).when(EndTurn(character="brog")).refused("GH 69", "it is Spell's")
    table.and_given(EndTurn(character="spell")).when(EndTurn(character="spell")).refused("GH 69", "no turn is open")


def test_an_exhausted_character_leaves_the_order_and_the_next_one_acts() -> None:
    table = on_turn(1, 4, brog(), spell()).and_given(Damage(character="brog", amount=10))
    table.table_has(order=["spell"])
    assert table.when(EndTurn(character="spell")).events


def test_a_recovered_card_is_not_discarded_again() -> None:
    table = on_turn(1, 4).and_given(Perform(character="brog", card=1, half="top"))
    table.and_given(Recover(character="brog", cards=(1,), kind="discarded", up_to=1), EndTurn(character="brog"))
    table.has("brog", hand=[1, 2, 3, 5, 6, 7, 8, 9, 10], discard=[4])


# -- cleanup -----------------------------------------------------------------------------------------------


def test_clean_up_resets_the_round() -> None:
    table = resting("2 3").and_given(LongRest(character="brog", lose=1), CleanUp())
    table.has("brog", initiative=None, acted=False, resting=False).table_has(phase="cleanup", order=[], round=1)


def test_clean_up_waits_for_every_turn() -> None:
    on_turn().when(CleanUp()).refused("GH 69", "still to come")
    resting("2 3").when(CleanUp()).refused("GH 82", "long rest is still to come")


def test_clean_up_follows_the_turns_only() -> None:
    for table in (playing(), selecting(), cleaned_up()):
        table.when(CleanUp()).refused("GH 28")


def test_28_round_bonuses_go_to_their_piles_in_cleanup() -> None:
    hand = (13, 8, 2, 3, 4, 5, 6, 7, 9, 10)
    table = on_turn(13, 8, brog(hand=hand))
    table.and_given(Perform(character="brog", card=13, half="top"), Perform(character="brog", card=8, half="bottom"))
    table.has("brog", lost=[], discard=[]).and_given(EndTurn(character="brog"))
    assert [bonus["card"] for bonus in table.sheet("brog")["active"]] == [8, 13]
    table.and_given(CleanUp()).has("brog", lost=[13], discard=[8], active=[])


def test_persistent_bonuses_stay() -> None:
    table = on_turn(7, 1).and_given(Perform(character="brog", card=7, half="bottom"), EndTurn(character="brog"))
    table.and_given(CleanUp()).has("brog", discard=[1], lost=[])
    assert [bonus["card"] for bonus in table.sheet("brog")["active"]] == [7]


def test_a_second_scenario_starts_over() -> None:
    table = cleaned_up().when({"type": "gloomhaven.end_scenario", "won": True})
    assert table.events
    table.and_given(BeginScenario(scenario="2"))
    table.table_has(scenario="2", round=0, phase=None, outcome=None).and_given(sheet(gold=3))


# -- ties ----------------------------------------------------------------------------------------------------


def order(*names: str) -> dict[str, Any]:
    return {"type": "gloomhaven.turn_order", "characters": list(names)}


def resting_both() -> Given:
    table = selecting(brog(), spell(), brog(character="orik"))
    table.and_given(piles("2 3", "1 4 9"), piles("61 62", "63 64", name="spell"))
    table.and_given(DeclareLongRest(character="brog"), DeclareLongRest(character="spell"))
    return table.and_given(Select(character="orik", lead=1, second=4), Reveal())


def test_who_ties_is_put_in_order_by_the_table() -> None:
    table = resting_both().table_has(order=["orik", "brog", "spell"])
    table.when(order("spell", "brog")).then(TurnsOrdered(("spell", "brog")))
    assert table.sentences == "Spell acts before Brog."
    table.table_has(order=["orik", "spell", "brog"])
    table.and_given(EndTurn(character="orik"))
    with unchanged(table):
        table.when(order("brog", "orik")).refused("GH 83", "Orik has begun to act already.")
    assert table.system.whose_turn(table.handler.state()) == "spell"


def test_two_equal_pairs_tie_and_others_do_not() -> None:
    table = selecting(brog(), brog(character="orik"), brog(character="zed"))
    for name, lead, second in (("brog", 2, 4), ("orik", 2, 4), ("zed", 2, 3)):
        table.and_given(Select(character=name, lead=lead, second=second))
    with unchanged(table):
        table.when(order("orik", "brog")).refused("GH 83", "once the cards are revealed")
    table.and_given(Reveal()).table_has(order=["brog", "orik", "zed"])
    with unchanged(table):
        table.when(order("zed", "brog")).refused("GH 83", "Zed has 18 and 64 and Brog has 18 and 10")
        table.when(order("brog")).invalid("")
    table.when(order("orik", "brog")).table_has(order=["orik", "brog", "zed"])
    table.and_given(Perform(character="orik", card=2, half="bottom"))
    table.when(order("brog", "orik")).refused("GH 83", "Orik has begun to act already.")


def test_the_reveal_says_who_ties_and_what_to_type() -> None:
    table = resting_both()
    (reveal,) = (turn for turn in table.log.read(after=table.log.last() - 1))
    (tie,) = table.system.follow_ups(table.handler.state(), reveal.facts)
    assert tie.why == "Brog and Spell tie; Brog acts first, unless you say otherwise."
    assert tie.choices[0].fields == {"characters": ["spell", "brog"]}
