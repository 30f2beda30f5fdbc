"""`campaign log` asks the view; whatever the filters, it finds what reading the whole log would find."""

from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.chronicle import Filters, chronicle, kinds_meant, selected
from projections.views.reading import chosen
from projections.views.view import view_in_memory
from tests.kit.given import EVENING
from tests.kit.tables_of_chance import osr_actions, osr_table

TAGS = ("osr.damage", "osr.short_rest", "osr.night_rest", "session.open", "note", "undo")


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


moments = st.integers(0, 15).map(lambda minutes: EVENING + timedelta(minutes=minutes))
filters = st.builds(
    Filters,
    first=st.integers(1, 6),
    last=maybe(st.integers(4, 15)),
    session=maybe(st.integers(0, 2)),
    character=maybe(st.sampled_from(["brog", "Ada"])),
    kinds=maybe(st.lists(st.sampled_from(TAGS), min_size=1, max_size=3)),
    rule=maybe(st.sampled_from(["OSR 6.4", "OSR 6.6"])),
    since=maybe(moments),
    until=maybe(moments),
    grep=maybe(st.sampled_from(["BROG", "hit wolf", "är", "rolls 1", "a", "SÜD mimic", '"', "%", ""])),
    undone=maybe(st.booleans()),
)


@settings(max_examples=60, deadline=None)
@given(osr_actions, st.lists(filters, min_size=1, max_size=12))
def test_the_view_finds_what_reading_the_log_finds(actions: list[Any], asked: list[Filters]) -> None:
    table = osr_table()
    for action in actions:
        table.when(action)
    with view_in_memory(table.log, table.system) as view:
        for each in asked:
            found = [entry.turn for entry in selected(chronicle(table.system, table.log), each)]
            assert chosen(view, each) == found
            assert chosen(view, each, newest=2) == found[-2:]


def test_a_kind_is_meant_by_its_tag_or_a_word_of_it() -> None:
    assert kinds_meant("rest", TAGS) == ["osr.short_rest", "osr.night_rest"]
    assert kinds_meant("short-rest", TAGS) == kinds_meant("osr.short_rest", TAGS) == ["osr.short_rest"]
    assert kinds_meant("session", TAGS) == ["session.open"]
    assert kinds_meant("res", TAGS) == []
