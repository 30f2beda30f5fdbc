"""The screen of the table as it is shown: party, chronicle, answers, what is asked, and the line with its preview.

With `widgets`, `layout` and `app` the only files that know Textual. What a line does is the table's.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from itertools import takewhile
from typing import Any, Concatenate, ParamSpec, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.widgets import Input, Static
from textual.widgets.option_list import Option, OptionDoesNotExist

from cli.table.layout import at_most, digits_of, keys_told, rows_of, rows_taken, side_by_side, ways_told
from cli.table.replies import KeyQuestion
from cli.table.table import UNREAD, OpenTable
from cli.table.widgets import Chronicle, LineInput, Unseen
from cli.terminal.screen import Line, Span, columns_of, cut, spans, width, wrapped
from cli.terminal.sheet import bits_line, brief_lines
from domain.common.revisions import REVISIONS
from domain.log.folding import state_at
from domain.registry import tag_of
from projections.chronicle import Entry, by_person

#: Turns of the chronicle that can be scrolled through at a time, as many before the one in sight as after it.
LOADED = 300
#: How often others' turns are looked for, in seconds.
LOOKS_EVERY = 1.0
#: Rows for the state of the table, for what it waits for, for the ways to go on, and for what a line would do.
MOST_STATE, MOST_WAITING, MOST_WAYS, MOST_PREVIEW = 2, 5, 1, 2
#: Rows for a question with its answers.
MOST_ASKED = 8
#: Rows that the chronicle keeps, and the party, whatever else there is to show.
LEAST_MIDDLE, LEAST_PARTY = 3, 2
#: Columns that the edges of the screen take.
EDGES = 2
#: Columns that are left for the bar which says that there is more of the party than is in sight.
BAR = 1
#: Kinds of turns that speak of earlier ones.
REVISING = tuple(tag_of(kind) for kind in REVISIONS)
KINDS = {"nothing": "", "would": "green", "refused": "bold red", "missing": "yellow"}
TO_TYPE = "? help   PgUp: earlier   Tab: turns"
TO_LOOK = "Up, Down: a turn   PgUp, PgDn: a page   Enter: about it   Esc: now"
TO_READ = "Esc closes it"
TO_SCROLL = "PgUp, PgDn: on   Esc closes it"


P = ParamSpec("P")
S = TypeVar("S", bound="TableScreen")


def if_the_log_is_read(do: "Callable[Concatenate[S, P], None]") -> "Callable[Concatenate[S, P], None]":
    """Do this on the screen; where the log cannot be read meanwhile, that is said, and the evening goes on."""

    @wraps(do)
    def done(app: S, /, *given: P.args, **named: P.kwargs) -> None:
        try:
            do(app, *given, **named)
        except UNREAD as error:
            app.unread(error)

    return done


class TableScreen(App[int]):
    """One campaign on one screen, as it is shown; what keys do there is `PlayApp`."""

    TITLE = "campaign"
    CSS = """
    Screen { layout: vertical; overflow: hidden; }
    #state { height: auto; padding: 0 1; background: $panel; }
    #party { height: auto; padding: 0 1; scrollbar-size-vertical: 1; }
    #party-lines, #waiting, #answer-lines { height: auto; }
    #middle { height: 1fr; }
    #chronicle { height: 1fr; border: none; padding: 0; background: $background; scrollbar-size: 1 1; }
    #answer { height: auto; max-height: 100%; padding: 0 1; border-top: solid $accent; scrollbar-size-vertical: 1; }
    #waiting, #ways, #preview { padding: 0 1; }
    #ways { height: 1; }
    #preview { height: 2; }
    #typing { height: 1; background: $boost; }
    #prompt { width: 2; padding: 0 0 0 1; text-style: bold; }
    #line { border: none; height: 1; padding: 0 1; background: $boost; }
    #state:nocolor { text-style: reverse; }
    LineInput:nocolor > .input--cursor, LineInput:nocolor > .input--selection,
    Chronicle:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    """
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#line"

    def __init__(self, table: OpenTable) -> None:
        # Textual looks for it at its start and makes greys of colours; with the terminal's own there are none at all
        os.environ.pop("NO_COLOR", None)
        if table.surface.paints:
            super().__init__()
        else:
            os.environ["NO_COLOR"] = "1"
            super().__init__(ansi_color=True)
        self.table = table
        self.unseen = Unseen(table)
        #: the turn whose sheets are in sight; None: now
        self.point: int | None = None
        #: the last turn that was read
        self.known = 0
        #: whether the log could not be read when it was last looked at
        self.is_unread = False
        #: the turns in the chronicle: those behind one, up to another
        self.after, self.upto = 0, 0
        self.digits = 2
        self.lines_typed: list[str] = []
        self.recalled = 0
        #: what the rules ask, and what was typed there that answers nothing
        self.choices: KeyQuestion | None = None
        self.typed_past = ""
        self.before: dict[str, Any] = {}
        #: the party in brief, in so many rows
        self.party: Callable[..., list[Line]] = lambda **_: []
        #: the keys of what the table waits for
        self.keys: frozenset[str] = frozenset()
        #: what was asked last, as long as its answer is in sight
        self.asked = ""

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="party", can_focus=False):
            yield Static(id="party-lines")
        yield Static(id="state")
        with Vertical(id="middle"):
            yield Chronicle(id="chronicle")
            with VerticalScroll(id="answer", can_focus=False) as answer:
                answer.display = False
                yield Static(id="answer-lines")
        yield Static(id="waiting")
        yield Static(id="ways")
        with Horizontal(id="typing"):
            yield Static("›", id="prompt")
            yield LineInput(id="line", highlighter=self.unseen, select_on_focus=False)
        yield Static(id="preview")

    def on_mount(self) -> None:
        self.before = self.table.sheets(self.table.handler.state())
        self._lay_out()
        self.set_interval(LOOKS_EVERY, self.look_for_others)

    def on_resize(self, event: events.Resize) -> None:
        """Everything anew for the columns that there are then."""
        self._follow_window(event.size)
        if self.known:
            self.call_after_refresh(self._lay_out)

    def _follow_window(self, size: Size) -> None:
        """Take the size that the window has now, where another is the last that was heard of.

        Textual posts what it finds at each signal. One that comes while the one before is still at it is posted
        first, and the older size would stay.
        """
        window = Size(*shutil.get_terminal_size())
        if window != size and not self.is_headless:
            for each in (self, self.screen):
                each.post_message(events.Resize(window, window))

    @if_the_log_is_read
    def _lay_out(self) -> None:
        # an answer begins where a turn does, and leaves a column to its bar
        self.table.surface.columns = self._columns - BAR
        self._tell_anew()
        self._look(anew=False)
        if self.asked:
            self._show(self.table.answer(self.asked).lines, self.asked, asked=self.asked)
        self._preview()

    @property
    def _columns(self) -> int:
        return max(20, self.size.width - EDGES)

    @property
    def _place(self) -> str | None:
        """The turn that one looks back to, where what is typed is told late."""
        return None if self.point is None else f"T{self.point}"

    def _look(self, *, anew: bool = True) -> None:
        """Draw the party, the table and what it waits for, at the point in sight."""
        table = self.table
        point = self.point if self.point is not None else table.log.last()
        state = table.handler.state() if self.point is None else state_at(table.system, table.log, point)
        sheets = table.sheets(state)
        changed = [name for name in sheets if self.point is None and sheets[name] != self.before.get(name)]
        self.party = partial(
            brief_lines,
            table.system,
            state,
            table.audience.party_sheets(state),
            changed,
            columns=self._columns - BAR,
            acting=table.system.whose_turn(state),
        )
        if anew and self.point is None:
            self.before = sheets
        rows = side_by_side([], self._state_pieces(state, point), self._columns)
        self.query_one("#state", Static).update(rows_of(at_most(rows, MOST_STATE, self._columns)))
        self._wait()
        self._show_in_party()

    def _show_in_party(self) -> None:
        """Where the party takes more room than there is even so: whoever acts now, or changed, is in sight."""
        told = str(self.query_one("#party-lines", Static).render()).splitlines()
        marked = [at for mark in ("▶", "▸") for at, line in enumerate(told) if line.startswith(mark)]
        if marked:
            self.query_one("#party", VerticalScroll).scroll_to(y=marked[0], animate=False)

    def _state_pieces(self, state: Any, point: int) -> Iterator[Line]:
        """Where the table is: what is looked back to, and what goes on there, before what everybody knows."""
        table = self.table
        if self.point is not None:
            yield [Span(f" as of T{point} of T{table.log.last()}, Esc returns ", "reverse")]
        if chosen := table.has_chosen(self._columns // 2):
            yield [Span(chosen, "bold yellow")]
        for label, bits in table.system.whole_table_rows(state):
            row = [Span(f"{label} ", "dim"), *bits_line(bits)]
            if columns_of(row) <= self._columns:
                yield row
            else:
                yield [Span(label, "dim")]
                yield from (bits_line([bit]) for bit in bits)
        session = f" · session {state.campaign.session}" if state.campaign.session else ""
        yield [Span(state.campaign.name, "bold"), Span(f" · T{point}{session}", "dim")]

    def _wait(self) -> None:
        """What the rules ask, else what the table waits for, each way to go on with its key."""
        rows: list[Line] = []
        columns = self._columns
        if self.choices is not None:
            ways: list[Line] = [[Span(f"[{each.key}] ", "bold yellow"), each.says] for each in self.choices.choices]
            asked = wrapped([Span(self.choices.why, "bold")], columns, 0)
            rows = [*asked, *side_by_side([], ways, columns)]
            self._show_waiting(at_most(rows, MOST_ASKED, columns))
            return
        waiting = self.table.waiting() if self.point is None else ()
        for matter in waiting:
            ways = [[Span(f"[{each.key}] ", "bold yellow"), each.says] for each in matter.proposals]
            *above, why = wrapped([Span(matter.why, "yellow")], columns, 0)
            rows += [*above, *side_by_side(why, ways, columns)]
        self.keys = frozenset(each.key for matter in waiting for each in matter.proposals)
        self._show_waiting(at_most(rows, MOST_WAITING, columns))

    def _show_waiting(self, rows: Sequence[Line]) -> None:
        shown = self.query_one("#waiting", Static)
        shown.update(rows_of(rows))
        shown.display = bool(rows)
        self._share_rows()

    def _share_rows(self) -> None:
        """The party gets the rows that the others leave, and at most half of all; fewer while there is much to read."""
        party, answer = self.query_one("#party", VerticalScroll), self.query_one("#answer", VerticalScroll)
        below = MOST_WAYS + 1 + MOST_PREVIEW
        around = rows_taken(self.query_one("#state", Static)) + rows_taken(self.query_one("#waiting", Static)) + below
        to_read = rows_taken(self.query_one("#answer-lines", Static)) + 1 if answer.display else 0
        middle = min(max(LEAST_MIDDLE, to_read), max(LEAST_MIDDLE, self.size.height // 2))
        most = max(LEAST_PARTY, min(self.size.height // 2, self.size.height - around - middle))
        party.styles.max_height = most
        lines = self.party(rows=most) or [[Span("Nobody is enrolled yet: enrol NAME …", "dim")]]
        self.query_one("#party-lines", Static).update(rows_of(lines))
        # beside a long answer less than a turn or two would be left of the chronicle
        left = self.size.height - around - min(most, rows_taken(self.query_one("#party-lines", Static)))
        self.query_one(Chronicle).display = left - to_read >= LEAST_MIDDLE

    def _tell_anew(self) -> None:
        """The chronicle from where it is in sight on: what was taken back or decided again reads otherwise now."""
        log = self.table.log
        self.query_one(Chronicle).clear_options()
        self.digits = digits_of(log.last())
        self.known = log.last()
        upto = self.known if self.point is None else min(self.point + LOADED // 2, self.known)
        self.after = max(0, upto - LOADED)
        self._tell(takewhile(lambda entry: entry.turn <= upto, self.table.chronicle(self.after)))
        if self.point is not None:
            self.query_one(Chronicle).highlighted = self._row_of(self.point)

    def _tell_since(self, turn: int) -> None:
        """The turns after one; if one of them speaks of earlier turns, these anew as well."""
        new = list(self.table.chronicle(turn))
        if (
            self.upto < turn
            or digits_of(self.table.log.last()) > self.digits
            or any(entry.kind in REVISING or entry.place is not None for entry in new)
        ):
            self._tell_anew()
        else:
            self._tell(new)

    def _tell(self, entries: Iterable[Entry]) -> None:
        listed = self.query_one(Chronicle)
        options = []
        for entry in entries:
            number = Span(f"{f'T{entry.turn}':>{self.digits}}", "cyan")
            late = f", late entry, after T{entry.place}" if entry.mark else ""
            # one person a line where several do something, as in the log
            *above, last = by_person(entry.parts) if entry.standing else [()]
            body = spans(last) if entry.standing else [Span(f"✗ {entry.sentence}", "dim strike")]
            by = [Span(f" ({entry.by})", "dim")] if entry.by else []
            indent = self.digits + 2
            rows: list[Line] = []
            begins: Line = [number, Span(late, "yellow"), "  "]
            for told in above:
                rows += wrapped([*begins, *spans(told)], self._columns - BAR, indent)
                begins = [" " * indent]
            # one column for the bar that says how far one has scrolled
            rows += wrapped([*begins, *body, *by], self._columns - BAR, indent)
            options.append(Option(rows_of(rows), id=f"T{entry.turn}"))
            self.upto = entry.turn
        self.known = max(self.known, self.upto)
        listed.add_options(options)
        if self.point is None:
            self._to_the_end()

    def _row_of(self, turn: int) -> int | None:
        """Where a turn stands in the chronicle; None: it is not in sight."""
        listed = self.query_one(Chronicle)
        try:
            return listed.get_option_index(f"T{turn}")
        except OptionDoesNotExist:
            return None

    def _show(self, lines: Sequence[str], what: str, *, asked: str = "") -> None:
        """An answer, apart from the turns; it goes when it is closed, and with the next line that is done."""
        answer, shown = self.query_one("#answer", VerticalScroll), self.query_one("#answer-lines", Static)
        self.asked = asked
        shown.update(Text("\n").join(Text.from_ansi(line) for line in lines))
        answer.display = bool(lines)
        title = f"{what} · {TO_SCROLL if len(lines) > LEAST_MIDDLE else TO_READ}"
        answer.border_title = rows_of([cut([title], self._columns - 2)])
        answer.scroll_home(animate=False)
        self._share_rows()

    def _close(self) -> None:
        self._show((), "")

    @property
    def _reads(self) -> bool:
        """Whether an answer is in sight."""
        return self.query_one("#answer", VerticalScroll).display

    def _notice(self, words: str, style: str = "") -> None:
        """Say something where the line says what it would do; whatever is typed then takes its place."""
        self._foretell([Span(words, style)])

    def _foretell(self, line: Line) -> None:
        rows = at_most(wrapped(line, self._columns, 0), MOST_PREVIEW, self._columns)
        # the rows are kept for it, so nothing else has to be laid out anew at every key
        self.query_one("#preview", Static).update(rows_of(rows), layout=False)

    def _to_the_end(self) -> None:
        listed = self.query_one(Chronicle)
        listed.highlighted = None
        listed.scroll_end(animate=False)

    def _hint(self) -> None:
        """What an empty line says: what can be typed, or which keys there are now."""
        line = self.query_one(LineInput)
        # where the table says what it waits for, that is what to type
        example = "" if self.keys or line.value else self.table.example()
        both = f"{example}   {TO_TYPE}"
        # beside the sign before the line and the cursor behind it
        to_type = both if example and width(both) <= self._columns - 3 else TO_TYPE
        looking = self.point is not None or self.focused is not line
        line.placeholder = "" if self.choices is not None else TO_LOOK if looking else to_type

    @on(Input.Changed)
    def _typed(self) -> None:
        self._preview()

    @if_the_log_is_read
    def _preview(self) -> None:
        """What the line would do, and how it may go on."""
        self._hint()
        line, ways = self.query_one(LineInput), self.query_one("#ways", Static)
        if self.choices is not None:
            ways.update("", layout=False)
            self._notice(f"press {keys_told([each.key for each in self.choices.choices])}; {self._esc}")
            return
        preview = self.table.preview(line.value, self._place)
        late = f"late entry, after T{self.point}: " if self.point is not None and preview.kind == "would" else ""
        self._foretell([Span(late, "bold"), Span(preview.text, KINDS[preview.kind])])
        found = self.table.completions(line.value, line.cursor_position).ways if line.value else ()
        in_a_row = at_most(side_by_side([], ways_told(found), self._columns), MOST_WAYS, self._columns)
        ways.update(rows_of(in_a_row), layout=False)

    @property
    def _esc(self) -> str:
        """What Esc does at the open question."""
        return (self.choices.stands if self.choices is not None else "") or "Esc leaves it"

    @if_the_log_is_read
    def look_for_others(self) -> None:
        """Turns that somebody else told appear by themselves; a server that was gone is looked for again."""
        self._follow_window(self.screen.size)
        last = self.table.log.last()
        if last > self.known:
            self._tell_since(self.known)
            self._look()
        if self.is_unread:
            self.is_unread = False
            self._lay_out()

    def unread(self, error: Exception) -> None:
        """Say that the log cannot be read now. What is in sight stays, and so does the line."""
        self.is_unread = True
        self._notice(self.table.unread(error), "bold red")
