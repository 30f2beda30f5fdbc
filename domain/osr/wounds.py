"""Minor and major wounds, their treatment, marks and recovery marks: OSR 6.9, 6.10 and 6.11."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Annotated, ClassVar

from msgspec import Meta
from msgspec.structs import replace

from domain.naming import called, ended, key_of, listed, possessive, quantity
from domain.osr.hit_points import dice_in_words
from domain.osr.preconditions import must_be_free
from domain.osr.sheet import (
    ABILITIES,
    FIGURES,
    Ability,
    Injury,
    OsrDecision,
    OsrSheet,
    OsrState,
    Total,
    Wound,
    WoundId,
)
from domain.refusal import Invalid, Refusal, Unknown, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import with_more
from domain.system.story import FATAL, NOTABLE, SEVERE, Own, left_out
from domain.turn import Action, Event, Name, NonEmptyText, Positive, Sentence

MINOR: Mapping[str, str] = FIGURES["6.9"]
MAJOR: Mapping[str, str] = FIGURES["6.10"]
#: Which wound is meant.
Which = Annotated[
    WoundId | None, Meta(description="number of the wound", extra={"otherwise": "the only one", "in_order": True})
]


# -- minor wounds --------------------------------------------------------------------------------------


@rule("OSR 6.9")
def take_minor_wound(
    decision: OsrDecision,
    name: str,
    what: str | None,
    effect: str | None,
    until: str | None,
    stat_loss: Mapping[Ability, int] | None,
) -> None:
    """Take the given minor wound, or a shallow cut; with the option `recovery_marks` it costs ability points too."""
    if what is None:
        # the default effect belongs to the default wound only
        worse = worsening(decision.sheet(name))
        default = (MINOR["wound"], MINOR["effect"]) if worse is None else (worse.what, worse.effect)
        what, effect = default[0], effect if effect is not None else default[1]
    decision.tell(
        MinorWoundTaken(
            name, wound_number(decision, name), what, effect, until if until is not None else MINOR["until"]
        )
    )
    if decision.options.minor_injuries == "recovery_marks":
        loss = stat_loss if stat_loss is not None else drawn_stat_loss(decision, name)
        lose_ability(decision, name, loss, drawn=stat_loss is None)
        decision.tell(RecoveryMarkGained(name, decision.sheet(name).recovery_marks + 1))


class MinorWoundTaken(Event, frozen=True, tag="osr.minor_wound_taken"):
    """A minor wound. Undone, its number is not given out again."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.7", "OSR 6.9")

    character: str
    wound: int
    what: str
    effect: str | None
    until: str

    def sentence(self) -> Sentence:
        effect = f", {self.effect}" if self.effect else ""
        return (f"{called(self.character)} takes a minor wound: {self.what}{effect}, {until_in_words(self.until)}.",)

    def in_story(self) -> Own:
        return Own(gravity=NOTABLE, who=self.character)

    def fold(self, state: OsrState) -> None:
        with_wound(state, self.character, Wound(self.wound, "minor", self.what, self.effect, self.until))


@rule("OSR 6.9")
def stat_loss_allowed(decision: OsrDecision, stat_loss: Mapping[Ability, int] | None) -> None:
    """Raise Refusal for ability points lost by a minor wound without the option `recovery_marks`."""
    refuse_unless(
        stat_loss is None or decision.options.minor_injuries == "recovery_marks",
        "OSR 6.9",
        "A minor wound costs no ability points here, unless a ruling brings recovery marks in.",
    )


@rule("OSR 6.9")
def drawn_stat_loss(decision: OsrDecision, name: str) -> dict[Ability, int]:
    """One point of one of the six abilities, drawn at random."""
    (ability,) = decision.chance.cards(f"{name}/ability lost", ABILITIES, 1, rule="OSR 6.9")
    return {ability: 1}


# -- major wounds and marks ----------------------------------------------------------------------------


@rule("OSR 6.10")
def take_major_wound(
    decision: OsrDecision, name: str, what: str | None, effect: str | None, ability_loss: Mapping[Ability, int] | None
) -> None:
    """Take a major wound, usually with a loss of ability score, and a mark."""
    number = wound_number(decision, name)
    marks = decision.sheet(name).marks + 1
    if what is None:
        worse = worsening(decision.sheet(name))
        what = MAJOR["wound"] if worse is None else worse.what
        effect = effect if effect is not None or worse is None else worse.effect
    decision.tell(MajorWoundTaken(name, number, what, effect, marks))
    if ability_loss:
        lose_ability(decision, name, ability_loss, drawn=False)


class MajorWoundTaken(Event, frozen=True, tag="osr.major_wound_taken"):
    """A major wound instead of death, and its mark: `marks` now. Undone, its number is not given out again."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.7", "OSR 6.10", "OSR 6.11")

    character: str
    wound: int
    what: str
    effect: str | None
    marks: int

    def sentence(self) -> Sentence:
        is_unnamed = self.what == FIGURES["6.10"]["wound"]
        description = ", ".join(part for part in (None if is_unnamed else self.what, self.effect) if part)
        wound = f"a major wound: {description}" if description else "a major wound"
        return (f"{called(self.character)} lives with {wound} ({quantity(self.marks, 'mark')}).",)

    def in_story(self) -> Own:
        return Own(gravity=SEVERE, who=self.character)

    def fold(self, state: OsrState) -> None:
        with_wound(state, self.character, Wound(self.wound, "major", self.what, self.effect))
        state.change(self.character, marks=self.marks, injury=None)


@rule("OSR 6.11")
def most_marks(sheet: OsrSheet) -> int:
    """The maximum of marks: one per level, or per hit die of a non-player."""
    return sheet.hit_dice if sheet.non_player else sheet.level


@rule("OSR 6.11")
def must_have_room_for_a_mark(sheet: OsrSheet, name: str) -> None:
    """Raise Refusal if the character has the maximum of marks already."""
    most = most_marks(sheet)
    rank = dice_in_words(most) if sheet.non_player else f"level {most}"
    refuse_unless(
        sheet.marks < most,
        "OSR 6.11",
        f"{called(name)} cannot take a major wound: {quantity(sheet.marks, 'mark')} at {rank}.",
    )


def lose_ability(decision: OsrDecision, name: str, loss: Mapping[Ability, int], *, drawn: bool) -> None:
    """Tell that points of ability score are gone, on top of those lost before."""
    before = decision.sheet(name).ability_loss
    now = {ability: before.get(ability, 0) + points for ability, points in loss.items()}
    decision.tell(AbilityScoreLost(name, dict(loss), now, drawn))


class AbilityScoreLost(Event, frozen=True, tag="osr.ability_score_lost"):
    """Points of ability score that a wound cost; `now` is all that is gone of these abilities."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    lost: dict[str, int]
    now: dict[str, int]
    drawn: bool = False

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} loses {points_lost(self.lost)}{' (drawn)' if self.drawn else ''}.",)

    def fold(self, state: OsrState) -> None:
        loss = {**_sheet_loss(state, self.character), **self.now}
        usual = {ability: loss[ability] for ability in ABILITIES if ability in loss}
        state.change(self.character, ability_loss={**usual, **loss})


def must_be_abilities(words: Iterable[str]) -> None:
    """Raise Invalid for a misspelling of one of the usual six abilities; any other word is allowed."""
    for word in words:
        near = get_close_matches(word.casefold(), ABILITIES, n=1, cutoff=0.8)
        if near and word not in ABILITIES:
            raise Invalid(f"There is no ability {word!r}; did you mean {near[0]}?")


def _sheet_loss(state: OsrState, name: str) -> Mapping[str, int]:
    sheet = state.characters.get(name)
    return sheet.ability_loss if sheet is not None else {}


# -- treating, worsening, recovering -------------------------------------------------------------------


def wound_of(decision: OsrDecision, name: str, number: int | None, *, untreated: bool = False) -> Wound:
    """The wound of this number, or the only one. Raises Refusal with choices, perhaps only the `untreated`."""
    wounds = {wound.id: wound for wound in decision.sheet(name).wounds}
    if number is None and len(wounds) == 1:
        return next(iter(wounds.values()))
    if number is None and wounds:
        numbers = listed(f"{wound.id} ({wound.what})" for wound in wounds.values())
        eligible = [wound for wound in wounds.values() if not (untreated and wound.treated)]
        choices = [with_more(decision.action, wound.what, wound=wound.id) for wound in eligible]
        raise Refusal(None, f"{called(name)} has several wounds: {numbers}. Which one?", choices)
    if number is None:
        raise Unknown("wound", number, f"{called(name)} has no wound")
    if number not in wounds:
        verb = "is" if len(wounds) == 1 else "are"
        there_is = f"there {verb} {listed(map(str, wounds))}." if wounds else ""
        raise Unknown("wound", number, f"{called(name)} has no wound{f' {number}' if wounds else ''}", there_is)
    return wounds[number]


def worsening(sheet: OsrSheet) -> Wound | None:
    """The wound whose worsening caused the injury; None if something else did."""
    return next((wound for wound in sheet.wounds if wound.id == sheet.worsening), None)


class Treat(Action, frozen=True, kw_only=True, tag="osr.treat"):
    """Treat a wound, so that it cannot worsen."""

    synonyms: ClassVar = ("bandage",)
    meant_by: ClassVar = ("help",)

    character: Annotated[Name, Meta(description="who is wounded")]
    wound: Which = None

    @rule("OSR 6.9", "OSR 6.10")
    def decide(self, decision: OsrDecision) -> None:
        """Treats a wound, once."""
        must_be_free(decision, self.character)
        wound = wound_of(decision, self.character, self.wound, untreated=True)
        refuse_unless(
            not wound.treated,
            "OSR 6.9" if wound.severity == "minor" else "OSR 6.10",
            f"{possessive(self.character)} wound {wound.id} has been treated already.",
        )
        decision.tell(WoundTreated(self.character, wound.id, wound.what))


class WoundTreated(Event, frozen=True, tag="osr.wound_treated"):
    """The wound can no longer worsen."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    wound: int
    what: str

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} wound {self.wound} ({self.what}) is treated.",)

    def fold(self, state: OsrState) -> None:
        state.change(
            self.character,
            wounds=tuple(
                replace(wound, treated=True) if wound.id == self.wound else wound
                for wound in wounds_of(state, self.character)
            ),
        )


class Worsen(Action, frozen=True, kw_only=True, tag="osr.worsen"):
    """Let an untreated wound worsen: both saves again."""

    character: Annotated[Name, Meta(description="who is wounded")]
    wound: Which = None
    dc: Annotated[Total, Meta(description="the DC that the referee sets for the saves")]

    @rule("OSR 6.10")
    def decide(self, decision: OsrDecision) -> None:
        """Opens an injury with the given DC because an untreated wound worsens."""
        must_be_free(decision, self.character)
        wound = wound_of(decision, self.character, self.wound, untreated=True)
        refuse_unless(
            not wound.treated,
            "OSR 6.10",
            f"{possessive(self.character)} wound {wound.id} is treated and cannot worsen.",
        )
        decision.tell(WoundWorsened(self.character, wound.id, wound.what, self.dc))


class WoundWorsened(Event, frozen=True, tag="osr.wound_worsened"):
    """An untreated wound got worse: saves against `dc` are open. The wound itself stays as it is."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    wound: int
    what: str
    dc: int

    def sentence(self) -> Sentence:
        return (
            f"{possessive(self.character)} wound {self.wound} ({self.what}) worsens: "
            f"strength and will saves against DC {self.dc}.",
        )

    def in_story(self) -> Own:
        return Own(
            f"{possessive(self.character)} wound {self.wound} ({self.what}) worsens.", who=self.character, by=self.what
        )

    def fold(self, state: OsrState) -> None:
        state.change(self.character, injury=Injury(self.dc, self.what), worsening=self.wound)


class RecoverWound(Action, frozen=True, kw_only=True, tag="osr.recover_wound"):
    """End a wound when the referee says so; its mark stays."""

    character: Annotated[Name, Meta(description="who recovers")]
    wound: Which = None
    why: Annotated[NonEmptyText | None, Meta(description="how it healed", extra={"remark": True})] = None

    @rule("OSR 6.9", "OSR 6.10")
    def decide(self, decision: OsrDecision) -> None:
        """Ends a wound by the referee's decision."""
        must_be_free(decision, self.character)
        wound = wound_of(decision, self.character, self.wound)
        decision.tell(WoundRecovered(self.character, wound.id, wound.what, self.why))


class WoundRecovered(Event, frozen=True, tag="osr.wound_recovered"):
    """The wound is over by the referee's word. The mark of a major wound stays."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9", "OSR 6.10")

    character: str
    wound: int
    what: str
    why: str | None = None

    def sentence(self) -> Sentence:
        why = f": {ended(self.why)}" if self.why else "."
        return (f"{called(self.character)} recovers from wound {self.wound} ({self.what}){why}",)

    def fold(self, state: OsrState) -> None:
        without_wound(state, self.character, self.wound)


class DieOfWounds(Action, frozen=True, kw_only=True, tag="osr.die_of_wounds"):
    """Let a character die of a major wound."""

    character: Annotated[Name, Meta(description="who dies")]

    @rule("OSR 6.10")
    def decide(self, decision: OsrDecision) -> None:
        """Lets a character with a major wound die of it, by the player's choice."""
        must_be_free(decision, self.character)
        refuse_unless(
            any(wound.severity == "major" for wound in decision.sheet(self.character).wounds),
            "OSR 6.10",
            f"{called(self.character)} has no major wound to die of.",
        )
        decision.tell(DiedOfWounds(self.character))


class DiedOfWounds(Event, frozen=True, tag="osr.died_of_wounds"):
    """The player let the character die of a major wound."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.10",)

    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} dies of their wounds: the player's choice.",)

    def in_story(self) -> Own:
        return Own(gravity=FATAL, who=self.character, by="")

    def fold(self, state: OsrState) -> None:
        died(state, self.character)


def died(state: OsrState, character: str) -> None:
    """Set a character dead, without an open injury."""
    state.change(character, condition="dead", injury=None)


# -- recovery marks ------------------------------------------------------------------------------------


class RecoveryMarkGained(Event, frozen=True, tag="osr.recovery_mark_gained"):
    """A recovery mark for a minor wound; there are `now`."""

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9",)

    character: str
    now: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} has {quantity(self.now, 'recovery mark')}.",)

    in_story = left_out

    def fold(self, state: OsrState) -> None:
        state.change(self.character, recovery_marks=self.now)


class RecoveryRoll(Action, frozen=True, kw_only=True, tag="osr.recovery_roll"):
    """Erase a recovery mark at a rest to improve an ability."""

    character: Annotated[Name, Meta(description="who rolls")]
    ability: Annotated[Ability, Meta(description="the ability rolled for")]
    improved: Annotated[bool, Meta(description="whether the roll improved it")]
    rolled: Annotated[
        Positive | None, Meta(description="what the improvement roll showed", extra={"reported": True})
    ] = None

    def check(self) -> None:
        must_be_abilities((self.ability,))

    @rule("OSR 6.9")
    def decide(self, decision: OsrDecision) -> None:
        """Erases a recovery mark from before the last rest for one improvement roll."""
        must_be_free(decision, self.character)
        refuse_unless(
            decision.options.minor_injuries == "recovery_marks",
            "OSR 6.9",
            "There are no recovery marks here, unless a ruling brings them in.",
        )
        marks = decision.sheet(self.character).recovery_marks
        refuse_unless(marks, "OSR 6.9", f"{called(self.character)} has no recovery mark to erase.")
        refuse_unless(
            decision.sheet(self.character).recovery_rolls,
            "OSR 6.9",
            f"{called(self.character)} gained this recovery mark after the last rest; it can be erased at a rest.",
        )
        if self.rolled is not None:
            decision.chance.keep(f"{self.character}/improvement roll", (self.rolled,), reported=1)
        decision.tell(RecoveryMarkErased(self.character, self.ability, self.improved, marks - 1))


class RecoveryMarkErased(Event, frozen=True, tag="osr.recovery_mark_erased"):
    """One recovery mark went for an improvement roll; there are `now` left.

    What a wound cost stays on the sheet as it is: the score itself is kept on paper, and improves there.
    """

    cites: ClassVar[tuple[str, ...]] = ("OSR 6.9",)

    character: str
    ability: str
    improved: bool
    now: int

    def sentence(self) -> Sentence:
        outcome = "it improves" if self.improved else "it does not improve"
        return (f"{called(self.character)} erases a recovery mark to roll for {self.ability}: {outcome}.",)

    def fold(self, state: OsrState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            rolls = max(0, sheet.recovery_rolls - 1)
            state.change(self.character, recovery_marks=self.now, recovery_rolls=rolls)


# -- wounds on the sheet -------------------------------------------------------------------------------


def wound_number(decision: OsrDecision, name: str) -> int:
    """The next number that no wound of this name ever had; case and width of the name do not matter."""
    return decision.chance.number(wound_key(name))


def wound_key(name: str) -> str:
    """The key under which the wound numbers of this name are counted."""
    return f"{key_of(name)}/wound"


def wounds_of(state: OsrState, name: str) -> Iterable[Wound]:
    """The wounds of a character; none if nobody has that name."""
    sheet = state.characters.get(name)
    return sheet.wounds if sheet is not None else ()


def with_wound(state: OsrState, name: str, wound: Wound) -> None:
    """Add a wound; it replaces one of the same number."""
    other_wounds = (other_wound for other_wound in wounds_of(state, name) if other_wound.id != wound.id)
    state.change(name, wounds=(*other_wounds, wound))


def without_wound(state: OsrState, name: str, number: int) -> None:
    """Remove the wound of this number, if there is one."""
    state.change(name, wounds=tuple(wound for wound in wounds_of(state, name) if wound.id != number))


# -- in words ------------------------------------------------------------------------------------------


def points_lost(loss: Mapping[Ability, int]) -> str:
    """ "2 strength and 1 wisdom"."""
    return listed(f"{points} {ability}" for ability, points in loss.items())


#: What a long rest is called in the paragraphs.
LONG_RESTS = frozenset({FIGURES["6.9"]["until"], *FIGURES["6.5"]["long_rest"]})
#: Words before it that leave it the next one.
BEFORE_IT = ("until ", "the ", "a ", "next ", "good ")


def is_long_rest(until: str) -> bool:
    """Whether a typed end of a wound means the next long rest: "long rest", "until the next good night's sleep"."""
    words = until.strip(" .").casefold().replace("’", "'")
    for before in BEFORE_IT:
        words = words.removeprefix(before)
    return words in LONG_RESTS


def until_in_words(until: str) -> str:
    """The end of a wound in words: "until a long rest" for the bare default, else as given."""
    if until.strip().casefold() == FIGURES["6.9"]["until"]:
        return "until a long rest"
    return until if until.casefold().startswith("until ") else f"until {until}"
