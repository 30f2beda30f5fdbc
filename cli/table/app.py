"""The screen of the table: the party, the chronicle, what was asked, what the table waits for, and one line to type in.

The only file that knows Textual. What a line does is the table's; here it is only shown.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, wraps
from itertools import groupby, takewhile
from typing import Any, Concatenate, ParamSpec

from rich.highlighter import Highlighter
from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option, OptionDoesNotExist

from cli.line.completing import Completion
from cli.table.replies import KeyQuestion, Reply
from cli.table.table import UNREAD, Table
from cli.terminal.screen import Line, Span, columns_of, cut, safe, spans, width, wrapped
from cli.terminal.sheet import bits_line, brief_lines
from domain.common.revisions import REVISIONS
from domain.log.folding import state_at
from domain.registry import tag_of
from domain.system.type_descriptions import either
from projections.chronicle import Entry

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
#: What each key does beside typing. The widgets take them in their turn among the letters: Textual runs a binding
#: beside those, and where somebody types fast Enter would take the beginning of the next line with it.
ACTIONS = {
    "pageup": "page(-1)",
    "pagedown": "page(1)",
    "tab": "go_on",
    "escape": "clear",
    "ctrl+c": "clear",
    "up": "step(-1)",
    "down": "step(1)",
    "f2": "hide",
    "ctrl+d": "leave",
    "enter": "enter",
    # what was typed before the screen was there: until then the terminal makes a line end of Enter
    "ctrl+j": "enter",
}
#: The same of the keys that only change the line.
EDITING = {
    key.strip(): binding.action
    for binding in Input.BINDINGS
    if isinstance(binding, Binding)
    for key in binding.key.split(",")
}
#: Kinds of turns that speak of earlier ones.
REVISING = tuple(tag_of(kind) for kind in REVISIONS)
KINDS = {"nothing": "", "would": "green", "refused": "bold red", "missing": "yellow"}
TO_TYPE = "? help   PgUp: earlier   Tab: turns"
TO_LOOK = "Up, Down: a turn   PgUp, PgDn: a page   Enter: about it   Esc: now"
TO_READ = "Esc closes it"
TO_SCROLL = "PgUp, PgDn: on   Esc closes it"


def text_of(line: Line) -> Text:
    """A line as Textual paints it; nothing in it can be taken for markup or a code."""
    text = Text(no_wrap=True)
    # words that look the same go to the terminal in one piece
    for style, parts in groupby(line, key=lambda part: part.style if isinstance(part, Span) else ""):
        text.append("".join(safe(part.text if isinstance(part, Span) else part) for part in parts), style)
    return text


def rows_of(lines: Iterable[Line]) -> Text:
    """Lines below each other."""
    return Text("\n").join(map(text_of, lines))


def side_by_side(first: Line, others: Iterable[Line], columns: int) -> list[Line]:
    """Things beside each other, none of them broken: what does not fit goes on below, indented."""
    rows: list[list[Span | str]] = [list(cut(first, columns))]
    used = columns_of(rows[0])
    below = "  " if used else ""
    for other in others:
        told = cut(other, columns - len(below))
        if used + 2 + columns_of(told) > columns:
            rows.append([below, *told])
            used = len(below) + columns_of(told)
        else:
            gap = "  " if used else ""
            rows[-1] += [gap, *told]
            used += len(gap) + columns_of(told)
    return list(rows)


def ways_told(found: Sequence[Completion]) -> list[Line]:
    """Each way to go on with what it is; what holds for several in a row stands behind the last of them."""
    beyond = [*(way.help for way in found), ""][1:]
    return [
        [Span(way.text, "bold"), Span(f" {way.help}" if way.help and way.help != after else "", "dim")]
        for way, after in zip(found, beyond, strict=True)
    ]


def keys_told(keys: Sequence[str]) -> str:
    """The keys that are possible: "1 to 9 or 0", "y or n"."""
    runs: list[list[str]] = []
    for key in keys:
        if runs and key.isdecimal() and ord(key) == ord(runs[-1][-1]) + 1:
            runs[-1].append(key)
        else:
            runs.append([key])
    return either(part for run in runs for part in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"]))


def at_most(rows: Sequence[Line], most: int, columns: int) -> list[Line]:
    """So many rows; where there are more the last one says so."""
    if len(rows) <= most:
        return list(rows)
    return [*rows[: most - 1], [*cut(rows[most - 1], columns - 2), Span(" …", "bold")]]


def _digits(last: int) -> int:
    """How many columns numbers of turns take up to one; few evenings end before T10."""
    return max(2, len(str(last))) + 1


def _rows(shown: Static) -> int:
    """How many rows something takes, with what was last put there."""
    return str(shown.render()).count("\n") + 1 if shown.display else 0


class Unseen(Highlighter):
    """What is typed of cards that lie face down is not shown."""

    def __init__(self, table: Table) -> None:
        self.table, self.all = table, False

    def highlight(self, text: Text) -> None:
        """Put a dot in the place of every sign that nobody is to see."""
        shown = 0 if self.all else self.table.unseen_from(text.plain)
        if shown is not None:
            text.plain = text.plain[:shown] + "".join("•" * width(sign) for sign in text.plain[shown:])


class OfTheTable(Widget):
    """A part of the screen that gets keys; those that the table takes are nothing to the widget any more."""

    @property
    def play(self) -> "PlayApp":
        app = self.app
        assert isinstance(app, PlayApp)
        return app

    async def is_taken(self, event: events.Key) -> bool:
        """Whether the table takes a key."""
        if taken := await self.play.takes(event):
            event.prevent_default()
            event.stop()
        return taken


class LineInput(Input, OfTheTable):
    """The line to type in. While the rules ask something, a key answers; in an empty line, a digit picks a way."""

    async def on_key(self, event: events.Key) -> None:
        if not await self.is_taken(event) and event.key in EDITING:
            event.stop()
            await self.run_action(EDITING[event.key])

    def on_paste(self, event: events.Paste) -> None:
        """Several lines are done one after the other; by itself the widget would drop all but the first."""
        lines = event.text.splitlines()
        if len(lines) > 1:
            event.prevent_default()
            event.stop()
            self.play.paste(lines, whole=event.text.endswith(("\n", "\r")))


class Chronicle(OptionList, OfTheTable):
    """The turns. The wheel moves the point that one looks at."""

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._moves("earlier", event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._moves("later", event)

    def _moves(self, to: str, event: events.MouseEvent) -> None:
        event.stop()
        event.prevent_default()
        self.play.move(-1 if to == "earlier" else 1)

    def on_resize(self) -> None:
        """What is new stays in sight when the rows below take more room."""
        if self.play.point is None and not self.has_focus:
            self.scroll_end(animate=False)

    async def on_key(self, event: events.Key) -> None:
        if not await self.is_taken(event) and event.character is not None and event.character.isprintable():
            # whoever begins to type means the line
            self.play.type(event.character)
            event.prevent_default()
            event.stop()


P = ParamSpec("P")


def _if_the_log_is_read(do: "Callable[Concatenate[PlayApp, P], None]") -> "Callable[Concatenate[PlayApp, P], None]":
    """Do this on the screen; where the log cannot be read meanwhile, that is said, and the evening goes on."""

    @wraps(do)
    def done(app: "PlayApp", /, *given: P.args, **named: P.kwargs) -> None:
        try:
            do(app, *given, **named)
        except UNREAD as error:
            app.unread(error)

    return done


class PlayApp(App[int]):
    """One campaign on one screen."""

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

    def __init__(self, table: Table) -> None:
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

    @_if_the_log_is_read
    def _lay_out(self) -> None:
        # an answer begins where a turn does, and leaves a column to its bar
        self.table.surface.columns = self._columns - BAR
        self._tell_anew()
        self._look(anew=False)
        if self.asked:
            self._show(self.table.answer(self.asked).lines, self.asked, asked=self.asked)
        self._preview()

    # -- what is shown -------------------------------------------------------------------------------------

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
        around = _rows(self.query_one("#state", Static)) + _rows(self.query_one("#waiting", Static)) + below
        to_read = _rows(self.query_one("#answer-lines", Static)) + 1 if answer.display else 0
        middle = min(max(LEAST_MIDDLE, to_read), max(LEAST_MIDDLE, self.size.height // 2))
        most = max(LEAST_PARTY, min(self.size.height // 2, self.size.height - around - middle))
        party.styles.max_height = most
        lines = self.party(rows=most) or [[Span("Nobody is enrolled yet: enrol NAME …", "dim")]]
        self.query_one("#party-lines", Static).update(rows_of(lines))
        # beside a long answer less than a turn or two would be left of the chronicle
        left = self.size.height - around - min(most, _rows(self.query_one("#party-lines", Static)))
        self.query_one(Chronicle).display = left - to_read >= LEAST_MIDDLE

    def _tell_anew(self) -> None:
        """The chronicle from where it is in sight on: what was taken back or decided again reads otherwise now."""
        log = self.table.log
        self.query_one(Chronicle).clear_options()
        self.digits = _digits(log.last())
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
            or _digits(self.table.log.last()) > self.digits
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
            body = spans(entry.parts) if entry.standing else [Span(f"✗ {entry.sentence}", "dim strike")]
            by = [Span(f" ({entry.by})", "dim")] if entry.by else []
            # one column for the bar that says how far one has scrolled
            rows = wrapped([number, Span(late, "yellow"), "  ", *body, *by], self._columns - BAR, self.digits + 2)
            options.append(Option(rows_of(rows), id=f"T{entry.turn}"))
            self.upto = entry.turn
        self.known = max(self.known, self.upto)
        listed.add_options(options)
        if self.point is None:
            self._to_the_end()

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

    # -- typing ---------------------------------------------------------------------------------------------

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

    @_if_the_log_is_read
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

    def action_enter(self) -> None:
        """The line is done, or the rules ask something first; on a turn of the chronicle: what can be done about it."""
        text, listed = self.query_one(LineInput).value.strip(), self.query_one(Chronicle)
        if self.choices is not None:
            return
        if self.focused is listed and listed.highlighted is not None:
            self._ask_about(listed.get_option_at_index(listed.highlighted))
            return
        if not text:
            if self.point is not None:
                self._done(self.table.ask_about(self.point))
            return
        text = "help" if text == "?" else text
        if not self.unseen.all and self.table.unseen_from(text) is None:
            self.lines_typed.append(text)
        self.recalled = len(self.lines_typed)
        answer = self.table.answer(text, after=self._place)
        if answer.code and not answer.leaves:
            self._close()
            self._notice(" ".join(answer.lines), "bold red")
            if answer.begins is not None:
                self._empty(answer.begins)  # it ends too early, and is typed on
            else:
                # the line stays: what is typed takes its place, a key that moves the cursor mends it
                self.query_one(LineInput).select_all()
            return
        self._done(answer, text)

    def paste(self, lines: Sequence[str], *, whole: bool) -> None:
        """Type lines that were pasted, each with its Enter; the last one without, unless it is `whole`.

        At the first that is refused, or that the rules ask about, it ends, and what is left is told.
        """
        line = self.query_one(LineInput)
        for at, text in enumerate(lines):
            self.type(text)
            if at == len(lines) - 1 and not whole:
                break
            self.action_enter()
            left = lines[at + 1 :]
            if left and (line.value or self.choices is not None):
                told = f"{len(left)} of the lines that were pasted {'is' if len(left) == 1 else 'are'} not done"
                self._show([safe(each) for each in left], told)
                break

    @_if_the_log_is_read
    def _done(self, answer: Reply, what: str = "") -> None:
        """Show what came of a line or a key: turns, words, a question, or the line that is to be typed on."""
        if answer.leaves:
            self.exit(0)
            return
        asked_before = self.choices is not None
        self.choices, self.typed_past = answer.choices, ""
        before, now = self.known, self.table.log.last()
        notice = answer.notice
        self._close()
        if now > before:
            self.point = None
            self._tell_since(before)
        elif asked_before and len(answer.lines) == 1:
            (notice,) = answer.lines
        elif answer.lines:
            # what a change would do is shown as long as it is asked for
            self._show(answer.lines, what, asked=what if answer.choices is None else "")
        line = self.query_one(LineInput)
        if answer.begins is not None:
            self._empty(answer.begins)
        elif answer.choices is None or now > before:
            self._empty()
        self.screen.set_focus(line)
        self._look()
        self._preview()
        if notice:
            self._notice(notice)

    def _empty(self, text: str = "") -> None:
        line = self.query_one(LineInput)
        self.unseen.all = False
        line.value = text
        line.cursor_position = len(text)

    def type(self, text: str) -> None:
        """Go on in the line with what was typed elsewhere."""
        line = self.query_one(LineInput)
        self.screen.set_focus(line)
        line.replace(text, *sorted(line.selection))

    async def takes(self, event: events.Key) -> bool:
        """Whether a key does something, or answers what is open.

        A question takes every key, an empty line those that are proposed.
        """
        if event.key in ACTIONS:
            await self.run_action(ACTIONS[event.key])
            return True
        key = event.character
        if self.choices is not None:
            keys = [each.key for each in self.choices.choices]
            if key in keys:
                self._done(self.table.choose(str(key)))
            elif key == " " and self.typed_past:
                self._type_past(f"{self.typed_past} ")
            elif key is not None and key.isprintable():
                self.typed_past += key
                self._notice(f"{safe(key)} is none of the keys: press {keys_told(keys)}; {self._esc}", "yellow")
            return key is not None  # a key that edits the line is no part of the next one
        line = self.query_one(LineInput)
        if key is None or line.value or not key.isdecimal() or key not in self.keys or self.point is not None:
            return False
        answer = self.table.pick(key)
        if answer is not None:
            self._done(answer)
        return answer is not None

    @on(OptionList.OptionSelected)
    def take_turn(self, event: OptionList.OptionSelected) -> None:
        """A click on a turn: what can be done about it."""
        if self.choices is None:
            self._ask_about(event.option)

    def _ask_about(self, told: Option) -> None:
        if told.id is not None:
            self._done(self.table.ask_about(int(told.id[1:])))

    @on(OptionList.OptionHighlighted)
    @_if_the_log_is_read
    def look_at_turn(self, event: OptionList.OptionHighlighted) -> None:
        """The sheets follow the turn that one is at in the chronicle."""
        listed = self.query_one(Chronicle)
        # where one went on meanwhile, what is told of the way there is over
        if event.option.id is not None and self.focused is listed and listed.highlighted == event.option_index:
            turn = int(event.option.id[1:])
            self._go_to(turn if turn < self.table.log.last() else None)

    # -- keys -----------------------------------------------------------------------------------------------

    def _go_to(self, point: int | None) -> None:
        """Look at the table as it was after a turn; None: now. The chronicle goes along."""
        if point == self.point or self.choices is not None:
            return
        self.point = point
        listed = self.query_one(Chronicle)
        if self.upto < self.known if point is None else not self.after < point <= self.upto:
            self._tell_anew()
        if point is None:
            if self.focused is not listed:
                self._to_the_end()
        elif listed.option_count and (at := self._row_of(point)) is not None:
            listed.highlighted = at
        self._look()
        self._preview()

    def _row_of(self, turn: int) -> int | None:
        """Where a turn stands in the chronicle; None: it is not in sight."""
        listed = self.query_one(Chronicle)
        try:
            return listed.get_option_index(f"T{turn}")
        except OptionDoesNotExist:
            return None

    @_if_the_log_is_read
    def move(self, turns: int) -> None:
        """The sheets as they were some turns earlier, or later up to now."""
        last = self.table.log.last()
        to = max(1, (last if self.point is None else self.point) + turns)
        self._go_to(to if to < last else None)

    def action_page(self, step: int) -> None:
        """On in the answer that is read; else about as many turns as are in sight: most take one row, many two."""
        if self._reads:
            answer = self.query_one("#answer", VerticalScroll)
            answer.scroll_relative(y=step * max(1, answer.size.height - 1), animate=False)
            return
        self.move(step * max(1, self.query_one(Chronicle).size.height // 2))

    @_if_the_log_is_read
    def action_go_on(self) -> None:
        """Tab: the line goes on as far as there is only one way; in an empty line, to the chronicle and back."""
        line, listed = self.query_one(LineInput), self.query_one(Chronicle)
        if self.choices is not None:
            return
        if self.focused is not line:
            self.screen.set_focus(line)
            self._hint()
            return
        if not line.value:
            self.screen.set_focus(listed)
            if listed.option_count:
                listed.highlighted = self._row_of(self.point or self.table.log.last())
            self._hint()
            return
        found = self.table.completions(line.value, line.cursor_position)
        if len(found.ways) == 1:
            way = found.ways[0]
            gap = "" if way.open else " "
            line.value = line.value[: found.start] + way.written + gap + line.value[found.end :]
            line.cursor_position = found.start + len(way.written) + len(gap)

    @property
    def _esc(self) -> str:
        """What Esc does at the open question."""
        return (self.choices.stands if self.choices is not None else "") or "Esc leaves it"

    def _type_past(self, text: str) -> None:
        """Leave the question for the line that somebody types who has not seen it; no number in it is an answer."""
        self.action_clear()
        self._empty(text)

    def action_clear(self) -> None:
        """Drop the question, else the line, else the answer that is read, else the look back."""
        line = self.query_one(LineInput)
        if self.choices is not None:
            self.table.leave()
            self.choices, self.typed_past = None, ""
            self._close()
            line.select_all()
        elif line.value:
            self._empty()
        elif self._reads:
            self._close()
        else:
            self._go_to(None)
            self._to_the_end()
        self.screen.set_focus(line)
        self._look(anew=False)
        self._preview()

    def action_step(self, step: int) -> None:
        """Lines typed before; in the chronicle, and while one looks back, the turn before or after."""
        line = self.query_one(LineInput)
        if self.choices is not None:
            return
        if self.focused is not line or (self.point is not None and not line.value):
            self.move(step)
            return
        self.recalled = min(max(0, self.recalled + step), len(self.lines_typed))
        self._empty(self.lines_typed[self.recalled] if self.recalled < len(self.lines_typed) else "")

    def action_hide(self) -> None:
        """Type unseen, whatever it is."""
        self.unseen.all = not self.unseen.all
        self.query_one(LineInput).refresh()

    def action_leave(self) -> None:
        self.exit(0)

    # -- others ---------------------------------------------------------------------------------------------

    @_if_the_log_is_read
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
