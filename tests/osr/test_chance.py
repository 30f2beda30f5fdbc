"""Dice that were drawn and dice that were reported are told apart."""

from random import Random

from hypothesis import given

from domain.turn import Drawn
from tests.kit.tables import MODEST, chances, fresh
from tests.osr.subject import SUBJECT


@MODEST
@given(chance=chances)
def test_drawn_and_reported_dice_are_told_apart(chance: Random) -> None:
    for turn in fresh(chance, SUBJECT).log.read():
        for event in turn.events:
            drawn = getattr(event, "drawn", None)
            if drawn is not None and hasattr(event, "dice"):
                dice = [drawn for key, drawn in turn.chance.items() if key.startswith(event.character)]  # type: ignore[attr-defined]
                assert [isinstance(die, Drawn) and die.reported < len(event.dice) for die in dice] == [drawn]
