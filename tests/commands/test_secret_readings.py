"""What one player reads of another's cards, whatever later turns say of them: chronicle, differences, recap, replay."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli.commands.replay import picture
from cli.terminal.screen import Screen
from domain.common.revisions import Amend, Undo
from domain.common.sessions import SessionOpen
from domain.common.sheets import Override, SheetCheck
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.rounds import BeginRound, DeclareLongRest, Select
from domain.gloomhaven.scenarios import BeginScenario
from domain.log.folding import state_at
from domain.turn import Action
from projections.chronicle_range import chronicle
from projections.difference import compare
from projections.frames import frames_of
from projections.recap import recap_of
from projections.sheets import state_as_now
from tests.gloomhaven.tables import brog, piles, spell
from tests.kit.given import Given


def evening(*later: Action) -> Given:
    table = Given("gloomhaven", SessionOpen(), brog(), spell(), BeginScenario(scenario="1"), BeginRound())
    return table.and_given(*later)


def readings(table: Given, viewer: str) -> Iterator[str]:
    """Everything that my commands tell a player about a table."""
    system, log = table.system, table.log
    for point in range(1, log.last() + 1):
        for entry in chronicle(system, log, point, viewer):
            yield json.dumps(entry.as_json())
        for read in (state_at, state_as_now):
            states = read(system, log, point - 1), read(system, log, point)
            yield json.dumps(compare(system, *states, point - 1, point, viewer=viewer).as_json())
    yield json.dumps(recap_of(system, log, 1, viewer=viewer).as_json(), default=str)
    screen = Screen("never")
    for index, frame in enumerate(frames_of(system, log, 1, viewer)):
        screen.lines(picture(screen, 1, frame, index, 1, whole=True))
    yield from screen.drain()


Cards = tuple[int, int]
two_cards = st.permutations([2, 3, 5, 6]).map(lambda cards: (cards[0], cards[1]))


def select(cards: Cards) -> Select:
    return Select(character="brog", lead=cards[0], second=cards[1])


#: What may come after a selection without revealing it, given the cards of another one.
AFTER: dict[str, Callable[[Cards], list[Action | Mapping[str, Any]]]] = {
    "nothing": lambda _: [],
    "replaced": lambda cards: [select(cards)],
    "undone": lambda _: [Undo()],
    "undone and redone": lambda _: [Undo(), {"type": "redo"}],
    "amended": lambda cards: [Amend(turn=8, action={"type": "gloomhaven.select", "character": "brog",
                                                    "lead": cards[0], "second": cards[1]})],
    "amended into a rest": lambda _: [Amend(turn=8, action={"type": "gloomhaven.declare_long_rest",
                                                             "character": "brog"})],
    "decided again": lambda _: [Undo(turns=(7,), conflicts="drop")],
    "decided again and kept": lambda _: [Undo(turns=(7,), conflicts="keep")],
    "given up for a rest": lambda _: [DeclareLongRest(character="brog")],
    "overridden": lambda cards: [Override(character="brog", why="as dealt", set={"selected": list(cards),
                                          "hand": sorted({2, 3, 5, 6} - set(cards))})],
    "checked": lambda _: [SheetCheck(character="brog", expect={"lost": [1, 7, 8, 10]})],
    "and damage": lambda _: [Damage(character="brog", amount=1)],
}  # fmt: skip


@pytest.mark.parametrize("after", AFTER)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_nothing_tells_two_selections_apart(after: str, data: st.DataObject) -> None:
    tables = []
    for _ in range(2):
        table = evening(piles("2 3 5 6", "4 9"), select(data.draw(two_cards)))
        for action in AFTER[after](data.draw(two_cards)):
            assert table.when(action).error is None, table.error
        tables.append(table)
    assert list(readings(tables[0], "ben")) == list(readings(tables[1], "ben"))


def test_the_owner_reads_all_of_it() -> None:
    table = evening(select((2, 3)))
    assert '"lead": 2' in "".join(readings(table, "ann"))
    assert '"lead"' not in "".join(readings(table, "ben"))
