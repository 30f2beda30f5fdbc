"""Who is not at the table tonight takes no part when all rest together (OSR 6.4), nor in what `all` do."""

from typing import Any

from cli.line.values import Context
from domain.common.revisions import Undo
from domain.common.sessions import SessionClose, SessionOpen
from domain.osr.absence import Absent, CameBack, WentAbsent
from domain.osr.hit_points import Enrol
from domain.osr.rests import ShortRest
from domain.turn import Action
from tests.kit.given import Given

ENROLLED = (Enrol(character="brog", rolled=(5,)), Enrol(character="ada", rolled=(4,)))
AWAY = Absent(character="ada")
REST = ShortRest(characters=("brog",))


def given(*more: Action, **options: Any) -> Given:
    return Given("osr", *ENROLLED, *more, options={"short_rest_together": True, **options})


def all_of(table: Given) -> tuple[str, ...]:
    return Context(table.system, table.scribe.state(), table.log).able()


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
    assert table.chronicle()[-2:] == ["Ada is not here tonight.", "Ada is here again."]


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
