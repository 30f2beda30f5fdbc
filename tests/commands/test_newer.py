"""A log into which a newer version of the program has written: told as that, and never appended to."""

import json
import sqlite3
from contextlib import closing
from typing import Any

import msgspec
import pytest

from cli.store.linking import link_all
from domain.registry import system_of
from tests.kit.shell import Shell, shell_after

TOLD = "T4 was recorded by a newer version of campaign; update to read it."


shell = shell_after(
    'new "The Mill" --rules osr --file mill.campaign',
    "osr enrol brog --level 2 --rolled 5,6",
    "osr damage brog 4",
    "note later",
    "osr damage brog 1",
)


def rewritten(shell: Shell, *, linked: bool = True, **changes: Any) -> None:
    """T4 as another version would have stored it, with links that fit."""
    with closing(sqlite3.connect(shell.folder / "mill.campaign", isolation_level=None)) as connection:
        connection.execute("BEGIN")
        (state,) = connection.execute("SELECT state FROM stored_events WHERE originator_version = 4").fetchone()
        record = msgspec.msgpack.decode(state) | changes
        connection.execute(
            "UPDATE stored_events SET state = ?, topic = ? WHERE originator_version = 4",
            (msgspec.msgpack.encode(record), record["action"]["type"]),
        )
        if linked:
            connection.execute("DELETE FROM links")
            link_all(connection)
        connection.execute("COMMIT")
    for path in (shell.folder.parent).rglob("seen/*.json"):
        path.unlink()


NEWER: dict[str, dict[str, Any]] = {
    "a tag of an action": {"action": {"type": "osr.levitate", "character": "brog"}},
    "a tag of an event": {"events": [{"type": "osr.levitated", "character": "brog"}]},
    "a field of an action": {"action": {"type": "note", "text": "later", "mood": "grim"}},
    "a field of an event": {"events": [{"type": "noted", "text": "later", "mood": "grim"}]},
    "a field of a turn": {"mood": "grim"},
    "a version of the rules": {"rules_version": system_of("osr").version + 1},
}


@pytest.mark.parametrize("case", NEWER)
def test_it_reads_as_newer_and_takes_no_turn(case: str, shell: Shell) -> None:
    rewritten(shell, **NEWER[case])
    for command in ("status", "note x", "osr damage brog 1", "undo", "stats", "show T4", "when brog.hp"):
        result = shell.run(*command.split())
        assert (result.code, result.err) == (2, f"{TOLD}\n"), (command, result)
    for path in (shell.folder.parent).rglob("seen/*.json"):
        path.unlink()
    result = shell.run("verify")
    assert (result.code, result.out.splitlines()[0]) == (2, TOLD), result
    assert shell.run("status", "--at", "T3").ok()
    with closing(sqlite3.connect(shell.folder / "mill.campaign")) as connection:
        assert connection.execute("SELECT count(*) FROM stored_events").fetchone() == (5,)


@pytest.mark.parametrize("case", NEWER)
def test_log_tells_the_rest(case: str, shell: Shell) -> None:
    rewritten(shell, **NEWER[case])
    result = shell.run("log")
    assert (result.code, result.err) == (2, f"{TOLD}\n")
    assert "T4  Recorded by a newer version of campaign; update to read it." in result.out
    assert "Brog is hit for 1" in result.out and len(result.out.splitlines()) == 6


def test_what_does_not_fit_its_link_is_damage_all_the_same(shell: Shell) -> None:
    rewritten(shell, linked=False, **NEWER["a tag of an event"])
    assert shell.run("status").code == 5
    assert shell.run("verify").code == 5


def test_a_wrong_type_is_damage_all_the_same(shell: Shell) -> None:
    rewritten(shell, events=[{"type": "noted", "text": 7}])
    assert shell.run("status").code == 5


@pytest.mark.parametrize("case", NEWER)
def test_a_copy_with_it_is_not_joined_or_imported(case: str, shell: Shell) -> None:
    (shell.folder / "other.campaign").write_bytes((shell.folder / "mill.campaign").read_bytes())
    rewritten(shell, **NEWER[case])
    result = shell.run("join", "mill.campaign", "-c", "other.campaign")
    assert result.code == 2 and TOLD in result.err, result
    assert shell.run("status", "-c", "other.campaign").ok()
    assert len(shell.turns("other.campaign")) == 5


@pytest.mark.parametrize("how", ["", "--unverified"])
@pytest.mark.parametrize("case", NEWER)
def test_an_export_with_it_is_not_imported(case: str, how: str, shell: Shell) -> None:
    lines = [json.loads(line) for line in shell.run("export").ok().out.splitlines()]
    lines[4] |= NEWER[case]
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    result = shell.run("import", "-", "--file", "new.campaign", *how.split(), stdin=text)
    assert (result.code, result.out) == (2, ""), result
    assert "newer version of campaign" in result.err and not (shell.folder / "new.campaign").exists()
