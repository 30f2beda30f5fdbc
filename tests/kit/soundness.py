"""What has to hold of every log, however it was revised, held against the definition of what a log says."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from domain.common.revisions import Adopt, Amend, Redo, Undo
from domain.common.rulings import Ruling
from domain.common.sheets import Override, SheetCheck
from domain.log.deciding import decide
from domain.log.effective_history import effective_history, effective_turns
from domain.log.finding import Finding
from domain.log.folding import counting_numbers, state_at, steps
from domain.log.port import MemoryLog
from domain.log.verifying import decide_all_again
from domain.registry import record_types
from domain.system.chance import Chance
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.turn import REVISION_EVENTS, Action, Event, Turn, TurnRedecided, TurnUndone
from projections.chronicle_range import chronicle

from .given import Given


def remember(state: Game, facts: Iterable[Event]) -> None:
    """Fold the facts into the state, one after another."""
    for event in facts:
        event.fold(state)


# -- what a log says, from the definition -------------------------------------------------------------------


class ByDefinition:
    """What stands, what it comes to and where it folds, straight from the definition and as slow as that is."""

    def __init__(self, table: Given, upto: int | None = None) -> None:
        self.system = table.system
        self.turns: dict[int, Turn] = {turn.number: turn for turn in table.log.read(upto=upto)}
        #: turn -> the events about it with the turns that have them, and its amendments; newest first
        self.revision_events: dict[int, list[tuple[int, TurnUndone | TurnRedecided]]] = {}
        self.amendments: dict[int, list[tuple[Turn, Amend]]] = {}
        for turn in reversed(self.turns.values()):
            for event in turn.events:
                if isinstance(event, REVISION_EVENTS):
                    assert turn.number > event.turn
                    self.revision_events.setdefault(event.turn, []).append((turn.number, event))
            if isinstance(turn.action, Amend):
                self.amendments.setdefault(turn.action.turn, []).append((turn, turn.action))
        self.stands, self.redecision, self.action = cache(self._stands), cache(self._redecision), cache(self._action)

    def _stands(self, number: int) -> bool:
        return not any(
            isinstance(event, TurnUndone) and self.stands(by) for by, event in self.revision_events.get(number, ())
        )

    def _redecision(self, number: int) -> TurnRedecided | None:
        for by, event in self.revision_events.get(number, ()):
            if isinstance(event, TurnRedecided) and self.stands(by):
                return event
        return None

    def facts(self, number: int) -> tuple[Event, ...]:
        redecision = self.redecision(number)
        return (
            redecision.events
            if redecision
            else tuple(e for e in self.turns[number].events if not isinstance(e, REVISION_EVENTS))
        )

    def chance(self, number: int) -> Any:
        redecision = self.redecision(number)
        return redecision.chance if redecision else self.turns[number].chance

    def _action(self, number: int) -> Action:
        for turn, amend in self.amendments.get(number, ()):
            if self.stands(turn.number):
                return msgspec.convert(amend.action, record_types(self.system.key).action)  # type: ignore[no-any-return]
        return self.turns[number].action

    def pinned(self, number: int) -> bool:
        redecision = self.redecision(number)
        return (
            number == 1
            or (redecision is not None and redecision.kept)
            or isinstance(self.action(number), Override | SheetCheck | Undo | Redo | Amend | Adopt)
        )

    def since(self, number: int) -> int | None:
        action = self.action(number)
        return int(action.since.removeprefix("T")) if isinstance(action, Ruling) and action.since is not None else None

    def behind(self, number: int) -> int | None:
        """The turn directly after which one folds; None: it folds at its number."""
        since = self.since(number)
        if since is not None:
            while self.since(since) is not None:
                since -= 1
            return since
        for turn, _ in self.amendments.get(number, ()):
            if turn.place is not None and self.stands(turn.number):
                return turn.place
        return None if isinstance(self.turns[number].action, Amend) else self.turns[number].place

    def place(self, number: int) -> tuple[int, ...]:
        """The way down the tree to where a turn folds."""
        behind = self.behind(number)
        return (number,) if behind is None else (*self.place(behind), number)

    def in_order(self) -> list[int]:
        """The standing turns in the order in which they fold."""
        return sorted((number for number in self.turns if self.stands(number)), key=self.place)

    def state(self) -> Any:
        state = self.system.opening()
        for number in self.in_order():
            remember(state, self.facts(number))
        return state


def in_force(table: Given, number: int) -> dict[str, Any]:
    """The action of a turn as it now is."""
    action: dict[str, Any] = msgspec.to_builtins(ByDefinition(table).action(number))
    return action


# -- what has to hold of every log --------------------------------------------------------------------------


def reads_as_defined(table: Given) -> None:
    """The reading agrees with the definition: what stands, what it comes to, where it folds, the states between."""
    turns = {effective_turn.number: effective_turn for effective_turn in effective_turns(table.log)}
    slow = ByDefinition(table)
    for number, value in turns.items():
        assert value.standing == slow.stands(number), f"T{number}"
        if value.standing:
            assert value.facts == slow.facts(number), f"T{number}"
            assert value.action == slow.action(number), f"T{number}"
    assert state_at(table.system, table.log) == slow.state()
    states = [(effective_turn.number, state.copy()) for effective_turn, state in steps(table.system, table.log)]
    assert [number for number, _ in states if slow.stands(number)] == slow.in_order()
    assert sorted(number for number, _ in states) == sorted(turns)
    assert states[-1][1] == slow.state()


def is_caught_up(table: Given) -> None:
    """The state that the command handler holds is the fold of the standing turns, read from nothing."""
    assert table.handler.state() == ByDefinition(table).state()
    numbers = UsedNumbers()
    list(counting_numbers(table.log.read(), numbers))
    assert table.handler.used_numbers == numbers


def decides_as_told(table: Given) -> None:
    """Every standing turn that is not pinned, decided with its own chance in order of place, is as it is told."""
    slow = ByDefinition(table)
    state = table.system.opening()
    for number in slow.in_order():
        if slow.pinned(number):
            remember(state, slow.facts(number))
            continue
        turn = slow.turns[number]
        chance = Chance(turn.seed, slow.chance(number), lenient=True, used_numbers=table.handler.used_numbers)
        decision = decide(table.system, state, slow.action(number), chance, number)
        assert tuple(decision.events) == slow.facts(number), f"T{number}"
        state = decision.state


def can_be_stored(table: Given) -> None:
    """Every turn is the same once it was written and read, and gives out no number twice."""
    kind = record_types(table.log.rules).turn
    highest: dict[tuple[str, int], int] = {}
    for turn in table.log.read():
        record = msgspec.msgpack.encode(turn)
        assert msgspec.msgpack.encode(msgspec.msgpack.decode(record, type=kind)) == record
        chances = [(turn.number, turn.chance)]
        chances += [(event.turn, event.chance) for event in turn.events if isinstance(event, TurnRedecided)]
        for owner, chance in chances:
            for key, draw in chance.items():
                if key.endswith("#"):
                    for value in draw.values:
                        assert highest.setdefault((key, int(value)), owner) == owner, f"{key} {value}: T{owner}"


def is_sound(table: Given) -> None:
    """Everything that has to hold of every log."""
    reads_as_defined(table)
    is_caught_up(table)
    decides_as_told(table)
    can_be_stored(table)


# -- what a log says, to be compared ------------------------------------------------------------------------


def reading(table: Given, upto: int | None = None) -> dict[str, Any]:
    """All that can be read of the turns up to one as they now are: the log lines, the outcomes, the sheets."""
    upto = upto or table.log.last()
    effective = effective_history(table.log)
    entries = [entry.as_json() for entry in chronicle(table.system, table.log) if entry.turn <= upto]
    turns = [effective_turn for effective_turn in effective_turns(table.log) if effective_turn.number <= upto]
    return {
        "log": entries,
        "chances": [effective.chance(effective_turn.turn) for effective_turn in turns],
        "pinned": [effective_turn.kept for effective_turn in turns],
    }


def everything(table: Given, upto: int | None = None) -> dict[str, Any]:
    """The same, with the sheets and the state."""
    state = table.handler.state()
    return {
        **reading(table, upto),
        "sheets": {name: table.system.sheet_view(state, name) for name in state.characters},
        "table": table.system.table_view(state),
        "options": state.options,
        "session": state.campaign.session,
    }


def findings(rules: str, turns: list[Turn]) -> list[Finding]:
    """What deciding every one of these turns again finds."""
    return [finding for _, finding in decide_all_again(MemoryLog(rules, turns=turns)) if finding is not None]
