"""One action that somebody may choose: in a pending decision, or instead of what was refused."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain.turn import Action


class Choice(Struct, frozen=True):
    """One action that would settle a pending decision: the fields already known, and those somebody has to fill in."""

    action: type[Action]
    fields: Mapping[str, Any] = {}
    asks: tuple[str, ...] = ()
    #: What this choice means in a few words, if its line alone does not say it.
    says: str = ""
