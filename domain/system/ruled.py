"""The rulings of a state: which of them stand, and which are in force.

There are ever more of them, hardly any turn asks for one, and a state is kept every few turns. So they lie in pieces
that the states have in common, and a piece is read and unpacked only when one of its rulings is asked for. What is in
force is known beside them: the ruling that each option is set by, and those in words alone.

In force is what has not ended, was not superseded by name, and of its options, if it sets any, at least one is set by
no later ruling. Later is who has the higher number.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from operator import attrgetter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.log.port import Unread, content_of
from domain.log.used_numbers import Runs, numbers_in, runs_of

#: So many numbers, one after the other, make a piece.
IN_A_PIECE = 64


class RulingInForce(Struct, frozen=True, gc=False, array_like=True):
    """A ruling as far as the rules must know it: which options it sets, and whether it still does."""

    number: int
    rule: str
    options: Mapping[str, Any]
    ended: bool = False
    trial: bool = False
    #: When a trial is to be looked at again: a session by its number, or a day (ISO).
    review: int | str | None = None
    #: The ruling in the place of which it stands.
    supersedes: int | None = None


class Holding(Struct, frozen=True):
    """What is left of one ruling at some place in the log.

    `options` are those that it sets and no later ruling does. Where none of its options is left, it is superseded
    by the latest ruling that took one; a ruling that sets no option is superseded by the one that says so alone,
    which takes the options of any other too.
    """

    options: Mapping[str, Any]
    superseded_by: int | None = None

    @property
    def in_force(self) -> bool:
        return self.superseded_by is None


def holdings(rulings: Iterable[RulingInForce]) -> dict[int, Holding]:
    """What is left of each of the rulings that stand at one place, by number; those that have ended are not in it."""
    return dict(held(sorted(rulings, key=attrgetter("number"), reverse=True)))


def held(newest_first: Iterable[RulingInForce]) -> Iterator[tuple[int, Holding]]:
    """The same of rulings that come with the highest number first, as they come."""
    latest: dict[str, int] = {}
    taken: dict[int, int] = {}
    for ruling in newest_first:
        if ruling.ended:
            continue
        by = taken.get(ruling.number)
        if ruling.supersedes is not None:
            taken.setdefault(ruling.supersedes, ruling.number)
        if by is not None:
            yield ruling.number, Holding({}, by)
            continue
        left = {name: value for name, value in ruling.options.items() if name not in latest}
        over = max(map(latest.__getitem__, ruling.options)) if ruling.options and not left else None
        yield ruling.number, Holding(left, over)
        for name in left:
            latest[name] = ruling.number


class _Piece:
    """Rulings whose numbers are near each other, in their order: as they are, packed, or both, as was asked for."""

    __slots__ = ("_packed", "_rulings")

    def __init__(self, rulings: tuple[RulingInForce, ...] | None = None, packed: bytes | Unread | None = None) -> None:
        self._rulings, self._packed = rulings, packed

    @property
    def rulings(self) -> tuple[RulingInForce, ...]:
        if self._rulings is None:
            assert self._packed is not None
            self._rulings = _RULINGS.decode(content_of(self._packed))
        return self._rulings

    @property
    def packed(self) -> bytes | Unread:
        if self._packed is None:
            self._packed = msgspec.msgpack.encode(self._rulings)
        return self._packed

    def place_of(self, number: int) -> int:
        """How many of its rulings have a lower number."""
        return bisect_left(self.rulings, number, key=_NUMBER)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Piece):
            return NotImplemented
        return self is other or self.packed == other.packed or self.rulings == other.rulings

    __hash__ = None  # type: ignore[assignment]


_NUMBER = attrgetter("number")
_RULINGS = msgspec.msgpack.Decoder(tuple[RulingInForce, ...])

#: The ruling that an option is set by, and the value.
Setting = tuple[int, Any]


class Rulings:
    """The rulings that stand, by their numbers. Never changed, only replaced."""

    __slots__ = ("_in_words", "_pieces", "_set_by")

    def __init__(
        self,
        pieces: dict[int, _Piece] | None = None,
        set_by: dict[str, Setting] | None = None,
        in_words: frozenset[int] = frozenset(),
    ) -> None:
        self._pieces, self._set_by, self._in_words = pieces or {}, set_by or {}, in_words

    def __iter__(self) -> Iterator[RulingInForce]:
        for piece in self._pieces.values():
            yield from piece.rulings

    def newest_first(self) -> Iterator[RulingInForce]:
        for piece in reversed(self._pieces.values()):
            yield from reversed(piece.rulings)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Rulings):
            return NotImplemented
        return self is other or (
            self._pieces == other._pieces and self._set_by == other._set_by and self._in_words == other._in_words
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Rulings({list(self)})"

    def get(self, number: int) -> RulingInForce | None:
        """The ruling of this number; None: none that stands has it."""
        piece = self._pieces.get(number // IN_A_PIECE)
        at = piece.place_of(number) if piece is not None else 0
        found = piece.rulings[at : at + 1] if piece is not None else ()
        return found[0] if found and found[0].number == number else None

    # -- what is in force --------------------------------------------------------------------------------

    @property
    def options(self) -> dict[str, Any]:
        """What the rulings in force set."""
        return {name: value for name, (_, value) in self._set_by.items()}

    @property
    def in_force(self) -> Set[int]:
        """The numbers of the rulings in force."""
        return {number for number, _ in self._set_by.values()} | self._in_words

    def superseded_by(self, number: int) -> int | None:
        """The ruling by which one that has not ended is superseded; None: it is in force."""
        return next((holding.superseded_by for each, holding in held(self.newest_first()) if each == number), None)

    # -- what becomes of them ----------------------------------------------------------------------------

    def with_made(self, ruling: RulingInForce) -> "Rulings":
        """With one more. Its number is its own; whatever had it gives way."""
        others = self.with_ended(ruling.number)
        # only a later ruling supersedes
        lost = {ruling.supersedes} if ruling.supersedes is not None and ruling.supersedes < ruling.number else set()
        made = Rulings(others._pieces_with(ruling), others._set_by, others._in_words)
        return made._settled(lost, won=ruling)

    def with_ended(self, number: int) -> "Rulings":
        """With one of them ended; what it took the place of may be in force again."""
        before = self.get(number)
        if before is None:
            return self
        ended = Rulings(self._pieces_with(replace(before, ended=True)), self._set_by, self._in_words)
        freed = ended.get(before.supersedes) if before.supersedes is not None else None
        return ended._settled({number}, won=freed)

    def with_kept(self, number: int) -> "Rulings":
        """With one that was on trial, and is not any more."""
        before = self.get(number)
        if before is None:
            return self
        return Rulings(self._pieces_with(replace(before, trial=False, review=None)), self._set_by, self._in_words)

    def _pieces_with(self, ruling: RulingInForce) -> dict[int, _Piece]:
        place = ruling.number // IN_A_PIECE
        piece = self._pieces.get(place)
        if piece is None:
            return dict(sorted({**self._pieces, place: _Piece((ruling,))}.items()))
        rulings, at = piece.rulings, piece.place_of(ruling.number)
        behind = at + (self.get(ruling.number) is not None)
        return {**self._pieces, place: _Piece((*rulings[:at], ruling, *rulings[behind:]))}

    def _settled(self, lost: Set[int], *, won: RulingInForce | None) -> "Rulings":
        """With what is in force known again, where some may be so no longer, and another may be so now."""
        set_by, in_words = dict(self._set_by), self._in_words - lost
        free = {name for name, (number, _) in set_by.items() if number in lost}
        for name in free:
            del set_by[name]
        if won is not None and self._is_free(won):
            if not won.options:
                in_words |= {won.number}
            for name, value in won.options.items():
                if name not in free and (name not in set_by or set_by[name][0] < won.number):
                    set_by[name] = (won.number, value)
        for number, holding in held(self.newest_first()) if free else ():
            set_by |= {name: (number, value) for name, value in holding.options.items() if name in free}
            free -= holding.options.keys()
            if not free:  # nearly always the ruling before
                break
        return Rulings(self._pieces, set_by, in_words)

    def _is_free(self, ruling: RulingInForce) -> bool:
        """Whether a ruling has not ended, and none says that it stands in its place."""
        for each in self.newest_first():
            if each.number <= ruling.number:
                break
            if each.supersedes == ruling.number and not each.ended:
                return False
        return not ruling.ended

    # -- packed ------------------------------------------------------------------------------------------

    def packed(self) -> tuple["PackedRulings", tuple[bytes | Unread, ...]]:
        """As bytes: what is known of them all, and the pieces. Those that nobody changed are as they were given."""
        known = PackedRulings(tuple(self._pieces), dict(self._set_by), runs_of(self._in_words))
        return known, tuple(piece.packed for piece in self._pieces.values())

    @classmethod
    def unpacked(cls, known: "PackedRulings", pieces: Sequence[bytes | Unread]) -> "Rulings":
        """The same again. Raises ValueError where these are not its pieces."""
        by_place = {place: _Piece(packed=piece) for place, piece in zip(known.places, pieces, strict=True)}
        return cls(by_place, known.set_by, frozenset(numbers_in(known.in_words)))


class PackedRulings(Struct, frozen=True, array_like=True):
    """What is known of the rulings without their pieces."""

    places: tuple[int, ...]
    set_by: dict[str, Setting]
    in_words: Runs
