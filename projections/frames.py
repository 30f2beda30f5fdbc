"""Replay: a session turn by turn as it went at the table, and what each turn changed on the sheets."""

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
from projections.difference import Comparison, between
from projections.secrecy import sheet_for


class SheetFrame(Struct, frozen=True):
    """One sheet as one looks at it; `changed` are the labels of the rows that this turn changed."""

    character: str
    player: str | None
    rows: Sequence[Row]
    changed: frozenset[str]


class Frame(Struct, frozen=True):
    """One turn. `undone_later` is the turn that takes it back, if one does; `mark` says that it was entered late."""

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
    """The turns of a session as they went at the table, each with the state of the log when it was the last one.

    What was undone later is shown as it was done. What was entered late, or moved, comes at its place, with what it
    changed of the turns behind it.
    """
    effective, now = effective_history(log), state_at(system, log)
    turns = _of_session(log, effective, session)
    backdating = _Telling(log, effective)
    known = backdating.before(turns[0].number)
    before, current = state_at(system, known), effective_history(known)
    as_read = _as_read(system, log, turns) if viewer is not None and system.keeps_secrets else {}
    pictures = _pictures(system, before, viewer, {})
    for turn in turns:
        number, known_before = turn.number, known
        known = backdating.at(number)
        if reaches_back(turn) or not known.goes_on_from(known_before):
            after, current = state_at(system, known), effective_history(known)
        else:
            after = before.copy()
            for event in current.facts(turn) if current.stands(number) else ():
                event.fold(after)
        facts = current.facts(turn)
        place = effective.place[number] if number in backdating.late else None
        told = EffectiveTurn(turn, current.action(turn), facts, session, place=place)
        entry = entry_for(system, told, as_read.get(number) if facts == turn.facts else None, now, viewer)
        pictures = _pictures(system, after, viewer, pictures)
        yield Frame(
            turn=number,
            at=turn.moment,
            by=turn.by,
            mark=entry.mark,
            parts=entry.parts,
            undone_later=effective.undone.get(number),
            changes=between(system, before, after, number - 1, number, viewer=viewer),
            table=system.whole_table_rows(after),
            sheets=tuple(pictures.values()),
        )
        before = after


def _of_session(log: Log, effective: EffectiveHistory, session: int) -> list[Turn]:
    """The turns of a session where they fold; a ruling that counts from earlier on, where it was made."""
    first, last = sessions_of(log)[session]
    late: dict[int, list[Turn]] = {}
    # its opening may itself have been told late, behind the turn before
    for told in turns_as_folded(log, last, effective, after=max(0, first - 2)) if effective.late else ():
        if told.place is not None and since_of(told.action) is None and told.session == session:
            late.setdefault(effective.trunk(told.turn.number), []).append(told.turn)
    turns = late.get(first - 1, [])
    for turn in log.read(after=first - 1, upto=last):
        if turn.number not in effective.place or since_of(effective.action(turn)) is not None:
            turns.append(turn)
        turns += late.get(turn.number, ())
    return turns


class _Known(AsOf):
    """A log up to turn `upto`, with some later turns that are told there already, without some that are not yet."""

    def __init__(self, log: Log, upto: int, ahead: frozenset[int], missing: frozenset[int]) -> None:
        super().__init__(log, max((upto, *ahead)))
        self._told, self._ahead, self._missing = upto, ahead, missing
        if ahead or missing:
            self.snapshots = NoSnapshots()

    def goes_on_from(self, other: "_Known") -> bool:
        """Whether it reads like the other one, with turns behind its end."""
        return (self._ahead, self._missing) == (other._ahead, other._missing)

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return filter(self._is_known, super().read(after, upto, topics))

    def read_back(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return filter(self._is_known, super().read_back(after, upto, topics))

    def placed(self, after: int = 0, upto: int | None = None) -> Iterator[Turn]:
        return filter(self._is_known, super().placed(after, upto))

    def _is_known(self, turn: Turn) -> bool:
        return turn.number in self._ahead or (turn.number <= self._told and turn.number not in self._missing)


class _Telling:
    """What is known at each turn if everything is told where it folds."""

    def __init__(self, log: Log, effective: EffectiveHistory) -> None:
        self._log = log
        #: turn that was told late or moved -> the way to where it folds
        self.late = {
            turn.number: effective.way(turn.number)
            for behind in effective.late.values()
            for turn in behind
            if since_of(effective.action(turn)) is None
        }
        #: turn that was moved -> the amendment that says so
        self._movers = {
            turn.action.turn: turn.number
            for turn in (revising_turns(log) if effective.moved else ())
            if isinstance(turn.action, Amend) and turn.place is not None and effective.stands(turn.number)
        }

    def at(self, number: int) -> _Known:
        """With this turn as the last one told."""
        return self._upto(self.late.get(number, (number,)))

    def before(self, number: int) -> _Known:
        """Directly before this turn is told."""
        *trunk, last = self.late.get(number, (number,))
        return self._upto((*trunk, last - 1, inf))

    def _upto(self, here: tuple[float, ...]) -> _Known:
        upto = int(here[0])
        told = {number for number, way in self.late.items() if way <= here}
        moving = {by for number, by in self._movers.items() if number in told or number <= upto}
        ahead = frozenset(number for number in told | moving if number > upto)
        return _Known(self._log, upto, ahead, frozenset(n for n in self.late if n <= upto and n not in told))


def _as_read(system: RuleSystem, log: Log, turns: Iterable[Turn]) -> dict[int, Game]:
    """The state after each turn that the log still tells as it went: only there a secret may have been revealed."""
    shown = {turn.number for turn in turns}
    return {
        told.turn.number: state.copy()
        for told, state in steps(system, log)
        if told.turn.number in shown and told.standing and told.facts == told.turn.facts
    }


def _pictures(
    system: RuleSystem, state: Game, viewer: str | None, before: dict[str, SheetFrame]
) -> dict[str, SheetFrame]:
    found = {}
    for name in state.characters:
        shown = sheet_for(system, state, name, viewer)
        rows = system.sheet_rows(state, name, shown)
        known = dict(before[name].rows) if name in before else {}
        changed = frozenset(label for label, bits in rows if known.get(label) != bits)
        player = shown.get("player")
        found[name] = SheetFrame(name, player if isinstance(player, str) else None, rows, changed)
    return found
