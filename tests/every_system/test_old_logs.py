"""Campaign files written by earlier versions open, and tell every sheet and every turn as they did then.

Beside each file in `data/old_logs/` lie what `campaign log -O ndjson` and, for each turn, `campaign status --at`
answered when it was written. A sheet may have gained fields since; nothing that it had reads differently.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from domain.registry import system_of
from domain.system.installed import SYSTEMS

from ..kit.recordings import old_logs_in, recordings_in
from ..kit.shell import Shell
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Here, as a package that takes this file over has no conftest of ours."""
    return Shell(tmp_path, monkeypatch)


def still_there(then: Any, now: Any, where: str) -> None:
    """Everything that was told then is told now."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            assert key in now, f"{where}: {key} is gone"
            still_there(value, now[key], f"{where}.{key}")
    elif isinstance(then, list) and isinstance(now, list):
        assert len(then) == len(now), where
        for number, (pair, of_now) in enumerate(zip(then, now, strict=True)):
            still_there(pair, of_now, f"{where}[{number}]")
    else:
        assert then == now, where


def test_an_old_log_reads_as_it_did(old_log: Path, shell: Shell) -> None:
    path, name = old_log, old_log.name
    shutil.copy(path, shell.folder / name)
    entries = [json.loads(line) for line in path.with_suffix(".log.ndjson").read_text("utf-8").splitlines()]
    now = shell.run("log", "-c", name, "-O", "ndjson").ok().rows()
    assert [entry["sentence"] for entry in now] == [entry["sentence"] for entry in entries]
    for then, pair in zip(entries, now, strict=True):
        still_there(then, pair, f"T{then['turn']}")
    sheets = [json.loads(line) for line in path.with_suffix(".sheets.ndjson").read_text("utf-8").splitlines()]
    assert len(sheets) == len(entries)
    for number, then in enumerate(sheets, 1):
        still_there(then, shell.run("status", "-c", name, "--at", f"T{number}", "--json").ok().json(), f"at T{number}")


def test_every_rule_system_has_an_old_log(subject: Subject) -> None:
    assert old_logs_in(subject.data, subject.key)


def format_of(path: Path) -> int:
    """The format of a campaign file, as its first bytes say it."""
    return int.from_bytes(path.read_bytes()[60:64], "big")


def begun_in_format_1(shell: Shell, subject: Subject) -> tuple[str, int]:
    """A file of format 1, as it was written then."""
    old = old_logs_in(subject.data, subject.key)[0]
    shutil.copy(old, shell.folder / "format-1.campaign")
    output = shell.run("verify", "-c", "format-1.campaign").ok().out
    turns = len(shell.turns("format-1.campaign"))
    assert "It was begun before turns had links; they are made at its first write.\n" in output
    assert f" of {turns} turns verified; none has a link yet. Seal: T{turns} " in output
    return "format-1.campaign", turns


def begun_under_version_1(shell: Shell, subject: Subject) -> tuple[str, int]:
    """A file of today's format, whose turns were decided by the version of the rules of then."""
    shutil.copy(old_logs_in(subject.data, subject.key)[0], shell.folder / "old.campaign")
    turns = len(shell.turns("old.campaign"))
    exported = shell.run("export", "-c", "old.campaign").ok().out
    shell.run("import", "-", "--file", "version-1.campaign", stdin=exported).ok()
    return "version-1.campaign", turns


def begun_today(shell: Shell, subject: Subject) -> tuple[str, int]:
    """The first example campaign, typed in today."""
    example = recordings_in(subject.data, subject.key)[0]
    shell.run("new", "Today", "--rules", subject.key, "--file", "today.campaign").ok()
    lines = [line.decode() for line in example.file("actions.ndjson").splitlines()[:20]]
    assert shell.act(*lines, options=("-c", "today.campaign")).code == 0
    return "today.campaign", 0


def test_a_log_of_each_age_opens_takes_a_turn_verifies_and_says_what_was_checked(
    subject: Subject, shell: Shell
) -> None:
    today = system_of(subject.key).version
    oldest = format_of(old_logs_in(subject.data, subject.key)[0])
    assert oldest == 1 or subject.key not in SYSTEMS, "a rule system of another package may have begun later"
    for begin in (*((begun_in_format_1,) if oldest == 1 else ()), begun_under_version_1, begun_today):
        shutil.rmtree(shell.folder.parent / "xdg_state_home")  # two of them are copies of one campaign
        path, old = begin(shell, subject)
        begun = shell.run("log", "-c", path, "-n", "1", "-O", "ndjson", "--kind", "campaign.start").ok().rows()
        version = begun[0]["events"][0]["version"]
        on_trust = old if version < today else 0
        assert shell.run("status", "-c", path).ok().out
        shell.run("note", "Taken today.", "-c", path).ok()
        turns = len(shell.turns(path))
        printed_lines = shell.run("verify", "-c", path).ok().out.splitlines()
        expected = [f"All {turns} turns verified."]
        if on_trust:
            decided = f"T1 to T{on_trust} were decided by version {version} of the rules, checked by links only."
            assert printed_lines[0].startswith(decided), (path, printed_lines)
            expected = [
                f"{turns - on_trust} of {turns} turns verified; the other {on_trust} are checked by links only."
            ]
        assert [line.partition(" Seal: ")[0] for line in printed_lines[bool(on_trust) :]] == expected, path
        seal = printed_lines[-1].partition(" Seal: ")[2]
        shell.run("verify", "-c", path, "--quick", "--seal", seal).ok()
        # what was recorded today and is forged in its export is refused, however the log began
        header, *lines, _ = [json.loads(line) for line in shell.run("export", "-c", path).ok().out.splitlines()]
        lines[-1]["events"][0]["text"] = "Something else."
        text = "".join(f"{json.dumps(line)}\n" for line in (header, *lines))
        refused = shell.run("import", "-", "--file", "forged.campaign", stdin=text)
        assert refused.code == 2 and f"T{turns} does not follow: " in refused.err, (path, refused)
