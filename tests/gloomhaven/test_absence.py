"""Who is not there takes no part: scenarios, selection, the reveal, the order, the cleanup."""

from domain.common.presence import Absence, Retire
from domain.common.revisions import Undo
from domain.gloomhaven.exhaustion import Exhausted, ScenarioLost
from domain.gloomhaven.rounds import BeginRound, CleanUp, EndTurn, Reveal, Revealed, Select
from domain.gloomhaven.scenarios import BeginScenario, EndScenario, ScenarioBegun
from domain.log.deciding import decide
from domain.system.chance import Chance
from domain.turn import Action
from tests.gloomhaven.tables import brog, sheet, spell
from tests.kit.given import Given, unchanged

BROG = Select(character="brog", lead=1, second=2)
SPELL = Select(character="spell", lead=61, second=62)
GONE, BACK = Absence(character="spell"), Absence(character="spell", here=True)
ROUND = (brog(), spell(), BeginScenario(scenario="1"), BeginRound())


def given(*more: Action) -> Given:
    return Given("gloomhaven", *ROUND, *more)


def waits(table: Given) -> str:
    system, state = table.system, table.handler.state()
    decisions = (*system.pending_for_table(state), *system.pending_for_anyone(state))
    return " ".join(pending.why for pending in decisions)


def test_a_scenario_begins_for_those_who_are_there() -> None:
    table = Given("gloomhaven", brog(), spell(), GONE).when(BeginScenario(scenario="1"))
    assert [event.hp for event in table.events if isinstance(event, ScenarioBegun)] == [{"brog": 10}]
    table.and_given(BeginRound(), BROG).when(Reveal()).table_has(order=["brog"])
    # back in the middle: joins with the next one
    table.and_given(EndTurn(character="brog"), CleanUp(), BACK, BeginRound())
    table.when(SPELL).refused("GH 75", "joins with the next scenario")


def test_nobody_there_is_no_scenario() -> None:
    gone = (Absence(character="brog"), Retire(character="spell"))
    Given("gloomhaven", brog(), spell(), *gone).when(BeginScenario(scenario="1")).refused(None, "Nobody is here")


def test_the_reveal_does_not_wait_for_who_is_absent() -> None:
    given(BROG).when(Reveal()).refused("GH 75", "Spell has neither")
    table = given(BROG, GONE)
    assert "Spell" not in waits(table) and "Everyone has chosen." in waits(table)
    table.when(Reveal())
    assert [[place.character for place in event.order] for event in table.events if isinstance(event, Revealed)] == [
        ["brog"]
    ]


def test_a_reveal_with_nobody_left_is_no_turn() -> None:
    table = given(GONE, Absence(character="brog"))
    with unchanged(table):
        table.when(Reveal()).refused(None, "Nobody is here to act this round")
    assert waits(table) == "Nobody is here to act this round."
    table.and_given(BACK, SPELL).when(Reveal()).table_has(phase="turns", order=["spell"])


def test_an_old_log_in_which_nobody_was_left_at_a_reveal_is_decided_as_it_was() -> None:
    table = given(GONE, Absence(character="brog"))
    again = decide(table.system, table.handler.state(), Reveal(), Chance(1, {}, lenient=True), 7)
    assert not again.events


def test_who_goes_in_the_middle_is_skipped_and_keeps_the_cards() -> None:
    table = given(BROG, SPELL, Reveal(), GONE)
    table.table_has(order=["brog"])
    table.and_given(EndTurn(character="brog")).when(CleanUp())
    assert table.error is None
    table.has("spell", selected=[], hand=list(range(61, 69)), discard=[], lost=[], away="absent")
    table.and_given(BeginRound(), Select(character="brog", lead=3, second=4), Reveal())
    table.table_has(order=["brog"]).has("spell", hand=list(range(61, 69)))


def test_who_comes_back_before_the_cleanup_still_has_the_turn() -> None:
    table = given(BROG, SPELL, Reveal(), GONE, EndTurn(character="brog"), BACK)
    table.when(CleanUp()).refused("GH 69", "Spell's turn is still to come")


def test_what_lay_face_down_of_who_left_goes_back_into_the_hand() -> None:
    table = given(BROG, SPELL, GONE, Reveal(), EndTurn(character="brog")).when(CleanUp())
    table.has("spell", selected=[], hand=list(range(61, 69)))


def test_who_is_absent_or_retired_selects_nothing() -> None:
    given(GONE).when(SPELL).refused(None, "Spell is not here tonight")
    given(Retire(character="spell")).when(SPELL).refused(None, "Spell has retired")


def test_who_has_retired_plays_no_further_scenario_and_undone_does() -> None:
    table = given(BROG, Retire(character="spell"), Reveal(), EndTurn(character="brog"), CleanUp())
    table.and_given(EndScenario(won=True)).when(BeginScenario(scenario="2"))
    assert [list(event.hp) for event in table.events if isinstance(event, ScenarioBegun)] == [["brog"]]
    fresh = Given("gloomhaven", brog(), spell(), Retire(character="spell"), Undo(turns=(4,)))
    assert fresh.when(BeginScenario(scenario="1")).has("spell", away=None).error is None
    assert [list(event.hp) for event in fresh.events if isinstance(event, ScenarioBegun)] == [["brog", "spell"]]


def test_14_the_scenario_is_lost_with_the_last_who_has_not_retired() -> None:
    out = sheet(hp=1)
    hit = {"type": "gloomhaven.damage", "character": "brog", "amount": 9}
    absent = given(GONE, out).when(hit)
    assert [event for event in absent.events if isinstance(event, Exhausted)]
    absent.quiet_about(ScenarioLost)
    given(Retire(character="spell"), out).when(hit).then_some(ScenarioLost())
