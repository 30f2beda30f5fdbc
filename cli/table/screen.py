"""The layout of the table's screen: party, chronicle, answers, open questions, and the line with its preview.

Only this file, `chronicle`, `widgets`, `layout` and `app` know Textual. What a line does is `OpenTable`'s.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.timer import Timer
from textual.widgets import Input, Static

from cli.recording.choosing import KEYS
from cli.table.chronicle import Chronicle
from cli.table.layout import (
    asked_rows,
    at_most,
    completion_pieces,
    first_of,
    in_a_row,
    keys_in_words,
    left_rows,
    row_count,
    rows_of,
    side_by_side,
    state_rows,
    unbroken_pieces,
    with_answers,
)
from cli.table.replies import KeyQuestion
from cli.table.table import UNREAD, OpenTable
from cli.table.widgets import FaceDownMask, LineInput
from cli.terminal.screen import Line, Span, safe, truncate, wrap
from cli.terminal.sheet import brief_lines
from domain.log.folding import state_at

#: Seconds between two looks for turns that others recorded.
LOOKS_EVERY = 1.0
#: Rows at most for the pending decisions, the completions and the preview of the line.
MOST_WAITING, MOST_WAYS, MOST_PREVIEW = 5, 1, 2
#: Rows at most for a question with its answers.
MOST_ASKED = 8
#: Rows at least for the chronicle, and for the party.
LEAST_MIDDLE, LEAST_PARTY = 3, 2
#: Columns taken by the padding at the edges of the screen.
EDGES = 2
#: Columns taken by a scroll bar.
BAR = 1
#: Columns of the prompt and the cursor.
AROUND_THE_LINE = 3
KINDS = {"nothing": "", "would": "green", "refused": "bold red", "missing": "yellow"}
#: Stands behind the key of what the table waits for: unlike at a question, nothing happens before Enter.
ENTER = "↵"
#: Keys for an empty line; those that have no room are left out from the last on.
TO_TYPE = ("? help", "F3: sheet", "Tab: turns", "PgUp: earlier")
TO_LOOK = "Up, Down: a turn   PgUp, PgDn: a page   Enter: about it   Esc: now"
TO_READ = "Esc: close"
TO_SCROLL = "PgUp, PgDn: scroll   Esc: close"
#: The title of what is said of a question that was left for another line, and of how that comes back.
LEFT_OPEN, UP_AGAIN = "left open", "Up brings the line back"
TO_MEND = "Type to replace the line. Space keeps it, Esc clears it."


P = ParamSpec("P")
S = TypeVar("S", bound="TableScreen")


def reports_unreadable_log(do: "Callable[Concatenate[S, P], None]") -> "Callable[Concatenate[S, P], None]":
    """Wrap a method of the screen: if it cannot read the log, the screen says so and stays open."""

    @wraps(do)
    def wrapper(app: S, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            do(app, *args, **kwargs)
        except UNREAD as error:
            app.unread(error)

    return wrapper


class TableScreen(App[int]):
    """One campaign on one screen: what is drawn, and where. What keys do is in `PlayApp`."""

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

    def __init__(self, table: OpenTable, *, opening: str = "") -> None:
        # with NO_COLOR Textual turns colours into greys; with the terminal's own palette it uses no colour at all
        os.environ.pop("NO_COLOR", None)
        if table.surface.paints:
            super().__init__()
        else:
            os.environ["NO_COLOR"] = "1"
            super().__init__(ansi_color=True)
        self.table = table
        self.mask, self.chronicle = FaceDownMask(table), Chronicle(table)
        #: the turn whose sheets are shown; None: the latest
        self.point: int | None = None
        #: whether the last attempt to read the log failed
        self.is_unread = False
        self.history: list[str] = []
        self.recall_index = 0
        #: the open question, and what was typed while it was open, which a moment or Enter makes an answer
        self.choices: KeyQuestion | None = None
        self.text_at_question = ""
        #: whether Enter was pressed behind that: typing replaces it, and a space goes on with it
        self.text_gives_way = False
        #: the question that the rest of the line answers, once its answer is to be typed
        self.question_of_line = ""
        #: the lines shown with the open question and their title, and whether others are read in their place
        self.lines_of_question: tuple[Sequence[str], str] = ((), "")
        self.reads_meanwhile = False
        #: what is said of a question left for another line, until that is done; and the line that led to the question
        self.left: Sequence[str] = ()
        self.left_line = ""
        #: the timer of a key that answers, until nothing is typed behind it for a moment
        self.answer_timer: Timer | None = None
        #: until when an Enter does nothing, as it was meant for the key that has just answered by itself
        self.enter_is_late_until = 0.0
        self.before: dict[str, Any] = {}
        #: makes the brief lines of the party, for a number of rows
        self.party: Callable[..., list[Line]] = lambda **_: []
        #: the keys of the pending decisions
        self.keys: frozenset[str] = frozenset()
        #: whose sheet was shown last
        self.sheet = ""
        #: the question whose answer is shown; "" if none is
        self.question = ""
        #: what is said on opening, until something is typed
        self.opening = opening

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="party", can_focus=False):
            yield Static(id="party-lines")
        yield Static(id="state")
        with Vertical(id="middle"):
            yield self.chronicle
            with VerticalScroll(id="answer", can_focus=False) as answer:
                answer.display = False
                yield Static(id="answer-lines")
        yield Static(id="waiting")
        yield Static(id="ways")
        with Horizontal(id="typing"):
            yield Static("›", id="prompt")
            yield LineInput(id="line", highlighter=self.mask, select_on_focus=False)
        yield Static(id="preview")

    def on_mount(self) -> None:
        self.before = self.table.sheets(self.table.handler.state())
        self._lay_out()
        self.set_interval(LOOKS_EVERY, self.look_for_others)

    def on_resize(self, event: events.Resize) -> None:
        """Lay everything out for the new width."""
        self._follow_window(event.size)
        if self.chronicle.last_read:
            self.call_after_refresh(self._lay_out)

    def _follow_window(self, size: Size) -> None:
        """Take the present size of the window if it differs from `size`, the last one that was reported.

        Textual posts the size at each signal. A signal that comes while an earlier one is being handled is posted
        first, and the older size would stay.
        """
        window = Size(*shutil.get_terminal_size())
        if window != size and not self.is_headless:
            for widget in (self, self.screen):
                widget.post_message(events.Resize(window, window))

    @reports_unreadable_log
    def _lay_out(self) -> None:
        # answers begin in the column of the turns and leave one for their scroll bar
        self.table.surface.columns = self._columns - BAR
        self._reload_chronicle()
        self._draw(anew=False)
        if self.question:
            self._show(self.table.answer(self.question).lines, self.question, question=self.question)
        self._preview()

    @property
    def _columns(self) -> int:
        return max(20, self.size.width - EDGES)

    @property
    def _place(self) -> str | None:
        """The point looked back to, after which a line is backdated; None for the present."""
        return None if self.point is None else f"T{self.point}"

    def _draw(self, *, anew: bool = True) -> None:
        """Draw the party, the state of the table and the pending decisions at the point in sight.

        With `anew` the sheets of now are what later changes are compared with.
        """
        table = self.table
        point = self.point if self.point is not None else table.log.last()
        state = table.handler.state() if self.point is None else state_at(table.system, table.log, point)
        sheets = table.sheets(state)
        changes = [name for name in sheets if self.point is None and sheets[name] != self.before.get(name)]
        self.party = partial(
            brief_lines,
            table.system,
            state,
            table.audience.party_sheets(state),
            changes,
            columns=self._columns - BAR,
            acting=table.system.whose_turn(state),
        )
        if anew and self.point is None:
            self.before = sheets
        self.query_one("#state", Static).update(
            rows_of(state_rows(state, point, list(self._state_pieces(state)), self._columns))
        )
        self._draw_waiting()
        self._show_in_party()

    def _show_in_party(self) -> None:
        """Scroll the party to whoever acts now, or else changed, in case it takes more rows than there are."""
        lines = str(self.query_one("#party-lines", Static).render()).splitlines()
        marks = [at for mark in ("▶", "▸") for at, line in enumerate(lines) if line.startswith(mark)]
        if marks:
            self.query_one("#party", VerticalScroll).scroll_to(y=marks[0], animate=False)

    def _state_pieces(self, state: Any) -> Iterator[Line]:
        """The parts of the state of the table before its name."""
        table = self.table
        if self.point is not None:
            yield [Span(f" as of T{self.point} of T{table.log.last()}, Esc returns ", "reverse")]
        if who := table.has_chosen(self._columns // 2):
            yield [Span(who, "bold yellow")]
        yield from unbroken_pieces(table.system.whole_table_rows(state), self._columns)

    def _draw_waiting(self) -> None:
        """Draw the open question, else the pending decisions, each answer with its key."""
        columns = self._columns
        if self.choices is not None:
            why: Line = [Span(self.choices.why, "bold")]
            self._show_waiting(asked_rows(why, self.choices.choices, MOST_ASKED, columns))
            return
        if self.question_of_line:
            self._show_waiting(at_most(wrap([Span(self.question_of_line, "bold")], columns, 0), MOST_WAITING, columns))
            return
        waiting = self.table.proposals.waiting() if self.point is None else ()
        self.keys = frozenset(proposal.key for decision in waiting for proposal in decision.proposals)
        decisions = [
            with_answers([Span(open_.why, "yellow")], open_.proposals, columns, brackets=("", ENTER))
            for open_ in waiting
        ]
        self._show_waiting(first_of(decisions, MOST_WAITING))

    def _show_waiting(self, rows: Sequence[Line]) -> None:
        widget = self.query_one("#waiting", Static)
        widget.update(rows_of(rows))
        widget.display = bool(rows)
        self._share_rows()

    def _share_rows(self) -> None:
        """Give the party the rows that the others leave, at most half of all; fewer while there is much to read.

        What is read takes all but the least of the party, unless a question is open, which is about the party too.
        """
        party, answer = self.query_one("#party", VerticalScroll), self.query_one("#answer", VerticalScroll)
        below = MOST_WAYS + 1 + MOST_PREVIEW
        around = row_count(self.query_one("#state", Static)) + row_count(self.query_one("#waiting", Static)) + below
        to_read = row_count(self.query_one("#answer-lines", Static)) + 1 if answer.display else 0
        to_spare = self.size.height // 2 if self.choices is not None else self.size.height - around - LEAST_PARTY
        middle = min(max(LEAST_MIDDLE, to_read), max(LEAST_MIDDLE, to_spare))
        most = max(LEAST_PARTY, min(self.size.height // 2, self.size.height - around - middle))
        party.styles.max_height = most
        lines = self.party(rows=most) or [[Span("Nobody is enrolled yet: enrol NAME …", "dim")]]
        self.query_one("#party-lines", Static).update(rows_of(lines))
        # a long answer would leave a turn or two of the chronicle, so it is hidden then
        remaining = self.size.height - around - min(most, row_count(self.query_one("#party-lines", Static)))
        self.chronicle.display = remaining - to_read >= LEAST_MIDDLE

    def _reload_chronicle(self) -> None:
        self.chronicle.reload(self._columns - BAR)

    def _append_new_turns(self) -> None:
        self.chronicle.append_new(self._columns - BAR)

    def _show(self, lines: Sequence[str], what: str, *, question: str = "") -> None:
        """Show an answer below the chronicle until it is closed or the next line is done; no lines hide it.

        `question` is asked again when the window changes its size.
        """
        answer, body = self.query_one("#answer", VerticalScroll), self.query_one("#answer-lines", Static)
        self.question = question
        body.update(Text("\n").join(Text.from_ansi(line) for line in lines))
        answer.display = bool(lines)
        keys = TO_SCROLL if len(lines) > LEAST_MIDDLE else TO_READ
        title = f"{what} · {keys}" if what else keys
        answer.border_title = rows_of([truncate([title], self._columns - 2)])
        answer.scroll_home(animate=False)
        self._share_rows()

    @property
    def _left_rows(self) -> list[str]:
        """The rows about questions that were left for other lines."""
        return left_rows(self.left, self._columns - BAR)

    def _show_left(self) -> None:
        """Show them, and how the line comes back that led to the latest one; nothing hides what was shown."""
        rows = self._left_rows
        self._show(rows, f"{LEFT_OPEN}, {UP_AGAIN}" if self.left_line else LEFT_OPEN)

    def _close(self) -> None:
        self._show((), "")

    @property
    def _reads(self) -> bool:
        """Whether an answer is shown."""
        return self.query_one("#answer", VerticalScroll).display

    def _notice(self, words: str, style: str = "") -> None:
        """Show a notice in place of the preview, until something is typed."""
        self._show_preview([Span(words, style)])

    def _show_preview(self, line: Line) -> None:
        rows = at_most(wrap(line, self._columns, 0), MOST_PREVIEW, self._columns)
        # its rows are reserved, so that no key makes Textual lay out everything else
        self.query_one("#preview", Static).update(rows_of(rows), layout=False)

    def _hint(self) -> None:
        """Set the placeholder of the empty line: an example of what can be typed, or the keys."""
        line = self.query_one(LineInput)
        # a pending decision is a better hint than an example
        example = "" if self.keys or line.value or self.choices is not None else self.table.example()
        before = f"{keys_in_words(sorted(self.keys, key=KEYS.index))}, then Enter" if self.keys else example
        looking = self.point is not None or self.focused is not line
        line.placeholder = (
            ""
            if self.choices is not None
            else TO_LOOK
            if looking
            else in_a_row([before, *TO_TYPE], self._columns - AROUND_THE_LINE)
        )

    @on(Input.Changed)
    def _line_changed(self) -> None:
        self.opening = ""
        if self.question_of_line and not self.query_one(LineInput).value.startswith(
            self.table.beginning.rstrip() or "\n"
        ):
            self.question_of_line = ""
            self._draw_waiting()
        self._preview()

    @reports_unreadable_log
    def _preview(self) -> None:
        """Show what the line would do, and how it may go on."""
        self._hint()
        self.show_ways()
        line = self.query_one(LineInput)
        if self.choices is not None:
            keys = keys_in_words(self.question_keys)
            prompt = (self.choices.prompt(keys),)
            self._notice(*self._about_text(self.choices, keys) if self.text_at_question else prompt)
            return
        if self.opening:
            self._notice(self.opening, "bold")
            return
        preview = self.table.preview(line.value, self._place)
        late = f"late entry, after T{self.point}: " if self.point is not None and preview.kind == "would" else ""
        self._show_preview([Span(late, "bold"), Span(preview.text, KINDS[preview.kind])])

    @property
    def question_keys(self) -> list[str]:
        """The keys that answer the open question; none where none is open."""
        return [choice.key for choice in self.choices.choices] if self.choices is not None else []

    def _about_text(self, question: KeyQuestion, keys: str) -> tuple[str, str]:
        """What is said of a text that is typed at a question, and how to show it."""
        text = self.text_at_question
        if self.table.takes_back(text):
            return f"{question.comes_first}. Press {keys} to answer.", "yellow"
        if self.table.is_reading(text) and text not in self.question_keys and not question.unseen:
            return f"Enter reads {safe(text.strip())}; the question stays open.", "green"
        if self.table.key_for_words(text) is not None and question.answered_by(text) is None:
            return f"Press Space or Enter to answer in your own words: {safe(text)} …", "green"
        return question.about(safe(text), keys, gives_way=self.text_gives_way)

    @reports_unreadable_log
    def show_ways(self) -> None:
        """Show the completions of the line; of one that was not done, what the next key does with it."""
        line = self.query_one(LineInput)
        pieces: Iterable[Line] = ()
        if self.choices is None and line.gives_way:
            pieces = [[Span(TO_MEND, "dim")]]
        elif self.choices is None and line.value:
            pieces = completion_pieces(self.table.completions(line.value, line.cursor_position).ways)
        in_a_row = at_most(side_by_side([], pieces, self._columns), MOST_WAYS, self._columns)
        self.query_one("#ways", Static).update(rows_of(in_a_row), layout=False)

    @reports_unreadable_log
    def look_for_others(self) -> None:
        """Append turns that somebody else recorded; after a failure, try to read the log again."""
        if not self.is_running:  # A table that is closing takes its screens away before it stops its timers.
            return
        self._follow_window(self.screen.size)
        if self.table.log.last() > self.chronicle.last_read:
            self._append_new_turns()
            self._draw()
        if self.is_unread:
            self.is_unread = False
            self._lay_out()

    def unread(self, error: Exception) -> None:
        """Report that the log cannot be read now. Everything shown stays, and so does the line."""
        self.is_unread = True
        self._notice(self.table.unread(error), "bold red")
