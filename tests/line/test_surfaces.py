"""A line comes to the same turn or the same refusal wherever it is said: as typed, as a shell splits it, short or long.

Every surface feeds one conversation (`cli.recording`): the table and the page a line as it was typed, the shell its
words, the long form of a verb the same words behind the verb's whole name. Held for every row of the corpus.
"""

import shlex
from typing import Any

import pytest

from cli.line.verbs import Verb, verb_at, verb_name
from cli.line.words import Line, given, typed
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from cli.recording.steps import TurnsRecorded
from domain.refusal import Conflict, Invalid, Refusal
from tests.kit.given import Given
from tests.line.tables import table_of
from tests.line.test_corpus import NOT_FOR_SHELLS, ROWS, name_of

SAID = [row for row in ROWS if "asked" not in row and not NOT_FOR_SHELLS.search(row["say"])]


def comes_to(table: Given, line: Line) -> Any:
    """The turns of a line where nobody can answer, or why there are none."""
    audience = Audience(table.log, table.system, table.handler.state)
    conversation = Conversation(table.handler, audience, by="Mia", asks=False, confirms=False)
    try:
        step = conversation.say(line)
    except (Refusal, Invalid, Conflict) as error:
        return type(error), str(error)
    assert isinstance(step, TurnsRecorded)
    return [(outcome.turn.action, outcome.turn.by, outcome.turn.place) for outcome in step.outcomes]


def long_form(table: Given, words: list[str]) -> list[str]:
    """The same words behind the rules and the whole name of the verb; as they are where a short name sets something."""
    verb, at = verb_at(table.system.key, given(words))
    assert isinstance(verb, Verb)
    return words if verb.sets else ["campaign", table.system.key, *verb_name(verb.kind).split(), *words[at:]]


@pytest.mark.parametrize("row", SAID, ids=name_of)
def test_a_line_comes_to_the_same_on_every_surface(row: dict[str, Any]) -> None:
    table = table_of(row["at"])
    typed_there = comes_to(table.copied(), typed(row["say"]))
    words = shlex.split(row["say"])
    if "asks" not in row:  # the lines that are spelt out begin as the line did
        assert comes_to(table.copied(), given(words)) == typed_there
    if "means" in row and row["means"][0]["type"] != "amend":
        try:
            whole = long_form(table, words)
        except Invalid:
            return  # whom first, or a wish: it has no verb to be written out
        assert comes_to(table.copied(), given(whole)) == typed_there
