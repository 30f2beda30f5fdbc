"""What each event leaves behind. Nothing here refuses, draws or works out a rule.

A card is moved by taking it out of whichever pile holds it; a card that no pile of the character holds is
left alone. So each card stays in exactly one pile, whatever facts come in whatever order.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from domain.gloomhaven import events as e
from domain.gloomhaven.sheet import (
    ActiveBonus,
    GloomhavenSheet,
    GloomhavenState,
    Items,
    OpenAttack,
    Pile,
    Place,
)
from domain.turn import Event

State = GloomhavenState


def _move(state: State, name: str, cards: Iterable[int], to: Pile, bonus: ActiveBonus | None = None) -> None:
    sheet = state.characters.get(name)
    if sheet is None:
        return
    held = sheet.cards
    moved = tuple(dict.fromkeys(card for card in cards if card in held))
    if moved:
        state.characters[name] = replace(sheet, **_moved(sheet, moved, to, bonus))


def _moved(sheet: GloomhavenSheet, moved: tuple[int, ...], to: Pile, bonus: ActiveBonus | None) -> dict[str, Any]:
    piles: dict[str, Any] = {
        pile: tuple(card for card in getattr(sheet, pile) if card not in moved)
        for pile in ("hand", "selected", "discard", "lost")
    }
    active = tuple(each for each in sheet.active if each.card not in moved)
    if to == "active":
        assert bonus is not None
        active = tuple(sorted((*active, bonus), key=lambda each: each.card))
    elif to == "selected":
        piles[to] = moved
    else:
        piles[to] = tuple(sorted((*piles[to], *moved)))
    return {**piles, "active": active}


def _ids(cards: Iterable[e.Named]) -> tuple[int, ...]:
    return tuple(card.id for card in cards)


def _fresh(sheet: GloomhavenSheet, hp: int) -> dict[str, Any]:
    """The sheet between scenarios: all cards and items back, full hit points, nothing left of the last one."""
    return {
        "hand": sheet.chosen, "selected": (), "discard": (), "lost": (), "active": (),
        "items": Items(ready=tuple(sorted(sheet.items.owned))), "summons": (), "conditions": (), "hp": hp,
        "resting": False, "initiative": None, "acted": False, "exhausted": False, "halves": (), "rested": False,
        "attack": None, **_taken_back(sheet),
    }  # fmt: skip


def _taken_back(sheet: GloomhavenSheet) -> dict[str, Any]:
    """What lies face down is never revealed any more, so others never see what it was."""
    if sheet.selection is None:
        return {}
    return {"selection": None, "taken_back": (*sheet.taken_back, sheet.selection)}


# -- what the log learns, who joins -------------------------------------------------------------------------


def class_learned(state: State, event: e.ClassLearned) -> None:
    items = {item.id: item for item in event.facts.items}
    state.change_table(
        classes={**state.table.classes, event.facts.class_: event.facts}, items={**state.table.items, **items}
    )


def items_learned(state: State, event: e.ItemsLearned) -> None:
    state.change_table(items={**state.table.items, **{item.id: item for item in event.facts}})


def enrolled(state: State, event: e.Enrolled) -> None:
    if event.character in state.characters or event.class_ not in state.table.classes:
        return
    hand = tuple(sorted(_ids(event.hand)))
    state.characters[event.character] = GloomhavenSheet(
        player=event.player,
        class_=event.class_,
        level=event.level,
        hp=event.hp,
        xp=event.xp,
        gold=event.gold,
        hand=hand,
        chosen=hand,
        gained=event.gained,
        items=Items(ready=tuple(sorted(_ids(event.items)))),
    )


# -- scenarios ---------------------------------------------------------------------------------------------


def scenario_begun(state: State, event: e.ScenarioBegun) -> None:
    for name, hp in event.hp.items():
        if name in state.characters:
            state.change(name, **_fresh(state.characters[name], hp), joined=True, kills=0)
    state.change_table(
        scenario=event.scenario,
        round=0,
        phase=None,
        order=(),
        outcome=None,
        playing=True,
        token_worth=event.token_worth,
    )


def scenario_lost(state: State, _: e.ScenarioLost) -> None:
    state.change_table(outcome="lost")


def scenario_ended(state: State, event: e.ScenarioEnded) -> None:
    for name, sheet in list(state.characters.items()):
        state.change(name, **_fresh(sheet, event.hp.get(name, sheet.hp)), joined=False)
    state.change_table(phase=None, order=(), outcome="won" if event.won else "lost", playing=False)


def leveled_up(state: State, event: e.LeveledUp) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        gained = tuple(sorted({*sheet.gained, event.card.id}))
        state.change(event.character, level=event.level, hp=event.hp, gained=gained)


def hand_chosen(state: State, event: e.HandChosen) -> None:
    hand = tuple(sorted(_ids(event.hand)))
    state.change(event.character, chosen=hand, hand=hand, selected=(), discard=(), lost=(), active=(), summons=())


# -- rounds ------------------------------------------------------------------------------------------------


def round_begun(state: State, event: e.RoundBegun) -> None:
    state.change_table(round=event.round, phase="selection")


def _unselect(state: State, name: str) -> None:
    """What lay face down goes back into the hand."""
    sheet = state.characters.get(name)
    if sheet is not None:
        state.change(name, **_taken_back(sheet))
        _move(state, name, sheet.selected, "hand")


def cards_selected(state: State, event: e.CardsSelected) -> None:
    _unselect(state, event.character)
    _move(state, event.character, _ids((event.lead, event.second)), "selected")
    state.change(event.character, selection=event.selection, resting=False)


def long_rest_declared(state: State, event: e.LongRestDeclared) -> None:
    _unselect(state, event.character)
    state.change(event.character, resting=True)


def revealed(state: State, event: e.Revealed) -> None:
    order: list[Place] = []
    for place in event.order:
        sheet = state.characters.get(place.character)
        order += [Place(place.character, summon) for summon in place.summons]
        order.append(Place(place.character))
        if sheet is not None:
            shown = sheet.revealed if sheet.selection is None else max(sheet.revealed, sheet.selection)
            state.change(
                place.character,
                initiative=place.initiative,
                acted=False,
                halves=(),
                selection=None,
                revealed=shown,
            )
    state.change_table(phase="turns", order=tuple(order))


def turn_ended(state: State, event: e.TurnEnded) -> None:
    state.change(event.character, acted=True, halves=())


def cleaned_up(state: State, _: e.CleanedUp) -> None:
    for name in list(state.characters):
        state.change(name, resting=False, initiative=None, acted=False, halves=(), rested=False)
    state.change_table(phase="cleanup", order=())


# -- cards -------------------------------------------------------------------------------------------------


def cards_lost(state: State, event: e.CardsLost) -> None:
    _move(state, event.character, _ids(event.cards), "lost")


def cards_discarded(state: State, event: e.CardsDiscarded) -> None:
    _move(state, event.character, _ids(event.cards), "discard")


def cards_returned(state: State, event: e.CardsReturned) -> None:
    _move(state, event.character, _ids(event.cards), "hand")


def cards_laid_out(state: State, event: e.CardsLaidOut) -> None:
    """The referee's word stands whatever was undone before it; a character who is exhausted has lost every card."""
    sheet = state.characters.get(event.character)
    if sheet is None:
        return
    held = (*event.hand, *event.selected, *event.discard, *event.lost, *(bonus.card for bonus in event.active))
    chosen = tuple(sorted(held))
    piles = {pile: getattr(event, pile) for pile in ("hand", "selected", "discard", "lost", "active")}
    if sheet.exhausted:
        piles = {"hand": (), "selected": (), "discard": (), "lost": chosen, "active": ()}
    active = [bonus.card for bonus in piles["active"]]
    summons = tuple(summon for summon in sheet.summons if summon.card in active)
    state.change(event.character, chosen=chosen, summons=summons, **piles, **_taken_back(sheet))


def performed(state: State, event: e.Performed) -> None:
    _move(state, event.character, (event.card.id,), event.to, event.bonus)
    sheet = state.characters.get(event.character)
    if sheet is not None:
        state.change(event.character, xp=event.xp, halves=(*sheet.halves, event.half))


def attack_opened(state: State, event: e.AttackOpened) -> None:
    state.change(event.character, attack=OpenAttack(event.target, event.value))


def modifier_drawn(state: State, event: e.ModifierDrawn) -> None:
    state.change(event.character, attack=None)


def killed(state: State, event: e.Killed) -> None:
    state.change(event.character, kills=event.kills)


# -- damage, healing, conditions ---------------------------------------------------------------------------


def damaged(state: State, event: e.Damaged) -> None:
    state.change(event.character, hp=event.hp)


def retaliated(_state: State, _event: e.Retaliated) -> None:
    """The attacker's hit points are the table's; the fact is on record."""


def healed(state: State, event: e.Healed) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        left = tuple(each for each in sheet.conditions if each not in event.cured)
        state.change(event.character, hp=event.hp, conditions=left)


def condition_gained(state: State, event: e.ConditionGained) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        state.change(event.character, conditions=tuple(sorted({*sheet.conditions, event.condition})))


def condition_lost(state: State, event: e.ConditionLost) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        left = tuple(each for each in sheet.conditions if each != event.condition)
        state.change(event.character, conditions=left)


def exhausted(state: State, event: e.Exhausted) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        state.change(
            event.character, exhausted=True, hand=(), selected=(), discard=(), lost=tuple(sorted(set(sheet.cards))),
            active=(), summons=(), conditions=(), resting=False, initiative=None, halves=(), attack=None,
            **_taken_back(sheet),
        )  # fmt: skip


# -- bonuses and summons -----------------------------------------------------------------------------------


def token_moved(state: State, event: e.TokenMoved) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        # off the last slot the token waits there for the card to be lost, by an event of its own
        active = tuple(
            replace(each, token=event.token) if each.card == event.card.id and event.token is not None else each
            for each in sheet.active
        )
        state.change(event.character, active=active, xp=event.xp)


def summoned(state: State, event: e.Summoned) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        state.change(event.character, summons=(*sheet.summons, event.summon))


def _of_summon(state: State, name: str, summon: str, hp: int | None) -> None:
    sheet = state.characters.get(name)
    if sheet is not None:
        summons = tuple(
            replace(each, hp=hp) if each.name == summon and hp is not None else each
            for each in sheet.summons
            if each.name != summon or hp is not None
        )
        state.change(name, summons=summons)


def summon_damaged(state: State, event: e.SummonDamaged) -> None:
    _of_summon(state, event.character, event.summon, event.hp)


def summon_gone(state: State, event: e.SummonGone) -> None:
    _of_summon(state, event.character, event.summon, None)


# -- rests -------------------------------------------------------------------------------------------------


def short_rest_drawn(state: State, event: e.ShortRestDrawn) -> None:
    state.change(event.character, rested=True)


def short_rest_redrawn(_state: State, _event: e.ShortRestRedrawn) -> None:
    """Which card it is; that it is lost is an event of its own."""


def long_rested(_state: State, _event: e.LongRested) -> None:
    """What it costs and gives are events of their own."""


# -- items and money ---------------------------------------------------------------------------------------


def _place_item(items: Items, item: int, to: str | None, circles: int = 0) -> Items:
    """The items with one of them somewhere else; `to` None: it is no longer owned."""
    places: dict[str, Any] = {
        place: tuple(each for each in getattr(items, place) if each != item) for place in ("ready", "spent", "consumed")
    }
    if to is not None:
        places[to] = tuple(sorted((*places[to], item)))
    taken: Mapping[str, int] = {key: n for key, n in items.circles_used.items() if key != str(item)}
    return Items(**places, circles_used={**taken, str(item): circles} if circles and to == "ready" else taken)


def item_used(state: State, event: e.ItemUsed) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None and event.item.id in sheet.items.owned:
        state.change(event.character, items=_place_item(sheet.items, event.item.id, event.to, event.circles))


def item_declined(_state: State, _event: e.ItemDeclined) -> None:
    """Nothing moves; the choice is on record."""


def items_refreshed(state: State, event: e.ItemsRefreshed) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        items = sheet.items
        for item in _ids(event.items):
            items = _place_item(items, item, "ready") if item in items.owned else items
        state.change(event.character, items=items)


def looted(state: State, event: e.Looted) -> None:
    state.change(event.character, gold=event.gold)


def item_gained(state: State, event: e.ItemGained) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        state.change(event.character, gold=event.gold, items=_place_item(sheet.items, event.item.id, "ready"))


def item_sold(state: State, event: e.ItemSold) -> None:
    sheet = state.characters.get(event.character)
    if sheet is not None:
        items = sheet.items if event.copy else _place_item(sheet.items, event.item.id, None)
        state.change(event.character, gold=event.gold, items=items)


# -- what an ally's sheet shows ----------------------------------------------------------------------------


def _served(state: State, name: str) -> set[str]:
    """The allies whose sheets show a bonus that this character lends."""
    sheet = state.characters.get(name)
    return {ally for bonus in sheet.active for ally in bonus.beneficiaries} if sheet is not None else set()


def _seen_by_allies(evolve: Any) -> Any:
    """Sheets are compared by identity to find what changed: one that shows a lent bonus is replaced with it."""

    def both(state: State, event: Any) -> None:
        allies = _served(state, event.character)
        evolve(state, event)
        for ally in allies | _served(state, event.character):
            state.change(ally)

    return both


EVOLVE: dict[type[Event], Any] = {
    e.ClassLearned: class_learned,
    e.ItemsLearned: items_learned,
    e.Enrolled: enrolled,
    e.ScenarioBegun: scenario_begun,
    e.ScenarioLost: scenario_lost,
    e.ScenarioEnded: scenario_ended,
    e.LeveledUp: leveled_up,
    e.HandChosen: hand_chosen,
    e.RoundBegun: round_begun,
    e.CardsSelected: cards_selected,
    e.LongRestDeclared: long_rest_declared,
    e.Revealed: revealed,
    e.TurnEnded: turn_ended,
    e.CleanedUp: cleaned_up,
    e.CardsLost: _seen_by_allies(cards_lost),
    e.CardsDiscarded: _seen_by_allies(cards_discarded),
    e.CardsReturned: _seen_by_allies(cards_returned),
    e.CardsLaidOut: _seen_by_allies(cards_laid_out),
    e.Performed: _seen_by_allies(performed),
    e.AttackOpened: attack_opened,
    e.ModifierDrawn: modifier_drawn,
    e.Killed: killed,
    e.Damaged: damaged,
    e.Retaliated: retaliated,
    e.Healed: healed,
    e.ConditionGained: condition_gained,
    e.ConditionLost: condition_lost,
    e.Exhausted: _seen_by_allies(exhausted),
    e.TokenMoved: _seen_by_allies(token_moved),
    e.Summoned: summoned,
    e.SummonDamaged: summon_damaged,
    e.SummonGone: summon_gone,
    e.ShortRestDrawn: short_rest_drawn,
    e.ShortRestRedrawn: short_rest_redrawn,
    e.LongRested: long_rested,
    e.ItemUsed: item_used,
    e.ItemDeclined: item_declined,
    e.ItemsRefreshed: items_refreshed,
    e.Looted: looted,
    e.ItemGained: item_gained,
    e.ItemSold: item_sold,
}
