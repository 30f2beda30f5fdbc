"""What a page shows of the table: the records that its templates read, with nothing in them that a seat may not see."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from cli.serving.offers import PendingView
from domain.system.rows import Bar, Bit, PileView, Row
from projections.chronicle import Entry


class FigureView(Struct, frozen=True):
    """A number of a sheet that can be touched: what making it less or more is called; nothing: this seat may not."""

    label: str
    now: int
    full: int | None = None
    less: str = ""
    more: str = ""
    vital: bool = False

    @property
    def bar(self) -> Bar | None:
        """The figure as a bar; None without a maximum."""
        return Bar(self.now, self.full) if self.full else None


class SheetView(Struct, frozen=True):
    """One sheet as this seat sees it."""

    name: str
    player: str
    rows: Sequence[Row]
    piles: Sequence[PileView] = ()
    #: what keeps the character from acting, and what they are if that is for good (dead, retired)
    fallen: str = ""
    out: str = ""
    figures: Sequence[FigureView] = ()
    #: whether the cards in hand stand on the page already, to be chosen
    chooses: bool = False
    #: verbs by which this seat writes on it what no rule does, each with the words of its link
    by_hand: Sequence[tuple[str, str]] = ()
    #: where the values of rows come from is asked like this, by the labels of the rows
    reasons: Mapping[str, str] = {}

    def reason(self, label: str) -> str:
        """How it is asked where a row comes from, by its label or its last word that is a field; "" if none is."""
        found = (self.reasons.get(name) for name in (label, *reversed(label.split())))
        return next(filter(None, found), "")

    def figure(self, label: str) -> FigureView | None:
        """The figure of a row."""
        return next((figure for figure in self.figures if figure.label == label), None)

    def is_vital(self, label: str) -> bool:
        """Whether the figure of a row stands above the sheet already."""
        figure = self.figure(label)
        return figure is not None and figure.vital


class PartyLine(Struct, frozen=True):
    """One character in a line or a few; none: out of it."""

    name: str
    lines: Sequence[Sequence[Bit]]
    fallen: str = ""
    is_foe: bool = False
    player: str = ""
    #: how it is asked where the bar comes from
    reason: str = ""
    #: what is watched all evening
    vital: FigureView | None = None
    #: whether it is their turn
    acts: bool = False


class TableView(Struct, frozen=True):
    """The table as one seat sees it now, or as it was at turn `point`."""

    campaign: str
    session: int | None
    #: the last turn there is, and the one that is looked at
    last: int
    point: int
    table: Sequence[Row]
    #: the table's own numbers that this seat may touch
    table_figures: Sequence[FigureView]
    own: Sequence[SheetView]
    party: Sequence[PartyLine]
    pending: Sequence[PendingView] = ()
    choice_status: str = ""
    #: what this player has chosen face down, in a sentence
    own_choice: str = ""
    latest: Sequence[Entry] = ()
    #: the turns of the last line of this seat
    own_line: tuple[int, ...] = ()
    own_line_in_words: str = ""
    #: the newest of them, as whoever looks over a shoulder may know it
    told: str = ""
    #: the undo that can be taken back, as nothing has followed it from this seat, and the turns that it took back
    own_undo: int | None = None
    undone_in_words: str = ""

    def table_figure(self, label: str) -> FigureView | None:
        """The table's own number that stands in a row."""
        return next((figure for figure in self.table_figures if figure.label == label), None)
