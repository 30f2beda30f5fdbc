"""What keys, mouse wheel and clicks do on the table's screen."""

from collections.abc import Sequence
from time import monotonic

from textual import events, on
from textual.containers import VerticalScroll
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from cli.line.words import quote
from cli.table.replies import Reply
from cli.table.screen import TableScreen, reports_unreadable_log
from cli.table.widgets import LineInput
from cli.terminal.screen import safe

#: The action of each key that is not typed text. They are handled in the order of the keys, not as Textual bindings:
#: those run beside the input, and with fast typing Enter would take the beginning of the next line with it.
ACTIONS = {
    "pageup": "page(-1)",
    "pagedown": "page(1)",
    "tab": "go_on",
    "escape": "clear",
    "ctrl+c": "clear",
    "up": "step(-1)",
    "down": "step(1)",
    "f2": "hide",
    "f3": "sheet",
    "ctrl+d": "leave",
    "enter": "enter",
    # Enter as the terminal sends it before the screen is set up
    "ctrl+j": "enter",
}
#: Seconds after which a key answers a question by itself, if nothing is typed behind it.
HELD = 0.7
#: Keys that take back what was typed at a question, each with how much of it stays.
TAKES_BACK = {"ctrl+u": 0, "backspace": -1}


class PlayApp(TableScreen):
    """One campaign on one screen."""

    def action_enter(self) -> None:
        """Enter: do the line; on a turn of the chronicle open the menu of that turn."""
        text, chronicle = self.query_one(LineInput).value.strip(), self.chronicle
        if self.choices is not None:
            self._enter_at_question()
            return
        if self.focused is chronicle and chronicle.highlighted is not None:
            self._ask_about(chronicle.get_option_at_index(chronicle.highlighted))
            return
        if not text:
            if self.point is not None:
                self._apply(self.table.ask_about(self.point))
            return
        if text in self.keys and self.point is None and (reply := self.table.pick(text)) is not None:
            self._apply(reply)
            return
        text = "help" if text == "?" else text
        if not self.mask.all and self.table.unseen_from(text) is None:
            self.history.append(text)
        self._remember_left(text)
        self.recall_index = len(self.history)
        reply = self.table.answer(text, after=self._place)
        if reply.code and not reply.leaves:
            self._show_left()
            self.left = ()  # said once with a reply: beside a later one it would be about another question
            self._notice(" ".join(reply.lines), "bold red")
            line = self.query_one(LineInput)
            # a changed line is previewed later, which would take the place of the notice
            with line.prevent(Input.Changed):
                line.keep(line.value if reply.begins is None else reply.begins)
            self.show_ways()
            return
        self._apply(reply, text)

    def _remember_left(self, text: str) -> None:
        """Keep the line whose question was left for another one latest, so that one key brings it back."""
        if text == self.left_line:
            self.left, self.left_line = (), ""
        elif self.left_line:
            self.history.append(self.left_line)

    def _enter_at_question(self) -> None:
        """Enter at a question: give the answer that was typed, or read what was asked for; anything else is kept."""
        text, reading = self.text_at_question.strip(), None
        if text not in self.question_keys:
            reading = self.table.read(text)
        answer = self.choices.answered_by(text) if self.choices is not None and reading is None else None
        if answer is not None:
            self._apply(self.table.choose(answer.key))
        elif reading is None and (key := self.table.key_for_words(text)) is not None:
            self._answer_in_words(key, text)
        elif reading is None and " " in text and not (self.table.is_reading(text) or self.table.takes_back(text)):
            self._leave_for_line(text)
        elif reading is None:
            self.text_gives_way = bool(text)
            self._preview()
        elif reading.leaves:
            self.exit(0)
        else:
            self.text_at_question, self.reads_meanwhile = "", True
            is_unseen = self.choices is not None and self.choices.unseen
            self._show(reading.lines, "" if is_unseen else text)
            self._preview()

    def paste(self, lines: Sequence[str], *, whole: bool) -> None:
        """Do pasted lines in order; the last one is only typed, unless it is `whole`.

        Stops at the first line that is refused or asks a question, and shows the lines that are left.
        """
        line = self.query_one(LineInput)
        for at, text in enumerate(lines):
            self.type(text)
            if at == len(lines) - 1 and not whole:
                break
            self.action_enter()
            remaining = lines[at + 1 :]
            if remaining and (line.value or self.choices is not None):
                title = f"{len(remaining)} of the pasted lines {'is' if len(remaining) == 1 else 'are'} not done"
                self._show([safe(line_left) for line_left in remaining], title)
                break

    @reports_unreadable_log
    def _apply(self, reply: Reply, text: str = "") -> None:
        """Show the reply to a line or a key: new turns, an answer to read, a question, or the line to be completed."""
        if reply.leaves:
            self.exit(0)
            return
        asked_before = self.choices is not None
        self.choices, self.text_at_question, self.text_gives_way, self.reads_meanwhile = reply.choices, "", False, False
        self.question_of_line = reply.asks
        is_new = self.table.log.last() > self.chronicle.last_read
        notice = reply.notice
        lines_left = self._left_rows
        self._show_left()
        if is_new:
            self.point = None
            self._append_new_turns()
        elif asked_before and len(reply.lines) == 1:
            (notice,) = reply.lines
        elif reply.lines:
            # a preview stays only as long as its question
            self._show(
                (*lines_left, *reply.lines), text, question=text if reply.choices is None and not lines_left else ""
            )
        if reply.choices is None:
            self.left, self.left_line = (), ""
        self.lines_of_question = (reply.lines, text) if reply.choices is not None else ((), "")
        line = self.query_one(LineInput)
        # a changed line is previewed later, which would take the place of the notice
        with line.prevent(Input.Changed):
            if reply.begins is not None:
                self._empty(reply.begins)
            elif reply.choices is None or is_new:
                self._empty()
        self.screen.set_focus(line)
        self._draw()
        self._preview()
        if notice:
            self._notice(notice)

    def _empty(self, text: str = "") -> None:
        line = self.query_one(LineInput)
        self.mask.all = False
        line.value = text
        line.cursor_position = len(text)

    def type(self, text: str) -> None:
        """Insert in the line what was typed while another widget had the focus."""
        line = self.query_one(LineInput)
        self.screen.set_focus(line)
        if text == " " and line.gives_way and line.take_up(text):
            return
        line.replace(text, *sorted(line.selection))

    async def takes(self, event: events.Key) -> bool:
        """Handle a key; whether it was taken. A question takes every key with a character.

        A key that answers does so after a moment, or at once with Enter. What is typed on begins a text, and a space
        behind that makes a line of it and leaves the question, unless it is one that only reads, an answer of several
        words, or one in somebody's own words: who types `3 damage to brog` has not seen the question.
        """
        is_late, self.enter_is_late_until = monotonic() < self.enter_is_late_until, 0.0
        if is_late and ACTIONS.get(event.key) == "enter":
            return True
        if event.key in ACTIONS:
            await self.run_action(ACTIONS[event.key])
            return True
        key = event.character
        if self.choices is not None:
            if self.text_gives_way and key is not None and key.isprintable() and not key.isspace():
                self.text_at_question = ""
            self.text_gives_way = False
            if not self.text_at_question and key in self.question_keys:
                self._hold(str(key))
            elif key == " " and self.text_at_question:
                self._type_at_question(f"{self.text_at_question} ")
            elif event.key in TAKES_BACK:
                self.text_at_question = self.text_at_question[: TAKES_BACK[event.key]]
                self._preview()
            elif key is not None and key.isprintable() and not key.isspace():
                self._type_at_question(self.text_at_question + key)
            return key is not None  # keys without a character still edit the line
        return False

    def _hold(self, key: str) -> None:
        """Answer the question with a key if nothing is typed behind it for a moment.

        Enter that comes right behind the moment was meant for the answer.
        """
        self.text_at_question, question = key, self.choices
        self._preview()
        if self.answer_timer is not None:
            self.answer_timer.stop()

        def answer() -> None:
            self.answer_timer = None
            if self.is_running and self.choices is question and self.text_at_question == key:
                self.enter_is_late_until = monotonic() + HELD
                self._enter_at_question()

        self.answer_timer = self.set_timer(HELD, answer)

    def _type_at_question(self, text: str) -> None:
        """Go on with what is typed at a question: it stays open for one word, a line that only reads, and an answer."""
        may_answer = self.choices is not None and self.choices.may_become_answer(text)
        if " " not in text or may_answer or self.table.is_reading(text) or self.table.takes_back(text):
            self.text_at_question = text
            self._preview()
        elif (key := self.table.key_for_words(text)) is not None:
            self._answer_in_words(key, text)
        else:
            self._leave_for_line(text)

    def _answer_in_words(self, key: str, text: str) -> None:
        """Answer the question with this key, and go on with the line that it begins by what was typed."""
        self._apply(self.table.choose(key))
        line = self.query_one(LineInput)
        self._empty(f"{line.value}{text}")

    @on(OptionList.OptionSelected)
    def take_turn(self, event: OptionList.OptionSelected) -> None:
        """A click on a turn opens its menu."""
        if self.choices is None:
            self._ask_about(event.option)

    def _ask_about(self, option: Option) -> None:
        if option.id is not None:
            self._apply(self.table.ask_about(int(option.id[1:])))

    @on(OptionList.OptionHighlighted)
    @reports_unreadable_log
    def look_at_turn(self, event: OptionList.OptionHighlighted) -> None:
        """Show the sheets of the turn that is highlighted in the chronicle."""
        chronicle = self.chronicle
        # the event is outdated if the highlight has moved on since
        if event.option.id is not None and self.focused is chronicle and chronicle.highlighted == event.option_index:
            turn = int(event.option.id[1:])
            self._go_to(turn if turn < self.table.log.last() else None)

    def _go_to(self, point: int | None) -> None:
        """Show the table as it was after a turn (None: now), and scroll the chronicle there."""
        if point == self.point or self.choices is not None:
            return
        self.point = point
        chronicle = self.chronicle
        if not chronicle.holds(point):
            self._reload_chronicle()
        if point is None:
            if self.focused is not chronicle:
                chronicle.to_the_end()
        elif chronicle.option_count and (row := chronicle.row_of(point)) is not None:
            chronicle.highlighted = row
        self._draw()
        self._preview()

    @reports_unreadable_log
    def move(self, turns: int) -> None:
        """Move the point in sight by so many turns; the last turn is now."""
        last = self.table.log.last()
        to = max(1, (last if self.point is None else self.point) + turns)
        self._go_to(to if to < last else None)

    def action_page(self, step: int) -> None:
        """Scroll the answer by a page if one is shown, else move by half as many turns as there are rows."""
        if self._reads:
            answer = self.query_one("#answer", VerticalScroll)
            answer.scroll_relative(y=step * max(1, answer.size.height - 1), animate=False)
            return
        self.move(step * max(1, self.chronicle.size.height // 2))

    @reports_unreadable_log
    def action_go_on(self) -> None:
        """Tab: insert the only completion; in an empty line, move the focus to the chronicle and back."""
        line, chronicle = self.query_one(LineInput), self.chronicle
        if self.choices is not None:
            return
        if self.focused is not line:
            self.screen.set_focus(line)
            self._hint()
            return
        if not line.value:
            self.screen.set_focus(chronicle)
            if chronicle.option_count:
                chronicle.highlighted = chronicle.row_of(self.point or self.table.log.last())
            self._hint()
            return
        completions = self.table.completions(line.value, line.cursor_position)
        if len(completions.ways) == 1:
            completion = completions.ways[0]
            gap = "" if completion.open else " "
            line.value = line.value[: completions.start] + completion.as_word + gap + line.value[completions.end :]
            line.cursor_position = completions.start + len(completion.as_word) + len(gap)

    def _leave_for_line(self, text: str) -> None:
        """Leave the question, and say so, for a line typed by somebody who has not seen it."""
        if self.choices is not None:
            self.left = (*self.left, safe(self.choices.left))
            self.left_line = self.choices.line if self.choices.line in self.history else ""
        self._leave_question()
        self.screen.set_focus(self.query_one(LineInput))
        self._draw(anew=False)
        self._show_left()
        self._empty(text)

    def _leave_question(self) -> None:
        """Leave the question unanswered; the line that led to it stays."""
        self.table.leave()
        self.choices, self.text_at_question, self.text_gives_way, self.reads_meanwhile = None, "", False, False
        self._close()
        line = self.query_one(LineInput)
        line.keep(line.value)

    def action_clear(self) -> None:
        """Drop what is read at a question, else the question, else the line, else the answer, else the look back."""
        line = self.query_one(LineInput)
        if self.choices is not None and self.reads_meanwhile:
            self.reads_meanwhile = False
            self._show(*self.lines_of_question)
        elif self.choices is not None:
            self._leave_question()
        elif line.value:
            self._empty()
        elif self._reads:
            self.left, self.left_line = (), ""
            self._close()
        else:
            self._go_to(None)
            self.chronicle.to_the_end()
        self.screen.set_focus(line)
        self._draw(anew=False)
        self._preview()

    def action_step(self, step: int) -> None:
        """Recall an earlier line; in the chronicle, and while looking back, move by a turn."""
        line = self.query_one(LineInput)
        if self.choices is not None:
            return
        if self.focused is not line or (self.point is not None and not line.value):
            self.move(step)
            return
        self.recall_index = min(max(0, self.recall_index + step), len(self.history))
        self._empty(self.history[self.recall_index] if self.recall_index < len(self.history) else "")

    def action_hide(self) -> None:
        """Toggle hiding everything that is typed."""
        self.mask.all = not self.mask.all
        self.query_one(LineInput).refresh()

    def action_sheet(self) -> None:
        """Show the sheet of whose turn it is, or of an own character; pressed again, that of the next one."""
        names = self.table.audience.own_characters()
        if not names:
            return
        following = names.index(self.sheet) + 1 if self._reads and self.sheet in names else 0
        self.sheet = names[following % len(names)]
        line = " ".join(["status", quote(self.sheet), *(("--at", self._place) if self._place else ())])
        reading = self.table.read(line)
        if reading is not None:
            self.reads_meanwhile = self.choices is not None
            self._show(reading.lines, line, question="" if self.reads_meanwhile else line)

    def action_leave(self) -> None:
        self.exit(0)
