"""A character in four lines: figures, hand, what is played or gone, items and summons."""

from collections.abc import Iterable, Sequence
from typing import Any

from domain.gloomhaven.piles import facts_of, named
from domain.gloomhaven.sheet import GloomhavenState
from domain.system.rows import Bar, Bit, Phrase


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
    played = [("hand", "plain"), ("selected", "good")]
    gone = [("discard", "plain"), ("lost", "faint")]
    hand = [Phrase(f"{pile} {_cards(state, name, shown[pile])}", tone) for pile, tone in played if shown[pile]]  # type: ignore[arg-type]
    away = [Phrase(f"{pile} {_cards(state, name, shown[pile])}", tone) for pile, tone in gone if shown[pile]]  # type: ignore[arg-type]
    active = [Phrase(_bonus(state, name, each), "good") for each in shown["active"]]
    items = shown["items"]
    known = state.table.items
    owned = [
        Phrase(known[number].name if number in known else f"item {number}", "plain" if place == "ready" else "faint")
        for place in ("ready", "spent", "consumed")
        for number in items[place]
    ]
    summons = [Phrase(f"{each['name']} {each['hp']} hp", "good") for each in shown["summons"]]
    lines = (tuple(figures), tuple(hand), (*active, *away), (*owned, *summons))
    return tuple(line for line in lines if line)


def _cards(state: GloomhavenState, name: str, pile: Iterable[int] | int) -> str:
    """Cards with their initiative; of a veiled pile how many."""
    if isinstance(pile, int):
        return f"{pile} card{'' if pile == 1 else 's'}"
    facts = facts_of(state, name)
    cards = [facts.card(card.id) for card in named(state, name, pile)]
    return ", ".join(f"{card.name} {card.initiative}" for card in cards if card is not None)


def _bonus(state: GloomhavenState, name: str, bonus: dict[str, Any]) -> str:
    owner = bonus.get("lent_by", name)
    (card,) = named(state, owner, (bonus["card"],))
    slots = "".join("●" if number == bonus["token"] else "○" for number in range(len(bonus["slots"])))
    return f"{card.name}{f' {slots}' if slots else ''}"
