"""Appending when something fails: saved, not saved and not known are told apart, and nothing is told wrongly."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from cli.store import connection
from cli.store.branches import make_branch
from cli.store.failures import Unopenable, disk_is_full
from cli.store.file import CampaignFile, open_campaign
from cli.store.lock import sole_writer
from cli.store.making import create
from domain.common.notes import Note
from domain.log.port import MaybeSaved, NotSaved
from tests.kit.elsewhere import needs, renames_what_is_open
from tests.kit.on_disk import beside, first_turn, handler_of, meddle, note, started

CODES = {
    "full": sqlite3.SQLITE_FULL,
    "busy": sqlite3.SQLITE_BUSY,
    "write-protected": sqlite3.SQLITE_READONLY,
    "disk error": sqlite3.SQLITE_IOERR_WRITE,
    "disk error while syncing": sqlite3.SQLITE_IOERR_FSYNC,
    "memory": sqlite3.SQLITE_NOMEM,
    "damaged": sqlite3.SQLITE_CORRUPT,
}

needs_renaming = pytest.mark.skipif(not renames_what_is_open(), reason="no open file is renamed on this system")


class Fault:
    """The n-th thing that a connection is asked for fails, before or after it was done."""

    def __init__(self, at: int, code: int, *, done: bool = False) -> None:
        self.at, self.code, self.done = at, code, done
        self.asked: list[str] = []

    def around(self, what: str, do: Any, *arguments: Any) -> Any:
        self.asked.append(what)
        if len(self.asked) != self.at:
            return do(*arguments)
        if self.done and isinstance(cursor := do(*arguments), sqlite3.Cursor):
            cursor.close()  # as SQLite does when it fails by itself
        raise self.error()

    def error(self) -> BaseException:
        error = sqlite3.OperationalError("secret words of the library")
        error.sqlite_errorcode = self.code
        return error

    @property
    def met(self) -> bool:
        return len(self.asked) >= self.at

    @contextmanager
    def for_new_connections(self) -> Iterator["Fault"]:
        fault, connect = self, sqlite3.connect

        class Cursor(sqlite3.Cursor):
            def execute(self, *arguments: Any) -> Any:
                return fault.around(str(arguments[0]), super().execute, *arguments)

        class Connection(sqlite3.Connection):
            def cursor(self, *_: Any) -> Any:
                return super().cursor(Cursor)

            def execute(self, *arguments: Any) -> Any:
                return self.cursor().execute(*arguments)

            def commit(self) -> None:
                fault.around("COMMIT", super().commit)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite3, "connect", partial(connect, factory=Connection))
            yield self


class Interruption(Fault):
    """Ctrl-C is pressed while the n-th thing is being done; Python tells of it afterwards."""

    def __init__(self, at: int) -> None:
        super().__init__(at, 0, done=True)

    def error(self) -> BaseException:
        return KeyboardInterrupt()


def statements_of_an_append(tmp_path: Path) -> list[str]:
    path = started(tmp_path / "counted.campaign", turns=3)
    fault = Fault(10_000, 0)
    with open_campaign(path, write=True) as campaign, fault.for_new_connections():
        campaign.append(note(4))
    return fault.asked


def plain(error: Exception) -> None:
    sentence = str(error)
    assert sentence.endswith(".") and "secret" not in sentence and "sqlite" not in sentence.casefold()


@pytest.mark.parametrize("why", CODES)
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done all the same"])
def test_whatever_fails_in_an_append_the_answer_is_true(tmp_path: Path, why: str, done: bool) -> None:
    statements = statements_of_an_append(tmp_path)
    assert statements[-1] == "COMMIT" and any("INSERT INTO stored_events" in statement for statement in statements)
    for at in range(1, len(statements) + 1):
        path = started(tmp_path / f"{at}.campaign", turns=3)
        fault = Fault(at, CODES[why], done=done)
        with open_campaign(path, write=True) as campaign:
            try:
                with fault.for_new_connections():
                    campaign.append(note(4))
                saved = True
            except NotSaved as error:
                plain(error)
                saved = False
            assert fault.met
            assert saved == (done and statements[at - 1] == "COMMIT")
            assert campaign.last() == (4 if saved else 3)
            assert (campaign.find("id-4") is not None) == saved
            # and again: once there, whatever became of the first
            campaign.append(note(4))
            campaign.append(note(5))
        with open_campaign(path) as campaign:
            assert [turn.number for turn in campaign.read()] == [1, 2, 3, 4, 5]
        assert not Path(f"{path}-wal").exists()


@contextmanager
def somebody_reading(path: Path) -> Iterator[None]:
    """A reader who keeps a file of before in WAL mode, and the -wal from being cleared."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("BEGIN")
        connection.execute("SELECT * FROM turn_ids").fetchall()
        yield


def test_a_failed_sync_that_could_still_come_true_is_not_called_not_saved(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.05)
    # the bytes of a commit that was reported as failed may lie in the -wal, and come back after a crash
    at = len(statements_of_an_append(path.parent))
    with somebody_reading(path), open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        campaign.append(note(5))
        campaign._drop_writer()
        with (
            Fault(at, sqlite3.SQLITE_IOERR_FSYNC).for_new_connections(),
            pytest.raises(MaybeSaved, match="may or may not") as raised,
        ):
            campaign.append(note(6))
        plain(raised.value)
        campaign.append(note(6))
        assert campaign.last() == 6


@pytest.mark.parametrize("done", [False, True])
def test_not_known_if_it_cannot_be_looked_up(path: Path, monkeypatch: pytest.MonkeyPatch, done: bool) -> None:
    with open_campaign(path, write=True) as campaign:
        fault = Fault(len(statements_of_an_append(path.parent)), sqlite3.SQLITE_IOERR_FSYNC, done=done)
        with fault.for_new_connections(), monkeypatch.context() as patch, pytest.raises(MaybeSaved):
            patch.setattr(campaign, "_holds", Mock(side_effect=fault.error()))
            campaign.append(note(4))
        campaign.append(note(4))
        assert [turn.number for turn in campaign.read()] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("before_the_commit", "code", "error"),
    [
        (0, sqlite3.SQLITE_IOERR_FSYNC, MaybeSaved),
        (0, sqlite3.SQLITE_FULL, NotSaved),
        (1, sqlite3.SQLITE_IOERR_FSYNC, NotSaved),
    ],
)
def test_not_known_if_what_a_commit_may_have_left_cannot_be_cleared(
    path: Path, before_the_commit: int, code: int, error: type[Exception]
) -> None:
    with open_campaign(path, write=True) as campaign:
        at = len(statements_of_an_append(path.parent)) - before_the_commit
        reader = campaign._reader

        def execute(statement: str, *values: Any) -> sqlite3.Cursor:
            if "wal_checkpoint" in statement:
                raise sqlite3.OperationalError("disk I/O error")
            return reader.execute(statement, *values)

        with Fault(at, code).for_new_connections():
            campaign._reader = Mock(spec=sqlite3.Connection, execute=execute)
            with pytest.raises(error):
                campaign.append(note(4))
        campaign._reader = reader
        assert campaign.last() == 3


def test_interrupted_after_any_statement_of_an_append(tmp_path: Path) -> None:
    statements = statements_of_an_append(tmp_path)
    for at in range(1, len(statements) + 1):
        path = started(tmp_path / f"{at}.campaign", turns=3)
        with open_campaign(path, write=True) as campaign:
            with Interruption(at).for_new_connections(), pytest.raises(KeyboardInterrupt):
                campaign.append(note(4))
            assert campaign.last() == (4 if statements[at - 1] == "COMMIT" else 3)
            campaign.append(note(4))
            campaign.append(note(5))
            assert [turn.number for turn in campaign.read()] == [1, 2, 3, 4, 5]
        assert not {f"{path.name}-wal", f"{path.name}-lock"} & set(beside(path))


FAILING_SYNC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
static int sync_by(const char *name, int fd) {
    const char *flag = getenv("DISK_BROKEN_WHILE");
    if (flag && access(flag, F_OK) == 0) { errno = EIO; return -1; }
    return ((int (*)(int)) dlsym(RTLD_NEXT, name))(fd);
}
int fdatasync(int fd) { return sync_by("fdatasync", fd); }
int fsync(int fd) { return sync_by("fsync", fd); }
"""

APPEND_ON_A_BROKEN_DISK = """
import os, pathlib, sys
from cli.store.file import open_campaign
from domain.log.port import NotSaved
from tests.kit.on_disk import note
with open_campaign(sys.argv[1], write=True) as campaign:
    campaign.append(note(4))
    pathlib.Path(os.environ["DISK_BROKEN_WHILE"]).touch()
    try:
        campaign.append(note(5))
    except NotSaved:
        print("not saved", campaign.last(), flush=True)
    os.kill(os.getpid(), 9)
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("cc") is None, reason="syncing cannot be made to fail here"
)
def test_a_disk_that_fails_to_sync_and_then_a_crash(path: Path) -> None:
    """What was told as not saved does not come back."""
    library, source = path.with_name("failing_sync.so"), path.with_name("failing_sync.c")
    source.write_text(FAILING_SYNC, "utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    done = subprocess.run(
        [sys.executable, "-c", APPEND_ON_A_BROKEN_DISK, path],
        env={**os.environ, "LD_PRELOAD": str(library), "DISK_BROKEN_WHILE": str(path.with_name("broken"))},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=False,
    )
    assert done.stdout == b"not saved 4\n", done.stderr
    with open_campaign(path, write=True) as campaign:
        assert campaign.last() == 4
        campaign.append(note(5))
        assert campaign.last() == 5


# -- branches


@pytest.mark.parametrize("why", CODES)
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done all the same"])
def test_whatever_fails_in_making_a_branch_the_answer_is_true(tmp_path: Path, why: str, done: bool) -> None:
    counting = Fault(10_000, 0)
    with (
        open_campaign(started(tmp_path / "counted.campaign", turns=3), write=True) as campaign,
        counting.for_new_connections(),
    ):
        make_branch(campaign, "plan", 2, switch=True)
    statements = counting.asked
    assert statements[-1] == "COMMIT" and statements.count("COMMIT") == 1, "one transaction"
    for at in range(1, len(statements) + 1):
        path = started(tmp_path / f"{at}.campaign", turns=3)
        with open_campaign(path, write=True) as campaign:
            try:
                with Fault(at, CODES[why], done=done).for_new_connections():
                    make_branch(campaign, "plan", 2, switch=True)
                saved = True
            except NotSaved as error:
                plain(error)
                saved = False
            assert saved == (done and statements[at - 1] == "COMMIT")
        with open_campaign(path, write=True) as campaign:
            assert campaign.branch == ("plan" if saved else "main")
            assert len(campaign.branches()) == int(saved)
            if not saved:
                make_branch(campaign, "plan", 2)


def test_a_branch_of_which_it_is_not_known_whether_it_was_made(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.05)
    at = len(connection.PRAGMAS) + 4  # the commit
    with somebody_reading(path), open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        campaign._drop_writer()
        with (
            Fault(at, sqlite3.SQLITE_IOERR_FSYNC).for_new_connections() as fault,
            pytest.raises(MaybeSaved, match="may or may not") as raised,
        ):
            make_branch(campaign, "plan", 2, switch=True)
        assert fault.asked[-1] == "COMMIT"
        plain(raised.value)


# -- renamed while it is open


@needs_renaming
def test_renamed_while_it_is_open_it_says_so_once_and_goes_on_under_its_new_name(path: Path) -> None:
    new = path.with_name("new.campaign")
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        path.rename(new)
        with open_campaign(new, write=True) as other:
            other.append(note(5, text="outside"))
        with pytest.raises(NotSaved, match=r"is called new\.campaign now\..*send it again"):
            campaign.append(note(6))
        campaign.append(note(6))
        assert (campaign.name, campaign.address) == ("new.campaign", str(new))
    assert beside(path) == ["new.campaign"] and notes_in(new) == [1, 2, 3, 4, 5, 6]


@needs_renaming
def test_renamed_just_before_it_is_closed(path: Path) -> None:
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        path.rename(path.with_name("new.campaign"))
    assert beside(path) == ["new.campaign"]
    with open_campaign(path.with_name("new.campaign"), write=True) as campaign:
        campaign.append(note(5))
        assert campaign.last() == 5


# -- busy


def test_busy_for_too_long(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.05)
    with open_campaign(path, write=True) as campaign, sole_writer(path):
        with pytest.raises(NotSaved, match=r"dc\.campaign is busy; try again\."):
            campaign.append(note(4))
        assert campaign.last() == 3
    with sole_writer(path.with_name("new.campaign")), pytest.raises(NotSaved, match="is busy; try again"):
        create(path.with_name("new.campaign"), "abc", first_turn())


def test_another_program_holding_the_database(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.05)
    with open_campaign(path, write=True) as campaign:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(NotSaved, match="it is busy; try again"):
                campaign.append(note(4))
        campaign.append(note(4))


def test_a_lock_left_by_the_dead_is_taken_over(path: Path) -> None:
    Path(f"{path}-lock").write_bytes(b"")
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
    assert beside(path) == [path.name]


def test_a_lock_that_was_removed_meanwhile_is_no_lock(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.05)
    lock = Path(f"{path}-lock")
    locked = fcntl.flock
    held: list[Any] = []

    def late(fd: int, flags: int) -> None:
        if not held:
            # whoever had it lets go of it, and the next one is there before us
            lock.unlink()
            held.append(lock.open("w", encoding="utf-8"))
            locked(held[0], flags)
        locked(fd, flags)

    monkeypatch.setattr(fcntl, "flock", late)
    with open_campaign(path, write=True) as campaign, pytest.raises(NotSaved, match="is busy"):
        campaign.append(note(4))
    held[0].close()


def test_it_is_the_lock_that_portalocker_takes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes from another system, or with an older version, meets the same one."""
    import portalocker

    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.05)
    with Path(f"{path}-lock").open("w", encoding="utf-8") as theirs:
        portalocker.lock(theirs, portalocker.LOCK_EX | portalocker.LOCK_NB)
        with open_campaign(path, write=True) as campaign, pytest.raises(NotSaved, match="is busy"):
            campaign.append(note(4))


def test_opening_what_another_program_keeps_to_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "LONGEST_WAIT", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE").fetchall()
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Unopenable, match="it is busy; try again") as raised:
            open_campaign(path)
        assert raised.value.exit_code == 6


def notes_in(file: Path) -> list[int]:
    """The numbers of the turns in a campaign, or in the lines of an export."""
    if file.suffix == ".ndjson":
        return [json.loads(line)["number"] for line in file.read_text("utf-8").splitlines()]
    with open_campaign(file) as campaign:
        return [turn.number for turn in campaign.read()]


@needs_renaming
@pytest.mark.parametrize("next_line", [True, False], ids=["and another line", "and closed"])
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_file_that_is_nowhere_any_more_is_written_beside_where_it_was(path: Path, how: str, next_line: bool) -> None:
    other = started(path.with_name("other"), turns=2)
    campaign = open_campaign(path, write=True)
    campaign.append(note(4))
    if how == "deleted":
        path.unlink()
    else:
        other.replace(path)
    if next_line:
        for _ in range(2):
            with pytest.raises(NotSaved, match=r"What it held is in dc-rescued\.campaign now; nothing more is saved"):
                campaign.append(note(5))
        campaign.close()
    else:
        with pytest.raises(NotSaved, match=r"What it held is in dc-rescued\.campaign now"):
            campaign.close()
    assert notes_in(path.with_name("dc-rescued.campaign")) == [1, 2, 3, 4]
    assert how == "deleted" or notes_in(path) == [1, 2]
    assert {"dc-rescued-2.campaign", "dc.campaign-journal"}.isdisjoint(beside(path))


@pytest.mark.parametrize("by", ["an older copy", "nothing", "something else"])
def test_a_file_that_is_overwritten_takes_no_turn_and_what_was_answered_is_written_beside_it(
    path: Path, by: str
) -> None:
    older = path.read_bytes()
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        campaign.append(note(5))
        path.write_bytes({"an older copy": older, "nothing": b"", "something else": b"dear diary" * 9000}[by])
        after = path.read_bytes()
        for _ in range(2):
            with pytest.raises(NotSaved, match=r"What it held is in dc-rescued\.ndjson now; nothing more is saved"):
                campaign.append(note(6))
    assert path.read_bytes() == after
    assert notes_in(path.with_name("dc-rescued.ndjson")) == [4, 5]


@needs_renaming
@pytest.mark.parametrize("how", ["in place", "by another file"])
def test_replaced_by_what_holds_the_same_it_goes_on(path: Path, how: str) -> None:
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        same = Path(shutil.copy(path, path.with_name("same")))
        if how == "in place":
            path.write_bytes(same.read_bytes())
            same.unlink()
        else:
            same.replace(path)
        campaign.append(note(5))
    assert notes_in(path) == [1, 2, 3, 4, 5] and beside(path) == ["dc.campaign"]


@needs_renaming
def test_a_branch_is_made_in_no_file_that_takes_its_place_meanwhile(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = started(path.with_name("other"), turns=2)
    before = other.read_bytes()

    def replaced(uri: str) -> sqlite3.Connection:
        other.replace(path)
        return connection.connect(uri)

    with open_campaign(path, write=True) as campaign:
        monkeypatch.setattr("cli.store.file.connect", replaced)
        with pytest.raises(NotSaved, match="moved or deleted meanwhile"):
            make_branch(campaign, "plan", 1)
    assert path.read_bytes() == before


@needs_renaming
@pytest.mark.parametrize("how", ["deleted", "replaced", "replaced by an older"])
def test_a_branch_in_a_file_that_is_nowhere_any_more_is_rescued(path: Path, how: str) -> None:
    other, older = started(path.with_name("other"), turns=2), Path(shutil.copy(path, path.with_name("older")))
    campaign = open_campaign(path, write=True)
    make_branch(campaign, "plan", 1)
    path.unlink() if how == "deleted" else (other if how == "replaced" else older).replace(path)
    with pytest.raises(NotSaved, match=r"What it held is in dc-rescued\.campaign now"):
        campaign.close()
    with open_campaign(path.with_name("dc-rescued.campaign")) as rescued:
        assert [branch.name for branch in rescued.branches()] == ["plan"]


@needs_renaming
def test_moved_to_another_folder_it_is_whole_there(path: Path) -> None:
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir()
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
        path.rename(elsewhere / "dc.campaign")
        with pytest.raises(NotSaved, match="moved to another folder"):
            campaign.append(note(5))
    assert notes_in(elsewhere / "dc.campaign") == [1, 2, 3, 4] and beside(path) == ["elsewhere"]


@needs_renaming
def test_nothing_is_saved_under_one_of_two_names(path: Path) -> None:
    second = path.with_name("second.campaign")
    second.hardlink_to(path)
    with open_campaign(path, write=True) as campaign:
        assert campaign.last() == 3
        with pytest.raises(NotSaved, match="second name"):
            campaign.append(note(4))
        second.unlink()
        campaign.append(note(4))


@needs_renaming
def test_the_name_that_a_killed_maker_left_is_taken_away(path: Path) -> None:
    path.with_name(f".{path.name}.being-made").hardlink_to(path)
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(4))
    assert notes_in(path) == [1, 2, 3, 4] and beside(path) == [path.name]


# -- a full disk


def append_until_full(campaign: CampaignFile) -> int:
    """The number of the last turn that was acknowledged."""
    handler = handler_of(campaign)
    for _ in range(2000):
        try:
            acknowledged = handler.record(Note(text="x" * 2000)).turn.number
        except NotSaved as error:
            assert "the disk is full; make room and try again" in str(error)
            return acknowledged
    raise AssertionError("never full")


def test_a_database_that_may_not_grow(path: Path) -> None:
    """What SQLite itself says of a full disk, wherever the tests run."""
    connect = sqlite3.connect

    def limited(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.execute("PRAGMA max_page_count=20").fetchall()
        return connection

    with open_campaign(path, write=True) as campaign:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite3, "connect", limited)
            last = append_until_full(campaign)
        assert [turn.number for turn in campaign.read()] == list(range(1, last + 1))
        campaign.append(note(last + 1, turn_id="room again"))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    try:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=512k", "none", folder], check=False, capture_output=True
        ).returncode
    except FileNotFoundError:
        mounted = 1
    if mounted != 0:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def fill(folder: Path) -> Path:
    filler = folder / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        while True:
            file.write(bytes(512))
    return filler


def test_a_full_disk_loses_nothing_that_was_acknowledged(small_disk: Path) -> None:
    path = started(small_disk / "dc.campaign", turns=3)
    with open_campaign(path, write=True) as campaign:
        last = append_until_full(campaign)
        filler = fill(small_disk)
        assert [turn.number for turn in campaign.read()] == list(range(1, last + 1))
    filler.unlink()
    with open_campaign(path, write=True) as campaign:
        assert campaign.last() == last


@pytest.mark.parametrize(("free", "full"), [(0, True), (10**9, False)])
def test_a_full_disk_is_noticed_on_windows_too(
    path: Path, monkeypatch: pytest.MonkeyPatch, free: int, full: bool
) -> None:
    monkeypatch.delattr(os, "statvfs", raising=False)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Mock(free=free) if folder == path.parent else None)
    assert disk_is_full(path) == full


@needs("os.statvfs")
def test_a_campaign_on_a_full_disk_is_still_read(small_disk: Path) -> None:
    path = started(small_disk / "dc.campaign", turns=3)
    before = path.read_bytes()
    filler = fill(small_disk)
    with open_campaign(path, write=True) as campaign:
        assert [turn.number for turn in campaign.read()] == [1, 2, 3]
        assert campaign.notice == (
            "dc.campaign can be read but nothing can be saved in it: the disk is full; make room and try again."
        )
        with pytest.raises(NotSaved, match="the disk is full"):
            campaign.append(note(4))
    assert path.read_bytes() == before
    with pytest.raises(NotSaved, match="the disk is full"):
        create(small_disk / "new.campaign", "abc", first_turn())
    assert beside(path) == ["dc.campaign", "filler"]
    filler.unlink()
    with open_campaign(path, write=True) as campaign:
        assert campaign.notice is None
        campaign.append(note(4))


def test_turns_in_a_wal_are_never_overlooked_on_a_full_disk(small_disk: Path) -> None:
    path = started(small_disk / "dc.campaign", turns=3)
    script = (
        "import os, sys; from cli.store.file import open_campaign; from tests.kit.on_disk import note\n"
        "open_campaign(sys.argv[1], write=True).append(note(4)); os.kill(os.getpid(), 9)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False, cwd=Path(__file__).parents[2])
    Path(f"{path}-shm").unlink(missing_ok=True)
    filler = fill(small_disk)
    try:
        with open_campaign(path) as campaign:
            assert campaign.last() == 4
    except Unopenable as error:
        assert error.exit_code == 6 and "was not closed properly" in error.reason
    filler.unlink()
    with open_campaign(path) as campaign:
        assert campaign.last() == 4


def test_a_disk_that_reads_nothing_any_more_is_not_told_as_damage(path: Path) -> None:
    """The first read that fails may look like damage; then it is asked anew."""
    with open_campaign(path) as campaign:
        reader, campaign._reader = campaign._reader, sqlite3.connect(":memory:")
        with (
            Fault(1, sqlite3.SQLITE_IOERR_READ).for_new_connections(),
            pytest.raises(Unopenable, match="cannot be read: the disk reports an error") as raised,
        ):
            campaign.last()
        assert raised.value.exit_code == 6
        campaign._reader.close()
        campaign._reader = reader


def test_a_campaign_that_is_damaged_behind_an_open_one(path: Path) -> None:
    with open_campaign(path, write=True) as campaign:
        meddle(path, "DROP TABLE turn_ids")
        with pytest.raises(MaybeSaved):
            campaign.append(note(4))
