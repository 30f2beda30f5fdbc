"""Which rulings hold: what the later ones leave of the earlier ones, as every reading and every rule takes it."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from domain.system.seam import RulingInForce


class Holding(Struct, frozen=True):
    """What is left of one ruling at some place in the log.

    `options` are those that it sets and no later ruling does. Where none of its options is left, it is superseded
    by the latest ruling that took one; a ruling that sets no option is superseded by nothing.
    """

    options: Mapping[str, Any]
    superseded_by: int | None = None

    @property
    def in_force(self) -> bool:
        return self.superseded_by is None


def holdings(rulings: Iterable[RulingInForce]) -> dict[int, Holding]:
    """What is left of each of the rulings that stand at one place, by number; those that have ended are not in it."""
    latest: dict[str, int] = {}
    found: dict[int, Holding] = {}
    for ruling in sorted(rulings, key=lambda each: each.number, reverse=True):
        if ruling.ended:
            continue
        left = {name: value for name, value in ruling.options.items() if name not in latest}
        over = max(map(latest.__getitem__, ruling.options)) if ruling.options and not left else None
        found[ruling.number] = Holding(left, over)
        for name in left:
            latest[name] = ruling.number
    return found
