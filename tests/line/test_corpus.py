"""Lines as people say them, and what each means: the corpus (`tests/line/corpus/*.jsonl`), one line each.

A row says at which table (`tests/line/tables.py`) a line is said, and one of these: the actions that it means (and how
they are told), the question that it asks of the log, what is asked about it with the line of each answer, or words of
the sentence that refuses it. To add a row, write it; `python -m tests.line.draft RULES` prints what a line means today.
"""

import json
import re
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cli.line.errors import Ambiguous, Missing
from domain.common.paragraphs import ParagraphAdd
from domain.refusal import Invalid, Refusal
from tests.kit.lines import means, on_shell, understood
from tests.line.tables import TABLES, table_of

FOLDER = Path(__file__).with_name("corpus")
ROWS = [json.loads(row) for path in sorted(FOLDER.glob("*.jsonl")) for row in path.read_text("utf-8").splitlines()]
#: What a shell would read differently than the table does.
NOT_FOR_SHELLS = re.compile(r"""['“”«»’&$`*?!]|a guard \"""")


def name_of(row: dict[str, Any]) -> str:
    """A row as the tests call it."""
    return f"{row['at']}: {row['say']}"


def test_the_corpus_speaks_of_every_table_and_grows() -> None:
    assert len(ROWS) >= 300
    assert {row["at"] for row in ROWS} == set(TABLES)
    names = [name_of(row) for row in ROWS]
    assert len(set(names)) == len(names), "each line once"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_line_means_what_it_says(row: dict[str, Any]) -> None:
    table = table_of(row["at"])
    if "asks" in row:
        with pytest.raises(Ambiguous) as caught:
            understood(table, row["say"])
        assert caught.value.question == row["asks"]
        assert [choice.line for choice in caught.value.choices] == row["of"]
        assert all(choice.line in str(caught.value) for choice in caught.value.choices), "all lines are spelt out"
    elif "refused" in row:
        with pytest.raises((Invalid, Refusal)) as refused:
            understood(table, row["say"])
        assert not isinstance(refused.value, Ambiguous)
        assert row["refused"] in str(refused.value)
    else:
        meant = understood(table, row["say"])
        assert dict(meant.manner) == row.get("manner", {})
        if "asked" in row:
            assert meant.question is not None
            assert " ".join((meant.question.command, *meant.question.words)) == row["asked"]
        else:
            assert means(table, row["say"]) == row["means"]


@pytest.mark.parametrize("where", TABLES)
def test_a_line_that_is_not_typed_to_its_end_is_answered(where: str) -> None:
    """The table reads a line at each key; whatever stands there is understood, asked about or refused."""
    lines = (row["say"].split(" ") for row in ROWS if row["at"] == where)
    for beginning in {" ".join(words[:count]) for words in lines for count in range(1, len(words))}:
        with suppress(Invalid, Refusal):
            understood(table_of(where), beginning)


@pytest.mark.parametrize("row", [row for row in ROWS if "asks" in row], ids=name_of)
def test_a_repair_that_is_offered_is_accepted_as_it_stands(row: dict[str, Any]) -> None:
    """Or it is asked about something else: two words that may be rules are two questions."""
    for line in row["of"]:
        try:
            assert understood(table_of(row["at"]), line).actions
        except Missing as further:
            assert further.legal, line  # what one of two still lacks the rules then ask, with a key for each value
        except Ambiguous as further:
            assert further.question != row["asks"], line


@pytest.mark.parametrize("row", [row for row in ROWS if not NOT_FOR_SHELLS.search(row["say"])], ids=name_of)
def test_the_shell_hands_over_the_same(row: dict[str, Any]) -> None:
    """The words of a line as a shell splits them come to the same actions, questions and refusals."""
    table = table_of(row["at"])
    handed = on_shell(*shlex.split(row["say"]))
    try:
        reading = understood(table, row["say"])
    except (Invalid, Refusal) as error:
        if str(error).startswith("What is its title?"):
            # a shell drops the quotes of a title of one word: there the first argument is the title
            (added,) = understood(table, handed).actions
            assert isinstance(added, ParagraphAdd) and added.title == shlex.split(row["say"])[3]
            return
        with pytest.raises(type(error)) as caught:
            understood(table, handed)
        if not isinstance(error, Ambiguous):
            assert str(caught.value) == str(error)
        return
    there = understood(table, handed)
    assert (there.actions, there.question, dict(there.manner)) == (
        reading.actions,
        reading.question,
        dict(reading.manner),
    )
