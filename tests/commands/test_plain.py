"""A plain command line is read without Typer, and comes to the very same; whatever is not plain is left to it."""

import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.shell import command_line
from cli.shell.catalogue import declared_by
from cli.shell.declaration import LineDeclaration, parameters_of
from cli.shell.parser import SingleCommand, command_of
from cli.shell.plain import plain_arguments, plain_call
from tests.kit.shell import Shell, shell_elsewhere


@pytest.fixture(autouse=True)
def _not_switched_off(request: pytest.FixtureRequest) -> None:
    """These tests are about the reader that `--through-typer` switches off for all others."""
    if request.config.getoption("--through-typer"):
        pytest.skip("it compares with the reader that --through-typer switches off")


#: Commands that are read so, each with words that it may be given.
COMMANDS: dict[tuple[str, ...], list[str]] = {
    ("status",): ["brog", "--full", "--json", "--at", "T4"],
    ("log",): ["T1..T4", "--reverse", "--undone", "--standing", "-n", "3", "--session", "2", "--by", "Mia"],
    ("show",): ["@", "@-3", "T4", "--as", "Mia", "--output", "csv"],
    ("rules",): ["6.4", "rest", "--book", "--no-book", "--preview", "keep_higher=true", "--trial", "R1", "-o", "x.md"],
    ("diff",): ["T1..T4", "brog", "T9", "--exit-code", "--as-now", "--as", "Mia"],
    ("when",): ["brog.hp < 3", "brog.hp", "<", "3"],
    ("why",): ["brog.hp", "brog", "hp", "-n", "0", "7"],
}
ANYWHERE = [
    "-c", "dc.campaign", "--campaign", "--campaign=x.campaign", "--color", "never", "--color=always", "--color", "red",
    "-O", "json", "text", "--", "-", "", "--help", "-h", "--nope", "-n5", "--at=", "--json", "--json=yes", "-cX",
]  # fmt: skip


def by_typer(function: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """What Typer calls the function with; None if it does not."""
    called: list[dict[str, Any]] = []

    def record(**given: Any) -> None:
        called.append(given)

    record.takes = parameters_of(function)  # type: ignore[attr-defined]
    command = command_of("it", record, "", SingleCommand)
    try:
        command.main(args=list(words), prog_name="it", standalone_mode=False)
    except Exception:
        return None
    return called[0] if called else None


def meant_by(words: Sequence[str]) -> tuple[Callable[..., Any], Sequence[str]]:
    found = declared_by(words)
    assert found is not None and not isinstance(found[0], LineDeclaration)
    return found[0], found[1]


@pytest.mark.parametrize("named", COMMANDS, ids=" ".join)
def test_what_is_read_plainly_is_what_typer_reads(named: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    (function, _), chance, plain = meant_by(named), random.Random(" ".join(named)), 0
    for turn in range(150):
        monkeypatch.setenv("CAMPAIGN_BY", ("", "Jon")[turn % 2])
        pool = COMMANDS[named] * 3 + ANYWHERE
        words = [chance.choice(pool) for _ in range(chance.randrange(6))]
        given = plain_arguments(parameters_of(function), words)
        if given is not None:
            plain += 1
            assert given == by_typer(function, words), words
    assert plain > 10


@pytest.mark.parametrize(
    "words",
    [
        ["status", "-c", "dc.campaign"],
        ["status", "brog", "--at", "@-3", "--json", "--color", "never"],
        ["log", "-n", "20", "-c", "dc.campaign"],
        ["log", "--grep", "torch", "-n", "20"],
        ["show"],
        ["why", "brog.hp", "-n", "20"],
        ["rules", "6.4"],
        ["stats", "dice-fairness", "--json"],
        ["query", "select 1", "--json"],
        ["recap", "S1", "-O", "md"],
    ],
)
def test_what_people_type_is_plain(words: list[str]) -> None:
    function, left = meant_by(words)
    given = plain_arguments(parameters_of(function), left)
    assert given is not None
    assert given == by_typer(function, left)


@pytest.mark.parametrize(
    "words",
    [["--help"], ["status", "--help"], ["osr"], ["osr", "hit"], [], ["log", "-n", "many"], ["log", "-n20"]],
)
def test_help_and_what_is_wrong_are_left_to_typer(words: list[str]) -> None:
    assert plain_call(words) is None


@pytest.mark.parametrize(
    ("stop", "code", "says"), [(KeyboardInterrupt, 130, ""), (EOFError, 1, "\nNothing was done.\n")]
)
def test_a_plain_command_is_broken_off_like_any_other(
    stop: type[BaseException], code: int, says: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:

    def stopped(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr("cli.commands.status.open_chosen", stopped)
    for words in (["status"], ["status", "--"]):
        done = shell.run(*words)
        assert (done.code, done.err) == (code, says), words


#: Lines of the table, and whether they are plain: the others are left to Typer, which says why.
LINES = {
    "d brog 4 a ghoul": True,
    "damage brog 1 --by Mia --when 2026-01-31T20:00:00+01:00": True,
    "osr damage brog 1 a rat": True,
    "short rest brog --rolled 3,4,5": True,
    "d brog 2 -y --json": True,
    "d brog,ada 1 --dry-run": True,
    "T5 amount=1 -y": True,
    "T5 amount=1 --dry-run": True,
    "d brog 1 --color always -c dc.campaign": True,
    "d brog 99999": True,
    "d brog 1 -c nowhere.campaign": True,
    "d nobody 4": True,
    "d": True,
    "brog 4": True,
    "T9": True,
    "sho T2": True,
    "nope": True,
    "gloomhaven damage brog 1": True,
    "note the ghoul had a key": True,
    "note --about brog afraid of water": True,
    "note it had --abuot brog": True,
    "note": True,
    "override brog hp=9 he drank": True,
    "ruling 6.4 Twice. --set keep_higher=true --why fun": True,
    "paragraph add H1 Lamps they burn": True,
    "session open The crypt --place Mill": True,
    "undo": True,
    "undo T3 T5 --why misheard --drop -y": True,
    "undo --last 2": True,
    "undo --to T3 --dry-run": True,
    "undo -n 2": False,
    "redo": True,
    "amend T5 --set amount=1 -y": True,
    "amend 5 amount=1 --why heard": True,
    "amend T5 --amuont 1": True,
    "check-sheet brog hp 9 condition up": True,
    "check-sheet brog hp=1": True,
    "check-sheet": True,
    "undo --as ada": True,
    "session close": True,
    "session close --sign nokey": False,
    "session": False,
    "short rest --safe": True,
    "d brog 1 --color=red": False,
    "d --help": False,
    "note --help": False,
    "osr nope": False,
    "": False,
}


@pytest.fixture(scope="module")
def crypt() -> bytes:
    """A campaign of five turns, as its file lies there."""
    with shell_elsewhere() as shell:
        shell.do(
            "new Crypt --rules osr --file dc.campaign",
            "osr enrol brog --level 3 --rolled 5,6,6",
            "osr enrol ada --level 2 --rolled 5,6",
            "note Rain",
            "osr damage brog 2",
        )
        return (shell.folder / "dc.campaign").read_bytes()


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_comes_to_the_same_where_the_file_that_reads_it_plainly_is_gone(
    line: str, crypt: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_way_of_typer: list[str] = []
    with_typer: dict[str, bool] = {}
    parsed = command_line._run_typer

    def counted(arguments: Sequence[str] | None) -> int:
        by_way_of_typer.append(how)
        return parsed(arguments)

    def done() -> tuple[tuple[int, str, str], list[Any]]:
        folder = tmp_path / how
        folder.mkdir()
        shell = Shell(folder, monkeypatch)
        (shell.folder / "dc.campaign").write_bytes(crypt)
        answer = shell.run(*line.split())
        with_typer[how] = bool(by_way_of_typer)
        return (answer.code, answer.out, answer.err), [(turn["by"], turn["events"]) for turn in shell.turns()[5:]]

    monkeypatch.setattr(command_line, "_run_typer", counted)
    how = "with it"
    plain = done()
    by_way_of_typer.clear()
    how = "without it"
    monkeypatch.setitem(sys.modules, "cli.shell.plain", None)
    assert plain == done()
    assert with_typer == {"with it": not LINES[line], "without it": True}


def test_nothing_imports_the_plain_reader_but_the_command_line_that_can_do_without() -> None:
    root = Path(command_line.__file__).parents[2]
    rooms = (path for room in ("domain", "projections", "cli") for path in (root / room).rglob("*.py"))
    assert [path.name for path in rooms if "cli.shell.plain" in path.read_text("utf-8")] == ["command_line.py"]
