"""What the log knows of a class: its figures, and the bookkeeping of its cards."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from domain.gloomhaven.classes import BUILT_IN, find_class, known_classes
from domain.gloomhaven.printed import PrintedCard, PrintedHalf
from domain.gloomhaven.sheet import GloomhavenState
from domain.gloomhaven.summons import printed
from domain.naming import called
from domain.system.extensions import Lookup
from domain.system.rows import Phrase, Row


def names(state: GloomhavenState) -> Sequence[str]:
    """The classes that are built in, and those that somebody plays; others are known to whoever types their name."""
    played = {sheet.class_ for sheet in state.characters.values()}
    return tuple(each for each in known_classes(state.table.classes) if each in BUILT_IN or each in played)


def to_view(state: GloomhavenState, name: str) -> Mapping[str, Any]:
    """The class as its file would tell it. Raises Refusal if there is no such class."""
    told: dict[str, Any] = msgspec.to_builtins(find_class(name, state.table.classes))
    return told


def rows(state: GloomhavenState, name: str) -> Sequence[Row]:
    """The class in rows, a card each. Raises Refusal if there is no such class."""
    facts = find_class(name, state.table.classes)
    edition = (Phrase(f"of {facts.edition}"),) if facts.edition else ()
    rows: list[Row] = [
        ("class", (Phrase(called(facts.class_)), *edition, Phrase(f"a hand of {facts.hand_size} cards"))),
        ("hp", (Phrase(f"{' '.join(map(str, facts.hp))} at levels 1 to 9"),)),
    ]
    return [*rows, *(_card(card) for card in facts.cards)]


def _card(card: PrintedCard) -> Row:
    halves = [f"{half}: {told}" for half in ("top", "bottom") if (told := ", ".join(_half(getattr(card, half))))]
    return f"level {card.level}", tuple(map(Phrase, (f"{card.id} {card.name}, initiative {card.initiative}", *halves)))


def _half(half: PrintedHalf) -> Iterator[str]:
    """The bookkeeping of a half, as one says it."""
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
        yield f"summons an ally ({printed(half.summon)})"


LOOKUP = Lookup("class", "What the log knows of a class and its cards.", names, to_view, rows, examples=("brute",))
