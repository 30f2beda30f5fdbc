"""The output of all commands: text made safe for terminals, wrapped, painted if there are colours, and paged.

Escape codes are written here, as a Rich Console for each line took three times as long as reading the log.
"""

import os
import re
import stat
import subprocess
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from io import StringIO
from typing import IO, Any

import msgspec
from msgspec import Struct

from domain.turn import Sentence, Struck

#: Characters that reorder text; control characters are found by their category.
_BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
#: The entries of a long answer after which what is printed so far is written.
AT_ONCE = 1_000


def safe(text: str, *, lines: bool = False) -> str:
    """The text with control, escape, bidi and invisible characters made visible; `lines` keeps line ends."""
    if text.isprintable():  # which no character is that a terminal obeys
        return text
    return "".join(char if _shows(char) or (lines and char == "\n") else _visible(char) for char in text)


def _shows(char: str) -> bool:
    if char == "\u200d":  # joins the parts of one emoji; moves nothing
        return True
    return not (ord(char) in _BIDI or unicodedata.category(char) in ("Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"))


def _visible(char: str) -> str:
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


def as_text(path: str | os.PathLike[str]) -> str:
    """A file name as text that can be encoded; undecodable bytes are replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


class NobodyReads(Exception):
    """The reader of the output is gone: a closed pipe, or a pager that was left."""


class Unprintable(Exception):
    """The output could not be written; `reason` is the system's."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Span(Struct, frozen=True):
    """Text in one style, named as Rich does ("bold red", "strike dim")."""

    text: str
    style: str = ""


Line = Sequence[Span | str]


def width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def columns_of(line: Line) -> int:
    return sum(width(part.text if isinstance(part, Span) else part) for part in line)


def pad(text: str, columns: int) -> str:
    """The text made safe and padded to `columns`."""
    safe_text = safe(text)
    return safe_text + " " * max(0, columns - width(safe_text))


def spans(parts: Sentence) -> list[Span]:
    """A sentence as spans; parts that no longer count print struck, or in parentheses where nothing is painted."""
    return [Span(framed(part), "strike dim") if isinstance(part, Struck) else Span(part) for part in parts]


def framed(text: str, before: str = "", after: str = "") -> str:
    """The words of a text between two signs; where blanks stood around them, one stays outside."""
    words = text.strip()
    start, end = " " if text[:1] == " " else "", " " if text[-1:] == " " else ""
    return f"{start}{before}{words}{after}{end}" if words else text


#: The SGR code of each word of a style.
FACES = {
    "bold": 1, "dim": 2, "italic": 3, "underline": 4, "reverse": 7, "strike": 9,
    "black": 30, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36, "white": 37,
    "bright_yellow": 93, "bright_blue": 94, "bright_magenta": 95,
}  # fmt: skip


def paint(text: str, style: str) -> str:
    """The text with the escape codes of a style, for 16 colours; unchanged if either is empty."""
    return f"\x1b[{_codes(style)}m{text}\x1b[0m" if text and style else text


@cache
def _codes(style: str) -> str:
    return ";".join(map(str, sorted(FACES[word] for word in style.split())))


def size_of_terminal() -> tuple[int, int]:
    """Columns and lines, found as shutil.get_terminal_size does; importing shutil imports every compression too."""
    variables = [int(text) if text.isdecimal() else 0 for text in map(os.environ.get, ("COLUMNS", "LINES"), ("", ""))]
    size = (0, 0)
    if not all(variables):
        with suppress(AttributeError, ValueError, OSError):
            size = os.get_terminal_size(sys.__stdout__.fileno())  # type: ignore[union-attr]
    columns, lines = (one or other for one, other in zip(variables, size, strict=True))
    return columns or 100, lines or 24


def wrap(line: Line, columns: int, indent: int) -> list[list[Span]]:
    """A line wrapped between words at `columns`, with further rows indented."""
    rows: list[list[Span]] = [[]]
    used = 0
    for part in _as_spans(line):
        text = safe(part.text)
        wide = width(text)
        if used + wide <= columns or used + width(text.rstrip()) <= columns:  # as most parts of most lines
            if text:
                rows[-1].append(part if text is part.text else Span(text, part.style))
                used += wide
            continue
        run = ""
        for word in _words(text, max(1, columns - indent)):
            wide = width(word)
            if used + wide > columns and used > indent and used + width(word.rstrip()) > columns:
                rows[-1].append(Span(run, part.style))
                _strip_end(rows[-1])
                rows.append([Span(" " * indent)] if indent else [])
                used, run = indent, ""
                word = word.lstrip()
                wide = width(word)
            run += word
            used += wide
        rows[-1].append(Span(run, part.style))
    _strip_end(rows[-1])
    return rows


def truncate(line: Line, columns: int, *, between_words: bool = False) -> list[Span]:
    """A line cut to at most `columns`, with an ellipsis if it is longer; `between_words`: no word is cut in two."""
    parts = [Span(safe(part.text), part.style) for part in _as_spans(line)]
    if sum(width(part.text) for part in parts) <= columns:
        return parts
    spans_: list[Span] = []
    room = columns - 1
    for part in parts:
        count = 0
        while count < len(part.text) and width(part.text[: count + 1]) <= room:
            count += 1
        if between_words and count < len(part.text):
            begins_word = bool(spans_) and spans_[-1].text.endswith(" ")
            space = part.text.rfind(" ", 0, count + 1)
            count = space if space >= 0 else 0 if begins_word else count
        spans_.append(Span(part.text[:count], part.style))
        room -= width(part.text[:count])
        if count < len(part.text):
            break
    return [*spans_, Span("…", "bold")]


def _as_spans(line: Line) -> list[Span]:
    return [Span(part) if isinstance(part, str) else part for part in line]


class Page(StringIO):
    """A buffer that is printed on like a terminal: painted with `paints`, wrapped if `columns` is set."""

    def __init__(self, columns: int | None = None, *, paints: bool = False, hints: bool = True) -> None:
        super().__init__()
        self.columns, self.paints = columns, paints
        #: whether answers list what can be done next
        self.hints = hints


def typed_in() -> bool:
    """Whether standard input is a terminal; it may also be closed."""
    return bool(sys.stdin) and sys.stdin.isatty()


def _begins_file(out: IO[str]) -> bool:
    try:
        about = os.fstat(out.fileno())
    except (AttributeError, OSError, ValueError):
        return False
    return stat.S_ISREG(about.st_mode) and not about.st_size


class Screen:
    """The output of one command: lines are collected, then written to stdout or a pager."""

    def __init__(self, color: str = "auto", out: IO[str] | None = None) -> None:
        self._out = sys.stdout if out is None else out
        tty = self._out.isatty()
        self.interactive = tty
        page = self._out if isinstance(self._out, Page) else Page()
        #: whether lines are wrapped to `columns` for a reader
        self.laid_out = tty or page.columns is not None
        #: whether somebody reads it where it is printed: on a terminal, or among the answers of a table
        self.read_here = tty or self._out is page
        paints = color == "always" or (color == "auto" and tty and os.environ.get("TERM") != "dumb") or page.paints
        self.paints = paints and (color == "always" or page.paints or not os.environ.get("NO_COLOR"))
        #: whether somebody can be asked questions
        self.answers = tty and typed_in()
        self.columns = page.columns or (size_of_terminal()[0] if tty else 100)
        self.hints = page.hints
        #: what is typed before a command where this is read: nothing among the answers of a table
        self.program = "" if self._out is page else "campaign "
        #: whether what is printed begins a file, as behind `>` on a shell
        self.begins_file = _begins_file(self._out)
        self._lines: list[str] = []
        self._pager: subprocess.Popen[str] | None = None

    def line(self, *line: Span | str, indent: int | None = 2) -> None:
        """Print a line, wrapped with `indent`; None leaves the wrapping to the terminal, so that it can be copied."""
        self.lines([line] if indent is None else self.wrap(line, indent))

    def lines(self, lines: Iterable[Line]) -> None:
        """Print lines that are wrapped already."""
        self._lines += [self._paint(line) if self.paints else self._plain(line) for line in lines]

    def raw(self, text: str) -> None:
        """Print text as it is, without escaping or wrapping."""
        self._lines.append(text)

    def json(self, value: Any, *, pretty: bool = True) -> None:
        """Print a value as JSON, with control characters escaped; `pretty` indents it on a terminal."""
        self.raw(json_text(value, indented=pretty and self.interactive))

    def _plain(self, line: Line) -> str:
        texts = [part if isinstance(part, str) else part.text for part in self.legible(line)]
        return safe("".join(texts)).rstrip()

    def _paint(self, line: Line) -> str:
        texts = [safe(part) if isinstance(part, str) else paint(safe(part.text), part.style) for part in line]
        return "".join(texts).rstrip()

    def wrap(self, line: Line, indent: int) -> Sequence[Line]:
        """A line wrapped at the width of the screen; in one piece if output is not laid out."""
        return wrap(self.legible(line), self.columns, indent) if self.laid_out else [line]

    def legible(self, line: Line) -> Line:
        """The line as it is measured and broken: what is struck stands in parentheses where nothing is painted."""
        if self.paints:
            return line
        return [
            framed(part.text, "(", ")") if isinstance(part, Span) and part.style == "strike dim" else part
            for part in line
        ]

    def drain(self) -> list[str]:
        """Remove and return the lines printed so far, to write them elsewhere."""
        lines, self._lines = self._lines, []
        return lines

    def pour(self) -> None:
        """Write the lines printed so far while more follow; on a terminal to a pager once they fill it."""
        if self._pager is None and self.interactive:
            if len(self._lines) < size_of_terminal()[1]:
                return
            self._pager = _pager()
        self._write_through()

    def _write_through(self) -> None:
        """Write the lines printed so far, to the pager if there is one."""
        if self._pager is None or self._pager.stdin is None:
            self._write(self._out)
            return
        try:
            self._write(self._pager.stdin)
        except (KeyboardInterrupt, NobodyReads):
            # Ctrl-C goes to the pager too; once it is left, the command stops printing
            _end(self._pager)
            raise NobodyReads from None

    def flush(self, *, pager: bool = False) -> None:
        """Write the lines printed so far; with `pager` a long output goes through a pager on a terminal."""
        if pager and self.interactive:
            with suppress(NobodyReads):
                self.pour()
        if self._pager is None:
            self._write(self._out)
        else:
            _end(self._pager)
            self._pager = None

    def _write(self, out: IO[str]) -> None:
        text = "".join(f"{line}\n" for line in self.drain())
        try:
            out.write(text)
            out.flush()
        except BrokenPipeError:
            raise NobodyReads from None
        except OSError as error:
            raise Unprintable(error.strerror or str(error)) from None


#: The pieces that are not broken: a command line, so that it can be copied, or a word.
_UNBROKEN = r"(?:Try: )?`?campaign .*?(?:[;?`]\S*|$) ?|\S* ?"


def _fold(text: str, columns: int, indent: int) -> str:
    """The text wrapped between words, with further rows indented.

    Unlike `wrap` it never breaks a command line, which people copy out of a complaint.
    """
    rows = [""]
    for word in re.findall(_UNBROKEN, text, re.DOTALL):
        if rows[-1].strip() and width(rows[-1]) + width(word.rstrip()) > columns:
            rows.append(" " * indent)
        rows[-1] += word
    return "\n".join(row.rstrip() for row in rows)


def _strip_end(row: list[Span]) -> None:
    """Remove the blanks at the end of a row: one beyond the last column would wrap to a new line."""
    while row and not row[-1].text.strip():
        row.pop()
    if row:
        row[-1] = Span(row[-1].text.rstrip(), row[-1].style)


def _words(text: str, longest: int) -> list[str]:
    """The words with the blanks behind them; a word wider than `longest` columns is split."""
    words = [f"{piece} " for piece in text.split(" ")]
    words[-1] = words[-1][:-1]
    return [part for word in words if word for part in _pieces(word, longest)]


#: The pieces that a word which is too wide is broken into first: each up to a hyphen or the like.
_SYLLABLES = re.compile(r"[^-_/,]*[-_/,]+ ?|[^-_/,]+")


def syllables(word: str) -> list[str]:
    """A word in the pieces in which it is still read, like those of a seal or of a name with underscores."""
    return _SYLLABLES.findall(word)


def _pieces(word: str, longest: int) -> list[str]:
    if 2 * len(word) <= longest or width(word.rstrip()) <= longest:  # no character takes more than two columns
        return [word]
    pieces = list[str]()
    for syllable in syllables(word):
        pieces.append("")
        used = 0
        for char in syllable:
            if used + width(char) > longest and char != " ":
                pieces.append("")
                used = 0
            pieces[-1] += char
            used += width(char)
    return pieces


def _pager() -> subprocess.Popen[str] | None:
    """Start the user's pager; None if there is none."""
    import shlex

    command = shlex.split(os.environ.get("PAGER", "less"))
    if not command:
        return None
    try:
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, encoding=sys.stdout.encoding, errors="replace",
            env={"LESS": "FRX", **os.environ},
        )  # fmt: skip
    except OSError:
        return None


def _end(pager: subprocess.Popen[str]) -> None:
    """Wait until the pager is left; Ctrl-C is its own."""
    with suppress(OSError):
        if pager.stdin:
            pager.stdin.close()
    while True:
        with suppress(KeyboardInterrupt):
            pager.wait()
            return


def json_text(value: Any, *, indented: bool = False) -> str:
    """A value as JSON, with control characters escaped. A list may be an iterator, whose items are made one by one."""
    data = msgspec.json.encode(value, enc_hook=_one_by_one)
    return json_safe((msgspec.json.format(data, indent=2) if indented else data).decode())


def _one_by_one(items: Iterable[Any]) -> list[msgspec.Raw]:
    return [msgspec.Raw(msgspec.json.encode(item, enc_hook=_one_by_one)) for item in items]


def json_safe(text: str) -> str:
    """JSON text with the characters that `safe` replaces written as JSON escapes, so that it means the same."""
    if text.isprintable():
        return text
    return "".join(char if _shows(char) or char == "\n" else _json_escape(ord(char)) for char in text)


def _json_escape(code: int) -> str:
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def complain(sentence: str, *, indent: int = 0, begins: str = "") -> None:
    """Print a sentence on stderr, wrapped on a terminal with `indent`, or behind what it `begins` with, as a key."""
    # if stderr is closed, the exit code has to do
    with suppress(OSError):
        text = safe(sentence, lines=True)
        if sys.stderr.isatty():
            columns, margin = size_of_terminal()[0], " " * width(begins)
            folded = (_fold(f"{margin}{line}", columns, indent + len(margin)) for line in text.split("\n"))
            text = "\n".join(folded)[len(margin) :]
        sys.stderr.write(f"{begins}{text}\n")
        sys.stderr.flush()
