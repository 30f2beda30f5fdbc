"""Two cards chosen one after the other, as a stranger does: by the verb and a name, and then by what is listed."""

from collections.abc import Iterator

import pytest

from cli.table.table import OpenTable
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.rounds import Select
from tests.kit.shell import Shell, shell_after
from tests.kit.typed import Typed, sitting

shell = shell_after(
    "new Stairs --rules gloomhaven",
    "enrol Brann brute player=Bea",
    "enrol Sina spellweaver player=Ada",
    "begin-scenario 1",
    "begin-round",
)


@pytest.fixture(params=[None, "Bea"], ids=["a screen for all", "a seat of one's own"])
def table(shell: Shell, request: pytest.FixtureRequest) -> Iterator[OpenTable]:
    with sitting(shell, request.param) as opened:
        yield opened


def selected(table: OpenTable) -> Select:
    (turn,) = table.log.read(after=table.log.last() - 1)
    assert isinstance(turn.action, Select)
    return turn.action


def choices(typed: Typed) -> dict[str, str]:
    """What may be chosen, by the name of the card: how it is chosen."""
    if typed.question is not None:
        return {choice.says.partition(":")[0]: choice.key for choice in typed.question.choices}
    return {item.text: f"{item.text.split()[0]}⏎" for item in typed.items}


@pytest.mark.parametrize("begun", ["select brann⏎", "1⏎"])
def test_the_second_card_is_another_one_and_no_answer_is_lost(shell: Shell, begun: str) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys(begun).keys("1").keys("1")
        assert typed.question is not None and "chosen already" in typed.question.why, typed.said
        assert "Trample" not in typed.question.why, "everybody looks on"
        typed.keys("2")
        assert (str(selected(table).lead), str(selected(table).second)) == ("Trample", "Eye for an Eye")


@pytest.mark.parametrize("begun", ["select brann⏎", "⏎sel⏎"])
def test_at_ones_own_seat_the_card_that_was_taken_is_listed_no_more(shell: Shell, begun: str) -> None:
    with sitting(shell, "Bea") as table:
        typed = Typed(table).keys(begun)
        typed.keys(choices(typed)["Trample"])
        assert "Eye for an Eye" in choices(typed) and "Trample" not in choices(typed)
        typed.keys(choices(typed)["Eye for an Eye"])
        typed.keys("⏎")
        assert (str(selected(table).lead), str(selected(table).second)) == ("Trample", "Eye for an Eye")


def test_each_card_is_listed_with_its_initiative(table: OpenTable) -> None:
    typed = Typed(table).keys("select brann⏎")
    if typed.question is not None:
        assert typed.question.choices[0].says.startswith("Trample: 72")
    else:
        assert typed.items[0].text == "Trample" and typed.items[0].help.startswith("72")


def test_a_verb_is_dimmed_with_what_forbids_it_rather_than_that_somebody_has_nothing(shell: Shell) -> None:
    shell.do("enrol Rolf brute gold=40")
    with sitting(shell) as table:
        dimmed = Typed(table).keys("⏎buy").dimmed
        assert "no item to choose" not in dimmed["buy-item"] and "scenario" in dimmed["buy-item"]
        assert Typed(table).keys("⏎summon-d").dimmed["summon-damage"] == "There is no summon to choose"


def test_nothing_is_asked_for_where_nobody_may_do_it(shell: Shell) -> None:
    with sitting(shell) as table:
        typed = Typed(table).keys("loot⏎")
        assert typed.asked is None and typed.said == ("That can be done only during the turns of a round.", "failed")
    shell.do("select brann trample leaping", "select sina mana frost", "reveal")
    with sitting(shell) as table:
        typed = Typed(table).keys("loot brann⏎")
        assert typed.asked is None and typed.said[0].startswith("It is not Brann's turn")
        assert typed.keys("loot⏎").asked is not None, "it is Sina's"


def answers(typed: Typed) -> list[str]:
    """What the open question may be answered with."""
    assert typed.question is not None, (typed.text, typed.said, typed.table.log.last())
    return [choice.says.partition(":")[0] for choice in typed.question.choices]


def test_the_half_is_asked_for_of_the_second_card_as_of_the_first_and_whether_it_is_basic(shell: Shell) -> None:
    """With one half left, the key of the card performed the other half, which nobody had said."""
    shell.do("select brann trample leaping", "select sina mana frost", "reveal")
    with sitting(shell) as table:
        typed = Typed(table).keys("1⏎1")
        assert answers(typed) == ["top", "bottom", "basic Attack 2", "basic Move 2"]
        typed.keys("1")
        last = table.log.last()
        typed.keys("1⏎1")
        assert answers(typed) == ["bottom", "basic Move 2"] and table.log.last() == last
        typed.keys("2")
        assert performed(table) == ("Frost Armor", "bottom", True)


def test_who_is_led_by_slots_is_asked_the_same(shell: Shell) -> None:
    shell.do("select brann trample leaping", "select sina mana frost", "reveal")
    with sitting(shell) as table:
        typed = Typed(table).keys("⏎perf⏎mana⏎")
        assert [item.label for item in typed.items] == ["top", "bottom", "basic Attack 2", "basic Move 2"]
        typed.keys("top⏎⏎")
        assert performed(table) == ("Mana Bolt", "top", False)
        typed.keys("⏎perf⏎frost⏎")
        assert [item.label for item in typed.items] == ["bottom", "basic Move 2"], "what may be done"
        typed.keys("move⏎")
        assert typed.preview.text.startswith("Sina performs a basic move")
        typed.keys("⏎")
        assert performed(table) == ("Frost Armor", "bottom", True)


def performed(table: OpenTable) -> tuple[str, str, bool]:
    (turn,) = table.log.read(after=table.log.last() - 1)
    assert isinstance(turn.action, Perform)
    return str(turn.action.card), turn.action.half, turn.action.basic
