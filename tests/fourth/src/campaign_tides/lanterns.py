"""Chapter 2: lanterns and their oil (TD 3)."""

from typing import Annotated, ClassVar

from campaign_log.rules import SERIOUS, Action, Event, Name, Own, Sentence, called, refuse_unless, rule
from msgspec import Meta

from campaign_tides.sheet import TidesDecision, TidesState


class Douse(Action, frozen=True, kw_only=True, tag="tides.douse"):
    """Put a lantern out."""

    shorts: ClassVar = {"o": {}}

    character: Name

    @rule("TD 3")
    def decide(self, decision: TidesDecision) -> None:
        """One that is lit."""
        lit = decision.sheet(self.character).lit
        refuse_unless(lit, "TD 3", f"{called(self.character)}'s lantern is out already.")
        decision.tell(WentOut(self.character))


class Light(Action, frozen=True, kw_only=True, tag="tides.light"):
    """Light a lantern again."""

    shorts: ClassVar = {"l": {}}

    character: Name

    @rule("TD 3")
    def decide(self, decision: TidesDecision) -> None:
        """One that is out and holds oil."""
        sheet, name = decision.sheet(self.character), called(self.character)
        refuse_unless(not sheet.lit, "TD 3", f"{name}'s lantern burns already.")
        refuse_unless(sheet.oil, "TD 3", f"{name}'s lantern holds no oil.")
        decision.tell(Lit(self.character))


class Fill(Action, frozen=True, kw_only=True, tag="tides.fill"):
    """Pour oil into a lantern."""

    character: Name
    measures: Annotated[int, Meta(ge=1, le=9)]

    @rule("TD 3")
    def decide(self, decision: TidesDecision) -> None:
        """As much as it holds."""
        oil = decision.sheet(self.character).oil + self.measures
        refuse_unless(oil <= 9, "TD 3", f"{called(self.character)}'s lantern holds 9 measures, not {oil}.")
        decision.tell(Filled(self.character, oil))


class WentOut(Event, frozen=True, tag="tides.went_out"):
    """A lantern goes out. Undone, it burns."""

    cites: ClassVar[tuple[str, ...]] = ("TD 3",)
    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)}'s lantern goes out.",)

    def in_story(self) -> Own:
        return Own(gravity=SERIOUS, who=self.character)

    def fold(self, state: TidesState) -> None:
        state.change(self.character, lit=False)


class Lit(Event, frozen=True, tag="tides.lit"):
    """A lantern burns again. Undone, it is out."""

    cites: ClassVar[tuple[str, ...]] = ("TD 3",)
    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)}'s lantern burns.",)

    def fold(self, state: TidesState) -> None:
        state.change(self.character, lit=True)


class Filled(Event, frozen=True, tag="tides.filled"):
    """A lantern holds so much oil now. Undoing the turn pours it out again."""

    cites: ClassVar[tuple[str, ...]] = ("TD 3",)
    character: str
    now: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)}'s lantern holds {self.now} of oil.",)

    def fold(self, state: TidesState) -> None:
        state.change(self.character, oil=self.now)
