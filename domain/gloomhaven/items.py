"""Items: using and refreshing them, and where they are."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.gloomhaven.classes import find_item, item_titles, known_items
from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import Named, PrintedItem, as_named
from domain.gloomhaven.piles import ids
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState, Items, Ref, Refs
from domain.naming import called, fitting, listed, nearest
from domain.refusal import Unknown, refuse_unless
from domain.system.citing import rule
from domain.system.story import Share, left_out
from domain.system.type_descriptions import either
from domain.turn import Action, Event, Sentence, Whole

# -- using ---------------------------------------------------------------------------------------------


class UseItem(Action, frozen=True, kw_only=True, tag="gloomhaven.use_item"):
    """Use an item, or leave it unused.

    Record what it does as a turn of its own.
    """

    shorts: ClassVar = {"i": {}}
    synonyms: ClassVar = ("use", "drink", "quaff")

    character: Character
    item: Annotated[Ref, Meta(description="the item")]
    declined: Annotated[bool, Meta(description="it could be used, and is not")] = False

    @rule("GH 15", "GH 16", "GH 18", "GH 19", "GH 20")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Uses or declines a ready item; one that affects an attack needs an open one."""
        name = self.character
        must_take_part(decision, name)
        if not self.declined:
            use(decision, name, self.item)
            return
        facts = ready_item(decision, name, self.item)
        refuse_unless(not facts.circles, "GH 20", f"{facts.name} has use circles and must be used when it applies.")
        decision.tell(ItemDeclined(name, as_named(facts)))


@rule("GH 15")
def ready_item(decision: GloomhavenDecision, name: str, ref: int | str) -> PrintedItem:
    """The item by number or name. Raises Refusal unless the character owns it and it is ready."""
    items, owner = decision.sheet(name).items, called(name)
    try:
        facts = find_item(decision.table.items, ref, items.owned)
    except Unknown as error:
        titles = item_titles(known_items(decision.table.items))
        own = {number: titles[number] for number in sorted(items.owned) if number in titles}
        own_labels = [f"{number} {title}" for number, title in own.items()]
        near = [f"{number} {title}" for number, title in own.items() if _is_near(ref, title)]
        hint = (
            f"did you mean {either(near)}?"
            if near
            else f"you have {listed(own_labels)}."
            if own_labels
            else f"{owner} owns no items at all."
        )
        raise Unknown(error.kind, ref, f"{owner} owns no item {str(ref)!r}", hint) from None
    refuse_unless(facts.id in items.owned, "GH 15", f"{owner} does not own {facts.name}.")
    where = "spent" if facts.id in items.spent else "consumed"
    refuse_unless(facts.id in items.ready, "GH 15", f"{facts.name} is {where}; {owner} cannot use it.")
    return facts


def _is_near(ref: int | str, title: str) -> bool:
    """Whether somebody may mean this item."""
    return isinstance(ref, str) and bool(fitting(ref, (title,)) or nearest(ref, (title, *title.split())))


@rule("GH 16", "GH 19", "GH 20")
def use(
    decision: GloomhavenDecision, name: str, ref: int | str, *, against: Literal["attack", "damage"] | None = None
) -> PrintedItem:
    """Use one circle of an item, or the whole item, and return its facts. Raises Refusal.

    `against`: the attack or damage that it is used against, if any. An item that affects attacks can be used on an
    attack against its owner and on one by its owner.
    """
    facts = ready_item(decision, name, ref)
    refuse_unless(
        not facts.affects_attack or against == "attack" or decision.sheet(name).attack is not None,
        "GH 16",
        f"{facts.name} affects an attack, and this damage does not come from an attack."
        if against is not None
        else f"{facts.name} affects an attack before its modifier is drawn; {called(name)} has no attack open.",
    )
    circles = decision.sheet(name).items.circles_used.get(str(facts.id), 0) + 1
    if circles < facts.circles:
        decision.tell(ItemUsed(name, as_named(facts), "ready", circles))
    else:
        decision.tell(ItemUsed(name, as_named(facts), facts.once_used, 0))
    return facts


class ItemFigures(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Figures of an item that the table gives because the log does not know them."""

    shields: Annotated[Whole | None, Meta(description="the Shield that a use gives")] = None
    affects_attack: Annotated[bool | None, Meta(description="whether it affects an attack")] = None


def figures_unknown(facts: PrintedItem) -> bool:
    """Whether the log knows neither a Shield of the item nor that it affects attacks."""
    return not facts.shields and not facts.affects_attack


def ready_items(
    state: GloomhavenState, name: str, refs: Iterable[int | str]
) -> Iterator[tuple[int | str, PrintedItem]]:
    """The named items that the character has ready, as (reference, facts); unknown ones are left out."""
    items = state.characters[name].items
    for ref in refs:
        try:
            facts = find_item(state.table.items, ref, items.owned)
        except Unknown:
            continue
        if facts.id in items.ready:
            yield ref, facts


def learn_figures(decision: GloomhavenDecision, name: str, ref: int | str, figures: ItemFigures) -> None:
    """Store the figures that the table gives for an item. Raises Refusal if they contradict known ones."""
    facts = ready_item(decision, name, ref)
    shields = facts.shields if figures.shields is None else figures.shields
    affects = facts.affects_attack if figures.affects_attack is None else figures.affects_attack
    compatible = figures_unknown(facts) or (shields == facts.shields and affects == facts.affects_attack)
    refuse_unless(
        compatible,
        "GH 19",
        f"The log knows {facts.name} otherwise: Shield {int(facts.shields)}"
        f"{', and it affects attacks' if facts.affects_attack else ''}.",
    )
    if (shields, affects) != (facts.shields, facts.affects_attack):
        decision.tell(FiguresLearned(replace(facts, shields=shields, affects_attack=affects)))


class FiguresLearned(Event, frozen=True, tag="gloomhaven.figures_learned"):
    """The log learns what an item that it knows does against an attack."""

    facts: PrintedItem

    def sentence(self) -> Sentence:
        does = f"shields for {int(self.facts.shields)}" if self.facts.shields else "affects attacks"
        return (f"{self.facts.name} {does} from now on.",)

    in_story = left_out

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

    def sentence(self) -> Sentence:
        place = "" if self.to == "ready" else f": {self.to}"
        return (f"{called(self.character)} uses {self.item.name}{place}.",)

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

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} leaves {self.item.name} unused.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        """No change: the event only records the choice."""


# -- refreshing ----------------------------------------------------------------------------------------


class Refresh(Action, frozen=True, kw_only=True, tag="gloomhaven.refresh"):
    """Refresh spent or consumed items."""

    character: Character
    items: Annotated[Refs, Meta(description="the items")]
    kind: Annotated[Literal["spent", "consumed"], Meta(description="the kind that the ability names")]

    @rule("GH 53", "GH 54", "GH 55")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Makes items ready again, except consumed ones with the unrecoverable symbol."""
        name = self.character
        must_take_part(decision, name)
        items = decision.sheet(name).items
        items_back = []
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
            refuse_unless(facts not in items_back, "GH 55", f"{facts.name} is named twice.")
            items_back.append(facts)
        decision.tell(ItemsRefreshed(name, tuple(as_named(facts) for facts in items_back)))


@rule("GH 86")
def refresh_all_spent(decision: GloomhavenDecision, name: str) -> None:
    """Make all spent items ready, as a long rest does, and by an option partly used ones too."""
    items = decision.sheet(name).items
    numbers = list(items.spent)
    if decision.options.part_used_items == "reset":
        numbers += [int(number) for number in items.circles_used]
    items_facts = [decision.table.items.get(number) for number in sorted(numbers)]
    back = tuple(as_named(facts) for facts in items_facts if facts is not None)
    if back:
        decision.tell(ItemsRefreshed(name, back))


class ItemsRefreshed(Event, frozen=True, tag="gloomhaven.items_refreshed"):
    """Items are ready again, with all their use circles free."""

    cites: ClassVar[tuple[str, ...]] = ("GH 54",)
    character: str
    items: tuple[Named, ...]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} refreshes {listed(item.name for item in self.items)}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            items = sheet.items
            for item in ids(self.items):
                items = place_item(items, item, "ready") if item in items.owned else items
            state.change(self.character, items=items)


# -- where an item lies --------------------------------------------------------------------------------


def place_item(items: Items, item: int, to: str | None, circles: int = 0) -> Items:
    """The items after one has moved to the place `to`; None removes it."""
    places: dict[str, Any] = {
        place: tuple(number for number in getattr(items, place) if number != item)
        for place in ("ready", "spent", "consumed")
    }
    if to is not None:
        places[to] = tuple(sorted((*places[to], item)))
    circles_used: Mapping[str, int] = {key: n for key, n in items.circles_used.items() if key != str(item)}
    return Items(
        **places, circles_used={**circles_used, str(item): circles} if circles and to == "ready" else circles_used
    )
