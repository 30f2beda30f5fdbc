"""One turn as a player sees it, and what it changed on the sheets as the player sees these.

They are read from the log: tables with what one player may know would have to be made of every turn.
"""

from msgspec.structs import replace

from domain.log.folding import state_at, state_before
from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from projections.chronicle import Entry
from projections.chronicle_range import entries_between, history_from
from projections.views.rows import Rows, segment
from projections.views.why import AlteredField, TurnContext, altered_fields


def seen_turn(
    system: RuleSystem, log: Log, turn: int, upto: int, viewer: str, context: TurnContext
) -> tuple[Entry, TurnContext]:
    """The entry of a turn as the log reads at turn `upto`, and its context, given that of the keeper.

    The rulings, the wordings, the dice and the cards around a turn are nobody's secret.
    """
    (entry,) = entries_between(system, log, upto, turn, turn, viewer=viewer)
    return entry, replace(context, changes=_changes_seen(system, log, turn, upto, viewer))


def _changes_seen(system: RuleSystem, log: Log, turn: int, upto: int, viewer: str) -> tuple[AlteredField, ...]:
    """What a turn changed on the sheets as a player sees them."""
    effective, _ = history_from(log, upto, turn)
    start, last = sorted((turn, effective.trunk(turn)))
    before, now = state_before(system, log, start, upto), state_at(system, log, upto)
    rows = Rows(system, before, effective, viewer=viewer, now=now)
    for _ in segment(log, rows, start, last):
        pass  # a late entry folds behind its place
    return altered_fields(system, [row[2:7] for row in rows.tables["values"] if row[1] == turn])
