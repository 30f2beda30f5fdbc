"""What a question of somebody's own is answered when it is wrong, or gives one name to several columns."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from cli.shell.failures import invalid_sentence
from domain.refusal import Invalid
from projections.views.sql_questions import ask
from projections.views.view import kept_view
from tests.osr.tables import osr_table


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterable[Path]:
    table = osr_table()
    path = tmp_path_factory.mktemp("view") / "view.sqlite"
    kept_view(path, table.log, table.system).close()
    yield path


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        ("select 1 as a, 2 as b", ("a", "b")),
        ("select 1 as a, 2 as a, 3 as a", ("a", "a_2", "a_3")),
        ("select 1 as a, 2 as a_2, 3 as a", ("a", "a_2", "a_3")),
        ("select turns.turn, events.turn from turns join events using (turn)", ("turn", "turn_2")),
    ],
)
def test_columns_of_one_name_are_told_apart_by_a_number(path: Path, sql: str, columns: tuple[str, ...]) -> None:
    answer = ask(path, sql)
    assert answer.columns == columns
    assert answer.rows and all(set(row) == set(columns) for row in answer.as_dicts())


@pytest.mark.parametrize(
    ("most", "asked"),
    [
        (100, lambda count: f"select {'+'.join('1' * count)}"),
        (100, lambda count: f"select max({','.join('1' * count)})"),
        (200, lambda count: f"select {','.join('1' * count)}"),
        (50, lambda count: " union all ".join(["select 1"] * count)),
    ],
    ids=["depth", "arguments", "columns", "selects"],
)
def test_a_question_may_be_so_complicated_and_no_more(path: Path, most: int, asked: Callable[[int], str]) -> None:
    assert ask(path, asked(most)).rows
    with pytest.raises(Invalid):
        ask(path, asked(most + 1))


READS = "A question only reads the tables of the view ("


@pytest.mark.parametrize(
    ("sql", "saying"),
    [
        ("delete from turns", READS + "not authorized); `campaign query --schema` lists what"),
        ("select load_extension('x')", READS),
        (
            "select * from position",
            READS + "access to position.campaign is prohibited); `campaign query --schema` lists what",
        ),
        ("attach 'x' as y", READS),
        ("pragma user_version = 3", READS),
        ("select * from nowhere", "No such table: nowhere; `campaign query --schema` lists what there is."),
        ("select nobody from turns", "No such column: nobody; `campaign query --schema` lists what there is."),
        ("select * from values", 'values is a word of SQL: write "values" in double quotes, or changes, which is'),
        ("select 1; select 2", "That is more than one statement; ask one question at a time."),
        (
            "select :name",
            "A parameter is missing (",
        ),
        ("select zeroblob(9000000)", READS),
        ("select replace(printf('%.3000000c', 'x'), 'x', 'xy')", "That makes a value that is too long; ask for less."),
        ("selekt 1", 'SQLite cannot read that: near "selekt": syntax error.'),
        (" \n", "There is nothing to ask; write a select, or a name from `campaign stats`."),
        ("select '\0'", "The question holds a character that SQL does not allow"),
        ("explain select 1", ""),
    ],
)
def test_what_is_wrong_is_one_sentence_with_what_to_do(path: Path, sql: str, saying: str) -> None:
    if not saying:
        assert ask(path, sql).rows
        return
    with pytest.raises(Invalid) as caught:
        ask(path, sql)
    assert invalid_sentence(caught.value).startswith(saying)
    assert invalid_sentence(caught.value).endswith(".")
