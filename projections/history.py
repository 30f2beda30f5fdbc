"""History and notes: how a rule came to be played as it is, told from the log."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from domain.common.notes import Noted
from domain.common.rulings import Holding, RulingEnded, RulingMade, holdings
from domain.log.folding import state_at
from domain.log.port import Log
from domain.log.standing import Told, tell
from domain.system.registry import system_of


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
    #: those of its options that it still sets
    in_force: dict[str, Any] = {}


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
    held = holdings(state_at(system_of(log.rules), log, upto).campaign.rulings)
    return [remark for turn in told for remark in _about(turn, held, ended) if rule is None or remark.rule == rule]


def _about(told: Told, held: Mapping[int, Holding], ended: Mapping[int, tuple[int, str | None]]) -> Iterator[Remark]:
    turn = told.turn
    undone = f"undone by T{told.undone_by}" if told.undone_by is not None else None
    for event in told.facts:
        if isinstance(event, RulingMade):
            holding = held.get(event.number) if told.standing else None
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
                no_longer=undone or _why_no_longer(holding, ended, event.number),
                in_force=dict(holding.options) if holding else {},
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


def _why_no_longer(holding: Holding | None, ended: Mapping[int, tuple[int, str | None]], ruling: int) -> str | None:
    """Why a ruling that stands does not hold, None if it does. One of which nothing is left at all has ended."""
    if holding is not None:
        return None if holding.in_force else f"superseded by R{holding.superseded_by}"
    turn, why = ended[ruling]
    return f"ended at T{turn}{f': {why}' if why else ''}"
