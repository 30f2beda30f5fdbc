"""Foes (DH 35): what attacks on either side cost them is counted; their cards are not.

What happens and what is refused, rule by rule, stands in the tables of `contract.txt`; here is what they leave out.
"""

from typing import Any

import pytest

from domain.common.revisions import Undo
from domain.deckahedron.attacks import TABLE, FoeDown
from domain.deckahedron.cards import RESULTS
from domain.deckahedron.foes import FoeAttacked, FoeEntered, FoeGone, FoeStaminaTold
from domain.deckahedron.harm import HarmTaken, WoundTaken
from domain.deckahedron.incapacitation import Incapacitated
from domain.deckahedron.stamina import StaminaLost, WoundCardBit
from domain.refusal import Refusal
from domain.system.rows import Phrase
from tests.deckahedron.tables import act, enrol, override, table
from tests.deckahedron.test_attacks import SHOWING
from tests.kit.given import Given


def foe(name: str = "Ghoul", **fields: Any) -> dict[str, Any]:
    return act("foe", None, foe=name, **fields)


def by_foe(result: str, mine: str, **fields: Any) -> dict[str, Any]:
    """The ghoul attacks Brog, and the two flip these results."""
    told = {"foe": "ghoul", "foe_result": result, "target": "brog", "flipped": [SHOWING[mine]]}
    return act("foe_attack", None, **{**told, **fields})


def on_foe(result: str, mine: str, **fields: Any) -> dict[str, Any]:
    told = {"attacker": "brog", "foe": "ghoul", "foe_result": result, "flipped": [SHOWING[mine]]}
    return act("attack", None, **{**told, **fields})


def given(*more: dict[str, Any]) -> Given:
    return table(enrol(top=()), foe(stamina=5), *more)


def foes(at: Given) -> Any:
    return at.system.table_view(at.handler.state())["foes"]


def test_35_a_foe_is_at_the_table_with_nothing_lost() -> None:
    table(enrol()).when(foe(stamina=5)).then(FoeEntered("Ghoul", 5)).table_has(
        foes={"Ghoul": {"lost": 0, "stamina": 5}}
    )
    table(enrol()).when(foe()).table_has(foes={"Ghoul": {"lost": 0, "stamina": None}})


def test_35_a_foe_of_whom_nobody_told_before_is_counted_too() -> None:
    assert foes(table(enrol(top=()), on_foe("v", "✔"))) == {"ghoul": {"lost": 1, "stamina": None}}


def test_35_a_name_that_is_taken_is_refused_and_heals_nobody() -> None:
    at = given(on_foe("v", "✔"))
    hurt = {"Ghoul": {"lost": 1, "stamina": 5}}
    at.when(foe("GHOUL", stamina=4)).refused(None, "Ghoul is a foe already; choose another name.")
    assert isinstance(at.error, Refusal) and at.error.choices[0].fields == {"foe": "Ghoul 2", "stamina": 4}
    at.when(foe("Ghoul")).refused(None, "a foe already")
    at.when(foe("Ghoul", stamina=2)).refused(None, "a foe already")
    assert isinstance(at.error, Refusal) and at.error.choices[0].fields == {"foe": "Ghoul 2"}, "it is said once"
    at.when(foe("The ghoul", stamina=4)).refused(None, "Ghoul is there already, and is heard alike")
    at.when(foe("the Brog")).refused(None, "Brog is there already, and is heard alike")
    at.when(enrol("The Ghoul")).refused(None, "Ghoul is a foe at the table")
    at.when(foe("Brog", stamina=4)).refused(None, "Brog is a character")
    at.when(enrol("ghoul")).refused(None, "Ghoul is a foe at the table")
    at.when(on_foe("v", "✔", foe="BROG")).refused(None, "Brog is a character")
    at.when(by_foe("v", "✔", foe="BROG")).refused(None, "Brog is a character")
    assert foes(at) == hurt
    # down is not gone: the name is free once it is taken away
    down = given(on_foe("x", "✔✔", rolled=[4]), on_foe("v", "✔")).when(foe(stamina=5)).refused(None, "already")
    assert isinstance(down.error, Refusal) and down.error.choices[0].fields == {"foe": "Ghoul", "gone": True}
    at.when(foe("Ghoul 2", stamina=3)).when(foe("Ghoul 2", stamina=3)).refused(None, "a foe already")
    assert isinstance(at.error, Refusal) and at.error.choices[0].fields == {"foe": "Ghoul 3"}
    assert foes(given(foe(gone=True), foe(stamina=4))) == {"Ghoul": {"lost": 0, "stamina": 4}}


def test_35_the_stamina_of_a_foe_that_is_there_is_told_later_and_its_losses_stay() -> None:
    at = table(enrol(top=()), on_foe("x", "✔✔", rolled=[3]))
    at.when(foe("GHOUL", stamina=7)).then(FoeStaminaTold("ghoul", 7))
    assert foes(at) == {"ghoul": {"lost": 3, "stamina": 7}}
    assert at.chronicle()[-1] == "The ghoul has 7 Stamina in all."
    table(enrol(top=()), on_foe("v", "✔")).when(foe(stamina=1)).then_some(FoeDown("ghoul"))


def test_26_a_wound_card_that_a_defence_reveals_bites_after_the_outcome() -> None:
    at = table(enrol(top=("10",)), act("wound", what="a cut"), override(discard=[]), foe(stamina=5))
    at.when(act("foe_attack", None, foe="ghoul", foe_result="x", target="brog", flipped=["w1", "12"]))
    *_, bit, lost = at.events
    assert bit == WoundCardBit("brog", ("w1",))
    assert isinstance(lost, StaminaLost)


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("mine", RESULTS)
def test_35_a_foe_attacks_by_the_same_table(result: str, mine: str) -> None:
    exchange = TABLE.melee[f"{result}:{mine}"]
    costs = {"0": 0, "1": 1, "1d4": 3, "1d4+1": 4}
    dice = [3 for cost in (exchange.defender, exchange.attacker) if cost.startswith("1d4")]
    at = given().when(by_foe(result, mine, rolled=dice))
    (attacked,) = (event for event in at.events if isinstance(event, FoeAttacked))
    assert (attacked.target_loses, attacked.foe_loses) == (costs[exchange.defender], costs[exchange.attacker])
    assert foes(at)["Ghoul"]["lost"] == attacked.foe_loses
    lost = [event.points for event in at.events if isinstance(event, StaminaLost)]
    assert lost == ([attacked.target_loses] if attacked.target_loses else [])


def test_35_a_foe_may_inflict_what_the_table_offers_and_nothing_else() -> None:
    wound = [
        event for event in given().when(by_foe("✔✔", "✗✗", choice="wound")).events if isinstance(event, WoundTaken)
    ]
    assert [event.what for event in wound] == ["an attack by Ghoul"]
    assert any(isinstance(event, HarmTaken) for event in given().when(by_foe("✔", "✗✗", choice="harm")).events)
    given().when(by_foe("✔", "✔", choice="wound")).refused("DH 35", "no choice")
    gear = given().when(by_foe("✗", "✔✔", choice="gear"))
    assert "Ghoul drops gear" in gear.sentences and foes(gear)["Ghoul"]["lost"] == 0


def test_35_nobody_attacks_the_incapacitated() -> None:
    fallen = given(act("lose_stamina", points=11))
    assert any(isinstance(event, Incapacitated) for event in fallen.events)
    fallen.when(by_foe("v", "✔")).refused("DH 9", "be attacked")


def test_35_an_attack_by_a_foe_is_told_as_any_other() -> None:
    at = given().when(by_foe("v", "✔"))
    assert "Ghoul attacks Brog in melee: ✔ against ✔, which costs Brog 1 Stamina and Ghoul 1 Stamina. " in at.sentences


def test_the_harm_that_an_attack_gives_a_foe_is_kept_and_shown() -> None:
    at = given(on_foe("xx", "✔", choice="harm"))
    assert foes(at) == {"Ghoul": {"lost": 0, "stamina": 5, "harm": 1}}
    rows = dict(at.system.table_rows(at.handler.state()))
    assert rows["Ghoul"] == (Phrase("lost 0 of 5 Stamina, 1 Harm"),)


@pytest.mark.parametrize(
    ("stamina", "words"), [(None, "The ghoul is a foe."), (7, "The ghoul is a foe, with 7 Stamina.")]
)
def test_the_stamina_of_a_foe_is_told_where_it_was(stamina: int | None, words: str) -> None:
    assert FoeEntered("ghoul", stamina).sentence() == (words,)


def header(at: Given) -> list[str]:
    return [label for label, _ in at.system.table_rows(at.handler.state())]


def test_35_a_foe_without_stamina_is_down_says_so_and_leaves_the_header() -> None:
    at = given(on_foe("x", "✔✔", rolled=[3]))
    assert header(at) == ["scene", "Ghoul"]
    at.when(on_foe("x", "✔", rolled=[2])).then_some(FoeDown("Ghoul"))
    assert header(at) == ["scene"] and foes(at) == {"Ghoul": {"lost": 5, "stamina": 5}}
    assert "Ghoul has no Stamina left and is down." in at.chronicle()[-1]
    # it is said once
    at.when(on_foe("x", "✗")).quiet_about(FoeDown)
    assert header(at.when(Undo(turns=(5,)))) == ["scene", "Ghoul"]


def test_35_its_own_attack_may_bring_a_foe_down_too() -> None:
    table(enrol(top=()), foe(stamina=1)).when(by_foe("v", "✔")).then_some(FoeDown("Ghoul"))


def test_35_a_foe_is_taken_away() -> None:
    at = given().when(foe("GHOUL", gone=True)).then(FoeGone("Ghoul"))
    assert foes(at) == {} and header(at) == ["scene"] and at.chronicle()[-1] == "Ghoul is gone."
    at.when(foe("ghoul", gone=True)).refused(None, "There is no foe 'ghoul'")
    assert foes(given(foe("Mud hag")).when(foe("hag", gone=True))) == {"Ghoul": {"lost": 0, "stamina": 5}}
    given().when(foe("goul", gone=True)).refused(None, "did you mean Ghoul?")
    given().when(foe(gone=True, stamina=3)).invalid("leave it out")
    assert foes(at.when(foe("ghoul", stamina=2))) == {"ghoul": {"lost": 0, "stamina": 2}}
