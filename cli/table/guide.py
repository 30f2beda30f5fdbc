"""What each key does while a line is typed: candidates, slots, palette, questions, and the line when it is finished.

Nothing here knows a screen: keys come in, and what is to be shown is read from the attributes.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from cli.line.guiding import Candidate, Guidance, matching
from cli.line.words import quote
from cli.table.help import key_lines
from cli.table.replies import KeyQuestion, LinePreview, Reply
from cli.table.slots import OpenSlot, is_filled, open_slot, with_answer
from cli.table.table import OpenTable
from cli.terminal.screen import safe

#: Said where no candidate has the letters that were typed.
NOTHING_CALLED_SO = "Nothing is called so here; Esc goes back."


class Shown(Struct, frozen=True):
    """An answer to read: its lines, what was asked, and whether it is asked again for another width."""

    lines: tuple[str, ...] = ()
    title: str = ""
    is_asked_again: bool = False


class Step(Struct, frozen=True):
    """What Esc goes back to: the line before something was taken or asked for."""

    text: str
    cursor: int
    palette: bool = False
    asked: OpenSlot | None = None


class Guide:
    """The line that is typed at one table, and all that leads to it."""

    def __init__(self, table: OpenTable) -> None:
        self.table = table
        self.text, self.cursor = "", 0
        #: the turn after which a line is recorded late, as `T4`; None: the present
        self.place: str | None = None
        self.history: list[str] = []
        self._recalled = 0
        #: the question that a key answers
        self.question: KeyQuestion | None = None
        #: the slot that is asked for
        self.asked: OpenSlot | None = None
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
        self._steps: list[Step] = []
        self._sheet = ""
        self._known: tuple[object, tuple[Guidance, list[Candidate]]] | None = None

    # -- what is to be shown -------------------------------------------------------------------------------

    @property
    def guidance(self) -> Guidance:
        """The slots of the line, and what may stand at the cursor."""
        return self._looked_up()[0]

    @property
    def items(self) -> list[Candidate]:
        """What may be chosen now, narrowed by what is typed."""
        return [] if self.question is not None else self._looked_up()[1]

    def _looked_up(self) -> tuple[Guidance, list[Candidate]]:
        """Both, as long as nothing changes that they depend on."""
        at = (self.text, self.cursor, self.palette, self.search, self.asked, self.table.log.last())
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
        is_led = self.palette or self.search is not None or (self.asked is not None and self.asked.is_closed)
        return 0 if items and is_led else None

    @property
    def question_keys(self) -> list[str]:
        """The keys that answer the open question."""
        return [choice.key for choice in self.question.choices] if self.question is not None else []

    @property
    def preview(self) -> LinePreview:
        """What is said of the line: what was just said, what a key answers, what is asked for, or what it would do."""
        words, kind = self.said
        if words:
            return LinePreview(words, "refused" if kind == "failed" else "nothing")
        if self.question is not None:
            return LinePreview(self.question.prompt)
        if self.search is not None:
            return LinePreview(f"Lines typed before with: {self.search}")
        if self.palette:
            return LinePreview("" if self.items else NOTHING_CALLED_SO, "missing")
        preview = self.table.preview(self.text, self.place)
        if self.asked is not None and preview.kind != "would":
            return LinePreview(self.asked.question, "missing")
        if self.place is not None and preview.kind == "would":
            return LinePreview(f"late entry, after {self.place}: {preview.text}", "would")
        return preview

    # -- keys ----------------------------------------------------------------------------------------------

    def press(self, key: str, character: str | None = None) -> bool:
        """Do what a key does here; false: it edits the line, and `edited` is told what that comes to."""
        self.said = ("", "")
        if self.question is not None and key not in ("f2", "f3"):
            return self._press_at_question(self.question, key, character)
        does: Callable[[], None] | None = {
            "enter": self._enter,
            "ctrl+j": self._enter,
            "escape": self.back,
            "ctrl+c": self.back,
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
            gives_way, self.gives_way = self.gives_way, False
            does()
            self.gives_way = self.gives_way or (gives_way and key in ("f2", "f3"))
            return True
        if character == "?" and self._explains():
            return True
        if self.search is not None:
            return self._press_in_search(key, character)
        if character == " " and self.chosen is not None:
            is_led = self.asked is not None or self.palette
            self._take()
            if is_led:
                self._ask()
            return True
        if self.gives_way:
            self.gives_way = False
            if character is not None and character.isprintable() and not character.isspace():
                self._write("")
            elif character == " ":
                self._write(f"{self.text.rstrip()} ")
                return True
        return False

    def edited(self, text: str, cursor: int) -> None:
        """Follow what was typed, pasted, or moved to."""
        if (text, cursor) == (self.text, self.cursor):
            return
        is_changed = text != self.text
        self.text, self.cursor = text, cursor
        if is_changed:
            self._pointed, self.gives_way = None, False
            self._recalled = len(self.history)
        if self.asked is not None and cursor < self.asked.place:
            self.asked = None

    def _write(self, text: str, cursor: int | None = None) -> None:
        self.text, self.cursor = text, len(text) if cursor is None else cursor
        self._pointed = None

    @property
    def _answer(self) -> str:
        """What is typed for the slot that is asked for."""
        return self.text[self.asked.place : self.cursor] if self.asked is not None else ""

    def _press_at_question(self, question: KeyQuestion, key: str, character: str | None) -> bool:
        if key in ("escape", "ctrl+c"):
            self.table.leave()
            self.question, self.shown = None, Shown()
            self.gives_way = bool(self.text)
        elif character in self.question_keys:
            self._apply(self.table.choose(str(character)))
        elif character is not None and character.isdecimal() and question.number:
            self._apply(self.table.choose(question.number))
            return self.press(key, character)
        elif character is not None:
            self.said = (f"That answers nothing. {question.prompt}", "failed")
        return True

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
        self._recalled = min(max(0, self._recalled + step), len(self.history))
        self._write(self.history[self._recalled] if self._recalled < len(self.history) else "")

    def _take(self) -> None:
        """Put the chosen candidate in the line, where it is not done yet."""
        item = self.items[self.chosen or 0]
        guidance, asked = self.guidance, self.asked
        self._steps.append(Step(self.text, self.cursor, self.palette, asked))
        gap = "" if item.continues else " "
        if self.search is not None or self.palette:
            self.palette, self.search, self.asked = False, None, None
            self._write(f"{item.text}{gap}")
        elif asked is not None:
            rest = self.text[self.cursor :]
            line, cursor = with_answer(self.table, f"{self.text[: asked.place]}{rest}", asked, item.as_word)
            self.asked = None
            line = f"{line[:cursor]} {line[cursor:].lstrip()}"
            self._write(line, cursor + 1)
        else:
            before, behind = self.text[: guidance.start], self.text[guidance.end :].lstrip()
            word = item.as_word if before.strip() else item.text  # a verb of two words is none in quotes
            self._write(f"{before}{word}{gap}{behind}", guidance.start + len(word) + len(gap))

    def _open_palette(self) -> None:
        if self.palette:
            return
        self._steps.append(Step(self.text, self.cursor, asked=self.asked))
        self.asked, self.search, self.palette = None, None, True
        self._write("")

    def _open_search(self) -> None:
        if self.search is None:
            self._steps.append(Step(self.text, self.cursor, self.palette, self.asked))
            self.search, self.palette, self.asked = "", False, None
            self._write("")
        else:
            self._point(1)

    # -- Enter ---------------------------------------------------------------------------------------------

    def _enter(self) -> None:
        """Take what is chosen; ask for what the line still needs; do a line that is finished."""
        if self.chosen is not None:
            self._take()
            self._ask()
        elif self.palette or self.search is not None:
            self.said = (NOTHING_CALLED_SO, "failed")
        elif self.asked is not None and self._answer.strip():
            asked, answer, behind = self.asked, self._answer.strip(), self.text[self.cursor :]
            line, cursor = with_answer(self.table, f"{self.text[: asked.place]}{behind}", asked, answer)
            if not is_filled(self.table, line, asked.slot, answer):
                self.said = (self.table.preview(line, self.place).text, "failed")
                return
            self._steps.append(Step(self.text, self.cursor, asked=asked))
            self.asked = None
            self._write(line, cursor)
            if not self._ask():
                self._do()
        elif not self.text.strip():
            if self.place is not None:
                self.ask_about(int(self.place[1:]))
            else:
                self._open_palette()
        elif not self._ask():
            self._do()

    def _ask(self) -> bool:
        """Ask for the first slot that the line still needs; false: it needs none."""
        if self.table.is_key(self.text) and self.place is None:
            return False
        found = open_slot(self.table, self.text)
        if found is None:
            return False
        text, asked = found
        if self.asked is None:
            self._steps.append(Step(self.text, self.cursor))
        self.asked = asked
        self._write(text, asked.place)
        return True

    def _do(self) -> None:
        """Do the line."""
        text = self.text.strip()
        if not self.hides and self.table.unseen_from(text) is None:
            self.history.append(text)
        self._recalled = len(self.history)
        reply = self.table.pick(text) if self.place is None and self.table.is_key(text) else None
        if reply is None:
            reply = self.table.answer(text, after=self.place)
        if reply.code and not reply.leaves:
            self.said = (" ".join(reply.lines), "failed")
            self.gives_way, self.shown = True, Shown()
            return
        self._apply(reply, text)

    def _apply(self, reply: Reply, text: str = "") -> None:
        """Take up a reply: turns that were recorded, an answer to read, a question, or a line to be completed."""
        asked_before, self.question, is_new = self.question is not None, reply.choices, reply.is_recorded
        self.leaves = reply.leaves
        self.said = (reply.notice, "")
        self.shown = Shown()
        if asked_before and not is_new and len(reply.lines) == 1:
            self.said = (reply.lines[0], "")
        elif reply.lines and not is_new:
            self.shown = Shown(reply.lines, text, reply.choices is None)
        if reply.choices is None or is_new:
            self._clear()
        if reply.begins is not None:
            self._write(reply.begins)
            self._ask()

    def _clear(self) -> None:
        """An empty line, to which nothing goes back."""
        self._write("")
        self.asked, self.palette, self.search, self.gives_way, self.hides = None, False, None, False, False
        self._steps.clear()

    def ask_about(self, turn: int) -> None:
        """Open the menu of a turn."""
        self._apply(self.table.ask_about(turn))

    # -- back, help, sheets --------------------------------------------------------------------------------

    def back(self) -> None:
        """Esc: one step back, then out of what is shown."""
        if self._pointed is not None:
            self._pointed = None
        elif self._steps and not self.gives_way:
            step = self._steps.pop()
            self.palette, self.asked, self.search = step.palette, step.asked, None
            self._write(step.text, step.cursor)
        elif self.text or self.palette:
            self.table.leave()
            self._clear()
        elif self.shown.lines:
            self.shown = Shown()
        else:
            self.place = None

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
            line = " ".join(["status", quote(self._sheet), *(("--at", self.place) if self.place else ())])
            self.shown = Shown(self.table.read(line).lines, line, self.question is None)

    def paste(self, lines: Sequence[str], *, whole: bool) -> None:
        """Do pasted lines in order; the last one is only typed, unless it is `whole`.

        It stops at the first line that is not done, and shows the lines that are left.
        """
        for at, text in enumerate(lines):
            if self.question is not None:
                return
            if at == 0 and not self.gives_way:
                text = f"{self.text[: self.cursor]}{text}{self.text[self.cursor :]}"
            self._clear()
            self._write(text)
            if at == len(lines) - 1 and not whole:
                return
            self._enter()
            remaining = lines[at + 1 :]
            if remaining and (self.text or self.question is not None):
                title = f"{len(remaining)} of the pasted lines {'is' if len(remaining) == 1 else 'are'} not done"
                self.shown = Shown(tuple(map(safe, remaining)), title)
                return
