"""What questions cost, as ratios measured side by side in one run: `uv run python -m tests.campaigns.benchmark_views`.

Each question to the view stands against the same question asked of plain sqlite3 on the same file, and the whole
program against `git log` on as many commits. Pairs are run in turns, with the collector as seldom as in every
command; nothing here is asserted.
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
from statistics import median

from cli.store.file import CampaignFile, open_campaign
from cli.store.folders import view_path
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.log.effective_history import effective_history
from domain.log.folding import fold
from domain.log.points import session_at
from domain.registry import system_of
from domain.system.rulesystem import RuleSystem
from projections.filters import Filters
from projections.recap import recap_of
from projections.views.chronicle_queries import entries
from projections.views.earlier_view import brought_back
from projections.views.view import View, kept_view, remove_view
from projections.views.why import Target, chain, context_of, undone_since
from tests.campaigns.benchmark import campaign_of, compare, handler_for, keep_states, own_cache, seconds, uncollected
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.lived import EVENING, MONTH, lived


def within(label: str, ours: Callable[[], object], rounds: int, limit: float) -> None:
    """Print how long something takes in this process, beside what it may take, in milliseconds."""
    ours()
    durations = sorted(seconds(ours) * 1000 for _ in range(rounds))
    print(
        f"{label:<72} {median(durations):9.2f} ms  [{durations[0]:.2f} … {durations[-1]:.2f}]  (limit {limit:g} ms)",
        flush=True,
    )


def written_plainly(path: Path) -> Callable[[], None]:
    """What writes the rows of a view into another file, in one go, and then makes its indexes and its full text."""
    with closing(sqlite3.connect(path)) as view:
        schema = view.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        searched = [name for kind, name, sql in schema if kind == "table" and "VIRTUAL" in sql]
        own = {
            name: sql
            for kind, name, sql in schema
            if kind == "table" and not name.startswith(("sqlite_", *searched))  # full text has tables of its own
        }
        rows = {name: view.execute(f'SELECT * FROM "{name}"').fetchall() for name in own}

    def write() -> None:
        target = path.with_suffix(".plain")
        target.unlink(missing_ok=True)
        with closing(sqlite3.connect(target)) as plain, plain:
            for name, sql in own.items():
                plain.execute(sql)
                if rows[name]:
                    places = ", ".join("?" * len(rows[name][0]))
                    plain.executemany(f'INSERT INTO "{name}" VALUES ({places})', rows[name])
            for kind, name, sql in schema:
                if kind == "index":
                    plain.execute(sql)
                elif name in searched:
                    plain.execute(sql)
                    plain.execute(f"INSERT INTO {name} ({name}) VALUES ('rebuild')")
        target.unlink()

    return write


def catching_up(log: CampaignFile, system: RuleSystem, rounds: int) -> None:
    """The whole view made from nothing, then one turn more, and the last one undone: against folding the log."""
    path = view_path(log.stream)
    last = log.last()

    def from_nothing() -> None:
        remove_view(path)
        kept_view(path, log, system).close()

    def folding() -> None:
        fold(system.opening(), log.read(), effective_history(log))

    from_nothing()
    rows_written = written_plainly(path)
    compare(f"view of {last} turns from nothing : folding them", from_nothing, folding, max(1, rounds // 3), None)
    label = f"view of {last} turns from nothing : executemany, then indexes and full text"
    compare(label, from_nothing, rows_written, max(1, rounds // 3), 2.1)
    print(
        f"{f'bytes of the view of {last} turns : of the log':<72} {size(path) / size(log.path):6.2f}  (aim 4)",
        flush=True,
    )
    handler = handler_for(log)

    def one_more() -> None:
        handler.record(Note(text="The torch gutters once more."))
        kept_view(path, log, system).close()

    def one_more_undone() -> None:
        handler.record(Undo())
        kept_view(path, log, system).close()

    def appending() -> None:
        handler.record(Note(text="The torch gutters once more."))

    def undoing() -> None:
        handler.record(Undo())

    def caught_up() -> None:
        kept_view(path, log, system).close()

    one_more()
    within(f"catching up with nothing new, {last} turns", caught_up, rounds, 3)
    compare(f"append and catch up after {last} turns : append", one_more, appending, rounds, None)
    compare(f"undo and catch up after {last} turns : undo", one_more_undone, undoing, rounds, None)
    kept_view(path, log, system).close()


def asking(view: View, system: RuleSystem, last: int, rounds: int) -> None:
    """Questions to the view, against plain SQL for the same rows."""
    assert view.path is not None
    with closing(sqlite3.connect(view.path)) as raw:

        def against(label: str, ours: Callable[[], object], *selects: str) -> None:
            def theirs() -> None:
                for select in selects:
                    raw.execute(select).fetchall()

            ours()
            theirs()
            compare(f"{label}, {last} turns : sqlite3", ours, theirs, rounds, None)

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


def reading(log: CampaignFile, system: RuleSystem, view: View, rounds: int) -> None:
    """What people wait for on a log that has lived, in this process."""
    last = log.last()
    keep_states(log, lived(last), after=last - MONTH)
    about = Target("Brog", "hp")
    session, bounds = session_at(log, last, None)

    def recap() -> None:
        recap_of(system, log, session, bounds=bounds)

    within(f"recap of the last of {session} sessions, {last} turns", recap, rounds, 15)
    within(f"why Brog.hp -n 20 with its rulings, {last} turns", lambda: chain(view, system, about, 20), rounds, 15)
    within(f"undone since, {last} turns", lambda: undone_since(view, about, last - 50), rounds, 2)
    within(f"what lies around one turn, {last} turns", lambda: context_of(view, system, last - 9, RULES), rounds, 15)
    for name, filters in FILTERS.items():
        within(f"log {name} -n 20, {last} turns", lambda f=filters: list(entries(view, f, 20)), rounds, 15)  # type: ignore[misc]
    within(f"the first entry of the whole log, {last} turns", lambda: next(iter(entries(view))), rounds, 40)
    path = view_path(log.stream)

    def ten_turns_ago() -> None:
        view = kept_view(path, log, system)
        with brought_back(view, log, system, last - 10):
            assert view.earlier[-1].first > last - 10  # nothing is written again
            chain(view, system, about, 20)

    within(f"why Brog.hp -n 20 --at @-10, {last} turns", ten_turns_ago, rounds, 17)


RULES = ("OSR 6.4", "OSR 6.5")
FILTERS = {
    "(all)": Filters(),
    "--grep 'counts rations'": Filters(grep="counts rations"),
    "--grep STRASSE": Filters(grep="STRASSE"),
    "--character Ada": Filters(character="Ada"),
    "--rule 6.5": Filters(rule="OSR 6.5"),
    "--kind ruling --by mia": Filters(kinds=("ruling", "ruling.end"), by="mia"),
    "--undone": Filters(undone=True),
    "--session 2": Filters(session=2),
}


def size(path: Path) -> int:
    return sum(path.stat().st_size for path in path.parent.glob(f"{path.name}*"))


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
    parser.add_argument("--turns", type=int, nargs="+", default=[1_003, 10_003, 100_003])
    parser.add_argument("--large", action="store_true", help="1,000,003 turns as well")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(arguments)
    print(f"{'what':<72} ratio  [lowest … highest]  ours / theirs")
    system = system_of("osr")
    for count in [*options.turns, *([1_000_003] if options.large else [])]:
        with uncollected(), tempfile.TemporaryDirectory() as name, own_cache(Path(name)) as environment:
            folder = Path(name)
            before = os.environ.get("XDG_CACHE_HOME")
            os.environ["XDG_CACHE_HOME"] = environment["XDG_CACHE_HOME"]
            try:
                path = campaign_of(folder, lived(count), f"views{count}")
                with open_campaign(path, write=True) as log:
                    with kept_view(view_path(log.stream), log, system) as view:
                        asking(view, system, count, options.rounds)
                        if count > EVENING:
                            reading(log, system, view, options.rounds)
                    catching_up(log, system, options.rounds)
                programs(folder, path, count, environment, options.rounds)
            finally:
                if before is None:
                    del os.environ["XDG_CACHE_HOME"]
                else:
                    os.environ["XDG_CACHE_HOME"] = before


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
