"""A sample of the corpus at `campaign play` on a terminal; all of it: `python -m tests.campaigns.corpus`."""

from pathlib import Path

import pytest

from tests.kit.corpus_on_terminal import corpus, differences, lay_tables
from tests.kit.shell import Shell

#: A table of each rule system, and how many of its lines that record nothing are typed before one that does.
SAMPLED, SAMPLE = ("osr evening", "deckahedron fight", "gloomhaven turns"), 4


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell(tmp_path, monkeypatch)
    lay_tables(shell)
    return shell


@pytest.mark.parametrize("table", SAMPLED)
def test_a_terminal_answers_what_the_corpus_says(tables: Shell, table: str) -> None:
    rows = [row for row in corpus() if row["at"] == table]
    answered = [row["say"] for row in rows if "means" not in row]
    recorded = [row["say"] for row in rows if "means" in row and not row["say"].isascii()] or [rows[0]["say"]]
    lines = [*answered[:: max(1, len(answered) // SAMPLE)], recorded[0]]
    assert list(differences(tables, table, lines)) == []
