"""The evenings of each example are typed at the table, line by line, and end in the sheets of the example."""

import pytest

from cli.line.spelling import line_of
from cli.line.understanding import Understood, understand
from cli.line.words import typed as words_of
from cli.recording.steps import TurnsRecorded
from cli.shell.examples import FOLDER, examples, first_turn, handler_of_example
from cli.shell.jsonlines import action_and_author, strict_object
from cli.table.table import OpenTable
from domain.common.revisions import Amend
from domain.log.port import MemoryLog
from domain.registry import system_of, tag_of
from tests.kit.recorded import sheets_of
from tests.record_examples import replayed


@pytest.mark.parametrize("name", sorted(examples()))
def test_an_example_is_played_line_by_line(name: str) -> None:
    example = examples()[name]
    log = MemoryLog(example.rules, turns=[first_turn(example)])
    table = OpenTable(log, system_of(example.rules), handler_of_example(log))
    for line in (FOLDER / name / "actions.ndjson").read_bytes().splitlines():
        action, about = action_and_author(example.rules, strict_object(line))
        typed = line_of(table.audience.context, action)
        if (backdating := about.get("backdating")) is not None and backdating.after is not None:
            # of an amendment it is said behind the turn; what stands behind its = is the turn's own
            head, gap, rest = typed.partition(" ") if isinstance(action, Amend) else (typed, "", "")
            typed = f"{head} --after {backdating.after}{gap}{rest}"
        table.conversation.by = about.get("by")
        meant = understand(words_of(typed), table.audience.context)
        if len(meant.actions) > 1:
            # a foe that nobody added: a line adds it in a turn before, and the example counts its turns without one
            assert [tag_of(type(each)) for each in meant.actions] == ["deckahedron.foe", "deckahedron.attack"]
            assert meant.actions[-1] == action
            assert isinstance(table.conversation.do(Understood((action,))), TurnsRecorded)
            continue
        answer = table.answer(typed, asking=False)
        assert answer.code == 0, (typed, answer.lines)
    assert sheets_of(log) == sheets_of(replayed(name))
