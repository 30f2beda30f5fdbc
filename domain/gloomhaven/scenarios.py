"""Scenarios and what lies between them: joining, beginning, ending, levels, the choice of a hand."""

from collections.abc import Sequence

from domain.gloomhaven.actions import BeginScenario, ChooseHand, EndScenario, Enrol, LevelUp
from domain.gloomhaven.classes import find_card, find_class, find_item, levels, read_class
from domain.gloomhaven.events import (
    ClassLearned,
    Enrolled,
    HandChosen,
    LeveledUp,
    Named,
    ScenarioBegun,
    ScenarioEnded,
    named_one,
)
from domain.gloomhaven.exhaustion import able, not_lost
from domain.gloomhaven.facts import CardFacts, ClassFacts, ItemFacts
from domain.gloomhaven.items import between_scenarios, learn_items
from domain.gloomhaven.piles import card_meant, facts_of, named
from domain.gloomhaven.sheet import Deciding, GloomhavenState
from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import refuse_unless

HIGHEST_LEVEL = 9


# -- joining -----------------------------------------------------------------------------------------------


def enrol(decision: Deciding, action: Enrol) -> None:
    """A class comes into the log with its first character; later ones need no file."""
    not_lost(decision)
    facts = _class_for(decision, action)
    if facts.class_ not in decision.table.classes:
        decision.tell(ClassLearned(facts))
    hand = _opening_hand(facts, action)
    gained = tuple(sorted(card.id for card in hand if card.level not in (1, "X")))
    items: list[ItemFacts] = []
    for ref in action.items or ():
        item = find_item(decision.table.items, ref)
        refuse_unless(
            item.id not in [each.id for each in items], "GH 60", f"Nobody owns {item.name} twice; name it once."
        )
        items.append(item)
    learn_items(decision, *items)
    xp = levels()["xp"][action.level - 1] if action.xp is None else action.xp
    decision.tell(
        Enrolled(
            action.character,
            action.player,
            facts.class_,
            action.level,
            facts.max_hp(action.level),
            xp,
            action.gold,
            tuple(named_one(card) for card in hand),
            gained,
            tuple(named_one(item) for item in items),
        )
    )


def _class_for(decision: Deciding, action: Enrol) -> ClassFacts:
    if action.class_data is None:
        return find_class(action.class_, decision.table.classes)
    told = read_class(action.class_data)
    known = decision.table.classes.get(told.class_)
    if known not in (None, told):
        raise Refusal(None, f"This log knows the {told.class_} already, with other cards; leave the class data out.")
    return told


def _opening_hand(facts: ClassFacts, action: Enrol) -> list[CardFacts]:
    """The cards asked for, else those of level 1. Cards of higher levels are gained, one with each level."""
    who = called(action.character)
    if action.hand is None:
        hand = [card for card in facts.cards if card.level == 1]
    else:
        hand = [find_card(facts, ref) for ref in action.hand]
    _exactly_the_hand_size(facts, hand, who)
    higher = [card for card in hand if card.level not in (1, "X")]
    for card in higher:
        if isinstance(card.level, int) and card.level > action.level:
            raise Refusal(None, f"{card.name} is of level {card.level}, {who} of level {action.level}.")
    if len(higher) > action.level - 1:
        most = f"{action.level - 1} card{'' if action.level == 2 else 's'}"
        raise Refusal(None, f"{who} has gained {most} above level 1, not {len(higher)}.")
    return hand


def _exactly_the_hand_size(facts: ClassFacts, hand: Sequence[CardFacts], who: str) -> None:
    if len({card.id for card in hand}) != len(hand):
        raise Refusal(None, f"The same card is twice in {who}'s hand.")
    if len(hand) != facts.hand_size:
        raise Refusal(None, f"The hand of the {facts.class_} is exactly {facts.hand_size} cards, not {len(hand)}.")


# -- beginning and ending ----------------------------------------------------------------------------------


def _full_hit_points(state: GloomhavenState) -> dict[str, int]:
    return {name: facts_of(state, name).max_hp(sheet.level) for name, sheet in state.characters.items()}


def begin_scenario(decision: Deciding, action: BeginScenario) -> None:
    """Everyone enrolled takes part, with all cards in hand, full hit points and every item ready."""
    not_lost(decision)
    if decision.table.playing:
        raise Refusal(None, f"Scenario {decision.table.scenario} is being played; end it first.")
    if not decision.state.characters:
        raise Refusal(None, "Nobody is enrolled; enrol a character first.")
    worth = 1 if action.level is None else levels()["token_worth"][action.level]
    decision.tell(ScenarioBegun(action.scenario.strip(), action.level, worth, _full_hit_points(decision.state)))


@rule("GH 14")
def end_scenario(decision: Deciding, action: EndScenario) -> None:
    """Won or lost; a scenario that everyone is exhausted in is lost."""
    if not decision.table.playing:
        raise Refusal(None, "No scenario is being played.")
    refuse_unless(
        not (action.won and decision.table.outcome == "lost"),
        "GH 14",
        "Everyone is exhausted: the scenario is lost and cannot be won.",
    )
    decision.tell(ScenarioEnded(action.won, _full_hit_points(decision.state)))


# -- levels and hands --------------------------------------------------------------------------------------


@rule("GH 68")
def level_up(decision: Deciding, action: LevelUp) -> None:
    """When the dial shows experience enough: a level, and a card of the class that fits it."""
    name = action.character
    able(decision, name)
    between_scenarios(decision)
    sheet, facts, who = decision.sheet(name), facts_of(decision.state, name), called(name)
    if sheet.level == HIGHEST_LEVEL:
        raise Refusal(None, f"{who} is of level {HIGHEST_LEVEL}, the highest there is.")
    level, needed = sheet.level + 1, levels()["xp"][sheet.level]
    refuse_unless(sheet.xp >= needed, "GH 68", f"Level {level} takes {needed} experience; {who} has {sheet.xp}.")
    card = card_meant(decision, name, action.card)
    if card.level == 1 or card.id in sheet.gained:
        raise Refusal(None, f"{who} has {card.name} already.")
    if isinstance(card.level, int) and card.level > level:
        raise Refusal(None, f"{card.name} is of level {card.level}; {who} reaches level {level}.")
    decision.tell(LeveledUp(name, level, facts.max_hp(level), named_one(card)))


def pool(state: GloomhavenState, name: str) -> list[int]:
    """The cards that a hand is chosen from: levels 1 and X, and those gained."""
    gained = state.characters[name].gained
    return [card.id for card in facts_of(state, name).cards if card.level in (1, "X") or card.id in gained]


def choose_hand(decision: Deciding, action: ChooseHand) -> None:
    """Exactly as many cards as the hand holds, between scenarios."""
    name = action.character
    able(decision, name)
    between_scenarios(decision)
    facts = facts_of(decision.state, name)
    hand = [card_meant(decision, name, ref) for ref in action.hand]
    for card in hand:
        if card.id not in pool(decision.state, name):
            raise Refusal(None, f"{called(name)} has not gained {card.name}.")
    _exactly_the_hand_size(facts, hand, called(name))
    chosen: tuple[Named, ...] = named(decision.state, name, sorted(card.id for card in hand))
    decision.tell(HandChosen(name, chosen))
