"""A damaged turn is named, wherever it is met; what lies before it is still read."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from cli.store.checking import findings_in
from cli.store.failures import Unopenable
from cli.store.file import CampaignFile, open_campaign
from domain.log.port import DamagedLog
from tests.kit.on_disk import meddle, note, started

UPDATE = "UPDATE stored_events SET {} WHERE originator_version = 4"


def stored(**changes: object) -> bytes:
    return msgspec.msgpack.encode({**msgspec.to_builtins(note(4)), "at": note(4).at, **changes})


def replaced(state: object) -> Callable[[sqlite3.Connection], object]:
    return lambda connection: connection.execute(UPDATE.format("state = ?"), (state,))


DAMAGES = {
    "a record cut short": (replaced(msgspec.msgpack.encode(note(4))[:-5]), "T4"),
    "a record of noise": (replaced(b"\xc1\xff" * 20), "T4"),
    "an empty record": (replaced(b""), "T4"),
    "no record": (replaced(None), "T4"),
    "a text for a record": (replaced("note"), "T4"),
    "a number for a record": (replaced(7), "T4"),
    "nesting without end": (replaced(b"\x91" * 100_000), "T4"),
    "an unknown action": (replaced(stored(action={"type": "os.system", "text": "x"})), "T4"),
    "an unknown event": (replaced(stored(events=[{"type": "osr.exploded"}])), "T4"),
    "a field of another type": (replaced(stored(seed="seven")), "T4"),
    "a record of another turn": (replaced(msgspec.msgpack.encode(note(3))), "T4"),
    "another topic": (lambda connection: connection.execute(UPDATE.format("topic = 'undo'")), "T4"),
    "a topic that is no text": (lambda connection: connection.execute(UPDATE.format("topic = x'ff'")), "T4"),
    "a turn missing": (
        lambda connection: connection.execute("DELETE FROM stored_events WHERE originator_version = 4"),
        "T4",
    ),
    "a turn moved to the end": (lambda connection: connection.execute(UPDATE.format("originator_version = 9")), "T4"),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return started(tmp_path / "dc.campaign", turns=6)


@pytest.mark.parametrize("what", DAMAGES)
def test_reading_stops_at_the_damaged_turn_and_names_it(path: Path, what: str) -> None:
    damage, named = DAMAGES[what]
    connection = sqlite3.connect(path)
    with connection:
        damage(connection)
    connection.close()
    before = path.read_bytes()
    read: list[int] = []
    with open_campaign(path) as campaign:
        with pytest.raises(DamagedLog) as raised:
            read.extend(turn.number for turn in campaign.read())
        assert read == [1, 2, 3]
        assert named in str(raised.value) and str(raised.value).endswith(".")
        assert [turn.number for turn in campaign.read(upto=3)] == [1, 2, 3]
    assert path.read_bytes() == before


def by_id(campaign: CampaignFile) -> None:
    campaign.find("id-4")


def by_topic(campaign: CampaignFile) -> None:
    list(campaign.read(topics=["note"]))


@pytest.mark.parametrize("how", [by_id, by_topic])
@pytest.mark.parametrize("what", ["a record of noise", "a record of another turn"])
def test_other_ways_of_reading_meet_it_too(path: Path, what: str, how: Callable[[CampaignFile], None]) -> None:
    connection = sqlite3.connect(path)
    with connection:
        DAMAGES[what][0](connection)
    connection.close()
    with open_campaign(path) as campaign, pytest.raises(DamagedLog, match="T4"):
        how(campaign)


@pytest.mark.parametrize("points_to", [3, 77])
def test_an_id_that_leads_to_another_turn(path: Path, points_to: int) -> None:
    meddle(path, "DELETE FROM turn_ids WHERE number = 3", f"UPDATE turn_ids SET number = {points_to} WHERE id = 'id-4'")
    with open_campaign(path) as campaign, pytest.raises(DamagedLog, match=f"T{points_to}"):
        campaign.find("id-4")


def test_an_id_that_leads_nowhere_a_number_could(path: Path) -> None:
    meddle(path, "UPDATE turn_ids SET number = 'four' WHERE id = 'id-4'")
    with open_campaign(path) as campaign, pytest.raises(DamagedLog):
        campaign.find("id-4")


@pytest.mark.parametrize(
    ("forged", "sentence"),
    [
        (
            "INSERT INTO turn_ids SELECT 'zz', number, stream FROM turn_ids WHERE id = 'id-4'",
            "T4 is listed twice,",
        ),
        (
            "INSERT INTO turn_ids SELECT 'a', number, stream FROM turn_ids WHERE id = 'id-4'",
            "T4 is listed twice,",
        ),
        ("INSERT INTO turn_ids SELECT '', 77, stream FROM turn_ids WHERE id = 'id-4'", "An id leads to T77, which is"),
        ("UPDATE turn_ids SET number = 9007199254740993 WHERE id = 'id-4'", "An id leads to T9007199254740993, which"),
        ("UPDATE turn_ids SET number = -501 WHERE id = 'id-4'", "An id leads to T-501, which is not there."),
        ("UPDATE turn_ids SET id = 'id-x' WHERE id = 'id-4'", "T4 is not listed under its id."),
        ("DELETE FROM turn_ids WHERE id = 'id-4'", "T4 is not listed under its id."),
    ],
)
def test_a_list_of_ids_that_is_wrong_is_found(path: Path, forged: str, sentence: str) -> None:
    meddle(path, forged)
    with open_campaign(path) as campaign:
        assert sentence in " ".join(finding.sentence for finding in findings_in(campaign))


def test_a_last_number_that_is_none(path: Path) -> None:
    meddle(path, "UPDATE stored_events SET originator_version = 'last' WHERE originator_version = 6")
    with open_campaign(path) as campaign, pytest.raises(DamagedLog):
        campaign.last()


def test_a_damaged_page_is_told_in_plain_words(tmp_path: Path) -> None:
    path = started(tmp_path / "dc.campaign", turns=600)
    content = bytearray(path.read_bytes())
    pages = len(content) // 4096
    met = 0
    for page in range(3, pages):
        broken = content.copy()
        broken[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096
        path.write_bytes(broken)
        try:
            with open_campaign(path) as campaign:
                list(campaign.read())
        except (DamagedLog, Unopenable) as error:
            met += 1
            assert not isinstance(error, Unopenable) or error.exit_code == 5
            assert "sqlite" not in str(error).casefold() and str(error).endswith(".")
    assert met > pages // 2, "pages of turns are most of the file"
