"""Being incapacitated (DH 9): the character cannot act, and the Storyteller decides what it means."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.choice import Choice
from domain.deckahedron.sheet import Character, DeckahedronDecision, DeckahedronState
from domain.deckahedron.words import cause_in
from domain.naming import called, inside
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.story import NOTABLE, SEVERE, Own
from domain.turn import Action, Event, Sentence, Text


@rule("DH 9")
def must_be_able_to_act(decision: DeckahedronDecision, character: str, *, to: str) -> None:
    """Raise Refusal if the character is incapacitated, with what ends that; `to` names the action."""
    if decision.sheet(character).incapacitated:
        back = Choice(Storyteller, {"character": character, "recovered": True}, ("meaning",))
        raise Refusal("DH 9", f"{called(character)} is incapacitated and cannot {to}.", [back])


class Incapacitated(Event, frozen=True, tag="deckahedron.incapacitated"):
    """The character can do nothing more. `rule` says why: no Stamina (9) or one Wound too many (24)."""

    character: str
    rule: Literal["DH 9", "DH 24"]
    what: str | None = None

    def sentence(self) -> Sentence:
        reason = "has no Stamina left to give" if self.rule == "DH 9" else "cannot take a third Wound"
        harm = f" ({inside(self.what)})" if self.what else ""
        return (f"{called(self.character)} {reason}{harm} and is incapacitated.",)

    def in_story(self) -> Own:
        return Own(gravity=SEVERE, who=self.character, by=None if self.what is None else cause_in(self.what))

    def fold(self, state: DeckahedronState) -> None:
        state.change(self.character, incapacitated=True, incapacitated_means=None)


class Storyteller(Action, frozen=True, kw_only=True, tag="deckahedron.storyteller"):
    """Say what being out means, or bring somebody back.

    It is for a character who is incapacitated.
    """

    character: Character
    meaning: Annotated[
        Text, Meta(description="what it means: dead, unconscious or unable to stand", extra={"remark": True})
    ]
    recovered: Annotated[bool, Meta(description="the character can act again")] = False

    @rule("DH 9")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Records what being incapacitated means, or ends it."""
        refuse_unless(
            decision.sheet(self.character).incapacitated,
            "DH 9",
            f"{called(self.character)} is not incapacitated.",
        )
        if self.recovered:
            decision.tell(Recovered(self.character, self.meaning))
        else:
            decision.tell(IncapacitationTold(self.character, self.meaning))


class IncapacitationTold(Event, frozen=True, tag="deckahedron.incapacitation_told"):
    """The Storyteller says what being incapacitated means."""

    cites: ClassVar[tuple[str, ...]] = ("DH 9",)

    character: str
    meaning: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} is out: {inside(self.meaning)}.",)

    def in_story(self) -> Own:
        return Own(f"{called(self.character)} is out: {inside(self.meaning)}.", NOTABLE, self.character, "")

    def fold(self, state: DeckahedronState) -> None:
        state.change(self.character, incapacitated_means=self.meaning)


class Recovered(Event, frozen=True, tag="deckahedron.recovered"):
    """The Storyteller lets the character act again."""

    cites: ClassVar[tuple[str, ...]] = ("DH 9",)

    character: str
    meaning: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} can act again: {inside(self.meaning)}.",)

    def in_story(self) -> Own:
        return Own(gravity=NOTABLE, who=self.character, by="")

    def fold(self, state: DeckahedronState) -> None:
        state.change(self.character, incapacitated=False, incapacitated_means=None)
