"""The evenings of each example are typed at the table, line by line, and end in the sheets of the example."""

import pytest

from cli.line.understanding import Understood
from cli.recording.steps import TurnsRecorded
from cli.shell.examples import FOLDER, examples, first_turn, handler_of_example
from cli.shell.jsonlines import action_and_author, strict_object
from cli.table.table import OpenTable
from domain.log.backdating import NOW
from domain.log.port import MemoryLog
from domain.registry import system_of
from tests.kit.evenings import line_for
from tests.kit.recordings import sheets_of
from tests.record_examples import replayed


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_is_played_line_by_line(name: str) -> None:
    example = examples()[name]
    log = MemoryLog(example.rules, turns=[first_turn(example)])
    table = OpenTable(log, system_of(example.rules), handler_of_example(log), asks=False)
    for line in (FOLDER / name / "actions.ndjson").read_bytes().splitlines():
        action, about = action_and_author(example.rules, strict_object(line))
        typed = line_for(table.audience.context, action, about.get("backdating") or NOW)
        table.conversation.by = about.get("by")
        if typed is None:
            assert isinstance(table.conversation.do(Understood((action,))), TurnsRecorded)
            continue
        answer = table.answer(typed)
        assert answer.code == 0, (typed, answer.lines)
    assert sheets_of(log) == sheets_of(replayed(name))
