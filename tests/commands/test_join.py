"""Two copies of one campaign that went separate ways are joined: what the other played becomes a branch."""

import shutil
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from cli.store.file import CampaignFile
from domain.log.port import MaybeSaved, NotSaved, NumberTaken
from tests.kit.on_disk import meddle
from tests.kit.shell import Shell


@pytest.fixture
def table(shell: Shell) -> Shell:
    """Brog at 11 hit points at T2, and a copy of that on a laptop; T3 hits him for 1 here and for 4 there."""
    shell.do("new Test --rules osr --file dc.campaign", "osr enrol brog --level 2 --rolled 5,6")
    copied(shell, "dc", "laptop")
    on(shell, "laptop", "osr damage brog 4")
    on(shell, "dc", "osr damage brog 1")
    return shell


def copied(shell: Shell, whole: str, to: str) -> None:
    shutil.copy(shell.folder / f"{whole}.campaign", shell.folder / f"{to}.campaign")


def on(shell: Shell, file: str, *lines: str) -> None:
    """Command lines at one of the copies."""
    shell.do(*(f"{line} -c {file}.campaign" for line in lines))


def branches(shell: Shell, file: str = "dc") -> list[tuple[str, int, int]]:
    rows = shell.run("branch", "--json", "-c", f"{file}.campaign").json()
    return [(row["branch"], row["fork"], row["turn"]) for row in rows]


def stored(shell: Shell, file: str, stream: str = "%") -> list[Any]:
    """The turns as they are stored, without the stream that holds them."""
    with closing(sqlite3.connect(shell.folder / f"{file}.campaign")) as connection:
        return connection.execute(
            "SELECT originator_version, topic, state FROM stored_events WHERE originator_id LIKE ? ORDER BY 1",
            (stream,),
        ).fetchall()


def verifies(shell: Shell, file: str = "dc") -> bool:
    return shell.run("verify", "-c", f"{file}.campaign").code == 0


def test_what_the_other_played_becomes_a_branch_named_after_the_file(table: Shell) -> None:
    assert table.run("join", "laptop.campaign", "-c", "dc.campaign").ok().out.splitlines() == [
        "laptop is new, which begins after T2 of main: T3 of laptop.campaign.",
        "Next: campaign diff main..laptop compares them, campaign adopt laptop takes it over.",
    ]
    assert branches(table) == [("main", 0, 3), ("laptop", 2, 3)]
    assert stored(table, "dc", "%/laptop-%") == stored(table, "laptop")[2:]
    assert verifies(table)


def test_it_is_adopted_like_any_branch(table: Shell) -> None:
    on(table, "dc", "join laptop.campaign", "adopt laptop")
    assert table.run("status", "brog", "--json", "-c", "dc.campaign").json()["characters"]["brog"]["hp"] == 6
    assert verifies(table)


def test_joining_again_adds_nothing(table: Shell) -> None:
    on(table, "dc", "join laptop.campaign")
    before = table.bytes_of("dc.campaign")
    table.run("join", "laptop.campaign", "-c", "dc.campaign").ok().out.splitlines()
    again = table.run("join", "laptop.campaign", "-c", "dc.campaign")
    assert (again.code, again.out) == (0, "Nothing in laptop.campaign is new here.\n")
    assert table.bytes_of("dc.campaign") == before


def test_joining_again_adds_what_the_other_played_since(table: Shell) -> None:
    on(table, "dc", "join laptop.campaign")
    on(table, "laptop", "osr damage brog 2", "undo")
    assert table.run("join", "laptop.campaign", "-c", "dc.campaign").ok().out.splitlines()[0] == (
        "laptop goes on with T4 to T5 of laptop.campaign."
    )
    assert branches(table) == [("main", 0, 3), ("laptop", 2, 5)]
    assert stored(table, "dc", "%/laptop-%") == stored(table, "laptop")[2:]
    assert verifies(table)


def test_a_branch_that_went_on_here_too_stays_as_it_is(table: Shell) -> None:
    on(table, "dc", "join laptop.campaign", "switch laptop", "osr damage brog 1", "switch main")
    on(table, "laptop", "osr damage brog 2")
    on(table, "dc", "join laptop.campaign")
    assert branches(table) == [("main", 0, 3), ("laptop", 2, 4), ("laptop-2", 3, 4)]
    assert verifies(table)


def test_the_branch_that_one_is_on_does_not_grow(table: Shell) -> None:
    on(table, "dc", "join laptop.campaign", "switch laptop")
    on(table, "laptop", "osr damage brog 2")
    on(table, "dc", "join laptop.campaign")
    assert branches(table) == [("main", 0, 3), ("laptop", 2, 3), ("laptop-2", 3, 4)]


def test_a_copy_that_is_only_longer_is_a_branch_and_main_stays(table: Shell) -> None:
    copied(table, "dc", "longer")
    on(table, "longer", "osr damage brog 3")
    on(table, "dc", "join longer.campaign")
    assert branches(table) == [("main", 0, 3), ("longer", 3, 4)]
    on(table, "dc", "adopt longer")
    assert table.run("status", "--json", "-c", "dc.campaign").json()["characters"]["brog"]["hp"] == 7


def test_a_copy_that_is_only_shorter_has_nothing_new(table: Shell) -> None:
    copied(table, "dc", "shorter")
    on(table, "dc", "osr damage brog 3")
    assert table.run("join", "shorter.campaign", "-c", "dc.campaign").ok().out == (
        "Nothing in shorter.campaign is new here.\n"
    )


def test_branches_of_the_other_copy_come_too(table: Shell) -> None:
    on(table, "laptop", "branch plan", "osr damage brog 1", "branch deeper", "osr damage brog 1", "switch main")
    on(table, "dc", "branch plan @T1", "switch main", "join laptop.campaign")
    assert branches(table) == [
        ("main", 0, 3), ("plan", 1, 1), ("laptop", 2, 3), ("laptop-plan", 3, 4), ("deeper", 4, 5),
    ]  # fmt: skip
    assert verifies(table)


def test_what_rests_on_a_branch_that_was_deleted_there_comes_whole(table: Shell) -> None:
    on(table, "laptop", "branch plan", "osr damage brog 1", "branch deeper", "osr damage brog 1", "switch main")
    on(table, "laptop", "branch --delete plan")
    on(table, "dc", "join laptop.campaign")
    assert branches(table) == [("main", 0, 3), ("laptop", 2, 3), ("deeper", 3, 5)]
    assert verifies(table)


def test_a_branch_of_both_that_the_other_played_on_goes_on_here(table: Shell) -> None:
    on(table, "dc", "branch plan", "osr damage brog 1", "switch main")
    copied(table, "dc", "phone")
    on(table, "phone", "switch plan", "osr damage brog 5", "switch main")
    assert table.run("join", "phone.campaign", "-c", "dc.campaign").ok().out.splitlines()[0] == (
        "plan goes on with T5 of plan in phone.campaign."
    )
    assert branches(table) == [("main", 0, 3), ("plan", 3, 5)]


def test_what_was_forgotten_here_does_not_come_back(table: Shell) -> None:
    on(table, "dc", "join laptop.campaign", "branch --delete laptop")
    assert table.run("join", "laptop.campaign", "-c", "dc.campaign").ok().out == (
        "Nothing in laptop.campaign is new here.\n"
    )
    on(table, "laptop", "osr damage brog 1")
    assert (
        "begins after T3 of a branch that was deleted"
        in table.run("join", "laptop.campaign", "-c", "dc.campaign").ok().out
    )
    assert verifies(table)


def test_joined_both_ways_neither_has_anything_new(table: Shell) -> None:
    on(table, "dc", "join laptop.campaign")
    on(table, "laptop", "join dc.campaign")
    assert branches(table, "laptop") == [("main", 0, 3), ("dc", 2, 3)]
    assert table.run("join", "laptop.campaign", "-c", "dc.campaign").ok().out == (
        "Nothing in laptop.campaign is new here.\n"
    )


def test_turns_told_late_are_found_on_the_branch(table: Shell) -> None:
    on(table, "laptop", "osr damage brog 2 --after T2")
    on(table, "dc", "join laptop.campaign", "switch laptop")
    entries = table.run("log", "-O", "ndjson", "-c", "dc.campaign").rows()
    assert [entry["place"] for entry in entries if entry["turn"] == 4] == [2]
    assert verifies(table)


def test_a_file_begun_before_there_were_links_is_joined_and_joins(table: Shell) -> None:
    for file in ("dc", "laptop"):
        meddle(table.folder / f"{file}.campaign", "DROP TABLE links", "PRAGMA user_version=1")
    on(table, "dc", "join laptop.campaign")
    assert branches(table) == [("main", 0, 3), ("laptop", 2, 3)]
    assert verifies(table)


@pytest.mark.parametrize(
    ("file", "called"),
    [("Bea's laptop", "Bea-s-laptop"), ("2026", "copy"), ("T4", "copy"), ("main", "main-2"), ("Küche", "Küche")],
)
def test_the_name_of_a_file_is_made_fit_for_a_branch(table: Shell, file: str, called: str) -> None:
    copied(table, "laptop", file)
    table.run("join", f"{file}.campaign", "-c", "dc.campaign").ok()
    assert branches(table)[1][0] == called


def test_a_name_can_be_given(table: Shell) -> None:
    table.run("join", "laptop.campaign", "--name", "4", "-c", "dc.campaign").is_(
        2,
        "'4' cannot be the name of a branch: use letters, digits, - and _, begin with a letter, "
        "and do not make it look like a place in the log.",
    )
    table.run("join", "laptop.campaign", "--name", "main", "-c", "dc.campaign").is_(
        3, "There is a branch main already; choose another name."
    )
    on(table, "dc", "join laptop.campaign --name bea")
    assert branches(table)[1] == ("bea", 2, 3)


def test_a_dry_run_writes_nothing_and_says_what_it_would_do(table: Shell) -> None:
    before = table.bytes_of("dc.campaign")
    dry = table.run("join", "laptop.campaign", "-c", "dc.campaign", "--dry-run")
    assert (dry.code, dry.out) == (
        0,
        "laptop would be made, which would begin after T2 of main: T3 of laptop.campaign.\n",
    )
    assert table.bytes_of("dc.campaign") == before


def test_json_tells_each_line_of_play(table: Shell) -> None:
    assert table.run("join", "laptop.campaign", "-c", "dc.campaign", "--json").json() == {
        "joined": [{"line": "main", "branch": "laptop", "known": 2, "base": "main", "last": 3, "grown": False}],
        "signatures": 0,
    }


def test_another_campaign_is_not_joined(table: Shell) -> None:
    table.do("new Other --rules osr --file other.campaign")
    before = table.bytes_of("dc.campaign")
    table.run("join", "other.campaign", "-c", "dc.campaign").is_(
        3, "other.campaign is another campaign; only a copy of this one can be joined."
    )
    table.run("join", "dc.campaign", "-c", "dc.campaign").is_(
        3, "dc.campaign is this very campaign; join another copy of the campaign."
    )
    table.run("join", "gone.campaign", "-c", "dc.campaign").is_(2, "There is no file gone.campaign.")
    assert table.bytes_of("dc.campaign") == before


def test_copies_whose_first_turns_differ_have_nothing_in_common(table: Shell) -> None:
    lines = table.run("export", "-c", "dc.campaign").ok().out.splitlines()
    forged = [line.replace('"name":"Test"', '"name":"Rest"') for line in lines[:-1]]
    table.run("import", "-", "--file", "forged.campaign", "--unverified", stdin="\n".join(forged))
    table.run("join", "forged.campaign", "-c", "dc.campaign").is_(
        3, "forged.campaign and this campaign have nothing in common: their first turns differ already."
    )


def test_a_copy_that_does_not_verify_is_not_joined(table: Shell) -> None:
    meddle(table.folder / "laptop.campaign", "UPDATE links SET link = zeroblob(32) WHERE number = 3")
    before = table.bytes_of("dc.campaign")
    result = table.run("join", "laptop.campaign", "-c", "dc.campaign")
    assert (result.code, result.out) == (5, "")
    assert result.err.startswith("laptop.campaign does not verify: T3 does not fit its link")
    assert table.bytes_of("dc.campaign") == before


def test_a_turn_whose_id_another_turn_has_here_is_refused_by_name(table: Shell) -> None:
    for file, amount in (("dc", 1), ("laptop", 2)):
        line = {"type": "osr.damage", "character": "brog", "amount": amount, "id": "once"}
        table.act(line, options=("-c", f"{file}.campaign")).ok()
    table.run("join", "laptop.campaign", "-c", "dc.campaign").is_(
        3,
        "T4 of laptop.campaign has the id 'once', which belongs to another turn here (T4); they cannot both be kept.",
    )
    assert branches(table) == [("main", 0, 3 + 1)]


def test_what_somebody_else_wrote_meanwhile_is_seen(table: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch of the same name is made between the comparing and the writing: another name is found."""
    put, first = CampaignFile.put_beside, [True]

    def late(self: CampaignFile, tails: Any) -> None:
        if first.pop() if first else False:
            on(table, "dc", "branch laptop", "switch main")
        put(self, tails)

    monkeypatch.setattr(CampaignFile, "put_beside", late)
    on(table, "dc", "join laptop.campaign")
    assert [name for name, _, _ in branches(table)] == ["main", "laptop", "laptop-2"]
    assert verifies(table)


def test_others_who_keep_coming_first_are_not_waited_for_for_ever(
    table: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(_log: CampaignFile, _tails: Any) -> None:
        raise NumberTaken

    monkeypatch.setattr(CampaignFile, "put_beside", taken)
    assert table.run("join", "laptop.campaign", "-c", "dc.campaign").code == 6


@pytest.mark.parametrize(
    ("statement", "error"),
    [("disk I/O error", MaybeSaved), ("database is locked", NotSaved)],
)
def test_a_join_that_fails_is_all_or_nothing(
    table: Shell, monkeypatch: pytest.MonkeyPatch, statement: str, error: type[Exception]
) -> None:
    """At the commit: what is not known is told as that; where nothing was written, nothing is there."""
    from cli.store.recorder import Writer

    before = stored(table, "dc")

    def failing(self: Writer, _tails: Any) -> None:
        self.committing = True
        failed = sqlite3.OperationalError(statement)
        failed.sqlite_errorcode = sqlite3.SQLITE_IOERR if error is MaybeSaved else sqlite3.SQLITE_BUSY
        raise failed

    monkeypatch.setattr(Writer, "put_beside", failing)
    monkeypatch.setattr(CampaignFile, "_clear_wal", lambda _: False)
    result = table.run("join", "laptop.campaign", "-c", "dc.campaign")
    assert result.code == 6
    assert ("may or may not" in result.err) == (error is MaybeSaved)
    assert stored(table, "dc") == before
