"""Whatever SQL somebody asks, the view is only read, nothing else is touched, and it ends."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.refusal import Invalid
from projections.views import sql_questions
from projections.views.sql_questions import QueryResult, ask
from projections.views.view import kept_view
from tests.kit.elsewhere import needs
from tests.kit.sqlites import needs_full_text
from tests.osr.tables import osr_table


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("views")
    table = osr_table()
    for action in (
        {"type": "osr.damage", "character": "brog", "amount": 9, "source": "a trap"},
        {"type": "note", "text": "Der Ärger beginnt"},
    ):
        assert table.when(action).error is None
    path = folder / "view.sqlite"
    kept_view(path, table.log, table.system).close()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    yield path
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after == before, "the view was changed, or something was written beside it"


def refused(path: Path, sql: str) -> str:
    with pytest.raises(Invalid) as caught:
        ask(path, sql)
    reason = caught.value.reason
    assert "\n" not in reason and reason.endswith(".")
    return reason


@pytest.mark.parametrize(
    "sql",
    [
        "insert into turns (turn) values (99)",
        "delete from turns",
        "update turns set sentence = 'x'",
        "replace into turns (turn) values (1)",
        "drop table turns",
        "alter table turns rename to t",
        "create table x (y)",
        "create temp table x (y)",
        "create view v as select 1",
        "create temp trigger t after insert on turns begin select 1; end",
        "create virtual table v using fts5(x)",
        "attach 'other.db' as other",
        "detach main",
        "vacuum",
        "vacuum into 'copy.db'",
        "reindex",
        "analyze",
        "begin immediate",
        "commit",
        "savepoint s",
        "pragma query_only = off",
        "pragma writable_schema = on",
        "pragma table_info(turns)",
        "pragma data_version = 3",
        "select * from pragma_database_list",
        "select load_extension('x')",
        "select readfile('/etc/hostname')",
        "select writefile('x', 'y')",
        "select edit('x')",
        "select fts3_tokenizer('simple')",
        "select sqlite_source_id()",
        "select randomblob(1000000000)",
        "select zeroblob(1000000000)",
        "select state from position",
        "select count(*) from position",
        "select (select state from position) from turns",
        "with s as (select * from \"position\") select * from s",
        "insert into turns_fts (turns_fts) values ('rebuild')",
        "select 1; drop table turns",
        "select 1;;select 2",
        "; drop table turns",
        "",
        "   ",
        "-- nothing",
        "selec 1",
        "select * from nowhere",
        "select nothing from turns",
        "select * from values",
        "select :who",
        "select \0 1",
        "select '\ud800'",
        "select " + "(" * 5000 + "1" + ")" * 5000,
        "select " + " union all select ".join("1" for _ in range(500)),
        "select '" + "x" * 200_000 + "'",
    ],
)  # fmt: skip
def test_it_is_refused_with_one_sentence(view: Path, sql: str) -> None:
    refused(view, sql)


IN_TIME = r"took longer than 0\.5 seconds"


@pytest.mark.parametrize(
    "sql",
    [
        "with recursive c(n) as (select 1 union all select n + 1 from c) select count(*) from c",
        "select count(*) from " + ", ".join(f"turns t{n}" for n in range(20)),
    ],
)
def test_it_is_stopped_in_time(view: Path, sql: str) -> None:
    with pytest.raises(Invalid, match=IN_TIME):
        ask(view, sql, seconds=0.5)


@pytest.mark.parametrize(
    "sql",
    [
        "with recursive c(n, s) as (select 1, printf('%.*c', 3000000, 'x') union all select n + 1, s from c)"
        " select max(instr(s, 'y' || n)) from c",
        "select max(length(printf('%.*c', 500000 + a.turn * b.turn, 'x')))"
        " from turns a, turns b, turns c, turns d, turns e, turns f",
    ],
)
def test_long_texts_without_end_meet_the_bound_of_time_or_of_memory(view: Path, sql: str) -> None:
    with pytest.raises(Invalid, match=f"{IN_TIME}|more memory"):
        ask(view, sql, seconds=0.5)


def test_it_gets_no_more_memory_than_is_bounded(view: Path) -> None:
    sorting = (
        "with recursive c(n) as (select 1 union all select n + 1 from c limit 2000)"
        " select n from c order by printf('%.*c', 1000000, 'x') || n"
    )
    with pytest.raises(Invalid, match="memory"):
        ask(view, sorting, seconds=60)  # a busy machine must not be the first to end it


def test_an_answer_without_end_is_cut_and_says_so(view: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "with recursive c(n) as (select 1 union all select n + 1 from c) select n from c"
    monkeypatch.setattr(sql_questions, "MOST_ROWS", 10)
    assert ask(view, endless) == QueryResult(("n",), tuple((n,) for n in range(1, 11)), cut=True)
    long = "with recursive c(n) as (select 1 union all select n + 1 from c) select printf('%.*c', 3000000, 'x') from c"
    monkeypatch.setattr(sql_questions, "MOST_BYTES", 5_000_000)
    answer = ask(view, long)
    assert answer.cut and len(answer.rows) == 2


@needs("os.WNOHANG")
def test_no_process_is_left_behind(view: Path) -> None:
    with pytest.raises(Invalid):
        ask(view, "select count(*) from " + ", ".join(f"turns t{n}" for n in range(20)), seconds=0.3)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select max(turn) from turns", ((5,),)),
        ("select new from changes where character = 'brog' and field = 'hp' order by id desc limit 1", ((2,),)),
        ("select count(*) from \"values\" where field = 'hp'", ((3,),)),
        pytest.param("select rowid from turns_fts where turns_fts match 'ärger'", ((5,),), marks=needs_full_text),
        ("select json_extract(action, '$.source') from turns where kind = 'osr.damage'", (("a trap",),)),
        ("select value from json_each('[3, 4]')", ((3,), (4,))),
        ("select hp from sheets where character = :name", ((2,),)),
        ("select 9e999, x'ff', null, 'ü', 1.5", (("inf", "ff", None, "ü", 1.5),)),
        ("select sum(new) over (order by id) from changes where field = 'fatigue' limit 1", ((0,),)),
        ("values (1), (2)", ((1,), (2,))),
        ("select 1 as a, 2 as a", ((1, 2),)),
    ],
)
def test_what_only_reads_is_answered(view: Path, sql: str, rows: object) -> None:
    answer = ask(view, sql, {"name": "brog"})
    assert answer.rows == rows
    assert len(set(answer.columns)) == len(answer.columns)


WORDS = (
    "select from turns values changes with recursive as ( ) * , ; ' \" -- /* attach vacuum into pragma delete insert"
    " update create drop position turns_fts match order by limit 1 x'00' :p ? printf load_extension"
)


#: Half of them are a question that has an answer, with a few words behind it.
STATEMENTS = st.one_of(
    st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=12),
    st.tuples(
        *map(
            st.sampled_from,
            (["select"], ["*", "count(*)", "1"], ["from"], ["turns", "changes", '"values"']),
        )
    ).flatmap(lambda begun: st.lists(st.sampled_from(WORDS.split()), max_size=2).map(lambda words: [*begun, *words])),
)


@example(["select", "*", "from", "turns"])
@given(STATEMENTS)
def test_any_words_of_sql_are_answered_or_refused(view: Path, words: list[str]) -> None:
    try:
        answer = ask(view, " ".join(words), seconds=1)
    except Invalid as error:
        assert "\n" not in error.reason
    else:
        assert not {"state", "turn_id"} & set(answer.columns)
