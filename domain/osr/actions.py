"""What people ask for under the rules of osr. Each docstring is the help of its verb."""

from typing import Annotated, Literal

from msgspec import Meta

from domain.osr.sheet import FIGURES, HIGHEST_LEVEL, Ability, Points, Total, WoundId
from domain.refusal import Invalid
from domain.turn import LARGEST, Action, Name, NewName, Text, Whole

Level = Annotated[int, Meta(ge=1, le=HIGHEST_LEVEL)]
#: Damage; what is left of it and 20 more must still be a number that can be stored.
Amount = Annotated[int, Meta(ge=0, le=LARGEST - FIGURES["6.6"]["base_dc"])]
#: The level or the hit dice of an attacker; its price in hit points must still be a number that can be stored.
AttackerLevel = Annotated[int, Meta(ge=1, le=LARGEST // FIGURES["6.12"]["cost_per_level"])]
Said = Annotated[str, Meta(min_length=1, max_length=10_000)]
#: Faces as they were rolled. A face that no die has is for the rules to refuse.
Dice = tuple[int, ...]


def _somebody(characters: tuple[str, ...]) -> None:
    if not characters:
        raise Invalid("A rest needs somebody who rests; name at least one character.")


class Enrol(Action, frozen=True, kw_only=True, tag="osr.enrol"):
    """Enrol a character and roll the first hit points."""

    character: Annotated[NewName, Meta(description="the new character")]
    player: Annotated[Text | None, Meta(description="who plays the character")] = None
    level: Annotated[Level, Meta(description="the level, 1 to 100")] = 1
    hit_dice: Annotated[Level | None, Meta(description="makes a non-player: hit dice other than by level")] = None
    rolled: Annotated[Dice | None, Meta(description="the hit dice as rolled")] = None


class ShortRest(Action, frozen=True, kw_only=True, tag="osr.short_rest"):
    """Take a short rest and re-roll hit points; each re-roll costs a point of fatigue."""

    characters: Annotated[tuple[Name, ...], Meta(description="who rests")]
    exempt: Annotated[
        tuple[Name, ...] | None, Meta(description="who need not re-roll when all rest together (short_rest_together)")
    ] = None
    rerolls: Annotated[tuple[Name, ...] | None, Meta(description="who of them re-rolls; otherwise all")] = None
    keep: Annotated[tuple[Name, ...] | None, Meta(description="who keeps the old total (keep_higher)")] = None
    rolled: Annotated[
        dict[Name, Dice] | None,
        Meta(description="the dice as rolled: hit dice and one for each fatigue", extra={"keyed_by": "characters"}),
    ] = None
    minutes: Annotated[Whole, Meta(description="how long it lasts")] = FIGURES["6.4"]["minutes"]
    safe: Annotated[bool, Meta(description="whether the spot is fairly safe")] = True

    def check(self) -> None:
        _somebody(self.characters)


class NightRest(Action, frozen=True, kw_only=True, tag="osr.night_rest"):
    """Sleep well: fatigue goes, and everybody re-rolls in the morning."""

    characters: Annotated[tuple[Name, ...], Meta(description="who sleeps")]
    rolled: Annotated[
        dict[Name, Dice] | None,
        Meta(description="the hit dice as rolled in the morning", extra={"keyed_by": "characters"}),
    ] = None

    def check(self) -> None:
        _somebody(self.characters)


class Damage(Action, frozen=True, kw_only=True, tag="osr.damage"):
    """Take damage; what hit points do not stop injures."""

    character: Annotated[Name, Meta(description="who is hit")]
    amount: Annotated[Amount, Meta(description="points of damage")]
    source: Annotated[Said | None, Meta(description="what did it")] = None


class BypassingHit(Action, frozen=True, kw_only=True, tag="osr.bypassing_hit"):
    """Suffer harm that bypasses hit points, or buy it off with them."""

    character: Annotated[Name, Meta(description="who is hit")]
    attacker_level: Annotated[AttackerLevel | None, Meta(description="level or hit dice of the attacker")] = None
    dc: Annotated[Total, Meta(description="what the saves are against: the referee's")]
    sacrifice: Annotated[bool, Meta(description="pay hit points to stop it")] = False
    cost: Annotated[Whole | None, Meta(description="the price; otherwise 10 for each level of the attacker")] = None
    source: Annotated[Said | None, Meta(description="what did it")] = None

    def check(self) -> None:
        if self.sacrifice and self.cost is None and self.attacker_level is None:
            raise Invalid("A sacrifice needs its price: give the attacker's level, or the cost.")


class InjurySaves(Action, frozen=True, kw_only=True, tag="osr.injury_saves"):
    """Make the strength and will saves of an open injury."""

    character: Annotated[Name, Meta(description="who is injured")]
    strength: Annotated[Total, Meta(description="total of the strength save")]
    will: Annotated[Total | None, Meta(description="total of the will save")] = None
    fail_will: Annotated[bool, Meta(description="fail the will save on purpose")] = False
    wound: Annotated[Said | None, Meta(description="what a minor wound is; otherwise a shallow cut")] = None
    effect: Annotated[Said | None, Meta(description="what a minor wound does")] = None
    until: Annotated[Said | None, Meta(description="what ends a minor wound; otherwise a long rest")] = None
    stat_loss: Annotated[
        Annotated[dict[Ability, Points], Meta(min_length=1)] | None,
        Meta(description="what a minor wound costs (minor_injuries = recovery_marks); otherwise drawn"),
    ] = None


class ChooseFate(Action, frozen=True, kw_only=True, tag="osr.choose_fate"):
    """Choose death or a major wound after a failed strength save."""

    character: Annotated[Name, Meta(description="whose fate it is")]
    fate: Annotated[Literal["death", "major_wound"], Meta(description="death or major_wound")]
    wound: Annotated[Said | None, Meta(description="what the major wound is")] = None
    effect: Annotated[Said | None, Meta(description="what it does")] = None
    ability_loss: Annotated[dict[Ability, Points] | None, Meta(description="points of ability score that it costs")] = (
        None
    )

    def check(self) -> None:
        if self.fate == "death" and (self.wound is not None or self.effect is not None or self.ability_loss):
            raise Invalid("Death takes no wound, effect or ability loss with it; leave them out.")


class Treat(Action, frozen=True, kw_only=True, tag="osr.treat"):
    """Treat a wound, so that it cannot worsen."""

    character: Annotated[Name, Meta(description="who is wounded")]
    wound: Annotated[WoundId, Meta(description="number of the wound")]


class Worsen(Action, frozen=True, kw_only=True, tag="osr.worsen"):
    """Let an untreated wound worsen: both saves again."""

    character: Annotated[Name, Meta(description="who is wounded")]
    wound: Annotated[WoundId, Meta(description="number of the wound")]
    dc: Annotated[Total, Meta(description="what the saves are against: the referee's")]


class DieOfWounds(Action, frozen=True, kw_only=True, tag="osr.die_of_wounds"):
    """Let a character die of a major wound."""

    character: Annotated[Name, Meta(description="who dies")]


class RecoverWound(Action, frozen=True, kw_only=True, tag="osr.recover_wound"):
    """End a wound by the referee's word; its mark stays."""

    character: Annotated[Name, Meta(description="who recovers")]
    wound: Annotated[WoundId, Meta(description="number of the wound")]
    why: Annotated[Said | None, Meta(description="how it healed")] = None


class Rally(Action, frozen=True, kw_only=True, tag="osr.rally"):
    """Get a collapsed character back up."""

    character: Annotated[Name, Meta(description="who gets up")]


class LevelUp(Action, frozen=True, kw_only=True, tag="osr.level_up"):
    """Gain a level and a hit die; hit points wait for the next roll."""

    character: Annotated[Name, Meta(description="who gains the level")]


class RecoveryRoll(Action, frozen=True, kw_only=True, tag="osr.recovery_roll"):
    """At a rest, erase a recovery mark for one improvement roll."""

    character: Annotated[Name, Meta(description="who rolls")]
    ability: Annotated[Ability, Meta(description="the ability rolled for")]
    improved: Annotated[bool, Meta(description="whether the roll improved it")]


ACTIONS: tuple[type[Action], ...] = (
    Enrol, ShortRest, NightRest, Damage, BypassingHit, InjurySaves, ChooseFate, Treat, Worsen, DieOfWounds,
    RecoverWound, Rally, LevelUp, RecoveryRoll,
)  # fmt: skip
