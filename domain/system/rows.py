"""A sheet as rows to look at: what stands in them, never how it is painted."""

from typing import Literal

from msgspec import Struct


class Bar(Struct, frozen=True):
    """A bar that is `now` of `full` long, with its figures."""

    now: int
    full: int


class Pips(Struct, frozen=True):
    """`full` of `of` pips filled."""

    full: int
    of: int


class Marks(Struct, frozen=True):
    """Something counted in strokes."""

    count: int


#: How a text stands out, never the only carrier of a meaning.
Tone = Literal["plain", "good", "bad", "faint"]


class Phrase(Struct, frozen=True):
    """Plain text, and how it stands out."""

    text: str
    tone: Tone = "plain"


#: What stands on one line.
Bit = Bar | Pips | Marks | Phrase
#: One line of a sheet as one looks at it: its label, and what stands behind it.
Row = tuple[str, tuple[Bit, ...]]


class Card(Struct, frozen=True):
    """A card as one looks at it: what it is called, its figure (an initiative), and what is so about it, in words."""

    name: str
    figure: str = ""
    notes: tuple[Phrase, ...] = ()


class Pile(Struct, frozen=True):
    """Cards that lie in one place; of a pile that nobody may look into it is known how many there are."""

    label: str
    count: int
    cards: tuple[Card, ...] = ()
