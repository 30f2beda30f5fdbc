"""Given these turns, when this is done, then these events, or a refusal that names its rule."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from cli.shell.jsonlines import action_and_author
from cli.terminal.spelling import hints_of
from domain.common.start import CampaignStart
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_turns
from domain.log.folding import state_at
from domain.log.port import MemoryLog
from domain.log.revising import Outcome
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import action_from, system_of
from domain.turn import Action, Event

EVENING = datetime(2026, 1, 1, 19, 0, tzinfo=UTC)


class Given:
    """A table in memory, with a clock, ids and seeds that are the same in every run."""

    def __init__(self, rules: str, *actions: Action, options: Mapping[str, Any] | None = None, seed: int = 0) -> None:
        self.system = system_of(rules)
        self.log = MemoryLog(rules)
        #: What comes next of what is given out in order.
        self._next = {"minute": 0, "id": 1, "seed": seed * 1000}
        self.handler = self._own_handler()
        self.outcome: Outcome | None = None
        self.error: Refusal | Invalid | Conflict | None = None
        #: How often something was tried.
        self.attempts = 0
        self.handler.record(CampaignStart(name="Test", rules=rules, options=dict(options or {})))
        self.and_given(*actions)

    def _own_handler(self) -> CommandHandler:
        return CommandHandler(
            self.log,
            clock=lambda: EVENING + timedelta(minutes=self._given_out("minute")),
            new_id=lambda: f"id-{self._given_out('id')}",
            new_seed=lambda: self._given_out("seed"),
        )

    def _given_out(self, counter: str) -> int:
        self._next[counter] += 1
        return self._next[counter] - 1

    def copied(self) -> "Given":
        """The same table once more: what is done at one is not done at the other."""
        copied_table = copy(self)
        copied_table._next = dict(self._next)
        copied_table.log = MemoryLog(self.log.rules, self.log.campaign_id, self.log.turns)
        # states are kept to be quicker, and no table rests on them
        copied_table.log.snapshots = type(self.log.snapshots)()
        copied_table.handler = copied_table._own_handler()
        return copied_table

    def and_given(self, *actions: Action) -> "Given":
        """More turns, each of which must be legal."""
        for action in actions:
            self.handler.record(self.line(action))
        return self

    def when(self, action: Action | Mapping[str, Any]) -> "Given":
        """Try one action, given as a Struct or as the JSON object of a line of `campaign act`."""
        self.outcome = self.error = None
        self.attempts += 1
        before = self.log.last()
        try:
            self.outcome = self.attempt(action)
        except (Refusal, Invalid, Conflict) as error:
            self.error = error
            assert self.log.last() == before, "what is refused appends nothing"
        return self

    def attempt(self, action: Action | Mapping[str, Any], *, dry_run: bool = False) -> Outcome:
        """Try one action, raising what the command handler raises; a JSON object may say more than the action."""
        if isinstance(action, Action):
            return self.handler.record(self.line(action), dry_run=dry_run)
        action_asked, about = action_and_author(self.log.rules, dict(action))
        return self.handler.record(action_asked, **about, dry_run=dry_run)

    def line(self, action: Action | Mapping[str, Any]) -> Action:
        """Every action of a test goes through the same door as a user's."""
        value = msgspec.to_builtins(action) if isinstance(action, Action) else action
        return action_from(self.log.rules, value)

    @property
    def events(self) -> tuple[Event, ...]:
        """What the action of `when` came to; it must have been legal."""
        if self.error:
            pytest.fail(f"{type(self.error).__name__}: {self.error}")
        assert self.outcome is not None
        return tuple(self.outcome.turn.events)

    def hints(self, name: str = "brog") -> list[str]:
        """The commands that settle what is pending for a character."""
        return hints_of(self.system.pending_for(self.handler.state(), name))

    @property
    def sentences(self) -> str:
        """What the events of `when` say."""
        return " ".join("".join(event.sentence()) for event in self.events)

    def then(self, *events: Event) -> "Given":
        """Exactly these events."""
        assert self.events == events
        return self

    def then_some(self, *events: Event) -> "Given":
        """These events among others."""
        for event in events:
            assert event in self.events, f"{event} is not among {self.events}"
        return self

    def quiet_about(self, *kinds: type[Event]) -> "Given":
        """It happened, and none of these events with it."""
        assert not [event for event in self.events if isinstance(event, kinds)]
        return self

    def refused(self, rule: str | None, saying: str = "") -> "Given":
        """A rule forbids it, or (None) the state of the campaign does."""
        assert isinstance(self.error, Refusal), f"not refused: {self.outcome or self.error!r}"
        assert self.error.rule == rule, f"refused by {self.error.rule}, not {rule}: {self.error.reason}"
        assert saying in self.error.reason
        return self

    def invalid(self, saying: str = "") -> "Given":
        """The request itself is malformed."""
        assert isinstance(self.error, Invalid), f"not invalid: {self.outcome or self.error!r}"
        assert saying in self.error.reason
        return self

    def conflicts(self, *turns: int) -> "Given":
        """These later turns, and no others, stand in the way."""
        assert isinstance(self.error, Conflict), f"no conflict: {self.outcome or self.error!r}"
        assert tuple(later.turn for later in self.error.turns) == turns
        return self

    def sheet(self, name: str) -> dict[str, Any]:
        """A sheet as `status --json` prints it."""
        return self.system.sheet_view(self.handler.state(), name)

    def has(self, name: str, **fields: Any) -> "Given":
        """Fields of a sheet, as JSON."""
        view = self.sheet(name)
        assert {field: view[field] for field in fields} == fields
        return self

    def table_has(self, **fields: Any) -> "Given":
        """Fields of the table, as JSON."""
        view = self.system.table_view(self.handler.state())
        assert {field: view[field] for field in fields} == fields
        return self

    def sheets(self) -> dict[str, dict[str, Any]]:
        """All sheets, read from the log anew."""
        state = state_at(self.system, self.log)
        return {name: self.system.sheet_view(state, name) for name in state.characters}

    def chronicle(self) -> list[str]:
        """Every standing turn as sentences."""
        return [
            "".join(part for event in effective_turn.facts for part in event.sentence())
            for effective_turn in effective_turns(self.log)
            if effective_turn.standing
        ]


@contextmanager
def unchanged(table: Given) -> Iterator[None]:
    """Nothing in the block appends a turn or changes a sheet."""
    turns, sheets = table.log.last(), table.sheets()
    yield
    assert (table.log.last(), table.sheets()) == (turns, sheets)
