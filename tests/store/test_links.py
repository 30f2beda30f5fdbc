"""Every turn is written together with its link; a file from before there were any gets them at its first write."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import data
from cli.store import layout
from cli.store.branches import make_branch
from cli.store.file import open_campaign
from cli.store.linking import link_all, turns_of_stream
from cli.store.making import create
from domain.common.notes import Note
from domain.log.effective_history import REVISING_TAGS
from domain.log.hash_chain import beginning, links_of
from domain.log.port import DamagedLog, NotSaved
from tests.kit.on_disk import first_turn, handler_of, meddle, note, started
from tests.kit.sqlites import steps

OLD = sorted((Path(data.__path__[0]) / "old_logs" / "format-1").glob("*.campaign"))


def links(path: Path) -> dict[tuple[str, int], bytes]:
    with closing(sqlite3.connect(path)) as connection:
        return {(stream, number): link for stream, number, link in connection.execute("SELECT * FROM links")}


def worked_out(path: Path) -> dict[tuple[str, int], bytes]:
    """The links of a file without branches within branches, by the definition."""
    found: dict[tuple[str, int], bytes] = {}
    with closing(sqlite3.connect(path)) as connection:
        (main,) = connection.execute("SELECT min(originator_id) FROM stored_events").fetchone()
        main = main.partition("/")[0]
        forks = connection.execute("SELECT stream, base, fork FROM branches ORDER BY rowid").fetchall()
        for stream, base, fork in [(main, main, 0), *forks]:
            before = found[base, fork] if fork else beginning(main)
            turns = list(turns_of_stream(connection, stream))
            for turn, link in zip(turns, links_of(before, stream, turns), strict=True):
                found[stream, turn[0]] = link
    return found


def as_format_1(path: Path) -> Path:
    meddle(path, "DROP TABLE links", "PRAGMA user_version=1")
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A campaign with a branch, and a branch of that."""
    path = started(tmp_path / "dc.campaign", turns=5)
    with open_campaign(path, write=True) as campaign:
        make_branch(campaign, "plan", 3)
    with open_campaign(path, write=True, branch="plan") as campaign:
        campaign.append(note(4, turn_id="plan-4"))
        campaign.append(note(5, turn_id="plan-5"))
        make_branch(campaign, "deeper", 2)
        make_branch(campaign, "deepest", 4)
    with open_campaign(path, write=True, branch="deepest") as campaign:
        campaign.append(note(5, turn_id="deepest-5"))
    return path


def test_every_turn_has_its_link(path: Path) -> None:
    assert links(path) == worked_out(path)
    assert len(links(path)) == 8


def test_a_campaign_that_is_made_of_many_turns_at_once_has_the_same_links(tmp_path: Path) -> None:
    one, other = started(tmp_path / "one.campaign", turns=5), tmp_path / "other.campaign"
    create(other, "campaign-1", first_turn(), [note(number) for number in range(2, 6)])
    assert links(one) == links(other) == worked_out(one)


def test_a_log_says_the_link_of_each_of_its_turns(path: Path) -> None:
    found = links(path)
    plan, deepest = (next(s for s, _ in found if s.startswith(f"campaign-1/{name}-")) for name in ("plan", "deepest"))
    with open_campaign(path, branch="deepest") as campaign:
        assert campaign.link(0) == beginning("campaign-1")
        holders = ["campaign-1", "campaign-1", "campaign-1", plan, deepest]
        assert [campaign.link(n) for n in range(1, 6)] == [found[who, n] for n, who in enumerate(holders, 1)]


def test_where_there_are_none_yet_they_are_worked_out_and_nothing_is_written(path: Path) -> None:
    with open_campaign(path, branch="deepest") as campaign:
        links = [campaign.link(number) for number in range(6)]
    before = as_format_1(path).read_bytes()
    with open_campaign(path, branch="deepest") as campaign:
        assert not campaign.is_linked
        assert [campaign.link(number) for number in range(6)] == links
    assert path.read_bytes() == before


@pytest.mark.parametrize("branch", ["main", "plan", "deepest"])
def test_a_file_of_format_1_gets_its_links_at_its_first_write(path: Path, branch: str) -> None:
    whole = links(path)
    as_format_1(path)
    with open_campaign(path, write=True, branch=branch) as campaign:
        campaign.append(note(campaign.last() + 1, turn_id="new"))
        assert campaign.is_linked
    assert links(path) == worked_out(path)
    assert whole.items() < links(path).items()


def test_all_of_its_links_or_none(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_format_1(path)

    def fails(connection: sqlite3.Connection) -> None:
        link_all(connection)
        raise NotSaved("The power went.")

    monkeypatch.setattr("cli.store.linking.link_all", fails)
    with open_campaign(path, write=True) as campaign:
        with pytest.raises(NotSaved, match="power"):
            campaign.append(note(6))
        assert not campaign.is_linked and campaign.last() == 5
    monkeypatch.undo()
    with open_campaign(path, write=True) as campaign:
        campaign.append(note(6))
    assert links(path) == worked_out(path)


@pytest.mark.parametrize("old", OLD, ids=lambda path: path.stem)
def test_logs_of_earlier_versions_gain_their_links(tmp_path: Path, old: Path) -> None:
    path = tmp_path / old.name
    shutil.copy(old, path)
    with open_campaign(path, write=True) as campaign:
        assert not campaign.is_linked
        before = campaign.link(campaign.last())
        handler_of(campaign).record(Note(text="Years later."))
        assert campaign.link(campaign.last() - 1) == before
    assert links(path) == worked_out(path)


def test_nothing_is_appended_to_a_turn_without_its_link(path: Path) -> None:
    meddle(path, "DELETE FROM links WHERE number = 5")
    with open_campaign(path, write=True) as campaign:
        with pytest.raises(NotSaved, match="The link of T5 is missing"):
            campaign.append(note(6))
        with pytest.raises(DamagedLog, match="The link of T5 is missing"):
            campaign.link(5)
        assert campaign.last() == 5


STATEMENTS = {
    "whose turns": (layout.WHOSE_TURNS, ()),
    "first turn": (layout.FIRST_TURN, ("campaign-1",)),
    "last turn": (layout.LAST_TURN, ("campaign-1",)),
    "where an id is": (layout.WHERE_THE_ID_IS, ("id-3",)),
    "stored under an id": (layout.STORED_UNDER_THE_ID, ("id-3", "campaign-1")),
    "link": (layout.LINK, ("campaign-1", 3)),
    "stored": (layout.STORED, ("campaign-1", 0)),
    "links": (layout.LINKS, ("campaign-1", 0)),
    "stretch": (layout.segment(), ("campaign-1", 0, 9)),
    "stretch of speakers, back": (layout.segment(REVISING_TAGS, REVISING_TAGS, back=True), ("campaign-1", 0, 9)),
    **{
        f"stretch of {' '.join(topics)}": (layout.segment(topics, REVISING_TAGS), ("campaign-1", 0, 9))
        for topics in (REVISING_TAGS, ("undo", "redo", "amend", "adopt"), ("undo", "redo"), ("undo",), ("adopt",))
    },
    "current branch": (layout.CURRENT_BRANCH, ()),
}


@pytest.mark.parametrize("what", STATEMENTS)
def test_every_statement_goes_by_an_index(path: Path, what: str) -> None:
    statement, values = STATEMENTS[what]
    with closing(sqlite3.connect(path)) as connection:
        plan = steps(connection.execute, statement, values)
    reads = [step for step in plan if step.startswith(("SCAN", "SEARCH", "USE"))]
    assert reads and all(step.startswith("SEARCH") for step in reads if "CONSTANT" not in step), plan
    if what.startswith("stretch of"):
        assert "USING INDEX speaking" in plan[0]
