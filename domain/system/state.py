"""The state of a campaign: what the standing turns fold into, sheet by sheet."""

from collections.abc import Mapping
from typing import Any, Generic, Literal, Self, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from domain.system.ruled import Rulings

#: What a group keeps count of beside the rules: gold, torches, the armour that somebody wears.
TrackedValue = int | str


class Sheet(Struct, frozen=True, gc=False, kw_only=True):
    """One character after some turn. Never changed, only replaced.

    These two fields are every sheet's, whatever the rules; they stand behind the fields of a rule system.
    """

    tracked: Mapping[str, TrackedValue] = {}
    #: "absent": not here tonight; "retired": the story of this character has ended.
    away: Literal["absent", "retired"] | None = None

    def after_session(self) -> Self:
        """The sheet without what lasts for one evening."""
        return replace(self, away=None) if self.away == "absent" else self


class Table(Struct, frozen=True, gc=False, kw_only=True):
    """What belongs to nobody: the scene, the round, the order, and what the table tracks for itself."""

    tracked: Mapping[str, TrackedValue] = {}


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The open questions of a rule system, each with its default. `Meta(extra={"rule": "6.4"})` names its paragraph."""


S = TypeVar("S", bound=Sheet)
T = TypeVar("T", bound=Table)
O = TypeVar("O", bound=Options)  # noqa: E741


class CampaignSheet(Struct, frozen=True, gc=False):
    """What the campaign itself is, whatever its rules."""

    name: str = ""
    #: The options that the campaign was started with; rulings lie above them.
    options: Mapping[str, Any] = {}
    rulings: Rulings = Rulings()
    #: The numbers of the group's own paragraphs; their words are read from the log.
    paragraphs: tuple[str, ...] = ()
    #: The numbers of paragraphs, own and built in, that are no longer in force.
    withdrawn: tuple[str, ...] = ()
    #: The number of the open session.
    session: int | None = None
    #: The names of the tracked values that the party shows, in the order in which they were pinned.
    pinned: tuple[str, ...] = ()


class State(Struct, Generic[S, T, O], eq=False, gc=False):
    """The fold of the turns that stand. The sheets are frozen; only this frame changes inside a fold.

    A Struct, because deciding makes a copy for every turn, and those are made without a line of Python.
    """

    characters: dict[str, S]
    table: T
    options: O
    campaign: CampaignSheet = CampaignSheet()

    def copy(self) -> "State[S, T, O]":
        return State(self.characters.copy(), self.table, self.options, self.campaign)

    def change(self, name: str, **changes: Any) -> None:
        """Replace fields of one sheet. Nobody of that name: nothing changes, so that every fold is total."""
        sheet = self.characters.get(name)
        if sheet is not None:
            self.characters[name] = replace(sheet, **changes)

    def change_table(self, **changes: Any) -> None:
        self.table = replace(self.table, **changes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.characters == other.characters
            and self.table == other.table
            and self.options == other.options
            and self.campaign == other.campaign
            and list(self.characters) == list(other.characters)
        )

    __hash__ = None  # type: ignore[assignment]


#: A state of whichever rule system it is.
Game = State[Any, Any, Any]
