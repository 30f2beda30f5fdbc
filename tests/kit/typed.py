"""Keys typed at an open table without a screen: what the guide makes of them."""

from collections.abc import Iterator
from contextlib import contextmanager

from cli.shell.command_context import handler_for, open_chosen
from cli.table.bar import ANSWERS, ENTERS, PASTED, keys_of
from cli.table.guide import Guide
from cli.table.table import OpenTable

from .shell import Shell

#: How a script writes the keys that are no characters.
NAMED = {"⏎": "enter", "⇥": "tab", "⇤": "shift+tab", "⎋": "escape", "↓": "down", "↑": "up", "⌫": "backspace",
         "Ⓟ": "ctrl+p", "Ⓡ": "ctrl+r"}  # fmt: skip

RECORDS, DRAWS = ENTERS["records"], ENTERS["draws"]


@contextmanager
def sitting(shell: Shell, viewer: str | None = None) -> Iterator[OpenTable]:
    """The campaign of a shell as an open table."""
    assert shell.folder.is_dir()
    with open_chosen(None, write=True) as (log, system):
        yield OpenTable(log, system, handler_for(log), address=log.address, viewer=viewer)


class Typed(Guide):
    """A guide whose keys are counted; what it does not take edits the line as the screen's widget does."""

    def __init__(self, table: OpenTable) -> None:
        super().__init__(table)
        self.count, self.script = 0, ""

    def keys(self, script: str) -> "Typed":
        """Press each key of a script."""
        self.script += script
        for sign in script:
            self.count += 1
            key = NAMED.get(sign, sign)
            if key == "enter":
                self._enter_as_announced()
                continue
            if self.press(key, sign if key == sign else None):
                continue
            before, behind = self.text[: self.cursor], self.text[self.cursor :]
            if key == "backspace":
                self.edited(f"{before[:-1]}{behind}", max(0, self.cursor - 1))
            elif key == sign:
                self.edited(f"{before}{sign}{behind}", self.cursor + 1)
        return self

    def _enter_as_announced(self) -> None:
        """Press Enter: it records where the key bar says so, and nowhere else."""
        last, is_retried = self.table.log.last(), self.gives_way
        keys = keys_of(self, looks_back=self.table.place is not None, is_scrolled=False, in_chronicle=False)
        self.press("enter")
        if not is_retried and self.said[1] != "failed" and not {ANSWERS, DRAWS, PASTED} & set(keys):
            assert (RECORDS in keys) == (self.table.log.last() > last), (keys, self.script, self.text)

    @property
    def question_keys(self) -> list[str]:
        """What answers the open question, Enter included where it has to be typed."""
        keys = [choice.key for choice in self.question.choices] if self.question is not None else []
        return [key if key.isdecimal() else f"{key}⏎" for key in keys]

    @property
    def listed(self) -> list[str]:
        """What may be chosen."""
        return [item.text for item in self.items]

    @property
    def dimmed(self) -> dict[str, str]:
        """What can be chosen and does nothing now, with the reason."""
        return {item.text: item.reason for item in self.items if item.reason}

    @property
    def lit(self) -> str:
        """What Enter or Space takes."""
        return "" if self.chosen is None else self.items[self.chosen].text
