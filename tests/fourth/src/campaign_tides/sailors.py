"""Chapter 1: who sails, and where to (TD 1, TD 2)."""

from typing import Annotated, ClassVar

from campaign_log.rules import (
    Action,
    Event,
    Name,
    NewName,
    Sentence,
    Text,
    called,
    refuse_unless,
    rule,
    secret,
)

from campaign_tides.sheet import Oil, Sailor, TidesDecision, TidesState


class Enrol(Action, frozen=True, kw_only=True, tag="tides.enrol"):
    """Enrol a sailor."""

    character: NewName
    player: Text | None = None
    oil: Oil = 4
    port: Annotated[Text | None, secret()] = None

    @rule("TD 1")
    def decide(self, decision: TidesDecision) -> None:
        """With a lantern that is lit, and hence has oil."""
        refuse_unless(self.oil, "TD 1", "A sailor brings a lantern that is lit; give it some oil.")
        decision.tell(Enrolled(self.character, self.player, self.oil, self.port))


class Enrolled(Event, frozen=True, tag="tides.enrolled"):
    """A sailor comes aboard. Undoing it takes the sailor off."""

    cites: ClassVar[tuple[str, ...]] = ("TD 1",)
    character: str
    player: str | None
    oil: int
    port: Annotated[str | None, secret()]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} comes aboard with {self.oil} of oil.",)

    sentence_for_others = sentence

    def fold(self, state: TidesState) -> None:
        state.characters.setdefault(self.character, Sailor(self.player, oil=self.oil, port=self.port))


class Steer(Action, frozen=True, kw_only=True, tag="tides.steer"):
    """Choose another port, which nobody else is told."""

    character: Name
    port: Annotated[Text, secret()]

    @rule("TD 2")
    def decide(self, decision: TidesDecision) -> None:
        """Another than before."""
        before = decision.sheet(self.character).port
        refuse_unless(self.port != before, "TD 2", f"{called(self.character)} makes for that port already.")
        decision.tell(PortChosen(self.character, self.port))


class PortChosen(Event, frozen=True, tag="tides.port_chosen"):
    """A sailor makes for another port. Undone, for the one before."""

    cites: ClassVar[tuple[str, ...]] = ("TD 2",)
    character: str
    port: Annotated[str, secret()]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} makes for {self.port}.",)

    def sentence_for_others(self) -> Sentence:
        return (f"{called(self.character)} makes for another port.",)

    def fold(self, state: TidesState) -> None:
        state.change(self.character, port=self.port)
