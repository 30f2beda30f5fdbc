"""Items and money: using, refreshing, finding, buying and selling."""

from domain.gloomhaven.actions import BuyItem, Loot, Refresh, SellItem, UseItem
from domain.gloomhaven.classes import find_item
from domain.gloomhaven.events import (
    ItemDeclined,
    ItemGained,
    ItemsLearned,
    ItemSold,
    ItemsRefreshed,
    ItemUsed,
    Looted,
    named_one,
)
from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.facts import ItemFacts
from domain.gloomhaven.order import in_turns, not_resting
from domain.gloomhaven.sheet import Deciding
from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import refuse_unless


def learn_items(decision: Deciding, *items: ItemFacts) -> None:
    """The facts of items come into the log when they are first owned."""
    new = tuple(facts for facts in items if facts.id not in decision.table.items)
    if new:
        decision.tell(ItemsLearned(new))


@rule("GH 15", "GH 16", "GH 18", "GH 19", "GH 20")
def use_item(decision: Deciding, action: UseItem) -> None:
    """At any time and as often as there are items; one that affects an attack, before its modifier is drawn."""
    name = action.character
    able(decision, name)
    items, who = decision.sheet(name).items, called(name)
    facts = find_item(decision.table.items, action.item)
    refuse_unless(facts.id in items.owned, "GH 15", f"{who} does not own {facts.name}.")
    where = "spent" if facts.id in items.spent else "consumed"
    refuse_unless(facts.id in items.ready, "GH 15", f"{facts.name} is {where}; {who} cannot use it.")
    if action.declined:
        refuse_unless(not facts.circles, "GH 20", f"{facts.name} has use circles and must be used when it applies.")
        decision.tell(ItemDeclined(name, named_one(facts)))
        return
    refuse_unless(
        not facts.affects_attack or decision.sheet(name).attack is not None,
        "GH 16",
        f"{facts.name} affects an attack and is used before its modifier is drawn; {who} has none open.",
    )
    circles = items.circles_used.get(str(facts.id), 0) + 1
    if circles < facts.circles:
        decision.tell(ItemUsed(name, named_one(facts), "ready", circles))
    else:
        decision.tell(ItemUsed(name, named_one(facts), facts.once_used, 0))


@rule("GH 53", "GH 54", "GH 55")
def refresh(decision: Deciding, action: Refresh) -> None:
    """Spent or consumed items, as the ability says; never a consumed one with the unrecoverable symbol."""
    name = action.character
    able(decision, name)
    items = decision.sheet(name).items
    chosen = []
    for ref in action.items:
        facts = find_item(decision.table.items, ref)
        refuse_unless(
            facts.id in getattr(items, action.kind), "GH 55", f"{called(name)} has no {action.kind} {facts.name}."
        )
        refuse_unless(
            action.kind != "consumed" or not facts.unrecoverable,
            "GH 53",
            f"{facts.name} never comes back once it is consumed.",
        )
        refuse_unless(facts not in chosen, "GH 55", f"{facts.name} is named twice.")
        chosen.append(facts)
    decision.tell(ItemsRefreshed(name, tuple(named_one(facts) for facts in chosen)))


@rule("GH 86")
def refresh_all_spent(decision: Deciding, name: str) -> None:
    """A long rest makes every spent item ready, no consumed one; whether part-used ones too is for the table."""
    items = decision.sheet(name).items
    numbers = list(items.spent)
    if decision.options.part_used_items == "reset":
        numbers += [int(number) for number in items.circles_used]
    known = [decision.table.items.get(number) for number in sorted(numbers)]
    back = tuple(named_one(facts) for facts in known if facts is not None)
    if back:
        decision.tell(ItemsRefreshed(name, back))


# -- money -------------------------------------------------------------------------------------------------


@rule("GH 56", "GH 58", "GH 59")
def pick_up(decision: Deciding, name: str, tokens: int, treasures: tuple[int, ...] | None) -> None:
    """Tokens are worth what the scenario level says and are one's own; treasure is looked up at once."""
    gold = decision.sheet(name).gold + tokens * decision.table.token_worth
    decision.tell(Looted(name, tokens, gold, treasures or ()))


@rule("GH 56", "GH 59", "GH 60")
def loot(decision: Deciding, action: Loot) -> None:
    """Money, treasure, and an item found; a second copy of an owned one is sold at once."""
    name = action.character
    able(decision, name)
    in_turns(decision, name)
    not_resting(decision, name)
    if action.tokens or action.treasures or action.item is None:
        pick_up(decision, name, action.tokens, action.treasures)
    if action.item is not None:
        facts = find_item(decision.table.items, action.item)
        learn_items(decision, facts)
        sheet = decision.sheet(name)
        if facts.id in sheet.items.owned:
            price = half_price(facts)
            decision.tell(ItemSold(name, named_one(facts), price, sheet.gold + price, copy=True))
        else:
            decision.tell(ItemGained(name, named_one(facts), None, sheet.gold))


@rule("GH 60")
def half_price(facts: ItemFacts) -> int:
    """What the city pays: half, rounded down."""
    return facts.price // 2


def between_scenarios(decision: Deciding) -> None:
    if decision.table.playing:
        raise Refusal(None, "That is done between scenarios; end the one that is being played first.")


@rule("GH 58", "GH 60")
def buy_item(decision: Deciding, action: BuyItem) -> None:
    """With one's own money, an item that one does not own yet."""
    name = action.character
    able(decision, name)
    between_scenarios(decision)
    facts = find_item(decision.table.items, action.item)
    sheet = decision.sheet(name)
    refuse_unless(facts.id not in sheet.items.owned, "GH 60", f"{called(name)} owns {facts.name} already.")
    refuse_unless(
        sheet.gold >= facts.price,
        "GH 58",
        f"{facts.name} costs {facts.price} gold; {called(name)} has {sheet.gold}.",
    )
    learn_items(decision, facts)
    decision.tell(ItemGained(name, named_one(facts), facts.price, sheet.gold - facts.price))


@rule("GH 60")
def sell_item(decision: Deciding, action: SellItem) -> None:
    name = action.character
    able(decision, name)
    between_scenarios(decision)
    facts = find_item(decision.table.items, action.item)
    sheet = decision.sheet(name)
    refuse_unless(facts.id in sheet.items.owned, "GH 60", f"{called(name)} does not own {facts.name}.")
    price = half_price(facts)
    decision.tell(ItemSold(name, named_one(facts), price, sheet.gold + price, copy=False))
