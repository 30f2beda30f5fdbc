"""The views of the example campaigns of all rule systems, also when turns of them are taken back on the way."""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.shell.examples import examples, first_turn, play
from domain.log.port import MemoryLog
from domain.registry import system_of
from projections.views.named_queries import named_queries
from projections.views.view import kept_view
from tests.kit.given import Given
from tests.kit.views import contents, view_in_memory


@cache
def example(folder: str) -> MemoryLog:
    """The log of an example."""
    example = examples()[folder]
    log = MemoryLog(example.rules, turns=[first_turn(example)])
    for _ in play(folder, log):
        pass
    return log


def lines(folder: str) -> list[dict[str, Any]]:
    """The actions of an example, without who said so and when."""
    text = files("data").joinpath("examples", folder, "actions.ndjson").read_text("utf-8")
    actions = [msgspec.json.decode(line, type=dict[str, Any]) for line in text.splitlines()]
    return [{name: value for name, value in action.items() if name not in ("by", "at")} for action in actions]


undoing = st.one_of(
    st.fixed_dictionaries({"type": st.just("undo"), "last": st.integers(1, 3), "conflicts": st.just("drop")}),
    st.fixed_dictionaries(
        {"type": st.just("undo"), "to": st.integers(2, 12).map("T{}".format), "conflicts": st.just("keep")}
    ),
    st.fixed_dictionaries({"type": st.just("redo"), "conflicts": st.just("drop")}),
)


@pytest.mark.parametrize("folder", sorted(examples()))
@settings(max_examples=6, deadline=None)
@given(start=st.integers(0, 12), stops=st.dictionaries(st.integers(0, 24), undoing, min_size=1, max_size=4))
def test_turns_taken_back_on_the_way_leave_the_view_that_is_made_from_nothing(
    folder: str, tmp_path_factory: Any, start: int, stops: dict[int, Any]
) -> None:
    path = tmp_path_factory.mktemp("views") / "view.sqlite"
    table = Given(examples()[folder].rules)
    for at, action in enumerate(lines(folder)[: 13 + start]):
        table.when(action)
        if at in stops:
            kept_view(path, table.log, table.system).close()
            table.when(stops[at])
    with kept_view(path, table.log, table.system) as found, view_in_memory(table.log, table.system) as anew:
        assert contents(found) == contents(anew)


@pytest.mark.parametrize("folder", sorted(examples()))
def test_an_example_caught_up_in_steps_is_the_example_read_at_once(folder: str, tmp_path: Any) -> None:
    log = example(folder)
    system = system_of(log.rules)
    for upto in range(1, log.last() + 1, 7):
        kept_view(tmp_path / "view.sqlite", MemoryLog(log.rules, turns=log.turns[:upto]), system).close()
    with kept_view(tmp_path / "view.sqlite", log, system) as found, view_in_memory(log, system) as anew:
        assert contents(found) == contents(anew)


def test_a_long_rest_that_is_declared_and_taken_counts_once() -> None:
    log = example("lamps-in-the-barrow")
    with view_in_memory(log, system_of(log.rules)) as found:
        (row,) = found.ask("select sum(long) as long from (" + named_queries(log.rules)["rests-per-session"].sql + ")")
        (taken,) = found.ask("select count(*) as long from turns where standing and kind = 'gloomhaven.long_rest'")
    assert row == taken
    assert taken[0]
