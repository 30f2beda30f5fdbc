"""Decision: the context in which a rule decides one action and emits its events."""

from collections.abc import Callable, Iterable
from typing import Any, Generic

from msgspec import Struct

from domain.refusal import Unknown
from domain.system.chance import Chance
from domain.system.rulesystem import RuleSystem
from domain.system.state import O, S, State, T
from domain.turn import Action, Event


class Decision(Struct, Generic[S, T, O], eq=False, gc=False):
    """One action being decided: a working copy of the state, the options in force, the chance, the events so far.

    `number` is the number of the turn; `last_change(character, field)` the turn that last changed a field.
    """

    system: RuleSystem
    #: A working copy with the events so far applied.
    state: State[S, T, O]
    #: The action, with names spelled as they were enrolled.
    action: Action
    chance: Chance
    number: int
    last_change: Callable[[str, str], int | None] | None
    events: list[Event] = []

    @property
    def options(self) -> O:
        """The options in force."""
        return self.state.options

    def sheet(self, name: str) -> S:
        """The sheet of an enrolled character, with the events so far applied."""
        return self.state.characters[name]

    @property
    def table(self) -> T:
        """The state of the table, with the events so far applied."""
        return self.state.table

    def earlier_turns(self, turns: Iterable[int]) -> tuple[int, ...]:
        """These turns, sorted, without duplicates. Raises Unknown for a turn that does not precede this one."""
        for turn in turns:
            if turn >= self.number:
                raise Unknown("turn", turn, f"There is no turn T{turn} yet", f"the last one is T{self.number - 1}.")
        return tuple(sorted(set(turns)))

    def tell(self, *events: Event) -> None:
        """Emit events: they are appended to `events` and applied to the working copy at once."""
        state, log = self.state, self.events
        for event in events:
            event.fold(state)
            log.append(event)


#: A decision of any rule system.
Deciding = Decision[Any, Any, Any]
