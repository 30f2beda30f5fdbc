"""The look-ups `class` and `learned`: the figures of a class and its cards, and what the log has learned."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from domain.gloomhaven.classes import (
    BUILT_IN,
    built_in_items,
    find_class,
    find_item,
    item_titles,
    known_items,
    met_classes,
)
from domain.gloomhaven.facts import PrintedCard, PrintedHalf
from domain.gloomhaven.sheet import GloomhavenState
from domain.gloomhaven.summons import figures_of
from domain.naming import called, key_of
from domain.system.extensions import Lookup
from domain.system.rows import Phrase, Row


def names(state: GloomhavenState) -> Sequence[str]:
    """The classes that are built in or played; learned ones that nobody plays are found by their name only."""
    return met_classes(state.table.classes, (sheet.class_ for sheet in state.characters.values()))


def to_view(state: GloomhavenState, name: str) -> Mapping[str, Any]:
    """The class in the form of its file. Raises Refusal if there is no such class."""
    view: dict[str, Any] = msgspec.to_builtins(find_class(name, state.table.classes))
    return view


def rows(state: GloomhavenState, name: str) -> Sequence[Row]:
    """The class in rows, one per card. Raises Refusal if there is no such class."""
    facts = find_class(name, state.table.classes)
    edition = (Phrase(f"of {facts.edition}"),) if facts.edition else ()
    rows: list[Row] = [
        ("class", (Phrase(called(facts.class_)), *edition, Phrase(f"a hand of {facts.hand_size} cards"))),
        ("hp", (Phrase(f"{' '.join(map(str, facts.hp))} at levels 1 to 9"),)),
    ]
    return [*rows, *(_card(card) for card in facts.cards)]


def _card(card: PrintedCard) -> Row:
    halves = [f"{half}: {text}" for half in ("top", "bottom") if (text := ", ".join(_half(getattr(card, half))))]
    return f"level {card.level}", tuple(map(Phrase, (f"{card.id} {card.name}, initiative {card.initiative}", *halves)))


def _half(half: PrintedHalf) -> Iterator[str]:
    """The bookkeeping of a half in words, for people."""
    if half.lost:
        yield "lost"
    if half.unrecoverable:
        yield "never recovered"
    if half.active is not None:
        yield half.active
    if half.slots:
        yield f"slots {' '.join(map(str, half.slots))}" + (
            "" if half.advances_on == "manual" else f" moved when {half.advances_on}"
        )
    if half.shield:
        yield f"Shield {half.shield}"
    if half.retaliate:
        yield f"Retaliate {half.retaliate}" + (f" at range {half.range}" if half.range else "")
    if half.negates_damage:
        yield "negates damage"
    if half.xp:
        yield f"{half.xp} experience"
    if half.conditional_xp:
        yield f"{half.conditional_xp} experience on its condition"
    if half.summon is not None:
        yield f"summons an ally ({figures_of(half.summon)})"


def learned_names(state: GloomhavenState) -> Sequence[str]:
    """The names of the learned classes and items, including those that no player has met."""
    built_in = {item.id for item in built_in_items()}
    titles = item_titles(known_items(state.table.items))
    classes = [name for name in state.table.classes if name not in BUILT_IN]
    return (*classes, *(title for number, title in titles.items() if number not in built_in))


def learned_view(state: GloomhavenState, name: str) -> Mapping[str, Any]:
    """A class or an item in the form of its file. Raises Refusal if the log knows neither."""
    if key_of(name) in state.table.classes:
        return to_view(state, name)
    facts: dict[str, Any] = msgspec.to_builtins(find_item(state.table.items, name))
    return facts


def learned_rows(state: GloomhavenState, name: str) -> Sequence[Row]:
    """The same in rows. Raises Refusal if the log knows neither."""
    if key_of(name) in state.table.classes:
        return rows(state, name)
    return [(field.replace("_", " "), (Phrase(str(value)),)) for field, value in learned_view(state, name).items()]


LEARNED_LOOKUP = Lookup(
    "learned",
    "List what the log has learned of classes and items.",
    learned_names,
    learned_view,
    learned_rows,
    also=("learn", "list"),
)
LOOKUP = Lookup("class", "Show what the log knows of a class and its cards.", names, to_view, rows, examples=("brute",))
