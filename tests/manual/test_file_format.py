"""The verifier of the chapter on the file format needs nothing of ours, and finds what was changed."""

import ast
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.shell.signing import NAMESPACE
from cli.store.branches import make_branch
from cli.store.file import open_campaign
from cli.store.linking import link_all
from cli.store.making import create
from domain.log.hash_chain import seal_of
from domain.registry import SYSTEMS
from domain.turn import Turn
from tests.kit.chapters import MANUAL, blocks
from tests.kit.on_disk import handler_of
from tests.kit.recordings import old_logs_in, recordings_in
from tests.kit.subjects import DATA

CHAPTER = MANUAL / "file-format.md"
((_, VERIFIER),) = [block for block in blocks(CHAPTER) if block[0] == "python"]
OLD = [path for key in SYSTEMS for path in old_logs_in(DATA, key)]


def test_it_is_short_and_needs_the_standard_library_alone() -> None:
    assert len(VERIFIER.splitlines()) <= 60
    imports = [node for node in ast.walk(ast.parse(VERIFIER)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imports if isinstance(node, ast.ImportFrom)}
    foreign = names - set(sys.stdlib_module_names)
    assert not foreign, f"write the verifier of data/manual/file-format.md without {sorted(foreign)}"


@pytest.fixture
def verifier(tmp_path: Path) -> Path:
    path = tmp_path / "verifier.py"
    path.write_text(VERIFIER, "utf-8")
    return path


def checked(verifier: Path, path: Path, *seal: str) -> tuple[int, str]:
    """What it answers, run where nothing but Python is."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", verifier.name, str(path), *seal],
        cwd=verifier.parent,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.mark.parametrize("old", OLD, ids=lambda path: path.stem)
def test_old_logs_fit_before_and_after_their_first_turn_of_today(old: Path, verifier: Path, tmp_path: Path) -> None:
    from domain.common.notes import Note

    path = tmp_path / old.name
    shutil.copy(old, path)
    for number in range(2):
        with open_campaign(path, write=True) as log:
            if number:
                handler_of(log).record(Note(text="Of today."))
            last = log.last()
            seal = str(seal_of(last, log.link(last)))
        assert checked(verifier, path, seal) == (0, f"{last} turns fit. Seal: {seal}\n")


def of_examples() -> Iterator[tuple[str, list[Turn]]]:
    for example in recordings_in(DATA):
        yield example.name, example.replayed().turns


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("examples")
    for name, (first, *rest) in of_examples():
        create(folder / f"{name}.campaign", f"id-{name}", first, rest)
    return {path.stem: path for path in sorted(folder.iterdir())}


def test_every_example_fits_with_its_branches(examples: dict[str, Path], verifier: Path, tmp_path: Path) -> None:
    from domain.common.notes import Note

    for example in examples.values():
        path = tmp_path / example.name
        shutil.copy(example, path)
        with open_campaign(path, write=True) as log:
            make_branch(log, "plan", 5, switch=True)
        with open_campaign(path, write=True) as log:
            handler_of(log).record(Note(text="There."))
            make_branch(log, "deeper", 6, switch=True)
        with open_campaign(path, write=True) as log:
            handler_of(log).record(Note(text="Deeper."))
            seal = str(seal_of(7, log.link(7)))
        code, findings = checked(verifier, path, seal)
        assert code == 0 and "turns fit. Seal: T" in findings, findings


TAMPERED = {
    "another byte": ("UPDATE stored_events SET state = CAST(state || x'00' AS BLOB) WHERE originator_version = 4", ""),
    "another tag": ("UPDATE stored_events SET topic = 'note' WHERE originator_version = 4", ""),
    "a turn taken out": ("DELETE FROM stored_events WHERE originator_version = 4", ""),
    "the last turn cut off": (
        "DELETE FROM stored_events WHERE originator_version = (SELECT max(originator_version) FROM stored_events)",
        "its link is there",
    ),
    "a turn of nobody": ("INSERT INTO stored_events SELECT 'x/y', 1, topic, state FROM stored_events LIMIT 1", ""),
    "a link taken out": ("DELETE FROM links WHERE number = 4", "T4 does not fit its link"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_what_was_changed_is_found(case: str, examples: dict[str, Path], verifier: Path, tmp_path: Path) -> None:
    statement, sentence = TAMPERED[case]
    path = tmp_path / "salt-road.campaign"
    shutil.copy(examples["salt-road"], path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    code, answer = checked(verifier, path)
    assert code == 1 and sentence in answer, answer


def test_history_that_was_linked_anew_is_found_by_a_seal(
    examples: dict[str, Path], verifier: Path, tmp_path: Path
) -> None:
    path = tmp_path / "salt-road.campaign"
    shutil.copy(examples["salt-road"], path)
    with open_campaign(path) as log:
        seal = str(seal_of(9, log.link(9)))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("UPDATE stored_events SET topic = 'note' WHERE originator_version = 4")
        connection.execute("DELETE FROM links")
        link_all(connection)
        connection.execute("COMMIT")
    assert checked(verifier, path)[0] == 0
    assert checked(verifier, path, seal) == (1, f"no turn has the seal {seal}\n")


def test_the_chapter_names_what_lies_in_the_file_and_in_a_turn(examples: dict[str, Path]) -> None:
    text = CHAPTER.read_text("utf-8")
    with closing(sqlite3.connect(examples["salt-road"])) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        columns = {table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")] for table in tables}
    for table, named in columns.items():
        assert f"`{table}({', '.join(named)})`" in text
    for field in Turn.__struct_encode_fields__:
        assert f"| `{field}`" in text
    assert f"namespace `{NAMESPACE}`" in text.replace("\n", " ")
