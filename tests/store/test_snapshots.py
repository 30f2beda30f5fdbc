"""Snapshots on disk: reading begins at the nearest one that holds, and nothing is lost when there is none."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.store.branches import make_branch, switch_to
from cli.store.file import CampaignFile, open_campaign
from cli.store.layout import MAIN
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.common.sessions import SessionOpen
from domain.log.folding import state_at
from domain.registry import system_of
from tests.kit.elsewhere import move_home
from tests.kit.on_disk import handler_of, started

OSR = system_of("osr")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Thirteen turns, of which T2 opens a session; a state is kept every five."""
    move_home(monkeypatch, tmp_path / "cache")
    monkeypatch.setattr("domain.log.command_handler.EVERY", 5)
    path = started(tmp_path / "a.campaign")
    with open_campaign(path, write=True) as campaign:
        handler = handler_of(campaign)
        for action in (SessionOpen(), *[Note(text="Rain.")] * 11):
            handler.record(action)
    return path


def snapshots(path: Path) -> list[Path]:
    return list((path.parent / "cache").rglob("*.snapshots"))


def read_from(
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    state_of: Callable[[CampaignFile], Any] = lambda campaign: state_at(OSR, campaign),
) -> tuple[int, Any]:
    """Behind which turn the whole state is read from, and the state."""
    with open_campaign(path) as campaign:
        read, begun = campaign.read, []

        def noted(after: int = 0, upto: int | None = None, topics: Any = ()) -> Iterator[Any]:
            if not topics:
                begun.append(after)
            return read(after, upto, topics)

        monkeypatch.setattr(campaign, "read", noted)
        state = state_of(campaign)
    return begun[-1], state


def test_reading_begins_at_the_newest_state_that_was_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after, state = read_from(path, monkeypatch)
    assert after in (10, 11)
    (file,) = snapshots(path)
    file.unlink()
    assert read_from(path, monkeypatch) == (0, state)
    assert state.campaign.session == 1


def test_a_new_branch_begins_at_a_state_of_the_log_that_it_left(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after, state = read_from(path, monkeypatch)
    with open_campaign(path, write=True) as log:
        make_branch(log, "before", after - 1, switch=True)
    assert read_from(path, monkeypatch)[0] in (after - 5, after - 6), "not the one behind the fork"
    with open_campaign(path, write=True, branch=MAIN) as log:
        switch_to(log, MAIN)
        make_branch(log, "late", log.last(), switch=True)
    assert read_from(path, monkeypatch) == (after, state)


def test_a_handler_begins_there_too(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after, state = read_from(path, monkeypatch, lambda campaign: handler_of(campaign).state())
    assert (after, state) == read_from(path, monkeypatch)
    assert after


def test_a_state_that_a_revision_reaches_behind_is_passed_over(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.log.command_handler.EVERY", 100)  # none is kept with the revision
    with open_campaign(path, write=True) as campaign:
        handler_of(campaign).record(Undo(turns=(2,)))
    after, state = read_from(path, monkeypatch)
    assert (after, state.campaign.session) == (0, None)


def test_a_state_is_kept_with_what_reaches_behind_the_others(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for turn in (2, 14):  # the session is opened no more; and is again, as that no longer counts
        with open_campaign(path, write=True) as campaign:
            handler = handler_of(campaign)
            handler.record(Undo(turns=(turn,)))
            state = handler.state()
        assert read_from(path, monkeypatch) == ({2: 14, 14: 15}[turn], state)
        assert state.campaign.session == {2: None, 14: 1}[turn]
    with open_campaign(path, write=True) as campaign:
        handler_of(campaign).record(Undo(turns=(13,)))
    assert read_from(path, monkeypatch)[0] == 0, "too little is changed for another"


def test_what_reaches_behind_many_states_is_read_twice_and_not_for_each_of_them(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_campaign(path, write=True) as campaign:
        handler = handler_of(campaign)
        for _ in range(40):
            handler.record(Note(text="Snow."))
        monkeypatch.setattr("domain.log.command_handler.EVERY", 100)  # none is kept with the revision
        handler.record(Undo(turns=(2,)))
        state = handler.state()
    with open_campaign(path) as campaign:
        read_back, begun = campaign.read_back, []

        def noted(after: int = 0, upto: int | None = None, topics: Any = ()) -> Iterator[Any]:
            begun.append(after)
            return read_back(after, upto, topics)

        monkeypatch.setattr(campaign, "read_back", noted)
        assert state_at(OSR, campaign) == state
        assert len([*campaign.snapshots.upto(campaign.last())]) > 5
    assert len(begun) == 2, begun


def test_a_state_behind_which_nothing_is_revised_still_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_campaign(path, write=True) as campaign:
        handler_of(campaign).record(Undo(turns=(13,)))
    after, state = read_from(path, monkeypatch)
    assert after in (10, 11)
    assert state.campaign.session == 1


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to be taken for one" * 20])
def test_what_cannot_be_read_is_passed_over_and_made_anew(
    path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file,) = snapshots(path)
    file.write_bytes(content)
    assert read_from(path, monkeypatch)[0] == 0
    with open_campaign(path, write=True) as campaign:
        handler = handler_of(campaign)
        for _ in range(6):
            handler.record(Note(text="Snow."))
    assert read_from(path, monkeypatch)[0] > 0
