"""A card misreported at the table is found as the likeliest cause of a paper sheet that differs."""

from typing import Any

import pytest

from domain.gloomhaven.damage import Damage
from domain.gloomhaven.rests import LongRest, ShortRest
from domain.log.suspects import Suspect, likeliest
from tests.gloomhaven.tables import cleaned_up, on_turn, resting
from tests.kit.given import Given
from tests.kit.shell import Shell


def suspected(table: Given, **paper: Any) -> tuple[str, Any] | None:
    """What the latest turn would have to say instead; None: nothing explains it."""
    found: Suspect | None = likeliest(table.handler, "brog", paper)
    assert found is None or (found.turn == table.handler.number and found.field is not None)
    return None if found is None or found.field is None else (found.field, found.value)


@pytest.mark.parametrize("drawn", [1, "trample", None])
def test_80_the_card_of_a_short_rest_was_another_one(drawn: int | str | None) -> None:
    table = cleaned_up().and_given(ShortRest(character="brog", drawn=drawn))
    (lost,) = table.sheet("brog")["lost"]
    other = 5 - lost  # of 1 and 4
    assert suspected(table, lost=[other]) == ("drawn", other)


def test_84_the_card_of_a_long_rest_was_another_one() -> None:
    table = resting("2 3").and_given(LongRest(character="brog", lose=1))
    assert suspected(table, lost=sorted({*table.sheet("brog")["lost"], 4} - {1})) == ("lose", 4)


def test_3_4_the_cards_that_paid_were_others() -> None:
    table = on_turn().and_given(Damage(character="brog", amount=3, lose_hand=6))
    assert suspected(table, lost=[7]) == ("lose_hand", 7)
    assert suspected(table, lost=[7], hp=9) is None


def test_a_card_that_cannot_have_been_meant_is_no_suspect() -> None:
    table = cleaned_up().and_given(ShortRest(character="brog", drawn=1))
    assert suspected(table, lost=[61]) is None


def test_on_the_shell_the_cards_go_by_their_names(shell: Shell) -> None:
    shell.do(
        "new Barrow --rules gloomhaven --file gh.campaign", "gloomhaven enrol brog brute",
        "gloomhaven begin-scenario 1", "gloomhaven begin-round", "gloomhaven select brog 1 4", "gloomhaven reveal",
        "gloomhaven end-turn brog", "gloomhaven clean-up", "gloomhaven short-rest brog 1",
    )  # fmt: skip
    result = shell.run("check-sheet", "brog", "lost=provoking roar")
    assert result.code == 1
    assert "lost: Trample in the log (last changed at T9), Provoking Roar on paper" in result.out
    assert "They would agree if T9 were amended: campaign amend T9 --set drawn=4" in result.out
