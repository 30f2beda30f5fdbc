"""Which version of the rules decided a turn: marked on the turn, checked by `verify`, `import` and `log`."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import data
from domain.registry import system_of
from tests.kit.shell import Shell

OLD = Path(data.__path__[0]) / "old_logs" / "format-1"
TODAY = system_of("osr").version


@pytest.fixture
def shell(new_shell: Shell) -> Shell:
    """An old log of version 1, played on today."""
    shutil.copy(OLD / "slashes.campaign", new_shell.folder / "old.campaign")
    new_shell.run("use", "old.campaign").ok()
    return new_shell


def marks(shell: Shell, *words: str) -> dict[int, int]:
    lines = [json.loads(line) for line in shell.run("export", *words).ok().out.splitlines()]
    return {line["number"]: line["rules_version"] for line in lines if "rules_version" in line and "number" in line}


def test_an_old_log_gets_its_mark_with_its_next_turn_and_only_then(shell: Shell) -> None:
    last = len(shell.turns())
    shell.do("note one", "note two", "undo", "note three")
    assert marks(shell) == {last + 1: TODAY}
    shell.do("branch plan @-2", "switch plan", "note elsewhere", "switch main")
    assert marks(shell) == {last + 1: TODAY}


def test_a_branch_from_before_the_mark_gets_its_own(shell: Shell) -> None:
    last = len(shell.turns())
    shell.do("branch plan", "switch main", "note here", "switch plan", "note there", "switch main")
    assert marks(shell) == {last + 1: TODAY}
    shell.run("adopt", "plan").ok()
    assert marks(shell) == {last + 1: TODAY}
    shell.run("verify").ok()


def test_what_is_adopted_first_carries_the_mark(shell: Shell) -> None:
    last = len(shell.turns())
    shell.do("branch plan", "switch plan", "note there", "switch main")
    shell.run("adopt", "plan").ok()
    assert marks(shell) == {last + 1: TODAY}
    output = shell.run("verify").ok().out
    assert f"2 of {last + 3} turns verified" not in output
    assert f"3 of {last + 3} turns verified; the other {last} are checked by links only." in output


def test_a_log_of_today_carries_none(shell: Shell) -> None:
    shell.do('new "Today" --rules osr --file today.campaign', "osr enrol brog --rolled 4", "osr damage brog 1", "undo")
    assert marks(shell) == {}
    assert shell.run("verify").ok().out.startswith("All 4 turns verified. Seal: T4 ")


def test_verify_counts_and_names_what_an_older_version_decided(shell: Shell) -> None:
    last = len(shell.turns())
    shell.do("note today")
    lines = shell.run("verify").ok().out.splitlines()
    assert lines[0].startswith(f"T1 to T{last} were decided by version 1 of the rules, checked by links only.")
    assert lines[-1].startswith(f"1 of {last + 1} turns verified; the other {last} are checked by links only. Seal: ")
    found = shell.run("verify", "--json").ok().json()["findings"]
    assert [(finding["kind"], finding["turn"], finding["count"]) for finding in found] == [("older", 1, last)]


def played_on(shell: Shell) -> list[dict[str, Any]]:
    """The export of an old log that was played on today: T1 is of version 1, the last turn carries the mark."""
    shell.do("osr enrol zed --rolled 6", "osr damage zed 3")
    *lines, _ = [json.loads(line) for line in shell.run("export").ok().out.splitlines()]
    return lines


def taken_in(shell: Shell, lines: list[dict[str, Any]]) -> Any:
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    return shell.run("import", "-", "--file", "forged.campaign", stdin=text)


def hit(lines: list[dict[str, Any]], amount: int) -> None:
    lines[-1]["events"][0]["hp"] = amount


def marked(at: int, version: object) -> Callable[[list[dict[str, Any]]], None]:
    def forge(lines: list[dict[str, Any]]) -> None:
        lines[at]["rules_version"] = version

    return forge


def begun(version: int) -> Callable[[list[dict[str, Any]]], None]:
    def forge(lines: list[dict[str, Any]]) -> None:
        lines[0]["rules_version"] = version
        lines[1]["events"][0]["version"] = version

    return forge


FORGED: dict[str, tuple[Callable[[list[dict[str, Any]]], None], str]] = {
    "more hit points than the hit left": (lambda lines: hit(lines, 999), "does not follow"),
    "a version that never was": (marked(-1, 0), "names version 0 of the rules where"),
    "a version below": (marked(-1, -5), "names version -5 of the rules where"),
    "a version that goes back": (marked(-1, 1), f"names version 1 of the rules where version {TODAY} is in force"),
    "a version again": (marked(-1, TODAY), f"names version {TODAY} of the rules where version {TODAY} is in force"),
    "a version that is yet to come": (marked(-1, 99), "was recorded by a newer version of campaign"),
    "a version on the first turn": (marked(1, 1), "names version 1 of the rules where version 1 is in force"),
    "a beginning under version 0": (begun(0), "The first line is not a valid header"),
    "a beginning under version -5": (begun(-5), "The first line is not a valid header"),
    "a beginning under a version to come": (begun(99), "a newer version of the osr rules"),
}


@pytest.mark.parametrize("case", FORGED)
def test_an_edited_export_is_refused(case: str, shell: Shell) -> None:
    lines = played_on(shell)
    forge, sentence = FORGED[case]
    forge(lines)
    result = taken_in(shell, lines)
    assert (result.code, result.out) == (2, ""), result
    assert sentence in result.err
    assert not (shell.folder / "forged.campaign").exists()


def test_what_is_taken_on_trust_is_never_called_verified(shell: Shell) -> None:
    """Without its mark an edited log cannot be told from an honest old one: everything that is said of it says so."""
    lines = played_on(shell)
    hit(lines, 999)
    for line in lines[1:]:
        line.pop("rules_version", None)
    result = taken_in(shell, lines).ok()
    last = len(lines) - 1
    note = f"Imported on trust: T1 to T{last} were decided by version 1 of the rules"
    assert note in result.out
    assert note in shell.run("log", "-n", "1", "-c", "forged.campaign").ok().out
    output = shell.run("verify", "-c", "forged.campaign").ok().out
    assert f"1 of {last + 1} turns verified; the other {last} are checked by links only." in output
    log = shell.run("log", "-c", "forged.campaign").ok()
    assert "Begun under version 1 of the rules" in log.out


def test_a_log_that_verifies_whole_is_imported_without_a_note(shell: Shell) -> None:
    shell.do('new "Today" --rules osr --file today.campaign', "osr enrol brog --rolled 4")
    text = shell.run("export").ok().out
    shell.run("import", "-", "--file", "again.campaign", stdin=text).ok()
    assert len(shell.turns("again.campaign")) == 2
    assert "Begun under" not in shell.run("log").ok().out


def test_a_dry_run_says_what_would_be_taken_on_trust(shell: Shell) -> None:
    text = shell.run("export").ok().out
    result = shell.run("import", "-", "--file", "x.campaign", "--dry-run", stdin=text).ok()
    assert "were decided by version 1 of the rules" in result.out and not (shell.folder / "x.campaign").exists()


def test_what_was_taken_over_as_it_was_is_named_as_on_trust(shell: Shell) -> None:
    """Nothing is on record that it could be decided from: whoever forges such a turn is not believed."""
    shell.do(
        'new "Today" --rules osr --file today.campaign',
        "osr enrol brog --rolled 4",
        "branch plan",
        "osr enrol ada --rolled 5",
        "switch main",
        "osr enrol ada --rolled 6",
    )
    shell.run("adopt", "plan", "--keep").ok()
    lines = shell.run("verify").ok().out.splitlines()
    assert lines[0] == "T4 was taken over from a branch as recorded there, checked by links only."
    assert lines[-1].startswith("5 of 6 turns verified; the other one is checked by its link only.")


def test_a_revision_of_an_old_log_decides_by_todays_rules_and_an_option_brings_the_older_one_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In version 1 the incapacitated could spend a day healing: shown as a conflict, never changed in silence."""
    shell = Shell(tmp_path, monkeypatch)
    shutil.copy(OLD / "salt-road.campaign", shell.folder / "old.campaign")
    amend = ("amend", "T3", "--set", "player=Zed", "--dry-run", "--json")
    conflicts = shell.run(*amend).rows()[0]["conflicts"]
    assert [conflict["turn"] for conflict in conflicts] == [50]
    assert "Wren is incapacitated and cannot spend a day healing" in conflicts[0]["reason"]
    shell.do('ruling 9 "As before." --set incapacitated_heal=true --since T1')
    assert shell.run(*amend).rows()[0].get("conflicts", []) == []


def test_dice_that_are_said_to_come_from_a_branch_are_believed_only_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forger writes better dice and a turn that adopts them: nothing proves them, and nobody says that it does."""
    shell = Shell(tmp_path, monkeypatch)
    shell.do('new "Today" --rules osr --file today.campaign', "osr enrol brog --level 3", "branch plan")
    shell.do("osr short-rest brog", "switch main", "note here", "adopt plan")
    assert shell.run("verify").ok().out.startswith("All 6 turns verified.")
    header, started, enrolled, _, _, adopted, _ = [json.loads(line) for line in shell.run("export").out.splitlines()]
    for record in (enrolled["chance"]["brog/hit dice"], enrolled["events"][0]):
        record["values" if "values" in record else "dice"] = [6, 6, 6]
    enrolled["events"][0]["hp"] = 18
    forged = [header | {"turns": 2}, started, enrolled]
    refused = taken_in(shell, forged)
    assert refused.code == 2 and "T2 has dice or cards that its seed did not draw: " in refused.err
    adopted |= {"number": 3, "action": {"type": "adopt", "branch": "plan", "turns": [2]}}
    output = taken_in(shell, [header | {"turns": 3}, started, enrolled, adopted]).ok().out
    on_trust = "T2 was taken over from a branch as recorded there, checked by links only."
    assert f"Imported on trust: {on_trust}" in output
    verified = shell.run("verify", "-c", "forged.campaign").ok().out
    assert on_trust in verified and "3 of 4 turns verified; the other one is checked by its link only." in verified
