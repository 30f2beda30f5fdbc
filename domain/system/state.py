"""The state of a campaign: the fold of the effective turns."""

from collections.abc import Mapping
from typing import Any, Generic, Literal, Self, TypeVar

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.system.rulings_in_force import Rulings

#: A tracked value: a number or a short text that the rules do not model (gold, torches, armour).
TrackedValue = int | str


class Sheet(Struct, frozen=True, gc=False, kw_only=True):
    """The sheet of one character after some turn; immutable.

    Every sheet has these two fields under any rules. They come after the fields of the rule system.
    """

    tracked: Mapping[str, TrackedValue] = {}
    #: "absent": not here tonight; "retired": the story of this character has ended.
    away: Literal["absent", "retired"] | None = None

    def after_session(self) -> Self:
        """The sheet without what lasts for one session; a rule system may end more of its own."""
        return replace(self, away=None) if self.away == "absent" else self


class TableState(Struct, frozen=True, gc=False, kw_only=True):
    """What belongs to no character: the scene, the round, the order, and the tracked values of the table."""

    tracked: Mapping[str, TrackedValue] = {}


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a rule system with their defaults. Each is annotated with `option`."""


def option(rule: str, meaning: str) -> Meta:
    """The annotation that declares an option of a rule: the number of its paragraph, and what it means in words."""
    return Meta(description=meaning, extra={"rule": rule})


S = TypeVar("S", bound=Sheet)
T = TypeVar("T", bound=TableState)
O = TypeVar("O", bound=Options)  # noqa: E741


class CampaignSheet(Struct, frozen=True, gc=False):
    """The state of the campaign itself, under any rules."""

    name: str = ""
    #: The options that the campaign was started with; rulings override them.
    options: Mapping[str, Any] = {}
    rulings: Rulings = Rulings()
    #: The numbers of the group's own paragraphs; their text is read from the log.
    paragraphs: tuple[str, ...] = ()
    #: The numbers of paragraphs, own and built in, that are no longer in force.
    withdrawn: tuple[str, ...] = ()
    #: The number of the open session.
    session: int | None = None
    #: The names of tracked values that are shown with the party, in the order in which they were pinned.
    pinned: tuple[str, ...] = ()


class State(Struct, Generic[S, T, O], eq=False, gc=False):
    """The fold of the effective turns. Sheets are frozen; inside a fold only this container changes.

    A Struct, because deciding makes a copy for every turn, and those are made without a line of Python.
    """

    characters: dict[str, S]
    table: T
    options: O
    campaign: CampaignSheet = CampaignSheet()

    def copy(self) -> "State[S, T, O]":
        """A state that can be changed without changing this one; the frozen sheets are shared."""
        return State(self.characters.copy(), self.table, self.options, self.campaign)

    def change(self, name: str, **changes: Any) -> None:
        """Replace fields of one sheet. If there is no such character, nothing changes, so that folds are total."""
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


#: A state of any rule system.
Game = State[Any, Any, Any]
