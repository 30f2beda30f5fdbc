"""Chapter 3: how far one comes (TD 4)."""

from typing import Annotated, ClassVar

from campaign_log.rules import Action, Event, Name, Sentence, called, refuse_unless, rule
from msgspec import Meta

from campaign_tides.lanterns import WentOut
from campaign_tides.sheet import TidesDecision, TidesState


class Sail(Action, frozen=True, kw_only=True, tag="tides.sail"):
    """Sail as many miles as a die shows."""

    shorts: ClassVar = {"s": {}}

    character: Name
    rolled: Annotated[tuple[int, ...] | None, Meta(extra={"dice": True}, description="the die, as it was rolled")] = (
        None
    )

    @rule("TD 4")
    def decide(self, decision: TidesDecision) -> None:
        """A lit lantern adds a mile, and burns a measure of oil; with the last one it goes out."""
        sheet, name, options = decision.sheet(self.character), self.character, decision.options
        refuse_unless(sheet.lit or options.sail_in_the_dark, "TD 4", f"{called(name)} has no light to sail by.")
        (die,) = decision.chance.dice(f"{name}/sail", 1, 6, self.rolled, rule="TD 4")
        miles = die + (sheet.lit and options.lantern_shows_the_way)
        decision.tell(Sailed(name, die, sheet.miles + miles, max(0, sheet.oil - sheet.lit)))
        if sheet.lit and sheet.oil <= 1:
            decision.tell(WentOut(name))


class Sailed(Event, frozen=True, tag="tides.sailed"):
    """A sailor has come so far, with so much oil left. Undoing the turn takes the miles back."""

    cites: ClassVar[tuple[str, ...]] = ("TD 4",)
    character: str
    die: int
    miles: int
    oil: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} rolls {self.die} and has come {self.miles} miles.",)

    def fold(self, state: TidesState) -> None:
        state.change(self.character, miles=self.miles, oil=self.oil)
