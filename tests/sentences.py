"""Every sentence that a person can meet, printed once to be read in one go: `uv run python -m tests.sentences`.

The one-line help of each command and verb, every error of the gallery, and what the chronicle says of each kind of turn
in the examples and the first evenings. `--write` keeps the list in `tests/sentences.txt`, so that a review sees which
words changed.
"""

import sys
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from cli.line.evening import evening_of
from cli.shell.catalogue import COMMANDS, first_line
from cli.shell.examples import examples
from cli.store.file import open_campaign
from cli.terminal.screen import safe
from domain.common import ACTIONS
from domain.log.port import Log
from domain.registry import SYSTEMS, system_of, tag_of
from projections.chronicle import chronicle
from tests.kit.shell import Shell
from tests.record_examples import replayed

KEPT = Path(__file__).with_name("sentences.txt")


def helps() -> Iterator[tuple[str, str]]:
    """The one-line help of every command, then of every verb."""
    for name in COMMANDS:
        yield f"campaign {name}", first_line(name)
    for kind in (*ACTIONS, *(kind for key in SYSTEMS for kind in system_of(key).actions)):
        yield tag_of(kind), (kind.__doc__ or "").partition("\n")[0]


def errors() -> Iterator[tuple[str, str]]:
    """What is answered to every mistake in the gallery."""
    from tests.commands.test_errors import GALLERY

    for words, _, sentence in GALLERY:
        yield safe(words if isinstance(words, str) else " ".join(words)), sentence


def turns() -> Iterator[tuple[str, str]]:
    """What the chronicle says of each kind of turn, once for each set of events that it came to."""
    seen: set[tuple[str, ...]] = set()
    for rows in chain(map(rows_of, map(replayed, sorted(examples()))), map(evening, SYSTEMS)):
        for row in rows:
            kind = (row["action"]["type"], *sorted({event["type"] for event in row["events"]}))
            if kind not in seen:
                seen.add(kind)
                yield kind[0], row["sentence"]


def rows_of(log: Log) -> list[dict[str, Any]]:
    """The chronicle of a log as JSON."""
    return [entry.as_json() for entry in chronicle(system_of(log.rules), log)]


def evening(rules: str) -> list[dict[str, Any]]:
    """The chronicle of the first evening of a rule system, typed at the table."""
    numbers = count(1)
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        shell = Shell(Path(folder), patch)
        # the same dice and cards each time
        patch.setattr("os.urandom", lambda size: next(numbers).to_bytes(size, "big"))
        shell.run("new", "Evening", "--rules", rules, "--file", "evening.campaign").ok()
        shell.run("play", "--plain", stdin=evening_of(rules))
        with open_campaign(shell.folder / "evening.campaign") as log:
            return rows_of(log)


def listing() -> str:
    """The whole list: each sentence below what brings it about."""
    parts = []
    for title, found in (("Help", helps()), ("Errors", errors()), ("Turns", turns())):
        parts.append(f"# {title}\n\n")
        parts += [f"{about}\n    {sentence.replace(chr(10), chr(10) + '    ')}\n" for about, sentence in found]
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def main(arguments: list[str]) -> None:
    """Print the list, or keep it."""
    if arguments == ["--write"]:
        KEPT.write_text(listing(), "utf-8")
    else:
        sys.stdout.write(listing())


if __name__ == "__main__":
    main(sys.argv[1:])
