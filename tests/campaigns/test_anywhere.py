"""The evening of `anywhere`, short: without all of what Windows lacks at once, and with no SQL beyond SQLite 3.34."""

import subprocess
import sys
from pathlib import Path

from tests.campaigns.anywhere import EVENING, play, without
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


#: They take away what is not there on Windows itself.
needs_everything = needs("os.fchmod", "os.geteuid", "termios", "fcntl")


@needs_everything
def test_an_evening_without_what_windows_lacks(tmp_path: Path) -> None:
    play(without([sys.executable], "\n".join(NAMES.values())), tmp_path)


def test_an_evening_over_an_older_sqlite_without_full_text(tmp_path: Path) -> None:
    play(without([sys.executable], OLDER_SQLITE + NO_FULL_TEXT), tmp_path)


def test_the_evening_has_what_people_do() -> None:
    words = {line.split()[0] for line, _ in EVENING} | {line.split()[1] for line, _ in EVENING if " " in line}
    needed = {"new", "enrol", "damage", "short-rest", "undo", "amend", "why", "status", "play", "recap", "stats"}
    assert words >= needed | {"query", "verify", "backup"}
    assert "serve --help" in {line for line, _ in EVENING}


@needs_everything
def test_every_test_can_be_collected_on_windows() -> None:
    """Run with `--as-on-windows`, most of them pass too; what cannot do without is left out, and says what it lacks."""
    command = [sys.executable, "-m", "pytest", "--as-on-windows", "--collect-only", "-q", "-p", "no:cacheprovider"]
    command.append("--assert=plain")  # nothing is asserted
    process = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert process.returncode == 0, process.stdout[-3000:]
