"""The same question asked again with nothing new: answered with what was printed the last time.

Prompts and status bars ask every second. What an answer rests on lies beside it, and whatever of that is otherwise
now, or is not known here, is left to the long way: the words, the whole environment, the terminal and its size, this
program to each module and each table of its data, the campaign's file with what lies beside it, what was last seen of
it, which campaigns lie here and which was used last. Nothing of it is imported for that.
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

#: What may be asked: the options without a value, those with one, and whether other words may stand there.
ASKED: dict[str, tuple[set[str], set[str], bool]] = {
    "status": ({"--full", "--json"}, {"-c", "--campaign", "-O", "--output", "--color"}, True),
    "log": (
        {"--json", "--oneline", "--reverse", "--as-told"},
        {"-c", "--campaign", "-O", "--output", "--color", "-n"},
        False,
    ),
}
#: What was written so few nanoseconds ago may be written again without showing it: the clock of a file system ticks
#: a hundred times a second at the slowest.
SETTLED = 50_000_000
#: With less room on the disk, in bytes, reading has something of its own to say.
ROOM = 2**20
#: So many answers are kept at most, a file for each.
MOST = 64
NOT_THERE = "-"


def may_be_asked(words: Sequence[str]) -> bool:
    """Whether a command line is answered here at all."""
    if sys.platform == "win32" or not words or words[0] not in ASKED:
        return False
    flags, valued, loose = ASKED[words[0]]
    waiting = iter(words[1:])
    for word in waiting:
        name, sign, _ = word.partition("=")
        if name in valued and (not sign or name[:2] == "--"):
            if not sign and next(waiting, None) is None:
                return False
        elif word not in flags and (word[:1] == "-" or not loose):
            return False
    return True


def answer_to(words: Sequence[str]) -> str | None:
    """What was printed when this was asked last; None if anything is otherwise now, or nothing was kept."""
    if not may_be_asked(words):
        return None
    from hashlib import sha256

    try:
        question = _question(words)
        digest, _, kept = _path(question).read_bytes().partition(b"\n")
        if sha256(kept).hexdigest().encode() != digest:
            return None
        asked, named, real, here, rests, program, told = kept.decode("utf-8").split("\0")
        same = (
            asked == question
            and here == _campaigns_here()
            and str(Path(named).resolve()) == real
            and _nothing_is_said_of(Path(real))
            and all(_mark(path) == mark for path, mark in _pairs(rests))
            and all(_told_by(os.stat(path)) == mark for path, mark in _pairs(program))  # noqa: PTH116  (hundreds)
        )
    except (OSError, RuntimeError, ValueError):
        return None
    return told if same else None


@contextmanager
def kept_for_next_time(words: Sequence[str]) -> "Iterator[Listening]":
    """Keep what is printed meanwhile, if it answers, nothing that it rests on changes and nothing else is said."""
    global _listening
    listening = Listening()
    if not may_be_asked(words):
        yield listening
        return
    begun, out, err = time.time_ns(), sys.stdout, sys.stderr
    heard, complaints = _Heard(out), _Heard(err)
    sys.stdout, sys.stderr = heard, complaints
    _listening = listening
    try:
        yield listening
    finally:
        _listening = None
        sys.stdout, sys.stderr = out, err
    # what a pager shows is not heard, and it shows all or nothing
    if complaints.told or not heard.told or not heard.is_all:
        return
    with suppress(OSError, RuntimeError, ValueError):
        if listening.is_answered and listening.is_as_it_was():
            listed = map(_listed, (listening.rests, _program(begun, listening.tables)))
            places = (listening.named, listening.real, listening.here)
            _keep(_question(words), *places, *listed, "".join(heard.told))


# -- while the long way is gone --------------------------------------------------------------------------------


class _Heard:
    """A stream, with what is written to it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.told: list[str] = []
        #: whether nothing can have gone another way
        self.is_all = True

    def write(self, text: str) -> int:
        self.told.append(text)
        written: int = self._stream.write(text)
        return written

    @property
    def buffer(self) -> Any:
        self.is_all = False
        return self._stream.buffer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Listening:
    """What an answer that is being made rests on."""

    def __init__(self) -> None:
        #: whether what was asked was answered
        self.is_answered = False
        #: the campaign as it was named, where that led, and which campaigns lay in the folder
        self.named = self.real = self.here = ""
        self.rests: dict[str, str] = {}
        #: the folders of the tables that the program reads
        self.tables: list[Path] = []
        self.spoilt = False

    def is_as_it_was(self) -> bool:
        """Whether nothing has changed while it was read, nor may have without showing it."""
        return (
            bool(self.named)
            and not self.spoilt
            and self.here == _campaigns_here()
            and "/" not in self.here  # of several, one is chosen by where each of them leads
            and self.real == str(Path(self.named).resolve())
            and all(_mark(path, settled=True) == mark for path, mark in self.rests.items())
        )


_listening: Listening | None = None


def is_listening() -> bool:
    """Whether what is printed now may be kept."""
    return _listening is not None


def rests_on(*paths: Path | str) -> None:
    """What is printed now rests on these files, which are about to be read; one that is not there is known too."""
    if _listening is None:
        return
    for path in map(str, paths):
        try:
            _listening.rests.setdefault(path, _mark(path))
        except (OSError, ValueError):
            _listening.spoilt = True


def rests_on_choice(remembered: Path) -> None:
    """What is printed now rests on what lies here and on which campaign was used last, by which one is chosen."""
    if _listening is None:
        return
    try:
        _listening.here = _campaigns_here()
    except OSError:
        _listening.spoilt = True
    rests_on(remembered)


def rests_on_campaign(named: str) -> None:
    """What is printed now rests on this campaign, which is about to be opened; one on a server is asked each time."""
    if _listening is None:
        return
    if "://" in named or _listening.named:
        _listening.spoilt = True
        return
    try:
        real = str(Path(named).resolve())
    except (OSError, RuntimeError, ValueError):  # no file can be called so; the long way says it
        _listening.spoilt = True
        return
    _listening.named, _listening.real = named, real
    rests_on(real, f"{real}-wal", f"{real}-journal")


def rests_on_tables(*folders: Path) -> None:
    """What is printed now rests on the tables in these folders, which come with the program."""
    if _listening is not None:
        _listening.tables += folders


# -- what an answer rests on -----------------------------------------------------------------------------------


def _question(words: Sequence[str]) -> str:
    """Everything but files that an answer rests on, as one hash: it may hold secrets. Raises OSError."""
    from hashlib import sha256

    size: Any = None
    with suppress(OSError):
        size = os.get_terminal_size(1)
    parts = (
        list(words), sorted(os.environ.items()), str(Path.cwd()), os.geteuid(), os.getegid(), os.getgroups(),
        [bool(stream) and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)], size,
        getattr(sys.stdout, "encoding", None), getattr(sys.stdout, "errors", None),
        sys.executable, sys.version, sys.flags, sys.path,
    )  # fmt: skip
    return sha256(ascii(parts).encode()).hexdigest()


def _mark(path: str, *, settled: bool = False) -> str:
    """What no file that was written to, replaced or given to others since still has.

    `settled`: a file that may be written to again without showing it has none. It is opened for that: from another
    machine its times would come late otherwise. Raises OSError.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return NOT_THERE
    try:
        found = os.fstat(fd)
    finally:
        os.close(fd)
    if settled and time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) < SETTLED:
        return ""
    return _told_by(found)


def _told_by(found: os.stat_result) -> str:
    times = f"{found.st_mtime_ns} {found.st_ctime_ns}"
    return f"{found.st_dev} {found.st_ino} {found.st_mode} {found.st_uid} {found.st_gid} {found.st_size} {times}"


def _campaigns_here() -> str:
    """The campaigns that lie in this folder."""
    return "/".join(sorted(each.name for each in Path().glob("*.campaign")))


def _nothing_is_said_of(campaign: Path) -> bool:
    """Whether the place where a campaign lies is no reason to say that nothing can be saved there."""
    disk = os.statvfs(campaign.parent)
    writable = os.access(campaign, os.W_OK) and os.access(campaign.parent, os.W_OK)
    return writable and disk.f_bavail * disk.f_frsize >= ROOM


def _program(begun: int, tables: Sequence[Path]) -> dict[str, str]:
    """The files of this program and their marks. Raises ValueError if one was changed while it ran, or OSError."""
    named = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    files = {Path(file) for file in named if isinstance(file, str)}
    files |= {file for folder in tables for file in folder.iterdir() if file.is_file()}
    found = {str(file.absolute()): file.stat() for file in files}
    if any(max(each.st_mtime_ns, each.st_ctime_ns) >= begun for each in found.values()):
        raise ValueError("The program was changed while it ran.")
    return {file: _told_by(each) for file, each in found.items()}


# -- the file --------------------------------------------------------------------------------------------------


def _path(question: str) -> Path:
    """Where the answer to a question is kept, until another one's is."""
    from cli.store.folders import cache_folder

    return cache_folder() / "answers" / str(int(question[:8], 16) % MOST)


def _listed(marks: dict[str, str]) -> str:
    return "\n".join(f"{path}\t{mark}" for path, mark in marks.items())


def _pairs(listed: str) -> Iterator[tuple[str, str]]:
    for line in listed.split("\n"):
        path, _, mark = line.rpartition("\t")
        yield path, mark


def _keep(*parts: str) -> None:
    """Raises OSError, or ValueError for what cannot be written so."""
    from hashlib import sha256

    if any("\0" in part for part in parts):
        raise ValueError("A text holds what parts them.")
    kept = "\0".join(parts).encode("utf-8")
    path = _path(parts[0])
    path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        fresh.write_bytes(sha256(kept).hexdigest().encode() + b"\n" + kept)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
