"""Rows for displaying a sheet: their content, never how it is painted."""

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct


class Bar(Struct, frozen=True):
    """A bar filled `now` of `full`, with its figures. Up to `half` it is a warning, up to `quarter` a danger."""

    now: int
    full: int

    @property
    def half(self) -> int:
        return self.full // 2

    @property
    def quarter(self) -> int:
        return self.full // 4


class Pips(Struct, frozen=True):
    """`full` of `of` pips filled."""

    full: int
    of: int


class Marks(Struct, frozen=True):
    """A count drawn as strokes."""

    count: int


#: How a text is emphasised; never the only carrier of a meaning.
Tone = Literal["plain", "good", "bad", "faint"]


class Phrase(Struct, frozen=True):
    """Plain text and its emphasis."""

    text: str
    tone: Tone = "plain"


#: One element of a line.
Bit = Bar | Pips | Marks | Phrase
#: One line of a displayed sheet: a label and its elements.
Row = tuple[str, tuple[Bit, ...]]


def tracked_rows(tracked: Mapping[str, object]) -> list[Row]:
    """Values that are tracked beside the rules, a row each."""
    return [(name, (Phrase(str(value)),)) for name, value in tracked.items()]


class CardView(Struct, frozen=True):
    """A displayed card: its name, its figure (such as the initiative), and remarks in words."""

    name: str
    figure: str = ""
    notes: tuple[Phrase, ...] = ()

    @property
    def remarks(self) -> str:
        """All but its name, in one row: "72, top ✕ lost"; "" where nothing is known of it."""
        return ", ".join(filter(None, (self.figure, *(note.text for note in self.notes))))


class ReportableCards(Struct, frozen=True):
    """The cards among which a field of an action lists those that the table turned over, in order."""

    #: (the value of the field, the displayed card)
    cards: tuple[tuple[str, CardView], ...]
    #: whether the log draws nothing here, so that the table has to report the cards
    awaited: bool = False


class PileView(Struct, frozen=True):
    """Cards in one place; if nobody may look into the pile, only the count is set."""

    label: str
    count: int
    cards: tuple[CardView, ...] = ()
