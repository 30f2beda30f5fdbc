"""Dice for the table: what nobody's rules ask for, rolled all the same, and on record as a note."""

import re
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.common.notes import Noted
from domain.naming import ended, listed, quantity
from domain.refusal import Invalid
from domain.system.decision import Deciding
from domain.turn import Action, Text

#: How dice are written: how many (one, if left out), of how many sides, and what is added to them.
NOTATION = r"(?P<count>[1-9]\d?)?[dD](?P<sides>[1-9]\d{0,3})(?P<more>[+-]\d{1,4})?"


class RollDice(Action, frozen=True, kw_only=True, tag="roll"):
    """Roll dice for the table; no sheet changes.

    The dice are noted: rolled here, or as they fell at the table.
    """

    for_everybody: ClassVar = True

    dice: Annotated[
        str, Meta(max_length=20, description="which to roll, like 2d6 or d20+3", extra={"written_as": NOTATION})
    ]
    rolled: Annotated[
        tuple[int, ...] | None,
        Meta(
            description="what they showed at the table",
            extra={"otherwise": "rolled here", "dice": True, "sides_in": "dice"},
        ),
    ] = None
    what: Annotated[Text | None, Meta(description="what they are rolled for", extra={"remark": True})] = None

    def check(self) -> None:
        count, sides, _ = _dice(self.dice)
        if self.rolled is None:
            return
        if len(self.rolled) != count:
            raise Invalid(f"{self.dice} is {quantity(count, 'die', 'dice')}, not {len(self.rolled)}.")
        if wrong := [die for die in self.rolled if not 1 <= die <= sides]:
            raise Invalid(f"A d{sides} cannot show {wrong[0]}.")

    def announcement(self) -> str:
        return f"{self.dice.lower()}{self._purpose}"

    @property
    def _purpose(self) -> str:
        return f" for {self.what.removeprefix('for ')}" if self.what else ""

    def decide(self, decision: Deciding) -> None:
        """What they show is all that happens."""
        count, sides, more = _dice(self.dice)
        faces = decision.chance.dice("table/dice", count, sides, self.rolled, rule=self.dice)
        total = sum(faces) + more
        addition = f" {'+' if more > 0 else '-'} {abs(more)}" if more else ""
        sum_ = f", {total} in all" if count > 1 or more else ""
        decision.tell(Noted(ended(f"{self.dice.lower()}{self._purpose}: {listed(map(str, faces))}{addition}{sum_}")))


def _dice(text: str) -> tuple[int, int, int]:
    """How many dice, of how many sides, and what is added. Raises Invalid for what is written otherwise."""
    match = re.fullmatch(NOTATION, text)
    if match is None:
        raise Invalid(f"Write dice like 2d6, d20 or 3d6+1, not {text!r}.")
    return int(match["count"] or 1), int(match["sides"]), int(match["more"] or 0)
