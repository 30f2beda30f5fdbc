"""osr in the suite that every rule system has to pass."""

from pathlib import Path
from random import Random

from domain.osr.hit_points import most_hit_points
from domain.osr.injuries import ChooseFate, InjurySaves, Rally
from domain.osr.wounds import most_marks
from tests.kit.given import Given
from tests.kit.subjects import Line, Subject
from tests.osr.evening import EVENING

NAMES = ("brog", "ada", "ogre")


def line(chance: Random, table: Given) -> Line:
    """Something that might be done under osr: first of all what an open injury waits for."""
    sheets = table.handler.state().characters
    absent = [name for name in NAMES if name not in sheets]
    if absent and chance.random() < (0.9 if len(absent) == 3 else 0.25):
        dice = {"hit_dice": chance.randint(1, 4)} if absent[0] == "ogre" else {"level": chance.randint(1, 3)}
        return {"type": "osr.enrol", "character": absent[0], **dice}
    waiting = [name for name, sheet in sheets.items() if sheet.injury is not None]
    name = chance.choice(waiting if waiting and chance.random() < 0.5 else NAMES)
    sheet = sheets.get(name)
    total = chance.randint(10, 30)
    if sheet is not None and sheet.injury is not None and chance.random() < 0.8:
        if sheet.injury.stage == "saves":
            saves = {"strength": total, "will": chance.randint(10, 30), "fail_will": chance.random() < 0.1}
            return {"type": "osr.injury_saves", "character": name, **saves}
        fate = chance.choice(("major_wound", "major_wound", "death"))
        loss = {"ability_loss": {"strength": chance.randint(1, 3)}} if fate != "death" else {}
        return {"type": "osr.choose_fate", "character": name, "fate": fate, **(loss if chance.random() < 0.3 else {})}
    dice_held = sheet.hit_dice + sheet.fatigue if sheet is not None else 1
    some = chance.sample(NAMES, chance.randint(1, 2))
    rest: Line = {"type": "osr.short_rest", "characters": [name]}
    if sheet is not None and sheet.recovery_marks and chance.random() < 0.6:
        improved = chance.random() < 0.5
        roll = {"type": "osr.recovery_roll", "character": name, "ability": "strength", "improved": improved}
        return roll if sheet.recovery_rolls else rest
    if sheet is not None and any(wound.severity == "major" for wound in sheet.wounds) and chance.random() < 0.1:
        return {"type": "osr.die_of_wounds", "character": name}
    wounds = [wound.id for wound in sheet.wounds] if sheet is not None else []
    wound = {"character": name, "wound": chance.choice([*wounds, *wounds, 1, None])}
    absence = "osr.absent" if table.attempts % 2 else "absence"
    return chance.choice(
        (
            rest,
            {**rest, "rolled": {name: [chance.randint(1, 6) for _ in range(dice_held)]}},
            {**rest, "characters": some},
            {**rest, "characters": some, "rerolls": some[:1]},
            {**rest, "keep": [name]},
            {"type": "osr.night_rest", "characters": some},
            {"type": "osr.damage", "character": name, "amount": chance.randint(0, 9)},
            {"type": "osr.damage", "character": name, "amount": chance.randint(5, 25), "source": "a troll"},
            {"type": "osr.damage", "character": name, "amount": chance.randint(5, 25), "dc": total, "how": "a slip"},
            {"type": "osr.bypassing_hit", "character": name, "dc": total},
            {"type": "osr.bypassing_hit", "character": name, "dc": total, "cost": 2, "sacrifice": True},
            {"type": "osr.treat", **wound},
            {"type": "osr.worsen", **wound, "dc": total},
            {"type": "osr.recover_wound", **wound},
            {"type": "osr.die_of_wounds", "character": name},
            {"type": "osr.rally", "character": name},
            {"type": absence, "character": name, "here": sheet is not None and sheet.away == "absent"},
            {"type": "osr.level_up", "character": name},
            {"type": "override", "character": name, "set": {"hp": chance.randint(0, 6)}, "why": "so says the referee"},
            {"type": "override", "character": name, "set": {"recovery_marks": 1}, "why": "a wound of last year"},
        )
    )  # fmt: skip


def sound(table: Given) -> None:
    """Hit points and marks within their bounds; who is dead waits for nothing; wounds by different numbers."""
    state = table.handler.state()
    for name, sheet in state.characters.items():
        assert 0 <= sheet.hp <= most_hit_points(sheet.hit_dice)
        assert sheet.non_player or sheet.hit_dice == sheet.level
        assert 0 <= sheet.marks <= most_marks(sheet)
        assert sheet.condition != "dead" or sheet.injury is None
        assert all(points >= 1 for points in sheet.ability_loss.values())
        numbers = [wound.id for wound in sheet.wounds]
        assert len(set(numbers)) == len(numbers)
        settling = {way.action for matter in table.system.pending_for(state, name) for way in matter.choices}
        assert (sheet.injury is None) == settling.isdisjoint({InjurySaves, ChooseFate})
        assert Rally not in settling or sheet.condition == "collapsed"


SUBJECT = Subject(
    key="osr",
    line=line,
    stored_names=Path(__file__).with_name("stored.txt"),
    paragraphs=tuple(f"6.{number}" for number in range(1, 13)),
    options={
        "keep_higher": ("6.4", (False, True)),
        "short_rest_together": ("6.4", (False, True)),
        "zero_is_injury": ("6.6", (False, True)),
        "save_meets_dc": ("6.6", (True, False)),
        "minor_injuries": ("6.9", ("referee", "recovery_marks")),
    },
    sound=sound,
    contract=Path(__file__).with_name("contract.txt"),
    evening=EVENING,
)
