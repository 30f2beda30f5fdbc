"""What a line is understood against: the rules, the state now, the log, and who types."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.choice import Choice
from domain.log.effective_history import effective_history
from domain.log.folding import state_before
from domain.log.port import Log
from domain.system.groups import able, party
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Action, Turn


class Context(Struct, frozen=True):
    """What a line is understood against: the rules, the state now, and the log that it may speak of."""

    system: RuleSystem
    state: Game
    log: Log
    #: what a file of this name holds; None: nothing that is typed here may name a file
    reads: Callable[[str], Any] | None = None
    #: whether a turn holds something that those who type may not know; None: they may know everything
    keeps: Callable[[Turn], bool] | None = None
    #: whether turns are shown without their secrets; otherwise their fields are shown while a line is typed
    veiled: bool = False
    #: whom they act for, and whether they may do this kind of thing; None: they act for everybody and do everything
    acts_for: tuple[str, ...] | None = None
    does: Callable[[type[Action]], bool] | None = None
    #: a state as those who type may know it; None: they may know everything
    known: Callable[[Game], Game] | None = None
    #: what they are told that the table waits for, which may follow from what they may not know
    awaited: tuple[Choice, ...] = ()
    #: what is known of this state already about why something cannot be done in it
    tried: dict[tuple[type[Action], tuple[str, ...], tuple[tuple[str, Any], ...]], str] | None = None

    def after(self, turn: int | None) -> "Context":
        """The context as it was directly after a turn, by what stands of the turns up to it; None: now."""
        if turn is None:
            return self
        state = state_before(self.system, self.log, turn + 1, self.log.last())
        return replace(self, state=state if self.known is None else self.known(state), awaited=(), tried=None)

    def before(self, turn: int) -> "Context":
        """The context in which a turn is decided: before it, or at its place in the log if that is elsewhere."""
        effective = effective_history(self.log, after=max(0, turn - 1))
        return self.after(effective.trunk(turn) if turn in effective.place else turn - 1)

    def proposes(self, kind: type[Action]) -> bool:
        """Whether an action is one of theirs."""
        return self.does is None or self.does(kind)

    def own(self) -> tuple[str, ...]:
        """Whom what they do may be about."""
        return tuple(self.state.characters) if self.acts_for is None else self.acts_for

    def able(self) -> tuple[str, ...]:
        """Everyone of our side who is here and can act."""
        return able(self.system, self.state)

    def party(self) -> tuple[str, ...]:
        """Those of them with a player."""
        return party(self.system, self.state)
