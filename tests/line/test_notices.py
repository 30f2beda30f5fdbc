"""What is said beside a line that is done: that somebody is absent, and that no session is open any more."""

import pytest

from cli.line.notices import notice_of_absence, outside_a_session
from tests.kit.given import Given
from tests.kit.lines import context, understood


@pytest.fixture
def table() -> Given:
    played = Given("osr")
    for name, player in (("Brog", "Mia"), ("Fingers", "Tom")):
        played.and_given(played.line({"type": "osr.enrol", "character": name, "player": player, "rolled": [5]}))
    return played


def beside(table: Given, line: str) -> str:
    meant, here = understood(table, line), context(table)
    return notice_of_absence(here, meant) + outside_a_session(here, meant.actions, meant.manner)


def test_whoever_is_absent_is_named_where_the_rules_do_something_to_them(table: Given) -> None:
    table.when({"type": "absence", "character": "Fingers"}).then_some()
    assert beside(table, "d Fingers 9 the ogre") == "Fingers is absent."
    assert beside(table, "d brog 1 fingers 1") == "Fingers is absent."
    assert beside(table, "d brog 1") == ""
    table.when({"type": "retire", "character": "Brog"}).then_some()
    assert beside(table, "d brog 1 fingers 1") == "Fingers is absent. Brog is retired."
    assert beside(table, "track fingers gold +5") == "", "what is kept beside the rules may be kept for the absent"


def test_a_turn_after_the_evening_is_told_to_be_outside_a_session(table: Given) -> None:
    assert beside(table, "d brog 1") == "", "a campaign may begin before its first session"
    table.when({"type": "session.open"}).then_some()
    assert beside(table, "d brog 1") == ""
    table.when({"type": "session.close"}).then_some()
    assert beside(table, "d brog 1") == "No session is open."
    assert beside(table, "absent fingers") == "No session is open.", "and an evening would have to be there to miss it"
    assert beside(table, "n the road home") == beside(table, "enrol Ann 4") == "", "made between two evenings"
    assert beside(table, "d brog 1 --after T3") == "", "that is told late"
    table.when({"type": "undo"}).then_some()
    assert beside(table, "d brog 1") == "", "the session was not closed after all"


def test_the_fallen_whom_all_leaves_out_are_named(table: Given) -> None:
    fall = {"type": "override", "character": "Brog", "set": {"condition": "collapsed"}, "why": "a fall"}
    table.when(fall).then_some()
    assert beside(table, "d all 1") == beside(table, "d party 1") == "Without Brog (collapsed)."
    assert beside(table, "all d 1") == beside(table, "all -1") == "Without Brog (collapsed)."
