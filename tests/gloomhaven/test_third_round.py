"""What two evenings with four real classes asked for: items in the blow, conditions, hands by exchange, and more."""

from typing import Any

import pytest

from cli.line.context import Context
from cli.line.guiding import guide
from domain.gloomhaven.conditions import SetCondition
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.items import FiguresLearned, ItemUsed
from domain.gloomhaven.learning import Learn
from domain.gloomhaven.levels import ChooseHand
from domain.gloomhaven.money import BuyItem, SellItem
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rounds import Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario, EndScenario
from domain.gloomhaven.summons import Summon
from domain.system.drafts import legal_values
from domain.system.field_schema import fields_of
from domain.turn import Action
from tests.gloomhaven.tables import brog, playing, selecting, spell
from tests.kit.given import Given, unchanged
from tests.kit.interview import interview, quiet


def damage(amount: int, **fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.damage", "character": "brog", "amount": amount, **fields}


# -- items in the blow -------------------------------------------------------------------------------------


def test_16_an_item_that_affects_attacks_works_on_an_attack_upon_its_owner_before_the_shields() -> None:
    table = playing(brog(items=(3, 6))).when(damage(3, items=[6, 3]))
    assert [type(event).__name__ for event in table.events] == ["ItemUsed", "ItemUsed", "Shielded", "Damaged"]
    table.has("brog", hp=8)


def test_31_heater_shield_shields_for_one_while_it_is_used() -> None:
    table = playing(brog(items=(8,))).when(damage(3, items=[8])).has("brog", hp=8)
    assert "Heater Shield (1) shields Brog: 3 becomes 2." in table.sentences
    playing(brog(items=(8,))).when(damage(3)).has("brog", hp=7)


def buckler(**facts: Any) -> Learn:
    return Learn(items=({"id": 902, "name": "Buckler", "price": 10, "once_used": "spent", **facts},))


def owning_a_buckler(**facts: Any) -> Given:
    return playing(buckler(**facts), brog(items=(902,)))


def test_an_item_of_unknown_figure_asks_for_it_and_the_log_learns_it() -> None:
    table = owning_a_buckler()
    found = interview(table, damage(3, items=["buckler"]), "Shield 2", "suffer 1")
    assert found.questions[0] == (
        "What does Buckler do against an attack?",
        ["Shield 1", "Shield 2", "Shield 3", "it affects the attack", "neither"],
    )
    assert found.actions == [damage(3, items={"buckler": {"shields": 2}})]
    table.when(damage(3, items={"buckler": {"shields": 2}})).has("brog", hp=9)
    assert [type(event) for event in table.events][:2] == [FiguresLearned, ItemUsed]
    assert table.sentences.startswith("Buckler shields for 2 from now on. Brog uses Buckler: spent.")
    assert "Buckler (2) shields Brog: 3 becomes 1." in table.sentences
    table.when({"type": "gloomhaven.refresh", "character": "brog", "items": [902], "kind": "spent"})
    table.when(damage(3, items=[902])).has("brog", hp=8)
    assert "Buckler (2)" in table.sentences, "the log has learned it"


def test_an_item_that_does_neither_is_used_and_teaches_nothing() -> None:
    table = owning_a_buckler()
    found = interview(table, damage(3, items=[902]), "neither", "suffer 3")
    assert found.actions == [damage(3, items={"902": {"shields": 0}})]
    table.when(damage(3, items={"902": {"shields": 0}})).quiet_about(FiguresLearned).has("brog", hp=7)


def test_nothing_is_asked_about_an_item_that_the_log_knows_or_where_the_shield_is_told() -> None:
    for facts in ({"shields": 1}, {"affects_attack": True}):
        found = interview(owning_a_buckler(**facts), damage(3, items=[902]), "suffer")
        assert not any("What does" in why for why, _ in found.questions)
    told_ = interview(owning_a_buckler(), damage(3, items=[902], item_shield=1), "suffer")
    assert not any("Buckler do" in why for why, _ in told_.questions)
    table = owning_a_buckler().when(damage(3, items=[902], item_shield=1))
    assert "Buckler (1) shields Brog" in table.sentences, "a shield is told by its name"


def test_a_figure_that_the_log_knows_otherwise_is_refused() -> None:
    table = owning_a_buckler(shields=1)
    with unchanged(table):
        table.when(damage(3, items={"902": {"shields": 2}})).refused("GH 19", "Shield 1")
        table.when(damage(3, items={"902": {"shiedls": 2}})).invalid()
    table.when(damage(3, items={"902": {"shields": 1}})).has("brog", hp=8)


# -- conditions --------------------------------------------------------------------------------------------


def test_5_gained_twice_it_holds_once_and_the_sentence_says_so() -> None:
    poison = SetCondition(character="brog", condition="poison")
    table = playing().when(poison).has("brog", conditions=["poison"])
    assert table.sentences == "Brog is poisoned."
    assert table.when(poison).has("brog", conditions=["poison"]).sentences == "Brog is poisoned already."
    over = SetCondition(character="brog", condition="poison", gained=False)
    assert table.when(over).has("brog", conditions=[]).sentences == "Brog is no longer poisoned."
    assert table.when(over).sentences == "Brog is not poisoned."


def on_turn(*more: Action) -> Given:
    table = selecting(brog(), spell()).and_given(*more)
    return table.and_given(
        Select(character="brog", lead=4, second=1), Select(character="spell", lead=61, second=62), Reveal()
    )


def waiting(table: Given, name: str = "brog") -> list[str]:
    return [decision.why for decision in table.system.pending_for(table.handler.state(), name)]


def gained(condition: Any) -> SetCondition:
    return SetCondition(character="brog", condition=condition)


def test_whoever_begins_a_turn_wounded_is_told_so_and_nothing_is_done_by_itself() -> None:
    table = on_turn(gained("wound"))
    assert waiting(table)[0] == "Brog is wounded: 1 damage at the start of the turn, unless a heal comes first."
    table.has("brog", hp=10)
    (first, *_) = table.system.pending_for(table.handler.state(), "brog")
    assert [choice.says for choice in first.choices] == ["suffer 1, bleeding", "a heal comes first"]
    suffered = table.and_given(first.choices[0].action(**first.choices[0].fields)).has("brog", hp=9)
    assert not any("wounded" in why for why in waiting(suffered)), "it is settled for this turn"


@pytest.mark.parametrize("condition", ["stun", "disarm", "immobilize", "muddle"])
def test_whoever_begins_a_turn_hindered_is_told_so(condition: str) -> None:
    assert f"Brog is {condition[:4]}" in waiting(on_turn(gained(condition)))[0]
    assert not any("Brog is " in why for why in waiting(on_turn(gained("invisible"))))


# -- cards -------------------------------------------------------------------------------------------------


def test_a_hand_is_chosen_by_exchange() -> None:
    table = Given("gloomhaven", brog())
    exchange = {"type": "gloomhaven.choose_hand", "character": "brog"}
    table.when({**exchange, "add": ["skewer"], "remove": ["trample"]})
    table.has("brog", hand=[2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    with unchanged(table):
        table.when({**exchange, "add": ["skewer"], "remove": ["eye for an eye"]}).refused(
            None, "in Brog's hand already"
        )
        table.when({**exchange, "add": ["trample"], "remove": ["trample"]}).refused(None, "not in Brog's hand")
        table.when({**exchange, "add": ["trample"]}).refused(None, "exactly 10 cards, not 11")
        table.when(exchange).invalid("Name the whole hand")
        table.when({**exchange, "hand": [1], "add": [1]}).invalid("Name the whole hand")


def test_what_may_come_into_a_hand_and_what_may_leave_it_is_proposed() -> None:
    table = Given("gloomhaven", brog())
    state = table.handler.state()
    assert table.system.proposals(state, ChooseHand, "add", "brog") == ("Skewer", "Balanced Measure", "Wall of Doom")
    leaving = table.system.proposals(state, ChooseHand, "remove", "brog")
    assert leaving is not None and len(leaving) == 10 and "Trample" in leaving


def piles(**fields: Any) -> dict[str, Any]:
    return {"type": "override", "character": "spell", "set": fields, "why": "so they lie"}


def recovering() -> Given:
    table = selecting(spell())
    return table.when(piles(hand=[61, 62], discard=[64, 65], lost=[63, 66, 67, 68]))


def test_52_all_discarded_or_all_lost_come_back() -> None:
    table = recovering().when({"type": "gloomhaven.recover", "character": "spell", "cards": ["all"], "kind": "lost"})
    table.has("spell", lost=[63], hand=[61, 62, 66, 67, 68])
    table.when({"type": "gloomhaven.recover", "character": "spell", "cards": ["All"], "kind": "discarded"})
    table.has("spell", discard=[], hand=[61, 62, 64, 65, 66, 67, 68])
    table.when(Recover(character="spell", cards=("all",), kind="discarded")).refused("GH 52", "no discarded card")


def summoning() -> Given:
    hand = (61, 62, 63, 64, 65, 66, 69, 71)
    table = selecting(spell(hand=hand)).and_given(Select(character="spell", lead=71, second=69), Reveal())
    return table.and_given(Perform(character="spell", card=71, half="bottom"))


def test_45_what_the_table_says_of_a_summon_wins_and_the_rest_is_filled_in() -> None:
    table = summoning().when(Summon(character="spell", card=71, hp=4))
    (summon,) = table.sheet("spell")["summons"]
    assert (summon["name"], summon["hp"], summon["attack"], summon["colour"]) == ("Aid from the Ether", 4, 3, "red")


@pytest.mark.parametrize(
    ("words", "name", "hp", "colour"),
    [
        ("harmless decoy red", "harmless decoy", 2, "red"),
        ("Yellow moth", "moth", 2, "yellow"),
        ("moth 3 blue", "moth", 3, "blue"),
        ("moth", "moth", 2, "red"),
        ("green", "Aid from the Ether", 2, "green"),
        ("7", "Aid from the Ether", 7, "red"),
    ],
)
def test_45_words_that_are_left_are_its_colour_and_its_name(words: str, name: str, hp: int, colour: str) -> None:
    (summon,) = summoning().when(Summon(character="spell", card=71, name=words)).sheet("spell")["summons"]
    assert (summon["name"], summon["hp"], summon["colour"]) == (name, hp, colour)


def test_45_a_card_that_tells_no_figures_asks_for_the_hit_points() -> None:
    table = selecting(spell()).and_given(Select(character="spell", lead=66, second=61), Reveal())
    table.and_given(Perform(character="spell", card=66, half="bottom"))
    table.when(Summon(character="spell", card=66, name="Wisp", colour="red")).invalid("give its hit points")
    table.when(Summon(character="spell", card=66, name="Wisp", colour="red", hp=3)).then_some()


# -- the end of a scenario ---------------------------------------------------------------------------------


def ending(**fields: Any) -> dict[str, Any]:
    return {"type": "gloomhaven.end_scenario", "won": True, **fields}


def test_a_scenario_that_is_won_proposes_the_experience_of_its_level() -> None:
    table = playing(brog(), spell(), level=1)
    found = interview(table, ending(), "6 experience for Brog and Spell")
    assert found.questions[0][0] == "A scenario won at level 1 gives 6 experience."
    assert found.actions == [ending(xp=6)]
    assert interview(table, ending(), "another amount").to_type == ("xp",)
    assert interview(table, ending(), "no experience").actions == [ending()]
    table.when(ending(xp=6)).has("brog", xp=6).has("spell", xp=6)
    assert (
        table.sentences == "The scenario is won. Brog gains 6 experience and has 6. Spell gains 6 experience and has 6."
    )


def test_nothing_is_proposed_where_nothing_is_due() -> None:
    quiet(playing(brog(), level=1), ending(won=False))
    quiet(playing(brog()), ending())
    quiet(playing(brog(), level=1), ending(xp=3))
    playing(brog(), level=1).when(ending(won=False, xp=3)).invalid("Only a scenario that was won")
    playing(brog(), level=1).when(ending()).has("brog", xp=0)


# -- no spoilers -------------------------------------------------------------------------------------------


def learned() -> Given:
    sun = {
        "class": "Sunkeeper", "hand_size": 2, "hp": [10] * 9,
        "cards": [{"id": 301, "name": "Dawn", "level": 1, "initiative": 10},
                  {"id": 302, "name": "Dusk", "level": 1, "initiative": 90}],
    }  # fmt: skip
    cloak = {"id": 5, "name": "Cloak of Invisibility", "price": 20, "once_used": "spent"}
    return Given("gloomhaven", Learn(classes=(sun,), items=(cloak,)), brog(gold=50))


def offered(table: Given, action: type[Action], field: str) -> list[str]:
    (of,) = [own_field for own_field in fields_of(action) if own_field.key == field]
    return legal_values(table.system, table.handler.state(), action, of, "brog")


def test_what_was_learned_and_nobody_has_is_neither_listed_nor_named() -> None:
    table = learned()
    assert table.chronicle()[1] == "A class with 2 cards enters the log.1 item enters the log."
    assert "Cloak of Invisibility" not in offered(table, BuyItem, "item") and "Hide Armor" in offered(
        table, BuyItem, "item"
    )
    table.when(BuyItem(character="brog", item=77)).refused(None)
    assert "Cloak" not in str(table.error) and "Hide Armor" in str(table.error)
    table.when(BuyItem(character="brog", item="cl")).refused(None)
    assert "Cloak" not in str(table.error)


def test_what_nobody_has_met_is_completed_after_three_letters() -> None:
    table = learned()
    context = Context(table.system, table.handler.state(), table.log)

    def proposed(line: str) -> list[str]:
        return [way.text for way in guide(line, len(line), context).candidates]

    for line, hidden in (("buy-item brog ", "Cloak of Invisibility"), ("enrol Ada ", "sunkeeper")):
        assert hidden not in proposed(line) and hidden not in proposed(line + hidden[:2])
        assert hidden in proposed(line + hidden[:3]), line
    assert "sunkeeper" not in table.system.lookups[0].names(table.handler.state())


def test_whoever_types_three_letters_of_it_finds_it() -> None:
    learned().when(BuyItem(character="brog", item="clo")).then_some()
    table = learned().and_given(BuyItem(character="brog", item=5))
    assert "Cloak of Invisibility" in offered(table, SellItem, "item"), "somebody has it now"


def test_who_joins_is_shown_the_cards_of_the_class_that_is_named() -> None:
    table = Given("gloomhaven")
    enrol = type(brog())
    cards = table.system.proposals_for(table.handler.state(), enrol, "hand", None, {"class": "brute"})
    assert cards is not None and "Trample" in cards and "Fire Orbs" not in cards
    assert table.system.proposals_for(table.handler.state(), enrol, "hand", None, {"class": "nobody"}) is None
    every = table.system.proposals_for(table.handler.state(), enrol, "hand", None, {})
    assert every is not None and {"Trample", "Fire Orbs"} <= set(every)


def test_a_scenario_begins_again_after_all_of_this() -> None:
    table = playing(brog(), level=1).and_given(EndScenario(won=True, xp=6), BeginScenario(scenario="2", level=1))
    table.and_given(Damage(character="brog", amount=1)).has("brog", hp=9, xp=6)


def test_a_card_of_somebody_else_is_told_whose_it_is() -> None:
    table = on_turn()
    table.when(Perform(character="brog", card="mana bolt", half="top")).refused(None)
    assert str(table.error) == "It is Brog's turn, and Mana Bolt is Spell's card."
    table.when(Perform(character="brog", card="mana blot", half="top")).refused(None)
    assert "There is no brute card" in str(table.error)
