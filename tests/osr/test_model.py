"""What the rules of osr come to, against a second reading of their contract (`model.py`), over random tables."""

from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given

from domain.refusal import Invalid, Refusal
from tests.kit.given import Given
from tests.kit.subjects import Line
from tests.kit.tables import MODEST, Chances, chances

from .model import FIELDS, LONG_REST, Malformed, Model, Person

#: The turns that are tried at each table.
TRIES = 120
NAMES = ("brog", "ada", "ogre", "wight", "ghoul")
ABILITIES = ("strength", "wisdom", "luck")
OPTIONS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "keep_higher": ("6.4", (True, False)),
    "short_rest_together": ("6.4", (True, False)),
    "zero_is_injury": ("6.6", (True, False)),
    "save_meets_dc": ("6.6", (True, False)),
    "minor_injuries": ("6.9", ("recovery_marks", "referee")),
}


def enrolment(chance: Random, name: str) -> Line:
    kinds: dict[str, Line] = {
        "ogre": {"hit_dice": chance.randint(1, 4)},
        "wight": {"hit_dice": chance.randint(1, 4), "side": "foe", "saves": True},
        "ghoul": {"level": chance.randint(1, 3), "side": "foe"},
    }
    more = kinds.get(name, {"level": chance.randint(1, 5)})
    if chance.random() < 0.03:
        more = {**more, "saves": True}
    rolled = faces(chance, more.get("hit_dice") or more.get("level") or 1)
    return {"type": "osr.enrol", "character": name, **more, "rolled": rolled}


def faces(chance: Random, count: int) -> list[int]:
    """So many dice; now and then not quite."""
    rolled = [chance.randint(1, 6) for _ in range(count)]
    if chance.random() < 0.04:
        rolled = chance.choice((rolled[1:], [*rolled, 1], [7, *rolled[1:]]))
    return rolled


def maybe(chance: Random, often: float = 0.3, **fields: Any) -> Line:
    """Each of these fields or not."""
    return {name: value for name, value in fields.items() if chance.random() < often}


def line(chance: Random, model: Model) -> Line:
    """Something to try: what an open injury waits for, mostly legal rests, and what is seldom legal."""
    absent = [name for name in NAMES if name not in model.people]
    if absent and chance.random() < 0.3:
        return enrolment(chance, absent[0])
    injured = [name for name, person in model.people.items() if person["injury"]]
    if injured and chance.random() < 0.6:
        return settling(chance, model, chance.choice(injured))
    living = [name for name, person in model.people.items() if person["condition"] != "dead"]
    name = chance.choice([*living, *living, *NAMES])
    do = chance.choices(
        ("rest", "night", "damage", "bypass", "wound", "others", "settle", "ruling", "undo"),
        (20, 6, 25, 6, 16, 16, 2, 4, 6),
    )[0]
    if do in ("rest", "night"):
        return resting(chance, model, do)
    if do == "damage":
        most = int(model.people[name]["hp"]) if name in model.people else 6
        amount = chance.choice((chance.randint(0, 5), most, most + chance.randint(1, 8)))
        dc = maybe(chance, 0.15, dc=chance.randint(5, 30), source="a troll")
        return {"type": "osr.damage", "character": name, "amount": amount, **dc}
    if do == "bypass":
        foe = model.people.get(name, {"side": None})["side"] == "foe"
        price = maybe(chance, 0.7, attacker_level=1, cost=chance.randint(0, 8))
        # what a hit past hit points does to a foe without saves is left open
        dc = {} if foe else maybe(chance, 0.7, dc=chance.randint(5, 30))
        pays = {"sacrifice": True} if foe or chance.random() < 0.4 else {}
        return {
            "type": "osr.bypassing_hit",
            "character": name,
            **price,
            **dc,
            **pays,
            **maybe(chance, source="a wight"),
        }
    if do == "wound":
        name = one_who(chance, model, "wounds") or name
        wounds = model.people.get(name, {"wounds": []})["wounds"]
        ids = [wound["id"] for wound in wounds]
        which = {"wound": chance.choice([*ids, *ids, 1, 9])} if len(ids) != 1 or chance.random() < 0.5 else {}
        kind = chance.choice(("treat", "worsen", "recover_wound", "die_of_wounds"))
        if kind == "die_of_wounds":
            return {"type": "osr.die_of_wounds", "character": name}
        dc = {"dc": chance.randint(5, 30)} if kind == "worsen" else {}
        return {"type": f"osr.{kind}", "character": name, **which, **dc}
    if do == "settle":
        return settling(chance, model, name)
    if do == "ruling":
        option, (rule, values) = chance.choice(list(OPTIONS.items()))
        return {"type": "ruling", "rule": rule, "text": "So be it.", "set": {option: chance.choice(values)}}
    return {"type": "undo"} if do == "undo" else other(chance, model, name)


def one_who(chance: Random, model: Model, has: str) -> str | None:
    """One of the living who has some of it."""
    having = [name for name, person in model.people.items() if person[has] and person["condition"] != "dead"]
    return chance.choice(having) if having else None


def other(chance: Random, model: Model, name: str) -> Line:
    away = model.people.get(name, {"away": False})["away"]
    improved = chance.random() < 0.5
    hp = {"hp": chance.randint(0, 7)}
    player = name if name in ("brog", "ada") else "brog"
    bearer = one_who(chance, model, "recovery_marks") or name
    fallen = [who for who, person in model.people.items() if person["condition"] == "collapsed"]
    return chance.choice(
        (
            {"type": "osr.level_up", "character": name},
            {"type": "osr.rally", "character": chance.choice([*fallen, *fallen, name])},
            {"type": "absence", "character": name, "here": away if chance.random() < 0.9 else not away},
            {"type": "override", "character": player, "set": hp, "why": "The referee says so."},
            {"type": "osr.recovery_roll", "character": bearer, "ability": "strength", "improved": improved},
            {"type": "osr.recovery_roll", "character": bearer, "ability": "wisdom", "improved": improved},
        )
    )  # fmt: skip


def resting(chance: Random, model: Model, do: str) -> Line:
    some = chance.sample(NAMES[:3] if chance.random() < 0.8 else NAMES, chance.randint(1, 3))
    if do == "night":
        people = [name for name in some if name in model.people]
        rolled = {name: faces(chance, model.people[name]["hit_dice"]) for name in people}
        rolled = {name: dice for name, dice in rolled.items() if dice or chance.random() < 0.5}
        return {"type": "osr.night_rest", "characters": some, "rolled": {name: [1] for name in some} | rolled}
    together = model.options["short_rest_together"]
    here = [name for name, person in model.people.items() if not person["away"] and not person["side"]]
    resting = [*some, *(name for name in here if together and name not in some)]
    exempt = chance.sample(resting, 1) if chance.random() < (0.4 if together else 0.03) else []
    rerolls = chance.sample(resting, chance.randint(1, len(resting))) if chance.random() < 0.2 else None
    rerolling = rerolls if rerolls is not None else [name for name in resting if name not in exempt]
    if chance.random() < 0.02:
        rerolling = resting
    people = [name for name in rerolling if name in model.people and model.people[name]["condition"] != "dead"]
    rolled = {name: faces(chance, model.people[name]["hit_dice"] + model.people[name]["fatigue"]) for name in people}
    keep = chance.sample(some, 1) if chance.random() < (0.5 if model.options["keep_higher"] else 0.03) else []
    return {
        "type": "osr.short_rest",
        "characters": some,
        "rolled": rolled,
        **({"exempt": exempt} if exempt else {}),
        **({"rerolls": rerolls} if rerolls is not None else {}),
        **({"keep": keep} if keep else {}),
        **maybe(chance, 0.04, safe=False, minutes=chance.choice((5, 20))),
    }


def settling(chance: Random, model: Model, name: str) -> Line:
    person = model.people.get(name)
    stage = person["injury"]["stage"] if person is not None and person["injury"] else "saves"
    if chance.random() < 0.05:
        stage = chance.choice(("saves", "fate"))
    if stage == "fate":
        fate = chance.choice((*["major_wound"] * 7, "death"))
        loss = {chance.choice(ABILITIES): chance.randint(1, 3)}
        more = maybe(chance, 0.3 if fate != "death" else 0.05, wound="lost eye", effect="one eye", ability_loss=loss)
        return {"type": "osr.choose_fate", "character": name, "fate": fate, **more}
    dc = person["injury"]["dc"] if person is not None and person["injury"] else 20
    will = maybe(chance, 0.9, will=chance.choice((dc, dc + 1, dc - 1, chance.randint(1, 30))))
    until = chance.choice((*LONG_REST, "a week"))
    with_marks = model.options["minor_injuries"] == "recovery_marks"
    stat_loss: Line = {"stat_loss": {chance.choice(ABILITIES): 1}} if with_marks or chance.random() < 0.03 else {}
    return {
        "type": "osr.injury_saves",
        "character": name,
        "strength": chance.choice((dc, dc + 1, dc - 1, chance.randint(1, 30))),
        **will,
        **({"fail_will": True} if chance.random() < 0.15 else {}),
        **maybe(chance, 0.3, wound="sprain", effect="limps", until=until),
        **stat_loss,
    }


def compare(chance: Random, reading: type[Model] = Model) -> Counter[str]:
    """Play one table: each turn comes to the same in the program and in the model. Counts what was done and refused."""
    options = {option: values[0] for option, (_, values) in OPTIONS.items() if chance.random() < 0.35}
    table, model, counts = Given("osr", options=options), reading(options), Counter[str]()
    for _ in range(TRIES):
        action = line(chance, model)
        table.when(action)
        try:
            reasons = model.after(action)
        except Malformed:
            assert isinstance(table.error, Invalid), f"{action}: the model calls it malformed, not {table.error!r}"
            counts["malformed"] += 1
            continue
        if reasons:
            assert isinstance(table.error, Refusal), f"{action}: the model forbids it by {reasons}, not {table.error!r}"
            assert table.error.rule in reasons, f"{action}: by {table.error.rule}, in the model by {reasons}"
        else:
            assert table.error is None, f"{action}: the model allows it; {table.error!r}"
        counts[f"{action['type']} {'refused' if reasons else 'done'}"] += 1
        sheets = {name: table.sheet(name) for name in table.handler.state().characters}
        assert {name: {field: sheet[field] for field in FIELDS} for name, sheet in sheets.items()} == {
            name: {field: person[field] for field in FIELDS} for name, person in model.people.items()
        }, f"after {action}"
    return counts


class TotalsAbove(Model):
    """A save that meets the DC fails, whatever was ruled."""

    def _passes(self, total: int, dc: int) -> bool:
        return total > dc


class WoundsStay(Model):
    """A night ends no wound."""

    def _lasts_the_night(self, wound: Mapping[str, Any]) -> bool:
        return bool(wound)


class OneMarkMore(Model):
    """A mark more than the level is allowed."""

    def _most_marks(self, person: Person) -> int:
        return super()._most_marks(person) + 1


@pytest.mark.parametrize("reading", [TotalsAbove, WoundsStay, OneMarkMore])
def test_another_reading_of_the_contract_is_found_out(reading: type[Model]) -> None:
    with pytest.raises(AssertionError):
        for seed in range(10):
            compare(Chances(seed), reading)


@MODEST
@given(chance=chances)
def test_every_turn_comes_to_what_the_contract_says(chance: Random) -> None:
    compare(chance)


def test_each_kind_of_turn_is_done_and_refused_often() -> None:
    counts = sum((compare(Chances(seed)) for seed in range(20)), Counter[str]())
    kinds = {key.split()[0] for key in counts} - {"malformed"}
    seldom = {f"{kind} {how}" for kind in kinds for how in ("done", "refused") if counts[f"{kind} {how}"] < 5}
    assert seldom <= {"ruling refused", "undo refused", "osr.enrol refused", "override refused"}, counts
    assert counts["malformed"] > 10
