"""The view in Datasette: what it is told, and what a browser shows of it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from cli.commands.explore import free_port, write_metadata
from projections.views.tables import TABLES
from projections.views.view import kept_view
from tests.osr.tables import osr_table

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
with_datasette = pytest.mark.skipif(find_spec("datasette") is None, reason="the extra `explore` is not installed")


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A view with its metadata beside it; a note in it tries to be a script."""
    path = tmp_path_factory.mktemp("views") / "view.sqlite"
    table = osr_table()
    for action in (
        {"type": "session.open", "title": "The crypt"},
        {"type": "osr.damage", "character": "brog", "amount": 9, "source": "trap"},
        {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [3, 4]}},
        {"type": "note", "text": "<script>document.title = 'taken over'</script>"},
    ):
        assert table.when(action).error is None
    with kept_view(path, table.log, table.system) as found:
        write_metadata(found, path, "osr")
    return path


def test_it_is_told_titles_meanings_facets_and_the_named_questions(view: Path) -> None:
    told = json.loads(view.with_suffix(".metadata.json").read_text("utf-8"))
    assert told["title"] == "Test"
    database = told["databases"]["view"]
    assert set(TABLES) | {"sheets", "changes"} <= set(database["tables"])
    assert database["tables"]["turns"]["facets"] == ["session", "kind", "by", "standing"]
    assert database["tables"]["values"]["columns"]["old"]
    assert database["tables"]["states"] == {"hidden": True}
    assert "select" in database["queries"]["dice-fairness"]["sql"]
    assert "cards-lost" not in database["queries"]
    assert view.with_suffix(".metadata.json").stat().st_mode & 0o077 == 0


@contextmanager
def served(path: Path) -> Iterator[str]:
    port = free_port()
    code = (
        "import sys; from pathlib import Path; from cli.commands.explore import serve;"
        f" sys.exit(serve(Path({str(path)!r}), Path({str(path.with_suffix('.metadata.json'))!r}), {port}, False))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            assert process.stderr is not None
            told: list[bytes] = []
            while not told or b"Uvicorn running on" not in told[-1]:
                told.append(process.stderr.readline())
                assert told[-1], told  # it ended before it served
            yield f"http://127.0.0.1:{port}/view"
        finally:
            os.killpg(process.pid, signal.SIGTERM)


def page(address: str) -> str:
    with urllib.request.urlopen(address, timeout=10) as answer:
        text: str = answer.read().decode()
    return text


@with_datasette
def test_every_table_and_every_named_question_opens(view: Path) -> None:
    with served(view) as address:
        start = page(address)
        assert "Turns" in page(f"{address}/turns") and "states" not in start
        for name in (*TABLES, "sheets", "changes"):
            assert json.loads(page(f"{address}/{name}.json?_shape=array")) is not None
        told = json.loads(view.with_suffix(".metadata.json").read_text("utf-8"))
        for name in told["databases"]["view"]["queries"]:
            assert json.loads(page(f"{address}/{name}.json?_shape=array")) is not None
        found = json.loads(page(f"{address}/turns.json?_shape=array&_search=trap"))
        assert [row["turn"] for row in found] == [5]


@with_datasette
@pytest.mark.skipif(BROWSER is None, reason="no headless browser is installed")
def test_a_real_browser_shows_labels_and_runs_no_note(view: Path, tmp_path: Path) -> None:
    assert BROWSER is not None
    with served(view) as address:

        def seen(path: str) -> str:
            command = [
                BROWSER,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={tmp_path}",
                "--dump-dom",
            ]
            return subprocess.run(
                [*command, f"{address}{path}"], capture_output=True, text=True, timeout=60, check=True
            ).stdout

        turns = seen("/turns")
        assert "<title>taken over" not in turns
        assert "&lt;script&gt;document.title" in turns
        # the key of another table shows what it stands for
        assert "Brog is hit for 9 by trap" in seen("/values")
        assert "rests" in seen("/rests-per-session")
