"""The evening of `anywhere`, short: without all of what Windows lacks at once, and with no SQL beyond SQLite 3.34."""

import json
import subprocess
import sys
from pathlib import Path

from tests.campaigns.anywhere import EVENING, LINES, environment_in
from tests.campaigns.environments import ROOT
from tests.kit.elsewhere import NAMES, needs

#: SQLite tells of each statement; those with words that came after 3.34 are refused, as an older one would.
OLDER_SQLITE = """
import re, sqlite3
whole = sqlite3.connect
class Older(sqlite3.Connection):
    def execute(self, statement, *more):
        if re.search(r"RETURNING|->>|unixepoch|STRICT", statement):
            raise sqlite3.OperationalError("near a word of a newer SQLite: " + statement[:200])
        return super().execute(statement, *more)
sqlite3.connect = lambda *args, **options: whole(*args, **{"factory": Older, **options})
"""
NO_FULL_TEXT = """
import campaign_log.projections.views.tables as tables
tables.has_full_text = lambda: False
"""
#: Its commands one after the other in one process, as a start takes longer than most of them.
IN_ONE_PROCESS = """
import contextlib, io, json, sys
from campaign_log.cli.shell.command_line import run
for line, typed in json.load(sys.stdin):
    sys.stdin, output = io.TextIOWrapper(io.BytesIO(typed.encode())), io.StringIO()
    with contextlib.redirect_stdout(output):
        code = run(line.split(" "))
    print(json.dumps([code, output.getvalue()]))
"""


def play(statement: str, folder: Path) -> None:
    """The evening, in a Python from which a statement has taken something away."""
    typed = json.dumps([(line, LINES if line == "play" else "") for line, _ in EVENING])
    program = [sys.executable, "-c", statement + IN_ONE_PROCESS]
    process = subprocess.run(
        program, cwd=folder, env=environment_in(folder), input=typed, capture_output=True, encoding="utf-8", check=False
    )
    assert process.returncode == 0, process.stderr
    for (line, answer), ended in zip(EVENING, process.stdout.splitlines(), strict=True):
        code, output = json.loads(ended)
        assert code == 0 and answer in output, f"{line}: exit {code}\n{output}{process.stderr}"


#: They take away what is not there on Windows itself.
needs_everything = needs("os.fchmod", "os.geteuid", "termios", "fcntl")


@needs_everything
def test_an_evening_without_what_windows_lacks(tmp_path: Path) -> None:
    play("\n".join(NAMES.values()), tmp_path)


def test_an_evening_over_an_older_sqlite_without_full_text(tmp_path: Path) -> None:
    play(OLDER_SQLITE + NO_FULL_TEXT, tmp_path)


def test_the_evening_has_what_people_do() -> None:
    words = {line.split()[0] for line, _ in EVENING} | {line.split()[1] for line, _ in EVENING if " " in line}
    needed = {"new", "enrol", "damage", "short-rest", "undo", "amend", "why", "status", "play", "recap", "stats"}
    assert words >= needed | {"query", "verify", "backup"}
    assert "serve --help" in {line for line, _ in EVENING}


@needs_everything
def test_every_test_can_be_collected_on_windows() -> None:
    """Run with `--as-on-windows`, most of them pass too; what cannot do without is left out, and says what it lacks."""
    command = [sys.executable, "-m", "pytest", "--as-on-windows", "--collect-only", "-q", "-p", "no:cacheprovider"]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert process.returncode == 0, process.stdout[-3000:]
