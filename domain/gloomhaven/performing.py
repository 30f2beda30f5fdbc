"""Performing a half of a played card: its bonus, its experience, and the pile it goes to."""

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta
from msgspec.structs import replace

from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import Advance, Half, Named, PrintedCard, PrintedHalf, as_named
from domain.gloomhaven.order import must_be_own_turn, must_have_no_open_attack, must_not_rest
from domain.gloomhaven.piles import find_ally, find_own_card, move, refreshing_allies
from domain.gloomhaven.sheet import ActiveBonus, Character, GloomhavenDecision, GloomhavenState, Place, Ref
from domain.gloomhaven.summons import must_have_a_free_hex
from domain.naming import called
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share
from domain.turn import Action, AllyName, Event, Sentence, Whole

#: The fields in which the table can correct the card's data.
CORRECTIONS = ("lost", "active", "slots", "xp", "shield", "retaliate", "range", "negates_damage", "advances_on")


class Perform(Action, frozen=True, kw_only=True, tag="gloomhaven.perform"):
    """Perform the top or bottom half of a played card.

    The card is placed where it belongs.
    """

    only_when_pending: ClassVar = True
    own_turn_rule: ClassVar = "GH 69"
    shorts: ClassVar = {
        "t": {"half": "top"}, "b": {"half": "bottom"}, "top": {"half": "top"}, "bottom": {"half": "bottom"},
    }  # fmt: skip
    synonyms: ClassVar = ("play", "cast")
    answers: ClassVar = {
        "half": {
            "top": {"half": "top"},
            "bottom": {"half": "bottom"},
            "basic Attack 2": {"half": "top", "basic": True},
            "basic Move 2": {"half": "bottom", "basic": True},
        }
    }

    character: Character
    card: Annotated[Ref, Meta(description="the played card")]
    half: Annotated[Half, Meta(description="which half")]
    basic: Annotated[bool, Meta(description="used for the basic Attack 2 or Move 2 instead")] = False
    condition_met: Annotated[bool, Meta(description="the condition for extra experience was met")] = False
    free_hex: Annotated[bool, Meta(description="an adjacent hex is empty for what it summons")] = True
    abilities_used: Annotated[Whole, Meta(description="how many of its abilities were used")] = 1
    beneficiaries: Annotated[
        Annotated[tuple[AllyName, ...], Meta(min_length=1)] | None,
        Meta(description="allies whom the bonus serves too; a summon by its name, or as OWNER/SUMMON"),
    ] = None
    lost: Annotated[bool | None, Meta(description="corrects the card: whether it bears the lost symbol")] = None
    active: Annotated[
        Literal["round", "persistent", "none"] | None, Meta(description="corrects the card: its kind of bonus, or none")
    ] = None
    slots: Annotated[
        Annotated[tuple[Whole, ...], Meta(min_length=1)] | None,
        Meta(description="corrects the card: the experience on each slot"),
    ] = None
    xp: Annotated[Whole | None, Meta(description="corrects the card: its experience")] = None
    shield: Annotated[Whole | None, Meta(description="corrects the card: its Shield")] = None
    retaliate: Annotated[Whole | None, Meta(description="corrects the card: its Retaliate")] = None
    range: Annotated[Whole | None, Meta(description="corrects the card: the range of its Retaliate")] = None
    negates_damage: Annotated[bool | None, Meta(description="corrects the card: whether it negates damage")] = None
    advances_on: Annotated[Advance | None, Meta(description="corrects the card: what moves its token")] = None

    def check(self) -> None:
        if self.basic and any(getattr(self, field) is not None for field in (*CORRECTIONS, "beneficiaries")):
            raise Invalid("A basic action uses nothing that is on the card; leave corrections and beneficiaries out.")

    def decide(self, decision: GloomhavenDecision) -> None:
        """Performs one half of a played card and places it; a turn is one top and one bottom half."""
        name = self.character
        must_take_part(decision, name)
        allies = [find_ally(decision, ref) for ref in self.beneficiaries or ()]
        for ally in allies:
            must_take_part(decision, ally.character)
        must_be_own_turn(decision, name, self.own_turn_rule)
        must_not_rest(decision, name)
        must_have_no_open_attack(decision, name)
        sheet, card = decision.sheet(name), find_own_card(decision, name, self.card)
        refuse_unless(
            card.id not in sheet.performed, "GH 69", f"{called(name)} has performed {card.name} already this turn."
        )
        refuse_unless(
            card.id in sheet.selected, "GH 69", f"{card.name} is not one of the two cards that {called(name)} plays."
        )
        refuse_unless(
            self.half not in sheet.halves,
            "GH 69",
            f"{called(name)} has performed a {self.half} half already; a turn is one top and one bottom.",
        )
        must_have_a_free_hex(name, free_hex=self.free_hex or self.basic)
        half = correct(card, self)
        xp = 0 if self.basic else experience(half, self)
        bonus = None if self.basic or not self.abilities_used else becomes_active(card, half, self, allies)
        loses_card = half.lost and not self.basic and self.abilities_used
        to: Literal["active", "lost", "discard"] = "active" if bonus else "lost" if loses_card else "discard"
        decision.tell(Performed(name, as_named(card), self.half, self.basic, to, bonus, xp, sheet.xp + xp))


def correct(card: PrintedCard, action: Perform) -> PrintedHalf:
    """The half with the corrections of the table; corrected slots are advanced by hand unless corrected too."""
    corrections = {field: getattr(action, field) for field in CORRECTIONS if getattr(action, field) is not None}
    if "slots" in corrections:
        corrections = {"advances_on": "manual", **corrections}
    if corrections.get("active") == "none":
        corrections["active"] = None
    return replace(card.half(action.half), **corrections)


@rule("GH 63", "GH 64", "GH 65", "GH 68")
def experience(half: PrintedHalf, action: Perform) -> int:
    """The experience of a half: for using at least one ability, more if its condition is met. Raises Refusal."""
    if not action.abilities_used:
        refuse_unless(
            not half.xp, "GH 64", "A card is not played for its experience alone: use at least one of its abilities."
        )
        return 0
    return half.xp + (half.conditional_xp if action.condition_met else 0)


@rule("GH 21", "GH 23", "GH 28", "GH 29", "GH 69")
def becomes_active(
    card: PrintedCard, half: PrintedHalf, action: Perform, allies: Sequence[Place]
) -> ActiveBonus | None:
    """The bonus of the half, with its token on the first slot; None without a lasting effect. Raises Refusal."""
    if half.active is None:
        for field in ("slots", "shield", "retaliate", "range", "negates_damage", "advances_on", "beneficiaries"):
            if getattr(action, field):
                raise Refusal(
                    "GH 21",
                    f"The {action.half} of {card.name} is not an active bonus, so it has no {field}; "
                    "add active=… if it is one.",
                )
        return None
    summons = tuple(dict.fromkeys(ally for ally in allies if ally.summon is not None))
    return ActiveBonus(
        card=card.id,
        half=action.half,
        kind=half.active,
        counts_as="lost" if half.lost else "discarded",
        slots=half.slots,
        token=0 if half.slots else None,
        shield=half.shield,
        retaliate=half.retaliate,
        range=half.range,
        negates_damage=half.negates_damage,
        advances_on=half.advances_on if half.slots else None,
        beneficiaries=tuple(
            ally.character for ally in allies if ally.summon is None and ally.character != action.character
        ),
        ally_summons=summons or UNSET,
    )


class Performed(Event, frozen=True, tag="gloomhaven.performed"):
    """One half of a played card is done and the card is placed. `gained` is its experience, `xp` the new total."""

    cites: ClassVar[tuple[str, ...]] = ("GH 69",)
    character: str
    card: Named
    half: Half
    basic: bool
    to: Literal["discard", "lost", "active"]
    bonus: ActiveBonus | None
    gained: int
    xp: int

    @property
    def rule(self) -> str | None:
        """The paragraph of its experience; None without any."""
        return "GH 63" if self.gained else None

    def sentence(self) -> Sentence:
        action = f"the {self.half} of {self.card.name}"
        if self.basic:
            action = f"a basic {'attack' if self.half == 'top' else 'move'} with {self.card.name}"
        destination = {"discard": "discarded", "lost": "lost", "active": "active"}[self.to]
        xp = f", for {self.gained} experience" if self.gained else ""
        return (f"{called(self.character)} performs {action}: {destination}{xp}.",)

    def in_story(self) -> Share | Elsewhere:
        if self.basic or self.to == "discard":
            return ELSEWHERE
        return Share(self.character, "loses" if self.to == "lost" else "sets up", what=(self.card.name,))

    @refreshing_allies
    def fold(self, state: GloomhavenState) -> None:
        move(state, self.character, (self.card.id,), self.to, self.bonus)
        sheet = state.characters.get(self.character)
        if sheet is not None:
            cards = (*sheet.performed, self.card.id)
            state.change(self.character, xp=self.xp, halves=(*sheet.halves, self.half), performed=cards)
