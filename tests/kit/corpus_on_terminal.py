"""Lines of the corpus typed at `campaign play` on a pseudo-terminal, held against what the same table answers here."""

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from cli.shell.command_context import handler_for, open_chosen
from cli.table.replies import Reply
from cli.table.table import OpenTable
from tests.kit.shell import Shell
from tests.line.tables import TABLES

CORPUS = Path(__file__).parents[1] / "line" / "corpus"


def corpus() -> Iterator[dict[str, Any]]:
    """Every row of the corpus."""
    for path in sorted(CORPUS.glob("*.jsonl")):
        yield from map(json.loads, path.read_text("utf-8").splitlines())


def lay_tables(shell: Shell) -> None:
    """Write the tables of the corpus as campaigns, each in a file of its own."""
    for name, (rules, turns) in TABLES.items():
        shell.run("new", name, "--rules", rules, "--file", _file(name)).ok()
        shell.act(*turns, options=("-c", _file(name)))


def _file(table: str) -> str:
    return f"{table.replace(' ', '-')}.campaign"


def differences(shell: Shell, table: str, lines: Iterable[str]) -> Iterator[str]:
    """What a terminal answers otherwise than the table in this process, line by line, in words.

    The lines are typed one after the other at one campaign; each question is left as it is.
    """
    earlier_lines, count = list(lines), len(list(shell.folder.glob("here-*.campaign")))
    # each copy by a name of its own: what was last seen of an earlier one would be missed in the next
    here, there = (f"{place}-{count}.campaign" for place in ("here", "terminal"))
    for copy in (here, there):
        shutil.copy(shell.folder / _file(table), shell.folder / copy)
    replies_here = [_answered_here(shell, here, line) for line in earlier_lines]
    env = {"TERM": "dumb"}
    with shell.seated("play", "--plain", "--color", "never", "-c", there, columns=4000, env=env) as seat:
        seat.read_until_it_waits()
        for line, (reply, reply_now, asked) in zip(earlier_lines, replies_here, strict=True):
            seat.press(f"{line}\n".encode())
            seat.read_until_it_waits()
            screen = _plain(seat.output.decode())
            actions = _actions(shell, there)
            if actions != reply_now:
                yield f"{table}: {line}: records {actions[-1]} and here {reply_now[-1]}"
            missing = [part for part in asked or _parts(reply) if part not in screen]
            if missing:
                yield f"{table}: {line}: does not show {missing[0]!r} but {screen!r}"
            if reply.choices is not None or reply.begins is not None or asked:
                seat.press(b"\x04")
                seat.read_until_it_waits()
        seat.press(b"\x04")
        if seat.end() != 0:
            yield f"{table}: ends with {seat.process.returncode}"


def _answered_here(shell: Shell, campaign: str, line: str) -> tuple[Reply, list[Any], list[str]]:
    """The reply in this process, all actions of the campaign after it, and the field that a terminal asks for next.

    A question is left as it is.
    """
    with open_chosen(campaign, write=True) as (log, system):
        table = OpenTable(log, system, handler_for(log), address=log.address)
        lacks, slots = table.missing(line), table.guide(f"{line} ", len(line) + 1).slots
        asked = [slot.label for slot in slots if slot.key in lacks][:1]
        reply = table.answer(line)
        table.leave()
    return reply, _actions(shell, campaign), asked


def _actions(shell: Shell, campaign: str) -> list[Any]:
    return [turn["action"] for turn in shell.turns(campaign)]


def _parts(reply: Reply) -> Iterator[str]:
    """What has to be seen of a reply; what it drew differs from table to table."""
    if reply.choices is not None:
        yield from (_plain(text) for text in (reply.choices.why, *(choice.says for choice in reply.choices.choices)))
    elif reply.code:
        yield from map(_plain, reply.lines)


def _plain(text: str) -> str:
    return " ".join(text.split())
