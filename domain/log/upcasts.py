"""Upcasts: what turns of earlier versions left out, filled in as they are read. What is stored stays as it is.

One function for each shape that changed, with the day; `data/old_logs` holds a log from before each of them.
"""

from collections.abc import Mapping

from domain.system.chance import drawn_under
from domain.turn import BareDrawn, Drawn, StoredDrawn

#: Until 2026-11-21 only the rules knew how many sides the dice have, by what they were rolled for.
SIDES_BY_PURPOSE = {
    "hit dice": 6,
    "re-roll": 6,
    "morning": 6,
    "breather": 4,
    "attack, attacker loses": 4,
    "attack, defender loses": 4,
}


def chance_with_owners(chance: Mapping[str, StoredDrawn]) -> Mapping[str, Drawn]:
    """The chance of a turn, each value with whose it is, what for, and how many sides the dice have.

    Until 2026-11-21 a turn kept only the key that these stand in.
    """
    for drawn in chance.values():
        if isinstance(drawn, BareDrawn):
            return {key: _with_owner(key, each) for key, each in chance.items()}
    return chance  # type: ignore[return-value]


def _with_owner(key: str, drawn: StoredDrawn) -> Drawn:
    if isinstance(drawn, Drawn):
        return drawn
    whole = drawn_under(key, drawn.values, drawn.reported)
    return Drawn(whole.values, whole.reported, whole.whose, whole.purpose, SIDES_BY_PURPOSE.get(whole.purpose))
