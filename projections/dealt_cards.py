"""Who dealt the cards that a turn turned up: the log, or the table, which reported them."""

from collections import Counter
from collections.abc import Iterator

from domain.log.effective_history import EffectiveTurn
from domain.system.chance import COUNTED, UNSEEN
from domain.system.rulesystem import RuleSystem


def cards_from_the_log(system: RuleSystem, turn: EffectiveTurn) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The cards that the log dealt in a turn, as (owner, cards) per event."""
    if system.piles is None:
        return
    turned_up_cards = [cards_of for fact in turn.facts if (cards_of := system.turned_up(fact))[1]]
    if not turned_up_cards:  # as in most turns
        return
    reported_counts: dict[str, Counter[int | str]] = {}
    for key, draw in turn.chance.items():
        if draw.sides is None and not key.endswith((COUNTED, UNSEEN)):
            reported_counts.setdefault(draw.whose, Counter()).update(draw.values[: draw.reported])
    for owner, cards in turned_up_cards:
        of_table = reported_counts.get(owner, Counter())
        cards_of_log = []
        for card in cards:
            if of_table[card]:
                of_table[card] -= 1
            else:
                cards_of_log.append(card)
        if cards_of_log:
            yield owner, tuple(cards_of_log)


def source_of_cards(system: RuleSystem, turn: EffectiveTurn) -> str | None:
    """Who dealt the cards: "dealt", "reported" or "dealt and reported"; None if the turn turned up no card."""
    if system.piles is None:
        return None
    every = sum(len(system.turned_up(fact)[1]) for fact in turn.facts)
    if not every:
        return None
    cards_from_log = sum(len(cards) for _, cards in cards_from_the_log(system, turn))
    return "dealt" if cards_from_log == every else "dealt and reported" if cards_from_log else "reported"
