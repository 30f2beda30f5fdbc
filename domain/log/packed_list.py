"""A list of records that may be as long as the log: all but its end is packed.

A revision changes a handful of turns, or every turn since the first. Records are packed and compressed a thousand at a
time, so that a revision of a million turns fits into memory.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import eq
from typing import Any, Generic, TypeVar, overload
from zlib import compress, decompress

import msgspec

from domain.registry import record_types
from domain.turn import Event

#: The number of records that are packed together.
PIECE = 1_000

T = TypeVar("T")


class PackedList(Sequence[T], Generic[T]):
    """Records in the order in which they were added; equal to any sequence of the same records."""

    def __init__(self, kind: Any, records: Iterable[T] = ()) -> None:
        """`kind` is the type of a record."""
        self._kind, self._size = kind, PIECE
        self._pieces: list[bytes] = []
        self._end: list[T] = []
        #: The index and the records of the piece that was unpacked last, for reading by index in order.
        self._unpacked: tuple[int, list[T]] | None = None
        for record in records:
            self.append(record)

    def copy(self) -> "PackedList[T]":
        """Another list of the same records."""
        twin = PackedList[T](self._kind)
        twin._size, twin._pieces, twin._end = self._size, self._pieces.copy(), self._end.copy()
        return twin

    def append(self, record: T) -> None:
        self._end.append(record)
        if len(self._end) == self._size:
            self._pieces.append(self._pack(self._end))
            self._end = []

    def _pack(self, records: Sequence[Any]) -> bytes:
        return compress(msgspec.msgpack.encode(records), 1)

    def _unpack(self, piece: bytes) -> list[T]:
        return self._decode(decompress(piece))

    @cached_property
    def _decode(self) -> Callable[[bytes], list[T]]:
        decoder: msgspec.msgpack.Decoder[list[T]] = msgspec.msgpack.Decoder(list[self._kind])  # type: ignore[name-defined]
        return decoder.decode

    def __iter__(self) -> Iterator[T]:
        for piece in self._pieces:
            yield from self._unpack(piece)
        yield from self._end

    def __len__(self) -> int:
        return len(self._pieces) * self._size + len(self._end)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self[place] for place in range(*at.indices(len(self)))]
        piece, place = divmod(range(len(self))[at], self._size)
        if piece == len(self._pieces):
            return self._end[place]
        if self._unpacked is None or self._unpacked[0] != piece:
            self._unpacked = piece, self._unpack(self._pieces[piece])
        return self._unpacked[1][place]

    def __setitem__(self, at: int, record: T) -> None:
        piece, place = divmod(at, self._size)
        if piece == len(self._pieces):
            self._end[place] = record
            return
        records = self._unpack(self._pieces[piece])
        records[place] = record
        self._pieces[piece], self._unpacked = self._pack(records), None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = None  # type: ignore[assignment]


def pack_if_many(kind: Any, records: Iterable[T]) -> Sequence[T]:
    """The records, all of type `kind`: a tuple, or a `PackedList` if there are more than `PIECE`."""
    records_held = PackedList[T](kind, records)
    return records_held if len(records_held) > PIECE else tuple(records_held)


def packed_events(rules: str, events: Iterable[Event]) -> Sequence[Event]:
    """The events of a turn under these rules, packed if they are many."""
    return pack_if_many(record_types(rules).event, events)
