"""The program in the world: protected folders, full disks, signals, pipes, locales."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.terminal.screen import NobodyReads, Screen
from domain import times
from domain.log.port import DamagedLog, NotSaved
from tests.kit.beginnings import WITH_BROG
from tests.kit.elsewhere import WEAK, ask_for_device, needs_setpriv
from tests.kit.shell import Shell, shell_after, zone

NOTE = {"type": "note", "text": "x"}
LINE = f"{json.dumps(NOTE)}\n"
READING = (["status"], ["log"], ["show"], ["rules", "6.4"])
WRITING = (["note", "x"], ["osr", "damage", "brog", "1"], ["undo"], ["session", "open"])


shell = shell_after(*WITH_BROG)


# -- files that are damaged -----------------------------------------------------------------------------------


def test_a_turn_that_cannot_be_read_is_named(shell: Shell) -> None:
    connection = sqlite3.connect(shell.folder / "dc.campaign")
    connection.execute("UPDATE stored_events SET state = x'c1' WHERE originator_version = 2")
    connection.commit()
    connection.close()
    for words in (*READING, *WRITING):
        sentence = "Turn T2 is damaged: its record cannot be read. Look at it with `campaign doctor`."
        shell.run(*words).is_(5, sentence)


# -- folders and disks ---------------------------------------------------------------------------------------

PROTECTED = "dc.campaign can be read but nothing can be saved in it: this file or its folder is write-protected."


@pytest.fixture
def protected(shell: Shell) -> Iterator[Shell]:
    yield shell
    shell.folder.chmod(0o755)
    (shell.folder / "dc.campaign").chmod(0o600)


@needs_setpriv
@pytest.mark.parametrize("what", ["dc.campaign", "."])
def test_where_nothing_can_be_written_reading_works_and_writing_is_told(protected: Shell, what: str) -> None:
    path = protected.folder / what
    path.chmod(path.stat().st_mode & ~0o222)
    result = protected.process("status", before=WEAK)
    assert (result.code, result.err) == (0, f"{PROTECTED}\n") and "11/12" in result.out
    result = protected.process("note", "x", before=WEAK)
    assert (result.code, result.out, result.err) == (6, "", f"{PROTECTED}\n")
    result = protected.process("act", stdin=LINE, before=WEAK)
    assert (result.code, result.out) == (6, "")
    assert len(protected.turns()) == 2


@needs_setpriv
def test_a_campaign_of_somebody_else_is_told(protected: Shell) -> None:
    (protected.folder / "dc.campaign").chmod(0)
    result = protected.process("status", before=WEAK)
    result.is_(2, "dc.campaign is not yours to read; ask whoever owns it.")
    protected.folder.chmod(0o555)
    result = protected.process("new", "x", "--rules", "osr", before=WEAK)
    assert (result.code, result.out) == (6, "") and "write-protected" in result.err


def test_a_full_disk_is_told_and_nothing_is_half_there(shell: Shell) -> None:
    """A small disk of our own, where mounting one is allowed."""
    script = (
        "mkdir small; mount -t tmpfs -o size=128k none small; cp dc.campaign small/; cd small;"
        " dd if=/dev/zero of=ballast bs=1k count=200 2>/dev/null || true;"
        ' "$@" note x -c dc.campaign; echo "exit $?"; "$@" status -c dc.campaign; echo "exit $?"'
    )
    if not Path("/usr/bin/unshare").exists():
        pytest.skip("a small disk cannot be mounted here")
    done = shell.process(before=("unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"))
    if "exit" not in done.out or "mount" in done.err:
        pytest.skip("a small disk cannot be mounted here")
    assert "exit 6" in done.out, done
    assert "the disk is full; make room and try again." in done.err
    assert "11/12" in done.out, "it can still be read"
    assert "Traceback" not in done.err


def test_an_answer_that_cannot_be_written_is_told(shell: Shell) -> None:
    with ask_for_device("/dev/full").open("wb") as full:
        result = shell.process("status", stdout=full)
    assert result.code == 6
    assert result.err == "The answer could not be written: No space left on device.\n"


# -- what fails after a turn was saved -----------------------------------------------------------------------


def test_a_turn_whose_answer_cannot_be_written_is_saved_and_says_so(shell: Shell) -> None:
    with ask_for_device("/dev/full").open("wb") as full:
        result = shell.process("note", "Rain.", stdout=full)
    assert (result.code, result.err) == (
        0,
        "T3 is saved; the answer could not be written: No space left on device.\n",
    )
    assert len(shell.turns()) == 3


def test_a_complaint_that_cannot_be_written_leaves_the_exit_code_as_it_is(shell: Shell) -> None:
    with ask_for_device("/dev/full").open("wb") as full:
        assert shell.process("damage", "nobody", "1", stderr=full, env={"PYTHONUNBUFFERED": None}).code == 3


def test_a_turn_whose_answer_nobody_reads_is_saved_and_says_so(shell: Shell) -> None:
    read, write = os.pipe()
    os.close(read)
    try:
        result = shell.process("note", "Rain.", stdout=write)
    finally:
        os.close(write)
    assert (result.code, result.err) == (0, "T3 is saved; nobody read the answer.\n")
    assert len(shell.turns()) == 3


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        (("new", "Mill", "--rules", "osr"), "mill.campaign is made"),
        (("backup", "copy.campaign"), "copy.campaign is made"),
        (
            ("import", "dc.ndjson", "--file", "again.campaign"),
            "2 turns of Table, under the rules of osr, now in again.campaign",
        ),
        (("branch", "plan"), "Branch plan is made"),
        (("branch", "--delete", "old"), "Branch old is forgotten"),
        (("switch", "old"), "Branch old is the current one"),
        (("join", "other.campaign"), "What is new in other.campaign is saved"),
    ],
    ids=lambda fault: " ".join(fault[:2]) if isinstance(fault, tuple) else "",
)
def test_whatever_else_was_saved_says_so_where_its_answer_cannot_be_read(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, typed: tuple[str, ...], sentence: str
) -> None:
    shell.do(
        "export -o dc.ndjson", "backup other.campaign", "branch old", "switch main", "note There. -c other.campaign"
    )
    shell.do("use dc.campaign")

    def fails(_: object) -> None:
        raise NobodyReads

    monkeypatch.setattr(Screen, "flush", fails)
    result = shell.run(*typed)
    assert (result.code, result.err) == (0, f"{sentence}; nobody read the answer.\n")


@pytest.mark.parametrize("lines", [1, 3])
def test_lines_after_an_answer_that_cannot_be_written_are_left_alone(shell: Shell, lines: int) -> None:
    with ask_for_device("/dev/full").open("wb") as full:
        result = shell.process("act", stdin=LINE * lines, stdout=full)
    assert result.code == 1
    assert result.err == "T3 is saved; the answer could not be written: No space left on device.\n"
    assert len(shell.turns()) == 3


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (OSError(5, "Input/output error"), 0, "T3 is saved; Input/output error."),
        (DamagedLog("Turn T2 is damaged."), 5, "T3 is saved; turn T2 is damaged. Look at it with `campaign doctor`."),
        (NotSaved("Turn T4 was not saved."), 6, "T3 is saved; turn T4 was not saved."),
    ],
    ids=["the disk", "damage", "another turn"],
)
def test_whatever_fails_once_it_is_saved_says_so(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, error: Exception, code: int, sentence: str
) -> None:
    def fails(_: object) -> None:
        raise error

    monkeypatch.setattr("cli.shell.last_seen_store.see", fails)
    result = shell.run("note", "Rain.")
    assert (result.code, result.err) == (code, f"{sentence}\n")


def test_a_bug_after_it_is_saved_is_a_bug_and_it_is_saved(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise KeyError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr("cli.shell.terminal_conversation.print_answer", fails)
        with pytest.raises(KeyError):
            shell.run("note", "Rain.")
    assert len(shell.turns()) == 3


# -- signals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", -signal.SIGTERM)])
def test_a_signal_in_the_middle_leaves_whole_turns_and_no_traceback(shell: Shell, name: str, code: int) -> None:
    with shell.start("act") as process:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        for _ in range(3):
            process.stdin.write(LINE.encode())
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["turn"]
        process.send_signal(getattr(signal, name))
        assert (process.wait(timeout=30), process.stderr.read()) == (code, b"")
    assert [turn["turn"] for turn in shell.turns()] == [1, 2, 3, 4, 5]
    shell.do("note after")
    assert sorted(path.name for path in shell.folder.iterdir()) == ["dc.campaign"]


@pytest.mark.parametrize(
    ("where", "code", "sentence"),
    [
        ("raise KeyboardInterrupt", 130, ""),
        ("Gone(KeyboardInterrupt)", 0, ""),
        ("Gone(ValueError)", 0, "ValueError"),
    ],
    ids=["before anything is read", "while something is tidied up", "a fault there is still told"],
)
def test_ctrl_c_where_nobody_waits_for_it_is_no_traceback(where: str, code: int, sentence: str) -> None:
    program = f"""
import cli.main

class Gone:
    def __init__(self, error):
        self.error = error

    def __del__(self):
        raise self.error

def run():
    {where}
    return 0

cli.main._run = run
cli.main.main()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert ended.returncode == code
    assert sentence in ended.stderr if sentence else ended.stderr == ""


# -- streams -------------------------------------------------------------------------------------------------


def test_a_reader_that_has_seen_enough_ends_a_reading_quietly(shell: Shell) -> None:
    shell.act(*(NOTE | {"text": "word " * 1000} for _ in range(40))).ok()
    with shell.start("log") as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"Outside any session\n"
        process.stdout.close()
        assert (process.wait(timeout=30), process.stderr.read()) == (0, b"")


def test_act_stops_when_nobody_reads_its_answers(shell: Shell) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    result = shell.process("act", stdin=LINE * 10, stdout=writing)
    os.close(writing)
    assert (result.code, result.err) == (1, "T3 is saved; nobody read the answer.\n")
    assert len(shell.turns()) == 3


def _closed(shell: Shell, words: str, closed: str) -> tuple[int, str]:
    done = shell.process(before=("sh", "-c", f'exec "$@" {words} {closed}', "sh"))
    return done.code, done.out + done.err


def test_closed_streams_are_no_reason_to_fail(shell: Shell) -> None:
    assert _closed(shell, "status", ">&-") == (0, "")
    assert _closed(shell, "note x", ">&- 2>&- <&-") == (0, "")
    assert _closed(shell, "status brag", "2>&-") == (1, "")
    sentence = "Standard input is closed; name a file of JSON lines instead.\n"
    assert _closed(shell, "act", "<&-") == (2, sentence)
    assert _closed(shell, "import -", "<&-") == (2, sentence)
    sentence = "Standard input is closed; the lines to play come from there, or from a terminal.\n"
    assert _closed(shell, "play", "<&-") == (2, sentence)
    assert [turn["turn"] for turn in shell.turns()] == [1, 2, 3]


# -- homes and locales ---------------------------------------------------------------------------------------

NO_HOMES: dict[str, str | None] = {"HOME": None, "XDG_STATE_HOME": None, "XDG_CACHE_HOME": None}


#: A folder that may not even be looked into: its name is too long to ask for, also as root.
CLOSED = f"/{'x' * 300}"


@pytest.mark.parametrize("home", [None, "/proc/nowhere", "/dev/null", CLOSED])
def test_without_a_home_everything_works_but_remembering(shell: Shell, home: str | None) -> None:
    if home is not None:
        changes = NO_HOMES | {"HOME": home, "XDG_STATE_HOME": home, "XDG_CACHE_HOME": home}
        assert shell.process("note", "x", env=changes).ok().out == "T3  Note: x\n"
        assert shell.process("log", "-n", "1", "--oneline", env=changes).ok().out == "T3  Note: x\n"
        used = shell.process("use", "dc.campaign", env=changes)
        assert used.code == 6 and used.err.startswith("The current campaign stays as it was: ")
        for words in (("status",), ("stats", "rules-cited"), ("verify",), ("undo", "-y")) if home == CLOSED else ():
            assert shell.process(*words, env=changes).ok(), words
        return
    assert "11/12" in shell.process("status", env=NO_HOMES).ok().out


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "LANG": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "ascii:strict"},
    ],
)
def test_what_goes_into_a_pipe_is_utf_8_whatever_the_locale(shell: Shell, env: dict[str, str]) -> None:
    shell.do("osr enrol 龍 --rolled 3")
    result = shell.process("status", env=env).ok()
    assert "龍" in result.out and "██" in result.out
    assert "龍" in shell.process("status", "--json", env=env).json()["characters"]
    assert shell.process("status", "nobödy", env=env | {"LC_ALL": "C.UTF-8"}).err.startswith(
        "There is no character 'nobödy'"
    )


def test_a_time_is_told_in_the_zone_of_the_table_wherever_it_is_read(shell: Shell) -> None:
    shell.act(NOTE | {"at": "2026-01-31T23:30:00+01:00"}).ok()
    for place in ("UTC", "Pacific/Auckland"):
        assert "2026-01-31 23:30" in shell.process("show", env={"TZ": place}).ok().out
        assert shell.process("show", "--json", env={"TZ": place}).json()[0]["at"] == "2026-01-31T23:30:00+01:00"


# -- how fast it begins --------------------------------------------------------------------------------------


HEAVY = {
    "sqlite_utils", "rich", "eventsourcing", "pydantic", "psycopg", "portalocker", "tabulate", "platformdirs",
    "secrets", "random", "tomllib",
}  # fmt: skip
#: What a plain command line needs none of, besides.
SPARED = {"email", "importlib.metadata", "shlex", "projections.views.rulebook", "csv"}
#: The event store library, and what it imports itself: asked for where something is written.
LIBRARY = {"eventsourcing", "random"}
#: What of ours only tells of earlier turns that come out differently, or how a line goes on.
FURTHER = {"projections.preview", "cli.line.guiding"}


@pytest.mark.parametrize(
    ("words", "heavy", "most"),
    [
        # what is installed is asked for, of a library that draws for itself
        (["--help"], HEAVY - {"random"}, None),
        (["osr", "--help"], HEAVY | {"importlib.metadata"}, None),
        (["osr", "damage", "--help"], HEAVY | {"importlib.metadata"}, None),
        (["status"], HEAVY | SPARED, 120),
        (["log"], HEAVY | SPARED, 130),
        (["log", "-n", "20"], HEAVY | SPARED, 130),
        (["show"], HEAVY - {"tomllib"} | SPARED, 138),
        (["why", "brog.hp", "-n", "20"], HEAVY | SPARED, 140),
        (["rules", "6.4"], {"importlib.metadata"}, None),
        (["note", "Somebody counts the rations."], HEAVY - LIBRARY | SPARED | FURTHER, 163),
        (["osr", "damage", "brog", "0"], HEAVY - LIBRARY | SPARED | FURTHER, 163),
        (["d", "brog", "0", "a", "rat"], HEAVY - LIBRARY | SPARED | FURTHER, 163),
        (["undo", "-y"], HEAVY - LIBRARY | SPARED | FURTHER - {"projections.preview"}, 172),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_must_be_instant_imports_nothing_heavy(
    shell: Shell, words: list[str], heavy: set[str], most: int | None
) -> None:
    """`most`: so many modules of ours at most, a few more than today."""
    shell.run("show").ok()  # the view is made once
    _, modules = shell.importing(*words)
    found = heavy & modules
    assert not found, f"import them where they are needed, inside the function: {', '.join(sorted(found))}"
    if most is not None:
        ours = sorted(name for name in modules if name.partition(".")[0] in ("cli", "domain", "projections"))
        assert len(ours) <= most, f"{len(ours)} modules of ours for this; is each of them needed? {', '.join(ours)}"


def test_on_a_terminal_where_the_rules_may_ask_something_it_needs_nothing_heavy(shell: Shell) -> None:
    done = shell.terminal("d", "brog", "0", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert "Brog is hit for 0" in done.out
    imported = {line.rpartition("|")[2].strip() for line in done.out.splitlines() if line.startswith("import time:")}
    assert "cli.shell.terminal_conversation" in imported
    assert not imported & {"rich", "textual"}


def test_help_needs_no_campaign(shell: Shell) -> None:
    (shell.folder / "dc.campaign").write_text("not a campaign", "utf-8")
    assert "At the table:" in shell.run("--help").ok().out
    assert "AMOUNT" in shell.run("osr", "damage", "--help").ok().out


# -- names and clocks that a system allows ---------------------------------------------------------------------


@pytest.mark.parametrize("name", ["n\udcff.campaign", "f\udcff/dc.campaign"], ids=["a file", "a folder"])
def test_a_name_that_is_no_text_is_played_and_remembered_like_any_other(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file = shell.folder / name
    try:
        file.parent.mkdir(exist_ok=True)
        (shell.folder / "dc.campaign").rename(file)
    except (OSError, ValueError):
        pytest.skip("This system has no such names.")
    for words in (*WRITING, *READING, ["status", "--json"], ["backup", "b\udcfe.campaign"], ["doctor"], ["verify"]):
        result = shell.run(*words, "-c", name).ok()
        assert "cannot be written" not in result.err, words
    shell.run("use", name).ok()
    (shell.folder / "empty").mkdir()
    with monkeypatch.context() as patch:
        patch.chdir(shell.folder / "empty")
        assert "Brog" in shell.run("status").ok().out
    # what was seen of it is known again
    forged = file.read_bytes()
    shell.run("note", "the last", "-c", name).ok()
    file.write_bytes(forged)
    result = shell.run("note", "x", "-c", name)
    assert (result.code, "no longer holds what was last seen of it here" in result.err) == (6, True), result


@pytest.mark.parametrize(("name", "offset"), [("AAA-25", "+23:59"), ("AAA+167:59:59", "-23:59"), ("AAA-24", "+23:59")])
def test_a_zone_that_cannot_be_written_down_is_said_and_the_turn_is_kept(shell: Shell, name: str, offset: str) -> None:
    with zone(name):
        assert "a time that cannot be written down" in shell.run("note", "x").err
        shell.run("note", "y", "--when", "21:30")
        assert shell.run("log", "--since", "yesterday").code == 0
        assert shell.run("status", "--at", "today").code == 0
    assert [turn["at"][-6:] for turn in shell.turns()[-2:]] == [offset, offset]


@pytest.mark.parametrize(("seconds", "year"), [(1e18, "9998"), (253402300800.0, "9998"), (-1e18, "0002")])
def test_a_clock_beyond_all_years_is_said_and_the_turn_is_kept(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, seconds: float, year: str
) -> None:
    monkeypatch.setattr(times, "seconds_since_1970", lambda: seconds)
    assert "a time that cannot be written down" in shell.run("note", "x").err
    assert shell.turns()[-1]["at"][:4] == year


# -- what is looked up and typed where it does not belong ------------------------------------------------------


def test_what_other_rules_know_is_not_looked_up_here(shell: Shell) -> None:
    sentence = "dc.campaign is played under osr; its verbs: campaign osr --help"
    shell.run("gloomhaven", "class", "brute").is_(2, sentence)
    (shell.folder / "save.json").write_text("{}", "utf-8")
    shell.run("gloomhaven", "import-save", "save.json").is_(2, sentence)


@pytest.mark.parametrize(
    "typed", [("check-sheet", "brog"), ("override", "brog", "--why", "x")], ids=lambda words: words[0]
)
def test_bytes_that_are_no_text_are_told_as_that(shell: Shell, typed: tuple[str, ...]) -> None:
    sentence = "An action cannot hold a broken character (half of a surrogate pair)."
    shell.run(*typed, "condition=\udcff").is_(2, sentence)
