"""A line comes to the same turn or the same refusal wherever it is said: as typed, as a shell splits it, short or long.

Every surface feeds one conversation (`cli.recording`): the table and the page a line as it was typed, the shell its
words, the long form of a verb the same words behind the verb's whole name. Held for every row of the corpus.
"""

import re
import shlex
from typing import Any

import pytest

from cli.line.errors import Ambiguous, Missing
from cli.line.spelling import line_of_choice
from cli.line.verbs import Verb, verb_at
from cli.line.vocabulary import ARTICLES
from cli.line.words import Line, line_of_arguments, tokenize
from cli.recording.audience import Audience
from cli.recording.conversation import Conversation
from cli.recording.steps import TurnsRecorded
from domain.refusal import Conflict, Invalid, Refusal, Unreported
from domain.registry import tag_of, verb_name
from tests.kit.given import Given
from tests.kit.lines import QUESTIONS, context
from tests.line.tables import table_of
from tests.line.test_corpus import NOT_FOR_SHELLS, ROWS, name_of

SAID = [row for row in ROWS if "asked" not in row and not NOT_FOR_SHELLS.search(row["say"])]


def refusal_of(table: Given, line: str) -> Refusal | Invalid | Conflict | None:
    """Why a line is not done where nobody can answer; None: it is."""
    there = table.copied()
    audience = Audience(there.log, there.system, there.handler.state)
    try:
        Conversation(there.handler, audience, asks=False, confirms=False, questions=QUESTIONS).say(tokenize(line))
    except (Refusal, Invalid, Conflict) as error:
        return error
    return None


def comes_to(table: Given, line: Line) -> Any:
    """The turns of a line where nobody can answer, or why there are none."""
    audience = Audience(table.log, table.system, table.handler.state)
    conversation = Conversation(table.handler, audience, by="Mia", asks=False, confirms=False)
    try:
        step = conversation.say(line)
    except (Refusal, Invalid, Conflict) as error:
        sentence = str(error)  # the line of what the table has to report begins as the line did
        return type(error), sentence.rpartition(": ")[0] if isinstance(error, Unreported) else sentence
    assert isinstance(step, TurnsRecorded)
    return [(outcome.turn.action, outcome.turn.by, outcome.turn.place) for outcome in step.outcomes]


def long_form(table: Given, words: list[str]) -> list[str]:
    """The same words behind the rules and the whole name of the verb; as they are where a short name sets something."""
    verb, at = verb_at(table.system.key, line_of_arguments(words))
    assert isinstance(verb, Verb)
    return words if verb.sets else ["campaign", table.system.key, *verb_name(verb.kind).split(), *words[at:]]


#: How a refusal names lines that can be typed: behind these words, up to its end.
NAMED = re.compile(r"(?:[Ll]ike:? |[Ss]ay: )([a-z].*? .*?)\.?$")


def repairs(table: Given, error: Refusal | Invalid | Conflict) -> list[str]:
    """The lines that are offered for one that was refused, each whole."""
    if isinstance(error, Ambiguous):
        return [choice.line for choice in error.choices]
    if isinstance(error, Refusal) and error.choices:
        return [line_of_choice(context(table), choice) for choice in error.choices if not choice.asks]
    if isinstance(error, Unreported):
        return [str(error).rpartition(": ")[2]]
    found = NAMED.search(str(error))
    return [] if found is None or "…" in found[1] or "like 2d6" in str(error) else found[1].split("; or ")


REFUSED = [row for row in ROWS if "asked" not in row and refusal_of(table_of(row["at"]), row["say"]) is not None]


@pytest.mark.parametrize("row", REFUSED, ids=name_of)
def test_a_repair_that_is_suggested_is_done_as_it_stands(row: dict[str, Any]) -> None:
    """As soon as nothing else is asked: whatever is wrong with a line is said at once, with a line that is right."""
    table = table_of(row["at"])
    error = refusal_of(table, row["say"])
    assert error is not None
    for line in repairs(table, error):
        again = refusal_of(table, line)
        if isinstance(error, Ambiguous) and isinstance(again, Ambiguous | Unreported):
            # two words that may be rules are two questions, and cards on a table are reported behind either
            assert str(again) != str(error), line
            continue
        if isinstance(error, Ambiguous) and isinstance(again, Missing) and again.legal:
            continue  # of two that may be meant, one still lacks what the rules then ask, with a key for each value
        assert again is None, f"{line}: {again}"


@pytest.mark.parametrize("row", SAID, ids=name_of)
def test_a_line_comes_to_the_same_on_every_surface(row: dict[str, Any]) -> None:
    table = table_of(row["at"])
    typed_there = comes_to(table.copied(), tokenize(row["say"]))
    words = shlex.split(row["say"])
    if "asks" not in row:  # the lines that are spelt out begin as the line did
        assert comes_to(table.copied(), line_of_arguments(words)) == typed_there
    tells_a_blow = row["say"].partition(" ")[0] in ARTICLES  # `a guard hits brann`: it is no verb, although `a` is one
    if "means" in row and row["means"][0]["type"] != "amend" and not tells_a_blow:
        try:
            verb, _ = verb_at(table.system.key, line_of_arguments(words))
            whole = long_form(table, words)
        except Invalid:
            return  # whom first, or a wish: it has no verb to be written out
        if isinstance(verb, Verb) and tag_of(verb.kind) != row["means"][0]["type"]:
            return  # `end of round` is no `end`, written out or not
        assert comes_to(table.copied(), line_of_arguments(whole)) == typed_there
