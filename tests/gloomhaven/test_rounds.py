"""Rounds: selection, the reveal and its order, turns, cleanup.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import (
    BeginRound,
    CleanUp,
    DeclareLongRest,
    EndTurn,
    LongRestDeclared,
    Reveal,
    RoundBegun,
    Select,
    TurnsOrdered,
)
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, playing, resting, selecting, spell
from tests.kit.given import Given, unchanged


def select(lead: Any, second: Any, character: str = "brog") -> Select:
    return Select(character=character, lead=lead, second=second)


# -- beginning ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("table", "number"), [(playing, 1), (cleaned_up, 2)])
@pytest.mark.parametrize(("choice", "rule"), [(select(1, 2), "GH 75"), (DeclareLongRest(character="brog"), "GH 82")])
def test_75_before_a_round_the_way_into_it_is_named(table: Any, number: int, choice: Any, rule: str) -> None:
    before = table().when(choice).refused(rule, f"Round {number} has not begun")
    assert [way.action for way in before.error.choices] == [BeginRound]


def test_75_a_round_begins_only_after_the_last_is_over() -> None:
    selecting().when(BeginRound()).refused("GH 75", "is not over")
    on_turn().when(BeginRound()).refused("GH 75")
    cleaned_up().when(BeginRound()).then(RoundBegun(2))


def all_have_acted() -> Given:
    return on_turn().and_given(EndTurn(character="brog"))


@pytest.mark.parametrize(
    ("table", "too_early", "rule", "awaited"),
    [
        (all_have_acted, BeginRound(), "GH 75", CleanUp),
        (all_have_acted, Reveal(), "GH 87", CleanUp),
        (all_have_acted, select(1, 2), "GH 75", CleanUp),
        (on_turn, CleanUp(), "GH 69", Perform),
        (selecting, CleanUp(), "GH 28", Select),
        (cleaned_up, CleanUp(), "GH 28", BeginRound),
    ],
)
def test_a_step_out_of_its_turn_names_the_one_that_the_table_waits_for(
    table: Any, too_early: Any, rule: str, awaited: Any
) -> None:
    refused = table().when(too_early).refused(rule)
    assert awaited in [way.action for way in refused.error.choices]


# -- selecting ---------------------------------------------------------------------------------------------


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


def test_29_active_cards_that_count_as_discarded_count_for_the_rest_unless_ruled_otherwise() -> None:
    active = [{"card": 4, "half": "bottom", "kind": "round", "counts_as": "discarded"}]
    rest = DeclareLongRest(character="brog")
    assert selecting().and_given(piles("2 3", "1", active=active)).when(rest).events
    table = selecting(active_counts_for_rest=False).and_given(piles("2 3", "1", active=active))
    table.when(rest).refused("GH 78")
    gone = [{**active[0], "counts_as": "lost"}]
    selecting().and_given(piles("2 3", "1", active=gone)).when(rest).refused("GH 78")


# -- the reveal --------------------------------------------------------------------------------------------


def test_75_nothing_is_revealed_while_a_selection_is_missing() -> None:
    selecting(brog(), spell()).and_given(select(1, 2)).when(Reveal()).refused("GH 75", "Spell has neither")


def test_there_is_nothing_to_reveal_outside_selection() -> None:
    for table in (playing(), on_turn(), cleaned_up()):
        table.when(Reveal()).refused("GH 87")


# -- cleanup -----------------------------------------------------------------------------------------------


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
