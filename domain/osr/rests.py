"""Short rests, fatigue and a night's sleep: OSR 6.4 and 6.5."""

from collections.abc import Collection, Sequence
from itertools import chain

from domain.naming import called
from domain.osr.actions import NightRest, ShortRest
from domain.osr.events import (
    FatigueGained,
    FatigueSleptOff,
    HitPointsKept,
    HitPointsRerolled,
    MorningHitPointsRolled,
    RestedWithoutReroll,
    WoundSleptOff,
    is_long_rest,
)
from domain.osr.free import must_be_free
from domain.osr.hit_points import roll_hit_dice
from domain.osr.sheet import FIGURES, OsrDecision, OsrState
from domain.osr.wounds import without_wound
from domain.system.citing import rule
from domain.system.seam import Decide, Evolve
from domain.turn import Action, Event, refuse_unless

SHORT_REST_MINUTES: int = FIGURES["6.4"]["minutes"]


# -- a short rest ----------------------------------------------------------------------------------------


def short_rest(decision: OsrDecision, action: ShortRest) -> None:
    resting = who_rests(decision, action)
    must_be_a_rest(decision, resting, action.minutes, safe=action.safe)
    rerolling = who_rerolls(decision, action, resting)
    keeping = who_keeps(decision, action, rerolling)
    dice_only_for(decision, action.rolled, rerolling)
    for name in resting:
        if name in rerolling:
            reroll(decision, name, (action.rolled or {}).get(name), keep=name in keeping)
        else:
            decision.tell(RestedWithoutReroll(name, exempt=name in (action.exempt or ())))


@rule("OSR 6.4")
def who_rests(decision: OsrDecision, action: ShortRest) -> tuple[str, ...]:
    """Each decides alone, unless the table rests together: then everybody who lives."""
    together = decision.options.short_rest_together
    refuse_unless(
        together or not action.exempt, "OSR 6.4", "Nobody needs to be exempt: each decides alone whether to re-roll."
    )
    resting = list(action.characters)
    if together:
        living = (name for name, sheet in decision.state.characters.items() if sheet.condition != "dead")
        resting += [name for name in living if name not in resting]
    for name in chain(resting, action.exempt or ()):
        must_be_free(decision, name)
    return tuple(resting)


@rule("OSR 6.4")
def must_be_a_rest(decision: OsrDecision, resting: Sequence[str], minutes: int, *, safe: bool) -> None:
    """A fairly safe spot, and ten minutes for player characters; how long others need is the referee's."""
    refuse_unless(safe, "OSR 6.4", "A short rest needs a relatively safe spot.")
    for name in resting:
        refuse_unless(
            minutes >= SHORT_REST_MINUTES or decision.sheet(name).non_player,
            "OSR 6.4",
            f"{called(name)} needs at least {SHORT_REST_MINUTES} minutes for a short rest, not {minutes}.",
        )


@rule("OSR 6.4")
def who_rerolls(decision: OsrDecision, action: ShortRest, resting: Sequence[str]) -> tuple[str, ...]:
    """All who rest, or those named; together, all who are not exempt and nobody else."""
    exempt = action.exempt or ()
    if action.rerolls is None:
        return tuple(name for name in resting if name not in exempt)
    for name in action.rerolls:
        refuse_unless(name in resting, "OSR 6.4", f"{called(name)} does not rest and so cannot re-roll.")
        refuse_unless(name not in exempt, "OSR 6.4", f"{called(name)} cannot be exempt and re-roll all the same.")
    if decision.options.short_rest_together:
        for name in resting:
            refuse_unless(
                name in exempt or name in action.rerolls,
                "OSR 6.4",
                f"{called(name)} has to re-roll: all rest together, except the exempt.",
            )
    return tuple(name for name in resting if name in action.rerolls)


@rule("OSR 6.4")
def who_keeps(decision: OsrDecision, action: ShortRest, rerolling: Collection[str]) -> tuple[str, ...]:
    """The new total counts even if it is lower, unless the table lets a player keep the old one."""
    keeping = action.keep or ()
    for name in keeping:
        refuse_unless(
            decision.options.keep_higher,
            "OSR 6.4",
            f"{called(name)} cannot keep the old hit points: the new total counts, even if it is lower.",
        )
        refuse_unless(name in rerolling, "OSR 6.4", f"{called(name)} does not re-roll, so there is nothing to keep.")
    return keeping


@rule("OSR 6.1")
def dice_only_for(decision: OsrDecision, rolled: Collection[str] | None, rerolling: Collection[str]) -> None:
    """Dice are for those who re-roll. Decided again, dice that nobody needs any more just stay on record."""
    for name in () if decision.chance.lenient else rolled or ():
        refuse_unless(name in rerolling, "OSR 6.1", f"There are dice for {called(name)}, who does not re-roll.")


@rule("OSR 6.5")
def reroll(decision: OsrDecision, name: str, rolled: Sequence[int] | None, *, keep: bool) -> None:
    """Hit dice and one more for each point of fatigue; the point that this re-roll costs comes after it."""
    sheet = decision.sheet(name)
    roll = roll_hit_dice(
        decision,
        name,
        "re-roll",
        sheet.hit_dice,
        rolled,
        fatigue=sheet.fatigue,
    )
    dropped = disadvantage(roll.dice, sheet.fatigue)
    if keep:
        decision.tell(HitPointsKept(name, roll.dice, dropped, sheet.hp, roll.drawn))
    else:
        decision.tell(HitPointsRerolled(name, roll.dice, dropped, sum(roll.dice) - sum(dropped), roll.drawn))
    decision.tell(FatigueGained(name, sheet.fatigue + 1))


@rule("OSR 6.5")
def disadvantage(dice: Sequence[int], fatigue: int) -> tuple[int, ...]:
    """The dice that do not count: for each point of fatigue the highest one left."""
    return tuple(sorted(dice, reverse=True)[:fatigue])


# -- a night's sleep -------------------------------------------------------------------------------------


@rule("OSR 6.5")
def night_rest(decision: OsrDecision, action: NightRest) -> None:
    """Fatigue goes, what lasts until the next long rest ends, and in the morning everybody re-rolls."""
    for name in action.characters:
        must_be_free(decision, name)
    dice_only_for(decision, action.rolled, action.characters)
    for name in action.characters:
        sheet = decision.sheet(name)
        rolled = (action.rolled or {}).get(name)
        refuse_unless(
            rolled is None or rolled or decision.chance.lenient,
            "OSR 6.5",
            f"{called(name)} cannot leave out the roll in the morning.",
        )
        if sheet.fatigue:
            decision.tell(FatigueSleptOff(name, sheet.fatigue))
        for wound in sheet.wounds:
            if wound.until is not None and is_long_rest(wound.until):
                decision.tell(WoundSleptOff(name, wound.id, wound.what))
        roll = roll_hit_dice(decision, name, "morning", sheet.hit_dice, rolled)
        decision.tell(MorningHitPointsRolled(name, roll.dice, sum(roll.dice), roll.drawn))


# -- what is remembered ----------------------------------------------------------------------------------


def hit_points_rerolled(state: OsrState, event: HitPointsRerolled) -> None:
    state.change(event.character, hp=event.hp)


def hit_points_kept(state: OsrState, event: HitPointsKept) -> None:
    state.change(event.character, hp=event.hp)


def rested_without_reroll(_state: OsrState, _event: RestedWithoutReroll) -> None:
    """A rest without a re-roll leaves the sheet as it is."""


def fatigue_gained(state: OsrState, event: FatigueGained) -> None:
    state.change(event.character, fatigue=event.now)


def fatigue_slept_off(state: OsrState, event: FatigueSleptOff) -> None:
    state.change(event.character, fatigue=0)


def wound_slept_off(state: OsrState, event: WoundSleptOff) -> None:
    without_wound(state, event.character, event.wound)


def morning_hit_points_rolled(state: OsrState, event: MorningHitPointsRolled) -> None:
    state.change(event.character, hp=event.hp)


DECIDE: dict[type[Action], Decide] = {ShortRest: short_rest, NightRest: night_rest}
EVOLVE: dict[type[Event], Evolve] = {
    HitPointsRerolled: hit_points_rerolled,
    HitPointsKept: hit_points_kept,
    RestedWithoutReroll: rested_without_reroll,
    FatigueGained: fatigue_gained,
    FatigueSleptOff: fatigue_slept_off,
    WoundSleptOff: wound_slept_off,
    MorningHitPointsRolled: morning_hit_points_rolled,
}
