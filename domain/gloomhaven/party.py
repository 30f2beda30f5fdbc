"""A character in four lines: figures, hand, what is played or gone, items and summons."""

from collections.abc import Sequence
from typing import Any

from domain.gloomhaven.piles import facts_of, named
from domain.gloomhaven.sheet import GloomhavenState
from domain.system.rows import Bar, Bit, Phrase, Tone

#: Columns for a line of cards, beside a name in a window of 80.
ROOM = 67
#: What stands between two phrases of a line.
BETWEEN = " · "
#: To how many letters titles are cut where there is no room for a word of each.
SHORTER = (6, 4, 3, 2)
#: Where items are, and what is said of them there.
ITEMS: tuple[tuple[str, str, Tone], ...] = (
    ("ready", "", "plain"), ("spent", " spent", "faint"), ("consumed", " consumed", "faint")
)  # fmt: skip
TONES: dict[str, Tone] = {"hand": "plain", "selected": "good", "discard": "plain", "lost": "faint"}


def brief(state: GloomhavenState, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:
    """Four lines; a pile that is veiled is only counted. The exhausted fold away."""
    if view["exhausted"]:
        return ()
    figures: list[Bit] = [
        Bar(view["hp"], view["max_hp"]),
        Phrase(f"xp {view['xp']}"),
        Phrase(f"gold {view['gold']}"),
    ]
    if view["initiative"] is not None:
        figures.append(Phrase(f"initiative {view['initiative']}", "faint" if view["acted"] else "good"))
    if view["resting"]:
        figures.append(Phrase("long rest", "good"))
    figures += [Phrase(each, "bad") for each in view["conditions"]]
    items = view["items"]
    known = state.table.items
    owned = [
        Phrase(f"{known[number].name if number in known else f'item {number}'}{told}", tone)
        for place, told, tone in ITEMS
        for number in items[place]
    ]
    summons = [Phrase(f"{each['name']} {each['hp']} hp", "good") for each in view["summons"]]
    lines = (tuple(figures), *_cards(state, name, view), (*owned, *summons))
    return tuple(line for line in lines if line)


def _cards(state: GloomhavenState, name: str, view: dict[str, Any]) -> Sequence[tuple[Phrase, ...]]:
    """Every card in two lines, with as much of its name as there is room for: the hand alone in the first if it can.

    A hand that is only counted has no line of its own: where everybody keeps two lines, what is active shows.
    """

    def told(letters: int | None) -> tuple[list[Phrase], list[Phrase]]:
        piles = {pile: _pile(state, name, view, pile, letters) for pile in TONES if view[pile]}
        active = [Phrase(_bonus(state, name, each, whole=letters is None), "good") for each in view["active"]]
        active[:1] = [Phrase(f"active {each.text}", each.tone) for each in active[:1]]
        return [piles.pop("hand")] if "hand" in piles else [], [*active, *piles.values()]

    ways = [told(letters) for letters in (None, *SHORTER)]
    hand = next((tuple(hand) for hand, _ in ways if _fits(hand)), None)
    others = next((tuple(others) for _, others in ways if _fits(others)), None)
    if hand is not None and others is not None and not isinstance(view["hand"], int):
        return tuple(line for line in (hand, others) if line)
    flows = [_flowing([*hand, *others]) for hand, others in ways]
    return next((lines for lines in flows if len(lines) <= 2 and all(map(_fits, lines))), flows[-1])


def _fits(line: Sequence[Phrase]) -> bool:
    return sum(len(each.text) + len(BETWEEN) for each in line) - len(BETWEEN) <= ROOM


def _flowing(phrases: Sequence[Phrase]) -> list[tuple[Phrase, ...]]:
    """Phrases one after the other, on as few lines as take them."""
    lines: list[tuple[Phrase, ...]] = []
    for phrase in phrases:
        if lines and _fits((*lines[-1], phrase)):
            lines[-1] = (*lines[-1], phrase)
        else:
            lines.append((phrase,))
    return lines


def _pile(state: GloomhavenState, name: str, view: dict[str, Any], pile: str, letters: int | None) -> Phrase:
    """The cards of a pile with their initiative, and so many letters of each name."""
    cards = view[pile]
    if isinstance(cards, int):
        return Phrase(f"{pile} {cards} card{'' if cards == 1 else 's'}", TONES[pile])
    facts = facts_of(state, name)
    known = [card for number in cards if (card := facts.card(number)) is not None]
    told = " ".join(f"{_shortened(card.name, letters)}{card.initiative}" for card in known)
    return Phrase(f"{pile} {told}", TONES[pile])


def _shortened(title: str, letters: int | None) -> str:
    """The first letters of a title, enough to type it by where no other card begins so; None: its first word whole."""
    first = title.partition(" ")[0]
    return f"{first} " if letters is None else first[:letters]


def _bonus(state: GloomhavenState, name: str, bonus: dict[str, Any], *, whole: bool) -> str:
    owner = bonus.get("lent_by", name)
    (card,) = named(state, owner, (bonus["card"],))
    slots = "".join("●" if number == bonus["token"] else "○" for number in range(len(bonus["slots"])))
    title = card.name if whole else card.name.partition(" ")[0]
    return f"{title}{f' {slots}' if slots else ''}"
