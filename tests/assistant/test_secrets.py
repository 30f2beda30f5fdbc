"""Whatever the assistant of one player is answered tells nothing of what another keeps secret, to the byte."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from cli.assistant.arguments import arguments_of
from cli.assistant.assistant import Assistant
from cli.assistant.server import AssistantServer
from cli.assistant.tools import TOOLS
from cli.shell.command_context import open_chosen
from domain.refusal import Invalid
from tests.kit.shell import Shell
from tests.kit.subjects import Subject, secretive
from tests.kit.twins import Twins, written

#: A call of a tool, or the address of a resource.
Call = tuple[str, dict[str, Any]]


def calls(chance: Random, twins: Twins) -> Iterator[Call]:
    """Whatever one can ask of a table, about whoever is there and any of its turns."""
    table = twins.one
    last, names = table.log.last(), list(table.handler.state().characters)
    turns = chance.sample(range(1, last + 1), min(last, 4))
    yield from (("table", {}), ("describe", {}), ("log", {}), ("log", {"n": 100}), ("rules", {}), ("recap", {}))
    yield from (("query", {"sql": "select * from sheets"}), ("redo", {"dry_run": True}), ("undo", {"dry_run": True}))
    for turn in turns:
        yield from (("table", {"at": turn}), ("log", {"at": turn}), ("undo", {"turns": [turn], "dry_run": True}))
        yield "amend", {"turn": turn, "set": {"character": names[0]}, "dry_run": True}
        yield "preview", {"actions": [{"type": "undo", "turns": [turn]}]}
        yield "preview", {"actions": [{"type": "amend", "turn": turn, "action": {"type": "note", "text": "x"}}]}
    for name in names:
        field = chance.choice(sorted(table.sheet(name)))
        yield from (("why", {"what": f"{name}.{field}"}), ("why", {"what": name}), ("log", {"character": name}))
        yield from (("when", {"condition": f"{name}.{field} = 3"}), ("resource", {"uri": f"campaign://sheet/{name}"}))
        yield "log", {"character": name, "grep": chance.choice(("card", "hand", "selects", "e"))}
    yield from (("resource", {"uri": "campaign://recap"}), ("resource", {"uri": "campaign://rulebook"}))
    for _ in range(12):
        action = twins.subject.line(chance, table)
        yield "preview", {"actions": [action]}
        yield "preview", {"actions": [action], "after": turns[0]}
        # what comes of an own action, or of what the whole table waits for, the rules may tell
        if {action.get("character"), *action.get("characters", ())} & ({*names} - {twins.viewer}):
            yield "record", {"actions": [action]}
    for turn in turns:
        yield "undo", {"turns": [turn]}
    yield from (("undo", {}), ("redo", {}), ("undo", {"last": 3}))
    yield "amend", {"turn": turns[0], "set": {"character": names[0]}}


def answers(folder: str, viewer: str, asked: list[Call]) -> list[Any]:
    with open_chosen(str(Path(folder, "table.campaign")), write=True) as (log, system):
        assistant = Assistant(log, system, viewer)
        server = AssistantServer(assistant)
        return [answer(assistant, server, *call) for call in asked]


def answer(assistant: Assistant, server: AssistantServer, name: str, arguments: dict[str, Any]) -> Any:
    try:
        if name == "resource":
            return server._resource(arguments["uri"])
        tool = TOOLS[name]
        result = assistant.answer(tool.run, arguments_of(name, tool.takes, arguments))
        return result.text, msgspec.json.encode(result.data, order="sorted")
    except Exception as error:
        assert isinstance(error, Invalid) or name == "resource", (name, arguments, error)
        return str(error)


@pytest.mark.parametrize("subject", secretive(), ids=str)
def test_two_logs_that_differ_in_secrets_alone_are_answered_alike(subject: Subject, shell: Shell) -> None:
    chance, done = Random(1), Counter[str]()
    while done.total() < 250:
        twins = Twins(chance, subject)
        if not twins.tell_apart:
            continue
        asked = list(calls(chance, twins))
        both = []
        for folder in written(twins, chance):
            with shell.at_home(folder):
                both.append(answers(folder, twins.viewer, asked))
        for call, first, other in zip(asked, *both, strict=True):
            assert first == other, f"after {done.total()}: {call}"
            done[call[0]] += 1
    assert set(done) == {*TOOLS, "resource"}
