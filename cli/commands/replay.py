"""Watch an evening again, turn by turn.

Late entries and moved turns come where they count, marked as in campaign log.

On a terminal, press space or . for the next turn, comma for the one before, + and - for the speed of playing by
itself, Home and End for the first and the last turn, q to quit. Elsewhere it prints one turn after another.

Examples:
  campaign replay S1
"""

import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to, seen_by, session_of
from cli.shell.ending import left_in_order
from cli.shell.reading import ReadOptions, reads
from cli.terminal.screen import Line, Screen, Span, spans, width
from cli.terminal.sheet import row_line
from domain.log.points import session_at
from domain.log.port import AsOf
from domain.naming import called
from domain.times import to_the_minute
from domain.values import in_words
from projections.difference import Comparison, Difference
from projections.frames import Frame, SheetFrame, frames_of

try:
    import termios
    import tty
except ImportError:  # as on Windows
    termios = None  # type: ignore[assignment]

#: Seconds that a turn is shown at each speed; None: until a key is pressed.
PACES: tuple[float | None, ...] = (None, 6, 3, 1.5, 0.75, 0.3)
#: Changed fields that are named; further ones are only counted.
MOST_CHANGES = 8


@reads(without=("output", "json"))
def replay(
    request: ReadOptions,
    session: options.Session = None,
) -> None:
    screen = request.screen
    with open_chosen(request.campaign) as (store, system):
        log = AsOf(store, read_up_to(store, request.at))
        number = session_of(log, session) if session is not None else None
        evening, _ = options.or_not_found(lambda: session_at(store, log.last(), number))
        frames = list(frames_of(system, log, evening, seen_by(store, system, request.as_)))
    if screen.answers and termios is not None and os.environ.get("TERM", "dumb") != "dumb":  # single keys can be read
        play(screen, evening, frames)
        return
    for index, frame in enumerate(frames):
        if index:
            screen.line()
        screen.lines(picture(screen, evening, frame, index, len(frames), whole=False))
    screen.flush(pager=True)


# -- one turn --------------------------------------------------------------------------------------------


def picture(
    screen: Screen, session: int, frame: Frame, index: int, count: int, *, whole: bool, changed_first: bool = False
) -> Iterator[Line]:
    """One turn as lines: its sentence, its changes, and the sheets; without `whole` only the changed sheets."""
    when = to_the_minute(frame.at)
    by = f" · {frame.by}" if frame.by else ""
    yield (
        Span(f"T{frame.turn}", "bold cyan"),
        Span(frame.mark, "yellow"),
        Span(f"  session {session}, {index + 1} of {count} · {when}{by}", "dim"),
    )
    yield from screen.wrap(spans(frame.parts), 0)
    if frame.undone_later is not None:
        yield (Span(f"Undone later, by T{frame.undone_later}.", "yellow"),)
    yield from _changes(screen, frame.changes)
    if whole:
        label_width = max((width(label) for label, _ in frame.table), default=0) + 2
        for row in frame.table:
            yield from screen.wrap(row_line(row, label_width), indent=label_width + 2)
    for sheet in sorted(frame.sheets, key=lambda sheet: changed_first and not sheet.changed_labels):
        if whole or sheet.changed_labels:
            yield ()
            yield from _sheet(screen, sheet)


def _changes(screen: Screen, changes: Comparison) -> Iterator[Line]:
    for name, person in changes.characters.items():
        if person.change == "changed":
            yield from _change_lines(screen, called(name), person.fields)
    for title, fields in (("Table", changes.table), ("Options", changes.options)):
        if fields:
            yield from _change_lines(screen, title, fields)


def _change_lines(screen: Screen, title: str, fields: Sequence[Difference]) -> list[Line]:
    words = "; ".join(map(_in_brief, fields[:MOST_CHANGES]))
    more = f" and {len(fields) - MOST_CHANGES} more" if len(fields) > MOST_CHANGES else ""
    return list(screen.wrap((Span(f"  {title}: ", "bold"), Span(words + more, "yellow")), indent=4))


def _in_brief(field: Difference) -> str:
    """The change of a field in a few words."""
    old, new = field.old, field.new
    if isinstance(new, Mapping) or isinstance(old, Mapping):
        return f"{field.field} {'new' if not old else 'gone' if not new else 'changed'}"
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        came, went = [item for item in new if item not in old], [item for item in old if item not in new]
        parts = [*([f"{in_words(came)} in"] if came else []), *([f"{in_words(went)} out"] if went else [])]
        return f"{field.field} {', '.join(parts) or 'in another order'}"
    return f"{field.field} {in_words(old)} → {in_words(new)}"


def _sheet(screen: Screen, sheet: SheetFrame) -> Iterator[Line]:
    player = f"  ({sheet.player})" if sheet.player else ""
    yield (Span(called(sheet.character), "bold cyan"), Span(player, "dim"))
    label_width = max((width(label) for label, _ in sheet.rows), default=0) + 2
    for row in sheet.rows:
        label, *rest = row_line(row, label_width)
        text = label.text if isinstance(label, Span) else label
        if row[0] in sheet.changed_labels:
            label = Span(f"▸{text[1:]}", "bold yellow")
        yield from screen.wrap((label, *rest), indent=label_width + 2)


# -- playing ---------------------------------------------------------------------------------------------


class Player:
    """The state of the playback: the turn that is shown, and the speed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.at = 0
        self.speed = 0
        self.over = False

    @property
    def pace(self) -> float | None:
        """Seconds until the next turn; None if it waits for a key."""
        return PACES[self.speed] if self.at < self.count - 1 else None

    def press(self, key: str) -> None:
        """Handle a key; unknown ones do nothing."""
        match key:
            case " " | "." | "right" | "down" | "\n" | "\r":
                self.go(self.at + 1)
            case "," | "left" | "up" | "\x7f" | "\b":
                self.go(self.at - 1)
            case "home":
                self.go(0)
            case "end":
                self.go(self.count - 1)
            case "+" | "=":
                self.speed = min(self.speed + 1, len(PACES) - 1)
            case "-":
                self.speed = max(self.speed - 1, 0)
            case "q" | "Q" | "\x04":
                self.over = True

    def go(self, at: int) -> None:
        self.at = max(0, min(at, self.count - 1))

    def says(self) -> str:
        """The line at the bottom that lists the keys."""
        pace = PACES[self.speed]
        speed = "by hand" if pace is None else f"every {pace:g} s"
        return f"space next · , back · + - speed ({speed}) · q quit"


#: The escape sequences of keys that are no characters.
KEYS = {
    b"\x1b[C": "right", b"\x1bOC": "right", b"\x1b[D": "left", b"\x1bOD": "left",
    b"\x1b[A": "up", b"\x1bOA": "up", b"\x1b[B": "down", b"\x1bOB": "down",
    b"\x1b[H": "home", b"\x1bOH": "home", b"\x1b[1~": "home",
    b"\x1b[F": "end", b"\x1bOF": "end", b"\x1b[4~": "end",
}  # fmt: skip


def keys_in(key_bytes: bytes) -> Iterator[str]:
    """The keys in the bytes of one read from the terminal."""
    while key_bytes:
        if key_bytes.startswith(b"\x1b"):
            code = next((code for code in KEYS if key_bytes.startswith(code)), None)
            if code is None:
                return  # an unknown escape sequence, of which the remaining bytes are a part
            yield KEYS[code]
            key_bytes = key_bytes[len(code) :]
        else:
            yield chr(key_bytes[0])
            key_bytes = key_bytes[1:]


def play(screen: Screen, session: int, frames: Sequence[Frame]) -> None:
    """Show the turns until q is pressed. The terminal is restored, whatever happens."""
    player = Player(len(frames))
    with taken_over(sys.stdin.fileno()) as terminal:
        last_frame: tuple[Any, ...] = ()
        due = 0.0
        while not player.over:
            size = shutil.get_terminal_size()
            now = (player.at, player.speed, size, terminal.came_back)
            if now != last_frame:
                if not last_frame or last_frame[:2] != now[:2]:
                    due = time.monotonic() + (player.pace or 0)
                last_frame = now
                screen.columns = size.columns
                _show(screen, session, frames, player, size.lines)
            # wakes four times a second, as a change of the window's size sends no key
            wait = 0.25 if player.pace is None else max(0.0, min(0.25, due - time.monotonic()))
            if select.select([sys.stdin], [], [], wait)[0]:
                key_bytes = os.read(sys.stdin.fileno(), 64)
                if not key_bytes:
                    return
                for key in keys_in(key_bytes):
                    player.press(key)
            elif player.pace is not None and time.monotonic() >= due:
                player.go(player.at + 1)


def _show(screen: Screen, session: int, frames: Sequence[Frame], player: Player, height: int) -> None:
    room = max(1, height - 2)
    lines: list[str] = []
    # the order of the sheets stays the same if all fit, else the changed ones come first
    for changed_first in (False, True):
        frame = frames[player.at]
        screen.lines(picture(screen, session, frame, player.at, len(frames), whole=True, changed_first=changed_first))
        lines = screen.drain()
        if len(lines) <= room:
            break
    else:
        lines[room - 1 :] = [f"… {len(lines) - room + 1} more lines; a taller window shows them."]
    screen.lines([(Span(player.says(), "reverse" if screen.paints else ""),)])
    lines += [""] * (room - len(lines)) + ["", *screen.drain()]
    sys.stdout.write("\x1b[H" + "\n".join(f"{line}\x1b[K" for line in lines[:height]) + "\x1b[J")
    sys.stdout.flush()


class Terminal:
    """A terminal in cbreak mode, on its alternate screen and without a cursor."""

    def __init__(self, keyboard: int) -> None:
        self._keyboard = keyboard
        self._settings = termios.tcgetattr(keyboard)
        #: How often it was restored and taken again (Ctrl-Z).
        self.came_back = 0

    def take(self) -> None:
        tty.setcbreak(self._keyboard, termios.TCSANOW)
        # not through sys.stdout: a signal handler may run while its buffer is being written
        os.write(sys.stdout.fileno(), b"\x1b[?1049h\x1b[?25l")

    def give_back(self) -> None:
        # the keyboard first: if the terminal is gone, writing fails
        termios.tcsetattr(self._keyboard, termios.TCSANOW, self._settings)
        os.write(sys.stdout.fileno(), b"\x1b[?25h\x1b[?1049l")

    def pause(self, _signal: int, _frame: FrameType | None) -> None:
        """Ctrl-Z: restore the terminal, stop, and take it again on return."""
        self.give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self.take()
        self.came_back += 1


@contextmanager
def taken_over(keyboard: int) -> Iterator[Terminal]:
    """Take the terminal, and restore it on every way out: a key, an error, Ctrl-C, SIGHUP, SIGTERM."""
    terminal = Terminal(keyboard)
    with left_in_order():
        before = signal.signal(signal.SIGTSTP, terminal.pause)
        try:
            terminal.take()
            yield terminal
        finally:
            try:
                terminal.give_back()
            finally:
                signal.signal(signal.SIGTSTP, before)
