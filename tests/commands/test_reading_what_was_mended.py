"""Reading a log in which turns were told late, moved, amended: where they fold, and marked as such."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from cli.commands import log
from cli.terminal.screen import Screen
from projections.chronicle import Entry
from projections.chronicle_range import entries_between
from projections.views import chronicle_queries
from projections.views.chronicle_queries import entries
from tests.kit.shell import Shell, shell_after

#: T4 and T5 hit Brog, T6 hits him too, told late after T3; T7 amends T5.
shell = shell_after(
    "new Table --rules osr --file dc.campaign",
    "session open",
    "osr enrol brog --level 2 --rolled 5,6",
    "osr damage brog 2",
    "osr damage brog 3",
    "osr damage brog 1 --after T3",
    "amend T5 amount=4",
)


def numbers(shell: Shell, *options: str) -> list[str]:
    out = shell.run("log", "--oneline", *options).ok().out
    return [line.split("  ")[0].strip() for line in out.splitlines() if line.strip().startswith("T")]


def test_a_turn_told_late_stands_where_it_folds_with_its_own_number_and_a_mark(shell: Shell) -> None:
    assert numbers(shell) == ["T1", "T2", "T3", "T6, late entry", "T4", "T5", "T7"]
    assert numbers(shell, "--reverse")[0] == "T7"
    assert numbers(shell, "-n", "2") == ["T6, late entry", "T7"]


def test_as_it_was_told_it_stands_by_its_number(shell: Shell) -> None:
    assert numbers(shell, "--as-told") == ["T1", "T2", "T3", "T4", "T5", "T6, late entry", "T7"]
    assert [row["turn"] for row in shell.run("log", "-O", "ndjson").rows()] == [1, 2, 3, 4, 5, 6, 7]


def test_it_stands_there_among_those_that_fit(shell: Shell) -> None:
    shell.do("note Rain.", "note Late. --after T2", "amend T8 --after T4")
    assert numbers(shell)[2:] == ["T9, late entry", "T3", "T6, late entry", "T4", "T8, late entry", "T5", "T7", "T10"]
    assert numbers(shell, "--character", "brog") == ["T3", "T6, late entry", "T4", "T5"]
    assert numbers(shell, "--kind", "note") == ["T9, late entry", "T8, late entry"]
    assert numbers(shell, "T4..T9") == ["T9, late entry", "T6, late entry", "T4", "T8, late entry", "T5", "T7"]
    assert numbers(shell, "--rule", "6.1", "-n", "2") == numbers(shell, "--rule", "6.1")[-2:]


def test_an_entry_is_printed_while_most_are_not_read_yet(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a log of a million turns would be in memory whole."""
    shell.do(*[f"note {number}" for number in range(20)])
    read, read_at_first = list[int](), list[int]()

    def noted(reading: Callable[..., Iterator[Entry]]) -> Callable[..., Iterator[Entry]]:
        def noted_while_read(*asked: Any, **options: Any) -> Iterator[Entry]:
            for entry in reading(*asked, **options):
                read.append(entry.turn)
                yield entry

        return noted_while_read

    def passed_on(_: Screen, shown_entries: Iterable[Entry]) -> Iterator[Entry]:
        for entry in shown_entries:
            read_at_first[:] = read_at_first or read
            yield entry

    monkeypatch.setattr(log, "entries_between", noted(entries_between))
    monkeypatch.setattr(chronicle_queries, "entries", noted(entries))
    monkeypatch.setattr(log, "_flushing", passed_on)
    for options in ((), ("--since", "2000-01-01")):  # from the log, and from the tables
        read.clear()
        read_at_first.clear()
        assert len(numbers(shell, *options)) == 27
        assert len(read_at_first) < 5
        assert sorted(set(read)) == list(range(1, 28))


def test_at_an_earlier_point_it_is_not_known(shell: Shell) -> None:
    assert numbers(shell, "--at", "T5") == ["T1", "T2", "T3", "T4", "T5"]


def test_markdown_marks_it_too(shell: Shell) -> None:
    assert "- **T6, late entry** Brog is hit for 1" in shell.run("log", "-O", "md").ok().out


def test_a_moved_turn_stands_where_it_was_moved(shell: Shell) -> None:
    shell.do("amend T5 --after T3")
    assert numbers(shell)[2:6] == ["T3", "T5, late entry", "T6, late entry", "T4"]


def test_a_ruling_since_an_earlier_turn_stands_where_it_was_made(shell: Shell) -> None:
    shell.do("ruling 6.4 'As written.' --set short_rest_together=true --since T3")
    assert numbers(shell)[-1] == "T8"


def test_why_marks_what_was_amended_told_late_or_decided_again(shell: Shell) -> None:
    lines = shell.run("why", "brog.hp").ok().out.splitlines()
    assert [line[line.rfind("[") :] for line in lines if "[" in line] == [
        "[amended by T7]",
        "[decided again by T6]",
        "[late entry, after T3]",
    ]
    changes = shell.run("why", "brog.hp", "--json").json()["changes"]
    keys = ("turn", "amended_by", "redecided_by", "place")
    assert [tuple(change.get(key) for key in keys) for change in changes] == [
        (5, 7, 7, None), (4, None, 6, None), (6, None, None, 3), (3, None, None, None),
    ]  # fmt: skip


def test_why_marks_what_was_moved(shell: Shell) -> None:
    shell.do("amend T5 --after T3")
    assert "[amended by T8; moved, after T3]" in " ".join(shell.run("why", "brog.hp").ok().out.split())


def test_why_of_a_missing_piece_names_what_there_is(shell: Shell) -> None:
    shell.do("osr damage brog 9 --dc 10", "osr injury-saves brog --strength 20 --will 20")
    wounds = shell.run("status", "brog", "--json").json()["characters"]["brog"]["wounds"]
    there = "1" if wounds else "nothing"
    assert shell.run("why", "brog.wounds.7").out == (
        f"brog.wounds.7 is not there, and never was; there is {there} now. To see it whole: campaign why brog.wounds.\n"
    )
    assert shell.run("why", "brog.ability_loss.strength").out == (
        "brog.ability_loss.strength is not there, and never was; there is nothing now."
        " To see it whole: campaign why brog.ability_loss.\n"
    )


def test_a_turn_whole_says_what_became_of_it(shell: Shell) -> None:
    shell.do("osr damage brog 5", "osr injury-saves brog --strength 99 --will 99", "amend T8 amount=1 --keep")
    for turn, sentence in (
        ("T4", "Decided again by T6; when it was logged: Brog is hit for 2 and has 9 hit points left."),
        ("T5", "Amended by T7; when it was logged: Brog is hit for 3 and has 6 hit points left."),
        ("T6", "Late entry: it happened directly after T3."),
        ("T9", "Kept as it was by T10."),
    ):
        assert sentence in shell.run("show", turn).ok().out.splitlines()
    shell.do("amend T5 --after T3")
    assert "Moved: it happened directly after T3." in shell.run("show", "T5").ok().out


def test_a_turn_amended_and_then_decided_again_says_both(shell: Shell) -> None:
    shell.do("osr damage brog 1 --after T3")
    out = shell.run("show", "T5").ok().out
    assert (
        "Amended by T7, then decided again by T8; when it was logged: Brog is hit for 3 and has 6 hit points left."
        in " ".join(out.split())
    )


def test_a_paper_sheet_agreed_with_the_sheet_of_then_once_a_later_turn_reaches_back(shell: Shell) -> None:
    shell.do("check-sheet brog hp=4", "osr damage brog 1")
    before = "T8  Brog's paper sheet agrees with the log: hp."
    assert before in shell.run("log").ok().out.splitlines()
    assert "of then" not in shell.run("show", "T8").ok().out
    shell.do("undo T9", "amend T4 amount=1")
    assert f"{before} [agreed with the sheet at that time]" in shell.run("log").ok().out
    assert "It agreed with the sheet at that time." in shell.run("show", "T8").ok().out
    assert "of then" not in shell.run("log", "--at", "T9").ok().out
    shell.do("undo T11")
    assert "of then" not in shell.run("log").ok().out
