"""The power goes at any moment: what was not synced is there, or not, or torn. No acknowledged turn is lost.

python -m tests.campaigns.power_loss --images 2000 --seed 7

Every write, sync and removal of a writer is recorded by a library that is compiled here and loaded before its own.
An image is the disk at one moment of that: what was synced, and of the rest any part. The control is the same with
`synchronous=OFF`, which has to lose turns, or nothing was tried.
"""

import argparse
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cli.store import connection
from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from domain.log.port import DamagedLog
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.longer_runs import compiled
from tests.kit.on_disk import note, started

ROOT = Path(__file__).parents[2]
SECTOR = 512
RECORDING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
#define NEXT(name, type) ((type) dlsym(RTLD_NEXT, name))
static void record(char what, const char *path, uint64_t at, uint64_t size, const void *data) {
    static int out = -1;
    if (what != 'S' && !strstr(path, ".campaign")) return;
    if (out < 0) out = syscall(SYS_openat, AT_FDCWD, getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    uint64_t head[4] = { (uint64_t) what, strlen(path), at, size };
    struct iovec parts[3] = { { head, sizeof head }, { (void *) path, head[1] }, { (void *) data, data ? size : 0 } };
    syscall(SYS_writev, out, parts, 3);
}
static void record_fd(char what, int fd, uint64_t at, uint64_t size, const void *data) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0) { path[length] = 0; record(what, path, at, size, data); }
}
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) {
    record_fd('W', fd, o, n, b);
    return NEXT("pwrite64", ssize_t (*)(int, const void *, size_t, off64_t))(fd, b, n, o); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) {
    record_fd('W', fd, o, n, b); return NEXT("pwrite", ssize_t (*)(int, const void *, size_t, off_t))(fd, b, n, o); }
ssize_t write(int fd, const void *b, size_t n) {
    off_t at = lseek(fd, 0, SEEK_CUR);  // an SQLite without pwrite goes there first
    record_fd('W', fd, at < 0 ? 0 : at, n, b); return NEXT("write", ssize_t (*)(int, const void *, size_t))(fd, b, n); }
int ftruncate64(int fd, off64_t n) {
    record_fd('T', fd, 0, n, 0); return NEXT("ftruncate64", int (*)(int, off64_t))(fd, n); }
int ftruncate(int fd, off_t n) { record_fd('T', fd, 0, n, 0); return NEXT("ftruncate", int (*)(int, off_t))(fd, n); }
int fdatasync(int fd) { record_fd('S', fd, 0, 0, 0); return NEXT("fdatasync", int (*)(int))(fd); }
int fsync(int fd) { record_fd('S', fd, 0, 0, 0); return NEXT("fsync", int (*)(int))(fd); }
int unlink(const char *path) { record('U', path, 0, 0, 0); return NEXT("unlink", int (*)(const char *))(path); }
"""


class Done(NamedTuple):
    """One thing that was asked of the disk: Write, Truncate, Sync, Unlink, or an Acknowledgement by the writer."""

    what: str
    file: str
    at: int
    size: int
    data: bytes


def write(path: Path, turns: int, synchronous: str) -> None:
    """Append, closing the file now and then, and say each time that it is saved."""
    connection.PRAGMAS = (f"synchronous={synchronous}", *connection.PRAGMAS[1:])
    acknowledge = os.open(f"{path}-saved", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for begin in range(0, turns, 7):
        with open_campaign(path, write=True) as campaign:
            for number in range(campaign.last() + 1, campaign.last() + 1 + min(7, turns - begin)):
                campaign.append(note(number, text="x" * (number * 811 % 6000)))
                os.write(acknowledge, b"+")


def writes_of(folder: Path, turns: int, synchronous: str) -> tuple[bytes, list[Done]]:
    """The campaign as it was, and everything that a writer asked of the disk since."""
    path, record = folder / "dc.campaign", folder / "record"
    started(path, turns=3)
    before = path.read_bytes()
    library = compiled(RECORDING, folder)
    command = [sys.executable, "-m", "tests.campaigns.power_loss", "--write", str(path), "--turns", str(turns)]
    environment = {**os.environ, "LD_PRELOAD": str(library), "RECORD_TO": str(record)}
    subprocess.run([*command, "--synchronous", synchronous], env=environment, cwd=ROOT, check=True)
    return before, list(parsed(record.read_bytes(), str(folder)))


def parsed(record: bytes, folder: str) -> Iterator[Done]:
    """The record of the library."""
    at = 0
    while at < len(record):
        kind, length, where, size = struct.unpack_from("=4Q", record, at)
        at += 32
        path = record[at : at + length].decode()
        at += length
        data = record[at : at + size] if chr(kind) == "W" else b""
        at += len(data)
        if path.startswith(folder):  # the folder itself is called ""
            yield Done(chr(kind), path.removeprefix(folder).removeprefix("/"), where, size, data)


class Disk:
    """Files and names as they are for certain, and what has been asked of them since they were last synced."""

    def __init__(self, before: bytes) -> None:
        # a name leads to a file by a number of its own, as a journal is made and removed once for each turn
        self.names = {"dc.campaign": 0}
        self.pending_names: list[tuple[str, int | None]] = []
        self.files: list[bytearray | None] = [bytearray(before)]
        self.pending: dict[int, list[Done]] = {}
        self.acknowledged = 0

    def take(self, entry: Done) -> None:
        """One more thing was done."""
        if entry.file.endswith("-saved"):
            self.acknowledged += 1
        elif not entry.file:
            self.names = self._names(len(self.pending_names))
            self.pending_names = []
        elif entry.file.endswith(("-journal", ".campaign")):
            file = self._names(len(self.pending_names)).get(entry.file)
            if entry.what == "U":
                self.pending_names.append((entry.file, None))
                return
            if file is None:
                file = len(self.files)
                self.files.append(bytearray())
                self.pending_names.append((entry.file, file))
            if entry.what == "S":
                for write in self.pending.pop(file, []):
                    self.files[file] = applied(self.files[file], write)
            else:
                self.pending.setdefault(file, []).append(entry)

    def _names(self, upto: int) -> dict[str, int]:
        names: dict[str, int | None] = {**self.names, **dict(self.pending_names[:upto])}
        return {name: file for name, file in names.items() if file is not None}

    def image(self, chance: random.Random) -> dict[str, bytearray]:
        """What may be found after the power came back: names change in order, contents as it happens."""
        files: dict[str, bytearray] = {}
        share = chance.choice((0.0, 0.5, 0.9, 1.0))
        for name, file in self._names(chance.randint(0, len(self.pending_names))).items():
            content = None if (whole := self.files[file]) is None else bytearray(whole)
            for write in self.pending.get(file, ()):
                if chance.random() < share:
                    content = applied(content, write, torn=chance if chance.random() < 0.3 else None)
            if content is not None:
                files[name] = content
        return files


def applied(content: bytearray | None, write: Done, torn: random.Random | None = None) -> bytearray | None:
    """A file after one thing was done to it; `torn`: only some sectors of a write."""
    content = bytearray() if content is None else content
    if write.what == "T":
        return content[: write.size].ljust(write.size, b"\0")
    end = write.at + len(write.data)
    content.extend(bytes(max(0, end - len(content))))
    for start in range(0, len(write.data), SECTOR):
        if torn is None or torn.random() < 0.5:
            part = write.data[start : start + SECTOR]
            content[write.at + start : write.at + start + len(part)] = part
    return content


def loses_a_turn(folder: Path, image: dict[str, bytearray], acknowledged: int) -> bool:
    """Whether an acknowledged turn is gone, or the file is damaged."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)
    try:
        with open_campaign(folder / "dc.campaign") as campaign:
            numbers = [turn.number for turn in campaign.read()]
            is_whole = numbers == list(range(1, len(numbers) + 1)) and not list(findings_in(campaign, quick=True))
    except (Unopenable, DamagedLog):
        return True
    return not is_whole or len(numbers) < 3 + acknowledged


def run(images: int, chance: random.Random, synchronous: str, turns: int) -> tuple[int, int, int]:
    """So many images: how many, how many turns were acknowledged at the end, how many images lost one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        before, writes = writes_of(folder, turns, synchronous)
        moments = sorted(chance.randrange(1, len(writes) + 1) for _ in range(images))
        disk, position, losses = Disk(before), 0, 0
        for moment in moments:
            for step in writes[position:moment]:
                disk.take(step)
            position = moment
            losses += loses_a_turn(folder / "image", disk.image(chance), disk.acknowledged)
    return images, disk.acknowledged, losses


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=500)
    parser.add_argument("--turns", type=int, default=60)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--synchronous", default="EXTRA", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.write:
        write(options.write, options.turns, options.synchronous)
        return
    if shutil.which("cc") is None or not sys.platform.startswith("linux"):
        print("There is no compiler here, so no writer can be recorded; nothing was tried.")
        return
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    images, acknowledged, losses = run(options.images, random.Random(seed), "EXTRA", options.turns)
    _, _, control = run(max(50, options.images // 10), random.Random(seed), "OFF", options.turns)
    print(f"seed {seed}: {images} images, {acknowledged} turns acknowledged, {losses} images that lost one;"
          f" control: synchronous=OFF lost some in {control}")  # fmt: skip
    if losses or not control:
        sys.exit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
