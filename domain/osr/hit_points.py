"""Hit dice and hit points: OSR 6.1 and 6.2."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.choice import Choice
from domain.naming import called, quantity
from domain.osr.preconditions import must_be_free
from domain.osr.sheet import FIGURES, HIGHEST_LEVEL, Dice, OsrDecision, OsrSheet, OsrState
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import with_more
from domain.system.groups import even_parts
from domain.system.story import NOTABLE, Own, Share
from domain.turn import Action, Event, Name, NewName, Sentence, Struck, Text

SIDES: int = FIGURES["6.1"]["sides"]


Level = Annotated[int, Meta(ge=1, le=HIGHEST_LEVEL)]


# -- the hit dice --------------------------------------------------------------------------------------


class Roll(Struct, frozen=True):
    """The dice of a roll; `drawn`: the log rolled any of them."""

    dice: tuple[int, ...]
    drawn: bool


@rule("OSR 6.1", "OSR 6.5")
def roll_hit_dice(
    decision: OsrDecision,
    name: str,
    what_for: str,
    hit_dice: int,
    reported_dice: Sequence[int] | None,
    *,
    fatigue: int = 0,
) -> Roll:
    """Roll a d6 for each hit die and each point of fatigue, reported or drawn.

    Raises Refusal: by 6.5 for a wrong number of dice if fatigue is part of it, otherwise by 6.1, also for a face that
    no d6 has.
    """
    key, count = f"{name}/{what_for}", hit_dice + fatigue
    rule = "OSR 6.5" if fatigue else "OSR 6.1"
    try:
        dice = decision.chance.dice(key, count, SIDES, reported_dice, rule=rule, die_rule="OSR 6.1")
    except Refusal as refusal:
        if reported_dice is None or len(reported_dice) == count:
            raise
        # several characters may rest in one turn, so the refusal names the character and the number
        takes = (
            f"{count} dice ({dice_in_words(hit_dice)} and {fatigue} for fatigue)"
            if fatigue
            else dice_in_words(hit_dice)
        )
        raise Refusal(refusal.rule, f"{called(name)} rolls {takes}, not {len(reported_dice)}.") from None
    return Roll(dice, drawn=decision.chance.record_of(key).reported < count)


@rule("OSR 6.1")
def most_hit_points(hit_dice: int) -> int:
    """The maximum of this many hit dice."""
    return hit_dice * SIDES


@rule("OSR 6.2")
def hit_dice_of(level: int, own: int | None) -> int:
    """The number of hit dice: `own` if given, else the level."""
    return level if own is None else own


# -- joining -------------------------------------------------------------------------------------------


class Enrol(Action, frozen=True, kw_only=True, tag="osr.enrol"):
    """Enrol a character and roll the first hit points."""

    shorts: ClassVar = {"enroll": {}}

    character: Annotated[NewName, Meta(description="the new character")]
    player: Annotated[Text | None, Meta(description="who plays the character", extra={"wanted": True})] = None
    level: Annotated[Level, Meta(description="the level, 1 to 100")] = 1
    hit_dice: Annotated[
        Level | None, Meta(description="hit dice of somebody who is not a player's", extra={"otherwise": "the level"})
    ] = None
    side: Annotated[
        Literal["foe"] | None,
        Meta(
            description="foe, if they are on the other side",
            extra={"in_order": True},
        ),
    ] = None
    saves: Annotated[bool, Meta(description="a foe that makes saves when it is injured; others die at 0")] = False
    rolled: Annotated[
        Dice | None, Meta(description="the hit dice as rolled", extra={"dice": True, "makes": (SIDES, "hit_dice")})
    ] = None

    def announcement(self) -> str:
        player = f", played by {self.player}," if self.player else ""
        return f"{called(self.character)}{player} {'appears as a foe' if self.side else 'joins'}"

    def check(self) -> None:
        if self.saves and self.side != "foe":
            raise Invalid("Only a foe needs saves: everybody else makes them anyway.")

    def decide(self, decision: OsrDecision) -> None:
        hit_dice = hit_dice_of(self.level, self.hit_dice)
        try:
            roll = roll_hit_dice(decision, self.character, "hit dice", hit_dice, self.rolled)
        except Refusal as refusal:
            raise Refusal(refusal.rule, refusal.reason, self._as_points() or self._as_many()) from None
        decision.tell(
            Enrolled(
                self.character,
                self.player,
                self.level,
                hit_dice,
                self.hit_dice is not None or self.side == "foe",
                roll.dice,
                sum(roll.dice),
                roll.drawn,
                UNSET if self.side is None else self.side,
                self.saves or UNSET,
            )
        )

    def _as_points(self) -> Sequence[Choice]:
        """The same with as many hit dice as one number takes that no die shows, which may be the hit points."""
        if self.rolled is None or len(self.rolled) != 1 or self.rolled[0] <= SIDES or self.hit_dice is not None:
            return ()
        points = self.rolled[0]
        count = -(-points // SIDES)
        if count > HIGHEST_LEVEL:
            return ()
        dice = even_parts(points, count)
        side = {} if self.side is None else {"side": self.side}
        return (Choice(Enrol, {"character": self.character, "hit_dice": count, **side, "rolled": dice}),)

    def _as_many(self) -> Sequence[Choice]:
        """The same with as many hit dice, for a player's character levels, as were rolled where neither was said."""
        many = len(self.rolled or ()) > 1 and all(1 <= face <= SIDES for face in self.rolled or ())
        if not many or self.rolled is None or self.hit_dice is not None or self.level != 1:
            return ()
        return (with_more(self, "", **{"level" if self.player else "hit_dice": len(self.rolled)}),)


class Enrolled(Event, frozen=True, tag="osr.enrolled"):
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
    #: Left out for those of our side, as in every event before there were these two.
    side: Literal["foe"] | UnsetType = UNSET
    saves: bool | UnsetType = UNSET

    def sentence(self) -> Sentence:
        name = called(self.character)
        rank = f"with {dice_in_words(self.hit_dice)}" if self.non_player else f"at level {self.level}"
        return (
            f"{name}{f', played by {self.player},' if self.player else ''} {self._joins()} {rank}, rolls ",
            *shown_dice(self.dice, (), drawn=self.drawn),
            f"and has {hit_points(self.hp)}.",
        )

    def in_story(self) -> Share:
        return Share(self.character, self._joins())

    def _joins(self) -> str:
        return "appears as a foe" if self.side else "joins"

    def fold(self, state: OsrState) -> None:
        state.characters[self.character] = OsrSheet(
            self.player,
            self.level,
            self.hit_dice,
            self.hp,
            side=self.side or None,
            non_player=self.non_player,
            saves=bool(self.saves),
        )


# -- gaining a level -----------------------------------------------------------------------------------


class LevelUp(Action, frozen=True, kw_only=True, tag="osr.level_up"):
    """Gain a level and a hit die.

    Hit points stay as they are until the next roll.
    """

    character: Annotated[Name, Meta(description="who gains the level")]
    level: Annotated[
        Annotated[int, Meta(ge=1, le=HIGHEST_LEVEL)] | None,
        Meta(description="the new level, if you want it checked", extra={"in_order": True}),
    ] = None

    @rule("OSR 6.2")
    def decide(self, decision: OsrDecision) -> None:
        """Gains a level and a hit die, up to 100 of each; a given level must be the next one."""
        must_be_free(decision, self.character)
        sheet = decision.sheet(self.character)
        name = called(self.character)
        refuse_unless(
            sheet.level < HIGHEST_LEVEL, "OSR 6.2", f"{name} is at the highest level there is, {sheet.level}."
        )
        refuse_unless(
            sheet.hit_dice < HIGHEST_LEVEL, "OSR 6.2", f"{name} has all the hit dice there are, {sheet.hit_dice}."
        )
        refuse_unless(
            self.level in (None, sheet.level + 1),
            "OSR 6.2",
            f"{name} is at level {sheet.level}, and the next one is {sheet.level + 1}, not {self.level}.",
        )
        decision.tell(LevelGained(self.character, sheet.level + 1, sheet.hit_dice + 1))


class LevelGained(Event, frozen=True, tag="osr.level_gained"):
    """A level and a hit die more. Hit points wait for the next roll."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.2",)

    character: str
    level: int
    hit_dice: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} rises to level {self.level} with {dice_in_words(self.hit_dice)}.",)

    def in_story(self) -> Own:
        return Own(gravity=NOTABLE, who=self.character, by="")

    def fold(self, state: OsrState) -> None:
        state.change(self.character, level=self.level, hit_dice=self.hit_dice)


# -- in words ------------------------------------------------------------------------------------------


def hit_points(count: int) -> str:
    """ "1 hit point", "7 hit points"."""
    return quantity(count, "hit point")


def dice_in_words(count: int) -> str:
    """ "1 hit die", "2 hit dice"."""
    return quantity(count, "hit die", "hit dice")


def shown_dice(dice: Sequence[int], dropped: Sequence[int], *, drawn: bool) -> Sentence:
    """The dice in the order rolled, the dropped ones struck."""
    still_dropped = list(dropped)
    parts: list[str] = []
    for die in dice:
        if die in still_dropped:
            still_dropped.remove(die)
            parts += [Struck(die), " "]
        else:
            parts.append(f"{die} ")
    return (*parts, "(drawn) ") if drawn else tuple(parts)
