"""Figures that are touched: what can be made more or less in each system, each with its sentence before it is done."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cli.shell.command_context import open_chosen
from tests.kit.on_disk import handler_of
from tests.kit.phones import Phone, Served, served
from tests.kit.shell import Shell


@contextmanager
def table(shell: Shell, rules: str, *lines: str) -> Iterator[Served]:
    shell.do(f"new Table --rules {rules}", *lines)
    with open_chosen(None, write=True) as (log, system), served(log, system, handler_of(log)) as found:
        yield found


def touchable(phone: Phone) -> set[tuple[str, str]]:
    """Each figure on the first page that can be touched, with the way."""
    found = re.findall(r'href="/touch/(less|more)\?figure=([^&"]*)', phone.get("/").main)
    return {(way, figure.replace("%20", " ")) for way, figure in found}


def touched(phone: Phone, way: str, figure: str, who: str, says: str) -> str:
    """Touch a figure and do what begins so; the last turn then."""
    assert phone.get(f"/touch/{way}?figure={figure}&who={who}").status == 200
    page = phone.tap(says)
    return page.main.partition('<ol class="turns">')[2].partition("</li>")[0]


def test_hit_points_come_back_by_a_rest_and_fatigue_goes_by_sleep(shell: Shell) -> None:
    with table(shell, "osr", "osr enrol Brog --player Mia --level 2 --rolled 5,6", "d brog 4") as found:
        mia = found.phone("Mia")
        assert touchable(mia) == {("less", "hit points"), ("more", "hit points")}
        assert "fatigue is now 1" in touched(mia, "more", "hit points", "Brog", "Brog takes a short rest")
        assert found.log.last() == 4
        assert ("less", "fatigue") in touchable(mia)
        touched(mia, "less", "fatigue", "Brog", "Brog sleeps")
        assert ("less", "fatigue") not in touchable(mia)


def test_the_dead_have_nothing_to_touch(shell: Shell) -> None:
    lines = ("osr enrol Zed --player Mia --rolled 3", "osr damage Zed 30", "saves zed 1 1", "fate zed death")
    with table(shell, "osr", *lines) as found:
        assert touchable(found.phone("Mia")) == set()


def test_several_rest_together_in_one_turn(shell: Shell) -> None:
    lines = ("osr enrol Brog --level 2 --rolled 5,6", "osr enrol Ada --rolled 4", "d all 1")
    with table(shell, "osr", *lines) as found:
        referee = found.phone("referee")
        page = referee.get("/touch/more?figure=hit%20points&who=Brog&who=Ada")
        assert "Short rest: Brog and Ada" in page.main
        before = found.log.last()
        assert "Brog and Ada" in referee.tap("Short rest: Brog and Ada").main
        referee.tap("Do it")
        (turn,) = found.log.read(after=before)
        assert turn.action.characters == ("Brog", "Ada")  # type: ignore[attr-defined]


def test_harm_and_wounds_come_by_a_tap_and_go_by_rest_and_healing(shell: Shell) -> None:
    lines = ("enrol Wren 2 3 2 player Kim",)
    with table(shell, "deckahedron", *lines) as found:
        kim = found.phone("Kim")
        assert touchable(kim) == {("less", "stamina"), ("more", "harm"), ("more", "wounds")}
        assert "Wren" in touched(kim, "more", "harm", "Wren", "Wren")
        assert '<b>1</b> <span class="full">of 2</span>' in kim.get("/").main
        touched(kim, "more", "wounds", "Wren", "Wren")
        assert {("less", "harm"), ("less", "wounds")} < touchable(kim)
        touched(kim, "less", "harm", "Wren", "8")
        assert ("less", "harm") not in touchable(kim)
        # a day of healing needs a peaceful place: it is said why not
        assert "can heal only in a peaceful place" in kim.get("/touch/less?figure=wounds&who=Wren").main
        kim.get("/")
        found.phone("referee").says("scene combat")
        assert ("more", "stamina") in touchable(kim)
        page = kim.get("/touch/more?figure=stamina&who=Wren")
        assert [form.says.split()[0] for form in page.forms if form.action == "/do"] == ["dexterity", "intelligence"]
        # it is taken at once: how, which nobody has to say, is said on the form
        before = found.log.last()
        kim.tap("dexterity")
        assert found.log.last() == before + 1


def test_experience_and_gold_are_gained_by_a_tap(shell: Shell) -> None:
    with table(shell, "gloomhaven", "enrol Brann brute player Ines") as found:
        ines = found.phone("Ines")
        assert {("more", "experience"), ("more", "gold"), ("less", "hit points"), ("more", "hit points")} <= touchable(
            ines
        )
        assert "3 experience" in touched(ines, "more", "experience", "Brann", "3")
        assert "10 gold" in touched(ines, "more", "gold", "Brann", "10")


@pytest.mark.parametrize("way", ["less", "more"])
def test_nobody_touches_the_figures_of_others(shell: Shell, way: str) -> None:
    lines = ("enrol Brann brute player Ines", "enrol Ysa spellweaver player Marek")
    with table(shell, "gloomhaven", *lines) as found:
        page = found.phone("Ines").get(f"/touch/{way}?figure=experience&who=Ysa")
        assert (page.status, "This seat cannot change that." in page.main) == (409, True)
