"""What an answer says to type next where the log cannot know it: an item's effect, a second target, a scenario left."""

import pytest

from cli.table.table import OpenTable
from tests.kit.given import Given
from tests.kit.interview import interview
from tests.line.tables import TABLES


@pytest.fixture
def table() -> Given:
    """Brann's turn, with a potion ready."""
    rules, turns = TABLES["gloomhaven turns"]
    table = Given(rules)
    for turn in turns:
        table.when(turn).then_some()
    return table


def answers(table: Given, *lines: str) -> list[str]:
    """What the table answers to the last of these lines, and what it then asks."""
    open_table = OpenTable(table.log, table.system, table.handler)
    for line in lines:
        reply = open_table.answer(line)
    asked = [] if reply.choices is None else [reply.choices.why, *(choice.says for choice in reply.choices.choices)]
    return [line.strip() for line in reply.lines] + asked


def test_an_item_of_which_the_log_knows_no_effect_says_how_the_effect_is_told(table: Given) -> None:
    lines = answers(table, "i brann healing")
    assert lines[1:4] == [
        "What Minor Healing Potion does is a line of its own.",
        "Next: heal Brann AMOUNT",
        "or:   recover Brann CARDS KIND",
    ]
    assert not any("a line of its own" in line for line in answers(table, "i heater")), "its Shield is known"


def test_a_modifier_without_an_attack_says_how_the_next_one_is_opened(table: Given) -> None:
    lines = answers(table, "a archer and guard 3", "m +1", "m +0")
    assert lines[0].startswith("Brann has no attack open") and "each target is an attack of its own" in lines[0]
    assert lines[1].startswith("Next: attack Brann")
    (of_another,) = answers(table, "draw-modifier ysa +1")
    assert of_another.startswith("Ysa has no attack open"), "it is not her turn, so none can be opened"


def test_a_heal_that_adds_nothing_says_why(table: Given) -> None:
    assert answers(table, "heal ysa 2")[0].endswith("Ysa has 6 hit points, which is all; a heal of 2 adds nothing.")
    assert "is healed for 2: 6 hit points" in answers(table, "override ysa hp=4 fell", "heal ysa 2")[0]


def test_a_session_that_closes_in_a_scenario_asks_whether_that_goes_on(table: Given) -> None:
    lines = answers(table, "session open", "session close")
    assert lines[0].endswith("Scenario 1 is still being played.")
    assert lines[1] == "close it all the same"
    assert lines[-2:] == [
        "end the scenario: won, and close the session",
        "end the scenario: lost, and close the session",
    ]
    answers(table, "end-scenario lost")
    assert "closes" in answers(table, "session close")[0], "nothing is open between scenarios"


def test_the_end_of_a_scenario_and_that_of_the_session_are_one_answer(table: Given) -> None:
    answers(table, "session open")
    found = interview(table, {"type": "session.close", "summary": "Home"}, "end the scenario: won")
    assert found.actions == [
        {"type": "gloomhaven.end_scenario", "won": True},
        {"type": "session.close", "summary": "Home"},
    ]


def test_what_opens_an_attack_is_typed_in_the_order_that_it_shows(table: Given) -> None:
    assert "Next: attack Brann VALUE TARGET" in answers(table, "m +1")
