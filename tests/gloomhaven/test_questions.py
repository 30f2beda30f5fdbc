"""What the rules ask the player before something is done: each question, each answer, and when there is none."""

from typing import Any

from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rests import RerollRest, ShortRest
from domain.gloomhaven.rounds import BeginRound, CleanUp, EndTurn, Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario
from tests.gloomhaven.tables import brog, cleaned_up, on_turn, piles, spell
from tests.kit.given import Given
from tests.kit.interview import interview, interview_of_choice, quiet


def in_turn(hand: tuple[int, int] = (1, 2)) -> Given:
    """Brog's first turn, with two cards to play."""
    return Given(
        "gloomhaven",
        brog(),
        BeginScenario(scenario="1"),
        BeginRound(),
        Select(character="brog", lead=hand[0], second=hand[1]),
        Reveal(),
    )


def damage(**fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.damage", "character": "brog", "amount": 3, **fields}


# -- kills ---------------------------------------------------------------------------------------------


def test_a_kill_in_the_turn_of_somebody_else_asks_whose_it_is() -> None:
    table = on_turn(1, 4, brog(), spell())
    kill = {"type": "gloomhaven.kill", "character": "spell", "monster": "guard"}
    found = interview(table, kill, "Spell's")
    assert found.questions == [("It is Brog's turn. Whose kill is the guard?", ["Spell's", "Brog's"])]
    assert found.actions == [kill]
    assert interview(table, kill, "Brog's").actions == [{**kill, "character": "brog"}]
    table.when(kill).then_some().has("spell", kills=1)  # who retaliates kills then


def test_a_kill_in_ones_own_turn_or_in_nobodys_asks_nothing() -> None:
    kill = {"type": "gloomhaven.kill", "character": "brog", "monster": "guard"}
    quiet(on_turn(1, 4, brog(), spell()), kill)
    ended = on_turn(1, 4, brog(), spell()).and_given(EndTurn(character="brog"), EndTurn(character="spell"))
    quiet(ended, kill)


# -- GH 1: suffer or negate ------------------------------------------------------------------------------


def test_damage_asks_whether_it_is_suffered_or_negated() -> None:
    found = interview(in_turn(), damage(), "suffer")
    assert found.questions == [
        ("Brog: suffer 3 damage, or negate it?", ["suffer 3, 7 hit points left", "lose a card of the hand"])
    ]
    assert found.actions == [damage()]


def test_the_shields_that_left_less_of_it_are_said_first() -> None:
    table = in_turn((7, 8)).and_given(Perform(character="brog", card=7, half="bottom"))
    question, choices = interview(table, damage(amount=4, item_shield=2), "suffer").questions[0]
    assert question == (
        "Warding Strength (1) and an item (2) shield Brog: 4 becomes 1. Brog: suffer 1 damage, or negate it?"
    )
    assert choices[0] == "suffer 1, 9 hit points left"


def test_that_it_exhausts_is_said() -> None:
    assert "suffer 10 and be exhausted" in interview(in_turn(), damage(amount=10), "suffer").choices


def test_a_card_of_the_hand_negates_it() -> None:
    table = in_turn()
    found = interview(table, damage(), "lose a card", "Grab and Go")
    assert found.choices[:2] == ["Sweeping Blow", "Provoking Roar"] and "Trample" not in found.choices
    assert found.actions == [damage(lose_hand="Grab and Go")]
    table.when(damage(lose_hand="Grab and Go")).then_some().has("brog", hp=10, lost=[6])


def test_two_discarded_cards_negate_it() -> None:
    table = in_turn().and_given(EndTurn(character="brog"))
    found = interview(table, damage(), "lose two", "Trample", "Eye for an Eye")
    assert [choices for _, choices in found.questions[1:]] == [["Trample", "Eye for an Eye"], ["Eye for an Eye"]]
    assert found.actions == [damage(lose_discard=["Trample", "Eye for an Eye"])]
    table.when(damage(lose_discard=["Trample", "Eye for an Eye"])).then_some().has("brog", hp=10, lost=[1, 2])


def test_nothing_is_asked_where_the_cards_are_said_or_nothing_is_left_to_negate() -> None:
    table = in_turn()
    quiet(table, damage(lose_hand=6))
    quiet(table, damage(amount=0))
    table.when({"type": "gloomhaven.damage", "character": "brog", "amount": 10}).then_some()
    quiet(table, damage())


def test_a_bonus_that_must_be_used_leaves_nothing_to_choose() -> None:
    table = in_turn((7, 2))
    table.when({"type": "gloomhaven.perform", "character": "brog", "card": 7, "half": "bottom"}).then_some()
    assert interview(table, damage(amount=2), "suffer 1").actions == [damage(amount=2)]
    quiet(table, damage(amount=1))


# -- GH 70: cards that were not played -------------------------------------------------------------------


def end(**fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.end_turn", "character": "brog", **fields}


def test_the_end_of_a_turn_asks_about_cards_that_were_not_played() -> None:
    found = interview(in_turn(), end(), "discard")
    assert found.questions == [
        ("Brog has not played Trample and Eye for an Eye.", ["discard and end the turn", "play on"])
    ]
    assert found.actions == [end()]


def test_whoever_plays_on_says_which_card_and_half() -> None:
    found = interview(in_turn(), end(), "play on", "Eye", "top")
    assert found.actions == [
        {"type": "gloomhaven.perform", "character": "brog", "card": "Eye for an Eye", "half": "top"}
    ]


def test_nothing_is_asked_where_both_are_played_or_it_is_not_ones_turn() -> None:
    table = in_turn()
    for card, half in ((1, "top"), (2, "bottom")):
        table.when({"type": "gloomhaven.perform", "character": "brog", "card": card, "half": half}).then_some()
    quiet(table, end())
    quiet(table.and_given(EndTurn(character="brog")), end())


# -- GH 80, 81: the short rest ---------------------------------------------------------------------------


def rested() -> Given:
    """A cleanup in which Brog lost Trample to a short rest; Eye for an Eye came back."""
    return in_turn().and_given(EndTurn(character="brog"), CleanUp(), ShortRest(character="brog", drawn=1))


def test_a_short_rest_leaves_open_whether_the_card_is_kept() -> None:
    table = rested()
    (matter,) = table.system.pending_for(table.handler.state(), "brog")
    assert [way.says for way in matter.choices] == ["keep Trample for 1 damage and lose another"]
    assert matter.leave == "lose Trample"


def test_the_damage_of_drawing_again_is_suffered_or_negated_with_what_was_in_the_hand() -> None:
    table = rested()
    (matter,) = table.system.pending_for(table.handler.state(), "brog")
    found = interview_of_choice(table, matter.choices[0], "lose a card", "Grab")
    assert "Eye for an Eye" not in found.choices, "it lay in the discard pile when the card was drawn"
    assert found.actions == [{"type": "gloomhaven.reroll_rest", "character": "brog", "lose_hand": "Grab and Go"}]
    table.when(found.actions[0]).then_some().has("brog", hp=10, lost=[2, 6])
    suffered = interview_of_choice(rested(), matter.choices[0], "suffer 1, 9")
    assert suffered.actions == [{"type": "gloomhaven.reroll_rest", "character": "brog"}]


def test_two_discarded_cards_negate_it_beside_the_one_drawn_and_one_to_lose() -> None:
    rest = {"type": "gloomhaven.short_rest", "character": "brog", "drawn": 4, "reroll": True}
    suffered, of_hand, of_discard = "suffer 1, 9 hit points left", "lose a card of the hand", "lose two discarded cards"
    for discard, choices in (("1 4 9", [suffered, of_hand]), ("1 4 5 9", [suffered, of_hand, of_discard])):
        table = cleaned_up().and_given(piles("2 3", discard))
        assert interview(table, rest, "suffer").choices == choices


def test_nothing_is_asked_about_it_where_it_cannot_be_negated() -> None:
    table = rested()
    table.when(
        {"type": "ruling", "rule": "81", "text": "it hurts", "set": {"reroll_damage_negatable": False}}
    ).then_some()
    quiet(table, {"type": "gloomhaven.reroll_rest", "character": "brog"})
    quiet(rested().and_given(RerollRest(character="brog")), {"type": "gloomhaven.reroll_rest", "character": "brog"})


def test_nothing_is_asked_about_drawing_again_where_nothing_was_drawn() -> None:
    table = cleaned_up().and_given(piles("2 3", "1 4 5 9"))
    quiet(table, {"type": "gloomhaven.reroll_rest", "character": "brog"})


# -- GH 84: the long rest --------------------------------------------------------------------------------


def test_a_long_rest_asks_which_card_it_costs() -> None:
    table = in_turn().and_given(EndTurn(character="brog"), CleanUp(), BeginRound())
    table.when({"type": "gloomhaven.declare_long_rest", "character": "brog"}).then_some()
    table.when(Reveal()).then_some()
    rest = {"type": "gloomhaven.long_rest", "character": "brog"}
    found = interview(table, rest, "Trample")
    assert found.choices == ["Trample", "Eye for an Eye"]
    assert found.actions == [{**rest, "lose": "Trample"}]
    table.when(found.actions[0]).then_some().has("brog", lost=[1])
    quiet(table, {**rest, "lose": 2})


# -- between scenarios -----------------------------------------------------------------------------------


def test_a_level_that_was_earned_asks_for_its_card() -> None:
    table = Given("gloomhaven", brog(xp=45), BeginScenario(scenario="1"))
    card = {"class": "brute", "id": 14, "name": "Fatal Advance", "level": 2, "initiative": 61}
    table.when({"type": "gloomhaven.learn", "cards": [card]}).then_some()
    table.when({"type": "gloomhaven.end_scenario", "won": True}).then_some()
    (matter,) = table.system.pending_for(table.handler.state(), "brog")
    found = interview_of_choice(table, matter.choices[0], "Fatal")
    assert found.actions == [{"type": "gloomhaven.level_up", "character": "brog", "card": "Fatal Advance"}]


# -- GH 20: an item that must be used -------------------------------------------------------------------


def test_an_attack_asks_for_an_item_that_must_be_used() -> None:
    table = Given("gloomhaven", brog(items=(3,)), BeginScenario(scenario="1"), BeginRound())
    found = interview(table, damage(), "use", "suffer")
    assert found.questions[0] == (
        "Brog must use Hide Armor against an attack.",
        ["use Hide Armor", "it comes from no attack"],
    )
    assert found.actions == [damage(items=[3])]
    assert interview(table, damage(), "it comes", "suffer").actions == [damage(attack=False)]
    quiet(table, damage(items=["hide"], lose_hand=1))
