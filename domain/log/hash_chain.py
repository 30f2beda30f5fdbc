"""The hash chain: a link for each turn, over all that lies before it; and seals, short enough for the edge of a sheet.

A link is made of the stored bytes, never of what they decode to, so it holds whatever a later version of the program
reads in them. It is neither a secret nor a signature: who changes a turn can make the links anew. What nobody can
change is a seal that somebody else has written down.
"""

import struct
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256

from msgspec import Struct

from domain.refusal import Invalid

#: Digits that are hard to mistake for each other (Crockford): no I, L, O, U.
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#: How they are read back when somebody mistook them all the same.
MISTAKEN = str.maketrans("ILO", "110")
#: Of a link, in a seal.
BITS = 80
#: A turn as it is stored: its number, its topic, its bytes.
Stored = tuple[int, str, bytes]

_length = struct.Struct(">Q").pack


def _counted(part: bytes) -> bytes:
    """A part with its length before it, so that no two lists of parts make the same bytes."""
    return _length(len(part)) + part


def beginning(campaign_id: str) -> bytes:
    """The link before the first turn of a campaign."""
    return sha256(b"campaign-log 1" + _counted(campaign_id.encode())).digest()


def linker(stream: str) -> Callable[[bytes, int, str, bytes], bytes]:
    """What makes the link of a turn of this stream, out of the link before it, its number, its topic and its bytes."""
    whose = _counted(stream.encode())
    topics: dict[str, bytes] = {}

    def link(before: bytes, number: int, topic: str, state: bytes) -> bytes:
        said = topics.get(topic)
        if said is None:
            said = topics[topic] = _counted(topic.encode())
        return sha256(b"".join((before, whose, _length(number), said, _length(len(state)), state))).digest()

    return link


def linked(before: bytes, stream: str, turns: Iterable[Stored]) -> Iterator[bytes]:
    """The links of turns that follow each other in one stream, `before` being the link that they go on from.

    A branch goes on from the link of its fork.
    """
    link_of, link = linker(stream), before
    for number, topic, state in turns:
        link = link_of(link, number, topic, state)
        yield link


class Seal(Struct, frozen=True):
    """What fixes a log up to a turn: so many turns, and this hash of them."""

    turn: int
    digits: str

    def __str__(self) -> str:
        groups = [self.digits[at : at + 4] for at in range(0, len(self.digits), 4)]
        return f"T{self.turn} {'-'.join(groups)}"

    def fits(self, link: bytes) -> bool:
        """Whether this is the seal of the turn with this link."""
        return sealed(self.turn, link) == self


def sealed(turn: int, link: bytes) -> Seal:
    """The seal of a turn, by its link."""
    value = int.from_bytes(link[: BITS // 8], "big")
    return Seal(turn, "".join(DIGITS[value >> at & 31] for at in range(BITS - 5, -1, -5)))


def seal_from(text: str) -> Seal:
    """A seal as somebody copied it from paper: case, spaces, hyphens and look-alikes do not matter. Raises Invalid."""
    turn, _, rest = text.strip().upper().partition(" ")
    digits = rest.replace("-", "").replace(" ", "").translate(MISTAKEN)
    number = turn.removeprefix("T").translate(MISTAKEN)
    fit = len(digits) * 5 == BITS and set(digits) <= set(DIGITS)
    if not (number.isascii() and number.isdigit() and len(number) < 16 and fit):
        raise Invalid(f"{text[:60]!r} is not a seal; one looks like T86 QK3F-9M2X-7TPA-4WZE.")
    return Seal(int(number), digits)
