"""Proposals for completion: the names of cards, items and allies that are legal in a field now."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from domain.gloomhaven.attacks import DrawModifier
from domain.gloomhaven.bonuses import PutAway, Trigger
from domain.gloomhaven.classes import BUILT_IN, built_in_items, find_class, item_titles, known_classes, known_items
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.exhaustion import can_rest
from domain.gloomhaven.items import Refresh, UseItem
from domain.gloomhaven.joining import Enrol
from domain.gloomhaven.levels import ChooseHand, LevelUp, pool
from domain.gloomhaven.modifiers import Look, Perk, PutBack, TakeOut, deck_of, in_order, in_scenario, left_in
from domain.gloomhaven.money import BuyItem, SellItem
from domain.gloomhaven.order import whose_turn
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import facts_of, named_cards
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rests import LongRest, RerollRest, ShortRest
from domain.gloomhaven.rounds import Select
from domain.gloomhaven.sheet import GloomhavenSheet, GloomhavenState, ModifierDeck
from domain.gloomhaven.summons import Summon
from domain.refusal import Unknown
from domain.turn import Action

Cards = Callable[[GloomhavenState, str, GloomhavenSheet], Iterable[int]]


def _selectable(state: GloomhavenState, _: str, sheet: GloomhavenSheet) -> Iterable[int]:
    return sorted((*sheet.hand, *sheet.selected)) if state.table.phase == "selection" and sheet.joined else ()


def _cards_in_play(state: GloomhavenState, name: str, sheet: GloomhavenSheet) -> Iterable[int]:
    return sheet.selected if whose_turn(state) == name and sheet.attack is None else ()


def _to_rest_with(state: GloomhavenState, name: str, sheet: GloomhavenSheet) -> Iterable[int]:
    return sheet.discard if whose_turn(state) == name and sheet.resting else ()


def _drawable(state: GloomhavenState, name: str, sheet: GloomhavenSheet) -> Iterable[int]:
    may_rest = state.table.phase == "cleanup" and not sheet.rested and can_rest(state, name)
    return sheet.discard if may_rest else ()


def _other_cards(state: GloomhavenState, _: str, sheet: GloomhavenSheet) -> Iterable[int]:
    offer = sheet.second_thought
    if offer is None or state.table.phase != "cleanup":
        return ()
    return (card for card in offer.discard if card != offer.card and card in sheet.hand)


def _in_hand_before(_state: GloomhavenState, _name: str, sheet: GloomhavenSheet) -> Iterable[int]:
    """The cards that were in the hand before a short rest returned the discarded ones."""
    back = sheet.second_thought.discard if sheet.second_thought is not None else ()
    return (card for card in sheet.hand if card not in back)


def _summoning(state: GloomhavenState, name: str, sheet: GloomhavenSheet) -> Iterable[int]:
    cards = [summon.card for summon in sheet.summons]
    return (bonus.card for bonus in sheet.active if whose_turn(state) == name and bonus.card not in cards)


def _recoverable(state: GloomhavenState, name: str, sheet: GloomhavenSheet) -> Iterable[int]:
    facts = facts_of(state, name)
    lost_cards = {*sheet.lost, *(bonus.card for bonus in sheet.active if bonus.counts_as == "lost")}
    back = {*sheet.discard, *(bonus.card for bonus in sheet.active if bonus.counts_as == "discarded")}
    return sorted(back | {card.id for card in facts.cards if card.id in lost_cards and not card.unrecoverable})


def _gainable(state: GloomhavenState, name: str, sheet: GloomhavenSheet) -> Iterable[int]:
    return (
        card.id
        for card in facts_of(state, name).cards
        if card.id not in sheet.gained and isinstance(card.level, int) and 1 < card.level <= sheet.level + 1
    )


CARDS: dict[tuple[type[Action], str], Cards] = {
    (Select, "lead"): _selectable,
    (Select, "second"): _selectable,
    (Perform, "card"): _cards_in_play,
    (LongRest, "lose"): _to_rest_with,
    (ShortRest, "drawn"): _drawable,
    (ShortRest, "redrawn"): _drawable,
    (RerollRest, "redrawn"): _other_cards,
    (RerollRest, "lose_hand"): _in_hand_before,
    (RerollRest, "lose_discard"): _other_cards,
    (Trigger, "card"): lambda _state, _name, sheet: (b.card for b in sheet.active if b.token is not None),
    (PutAway, "card"): lambda _state, _name, sheet: (b.card for b in sheet.active),
    (Summon, "card"): _summoning,
    (Recover, "cards"): _recoverable,
    (LevelUp, "card"): _gainable,
    (ChooseHand, "hand"): lambda state, name, _sheet: pool(state, name),
    (ChooseHand, "add"): lambda state, name, sheet: (card for card in pool(state, name) if card not in sheet.chosen),
    (ChooseHand, "remove"): lambda _state, _name, sheet: sheet.chosen,
}
#: Fields whose proposals do not depend on the action.
ANYWHERE: dict[str, Cards] = {
    "lose_hand": lambda _state, _name, sheet: sheet.hand,
    "lose_discard": lambda _state, _name, sheet: sheet.discard if len(sheet.discard) >= 2 else (),
}


#: The cards of a modifier deck in the log that are legal in a field.
OF_A_DECK: dict[tuple[type[Action], str], Callable[[ModifierDeck], Iterable[str]]] = {
    (DrawModifier, "modifier"): left_in,
    (DrawModifier, "second"): left_in,
    (Look, "cards"): left_in,
    (Perk, "remove"): lambda deck: in_order(deck.cards),
    (PutBack, "cards"): lambda deck: dict.fromkeys(deck.top),
    (PutBack, "bottom"): lambda deck: dict.fromkeys(deck.top),
    (TakeOut, "cards"): lambda deck: in_order({**in_scenario(deck), **deck.added}),
}


def proposals(state: GloomhavenState, action: type[Action], field: str, name: str | None) -> Sequence[str] | None:
    """The names that are legal in this field; None if there are no proposals for it."""
    if field == "class":
        return tuple(known_classes(state.table.classes))
    if action is Enrol and field in ("hand", "gained", "items"):
        return _at_joining(state, field)
    cards = CARDS.get((action, field)) or ANYWHERE.get(field)
    if name is None or name not in state.characters:
        return None
    sheet = state.characters[name]
    if cards is not None:
        numbers = () if sheet.exhausted else tuple(cards(state, name, sheet))
        return tuple(card.name for card in named_cards(state, name, numbers))
    if field == "beneficiaries":
        allies = [ally for ally in state.characters if ally != name]
        return (*allies, *(summon.name for summoner in state.characters.values() for summon in summoner.summons))
    if field == "summon":
        return tuple(summon.name for summon in sheet.summons)
    if field in ("item", "items"):
        return _items(state, action, sheet)
    if (action, field) in OF_A_DECK:
        deck = deck_of(state, name)
        return None if deck is None else tuple(OF_A_DECK[action, field](deck))
    return None


def proposals_for(
    state: GloomhavenState, action: type[Action], field: str, name: str | None, fields: Mapping[str, Any]
) -> Sequence[str] | None:
    """The same with these fields of the action so far: an enrolment gets proposals of the named class only."""
    class_name = fields.get("class")
    if action is not Enrol or field not in ("hand", "gained") or not isinstance(class_name, str):
        return proposals(state, action, field, name)
    try:
        facts = find_class(class_name, state.table.classes)
    except Unknown:
        return None
    return tuple(card.name for card in facts.cards)


def spoilers(state: GloomhavenState, action: type[Action], field: str) -> frozenset[str]:  # noqa: ARG001
    """The names of learned classes and items that no player has met, which proposals must not reveal."""
    if field == "class":
        classes_in_play = {sheet.class_ for sheet in state.characters.values()}
        return frozenset(
            title for title in state.table.classes if title not in BUILT_IN and title not in classes_in_play
        )
    if field in ("item", "items"):
        items = known_items(state.table.items)
        familiar = {item.id for item in built_in_items()}
        familiar |= {number for sheet in state.characters.values() for number in sheet.items.owned}
        return frozenset(title for number, title in item_titles(items).items() if number not in familiar)
    return frozenset()


def _at_joining(state: GloomhavenState, field: str) -> Sequence[str]:
    """All items, or the cards of all classes, for an enrolment."""
    if field == "items":
        return tuple(item_titles(known_items(state.table.items)).values())
    classes = known_classes(state.table.classes).values()
    return tuple(card.name for facts in classes for card in facts.cards)


def _items(state: GloomhavenState, action: type[Action], sheet: GloomhavenSheet) -> Sequence[str]:
    items_by_number = known_items(state.table.items)
    items = sheet.items
    if sheet.exhausted:
        return ()
    if action is UseItem:
        numbers: Iterable[int] = (
            number for number in items.ready if sheet.attack is not None or not items_by_number[number].affects_attack
        )
    elif action is Refresh:
        numbers = (*items.spent, *items.consumed)
    elif action is BuyItem:
        numbers = (n for n, item in items_by_number.items() if n not in items.owned and item.price <= sheet.gold)
    elif action is Damage:
        numbers = items.ready
    elif action is SellItem:
        numbers = items.owned
    else:
        numbers = items_by_number
    titles = item_titles(items_by_number)
    return tuple(titles[number] for number in sorted(numbers) if number in titles)
