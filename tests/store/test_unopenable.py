"""What is not a campaign, or not one for us, is told so in one plain sentence, and left as it was."""

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

import msgspec
import pytest

from cli.store import descriptors
from cli.store.connection import uri_of
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.making import create
from tests.kit.elsewhere import ask_for
from tests.kit.on_disk import first_turn, left_in_wal, meddle, note, started


def missing(path: Path) -> None:
    assert not path.exists()


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    ask_for("os.mkfifo")
    os.mkfifo(path)


def loop(path: Path) -> None:
    path.symlink_to(path)


def empty(path: Path) -> None:
    path.touch()


def text(path: Path) -> None:
    path.write_text("Dear diary, today Brog took a major wound.\n" * 100, "utf-8")


def zeros(path: Path) -> None:
    path.write_bytes(bytes(8192))


def foreign_database(path: Path) -> None:
    meddle(path, "CREATE TABLE stored_events (a)", "INSERT INTO stored_events VALUES (1)")


def database_of_another_application(path: Path) -> None:
    started(path)
    meddle(path, "PRAGMA application_id=252006673")


def newer_format(path: Path) -> None:
    started(path)
    meddle(path, "PRAGMA user_version=3")


def _with_first_turn(path: Path, **changes: object) -> None:
    started(path)
    turn = msgspec.to_builtins(first_turn())
    turn.update(changes)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE stored_events SET state = ?", (msgspec.msgpack.encode(turn),))
    connection.close()


def unknown_rules(path: Path) -> None:
    _with_first_turn(path, action={"type": "campaign.start", "name": "x", "rules": "os.path"})


def newer_rules(path: Path) -> None:
    started_at = {"type": "campaign.started", "name": "x", "rules": "osr", "version": 99}
    _with_first_turn(path, events=[started_at])


def no_format(path: Path) -> None:
    started(path)
    meddle(path, "PRAGMA user_version=0")


def first_turn_of_another_kind(path: Path) -> None:
    _with_first_turn(path, action={"type": "note", "text": "x"})


def first_turn_with_another_number(path: Path) -> None:
    _with_first_turn(path, number=2)


def first_turn_in_shreds(path: Path) -> None:
    started(path)
    meddle(path, "UPDATE stored_events SET state = x'c1c1c1'")


def first_turn_missing(path: Path) -> None:
    started(path, turns=3)
    meddle(path, "DELETE FROM stored_events WHERE originator_version = 1")


def no_turns(path: Path) -> None:
    started(path)
    meddle(path, "DELETE FROM stored_events")


def two_logs(path: Path) -> None:
    started(path)
    meddle(path, "INSERT INTO stored_events SELECT 'campaign-2', 1, topic, state FROM stored_events")


def trigger(path: Path) -> None:
    started(path)
    meddle(path, "CREATE TRIGGER t AFTER INSERT ON stored_events BEGIN DELETE FROM turn_ids; END")


def view(path: Path) -> None:
    started(path)
    meddle(path, "ALTER TABLE stored_events RENAME TO hidden", "CREATE VIEW stored_events AS SELECT * FROM hidden")


def no_table(path: Path) -> None:
    started(path)
    meddle(path, "DROP TABLE stored_events")


def _cut(path: Path, keep: Callable[[int], int]) -> None:
    started(path, turns=30)
    os.truncate(path, keep(path.stat().st_size))


def cut_in_the_header(path: Path) -> None:
    _cut(path, lambda _: 60)


def cut_in_the_first_page(path: Path) -> None:
    _cut(path, lambda _: 1000)


def cut_by_a_page(path: Path) -> None:
    _cut(path, lambda size: size - 4096)


def cut_by_a_byte(path: Path) -> None:
    _cut(path, lambda size: size - 1)


def schema_overwritten(path: Path) -> None:
    started(path, turns=30)
    content = bytearray(path.read_bytes())
    content[100:4096] = bytes(3996)
    path.write_bytes(content)


def second_page_overwritten(path: Path) -> None:
    started(path, turns=30)
    content = bytearray(path.read_bytes())
    content[4096:8192] = b"\xa5" * 4096
    path.write_bytes(content)


NOT_FOR_US = [
    missing, folder, pipe, loop, empty, text, zeros, foreign_database, database_of_another_application, newer_format,
    unknown_rules, newer_rules,
]  # fmt: skip
BROKEN = [
    no_format, first_turn_of_another_kind, first_turn_with_another_number, first_turn_in_shreds, first_turn_missing,
    no_turns, two_logs, trigger, view, no_table, cut_in_the_header, cut_in_the_first_page, cut_by_a_page, cut_by_a_byte,
    schema_overwritten, second_page_overwritten,
]  # fmt: skip


def snapshot(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in folder.iterdir():
        status = path.lstat()
        found[path.name] = (status.st_mode, status.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
    return found


@pytest.mark.parametrize("write", [False, True], ids=["to read", "to write"])
@pytest.mark.parametrize(
    ("make", "exit_code"),
    [pytest.param(make, code, id=make.__name__) for makes, code in ((NOT_FOR_US, 2), (BROKEN, 5)) for make in makes],
)
def test_it_is_refused_in_plain_words_and_left_alone(
    tmp_path: Path, make: Callable[[Path], None], exit_code: int, write: bool
) -> None:
    path = tmp_path / "it.campaign"
    make(path)
    before = snapshot(tmp_path)
    with pytest.raises(Unopenable) as raised:
        open_campaign(path, write=write)
    assert raised.value.exit_code == exit_code
    reason = raised.value.reason
    assert reason.endswith(".") and "it.campaign" in reason and "\n" not in reason
    assert "sqlite" not in reason.casefold() and "Error" not in reason
    assert snapshot(tmp_path) == before


def test_a_foreign_database_is_not_even_switched_from_its_journal(tmp_path: Path) -> None:
    path = tmp_path / "it.campaign"
    foreign_database(path)
    with pytest.raises(Unopenable):
        open_campaign(path, write=True)
    assert path.read_bytes()[18:20] == b"\1\1"


def test_a_stored_name_is_never_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    monkeypatch.setattr("domain.registry.import_module", imported.append)
    unknown_rules(tmp_path / "it.campaign")
    with pytest.raises(Unopenable, match="is not installed"):
        open_campaign(tmp_path / "it.campaign")
    assert not imported


def test_a_newer_format_still_in_the_wal_is_seen(tmp_path: Path) -> None:
    path = started(tmp_path / "it.campaign")
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA user_version=3")
    assert path.read_bytes()[60:64] == b"\0\0\0\2"
    with pytest.raises(Unopenable, match="newer version"):
        open_campaign(path)
    connection.close()


def test_a_campaign_switched_from_its_wal_by_another_program_still_works(tmp_path: Path) -> None:
    path = started(tmp_path / "it.campaign", turns=3)
    meddle(path, "PRAGMA journal_mode=DELETE", "VACUUM")
    with open_campaign(path, write=True) as campaign:
        assert campaign.last() == 3
        campaign.append(note(4))
        assert campaign.last() == 4


@pytest.mark.parametrize("turns", [1, 2, 3, 200])
def test_the_wal_of_another_campaign_beside_it_is_not_taken_for_its_own(tmp_path: Path, turns: int) -> None:
    path, other = started(tmp_path / "it.campaign", turns=turns), tmp_path / "other.campaign"
    create(other, "campaign-2", first_turn())
    newer = tmp_path / "newer.campaign"
    create(newer, "campaign-2", first_turn(), [note(2)])
    with left_in_wal(other, newer):
        shutil.copy(f"{other}-wal", f"{path}-wal")
    before = snapshot(tmp_path)
    with pytest.raises(Unopenable, match="not its own; move it away") as raised:
        open_campaign(path, write=True)
    assert raised.value.exit_code == 5
    assert snapshot(tmp_path) == before
    Path(f"{path}-wal").unlink()
    with open_campaign(path) as campaign:
        assert (campaign.campaign_id, campaign.last()) == ("campaign-1", turns)


def test_what_a_crashed_writer_left_in_the_wal_is_there_again(tmp_path: Path) -> None:
    path = started(tmp_path / "it.campaign")
    crashed = tmp_path / "crashed.campaign"
    with left_in_wal(path, started(tmp_path / "newer.campaign", turns=2)):
        for side in ("", "-wal"):
            shutil.copy(f"{path}{side}", f"{crashed}{side}")
    with open_campaign(crashed) as campaign:
        assert [turn.number for turn in campaign.read()] == [1, 2]
    assert not Path(f"{crashed}-wal").exists()


@pytest.mark.parametrize(("names", "advice"), [("campaign-1", "keep it together with"), ("campaign-2", "move it away")])
def test_a_wal_that_names_the_campaign_is_its_own_however_it_reads(
    names: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = started(tmp_path / "it.campaign")
    Path(f"{path}-wal").write_bytes(names.encode())
    monkeypatch.setattr(
        "cli.store.left_beside._campaign_id_of", lambda _, how: "campaign-1" if "immutable" in how else ""
    )
    with pytest.raises(Unopenable, match=advice):
        open_campaign(path)


def test_a_file_that_cannot_be_read_is_held_no_longer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = started(tmp_path / "it.campaign")

    def fails(*_: object) -> None:
        raise OSError(errno.EIO, "the disk")

    monkeypatch.setattr("cli.store.opening.check_header", fails)
    with pytest.raises(Unopenable, match="cannot be read"):
        open_campaign(path)
    assert not descriptors._descriptors


@pytest.mark.parametrize("name", ["two words", "100%#&mode=ro", "Zürich", "龍"])
def test_a_file_is_opened_under_whatever_name_it_has(tmp_path: Path, name: str) -> None:
    path = started(tmp_path / f"{name}.campaign")
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(2))
    assert [path.name for path in tmp_path.iterdir()] == [f"{name}.campaign"]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        (PurePosixPath("/home/zoë/a b?.campaign"), "file:///home/zo%C3%AB/a%20b%3F.campaign?mode=rw"),
        (PureWindowsPath(r"C:\Games\ä#1.campaign"), "file:///C:/Games/%C3%A4%231.campaign?mode=rw"),
        (PureWindowsPath(r"\\nas\games\x.campaign"), "file:////nas/games/x.campaign?mode=rw"),
    ],
)
def test_how_sqlite_is_asked_for_a_file(path: PurePath, uri: str) -> None:
    assert uri_of(path) == uri
