"""Turns with very many events, as of a revision that changes nearly all: stored like any other, in little room."""

import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from cli.store import decoding
from cli.store.checking import findings_in
from cli.store.file import CampaignFile, open_campaign
from cli.store.making import create
from cli.terminal.screen import json_pieces
from domain.log import packed_list
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_turns
from domain.log.packed_list import packed_events
from domain.registry import action_from, system_of
from domain.turn import Turn, packed
from projections import chronicle as chronicle_module
from projections.chronicle import Entry, chronicle
from projections.views.chronicle_queries import entries as entries_of
from tests.kit.on_disk import EVENING, note, started
from tests.kit.views import view_in_memory
from tests.osr.asked import Line, amend, enrol, hit, table
from tests.store.test_file import turns

#: How many turns a revision changes below.
MANY = 3_000
#: The bytes that each of them may take. Its event takes 104 in the record; decoded all at once, it takes 1,650 here.
BYTES = 700


@pytest.mark.parametrize("count", [0, 1, 15, 16, 2**16 - 1, 2**16])
def test_a_turn_is_packed_as_the_library_packs_it_however_many_events_it_has(count: int) -> None:
    turn = note(6)
    many = replace(turn, events=(*turn.events[:1],) * count)
    assert packed(many) == msgspec.msgpack.encode(msgspec.msgpack.decode(msgspec.msgpack.encode(many)))


@settings(max_examples=40, deadline=None)
@given(turn=turns)
def test_it_is_read_back_equal(tmp_path_factory: pytest.TempPathFactory, turn: Turn) -> None:
    path = started(tmp_path_factory.mktemp("long") / "dc.campaign", turns=5)
    with pytest.MonkeyPatch.context() as patch, open_campaign(path, write=True) as campaign:
        patch.setattr(packed_list, "PIECE", 1)
        patch.setattr(decoding, "LONG", 0)
        campaign.append(replace(turn, events=packed_events("osr", turn.events)))
        (read,) = campaign.read(after=5)
        assert read == turn == campaign.find(turn.id)
        assert isinstance(read.events, tuple) == (len(turn.events) <= 1)
        assert isinstance(read, type(turn))


@pytest.fixture
def long_log(tmp_path: Path) -> Iterator[CampaignFile]:
    path, played = tmp_path / "long.campaign", table(enrol("brog", 6, 6, 6), *[hit(0)] * MANY).log.turns
    create(path, "long", played[0], iter(played[1:]))
    with open_campaign(path, write=True) as log:
        yield log


def recorded(log: CampaignFile, line: Line) -> None:
    handler = CommandHandler(
        log, clock=lambda: EVENING, new_id=lambda: f"id-{log.last() + 1}", new_seed=lambda: log.last()
    )
    handler.record(action_from("osr", line))


#: A level less, so that every later turn tells of fewer hit points; and back again.
REVISIONS = (amend(2, enrol("brog", 5, 6, 6)), {"type": "undo"}, {"type": "redo"})


def peak(work: Callable[[], None]) -> int:
    """The most bytes that were in use at once, more than before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_recording_undoing_and_redoing_it_takes_little_room_for_each_turn_that_changes(
    long_log: CampaignFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_list, "PIECE", 50)
    monkeypatch.setattr(decoding, "LONG", 10_000)
    recorded(long_log, {"type": "note", "text": "What is made once."})
    for line in REVISIONS:
        assert peak(lambda line=line: recorded(long_log, line)) < BYTES * MANY, line  # type: ignore[misc]


def as_json(entry: Entry, most: int) -> bytes:
    """An entry as JSON; it has no more events than these unless they are packed."""
    assert isinstance(entry.events, tuple if len(entry.events) <= most else packed_list.PackedList)
    return "".join(json_pieces(entry.as_json())).encode()


def test_it_tells_and_does_the_same_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = table(enrol("brog", 6, 6, 6), *[hit(0)] * 40).log.turns
    told = []
    for number, piece in enumerate((packed_list.PIECE, 7)):
        monkeypatch.setattr(packed_list, "PIECE", piece)
        monkeypatch.setattr(chronicle_module, "FEW", piece)
        monkeypatch.setattr(decoding, "LONG", 0 if number else decoding.LONG)
        path = tmp_path / f"{number}.campaign"
        create(path, "same", played[0], iter(played[1:]))
        with open_campaign(path, write=True) as log:
            for line in REVISIONS:
                recorded(log, line)
            effective = [(turn.number, turn.action, turn.facts, turn.redecided_by) for turn in effective_turns(log)]
            entries = [as_json(entry, piece) for entry in chronicle(system_of("osr"), log)]
            with view_in_memory(log, system_of("osr")) as view:
                assert [as_json(entry, piece) for entry in entries_of(view)] == entries
            told.append((log.link(log.last()), effective, entries))
    assert told[0] == told[1]


def test_verifying_takes_no_more_room_for_more_turns(tmp_path: Path) -> None:
    def room(turns: int) -> int:
        with open_campaign(started(tmp_path / f"{turns}.campaign", turns=turns)) as log:
            return peak(lambda: deque(findings_in(log), 0).clear())

    room(500)  # what is imported and looked up once stays
    assert room(3_000) - room(1_000) < 50 * 2_000  # with the ids and the states of each it was 180
