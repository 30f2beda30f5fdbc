"""The contract of osr as tables played through JSON: each line with what it comes to and what sheets then say.

A step is an action and what comes of it: OK, the rule that refuses it, NO_RULE for a refusal outside the
rules, INVALID, CONFLICT. After it may stand what the sheets now say; None: there is no such character.
"""

from typing import Any

import pytest

from domain.refusal import Conflict, Invalid, Refusal
from tests.kit.given import Given

OK, INVALID, CONFLICT, NO_RULE = "ok", "invalid", "conflict", "refused outside the rules"
Line = dict[str, Any]
Step = tuple[Any, ...]


def do(verb: str, character: str | None = "Brog", /, **fields: Any) -> Line:
    """One line of `campaign act`; nobody in particular under a verb for several."""
    tag = verb if verb in COMMON else f"osr.{verb}"
    return {"type": tag, **({"character": character} if character is not None else {}), **fields}


COMMON = ("note", "ruling", "ruling.end", "undo", "redo", "amend", "override", "sheet.check")


def enrol(name: str, *dice: int, **more: Any) -> Line:
    return do("enrol", name, level=len(dice), rolled=list(dice), **more)


def hit(amount: int = 5, name: str = "Brog", **more: Any) -> Line:
    return do("damage", name, amount=amount, **more)


def saves(strength: int, will: int | None = 99, **more: Any) -> Line:
    return do("injury_saves", strength=strength, will=will, **more)


def short(*names: str, **more: Any) -> Line:
    return do("short_rest", None, characters=list(names), **more)


def night(*names: str, **more: Any) -> Line:
    return do("night_rest", None, characters=list(names), **more)


def ruled(rule: str, since: str | None = None, **options: Any) -> Line:
    return do("ruling", None, rule=rule, text="So we play.", set=options, since=since)


def override(why: str = "The referee says so.", **fields: Any) -> Line:
    return do("override", set=fields, why=why)


def check(**fields: Any) -> Line:
    return do("sheet.check", expect=fields)


def undo(**fields: Any) -> Line:
    return do("undo", None, **fields)


def amend(turn: int, action: Line, **more: Any) -> Line:
    return do("amend", None, turn=turn, action=action, **more)


def minor(number: int = 1, **fields: Any) -> Line:
    return {
        "id": number,
        "severity": "minor",
        "what": "shallow cut",
        "effect": "-2 to heavy physical tasks",
        "until": "long rest",
        "treated": False,
        **fields,
    }


def major(number: int, what: str, effect: str | None = None, **fields: Any) -> Line:
    return {
        "id": number, "severity": "major", "what": what, "effect": effect, "until": None, "treated": False, **fields,
    }  # fmt: skip


def open_injury(dc: int, stage: str = "saves", source: str | None = None) -> Line:
    return {"dc": dc, "source": source, "stage": stage}


NEW: Line = {
    "player": None, "level": 1, "hit_dice": 1, "hp": 4, "fatigue": 0, "marks": 0, "condition": "up",
    "injury": None, "wounds": [], "ability_loss": {}, "recovery_marks": 0,
}  # fmt: skip
BROG = (enrol("Brog", 4), OK)
STRONG = (enrol("Brog", 6, 4), OK)
BYPASSED = (do("bypassing_hit", dc=20), OK)
FAILED = (saves(1), OK)
LIVES = (do("choose_fate", fate="major_wound"), OK)

TABLES: dict[str, tuple[dict[str, Any], tuple[Step, ...]]] = {
    "an enrolment with every optional field null": ({}, (
        (do("enrol", "Brog", level=None, player=None, hit_dice=None, rolled=None), OK, {"Brog": {"hit_dice": 1}}),
    )),
    "names are trimmed, unique and found in any spelling": ({}, (
        (enrol("  Straße ", 4, player="Ana"), OK, {"Straße": {**NEW, "player": "Ana"}}),
        (enrol("STRASSE", 4), NO_RULE),
        (enrol("Ｓtraße", 4), NO_RULE),
        (hit(1, " ＳＴＲＡＳＳＥ"), OK, {"Straße": {"hp": 3}}),
        (short("STRASSE", rolled={"straße": [5]}), OK, {"Straße": {"hp": 5, "fatigue": 1}}),
        (short("straße", "STRASSE"), INVALID),
        (short("straße", rolled={"straße": [5, 1], "STRASSE": [5, 2]}), INVALID),
        (night("nobody"), NO_RULE),
    )),
    "dice of a non-player are the hit dice, and marks are held against them": ({}, (
        (do("enrol", "Rat", level=3, hit_dice=1, rolled=[1, 1, 1]), "OSR 6.1", {"Rat": None}),
        (do("enrol", level=3, hit_dice=1, rolled=[2]), OK, {"Brog": {"level": 3, "hit_dice": 1, "hp": 2}}),
        (hit(), OK), FAILED, LIVES, (hit(), OK),
        (saves(1), OK, {"Brog": {"condition": "dead", "injury": None, "marks": 1}}),
    )),
    "the wrong number of dice is refused by where the number comes from": ({}, (
        BROG,
        (short("Brog", rolled={"Brog": [1, 1]}), "OSR 6.1"),
        (short("Brog", rolled={"Brog": []}), "OSR 6.1"),
        (short("Brog", rolled={"Brog": [0]}), "OSR 6.1"),
        (override(fatigue=1), OK),
        (short("Brog", rolled={"Brog": [1]}), "OSR 6.5"),
        (short("Brog", rolled={"Brog": [1, 7]}), "OSR 6.1"),
        (short("Brog", rolled={"Brog": [6, 6]}), OK, {"Brog": {"hp": 6, "fatigue": 2}}),
        (night("Brog", rolled={"Brog": [1, 2, 3]}), "OSR 6.1"),
        (night("Brog", rolled={"Brog": []}), "OSR 6.5"),
        (night("Brog", rerolls=[]), INVALID),
        (night("Brog", rolled={"Brog": [3]}), OK, {"Brog": {"hp": 3, "fatigue": 0}}),
    )),
    "each decides alone": ({}, (
        (enrol("A", 6), OK), (enrol("B", 1, 2), OK),
        (short("A", "B", rerolls=[]), OK, {"A": {"hp": 6, "fatigue": 0}, "B": {"hp": 3, "fatigue": 0}}),
        (short("A", rerolls=["B"]), "OSR 6.4"),
        (short("A", rerolls=["A", "a"]), INVALID),
        (short("A", keep=["A"]), "OSR 6.4"),
        (short("A", "B", exempt=["B"]), "OSR 6.4"),
        (short("A", rerolls=[], minutes=9), "OSR 6.4"),
        (short("A", "B", rerolls=["A"], rolled={"B": [1, 1]}), "OSR 6.1"),
        (short("a", "b", rerolls=["b"], rolled={"b": [2, 2]}), OK, {"A": {"fatigue": 0}, "B": {"hp": 4, "fatigue": 1}}),
    )),
    "the old total is kept, and costs fatigue like the new one": ({"keep_higher": True}, (
        (enrol("A", 6), OK), (enrol("B", 5), OK),
        (short("A", "B", rolled={"A": [2], "B": [1]}, keep=["a"]), OK,
         {"A": {"hp": 6, "fatigue": 1}, "B": {"hp": 1, "fatigue": 1}}),
        (short("A", "B", rerolls=["B"], keep=["A"]), "OSR 6.4"),
        (short("A", keep=["A", "a"]), INVALID),
        (short("B", rolled={"B": [4, 5]}, keep=["B"]), OK, {"B": {"hp": 1, "fatigue": 2}}),
    )),
    "all rest together, but for the dead and the exempt": ({"short_rest_together": True}, (
        (enrol("A", 6), OK), (enrol("B", 5), OK), (enrol("C", 5), OK), (enrol("Brog", 5), OK),
        (override(condition="dead"), OK),
        (short("A", rolled={"A": [2], "B": [3], "C": [4]}), OK,
         {"A": {"hp": 2, "fatigue": 1}, "B": {"hp": 3, "fatigue": 1}, "C": {"hp": 4}, "Brog": {"hp": 5, "fatigue": 0}}),
        (short("A", exempt=["b"], rolled={"A": [1, 1], "C": [1, 1]}), OK,
         {"A": {"fatigue": 2}, "B": {"hp": 3, "fatigue": 1}, "C": {"fatigue": 2}}),
        (short("A", rerolls=["A"]), "OSR 6.4"),
        (short("A", exempt=["C"], rolled={"C": [1, 1, 1]}), "OSR 6.1"),
        (short("A", exempt=["Zed"]), NO_RULE),
        (short("A", "Brog"), "OSR 6.7"),
        (hit(9, "C"), OK),
        (short("A"), "OSR 6.6"),
    )),
    "an injury keeps its source, and is settled step by step": ({}, (
        BROG,
        (hit(9, source="an axe"), OK, {"Brog": {"hp": 0, "injury": open_injury(25, source="an axe")}}),
        (saves(25, None), "OSR 6.6"),
        (saves(25, None, fail_will=False), "OSR 6.6"),
        (saves(25, 25, stat_loss={"strength": 1}), "OSR 6.9"),
        (do("note", None, text="It looks bad.", about="brog"), OK),
        (saves(-3, -3), OK, {"Brog": {"injury": open_injury(25, "fate", "an axe"), "condition": "collapsed"}}),
        (saves(30, 30), "OSR 6.6"),
        (do("choose_fate", fate="major_wound", ability_loss={"luck": 1}), INVALID),
        (do("choose_fate", fate="major_wound", ability_loss={"strength": 0}), INVALID),
        (do("choose_fate", fate="major_wound", wound="lost eye", ability_loss={"strength": 2}), OK,
         {"Brog": {"marks": 1, "wounds": [major(1, "lost eye")], "ability_loss": {"strength": 2}, "injury": None}}),
    )),
    "a wound of the referee's has its own effect and end": ({}, (
        BROG, (hit(9), OK),
        (saves(25, None, fail_will=True, wound="burn", effect="-1 to all", until="a week"), OK,
         {"Brog": {"condition": "collapsed", "wounds": [minor(what="burn", effect="-1 to all", until="a week")]}}),
        (hit(1), OK),
        (saves(25, 30), OK, {"Brog": {"condition": "collapsed"}}),
        (short("Brog", rolled={"Brog": [3]}), OK, {"Brog": {"hp": 3, "condition": "collapsed"}}),
        (night("Brog", rolled={"Brog": [3]}), OK,
         {"Brog": {"condition": "collapsed", "wounds": [minor(what="burn", effect="-1 to all", until="a week")]}}),
        (do("recover_wound", wound=1, why="healed"), OK, {"Brog": {"wounds": []}}),
        (hit(9), OK),
        (saves(99), OK, {"Brog": {"wounds": [minor(3)]}}),
    )),
    "zero is an injury": ({"zero_is_injury": True}, (
        BROG,
        (hit(4), OK, {"Brog": {"hp": 0, "injury": open_injury(20)}}),
        (saves(20, 20), OK, {"Brog": {"injury": None, "condition": "up"}}),
        (hit(0), OK, {"Brog": {"injury": None}}),
    )),
    "a mark too many by the referee's word leaves death": ({}, (
        BROG, (hit(9), OK), FAILED, (override(marks=1), OK),
        (do("choose_fate", fate="major_wound"), "OSR 6.11"),
        (do("choose_fate", fate="death"), OK, {"Brog": {"condition": "dead", "injury": None}}),
        (do("choose_fate", fate="major_wound"), "OSR 6.11"),
        (do("choose_fate", fate="death"), "OSR 6.7"),
        (enrol("Brog", 4), NO_RULE),
        (do("note", None, text="Rest in peace.", about="BROG"), OK),
        (check(condition="dead"), OK),
        (override(condition="up", hp=1), OK),
        (hit(1), OK, {"Brog": {"hp": 0, "injury": None}}),
    )),
    "a price is paid whole, and whole it injures nobody": ({"zero_is_injury": True}, (
        (enrol("Brog", 6, 6), OK),
        (do("bypassing_hit", dc=18, sacrifice=True), INVALID),
        (do("bypassing_hit", sacrifice=True, cost=1), INVALID),
        (do("bypassing_hit", dc=18, sacrifice=True, attacker_level=2), "OSR 6.12"),
        (do("bypassing_hit", dc=18, sacrifice=True, attacker_level=1), OK, {"Brog": {"hp": 2, "injury": None}}),
        (do("bypassing_hit", dc=18, sacrifice=True, attacker_level=1, cost=2), OK, {"Brog": {"hp": 0, "injury": None}}),
    )),
    "untreated wounds worsen, treated ones do not": ({}, (
        STRONG, (do("die_of_wounds"), "OSR 6.10"), BYPASSED, (saves(20), OK), (do("die_of_wounds"), "OSR 6.10"),
        (do("worsen", wound=1, dc=15), OK, {"Brog": {"hp": 10, "injury": open_injury(15, source="shallow cut")}}),
        (saves(15, 15), OK, {"Brog": {"wounds": [minor(), minor(2)], "condition": "up"}}),
        (do("treat", wound=1), OK, {"Brog": {"wounds": [minor(treated=True), minor(2)]}}),
        (do("worsen", wound=1, dc=15), "OSR 6.10"),
        (do("treat", wound=9), NO_RULE),
        (do("treat", wound="2"), INVALID),
        BYPASSED, FAILED, LIVES, (do("treat", wound=3), OK),
        (night("Brog", rolled={"Brog": [3, 3]}), OK,
         {"Brog": {"wounds": [major(3, "major wound", treated=True)]}}),
        (do("die_of_wounds"), OK, {"Brog": {"condition": "dead", "hp": 6, "marks": 1}}),
    )),
    "a major wound recovered from leaves its mark and its loss": ({}, (
        STRONG, BYPASSED, FAILED,
        (do("choose_fate", fate="major_wound", wound="leg", ability_loss={"dexterity": 2}), OK),
        (do("recover_wound", wound=1), OK, {"Brog": {"wounds": [], "marks": 1, "ability_loss": {"dexterity": 2}}}),
        (do("die_of_wounds"), "OSR 6.10"),
    )),
    "an override sets fields whole, and numbers go on after those it gives out": ({}, (
        STRONG,
        (override(level=3), OK, {"Brog": {"level": 3, "hit_dice": 2}}),
        (override(hp=13), "OSR 6.1"),
        (override(hit_dice=1), "OSR 6.1"),
        (override(hit_dice=1, hp=6), OK, {"Brog": {"hit_dice": 1, "hp": 6}}),
        (override(hp=None), INVALID),
        (override(non_player=True), INVALID),
        (override(hp=1, why="  "), INVALID),
        (override(), INVALID),
        (override(injury=open_injury(22, "fate")), OK),
        (override(condition="dead"), "OSR 6.7"),
        (override(condition="dead", injury=None), OK),
        (override(condition="up", wounds=[major(4, "leg")]), OK, {"Brog": {"wounds": [major(4, "leg")]}}),
        (override(wounds=[major(4, "leg"), minor(4)]), "OSR 6.9"),
        BYPASSED,
        (saves(20), OK, {"Brog": {"wounds": [major(4, "leg"), minor(5)]}}),
        (override(wounds=[]), OK), BYPASSED,
        (saves(20), OK, {"Brog": {"wounds": [minor(6)]}}),
    )),
    "wounds numbered after the highest that the referee can give out are wounds like any other": ({}, (
        STRONG,
        (override(wounds=[major(1_000_001, "leg")]), "OSR 6.9"),
        (override(wounds=[major(1_000_000, "leg")]), OK), BYPASSED, (saves(20), OK),
        (do("treat", wound=1_000_001), OK,
         {"Brog": {"wounds": [major(1_000_000, "leg"), minor(1_000_001, treated=True)]}}),
        (override(wounds=[minor(1_000_001)]), OK),
        (do("worsen", wound=1_000_001, dc=12), OK),
    )),
    "a paper sheet is checked by type and value": ({}, (
        STRONG,
        (check(**{**NEW, "level": 2, "hit_dice": 2, "hp": 10}), OK),
        (check(hp="10"), NO_RULE),
        (check(wounds=None), NO_RULE),
        (check(), INVALID),
        BYPASSED,
        (check(injury=open_injury(20)), OK),
        (check(injury=None), NO_RULE),
    )),
    "wound numbers go on after an undo": ({}, (
        STRONG, BYPASSED, (saves(20), OK, {"Brog": {"wounds": [minor()]}}), (undo(), OK, {"Brog": {"wounds": []}}),
        (saves(20), OK, {"Brog": {"wounds": [minor(2)]}}),
        (undo(to="T1"), OK, {"Brog": None}),
        (enrol("BROG", 6, 4), OK, {"BROG": {**NEW, "level": 2, "hit_dice": 2, "hp": 10}}), BYPASSED,
        (saves(20), OK, {"BROG": {"wounds": [minor(3)]}}),
    )),
    "a death that is undone and redone": ({}, (
        BROG, (hit(9), OK), (saves(1, 1), OK), (do("choose_fate", fate="death"), OK),
        (undo(last=3), OK, {"Brog": {"hp": 4, "condition": "up", "injury": None}}),
        (do("redo", None), OK, {"Brog": {"hp": 0, "condition": "dead"}}),
        (undo(turns=[4]), CONFLICT),
        (undo(turns=[4], conflicts="drop"), OK, {"Brog": {"condition": "up", "injury": open_injury(25)}}),
    )),
    "damage amended to more, and to less": ({}, (
        STRONG, (hit(11), OK), (saves(21), OK, {"Brog": {"wounds": [minor()]}}),
        (amend(3, hit(3)), CONFLICT),
        (amend(3, hit(12)), OK, {"Brog": {"injury": open_injury(22, "fate"), "wounds": []}}),
        (amend(3, hit(3), conflicts="drop"), OK, {"Brog": {"hp": 7, "injury": None, "wounds": []}}),
    )),
    "a rest taken back spares the next one its fatigue die": ({}, (
        (enrol("Brog", 6), OK),
        (short("Brog", rolled={"Brog": [2]}), OK),
        (short("Brog", rolled={"Brog": [5, 3]}), OK, {"Brog": {"hp": 3, "fatigue": 2}}),
        (undo(turns=[3]), OK, {"Brog": {"hp": 5, "fatigue": 1}}),
        (do("redo", None), OK, {"Brog": {"hp": 3, "fatigue": 2}}),
    )),
    "rulings that count from earlier on": ({}, (
        (enrol("Brog", 6), OK), (hit(6), OK, {"Brog": {"injury": None}}),
        (ruled("6.6", "T2", zero_is_injury=True), OK, {"Brog": {"injury": open_injury(20)}}),
        (saves(20, 20), OK, {"Brog": {"wounds": [minor()], "condition": "up"}}),
        (ruled("6.6", "T2", save_meets_dc=False), OK,
         {"Brog": {"injury": open_injury(20, "fate"), "wounds": [], "condition": "collapsed"}}),
        (ruled("6.5", keep_higher=True), NO_RULE),
        (do("ruling.end", None, ruling=2), OK),
        (do("ruling.end", None, ruling=2), NO_RULE),
    )),
}  # fmt: skip


def outcome(table: Given) -> str:
    """What came of the last line, in the words of the steps."""
    match table.error:
        case None:
            return OK
        case Refusal(rule=None):
            return NO_RULE
        case Refusal(rule=str(rule)):
            return rule
        case Invalid():
            return INVALID
        case Conflict():
            return CONFLICT
    raise AssertionError(table.error)


@pytest.mark.parametrize("title", TABLES)
def test_table(title: str) -> None:
    options, steps = TABLES[title]
    table = Given("osr", options=options)
    for at, (line, expected, *said) in enumerate(steps):
        table.when(line)
        assert outcome(table) == expected, f"step {at}: {line}: {table.error!r}"
        sheets = table.sheets()
        for name, fields in (said[0] if said else {}).items():
            if fields is None:
                assert name not in sheets
            else:
                assert {field: sheets[name][field] for field in fields} == fields, f"step {at}: {line}"


@pytest.mark.parametrize(
    ("before", "line", "reason"),
    [
        ([STRONG[0]], short("Brog", rolled={"Brog": [1]}), "Brog rolls 2 hit dice, not 1."),
        ([BROG[0], override(fatigue=1)], short("Brog", rolled={"Brog": [1]}),
         "Brog rolls 2 dice (1 hit die and 1 for fatigue), not 1."),
        ([BROG[0]], override(hp=9), "Brog cannot have 9 hit points; with 1 hit die they go from 0 to 6."),
        ([BROG[0], hit(3)], do("bypassing_hit", dc=18, sacrifice=True, cost=2),
         "Brog cannot stop this with 1 hit point: it costs 2."),
        ([BROG[0], BYPASSED[0], saves(20), BYPASSED[0], saves(20)], do("treat", wound=9),
         "Brog has no wound 9; there are 1 and 2."),
        ([BROG[0]], check(hp="4"),
         'Brog\'s paper sheet differs: hp is 4 in the log, last changed at T2, "4" on paper.'),
    ],
)  # fmt: skip
def test_a_refusal_names_who_and_what(before: list[Line], line: Line, reason: str) -> None:
    table = Given("osr")
    for each in before:
        table.when(each)
        assert table.error is None
    table.when(line)
    assert isinstance(table.error, Refusal)
    assert table.error.reason == reason


@pytest.mark.parametrize(
    ("before", "line", "told"),
    [
        ([hit(9), saves(1)], LIVES[0], "Brog lives with a major wound (1 mark)."),
        ([hit(9), saves(1)], do("choose_fate", fate="major_wound", effect="no running"),
         "Brog lives with a major wound: no running (1 mark)."),
        ([hit(9), saves(99)], do("recover_wound", wound=1, why="Healed!"),
         "Brog recovers from wound 1 (shallow cut): Healed!"),
        ([hit(9), saves(99)], do("recover_wound", wound=1), "Brog recovers from wound 1 (shallow cut)."),
        ([], do("bypassing_hit", dc=9, source="poison"),
         "Brog is hit by poison, whatever hit points are left: strength and will saves against DC 9."),
    ],
)  # fmt: skip
def test_what_happened_is_told_as_one_would_say_it(before: list[Line], line: Line, told: str) -> None:
    table = Given("osr")
    for each in (BROG[0], *before):
        assert table.when(each).events
    assert "".join(table.when(line).events[0].told()) == told


def test_the_end_of_a_minor_wound_is_told_as_the_referee_said_it() -> None:
    for until, told in (("Long Rest", "until a long rest."), ("the new moon", "until the new moon.")):
        table = Given("osr").when(BROG[0]).when(hit(9)).when(saves(99, until=until))
        assert "".join(table.events[1].told()).endswith(told)
