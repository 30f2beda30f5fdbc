"""The numbers of a sheet that can be changed by touch, and the actions that change them."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain.turn import Action


class Adjustment(Struct, frozen=True):
    """An action that decreases or increases a figure.

    `amount` is its field for the difference, or for the way it is done; empty: the action is offered once.
    """

    action: type[Action]
    amount: str = ""
    #: further fields of the action, beside the character
    fields: Mapping[str, Any] = {}
    #: its title ("Hit", "Heal")
    says: str = ""
    #: the values of `amount` that are offered
    offers: tuple[int | str, ...] = tuple(range(1, 13))
    #: whether a decrease is given as a negative amount
    negated: bool = False


class Figure(Struct, frozen=True):
    """A number with its label on the sheet. `full`: its maximum, if any; `vital`: always in sight."""

    label: str
    now: int
    full: int | None = None
    less: Adjustment | None = None
    more: Adjustment | None = None
    vital: bool = False
