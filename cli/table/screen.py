"""The table's screen: party, chronicle, answers, open questions and the line, and what keys, wheel and clicks do.

Only this file, `chronicle`, `widgets` and `layout` know Textual. What a line does is `OpenTable`'s.
"""

import asyncio
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec

from msgspec.structs import replace
from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.geometry import Size
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from cli.table.bar import keys_of
from cli.table.chronicle import Chronicle
from cli.table.guide import Guide, Shown
from cli.table.layout import (
    asked_rows,
    at_most,
    candidate_rows,
    first_of,
    in_a_row,
    row_count,
    rows_of,
    slot_row,
    state_rows,
    unbroken_pieces,
    with_answers,
)
from cli.table.table import UNREAD, OpenTable
from cli.table.widgets import LineInput, UnseenMask
from cli.terminal.screen import Line, Span, truncate, wrap
from cli.terminal.sheet import brief_lines
from domain.log.folding import state_at

#: Seconds between two looks for turns that others recorded.
LOOKS_EVERY = 1.0
#: Rows at most for the pending decisions, the candidates and the preview of the line.
MOST_WAITING, MOST_LISTED, MOST_PREVIEW = 5, 8, 2
#: Rows at most for a question with its answers.
MOST_ASKED = 8
#: Rows at least for the chronicle, and for the party.
LEAST_MIDDLE, LEAST_PARTY = 3, 2
#: Columns taken by the padding at the edges of the screen.
EDGES = 2
#: Columns taken by a scroll bar.
BAR = 1
KINDS = {"nothing": "", "would": "green", "refused": "bold red", "missing": "yellow"}
#: Stands behind the key of what the table waits for: unlike at a question, nothing happens before Enter.
ENTER = "↵"
#: The action of each key that is not the line's.
ACTIONS = {
    "pageup": "page(-1)",
    "pagedown": "page(1)",
    "ctrl+d": "leave",
}
#: The keys that move among the turns of the chronicle.
MOVES = {"up": -1, "down": 1}
ENTER_KEYS = ("enter", "ctrl+j")
#: Seconds after which a table that was told to end is gone, although its terminal takes nothing any more.
LONGEST_END = 3


P = ParamSpec("P")


def reports_unreadable_log(do: "Callable[Concatenate[PlayApp, P], None]") -> "Callable[Concatenate[PlayApp, P], None]":
    """Wrap a method of the screen: if it cannot read the log, the screen says so and stays open."""

    @wraps(do)
    def wrapper(app: "PlayApp", /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            do(app, *args, **kwargs)
        except UNREAD as error:
            app.unread(error)

    return wrapper


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
    #waiting, #slots, #preview, #list, #bar { padding: 0 1; }
    #slots, #bar { height: 1; }
    #preview { height: 2; }
    #bar { background: $panel; color: $text-muted; }
    #typing { height: 1; background: $boost; }
    #prompt { width: 2; padding: 0 0 0 1; text-style: bold; }
    #line { border: none; height: 1; padding: 0 1; background: $boost; }
    #state:nocolor { text-style: reverse; }
    LineInput:nocolor > .input--cursor, LineInput:nocolor > .input--selection,
    Chronicle:nocolor > .option-list--option-highlighted { text-style: bold underline; }
    """
    ENABLE_COMMAND_PALETTE = False
    AUTO_FOCUS = "#line"

    #: the loop that draws, once there is one
    _loop_of_screen: asyncio.AbstractEventLoop | None = None

    def __init__(self, table: OpenTable, *, opening: str = "") -> None:
        # with NO_COLOR Textual turns colours into greys; with the terminal's own palette it uses no colour at all
        os.environ.pop("NO_COLOR", None)
        if table.surface.paints:
            super().__init__()
        else:
            os.environ["NO_COLOR"] = "1"
            super().__init__(ansi_color=True)
        self.table = table
        self.guide, self.chronicle = Guide(table), Chronicle(table)
        #: whether the last attempt to read the log failed
        self.is_unread = False
        self.before: dict[str, Any] = {}
        #: makes the brief lines of the party, for a number of rows
        self.party: Callable[..., list[Line]] = lambda **_: []
        #: what is said on opening, until something is typed
        self.opening = opening
        #: what is drawn to be read, and the point that is drawn
        self._drawn, self._point_drawn = Shown(), self.point

    @property
    def point(self) -> int | None:
        """The turn whose sheets are shown; None: the latest."""
        return None if self.table.place is None else int(self.table.place[1:])

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
        yield Static(id="slots")
        with Horizontal(id="typing"):
            yield Static("›", id="prompt")
            yield LineInput(id="line", highlighter=UnseenMask(self.guide), select_on_focus=False)
        yield Static(id="preview")
        yield Static(id="list")
        yield Static(id="bar")

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
        self.chronicle.reload(self._columns - BAR)
        shown = self.guide.shown
        if shown.is_asked_again and shown.title:
            self.guide.shown = replace(shown, lines=self.table.read(shown.title).lines)
        self._draw(anew=False)

    @property
    def _columns(self) -> int:
        return max(20, self.size.width - EDGES)

    def _draw(self, *, anew: bool = True) -> None:
        """Draw the party, the state of the table and the pending decisions at the point in sight.

        With `anew` the sheets of now are what later changes are compared with.
        """
        table, self._point_drawn = self.table, self.point
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
        self.draw_line()
        self._show_in_party()

    def follow(self) -> None:
        """Show what a key has come to: new turns, an answer, a question, another line."""
        if self.table.log.last() > self.chronicle.last_read:
            self.table.place = None
            self.chronicle.append_new(self._columns - BAR)
            self._draw()
        elif self.point != self._point_drawn:
            self._draw_point()
        else:
            self.draw_line()

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

    @reports_unreadable_log
    def draw_line(self) -> None:
        """Draw all that follows the keys: what waits or is asked, what is read, the slots, the list, the key bar."""
        guide, columns = self.guide, self._columns
        preview = guide.preview
        said = [Span(self.opening, "bold")] if self.opening else [Span(preview.text, KINDS[preview.kind])]
        # its rows are reserved, so that no key makes Textual lay out everything else; more go where no candidates are
        free = self._most_listed - len(guide.items) if self._is_list_open else 0
        rows = at_most(wrap(said, columns, 0), MOST_PREVIEW + max(0, free), columns)
        self.query_one("#preview", Static).update(rows_of(rows[:MOST_PREVIEW]), layout=False)
        opened = guide.asked.slot.key if guide.asked is not None else None
        guidance = guide.guidance
        if opened is None and guidance.open is not None:
            opened = guidance.slots[guidance.open].key
        verb = self.table.verb_of(guide.text) if guidance.slots and not guide.hides_line else ""
        slots = [slot_row(verb, guidance.slots, opened, columns)] if verb else []
        self.query_one("#slots", Static).update(rows_of(slots), layout=False)
        self._draw_list(rows[MOST_PREVIEW:])
        self._draw_waiting()
        self._draw_shown()
        self._share_rows()
        self._draw_bar()

    @property
    def _is_list_open(self) -> bool:
        guide = self.guide
        return bool(guide.text or guide.palette or guide.search is not None) and guide.question is None

    def _draw_list(self, above: Sequence[Line]) -> None:
        """Draw the candidates. Their rows are kept while something is typed, so that nothing moves with each key.

        `above` them stands what has no room in the rows of the preview.
        """
        guide, listed = self.guide, self.query_one("#list", Static)
        is_open, most = self._is_list_open, self._most_listed
        rows = [*above, *candidate_rows(guide.items, guide.chosen, most - len(above), self._columns)]
        listed.update(rows_of(rows), layout=False)
        if listed.display is not is_open:
            listed.display = is_open
        listed.styles.height = most

    @property
    def _most_listed(self) -> int:
        return max(3, min(MOST_LISTED, self.size.height - 16))

    def _draw_waiting(self) -> None:
        """Draw the open question, else the pending decisions behind the empty line, each answer with its key."""
        guide, columns = self.guide, self._columns
        rows: Sequence[Line] = ()
        if guide.question is not None:
            why: Line = [Span(guide.question.why, "bold")]
            rows = asked_rows(why, guide.question.choices, MOST_ASKED, columns)
        elif self.point is None and not self.query_one("#list", Static).display:
            decisions: list[Sequence[Line]] = [
                with_answers([Span(open_.why, "yellow")], open_.proposals, columns, brackets=("", ENTER))
                for open_ in self.table.proposals.waiting()
            ]
            if sealed := self.table.sealed():
                decisions.insert(0, [*wrap([Span(sealed, "bold")], columns, 0)])
            rows = first_of(decisions, MOST_WAITING)
        widget = self.query_one("#waiting", Static)
        widget.update(rows_of(rows))
        widget.display = bool(rows)

    def _draw_shown(self) -> None:
        """Draw the answer to be read below the chronicle; no lines hide it."""
        shown, answer = self.guide.shown, self.query_one("#answer", VerticalScroll)
        body, is_other = self.query_one("#answer-lines", Static), shown is not self._drawn
        if is_other:
            self._drawn = shown
            body.update(Text("\n").join(Text.from_ansi(line) for line in shown.lines))
            answer.display = bool(shown.lines)
            answer.border_title = rows_of([truncate([shown.title], self._columns - 2)]) if shown.title else None
            answer.scroll_home(animate=False)

    def _draw_bar(self) -> None:
        answer, body = self.query_one("#answer", VerticalScroll), self.query_one("#answer-lines", Static)
        keys = keys_of(
            self.guide,
            looks_back=self.point is not None,
            is_scrolled=answer.display and row_count(body) >= self.size.height // 2,
            in_chronicle=self.focused is self.chronicle,
        )
        self.query_one("#bar", Static).update(in_a_row(keys, self._columns), layout=False)

    def _share_rows(self) -> None:
        """Give the party the rows that the others leave, at most half of all; fewer while there is much to read.

        What is read takes all but the least of the party, unless a question is open, which is about the party too.
        """
        party, answer = self.query_one("#party", VerticalScroll), self.query_one("#answer", VerticalScroll)
        listed = self._most_listed if self.query_one("#list", Static).display else 0
        below = 3 + MOST_PREVIEW + listed  # with the slots, the line and the key bar
        around = row_count(self.query_one("#state", Static)) + row_count(self.query_one("#waiting", Static)) + below
        to_read = row_count(self.query_one("#answer-lines", Static)) + 1 if answer.display else 0
        to_spare = self.size.height // 2 if self.guide.question is not None else self.size.height - around - LEAST_PARTY
        middle = min(max(LEAST_MIDDLE, to_read), max(LEAST_MIDDLE, to_spare))
        most = max(LEAST_PARTY, min(self.size.height // 2, self.size.height - around - middle))
        party.styles.max_height = most
        lines = self.party(rows=most) or [[Span("Nobody is enrolled yet: enrol NAME …", "dim")]]
        self.query_one("#party-lines", Static).update(rows_of(lines))
        # a long answer would leave a turn or two of the chronicle, so it is hidden then
        remaining = self.size.height - around - min(most, row_count(self.query_one("#party-lines", Static)))
        self.chronicle.display = remaining - to_read >= LEAST_MIDDLE

    def go_to(self, point: int | None) -> None:
        """Show the table as it was after a turn (None: now), and scroll the chronicle there."""
        if point == self.point or self.guide.question is not None:
            return
        self.table.place = None if point is None else f"T{point}"
        self._draw_point()

    def _draw_point(self) -> None:
        """Draw the table at the point in sight, with the chronicle there."""
        point, chronicle = self.point, self.chronicle
        if not chronicle.holds(point):
            self.chronicle.reload(self._columns - BAR)
        if point is None:
            if self.focused is not chronicle:
                chronicle.to_the_end()
        elif chronicle.option_count and (row := chronicle.row_of(point)) is not None:
            chronicle.highlighted = row
        self._draw(anew=False)

    @reports_unreadable_log
    def look_for_others(self) -> None:
        """Append turns that somebody else recorded; after a failure, try to read the log again."""
        if not self.is_running:  # A table that is closing takes its screens away before it stops its timers.
            return
        self._follow_window(self.screen.size)
        if self.table.log.last() > self.chronicle.last_read:
            self.chronicle.append_new(self._columns - BAR)
            self._draw()
        if self.is_unread:
            self.is_unread = False
            self._lay_out()

    def unread(self, error: Exception) -> None:
        """Report that the log cannot be read now. Everything shown stays, and so does the line."""
        self.is_unread = True
        self.guide.said = (self.table.unread(error), "failed")
        rows = at_most(wrap([Span(self.guide.said[0], "bold red")], self._columns, 0), MOST_PREVIEW, self._columns)
        self.query_one("#preview", Static).update(rows_of(rows), layout=False)

    # -- keys, mouse wheel and clicks ----------------------------------------------------------------------

    def on_load(self) -> None:
        """Remember the loop before the terminal is taken."""
        self._loop_of_screen = asyncio.get_running_loop()

    def leave_for(self, number: int) -> None:
        """End for a signal, in which no more than this may be done: the terminal is restored by the loop."""
        if self._loop_of_screen is None:
            raise SystemExit(128 + number)
        if hasattr(signal, "alarm"):
            signal.alarm(LONGEST_END)
        self._loop_of_screen.call_soon_threadsafe(self.exit, 128 + number)

    async def takes(self, event: events.Key) -> bool:
        """Handle a key; whether it was taken. Keys are handled in their order, not as Textual's bindings."""
        self.opening = ""
        guide, line = self.guide, self.query_one(LineInput)
        if event.key.startswith("alt+"):  # what Esc and a character are that come at once
            await self.takes(events.Key("escape", None))
        elif event.character == "^" and not line.value:  # what an Esc is before many characters that come with it
            return True
        if event.key in ACTIONS:
            await self.run_action(ACTIONS[event.key])
            return True
        if guide.question is None and self._moves_among_turns(event.key):
            return True
        if self.focused is not line and guide.question is None and event.key not in ("f2", "f3", "escape", "ctrl+c"):
            return False
        guide.edited(line.value, line.cursor_position)
        try:
            is_taken = guide.press(event.key, event.character)
        except UNREAD as error:
            self.unread(error)
            return True
        line.follow(guide)
        if is_taken:
            self.screen.set_focus(line)
            self.follow()
        if guide.leaves:
            self.exit(0)
        return is_taken

    def _moves_among_turns(self, key: str) -> bool:
        """Do what a key does in the chronicle, or while looking back behind the empty line; false: nothing."""
        line, chronicle = self.query_one(LineInput), self.chronicle
        in_chronicle = self.focused is chronicle
        is_idle = not line.value and not self.guide.palette and self.guide.search is None
        if key in MOVES and (in_chronicle or (self.point is not None and is_idle)):
            self.move(MOVES[key])
        elif in_chronicle and key in ENTER_KEYS and chronicle.highlighted is not None:
            self._ask_about(chronicle.get_option_at_index(chronicle.highlighted))
        elif key == "tab" and in_chronicle:
            self.screen.set_focus(line)
            self.draw_line()
        elif key == "tab" and is_idle:
            self.screen.set_focus(chronicle)
            if chronicle.option_count:
                chronicle.highlighted = chronicle.row_of(self.point or self.table.log.last())
            self.draw_line()
        else:
            return False
        return True

    @on(Input.Changed)
    @reports_unreadable_log
    def follow_typing(self) -> None:
        """Show what a line comes to that was typed, or pasted."""
        line = self.query_one(LineInput)
        self.guide.edited(line.value, line.cursor_position)
        self.draw_line()

    def type(self, text: str) -> None:
        """Insert in the line what was typed while another widget had the focus."""
        line = self.query_one(LineInput)
        self.screen.set_focus(line)
        if self.guide.press(text, text):
            line.follow(self.guide)
            self.follow()
        else:
            line.follow(self.guide)
            line.replace(text, *sorted(line.selection))

    @reports_unreadable_log
    def paste(self, lines: Sequence[str], *, whole: bool) -> None:
        """Do pasted lines in order."""
        line = self.query_one(LineInput)
        self.guide.edited(line.value, line.cursor_position)
        self.guide.paste(lines, whole=whole)
        line.follow(self.guide)
        self.follow()

    @on(OptionList.OptionSelected)
    def take_turn(self, event: OptionList.OptionSelected) -> None:
        """A click on a turn opens its menu."""
        if self.guide.question is None:
            self._ask_about(event.option)

    @reports_unreadable_log
    def _ask_about(self, option: Option) -> None:
        if option.id is not None:
            self.guide.ask_about(int(option.id[1:]))
            line = self.query_one(LineInput)
            line.follow(self.guide)
            self.screen.set_focus(line)
            self.follow()

    @on(OptionList.OptionHighlighted)
    @reports_unreadable_log
    def look_at_turn(self, event: OptionList.OptionHighlighted) -> None:
        """Show the sheets of the turn that is highlighted in the chronicle."""
        chronicle = self.chronicle
        # the event is outdated if the highlight has moved on since
        if event.option.id is not None and self.focused is chronicle and chronicle.highlighted == event.option_index:
            turn = int(event.option.id[1:])
            self.go_to(turn if turn < self.table.log.last() else None)

    @reports_unreadable_log
    def move(self, turns: int) -> None:
        """Move the point in sight by so many turns; the last turn is now."""
        last = self.table.log.last()
        to = max(1, (last if self.point is None else self.point) + turns)
        self.go_to(to if to < last else None)

    def action_page(self, step: int) -> None:
        """Scroll the answer by a page if one is shown, else move by half as many turns as there are rows."""
        answer = self.query_one("#answer", VerticalScroll)
        if answer.display:
            answer.scroll_relative(y=step * max(1, answer.size.height - 1), animate=False)
        else:
            self.move(step * max(1, self.chronicle.size.height // 2))

    def action_leave(self) -> None:
        """Leave the table, unless lines that were not done are to be seen first."""
        self.guide.leave()
        self.query_one(LineInput).follow(self.guide)
        self.follow()
        if self.guide.leaves:
            self.exit(0)
