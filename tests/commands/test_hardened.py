"""What once ended in a traceback or in a wrong answer: names that lead nowhere, endless lines, broken branch rows."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from cli.store.branches import make_branch
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.layout import SIGNATURES_TABLE
from domain.common.notes import Note
from domain.log.adopting import append_adoption
from domain.log.port import NumberTaken
from tests.kit.given import Given
from tests.kit.on_disk import meddle
from tests.kit.shell import Shell, shell_after
from tests.kit.tables import second_handler

shell = shell_after(
    'new "The Mill" --rules osr --file mill.campaign', "osr enrol brog --level 2 --rolled 5,6", "note x"
)


# -- links in the folder that lead to each other


@pytest.fixture
def looping(shell: Shell) -> Shell:
    (shell.folder / "loop.campaign").symlink_to("other.campaign")
    (shell.folder / "other.campaign").symlink_to("loop.campaign")
    return shell


def test_links_that_loop_end_no_command_in_a_traceback(looping: Shell) -> None:
    looping.run("use", "mill.campaign").ok()
    assert "mill.campaign" in looping.run("list").ok().out
    looping.run("status").ok()
    looping.run("doctor").ok()
    for words in (["use", "loop.campaign"], ["status", "-c", "loop.campaign"], ["verify", "-c", "loop.campaign"]):
        result = looping.run(*words)
        assert result.code == 2 and len(result.err.splitlines()) == 1, result
    for words in (
        ["export", "-o", "loop.campaign"],
        ["backup", "loop.campaign"],
        ["new", "Tower", "--rules", "osr", "--file", "loop.campaign"],
    ):
        result = looping.run(*words)
        assert result.code == 2 and len(result.err.splitlines()) == 1, result
        assert (looping.folder / "loop.campaign").is_symlink(), words


def test_list_names_a_folder_that_is_not_there(shell: Shell) -> None:
    shell.run("list", "nowhere").is_(2, "There is no folder nowhere.")


def test_list_takes_the_address_of_a_server(shell: Shell) -> None:
    result = shell.run("list", "postgresql://localhost:1/club", "--json")
    assert result.code == 6 and "cannot be reached" in result.err and result.out == ""


# -- half a character in a field that is called as what may be said of a line


def test_half_a_character_in_a_field_called_by_is_refused(shell: Shell) -> None:
    shell.do('new "Salt" --rules deckahedron --file salt.campaign')
    line = r'{"type": "deckahedron.heal", "character": "wren", "by": "\ud800", "recovered": "stamina"}'
    result = shell.run("act", "-", stdin=f"{line}\n")
    assert result.code == 2 and "invalid" in result.out


# -- branch rows that lead nowhere


def meddled(shell: Shell, statement: str) -> None:
    with closing(sqlite3.connect(shell.folder / "mill.campaign")) as connection, connection:
        connection.execute(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE branches SET base = 'nowhere'",
        "UPDATE branches SET base = stream",
        "UPDATE branches SET fork = 99",
    ],
)
def test_a_branch_row_that_leads_nowhere_is_a_finding(shell: Shell, statement: str) -> None:
    shell.do("branch plan", "note y", "switch main")
    meddled(shell, statement)
    result = shell.run("verify")
    assert result.code == 5 and "branch" in result.out, result
    shell.run("status").ok()


def test_a_branch_row_without_its_base_beside_one_without_turns(shell: Shell) -> None:
    meddled(shell, "INSERT INTO branches (stream, name, base, fork) VALUES ('x/y', 'y', 'x/gone', 2)")
    result = shell.run("verify")
    assert result.code == 5 and "On y: A branch of mill.campaign begins at 'x/gone'" in result.out, result


def test_many_branches_are_listed_and_verified_through_one_connection(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_campaign(shell.folder / "mill.campaign", write=True) as log:
        for number in range(40):
            make_branch(log, f"b{number}", 2)
    opened: list[str | None] = []
    original = open_campaign

    def counting(*args: object, **options: object) -> object:
        opened.append(str(options.get("branch")))
        return original(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("cli.store.file.open_campaign", counting)
    monkeypatch.setattr("cli.store.anywhere.open_campaign", counting)
    rows = shell.run("branch", "--json").ok().json()
    assert len(rows) == 41 and rows[40] == {"branch": "b39", "current": False, "fork": 2, "turn": 2}
    shell.run("verify").ok()
    assert len(opened) == 2


# -- lines without an end


def test_a_line_of_play_has_a_limit(shell: Shell) -> None:
    endless = "note " + "x" * 2_000_000
    result = shell.run("play", stdin=f"d brog 1\n{endless}\nd brog 2\n")
    assert result.code == 2
    assert result.err == "The line is longer than 1,000,000 bytes.\n"
    assert len(shell.turns()) == 5


def test_a_line_of_play_that_is_no_text_is_told(shell: Shell) -> None:
    result = shell.run("play", stdin=b"d brog 1\n\xff\xfe\nd brog 2\n")
    assert (result.code, result.err) == (2, "The line is not UTF-8 text.\n")
    assert len(shell.turns()) == 5


# -- others who write


def test_act_that_could_not_do_its_last_line_says_so_in_its_code(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from domain.log.command_handler import CommandHandler

    handle, count = CommandHandler.handle, iter(range(9))

    def failing(self: CommandHandler, *args: object, **options: object) -> object:
        if next(count) == 2:
            raise Unopenable("mill.campaign cannot be read: the disk reports an error.", 6)
        return handle(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(CommandHandler, "handle", failing)
    result = shell.act(*({"type": "note", "text": str(number)} for number in range(3)))
    assert result.code == 6
    assert result.err == "T4 to T5 are saved; mill.campaign cannot be read: the disk reports an error.\n"


def test_adopting_is_decided_again_when_somebody_else_writes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Given("osr").when({"type": "osr.enrol", "character": "brog", "rolled": [3]})
    from domain.log.port import MemoryLog

    line = second_handler(table).for_log(MemoryLog("osr", turns=list(table.log.turns)))
    line.record(Note(text="Rain."))
    append, others = table.log.append_all, iter(["first", "second"])

    def somebody_first(turns: object) -> None:
        if (text := next(others, None)) is not None:
            monkeypatch.undo()
            second_handler(table).record(Note(text=text))
            monkeypatch.setattr(table.log, "append_all", somebody_first)
            raise NumberTaken
        append(turns)  # type: ignore[arg-type]

    monkeypatch.setattr(table.log, "append_all", somebody_first)
    adoption = append_adoption(table.handler, line.log, "plan", 2)
    assert [turn.number for turn in adoption.turns] == [5, 6]
    assert table.log.last() == 6


#: What somebody put into a table beside the turns, where values of another type belong.
OF_ANOTHER_TYPE = {
    "turn_ids": "UPDATE turn_ids SET number = 'text' WHERE number = 3",
    "branches": "UPDATE branches SET fork = x'ff00'",
    "placed": "UPDATE placed SET number = 'text'",
    "settings": "UPDATE settings SET value = x'ff00'",
    "links": "UPDATE links SET link = 'text' WHERE number = 3",
    "signatures": "INSERT INTO signatures VALUES ('x', 3, x'ff00', x'00')",
}


@pytest.mark.parametrize("table", OF_ANOTHER_TYPE)
def test_values_of_another_type_are_found_and_end_no_command_in_a_traceback(table: str, shell: Shell) -> None:
    shell.do(
        "note late --after T2",
        "branch plan",
        "note there",
        "switch main",
    )
    shutil.copy(shell.folder / "mill.campaign", shell.folder / "other.campaign")
    meddle(shell.folder / "mill.campaign", SIGNATURES_TABLE, OF_ANOTHER_TYPE[table])
    result = shell.run("verify", "-c", "mill.campaign")
    assert result.code == 5
    assert (table == "settings") or f"The table {table!r} holds values that no version of campaign writes" in result.out
    for command in ("status", "log", "branch", "note x", "adopt plan -y", "switch plan", "seal", "doctor", "export"):
        assert shell.run(*command.split(), "-c", "mill.campaign").code in range(7), command
    assert shell.run("join", "mill.campaign", "-c", "other.campaign").code == 5
    assert len(shell.turns("other.campaign")) == 4


@pytest.mark.parametrize("number", ["9223372036854775807", "9007199254740993", "-1", "3.7", "'text'", "x'ff'"])
def test_a_turn_without_a_fit_number_is_damage_in_every_command(number: str, shell: Shell) -> None:
    shell.do("branch plan T2", "switch main")
    meddled(shell, f"UPDATE stored_events SET originator_version = {number} WHERE originator_version = 3")
    commands = (
        "status",
        "log",
        "show @",
        "stats",
        "rules",
        "export",
        "seal",
        "recap",
        "replay --fast",
        "when brog.hp=3",
    )
    for command in (
        *commands,
        "when brog.hp=3",
        "note x",
        "undo -y",
        "adopt plan -y",
        "check-sheet brog hp=3",
        "site out",
        "branch b",
    ):
        result = shell.run(*command.split())
        assert result.code in range(7) and "generator" not in result.err, command
    assert shell.run("verify").code == 5
    assert shell.run("verify", "--accept").code in (0, 5, 6)
    shell.run("list").ok()
