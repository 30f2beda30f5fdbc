"""History and notes: how a rule came to be played as it is, told from the log."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct

from domain.common.campaign import Noted, RulingEnded, RulingMade
from domain.log.port import Log
from domain.log.standing import Told, tell


class Remark(Struct, frozen=True):
    """One ruling or note about a rule. `no_longer` says why it does not hold any more, None while it does."""

    turn: int
    session: int
    at: datetime
    by: str | None
    text: str
    rule: str
    ruling: int | None = None
    why: str | None = None
    trial: bool = False
    set: dict[str, Any] = {}
    since: int | None = None
    no_longer: str | None = None


def remarks(log: Log, rule: str | None = None, upto: int | None = None) -> list[Remark]:
    """Every ruling and note about a rule (None: about any), in the order of the log."""
    told = list(tell(log, upto, None))
    ended = {
        event.ruling: (turn.turn.number, event.why)
        for turn in told
        if turn.standing
        for event in turn.facts
        if isinstance(event, RulingEnded)
    }
    found = [remark for turn in told for remark in _about(turn, ended) if rule is None or remark.rule == rule]
    return [_superseded(remark, found) for remark in found]


def _about(told: Told, ended: dict[int, tuple[int, str | None]]) -> Iterator[Remark]:
    turn = told.turn
    undone = f"undone by T{told.undone_by}" if told.undone_by is not None else None
    for event in told.facts:
        if isinstance(event, RulingMade):
            end = ended.get(event.number)
            over = f"ended at T{end[0]}{f': {end[1]}' if end[1] else ''}" if end else None
            yield Remark(
                turn=turn.number,
                session=told.session,
                at=turn.moment,
                by=turn.by,
                text=event.text,
                rule=event.rule,
                ruling=event.number,
                why=event.why,
                trial=event.trial,
                set=event.set,
                since=event.since,
                no_longer=undone or over,
            )
        elif isinstance(event, Noted) and event.rule is not None:
            yield Remark(
                turn=turn.number,
                session=told.session,
                at=turn.moment,
                by=turn.by,
                text=event.text,
                rule=event.rule,
                no_longer=undone,
            )


def _superseded(remark: Remark, all_of_them: list[Remark]) -> Remark:
    """A ruling every option of which a later one in force sets too holds no longer."""
    if remark.ruling is None or remark.no_longer or not remark.set:
        return remark
    later = [
        other
        for other in all_of_them
        if other.ruling is not None and other.ruling > remark.ruling and not other.no_longer and other.set
    ]
    names = {name for other in later for name in other.set}
    if not set(remark.set) <= names:
        return remark
    from msgspec.structs import replace

    last = max(other.ruling or 0 for other in later)
    return replace(remark, no_longer=f"superseded by R{last}")
