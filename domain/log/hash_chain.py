"""The hash chain: a link per turn, over the turn and all before it; and seals, short enough to write on a sheet.

A link is computed from the stored bytes, not from what they decode to, so that it does not depend on the version of
the program. It is neither secret nor a signature: whoever changes a turn can compute new links. A seal that somebody
else has written down cannot be changed.
"""

import re
import struct
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256

from msgspec import Struct

from domain.refusal import Invalid

#: Digits that are hard to confuse (Crockford base 32): no I, L, O, U.
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#: The corrections of confused letters.
MISTAKEN = str.maketrans("ILO", "110")
#: The number of bits of a link in a seal.
BITS = 80
#: A stored turn: its number, its topic, its bytes.
StoredRow = tuple[int, str, bytes]

_length = struct.Struct(">Q").pack


def _with_length(part: bytes) -> bytes:
    """A part prefixed with its length, so that different lists of parts give different bytes."""
    return _length(len(part)) + part


def beginning(campaign_id: str) -> bytes:
    """The link before the first turn of a campaign."""
    return sha256(b"campaign-log 1" + _with_length(campaign_id.encode())).digest()


def linker(stream: str) -> Callable[[bytes, int, str, bytes], bytes]:
    """A function that computes the link of a turn of this stream: (link before, number, topic, bytes) -> link."""
    stream_part = _with_length(stream.encode())
    topics: dict[str, bytes] = {}

    def link(before: bytes, number: int, topic: str, state: bytes) -> bytes:
        topic_part = topics.get(topic)
        if topic_part is None:
            topic_part = topics[topic] = _with_length(topic.encode())
        digest = sha256(b"".join((before, stream_part, _length(number), topic_part, _length(len(state)))))
        digest.update(state)  # by itself, as it may be as long as many turns
        return digest.digest()

    return link


def links_of(before: bytes, stream: str, turns: Iterable[StoredRow]) -> Iterator[bytes]:
    """The links of consecutive turns of one stream, continuing from the link `before`.

    A branch continues from the link of its fork.
    """
    link_of, link = linker(stream), before
    for number, topic, state in turns:
        link = link_of(link, number, topic, state)
        yield link


class Seal(Struct, frozen=True):
    """A seal of a log up to a turn: the number of turns, and a short hash of them."""

    turn: int
    digits: str

    def __str__(self) -> str:
        return f"T{self.turn} {in_groups(self.digits)}"

    def fits(self, link: bytes) -> bool:
        """Whether this is the seal of a turn with this link."""
        return seal_of(self.turn, link) == self


def in_groups(digits: str) -> str:
    """The digits of a seal as they are printed: QK3F-9M2X-7TPA-4WZE."""
    return "-".join(digits[start : start + 4] for start in range(0, len(digits), 4))


def seal_of(turn: int, link: bytes) -> Seal:
    """The seal of a log up to this turn, whose link this is."""
    value = int.from_bytes(link[: BITS // 8], "big")
    return Seal(turn, "".join(DIGITS[value >> shift & 31] for shift in range(BITS - 5, -1, -5)))


def seal_from(text: str) -> Seal:
    """A typed seal, without regard to case, spaces, hyphens and confused letters. Raises Invalid."""
    turn, _, rest = text.strip().upper().partition(" ")
    digits = _digits_in(rest)
    number = turn.removeprefix("T").translate(MISTAKEN)
    if digits is None or not (number.isascii() and number.isdigit() and len(number) < 16):
        raise Invalid(
            f"{text[:60]!r} is not a seal; one is a turn and sixteen letters and digits, like T86 QK3F-9M2X-7TPA-4WZE."
        )
    return Seal(int(number), digits)


def digits_from(text: str) -> str | None:
    """The digits of a seal that was typed without its turn, read as forgivingly; None for any other text."""
    if re.match(r"\s*T[0-9]+\s", text, re.IGNORECASE):
        return None  # a whole seal, whose turn could be taken for digits
    return _digits_in(text)


def _digits_in(text: str) -> str | None:
    digits = text.upper().replace("-", "").replace(" ", "").translate(MISTAKEN)
    return digits if len(digits) * 5 == BITS and set(digits) <= set(DIGITS) else None
