"""Notes: words without effect on any sheet."""

from typing import Annotated, ClassVar

from msgspec import Meta

from domain.naming import called, listed
from domain.refusal import Invalid, Refusal
from domain.system.decision import Deciding
from domain.system.paragraphs import known_rule
from domain.system.state import Game
from domain.turn import Action, Event, Name, Positive, Sentence, Text


class Note(Action, frozen=True, kw_only=True, tag="note"):
    """Write a note into the log."""

    shorts: ClassVar = {"n": {}}

    text: Annotated[Text, Meta(extra={"remark": True})]
    about: Name | None = None
    rule: str | None = None
    turn: Annotated[Positive | None, Meta(extra={"turn": True})] = None

    def check(self) -> None:
        if not self.text.strip():
            raise Invalid("A note must not be blank.")

    def decide(self, decision: Deciding) -> None:
        rule = known_rule(decision.system, self.rule) if self.rule is not None else None
        if self.turn is not None and self.turn >= decision.number:
            raise Refusal(None, f"There is no turn T{self.turn} yet; the last one is T{decision.number - 1}.")
        decision.tell(Noted(self.text, self.about, rule, self.turn))


class Noted(Event, frozen=True, gc=False, tag="noted"):
    """Words without effect on any sheet."""

    text: str
    about: str | None = None
    rule: str | None = None
    turn: int | None = None

    def told(self) -> Sentence:
        on = [
            *([called(self.about)] if self.about else []),
            *([f"rule {self.rule}"] if self.rule else []),
            *([f"T{self.turn}"] if self.turn else []),
        ]
        return (f"Note{f' on {listed(on)}' if on else ''}: {self.text}",)

    def fold(self, state: Game) -> None:
        """A note is on record and changes no sheet."""
