"""Branches from the command line: begun, compared, adopted, forgotten."""

import json

import pytest

from tests.kit.shell import Shell


@pytest.fixture
def table(shell: Shell) -> Shell:
    """Brog at 11 hit points at T2; on `plan` he was hit for 4 at T3, on main for 1. Main is current."""
    shell.do(
        "new Test --rules osr",
        "osr enrol brog --level 2 --rolled 5,6",
        "branch plan",
        "osr damage brog 4",
        "switch main",
        "osr damage brog 1",
    )
    return shell


def test_the_branches_are_listed_with_the_current_one_marked(table: Shell) -> None:
    assert table.run("branch").ok().out == "* main  now at T3\n  plan  begins after T2, now at T3\n"
    assert table.run("branch", "--list", "--json").json() == [
        {"branch": "main", "current": True, "fork": 0, "turn": 3},
        {"branch": "plan", "current": False, "fork": 2, "turn": 3},
    ]


def test_status_says_on_which_branch_it_is_read(table: Shell) -> None:
    table.do("switch plan")
    assert table.run("status").out.startswith("Test · osr · on plan · T3\n")
    assert table.run("status", "--json").json()["campaign"]["branch"] == "plan"
    table.do("switch main")
    assert "branch" not in table.run("status", "--json").json()["campaign"]


def test_two_branches_are_compared(table: Shell) -> None:
    record = table.run("diff", "main..plan", "--json").json()
    assert (record["from_branch"], record["to_branch"]) == ("main", "plan")
    assert record["characters"]["brog"]["fields"] == [{"field": "hp", "change": "changed", "old": 10, "new": 7}]
    assert table.run("diff", "main@T2..plan@T2").ok().out == "Nothing differs between main T2 and plan T2.\n"
    assert table.run("diff", "T2..plan", "--exit-code").code == 1
    table.run("diff", "main..plan", "--at", "T2").is_(
        2, "--at reads one line of play; leave it out, or name the points: main@T40..plan."
    )


def test_adopting_appends_the_turns_and_says_so(table: Shell) -> None:
    dry = table.run("adopt", "plan", "--dry-run")
    assert dry.code == 0
    assert dry.out.splitlines() == [
        "1 turn of plan would be appended:",
        "T4  Brog is hit for 4 and has 6 hit points left.",
        "    Brog: hp 10 → 6",
    ]
    assert json.loads(table.run("adopt", "plan", "--dry-run", "--json").out)["sheets"]["brog"]["fields"] == [
        {"field": "hp", "change": "changed", "old": 10, "new": 6}
    ]
    assert table.run("adopt", "plan").ok().out.splitlines() == [
        "1 turn of plan is a turn of main now:",
        "T4  Brog is hit for 4 and has 6 hit points left.",
        "T5  Adopts T4 from the branch plan.",
        "    Brog: hp 10 → 6",
    ]
    table.do("undo")
    assert table.run("status", "brog", "--json").json()["characters"]["brog"]["hp"] == 10
    table.run("adopt", "plan", "--drop", "--keep").is_(2, "Say --drop or --keep, not both.")
    table.run("adopt", "main").is_(2, "You are on main; adopt another branch, like campaign adopt plan.")


def test_a_forgotten_branch_is_gone_from_the_list(table: Shell) -> None:
    table.run("branch", "--delete", "main").is_(3, "main is the campaign itself and cannot be deleted.")
    table.run("branch", "--delete", "plan").ok()
    table.run("switch", "plan").is_(3, "There is no branch 'plan'; known: main.")
    table.run("branch", "other", "--delete", "plan").is_(
        2, "Begin a branch, list them or delete one: only one of these."
    )


@pytest.mark.parametrize(("at", "fork"), [("@", 3), ("@-1", 2), ("@T2", 2), ("T2", 2)])
def test_a_branch_begins_at_any_point_marked_or_not(table: Shell, at: str, fork: int) -> None:
    output = table.run("branch", "other", at).ok().out
    assert output.startswith(f"You are on other now, which begins after T{fork} of main.")
