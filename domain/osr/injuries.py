"""Injuries: damage beyond the hit points, the saves against it, and the choice of a fate: OSR 6.6 to 6.8 and 6.12."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from domain.naming import as_noun, called, capitalised, inside, needs_article, possessive, quantity
from domain.osr.hit_points import hit_points
from domain.osr.preconditions import must_be_free, must_live
from domain.osr.sheet import FIGURES, Ability, Injury, OsrDecision, OsrSheet, OsrState, Points, Total
from domain.osr.wounds import (
    died,
    most_marks,
    must_be_abilities,
    must_have_room_for_a_mark,
    stat_loss_allowed,
    take_major_wound,
    take_minor_wound,
    worsening,
)
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands, with_more
from domain.system.pending import PendingDecision
from domain.system.story import ELSEWHERE, FATAL, OF_A_CAUSE, SERIOUS, Elsewhere, Own, Share, cause_alone, left_out
from domain.turn import LARGEST, Action, Event, Name, NonEmptyText, Sentence, Whole

BASE_DC: int = FIGURES["6.6"]["base_dc"]
COST_PER_LEVEL: int = FIGURES["6.12"]["cost_per_level"]

#: Damage; what is left of it and the base DC more must still be a number that can be stored.
Amount = Annotated[int, Meta(ge=0, le=LARGEST - BASE_DC)]
#: The level or the hit dice of an attacker; its price in hit points must still be a number that can be stored.
AttackerLevel = Annotated[int, Meta(ge=1, le=LARGEST // COST_PER_LEVEL)]


#: What did it.
Source = Annotated[
    NonEmptyText | None, Meta(description="what did it", extra={"remark": True, "led_by": ("from", "by")})
]


# -- being hit -----------------------------------------------------------------------------------------


class Damage(Action, frozen=True, kw_only=True, tag="osr.damage"):
    """Take damage; beyond the last hit point it injures."""

    shorts: ClassVar = {"d": {}}
    number_sign: ClassVar = "-"
    synonyms: ClassVar = ("dmg", "takes", "take", "suffers", "loses")
    meant_by: ClassVar = ("hit", "hurt", "harm", "attack", "wound")

    character: Annotated[Name, Meta(description="who is hit")]
    amount: Annotated[Amount, Meta(description="points of damage")]
    source: Source = None
    dc: Annotated[
        Total | None,
        Meta(
            description="the DC of the saves if this injures",
            extra={"otherwise": "20 and the overflow", "filled": True},
        ),
    ] = None
    how: Annotated[NonEmptyText | None, Meta(description="how the player describes the loss")] = None

    @rule("OSR 6.6")
    def decide(self, decision: OsrDecision) -> None:
        """Takes hit points; damage beyond them injures, and the overflow raises the DC unless one is given."""
        must_be_free(decision, self.character)
        before = decision.sheet(self.character).hp
        how = UNSET if self.how is None else self.how
        if dies_at_zero(decision.sheet(self.character)) and self.amount >= before:
            decision.tell(FoeSlain(self.character, self.amount, 0, self.source, how))
        elif injures(self.amount, before, zero_is_injury=decision.options.zero_is_injury):
            overflow = self.amount - before
            dc = BASE_DC + overflow if self.dc is None else self.dc
            decision.tell(Injured(self.character, self.amount, before, overflow, dc, self.source, how))
        else:
            decision.tell(Damaged(self.character, self.amount, before - self.amount, self.source, how))


def dies_at_zero(sheet: OsrSheet) -> bool:
    """Whether the character dies without saves: a foe that was enrolled without them."""
    return sheet.side == "foe" and not sheet.saves


@rule("OSR 6.6")
def injures(amount: int, before: int, *, zero_is_injury: bool) -> bool:
    """Whether damage injures: beyond the hit points, or by an option if it leaves exactly 0."""
    return amount > before or (zero_is_injury and amount == before > 0)


class Damaged(Event, frozen=True, tag="osr.damaged"):
    """Damage that hit points took: `hp` are left."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6",)

    character: str
    amount: int
    hp: int
    source: str | None = None
    #: How the player describes the loss. Left out if nobody did, as in events from before this field existed.
    how: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        cause = _by(self.source, self.how)
        return (f"{called(self.character)} is hit for {self.amount}{cause} and has {hit_points(self.hp)} left.",)

    def in_story(self) -> Share:
        return Share(self.character, "loses", self.amount, "hit points", by=cause_alone(self.source))

    def fold(self, state: OsrState) -> None:
        state.change(self.character, hp=self.hp)


class Injured(Event, frozen=True, tag="osr.injured"):
    """Damage beyond the hit points (`before`), which are now 0: saves against `dc` are open."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6",)

    character: str
    amount: int
    before: int
    overflow: int
    dc: int
    source: str | None = None
    how: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        return (f"{self._hit()}: strength and will saves against DC {self.dc}.",)

    def in_story(self) -> Own:
        return Own(f"{self._hit()}.", who=self.character, by=cause_alone(self.source))

    def _hit(self) -> str:
        hit = f"is hit for {self.amount}{_by(self.source, self.how)}"
        if not self.before:
            return f"{called(self.character)} has no hit points left and {hit}"
        last = "hit point" if self.before == 1 else hit_points(self.before)
        return f"{called(self.character)} {hit} and loses the last {last}"

    def fold(self, state: OsrState) -> None:
        state.change(self.character, hp=0, injury=Injury(self.dc, self.source), worsening=None)


class FoeSlain(Event, frozen=True, tag="osr.foe_slain"):
    """A foe that makes no saves dies. `amount` None: of harm that bypassed its hit points, of which `hp` are left."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6",)

    character: str
    amount: int | None
    hp: int
    source: str | None = None
    how: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        points = "" if self.amount is None else f" for {self.amount}"
        return (f"{called(self.character)} is hit{points}{_by(self.source, self.how)} and dies.",)

    def fold(self, state: OsrState) -> None:
        state.change(self.character, hp=self.hp, condition="dead", injury=None)


def _by(source: str | None, how: str | UnsetType) -> str:
    """The cause and the player's description of the loss, for a sentence: " by a ghoul (a torn sleeve)"."""
    return _cause(source) + (f" ({inside(how)})" if how else "")


def _cause(source: str | None) -> str:
    """ " by a ghoul", " because of rats"; what was typed without an article is no part of the sentence: " (ogre)"."""
    if not source:
        return ""
    begins = source.casefold().startswith
    if begins(OF_A_CAUSE) and not begins(("to ", "by ")):
        return f" {source}"
    cause = cause_alone(source)
    return f" ({cause})" if needs_article(cause) else f" by {as_noun(cause)}"


def _what_bypasses(source: str | None) -> str:
    """ "The wight's hit", "Poison", "A hit from a trap", "A hit"."""
    cause = (source or "").removeprefix("by ")
    if not cause or cause.casefold().startswith(OF_A_CAUSE):
        return f"A hit {cause}".rstrip()
    words = cause.split()
    creature = words[0].casefold() in ("a", "an", "the") and len(words) <= 3
    return f"{capitalised(cause)}" + ("'s hit" if creature else "")


# -- harm that bypasses hit points ---------------------------------------------------------------------


class BypassingHit(Action, frozen=True, kw_only=True, tag="osr.bypassing_hit"):
    """Take a hit that bypasses hit points, or pay to stop it."""

    character: Annotated[Name, Meta(description="who is hit")]
    attacker_level: Annotated[AttackerLevel | None, Meta(description="level or hit dice of the attacker")] = None
    dc: Annotated[
        Total | None,
        Meta(
            description="the DC that the referee sets for the saves",
            extra={"in_order": True, "unless": ("sacrifice",)},
        ),
    ] = None
    sacrifice: Annotated[bool, Meta(description="pay hit points to stop it; then it needs no DC")] = False
    cost: Annotated[
        Whole | None,
        Meta(
            description="the price of a sacrifice, if not 10 for each level of the attacker",
            extra={"unless": ("attacker_level",), "needed_with": "sacrifice"},
        ),
    ] = None
    source: Source = None

    def check(self) -> None:
        if self.sacrifice and self.cost is None and self.attacker_level is None:
            raise Invalid("A sacrifice needs its price: give the attacker's level, or the cost.")
        if not self.sacrifice and self.dc is None:
            raise Invalid("A hit that bypasses hit points needs dc: what the saves are against.")

    @rule("OSR 6.12")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask whether hit points are paid, if both the price and the DC of the saves are given."""
        has_price = self.cost is not None or self.attacker_level is not None
        if self.sacrifice or self.dc is None or not has_price or not draft.events:
            return None
        cost, hp = price(self.cost, self.attacker_level), draft.state.characters[self.character].hp
        if hp < cost:
            return None
        pays = with_more(self, f"pay {hit_points(cost)} and have {hp - cost} left", sacrifice=True)
        saves = as_it_stands(self, f"save against DC {self.dc}")
        harm = self.source or "this"
        return PendingDecision((saves, pays), f"{called(self.character)} can stop {harm} with {hit_points(cost)}.")

    @rule("OSR 6.12")
    def decide(self, decision: OsrDecision) -> None:
        """Opens an injury regardless of hit points, unless they pay the whole price."""
        must_be_free(decision, self.character)
        sheet = decision.sheet(self.character)
        before = sheet.hp
        if not self.sacrifice and self.dc is not None:
            if dies_at_zero(sheet):
                decision.tell(FoeSlain(self.character, None, before, self.source))
            else:
                decision.tell(HitPointsBypassed(self.character, self.dc, self.source))
            return
        cost = price(self.cost, self.attacker_level)
        refuse_unless(
            before >= cost,
            "OSR 6.12",
            f"{called(self.character)} cannot stop this with {hit_points(before)}: it costs {cost}.",
        )
        if dies_at_zero(sheet) and cost == before:
            decision.tell(FoeSlain(self.character, cost, 0, self.source))
        else:
            decision.tell(HitPointsSacrificed(self.character, cost, before - cost, self.source))


@rule("OSR 6.12")
def price(cost: int | None, attacker_level: int | None) -> int:
    """The hit points that stop the harm: the given cost, else ten per level of the attacker."""
    return cost if cost is not None else COST_PER_LEVEL * (attacker_level or 0)


class HitPointsBypassed(Event, frozen=True, tag="osr.hit_points_bypassed"):
    """Harm that hit points did not stop, and that left them as they are: saves against `dc` are open."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.12",)

    character: str
    dc: int
    source: str | None = None

    def sentence(self) -> Sentence:
        harm = _what_bypasses(self.source)
        return (
            f"{harm} bypasses {possessive(self.character)} hit points: strength and will saves against DC {self.dc}.",
        )

    def in_story(self) -> Own:
        text = f"{called(self.character)} is hit{_cause(self.source)}, and hit points do not stop it."
        return Own(text, who=self.character, by=cause_alone(self.source))

    def fold(self, state: OsrState) -> None:
        state.change(self.character, injury=Injury(self.dc, self.source), worsening=None)


class HitPointsSacrificed(Event, frozen=True, tag="osr.hit_points_sacrificed"):
    """Harm that would have bypassed hit points, bought off with `cost` of them: `hp` are left."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.12",)

    character: str
    cost: int
    hp: int
    source: str | None = None

    def sentence(self) -> Sentence:
        purpose = f"stop {self.source}" if self.source else "stop the hit"
        return (f"{called(self.character)} pays {hit_points(self.cost)} to {purpose} and has {self.hp} left.",)

    def fold(self, state: OsrState) -> None:
        state.change(self.character, hp=self.hp)


# -- the two saves -------------------------------------------------------------------------------------


class InjurySaves(Action, frozen=True, kw_only=True, tag="osr.injury_saves"):
    """Make the strength and will saves of an open injury."""

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"saves": {}}

    character: Annotated[Name, Meta(description="who is injured")]
    strength: Annotated[Total, Meta(description="total of the strength save", extra={"reported": True})]
    will: Annotated[
        Total | None, Meta(description="total of the will save", extra={"in_order": True, "reported": True})
    ] = None
    fail_will: Annotated[bool, Meta(description="fail the will save on purpose")] = False
    wound: Annotated[
        NonEmptyText | None,
        Meta(description="what a minor wound is", extra={"otherwise": "a shallow cut", "remark": True}),
    ] = None
    effect: Annotated[NonEmptyText | None, Meta(description="what a minor wound does")] = None
    until: Annotated[
        NonEmptyText | None, Meta(description="what ends a minor wound", extra={"otherwise": "a long rest"})
    ] = None
    stat_loss: Annotated[
        Annotated[dict[Ability, Points], Meta(min_length=1)] | None,
        Meta(
            description="what a minor wound costs, where a ruling has recovery marks",
            extra={"otherwise": "drawn", "under": {"minor_injuries": "recovery_marks"}},
        ),
    ] = None

    def announcement(self) -> str:
        return f"{called(self.character)} makes the saves of the injury"

    def check(self) -> None:
        must_be_abilities(self.stat_loss or ())

    @rule("OSR 6.6", "OSR 6.8")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask for the will save if only the strength save is given: its total, or failed on purpose."""
        injury = draft.state.characters[self.character].injury
        if self.will is not None or self.fail_will or injury is None or injury.stage != "saves":
            return None
        choices = (
            with_more(self, "the total of the will save", "will"),
            with_more(self, "fail it on purpose and collapse", fail_will=True),
        )
        return PendingDecision(choices, f"{possessive(self.character)} will save against DC {injury.dc}?")

    @rule("OSR 6.6", "OSR 6.7", "OSR 6.8")
    def decide(self, decision: OsrDecision) -> None:
        """Makes both saves: strength decides how bad the injury is, will whether the character stays up."""
        name = self.character
        must_live(decision, name)
        injury = decision.sheet(name).injury
        if injury is None:
            raise Refusal("OSR 6.6", f"{called(name)} has no injury to save against.")
        if injury.stage == "fate":
            must_be_free(decision, name)
        if self.will is None and not self.fail_will:
            reason = "An injury takes both saves: give the total of the will save too, or fail it on purpose."
            raise Refusal("OSR 6.6", reason, [with_more(self, "", "will"), with_more(self, "", fail_will=True)])
        stat_loss_allowed(decision, self.stat_loss)
        for save, total in (("strength save", self.strength), ("will save", self.will)):
            if total is not None:
                decision.chance.keep(f"{name}/{save}", (total,), reported=1)
        strength_save(decision, self, injury.dc)
        will_save(decision, self, injury.dc)


@rule("OSR 6.6")
def passes(total: int, dc: int, *, save_meets_dc: bool) -> bool:
    """Whether a save passes; an option decides about a total equal to the DC."""
    return total > dc or (save_meets_dc and total == dc)


@rule("OSR 6.7")
def strength_save(decision: OsrDecision, action: InjurySaves, dc: int) -> None:
    """Passed: a minor wound. Failed: the choice of a fate, or death if 6.11 leaves no choice."""
    name = action.character
    if passes(action.strength, dc, save_meets_dc=decision.options.save_meets_dc):
        decision.tell(StrengthSavePassed(name, action.strength, dc))
        take_minor_wound(decision, name, action.wound, action.effect, action.until, action.stat_loss)
        return
    told = {key: None for key in ("wound", "effect", "until", "stat_loss") if getattr(action, key) is not None}
    if told and not decision.chance.lenient:  # older logs kept what was never told
        save = f"{possessive(name)} strength save fails: {action.strength} against DC {dc}"
        raise Refusal("OSR 6.7", f"{save}. There is no minor wound to describe.", [with_more(action, "", **told)])
    decision.tell(StrengthSaveFailed(name, action.strength, dc))
    sheet = decision.sheet(name)
    if sheet.marks >= most_marks(sheet):
        decision.tell(DiedOutright(name, sheet.marks))


class StrengthSavePassed(Event, frozen=True, tag="osr.strength_save_passed"):
    """The wound is minor, and the injury is settled."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.7")

    character: str
    total: int
    dc: int

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} strength save passes: {self.total} against DC {self.dc}.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        state.change(self.character, injury=None)


class StrengthSaveFailed(Event, frozen=True, tag="osr.strength_save_failed"):
    """Death or a major wound: the player's choice is open, unless death follows in the same turn."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.7")

    character: str
    total: int
    dc: int

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} strength save fails: {self.total} against DC {self.dc}.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        sheet = state.characters.get(self.character)
        source = sheet.injury.source if sheet is not None and sheet.injury is not None else None
        state.change(self.character, injury=Injury(self.dc, source, "fate"))


class DiedOutright(Event, frozen=True, tag="osr.died_outright"):
    """A failed strength save without a choice: as many marks as the level, or more."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.11",)

    character: str
    marks: int

    def sentence(self) -> Sentence:
        return (
            f"{called(self.character)} dies outright: {quantity(self.marks, 'mark')}"
            " and no major wound left to choose.",
        )

    def in_story(self) -> Own:
        return Own(f"{called(self.character)} dies outright.", FATAL, self.character)

    def fold(self, state: OsrState) -> None:
        died(state, self.character)


@rule("OSR 6.8")
def will_save(decision: OsrDecision, action: InjurySaves, dc: int) -> None:
    """Failed, also on purpose: the character collapses. Passed, or dead already: nothing changes."""
    name, total, meeting_passes = action.character, action.will, decision.options.save_meets_dc
    condition = decision.sheet(name).condition
    dead = True if condition == "dead" else UNSET
    if total is not None and not action.fail_will and passes(total, dc, save_meets_dc=meeting_passes):
        decision.tell(WillSavePassed(name, total, dc, dead))
    else:
        on_purpose, stands = action.fail_will, condition == "up"
        decision.tell(WillSaveFailed(name, total, dc, on_purpose=on_purpose, collapses=stands, dead=dead))


class WillSavePassed(Event, frozen=True, tag="osr.will_save_passed"):
    """The will save passed: a character who stood keeps standing."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.8")

    character: str
    total: int
    dc: int
    #: The strength save was death: the total is on record and nobody needs to hear of it. Left out otherwise.
    dead: bool | UnsetType = UNSET

    @property
    def silent(self) -> bool:
        return bool(self.dead)

    def sentence(self) -> Sentence:
        return (
            () if self.dead else (f"{possessive(self.character)} will save passes: {self.total} against DC {self.dc}.",)
        )

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        """Passing changes nothing: a character who was down stays down."""


class WillSaveFailed(Event, frozen=True, tag="osr.will_save_failed"):
    """A failed will save, by the dice or on purpose; `collapses` is false for those who were down, or are dead."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.6", "OSR 6.8")

    character: str
    total: int | None
    dc: int
    on_purpose: bool = False
    collapses: bool = True
    #: As in `WillSavePassed`.
    dead: bool | UnsetType = UNSET

    @property
    def silent(self) -> bool:
        return bool(self.dead)

    def sentence(self) -> Sentence:
        name = called(self.character)
        if self.silent:
            return ()
        if self.on_purpose:
            total = f" (total {self.total})" if self.total is not None else ""
            return (f"{name} fails the will save on purpose{total}{' and collapses' if self.collapses else ''}.",)
        so = f", and {name} collapses" if self.collapses else ""
        return (f"{possessive(name)} will save fails: {self.total} against DC {self.dc}{so}.",)

    def in_story(self) -> Own | Elsewhere:
        if not self.collapses:
            return ELSEWHERE
        return Own(
            f"{called(self.character)} collapses{' on purpose' if self.on_purpose else ''}.", SERIOUS, self.character
        )

    def fold(self, state: OsrState) -> None:
        if self.collapses:
            state.change(self.character, condition="collapsed", rested_down=False)


# -- fate ----------------------------------------------------------------------------------------------


class ChooseFate(Action, frozen=True, kw_only=True, tag="osr.choose_fate"):
    """Choose death or a major wound after a failed save."""

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"fate": {}}
    grave_values: ClassVar = {"fate": "death"}

    character: Annotated[Name, Meta(description="whose fate it is")]
    fate: Annotated[
        Literal["death", "major_wound"],
        Meta(
            description="death or a major wound",
        ),
    ]
    wound: Annotated[NonEmptyText | None, Meta(description="what the major wound is", extra={"remark": True})] = None
    effect: Annotated[NonEmptyText | None, Meta(description="what it does")] = None
    ability_loss: Annotated[dict[Ability, Points] | None, Meta(description="points of ability score that it costs")] = (
        None
    )

    @rule("OSR 6.10")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask what the major wound is."""
        if self.fate == "death" or self.wound is not None or not draft.events:
            return None
        worse = worsening(draft.state.characters[self.character])
        as_is = f"it stays {worse.what}" if worse is not None else "leave it open"
        ways = (with_more(self, "describe it", "wound"), as_it_stands(self, as_is))
        return PendingDecision(ways, f"What is {possessive(self.character)} major wound?")

    def check(self) -> None:
        if self.fate == "death" and (self.wound is not None or self.effect is not None or self.ability_loss):
            raise Invalid("Death takes no wound, effect or ability loss with it; leave them out.")
        must_be_abilities(self.ability_loss or ())

    @rule("OSR 6.7")
    def decide(self, decision: OsrDecision) -> None:
        """Settles a failed strength save by death or a major wound; the latter takes room for a mark (6.11)."""
        name = self.character
        sheet = decision.sheet(name)
        if sheet.injury is not None and sheet.injury.stage == "saves":
            must_be_free(decision, name)
        if self.fate == "major_wound":
            must_have_room_for_a_mark(sheet, name)
        must_live(decision, name)
        refuse_unless(
            sheet.injury, "OSR 6.7", f"{called(name)} has no fate to choose: that takes a failed strength save."
        )
        if self.fate == "death":
            decision.tell(DeathChosen(name, foe=sheet.side == "foe" or UNSET))
        else:
            take_major_wound(decision, name, self.wound, self.effect, self.ability_loss)


class DeathChosen(Event, frozen=True, tag="osr.death_chosen"):
    """The player chose death over a major wound; for a foe, the referee."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.7",)

    character: str
    foe: bool | UnsetType = UNSET

    def sentence(self) -> Sentence:
        chooser = "." if self.foe else ": the player's choice."
        return (f"{called(self.character)} dies of the injury{chooser}",)

    def in_story(self) -> Own:
        return Own(f"{called(self.character)} dies of the injury.", FATAL, self.character)

    def fold(self, state: OsrState) -> None:
        died(state, self.character)


# -- back up -------------------------------------------------------------------------------------------


class Rally(Action, frozen=True, kw_only=True, tag="osr.rally"):
    """Get a collapsed character back up."""

    meant_by: ClassVar = ("help", "get up")

    character: Annotated[Name, Meta(description="who gets up")]

    @rule("OSR 6.8")
    def decide(self, decision: OsrDecision) -> None:
        """Gets a collapsed character back up."""
        must_be_free(decision, self.character)
        refuse_unless(
            decision.sheet(self.character).condition == "collapsed",
            "OSR 6.8",
            f"{called(self.character)} has not collapsed.",
        )
        decision.tell(Rallied(self.character))


class Rallied(Event, frozen=True, tag="osr.rallied"):
    """Back up after a collapse."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.8",)

    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} is back up.",)

    def fold(self, state: OsrState) -> None:
        state.change(self.character, condition="up")
