"""What a player sees of one turn, and of the turns that changed a value that is nobody's secret.

It is read from the log beside the tables of the keeper: tables with what one player may know would have to be made of
every turn.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from domain.log.folding import state_at, state_before
from domain.log.port import Log
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import secrets_of
from domain.values import as_json
from projections.chronicle import Entry
from projections.chronicle_range import entries_between, history_from
from projections.secrecy import TABLE
from projections.views.rows import Rows, segment
from projections.views.targets import Target
from projections.views.turn_context import AlteredField, TurnContext, altered_fields
from projections.views.view import View
from projections.views.why import Change


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


def is_open(system: RuleSystem, about: Target, viewer: str) -> bool:
    """Whether a player sees of a value what the keeper sees of it."""
    return viewer != TABLE and about.card is None and about.field not in secrets_of(system.sheet)


def seen_changes(
    view: View, system: RuleSystem, log: Log, upto: int, viewer: str, changes: Sequence[Change]
) -> list[Change]:
    """The changes of a value that is open, given those of the keeper: told as a player may read of them.

    `view` is the keeper's, at turn `upto`.
    """
    entries = seen_entries(system, log, upto, viewer, [change.turn for change in changes])
    event = "SELECT json FROM events WHERE turn = ? AND number = ?"

    def is_seen_whole(change: Change) -> bool:
        ((json,),) = view.ask(event, change.turn, change.event)
        return as_json(entries[change.turn].events[change.event - 1]) == str(json)

    return [
        change if is_seen_whole(change) else replace(change, sentence=entries[change.turn].sentence)
        for change in changes
    ]


def seen_entries(system: RuleSystem, log: Log, upto: int, viewer: str, turns: Sequence[int]) -> dict[int, Entry]:
    """These turns by number, as a player may read them."""
    first, last = min(turns, default=1), max(turns, default=0)
    return {entry.turn: entry for entry in entries_between(system, log, upto, first, last, {*turns}, viewer=viewer)}
