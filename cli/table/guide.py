"""What each key does while a line is typed: candidates, slots, palette, questions, and the line when it is finished.

Nothing here knows a screen: keys come in, and what is to be shown is read from the attributes.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cli.line.guiding import Candidate, Guidance, begins_so, matching
from cli.line.trials import ANY_TEXT
from cli.line.words import quote
from cli.table.help import key_lines
from cli.table.replies import Enter, KeyChoice, KeyQuestion, LinePreview, Reply
from cli.table.slots import OpenSlot, open_slot, wanted_slot, what_is_wrong, with_answer
from cli.table.table import OpenTable
from cli.terminal.screen import safe
from domain.naming import ended, key_of

#: Said where no candidate has the letters that were typed.
NOTHING_CALLED_SO = "Nothing here has these letters; Esc goes back."
#: Said where Ctrl-C has nothing to go back from.
HOW_TO_LEAVE = "Ctrl-D or quit leaves the table."
#: Said where somebody leaves and lines were not done.
UNDONE = "Not all lines are done; Ctrl-D or quit again leaves."
#: Said of a line that F2 hides.
HIDDEN = "What you type is hidden; F2 shows it."
#: Said of a key over a question, and of a line that is typed over it.
NO_ANSWER, LINE_WAITS = "That key is no answer.", "This line waits for the answer: Enter keeps it, Esc drops it."
#: Stands for what a line says about cards that lie face down.
UNSEEN = "••••"
#: Letters with which an answer may be begun.
LEAST_OF_AN_ANSWER = 3
IN_QUOTES = " In quotes it is the answer."


class Shown(Struct, frozen=True):
    """An answer to read: its lines, what was asked, and whether it is asked again for another width."""

    lines: tuple[str, ...] = ()
    title: str = ""
    is_asked_again: bool = False


class Before(Struct, frozen=True):
    """What Esc goes back to: the line before something was taken or asked for, without what was typed for that."""

    text: str
    cursor: int
    palette: bool = False
    asked: OpenSlot | None = None
    #: whether it is a whole line, so that what is typed next replaces it
    gives_way: bool = False
    #: the optional fields that the line was to do without
    left_out: frozenset[str] = frozenset()
    #: the line as something that was taken before had left it
    taken: str = ""


class Guide:
    """The line that is typed at one table, and all that leads to it."""

    def __init__(self, table: OpenTable) -> None:
        self.table = table
        self.text, self.cursor = "", 0
        self.history: list[str] = []
        self._recalled = 0
        #: the question that a digit answers
        self.question: KeyQuestion | None = None
        #: the line that it is about, while another one is typed over it; None: none is
        self._asked_about: str | None = None
        self._has_just_answered = False
        #: the slot that is asked for
        self.asked: OpenSlot | None = None
        #: the optional fields that the line was to do without
        self._left_out = frozenset[str]()
        #: whether the palette is open; and what is searched for among the lines typed before, None: nothing
        self.palette = False
        self.search: str | None = None
        #: the candidate that arrows or Tab chose, as its index; None: none
        self._pointed: int | None = None
        #: what is said until the next key, and whether it is a failure
        self.said: tuple[str, Literal["", "failed"]] = ("", "")
        #: whether the line was not done, and the next character replaces it
        self.gives_way = False
        self.shown = Shown()
        #: whether all that is typed is hidden
        self.hides = False
        self.leaves = False
        self._steps: list[Before] = []
        #: the line as something that was taken left it
        self._taken = ""
        #: lines that were typed too early, where an answer was asked for; and whether one of them is being done
        self._early: list[str] = []
        self._is_early = False
        #: pasted lines that are still to be done, and what is only typed behind them
        self._pasted: list[str] = []
        self._behind_pasted = ""
        #: these as they are shown
        self._waiting = Shown()
        #: how many lines were not done when it was said so to somebody who leaves
        self._left_undone = 0
        #: lines that were not done, and over which others were typed
        self._not_done: list[str] = []
        self._sheet = ""
        #: the line that was not done last
        self._failed = ""
        #: the words that the line was shown with before it is done
        self._words_shown = ""
        self._known: tuple[object, tuple[Guidance, list[Candidate]]] | None = None
        self._foreseen: tuple[object, tuple[LinePreview, tuple[str, int]]] | None = None

    # -- what is to be shown -------------------------------------------------------------------------------

    @property
    def guidance(self) -> Guidance:
        """The slots of the line, and what may stand at the cursor."""
        return self._looked_up()[0]

    @property
    def items(self) -> list[Candidate]:
        """What may be chosen now, narrowed by what is typed."""
        return [] if self.question is not None or self.hides_line else self._looked_up()[1]

    def _looked_up(self) -> tuple[Guidance, list[Candidate]]:
        """Both, as long as nothing changes that they depend on."""
        at = (self.text, self.cursor, self.table.place, self.palette, self.search, self.asked, self.table.log.last())
        if self._known is None or self._known[0] != at:
            guidance = self.table.guide(self.text, self.cursor) if self.search is None else Guidance()
            self._known = at, (guidance, self._items(guidance))
        return self._known[1]

    def _items(self, guidance: Guidance) -> list[Candidate]:
        text = self.text
        if self.search is not None:
            lines = (line for line in reversed(self.history) if self.search.casefold() in line.casefold())
            return [Candidate(line) for line in dict.fromkeys(lines)]
        if self.palette:
            return matching(text[: self.cursor], self.table.palette())
        if self.asked is not None:
            values = (
                replace(value, help="") if value.help == self.asked.help else value for value in self.asked.values
            )
            return matching(text[self.asked.place : self.cursor], values)
        if not text.strip():
            return []
        return list(guidance.candidates)

    @property
    def chosen(self) -> int | None:
        """The index of the candidate that Enter or Space takes; None: none."""
        items = self.items
        if self._pointed is not None and items:
            return min(self._pointed, len(items) - 1)
        is_led = self.palette or self.search is not None
        is_answered = self.asked is not None and self.asked.is_closed and not self._leaves_out
        is_typed = bool(self._answer.strip())  # nobody dies of an Enter too many
        return 0 if items and (is_led or is_answered) and (is_typed or not items[0].is_grave) else None

    @property
    def _leaves_out(self) -> bool:
        """Whether Enter leaves out the field that is asked for."""
        return self.asked is not None and self.asked.is_optional and not self._answer.strip()

    @property
    def hides_line(self) -> bool:
        """Whether all of the line is hidden: by F2, or as the answer to a secret question."""
        return self.hides or (self.types_over and self.question is not None and self.question.unseen)

    @property
    def types_over(self) -> bool:
        """Whether a line is typed over an open question."""
        return self._asked_about is not None

    @property
    def typed_answer(self) -> KeyChoice | None:
        """The answer that is typed over the open question, by its letter or in words; None: a line is."""
        if self.question is None or not self.types_over:
            return None
        text = self.text.strip()
        is_word = len(text) >= LEAST_OF_AN_ANSWER and not self.table.is_line(text)
        return self.question.meant_by(text) if is_word else self.question.called(text)

    @property
    def typed_words(self) -> str:
        """What is typed over a question for words: neither another of its answers nor a line; "" where nothing is."""
        text = self.text.strip()
        is_open = self.question is not None and self.question.words and self.types_over
        return text if is_open and self.typed_answer is None and not self.table.is_line(text) else ""

    @property
    def line_too_early(self) -> str:
        """The line of its own that is typed where an answer is asked for, and waits for that; "" where none is."""
        text, asked = self.text, self.asked
        if self.question is not None:
            return text.strip() if self.types_over and self.typed_answer is None and not self.typed_words else ""
        if asked is None:
            more = text.removeprefix(begun).strip() if (begun := self._begun) and text.startswith(begun) else ""
            return more if self.table.is_line(more) else ""
        answer = self._answer.strip()
        is_value = bool(self.items) if asked.is_closed else answer in (value.text for value in asked.values)
        return "" if is_value or not self.table.is_line(answer) else answer

    @property
    def _begun(self) -> str:
        """The line as it is to be completed, or as what was taken has completed it; "" where it is typed freely."""
        taken = self._taken
        is_whole = bool(taken.strip()) and self.text != taken and self.table.preview(taken).kind == "would"
        return self.table.beginning() or (taken if is_whole else "")

    @property
    def preview(self) -> LinePreview:
        """What is said of the line: what was just said, what a key answers, what is asked for, or what it would do."""
        words, kind = self.said
        if words:
            said = f"{ended(words)} {self._lines_not_done}" if self._not_done else words
            return LinePreview(said, "refused" if kind == "failed" else "nothing")
        if self.hides_line and self.text:
            return LinePreview(HIDDEN)
        if self.question is not None and not self.types_over:
            count = len(self._to_do)
            waits = f"{count} {'line waits' if count == 1 else 'lines wait'} for the answer. " if count else ""
            return LinePreview(f"{waits}{self.question.prompt}")
        if self.line_too_early:
            quoted = self.question is None and (self.asked is None or not self.asked.is_closed)
            return LinePreview(f"{LINE_WAITS}{IN_QUOTES if quoted else ''}")
        if self.question is not None:
            answers = self.typed_words or (self.typed_answer.says if self.typed_answer is not None else "")
            return LinePreview(f"Enter answers: {answers}")
        if self.search is not None:
            return LinePreview(f"Lines typed before with: {self.search}")
        if self.palette:
            return LinePreview("" if self.items else NOTHING_CALLED_SO, "missing")
        preview = self._previewed
        if self.asked is not None and self._leaves_out:
            return LinePreview(f"{self.asked.question}. {preview.text}", "missing")
        if self.asked is not None and preview.kind != "would":
            return LinePreview(self.asked.question, "missing")
        if preview.is_early and self.items:
            return LinePreview()  # it may become one of these
        if self._not_done and not self.text:
            return LinePreview(self._lines_not_done)
        if self.table.place is not None and preview.enter in ("records", "draws", "asks", "looks back"):
            return LinePreview(f"late entry, after {self.table.place}: {preview.text}", "would")
        return preview

    @property
    def _lines_not_done(self) -> str:
        """The lines that were not done, as they were typed; "" where there is none."""
        lines = list(dict.fromkeys(self._not_done))
        keys = "↑ brings it back, Esc forgets it." if len(lines) == 1 else "↑ brings one back, Esc forgets them."
        return f"Not done: {'; '.join(lines)}. {keys}" if lines else ""

    @property
    def _previewed(self) -> LinePreview:
        """What the line would do with the answer that is typed for a slot."""
        return self._foresee()[0]

    def _foresee(self) -> tuple[LinePreview, tuple[str, int]]:
        """The preview, and the line with the answer filled in; worked out once per key."""
        is_doubted = bool(self._not_done)
        at = (self.text, self.cursor, self.table.place, self.asked, self.table.log.last(), is_doubted)
        if self._foreseen is None or self._foreseen[0] != at:
            self.table.doubt(is_doubted=is_doubted)
            line, end = self.text, self.cursor
            if self.asked is not None and self._answer.strip():
                line, end = with_answer(self.table, self._without_answer, self.asked, self._answer.strip())
            self._foreseen = at, (self.table.preview(line), (line, end))
        return self._foreseen[1]

    @property
    def enter(self) -> Enter:
        """What Enter does with what stands in the line, where no candidate is chosen."""
        if self.line_too_early:
            return "waits"
        if self.asked is None:
            return self._previewed.enter
        if not self._answer.strip() and not self._leaves_out:
            return ""
        if self._shows_words_first:
            return "goes on"
        left_out = self._left_out | ({self.asked.slot.key} if self._leaves_out else set())
        is_done = self._previewed.kind == "would"
        goes_on = is_done and wanted_slot(self.table, self._with_answer[0], left_out) is not None
        return "goes on" if goes_on else self._previewed.enter

    @property
    def goes_back(self) -> bool:
        """Whether Esc gives back what was taken or asked for; else it clears the line."""
        is_led = self.palette or self.search is not None or self.asked is not None
        return bool(self._steps) and (is_led or self.text == self._taken)

    @property
    def replaced_from(self) -> int:
        """The index from which on what is typed next replaces the line that was not done: at the refused answer."""
        if self.asked is None and self.shows_words:
            return len(self.text) - len(self._words_shown)
        return self.asked.place if self.asked is not None else 0

    @property
    def waits(self) -> bool:
        """Whether pasted lines that are still to be done are what is read."""
        return bool(self.shown.lines) and self.shown is self._waiting

    # -- keys ----------------------------------------------------------------------------------------------

    def press(self, key: str, character: str | None = None) -> bool:
        """Do what a key does here; false: it edits the line, and `edited` is told what that comes to."""
        last = self.table.log.last()
        is_taken = self._press(key, character)
        if self._to_do and self.table.log.last() > last:
            self._go_on()
        self._list_pasted()
        return is_taken

    def _press(self, key: str, character: str | None) -> bool:
        self.said, self._foreseen = ("", ""), None
        has_just_answered, self._has_just_answered = self._has_just_answered, False
        if self.question is not None and key not in ("f2", "f3"):
            return self._press_at_question(self.question, key, character)
        if has_just_answered and key in ("enter", "ctrl+j"):
            return True  # of whoever presses Enter behind an answer, and then types the next line
        does: Callable[[], None] | None = {
            "enter": self._enter,
            "ctrl+j": self._enter,
            "escape": self.back,
            "ctrl+c": self._interrupt,
            "tab": lambda: self._point(1),
            "shift+tab": lambda: self._point(-1),
            "down": lambda: self._down(1),
            "up": lambda: self._down(-1),
            "ctrl+p": self._open_palette,
            "ctrl+r": self._open_search,
            "f2": self._hide,
            "f3": self._show_sheet,
        }.get(key)
        if does is not None:
            if key not in ("escape", "ctrl+c", "f2", "f3"):
                self.gives_way = False
            does()
            return True
        if character == "?" and self._explains():
            return True
        if self.search is not None:
            return self._press_in_search(key, character)
        if character == " " and self._takes_with_a_space:
            is_led = self.asked is not None or self.palette
            self._take()
            if is_led:
                self._ask(leads=True)
            return True
        if self.gives_way:
            self.gives_way = False
            if character is not None and character.isprintable() and not character.isspace():
                self._forgo()
                self._write(self._without_answer or self.text[: self.replaced_from], self.replaced_from)
                if not self.text:
                    self._forget()
            elif character == " ":
                self._write(f"{self.text.rstrip()} ")
                return True
        if character is not None and self._ends_a_stray_number(character):
            self._write("")
        return False

    def _ends_a_stray_number(self, character: str) -> bool:
        """Whether a letter begins a line behind a digit for a question that did not come, as nothing begins so."""
        if self.asked is not None or not (self.text.isdecimal() and character.isalpha()):
            return False
        begun = f"{self.text}{character}"
        return not self.table.guide(begun, len(begun)).candidates

    def edited(self, text: str, cursor: int) -> None:
        """Follow what was typed, pasted, or moved to."""
        if (text, cursor) == (self.text, self.cursor):
            return
        if self.types_over and not text:
            self._leave_line_over_question()
            return
        is_changed = text != self.text
        is_left = bool(self.text.strip()) and not text.strip() and not self.palette and self.search is None
        self.text, self.cursor = text, cursor
        if is_changed:
            self._pointed, self.gives_way = None, False
            self._recalled = len(self.history)
        is_before_answer = self.asked is not None and cursor < self.asked.place
        if is_before_answer:
            self.asked = None
        if is_before_answer or is_left:
            self._forget()
            self._leave_early()
        if self.palette and not self.items and self.table.is_line(text):
            self.palette = False  # the line was typed too early for the list

    def _forget(self) -> None:
        """Nothing lingers from a line that was left."""
        self._steps.clear()
        self._left_out, self._taken = frozenset(), ""

    def _remember(
        self,
        text: str,
        cursor: int,
        *,
        palette: bool = False,
        asked: OpenSlot | None = None,
        gives_way: bool = False,
    ) -> None:
        """Let Esc go back to this."""
        self._steps.append(Before(text, cursor, palette, asked, gives_way, self._left_out, self._taken))

    def _write(self, text: str, cursor: int | None = None) -> None:
        self.text, self.cursor = text, len(text) if cursor is None else cursor
        self._pointed = None

    @property
    def _answer(self) -> str:
        """What is typed for the slot that is asked for."""
        return self.text[self.asked.place : self.cursor] if self.asked is not None else ""

    @property
    def _with_answer(self) -> tuple[str, int]:
        """The line with what is typed for the slot that is asked for in its place, and the index behind it."""
        return self._foresee()[1]

    @property
    def _without_answer(self) -> str:
        """The line without what is typed for the slot that is asked for; "" where none is."""
        return f"{self.text[: self.asked.place]}{self.text[self.cursor :]}" if self.asked is not None else ""

    @property
    def _takes_with_a_space(self) -> bool:
        """Whether a space takes the choice: one that was pointed at, or the verb that is begun in the palette."""
        if self.chosen is None or self._pointed is not None or not self.palette:
            return self.chosen is not None and self._pointed is not None
        typed, item = self.text[: self.cursor], self.items[self.chosen]
        goes_on = any(key_of(other.text).startswith(f"{key_of(typed)} ") for other in self.items)
        return not goes_on and (typed == item.short or begins_so(item.text, typed))

    def _press_at_question(self, question: KeyQuestion, key: str, character: str | None) -> bool:
        """Answer with a digit; a letter begins a line, which is done once the question is answered."""
        is_printable = character is not None and character.isprintable() and not character.isspace()
        if self._asked_about is not None:
            return self._press_over_question(key)
        if key in ("escape", "ctrl+c"):
            self.table.leave()
            self.question, self.shown = None, Shown()
            self.gives_way = bool(self.text)
            self._leave_early()
        elif (choice := question.choice_of(str(character))) is not None and choice.answers_at_once:
            self._answer_question(choice.key)
        elif is_printable and str(character).isdecimal() and question.number:
            self._apply(self.table.choose(question.number))
            return self.press(key, character)
        elif is_printable and (choice is not None or not str(character).isdecimal()):
            if question.is_menu:
                self.question, self.table.place = None, None
            else:
                self._asked_about = self.text
            self._write("")
            return False
        elif character is not None:
            self.said = (f"{NO_ANSWER} {question.prompt}", "failed")
        return True

    def _press_over_question(self, key: str) -> bool:
        if key in ("enter", "ctrl+j"):
            answer, line, words = self.typed_answer, self.line_too_early, self.typed_words
            self._leave_line_over_question()
            if words and self.question is not None:
                self._apply(self.table.choose(self.question.words))
                self._write(f"{self.text.rstrip()} {words}")
                self._show_words(words)
            elif answer is not None:
                self._answer_question(answer.key)
            elif self.question is not None and self.question.unseen and not self.table.is_line(line):
                self.said = (f"That is no answer. {self.question.prompt}", "failed")  # and is not to be seen either
            else:
                self._early.append(line)
        elif key in ("escape", "ctrl+c"):
            self._leave_line_over_question()
        else:
            return key in ("tab", "shift+tab", "down", "up", "ctrl+p", "ctrl+r")
        return True

    def _leave_line_over_question(self) -> None:
        self._write(self._asked_about or "")
        self._asked_about = None

    def _answer_question(self, key: str) -> None:
        line, last = self.text.strip(), self.table.log.last()
        self._apply(self.table.choose(key))
        self._has_just_answered = True
        if self.question is None and self.table.log.last() > last and not self.table.has_done(line, last):
            self._not_done.append(self._masked(line))  # the answer was to do something else
            self._leave_early()
        self._go_on()

    def _press_in_search(self, key: str, character: str | None) -> bool:
        assert self.search is not None
        if key == "backspace":
            self.search = self.search[:-1]
        elif character is not None and character.isprintable():
            self.search += character
        self._pointed = None
        return True

    # -- choosing ------------------------------------------------------------------------------------------

    def _point(self, step: int) -> None:
        """Choose the next candidate, or the one before; behind the last one comes the first."""
        count = len(self.items)
        if count:
            now = self.chosen
            self._pointed = (0 if step > 0 else count - 1) if now is None else (now + step) % count

    def _down(self, step: int) -> None:
        """Choose a candidate; on the empty line, bring back a line that was typed before."""
        is_recalling = self._recalled < len(self.history) and self.text == self.history[self._recalled]
        if not is_recalling and (self.text or self.palette or self.search is not None or self.asked is not None):
            self._point(step)
            return
        self._forget()
        if self._not_done and step < 0:
            line = self._not_done.pop(0)
            if UNSEEN in line:  # only what is to be seen of it comes back
                self._write(line.partition(UNSEEN)[0])
                return
            if line not in self.history:
                self.history.append(line)
            self._recalled = len(self.history) - self.history[::-1].index(line)
        self._recalled = min(max(0, self._recalled + step), len(self.history))
        self._write(self.history[self._recalled] if self._recalled < len(self.history) else "")

    def _take(self) -> None:
        """Put the chosen candidate in the line, where it is not done yet."""
        item = self.items[self.chosen or 0]
        guidance, asked = self.guidance, self.asked
        gap = "" if item.continues else " "
        if self.search is not None or self.palette:
            self._remember("", 0, palette=self.palette)
            self.palette, self.search, self.asked = False, None, None
            self._write(f"{item.text}{gap}")
        elif asked is not None:
            without = self._without_answer
            self._remember(without, asked.place, asked=asked)
            line, cursor = with_answer(self.table, without, asked, item.as_word)
            self.asked = None
            line = f"{line[:cursor]} {line[cursor:].lstrip()}"
            self._write(line, cursor + 1)
        else:
            before, behind = self.text[: guidance.start], self.text[guidance.end :].lstrip()
            self._remember(f"{before}{behind}", guidance.start)
            word = item.as_word if before.strip() else item.text  # a verb of two words is none in quotes
            self._write(f"{before}{word}{gap}{behind}")
        self._taken = self.text

    def _open_palette(self) -> None:
        if self.palette:
            return
        self._remember(self.text, self.cursor, asked=self.asked)
        self.asked, self.search, self.palette, self._left_out = None, None, True, frozenset()
        self._write("")

    def _open_search(self) -> None:
        if self.search is None:
            self._remember(self.text, self.cursor, palette=self.palette, asked=self.asked)
            self.search, self.palette, self.asked, self._left_out = "", False, None, frozenset()
            self._write("")
        else:
            self._point(1)

    # -- Enter ---------------------------------------------------------------------------------------------

    def _enter(self) -> None:
        """Take what is chosen; ask for what the line still needs; do a line that is finished."""
        if line := self.line_too_early:
            self._early.append(line)
            if self.asked is not None:
                self._write(self._without_answer, self.asked.place)
            else:
                self._write(self._begun)
        elif self.chosen is not None:
            self._take()
            self._ask(leads=True)
        elif self.palette or self.search is not None:
            self.said = (NOTHING_CALLED_SO, "failed")
        elif self.asked is not None and (answer := self._answer.strip()):
            if self._shows_words_first:
                self._show_words(answer)
            else:
                self._take_answer(self.asked, answer)
        elif self.asked is not None and self._leaves_out:
            self._remember(self.text, self.cursor, asked=self.asked)
            self._left_out |= {self.asked.slot.key}
            self.asked = None
            if not self._ask(leads=True):
                self._do()
        elif not self.text.strip():
            if self._to_do and not self.waits:
                self.shown = Shown()  # they are in sight before they are done
            elif self._to_do:
                self._go_on()
            elif self.table.place is not None:
                self.ask_about(int(self.table.place[1:]))
            else:
                self._open_palette()
        elif not self._ask():
            self._do()

    @property
    def _shows_words_first(self) -> bool:
        """Whether Enter shows the words that are typed in their line, as others wait, of which they may be the next."""
        answer = self._answer.strip()
        is_of_words = self.asked is not None and self.asked.slot.words and not answer.startswith('"')
        return bool(answer and is_of_words and self._early) and answer != self._words_shown

    @property
    def shows_words(self) -> bool:
        """Whether the line stands there with words that Enter does next."""
        return bool(self._words_shown) and self.text.endswith(self._words_shown)

    def _show_words(self, words: str) -> None:
        """Show words in their line before it is done, as they may be the next line, with a slip in its verb."""
        self.gives_way, self._failed, self._words_shown = True, words, words

    def _take_answer(self, asked: OpenSlot, answer: str) -> None:
        """Put what was typed in the slot that is asked for. Where it is refused, what is typed next replaces it."""
        text, cursor = self.text, self.cursor
        line, end = self._with_answer
        if wrong := what_is_wrong(self.table, line, asked, answer):
            self.said, self.gives_way, self._failed = (wrong, "failed"), True, answer
            return
        self._remember(self._without_answer, asked.place, asked=asked)
        self.asked = None
        self._write(line, end)
        if not self._ask(leads=True):
            self._do()
            if self.said[1] == "failed":
                self._steps.pop()
                self._write(text, cursor)
                self.asked = asked
                return
        self._not_done = [line for line in self._not_done if line != answer]

    def _ask(self, *, leads: bool = False) -> bool:
        """Ask for the first slot that the line still needs; false: it needs none.

        `leads`: it was put together from answers, and people are asked too for what they mostly want to say. Where the
        line cannot be done now, whatever fills it, that is said instead.
        """
        if self.table.is_key(self.text):
            return False
        found = open_slot(self.table, self.text)
        if found is None and leads:
            found = wanted_slot(self.table, self.text, self._left_out)
        if found is None:
            return False
        if reason := self.table.idle(self.text):
            self.said, self.gives_way, self._failed = (ended(reason), "failed"), True, self.text.strip()
            return True
        text, asked = found
        if self.asked is None and self.text != self._taken:
            self._remember(self.text, self.cursor, gives_way=True)
        self.asked = asked
        self._write(text, asked.place)
        return True

    def _do(self) -> None:
        """Do the line; of what the table waits for its line first, as a digit may have been meant for a question."""
        text = self.text.strip()
        if self.table.is_key(text) and (line := self.table.line_of_key(text)):
            takes_words = any(slot.words and not slot.text for slot in self.table.guide(line, len(line)).slots)
            if takes_words and self.table.preview(f"{line} {ANY_TEXT}").kind == "would":
                self._write(f"{line} ")
                self._taken = self.text  # words that are typed go on with it, and another line waits
            else:
                self._write(line)
                self.gives_way, self._failed = True, line
            return
        if not self.hides and self.table.unseen_from(text) is None:
            self.history.append(text)
        self._recalled = len(self.history)
        self.table.doubt(is_doubted=self._is_early or bool(self._not_done))
        reply = self.table.pick(text) if self.table.is_key(text) else None
        if reply is None:
            reply = self.table.answer(text)
        if reply.code and not reply.leaves:
            self.said = (" ".join(reply.lines), "failed")
            self.gives_way, self.shown = True, Shown()
            self._failed = text
            return
        self._not_done = [line for line in self._not_done if line != text]
        self._apply(reply, text)

    def _apply(self, reply: Reply, text: str = "") -> None:
        """Take up a reply: turns that were recorded, an answer to read, a question, or a line to be completed."""
        self.question, is_new = reply.choices, reply.is_recorded
        self.said = ("" if is_new and self.table.sealed() else reply.notice, "")
        self.shown = Shown()
        if reply.lines and not is_new:
            self.shown = Shown(reply.lines, text, reply.choices is None)
        if reply.choices is None or is_new:
            self._clear()
        if reply.begins is not None:
            self._write(reply.begins)
            self._ask()
        if reply.leaves:
            self.leave()

    def leave(self) -> None:
        """Leave the table; where lines were not done, that is said first."""
        count = len(self._to_do) + len(self._not_done)
        self.leaves = count in (0, self._left_undone)
        self._left_undone = count
        self.said = ("" if self.leaves else UNDONE, "")

    def _clear(self) -> None:
        """An empty line, to which nothing goes back."""
        self._write("")
        self.asked, self.palette, self.search, self.gives_way, self.hides = None, False, None, False, False
        self._words_shown = ""
        self._forget()

    def ask_about(self, turn: int) -> None:
        """Open the menu of a turn."""
        self._apply(self.table.ask_about(turn))

    # -- back, help, sheets --------------------------------------------------------------------------------

    def back(self) -> None:
        """Esc: one step back, then out of what is shown."""
        if self._pointed is not None:
            self._pointed = None
        elif self.asked is not None and self._answer.strip():
            self.gives_way = False
            self._write(self._without_answer, self.asked.place)
        elif self.goes_back:
            step = self._steps.pop()
            self.palette, self.asked, self.search = step.palette, step.asked, None
            if self.asked is None:
                self._leave_early()
            self._left_out, self._taken = step.left_out, step.taken
            self._write(step.text, step.cursor)
            self.gives_way = step.gives_way
        elif self.text or self.palette:
            self.table.leave()
            self._clear()
            self._leave_early()
            self._recalled = len(self.history)
        elif self.shown.lines and not self.waits:
            self.shown = Shown()
        elif self.waits:
            count = len(self._to_do)
            self._early, self._pasted, self._behind_pasted, self.shown = [], [], "", Shown()
            self.said = (f"{count} {'line was' if count == 1 else 'lines were'} dropped.", "")
        elif self._not_done:
            self._not_done = []
        else:
            self.table.place = None

    def _interrupt(self) -> None:
        """Ctrl-C: as Esc; where there is nothing to go back from, it says how to leave."""
        is_idle = not (self.text or self.palette or self.search is not None or self.shown.lines or self.table.place)
        self.back()
        if is_idle:
            self.said = (HOW_TO_LEAVE, "")

    def _explains(self) -> bool:
        """Show the keys, or behind a verb its help; false: the question mark belongs to the words of the line."""
        text = self.text[: self.cursor]
        slots = self.guidance.slots
        if self.search is not None or any(slot.words and slot.text for slot in slots) or text.count('"') % 2:
            return False
        line = self.table.help_line(text)
        if line is None:
            return False
        keys = key_lines(self.table.surface) if line == "help" else ()
        self.shown = Shown((*keys, *self.table.read(line).lines), line)
        return True

    def _hide(self) -> None:
        self.hides = not self.hides

    def _show_sheet(self) -> None:
        """Show the sheet of whose turn it is, or of an own character; pressed again, that of the next one."""
        names = self.table.audience.own_characters()
        if names:
            following = names.index(self._sheet) + 1 if self.shown.lines and self._sheet in names else 0
            self._sheet = names[following % len(names)]
            line = " ".join(["status", quote(self._sheet), *(("--at", self.table.place) if self.table.place else ())])
            self.shown = Shown(self.table.read(line).lines, line, self.question is None)

    # -- pasted lines --------------------------------------------------------------------------------------

    def paste(self, lines: Sequence[str], *, whole: bool) -> None:
        """Do pasted lines in order; the last one is only typed, unless it is `whole`.

        At a line that is not done the others wait, in sight: they go on once something was recorded in its place, or
        with Enter on the empty line.
        """
        if not self.gives_way and self.question is None:
            lines = [f"{self.text[: self.cursor]}{lines[0]}{self.text[self.cursor :]}", *lines[1:]]
        self._pasted = list(lines if whole else lines[:-1])
        self._behind_pasted = "" if whole else lines[-1]
        if self.question is None:
            self._clear()
            self._go_on()
        self._list_pasted()

    def _go_on(self) -> None:
        """Do the pasted lines up to one that is not done."""
        while self._early and not self.text and self.question is None:
            self._write(self._early.pop(0))
            self._is_early = True  # it was typed before the turn that came last
            self._enter()
            self._is_early = False
            if self.said[1] == "failed" and self.asked is None:  # the next one would have taken its place, too
                self._forgo()
                self._clear()
                self.said = ("", "") if self._early else self.said  # it would be read of the next one
        while self._pasted and not self.text and self.question is None:
            self._write(self._pasted.pop(0))
            self._enter()
        if not self._pasted and not self.text and self.question is None:
            self._write(self._behind_pasted)
            self._behind_pasted = ""

    def _list_pasted(self) -> None:
        """Show the pasted lines that wait, where nothing else is to be read."""
        if self._to_do and (self.waits or not self.shown.lines):
            count = len(self._to_do)
            title = f"{count} {'line is' if count == 1 else 'lines are'} still to be done"
            self.shown = self._waiting = Shown(tuple(safe(self._masked(line)) for line in self._to_do), title)
        elif self.waits and not self._to_do:
            self.shown = Shown()

    def _masked(self, line: str) -> str:
        """A line without what it says about cards that lie face down."""
        unseen = self.table.unseen_from(line)
        return line if unseen is None else f"{line[:unseen]}{UNSEEN}"

    def _forgo(self) -> None:
        """Keep in sight that the line was not done, or a whole sentence for an answer, as another takes its place."""
        is_line = self.asked is None and self._failed == self.text.strip()
        is_answer = (self.asked is not None and self._failed == self._answer.strip()) or self.shows_words
        is_sentence = is_answer and " " in self._failed
        self._not_done += [self._masked(self._failed)] if is_line or is_sentence else []

    def _leave_early(self) -> None:
        """Keep in sight that lines were not done which waited for an answer, as nobody gives it any more."""
        self._not_done += map(self._masked, self._early)
        self._early.clear()

    @property
    def _to_do(self) -> list[str]:
        """The lines that are still to be done, or typed."""
        return [*self._early, *self._pasted, *filter(None, [self._behind_pasted])]
