"""A campaign on disk: made whole, read back, appended to, tidy afterwards."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, timedelta, timezone
from pathlib import Path
from typing import Any

import msgspec
import pytest
from eventsourcing.persistence import EventStore, JSONTranscoder, Mapper, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteFactory
from eventsourcing.utils import Environment
from hypothesis import given
from hypothesis import strategies as st

from cli.store import layout
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.header import is_campaign
from cli.store.layout import APPLICATION_ID, FORMAT
from cli.store.making import create
from domain.common.notes import Note, Noted
from domain.log.port import NotSaved, NumberTaken
from domain.refusal import Refusal
from domain.registry import record_types
from domain.turn import LARGEST, Drawn, Turn, TurnRedecided, TurnUndone
from tests.kit.elsewhere import keeps_modes
from tests.kit.on_disk import EVENING, beside, first_turn, handler_of, left_in_wal, meddle, note, started


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return started(tmp_path / "dc.campaign", turns=5)


def test_a_new_campaign_holds_its_first_turn_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    create(tmp_path / "new.campaign", "abc", first_turn())
    with open_campaign(tmp_path / "new.campaign") as campaign:
        assert (campaign.rules, campaign.campaign_id, campaign.last(), campaign.notice) == ("osr", "abc", 1, None)
        assert list(campaign.read()) == [first_turn()]
    assert beside(tmp_path / "new.campaign") == ["new.campaign"]


@pytest.mark.skipif(not keeps_modes(), reason="a mode does not make a file its owner's on this system")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_only_the_owner_may_read_it_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "mine.campaign"
    with umask(mask):
        create(path, "abc", first_turn())
        with open_campaign(path, write=True) as campaign:
            campaign.append(note(2))
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
            campaign.backup(tmp_path / "copy.campaign")
    assert modes == {"mine.campaign": 0o600}
    assert (tmp_path / "copy.campaign").stat().st_mode & 0o777 == 0o600


def test_the_header_says_what_it_is(path: Path) -> None:
    header = path.read_bytes()[:100]
    assert int.from_bytes(header[68:72], "big") == APPLICATION_ID == int.from_bytes(b"CAMP", "big")
    assert int.from_bytes(header[60:64], "big") == FORMAT == 2
    assert header[18:20] == b"\1\1", "made for a rollback journal, so that nobody has to switch it"


EXPECTED = {
    "synchronous": 3, "fullfsync": 1, "secure_delete": 1, "trusted_schema": 0, "cell_size_check": 1, "temp_store": 2,
    "journal_mode": "delete",
}  # fmt: skip


@pytest.mark.parametrize("who", ["reader", "writer"])
def test_every_connection_is_told_to_keep_what_it_is_given(path: Path, who: str) -> None:
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(6))
        connection: Any = campaign._reader
        if who == "writer":
            assert campaign._writer is not None
            connection = campaign._writer.recorder.datastore.pool._pool[0]._sqlite_conn
        pragmas = {pragma: connection.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in EXPECTED}
    assert pragmas == EXPECTED


def test_the_connection_that_reads_cannot_write(path: Path) -> None:
    with open_campaign(path) as campaign, pytest.raises(sqlite3.OperationalError, match="readonly"):
        campaign._reader.execute("DELETE FROM stored_events")


@pytest.mark.parametrize("taken", ["file", "folder", "dangling link", "leftover -wal", "campaign"])
def test_nothing_is_ever_overwritten(tmp_path: Path, taken: str) -> None:
    path = tmp_path / "new.campaign"
    match taken:
        case "file":
            path.write_text("dear diary", "utf-8")
        case "folder":
            path.mkdir()
        case "dangling link":
            path.symlink_to(path)
        case "leftover -wal":
            Path(f"{path}-wal").write_bytes(b"turns of somebody")
        case "campaign":
            started(path, turns=2)
    before = beside(path)
    content = path.read_bytes() if path.is_file() else None
    with pytest.raises(Unopenable) as raised:
        create(path, "abc", first_turn())
    assert raised.value.exit_code == 2
    assert beside(path) == before
    assert (path.read_bytes() if path.is_file() else None) == content


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Unopenable, match="There is no folder") as raised:
        create(tmp_path / "no" / "new.campaign", "abc", first_turn())
    assert raised.value.exit_code == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device"), sqlite3.OperationalError])
@pytest.mark.parametrize("at", ["make_tables", "put", "close"])
def test_a_campaign_that_could_not_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str, error: Any
) -> None:
    from cli.store.recorder import Writer

    whole = getattr(Writer, at)

    def failing(self: Writer, *arguments: Any) -> None:
        whole(self, *arguments)
        raise error

    monkeypatch.setattr(Writer, at, failing)
    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else NotSaved):
        create(tmp_path / "new.campaign", "abc", first_turn())
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_somebody_else_makes_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cli.store.recorder import Writer

    close = Writer.close

    def slow(self: Writer) -> None:
        close(self)
        (tmp_path / "new.campaign").write_text("dear diary", "utf-8")

    monkeypatch.setattr(Writer, "close", slow)
    with pytest.raises(Unopenable, match="already"):
        create(tmp_path / "new.campaign", "abc", first_turn())
    assert (tmp_path / "new.campaign").read_text("utf-8") == "dear diary"
    assert beside(tmp_path / "new.campaign") == ["new.campaign"]


def test_what_a_killed_maker_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".new.campaign.being-made").write_bytes(b"half")
    (tmp_path / ".new.campaign.being-made-wal").write_bytes(b"half")
    (tmp_path / "new.campaign-lock").write_bytes(b"")
    create(tmp_path / "new.campaign", "abc", first_turn())
    assert beside(tmp_path / "new.campaign") == ["new.campaign"]


#: What Linux says on a file system without hard links, what macOS says, and what Python makes of what Windows says.
NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EINVAL)


@pytest.mark.parametrize("number", NO_HARD_LINKS, ids=errno.errorcode.__getitem__)
def test_without_hard_links_it_is_made_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def no_links(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", no_links)
    create(tmp_path / "new.campaign", "abc", first_turn())
    with open_campaign(tmp_path / "new.campaign") as campaign:
        assert campaign.last() == 1
    assert beside(tmp_path / "new.campaign") == ["new.campaign"]


def test_unknown_rules_make_no_file(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="There is no rule system"):
        create(tmp_path / "new.campaign", "abc", first_turn(rules="tarot"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a b?c#d%41&.campaign", "Gräfin 龍.campaign", "'quoted';--.campaign", "-c.campaign"])
def test_a_file_may_be_called_anything(tmp_path: Path, name: str) -> None:
    try:
        (tmp_path / name).touch()
    except OSError:
        pytest.skip("this system has no such names")
    (tmp_path / name).unlink()
    started(tmp_path / name, turns=3)
    with open_campaign(tmp_path / name, write=True) as campaign:
        campaign.append(note(4))
    assert beside(tmp_path / name) == [name]


def test_links_lead_to_one_campaign(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    started(tmp_path / "there" / "dc.campaign")
    (tmp_path / "link.campaign").symlink_to(tmp_path / "there" / "dc.campaign")
    with open_campaign(tmp_path / "link.campaign", write=True) as campaign:
        campaign.append(note(2))
        assert beside(tmp_path / "link.campaign") == ["link.campaign", "there"]


# -- reading


def test_a_range_of_turns(path: Path) -> None:
    with open_campaign(path) as campaign:
        assert [turn.number for turn in campaign.read()] == [1, 2, 3, 4, 5]
        assert [turn.number for turn in campaign.read(after=2)] == [3, 4, 5]
        assert [turn.number for turn in campaign.read(after=1, upto=3)] == [2, 3]
        assert [turn.number for turn in campaign.read(after=5)] == []
        assert [turn.number for turn in campaign.read(upto=99)] == [1, 2, 3, 4, 5]


def test_only_some_topics(path: Path) -> None:
    with open_campaign(path) as campaign:
        assert [turn.number for turn in campaign.read(topics=["campaign.start"])] == [1]
        assert [turn.number for turn in campaign.read(after=3, topics=["note", "campaign.start"])] == [4, 5]
        assert list(campaign.read(topics=["undo"])) == []


def test_more_turns_than_are_fetched_at_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at_once in (1, 2, 4, 5, 6):
        monkeypatch.setattr(layout, "AT_ONCE", at_once)
        with open_campaign(path) as campaign:
            assert [turn.number for turn in campaign.read()] == [1, 2, 3, 4, 5]
            assert [turn.number for turn in campaign.read(topics=["note"])] == [2, 3, 4, 5]
            assert [turn.number for turn in campaign.read(after=1, upto=4)] == [2, 3, 4]
            assert [turn.number for turn in campaign.read(upto=99)] == [1, 2, 3, 4, 5]


def test_the_newest_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at_once in (1, 2, 5, 6):
        monkeypatch.setattr(layout, "AT_ONCE", at_once)
        with open_campaign(path) as campaign:
            assert list(campaign.read_back()) == list(campaign.read())[::-1]
            assert [turn.number for turn in campaign.read_back(after=1, upto=4)] == [4, 3, 2]
            assert [turn.number for turn in campaign.read_back(after=3, upto=99)] == [5, 4]
            assert [turn.number for turn in campaign.read_back(topics=["note"])] == [5, 4, 3, 2]
            assert list(campaign.read_back(after=5)) == list(campaign.read_back(topics=["undo"])) == []


def test_a_turn_is_found_by_its_id(path: Path) -> None:
    with open_campaign(path) as campaign:
        assert campaign.find("id-3") == note(3)
        assert campaign.find("id-33") is None


def test_a_reader_who_pauses_is_in_nobodys_way(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "AT_ONCE", 2)
    with open_campaign(path, write=True) as campaign:
        reading = campaign.read()
        assert next(reading).number == 1
        campaign.append(note(6))
        assert campaign.last() == 6
        assert [turn.number for turn in reading] == [2, 3, 4, 5], "the log as it was when the reading began"


def test_reading_imports_neither_the_library_nor_the_lock(path: Path) -> None:
    script = (
        "import sys; from cli.store.file import open_campaign\n"
        "with open_campaign(sys.argv[1]) as campaign:\n"
        "    assert len(list(campaign.read())) == campaign.last() == 5 and campaign.find('id-2')\n"
        "found = {each.partition('.')[0] for each in sys.modules}\n"
        "assert not found & {'eventsourcing', 'portalocker', 'sqlite_utils', 'typer', 'rich', 'pydantic'}, found\n"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=True, cwd=Path(__file__).parents[2])


# -- appending


def test_an_appended_turn_is_there_for_everybody_at_once(path: Path) -> None:
    with open_campaign(path, write=True) as writer, open_campaign(path) as reader:
        writer.append(note(6))
        assert reader.last() == writer.last() == 6
        assert list(reader.read(after=5)) == [note(6)]


def test_once_a_turn_is_answered_the_file_alone_holds_it_and_nothing_lies_beside_it(path: Path) -> None:
    with open_campaign(path) as reader, open_campaign(path, write=True) as writer:
        for number in range(6, 16):
            writer.append(note(number))
            assert beside(path) == [path.name]
            alone = Path(shutil.copy(path, path.parent / "alone"))
            with open_campaign(alone) as copy:
                assert copy.last() == reader.last() == number
            alone.unlink()


def test_a_file_of_before_is_given_up_its_wal_when_it_is_written(path: Path) -> None:
    newer, old = path.with_name("newer"), path.with_name("old.campaign")
    shutil.copy(path, newer)
    with open_campaign(newer, write=True) as campaign:
        campaign.append(note(6))
    with left_in_wal(path, newer):
        shutil.copy(f"{path}-wal", f"{old}-wal")
        shutil.copy(path, old)
    with open_campaign(old) as reader:
        assert reader.last() == 6
    before = old.read_bytes()
    with open_campaign(old) as reader:
        assert f"{old.name}-wal" in beside(old)
    assert old.read_bytes() == before, "who only reads changes nothing"
    with open_campaign(old, write=True) as writer:
        writer.append(note(7))
        assert not Path(f"{old}-wal").exists() and old.read_bytes()[18:20] == b"\1\1"


def test_beside_somebody_who_has_a_file_of_before_open_its_file_alone_holds_every_turn(path: Path) -> None:
    meddle(path, "PRAGMA journal_mode=WAL")
    alone = path.with_name("alone")
    with open_campaign(path) as reader, open_campaign(path, write=True) as writer:
        for number in (6, 7):
            writer.append(note(number))
            assert reader.last() == number
            shutil.copy(path, alone)
            with open_campaign(alone) as copy:
                assert copy.last() == number
            alone.unlink()


def test_one_process_may_open_it_twice_without_losing_its_locks(path: Path) -> None:
    with open_campaign(path, write=True) as campaign:
        with open_campaign(path):
            pass
        with pytest.raises(Unopenable):
            open_campaign(path.parent)
        assert is_campaign(str(path))
        campaign._reader.execute("BEGIN")
        campaign._reader.execute("SELECT 1 FROM turn_ids").fetchall()
        assert is_campaign(str(path))
        # closing any descriptor of the file drops the locks of the process, and somebody else could write
        script = (
            "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1], timeout=0.1)\n"
            "try: connection.execute('DELETE FROM turn_ids'); connection.commit()\n"
            "except sqlite3.OperationalError: sys.exit(7)\n"
        )
        assert subprocess.run([sys.executable, "-c", script, str(path)], check=False).returncode == 7
        campaign._reader.execute("COMMIT")
        campaign.append(note(6))
    with open_campaign(path) as campaign:
        assert campaign.last() == 6


def test_a_number_that_is_taken(path: Path) -> None:
    with open_campaign(path, write=True) as campaign:
        with pytest.raises(NumberTaken):
            campaign.append(note(5, turn_id="another"))
        with pytest.raises(NumberTaken):
            campaign.append(note(7, turn_id="too far"))
        assert campaign.last() == 5
        campaign.append(note(6))


def test_the_same_turn_again_is_recorded_once(path: Path) -> None:
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(6))
        campaign.append(note(6))
        assert campaign.last() == 6


def test_another_turn_under_a_known_id_is_not_recorded(path: Path) -> None:
    with open_campaign(path, write=True) as campaign:
        with pytest.raises(NumberTaken):
            campaign.append(note(6, turn_id="id-3"))
        assert campaign.last() == 5


def test_the_handler_answers_with_the_turn_that_came_first_under_its_id(path: Path) -> None:
    with open_campaign(path, write=True) as campaign, open_campaign(path, write=True) as other:
        handler = handler_of(campaign)
        handler.catch_up()
        looked_up = campaign.find
        # between the look-up and the append, another process appends the same request
        calls: list[str] = []

        def too_early(turn_id: str) -> Turn | None:
            calls.append(turn_id)
            return looked_up(turn_id) if len(calls) > 1 else None

        campaign.find = too_early  # type: ignore[method-assign]
        other.append(note(6, turn_id="request"))
        outcome = handler.record(Note(text="Rain."), turn_id="request")
        assert outcome.repeated and outcome.turn == note(6, turn_id="request")
        assert campaign.last() == 6


def test_a_campaign_opened_for_reading_takes_no_turn(path: Path) -> None:
    with open_campaign(path) as campaign, pytest.raises(NotSaved, match="reading only"):
        campaign.append(note(6))


def unfit() -> Iterator[tuple[str, Turn]]:
    change = msgspec.structs.replace
    yield "a die that is no number", change(note(6), chance={"brog": Drawn((float("nan"),))})  # type: ignore[arg-type]
    yield "a whole number beyond SQLite's", change(note(6), seed=2**63)
    yield "a whole number beyond JSON's", change(note(6), seed=LARGEST + 1)
    yield "half a character", note(6, text="\ud800")
    yield "a text that is none", change(note(6), action=Note(text=7))  # type: ignore[arg-type]
    yield "an action that is none", change(note(6), action=Noted("x"))
    yield "an event that is none", change(note(6), events=(Note(text="x"),))
    yield "a time that is nowhere", change(note(6), at=EVENING.replace(tzinfo=None).isoformat())
    yield "a time that is none", change(note(6), at="half past seven")


@pytest.mark.parametrize(("what", "turn"), [pytest.param(*case, id=case[0]) for case in unfit()])
def test_what_would_not_come_back_as_it_was_is_not_appended(path: Path, what: str, turn: Turn) -> None:
    with open_campaign(path, write=True) as campaign:
        with pytest.raises(NotSaved, match="T6"):
            campaign.append(turn)
        assert campaign.last() == 5, what
        campaign.append(note(6))


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
whole_numbers = st.integers(-LARGEST, LARGEST)
facts = st.builds(Noted, texts, st.none() | texts, st.none() | texts, st.none() | whole_numbers)
words = st.builds(TurnUndone, st.integers(1, 5)) | st.builds(
    lambda turn, events, kept: record_types("osr").redecided(turn=turn, events=tuple(events), kept=kept),
    st.integers(1, 5),
    st.lists(facts, max_size=3),
    st.booleans(),
)
turns = st.builds(
    lambda **fields: record_types("osr").turn(number=6, **fields),
    id=texts,
    at=st.datetimes(
        timezones=st.sampled_from([UTC, timezone(timedelta(hours=-7)), timezone(timedelta(minutes=345))])
    ).map(lambda moment: moment.isoformat()),
    action=st.builds(Note, text=texts, about=st.none() | texts),
    events=st.lists(facts | words, max_size=4).map(tuple),
    seed=st.integers(0, LARGEST),
    by=st.none() | texts,
    chance=st.dictionaries(
        texts, st.builds(Drawn, st.lists(whole_numbers | texts, max_size=5).map(tuple), st.integers(0, 5)), max_size=3
    ),
)


@given(turn=turns)
def test_what_was_appended_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory, turn: Turn) -> None:
    path = started(tmp_path_factory.mktemp("back") / "dc.campaign", turns=5)
    with open_campaign(path, write=True) as campaign:
        campaign.append(turn)
    with open_campaign(path) as campaign:
        assert [*campaign.read(after=5)] == [turn] == [campaign.find(turn.id)]
        assert isinstance(turn, type(next(campaign.read())))
        assert all(isinstance(e, TurnRedecided | TurnUndone | Noted) for e in next(campaign.read(after=5)).events)


# -- beside the program


def test_the_library_alone_reads_what_is_stored(path: Path) -> None:
    factory = SQLiteFactory(Environment(env={"SQLITE_DBNAME": str(path), "ORIGINATOR_ID_TYPE": "text"}))
    recorder = factory.application_recorder()
    assert type(recorder) is SQLiteApplicationRecorder
    kind = record_types("osr").turn

    class Plain(Mapper[str]):
        def to_domain_event(self, stored_event: StoredEvent) -> Any:
            return msgspec.msgpack.decode(stored_event.state, type=kind)

    try:
        stored = recorder.select_events("campaign-1")
        assert [(event.originator_version, event.topic) for event in stored] == [
            (1, "campaign.start"),
            *((number, "note") for number in range(2, 6)),
        ]
        assert [notification.id for notification in recorder.select_notifications(start=1, limit=10)] == [1, 2, 3, 4, 5]
        events: EventStore[str] = EventStore(Plain(JSONTranscoder()), recorder)
        read: list[Any] = list(events.get("campaign-1", gt=1))
        assert read == [note(number) for number in range(2, 6)]
    finally:
        factory.close()


def test_the_library_reads_through_our_own_recorder(path: Path) -> None:
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(6))
        assert campaign._writer is not None
        stored = campaign._writer.recorder.select_events("campaign-1")
        assert [(event.originator_version, event.topic, event.state) for event in stored] == list(campaign.rows())


def test_the_process_environment_has_no_say(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for prefix in ("", "CAMPAIGN_"):
        for name, value in {
            "PERSISTENCE_MODULE": "eventsourcing.popo",
            "SQLITE_DBNAME": str(elsewhere / "other.db"),
            "ORIGINATOR_ID_TYPE": "uuid",
            "CREATE_TABLE": "yes",
            "COMPRESSOR_TOPIC": "zlib",
            "MAPPER_TOPIC": "eventsourcing.persistence:Mapper",
            "APPLICATION_RECORDER_TOPIC": "eventsourcing.popo:POPOApplicationRecorder",
        }.items():
            monkeypatch.setenv(prefix + name, value)
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(6))
    create(elsewhere / "new.campaign", "abc", first_turn())
    with open_campaign(path) as campaign:
        assert campaign.last() == 6
    assert beside(elsewhere / "x") == ["new.campaign"]


# -- backup


def test_a_backup_holds_what_is_still_in_the_wal(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "backups" / "copy.campaign"
    copy.parent.mkdir()
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(6))
        campaign.backup(copy)
        campaign.append(note(7))
    assert beside(copy) == ["copy.campaign"]
    with open_campaign(copy, write=True) as campaign:
        assert [turn.number for turn in campaign.read()] == [1, 2, 3, 4, 5, 6]
        assert (campaign.campaign_id, campaign.find("id-6")) == ("campaign-1", note(6))
        campaign.append(note(7))


def test_a_backup_overwrites_nothing(path: Path) -> None:
    with open_campaign(path) as campaign, pytest.raises(Unopenable, match="already"):
        campaign.backup(path)
