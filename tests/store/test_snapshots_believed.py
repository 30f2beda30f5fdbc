"""States in the cache folder: whatever happens to them, no sheet is read from a wrong one and no turn decided on it."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from cli.store.checking import findings_in
from cli.store.file import CampaignFile, open_campaign
from cli.store.snapshots import SnapshotFile
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.common.rulings import Ruling, RulingEnd
from domain.log.finding import Finding
from domain.log.folding import state_at
from domain.log.port import MemoryLog, MemorySnapshots, Snapshot
from domain.log.snapshots import nearest_base, pack_state, snapshot_of, unpack_state
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.registry import system_of
from domain.system.used_numbers import UsedNumbers
from tests.kit.elsewhere import move_home
from tests.kit.given import Given
from tests.kit.on_disk import handler_of, started

OSR = system_of("osr")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    move_home(monkeypatch, tmp_path / "cache")
    monkeypatch.setattr("domain.log.command_handler.EVERY", 4)
    path = started(tmp_path / "dc.campaign")
    with open_campaign(path, write=True) as log:
        handler = handler_of(log)
        handler.record(Enrol(character="Brog", level=3, rolled=(6, 6, 6)))
        handler.record(Ruling(rule="6.4", text="So.", set={"keep_higher": True}))
        for number in range(9):
            handler.record(Note(text=f"{number}") if number % 2 else Damage(character="Brog", amount=1))
    return path


def snapshots(path: Path) -> Path:
    (found,) = (path.parent / "cache").rglob("*.snapshots")
    return found


def kept(path: Path) -> int:
    with open_campaign(path) as log:
        return len(list(log.snapshots.upto(99)))


def is_right(path: Path) -> None:
    with open_campaign(path) as log:
        assert state_at(OSR, log) == state_at(OSR, MemoryLog("osr", turns=list(log.read())))


def test_there_are_some_and_they_are_used(path: Path) -> None:
    assert kept(path) == 3
    is_right(path)


def test_no_flipped_bit_reaches_a_sheet(path: Path) -> None:
    cache, chance = snapshots(path), random.Random(1)
    whole = cache.read_bytes()
    for _ in range(100):
        flipped = bytearray(whole)
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        cache.write_bytes(flipped)
        is_right(path)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE snapshots SET state = CAST(replace(state, 'Brog', 'Brag') AS BLOB)",
        "UPDATE snapshots SET state = CAST(replace(state, '6.4', '6.5') AS BLOB)",
        "UPDATE snapshots SET state = 1",
        "UPDATE snapshots SET version = version + 1",
        "UPDATE snapshots SET turn = turn - 1",
        "UPDATE snapshots SET link = x'00' || link",
    ],
)
def test_a_state_that_does_not_fit_is_thrown_away_and_made_again(path: Path, change: str) -> None:
    with closing(sqlite3.connect(snapshots(path))) as connection, connection:
        connection.execute(change)
    is_right(path)
    assert kept(path) == 0
    with open_campaign(path, write=True) as log:
        handler = handler_of(log)
        for _ in range(4):
            handler.record(Note(text="more"))
    assert kept(path) > 0


def found(log: CampaignFile) -> list[Finding]:
    """What is wrong with a log, whichever version of the rules decided it."""
    return [finding for finding in findings_in(log) if finding.kind != "older"]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_verifying_holds_every_state_against_the_log_and_throws_away_what_tells_otherwise(
    path: Path, which: int
) -> None:
    """As one would that a mistake of an earlier version made: its hash fits, and it is wrong."""
    with open_campaign(path) as log:
        whole = list(log.snapshots.upto(99))
        assert found(log) == [] and kept(path) == len(whole) == 3
        state, used = unpack_state(OSR, whole[which].state) or pytest.fail("a state")
        state.change("Brog", hp=1)
        log.snapshots.discard()
        for at, snapshot in enumerate(whole):
            log.snapshots.store(replace(snapshot, state=pack_state(state, used)) if at == which else snapshot)
        (note,) = found(log)
        assert note.kind == "note" and "did not agree with the log" in note.sentence
    assert kept(path) == 0


def test_a_state_of_a_turn_that_was_changed_since_is_not_believed(path: Path) -> None:
    with open_campaign(path) as log:
        number = next(iter(log.snapshots.upto(99))).turn
    with closing(sqlite3.connect(path)) as connection, connection:
        values = (number,)
        (state,) = connection.execute("SELECT state FROM stored_events WHERE originator_version = ?", values).fetchone()
        later = state.replace(b"2026-01-01T19", b"2026-01-01T21")
        assert later != state
        connection.execute("UPDATE stored_events SET state = ? WHERE originator_version = ?", (later, number))
    assert kept(path) == 0
    is_right(path)


def test_a_state_that_was_packed_from_other_shapes_is_not_believed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.store.branch_reader.record_shapes", lambda _: b"as they were in an earlier version")
    assert kept(path) == 0
    is_right(path)


def test_a_snapshot_of_another_history_or_version_is_passed_over() -> None:
    table = Given("osr", Enrol(character="brog", rolled=(4,)), Damage(character="brog", amount=1))
    table.log.snapshots = MemorySnapshots()
    kept = snapshot_of(table.log, 2, table.handler.state(), UsedNumbers())
    for change in ({"link": b"another"}, {"version": 0}, {"turn": 1}):
        table.log.snapshots.store(replace(kept, **change))
    assert nearest_base(table.system, table.log, 3, 3).turn == 0
    table.log.snapshots.store(kept)
    assert nearest_base(table.system, table.log, 3, 3).turn == 2


def test_in_memory_the_same_snapshots_are_held_as_on_disk(tmp_path: Path) -> None:
    on_disk = SnapshotFile(tmp_path / "c.snapshots", lambda turn: b"%d" % turn, lambda _: b"", lambda: b"")
    in_memory = MemorySnapshots()
    for turn in range(150, 30_000, 150):
        for store in (on_disk, in_memory):
            store.store(Snapshot(turn, b"%d" % turn, 1, b"state" * turn))
    assert 50 < len(list(in_memory.upto(30_000))) < 100
    for last in (30_000, 17_000, 150, 149):
        assert list(in_memory.upto(last)) == list(on_disk.upto(last))


def test_the_numbers_given_out_are_kept_beside_a_state() -> None:
    used = UsedNumbers({"wound#": {1, 2, 3, 5}, "ruling#": {4}}, 2)
    found = unpack_state(OSR, pack_state(Given("osr").handler.state(), used))
    assert found is not None and found[1] == used


def test_a_state_with_hundreds_of_rulings_is_the_fold_however_they_were_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_home(monkeypatch, tmp_path / "cache")
    monkeypatch.setattr("domain.log.command_handler.EVERY", 20)
    with open_campaign(started(tmp_path / "many.campaign"), write=True) as log:
        handler = handler_of(log)
        for number in range(1, 160):
            held = {"keep_higher": number % 2 == 0} if number % 3 else {"short_rest_together": number % 4 == 0}
            handler.record(Ruling(rule="6.4", text="So.", set=None if number % 5 == 0 else held, trial=number % 7 == 0))
            if number % 10 == 4:
                handler.record(RulingEnd(ruling=number - number % 3))
            if number % 40 == 39:
                handler.record(Ruling(rule="6.4", text="Late.", set=held, since=f"T{log.last() - 30}"))
            if number % 20 == 11:
                handler.record(Ruling(rule="6.4", text="So it is.", supersedes=number))
            if number % 30 == 17:
                handler.record(Undo(turns=(log.last() - 3,), conflicts="drop"))
        turns, kept = list(log.read()), list(log.snapshots.upto(999))
        assert len(kept) > 5
        for snapshot in kept:
            state, _ = unpack_state(OSR, snapshot.state) or pytest.fail("a state")
            assert state == state_at(OSR, MemoryLog("osr", turns=turns[: snapshot.turn]))
        for upto in range(1, len(turns) + 1, 29):
            assert state_at(OSR, log, upto) == state_at(OSR, MemoryLog("osr", turns=turns[:upto]))
