"""An example in a file and on a server: every command that reads says the same of it, to the byte."""

import shlex
from pathlib import Path

import pytest

import data
from cli.store.anywhere import copy_to
from cli.store.file import open_campaign
from tests.kit.shell import Shell

EXAMPLES = sorted(path.name for path in (Path(data.__path__[0]) / "examples").iterdir() if path.is_dir())
READING = (
    "status --json",
    "status",
    "log -O ndjson",
    "log -n 5",
    "rules",
    "recap",
    "stats -O json",
    "diff S1 --json",
    "show T12 --json",
    "export",
    "seal",
    "verify",
    "query 'select count(*), max(turn) from turns'",
)


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_reads_alike(example: str, shell: Shell, database: str) -> None:
    shell.run("demo", example)
    (path,) = shell.folder.glob("campaign-demo/*.campaign")
    with open_campaign(path) as log:
        address = copy_to(database, log, "Example", example)
    for line in READING:
        with shell.at_home("file"):
            here = shell.run(*shlex.split(line), "-c", str(path))
        with shell.at_home("server"):
            there = shell.run(*shlex.split(line), "-c", address)
        assert here.code in (0, 1) and here.out, line
        assert (there.code, there.out, there.err) == (here.code, here.out, here.err), line


def test_an_evening_goes_on_alike(shell: Shell, database: str) -> None:
    shell.run("demo", "drowned-chapel")
    (path,) = shell.folder.glob("campaign-demo/*.campaign")
    with open_campaign(path) as log:
        address = copy_to(database, log, "Example", "example")
    lines = [
        {"type": "note", "text": "One more."},
        {"type": "undo"},
        {"type": "redo"},
        {"type": "note", "text": "Told late.", "after": "T5"},
        {"type": "undo", "last": 3},
    ]
    readings = {}
    for where in (str(path), address):
        with shell.at_home("file" if where == str(path) else "server"):
            readings[where] = (
                shell.act(*lines, options=("-c", where)).out,
                shell.run("status", "--json", "-c", where).out,
            )
            shell.do(f"branch plan -c {where}", f"note Planned. -c {where}", f"switch main -c {where}")
            shell.do(f"adopt plan -c {where}", f"verify -c {where}")
    assert readings[str(path)] == readings[address]
