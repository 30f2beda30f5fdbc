"""What happened at the table. Every event carries what it came to: totals, piles, which cards.

Cards and items go with their names, so that a sentence needs nothing but its event.
"""

from typing import Any, ClassVar, Literal

import msgspec
from msgspec import Struct

from domain.gloomhaven.facts import CardFacts, ClassFacts, Half, ItemFacts
from domain.gloomhaven.sheet import ActiveBonus, SummonOnBoard
from domain.naming import called, listed
from domain.turn import Event, Sentence, Struck


class Named(Struct, frozen=True, gc=False):
    """A card or an item with its name."""

    id: int
    name: str

    def __str__(self) -> str:
        return self.name


def named_one(facts: CardFacts | ItemFacts) -> Named:
    return Named(facts.id, facts.name)


def points(count: int) -> str:
    return f"{count} hit point{'' if count == 1 else 's'}"


# -- what the log learns -----------------------------------------------------------------------------------


class ClassLearned(Event, frozen=True, gc=False, tag="gloomhaven.class_learned"):
    """The facts of a class come into the log with its first character, so that no file is needed later."""

    facts: ClassFacts

    def told(self) -> Sentence:
        return (f"The {called(self.facts.class_)}'s cards enter the log.",)


class ItemsLearned(Event, frozen=True, gc=False, tag="gloomhaven.items_learned"):
    """The facts of items come into the log when somebody first owns them."""

    facts: tuple[ItemFacts, ...]

    def told(self) -> Sentence:
        enters = "enters" if len(self.facts) == 1 else "enter"
        return (f"{listed(item.name for item in self.facts)} {enters} the log.",)


class Enrolled(Event, frozen=True, gc=False, tag="gloomhaven.enrolled"):
    """A character joins the campaign. Undoing it takes the character off."""

    character: str
    player: str | None
    class_: str = msgspec.field(name="class")
    level: int
    hp: int
    xp: int
    gold: int
    hand: tuple[Named, ...]
    gained: tuple[int, ...]
    items: tuple[Named, ...]

    def told(self) -> Sentence:
        owns = f" with {listed(item.name for item in self.items)}" if self.items else ""
        a = "an" if self.class_[:1] in "aeiou" else "a"
        return (
            f"{called(self.character)} joins as {a} {called(self.class_)} of level {self.level}: "
            f"{points(self.hp)}, {self.gold} gold{owns}.",
        )


# -- scenarios ---------------------------------------------------------------------------------------------


class ScenarioBegun(Event, frozen=True, gc=False, tag="gloomhaven.scenario_begun"):
    """A scenario begins. `hp`: everyone who takes part, with full hit points."""

    scenario: str
    level: int | None
    token_worth: int
    hp: dict[str, int]

    def told(self) -> Sentence:
        level = f" at level {self.level}" if self.level is not None else ""
        return (f"Scenario {self.scenario} begins{level} for {listed(map(called, self.hp))}.",)


class ScenarioLost(Event, frozen=True, gc=False, tag="gloomhaven.scenario_lost"):
    """Everyone is exhausted."""

    cites: ClassVar[tuple[str, ...]] = ("GH 14",)

    def told(self) -> Sentence:
        return ("Everyone is exhausted: the scenario is lost.",)


class ScenarioEnded(Event, frozen=True, gc=False, tag="gloomhaven.scenario_ended"):
    """The scenario is over; everyone is as fresh as before it. Undoing it goes back into the scenario."""

    won: bool
    hp: dict[str, int]

    def told(self) -> Sentence:
        return (f"The scenario is {'won' if self.won else 'lost'}.",)


class LeveledUp(Event, frozen=True, gc=False, tag="gloomhaven.leveled_up"):
    """A level is gained, and a card with it."""

    character: str
    level: int
    hp: int
    card: Named

    def told(self) -> Sentence:
        return (f"{called(self.character)} reaches level {self.level} and gains {self.card.name}.",)


class HandChosen(Event, frozen=True, gc=False, tag="gloomhaven.hand_chosen"):
    """The cards that the next scenario is played with."""

    character: str
    hand: tuple[Named, ...]

    def told(self) -> Sentence:
        return (f"{called(self.character)} takes along {listed(card.name for card in self.hand)}.",)


# -- rounds ------------------------------------------------------------------------------------------------


class RoundBegun(Event, frozen=True, gc=False, tag="gloomhaven.round_begun"):
    """The selection of a round begins."""

    cites: ClassVar[tuple[str, ...]] = ("GH 75",)
    round: int

    def told(self) -> Sentence:
        return (f"Round {self.round} begins.",)


class CardsSelected(Event, frozen=True, gc=False, tag="gloomhaven.cards_selected"):
    """Two cards lie face down. `selection` is the number of the turn, for telling the one revealed from others."""

    cites: ClassVar[tuple[str, ...]] = ("GH 75",)
    character: str
    lead: Named
    second: Named
    selection: int

    def told(self) -> Sentence:
        return (f"{called(self.character)} selects {self.lead.name}, then {self.second.name}.",)


class LongRestDeclared(Event, frozen=True, gc=False, tag="gloomhaven.long_rest_declared"):
    """No cards are played this round; what was selected goes back into the hand."""

    cites: ClassVar[tuple[str, ...]] = ("GH 82",)
    character: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} will take a long rest this round.",)


class InOrder(Struct, frozen=True, gc=False):
    """One character's place in the order, with the summons that act directly before."""

    character: str
    initiative: int
    cards: tuple[Named, ...] = ()
    summons: tuple[str, ...] = ()

    def __str__(self) -> str:
        cards = f": {listed(card.name for card in self.cards)}" if self.cards else ", resting"
        return f"{', '.join((*self.summons, ''))}{called(self.character)} ({self.initiative}{cards})"


class Revealed(Event, frozen=True, gc=False, tag="gloomhaven.revealed"):
    """The selected cards are turned up and the order of turns is set."""

    cites: ClassVar[tuple[str, ...]] = ("GH 83", "GH 87")
    order: tuple[InOrder, ...]

    def told(self) -> Sentence:
        order = ", ".join(str(place) for place in self.order)
        return (f"The cards are revealed. Order: {order}." if order else "Nobody is left to act this round.",)


class TurnEnded(Event, frozen=True, gc=False, tag="gloomhaven.turn_ended"):
    """A character's turn is over."""

    character: str

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s turn ends.",)


class CleanedUp(Event, frozen=True, gc=False, tag="gloomhaven.cleaned_up"):
    """The turns of the round are over."""

    round: int

    def told(self) -> Sentence:
        return (f"Round {self.round} is cleaned up.",)


# -- cards from pile to pile -------------------------------------------------------------------------------


class CardsLost(Event, frozen=True, gc=False, tag="gloomhaven.cards_lost"):
    """Cards go to the lost pile, from wherever they were."""

    character: str
    cards: tuple[Named, ...]
    why: str | None = None

    def told(self) -> Sentence:
        why = f" {self.why}" if self.why else ""
        return (f"{called(self.character)} loses {listed(card.name for card in self.cards)}{why}.",)


class CardsDiscarded(Event, frozen=True, gc=False, tag="gloomhaven.cards_discarded"):
    """Cards go to the discard pile, from wherever they were."""

    character: str
    cards: tuple[Named, ...]
    why: str | None = None

    def told(self) -> Sentence:
        why = f" {self.why}" if self.why else ""
        return (f"{called(self.character)} discards {listed(card.name for card in self.cards)}{why}.",)


class CardsReturned(Event, frozen=True, gc=False, tag="gloomhaven.cards_returned"):
    """Cards come back into the hand."""

    character: str
    cards: tuple[Named, ...]

    def told(self) -> Sentence:
        return (f"{called(self.character)} takes {listed(card.name for card in self.cards)} back into hand.",)


class CardsLaidOut(Event, frozen=True, gc=False, tag="gloomhaven.cards_laid_out"):
    """Where every card lies after an override of piles; so it holds whatever is undone before it."""

    character: str
    hand: tuple[int, ...]
    selected: tuple[int, ...]
    discard: tuple[int, ...]
    lost: tuple[int, ...]
    active: tuple[ActiveBonus, ...]

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s cards are laid out anew.",)


# -- performing --------------------------------------------------------------------------------------------


class Performed(Event, frozen=True, gc=False, tag="gloomhaven.performed"):
    """One half of a played card is done and the card is placed. `gained` is its experience, `xp` the new total."""

    cites: ClassVar[tuple[str, ...]] = ("GH 69",)
    character: str
    card: Named
    half: Half
    basic: bool
    to: Literal["discard", "lost", "active"]
    bonus: ActiveBonus | None
    gained: int
    xp: int

    def told(self) -> Sentence:
        what = f"the {self.half} of {self.card.name}"
        if self.basic:
            what = f"a basic {'attack' if self.half == 'top' else 'move'} with {self.card.name}"
        to = {"discard": "discarded", "lost": "lost", "active": "active"}[self.to]
        xp = f", for {self.gained} experience" if self.gained else ""
        return (f"{called(self.character)} performs {what}: {to}{xp}.",)


class AttackOpened(Event, frozen=True, gc=False, tag="gloomhaven.attack_opened"):
    """An attack waits for its modifier."""

    character: str
    target: str | None
    value: int | None

    def told(self) -> Sentence:
        target = f" {self.target}" if self.target else ""
        value = f" for {self.value}" if self.value is not None else ""
        return (f"{called(self.character)} attacks{target}{value}.",)


class ModifierDrawn(Event, frozen=True, gc=False, tag="gloomhaven.modifier_drawn"):
    """The open attack is resolved."""

    character: str
    modifier: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} draws {self.modifier}.",)


class Killed(Event, frozen=True, gc=False, tag="gloomhaven.killed"):
    """A monster is dead. `kills` is the owner's new count; there is no experience in it (GH 67)."""

    cites: ClassVar[tuple[str, ...]] = ("GH 67",)
    character: str
    monster: str
    summon: str | None
    kills: int

    def told(self) -> Sentence:
        who = f"{called(self.summon)}, for {called(self.character)}," if self.summon else called(self.character)
        return (f"{who} kills {self.monster}.",)


# -- damage, healing, conditions ---------------------------------------------------------------------------


class Damaged(Event, frozen=True, gc=False, tag="gloomhaven.damaged"):
    """One source of damage. `left` is what shields leave of `amount`, `hp` the hit points after it."""

    cites: ClassVar[tuple[str, ...]] = ("GH 1", "GH 2")
    character: str
    amount: int
    left: int
    negated: Literal["cards", "bonus"] | None
    hp: int
    source: str | None
    attack: bool

    def told(self) -> Sentence:
        who, source = called(self.character), f" ({self.source})" if self.source else ""
        what = f"{'an attack' if self.attack else 'damage'} of {self.amount}{source}"
        if not self.left:
            return (f"{who} takes no harm from {what}.",)
        if self.negated:
            return (f"{who} negates {what}.",)
        if self.left != self.amount:
            return (f"{who} suffers {self.left} of {what} and has {points(self.hp)}.",)
        return (f"{who} suffers {self.left} damage{source} and has {points(self.hp)}.",)


class Retaliated(Event, frozen=True, gc=False, tag="gloomhaven.retaliated"):
    """The attacker takes this much."""

    cites: ClassVar[tuple[str, ...]] = ("GH 34", "GH 36")
    character: str
    amount: int
    source: str | None

    def told(self) -> Sentence:
        return (f"{called(self.character)} retaliates: {self.amount} damage to {self.source or 'the attacker'}.",)


class Healed(Event, frozen=True, gc=False, tag="gloomhaven.healed"):
    """A heal. `hp` is the new total, `cured` the conditions that it took away."""

    cites: ClassVar[tuple[str, ...]] = ("GH 7", "GH 8")
    character: str
    amount: int
    hp: int
    cured: tuple[str, ...]
    source: str | None

    def told(self) -> Sentence:
        cured = f" and loses {listed(self.cured)}" if self.cured else ""
        source = f" ({self.source})" if self.source else ""
        if "poison" in self.cured:
            return (f"{called(self.character)} is healed{source}{cured}, nothing more.",)
        return (f"{called(self.character)} is healed for {self.amount}{source}{cured}: {points(self.hp)}.",)


class ConditionGained(Event, frozen=True, gc=False, tag="gloomhaven.condition_gained"):
    """A condition holds; gained twice it holds once."""

    cites: ClassVar[tuple[str, ...]] = ("GH 5",)
    character: str
    condition: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} gains {self.condition}.",)


class ConditionLost(Event, frozen=True, gc=False, tag="gloomhaven.condition_lost"):
    """A condition is gone."""

    character: str
    condition: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} loses {self.condition}.",)


class Exhausted(Event, frozen=True, gc=False, tag="gloomhaven.exhausted"):
    """A character is out of the scenario: every card lost, nothing active. Hit points, gold and experience stay."""

    cites: ClassVar[tuple[str, ...]] = ("GH 12",)
    character: str
    why: Literal["hit points", "cards"]

    def told(self) -> Sentence:
        why = "has no hit points left" if self.why == "hit points" else "can neither play two cards nor rest"
        return (f"{called(self.character)} {why} and is exhausted.",)


# -- bonuses and summons -----------------------------------------------------------------------------------


class TokenMoved(Event, frozen=True, gc=False, tag="gloomhaven.token_moved"):
    """A bonus was triggered. `token` is its new slot, None: it left the last one. `xp` is the new total."""

    cites: ClassVar[tuple[str, ...]] = ("GH 23", "GH 66")
    character: str
    card: Named
    token: int | None
    gained: int
    xp: int

    def told(self) -> Sentence:
        where = f"moves to slot {self.token + 1}" if self.token is not None else "leaves the last slot"
        xp = f" for {self.gained} experience" if self.gained else ""
        return (f"{called(self.character)}'s token on {self.card.name} {where}{xp}.",)


class Summoned(Event, frozen=True, gc=False, tag="gloomhaven.summoned"):
    """A summon stands on the board."""

    cites: ClassVar[tuple[str, ...]] = ("GH 42", "GH 45")
    character: str
    summon: SummonOnBoard
    attack: int | None
    move: int | None
    range: int | None

    def told(self) -> Sentence:
        summon = self.summon
        return (f"{called(self.character)} summons {summon.name} ({summon.colour}, {points(summon.hp)}).",)


class SummonDamaged(Event, frozen=True, gc=False, tag="gloomhaven.summon_damaged"):
    """A summon is hurt; `hp` is what it has left."""

    character: str
    summon: str
    amount: int
    hp: int

    def told(self) -> Sentence:
        return (f"{called(self.summon)} suffers {self.amount} damage and has {points(self.hp)}.",)


class SummonGone(Event, frozen=True, gc=False, tag="gloomhaven.summon_gone"):
    """A summon leaves the board."""

    cites: ClassVar[tuple[str, ...]] = ("GH 46",)
    character: str
    summon: str

    def told(self) -> Sentence:
        return (f"{called(self.summon)} leaves the board.",)


# -- rests -------------------------------------------------------------------------------------------------


class ShortRestDrawn(Event, frozen=True, gc=False, tag="gloomhaven.short_rest_drawn"):
    """The random card of a short rest; `kept`: it is kept, for 1 damage and another card."""

    cites: ClassVar[tuple[str, ...]] = ("GH 80",)
    character: str
    card: Named
    kept: bool

    def told(self) -> Sentence:
        who = called(self.character)
        if self.kept:
            return (f"{who} takes a short rest, draws ", Struck(self.card.name), " and keeps it for 1 damage.")
        return (f"{who} takes a short rest and draws {self.card.name}.",)


class ShortRestRedrawn(Event, frozen=True, gc=False, tag="gloomhaven.short_rest_redrawn"):
    """The card that is lost in place of the one kept."""

    cites: ClassVar[tuple[str, ...]] = ("GH 81",)
    character: str
    card: Named

    def told(self) -> Sentence:
        return (f"{called(self.character)} draws {self.card.name} instead.",)


class LongRested(Event, frozen=True, gc=False, tag="gloomhaven.long_rested"):
    """A long rest begins the turn of the one who declared it."""

    cites: ClassVar[tuple[str, ...]] = ("GH 84",)
    character: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} takes the long rest.",)


# -- items and money ---------------------------------------------------------------------------------------


class ItemUsed(Event, frozen=True, gc=False, tag="gloomhaven.item_used"):
    """An item is used. `to` is where it now is, `circles` how many of its use circles are taken."""

    cites: ClassVar[tuple[str, ...]] = ("GH 19",)
    character: str
    item: Named
    to: Literal["ready", "spent", "consumed"]
    circles: int

    def told(self) -> Sentence:
        to = "" if self.to == "ready" else f": {self.to}"
        return (f"{called(self.character)} uses {self.item.name}{to}.",)


class ItemDeclined(Event, frozen=True, gc=False, tag="gloomhaven.item_declined"):
    """An item could have been used and was not."""

    cites: ClassVar[tuple[str, ...]] = ("GH 20",)
    character: str
    item: Named

    def told(self) -> Sentence:
        return (f"{called(self.character)} leaves {self.item.name} unused.",)


class ItemsRefreshed(Event, frozen=True, gc=False, tag="gloomhaven.items_refreshed"):
    """Items are ready again, with all their use circles free."""

    cites: ClassVar[tuple[str, ...]] = ("GH 54",)
    character: str
    items: tuple[Named, ...]

    def told(self) -> Sentence:
        return (f"{called(self.character)} refreshes {listed(item.name for item in self.items)}.",)


class Looted(Event, frozen=True, gc=False, tag="gloomhaven.looted"):
    """Money and treasure picked up; `gold` is the new total."""

    cites: ClassVar[tuple[str, ...]] = ("GH 56", "GH 58")
    character: str
    tokens: int
    gold: int
    treasures: tuple[int, ...]

    def told(self) -> Sentence:
        found = [
            *([f"{self.tokens} money token{'' if self.tokens == 1 else 's'}"] if self.tokens else []),
            *(f"treasure {number}" for number in self.treasures),
        ]
        what = listed(found) if found else "nothing"
        return (f"{called(self.character)} picks up {what} and has {self.gold} gold.",)


class ItemGained(Event, frozen=True, gc=False, tag="gloomhaven.item_gained"):
    """An item comes to its owner, ready. `price` None: it was found."""

    character: str
    item: Named
    price: int | None
    gold: int

    def told(self) -> Sentence:
        if self.price is None:
            return (f"{called(self.character)} finds {self.item.name}.",)
        return (f"{called(self.character)} buys {self.item.name} for {self.price} gold and has {self.gold} left.",)


class ItemSold(Event, frozen=True, gc=False, tag="gloomhaven.item_sold"):
    """An item is sold for half its price; `copy`: a second one, sold at once when it was found."""

    cites: ClassVar[tuple[str, ...]] = ("GH 60",)
    character: str
    item: Named
    price: int
    gold: int
    copy: bool

    def told(self) -> Sentence:
        what = f"a second {self.item.name}" if self.copy else self.item.name
        return (f"{called(self.character)} sells {what} for {self.price} gold and has {self.gold}.",)


EVENTS: tuple[type[Event], ...] = (
    ClassLearned, ItemsLearned, Enrolled, ScenarioBegun, ScenarioLost, ScenarioEnded, LeveledUp, HandChosen, RoundBegun,
    CardsSelected, LongRestDeclared, Revealed, TurnEnded, CleanedUp, CardsLost, CardsDiscarded, CardsReturned,
    CardsLaidOut, Performed, AttackOpened, ModifierDrawn, Killed, Damaged, Retaliated, Healed, ConditionGained,
    ConditionLost, Exhausted, TokenMoved, Summoned, SummonDamaged, SummonGone, ShortRestDrawn, ShortRestRedrawn,
    LongRested, ItemUsed,
    ItemDeclined, ItemsRefreshed, Looted, ItemGained, ItemSold,
)  # fmt: skip


def as_json(event: Event) -> dict[str, Any]:
    """The event as JSON tells it."""
    told: dict[str, Any] = msgspec.to_builtins(event)
    return told
