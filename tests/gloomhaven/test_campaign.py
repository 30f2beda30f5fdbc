"""A campaign of ten scenarios: what carries over from one to the next, and what comes back (GH 58, 63, 68)."""

from collections.abc import Iterator
from typing import Any

from tests.kit.given import Given

Line = dict[str, Any]


def scenario(number: int) -> Iterator[Line]:
    """One round in which Ysa gains 2 experience and a token, Brann 1 and two tokens."""

    def line(verb: str, **fields: Any) -> Line:
        return {"type": f"gloomhaven.{verb}", **fields}

    yield {"type": "session.open", "title": f"Scenario {number}"}
    yield line("begin_scenario", scenario=f"Room {number}", level=1)
    yield line("begin_round")
    yield line("select", character="Brann", lead=9, second=10)
    yield line("select", character="Ysa", lead=65, second=66)
    yield line("reveal")
    yield line("perform", character="Ysa", card=65, half="top", condition_met=True)
    yield line("perform", character="Ysa", card=66, half="bottom")
    yield line("end_turn", character="Ysa", tokens=1)
    yield line("damage", character="Ysa", amount=2)
    yield line("damage", character="Brann", amount=3)
    yield line("perform", character="Brann", card=9, half="top")
    yield line("perform", character="Brann", card=10, half="bottom", basic=True)
    yield line("end_turn", character="Brann", tokens=2)
    yield line("clean_up")
    yield line("end_scenario", won=number % 3 != 0)
    yield {"type": "session.close"}


def test_ten_scenarios_carry_experience_and_gold_and_give_back_cards_and_hit_points() -> None:
    at = Given("gloomhaven")
    at.when({"type": "gloomhaven.enrol", "character": "Brann", "class": "brute"})
    at.when({"type": "gloomhaven.enrol", "character": "Ysa", "class": "spellweaver"})
    for number in range(1, 11):
        for line in scenario(number):
            at.when(line)
            assert at.error is None, f"{line}: {at.error}"
        at.has("Ysa", xp=2 * number, gold=2 * number, hp=6, hand=[*range(61, 69)], lost=[], active=[])
        at.has("Brann", xp=number, gold=4 * number, hp=10, hand=[*range(1, 11)], discard=[])
    at.table_has(scenario="Room 10", round=1, phase=None, outcome="won")
    assert at.sheets()["Ysa"] == at.sheet("Ysa")
