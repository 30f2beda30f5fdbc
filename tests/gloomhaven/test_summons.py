"""Summons: where, which colour, when they act, what ends them.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.common.revisions import Undo
from domain.gloomhaven.attacks import Kill, Killed
from domain.gloomhaven.bonuses import PutAway, Trigger
from domain.gloomhaven.conditions import SetCondition
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.facts import Named
from domain.gloomhaven.healing import Heal, Healed
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import CardsLost, SummonGone
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rounds import BeginRound, CleanUp, EndTurn, Reveal, Select
from domain.gloomhaven.summons import SummonDamage, SummonDamaged
from tests.gloomhaven.tables import brog, cleaned_up, playing, resting, selecting, sheet, spell
from tests.kit.given import Given, unchanged
from tests.kit.lines import one

AID = Named(71, "Aid from the Ether")
HAND = (61, 62, 63, 64, 65, 66, 69, 71)


def summon(**fields: Any) -> dict[str, Any]:
    return {
        "type": "gloomhaven.summon", "character": "spell", "card": 71, "name": "Spirit", "hp": 2, "attack": 3,
        "move": 2, "range": 2, "colour": "Red", **fields,
    }  # fmt: skip


def before(*more: Any) -> Given:
    """Spell's turn; Aid from the Ether is active."""
    table = selecting(spell(hand=HAND), *more).and_given(Select(character="spell", lead=71, second=69))
    for summon in more:
        table.and_given(Select(character=summon.character, lead=6, second=1))
    table.and_given(Reveal())
    for summon in more:
        table.and_given(EndTurn(character=summon.character))
    return table.and_given(Perform(character="spell", card=71, half="bottom"))


def with_spirit(*more: Any) -> Given:
    table = before(*more)
    assert table.when(summon()).events
    return table


def next_round(table: Given) -> Given:
    table.and_given(EndTurn(character="spell"), CleanUp(), BeginRound())
    return table.and_given(Select(character="spell", lead=61, second=62))


def test_43_without_an_empty_hex_there_is_no_summon() -> None:
    before().when(summon(free_hex=False)).refused("GH 43")


def test_nobody_is_enrolled_under_the_name_of_a_summon() -> None:
    with_spirit().when(brog(character="SPIRIT")).refused(None, "Spirit is a summon on the board")


def test_44_each_colour_is_on_the_board_once() -> None:
    table = with_spirit(brog(character="brog"))
    table.and_given(Perform(character="spell", card=69, half="top"))
    table.when(summon(card=69, name="Other", colour=" RED ")).refused("GH 44", "red")
    assert table.when(summon(card=69, name="Other", colour="blue")).events


def test_44_there_are_no_more_tokens_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.gloomhaven.summons.COLOURS", 1)
    table = with_spirit().and_given(Perform(character="spell", card=69, half="top"))
    table.when(summon(card=69, name="Other", colour="blue")).refused("GH 44", "summon tokens are on the board")


def test_46_a_summon_comes_from_an_active_card_and_only_one_from_each() -> None:
    before().when(summon(card=69)).refused("GH 46", "not in Spell's active area")
    with_spirit().when(summon(name="Other", colour="blue")).refused("GH 46", "already")


def test_names_on_the_board_are_told_apart() -> None:
    table = with_spirit().and_given(Perform(character="spell", card=69, half="top"))
    table.when(summon(card=69, name="SPIRIT", colour="blue")).refused(None, "choose another name")
    table.when(summon(card=69, name="spell", colour="blue")).refused(None)


def test_summoning_is_for_ones_own_turn() -> None:
    for table in (playing(spell()), selecting(spell()), before().and_given(EndTurn(character="spell"))):
        table.when(summon()).refused("GH 69")
    resting("2 3").when(summon(character="brog", card=1)).refused("GH 82")


def test_49_several_act_in_the_order_in_which_they_came() -> None:
    table = with_spirit().and_given(Perform(character="spell", card=69, half="top"))
    assert table.when(summon(card=69, name="Arrow", colour="blue")).events
    next_round(table).and_given(Reveal()).table_has(order=["Spirit", "Arrow", "spell"])


def test_46_it_leaves_with_its_card() -> None:
    for action in (
        PutAway(character="spell", card=71),
        Recover(character="spell", cards=(71,), kind="lost", up_to=1),
    ):
        with_spirit().when(action).then_some(SummonGone("spell", "Spirit")).has("spell", summons=[])
    table = before()
    corrected = Perform(character="spell", card=69, half="top", slots=(0,))
    assert table.and_given(corrected).when(summon(card=69)).events
    table.when(Trigger(character="spell", card=69)).then_some(SummonGone("spell", "Spirit"))


def test_46_it_leaves_with_its_summoner() -> None:
    table = with_spirit(brog()).when(Damage(character="spell", amount=9))
    table.then_some(SummonGone("spell", "Spirit")).has("spell", summons=[], lost=sorted(HAND))


def test_51_its_kills_are_its_owners() -> None:
    table = next_round(with_spirit()).and_given(Reveal())
    table.when(Kill(character="spell", monster="Guard", summon="SPIRIT"))
    table.then(Killed("spell", "Guard", "Spirit", 1)).has("spell", kills=1, xp=2)
    table.when(Kill(character="spell", monster="Guard", summon="Spirt")).refused(None, "did you mean Spirit?")


def test_summons_are_hurt_in_turns_only() -> None:
    hurt = SummonDamage(character="spell", summon="Spirit", amount=1)
    next_round(with_spirit()).when(hurt).refused(None, "during the turns")
    cleaned_up().when(SummonDamage(character="brog", summon="Spirit", amount=1)).refused(None)


def test_invalid_summons() -> None:
    unfit: tuple[dict[str, Any], ...] = (
        {"hp": 0},
        {"name": " "},
        {"colour": " "},
        {"traits": [" "]},
        {"traits": []},
        {"attack": -1},
    )
    for fields in unfit:
        before().when(summon(**fields)).invalid()
    before().when({"type": "gloomhaven.summon_damage", "character": "spell", "summon": "x", "amount": 0}).invalid()


# -- allies ------------------------------------------------------------------------------------------------


def hurt(**changes: Any) -> Given:
    """The Spirit has 4 hit points of 6."""
    table = before()
    assert table.when(summon(hp=6, traits=["flies"])).events
    table.and_given(SummonDamage(character="spell", summon="Spirit", amount=2))
    for condition in changes.get("conditions", ()):
        table.and_given(SetCondition(character="spell", condition=condition, summon="spirit"))
    return table


def spirit(table: Given) -> dict[str, Any]:
    (found,) = table.sheet("spell")["summons"]
    assert isinstance(found, dict)
    return found


def test_39_a_summon_is_healed_up_to_its_own_maximum() -> None:
    table = hurt().when(Heal(character="spell", amount=5, summon="spirit", source="a prayer"))
    table.then(Healed("spell", 5, 6, (), "a prayer", 2, "Spirit")).has("spell", hp=6)
    assert "".join(table.events[0].sentence()) == "Spirit is healed for 2 of 5 (a prayer): 6 hit points."
    assert (spirit(table)["hp"], spirit(table)["max_hp"], spirit(table)["traits"]) == (6, 6, ["flies"])


def test_poison_takes_up_the_heal_of_a_summon_as_well() -> None:
    table = hurt(conditions=("poison", "wound", "muddle"))
    assert spirit(table)["conditions"] == ["muddle", "poison", "wound"]
    table.and_given(Heal(character="spell", amount=5, summon="Spirit"))
    assert (spirit(table)["hp"], spirit(table)["conditions"]) == (4, ["muddle"])
    table.has("spell", conditions=[])


def test_a_condition_of_a_summon_ends_as_it_began() -> None:
    table = hurt(conditions=("stun",))
    table.when(SetCondition(character="spell", condition="stun", gained=False, summon="Spirit"))
    assert "".join(table.events[0].sentence()) == "Spirit is no longer stunned."
    assert spirit(table)["conditions"] == []


def test_damage_at_a_summon_is_the_summons() -> None:
    table = hurt().when(Damage(character="spell", amount=3, item_shield=1, effects=("poison",), summon="spirit"))
    assert (spirit(table)["hp"], spirit(table)["conditions"]) == (2, ["poison"])
    table.has("spell", hp=6, conditions=[])
    table.when(Damage(character="spell", amount=2, effects=("stun",), summon="spirit"))
    table.then(SummonDamaged("spell", "Spirit", 2, 0), SummonGone("spell", "Spirit"), CardsLost("spell", (AID,)))


def test_a_summon_has_neither_cards_nor_items_to_answer_with() -> None:
    table = hurt()
    with unchanged(table):
        table.when(Damage(character="spell", amount=2, lose_hand=61, summon="spirit")).refused("GH 1", "no cards")
        table.when(Damage(character="spell", amount=2, items=(3,), summon="spirit")).refused("GH 15", "no items")
        table.when(Heal(character="spell", amount=2, summon="spirt")).refused(None, "did you mean Spirit?")


def test_50_a_summon_kills_nobody_in_its_first_round() -> None:
    with_spirit().when(Kill(character="spell", monster="Guard", summon="Spirit")).refused("GH 50", "this round")


def test_43_without_an_empty_hex_the_half_is_not_performed_for_its_experience() -> None:
    table = selecting(spell(hand=HAND)).and_given(Select(character="spell", lead=71, second=69), Reveal())
    performed = {"type": "gloomhaven.perform", "character": "spell", "card": 71, "half": "bottom", "free_hex": False}
    with unchanged(table):
        table.when(performed).refused("GH 43", "nothing can be summoned")
    assert table.when({**performed, "basic": True}).events


def test_8_a_summon_is_laid_out_with_its_maximum_at_most() -> None:
    table = hurt()
    standing = {field: value for field, value in spirit(table).items() if field != "hp"}
    with unchanged(table):
        table.when(sheet("spell", summons=[{**standing, "hp": 7}])).refused(None, "at most 6 hit points, not 7")
    table.and_given(sheet("spell", summons=[{**standing, "hp": 5}]))
    assert spirit(table) == {**standing, "hp": 5}


# -- allies whom a bonus serves (GH 21) ----------------------------------------------------------------


def served(card: int = 8, **fields: Any) -> Given:
    """Brog's turn in the round after the Spirit came; a card of his is played for it."""
    table = before(brog()).and_given().when(summon())
    table.and_given(EndTurn(character="spell"), CleanUp(), BeginRound())
    table.and_given(Select(character="spell", lead=61, second=62), Select(character="brog", lead=card, second=2))
    table.and_given(Reveal())
    line = {"type": "gloomhaven.perform", "character": "brog", "card": card, "half": "bottom"}
    return table.when({**line, "beneficiaries": ["spirit"], **fields})


def hit(amount: int = 1, **fields: Any) -> dict[str, Any]:
    line = {"type": "gloomhaven.damage", "character": "spell", "summon": "Spirit", "amount": amount, "source": "Rat"}
    return {**line, **fields}


def test_21_a_bonus_serves_a_summon_named_alone_or_with_its_owner() -> None:
    for name in ("spirit", "SPELL/Spirit"):
        table = served(beneficiaries=[name])
        assert table.error is None, table.error
        assert "serves Spirit too" in str(table.system.rows(table.handler.state(), "brog", table.sheet("brog")))


def test_31_its_shield_comes_off_an_attack_on_the_summon() -> None:
    table = served().when(hit())
    assert "Shield Bash (1, lent by Brog) shields Spirit: 1 becomes 0." in table.chronicle()[-1]
    assert spirit(table)["hp"] == 2
    assert spirit(table.when(hit(attack=False)))["hp"] == 1


def test_34_it_strikes_back_unless_it_is_gone() -> None:
    table = served(card=3, active="round", retaliate=1).when(hit())
    assert "Spirit retaliates: 1 damage to Rat." in table.chronicle()[-1]
    assert "retaliates" not in table.when(hit(distance=2)).chronicle()[-1]


def test_27_a_bonus_that_negates_is_used_up_for_the_summon() -> None:
    table = before(brog()).when(summon())
    table.and_given(sheet("spell", active=[*table.sheet("spell")["active"], {
        "card": 66, "half": "bottom", "kind": "persistent", "counts_as": "lost", "slots": [1, 1], "token": 0,
        "negates_damage": True, "ally_summons": [{"character": "spell", "summon": "Spirit"}],
    }], hand=[card for card in table.sheet("spell")["hand"] if card != 66]))  # fmt: skip
    xp = table.sheet("spell")["xp"]
    assert spirit(table.when(hit(2)))["hp"] == 2
    table.has("spell", xp=xp + 1)


def test_21_whoever_is_not_there_is_served_by_nothing() -> None:
    served(beneficiaries=["spiritt"]).refused(None, "There is no ally 'spiritt'; did you mean Spirit?")
    served(beneficiaries=["brog/spirit"]).refused(None, "There is no ally")
    served(beneficiaries=["spirit", "SPIRIT"]).invalid("twice")


def test_46_a_summon_that_is_gone_is_served_no_more() -> None:
    table = served().when(hit(9, attack=False))
    assert "serves" not in str(table.system.rows(table.handler.state(), "brog", table.sheet("brog")))
    table.and_given(Undo())
    assert "serves Spirit too" in str(table.system.rows(table.handler.state(), "brog", table.sheet("brog")))


def test_a_bonus_cannot_be_laid_out_for_a_summon_that_is_not_there() -> None:
    table = served()
    (bonus,) = table.handler.state().characters["brog"].active
    ghost = [{"character": "spell", "summon": "Ghost"}]
    laid = {"card": bonus.card, "half": "bottom", "kind": "round", "counts_as": "discarded", "ally_summons": ghost}
    line = {"type": "override", "character": "brog", "set": {"active": [laid]}, "why": "as on paper"}
    table.when(line).refused(None, "cannot serve Ghost")


def test_in_a_line_an_ally_goes_by_a_beginning_of_the_name() -> None:
    table = served(beneficiaries=["nobody"])  # refused: the half is still to be performed
    meant = one(table, "perform brog shield bottom beneficiaries spir,SPELL")
    assert meant["beneficiaries"] == ["Spirit", "spell"]


# -- what characters have, summons have --------------------------------------------------------------------


def wounded_spirit(*more: Any) -> Given:
    table = with_spirit().and_given(SetCondition(character="spell", condition="wound", summon="Spirit"), *more)
    return next_round(table).and_given(Reveal())


def prompts(table: Given) -> list[str]:
    return [pending.why for pending in table.system.pending_for(table.handler.state(), "spell")]


def test_a_wounded_summons_turn_asks_for_its_damage_once() -> None:
    ask = "Spirit is wounded: 1 damage at the start of the turn, unless a heal comes first."
    table = wounded_spirit()
    assert prompts(table)[0] == ask
    suffer, heal = table.system.pending_for(table.handler.state(), "spell")[0].choices
    hurt = table.copied().when(suffer.action(**suffer.fields))
    assert hurt.sentences == "Spirit suffers 1 damage (bleeding) and has 1 hit point." and ask not in prompts(hurt)
    assert ask not in prompts(table.when(heal.action(**heal.fields, amount=1)))
    # each turn anew, of the summoner as well; not in the round in which it appears
    hurt.and_given(SetCondition(character="spell", condition="wound"))
    hurt.and_given(
        EndTurn(character="spell"), CleanUp(), BeginRound(), Select(character="spell", lead=63, second=64), Reveal()
    )
    assert prompts(hurt)[:2] == [ask, ask.replace("Spirit", "Spell")]
    assert ask not in prompts(
        with_spirit().and_given(SetCondition(character="spell", condition="wound", summon="Spirit"))
    )


def test_what_hinders_a_summon_is_said_before_its_turn() -> None:
    table = wounded_spirit(SetCondition(character="spell", condition="stun", summon="Spirit"))
    assert "Spirit is stunned (no actions). It is Spell's turn" in prompts(table)[-1]


@pytest.mark.parametrize("traits", [["shield 1", "retaliate 2"], ["Shield 1", "flying", "Retaliate 2 (range 3)"]])
def test_31_34_a_summon_shields_itself_and_strikes_back(traits: list[str]) -> None:
    table = before().when(summon(hp=9, traits=traits))
    strike = {"type": "gloomhaven.damage", "character": "spell", "summon": "Spirit", "amount": 3, "source": "a rat"}
    table.when(strike)
    assert table.sentences == (
        "Its own shield (1) shields Spirit: 3 becomes 2. Spirit suffers 2 damage (a rat) and has 7 hit points."
        " Spirit retaliates: 2 damage to a rat."
    )
    struck_back = "retaliates" in table.when({**strike, "distance": 3}).sentences
    assert struck_back == ("flying" in traits)
    assert "shield" not in table.when({**strike, "attack": False}).sentences


def test_48_a_curse_on_a_summon_goes_into_its_owners_deck() -> None:
    table = with_spirit()
    table.when({"type": "gloomhaven.modifiers", "character": "spell", "modifiers": "deck"})
    table.when(SetCondition(character="spell", condition="curse", summon="Spirit"))
    assert table.sheet("spell")["modifiers"]["curse"] == 1
    damage = {"type": "gloomhaven.damage", "character": "spell", "summon": "Spirit", "amount": 0, "effects": ["curse"]}
    table.when(damage)
    assert table.sheet("spell")["modifiers"]["curse"] == 2
