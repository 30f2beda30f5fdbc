"""A table of osr to start a test from."""

from tests.kit.given import Given


def osr_table() -> Given:
    """T2 brog with 11 hit points, T3 Ada with 4."""
    table = Given("osr")
    table.when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]})
    table.when({"type": "osr.enrol", "character": "Ada", "player": "Nora", "rolled": [4]})
    assert table.log.last() == 3
    return table
