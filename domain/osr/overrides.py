"""The invariants of an osr sheet, which an override must not break."""

from collections.abc import Mapping
from typing import Any

from domain.naming import called
from domain.osr.hit_points import dice_in_words, most_hit_points
from domain.osr.sheet import HIGHEST_LEVEL, OsrDecision
from domain.osr.wounds import wound_key
from domain.refusal import refuse_unless
from domain.system.citing import rule

#: The highest number that an override can give to a wound; new wounds are counted from there.
HIGHEST_GIVEN_OUT = 1_000_000


@rule("OSR 6.1", "OSR 6.2", "OSR 6.7")
def audit(decision: OsrDecision, name: str, overridden: Mapping[str, Any]) -> None:  # noqa: ARG001
    """Raise Refusal if the overridden sheet breaks an invariant."""
    sheet = decision.sheet(name)
    title = called(name)
    refuse_unless(
        1 <= sheet.level <= HIGHEST_LEVEL,
        "OSR 6.2",
        f"{title} cannot be of level {sheet.level}; levels go from 1 to {HIGHEST_LEVEL}.",
    )
    refuse_unless(
        1 <= sheet.hit_dice <= HIGHEST_LEVEL,
        "OSR 6.1",
        f"{title} cannot have {sheet.hit_dice} hit dice; they go from 1 to {HIGHEST_LEVEL}.",
    )
    most = most_hit_points(sheet.hit_dice)
    refuse_unless(
        0 <= sheet.hp <= most,
        "OSR 6.1",
        f"{title} cannot have {sheet.hp} hit points; with {dice_in_words(sheet.hit_dice)} they go from 0 to {most}.",
    )
    refuse_unless(
        sheet.condition != "dead" or sheet.injury is None,
        "OSR 6.7",
        f"{title} cannot be dead with an open injury; set injury to null as well.",
    )
    numbers = [wound.id for wound in sheet.wounds]
    refuse_unless(len(set(numbers)) == len(numbers), "OSR 6.9", f"{title} cannot have two wounds of one number.")
    for number in numbers:
        # mark the number as used, so that no later wound gets it
        if not decision.chance.is_used(wound_key(name), number):
            refuse_unless(
                number <= HIGHEST_GIVEN_OUT,
                "OSR 6.9",
                f"{title} cannot have a wound {number}; new numbers go up to {HIGHEST_GIVEN_OUT}.",
            )
            decision.chance.number(wound_key(name), requested=number)
