"""An earlier point is read from the kept view where nothing later reaches back to it, and reads as it did then."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from cli.shell.examples import examples
from domain.log.folding import EVERY, counted, fold, packed, state_at
from domain.log.numbers import GivenOut
from domain.log.points import sessions_of
from domain.log.port import KeptState, MemoryLog
from domain.log.standing import Judgement
from domain.system.registry import system_of
from domain.system.rulesystem import RuleSystem
from domain.turn import Turn
from projections.recap import recap_of
from projections.sheets import state_as_now
from projections.views.reading import session_in, sessions_in
from projections.views.tables import OF_THE_PRESENT, TABLES, quoted
from projections.views.view import View, kept_view, reads_the_same, view_in_memory
from projections.views.why import UNDONE_SINCE, Target, chain, rulings_then, said_about
from tests.campaigns.lived import lived
from tests.kit.given import Given
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import MemoryStates, chances, fresh, revised
from tests.views.test_examples import example


def contents(found: View) -> dict[str, Any]:
    """Every row of every table, without what is told of the present alone."""
    rows = {}
    for name, table in TABLES.items():
        columns = ", ".join(quoted(column) for column in table.columns if column not in OF_THE_PRESENT)
        rows[name] = found.ask(f"SELECT {columns} FROM {quoted(name)} ORDER BY 1, 2")
    return rows | {
        "sheets": found.ask("SELECT * FROM sheets"),
        "changes": found.ask("SELECT * FROM changes ORDER BY id"),
    }


def had_a_say(view: View, system: RuleSystem, upto: int) -> Any:
    """Every ruling that was in force where each turn was decided."""
    rules = tuple(f"{system.cite} {rule}" for (rule,) in view.ask("SELECT DISTINCT rule FROM rulings ORDER BY rule"))
    return rulings_then(view, system, [(turn, rules) for turn in range(1, upto + 1)])


@settings(max_examples=20, deadline=None)
@given(chance=chances)
def test_the_kept_view_up_to_a_point_is_the_view_that_was_made_there(
    subject: Subject, tmp_path_factory: Any, chance: Random
) -> None:
    path = tmp_path_factory.mktemp("view") / "view.sqlite"
    table = (revised if chance.random() < 0.5 else fresh)(chance, subject)
    last = table.log.last()
    for upto in {last, chance.randint(1, last), chance.randint(max(1, last - 3), last)}:
        if reads_the_same(table.log, upto):
            with kept_view(path, table.log, table.system) as found:
                found.bound(upto)
                bounded = contents(found), had_a_say(found, table.system, upto)
                sessions = sessions_of(table.log, upto)
                assert list(sessions_in(found).items()) == list(sessions.items())
                assert [session_in(found, number) for number in sessions] == list(sessions.items())
                assert session_in(found) == next(reversed(sessions.items()), None)
                assert session_in(found, 1000) is None
            with view_in_memory(table.log, table.system, upto) as then:
                assert bounded == (contents(then), had_a_say(then, table.system, upto))


NOTE: dict[str, Any] = {"type": "note", "text": "Later."}


def said(*lines: dict[str, Any]) -> Given:
    table = Given("osr")
    enrol = {"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]}
    for line in (enrol, NOTE, *lines):
        assert table.when(line).error is None, table.error
    return table


@pytest.mark.parametrize(
    ("lines", "same"),
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
def test_what_reaches_back_to_a_point_lets_it_read_otherwise(lines: tuple[dict[str, Any], ...], same: bool) -> None:
    assert reads_the_same(said(*lines).log, 3) is same


def test_what_a_ruling_came_to_is_not_told_of_an_earlier_point(tmp_path: Path) -> None:
    ruling = {"type": "ruling", "rule": "6.4", "text": "So.", "set": {"keep_higher": True}}
    table = said(ruling, ruling, {"type": "ruling.end", "ruling": 2, "why": "no"})
    with kept_view(tmp_path / "view.sqlite", table.log, table.system) as view:
        view.bound(5)
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


def long_log(turns: int) -> Counting:
    """A log that has lived, with the states that were kept while it was played."""
    log = Counting("osr", turns=list(lived(turns)))
    log.states = MemoryStates()
    system, used = system_of("osr"), GivenOut()
    for number in range(EVERY, turns + 1, EVERY):
        turn: Turn = log.turns[number - 1]
        state = state_at(system, MemoryLog("osr", turns=log.turns[:number]))
        fold(system.opening(), counted([turn], used), Judgement([], "osr"))
        log.states.keep(KeptState(number, turn.id, number, turn.id, system.version, packed(state, used)))
    return log


def test_a_recap_decodes_its_evening_and_the_way_from_the_last_kept_state() -> None:
    log = long_log(2003)
    log.read_turns = 0
    told = recap_of(system_of("osr"), log, 8, bounds=(1754, 2003))
    # the evening and the stretch before it, and who speaks in them
    assert log.read_turns <= 250 + EVERY + 50
    assert (told.first, told.last) == sessions_of(log)[8] == (1754, 2003)
    whole = MemoryLog("osr", turns=log.turns)
    assert recap_of(system_of("osr"), whole, 8) == told


@pytest.mark.parametrize("folder", sorted(examples()))
def test_a_state_as_now_is_the_same_from_a_kept_state_and_from_nothing(folder: str) -> None:
    plain = example(folder)
    system = system_of(plain.rules)
    kept = MemoryLog(plain.rules, turns=plain.turns)
    kept.states = MemoryStates()
    for number in range(10, plain.last(), 17):
        turn = plain.turns[number - 1]
        state = state_at(system, MemoryLog(plain.rules, turns=plain.turns[:number]))
        kept.states.keep(KeptState(number, turn.id, number, turn.id, system.version, packed(state, GivenOut())))
    for point in range(1, plain.last(), 13):
        assert state_as_now(system, kept, point) == state_as_now(system, plain, point)


def plan(view: View, select: str, *values: Any) -> list[str]:
    return [row[3] for row in view.ask(f"EXPLAIN QUERY PLAN {select}", *values)]


@pytest.mark.parametrize("bounded", [False, True])
def test_why_and_show_search_and_never_scan_the_turns(tmp_path: Path, bounded: bool) -> None:
    log = MemoryLog("osr", turns=list(lived(300)))
    system = system_of("osr")
    asked: list[tuple[str, tuple[Any, ...]]] = []
    with kept_view(tmp_path / "view.sqlite", log, system) as view:
        if bounded:
            view.bound(290)

        def listening(select: str, *values: Any) -> list[Any]:
            asked.append((select, values))
            return View.ask(view, select, *values)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(view, "ask", listening)
            assert chain(view, system, Target("Brog", "hp"), 20)
            said_about(view, system, 280, ("OSR 6.4", "OSR 6.5"))
        asked.append((UNDONE_SINCE, (280, "Brog", "hp")))
        assert len(asked) > 5
        for select, values in asked:
            steps = plan(view, select, *values)
            # what JSON holds is in memory
            scans = [step for step in steps if step.startswith("SCAN") and "VIRTUAL" not in step]
            assert not scans, (select, steps)


def test_a_ruling_whose_end_is_told_late_but_not_as_far_back_as_one_looks_is_in_force_there() -> None:
    so = {"type": "ruling", "rule": "6.6", "text": "So.", "set": {"zero_is_injury": True}}
    table = said(so, NOTE, NOTE, NOTE, {"type": "ruling.end", "ruling": 1, "after": "T6"})
    with view_in_memory(table.log, table.system) as view:
        view.bound(5)
        named = rulings_then(view, table.system, [(5, ("OSR 6.6",))])
    assert [each.ruling for each in named[5, ("OSR 6.6",)]] == [1]
