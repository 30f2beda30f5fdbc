"""The table of melee as it is written, both sides, and what an attack says that it costs."""

import pytest

from tests.deckahedron.tables import attack, enrol
from tests.kit.given import Given

MELEE = (
    "✔✔:✔✔ 1d4/1d4 · ✔✔:✔ 1d4/1 · ✔✔:✗ 1d4/0 · ✔✔:✗✗ 1d4+1/0 wound · ✔:✔✔ 1/1d4 · ✔:✔ 1/1 · ✔:✗ 1d4/0 · "
    "✔:✗✗ 1d4/0 harm · ✗:✔✔ 0/1d4 gear · ✗:✔ 0/1 · ✗:✗ 0/0 · ✗:✗✗ 0/0 · ✗✗:✔✔ 0/1d4 · ✗✗:✔ 0/1d4 gear · "
    "✗✗:✗ 0/0 · ✗✗:✗✗ 0/0"
)
#: At rank 1 these cards show each result.
SHOWING = {"✔✔": "10", "✔": "9", "✗": "4", "✗✗": "0"}


@pytest.mark.parametrize("entry", MELEE.split(" · "))
def test_35_an_entry_of_the_table_with_its_dice_and_its_choice(entry: str) -> None:
    results, costs, *choice = entry.split(" ")
    mine, theirs = results.split(":")
    dice, losses = [], []
    for cost, die in zip(costs.split("/"), (3, 2), strict=True):
        dice += [die] if cost.startswith("1d4") else []
        losses.append({"1d4": die, "1d4+1": die + 1}.get(cost) if cost.startswith("1d4") else int(cost))
    given = Given("deckahedron")
    for name in ("brog", "Orik"):
        given.when(enrol(name, strength=1, top=()))
    shown = {"defender": "Orik", "flipped": [SHOWING[mine]], "defender_flipped": [SHOWING[theirs]]}
    given.when(attack(**shown, rolled=[*dice, 1])).refused("DH 35")
    if dice:
        given.when(attack(**shown, rolled=dice[1:])).refused("DH 35")
    for other in {"wound", "harm", "gear"} - set(choice):
        given.when(attack(**shown, choice=other)).refused("DH 35")
    left = [10 - (loss or 0) for loss in losses]
    given.when(attack(**shown, rolled=dice)).has("Orik", stamina_left=left[0]).has("brog", stamina_left=left[1])
    for which in choice:
        given.when({"type": "undo"}).when(attack(**shown, choice=which))
        fields = {"wound": {"wounds": 1}, "harm": {"harm": 1}, "gear": {"stamina_left": 10}}[which]
        given.has("brog" if which == "gear" else "Orik", **fields)


@pytest.mark.parametrize(
    ("mine", "foe", "choice", "words"),
    [
        ("✔✔", "xx", None, "✔✔ against ✗✗, which costs the wolf 4 Stamina."),
        ("✔✔", "xx", "wound", "✔✔ against ✗✗, which gives the wolf a Wound."),
        ("✗", "vv", "gear", "✗ against ✔✔, so Brog drops gear."),
        ("✔", "v", None, "✔ against ✔, which costs the wolf 1 Stamina and Brog 1 Stamina."),
        ("✗", "x", None, "✗ against ✗. They clash and nobody is hurt."),
        ("✔", None, None, "✔, unopposed, which costs the wolf 3 Stamina."),
    ],
)
def test_an_attack_says_what_it_costs(mine: str, foe: str | None, choice: str | None, words: str) -> None:
    given = Given("deckahedron").when(enrol(strength=1, top=()))
    dice = [3] if "3 Stamina" in words or "4 Stamina" in words else []
    given.when(attack(foe="the wolf", foe_result=foe, flipped=[SHOWING[mine]], choice=choice, rolled=dice))
    assert f"Brog attacks the wolf in melee: {words}" in given.sentences
