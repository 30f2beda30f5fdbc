"""Money: looting, rewards, buying and selling."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from domain.gloomhaven.classes import find_item
from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import Named, PrintedItem, as_named
from domain.gloomhaven.items import place_item
from domain.gloomhaven.learning import learn_items
from domain.gloomhaven.order import must_be_during_turns, must_be_own_turn, must_not_rest
from domain.gloomhaven.scenarios import must_be_between_scenarios
from domain.gloomhaven.sheet import (
    FIGURES,
    OF_TOKENS,
    Character,
    GloomhavenDecision,
    GloomhavenState,
    Ref,
    Refs,
    Treasures,
)
from domain.naming import called, ended, listed, quantity
from domain.refusal import Invalid, refuse_unless
from domain.system.citing import rule
from domain.system.story import Own, Share
from domain.turn import Action, Event, NonEmptyText, Sentence, Whole

# -- picking up ----------------------------------------------------------------------------------------


class Loot(Action, frozen=True, kw_only=True, tag="gloomhaven.loot"):
    """Pick up money tokens, treasure or an item."""

    shorts: ClassVar = {"l": {}}

    character: Character
    tokens: Annotated[
        Whole, Meta(description="money tokens picked up", extra={**OF_TOKENS, "unless": ("treasures", "item")})
    ] = 0
    treasures: Treasures = None
    item: Annotated[Ref | None, Meta(description="the item found")] = None

    @rule("GH 56", "GH 59", "GH 60")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Picks up money, treasure and an item on the character's turn."""
        name = self.character
        must_take_part(decision, name)
        must_be_during_turns(decision, name)
        must_be_own_turn(decision, name, "GH 56")
        must_not_rest(decision, name)
        if self.tokens or self.treasures or self.item is None:
            pick_up(decision, name, self.tokens, self.treasures)
        if self.item is not None:
            find_an_item(decision, name, self.item)


@rule("GH 60")
def find_an_item(decision: GloomhavenDecision, name: str, ref: int | str) -> None:
    """Give an item to a character; if it is owned already, the second copy is sold at once."""
    facts = find_item(decision.table.items, ref)
    learn_items(decision, facts)
    sheet = decision.sheet(name)
    if facts.id in sheet.items.owned:
        price = half_price(facts)
        decision.tell(ItemSold(name, as_named(facts), price, sheet.gold + price, copy=True))
    else:
        decision.tell(ItemGained(name, as_named(facts), None, sheet.gold))


# -- rewards -------------------------------------------------------------------------------------------


class Reward(Action, frozen=True, kw_only=True, tag="gloomhaven.reward"):
    """Receive experience, gold or items as a reward.

    What a scenario or the city pays beside money tokens.
    """

    meant_by: ClassVar = ("xp", "experience", "gold")

    character: Character
    xp: Annotated[Whole, Meta(description="experience", extra={"unless": ("gold", "items")})] = 0
    gold: Annotated[Whole, Meta(description="gold")] = 0
    items: Annotated[Refs | None, Meta(description="items")] = None
    why: Annotated[NonEmptyText | None, Meta(description="what for", extra={"remark": True})] = None

    def check(self) -> None:
        if not (self.xp or self.gold or self.items):
            raise Invalid("Say what the reward is, like xp 10, gold 5 or items 12.")

    @rule("GH 58", "GH 68")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Adds experience and gold, and gives the items."""
        name = self.character
        must_take_part(decision, name)
        sheet = decision.sheet(name)
        why = UNSET if self.why is None else self.why.strip()
        # items alone say themselves where they come from
        if self.xp or self.gold or why:
            decision.tell(Rewarded(name, self.xp, sheet.xp + self.xp, self.gold, sheet.gold + self.gold, why))
        for ref in self.items or ():
            find_an_item(decision, name, ref)


class Rewarded(Event, frozen=True, tag="gloomhaven.rewarded"):
    """Experience and gold beyond tokens: so much of each, and the new totals."""

    cites: ClassVar[tuple[str, ...]] = ("GH 58", "GH 68")
    character: str
    gained_xp: int
    xp: int
    gained_gold: int
    gold: int
    #: Left out without a reason; the events of versions 1 and 2 all have one.
    why: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        parts = [
            *([f"{self.gained_xp} experience"] if self.gained_xp else []),
            *([f"{self.gained_gold} gold"] if self.gained_gold else []),
        ]
        if not self.why:
            return (f"{called(self.character)} gains {listed(parts)}.",)
        reward = f" with {listed(parts)}" if parts else ""
        return (f"{called(self.character)} is rewarded{reward}: {ended(self.why)}",)

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, xp=self.xp, gold=self.gold)


@rule("GH 56", "GH 58", "GH 59")
def pick_up(decision: GloomhavenDecision, name: str, tokens: int, treasures: tuple[int, ...] | None) -> None:
    """Pick up money tokens, worth gold by the scenario level, and treasures."""
    gold = decision.sheet(name).gold + tokens * decision.table.token_worth
    decision.tell(Looted(name, tokens, gold, treasures or ()))


class Looted(Event, frozen=True, tag="gloomhaven.looted"):
    """Money and treasure picked up; `gold` is the new total."""

    cites: ClassVar[tuple[str, ...]] = ("GH 56", "GH 58")
    character: str
    tokens: int
    gold: int
    treasures: tuple[int, ...]

    def sentence(self) -> Sentence:
        loot = [
            *([quantity(self.tokens, "money token")] if self.tokens else []),
            *(f"treasure {number}" for number in self.treasures),
        ]
        loot_words = listed(loot) if loot else "nothing"
        return (f"{called(self.character)} picks up {loot_words} and has {self.gold} gold.",)

    def in_story(self) -> Share | Own:
        if self.treasures:
            return Own()
        return Share(self.character, "picks up", self.tokens, "money tokens")

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, gold=self.gold)


# -- buying and selling --------------------------------------------------------------------------------


class BuyItem(Action, frozen=True, kw_only=True, tag="gloomhaven.buy_item"):
    """Buy an item in the city, between scenarios."""

    synonyms: ClassVar = ("buy",)

    character: Character
    item: Annotated[Ref, Meta(description="the item")]

    @rule("GH 58", "GH 60")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Buys an item that the character does not own and can pay."""
        name = self.character
        must_be_between_scenarios(decision, name)
        facts = find_item(decision.table.items, self.item)
        sheet = decision.sheet(name)
        refuse_unless(facts.id not in sheet.items.owned, "GH 60", f"{called(name)} owns {facts.name} already.")
        refuse_unless(
            sheet.gold >= facts.price,
            "GH 58",
            f"{facts.name} costs {facts.price} gold; {called(name)} has {sheet.gold}.",
        )
        learn_items(decision, facts)
        decision.tell(ItemGained(name, as_named(facts), facts.price, sheet.gold - facts.price))


class ItemGained(Event, frozen=True, tag="gloomhaven.item_gained"):
    """An item comes to its owner, ready. `price` None: it was found."""

    character: str
    item: Named
    price: int | None
    gold: int

    def sentence(self) -> Sentence:
        if self.price is None:
            return (f"{called(self.character)} finds {self.item.name}.",)
        return (f"{called(self.character)} buys {self.item.name} for {self.price} gold and has {self.gold} left.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            state.change(self.character, gold=self.gold, items=place_item(sheet.items, self.item.id, "ready"))


class SellItem(Action, frozen=True, kw_only=True, tag="gloomhaven.sell_item"):
    """Sell an item for half its price, between scenarios."""

    synonyms: ClassVar = ("sell",)

    character: Character
    item: Annotated[Ref, Meta(description="the item")]

    @rule("GH 60")
    def decide(self, decision: GloomhavenDecision) -> None:
        name = self.character
        must_be_between_scenarios(decision, name)
        sheet = decision.sheet(name)
        facts = find_item(decision.table.items, self.item, sheet.items.owned)
        refuse_unless(facts.id in sheet.items.owned, "GH 60", f"{called(name)} does not own {facts.name}.")
        price = half_price(facts)
        decision.tell(ItemSold(name, as_named(facts), price, sheet.gold + price, copy=False))


@rule("GH 60")
def half_price(facts: PrintedItem) -> int:
    """The price for which an item is sold: half, rounded down."""
    one_in: int = FIGURES["60"]["sold_for_one_in"]
    return facts.price // one_in


class ItemSold(Event, frozen=True, tag="gloomhaven.item_sold"):
    """An item is sold for half its price; `copy`: a second one, sold at once when it was found."""

    cites: ClassVar[tuple[str, ...]] = ("GH 60",)
    character: str
    item: Named
    price: int
    gold: int
    copy: bool

    def sentence(self) -> Sentence:
        item = f"a second {self.item.name}" if self.copy else self.item.name
        return (f"{called(self.character)} sells {item} for {self.price} gold and has {self.gold}.",)

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            items = sheet.items if self.copy else place_item(sheet.items, self.item.id, None)
            state.change(self.character, gold=self.gold, items=items)
