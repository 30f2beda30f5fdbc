"""An earlier point is read from the kept view where nothing later reaches back to it, and reads as it did then."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given

from cli.shell.examples import examples
from domain.log.effective_history import EffectiveHistory
from domain.log.folding import counting_numbers, fold, state_at
from domain.log.points import sessions_of
from domain.log.port import MemoryLog, MemorySnapshots
from domain.log.snapshots import EVERY, snapshot_of
from domain.registry import system_of
from domain.system.rulesystem import RuleSystem
from domain.system.used_numbers import UsedNumbers
from domain.turn import Turn
from projections.filters import Filters
from projections.recap import recap_of
from projections.sheets import state_as_now
from projections.views import earlier_view
from projections.views.chronicle_queries import entries, titles_of
from projections.views.earlier_view import brought_back
from projections.views.named_queries import answer_to, courses, named_queries, plots
from projections.views.tables import OF_THE_PRESENT, TABLES, has_full_text, quote
from projections.views.targets import Target, characters_in, fields_in
from projections.views.turn_context import context_of, rulings_then
from projections.views.view import View, has_same_rows, kept_view, passing_view
from projections.views.why import changes_of, undone_since
from tests.campaigns.lived import lived
from tests.kit.given import Given
from tests.kit.sqlites import looks_up_in_both_halves, steps
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import FEW, chances, fresh, revised
from tests.kit.views import view_in_memory
from tests.views.test_catching_up import as_read
from tests.views.test_examples import example


def contents(found: View) -> dict[str, Any]:
    """Every row of every table, without what is told of the present alone."""
    rows = {}
    for name, table in TABLES.items():
        columns = ", ".join(quote(column) for column in table.columns if column not in OF_THE_PRESENT)
        rows[name] = found.ask(f"SELECT {columns} FROM {quote(name)} ORDER BY 1, 2")
    return rows | {
        "sheets": found.ask("SELECT * FROM sheets"),
        "changes": found.ask("SELECT * FROM changes ORDER BY id"),
    }


def had_a_say(view: View, system: RuleSystem, upto: int) -> Any:
    """Every ruling that was in force where each turn was decided."""
    rules = tuple(f"{system.cite} {rule}" for (rule,) in view.ask("SELECT DISTINCT rule FROM rulings ORDER BY rule"))
    return rulings_then(view, system, [(turn, rules) for turn in range(1, upto + 1)])


def told_by(view: View, system: RuleSystem, upto: int) -> dict[str, Any]:
    """What the commands ask of a view, of all that is there."""
    names, fields = characters_in(view), fields_in(view)
    asked = [Target(name, field) for name in names for field in fields]
    return {
        "rows": contents(view),
        "a say": had_a_say(view, system, upto),
        "titles": titles_of(view),
        "entries": [as_read(entry) for entry in entries(view)],
        "newest": [as_read(entry) for entry in entries(view, None, 3)],
        "chains": [changes_of(view, system, about) for about in asked],
        "newest links": [changes_of(view, system, about, 2) for about in asked],
        "undone": [undone_since(view, about, 1) for about in asked],
        "turns": [context_of(view, system, turn, ()) for turn in range(1, upto + 1)],
        "figures": {name: answer_to(view, query) for name, query in named_queries(system.key).items()},
        "courses": [courses(view, plot.field) for plot in plots(system.key).values()],
    }


def brought(path: Path, table: Given, upto: int) -> View:
    return brought_back(kept_view(path, table.log, table.system), table.log, table.system, upto)


@FEW
@given(chance=chances)
def test_the_kept_view_brought_back_to_a_point_is_the_view_that_was_made_there(
    subject: Subject, tmp_path_factory: Any, chance: Random
) -> None:
    path = tmp_path_factory.mktemp("view") / "view.sqlite"
    table = (revised if chance.random() < 0.5 else fresh)(chance, subject)
    last = table.log.last()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(earlier_view, "AT_ONCE", 2)
        table.log.snapshots = MemorySnapshots()
        for number in chance.sample(range(1, last + 1), min(last, 3)):
            keep_state(table.log, table.system, number)
        for upto in {last, chance.randint(1, last), chance.randint(max(1, last - 3), last)}:
            with brought(path, table, upto) as found, view_in_memory(table.log, table.system, upto) as then:
                assert told_by(found, table.system, upto) == told_by(then, table.system, upto)
            with (
                kept_view(path, table.log, table.system) as kept,
                passing_view(table.log, table.system, upto, kept=kept) as copied,
                view_in_memory(table.log, table.system, upto) as then,
            ):
                assert has_same_rows(copied, then) and copied.last() == upto
                if has_full_text():
                    copied.connection.execute("INSERT INTO turns_fts (turns_fts) VALUES ('integrity-check')")


NOTE: dict[str, Any] = {"type": "note", "text": "Later."}


def table_of(*lines: dict[str, Any]) -> Given:
    table = Given("osr")
    enrol = {"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]}
    for line in (enrol, NOTE, *lines):
        assert table.when(line).error is None, table.error
    return table


@pytest.mark.parametrize(
    ("lines", "reads_the_same"),
    [
        ((NOTE,), True),
        ((NOTE, {"type": "undo"}), True),
        (({"type": "undo", "turns": [3]},), False),
        ((NOTE, {"type": "undo", "turns": [4]}, {"type": "redo"}), True),
        (({"type": "amend", "turn": 3, "action": NOTE | {"text": "So."}},), False),
        (({"type": "ruling", "rule": "6.4", "text": "So.", "since": "T2"},), False),
        (({"type": "ruling", "rule": "6.4", "text": "So."},), True),
    ],
)
def test_turns_are_written_again_where_later_ones_reach_back_to_them(
    lines: tuple[dict[str, Any], ...], reads_the_same: bool
) -> None:
    table = table_of(*lines)
    with brought_back(view_in_memory(table.log, table.system), table.log, table.system, 3) as view:
        written_again = view.earlier[-1]
        assert (written_again.first > 3) is reads_the_same


def test_what_a_ruling_came_to_is_not_told_of_an_earlier_point(tmp_path: Path) -> None:
    ruling = {"type": "ruling", "rule": "6.4", "text": "So.", "set": {"keep_higher": True}}
    table = table_of(ruling, ruling, {"type": "ruling.end", "ruling": 2, "why": "no"})
    with brought(tmp_path / "view.sqlite", table, 5) as view:
        assert view.ask("SELECT ruling, ended_by, ended_why FROM rulings") == [(1, None, None), (2, None, None)]
        with pytest.raises(Exception, match="no such column"):
            view.ask("SELECT in_force FROM rulings")


# -- what is not read -----------------------------------------------------------------------------------------


class Counting(MemoryLog):
    """Counts the turns that are read."""

    read_turns = 0

    def read(self, after: int = 0, upto: int | None = None, topics: Any = ()) -> Any:
        for turn in super().read(after, upto, topics):
            self.read_turns += 1
            yield turn


def keep_state(log: MemoryLog, system: RuleSystem, number: int) -> None:
    """Keep the state that was there when a turn was told."""
    state = state_at(system, MemoryLog(log.rules, turns=log.turns[:number]))
    log.snapshots.store(snapshot_of(log, number, state, UsedNumbers()))


def long_log(turns: int) -> Counting:
    """A log that has lived, with the states that were kept while it was played."""
    log = Counting("osr", turns=list(lived(turns)))
    log.snapshots = MemorySnapshots()
    system, used = system_of("osr"), UsedNumbers()
    for number in range(EVERY, turns + 1, EVERY):
        turn: Turn = log.turns[number - 1]
        state = state_at(system, MemoryLog("osr", turns=log.turns[:number]))
        fold(system.opening(), counting_numbers([turn], used), EffectiveHistory([], "osr"))
        log.snapshots.store(snapshot_of(log, number, state, used))
    return log


def test_a_recap_decodes_its_evening_and_the_way_from_the_last_kept_state() -> None:
    log = long_log(2003)
    log.read_turns = 0
    recap = recap_of(system_of("osr"), log, 8, bounds=(1754, 2003))
    # the evening and the stretch before it, and who speaks in them
    assert log.read_turns <= 250 + EVERY + 50
    assert (recap.first, recap.last) == sessions_of(log)[8] == (1754, 2003)
    whole = MemoryLog("osr", turns=log.turns)
    assert recap_of(system_of("osr"), whole, 8) == recap


@pytest.mark.parametrize("folder", sorted(examples()))
def test_a_state_as_now_is_the_same_from_a_kept_state_and_from_nothing(folder: str) -> None:
    plain = example(folder)
    system = system_of(plain.rules)
    kept = MemoryLog(plain.rules, turns=plain.turns)
    kept.snapshots = MemorySnapshots()
    for number in range(10, plain.last(), 17):
        keep_state(kept, system, number)
    for point in range(1, plain.last(), 13):
        assert state_as_now(system, kept, point) == state_as_now(system, plain, point)


#: The end of a log of 300 turns, a point that reads as it did then, and one at which T210 was not undone yet.
POINTS = {None: ["main"], 290: ["main", "beside"], 210: ["main", "beside"]}


@pytest.mark.parametrize("upto", POINTS)
def test_why_show_and_log_search_and_never_walk_through_the_turns(tmp_path: Path, upto: int | None) -> None:
    if upto is not None and not looks_up_in_both_halves():
        pytest.skip(f"SQLite {sqlite3.sqlite_version} puts the halves of an earlier point together before it searches")
    log = MemoryLog("osr", turns=list(lived(300)))
    system = system_of("osr")
    asked: list[tuple[str, tuple[Any, ...]]] = []
    view = kept_view(tmp_path / "view.sqlite", log, system)
    with brought_back(view, log, system, upto) if upto is not None else view as view:
        assert [segment.database for segment in view.segments()] == POINTS[upto]

        def listening(select: str, *values: Any) -> list[Any]:
            asked.append((select, values))
            return View.ask(view, select, *values)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(view, "ask", listening)
            assert changes_of(view, system, Target("Brog", "hp"), 20)
            context_of(view, system, 205, ("OSR 6.4", "OSR 6.5"))
            undone_since(view, Target("Brog", "hp"), 205)
            for filters in (None, Filters(character="Ada"), Filters(rule="OSR 6.5"), Filters(grep="rations")):
                assert list(entries(view, filters, 20))
        assert len(asked) > 20
        for select, values in asked:
            plan = steps(view.ask, select, *values)
            # what JSON holds is in memory, what is found in both halves is walked through, and rulings are few
            halves = {step.split()[1] for step in plan if step.startswith("CO-ROUTINE")}
            scans = [step for step in plan if step.startswith("SCAN") and step.split()[1] not in halves]
            walks = [step for step in scans if "VIRTUAL" not in step and "rulings" not in step]
            walks += [step for step in plan if "MATERIALIZE" in step or "AUTOMATIC" in step]
            assert not walks, (select, plan)


def test_a_figure_of_an_earlier_point_costs_no_more_a_turn_on_a_longer_log() -> None:
    """Counted in steps of SQLite: a join that is not looked up would take four times as many for twice the turns."""
    system, counts = system_of("osr"), list[dict[str, int]]()
    for turns, upto in ((500, 461), (1000, 960)):
        log = MemoryLog("osr", turns=list(lived(turns)))
        with brought_back(view_in_memory(log, system), log, system, upto) as view:
            assert len(view.segments()) == 2
            found = {}
            for name, query in named_queries(system.key).items():
                steps = count()
                view.connection.set_progress_handler(partial(_counted, steps), 50)
                answer_to(view, query)
                view.connection.set_progress_handler(None, 0)
                found[name] = next(steps)
            counts.append(found)
    assert {name: steps / counts[0][name] for name, steps in counts[1].items() if steps > 3 * counts[0][name]} == {}


def _counted(steps: Iterator[int]) -> bool:
    return next(steps) < 0  # SQLite goes on


@pytest.mark.parametrize("upto", [290, 210])
def test_the_rows_of_a_turn_keep_their_order_in_a_view(upto: int) -> None:
    """Most builds of SQLite refuse to order a view by a number of its rows that it does not show."""
    log, system = MemoryLog("osr", turns=list(lived(300))), system_of("osr")
    with brought_back(view_in_memory(log, system), log, system, upto) as view:
        for name in (name for name, table in TABLES.items() if not isinstance(table.key, str)):
            assert "rowid" in [row[1] for row in view.ask(f"PRAGMA table_info({quote(name)})")]


def test_whoever_asks_of_an_earlier_point_holds_no_lock_and_writes_nothing(tmp_path: Path) -> None:
    path, table = tmp_path / "view.sqlite", table_of(NOTE, NOTE, {"type": "undo", "turns": [3]})
    kept_view(path, table.log, table.system).close()
    content = path.read_bytes()
    with brought(path, table, 5) as view:
        entries_found = entries(view)
        assert next(entries_found).turn == 1
        with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as other:
            other.execute("BEGIN EXCLUSIVE")
            other.execute("ROLLBACK")
        assert [entry.standing for entry in entries_found] == [True] * 4
    assert path.read_bytes() == content


def test_a_ruling_whose_end_is_told_late_but_not_as_far_back_as_one_looks_is_in_force_there() -> None:
    so = {"type": "ruling", "rule": "6.6", "text": "So.", "set": {"zero_is_injury": True}}
    table = table_of(so, NOTE, NOTE, NOTE, {"type": "ruling.end", "ruling": 1, "after": "T6"})
    with brought_back(view_in_memory(table.log, table.system), table.log, table.system, 5) as view:
        named = rulings_then(view, table.system, [(5, ("OSR 6.6",))])
    assert [ruling.ruling for ruling in named[5, ("OSR 6.6",)]] == [1]
