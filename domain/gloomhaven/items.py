"""Items: using them, and making them ready again."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.gloomhaven.classes import find_item
from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.piles import ids
from domain.gloomhaven.printed import Named, PrintedItem, named_one
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState, Items, Ref, Refs
from domain.naming import called, listed
from domain.refusal import Unknown, refuse_unless
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share
from domain.turn import Action, Event, Sentence, Whole

# -- using ---------------------------------------------------------------------------------------------


class UseItem(Action, frozen=True, kw_only=True, tag="gloomhaven.use_item"):
    """Use an item, or decline to; what it does is logged by itself."""

    shorts: ClassVar = {"i": {}}

    character: Character
    item: Annotated[Ref, Meta(description="the item")]
    declined: Annotated[bool, Meta(description="it could be used, and is not")] = False

    @rule("GH 15", "GH 16", "GH 18", "GH 19", "GH 20")
    def decide(self, decision: GloomhavenDecision) -> None:
        """At any time and as often as there are items; one that affects an attack, before its modifier is drawn."""
        name = self.character
        able(decision, name)
        if not self.declined:
            use(decision, name, self.item)
            return
        facts = ready_item(decision, name, self.item)
        refuse_unless(not facts.circles, "GH 20", f"{facts.name} has use circles and must be used when it applies.")
        decision.tell(ItemDeclined(name, named_one(facts)))


@rule("GH 15")
def ready_item(decision: GloomhavenDecision, name: str, ref: int | str) -> PrintedItem:
    """The item that is meant. Raises Refusal unless the character owns it and it is ready."""
    items, who = decision.sheet(name).items, called(name)
    facts = find_item(decision.table.items, ref, items.owned)
    refuse_unless(facts.id in items.owned, "GH 15", f"{who} does not own {facts.name}.")
    where = "spent" if facts.id in items.spent else "consumed"
    refuse_unless(facts.id in items.ready, "GH 15", f"{facts.name} is {where}; {who} cannot use it.")
    return facts


@rule("GH 16", "GH 19", "GH 20")
def use(
    decision: GloomhavenDecision, name: str, ref: int | str, *, against: Literal["attack", "damage"] | None = None
) -> PrintedItem:
    """A use, whatever comes of it: of one circle, or of the whole item. Returns the facts of what was used.

    `against`: what its owner uses it against, if they do. An item that affects an attack works on an attack upon its
    owner as well as by its owner.
    """
    facts = ready_item(decision, name, ref)
    refuse_unless(
        not facts.affects_attack or against == "attack" or decision.sheet(name).attack is not None,
        "GH 16",
        f"{facts.name} affects an attack, and this damage comes from none."
        if against is not None
        else f"{facts.name} affects an attack and is used before its modifier is drawn; {called(name)} has none open.",
    )
    circles = decision.sheet(name).items.circles_used.get(str(facts.id), 0) + 1
    if circles < facts.circles:
        decision.tell(ItemUsed(name, named_one(facts), "ready", circles))
    else:
        decision.tell(ItemUsed(name, named_one(facts), facts.once_used, 0))
    return facts


class ItemFigures(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What the table says of an item that the log knows no figure of."""

    shields: Annotated[Whole | None, Meta(description="the Shield that a use gives")] = None
    affects_attack: Annotated[bool | None, Meta(description="whether it affects an attack")] = None


def figures_unknown(facts: PrintedItem) -> bool:
    """Whether the log knows neither a Shield of an item nor that it affects attacks."""
    return not facts.shields and not facts.affects_attack


def ready_items(
    state: GloomhavenState, name: str, refs: Iterable[int | str]
) -> Iterator[tuple[int | str, PrintedItem]]:
    """Those of these items that the character has ready, each as it was named."""
    items = state.characters[name].items
    for ref in refs:
        try:
            facts = find_item(state.table.items, ref, items.owned)
        except Unknown:
            continue
        if facts.id in items.ready:
            yield ref, facts


def learn_figures(decision: GloomhavenDecision, name: str, ref: int | str, told: ItemFigures) -> None:
    """The log learns what the table says of an item. Raises Refusal if it knows something else."""
    facts = ready_item(decision, name, ref)
    shields = facts.shields if told.shields is None else told.shields
    affects = facts.affects_attack if told.affects_attack is None else told.affects_attack
    known = figures_unknown(facts) or (shields == facts.shields and affects == facts.affects_attack)
    refuse_unless(
        known,
        "GH 19",
        f"The log knows {facts.name} otherwise: Shield {int(facts.shields)}"
        f"{', and it affects attacks' if facts.affects_attack else ''}.",
    )
    if (shields, affects) != (facts.shields, facts.affects_attack):
        decision.tell(FiguresLearned(replace(facts, shields=shields, affects_attack=affects)))


class FiguresLearned(Event, frozen=True, tag="gloomhaven.figures_learned"):
    """The log learns what an item that it knows does against an attack."""

    facts: PrintedItem

    def told(self) -> Sentence:
        does = f"shields for {int(self.facts.shields)}" if self.facts.shields else "affects attacks"
        return (f"{self.facts.name} {does} from now on.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    def fold(self, state: GloomhavenState) -> None:
        if self.facts.id in state.table.items:
            state.change_table(items={**state.table.items, self.facts.id: self.facts})


class ItemUsed(Event, frozen=True, tag="gloomhaven.item_used"):
    """An item is used. `to` is where it now is, `circles` how many of its use circles are taken."""

    cites: ClassVar[tuple[str, ...]] = ("GH 19",)
    character: str
    item: Named
    to: Literal["ready", "spent", "consumed"]
    circles: int

    def told(self) -> Sentence:
        to = "" if self.to == "ready" else f": {self.to}"
        return (f"{called(self.character)} uses {self.item.name}{to}.",)

    def in_story(self) -> Share:
        return Share(self.character, "uses", what=(self.item.name,))

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None and self.item.id in sheet.items.owned:
            state.change(self.character, items=place_item(sheet.items, self.item.id, self.to, self.circles))


class ItemDeclined(Event, frozen=True, tag="gloomhaven.item_declined"):
    """An item could have been used and was not."""

    cites: ClassVar[tuple[str, ...]] = ("GH 20",)
    character: str
    item: Named

    def told(self) -> Sentence:
        return (f"{called(self.character)} leaves {self.item.name} unused.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    def fold(self, state: GloomhavenState) -> None:
        """Nothing changes: only the choice is on record."""


# -- refreshing ----------------------------------------------------------------------------------------


class Refresh(Action, frozen=True, kw_only=True, tag="gloomhaven.refresh"):
    """Refresh spent or consumed items."""

    character: Character
    items: Annotated[Refs, Meta(description="the items")]
    kind: Annotated[Literal["spent", "consumed"], Meta(description="which kind the ability names")]

    @rule("GH 53", "GH 54", "GH 55")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Spent or consumed items, as the ability says; never a consumed one with the unrecoverable symbol."""
        name = self.character
        able(decision, name)
        items = decision.sheet(name).items
        chosen = []
        for ref in self.items:
            facts = find_item(decision.table.items, ref, items.owned)
            refuse_unless(
                facts.id in getattr(items, self.kind), "GH 55", f"{called(name)} has no {self.kind} {facts.name}."
            )
            refuse_unless(
                self.kind != "consumed" or not facts.unrecoverable,
                "GH 53",
                f"{facts.name} never comes back once it is consumed.",
            )
            refuse_unless(facts not in chosen, "GH 55", f"{facts.name} is named twice.")
            chosen.append(facts)
        decision.tell(ItemsRefreshed(name, tuple(named_one(facts) for facts in chosen)))


@rule("GH 86")
def refresh_all_spent(decision: GloomhavenDecision, name: str) -> None:
    """A long rest makes every spent item ready, no consumed one; whether part-used ones too is for the table."""
    items = decision.sheet(name).items
    numbers = list(items.spent)
    if decision.options.part_used_items == "reset":
        numbers += [int(number) for number in items.circles_used]
    known = [decision.table.items.get(number) for number in sorted(numbers)]
    back = tuple(named_one(facts) for facts in known if facts is not None)
    if back:
        decision.tell(ItemsRefreshed(name, back))


class ItemsRefreshed(Event, frozen=True, tag="gloomhaven.items_refreshed"):
    """Items are ready again, with all their use circles free."""

    cites: ClassVar[tuple[str, ...]] = ("GH 54",)
    character: str
    items: tuple[Named, ...]

    def told(self) -> Sentence:
        return (f"{called(self.character)} refreshes {listed(item.name for item in self.items)}.",)

    def in_story(self) -> Elsewhere:
        return ELSEWHERE

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            items = sheet.items
            for item in ids(self.items):
                items = place_item(items, item, "ready") if item in items.owned else items
            state.change(self.character, items=items)


# -- where an item lies --------------------------------------------------------------------------------


def place_item(items: Items, item: int, to: str | None, circles: int = 0) -> Items:
    """The items with one of them somewhere else; `to` None: it is no longer owned."""
    places: dict[str, Any] = {
        place: tuple(each for each in getattr(items, place) if each != item) for place in ("ready", "spent", "consumed")
    }
    if to is not None:
        places[to] = tuple(sorted((*places[to], item)))
    taken: Mapping[str, int] = {key: n for key, n in items.circles_used.items() if key != str(item)}
    return Items(**places, circles_used={**taken, str(item): circles} if circles and to == "ready" else taken)
