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

    @property
    def is_grave(self) -> bool:
        """Whether nobody makes it lightly, as one that ends a life."""
        return any(self.fields.get(field) == value for field, value in self.action.grave_values.items())
