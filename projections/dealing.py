"""Who dealt the cards that a turn turned up: the log, out of its own deck, or the table, which reported them."""

from collections import Counter
from collections.abc import Iterator

from domain.log.effective_history import EffectiveTurn
from domain.system.chance import COUNTED, UNSEEN
from domain.system.rulesystem import RuleSystem


def dealt_by_the_log(system: RuleSystem, told: EffectiveTurn) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The cards of each turning over that the log dealt, and whose they are."""
    if system.piles is None:
        return
    turned = [found for fact in told.facts if (found := system.turned_up(fact))[1]]
    if not turned:  # as in most turns
        return
    reported: dict[str, Counter[int | str]] = {}
    for key, drawn in told.chance.items():
        if drawn.sides is None and not key.endswith((COUNTED, UNSEEN)):
            reported.setdefault(drawn.whose, Counter()).update(drawn.values[: drawn.reported])
    for whose, cards in turned:
        of_table = reported.get(whose, Counter())
        dealt = []
        for card in cards:
            if of_table[card]:
                of_table[card] -= 1
            else:
                dealt.append(card)
        if dealt:
            yield whose, tuple(dealt)


def who_dealt(system: RuleSystem, told: EffectiveTurn) -> str | None:
    """ "dealt" by the log, "reported" by the table, or both; None: the turn turned up no card."""
    if system.piles is None:
        return None
    every = sum(len(system.turned_up(fact)[1]) for fact in told.facts)
    if not every:
        return None
    dealt = sum(len(cards) for _, cards in dealt_by_the_log(system, told))
    return "dealt" if dealt == every else "dealt and reported" if dealt else "reported"
