"""The table of the readers of phrases: each row is needed by a line of the corpus, and each keeps to what it says."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from cli.line import phrase_readers
from cli.line.errors import Ambiguous
from cli.line.phrase import Actions, LinePhrase, Meant
from cli.line.phrase_readers import PHRASE_READERS, PhraseReader
from cli.line.words import Line
from domain.refusal import Invalid, Refusal
from tests.kit.lines import understood
from tests.line.tables import table_of
from tests.line.test_corpus import ROWS
from tests.test_imports import imported

Corpus = list[tuple[str, str]]


def outcome(at: str, line: str) -> Any:
    """What comes of a line at a table, in a form that can be compared."""
    try:
        return understood(table_of(at), line)
    except Ambiguous as error:
        return error.question, [choice.line for choice in error.choices]
    except (Invalid, Refusal) as error:
        return type(error), str(error)


@cache
def answers() -> dict[int, list[tuple[str, str, Any]]]:
    """By the place of a row: the lines of the corpus that it answers, each with the answer; None: it raises."""
    found: dict[int, list[tuple[str, str, Any]]] = defaultdict(list)
    read, here = PhraseReader.read, {"at": "", "say": ""}

    def noting(row: PhraseReader, phrase: LinePhrase) -> Meant:
        place = next(place for place, known in enumerate(PHRASE_READERS) if known is row)
        try:
            meant = read(row, phrase)
        except (Invalid, Refusal):
            found[place].append((here["at"], here["say"], None))
            raise
        if meant is not None:
            found[place].append((here["at"], here["say"], meant))
        return meant

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(PhraseReader, "read", noting)
        for row in ROWS:
            here |= {"at": row["at"], "say": row["say"]}
            outcome(row["at"], row["say"])
    return found


def named(places: Iterator[int]) -> list[Any]:
    """Each row as the tests call it."""
    rows = ((place, PHRASE_READERS[place]) for place in places)
    return [pytest.param(place, id=f"{place} {row.stage}: {row.reader}") for place, row in rows]


EVERY_ROW = named(iter(range(len(PHRASE_READERS))))


@pytest.mark.parametrize("place", EVERY_ROW)
def test_without_a_row_a_line_of_the_corpus_means_something_else(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [(at, say) for at, say, _ in answers()[place]]
    whole = {line: outcome(*line) for line in dict.fromkeys(lines)}
    monkeypatch.setattr(phrase_readers, "PHRASE_READERS", PHRASE_READERS[:place] + PHRASE_READERS[place + 1 :])
    assert any(without_crash(line) != meant for line, meant in whole.items()), (
        "no line of tests/line/corpus needs this row: add the line that it is for, or take the row out"
    )


def without_crash(line: tuple[str, str]) -> Any:
    """What comes of a line; the last row of a stage may be what keeps it from coming to nothing at all."""
    try:
        return outcome(*line)
    except (AssertionError, AttributeError, TypeError) as error:
        return error


@pytest.mark.parametrize("place", EVERY_ROW)
def test_a_reader_answers_with_what_its_row_says(place: int) -> None:
    for _, say, meant in (answer for answer in answers()[place] if answer[2] is not None):
        kind = "line" if isinstance(meant, Line) else "actions" if isinstance(meant, Actions) else "offer"
        assert kind in PHRASE_READERS[place].yields.split(" or "), say


def test_no_reader_imports_the_table_or_what_walks_it() -> None:
    """The checker of circles does not see what is imported by its name."""
    for row in PHRASE_READERS:
        reached, waiting = set[str](), {f"cli.line.phrases.{row.reader.partition('.')[0]}"}
        while waiting:
            reached |= waiting
            waiting = {name for own in waiting for name in imported(own) if name.startswith("cli.line.")} - reached
        assert not reached & {"cli.line.phrase_readers", "cli.line.understanding"}, row.reader
