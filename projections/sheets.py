"""The status of a campaign at a point: sheets, table and options, as one player may see them."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from domain.log.effective_history import effective_history
from domain.log.folding import fold, state_at, state_before
from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from projections.secrecy import sheet_for


def status_of(log: Log, system: RuleSystem, state: Game, turn: int, viewer: str | None = None) -> dict[str, Any]:
    """The JSON of `campaign status --json`; the keys are stable. `session` is 0 outside any session."""
    return {
        "campaign": {
            "id": log.campaign_id,
            "name": state.campaign.name,
            "rules": system.key,
            "turn": turn,
            "session": state.campaign.session or 0,
        },
        "options": msgspec.to_builtins(state.options),
        "table": system.table_view(state),
        "characters": {name: sheet_for(system, state, name, viewer) for name in state.characters},
    }


def state_as_now(system: RuleSystem, log: Log, point: int) -> Game:
    """The state after turn `point`, with the revisions by all later turns applied."""
    return state_before(system, log, point + 1, log.last())


def states_then(system: RuleSystem, log: Log, points: Iterable[int]) -> Iterator[tuple[int, Game]]:
    """The state after each of these turns, without the revisions by later ones; each is valid until the next is asked.

    A state goes on from the one before, unless a snapshot is nearer or a turn in between revises an earlier one.
    """
    last, state = 0, system.opening()
    for point in points:
        snapshot = next(iter(log.snapshots.upto(point)), None)
        effective = effective_history(log, point, after=last)
        goes_on = last <= point and all(first > last for _, first in effective.changes)
        if goes_on and (snapshot is None or snapshot.turn <= last):
            fold(state, log.read(last, point), effective)
        else:
            state = state_at(system, log, point)
        last = point
        yield point, state
