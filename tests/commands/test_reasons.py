"""Why something cannot be done: the true reason, in one sentence, with what to do."""

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.store import opening
from cli.store.failures import NO_LOCKS, TOO_LARGE, TOO_LONG, TOO_MANY_FILES
from tests.kit.beginnings import WITH_BROG
from tests.kit.elsewhere import WEAK, needs_setpriv, needs_sh
from tests.kit.shell import Shell, shell_after

fcntl = pytest.importorskip("fcntl")
shell = shell_after(*WITH_BROG)


@pytest.mark.parametrize("length", [495, 510, 600])
def test_a_path_that_is_too_long_for_sqlite_is_told_so(shell: Shell, length: int) -> None:
    folder = shell.folder
    while (missing := length - len(f"{folder}/dc.campaign")) > 0:
        folder /= "d" * min(missing, 100)
    folder.mkdir(parents=True)
    far = folder / "dc.campaign"
    assert shell.run("new", "Far", "--rules", "osr", "-f", str(far)).err == f"dc.campaign was not made: {TOO_LONG}.\n"
    assert shell.run("backup", str(far)).err == f"dc.campaign was not made: {TOO_LONG}.\n"
    assert list(folder.iterdir()) == []
    shutil.copy(shell.folder / "dc.campaign", far)
    for line in (["status"], ["note", "x"]):
        result = shell.run(*line, "-c", str(far))
        assert result.code == 0 if length < 505 else TOO_LONG in result.err, result


@needs_sh
@pytest.mark.parametrize("files", [5, 6, 7, 9])
def test_too_few_files_are_told_so_by_every_command_that_needs_more(shell: Shell, files: int) -> None:
    limited = ("sh", "-c", f'ulimit -n {files}; exec "$@"', "sh")
    for line in (["status"], ["note", "x"], ["stats"], ["new", "X", "--rules", "osr", "-f", "x.campaign"]):
        result = shell.process(*line, before=limited)
        told = TOO_MANY_FILES in result.err.replace("No more", "no more")
        assert (result.code, told) in ((0, False), (6, True)), (line, result)


@needs_sh
def test_a_file_that_may_not_grow_is_told_so(shell: Shell) -> None:
    result = shell.process("note", "x" * 3000, before=("sh", "-c", 'ulimit -f 1; exec "$@"', "sh"))
    assert (result.code, TOO_LARGE in result.err) == (6, True)


def test_a_disk_that_does_not_count_its_blocks_is_not_full(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = SimpleNamespace(f_blocks=0, f_bfree=0, f_bavail=0, f_frsize=4096)
    monkeypatch.setattr(os, "statvfs", lambda _: nothing)
    shell.run("note", "x").ok()


def _refused(*_: Any) -> None:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


def test_a_disk_without_locks_is_told_so_at_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", _refused)
    shell.run("note", "x").is_(6, f"Nothing was saved in dc.campaign: {NO_LOCKS}.")
    monkeypatch.setattr(fcntl, "lockf", _refused)
    monkeypatch.setattr(opening, "FIRST_WAIT", 0.05)
    with closing(sqlite3.connect(shell.folder / "dc.campaign", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")  # SQLite answers here what it answers there: busy
        monkeypatch.setattr("cli.store.connection.LONGEST_WAIT", 3600.0)
        shell.run("status").is_(6, f"dc.campaign cannot be read: {NO_LOCKS}.")


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP])
def test_a_disk_that_knows_no_modes_takes_everything(shell: Shell, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def chmod(path: Path, _: int) -> None:
        raise OSError(code, os.strerror(code), str(path))

    monkeypatch.setattr(Path, "chmod", chmod)
    (shell.folder / "old").touch()
    for line in ("new X --rules osr -f x.campaign", "backup y.campaign", "site pages", "export -o old", "note z"):
        assert shell.run(*line.split()).code == 0, line


@needs_setpriv
def test_a_lock_of_somebody_else_is_named(shell: Shell) -> None:
    lock = shell.folder / "dc.campaign-lock"
    lock.touch(0o600)
    os.chown(lock, 12345, 12345)
    result = shell.process("note", "x", before=WEAK)
    whose = "dc.campaign-lock beside it is somebody else's; if nobody else writes there now, delete it"
    result.is_(6, f"Nothing was saved in dc.campaign: {whose}.")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _full_folder(path: Path) -> None:
    path.mkdir()
    (path / "thing").touch()


def _link_to_a_file(path: Path) -> None:
    path.with_name("other").write_bytes(b"x")
    path.symlink_to("other")


#: what has the name of a lock or journal, and what it is called
IN_THE_WAY: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (Path.mkdir, "a folder"),
    "full folder": (_full_folder, "a folder"),
    "dangling link": (lambda path: path.symlink_to("nowhere"), "a link"),
    "looping link": (lambda path: path.symlink_to(path.name), "a link"),
    "link to a file": (_link_to_a_file, "a link"),
    "pipe": (_pipe, "not a file"),
}


@pytest.mark.parametrize("kind", IN_THE_WAY)
@pytest.mark.parametrize("side", ["-lock", "-journal", "-wal"])
def test_what_has_the_name_of_a_lock_or_journal_is_named_and_stays(shell: Shell, side: str, kind: str) -> None:
    make, what = IN_THE_WAY[kind]
    beside = shell.folder / f"dc.campaign{side}"
    make(beside)
    reason = f"dc.campaign{side} beside it is {what}; move it away and try again.\n"
    blocks_reading = side != "-lock" and beside.exists()
    blocks_writing = side != "-wal" or blocks_reading  # of a -wal that leads nowhere nothing is asked
    for lines, are_blocked in (
        (("status", "verify", "log", "backup y.campaign", "export -o o"), blocks_reading),
        (("note x", "undo", "branch plan", "session open"), blocks_writing),
    ):
        for line in lines:
            result = shell.run(*line.split())
            assert (result.code, result.err.endswith(reason)) == ((6, True) if are_blocked else (0, False)), line
            assert "closed properly" not in result.err
    assert os.path.lexists(beside) or not blocks_writing
