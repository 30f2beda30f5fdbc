"""A character in four lines: figures, hand, other cards, items and summons."""

from collections.abc import Sequence
from typing import Any

from domain.gloomhaven.piles import facts_of, named_cards, slots_drawn
from domain.gloomhaven.sheet import GloomhavenState
from domain.naming import quantity
from domain.system.rows import Bar, Bit, Phrase, Tone

#: Columns for a line of cards beside a name, in a window of 80.
ROOM = 67
#: The separator of two phrases in a line.
BETWEEN = " · "
#: The numbers of letters to which titles are cut, tried in order, if their first words do not fit.
SHORTER = (6, 4, 3, 2, 1)
#: The places of items, each with its suffix and tone.
ITEMS: tuple[tuple[str, str, Tone], ...] = (
    ("ready", "", "plain"), ("spent", " spent", "faint"), ("consumed", " consumed", "faint")
)  # fmt: skip
TONES: dict[str, Tone] = {"hand": "plain", "selected": "good", "discard": "plain", "lost": "faint"}


def brief(state: GloomhavenState, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:
    """At most four lines; none for the exhausted. Of a hidden pile only the number of cards is shown."""
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
    figures += [Phrase(condition, "bad") for condition in view["conditions"]]
    items = view["items"]
    facts = state.table.items
    own_items = [
        Phrase(f"{facts[number].name if number in facts else f'item {number}'}{lines_with}", tone)
        for place, lines_with, tone in ITEMS
        for number in items[place]
    ]
    summons = [Phrase(f"{summon['name']} {summon['hp']} hp", "good") for summon in view["summons"]]
    lines = (tuple(figures), *_cards(state, name, view), (*own_items, *summons))
    return tuple(line for line in lines if line)


def _cards(state: GloomhavenState, name: str, view: dict[str, Any]) -> Sequence[tuple[Phrase, ...]]:
    """Every card in two lines, with as much of its name as fits; the hand alone in the first line if possible.

    A hidden hand gets no line of its own: its number leaves room for the active cards.
    """

    def lines_with(letters: int | None) -> tuple[list[Phrase], list[Phrase]]:
        piles = {pile: _pile(state, name, view, pile, letters) for pile in TONES if view[pile]}
        active = [Phrase(_bonus(state, name, bonus, whole=letters is None), "good") for bonus in view["active"]]
        active[:1] = [Phrase(f"active {phrase.text}", phrase.tone) for phrase in active[:1]]
        return [piles.pop("hand")] if "hand" in piles else [], [*active, *piles.values()]

    ways = [lines_with(letters) for letters in (None, *SHORTER)]
    hand = next((tuple(hand) for hand, _ in ways if _fits(hand)), None)
    rest = next((tuple(rest) for _, rest in ways if _fits(rest)), None)
    if hand is not None and rest is not None and not isinstance(view["hand"], int):
        return tuple(line for line in (hand, rest) if line)
    flows = [_flowing([*hand, *rest]) for hand, rest in ways]
    return next((lines for lines in flows if len(lines) <= 2 and all(map(_fits, lines))), flows[-1])


def _fits(line: Sequence[Phrase]) -> bool:
    return sum(len(phrase.text) + len(BETWEEN) for phrase in line) - len(BETWEEN) <= ROOM


def _flowing(phrases: Sequence[Phrase]) -> list[tuple[Phrase, ...]]:
    """Phrases in order, on as few lines as possible."""
    lines: list[tuple[Phrase, ...]] = []
    for phrase in phrases:
        if lines and _fits((*lines[-1], phrase)):
            lines[-1] = (*lines[-1], phrase)
        else:
            lines.append((phrase,))
    return lines


def _pile(state: GloomhavenState, name: str, view: dict[str, Any], pile: str, letters: int | None) -> Phrase:
    """The cards of a pile with their initiative, the first word of each name cut to `letters`; None: uncut."""
    cards = view[pile]
    if isinstance(cards, int):
        return Phrase(f"{pile} {quantity(cards, 'card')}", TONES[pile])
    facts = facts_of(state, name)
    known_cards = [card for number in cards if (card := facts.card(number)) is not None]
    titles = " ".join(f"{card.name.partition(' ')[0][:letters]} {card.initiative}" for card in known_cards)
    return Phrase(f"{pile} {titles}", TONES[pile])


def _bonus(state: GloomhavenState, name: str, bonus: dict[str, Any], *, whole: bool) -> str:
    owner = bonus.get("lent_by", name)
    (card,) = named_cards(state, owner, (bonus["card"],))
    slots = slots_drawn(bonus)
    title = card.name if whole else card.name.partition(" ")[0]
    return f"{title}{f' {slots}' if slots else ''}"
