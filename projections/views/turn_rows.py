"""The row of a turn in the table `turns`: written from the turn, and read back as an entry of the chronicle."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from domain.log.effective_history import EffectiveTurn
from domain.naming import folded
from domain.turn import Struck
from domain.values import Setting, as_json
from projections.chronicle import Entry, TurnText
from projections.sentences import NEXT_PERSON, NextPerson

BEGINNING, MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)


def instant(at: datetime) -> int:
    """A time in microseconds since 1970 UTC."""
    return (at - BEGINNING) // MICROSECOND


def turn_row(
    current: EffectiveTurn,
    text: TurnText,
    sentence: str,
    kind: str,
    action_json: str,
    cards: str | None,
    drew: int | None,
) -> tuple[Any, ...]:
    """The row of a turn, in the order of the columns; `cards`: who dealt the cards that it turned up."""
    turn, at = current.turn, text.at
    parts = None
    if "".join(text.parts) != sentence or any(type(part) is not str for part in text.parts):
        parts = as_json([_part_as_json(part) for part in text.parts])
    return (
        turn.number,
        current.session,
        at.isoformat(),
        instant(at),
        turn.by,
        kind,
        sentence,
        int(current.standing),
        current.undone_by,
        text.redecided_by,
        int(current.kept) if text.redecided_by is not None else None,
        current.place,
        turn.together,
        text.sentence_then,
        action_json,
        cards,
        parts,
        None if sentence.isascii() or (folded_sentence := folded(sentence)) == sentence else folded_sentence,
        drew,
        turn.via,
    )


def _part_as_json(part: str) -> dict[str, Any] | list[str] | str | None:
    """A part of a sentence as JSON: a list if it is struck, an object if it sets something, null for `NEXT_PERSON`."""
    if isinstance(part, Setting):
        return {"name": part.name, "value": part.value}
    return None if isinstance(part, NextPerson) else [str(part)] if isinstance(part, Struck) else part


def entry_from(
    row: Sequence[Any], events: Sequence[dict[str, Any]], characters: Iterable[str], rules: Iterable[str]
) -> Entry:
    """The chronicle's entry of a turn, from its row in `turns` and its events as JSON."""
    (turn, session, at, _, by, _, sentence, _, undone_by, redecided_by, kept, place, together,
     sentence_then, action, cards, parts, _, _, via) = row  # fmt: skip
    return Entry(
        turn=turn,
        session=session,
        at=datetime.fromisoformat(at),
        by=by,
        action=msgspec.json.decode(action),
        events=events,
        parts=(sentence,) if parts is None else tuple(map(_part_from_json, msgspec.json.decode(parts))),
        characters=frozenset(characters),
        rules=tuple(rules),
        undone_by=undone_by,
        redecided_by=redecided_by,
        kept=bool(kept),
        place=place,
        together=together,
        sentence_then=sentence_then,
        cards=cards,
        via=via,
    )


def _part_from_json(part: dict[str, Any] | list[str] | str | None) -> str:
    if isinstance(part, dict):
        return Setting(part["name"], part["value"])
    return NEXT_PERSON if part is None else Struck(part[0]) if isinstance(part, list) else part
