"""Two at one log: whoever comes second reads on and decides again, an undo too."""

from typing import Any

import pytest

from domain.common.sessions import SessionOpened
from domain.log.command_handler import MOST_TRIES
from domain.log.port import NumberTaken
from domain.refusal import Refusal
from domain.turn import Turn, TurnUndone
from tests.kit.given import Given
from tests.kit.soundness import is_sound
from tests.kit.tables import second_handler
from tests.osr.asked import NOTE, hit


@pytest.fixture
def table() -> Given:
    at = Given("osr").when({"type": "osr.enrol", "character": "brog", "level": 2, "rolled": [5, 6]})
    return at.when(hit(1))


def just_before(at: Given, value: dict[str, Any]) -> None:
    """Somebody else appends this directly before the next append."""
    other, append = second_handler(at), at.log.append

    def late(turn: Turn) -> None:
        at.log.append = append  # type: ignore[method-assign]
        other.record(at.line(value))
        append(turn)

    at.log.append = late  # type: ignore[method-assign]


def test_the_second_is_decided_on_what_the_first_left(table: Given) -> None:
    just_before(table, hit(4))
    table.when(hit(2)).has("brog", hp=4)
    assert table.outcome is not None
    assert table.outcome.turn.number == 5
    is_sound(table)


def test_the_latest_turn_is_then_another(table: Given) -> None:
    just_before(table, NOTE)
    table.when({"type": "undo"}).then(TurnUndone(4))


def test_a_turn_that_the_first_has_undone_cannot_be_undone_again(table: Given) -> None:
    just_before(table, {"type": "undo", "turns": [3]})
    with pytest.raises(Refusal, match="T3 is undone already, by T4"):
        table.handler.record(table.line({"type": "undo", "turns": [3]}))


def test_a_number_is_given_out_once(table: Given) -> None:
    just_before(table, {"type": "session.open", "number": 3})
    with pytest.raises(Refusal, match="Session 3 is still open"):
        table.handler.record(table.line({"type": "session.open"}))
    just_before(table, {"type": "undo", "turns": [4]})
    with pytest.raises(Refusal, match="No session is open"):
        table.handler.record(table.line({"type": "session.close"}))
    table.when({"type": "session.open"}).then(SessionOpened(4))


def test_a_turn_sent_twice_under_one_id_is_recorded_once(table: Given) -> None:
    one = table.handler.record(table.line(hit(1)), turn_id="once")
    other = second_handler(table).record(table.line(hit(1)), turn_id="once")
    assert (one.repeated, other.repeated) == (False, True)
    assert other.turn == one.turn
    assert table.log.last() == 4


def test_whoever_never_comes_first_gives_up_with_a_sentence(table: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[Turn] = []

    def taken(turn: Turn) -> None:
        tries.append(turn)
        raise NumberTaken

    monkeypatch.setattr(table.log, "append", taken)
    table.when(hit(1)).refused(None, "Try again")
    assert len(tries) == MOST_TRIES
    assert len({turn.seed for turn in tries}) == 1, "every try draws the same"


@pytest.mark.parametrize("value", [{"type": "undo", "turns": [3]}, {"type": "amend", "turn": 3, "action": hit(2)}])
def test_a_state_read_before_a_revision_of_somebody_else_is_read_anew(table: Given, value: dict[str, Any]) -> None:
    other = second_handler(table)
    assert other.state().characters["brog"].hp == 10
    table.when(value)
    assert other.state() == table.handler.state()
    assert other.state().characters["brog"].hp != 10
