"""Every read, write, sync and open of a command fails once: what is told is true, and nothing acknowledged is lost.

python -m tests.campaigns.failing_disk

A library that is compiled here and loaded before its own lets the n-th call that is about the campaign fail, with EIO
or ENOSPC, for each n that a command gets to. "Not saved" of a turn that is there is a failure, as are a traceback, a
failed read that is told as damage, and a campaign that does not verify afterwards. The control is a program that does
not look whether a new file is whole: it has to say "done" of one that is not.
"""

import argparse
import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cli.store.checking import verified
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from tests.kit.shell import PROGRAM, ROOT

FAILING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#define NEXT(name, type) ((type) dlsym(RTLD_NEXT, name))
static int fails(const char *what, const char *path) {
    static int count = 0;
    const char *kinds = getenv("FAIL_KINDS"), *at = getenv("FAIL_AT");
    if (!at || !strstr(path, ".campaign") || strstr(path, "-shm") || !strstr(kinds, what)) return 0;
    if (++count != atoi(at)) return 0;
    int out = syscall(SYS_openat, AT_FDCWD, getenv("FAIL_TOLD"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dprintf(out, "%s %s\n", what, path); close(out);
    errno = atoi(getenv("FAIL_WITH"));
    return 1;
}
static int fails_fd(const char *what, int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return fails(what, path);
}
#define CALL(kind, name, type, names, values) \
    ssize_t name type { if (fails_fd(kind, fd)) return -1; return NEXT(#name, ssize_t (*) type) values; }
CALL("write", pwrite64, (int fd, const void *b, size_t n, off64_t o), , (fd, b, n, o))
CALL("write", pwrite, (int fd, const void *b, size_t n, off_t o), , (fd, b, n, o))
CALL("write", write, (int fd, const void *b, size_t n), , (fd, b, n))
CALL("read", pread64, (int fd, void *b, size_t n, off64_t o), , (fd, b, n, o))
CALL("read", pread, (int fd, void *b, size_t n, off_t o), , (fd, b, n, o))
CALL("read", read, (int fd, void *b, size_t n), , (fd, b, n))
int ftruncate64(int fd, off64_t n) {
    if (fails_fd("write", fd)) return -1; return NEXT("ftruncate64", int (*)(int, off64_t))(fd, n); }
int ftruncate(int fd, off_t n) {
    if (fails_fd("write", fd)) return -1; return NEXT("ftruncate", int (*)(int, off_t))(fd, n); }
int fdatasync(int fd) { if (fails_fd("sync", fd)) return -1; return NEXT("fdatasync", int (*)(int))(fd); }
int fsync(int fd) { if (fails_fd("sync", fd)) return -1; return NEXT("fsync", int (*)(int))(fd); }
#define OPEN(name) int name(const char *path, int flags, ...) { \
    va_list rest; va_start(rest, flags); int mode = va_arg(rest, int); va_end(rest); \
    if (fails("open", path)) return -1; \
    return NEXT(#name, int (*)(const char *, int, ...))(path, flags, mode); }
OPEN(open)
OPEN(open64)
"""


class Deed(NamedTuple):
    """A command that saves something, and in which file it would be."""

    words: tuple[str, ...]
    file: str
    #: Turns in the file where it was done, and where it was not; 0: no such file.
    done: int
    undone: int


DEEDS = {
    "append": Deed(("note", "Rain.", "-c", "dc.campaign"), "dc.campaign", 5, 4),
    "undo": Deed(("undo", "--yes", "-c", "dc.campaign"), "dc.campaign", 5, 4),
    "new": Deed(("new", "Mill", "--rules", "osr", "--file", "mill.campaign"), "mill.campaign", 1, 0),
    "import": Deed(("import", "dc.ndjson", "--file", "again.campaign"), "again.campaign", 4, 0),
    "backup": Deed(("backup", "copy.campaign", "-c", "dc.campaign"), "copy.campaign", 4, 0),
}
KINDS = {"write": "write sync open", "read": "read"}
ERRORS = {"EIO": errno.EIO, "ENOSPC": errno.ENOSPC}
#: What is said of what is in the file for certain not, and of what may be.
NOT_SAVED = ("not saved", "Nothing was saved", "was not made", "cannot be", "Nothing was imported", "restore it")
UNKNOWN = "not known whether"


#: The control: it gives a new file its name without looking whether all of it is there.
CARELESS = (
    sys.executable,
    "-c",
    "import cli.store.making; cli.store.making.must_hold = lambda *_: None; from cli.main import main; main()",
)


class Table:
    """A folder with a campaign of four turns, its export, and the library that fails."""

    def __init__(self, folder: Path, program: Sequence[str] = PROGRAM) -> None:
        self.folder, self.program = folder, program
        source, self.library = folder / "failing.c", folder / "failing.so"
        source.write_text(FAILING)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.library, source, "-ldl"], check=True)
        self.whole = folder / "whole"
        self.whole.mkdir()
        self._run(self.whole, "new", "Crypt", "--rules", "osr", "--file", "dc.campaign")
        self._run(self.whole, "osr", "enrol", "brog", "--rolled", "4", "-c", "dc.campaign")
        self._run(self.whole, "osr", "damage", "brog", "1", "-c", "dc.campaign")
        self._run(self.whole, "note", "Fog.", "-c", "dc.campaign")
        self._run(self.whole, "export", "-c", "dc.campaign", "-o", "dc.ndjson")

    def _run(self, where: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        homes = {name: str(where / name.lower()) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
        # compiled once, whatever this machine says about that: it is most of what a command takes
        compiled = {"PYTHONPYCACHEPREFIX": os.environ.get("PYTHONPYCACHEPREFIX", str(self.folder / "compiled"))}
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **compiled, **homes, **env}
        for name in ("CAMPAIGN", "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        return subprocess.run(
            [*self.program, *words],
            cwd=where,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def tried(self, deed: Deed, kinds: str, error: int, at: int) -> tuple[str, str | None]:
        """What failed ("" if the command does not get that far), and what is wrong with what came of it."""
        where, told = self.folder / "now", self.folder / "told"
        shutil.rmtree(where, ignore_errors=True)
        shutil.copytree(self.whole, where)
        told.unlink(missing_ok=True)
        done = self._run(
            where, *deed.words, LD_PRELOAD=str(self.library), FAIL_KINDS=kinds, FAIL_AT=str(at),
            FAIL_WITH=str(error), FAIL_TOLD=str(told),
        )  # fmt: skip
        if not told.exists():
            return "", None
        return told.read_text().strip(), self._wrong(where, deed, done)

    def _wrong(self, where: Path, deed: Deed, done: subprocess.CompletedProcess[str]) -> str | None:
        said = f"exit {done.returncode}: {done.stderr.strip()[-300:]}"
        if "Traceback" in done.stderr or done.returncode not in (0, 2, 6):
            return said
        found = turns_in(where / deed.file)
        if found not in (deed.done, deed.undone):
            return f"{said}; {found} turns"
        is_there = found == deed.done
        if done.returncode == 0 and not is_there:
            return f"{said}; it is not there"
        if done.returncode != 0 and is_there and UNKNOWN not in done.stderr:
            return f"{said}; it is there"
        again = self._run(where, "note", "After.", "-c", "dc.campaign")
        return None if again.returncode == 0 else f"{said}; and then: {again.stderr.strip()[-200:]}"


def turns_in(path: Path) -> int:
    """How many turns there are in a file, which has to verify; 0 if there is no such file, -1 if it is no campaign."""
    if not path.exists():
        return 0
    try:
        with open_campaign(path) as log:
            return -1 if any(each.kind == "damage" for each in verified(log, quick=True)) else log.last()
    except Unopenable:
        return -1


def run(deeds: Sequence[str], step: int) -> tuple[Counter[str], list[str]]:
    """Let every `step`-th call of each of these fail; how many there were of each kind, and what went wrong."""
    count: Counter[str] = Counter()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        table = Table(Path(name))
        for deed in deeds:
            for kinds in KINDS.values():
                for error, code in ERRORS.items():
                    if kinds == "read" and error == "ENOSPC":
                        continue
                    at = 1
                    while True:
                        failed, told = table.tried(DEEDS[deed], kinds, code, at)
                        if not failed:
                            break
                        count[f"{deed}, {failed.partition(' ')[0]}, {error}"] += 1
                        if told is not None:
                            wrong.append(f"{deed}, {error} at {at} ({Path(failed).name}): {told}")
                        at += step
    return count, wrong


def control(step: int = 4) -> int:
    """How often a careless program says of a new campaign that it is made, and it is not whole."""
    with tempfile.TemporaryDirectory() as name:
        table, wrong, at = Table(Path(name), CARELESS), 0, 1
        while (told := table.tried(DEEDS["new"], KINDS["write"], errno.ENOSPC, at))[0]:
            wrong += told[1] is not None
            at += step
    return wrong


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1, help="only every so many-th call fails")
    parser.add_argument("--only", choices=list(DEEDS), action="append")
    asked = parser.parse_args(arguments)
    if shutil.which("cc") is None or not sys.platform.startswith("linux"):
        print("There is no compiler here, so no call can be made to fail; nothing was tried.")
        return
    count, wrong = run(asked.only or list(DEEDS), asked.step)
    careless = control()
    print(
        f"every {asked.step}. call: {count.total()} calls failed, {len(wrong)} told wrongly;"
        f" control: a careless program told {careless} wrongly"
    )
    for what, times in sorted(count.items()):
        print(f"  {what:<32} {times:5}")
    for each in wrong[:40]:
        print(f"  {each}")
    if wrong or not count or not careless:
        sys.exit(1)


if __name__ == "__main__":
    main()
