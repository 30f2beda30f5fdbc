"""What is asked again is answered as the long way would answer now, or not at all: never falsely."""

import io
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cli.shell import asked_again
from cli.shell.asked_again import answer_to, kept_for_next_time, may_be_asked
from cli.shell.command_line import run
from cli.shell.examples import examples
from cli.store.folders import cache_folder, state_folder
from tests.campaigns.benchmark import campaign_of
from tests.kit.shell import Shell
from tests.views.test_examples import example


class Terminal(io.TextIOWrapper):
    """A terminal that keeps what it shows."""

    def isatty(self) -> bool:
        return True


class Table:
    """Somebody who asks, through a pipe or at a terminal of so many columns."""

    def __init__(self, patch: pytest.MonkeyPatch, columns: int | None = None, **env: str) -> None:
        self.patch, self.columns, self.env = patch, columns, env

    @contextmanager
    def seated(self) -> Iterator[io.BytesIO]:
        shown = io.BytesIO()
        with self.patch.context() as patch:
            kind = io.TextIOWrapper if self.columns is None else Terminal
            patch.setattr(sys, "stdout", kind(shown, encoding="utf-8", write_through=True))
            patch.setattr(sys, "stderr", io.StringIO())
            patch.setattr(sys, "stdin", io.StringIO())
            for name, value in {"COLUMNS": str(self.columns or ""), "LINES": "9999", **self.env}.items():
                patch.setenv(name, value)
            yield shown

    def answer(self, *words: str) -> str | None:
        """What is answered without looking."""
        with self.seated():
            return answer_to(words)

    def look(self, *words: str) -> str:
        """What the long way says, kept for the next time."""
        with self.seated() as shown:
            with kept_for_next_time(words) as listening:
                listening.is_answered = run(words) == 0
            return shown.getvalue().decode()


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    """Nobody waits here until a file has settled, nor looks at each module that all the tests import."""
    monkeypatch.setattr(asked_again, "SETTLED", 0)
    ours = {name: module for name, module in sys.modules.items() if name.startswith("cli.")}
    monkeypatch.setattr(asked_again, "sys", SysOf(ours))
    return ours


class SysOf:
    """`sys`, with these modules alone."""

    def __init__(self, modules: dict[str, ModuleType]) -> None:
        object.__setattr__(self, "modules", modules)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(sys, name, value)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shell:
    return Shell(tmp_path, monkeypatch)


@pytest.fixture
def mill(shell: Shell) -> Shell:
    shell.do("new Mill --rules osr", "osr enrol Brog --rolled 5", "note Rain", "osr enrol Ada --rolled 2")
    return shell


# -- the same as the long way ----------------------------------------------------------------------------------

QUESTIONS = [
    "status", "status {first}", "status --full", "status --json", "status -O csv", "status -O md",
    "status --color always", "log -n 20", "log -n 3 --oneline", "log --reverse -n 9 --as-told", "log --json -n 4",
    "log -n 20 --color=never", "log -O md -n 5",
]  # fmt: skip
TABLES: list[tuple[int | None, dict[str, str]]] = [
    (None, {}), (80, {}), (41, {"TERM": "xterm"}), (80, {"NO_COLOR": "1"}), (80, {"TERM": "dumb"}),
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(examples()))
def test_every_question_is_answered_as_the_long_way_answers_it(
    name: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = example(name)
    campaign_of(shell.folder, log.turns, name)
    first = next(iter(shell.run("status", "--json").json()["characters"]))
    shell.do("log -n 1")  # what is seen of it is remembered, and its view made
    asked = []
    for at, (columns, env) in enumerate(TABLES):
        # each question at a pipe and at a terminal, some of them at each of the others
        for question in QUESTIONS[at % 3 :: 3] if at > 1 else QUESTIONS:
            table, words = Table(monkeypatch, columns, **env), question.format(first=first).split()
            shown = table.look(*words)
            assert table.answer(*words) == shown != ""
            asked.append((table, words, shown))
    for table, words, shown in asked:
        # or nothing, where the answer to another question took its place
        assert table.answer(*words) in (None, shown)


@pytest.mark.parametrize(
    "words",
    [
        "show", "log", "log --follow", "log -n", "log T1..T2", "log --at T2", "log --since 2026-01-01",
        "status --at T2",
        "status --as Mia", "status -x", "-n 20", "log -n20", "status -c", "undo", "", "status --help",
    ],
)  # fmt: skip
def test_what_rests_on_more_is_left_to_the_long_way(words: str) -> None:
    assert may_be_asked(words.split()) is (words == "log")


# -- never falsely ---------------------------------------------------------------------------------------------


def record(shell: Shell) -> None:
    shell.do("note Snow")


def replaced_by_a_copy(_: Shell) -> None:
    shutil.copy("mill.campaign", "copy")
    Path("copy").replace("mill.campaign")


def forgotten(_: Shell) -> None:
    for path in (state_folder() / "seen").iterdir():
        path.unlink()


def seen_otherwise(_: Shell) -> None:
    (path,) = (state_folder() / "seen").iterdir()
    path.write_bytes(path.read_bytes().replace(b"[4,", b"[9,"))


def used_elsewhere(_: Shell) -> None:
    (state_folder() / "current").write_text("/somewhere/else.campaign")


def torn(_: Shell) -> None:
    for path in (cache_folder() / "answers").iterdir():
        told = bytearray(path.read_bytes())
        told[-3] ^= 1
        path.write_bytes(told)


CHANGES: dict[str, Callable[[Shell], Any]] = {
    "a turn": record,
    "a turn taken back": lambda shell: shell.do("undo"),
    "another branch": lambda shell: shell.do("branch plan"),
    "a -wal beside it": lambda _: Path("mill.campaign-wal").write_bytes(b""),
    "a -journal beside it": lambda _: Path("mill.campaign-journal").write_bytes(b""),
    "touched": lambda _: os.utime("mill.campaign"),
    "other rights": lambda _: Path("mill.campaign").chmod(0o640),
    "a copy in its place": replaced_by_a_copy,
    "gone": lambda _: Path("mill.campaign").unlink(),
    "another campaign beside it": lambda _: Path("other.campaign").write_bytes(b""),
    "nothing remembered of it": forgotten,
    "remembered otherwise": seen_otherwise,
    "another one used last": used_elsewhere,
    "an answer that is not what was kept": torn,
    "no answer": lambda _: shutil.rmtree(cache_folder() / "answers"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_is_otherwise_is_looked_at(change: str, mill: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    table.look("status")
    shown = table.look("status")
    assert table.answer("status") == shown
    CHANGES[change](mill)
    assert table.answer("status") is None


def test_another_version_of_the_program_or_of_its_tables_is_looked_at(
    mill: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, modules: dict[str, ModuleType]
) -> None:
    module, table_of_rules = tmp_path / "added.py", tmp_path / "tables" / "figures.toml"
    table_of_rules.parent.mkdir()
    added = ModuleType("added")
    added.__file__ = str(module)
    modules["added"] = added
    monkeypatch.setattr("cli.shell.command_context.data_folder", lambda _: table_of_rules.parent)
    table = Table(monkeypatch)
    for changed in (module, table_of_rules):
        module.write_text("")
        table_of_rules.write_text("")
        table.look("status")
        assert table.look("status") == table.answer("status")
        changed.write_text("# otherwise")
        assert table.answer("status") is None
    assert mill.folder.exists()


def test_a_link_that_leads_elsewhere_is_looked_at(mill: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy("mill.campaign", "copy")
    Path("way").symlink_to("mill.campaign")
    table, words = Table(monkeypatch), ("status", "-c", "way")
    table.look(*words)
    assert table.look(*words) == table.answer(*words)
    Path("way").unlink()
    Path("way").symlink_to("copy")
    assert table.answer(*words) is None
    assert mill.folder.exists()


@pytest.mark.parametrize("changed", ["TZ", "LANG", "HOME", "CAMPAIGN", "NO_COLOR", "COLUMNS", "WHATEVER"])
def test_in_another_environment_it_is_looked_at(changed: str, mill: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    Table(monkeypatch).look("status")
    Table(monkeypatch).look("status")
    assert Table(monkeypatch).answer("status") is not None
    assert Table(monkeypatch, None, **{changed: "7"}).answer("status") is None
    monkeypatch.chdir(mill.folder.parent)
    assert Table(monkeypatch).answer("status") is None


def test_where_nothing_can_be_saved_that_is_said_each_time(mill: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    table.look("status")
    assert table.look("status") == table.answer("status")
    for name, value in (("access", lambda *_: False), ("ROOM", 2**63)):
        with monkeypatch.context() as patch:
            patch.setattr(asked_again if name == "ROOM" else os, name, value)
            assert table.answer("status") is None
    assert table.answer("status") is not None
    assert mill.folder.exists()


def test_what_was_just_written_is_not_kept(mill: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asked_again, "SETTLED", 2**62)
    table = Table(monkeypatch)
    for _ in range(2):
        table.look("status")
        assert table.answer("status") is None
    assert mill.folder.exists()


def test_an_answer_with_a_complaint_or_a_refusal_is_not_kept(mill: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(monkeypatch)
    Path("loop").symlink_to("loop")
    for asked in ("nobody", "-c nowhere.campaign", "-c loop", f"-c {'a' * 300}", "-c a\0b"):
        words = ("status", *asked.split(" "))
        for _ in range(2):
            assert table.look(*words) == ""
            assert table.answer(*words) is None
    seen_otherwise(mill)


def test_a_real_process_answers_again_with_the_same_bytes_and_imports_nothing_for_it(mill: Shell) -> None:
    mill.run("status").ok()
    (first, _), (second, modules) = (mill.importing("log", "-n", "2") for _ in range(2))
    assert first.out == second.out != ""
    ours = {name for name in modules if name.partition(".")[0] in ("cli", "domain", "projections")}
    answering = {"cli.main", "cli.importing", "cli.shell.asked_again", "cli.store.folders"}
    assert ours == {"cli", "cli.shell", "cli.store"} | answering
    assert not {"msgspec", "sqlite3", "typer", "data", "ipaddress"} & modules
