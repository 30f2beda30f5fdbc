"""Replay: a session turn by turn as it happened at the table, with the changes of each turn on the sheets."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from math import inf

from msgspec import Struct

from domain.common.revisions import Amend
from domain.log.effective_history import (
    EffectiveHistory,
    EffectiveTurn,
    effective_history,
    reaches_back,
    restored_by,
    revising_turns,
    since_of,
    turns_as_folded,
)
from domain.log.folding import state_at, steps
from domain.log.points import sessions_of
from domain.log.port import AsOf, Log, NoSnapshots
from domain.system.rows import Row
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Sentence, Turn
from projections.chronicle import entry_for
from projections.difference import Comparison, compare
from projections.secrecy import sheet_for


class SheetFrame(Struct, frozen=True):
    """One sheet as rows; `changed_labels` are the labels of the rows that this turn changed."""

    character: str
    player: str | None
    rows: Sequence[Row]
    changed_labels: frozenset[str]


class Frame(Struct, frozen=True):
    """One turn. `undone_later`: the turn that undoes it, if any; `mark`: that it is a late entry."""

    turn: int
    at: datetime
    by: str | None
    mark: str
    parts: Sentence
    undone_later: int | None
    changes: Comparison
    table: Sequence[Row]
    sheets: tuple[SheetFrame, ...]


def frames_of(system: RuleSystem, log: Log, session: int, viewer: str | None = None) -> Iterator[Frame]:
    """The turns of a session as they happened at the table, each with the state when it was the last turn.

    Turns that were undone later are shown as they were recorded. Late entries and moved turns come at their place,
    with their changes of the turns after it.
    """
    effective, now = effective_history(log), state_at(system, log)
    turns = _of_session(log, effective, session)
    backdating = _FoldingOrder(log, effective)
    log_then = backdating.before(turns[0].number)
    before, current = state_at(system, log_then), effective_history(log_then)
    as_read = _as_read(system, log, turns) if viewer is not None and system.keeps_secrets else {}
    pictures = _pictures(system, before, viewer, {})
    for turn in turns:
        number, log_before = turn.number, log_then
        log_then = backdating.at(number)
        goes_on = (log_then.ahead, log_then.missing) == (log_before.ahead, log_before.missing)
        if reaches_back(turn.action, placed=turn.place is not None) or not goes_on:
            after, current = state_at(system, log_then), effective_history(log_then)
        else:
            after = before.copy()
            for event in current.facts(turn) if current.stands(number) else ():
                event.fold(after)
        facts = current.facts(turn)
        place = effective.place[number] if number in backdating.late else None
        effective_turn = EffectiveTurn(
            turn, current.action(turn), facts, session, place=place, restored=restored_by(log, turn)
        )
        entry = entry_for(system, effective_turn, as_read.get(number) if facts == turn.facts else None, now, viewer)
        pictures = _pictures(system, after, viewer, pictures)
        yield Frame(
            turn=number,
            at=turn.moment,
            by=turn.by,
            mark=entry.mark,
            parts=entry.parts,
            undone_later=effective.undone_by.get(number),
            changes=compare(system, before, after, number - 1, number, viewer=viewer),
            table=system.whole_table_rows(after),
            sheets=tuple(pictures.values()),
        )
        before = after


def _of_session(log: Log, effective: EffectiveHistory, session: int) -> list[Turn]:
    """The turns of a session in folding order; a ruling with `since` comes at its number."""
    first, last = sessions_of(log)[session]
    late: dict[int, list[Turn]] = {}
    # the opening may itself be a late entry, after the turn before
    for late_turn in turns_as_folded(log, last, effective, after=max(0, first - 2)) if effective.late else ():
        if late_turn.place is not None and since_of(late_turn.action) is None and late_turn.session == session:
            late.setdefault(effective.trunk(late_turn.number), []).append(late_turn.turn)
    turns = late.get(first - 1, [])
    for turn in log.read(after=first - 1, upto=last):
        if turn.number not in effective.place or since_of(effective.action(turn)) is not None:
            turns.append(turn)
        turns += late.get(turn.number, ())
    return turns


class _LogInFoldingOrder(AsOf):
    """A log up to turn `upto`, with some later turns entered already (`ahead`) and some earlier ones not yet."""

    def __init__(self, log: Log, upto: int, ahead: frozenset[int], missing: frozenset[int]) -> None:
        super().__init__(log, max((upto, *ahead)))
        self._end, self.ahead, self.missing = upto, ahead, missing
        if ahead or missing:
            self.snapshots = NoSnapshots()

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return filter(self._has, super().read(after, upto, topics))

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return filter(self._has, super().read_back(after, upto, topics))

    def late_turns(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        return filter(self._has, super().late_turns(after, upto))

    def _has(self, turn: Turn) -> bool:
        return turn.number in self.ahead or (turn.number <= self._end and turn.number not in self.missing)


class _FoldingOrder:
    """The log at each turn, as if every turn had been entered where it folds."""

    def __init__(self, log: Log, effective: EffectiveHistory) -> None:
        self._log = log
        #: late or moved turn -> its place as a path
        self.late = {
            turn.number: effective.fold_path(turn.number)
            for behind in effective.late.values()
            for turn in behind
            if since_of(effective.action(turn)) is None
        }
        #: moved turn -> the amendment that moved it
        self._movers = {
            turn.action.turn: turn.number
            for turn in (revising_turns(log) if effective.new_place else ())
            if isinstance(turn.action, Amend) and turn.place is not None and effective.stands(turn.number)
        }

    def at(self, number: int) -> _LogInFoldingOrder:
        """The log with this turn as the last one."""
        return self._upto(self.late.get(number, (number,)))

    def before(self, number: int) -> _LogInFoldingOrder:
        """The log directly before this turn."""
        *trunk, last = self.late.get(number, (number,))
        return self._upto((*trunk, last - 1, inf))

    def _upto(self, here: tuple[float, ...]) -> _LogInFoldingOrder:
        upto = int(here[0])
        late_turns = {number for number, way in self.late.items() if way <= here}
        moving = {mover for number, mover in self._movers.items() if number in late_turns or number <= upto}
        ahead = frozenset(number for number in late_turns | moving if number > upto)
        return _LogInFoldingOrder(
            self._log, upto, ahead, frozenset(n for n in self.late if n <= upto and n not in late_turns)
        )


def _as_read(system: RuleSystem, log: Log, turns: Iterable[Turn]) -> dict[int, Game]:
    """The state after each turn that is effective as recorded; only there a secret may have been revealed."""
    numbers = {turn.number for turn in turns}
    return {
        effective_turn.number: state.copy()
        for effective_turn, state in steps(system, log)
        if effective_turn.number in numbers
        and effective_turn.standing
        and effective_turn.facts == effective_turn.turn.facts
    }


def _pictures(
    system: RuleSystem, state: Game, viewer: str | None, before: dict[str, SheetFrame]
) -> dict[str, SheetFrame]:
    frames = {}
    for name in state.characters:
        view = sheet_for(system, state, name, viewer)
        rows = system.sheet_rows(state, name, view)
        rows_before = dict(before[name].rows) if name in before else {}
        changed_labels = frozenset(label for label, bits in rows if rows_before.get(label) != bits)
        player = view.get("player")
        frames[name] = SheetFrame(name, player if isinstance(player, str) else None, rows, changed_labels)
    return frames
