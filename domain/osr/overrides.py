"""What holds of a sheet even against the rules: the referee's word may set anything else."""

from collections.abc import Mapping
from typing import Any

from domain.naming import called
from domain.osr.hit_points import dice_told, most_hit_points
from domain.osr.sheet import HIGHEST_LEVEL, OsrDecision
from domain.osr.wounds import wound_key
from domain.refusal import refuse_unless
from domain.system.citing import rule

#: The highest number that the referee can give to a wound; counting goes on from there.
HIGHEST_GIVEN_OUT = 1_000_000


@rule("OSR 6.1", "OSR 6.2", "OSR 6.7")
def audit(decision: OsrDecision, name: str, overridden: Mapping[str, Any]) -> None:  # noqa: ARG001
    """The invariants of a sheet, held once everything is set."""
    sheet = decision.sheet(name)
    told = called(name)
    refuse_unless(
        1 <= sheet.level <= HIGHEST_LEVEL,
        "OSR 6.2",
        f"{told} cannot be of level {sheet.level}; levels go from 1 to {HIGHEST_LEVEL}.",
    )
    refuse_unless(
        1 <= sheet.hit_dice <= HIGHEST_LEVEL,
        "OSR 6.1",
        f"{told} cannot have {sheet.hit_dice} hit dice; they go from 1 to {HIGHEST_LEVEL}.",
    )
    most = most_hit_points(sheet.hit_dice)
    refuse_unless(
        0 <= sheet.hp <= most,
        "OSR 6.1",
        f"{told} cannot have {sheet.hp} hit points; with {dice_told(sheet.hit_dice)} they go from 0 to {most}.",
    )
    refuse_unless(
        sheet.condition != "dead" or sheet.injury is None,
        "OSR 6.7",
        f"{told} cannot be dead with an open injury; set injury to null as well.",
    )
    numbers = [wound.id for wound in sheet.wounds]
    refuse_unless(len(set(numbers)) == len(numbers), "OSR 6.9", f"{told} cannot have two wounds of one number.")
    for number in numbers:
        # so that no wound to come is given a number that the referee gave out
        if not decision.chance.is_used(wound_key(name), number):
            refuse_unless(
                number <= HIGHEST_GIVEN_OUT,
                "OSR 6.9",
                f"{told} cannot have a wound {number}; new numbers go up to {HIGHEST_GIVEN_OUT}.",
            )
            decision.chance.number(wound_key(name), asked=number)
