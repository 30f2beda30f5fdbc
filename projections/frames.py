"""An evening turn by turn as it went at the table: what was said then, and what each turn did to the sheets."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from domain.log.folding import state_at, steps
from domain.log.points import sessions_of
from domain.log.port import AsOf, Log
from domain.log.standing import Told, judge, reaches_back
from domain.system.rows import Row
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Sentence
from projections.chronicle import entry_for
from projections.difference import Comparison, between
from projections.secrecy import sheet_for


class Pictured(Struct, frozen=True):
    """One sheet as one looks at it; `changed` are the labels of the rows that this turn changed."""

    character: str
    player: str | None
    rows: Sequence[Row]
    changed: frozenset[str]


class Frame(Struct, frozen=True):
    """One turn. `undone_later` is the turn that takes it back, if one does."""

    turn: int
    at: datetime
    by: str | None
    parts: Sentence
    undone_later: int | None
    changes: Comparison
    table: Sequence[Row]
    sheets: tuple[Pictured, ...]


def frames_of(system: RuleSystem, log: Log, session: int, viewer: str | None = None) -> Iterator[Frame]:
    """The turns of a session, each as the log stood when it was the last one; what is taken back was done first."""
    first, last = sessions_of(log)[session]
    undone, now = judge(log).undone, state_at(system, log)
    before = state_at(system, log, first - 1)
    as_read = _as_read(system, log, first, last) if viewer is not None and system.keeps_secrets else {}
    pictures = _pictures(system, before, viewer, {})
    for turn in log.read(after=first - 1, upto=last):
        if reaches_back(turn):
            after = state_at(system, AsOf(log, turn.number))
        else:
            after = before.copy()
            for event in turn.facts:
                event.fold(after)
        told = Told(turn, turn.action, turn.facts, session)
        pictures = _pictures(system, after, viewer, pictures)
        yield Frame(
            turn=turn.number,
            at=turn.moment,
            by=turn.by,
            parts=entry_for(system, told, as_read.get(turn.number), now, viewer).parts,
            undone_later=undone.get(turn.number),
            changes=between(system, before, after, turn.number - 1, turn.number, viewer=viewer),
            table=system.drawn_table(after),
            sheets=tuple(pictures.values()),
        )
        before = after


def _as_read(system: RuleSystem, log: Log, first: int, last: int) -> dict[int, Game]:
    """The state after each turn that the log still tells as it went: only there a secret may have been revealed."""
    return {
        told.turn.number: state.copy()
        for told, state in steps(system, log)
        if first <= told.turn.number <= last and told.standing and told.facts == told.turn.facts
    }


def _pictures(system: RuleSystem, state: Game, viewer: str | None, before: dict[str, Pictured]) -> dict[str, Pictured]:
    found = {}
    for name in state.characters:
        shown = sheet_for(system, state, name, viewer)
        rows = system.drawn(state, name, shown)
        known = dict(before[name].rows) if name in before else {}
        changed = frozenset(label for label, bits in rows if known.get(label) != bits)
        player = shown.get("player")
        found[name] = Pictured(name, player if isinstance(player, str) else None, rows, changed)
    return found
