"""Stored turns decoded from their rows: which record is damaged, and which a newer version of the program wrote."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cached_property
from math import inf
from operator import attrgetter
from typing import Any

import msgspec

from cli.store.failures import NewerVersion
from domain.log.port import DamagedLog
from domain.registry import system_of
from domain.registry.newer import holds_unknown, recorded_later
from domain.registry.uninstalled import decoder_of
from domain.system.installed import is_installed
from domain.turn import Turn

#: What decoding raises for a record that is no turn.
NO_TURN = (msgspec.MsgspecError, TypeError, ValueError, RecursionError)
#: The tag of a turn's action.
TAG = attrgetter("action.__struct_config__.tag")
#: A row of a turn: its number, its topic (the tag of its action) and its record.
Row = tuple[Any, ...]


class _Identified(msgspec.Struct):
    """The id of a stored turn, decoded without the rest."""

    id: str


def id_in(record: bytes) -> str:
    """The id in the record of a turn; "" if it has none."""
    try:
        return msgspec.msgpack.decode(record, type=_Identified).id
    except NO_TURN:
        return ""


class _Timed(msgspec.Struct, gc=False):
    """The number, time and place of a stored turn, decoded without the rest."""

    number: int
    at: str
    place: int | None = None


_TIMED = msgspec.msgpack.Decoder(_Timed)


def times_in(records: Iterable[bytes]) -> Iterator[tuple[int, datetime]]:
    """The numbers and times of these turns, except of late entries. Raises DamagedLog."""
    for record in records:
        try:
            turn = _TIMED.decode(record)
            if turn.place is None:
                yield turn.number, datetime.fromisoformat(turn.at)
        except NO_TURN:
            raise DamagedLog("A turn is damaged: its time cannot be read.") from None


def time_in(record: bytes) -> datetime | None:
    """When the turn of a record was recorded; None if that cannot be read."""
    try:
        return datetime.fromisoformat(_TIMED.decode(record).at)
    except NO_TURN:
        return None


class TurnDecoder:
    """Decodes the rows of logs under some rules."""

    def __init__(self, rules: str) -> None:
        self._rules = rules
        #: Whether turns of a newer version of the program are read as placeholders instead of raising NewerVersion.
        self.skips_newer = False
        #: The error for the first turn that was skipped so.
        self.newer: NewerVersion | None = None

    @cached_property
    def _decode(self) -> Callable[[bytes], Turn]:
        return decoder_of(self._rules)

    @cached_property
    def _newest(self) -> float:
        """The version of the installed rules; infinite for rules that are not installed, whose turns are all read."""
        return system_of(self._rules).version if is_installed(self._rules) else inf

    def turns(
        self, rows: Sequence[Row], fits_its_link: Callable[[int, str, bytes], bool], after: int | None = None
    ) -> Iterator[Turn]:
        """The turns of these rows; `fits_its_link` tells of a number, a topic and a record whether the link is theirs.

        Raises DamagedLog for a record that is no turn or not of its row, and with `after`, the turn before the first
        row, for a gap; NewerVersion for a turn that a newer version of the program recorded.
        """
        for number, topic, record in rows:
            if after is not None:
                if number != after + 1:
                    raise DamagedLog(f"Turn T{after + 1} is missing.")
                after = number
            try:
                turn = self._decode(record)
            except NO_TURN as error:
                # what was damaged seldom fits its link
                unknown = isinstance(record, bytes) and holds_unknown(self._rules, topic, record)
                if unknown and fits_its_link(number, topic, record):
                    yield self._placeholder(number, record)
                    continue
                reason = str(error) if isinstance(error, msgspec.ValidationError) else "its record cannot be read"
                raise DamagedLog(f"Turn T{number} is damaged: {reason}.") from None
            if turn.number != number:
                raise DamagedLog(f"Turn T{number} is damaged: its record says that it is turn T{turn.number}.")
            if (tag := TAG(turn)) != topic:
                raise DamagedLog(f"Turn T{number} is damaged: it is listed as {topic!r}, its record says {tag!r}.")
            is_newer = turn.rules_version is not None and turn.rules_version > self._newest
            yield self._placeholder(number, record) if is_newer else turn

    def _placeholder(self, number: int, record: bytes) -> Turn:
        """A placeholder for a turn of a newer version. Raises NewerVersion unless `skips_newer` is set."""
        newer = NewerVersion(number)
        if not self.skips_newer:
            raise newer
        self.newer = self.newer or newer
        return recorded_later(record)
