"""What keys, wheel and clicks do on the screen of the table."""

from collections.abc import Sequence

from textual import events, on
from textual.containers import VerticalScroll
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from cli.table.layout import keys_told
from cli.table.replies import Reply
from cli.table.screen import TableScreen, if_the_log_is_read
from cli.table.widgets import Chronicle, LineInput
from cli.terminal.screen import safe

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


class PlayApp(TableScreen):
    """One campaign on one screen."""

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

    @if_the_log_is_read
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
    @if_the_log_is_read
    def look_at_turn(self, event: OptionList.OptionHighlighted) -> None:
        """The sheets follow the turn that one is at in the chronicle."""
        listed = self.query_one(Chronicle)
        # where one went on meanwhile, what is told of the way there is over
        if event.option.id is not None and self.focused is listed and listed.highlighted == event.option_index:
            turn = int(event.option.id[1:])
            self._go_to(turn if turn < self.table.log.last() else None)

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

    @if_the_log_is_read
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

    @if_the_log_is_read
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
