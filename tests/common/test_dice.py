"""Dice for the table: rolled here or reported, told as a note; they change no sheet."""

import pytest

from tests.kit.given import Given, unchanged


def test_reported_dice_are_told_with_their_sum_and_what_they_are_for() -> None:
    table = Given("osr")
    table.when({"type": "roll", "dice": "2d6", "rolled": [3, 4], "what": "morale"}).then_some()
    assert table.chronicle()[-1] == "Note: 2d6 for morale: 3 and 4, 7 in all."


@pytest.mark.parametrize("rules", ["osr", "deckahedron", "gloomhaven"])
def test_what_is_not_reported_is_rolled_and_stays_as_it_was(rules: str) -> None:
    table = Given(rules)
    table.when({"type": "roll", "dice": "3d4+1"}).then_some()
    (noted,) = table.events
    text = getattr(noted, "text", "")
    faces = [int(face) for face in text.partition(":")[2].partition(" + 1,")[0].replace("and", ",").split(",")]
    assert len(faces) == 3 and all(1 <= face <= 4 for face in faces)
    assert text.endswith(f"{sum(faces) + 1} in all.")
    sentence = table.chronicle()[-1]
    table.when({"type": "undo"}).then_some()
    table.when({"type": "redo"}).then_some()
    assert sentence in table.chronicle()


@pytest.mark.parametrize(
    ("fields", "saying"),
    [
        ({"dice": "2d6", "rolled": [3]}, "2d6 is 2 dice, not 1."),
        ({"dice": "d6", "rolled": [7]}, "A d6 cannot show 7."),
        ({"dice": "six"}, "Write dice like 2d6"),
        ({"dice": "0d6"}, "Write dice like 2d6"),
    ],
)
def test_what_is_no_such_roll_is_invalid(fields: dict[str, object], saying: str) -> None:
    table = Given("osr")
    with unchanged(table):
        table.when({"type": "roll", **fields}).invalid(saying)
