"""Dice and cards: one port for values reported by the table and values drawn by the log.

Every outcome is stored under a key of owner and purpose ("brog/re-roll"), never by position, with the number of its
values that were reported. A drawn value is a function of (seed, key, index): a turn that is decided again draws the
same, so that nobody gets a better roll by amending and undoing.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any, TypeVar

from msgspec import Struct, field

from domain.naming import quantity
from domain.refusal import Refusal
from domain.system.used_numbers import UsedNumbers
from domain.turn import Drawn, StoredDrawn

Card = TypeVar("Card", int, str)

#: The suffix of keys for numbers counted in the log (wound ids, R numbers, session numbers).
COUNTED = "#"
#: The suffix of keys for an order that nobody at the table has seen; no view shows it.
UNSEEN = "~"
SEED_LIMIT = 2**53


class Draw(Struct, frozen=True):
    """Values that were drawn and neither reported nor on record: `count` dice of `sides` sides, or cards (None)."""

    count: int
    whose: str
    purpose: str
    sides: int | None
    #: Whether it is a face-down order of cards.
    shuffles: bool


def values_under_key(key: str, values: tuple[int | str, ...], reported: int = 0, sides: int | None = None) -> Drawn:
    """Values with the owner and purpose in their key.

    The last slash of the key separates them: a purpose is a word of the rules and has no slash, but a name may.
    """
    owner, purpose = _parts_of(key)
    return Drawn(values, reported, owner, purpose, sides)


@lru_cache(maxsize=4096)  # called again and again with the same keys
def _parts_of(key: str) -> tuple[str, str]:
    owner, _, purpose = key.rstrip(COUNTED + UNSEEN).rpartition("/")
    return owner, purpose


def draws(chance: Mapping[str, StoredDrawn]) -> list[tuple[StoredDrawn, int]]:
    """The entries with values that were drawn and not reported, each with their number; without counted numbers."""
    return [
        (draw, new)
        for key, draw in chance.items()
        if (new := len(draw.values) - draw.reported) > 0 and not key.endswith(COUNTED)
    ]


def each_below(bounds: Iterable[int], seed: int, key: str, first: int = 0) -> list[int]:
    """For each bound a uniform whole number from 0 to bound-1, by its index from `first` on.

    Hashes above the last full multiple of a bound are drawn again, for uniformity. All values of one key are drawn in
    one call, because a draw is seldom of one die or one card.
    """
    whole, before, behind = int.from_bytes, b"%d/" % seed, key.encode()
    values = []
    for index, bound in enumerate(bounds, first):
        value, attempt = whole(blake2b(b"%b%d/0/%b" % (before, index, behind), digest_size=8).digest(), "big"), 0
        while value + bound > 2**64 and value >= 2**64 - 2**64 % bound:  # nearly always false at once
            attempt += 1
            value = whole(blake2b(b"%b%d/%d/%b" % (before, index, attempt, behind), digest_size=8).digest(), "big")
        values.append(value % bound)
    return values


def below(bound: int, seed: int, key: str, index: int) -> int:
    """The number below `bound` at this index."""
    (value,) = each_below((bound,), seed, key, index)
    return value


class Chance(Struct, eq=False, gc=False):
    """The random values of one turn, requested by key and recorded.

    `_record_before` is the chance of the turn's previous decision (empty at the first), `_record_now` that of this one.
    The length of a record is not checked: a turn that needs fewer values takes the first ones and keeps the rest on
    record, one that needs more draws them.
    `lenient` is set when an unchanged action is decided again: then its reports are those on record. With another
    action only new reports are checked, and replace what is on record.
    `used_numbers` has the numbers given out under each counted key in the whole log, undone turns included, and `own`
    those that this turn ever had, with whatever action. `seed_of` says from which seed a turn with a seed of
    its own draws under a key (`domain.log.pending_draws`).
    """

    seed: int
    _record_before: Mapping[str, StoredDrawn] = {}
    lenient: bool = False
    used_numbers: UsedNumbers = field(default_factory=UsedNumbers)
    own: UsedNumbers = field(default_factory=UsedNumbers)
    seed_of: Callable[[str, int], int] | None = None
    _record_now: dict[str, StoredDrawn] = {}
    #: The numbers given out so far, in order.
    _numbers: dict[str, list[int]] = {}
    #: The number of values drawn from the seed, by key.
    _draw_counts: dict[str, int] = {}

    @property
    def given_out(self) -> Mapping[str, Sequence[int]]:
        """The numbers given out in this turn, by counted key."""
        return self._numbers

    def _each_below(self, bounds: Sequence[int], key: str, first: int = 0) -> list[int]:
        if self.seed_of is not None and bounds:
            self.seed = self.seed_of(key, self.seed)
        return each_below(bounds, self.seed, key, first)

    def _below(self, bound: int, key: str, index: int) -> int:
        (value,) = self._each_below((bound,), key, index)
        return value

    def record(self) -> dict[str, StoredDrawn]:
        """Everything on record for the turn: what was requested now, and what stays unused."""
        return {**self._record_before, **self._record_now} if self._record_before else self._record_now.copy()

    def record_of(self, key: str) -> StoredDrawn:
        """The values on record under this key, now or before. Raises KeyError if there are none."""
        return self._record_now[key] if key in self._record_now else self._record_before[key]

    def draws(self) -> tuple[Draw, ...]:
        """The values drawn from the seed."""
        if not self._draw_counts:  # true for most turns that are decided again
            return ()
        draws = []
        for key, count in self._draw_counts.items():
            sides = getattr(self._record_now[key], "sides", None)
            draws.append(Draw(count, *_parts_of(key), sides, key.endswith(UNSEEN)))
        return tuple(draws)

    def is_new(self, key: str, values: Sequence[Card] | None) -> bool:
        """Whether the table reports these values for the first time, so that they must be checked."""
        if values is None or self.lenient:
            return False
        before = self._record_before.get(key)
        return before is None or tuple(values) != before.values[: before.reported]

    def report_of(self, key: str, values: Sequence[Card] | None) -> Sequence[Card] | None:
        """The values that the table reported under this key, now or at the first decision; None if there are none.

        For outcomes whose number is known only afterwards (a deck flipped until a card turns up). The caller checks
        the report if `is_new`, and passes the values it used to `keep`.
        """
        before = self._record_before.get(key)
        if before is None or self.is_new(key, values):
            return values
        return before.values[: before.reported] or None  # type: ignore[return-value]

    def keep(self, key: str, values: Sequence[Card], *, reported: int = 0) -> None:
        """Record an outcome that the caller has determined itself."""
        before = self._record_before.get(key)
        new: bool = before is not None and not self.lenient and tuple(values) != before.values[: len(values)]
        rest: tuple[int | str, ...] = self._rest(key, len(values), new=new)
        unused_count = max(0, before.reported - len(values)) if rest and before else 0
        self._record_now[key] = values_under_key(key, (*values, *rest), reported + unused_count)

    def _rest(self, key: str, count: int, *, new: bool) -> tuple[int | str, ...]:
        """Values on record that the turn does not need any more."""
        return self._record_before[key].values[count:] if key in self._record_before and not new else ()

    def _values(self, key: str, from_table: Sequence[Card] | None, *, new: bool) -> Sequence[int | str]:
        """The values to use before drawing: those on record, else those from the table."""
        return self._record_before[key].values if key in self._record_before and not new else from_table or ()

    def dice(
        self,
        key: str,
        count: int,
        sides: int,
        reported: Sequence[int] | None = None,
        *,
        rule: str,
        die_rule: str | None = None,
    ) -> tuple[int, ...]:
        """`count` dice of `sides` sides.

        Raises Refusal: by `rule` for another number of reported dice, by `die_rule` (default `rule`) for a
        die that has no such side.
        """
        on_record = self._record_before.get(key)
        if reported is None and on_record is None:
            fresh_faces = tuple([1 + value for value in self._each_below([sides] * count, key)])
            if count:
                self._draw_counts[key] = self._draw_counts.get(key, 0) + count
            self._record_now[key] = values_under_key(key, fresh_faces, 0, sides)
            return fresh_faces
        new: bool = reported is not None and self.is_new(key, reported)
        if on_record is not None and not new:
            values: tuple[Any, ...] = on_record.values
            # when decided again nearly all faces fit the die: draw the missing ones and keep the rest
            if all(map(range(1, sides + 1).__contains__, values[:count])):
                if (missing := count - len(values)) > 0:
                    self._draw_counts[key] = self._draw_counts.get(key, 0) + missing
                    values += tuple([1 + value for value in self._each_below([sides] * missing, key, len(values))])
                count_on_record = len(on_record.values[: on_record.reported])
                self._record_now[key] = values_under_key(key, values, count_on_record, sides)
                return values[:count]
        if reported is not None and new:
            if len(reported) != count:
                raise Refusal(rule, f"This roll takes {quantity(count, 'die', 'dice')}, not {len(reported)}.")
            for die in reported:
                if not 1 <= die <= sides:
                    raise Refusal(die_rule or rule, f"A d{sides} cannot show {die}.")
        valid_record = None if new else on_record
        before = (reported or ()) if valid_record is None else valid_record.values
        report_count = len(before if valid_record is None else before[: valid_record.reported])
        faces = []
        fresh_indices: list[int] = []
        for index in range(count):
            face_on_record = before[index] if index < len(before) else None
            if isinstance(face_on_record, int) and 1 <= face_on_record <= sides:
                faces.append(face_on_record)
            else:
                faces.append(1 + self._below(sides, key, index))
                fresh_indices.append(index)
        if fresh_indices:
            self._draw_counts[key] = self._draw_counts.get(key, 0) + len(fresh_indices)
            report_count = min(report_count, fresh_indices[0])
        unused = () if valid_record is None else valid_record.values[count:]
        self._record_now[key] = values_under_key(key, (*faces, *unused), report_count, sides)
        return tuple(faces)

    def cards(
        self,
        key: str,
        among: Sequence[Card],
        count: int,
        reported: Sequence[Card] | None = None,
        *,
        rule: str,
        name_of: Callable[[Card], str] = str,
    ) -> tuple[Card, ...]:
        """`count` different cards of `among`, at random or as reported.

        Raises Refusal by `rule` for a report of another number, of a card named twice, or of one that is
        not there. Decided again, a recorded card is used if it is still there; otherwise the seed decides.
        """
        from_table = self.report_of(key, reported)
        new: bool = reported is not None and self.is_new(key, reported)
        if reported is not None and new:
            if len(reported) != count:
                raise Refusal(rule, f"This takes {quantity(count, 'card')}, not {len(reported)}.")
            if len(set(reported)) != len(reported):
                raise Refusal(rule, "The same card is named twice.")
            for card in reported:
                if card not in among:
                    raise Refusal(rule, f"Card {name_of(card)} is not there to be drawn.")
        before = self._values(key, from_table, new=new)
        report_count = len(from_table or ())
        remaining = list(among)
        chosen_cards: list[Card] = []
        if not before:
            ends = range(len(remaining), max(0, len(remaining) - count), -1)
            chosen_cards += map(remaining.pop, self._each_below(ends, key))
            if chosen_cards:
                self._draw_counts[key] = self._draw_counts.get(key, 0) + len(chosen_cards)
            self._record_now[key] = values_under_key(key, tuple(chosen_cards))
            return tuple(chosen_cards)
        if (
            len(before) == len(remaining) <= count
            and len(set(remaining)) == len(remaining)
            and set(before) == set(remaining)
        ):
            # a whole pile in a recorded or reported order with exactly these cards
            self._record_now[key] = values_under_key(key, tuple(before), report_count)
            return tuple(before)  # type: ignore[arg-type]
        for index in range(min(count, len(remaining))):
            card_on_record = before[index] if index < len(before) else None
            if card_on_record in remaining:
                chosen_cards.append(remaining.pop(remaining.index(card_on_record)))
            else:
                chosen_cards.append(remaining.pop(self._below(len(remaining), key, index)))
                self._draw_counts[key] = self._draw_counts.get(key, 0) + 1
                report_count = min(report_count, index)
        self._record_now[key] = values_under_key(
            key, (*chosen_cards, *self._rest(key, len(chosen_cards), new=new)), report_count
        )
        return tuple(chosen_cards)

    def shuffle(
        self, key: str, cards: Sequence[Card], reported: Sequence[Card] | None = None, *, rule: str
    ) -> tuple[Card, ...]:
        """The cards in a new order, top first; a reported order must hold exactly these cards."""
        key += UNSEEN
        if reported is not None and self.is_new(key, reported) and sorted(reported) != sorted(cards):
            missing, beyond = Counter(cards) - Counter(reported), Counter(reported) - Counter(cards)
            from_table = [
                f"{word} {', '.join(map(str, cards_of_word.elements()))}"
                for word, cards_of_word in (("missing:", missing), ("not among them, or twice:", beyond))
                if cards_of_word
            ]
            raise Refusal(
                rule,
                f"The order reported for the shuffle does not hold exactly the {len(cards)} cards shuffled; "
                f"{'; '.join(from_table)}.",
            )
        return self.cards(key, cards, len(cards), reported, rule=rule)

    def number(self, key: str, requested: int | None = None) -> int:
        """The number asked for, else the one on record, else the next one never used under this key."""
        key += COUNTED
        given_out = self._numbers.setdefault(key, [])
        before = self._record_before[key].values if key in self._record_before else ()
        if requested is not None:
            number = requested
        elif len(given_out) < len(before):
            number = int(before[len(given_out)])
        else:
            number = max((self.used_numbers.highest(key), *given_out)) + 1
        given_out.append(number)
        self._record_now[key] = values_under_key(key, (*given_out, *before[len(given_out) :]))
        return number

    def is_used(self, key: str, number: int) -> bool:
        """Whether a number was given out under this counted key anywhere else in the log."""
        key += COUNTED
        own = self._record_before[key].values if key in self._record_before else ()
        return self.used_numbers.has(key, number) and not self.own.has(key, number) and number not in own
