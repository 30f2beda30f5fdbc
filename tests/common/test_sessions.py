"""Sessions and notes."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.common.notes import Noted
from domain.common.sessions import SessionClosed, SessionOpened
from domain.system.state import CampaignSheet, Game, Options, Sheet, TableState
from tests.kit.given import Given, unchanged

OPEN = {"type": "session.open"}
CLOSE = {"type": "session.close"}


def note(text: str = "Rain.", **more: Any) -> dict[str, Any]:
    return {"type": "note", "text": text, **more}


def table(*values: dict[str, Any]) -> Given:
    at = Given("osr").when({"type": "osr.enrol", "character": "brog", "rolled": [4]})
    for value in values:
        at.when(value)
        assert at.error is None, at.error
    return at


# -- sessions ----------------------------------------------------------------------------------------------


def test_a_session_opens_with_what_was_said_of_it() -> None:
    table().when({**OPEN, "title": "The crypt", "date": "2026-11-21", "place": "Ann's"}).then(
        SessionOpened(1, "The crypt", "2026-11-21", "Ann's")
    )


def test_sessions_are_numbered_on_from_the_last() -> None:
    at = table(OPEN, CLOSE).when(OPEN).then(SessionOpened(2))
    at.when(CLOSE).then(SessionClosed(2))


def test_a_session_can_be_given_a_number_and_the_next_goes_on_from_it() -> None:
    table({**OPEN, "number": 7}, CLOSE).when(OPEN).then(SessionOpened(8))


def test_a_number_below_the_last_that_was_never_used() -> None:
    table({**OPEN, "number": 7}, CLOSE).when({**OPEN, "number": 3}).then(SessionOpened(3))
    table({**OPEN, "number": 7}, CLOSE, {**OPEN, "number": 3}, CLOSE).when(OPEN).then(SessionOpened(8))


def test_no_session_opens_while_one_is_open() -> None:
    at = table({**OPEN, "number": 4})
    with unchanged(at):
        at.when(OPEN).refused(None, "Session 4 is still open")


def test_a_number_used_before_is_refused_also_if_its_turn_was_undone() -> None:
    at = table(OPEN, CLOSE)
    at.when({**OPEN, "number": 1}).refused(None, "Session 1 has been used")
    at.when({"type": "undo", "turns": [3, 4]}).when({**OPEN, "number": 1}).refused(None, "Session 1 has been used")


@pytest.mark.parametrize("number", [0, -1, 1.5, "2", 2**53 + 1, True])
def test_a_number_is_a_whole_number_from_1(number: Any) -> None:
    table().when({**OPEN, "number": number}).invalid()


def test_a_session_closes_with_its_summary() -> None:
    table(OPEN).when({**CLOSE, "summary": "They fled."}).then(SessionClosed(1, "They fled."))


def test_none_open_none_closed() -> None:
    table().when(CLOSE).refused(None, "No session is open")
    table(OPEN, CLOSE).when(CLOSE).refused(None, "No session is open")


def test_turns_may_be_logged_outside_a_session() -> None:
    assert table(note(), OPEN, CLOSE, note()).handler.state().campaign.session is None


def test_sessions_can_be_undone_like_any_other_turn() -> None:
    at = table(OPEN).when({"type": "undo"}).when(CLOSE).refused(None, "No session is open")
    at.when({"type": "redo"}).when(CLOSE).then(SessionClosed(1))
    at.when({"type": "undo"}).when(OPEN).refused(None, "Session 1 is still open")


# -- notes -------------------------------------------------------------------------------------------------


def test_a_note_is_text_of_any_language() -> None:
    table().when(note("Дождь 雨 🌧\n\tعاصفة")).then(Noted("Дождь 雨 🌧\n\tعاصفة"))


def test_a_note_about_a_character_a_rule_and_a_turn() -> None:
    table().when(note(about="BROG", rule="OSR 6.4", turn=2)).then(Noted("Rain.", "brog", "6.4", 2))


def test_a_note_changes_no_sheet() -> None:
    at = table()
    sheets = at.sheets()
    assert at.when(note(about="brog")).sheets() == sheets


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_a_note_must_not_be_blank(text: str) -> None:
    table().when(note(text)).invalid("must not be blank")


def test_a_note_about_an_unknown_character_is_refused() -> None:
    table().when(note(about="borg")).refused(None, "did you mean brog?")


@pytest.mark.parametrize("rule", ["6.13", "6", "", "DH 6.4", "GH 80", "6.4a"])
def test_a_note_about_an_unknown_rule_is_refused_and_the_known_ones_are_named(rule: str) -> None:
    table().when(note(rule=rule)).refused(None, "6.8 and 4 more")


@pytest.mark.parametrize("rule", ["6.4", "OSR 6.4", "osr 6.4", " OSR  6.4 "])
def test_a_rule_may_be_cited_in_two_ways(rule: str) -> None:
    table().when(note(rule=rule)).then(Noted("Rain.", rule="6.4"))


def test_a_note_about_a_turn_that_is_not_there_is_refused() -> None:
    table().when(note(turn=3)).refused(None, "no turn T3 yet; the last one is T2")
    table().when(note(turn=99)).refused(None, "no turn T99")
    table().when(note(turn=0)).invalid()


def test_a_note_about_an_undone_turn_is_in_order() -> None:
    table(note(), {"type": "undo"}).when(note(turn=3)).then(Noted("Rain.", turn=3))


def test_a_note_about_the_dead_is_in_order() -> None:
    dead = {"type": "override", "character": "brog", "set": {"condition": "dead"}, "why": "so be it"}
    table(dead).when(note(about="brog")).then(Noted("Rain.", "brog"))


def test_a_rule_system_ends_more_than_an_absence_with_its_session() -> None:
    class Tired(Sheet, frozen=True):
        breaks: int = 0

        def after_session(self) -> "Tired":
            return replace(super().after_session(), breaks=0)

    sheets: dict[str, Sheet] = {"Brog": Tired(breaks=2, away="absent"), "Wen": Sheet(away="retired")}
    state = Game(campaign=CampaignSheet(session=1), table=TableState(), options=Options(), characters=sheets)
    SessionClosed(number=1).fold(state)
    assert state.characters == {"Brog": Tired(), "Wen": Sheet(away="retired")}
