"""The cards of a character as piles for the page, with what each half does to its card."""

from collections.abc import Iterable, Sequence
from typing import Any

from domain.gloomhaven.facts import Half, PrintedCard
from domain.gloomhaven.piles import facts_of, slots_drawn
from domain.gloomhaven.sheet import GloomhavenState
from domain.naming import called
from domain.system.rows import CardView, Phrase, PileView

HALVES: tuple[Half, ...] = ("top", "bottom")


def laid_out(state: GloomhavenState, name: str, view: dict[str, Any]) -> Sequence[PileView]:
    """The piles that are not empty; of a hidden pile only the number of cards."""
    piles = [_pile(state, name, label, view[label]) for label in ("hand", "selected", "discard", "lost")]
    active = [_active(state, name, bonus) for bonus in view["active"]]
    return [pile for pile in (*piles, PileView("active", len(active), tuple(active))) if pile.count]


def _pile(state: GloomhavenState, name: str, label: str, content: Iterable[int] | int) -> PileView:
    if isinstance(content, int):
        return PileView(label, content)
    cards = [_card(state, name, number) for number in content]
    return PileView(label, len(cards), tuple(cards))


def _card(state: GloomhavenState, name: str, number: int, notes: Iterable[Phrase] | None = None) -> CardView:
    card = facts_of(state, name).card(number)
    if card is None:
        return CardView(f"card {number}", "", tuple(notes or ()))
    return CardView(card.name, str(card.initiative), tuple(_halves(card) if notes is None else notes))


def _halves(card: PrintedCard) -> Iterable[Phrase]:
    for half in HALVES:
        facts = card.half(half)
        if facts.lost:
            yield Phrase(f"{half} ✕ lost", "bad")
        if facts.active is not None:
            yield Phrase(f"{half} ∞ stays" if facts.active == "persistent" else f"{half} ○ this round", "good")


def _active(state: GloomhavenState, name: str, bonus: dict[str, Any]) -> CardView:
    owner = str(bonus.get("lent_by", name))
    slots = slots_drawn(bonus)
    lent = f"lent by {called(owner)}" if owner != name else ""
    notes = [f"{bonus['half']} {bonus['kind']}", slots, lent]
    return _card(state, owner, bonus["card"], [Phrase(note, "good") for note in notes if note])
