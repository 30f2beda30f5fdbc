"""When the paper sheet differs: the one turn that explains it, the nearest first, or none."""

from typing import Any

import pytest

from domain.log.suspects import Suspect, likeliest
from tests.kit.given import Given
from tests.osr.asked import hit


def table(*lines: dict[str, Any]) -> Given:
    """T2 brog with 11 hit points, T3 ada with 4; the first of the lines is T4."""
    at = Given("osr")
    brog: dict[str, Any] = {"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]}
    ada: dict[str, Any] = {"type": "osr.enrol", "character": "ada", "rolled": [4]}
    for line in (brog, ada, *lines):
        assert at.when(line).error is None, at.error
    return at


@pytest.mark.parametrize(
    ("paper", "suspect"),
    [
        ({"hp": 8}, Suspect(6)),  # the last turn was not played
        ({"hp": 9}, Suspect(4)),  # or one before it was not
        ({"hp": 5}, Suspect(6, "amount", 3)),  # or it was one more
        ({"hp": 7}, Suspect(6, "amount", 1)),  # or one less
        ({"hp": 4}, Suspect(6, "amount", 4)),
        ({"fatigue": 3}, None),
        ({"hp": 9, "fatigue": 1}, None),
    ],
)
def test_the_nearest_turn_that_explains_it(paper: dict[str, Any], suspect: Suspect | None) -> None:
    at = table(hit(3), {"type": "note", "text": "Rain."}, hit(2))  # T4 and T6: brog has 6
    assert likeliest(at.handler, "brog", paper) == suspect


def test_one_number_deep_in_what_was_told_may_be_the_wrong_one() -> None:
    rest = {"type": "osr.short_rest", "characters": ["brog"], "rolled": {"brog": [6, 5]}}
    at = table(hit(9), rest)  # T5: 11 hit points and a point of fatigue
    assert likeliest(at.handler, "brog", {"hp": 10, "fatigue": 1}) == Suspect(5, "rolled", {"brog": [5, 5]})


def test_a_turn_of_somebody_else_and_the_referees_word_are_no_suspects() -> None:
    override = {"type": "override", "character": "brog", "set": {"hp": 3}, "why": "so says the referee"}
    at = table(override, hit(2, "ada"))
    assert likeliest(at.handler, "brog", {"hp": 11}) is None
    assert likeliest(at.handler, "ada", {"hp": 4}) == Suspect(5)


def test_a_turn_that_is_undone_is_no_suspect() -> None:
    at = table(hit(3), hit(2), {"type": "undo", "turns": [5]})
    assert likeliest(at.handler, "brog", {"hp": 11}) == Suspect(4)
    assert likeliest(at.handler, "brog", {"hp": 6}) == Suspect(4, "amount", 5)


def test_nothing_is_appended_in_looking_for_it() -> None:
    at = table(hit(3))
    before = at.log.last(), at.sheets()
    assert likeliest(at.handler, "brog", {"hp": 11})
    assert (at.log.last(), at.sheets()) == before


def test_sixty_turns_of_the_character_are_tried_and_no_more() -> None:
    at = table(hit(1), *[{"type": "note", "text": "Rain.", "about": "brog"}] * 59)
    assert likeliest(at.handler, "brog", {"hp": 11}) == Suspect(4)
    at.when({"type": "note", "text": "Rain.", "about": "brog"})
    assert likeliest(at.handler, "brog", {"hp": 11}) is None
