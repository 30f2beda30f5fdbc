"""Who is absent for an evening, and whose story has ended."""

from domain.common.presence import Absence, AbsenceTold, Retire, Retired
from domain.common.revisions import Undo
from domain.common.sessions import SessionClose, SessionOpen
from domain.common.sheets import Override
from domain.osr.absence import Absent, CameBack
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.system.groups import able, party, present
from domain.turn import Action
from tests.kit.given import Given

ENROLLED = (
    Enrol(character="hob", player="Ann", rolled=(5,)),
    Enrol(character="ada", player="Bea", rolled=(4,)),
    Enrol(character="mule", hit_dice=1, rolled=(3,)),
    Enrol(character="wight", side="foe", rolled=(3,)),
)
GONE, BACK = Absence(character="ada", why="the last train"), Absence(character="ada", here=True)


def given(*more: Action) -> Given:
    return Given("osr", *ENROLLED, *more)


def groups(table: Given) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    system, state = table.system, table.handler.state()
    return present(system, state), able(system, state), party(system, state)


def test_who_is_absent_is_in_neither_all_nor_party_until_back() -> None:
    assert groups(given()) == (("hob", "ada", "mule"), ("hob", "ada", "mule"), ("hob", "ada"))
    table = given().when(GONE).then(AbsenceTold("ada", False, "the last train")).has("ada", away="absent")
    assert groups(table) == (("hob", "mule"), ("hob", "mule"), ("hob",))
    table.when(BACK).then(AbsenceTold("ada", True)).has("ada", away=None)
    assert groups(table)[2] == ("hob", "ada")
    assert table.chronicle()[-2:] == ["Ada is away for the rest of the evening: the last train.", "Ada is here again."]


def test_the_end_of_the_session_ends_it() -> None:
    given(SessionOpen(), GONE).when(SessionClose()).has("ada", away=None)
    given(GONE, SessionOpen()).when(SessionClose()).has("ada", away=None)


def test_what_osr_noted_first_is_the_same() -> None:
    table = given(Absent(character="ada")).has("ada", away="absent")
    table.when(GONE).refused(None, "absent already")
    table.when(Absent(character="ada", here=True)).then(CameBack("ada")).has("ada", away=None)
    given(GONE).when(Absent(character="ada")).refused(None, "absent already")


def test_what_is_so_already_is_refused() -> None:
    given(GONE).when(GONE).refused(None, "Ada is absent already")
    given().when(BACK).refused(None, "Ada is here already")
    given(Retire(character="ada")).when(GONE).refused(None, "Ada has retired")
    given(Retire(character="ada")).when(Absent(character="ada")).refused(None, "Ada has retired")
    given(Retire(character="ada")).when(Retire(character="ada")).refused(None, "Ada has retired already")


def test_nobody_misses_an_evening_with_an_open_injury_and_the_dead_miss_none() -> None:
    given(Damage(character="ada", amount=9)).when(GONE).refused("OSR 6.6", "open injury")
    dead = given(Override(character="ada", set={"condition": "dead"}, why="a fall"))
    dead.when(GONE).refused("OSR 6.7", "Ada is dead")
    dead.when(Retire(character="ada")).refused("OSR 6.7", "Ada is dead")


def test_who_retires_is_out_of_it_until_that_is_undone() -> None:
    table = given().when(Retire(character="ada", why="a tavern of her own")).then(Retired("ada", "a tavern of her own"))
    table.has("ada", away="retired")
    assert groups(table) == (("hob", "mule"), ("hob", "mule"), ("hob",))
    assert table.chronicle()[-1] == "Ada retires: a tavern of her own."
    table.and_given(SessionOpen(), SessionClose()).has("ada", away="retired")
    table.when(Undo(turns=(6,))).has("ada", away=None)


def test_who_was_absent_may_retire() -> None:
    given(GONE).when(Retire(character="ada")).has("ada", away="retired")
    # and whatever was said of that evening does not bring them back
    table = given(SessionOpen(), GONE, Retire(character="ada"))
    table.when({**_json(BACK), "after": "T7"}).has("ada", away="retired")


def _json(action: Action) -> dict[str, object]:
    import msgspec

    value: dict[str, object] = msgspec.to_builtins(action)
    return value


def test_a_collapsed_hireling_is_here_and_cannot_act() -> None:
    table = given(Override(character="mule", set={"condition": "collapsed"}, why="heat"))
    assert groups(table)[:2] == (("hob", "ada", "mule"), ("hob", "ada"))
