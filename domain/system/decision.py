"""One action being decided: what its rules may look at, and where they tell what happens."""

from collections.abc import Callable, Iterable
from typing import Any, Generic

from msgspec import Struct

from domain.log.chance import Chance
from domain.refusal import Unknown
from domain.system.rulesystem import RuleSystem
from domain.system.state import O, S, State, T
from domain.turn import Action, Event


class Decision(Struct, Generic[S, T, O], eq=False, gc=False):
    """One action being decided: a draft of the state, the options in force, the chance, the events so far.

    `number` is the turn's; `last_change(character, field)` is the turn that last changed a sheet field.
    """

    system: RuleSystem
    #: The draft: the decision's own, and as the events told so far leave it.
    state: State[S, T, O]
    #: The action, with its names as enrolled.
    action: Action
    chance: Chance
    number: int
    last_change: Callable[[str, str], int | None] | None
    events: list[Event] = []

    @property
    def options(self) -> O:
        return self.state.options

    def sheet(self, name: str) -> S:
        """The sheet of an enrolled character, as the events told so far leave it."""
        return self.state.characters[name]

    @property
    def table(self) -> T:
        return self.state.table

    def known(self, turns: Iterable[int]) -> tuple[int, ...]:
        """These turns, each once, in their order. Raises Unknown for one that was not logged before this turn."""
        for turn in turns:
            if turn >= self.number:
                raise Unknown("turn", turn, f"There is no turn T{turn} yet", f"the last one is T{self.number - 1}.")
        return tuple(sorted(set(turns)))

    def tell(self, *events: Event) -> None:
        """Something happens: it is noted, and the draft shows it at once."""
        state, noted = self.state, self.events
        for event in events:
            event.fold(state)
            noted.append(event)


#: A decision of whichever rule system it is.
Deciding = Decision[Any, Any, Any]
