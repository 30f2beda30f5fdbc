"""How osr sheets look at the table: who cannot act, and why, is in sight."""

from typing import Any

import pytest

from cli.terminal.screen import Screen
from cli.terminal.sheet import brief_lines
from domain.system.rows import Bar, Bit, Marks, Phrase, Pips
from tests.kit.given import Given
from tests.osr.tables import osr_table


@pytest.mark.parametrize("condition", ["up", "collapsed", "dead"])
def test_who_cannot_act_says_why_and_whoever_can_says_nothing(condition: str) -> None:
    at: Given = osr_table().when({"type": "override", "character": "brog", "set": {"condition": condition}, "why": "x"})
    assert at.error is None, at.error
    state = at.handler.state()
    assert at.system.fallen(state, "brog") == (None if condition == "up" else condition)
    words = [
        bit.text for line in at.system.brief(state, "brog", at.sheet("brog")) for bit in line if isinstance(bit, Phrase)
    ]
    assert [text for text in words if "collapsed" in text] == (["collapsed"] if condition == "collapsed" else [])


def wound(number: int, severity: str = "minor", **more: Any) -> dict[str, Any]:
    wound = {"severity": severity, "what": "burn", "effect": "-1 to all", "until": "long rest", "treated": False}
    return {"id": number, **wound, **more}


def texts(bits: tuple[Bit, ...]) -> list[str]:
    """What stands on a line: figures as "now/full", strokes as a number, phrases as they are."""
    words: list[str] = []
    for bit in bits:
        match bit:
            case Bar(now=one, full=other) | Pips(full=one, of=other):
                words.append(f"{one}/{other}")
            case Marks(count=count):
                words.append(str(count))
            case Phrase(text=text):
                words.append(text)
    return words


WOUNDS = [wound(1, effect=None, until="a week"), wound(2, "major", until=None, treated=True)]
LOOKS: list[tuple[dict[str, Any], dict[str, list[str]], list[str]]] = [
    ({}, {}, ["11/12"]),
    (
        {"fatigue": 2, "marks": 1, "recovery_marks": 3, "ability_loss": {"strength": 2}},
        {"fatigue": ["2"], "wound marks": ["1/2"], "recovery marks": ["3"], "ability loss": ["2 strength"]},
        ["11/12", "fatigue 2", "marks", "1/2"],
    ),
    (
        {"condition": "collapsed", "hp": 0, "wounds": WOUNDS},
        {
            "hit points": ["0/12"],
            "condition": ["collapsed"],
            "wound 1": ["minor, burn", "until a week", "not treated, may worsen"],
            "wound 2": ["major, burn: -1 to all", "until the referee says it is over", "treated"],
        },
        ["0/12", "collapsed", "burn", "burn ✔"],
    ),
    (
        {"condition": "dead", "wounds": WOUNDS[1:]},
        {"condition": ["dead"], "wound 2": ["major, burn: -1 to all"]},
        [],
    ),
]


@pytest.mark.parametrize(("fields", "rows", "line"), LOOKS)
def test_what_weighs_on_somebody_is_in_sight_and_nothing_else_is(
    fields: dict[str, Any], rows: dict[str, list[str]], line: list[str]
) -> None:
    at = osr_table().when({"type": "override", "character": "brog", "set": fields or {"hp": 11}, "why": "x"})
    assert at.error is None, at.error
    state, sheet = at.handler.state(), at.sheet("brog")
    healthy = {"level": ["2, 2 hit dice"], "hit points": ["11/12"], "condition": ["up"], "wound marks": ["0/2"]}
    assert {label: texts(bits) for label, bits in at.system.rows(state, "brog", sheet)} == {**healthy, **rows}
    assert [text for bits in at.system.brief(state, "brog", sheet) for text in texts(bits)] == line


def test_a_wound_is_told_as_the_sheet_tells_it_and_any_other_value_as_it_is() -> None:
    at = osr_table()
    one, other = WOUNDS
    words = {
        "up": ["minor, burn · until a week · not treated, may worsen", "major, burn: -1 to all · "
               "until the referee says it is over · treated"],
        "dead": ["minor, burn", "major, burn: -1 to all · treated"],
    }  # fmt: skip
    for condition, sentences in words.items():
        at.when({"type": "override", "character": "brog", "set": {"condition": condition}, "why": "x"})
        state = at.handler.state()
        assert at.system.in_words(state, "brog", "wounds", [one, other]) == sentences
        assert at.system.in_words(state, "brog", "wounds.1", one) == sentences[0]
    # somebody who is not there any more, where two points of a log are told apart
    assert at.system.in_words(at.handler.state(), "nobody", "wounds", [other]) == words["up"][1:]
    for field, value in (("wounds", None), ("wounds.1.until", "a week"), ("wounds", {"id": 1}), ("hp", [3])):
        assert at.system.in_words(at.handler.state(), "brog", field, value) == value


@pytest.mark.parametrize("condition", ["up", "dead"])
def test_a_wound_that_was_treated_is_told_otherwise_than_before(condition: str) -> None:
    at = osr_table().when({"type": "override", "character": "brog", "set": {"condition": condition}, "why": "x"})
    before, after = wound(1, "major", until=None), wound(1, "major", until=None, treated=True)
    words = at.system.in_words(at.handler.state(), "brog", "wounds", [before, after])
    assert words[0] != words[1] and "treated" in words[1]


def test_a_long_wound_shrinks_nobody_elses_bar() -> None:
    words = "a crushed hand that nobody in the valley can set, as they say, and which hurts when it rains"
    table = Given("osr")
    for name in ("brog", "wen"):
        table.when({"type": "osr.enrol", "character": name, "level": 3, "rolled": [6, 6, 6]})
    wounds = [wound(1, "major", what=words, until=None)]
    table.when({"type": "override", "character": "brog", "set": {"wounds": wounds}, "why": "x"})
    assert table.error is None, table.error
    state = table.handler.state()
    sheets = {name: table.system.sheet_view(state, name) for name in state.characters}
    screen = Screen("never")
    screen.lines(brief_lines(table.system, state, sheets, columns=80))
    brog, wen = (line for line in screen.drain() if "█" in line)
    assert wen.count("█") == 12, "as long as it is beside nobody"
    assert len(brog) <= 80 and brog.count("█") <= 12


def test_a_wound_that_may_worsen_stands_before_treated_ones_where_the_line_is_cut() -> None:
    at = osr_table()
    wounds = [wound(1, "minor", what="cut lip", treated=True), wound(2, "minor", what="burn")]
    at.when({"type": "override", "character": "brog", "set": {"wounds": wounds}, "why": "x"})
    (bits,) = at.system.brief(at.handler.state(), "brog", at.sheet("brog"))
    assert texts(bits)[-2:] == ["burn", "cut lip ✔"]
