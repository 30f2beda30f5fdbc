"""Short rests, fatigue and a night's sleep: OSR 6.4 and 6.5."""

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.naming import called, listed, possessive, quantity
from domain.osr.hit_points import hit_points, roll_hit_dice, shown_dice
from domain.osr.preconditions import must_be_free
from domain.osr.sheet import FIGURES, Dice, OsrDecision, OsrState
from domain.osr.wounds import is_long_rest, without_wound
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands, with_more
from domain.system.pending import PendingDecision
from domain.system.story import AfterRest, left_out
from domain.turn import Action, Event, Name, Sentence, Whole

SHORT_REST_MINUTES: int = FIGURES["6.4"]["minutes"]


# -- a short rest --------------------------------------------------------------------------------------


class ShortRest(Action, frozen=True, kw_only=True, tag="osr.short_rest"):
    """Take a short rest and re-roll hit points.

    Each re-roll costs a point of fatigue.
    """

    shorts: ClassVar = {"rest": {}}
    synonyms: ClassVar = ("breather",)
    meant_by: ClassVar = ("heal",)

    characters: Annotated[tuple[Name, ...], Meta(description="who rests")]
    exempt: Annotated[
        tuple[Name, ...] | None,
        Meta(
            description="who need not re-roll where all rest together",
            extra={"among": "characters", "under": {"short_rest_together": True}},
        ),
    ] = None
    rerolls: Annotated[
        tuple[Name, ...] | None,
        Meta(description="which of them re-roll", extra={"otherwise": "all", "among": "characters"}),
    ] = None
    keep: Annotated[
        tuple[Name, ...] | None,
        Meta(
            description="who keeps the old total, where a ruling allows it",
            extra={"among": "characters", "under": {"keep_higher": True}},
        ),
    ] = None
    rolled: Annotated[
        dict[Name, Dice] | None,
        Meta(description="the dice as rolled: hit dice and one for each fatigue", extra={"keyed_by": "characters"}),
    ] = None
    minutes: Annotated[Whole, Meta(description="how long it lasts, in minutes")] = SHORT_REST_MINUTES
    safe: Annotated[bool, Meta(description="whether the spot is fairly safe")] = True

    def check(self) -> None:
        _somebody(self.characters)

    def announcement(self) -> str:
        return (
            f"{listed(map(called, self.characters))} take a short rest"
            if len(self.characters) > 1
            else f"{called(self.characters[0])} takes a short rest"
        )

    @rule("OSR 6.4")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask who keeps the old total, if the option allows it and the new one is lower."""
        if not draft.options.keep_higher or self.keep is not None:
            return None
        before = draft.state.characters
        lower = [
            event
            for event in draft.events
            if isinstance(event, HitPointsRerolled) and event.hp < before[event.character].hp
        ]
        if not lower:
            return None
        names = [event.character for event in lower]
        sentences = [
            f"{called(event.character)} had {hit_points(before[event.character].hp)} and rolled {event.hp}"
            for event in lower
        ]
        keep_choices = [with_more(self, f"{called(name)} keeps {before[name].hp}", keep=[name]) for name in names]
        every = [with_more(self, "all of them keep the old total", keep=names)] if len(names) > 1 else []
        return PendingDecision(
            (as_it_stands(self, "take what was rolled"), *keep_choices, *every), f"{listed(sentences)}."
        )

    def decide(self, decision: OsrDecision) -> None:
        resting = who_rests(decision, self)
        must_be_a_rest(decision, resting, self.minutes, safe=self.safe)
        rerolling = who_rerolls(decision, self, resting)
        keeping = who_keeps(decision, self, rerolling)
        dice_only_for(decision, self.rolled, rerolling)
        for name in resting:
            if name in rerolling:
                reroll(decision, name, (self.rolled or {}).get(name), keep=name in keeping)
            else:
                decision.tell(RestedWithoutReroll(name, exempt=name in (self.exempt or ())))


@rule("OSR 6.4")
def who_rests(decision: OsrDecision, action: ShortRest) -> tuple[str, ...]:
    """Those who rest: the named ones, or by an option all living present characters. Raises Refusal."""
    together = decision.options.short_rest_together
    refuse_unless(
        together or not action.exempt, "OSR 6.4", "Nobody needs to be exempt: each decides alone whether to re-roll."
    )
    resting = action.characters
    if together:
        there = (
            name
            for name, sheet in decision.state.characters.items()
            if sheet.condition != "dead" and sheet.away is None and not sheet.side
        )
        resting = (*resting, *(name for name in there if name not in resting))
    for name in chain(resting, action.exempt or ()):
        must_be_free(decision, name)
    return resting


@rule("OSR 6.4")
def must_be_a_rest(decision: OsrDecision, resting: Sequence[str], minutes: int, *, safe: bool) -> None:
    """Raise Refusal without a safe spot, or with less than ten minutes for a player character."""
    refuse_unless(safe, "OSR 6.4", "A short rest needs a relatively safe spot.")
    for name in resting:
        if minutes < SHORT_REST_MINUTES and not decision.sheet(name).non_player:
            raise Refusal(
                "OSR 6.4",
                f"{called(name)} needs at least {SHORT_REST_MINUTES} minutes for a short rest, not {minutes}.",
            )


@rule("OSR 6.4")
def who_rerolls(decision: OsrDecision, action: ShortRest, resting: Sequence[str]) -> tuple[str, ...]:
    """Those who re-roll: the named ones, else all who rest and are not exempt. Raises Refusal."""
    exempt = action.exempt or ()
    if action.rerolls is None:
        return tuple([name for name in resting if name not in exempt])
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
    """Those who keep the old total, which takes an option. Raises Refusal."""
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
def dice_only_for(decision: OsrDecision, reported_names: Collection[str] | None, rerolling: Collection[str]) -> None:
    """Raise Refusal for dice of somebody who does not re-roll; if decided again, such dice stay on record."""
    for name in () if decision.chance.lenient else reported_names or ():
        refuse_unless(name in rerolling, "OSR 6.1", f"There are dice for {called(name)}, who does not re-roll.")


@rule("OSR 6.5")
def reroll(decision: OsrDecision, name: str, reported_dice: Sequence[int] | None, *, keep: bool) -> None:
    """Roll the hit dice and one die per point of fatigue; the fatigue of this re-roll is added after it."""
    sheet = decision.sheet(name)
    roll = roll_hit_dice(
        decision,
        name,
        "re-roll",
        sheet.hit_dice,
        reported_dice,
        fatigue=sheet.fatigue,
    )
    dropped_dice = disadvantage(roll.dice, sheet.fatigue)
    if keep:
        decision.tell(HitPointsKept(name, roll.dice, dropped_dice, sheet.hp, roll.drawn))
    else:
        decision.tell(HitPointsRerolled(name, roll.dice, dropped_dice, sum(roll.dice) - sum(dropped_dice), roll.drawn))
    decision.tell(FatigueGained(name, sheet.fatigue + 1))


@rule("OSR 6.5")
def disadvantage(dice: Sequence[int], fatigue: int) -> tuple[int, ...]:
    """The dropped dice: one of the highest per point of fatigue."""
    return tuple(sorted(dice, reverse=True)[:fatigue])


def after_rest(state: OsrState, name: str, hp: int | None = None) -> None:
    """Fold a rest: each recovery mark can be rolled for, and a collapsed character can be asked to get up."""
    sheet = state.characters.get(name)
    if sheet is not None:
        state.change(
            name,
            hp=sheet.hp if hp is None else hp,
            rested_down=sheet.condition == "collapsed",
            recovery_rolls=sheet.recovery_marks,
        )


class RestedWithoutReroll(Event, frozen=True, tag="osr.rested_without_reroll"):
    """A short rest that changes nothing. `exempt`: the others had to re-roll."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4",)

    character: str
    exempt: bool = False

    def sentence(self) -> Sentence:
        name = called(self.character)
        return (f"{name} is exempt from the re-roll." if self.exempt else f"{name} rests without re-rolling.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        after_rest(state, self.character)


class RestDice(Event, frozen=True):
    """The dice that one short rest was rolled with, and the hit points after it."""

    character: str
    dice: tuple[int, ...]
    dropped: tuple[int, ...]
    hp: int
    drawn: bool = False

    def fold(self, state: OsrState) -> None:
        after_rest(state, self.character, self.hp)


class HitPointsRerolled(RestDice, frozen=True, tag="osr.hit_points_rerolled"):
    """A re-roll: the new total replaces the old one."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4", "OSR 6.5")

    def sentence(self) -> Sentence:
        return (
            f"{called(self.character)} rolls ",
            *shown_dice(self.dice, self.dropped, drawn=self.drawn),
            f"and has {hit_points(self.hp)}.",
        )

    def in_story(self) -> AfterRest:
        return AfterRest(self.character, "After a short rest", self.hp, "hit points")


class HitPointsKept(RestDice, frozen=True, tag="osr.hit_points_kept"):
    """A re-roll whose dice the player gave up for the old total (`hp`)."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.4",)

    def sentence(self) -> Sentence:
        return (
            f"{called(self.character)} rolls ",
            *shown_dice(self.dice, self.dice, drawn=self.drawn),
            f"but keeps {hit_points(self.hp)}.",
        )

    def in_story(self) -> AfterRest:
        return AfterRest(self.character, "After a short rest", self.hp, "hit points")


class FatigueGained(Event, frozen=True, tag="osr.fatigue_gained"):
    """One more point of fatigue, from a re-roll that is over."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.5",)

    character: str
    now: int

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} fatigue is now {self.now}.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        state.change(self.character, fatigue=self.now)


# -- a night's sleep -----------------------------------------------------------------------------------


class NightRest(Action, frozen=True, kw_only=True, tag="osr.night_rest"):
    """Sleep: lose all fatigue, re-roll in the morning."""

    shorts: ClassVar = {"night": {}}
    synonyms: ClassVar = ("sleep", "camp", "long rest")

    characters: Annotated[tuple[Name, ...], Meta(description="who sleeps")]
    rolled: Annotated[
        dict[Name, Dice] | None,
        Meta(description="the hit dice as rolled in the morning", extra={"keyed_by": "characters"}),
    ] = None

    def check(self) -> None:
        _somebody(self.characters)

    def announcement(self) -> str:
        return (
            f"{listed(map(called, self.characters))} sleep"
            if len(self.characters) > 1
            else f"{called(self.characters[0])} sleeps"
        )

    @rule("OSR 6.5")
    def decide(self, decision: OsrDecision) -> None:
        """Removes fatigue, ends wounds that last until a long rest, and rolls hit points in the morning."""
        for name in self.characters:
            must_be_free(decision, name)
        dice_only_for(decision, self.rolled, self.characters)
        for name in self.characters:
            sheet = decision.sheet(name)
            reported_dice = (self.rolled or {}).get(name)
            if reported_dice is not None and not reported_dice and not decision.chance.lenient:
                raise Refusal("OSR 6.5", f"{called(name)} cannot leave out the roll in the morning.")
            if sheet.fatigue:
                decision.tell(FatigueSleptOff(name, sheet.fatigue))
            for wound in sheet.wounds:
                if wound.until is not None and is_long_rest(wound.until):
                    decision.tell(WoundSleptOff(name, wound.id, wound.what))
            roll = roll_hit_dice(decision, name, "morning", sheet.hit_dice, reported_dice)
            decision.tell(MorningHitPointsRolled(name, roll.dice, sum(roll.dice), roll.drawn))


class FatigueSleptOff(Event, frozen=True, tag="osr.fatigue_slept_off"):
    """A night's sleep leaves no fatigue; there were `was` points."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.5",)

    character: str
    was: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} sleeps off {quantity(self.was, 'point')} of fatigue.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        state.change(self.character, fatigue=0)


class WoundSleptOff(Event, frozen=True, tag="osr.wound_slept_off"):
    """A wound that lasted until a long rest is over."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.5", "OSR 6.9")

    character: str
    wound: int
    what: str

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} wound {self.wound} ({self.what}) is over after the long rest.",)

    def fold(self, state: OsrState) -> None:
        without_wound(state, self.character, self.wound)


class MorningHitPointsRolled(Event, frozen=True, tag="osr.morning_hit_points_rolled"):
    """The plain hit dice of the morning and what they came to."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.1", "OSR 6.5")

    character: str
    dice: tuple[int, ...]
    hp: int
    drawn: bool = False

    def sentence(self) -> Sentence:
        return (
            f"In the morning {called(self.character)} rolls ",
            *shown_dice(self.dice, (), drawn=self.drawn),
            f"and has {hit_points(self.hp)}.",
        )

    def in_story(self) -> AfterRest:
        return AfterRest(self.character, "In the morning", self.hp, "hit points")

    def fold(self, state: OsrState) -> None:
        after_rest(state, self.character, self.hp)


def _somebody(characters: tuple[str, ...]) -> None:
    if not characters:
        raise Invalid("Say who rests; name at least one character.")
