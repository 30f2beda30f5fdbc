"""What happened under the rules of osr.

Undoing the turn of an event gives back whatever the event replaced; what is more is said where it holds.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from domain.naming import called, ended, listed
from domain.osr.sheet import FIGURES, Ability
from domain.turn import Event, Sentence, Struck


def hit_points(count: int) -> str:
    """ "1 hit point", "7 hit points"."""
    return f"{count} hit point{'' if count == 1 else 's'}"


def dice_told(count: int) -> str:
    """ "1 hit die", "2 hit dice"."""
    return f"{count} hit {'die' if count == 1 else 'dice'}"


def shown_dice(dice: Sequence[int], dropped: Sequence[int], *, drawn: bool) -> Sentence:
    """The dice in the order rolled, those that do not count struck out."""
    left = list(dropped)
    parts: list[str] = []
    for die in dice:
        if die in left:
            left.remove(die)
            parts += [Struck(die), " "]
        else:
            parts.append(f"{die} ")
    return (*parts, "(drawn) ") if drawn else tuple(parts)


def points_lost(lost: Mapping[Ability, int]) -> str:
    """ "2 strength and 1 wisdom"."""
    return listed(f"{points} {ability}" for ability, points in lost.items())


def is_long_rest(until: str) -> bool:
    """Whether this is how somebody wrote the next long rest."""
    return bool(until.strip().casefold() == FIGURES["6.9"]["until"])


def until_told(until: str) -> str:
    """What ends a wound: "until a long rest", or until what the referee said."""
    return "until a long rest" if is_long_rest(until) else f"until {until}"


# -- hit points (6.1, 6.2) -------------------------------------------------------------------------------


class Enrolled(Event, frozen=True, gc=False, tag="osr.enrolled"):
    """A character joins. `drawn`: the log rolled, at least in part. Undone, there is no such character."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.1", "OSR 6.2")

    character: str
    player: str | None
    level: int
    hit_dice: int
    non_player: bool
    dice: tuple[int, ...]
    hp: int
    drawn: bool = False

    def told(self) -> Sentence:
        name = called(self.character)
        rank = f"with {dice_told(self.hit_dice)}" if self.non_player else f"at level {self.level}"
        return (
            f"{name}{f', played by {self.player},' if self.player else ''} joins {rank}, rolls ",
            *shown_dice(self.dice, (), drawn=self.drawn),
            f"and has {hit_points(self.hp)}.",
        )


class LevelGained(Event, frozen=True, gc=False, tag="osr.level_gained"):
    """A level and a hit die more. Hit points wait for the next roll."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.2",)

    character: str
    level: int
    hit_dice: int

    def told(self) -> Sentence:
        return (f"{called(self.character)} rises to level {self.level} with {dice_told(self.hit_dice)}.",)


# -- rests (6.4, 6.5) ------------------------------------------------------------------------------------


class HitPointsRerolled(Event, frozen=True, gc=False, tag="osr.hit_points_rerolled"):
    """The dice of one short rest and what they came to; the old total is gone."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4", "OSR 6.5")

    character: str
    dice: tuple[int, ...]
    dropped: tuple[int, ...]
    hp: int
    drawn: bool = False

    def told(self) -> Sentence:
        return (
            f"{called(self.character)} rolls ",
            *shown_dice(self.dice, self.dropped, drawn=self.drawn),
            f"and has {hit_points(self.hp)}.",
        )


class HitPointsKept(Event, frozen=True, gc=False, tag="osr.hit_points_kept"):
    """The dice of one short rest, which the player let go for the old total (`hp`)."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4",)

    character: str
    dice: tuple[int, ...]
    dropped: tuple[int, ...]
    hp: int
    drawn: bool = False

    def told(self) -> Sentence:
        return (
            f"{called(self.character)} rolls ",
            *shown_dice(self.dice, self.dice, drawn=self.drawn),
            f"but keeps {hit_points(self.hp)}.",
        )


class RestedWithoutReroll(Event, frozen=True, gc=False, tag="osr.rested_without_reroll"):
    """A short rest that changes nothing. `exempt`: the others had to re-roll."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4",)

    character: str
    exempt: bool = False

    def told(self) -> Sentence:
        name = called(self.character)
        return (f"{name} is exempt from the re-roll." if self.exempt else f"{name} rests without re-rolling.",)


class FatigueGained(Event, frozen=True, gc=False, tag="osr.fatigue_gained"):
    """One more point of fatigue, from a re-roll that is over."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.5",)

    character: str
    now: int

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s fatigue is now {self.now}.",)


class FatigueSleptOff(Event, frozen=True, gc=False, tag="osr.fatigue_slept_off"):
    """A night's sleep leaves no fatigue; there were `was` points."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.5",)

    character: str
    was: int

    def told(self) -> Sentence:
        return (f"{called(self.character)} sleeps off {self.was} point{'' if self.was == 1 else 's'} of fatigue.",)


class MorningHitPointsRolled(Event, frozen=True, gc=False, tag="osr.morning_hit_points_rolled"):
    """The plain hit dice of the morning and what they came to."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.1", "OSR 6.5")

    character: str
    dice: tuple[int, ...]
    hp: int
    drawn: bool = False

    def told(self) -> Sentence:
        return (
            f"In the morning {called(self.character)} rolls ",
            *shown_dice(self.dice, (), drawn=self.drawn),
            f"and has {hit_points(self.hp)}.",
        )


class WoundSleptOff(Event, frozen=True, gc=False, tag="osr.wound_slept_off"):
    """A wound that lasted until a long rest is over."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.5", "OSR 6.9")

    character: str
    wound: int
    what: str

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s wound {self.wound} ({self.what}) is over after the long rest.",)


# -- injuries (6.6, 6.7, 6.8, 6.12) ----------------------------------------------------------------------


class Damaged(Event, frozen=True, gc=False, tag="osr.damaged"):
    """Damage that hit points took: `hp` are left."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6",)

    character: str
    amount: int
    hp: int
    source: str | None = None

    def told(self) -> Sentence:
        by = f" by {self.source}" if self.source else ""
        return (f"{called(self.character)} is hit for {self.amount}{by} and has {hit_points(self.hp)} left.",)


class Injured(Event, frozen=True, gc=False, tag="osr.injured"):
    """Damage beyond the hit points (`before`), which are now 0: saves against `dc` are open."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6",)

    character: str
    amount: int
    before: int
    overflow: int
    dc: int
    source: str | None = None

    def told(self) -> Sentence:
        by = f" by {self.source}" if self.source else ""
        return (
            f"{called(self.character)} is hit for {self.amount}{by} with {hit_points(self.before)} left: "
            f"strength and will saves against DC {self.dc}.",
        )


class HitPointsBypassed(Event, frozen=True, gc=False, tag="osr.hit_points_bypassed"):
    """Harm that hit points did not stop, and that left them as they are: saves against `dc` are open."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.12",)

    character: str
    dc: int
    source: str | None = None

    def told(self) -> Sentence:
        by = f" by {self.source}" if self.source else ""
        return (
            f"{called(self.character)} is hit{by}, whatever hit points are left: "
            f"strength and will saves against DC {self.dc}.",
        )


class HitPointsSacrificed(Event, frozen=True, gc=False, tag="osr.hit_points_sacrificed"):
    """Harm that would have bypassed hit points, bought off with `cost` of them: `hp` are left."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.12",)

    character: str
    cost: int
    hp: int
    source: str | None = None

    def told(self) -> Sentence:
        stopped = f"stop {self.source}" if self.source else "stop the hit"
        return (f"{called(self.character)} pays {hit_points(self.cost)} to {stopped} and has {self.hp} left.",)


class StrengthSavePassed(Event, frozen=True, gc=False, tag="osr.strength_save_passed"):
    """The wound is minor, and the injury is settled."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.7")

    character: str
    total: int
    dc: int

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s strength save passes: {self.total} against DC {self.dc}.",)


class StrengthSaveFailed(Event, frozen=True, gc=False, tag="osr.strength_save_failed"):
    """Death or a major wound: the player's choice is open, unless death follows in the same turn."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.7")

    character: str
    total: int
    dc: int

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s strength save fails: {self.total} against DC {self.dc}.",)


class WillSavePassed(Event, frozen=True, gc=False, tag="osr.will_save_passed"):
    """Whoever stood keeps standing."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.8")

    character: str
    total: int
    dc: int

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s will save passes: {self.total} against DC {self.dc}.",)


class WillSaveFailed(Event, frozen=True, gc=False, tag="osr.will_save_failed"):
    """A failed will save, by the dice or on purpose; `collapses` is false for those who were down, or are dead."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.8")

    character: str
    total: int | None
    dc: int
    on_purpose: bool = False
    collapses: bool = True

    def told(self) -> Sentence:
        name = called(self.character)
        if self.on_purpose:
            total = f" (total {self.total})" if self.total is not None else ""
            return (f"{name} fails the will save on purpose{total}{' and collapses' if self.collapses else ''}.",)
        so = f", and {name} collapses" if self.collapses else ""
        return (f"{name}'s will save fails: {self.total} against DC {self.dc}{so}.",)


class DeathChosen(Event, frozen=True, gc=False, tag="osr.death_chosen"):
    """The player chose death over a major wound."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.7",)

    character: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} dies of the injury: the player's choice.",)


class DiedOutright(Event, frozen=True, gc=False, tag="osr.died_outright"):
    """A failed strength save without a choice: as many marks as the level, or more."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.11",)

    character: str
    marks: int

    def told(self) -> Sentence:
        return (f"{called(self.character)} dies outright: {marks_told(self.marks)} and no major wound left to choose.",)


class Rallied(Event, frozen=True, gc=False, tag="osr.rallied"):
    """Back up after a collapse."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.8",)

    character: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} is back up.",)


# -- wounds (6.9, 6.10, 6.11) ----------------------------------------------------------------------------


def marks_told(count: int) -> str:
    """ "1 mark", "2 marks"."""
    return f"{count} mark{'' if count == 1 else 's'}"


class MinorWoundTaken(Event, frozen=True, gc=False, tag="osr.minor_wound_taken"):
    """A minor wound. Undone, its number is not given out again."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.7", "OSR 6.9")

    character: str
    wound: int
    what: str
    effect: str | None
    until: str

    def told(self) -> Sentence:
        effect = f", {self.effect}" if self.effect else ""
        return (f"{called(self.character)} takes a minor wound: {self.what}{effect}, {until_told(self.until)}.",)


class MajorWoundTaken(Event, frozen=True, gc=False, tag="osr.major_wound_taken"):
    """A major wound instead of death, and its mark: `marks` now. Undone, its number is not given out again."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.7", "OSR 6.10", "OSR 6.11")

    character: str
    wound: int
    what: str
    effect: str | None
    marks: int

    def told(self) -> Sentence:
        unnamed = self.what == FIGURES["6.10"]["wound"]
        told = ", ".join(each for each in (None if unnamed else self.what, self.effect) if each)
        wound = f"a major wound: {told}" if told else "a major wound"
        return (f"{called(self.character)} lives with {wound} ({marks_told(self.marks)}).",)


class AbilityScoreLost(Event, frozen=True, gc=False, tag="osr.ability_score_lost"):
    """Points of ability score that a wound cost; `now` is all that is gone of these abilities."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    lost: dict[Ability, int]
    now: dict[Ability, int]
    drawn: bool = False

    def told(self) -> Sentence:
        return (f"{called(self.character)} loses {points_lost(self.lost)}{' (drawn)' if self.drawn else ''}.",)


class RecoveryMarkGained(Event, frozen=True, gc=False, tag="osr.recovery_mark_gained"):
    """A recovery mark for a minor wound; there are `now`."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9",)

    character: str
    now: int

    def told(self) -> Sentence:
        return (f"{called(self.character)} has {self.now} recovery {'mark' if self.now == 1 else 'marks'}.",)


class RecoveryMarkErased(Event, frozen=True, gc=False, tag="osr.recovery_mark_erased"):
    """One recovery mark went for an improvement roll; there are `now` left.

    What a wound cost stays on the sheet as it is: the score itself is kept on paper, and improves there.
    """

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9",)

    character: str
    ability: Ability
    improved: bool
    now: int

    def told(self) -> Sentence:
        how = "it improves" if self.improved else "it does not improve"
        return (f"{called(self.character)} erases a recovery mark to roll for {self.ability}: {how}.",)


class WoundTreated(Event, frozen=True, gc=False, tag="osr.wound_treated"):
    """The wound can no longer worsen."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    wound: int
    what: str

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s wound {self.wound} ({self.what}) is treated.",)


class WoundWorsened(Event, frozen=True, gc=False, tag="osr.wound_worsened"):
    """A wound that nobody treated got worse: saves against `dc` are open. The wound itself stays as it is."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    wound: int
    what: str
    dc: int

    def told(self) -> Sentence:
        return (
            f"{called(self.character)}'s wound {self.wound} ({self.what}) worsens: "
            f"strength and will saves against DC {self.dc}.",
        )


class WoundRecovered(Event, frozen=True, gc=False, tag="osr.wound_recovered"):
    """The wound is over by the referee's word. The mark of a major wound stays."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    wound: int
    what: str
    why: str | None = None

    def told(self) -> Sentence:
        why = f": {ended(self.why)}" if self.why else "."
        return (f"{called(self.character)} recovers from wound {self.wound} ({self.what}){why}",)


class DiedOfWounds(Event, frozen=True, gc=False, tag="osr.died_of_wounds"):
    """The player let the character die of a major wound."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.10",)

    character: str

    def told(self) -> Sentence:
        return (f"{called(self.character)} dies of their wounds: the player's choice.",)


EVENTS: tuple[type[Event], ...] = (
    Enrolled, LevelGained,
    HitPointsRerolled, HitPointsKept, RestedWithoutReroll, FatigueGained, FatigueSleptOff, MorningHitPointsRolled,
    WoundSleptOff,
    Damaged, Injured, HitPointsBypassed, HitPointsSacrificed, StrengthSavePassed, StrengthSaveFailed, WillSavePassed,
    WillSaveFailed, DeathChosen, DiedOutright, Rallied,
    MinorWoundTaken, MajorWoundTaken, AbilityScoreLost, RecoveryMarkGained, RecoveryMarkErased, WoundTreated,
    WoundWorsened, WoundRecovered, DiedOfWounds,
)  # fmt: skip
