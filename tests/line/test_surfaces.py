"""A line comes to the same turn or the same refusal wherever it is said: at the table, from a pipe, on the shell, long.

Every surface feeds one conversation (`cli.recording`); the page's line is held in `tests/line/test_pages.py`. Thirty
rows of the corpus are said on each.
"""

import shlex
from typing import Any

import pytest

from cli.line.understanding import beginning_of
from cli.line.verbs import Verb
from cli.line.words import Line, line_of_arguments, tokenize
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from cli.recording.steps import TurnsRecorded
from cli.shell.ending import DONE
from cli.table.table import OpenTable
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import verb_name
from tests.kit.given import Given
from tests.kit.lines import context
from tests.line.tables import table_of
from tests.line.test_corpus import ROWS, name_of

#: Not those with signs that a shell reads itself, or that are refused for want of quotes, which a shell takes away.
SAID = [
    row
    for row in ROWS
    if "asked" not in row and not set("“”«»’&'*?!`$\"") & set(row["say"]) and "quotes" not in row.get("refused", "")
][::9]


def turns_of(table: Given, after: int) -> list[Any]:
    return [(turn.action, turn.place) for turn in table.log.read(after=after)]


def said(table: Given, line: Line) -> Any:
    """The turns of a line where nobody can answer, or why there are none."""
    audience, before = Audience(table.log, table.system, table.handler.state), table.log.last()
    try:
        step = Conversation(table.handler, audience, asks=False, confirms=False).say(line)
    except (Refusal, Invalid, Conflict) as error:
        return type(error), str(error)
    assert isinstance(step, TurnsRecorded)
    return turns_of(table, before)


def long_form(table: Given, words: list[str]) -> list[str]:
    """The same words behind the rules and the whole name of the verb; as they are where there is no such form."""
    try:
        verb, at, who = beginning_of(context(table), line_of_arguments(words))
    except Invalid:
        return words
    if not isinstance(verb, Verb) or verb.sets or who:
        return words
    return ["campaign", table.system.key, *verb_name(verb.kind).split(), *words[at:]]


def test_thirty_rows_are_said() -> None:
    assert len(SAID) >= 30


@pytest.mark.parametrize("row", SAID, ids=name_of)
def test_a_line_comes_to_the_same_on_every_surface(row: dict[str, Any]) -> None:
    table, words = table_of(row["at"]), shlex.split(row["say"])
    typed = said(table.copied(), tokenize(row["say"]))
    assert said(table.copied(), line_of_arguments(words)) == typed
    if "means" in row and row["means"][0]["type"] != "amend":
        assert said(table.copied(), line_of_arguments(long_form(table, words))) == typed
    there = table.copied()
    before = there.log.last()
    reply = OpenTable(there.log, there.system, there.handler, asks=False).answer(row["say"])
    if isinstance(typed, list):
        assert turns_of(there, before) == typed
    else:
        assert reply.code != DONE and there.log.last() == before
