"""The status of a campaign at a point: sheets, table and options, as one player may see them."""

from typing import Any

import msgspec

from domain.log.folding import fold
from domain.log.port import Log
from domain.log.snapshots import nearest_base
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
    base = nearest_base(system, log, point, log.last())
    fold(base.state, log.read(base.turn, point), base.effective)
    return base.state
