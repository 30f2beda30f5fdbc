"""A plain command line is read without Typer, and comes to the very same; whatever is not plain is left to it."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.shell import command_line
from cli.shell.catalogue import function_of
from cli.shell.declaration import parameters_of
from cli.shell.parser import SingleCommand, command_of
from cli.shell.plain import given_plainly
from tests.kit.shell import Shell, shell_elsewhere

#: Commands that are read so, each with words that it may be given.
COMMANDS = {
    ("status",): ["brog", "--full", "--json", "--at", "T4"],
    ("log",): ["T1..T4", "--reverse", "--undone", "--standing", "-n", "3", "--session", "2", "--by", "Mia"],
    ("show",): ["@", "@-3", "T4", "--as", "Mia", "--output", "csv"],
    ("rules",): ["6.4", "rest", "--book", "--no-book", "--preview", "keep_higher=true", "--trial", "R1", "-o", "x.md"],
    ("diff",): ["T1..T4", "brog", "T9", "--exit-code", "--as-now", "--as", "Mia"],
    ("when",): ["brog.hp < 3", "brog.hp", "<", "3"],
    ("why",): ["brog.hp", "brog", "hp", "-n", "0", "7"],
    ("note",): ["Ada heard it.", "--disputed", "--rule", "6.4", "--by", "Mia", "--dry-run"],
    ("undo",): ["T4", "5", "--last", "2", "--to", "T3", "--drop", "--yes", "-y"],
    ("redo",): ["T4", "--last", "2", "-n", "1", "--dry-run"],
    ("amend",): ["T4", "amount=2", "--set", "amount=2", "--why", "it was two", "--drop"],
    ("session", "open"): ["The crypt", "--number", "3", "--place", "Mill", "--by", "Mia"],
    ("session", "close"): ["It ended well.", "--by", "Mia", "--yes"],
    ("ruling",): [
        "6.4",
        "Twice.",
        "--why",
        "fun",
        "--set",
        "keep_higher=true",
        "--trial",
        "--because",
        "T2",
        "--end",
        "R1",
    ],
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


def meant(words: tuple[str, ...]) -> Callable[..., Any]:
    found = function_of(words)
    assert found is not None and not found[1]
    return found[0]


@pytest.mark.parametrize("named", COMMANDS, ids=" ".join)
def test_what_is_read_plainly_is_what_typer_reads(named: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    function, chance, plain = meant(named), random.Random(" ".join(named)), 0
    for turn in range(150):
        monkeypatch.setenv("CAMPAIGN_BY", ("", "Jon")[turn % 2])
        pool = COMMANDS[named] * 3 + ANYWHERE
        words = [chance.choice(pool) for _ in range(chance.randrange(6))]
        given = given_plainly(function, words)
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
        ["note", "The torch gutters.", "--about", "brog"],
        ["undo", "-y"],
        ["redo"],
        ["amend", "T4", "amount=2"],
        ["session", "open", "The crypt"],
        ["session", "close"],
        ["override", "brog", "hp=9", "--why", "he drank"],
        ["ruling", "6.4", "Twice.", "--why", "It is more fun."],
    ],
)
def test_what_people_type_is_plain(words: list[str]) -> None:
    named = function_of(words)
    assert named is not None
    given = given_plainly(*named)
    assert given is not None
    assert given == by_typer(*named)


@pytest.mark.parametrize(
    "words",
    [["--help"], ["status", "--help"], ["stat"], ["osr"], ["osr", "hit"], [], ["log", "-n", "many"], ["log", "-n20"]],
)
def test_help_and_what_is_wrong_are_left_to_typer(words: list[str]) -> None:
    named = function_of(words)
    assert named is None or given_plainly(*named) is None


@pytest.mark.parametrize(
    ("stop", "code", "says"), [(KeyboardInterrupt, 130, ""), (EOFError, 1, "\nNothing was done.\n")]
)
def test_a_plain_command_is_broken_off_like_any_other(
    stop: type[BaseException], code: int, says: str, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:

    def stopped(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr("cli.commands.status.opened", stopped)
    for words in (["status"], ["status", "--"]):
        done = shell.run(*words)
        assert (done.code, done.err) == (code, says), words


#: Lines of the table, and whether they are plain: the others are left to Typer, which says why.
LINES = {
    "d brog 4 a ghoul": True,
    "damage brog 1 --by Mia --when 2026-01-31T20:00:00+01:00": True,
    "short rest brog --rolled 3,4,5": True,
    "short rest --safe": False,
    "d brog 2 -y --json": True,
    "d brog,ada 1 --dry-run": True,
    "T5 amount=1 -y": True,
    "T5 amount=1 --dry-run": True,
    "d brog 1 --color always -c dc.campaign": True,
    "d brog 99999": True,
    "note --about": False,
    "d": False,
    "d nobody 4": False,
    "d brog many": False,
    "d brog -1": False,
    "d brog 1 --color=red": False,
    "d brog 1 -c nowhere.campaign": True,
    "d --help": False,
    "dam brog 1": False,
    "sho T2": False,
    "wit brog": False,
    "brog 4": False,
    "T9": False,
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
def test_a_line_of_the_table_comes_to_the_same_with_typer_and_without(
    line: str, crypt: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed: list[str] = []
    parsed = command_line._parsed

    def by_typer(arguments: Sequence[str] | None) -> int:
        typed.append(line)
        return parsed(arguments)

    def done(how: str) -> tuple[tuple[int, str, str], list[Any]]:
        folder = tmp_path / how
        folder.mkdir()
        shell = Shell(folder, monkeypatch)
        (shell.folder / "dc.campaign").write_bytes(crypt)
        answer = shell.run(*line.split())
        typed_then[how] = bool(typed)
        return (answer.code, answer.out, answer.err), [(turn["by"], turn["events"]) for turn in shell.turns()[5:]]

    typed_then: dict[str, bool] = {}
    monkeypatch.setattr(command_line, "_parsed", by_typer)
    plain = done("plain")
    monkeypatch.setattr(command_line, "_line", lambda _: None)
    assert plain == done("parsed")
    assert typed_then == {"plain": not LINES[line], "parsed": True}
