"""Rulings that count from earlier on, made, ended, undone and redone in every order: the reading stays sound."""

from itertools import permutations
from typing import Any

import pytest

from domain.log.effective_history import effective_turns
from tests.kit.given import Given
from tests.kit.soundness import is_sound

RULED: tuple[dict[str, Any], ...] = (
    {"type": "ruling", "rule": "6.6", "text": "Zero hurts.", "set": {"zero_is_injury": True}, "since": "T2"},
    {"type": "ruling", "rule": "6.6", "text": "Zero does not.", "set": {"zero_is_injury": False}, "since": "T4"},
    {"type": "ruling.end", "ruling": 1},
    {"type": "undo", "last": 1, "conflicts": "drop"},
    {"type": "redo", "conflicts": "drop"},
)


@pytest.mark.parametrize("order", list(permutations(range(len(RULED)))))
def test_rulings_made_moved_ended_undone_in_every_order(order: tuple[int, ...]) -> None:
    table = Given("osr")
    table.when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [3, 4]})
    table.when({"type": "osr.damage", "character": "brog", "amount": 2})
    table.when({"type": "osr.enrol", "character": "ada", "rolled": [5]})
    table.when({"type": "osr.damage", "character": "brog", "amount": 5})
    table.when({"type": "osr.damage", "character": "ada", "amount": 5})
    for step in order:
        table.when(RULED[step])
        is_sound(table)
    rulings = [ruling for ruling in table.handler.state().campaign.rulings if not ruling.ended]
    in_force = max(rulings, key=lambda ruling: ruling.number).options["zero_is_injury"] if rulings else False
    assert table.handler.state().options.zero_is_injury is in_force
    for name, zero_at in (("brog", 5), ("ada", 6)):
        effective_turn = next(
            effective_turn for effective_turn in effective_turns(table.log) if effective_turn.number == zero_at
        )
        if effective_turn.standing:
            ruled = [
                effective_turn.facts[0]
                for effective_turn in effective_turns(table.log)
                if effective_turn.standing
                and effective_turn.action.__struct_config__.tag == "ruling"
                and (effective_turn.place or 99) < zero_at
            ]
            last: Any = max(ruled, key=lambda fact: fact.number, default=None)  # type: ignore[attr-defined]
            expected = "osr.injured" if last is not None and last.set["zero_is_injury"] else "osr.damaged"
            assert effective_turn.facts[0].__struct_config__.tag == expected, name
