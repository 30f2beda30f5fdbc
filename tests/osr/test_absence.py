"""Who is not at the table tonight takes no part when all rest together (OSR 6.4), nor in what `all` do."""

from typing import Any

from msgspec.structs import replace

from cli.line.context import Context
from domain.common.revisions import Undo
from domain.common.sessions import SessionClose, SessionOpen
from domain.log.port import MemoryLog
from domain.log.verifying import decide_all_again
from domain.osr.absence import Absent, CameBack, WentAbsent
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.osr.rests import ShortRest
from domain.turn import Action
from tests.kit.given import Given

ENROLLED = (Enrol(character="brog", rolled=(5,)), Enrol(character="ada", rolled=(4,)))
AWAY = Absent(character="ada")
REST = ShortRest(characters=("brog",))


def given(*more: Action, **options: Any) -> Given:
    return Given("osr", *ENROLLED, *more, options={"short_rest_together": True, **options})


def all_of(table: Given) -> tuple[str, ...]:
    return Context(table.system, table.handler.state(), table.log).able()


def test_who_is_absent_does_not_rest_with_the_others() -> None:
    given(AWAY).when(REST).has("brog", fatigue=1).has("ada", hp=4, fatigue=0)
    given().when(REST).has("ada", fatigue=1)


def test_who_is_named_rests_wherever_they_are() -> None:
    given(AWAY).when(ShortRest(characters=("brog", "ada"))).has("ada", fatigue=1)


def test_all_are_those_who_are_there() -> None:
    assert all_of(given()) == ("brog", "ada")
    assert all_of(given(AWAY)) == ("brog",)


def test_back_again_before_the_evening_is_over() -> None:
    table = given().when(AWAY).then(WentAbsent("ada"))
    table.when(Absent(character="ada", here=True)).then(CameBack("ada"))
    assert all_of(table) == ("brog", "ada")
    assert table.chronicle()[-2:] == ["Ada is away for the rest of the evening.", "Ada is here again."]


def test_the_next_session_expects_everybody() -> None:
    table = given(SessionOpen(), AWAY, SessionClose())
    assert all_of(table) == ("brog", "ada")
    table.and_given(Undo(turns=(6,)))
    assert all_of(table) == ("brog",)


def test_taking_it_back_lets_the_others_rest_with_her_after_all() -> None:
    given(AWAY, REST).when(Undo(turns=(4,))).has("ada", fatigue=1)


def test_what_is_so_already_is_refused() -> None:
    given(AWAY).when(AWAY).refused(None, "absent already")
    given().when(Absent(character="ada", here=True)).refused(None, "here already")


def test_nobody_leaves_with_an_open_injury() -> None:
    hurt = given(Damage(character="ada", amount=9))
    hurt.when(AWAY).refused("OSR 6.6", "Ada has an open injury")
    given(AWAY, Damage(character="ada", amount=9)).when(Absent(character="ada", here=True)).refused("OSR 6.6")
    given(Damage(character="brog", amount=9)).when(AWAY).then(WentAbsent("ada"))


def test_who_left_with_one_in_an_old_log_is_left_alone() -> None:
    start, *enrolled, left, hurt = given(AWAY, Damage(character="ada", amount=9)).log.turns
    turns = [start, *enrolled, replace(hurt, number=left.number), replace(left, number=hurt.number)]
    assert [finding for _, finding in decide_all_again(MemoryLog("osr", turns=turns))] == [None] * 5
