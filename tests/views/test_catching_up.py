"""A view that is caught up step by step is the view made from nothing, whatever was taken back in between."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given

from domain.log.effective_history import effective_turns, since_of
from domain.log.folding import state_at
from domain.log.port import MemoryLog
from domain.osr import Osr
from domain.osr.presentation import to_view
from domain.osr.sheet import OsrState
from domain.registry import system_of
from domain.turn import Event, Sentence, Struck
from projections.chronicle import Entry
from projections.chronicle_range import chronicle, session_titles
from projections.views import catching_up, view
from projections.views.cells import as_cell
from projections.views.chronicle_queries import entries, titles_of
from projections.views.tables import has_full_text
from projections.views.view import View, has_same_rows, kept_view
from tests.campaigns.lived import lived
from tests.kit.elsewhere import keeps_modes
from tests.kit.given import Given
from tests.kit.sqlites import needs_full_text, steps
from tests.kit.subjects import Subject
from tests.kit.subjects import pytest_generate_tests as pytest_generate_tests
from tests.kit.tables import FEW, chances, fresh, play, revised
from tests.kit.views import contents, view_in_memory
from tests.osr.tables import osr_table


def as_read(entry: Entry) -> tuple[Any, ...]:
    """All that a reader sees of a turn."""
    return (
        msgspec.json.encode(entry.as_json()),
        "".join(f"<{part}>" if isinstance(part, Struck) else part for part in entry.parts).replace("  ", " ").strip(),
        entry.characters,
        entry.rules,
    )


def check_full_text(view: View) -> None:
    """Raises sqlite3.Error if full-text search, where there is any, finds other words than the turns have."""
    if has_full_text():
        view.ask("INSERT INTO turns_fts (turns_fts, rank) VALUES ('integrity-check', 1)")


def showing_an_option(table: Given) -> Given:
    """A sheet that shows an option, so that rulings change what is shown, also those that count from earlier on."""

    class Showing(Osr):
        def to_view(self, state: OsrState, name: str) -> dict[str, Any]:
            return {**to_view(state, name), "keeps": state.options.keep_higher}

    table.system = Showing()
    return table


def test_a_ruling_that_counts_from_earlier_on_is_written_again_with_the_turns_around_it(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table = showing_an_option(osr_table())
    for action in (
        {"type": "note", "text": "One."},
        {"type": "note", "text": "Two."},
        {"type": "ruling", "rule": "6.4", "text": "Keep it.", "set": {"keep_higher": True}, "since": "T3"},
        {"type": "undo", "turns": [5]},
    ):
        assert table.when(action).error is None
        with kept_view(path, table.log, table.system) as found, view_in_memory(table.log, table.system) as anew:
            assert contents(found) == contents(anew)


@pytest.mark.parametrize("word", ["ruling.keep", "ruling.end"])
def test_what_was_said_of_a_ruling_is_gone_with_the_turn_that_said_it(tmp_path: Path, word: str) -> None:
    path, table = tmp_path / "view.sqlite", osr_table()
    for action in (
        {"type": "ruling", "rule": "6.4", "text": "Keep it.", "trial": True},
        {"type": "note", "text": "One."},
        {"type": word, "ruling": 1, "why": "so"},
        {"type": "undo", "last": 1},
    ):
        assert table.when(action).error is None
        with kept_view(path, table.log, table.system) as found, view_in_memory(table.log, table.system) as anew:
            assert contents(found) == contents(anew)


def test_what_an_undo_changes_is_written_again_in_place(tmp_path: Path) -> None:
    path, table = tmp_path / "view.sqlite", osr_table()
    for number in range(6):
        table.when({"type": "note", "text": f"{number}"})
    kept_view(path, table.log, table.system).close()
    made = path.stat().st_ino
    table.when({"type": "undo", "turns": [5]})
    with kept_view(path, table.log, table.system) as found:
        assert found.ask("SELECT turn FROM turns WHERE NOT standing") == [(5,)]
    assert path.stat().st_ino == made, "it was not made anew"


@FEW
@given(chance=chances)
def test_step_by_step_is_the_same_as_from_nothing(subject: Subject, tmp_path_factory: Any, chance: Random) -> None:
    path = tmp_path_factory.mktemp("view") / "view.sqlite"
    table = fresh(chance, subject)
    if subject.key == "osr":
        table = showing_an_option(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catching_up, "AT_ONCE", 2)
        for _ in range(chance.randint(4, 12)):
            play(chance, subject, table, 1, revising=0.5)
            if chance.random() < 0.5:
                with kept_view(path, table.log, table.system):
                    pass
        with kept_view(path, table.log, table.system) as caught_up:
            found = contents(caught_up)
            check_full_text(caught_up)
    with view_in_memory(table.log, table.system) as made_anew:
        assert found == contents(made_anew)


@FEW
@given(chance=chances)
def test_the_place_of_a_turn_is_where_it_folds(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    with view_in_memory(table.log, table.system) as found:
        # a ruling names the point since which it counts, which may be another such ruling
        placed = found.ask(
            "SELECT turn, place FROM turns WHERE place IS NOT NULL AND json_extract(action, '$.since') IS NULL"
        )
    assert dict(placed) == {
        effective_turn.number: effective_turn.place
        for effective_turn in effective_turns(table.log)
        if effective_turn.place is not None and since_of(effective_turn.action) is None
    }


@FEW
@given(chance=chances)
def test_it_tells_what_the_log_tells(subject: Subject, chance: Random) -> None:
    table = revised(chance, subject)
    with view_in_memory(table.log, table.system) as found:
        assert [as_read(entry) for entry in entries(found)] == [
            as_read(entry) for entry in chronicle(table.system, table.log)
        ]
        assert titles_of(found) == session_titles(table.log, table.log.last())
        state = state_at(table.system, table.log)
        for name in state.characters:
            sheet_shown = table.system.sheet_view(state, name)
            (sheet,) = found.ask("SELECT * FROM sheets WHERE character = ?", name)
            assert sheet[1:] == tuple(as_cell(value) for value in sheet_shown.values())
            for field, value in sheet_shown.items():
                newest = found.ask(
                    'SELECT new FROM "values" WHERE character = ? AND field = ? ORDER BY id DESC LIMIT 1', name, field
                )
                assert newest == [(as_cell(value),)]


def test_each_change_follows_from_the_one_before() -> None:
    table = Given("osr")
    for action in ENOUGH:
        table.when(action)
    with view_in_memory(table.log, table.system) as found:
        rows = found.ask("SELECT turn, event, old, new, rule FROM \"values\" WHERE field = 'hp' ORDER BY id")
    assert rows == [(2, 1, None, 11, "OSR 6.1, OSR 6.2"), (3, 1, 11, 2, "OSR 6.6"), (4, 1, 2, 7, "OSR 6.4, OSR 6.5")]


ENOUGH = (
    {"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]},
    {"type": "osr.damage", "character": "brog", "amount": 9},
    {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [3, 4]}},
)


def played(*actions: dict[str, Any]) -> Given:
    table = Given("osr")
    for action in actions:
        assert table.when(action).error is None
    return table


def test_dice_are_rows_with_their_sides_and_where_they_come_from() -> None:
    table = played(*ENOUGH[:2], {"type": "osr.short_rest", "characters": ["brog"]})
    with view_in_memory(table.log, table.system) as found:
        rows = found.ask("SELECT turn, character, purpose, kind, sides, reported FROM rolls")
    assert rows == [
        *[(2, "brog", "hit dice", "die", 6, 1)] * 2,
        *[(4, "brog", "re-roll", "die", 6, 0)] * 2,
    ]


def test_a_damaged_view_is_made_anew_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table = played(*ENOUGH)
    with kept_view(path, table.log, table.system) as found:
        whole = contents(found)
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    for broken in (b"", b"not a database, but long enough to be taken for one" * 99, bytes(content)):
        path.write_bytes(broken)
        with kept_view(path, table.log, table.system) as found:
            assert contents(found) == whole


def test_a_view_of_other_versions_or_another_history_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table, other = played(*ENOUGH), played(*ENOUGH[:2], {"type": "note", "text": "Another story."}, ENOUGH[2])
    other.log.turns[3] = other.log.turns[3].__class__(
        **{f: getattr(other.log.turns[3], f) for f in other.log.turns[3].__struct_fields__ if f != "id"}, id="elsewhere"
    )
    for log in (table.log, other.log, MemoryLog("osr", turns=table.log.turns[:2])):
        with kept_view(path, log, table.system) as found, view_in_memory(log, table.system) as made_anew:
            assert contents(found) == contents(made_anew)
    with kept_view(path, table.log, table.system) as found:
        found.ask("UPDATE position SET schema = 0")
        found.ask("DELETE FROM turns")
    with kept_view(path, table.log, table.system) as found:
        assert len(found.ask("SELECT * FROM turns")) == 4


def test_it_is_nobody_elses_business(tmp_path: Path) -> None:
    path = tmp_path / "views" / "view.sqlite"
    table = played(*ENOUGH)
    kept_view(path, table.log, table.system).close()
    for file in (path, path.parent):
        assert not keeps_modes() or file.stat().st_mode & 0o077 == 0


def test_where_nothing_can_be_kept_a_passing_view_answers_and_is_gone(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("a file, not a folder", "utf-8")
    table = played(*ENOUGH)
    with kept_view(in_the_way / "view.sqlite", table.log, table.system) as found:
        assert len(found.ask("SELECT * FROM turns")) == 4
        assert found.path is not None
        passing = found.path
        assert passing.exists()
    assert not passing.parent.exists()


def test_what_was_read_once_is_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table = played(*ENOUGH)
    kept_view(path, table.log, table.system).close()

    class Watched(MemoryLog):
        asked: list[tuple[int, Any]] = []

        def read(self, after: int = 0, upto: int | None = None, topics: Any = ()) -> Any:
            self.asked.append((after, topics))
            return super().read(after, upto, topics)

    table.when({"type": "note", "text": "One more."})
    log = Watched("osr", turns=table.log.turns)
    kept_view(path, log, table.system).close()
    assert min(after for after, _ in log.asked) >= 3


@needs_full_text
def test_search_finds_parts_of_words_in_any_script() -> None:
    table = played({"type": "note", "text": "Der Ärger im Süden"}, {"type": "note", "text": "哥布林的洞穴"})
    with view_in_memory(table.log, table.system) as found:
        select = "SELECT rowid FROM turns_fts WHERE turns_fts MATCH ?"
        assert found.ask(select, '"ärge"') == [(2,)]
        assert found.ask(select, '"布林的"') == [(3,)]


def test_an_sqlite_that_is_busy_for_ever_does_not_stop_a_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "view.sqlite"
    table = played(*ENOUGH)
    kept_view(path, table.log, table.system).close()
    table.when({"type": "note", "text": "One more."})
    monkeypatch.setattr(view, "LONGEST_WAIT", 0.05)
    busy = sqlite3.connect(path, isolation_level=None)
    try:
        busy.execute("BEGIN EXCLUSIVE")
        with kept_view(path, table.log, table.system) as found:
            assert len(found.ask("SELECT * FROM turns")) == 5
    finally:
        busy.close()


def test_whoever_waits_is_told_how_many_turns_are_read(tmp_path: Path) -> None:
    path = tmp_path / "view.sqlite"
    table = played(*ENOUGH)
    numbers: list[int] = []
    kept_view(path, table.log, table.system, slow=numbers.append).close()
    table.when({"type": "note", "text": "One more."})
    table.when({"type": "note", "text": "And another."})
    kept_view(path, table.log, table.system, slow=numbers.append).close()
    table.when({"type": "undo", "turns": [4]})
    kept_view(path, table.log, table.system, slow=numbers.append).close()
    kept_view(path, table.log, table.system, slow=numbers.append).close()
    assert numbers == [4, 2, 4]


def test_a_view_that_is_as_it_was_written_is_not_made_anew(tmp_path: Path) -> None:
    path, table = tmp_path / "view.sqlite", osr_table()
    kept_view(path, table.log, table.system).close()
    before = path.stat()
    kept_view(path, table.log, table.system).close()
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == (before.st_mtime_ns, before.st_ino)


def test_a_view_from_nothing_asks_each_event_once_what_it_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    table = played(*ENOUGH, {"type": "osr.damage", "character": "brog", "amount": 1}, {"type": "undo"})
    events = [event for turn in table.log.turns for event in turn.events]
    folded: list[Event] = []

    def listening(effective_turns: Callable[[Event], Sentence]) -> Callable[[Event], Sentence]:
        def tells(event: Event) -> Sentence:
            folded.append(event)
            return effective_turns(event)

        return tells

    for kind in {type(event) for event in events}:
        monkeypatch.setattr(kind, "sentence", listening(kind.sentence))
    view_in_memory(table.log, table.system).close()
    assert folded == events


def test_sheets_on_which_nothing_changed_are_not_written_again(tmp_path: Path) -> None:
    path, table = tmp_path / "view.sqlite", played(*ENOUGH)
    kept_view(path, table.log, table.system).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE sheets SET hp = 'as it lay there'")
    for line, hp in (
        ({"type": "note", "text": "One more."}, "as it lay there"),
        ({"type": "osr.damage", "character": "brog", "amount": 1}, 6),
        ({"type": "undo"}, 7),
    ):
        assert table.when(line).error is None
        with kept_view(path, table.log, table.system) as found:
            assert found.ask("SELECT hp FROM sheets") == [(hp,)]


@pytest.mark.parametrize("damage", ["NULL", "1", "x'90'"])
def test_a_view_whose_own_state_is_damaged_goes_on_from_the_log(tmp_path: Path, damage: str) -> None:
    path, table = tmp_path / "view.sqlite", osr_table()
    kept_view(path, table.log, table.system).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE position SET state = {damage}")
    assert table.when({"type": "note", "text": "One more."}).error is None
    with kept_view(path, table.log, table.system) as found, view_in_memory(table.log, table.system) as anew:
        assert contents(found) == contents(anew)


#: Of these there are ever more, with every turn.
GROWING = ("turns", "events", "values", "rolls", "citations", "involved", "under")


def scans(plan: list[str], tables: Sequence[str]) -> list[str]:
    """The steps of a plan that walk through the whole of one of these tables."""
    return [step for step in plan if step.startswith("SCAN") and step.replace('"', "").split()[1] in tables]


def test_one_more_turn_is_caught_up_without_walking_through_what_grows(tmp_path: Path) -> None:
    log = MemoryLog("osr", turns=list(lived(300)))
    asked: list[str] = []
    with kept_view(tmp_path / "view.sqlite", MemoryLog("osr", turns=log.turns[:299]), system_of("osr")):
        pass
    with pytest.MonkeyPatch.context() as patch:
        connect = view._connect

        def listening(name: str) -> sqlite3.Connection:
            connection = connect(name)
            connection.set_trace_callback(asked.append)
            return connection

        patch.setattr(view, "_connect", listening)
        with kept_view(tmp_path / "view.sqlite", log, system_of("osr")) as found:
            list(entries(found, None, 20))
            titles_of(found)
            found.connection.set_trace_callback(None)
            kinds = ("SELECT", "DELETE", "UPDATE", "INSERT")
            statements = [statement for statement in dict.fromkeys(asked) if statement.lstrip().startswith(kinds)]
            assert len(statements) > 20
            for statement in statements:
                plan = steps(found.ask, statement)
                assert not scans(plan, GROWING), (statement, plan)


def test_a_walk_through_a_whole_table_is_noticed(tmp_path: Path) -> None:
    with kept_view(tmp_path / "view.sqlite", MemoryLog("osr", turns=list(lived(30))), system_of("osr")) as found:
        plan = steps(found.ask, "SELECT turn FROM turns WHERE sentence = 'x'")
        assert scans(plan, GROWING)


@pytest.mark.parametrize(
    ("value", "cell"), [(True, 1), (False, 0), (None, None), (3, 3), ("three", "three"), ([1, 2], "[1,2]"), ({}, "{}")]
)
def test_a_value_of_a_sheet_is_one_cell(value: Any, cell: Any) -> None:
    assert (as_cell(value), type(as_cell(value))) == (cell, type(cell))


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ("INSERT INTO citations SELECT * FROM was_cited", True),
        ("INSERT INTO citations SELECT * FROM was_cited WHERE turn > 3", False),
        ("INSERT INTO citations SELECT turn + 1, number, rule FROM was_cited", False),
    ],
)
def test_views_have_the_same_rows_in_whatever_order_these_lie(change: str, same: bool) -> None:
    table = osr_table()
    with view_in_memory(table.log, table.system) as first, view_in_memory(table.log, table.system) as second:
        second.ask("CREATE TEMP TABLE was_cited AS SELECT * FROM citations ORDER BY rowid DESC")
        second.ask("DELETE FROM citations")
        second.ask(change)
        assert has_same_rows(first, second) == same
        assert has_same_rows(second, first) == same
