"""Upcasts: fill in what turns of earlier versions lack when they are read; the stored turns stay unchanged.

One function per changed shape, with its date; `data/old_logs` has a log from before each change.
"""

from collections.abc import Mapping

from domain.system.chance import values_under_key
from domain.turn import BareDrawn, Drawn, StoredDrawn

#: Until 2026-11-21 the number of sides was not stored: it follows from the purpose of the dice.
SIDES_BY_PURPOSE = {
    "hit dice": 6,
    "re-roll": 6,
    "morning": 6,
    "breather": 4,
    "attack, attacker loses": 4,
    "attack, defender loses": 4,
}


def chance_with_owners(chance: Mapping[str, StoredDrawn]) -> Mapping[str, Drawn]:
    """The chance of a turn with owner, purpose and sides of all values.

    Until 2026-11-21 turns stored only the key, which has owner and purpose.
    """
    for draw in chance.values():
        if isinstance(draw, BareDrawn):
            return {key: _with_owner(key, draw) for key, draw in chance.items()}
    return chance  # type: ignore[return-value]


def _with_owner(key: str, draw: StoredDrawn) -> Drawn:
    if isinstance(draw, Drawn):
        return draw
    whole = values_under_key(key, draw.values, draw.reported)
    return Drawn(whole.values, whole.reported, whole.whose, whole.purpose, SIDES_BY_PURPOSE.get(whole.purpose))
