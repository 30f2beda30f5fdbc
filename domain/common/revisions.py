"""Actions that revise earlier turns: undo, redo, amend, adopt. `domain.log.revising` decides them."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from domain.refusal import Invalid
from domain.system.secrets import AN_ACTION
from domain.turn import Action, Positive, Text

Conflicts = Literal["drop", "keep"]


class Undo(Action, frozen=True, kw_only=True, tag="undo"):
    """Undo turns without erasing them."""

    shorts: ClassVar = {"u": {}}

    turns: Annotated[
        tuple[Positive, ...] | None,
        Meta(description="the turns, like T4", extra={"otherwise": "the latest", "in_order": True, "turn": True}),
    ] = None
    last: Annotated[
        Positive | None, Meta(description="how many of the latest turns", extra={"alone": 1, "short": "-n"})
    ] = None
    to: Annotated[str | None, Meta(description="everything after this point", extra={"turn": True})] = None
    why: Annotated[Text | None, Meta(description="the reason", extra={"remark": True})] = None
    conflicts: Conflicts | None = None

    def check(self) -> None:
        if sum(value is not None for value in (self.turns, self.last, self.to)) > 1:
            raise Invalid("Name the turns, or give last or to: only one of these.")


class Redo(Action, frozen=True, kw_only=True, tag="redo"):
    """Restore what the latest undo took back."""

    shorts: ClassVar = {"r": {}}
    synonyms: ClassVar = ("restore", "un-undo")

    last: Annotated[
        Positive | None, Meta(description="how many of the latest undos", extra={"alone": 1, "short": "-n"})
    ] = None
    turn: Annotated[
        Positive | None,
        Meta(description="the undo, like T4", extra={"otherwise": "the latest", "in_order": True, "turn": True}),
    ] = None
    conflicts: Conflicts | None = None

    def check(self) -> None:
        if self.last is not None and self.turn is not None:
            raise Invalid("Say last or turn, not both.")


class Amended(Struct, frozen=True, forbid_unknown_fields=True):
    """One more turn of an amendment, with its new action."""

    turn: Annotated[Positive, Meta(extra={"turn": True})]
    action: Annotated[dict[str, Any], AN_ACTION]


class Amend(Action, frozen=True, kw_only=True, tag="amend"):
    """Correct what an earlier turn says, or move it."""

    synonyms: ClassVar = ("move", "edit", "correct", "fix")

    turn: Annotated[Positive, Meta(extra={"turn": True})]
    action: Annotated[dict[str, Any], AN_ACTION]
    why: Annotated[Text | None, Meta(description="the reason")] = None
    conflicts: Conflicts | None = None
    #: Further turns with the same mistake, amended together with it.
    also: tuple[Amended, ...] = ()

    def announcement(self) -> str:
        return f"T{self.turn} is decided again"

    def check(self) -> None:
        if len(self.new_actions) != 1 + len(self.also):
            raise Invalid("An amendment names each turn once.")

    @property
    def new_actions(self) -> dict[int, dict[str, Any]]:
        """Every amended turn with its new action."""
        return {self.turn: self.action, **{amendment.turn: amendment.action for amendment in self.also}}

    def with_actions(self, actions: Mapping[int, dict[str, Any]]) -> "Amend":
        """A copy with other actions for these turns."""
        also = tuple(
            replace(amendment, action=actions.get(amendment.turn, amendment.action)) for amendment in self.also
        )
        return replace(self, action=actions.get(self.turn, self.action), also=also)


class Adopt(Action, frozen=True, kw_only=True, tag="adopt"):
    """Note which turns were adopted from a branch.

    It also notes which of them are kept against the rules.
    """

    has_verb: ClassVar = False

    branch: Text
    turns: tuple[Positive, ...]
    conflicts: Conflicts | None = None


#: The actions whose turns have revision events only; they are not decided against a state.
REVISIONS: tuple[type[Action], ...] = (Undo, Redo, Amend, Adopt)
