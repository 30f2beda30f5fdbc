"""An id is that of one turn: sent again it is answered, and nothing else is answered under it."""

from pathlib import Path

import pytest

from cli.store.branches import make_branch
from cli.store.file import open_campaign
from domain.common.notes import Note
from domain.common.revisions import Undo
from domain.log.command_handler import Command
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.refusal import Invalid
from tests.kit.on_disk import handler_of, note


def test_the_same_request_as_it_was_typed_is_answered_with_its_turn(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        handler = handler_of(log)
        injured = Damage(character="brog", amount=9)  # once that is so, the same again is refused
        for at, action in enumerate((Enrol(character="Brog"), Note(text="x", about="BROG"), injured, Undo(last=1))):
            turn = handler.record(action, turn_id=f"request {at}").turn
            handler.record(Note(text="between"))
            again = handler_of(log).record(action, turn_id=f"request {at}")
            assert again.repeated and again.turn == turn
        assert log.last() == 3 + 8


def test_it_is_read_as_it_was_right_after_the_turn_before_it(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        handler_of(log).record(Enrol(character="Brog"))
        outcomes = [handler_of(log).record(Note(text="x", about="BROG"), turn_id="request") for _ in range(2)]
        assert [outcome.repeated for outcome in outcomes] == [False, True]


def test_another_request_under_a_known_id_is_invalid_and_names_the_turn(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        handler = handler_of(log)
        handler.record(Note(text="x"), turn_id="request")
        for other in (Note(text="y"), Note(text="x", about="nobody"), Undo(last=1)):
            with pytest.raises(Invalid, match="'request' belongs to T4, which did something else; use another id"):
                handler.record(other, turn_id="request")
        assert log.last() == 4


def test_an_id_that_was_used_on_a_branch(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        make_branch(log, "plan", 3)
    with open_campaign(path, write=True, branch="plan") as log:
        log.append(note(4, turn_id="request"))
    with open_campaign(path, write=True) as log:
        with pytest.raises(Invalid, match="'request' belongs to a turn on branch plan; use another id"):
            handler_of(log).record(Note(text="x"), turn_id="request")
        lines = [Command(Note(text="y")), Command(Note(text="x"), turn_id="request")]
        with pytest.raises(Invalid, match="a turn on branch plan"):
            handler_of(log).record_together(lines)
        assert log.last() == 3
