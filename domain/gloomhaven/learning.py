"""Storing the facts of classes, cards and items in the log, so that replaying needs no file."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from domain.gloomhaven.classes import (
    BUILT_IN,
    built_in_items,
    known_classes,
    known_items,
    read_cards,
    read_class,
    read_items,
)
from domain.gloomhaven.facts import PrintedCard, PrintedClass, PrintedItem
from domain.gloomhaven.sheet import GloomhavenDecision, GloomhavenState
from domain.naming import called, key_of, listed, possessive, quantity
from domain.refusal import Invalid, Refusal
from domain.system.story import left_out
from domain.turn import Action, Event, Sentence

#: Tables as the TOML files hold them.
Tables = Annotated[tuple[dict[str, Any], ...], Meta(min_length=1)]


class Learn(Action, frozen=True, kw_only=True, tag="gloomhaven.learn"):
    """Teach the log cards, items and classes.

    You can do this at any time, and for a class that it knows already. The clone has a template for a class of your
    own: data/gloomhaven/template-class.toml.
    """

    cards: Annotated[Tables | None, Meta(description="cards, each with its class")] = None
    items: Annotated[Tables | None, Meta(description="items")] = None
    classes: Annotated[Tables | None, Meta(description="classes, whole or with cards that are new")] = None
    data: Annotated[
        dict[str, Any] | None,
        Meta(description="a file as TOML: a class, or more cards of one, or items", extra={"file": "file"}),
    ] = None

    def check(self) -> None:
        if not (self.cards or self.items or self.classes or self.data):
            raise Invalid("There is nothing to learn; give a file, or cards, items or classes.")
        facts_to_learn(self)

    def decide(self, decision: GloomhavenDecision) -> None:
        """Stores what is new; refuses what contradicts the log, and an action with nothing new."""
        taught, before = facts_to_learn(self), len(decision.events)
        for name, table in taught.classes.items():
            learn_class(decision, name, table)
        for item in taught.items:
            _must_not_be_another(decision.table.items, item)
        learn_items(decision, *taught.items)
        if len(decision.events) == before:
            raise Refusal(None, "The log knows all of that already.")


class FactsToLearn(msgspec.Struct, frozen=True):
    """The content of a `Learn` action: tables of classes by name, with their cards; and items."""

    classes: dict[str, dict[str, Any]]
    items: tuple[PrintedItem, ...]


def facts_to_learn(action: Learn) -> FactsToLearn:
    """The classes and items of an action. Raises Invalid for anything that is no class, card or item."""
    classes: dict[str, dict[str, Any]] = {}
    items: list[Any] = list(action.items or ())
    whole = action.data or {}
    for table in (*(action.classes or ()), *([whole] if "class" in whole or "cards" in whole else [])):
        name = _class_of(table)
        items += table.get("items", ())
        more = {**classes.get(name, {}), **table}
        classes[name] = {**more, "cards": [*classes.get(name, {}).get("cards", ()), *table.get("cards", ())]}
    if "class" not in whole and "cards" not in whole:
        items += whole.get("items", ())
        for field in whole:
            if field != "items":
                raise Invalid(f"A file of items has no field {field!r}; a file of a class says which, as class.")
    for card in action.cards or ():
        name = _class_of(card)
        table = classes.setdefault(name, {"class": name, "cards": []})
        table["cards"] = [*table["cards"], {field: value for field, value in card.items() if field != "class"}]
    for name, table in classes.items():
        read_cards(table["cards"], f"The {name}")
    return FactsToLearn(classes, read_items(items))


def _class_of(table: Mapping[str, Any]) -> str:
    name = table.get("class")
    if not isinstance(name, str) or not name.strip():
        raise Invalid("Cards are learned with their class; say which, as class.")
    return key_of(name)


def learn_class(decision: GloomhavenDecision, name: str, table: Mapping[str, Any]) -> None:
    """Store a class that is new to the log, or the new cards of a known one. Raises Refusal for contradictions."""
    known_class = known_classes(decision.table.classes).get(name)
    if known_class is None:
        decision.tell(ClassLearned(replace(read_class(table), items=())))
        return
    _must_not_be_of_another_edition(known_class, table)
    if name not in decision.table.classes:
        decision.tell(ClassLearned(known_class))
    for field, label in (("hand_size", "cards in hand"), ("hp", "hit points")):
        if field in table and list(_as_values(table[field])) != list(_as_values(getattr(known_class, field))):
            raise Refusal(
                None,
                f"The log knows the {name} with {label} {_json(getattr(known_class, field))},"
                f" not {_json(table[field])}.",
            )
    new = []
    for card in read_cards(table.get("cards", ()), f"The {name}"):
        _must_not_differ(f"{name} card", known_class.card(card.id), card)
        twin = next(
            (known_card for known_card in known_class.cards if key_of(known_card.name) == key_of(card.name)), card
        )
        _must_not_differ(f"{name} card", twin, card)
        if known_class.card(card.id) is None:
            new.append(card)
    if new:
        decision.tell(CardsLearned(name, tuple(new)))


def _must_not_be_of_another_edition(known_class: PrintedClass, table: Mapping[str, Any]) -> None:
    """Raise Refusal if the table has another edition; a table without one only adds cards."""
    if "edition" in table and table["edition"] != known_class.edition:
        raise Refusal(
            None,
            f"The log knows the {known_class.class_} of {known_class.edition or 'Gloomhaven'},"
            f" not of {_json(table['edition'])}. "
            f"Give this one a class of its own, and {known_class.printed[1]} as its name.",
        )


def _as_values(value: Any) -> Iterable[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def must_leave_items_alone(learned: Mapping[int, PrintedItem], items: Iterable[PrintedItem]) -> None:
    """Raise Refusal if an item of a class file contradicts one that the log has learned."""
    for item in items:
        if item.id in learned:
            _must_not_be_another(learned, item)


def _must_not_be_another(learned: Mapping[int, PrintedItem], item: PrintedItem) -> None:
    """Raise Refusal if the log has another item, or one of another edition, under the same number."""
    known_item = known_items(learned).get(item.id)
    if known_item is None or known_item.edition == item.edition:
        _must_not_differ("item", known_item, item)
    elif known_item.id in learned:
        raise Refusal(
            None,
            f"The log knows {_json(known_item)} as item {item.id}; {_json(item)} is of another edition. "
            f"Give it an id of its own, and {item.printed[1]} as its number.",
        )


def _must_not_differ(
    kind: str, known_facts: PrintedCard | PrintedItem | None, facts: PrintedCard | PrintedItem
) -> None:
    """Raise Refusal, quoting both, if the facts differ from those that the log has."""
    if known_facts is not None and known_facts != facts:
        raise Refusal(None, f"The log knows the {kind} {_json(known_facts)}; that differs from {_json(facts)}.")


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class ClassLearned(Event, frozen=True, tag="gloomhaven.class_learned"):
    """The facts of a class come into the log, at the latest with its first character; no file is needed later."""

    facts: PrintedClass

    def sentence(self) -> Sentence:
        items = f" and {quantity(len(self.facts.items), 'item')}" if self.facts.items else ""
        if self.facts.class_ in BUILT_IN:
            return (f"The {possessive(self.facts.class_)} cards{items} enter the log.",)
        # the name of a class that is not built in could spoil one that nobody has met yet
        return (f"A class with {quantity(len(self.facts.cards), 'card')}{items} enters the log.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        items = {item.id: item for item in self.facts.items}
        state.change_table(
            classes={**state.table.classes, self.facts.class_: self.facts}, items={**state.table.items, **items}
        )


class CardsLearned(Event, frozen=True, tag="gloomhaven.cards_learned"):
    """More cards of a class that the log knows."""

    class_: str = msgspec.field(name="class")
    facts: tuple[PrintedCard, ...]

    def sentence(self) -> Sentence:
        enters = "enters" if len(self.facts) == 1 else "enter"
        owner = f"the {called(self.class_)}" if self.class_ in BUILT_IN else "a class"
        return (f"{quantity(len(self.facts), 'more card')} of {owner} {enters} the log.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        known_class = state.table.classes.get(self.class_)
        if known_class is not None:
            here = {card.id for card in self.facts}
            cards = (*(card for card in known_class.cards if card.id not in here), *self.facts)
            state.change_table(classes={**state.table.classes, self.class_: replace(known_class, cards=cards)})


class ItemsLearned(Event, frozen=True, tag="gloomhaven.items_learned"):
    """The facts of items come into the log, at the latest when somebody first owns them."""

    facts: tuple[PrintedItem, ...]

    def sentence(self) -> Sentence:
        enters = "enters" if len(self.facts) == 1 else "enter"
        built_in = {item.id for item in built_in_items()}
        names = [item.name for item in self.facts if item.id in built_in]
        other_items = len(self.facts) - len(names)
        items = listed([*names, *([quantity(other_items, "item")] if other_items else [])])
        return (f"{items} {enters} the log.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        state.change_table(items={**state.table.items, **{item.id: item for item in self.facts}})


def learn_items(decision: GloomhavenDecision, *items: PrintedItem) -> None:
    """Store the facts of items that the log does not have yet."""
    new = tuple(facts for facts in items if facts.id not in decision.table.items)
    if new:
        decision.tell(ItemsLearned(new))
