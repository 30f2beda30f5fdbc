"""Where a value comes from, as a player may read it: from the tables of the keeper, or from the player's own."""

from msgspec.structs import replace

from cli.shell.viewing import viewing
from cli.store.stored_log import StoredLog
from domain.system.rulesystem import RuleSystem
from projections.views.targets import Target
from projections.views.view import View
from projections.views.why import Provenance, provenance


def provenance_for(
    view: View, system: RuleSystem, log: StoredLog, about: Target, most: int | None, upto: int, viewer: str | None
) -> Provenance:
    """The provenance of a value at turn `upto`, that of `view`, as a player sees it (None: the keeper)."""
    if viewer is None or not system.keeps_secrets:
        return provenance(view, system, about, most)
    from projections.views.seen_turn import is_open, seen_changes, seen_entries  # hardly any reading is for a player

    if not is_open(system, about, viewer):  # only a secret needs tables with what this player may know
        with viewing(log, system, upto, viewer) as own:
            return provenance(own, system, about, most)
    found = provenance(view, system, about, most)
    entries = seen_entries(system, log, upto, viewer, [turn for turn, _, _ in found.undone])
    undone = [(turn, undoer, entries[turn].sentence) for turn, undoer, _ in found.undone]
    return replace(found, changes=seen_changes(view, system, log, upto, viewer, found.changes), undone=undone)
