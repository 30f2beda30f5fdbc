"""`campaign query`, `views`, `log`, `why`, `when` as they are typed."""

import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.shell.command_line import run
from cli.shell.outfile import begins_file
from tests.store.test_together import at_once


class Shell:
    """Commands in one folder, with what they print and their exit code."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        code = run(list(words))
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err

    def out(self, *words: str) -> str:
        code, out, err = self(*words)
        assert code == 0, err
        return out

    def json(self, *words: str) -> Any:
        return json.loads(self.out(*words, "--json"))


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.delenv("CAMPAIGN", raising=False)
    shell = Shell(capsys)
    shell.out("new", "Crypt", "--rules", "osr", "--file", "dc.campaign")
    shell.out("session", "open", "The crypt")
    shell.out("osr", "enrol", "brog", "--level", "2", "--rolled", "5,6")
    shell.out("osr", "damage", "brog", "9", "--source", "=cmd()")
    shell.out("osr", "short-rest", "brog", "--rolled", "3,4")
    return shell


def test_a_turn_knows_where_it_folds(shell: Shell) -> None:
    shell.out("note", "It rained.", "--after", "T2")
    shell.out("note", "It thundered.")
    shell.out("ruling", "6.4", "As written.", "--since", "T3")
    places = "select turn, place from turns where turn > 3"
    rows = [(4, None), (5, None), (6, 2), (7, None), (8, 3)]
    assert shell.json("query", places) == [{"turn": turn, "place": place} for turn, place in rows]
    shell.out("amend", "T7", "--after", "T3")
    assert shell.json("query", f"{places} and place is not null") == [
        {"turn": 6, "place": 2},
        {"turn": 7, "place": 3},
        {"turn": 8, "place": 3},
    ]
    shell.out("undo", "T9")
    assert [row["turn"] for row in shell.json("query", f"{places} and place is not null")] == [6, 8]


def test_a_question_in_every_format(shell: Shell) -> None:
    sql = "select turn, kind from turns where turn > :least and standing"
    words = ("query", sql, "-p", "least=3")
    rows = [{"turn": 4, "kind": "osr.damage"}, {"turn": 5, "kind": "osr.short_rest"}]
    assert shell.json(*words) == rows
    assert [json.loads(line) for line in shell.out(*words, "-O", "ndjson").splitlines()] == rows
    assert shell.out(*words, "-O", "csv") == "turn,kind\n4,osr.damage\n5,osr.short_rest\n"
    assert shell.out(*words, "-O", "md").splitlines()[2] == "| 4 | osr.damage |"
    assert shell.out(*words) == "turn  kind\n   4  osr.damage\n   5  osr.short_rest\n"


def test_a_csv_file_tells_a_spreadsheet_its_encoding_and_a_pipe_does_not(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, into = "\ufeff".encode(), tmp_path / "answer.csv"

    def write(mode: str, *words: str) -> bytes:
        with monkeypatch.context() as patch, into.open(mode, encoding="utf-8") as file:
            patch.setattr(sys, "stdout", file)
            assert run(list(words)) == 0
        return into.read_bytes()

    for words in ("query 'select 1 a'", "stats hp", "log", "export", "status"):
        command = [*shlex.split(words), "-O", "csv"]
        whole = write("w", *command)
        assert whole.startswith(mark) and whole.count(mark) == 1
        assert shell.out(*command).encode() == whole.removeprefix(mark)
        assert write("a", *command) == whole + whole.removeprefix(mark), "not in the middle of a file"
    assert write("w", "query", "select 1 a", "-O", "ndjson") == b'{"a":1}\n'
    for words in ("stats hp", "stats lost --by session", "export"):
        command = [*shlex.split(words), "-O", "csv"]
        shell.out(*command, "-o", str(into))
        assert into.read_bytes() == mark + shell.out(*command).encode(), "a file named with -o is one too"
    os.mkfifo(pipe := tmp_path / "pipe")
    assert not any(map(begins_file, (pipe, Path("/dev/stdout"), Path("/dev/null")))), "and what only passes on is none"


def test_whatever_stats_lists_is_a_name_for_query(shell: Shell) -> None:
    names = shell.out("stats").split("campaign stats NAME: ")[1].splitlines()[0].split(", ")
    assert "hp" in names
    for name in names:
        asked, listed = shell.json("query", name), shell.json("stats", name)  # which adds a verdict on dice
        assert [{**one, **other} for one, other in zip(asked, listed, strict=True)] == listed
        shell.out("query", name)
    assert "did you mean hp?" in shell("query", "hpp")[2]


def test_csv_holds_no_formula(shell: Shell) -> None:
    out = shell.out("query", "select json_extract(action, '$.source') s from turns where turn = 4", "-O", "csv")
    assert out == "s\n'=cmd()\n"


def test_named_questions_and_the_schema(shell: Shell) -> None:
    assert shell.json("query", "rests-per-session") == [{"session": 1, "rests": 1, "short": 1, "long": 0}]
    tables = {row["table"] for row in shell.json("query", "--schema")}
    issued = {"turns", "events", "values", "sheets", "rulings", "notes", "sessions", "rolls"}
    assert issued <= tables
    output = shell.out("query", "--schema")
    assert all(f"\n{name}  " in f"\n{output}" for name in issued)


@pytest.mark.parametrize(
    ("words", "code", "saying"),
    [
        (("query",), 2, "rests-per-session"),
        (("query", "rest-per-session"), 2, "did you mean rests-per-session?"),
        (("query", "select * from turn"), 2, "--schema"),
        (("query", "select 1", "--as", "Tom"), 2, "cannot keep secrets"),
        (("query", "select 1", "-p", "x"), 2, "NAME=VALUE"),
        (("query", "select 1", "-p", "x=1", "-p", "x=2"), 2, "twice"),
        (("query", "select 1", "--at", "T99"), 1, "T1 to T5"),
        (("stats", "rest"), 1, "There is no question"),
        (("stats", "--as", "Tom"), 2, "cannot keep secrets"),
        (("log", "T9.."), 1, "T1 to T5"),
        (("log", "T4..T2"), 1, "empty"),
        (("log", "--kind", "short-rst"), 1, "did you mean"),
        (("log", "--character", "brok"), 1, "did you mean brog?"),
        (("log", "--rule", "6.99"), 1, "There is no rule"),
        (("log", "goblin"), 2, "To search for it: campaign log --grep goblin."),
        (("why", "brog.hps"), 1, "did you mean hp?"),
        (("why", "brog", "collapsed"), 1, "Brog has no field 'collapsed'; did you mean condition?"),
        (("when", "brog.hp <"), 2, "Write a condition like"),
        (("when", "brok.hp < 3"), 1, "did you mean brog?"),
        (("when", "brog.hp < 0"), 1, "never true"),
        (("when", "brog down"), 2, "Say which field of brog, like brog.hp < 3."),
        (("when", "any.foo = 3"), 1, "has no field 'foo'"),
        (("when", "foo = 3"), 2, "'foo' is not a field of a sheet."),
    ],
)
def test_what_is_not_there_is_one_sentence(shell: Shell, words: tuple[str, ...], code: int, saying: str) -> None:
    found, out, err = shell(*words)
    assert (found, out) == (code, "")
    assert saying in err and err.count("\n") == 1


def test_a_condition_about_anybody_holds_while_it_does_of_one(shell: Shell) -> None:
    """Whoever is not there yet is no reason that it does not hold, nor whoever keeps no such thing."""
    shell.out("enrol", "Ada", "--rolled", "2")  # T6
    shell.out("damage", "Ada", "2")
    shell.out("enrol", "Old Greta", "--rolled", "6")
    shell.out("track", "old", "greta", "gold", "5")

    def turns(condition: str) -> list[tuple[int, int | None]]:
        return [(row["turn"], row["until"]) for row in shell.json("when", condition)]

    for anybody in ("any.hp < 3", "everyone.hp < 3", "hp < 3"):
        assert turns(anybody) == [(4, 5), (6, None)], anybody
    assert turns("any.hp < 3 and brog.hp > 5") == [(6, None)]
    assert turns("gold = 5") == turns("any.gold = 5") == [(9, None)]
    code, _, err = shell("when", "old greta down")
    assert code == 2 and err == 'Say which field of Old Greta, like "Old Greta".hp < 3.\n'


def test_every_answer_can_be_asked_of_an_earlier_point(shell: Shell) -> None:
    shell.out("undo")
    assert shell.json("query", "select hp from sheets") == [{"hp": 2}]
    assert shell.json("query", "select hp from sheets", "--at", "T5") == [{"hp": 7}]
    assert shell.json("why", "brog.hp")["value"] == 2
    assert shell.json("why", "brog.hp", "--at", "T5")["value"] == 7
    assert shell.json("why", "brog.hp", "--at", "T3")["changes"][0]["turn"] == 3
    assert [row["turn"] for row in shell.json("when", "brog.hp = 7", "--at", "T5")] == [5]
    assert [row["turn"] for row in shell.json("log", "--undone")] == [5]
    assert shell.json("log", "--undone", "--at", "T5") == []
    assert "does not count, it is undone by T6" in shell.out("why", "brog.hp")


def test_a_turn_whole_tells_what_changed(shell: Shell) -> None:
    (turn,) = shell.json("show", "T5")
    assert turn["rules"] == ["OSR 6.4", "OSR 6.5"]
    assert turn["changes"][0] == {"event": 1, "character": "brog", "field": "hp", "old": 2, "new": 7}
    assert turn["chance"] == [{"purpose": "brog, re-roll", "kind": "die", "values": [3, 4], "reported": 2}]
    output = shell.out("show", "T5")
    assert "changed Brog: hp 2 → 7, fatigue 0 → 1" in output
    assert "OSR 6.4" in output and "brog, re-roll: 3 4 (reported)" in output


def test_the_view_is_where_it_says_and_comes_back_when_it_is_thrown_away(shell: Shell) -> None:
    path = Path(shell.out("views", "path").strip())
    assert path.is_relative_to(Path.cwd() / "XDG_CACHE_HOME")
    path.unlink()
    assert shell.json("why", "brog.hp")["value"] == 7
    assert Path(shell.out("views", "rebuild").strip()) == path
    with sqlite3.connect(path) as connection:
        assert connection.execute("select count(*) from turns").fetchone() == (5,)
    connection.close()


def test_where_no_view_can_be_kept_everything_is_answered_all_the_same(shell: Shell) -> None:
    cache = Path("XDG_CACHE_HOME")
    shutil.rmtree(cache, ignore_errors=True)
    cache.write_text("a file in the way", "utf-8")
    assert shell.json("log", "-n", "1")[0]["turn"] == 5
    assert shell.json("query", "select count(*) n from turns") == [{"n": 5}]
    assert shell("views", "path")[0] == 1


def test_stats_show_every_question_that_has_an_answer(shell: Shell) -> None:
    output = shell.out("stats")
    for title in ("Rests per session", "Damage taken, by source", "Hit points over turns"):
        assert title in output
    assert "Cards lost" not in output
    answers = shell.json("stats")
    assert answers["damage-by-source"] == [{"source": "=cmd()", "hits": 1, "dealt": 9, "lost": 9}]
    assert answers["hp"][-1] == {"character": "brog", "turn": 5, "hp": 7}
    assert shell.out("stats", "damage-by-source", "-O", "csv").splitlines()[1] == "'=cmd(),1,9,9"


def test_nothing_in_a_note_reaches_the_terminal_as_an_order(shell: Shell) -> None:
    shell.out("note", "red \x1b[31m \u202e bell \x07")
    for words in (("log",), ("show",), ("query", "select text from notes"), ("log", "-O", "md"), ("log", "-O", "csv")):
        assert not {"\x1b", "\u202e", "\x07"} & set(shell.out(*words))


def test_each_branch_has_a_view_of_its_own(shell: Shell) -> None:
    count = ("query", "select count(*) n, max(sentence) newest from turns where turn >= 6")
    paths = [shell.out("views", "path")]
    shell.out("branch", "plan")
    shell.out("switch", "plan")
    shell.out("note", "What if?")
    paths.append(shell.out("views", "path"))
    assert shell.json(*count) == [{"n": 1, "newest": "Note: What if?"}]
    shell.out("switch", "main")
    assert shell.json(*count) == [{"n": 0, "newest": None}]
    assert len(set(paths)) == 2


def rows_of(shell: Shell) -> dict[str, Any]:
    """Every row of the view, kept as it is."""
    found = {}
    for table in ("turns", "events", "changes", "sheets", "rolls", "citations", "involved", "sessions", "notes"):
        found[table] = shell.json("query", f"select * from {table} order by 1, 2")
    return found


def test_a_branch_that_is_adopted_is_in_the_view_as_if_it_had_been_made_anew(shell: Shell) -> None:
    shell.out("branch", "plan", "@T4")
    shell.out("log")
    shell.out("switch", "plan")
    shell.out("osr", "short-rest", "brog", "--rolled", "1,1")
    shell.out("switch", "main")
    shell.out("adopt", "plan", "--keep")
    caught_up = rows_of(shell)
    shell.out("views", "rebuild")
    assert rows_of(shell) == caught_up
    assert "adopt" in {row["kind"] for row in caught_up["turns"]}


def count_changes(_: int, shell: Shell) -> tuple[int, str, str]:
    return shell("query", "select count(*) n from changes", "--json")


def test_several_processes_catching_up_at_once_agree(shell: Shell) -> None:
    for _ in range(3):
        path = Path(shell.out("views", "path").strip())
        path.unlink()
        answers = at_once(4, count_changes, shell)
        assert len({*answers}) == 1
        code, out, err = answers[0]
        assert (code, err) == (0, "") and json.loads(out)[0]["n"] > 0


def test_help_and_status_do_not_know_of_sqlite_utils() -> None:
    seen = (
        "import sys; from cli.shell.command_line import run; run(['--help']);"
        " import cli.commands.log, cli.commands.status;"
        " sys.exit('sqlite_utils' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", seen], capture_output=True, check=False).returncode == 0
