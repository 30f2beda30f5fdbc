"""Tides: sailors with a lantern and a port that they keep to themselves. A rule system as a package of its own.

`pyproject.toml` names it: [project.entry-points."campaign.rules"] tides = "campaign_tides:Tides"
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec

from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.decision import Deciding, Decision
from domain.system.rows import Phrase, Row
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secret
from domain.system.state import Options, Sheet, State, Table
from domain.turn import Action, Event, Name, NewName, Sentence, Text


class Sailor(Sheet, frozen=True, gc=False):
    """One sailor."""

    player: Text | None = None
    lit: bool = True
    port: Annotated[Text | None, secret()] = None


TidesState = State[Sailor, Table, Options]
TidesDecision = Decision[Sailor, Table, Options]


class Enrol(Action, frozen=True, kw_only=True, tag="tides.enrol"):
    """Enrol a sailor."""

    character: NewName
    player: Text | None = None
    port: Annotated[Text | None, secret()] = None

    @rule("TD 1")
    def decide(self, decision: TidesDecision) -> None:
        """With a lantern that is lit."""
        decision.tell(Enrolled(self.character, self.player, self.port))


class Enrolled(Event, frozen=True, gc=False, tag="tides.enrolled"):
    """A sailor comes aboard. Undoing it takes the sailor off."""

    cites: ClassVar[tuple[str, ...]] = ("TD 1",)
    character: str
    player: str | None
    port: Annotated[str | None, secret()]

    def told(self) -> Sentence:
        return (f"{called(self.character)} comes aboard.",)

    told_to_others = told

    def fold(self, state: TidesState) -> None:
        state.characters.setdefault(self.character, Sailor(self.player, port=self.port))


class Douse(Action, frozen=True, kw_only=True, tag="tides.douse"):
    """Put a lantern out."""

    character: Name

    @rule("TD 1")
    def decide(self, decision: TidesDecision) -> None:
        """A lantern that is lit."""
        if not decision.sheet(self.character).lit:
            raise Refusal("TD 1", f"{called(self.character)}'s lantern is out already.")
        decision.tell(Doused(self.character))


class Doused(Event, frozen=True, gc=False, tag="tides.doused"):
    """A lantern goes out."""

    cites: ClassVar[tuple[str, ...]] = ("TD 1",)
    character: str

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s lantern goes out.",)

    def fold(self, state: TidesState) -> None:
        state.change(self.character, lit=False)


class Tides(RuleSystem):
    """Lanterns, and ports that are kept secret."""

    key, cite, version = "tides", "TD", 1
    sheet, table, options = Sailor, Table, Options

    def shown(self, state: TidesState, name: str) -> dict[str, Any]:
        return dict(msgspec.to_builtins(state.characters[name]))

    def audit(self, decision: Deciding, name: str, overridden: Mapping[str, Any]) -> None:
        """Every sheet of these fields is a sailor."""

    def drawn(self, state: TidesState, name: str, shown: dict[str, Any]) -> Sequence[Row]:
        return [("lantern", (Phrase("lit" if shown["lit"] else "out"),)), ("port", (Phrase(shown["port"] or "–"),))]


def _chapters() -> None:
    import sys

    # all of it is one chapter, which is this file; a larger system names a module for each
    Tides.chapters = (sys.modules[__name__],)


_chapters()
