"""What keys, mouse wheel and clicks do on the table's screen."""

import asyncio
import signal
from collections.abc import Sequence

from textual import events, on
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from cli.table.screen import TableScreen, reports_unreadable_log
from cli.table.table import UNREAD
from cli.table.widgets import LineInput

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


class PlayApp(TableScreen):
    """One campaign on one screen."""

    #: the loop that draws, once there is one
    _loop_of_screen: asyncio.AbstractEventLoop | None = None

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
        self.exit(0)
