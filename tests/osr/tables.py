"""Tables of osr to start a test from, and the referee's word."""

from typing import Any

from domain.common.sheets import Override
from domain.osr.hit_points import Enrol
from domain.turn import Action
from tests.kit.given import Given

#: Of level 2, with 4 hit points.
BROG = Enrol(character="brog", level=2, rolled=(1, 3))


def osr_table() -> Given:
    """T2 brog with 11 hit points, T3 Ada with 4."""
    table = Given("osr")
    table.when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]})
    table.when({"type": "osr.enrol", "character": "Ada", "player": "Nora", "rolled": [4]})
    assert table.log.last() == 3
    return table


def given(*more: Action, **options: Any) -> Given:
    """T2 BROG, and these actions after it."""
    return Given("osr", BROG, *more, options=options)


def override(**fields: Any) -> Override:
    """The referee's word about Brog's sheet."""
    return Override(character="brog", set=fields, why="the referee says so")
