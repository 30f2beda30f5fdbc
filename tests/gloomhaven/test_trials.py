"""A trial weighed: fields that only an option gives a meaning are left out where it does not hold (GH 81)."""

from domain.common.rulings import Ruling
from domain.gloomhaven.rests import ShortRest
from projections.rule_history import remarks
from projections.trials import evidence_of
from tests.gloomhaven.tables import brog, selecting


def test_81_a_negated_re_roll_is_suffered_where_it_cannot_be_negated() -> None:
    table = selecting(brog())
    piles = {"hand": [2, 3, 5], "discard": [1, 4, 9], "lost": [6, 7, 8, 10]}
    for line in (
        {"type": "gloomhaven.select", "character": "brog", "lead": 2, "second": 3},
        {"type": "gloomhaven.reveal"},
        {"type": "gloomhaven.end_turn", "character": "brog"},
        {"type": "gloomhaven.clean_up"},
        {"type": "override", "character": "brog", "set": piles, "why": "so they lie"},
    ):
        table.when(line).then_some()
    table.and_given(
        ShortRest(character="brog", drawn=4, reroll=True, redrawn=9, lose_hand=2),
        Ruling(rule="81", text="It hurts.", trial=True, set={"reroll_damage_negatable": False}),
    )
    (trial,) = remarks(table.log, None, table.log.last())
    (rest,) = evidence_of(table.handler, trial, (), None).earlier
    assert rest.under is not None and "suffers 1 damage (the re-roll) and has 9 hit points" in rest.under
    assert rest.without is not None and "negates damage of 1 (the re-roll)" in rest.without
