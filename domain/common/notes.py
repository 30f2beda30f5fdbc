"""Notes: words without effect on any sheet."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from domain.naming import called, listed
from domain.refusal import Invalid
from domain.system.decision import Deciding
from domain.system.paragraphs import known_rule
from domain.system.state import Game
from domain.turn import Action, Event, Name, Positive, Sentence, Text


class Note(Action, frozen=True, kw_only=True, tag="note"):
    """Write a note into the log."""

    shorts: ClassVar = {"n": {}}
    for_everybody: ClassVar = True

    text: Annotated[Text, Meta(description="what to write down", extra={"remark": True})]
    about: Annotated[Name | None, Meta(description="a character")] = None
    rule: Annotated[str | None, Meta(description="a rule, by its number")] = None
    turn: Annotated[Positive | None, Meta(description="a turn, like T4", extra={"turn": True})] = None
    disputed: Annotated[bool, Meta(description="with a rule: the table disagrees about it")] = False

    def check(self) -> None:
        if not self.text.strip():
            raise Invalid("A note must not be blank.")
        if self.disputed and self.rule is None:
            raise Invalid("A disputed note names its rule, like rule=6.4.")

    def decide(self, decision: Deciding) -> None:
        own_paragraphs = decision.state.campaign.paragraphs
        rule = known_rule(decision.system, self.rule, own_paragraphs) if self.rule is not None else None
        if self.turn is not None:
            decision.earlier_turns((self.turn,))
        decision.tell(Noted(self.text, self.about, rule, self.turn, self.disputed or UNSET))


class Noted(Event, frozen=True, tag="noted"):
    """A note was written."""

    text: str
    about: str | None = None
    rule: str | None = None
    turn: int | None = None
    disputed: bool | UnsetType = UNSET

    def sentence(self) -> Sentence:
        on = [
            *([called(self.about)] if self.about else []),
            *([f"rule {self.rule}{' (disputed)' if self.disputed else ''}"] if self.rule else []),
            *([f"T{self.turn}"] if self.turn else []),
        ]
        return (f"Note{f' on {listed(on)}' if on else ''}: {self.text}",)

    def fold(self, state: Game) -> None:
        """Notes change no sheet."""
