"""What questions cost, as ratios measured side by side in one run: `uv run python -m tests.campaigns.benchmark_views`.

Each question to the view stands against the same question asked of plain sqlite3 on the same file, and the whole
program against `git log` on as many commits. Pairs are run in turns; nothing here is asserted.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from cli.shell.viewing import view_path
from cli.store.file import CampaignFile, open_campaign
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.log.folding import fold
from domain.log.standing import judge
from domain.system.registry import system_of
from domain.system.rulesystem import RuleSystem
from domain.turn import Turn
from projections.filters import Filters
from projections.views.reading import entries
from projections.views.view import View, kept_view, remove_view
from projections.views.why import Target, chain
from tests.campaigns.benchmark import campaign_of, compare, long_log, own_cache, scribe_for

#: So many turns are decided; a longer log repeats them.
DECIDED = 2000


def turns_of(count: int) -> list[Turn]:
    """A log of so many turns: one that was played, its evenings repeated."""
    played = long_log(min(count, DECIDED))
    evening = played[3:]
    found = list(played)
    while len(found) < count:
        turn = evening[len(found) % len(evening)]
        found.append(replace(turn, number=len(found) + 1, id=f"r-{len(found)}"))
    return found


def catching_up(log: CampaignFile, system: RuleSystem, rounds: int) -> None:
    """The whole view made from nothing, then one turn more, and the last one undone: against folding the log."""
    path = view_path(log)
    last = log.last()

    def from_nothing() -> None:
        remove_view(path)
        kept_view(path, log, system).close()

    def folding() -> None:
        fold(system.opening(), log.read(), judge(log))

    compare(f"view of {last} turns from nothing : folding them", from_nothing, folding, max(1, rounds // 3), None)
    scribe = scribe_for(log)

    def one_more() -> None:
        scribe.record(Note(text="The torch gutters once more."))
        kept_view(path, log, system).close()

    def one_more_undone() -> None:
        scribe.record(Undo())
        kept_view(path, log, system).close()

    def appending() -> None:
        scribe.record(Note(text="The torch gutters once more."))

    def undoing() -> None:
        scribe.record(Undo())

    one_more()
    compare(f"append and catch up after {last} turns : append", one_more, appending, rounds, None)
    compare(f"undo and catch up after {last} turns : undo", one_more_undone, undoing, rounds, None)
    kept_view(path, log, system).close()


def asking(view: View, system: RuleSystem, last: int, rounds: int) -> None:
    """Questions to the view, against plain SQL for the same rows."""
    assert view.path is not None
    with closing(sqlite3.connect(view.path)) as raw:

        def against(what: str, ours: Callable[[], object], *selects: str) -> None:
            def theirs() -> None:
                for select in selects:
                    raw.execute(select).fetchall()

            ours()
            theirs()
            compare(f"{what}, {last} turns : sqlite3", ours, theirs, rounds, None)

        newest = "SELECT * FROM turns ORDER BY turn DESC LIMIT 20"
        events = "SELECT * FROM events WHERE turn > (SELECT max(turn) - 20 FROM turns)"
        against("log -n 20", lambda: list(entries(view, Filters(), 20)), newest, events)
        against(
            "log --kind note --character Ada -n 20",
            lambda: list(entries(view, Filters(kinds=("note",), character="Ada"), 20)),
            "SELECT * FROM turns WHERE kind = 'note' AND turn IN (SELECT turn FROM involved WHERE character = 'Ada')"
            " ORDER BY turn DESC LIMIT 20",
        )
        against(
            "log --grep 'counts rations' -n 20",
            lambda: list(entries(view, Filters(grep="counts rations"), 20)),
            "SELECT * FROM turns WHERE turn IN"
            ' (SELECT rowid FROM turns_fts WHERE turns_fts MATCH \'"counts" "rations"\')'
            " ORDER BY turn DESC LIMIT 20",
        )
        about = Target("Brog", "hp")
        against(
            "why Brog.hp -n 20",
            lambda: chain(view, system, about, 20),
            "SELECT * FROM changes JOIN events ON events.turn = changes.turn AND number = event"
            " WHERE changes.character = 'Brog' AND field = 'hp' ORDER BY id DESC LIMIT 20",
        )


def commits(folder: Path, count: int) -> Path:
    """A git repository of so many empty commits."""
    repository = folder / f"git{count}"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    parts = []
    for number in range(1, count + 1):
        text = f"T{number} the torch gutters; somebody counts the rations."
        parts.append(f"commit refs/heads/main\ncommitter a <a@example.org> {1767225600 + number} +0000\n")
        parts.append(f"data {len(text)}\n{text}\n")
    subprocess.run(["git", "fast-import", "--quiet"], input="".join(parts).encode(), cwd=repository, check=True)
    return repository


def programs(folder: Path, campaign: Path, last: int, environment: dict[str, str], rounds: int) -> None:
    """The whole `campaign log -n 20`, against `git log -n 20` and against a Python that does nothing."""
    repository = commits(folder, last)

    def run(*command: str, where: Path = folder) -> None:
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True, cwd=where)

    def log() -> None:
        run(sys.executable, "-c", "from cli.main import main; main()", "log", "-n", "20", "-c", str(campaign))

    def git() -> None:
        run("git", "log", "-n", "20", "refs/heads/main", where=repository)

    def nothing() -> None:
        run(sys.executable, "-c", "pass")

    log()
    compare(f"campaign log -n 20, {last} turns : git log -n 20", log, git, rounds, None)
    compare(f"campaign log -n 20, {last} turns : python -c pass", log, nothing, rounds, None)


def main(arguments: list[str] | None = None) -> None:
    """Print every ratio for every size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args(arguments)
    print(f"{'what':<72} ratio  [lowest … highest]  ours / theirs")
    system = system_of("osr")
    for count in asked.turns:
        with tempfile.TemporaryDirectory() as name, own_cache(Path(name)) as environment:
            folder = Path(name)
            before = os.environ.get("XDG_CACHE_HOME")
            os.environ["XDG_CACHE_HOME"] = environment["XDG_CACHE_HOME"]
            try:
                path = campaign_of(folder, turns_of(count), f"views{count}")
                with open_campaign(path, write=True) as log:
                    catching_up(log, system, asked.rounds)
                    with kept_view(view_path(log), log, system) as view:
                        asking(view, system, count, asked.rounds)
                programs(folder, path, count, environment, asked.rounds)
            finally:
                if before is None:
                    del os.environ["XDG_CACHE_HOME"]
                else:
                    os.environ["XDG_CACHE_HOME"] = before


if __name__ == "__main__":
    main()
