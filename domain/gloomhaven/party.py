"""A character in four lines: figures, hand, what is played or gone, items and summons."""

from collections.abc import Sequence
from typing import Any

from domain.gloomhaven.piles import facts_of, named
from domain.gloomhaven.sheet import GloomhavenState
from domain.system.rows import Bar, Bit, Phrase, Tone

#: Columns for the cards of a hand, beside a name in a window of 80.
ROOM = 62
#: To how many letters titles are cut where there is no room for a word of each.
SHORTER = (6, 4, 3)
TONES: dict[str, Tone] = {"hand": "plain", "selected": "good", "discard": "plain", "lost": "faint"}


def brief(state: GloomhavenState, name: str, shown: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:
    """Four lines; a pile that is veiled is only counted. The exhausted fold away."""
    if shown["exhausted"]:
        return ()
    figures: list[Bit] = [
        Bar(shown["hp"], shown["max_hp"]),
        Phrase(f"xp {shown['xp']}"),
        Phrase(f"gold {shown['gold']}"),
    ]
    if shown["initiative"] is not None:
        figures.append(Phrase(f"initiative {shown['initiative']}", "faint" if shown["acted"] else "good"))
    if shown["resting"]:
        figures.append(Phrase("long rest", "good"))
    figures += [Phrase(each, "bad") for each in shown["conditions"]]
    hand = (_pile(state, name, shown, "hand", ROOM),)
    filled = [pile for pile in ("selected", "discard", "lost") if shown[pile]]
    piles = [_pile(state, name, shown, pile, ROOM // len(filled) - len(pile)) for pile in filled]
    active = [Phrase(_bonus(state, name, each), "good") for each in shown["active"]]
    items = shown["items"]
    known = state.table.items
    owned = [
        Phrase(known[number].name if number in known else f"item {number}", "plain" if place == "ready" else "faint")
        for place in ("ready", "spent", "consumed")
        for number in items[place]
    ]
    summons = [Phrase(f"{each['name']} {each['hp']} hp", "good") for each in shown["summons"]]
    lines = (tuple(figures), hand, (*active, *piles), (*owned, *summons))
    return tuple(told for line in lines if (told := tuple(bit for bit in line if bit is not None)))


def _pile(state: GloomhavenState, name: str, shown: dict[str, Any], pile: str, room: int) -> Phrase | None:
    """The cards of a pile with their initiative, as much of each name as there is room for; None: there are none."""
    cards = shown[pile]
    if not cards:
        return None
    tone = TONES[pile]
    if isinstance(cards, int):
        return Phrase(f"{pile} {cards} card{'' if cards == 1 else 's'}", tone)
    facts = facts_of(state, name)
    known = [card for number in cards if (card := facts.card(number)) is not None]
    for letters in (None, *SHORTER):
        told = " ".join(f"{_shortened(card.name, letters)}{card.initiative}" for card in known)
        if len(told) <= room:
            break
    return Phrase(f"{pile} {told}", tone)


def _shortened(title: str, letters: int | None) -> str:
    """The first letters of a title, enough to type it by where no other card begins so; None: its first word whole."""
    first = title.partition(" ")[0]
    return f"{first} " if letters is None else first[:letters]


def _bonus(state: GloomhavenState, name: str, bonus: dict[str, Any]) -> str:
    owner = bonus.get("lent_by", name)
    (card,) = named(state, owner, (bonus["card"],))
    slots = "".join("●" if number == bonus["token"] else "○" for number in range(len(bonus["slots"])))
    return f"{card.name}{f' {slots}' if slots else ''}"
