"""The numbers of a sheet that people change at the table by touching them, and the actions that change each."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from domain.turn import Action


class Step(Struct, frozen=True):
    """An action that makes a figure less or more: `amount` is its field that says by how much."""

    action: type[Action]
    amount: str
    #: what the action says besides about whom it is
    fields: Mapping[str, Any] = {}
    #: what it is called in a title ("Hit", "Heal")
    says: str = ""
    #: amounts that are offered, where 1 to 12 do not fit
    offers: tuple[int, ...] = tuple(range(1, 13))
    #: whether the amount is taken away by a negative number
    negated: bool = False


class Figure(Struct, frozen=True):
    """A number under its label on the sheet; of `full`, where it has an end. `vital`: it is watched all evening."""

    label: str
    now: int
    full: int | None = None
    less: Step | None = None
    more: Step | None = None
    vital: bool = False
