"""Every read, write, sync and open of a command fails once: what is told is true, and nothing acknowledged is lost.

python -m tests.campaigns.failing_disk

A library that is compiled here and loaded before its own lets the n-th call that is about the campaign, or about what
is kept and remembered beside it, fail with EIO or ENOSPC, for each n that a command gets to: that call alone, and that
call with every one after it. "Not saved" of a turn that is there is a failure, as are a traceback, a failed read that
is told as damage, and a campaign that does not verify afterwards. The control is a program that does not look whether
a turn is there after all: it has to say "not saved" of one that is.
"""

import argparse
import errno
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

import data
from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.longer_runs import compiled, end
from tests.kit.shell import Result
from tests.kit.warm import Warm

#: Before the n-th call something may be done to the file instead, as somebody else would.
FAILING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#define NEXT(name, type) ((type) dlsym(RTLD_NEXT, name))
static void meanwhile(const char *what, const char *from, const char *to) {
    if (!strcmp(what, "rename")) syscall(SYS_rename, from, to);
    if (!strcmp(what, "unlink")) syscall(SYS_unlink, from);
    if (!strcmp(what, "unmount")) syscall(SYS_umount2, from, 2);
    if (strcmp(what, "copy")) return;
    char part[65536];
    ssize_t n;
    int in = syscall(SYS_openat, AT_FDCWD, from, O_RDONLY), out = syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_TRUNC);
    while ((n = syscall(SYS_read, in, part, sizeof part)) > 0) syscall(SYS_write, out, part, n);
    syscall(SYS_close, in); syscall(SYS_close, out);
}
static int fails(const char *what, const char *path) {
    static int count = 0;
    const char *at = getenv("FAIL_AT");
    if (!at || !strstr(path, getenv("FAIL_PATH")) || !strstr(getenv("FAIL_KINDS"), what)) return 0;
    if (++count < atoi(at) || (count > atoi(at) && !atoi(getenv("FAIL_LASTING")))) return 0;
    if (count == atoi(at)) {
        int out = syscall(SYS_openat, AT_FDCWD, getenv("FAIL_TOLD"), O_WRONLY | O_CREAT | O_APPEND, 0600);
        dprintf(out, "%s %s\n", what, path); close(out);
    }
    if (getenv("MEANWHILE")) {
        meanwhile(getenv("MEANWHILE"), getenv("MEANWHILE_FROM"), getenv("MEANWHILE_TO"));
        return 0;
    }
    errno = atoi(getenv("FAIL_WITH"));
    return 1;
}
static void killed(void) { if (!errno) kill(getpid(), SIGKILL); }
static int fails_fd(const char *what, int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return fails(what, path);
}
#define CALL(kind, name, type, names, half) \
    ssize_t name type { \
        if (!fails_fd(kind, fd)) return NEXT(#name, ssize_t (*) type) names; \
        if (!errno && atoi(getenv("FAIL_LASTING"))) NEXT(#name, ssize_t (*) type) half; \
        killed(); return -1; }
CALL("write", pwrite64, (int fd, const void *b, size_t n, off64_t o), (fd, b, n, o), (fd, b, n / 2, o))
CALL("write", pwrite, (int fd, const void *b, size_t n, off_t o), (fd, b, n, o), (fd, b, n / 2, o))
CALL("write", write, (int fd, const void *b, size_t n), (fd, b, n), (fd, b, n / 2))
CALL("read", pread64, (int fd, void *b, size_t n, off64_t o), (fd, b, n, o), (fd, b, n / 2, o))
CALL("read", pread, (int fd, void *b, size_t n, off_t o), (fd, b, n, o), (fd, b, n / 2, o))
CALL("read", read, (int fd, void *b, size_t n), (fd, b, n), (fd, b, n / 2))
#define ONE(fails, name, type, names) \
    int name type { if (fails) { killed(); return -1; } return NEXT(#name, int (*) type) names; }
ONE(fails_fd("write", fd), ftruncate64, (int fd, off64_t n), (fd, n))
ONE(fails_fd("write", fd), ftruncate, (int fd, off_t n), (fd, n))
ONE(fails_fd("sync", fd), fdatasync, (int fd), (fd))
ONE(fails_fd("sync", fd), fsync, (int fd), (fd))
ONE(fails_fd("lock", fd), flock, (int fd, int how), (fd, how))
ONE(fails("name", to), link, (const char *from, const char *to), (from, to))
ONE(fails("name", to), rename, (const char *from, const char *to), (from, to))
ONE(fails("name", path), unlink, (const char *path), (path))
#define MAP(name, offset) \
    void *name(void *at, size_t n, int may, int how, int fd, offset o) { \
        if (fd >= 0 && fails_fd("map", fd)) { killed(); return MAP_FAILED; } \
        return NEXT(#name, void *(*)(void *, size_t, int, int, int, offset))(at, n, may, how, fd, o); }
MAP(mmap, off_t)
MAP(mmap64, off64_t)
#define OPEN(name) int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
    if (fails("open", path)) { killed(); return -1; } \
    return NEXT(#name, int (*)(const char *, int, ...))(path, flags, mode); }
OPEN(open)
OPEN(open64)
#define CONTROL(name) int name(int fd, int what, ...) { \
    va_list rest; va_start(rest, what); void *more = va_arg(rest, void *); va_end(rest); \
    if ((what == F_SETLK || what == F_SETLKW) && fails_fd("lock", fd)) { killed(); return -1; } \
    return NEXT(#name, int (*)(int, int, ...))(fd, what, more); }
CONTROL(fcntl)
CONTROL(fcntl64)
"""


class Deed(NamedTuple):
    """A command that saves something, and in which file it would be."""

    words: tuple[str, ...]
    file: str
    #: Turns and branches in the file where it was done, and where it was not; 0: no such file.
    done: int
    undone: int


#: Begun before turns had links; the first write makes them all.
OLD = Path(data.__path__[0]) / "old_logs" / "format-1" / "slashes.campaign"

DEEDS = {
    "append": Deed(("note", "Rain.", "-c", "dc.campaign"), "dc.campaign", 5, 4),
    "undo": Deed(("undo", "--yes", "-c", "dc.campaign"), "dc.campaign", 5, 4),
    "new": Deed(("new", "Mill", "--rules", "osr", "--file", "mill.campaign"), "mill.campaign", 1, 0),
    "import": Deed(("import", "dc.ndjson", "--file", "again.campaign"), "again.campaign", 4, 0),
    "backup": Deed(("backup", "copy.campaign", "-c", "dc.campaign"), "copy.campaign", 4, 0),
    "branch": Deed(("branch", "plan", "-c", "dc.campaign"), "dc.campaign", 5, 4),
    "adopt": Deed(("adopt", "plan", "--yes", "-c", "two.campaign"), "two.campaign", 7, 5),
    "first write of an old file": Deed(("note", "Rain.", "-c", OLD.name), OLD.name, 11, 10),
}
SIDES = ("-wal", "-shm", "-journal", "-lock")
#: What is said of what may be in the file and may not.
UNKNOWN = "may or may not be"
#: What a file is not because one call failed.
BLAMED = ("damaged", "write-protected")
#: All calls but reads and locks; those that find a disk full.
CALLS, FILLING = "write sync open name map", "write sync open name"


class Fault(NamedTuple):
    """Which calls fail, on files whose path has this in it, and how."""

    calls: str
    files: str
    #: An error of the disk; 0: the process is killed there.
    error: int
    #: From then on every such call fails, and not that one alone; of one that is killed: half of the write is done.
    lasting: bool = False

    @property
    def sentence(self) -> str:
        if not self.error:
            return "killed, half written" if self.lasting else "killed"
        return errno.errorcode[self.error] + (" from then on" if self.lasting else "")


#: The folder's too, which tells whether a journal is gone for good.
SYNCS = ("sync", "/now", errno.EIO)
FAULTS = [
    Fault(calls, files, error, lasting)
    for calls, files, error in (
        (CALLS, ".campaign", errno.EIO),
        (FILLING, ".campaign", errno.ENOSPC),
        ("read", ".campaign", errno.EIO),
        (f"{CALLS} read", "/campaign-log/", errno.EIO),
        SYNCS,
    )
    for lasting in (False, True)
]
#: SQLite takes a lock that fails for one that somebody else has, and waits for ten seconds.
LOCKED = Fault("lock", ".campaign", errno.EIO)
KILLS = [Fault(CALLS, ".campaign", 0), Fault("write", ".campaign", 0, lasting=True)]

#: Nobody else has it open, so nobody is waited for.
IMPATIENT = "from cli.store import connection; connection.LONGEST_WAIT = 0.05"
#: The control: after an error it does not look whether the turn is there.
CARELESS = "from cli.store.file import CampaignFile; CampaignFile._is_saved = lambda *_: False"


class Table:
    """A folder with a campaign of four turns, its export, and a program under which calls of the disk fail."""

    def __init__(self, folder: Path, first: str = "") -> None:
        self.folder = folder
        # compiled once, whatever this machine says about that: it is most of what a start takes
        bytecode = os.environ.get("PYTHONPYCACHEPREFIX", str(folder / "compiled"))
        self._program = Warm(
            folder,
            env={"LD_PRELOAD": str(compiled(FAILING, folder)), "PYTHONPYCACHEPREFIX": bytecode},
            first=f"{IMPATIENT}\n{first}",
        )
        self.whole = folder / "whole"
        self.whole.mkdir()

    def __enter__(self) -> Self:
        with ExitStack() as entered:
            entered.enter_context(self._program)
            self._run(self.whole, "new", "Crypt", "--rules", "osr", "--file", "dc.campaign").ok()
            self._run(self.whole, "osr", "enrol", "brog", "--rolled", "4", "-c", "dc.campaign").ok()
            self._run(self.whole, "osr", "damage", "brog", "1", "-c", "dc.campaign").ok()
            self._run(self.whole, "note", "Fog.", "-c", "dc.campaign").ok()
            self._run(self.whole, "export", "-c", "dc.campaign", "-o", "dc.ndjson").ok()
            self._run(self.whole, "import", "dc.ndjson", "--file", "two.campaign").ok()
            for words in ("branch", "plan"), ("note", "There."), ("switch", "main"):
                self._run(self.whole, *words, "-c", "two.campaign").ok()
            shutil.copy(OLD, self.whole)
            entered.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._program.__exit__(kind, error, trace)

    def _run(self, where: Path, *words: str, **env: str) -> Result:
        homes = {name: str(where / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        return self._program.run(where, *words, **homes, **env)

    def tried(self, deed: Deed, fault: Fault, at: int) -> tuple[str, str | None]:
        """What failed ("" if the command does not get that far), and what is wrong with what came of it."""
        where, pipe = self.folder / "now", self.folder / "told"
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(self.whole, where)
        pipe.unlink(missing_ok=True)
        result = self._run(
            where, *deed.words, FAIL_KINDS=fault.calls, FAIL_PATH=fault.files, FAIL_AT=str(at),
            FAIL_WITH=str(fault.error), FAIL_LASTING=str(int(fault.lasting)), FAIL_TOLD=str(pipe),
        )  # fmt: skip
        if not pipe.exists():
            return "", None
        return pipe.read_text("utf-8").strip(), self._wrong(where, deed, fault, result)

    def _wrong(self, where: Path, deed: Deed, fault: Fault, result: Result) -> str | None:
        sentence = f"exit {result.code}: {result.err.strip()[-300:]}"
        if "Traceback" in result.err or result.code not in ((0, 2, 6) if fault.error else (-signal.SIGKILL,)):
            return sentence
        if fault.error and (blamed := next((word for word in BLAMED if word in result.err), None)):
            return f"{sentence}; it is not {blamed}"
        held_turns = held_in(where / deed.file)
        if held_turns not in (deed.done, deed.undone):
            return f"{sentence}; {held_turns} turns and branches"
        is_there, is_acknowledged = held_turns == deed.done, result.code == 0 or result.out != ""
        if is_acknowledged and not is_there:
            return f"{sentence}; it is not there"
        if result.code > 0 and is_there and UNKNOWN not in result.err:
            return f"{sentence}; it is there"
        is_old = (self.whole / deed.file).exists()
        again = self._run(where, "note", "After.", "-c", deed.file if is_old else "dc.campaign")
        if again.code != 0:
            return f"{sentence}; and then: {again.err.strip()[-200:]}"
        side_files = [path.name for path in where.iterdir() if path.name.endswith(SIDES)]
        return f"{sentence}; left beside it: {side_files}" if is_old and side_files else None


def held_in(path: Path) -> int:
    """How many turns and branches there are in a file, which has to verify; 0: no such file, -1: it is no campaign."""
    if not path.exists():
        return 0
    try:
        with open_campaign(path) as log:
            return (
                -1
                if any(finding.kind == "damage" for finding in findings_in(log, quick=True))
                else log.last() + len(log.branches())
            )
    except Unopenable:
        return -1


def each_call(table: Table, deeds: Sequence[str], faults: Sequence[Fault], step: int) -> tuple[Counter[str], list[str]]:
    """Let every `step`-th call of each of these fail; how many there were of each kind, and what went wrong."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    for deed in deeds:
        for fault in faults:
            at = 1
            while (outcome := table.tried(DEEDS[deed], fault, at))[0]:
                failed, sentence = outcome
                call, path = failed.split(" ", 1)
                count[f"{deed}, {call}, {fault.sentence}"] += 1
                if sentence is not None:
                    wrong.append(f"{deed}, {fault.sentence} at {at} ({call} {Path(path).name}): {sentence}")
                at += step
    return count, wrong


def run(deeds: Sequence[str], step: int, faults: Sequence[Fault]) -> tuple[Counter[str], list[str]]:
    """The same at a table of its own."""
    with tempfile.TemporaryDirectory() as name, Table(Path(name)) as table:
        return each_call(table, deeds, faults, step)


def control() -> int:
    """How often a careless program says of a turn that it was not saved, and it is there."""
    with tempfile.TemporaryDirectory() as name, Table(Path(name), CARELESS) as table:
        return len(each_call(table, ["append"], [Fault(*SYNCS)], 1)[1])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="only every so many-th call fails")
    parser.add_argument("--only", choices=list(DEEDS), action="append")
    options = parser.parse_args(arguments)
    if shutil.which("cc") is None or not sys.platform.startswith("linux"):
        print("There is no compiler here, so no call can be made to fail; nothing was tried.")
        return
    count, wrong = run(options.only or list(DEEDS), options.step, [*FAULTS, LOCKED])
    careless = control()
    print(
        f"every {options.step}. call: {count.total()} calls failed, {len(wrong)} told wrongly;"
        f" control: a careless program told {careless} wrongly"
    )
    for call, times in sorted(count.items()):
        print(f"  {call:<32} {times:5}")
    end(wrong, is_able_to_fail=bool(count and careless))


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
