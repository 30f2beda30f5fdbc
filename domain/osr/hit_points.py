"""Hit dice and hit points: OSR 6.1 and 6.2."""

from collections.abc import Sequence

from msgspec import Struct

from domain.naming import called
from domain.osr.actions import Enrol, LevelUp
from domain.osr.events import Enrolled, LevelGained, dice_told
from domain.osr.free import must_be_free
from domain.osr.sheet import FIGURES, HIGHEST_LEVEL, OsrDecision, OsrSheet, OsrState
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.seam import Decide, Evolve
from domain.turn import Action, Event, refuse_unless

SIDES: int = FIGURES["6.1"]["sides"]


class Roll(Struct, frozen=True):
    """Dice as they fell; `drawn` when the log rolled any of them."""

    dice: tuple[int, ...]
    drawn: bool


def sides(key: str) -> int | None:
    """The dice in a turn's chance are hit dice, whatever they are rolled for; the rest are abilities lost."""
    return SIDES if key.rpartition("/")[2] in ("hit dice", "re-roll", "morning") else None


@rule("OSR 6.1", "OSR 6.5")
def roll_hit_dice(
    decision: OsrDecision, name: str, what_for: str, hit_dice: int, rolled: Sequence[int] | None, *, fatigue: int = 0
) -> Roll:
    """A d6 for each hit die and each point of fatigue, reported or drawn.

    Raises Refusal: by 6.5 for another number of dice if fatigue is part of it, otherwise by 6.1, as for a face
    that no d6 has.
    """
    key, count = f"{name}/{what_for}", hit_dice + fatigue
    rule = "OSR 6.5" if fatigue else "OSR 6.1"
    try:
        dice = decision.chance.dice(key, count, SIDES, rolled, rule=rule, die_rule="OSR 6.1")
    except Refusal as refusal:
        if rolled is None or len(rolled) == count:
            raise
        # several characters rest in one turn: the refusal says whose dice, and how many
        takes = f"{count} dice ({dice_told(hit_dice)} and {fatigue} for fatigue)" if fatigue else dice_told(hit_dice)
        raise Refusal(refusal.rule, f"{called(name)} rolls {takes}, not {len(rolled)}.") from None
    return Roll(dice, drawn=decision.chance.record()[key].reported < count)


@rule("OSR 6.1")
def most_hit_points(hit_dice: int) -> int:
    """What X hit dice come to at best."""
    return hit_dice * SIDES


@rule("OSR 6.2")
def hit_dice_of(level: int, own: int | None) -> int:
    """One for each level, except for those who have hit dice of their own."""
    return level if own is None else own


def enrol(decision: OsrDecision, action: Enrol) -> None:
    hit_dice = hit_dice_of(action.level, action.hit_dice)
    roll = roll_hit_dice(decision, action.character, "hit dice", hit_dice, action.rolled)
    decision.tell(
        Enrolled(
            action.character,
            action.player,
            action.level,
            hit_dice,
            action.hit_dice is not None,
            roll.dice,
            sum(roll.dice),
            roll.drawn,
        )
    )


@rule("OSR 6.2")
def level_up(decision: OsrDecision, action: LevelUp) -> None:
    """A level brings a hit die. Both end at 100."""
    must_be_free(decision, action.character)
    sheet = decision.sheet(action.character)
    name = called(action.character)
    refuse_unless(sheet.level < HIGHEST_LEVEL, "OSR 6.2", f"{name} is at the highest level there is, {sheet.level}.")
    refuse_unless(
        sheet.hit_dice < HIGHEST_LEVEL, "OSR 6.2", f"{name} has all the hit dice there are, {sheet.hit_dice}."
    )
    decision.tell(LevelGained(action.character, sheet.level + 1, sheet.hit_dice + 1))


def enrolled(state: OsrState, event: Enrolled) -> None:
    state.characters[event.character] = OsrSheet(
        event.player, event.level, event.hit_dice, event.hp, non_player=event.non_player
    )


def level_gained(state: OsrState, event: LevelGained) -> None:
    state.change(event.character, level=event.level, hit_dice=event.hit_dice)


DECIDE: dict[type[Action], Decide] = {Enrol: enrol, LevelUp: level_up}
EVOLVE: dict[type[Event], Evolve] = {Enrolled: enrolled, LevelGained: level_gained}
