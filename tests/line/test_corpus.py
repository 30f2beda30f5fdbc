"""The language of the line, row by row: the corpus (`tests/line/corpus/*.jsonl`).

A row says at which table (`tests/line/tables.py`) a line is said, and one of these: the actions that it means (and how
they are told), the command that it runs, or the reason for which it is refused, with the lines that are named instead,
the reason `because` of which the likeliest of them is not, and the fields that are missing. To add a row, write it.
"""

import json
import shlex
from contextlib import suppress
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from cli.line.errors import LineError
from cli.line.words import Line
from domain.log.command_handler import Command
from domain.refusal import Invalid, Refusal, ReportedShort, Unreported
from domain.system.drafts import Draft
from projections.preview import simulate
from tests.kit.given import Given
from tests.kit.lines import means, on_shell, understood
from tests.line.tables import TABLES, table_of

FOLDER = Path(__file__).with_name("corpus")
ROWS = [json.loads(row) for path in sorted(FOLDER.glob("*.jsonl")) for row in path.read_text("utf-8").splitlines()]


def name_of(row: dict[str, Any]) -> str:
    """A row as the tests call it."""
    return f"{row['at']}: {row['say']}"


def error_of(table: Given, line: str | Line) -> Invalid | Refusal:
    """Why a line is refused."""
    try:
        understood(table, line)
    except (Invalid, Refusal) as error:
        return error
    pytest.fail("It is not refused.")


def can_be_done(table: Given, line: str) -> None:
    """A line can be typed as it stands, and no rule forbids what it says; what is left open may be asked for."""
    meant = understood(table, line)
    if any(action.open_decision(Draft(table.system, table.handler.state(), tuple)) for action in meant.actions):
        return
    with suppress(Unreported, ReportedShort):
        simulate(table.handler, *(Command(action, backdating=meant.backdating) for action in meant.actions or ()))


def test_the_corpus_speaks_of_every_table_and_of_what_is_refused() -> None:
    assert len(ROWS) >= 350 and sum("refused" in row for row in ROWS) >= 100
    assert {row["at"] for row in ROWS} == set(TABLES)
    names = [name_of(row) for row in ROWS]
    assert len(set(names)) == len(names), "each line once"


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_line_means_what_it_says(row: dict[str, Any]) -> None:
    table = table_of(row["at"])
    if "refused" in row:
        error = error_of(table, row["say"])
        assert error.reason == row["refused"]
        if isinstance(error, LineError):
            assert list(error.nearest) == row.get("nearest", [])
            assert (error.refusal.reason if error.refusal is not None else None) == row.get("because")
            assert list(error.missing) == row.get("missing", [])
        for line in row.get("nearest", []):
            can_be_done(table, line)
        return
    meant = understood(table, row["say"])
    assert dict(meant.manner) == row.get("manner", {})
    if "asked" in row:
        assert meant.question is not None
        assert " ".join((meant.question.command, *meant.question.words)) == row["asked"]
    else:
        assert means(table, row["say"]) == row["means"]


def test_the_shell_hands_over_the_same() -> None:
    """The words of a line as a shell splits them come to the same actions, commands and refusals."""
    for row in ROWS:
        if set("“”«»’&'*?!`$\"") & set(row["say"]) or row["say"].startswith("paragraph add"):
            continue  # a shell reads these otherwise, and takes off the quotes of a title
        table, handed = table_of(row["at"]), on_shell(*shlex.split(row["say"]))
        if "refused" in row:
            assert error_of(table, handed).reason == row["refused"], row["say"]
        else:
            assert understood(table, handed) == understood(table, row["say"]), row["say"]


def test_a_line_that_is_not_typed_to_its_end_is_answered() -> None:
    """The table reads a line at each key; whatever stands there is understood or refused."""
    for row in ROWS:
        words = row["say"].split(" ")
        for count in range(1, len(words)):
            with suppress(Invalid, Refusal):
                understood(table_of(row["at"]), " ".join(words[:count]))


@pytest.mark.parametrize(
    "line",
    [
        "d " + "brog 1 " * 100,
        "d brog 1 " + "a rat and wen " * 100,
        "d brog 1 " + "dc=3 x " * 100,
        "brog " + "and wen " * 100,
        "n " + "the ghoul had 3 keys " * 100,
        "undo " + "T2 " * 100,
        "gold " + "brog +1 " * 100,
        "xyz " * 100,
        '"' * 300,
    ],
)
def test_a_hundred_clauses_are_read_within_fifty_milliseconds(line: str) -> None:
    table = table_of("osr evening")
    with suppress(Invalid, Refusal):
        understood(table, line)
    began = process_time()
    with suppress(Invalid, Refusal):
        understood(table, line)
    assert process_time() - began < 0.05
