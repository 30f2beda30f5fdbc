"""What a seat may do: whatever is refused here never reaches the rules."""

import pytest

from cli.line.understanding import Understood
from cli.recording.audience import Audience
from cli.serving.invitations import Role, Seat
from cli.serving.permissions import SeatPermissions, is_for_players
from domain.common.notes import Note
from domain.common.revisions import Amend, Undo
from domain.common.sessions import SessionOpen
from domain.common.sheets import Override
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.refusal import Refusal
from domain.turn import Action
from tests.kit.given import Given


@pytest.fixture
def table() -> Given:
    return Given("osr", Enrol(character="Brog", player="Mia"), Enrol(character="Ada", player="Jo"))


def seat(table: Given, role: Role, name: str = "", *, readonly: bool = False) -> SeatPermissions:
    audience = Audience(table.log, table.system, table.handler.state, viewer=name, keeper=role == "referee")
    return SeatPermissions(table.handler, audience, Seat(role, name), by=name or role, readonly=readonly)


def refusal(permissions: SeatPermissions, *actions: Action) -> str:
    with pytest.raises(Refusal) as refused:
        permissions.admit(Understood(actions))
    return refused.value.reason


def test_a_player_acts_for_the_own_characters_and_notes_for_all(table: Given) -> None:
    mia = seat(table, "player", "Mia")
    for action in (Damage(character="Brog", amount=1), Note(text="Rain", about="Ada")):
        assert mia.admit(Understood((action,))).actions == (action,)
    assert refusal(mia, Damage(character="Ada", amount=1)) == "Mia does not play Ada."
    assert refusal(mia, Damage(character="Brog", amount=1), Damage(character="Ada", amount=1)) == (
        "Mia does not play Ada."
    )


def test_only_what_is_about_somebody_who_plays_is_for_players() -> None:
    assert [kind for kind in (Damage, Note, Enrol, SessionOpen, Override, Undo, Amend) if is_for_players(kind)] == [
        Damage, Note,
    ]  # fmt: skip


def test_a_bare_undo_is_of_the_own_last_line(table: Given) -> None:
    mia = seat(table, "player", "Mia")
    assert refusal(mia, Undo()) == "You have recorded nothing yet that you could undo."
    table.handler.record(Note(text="Rain"), by="Mia")
    table.handler.record(Note(text="Fog"), by="Jo")
    assert mia.admit(Understood((Undo(),))).actions == (Undo(turns=(4,)),)
    assert refusal(mia, Undo(turns=(5,))) == "You may undo your own last line, T4, and no other."
    # the referee's is of the last line of all, which the log finds
    assert seat(table, "referee").admit(Understood((Undo(),))).actions == (Undo(),)


def test_a_seat_that_only_reads_records_nothing(table: Given) -> None:
    for permissions in (seat(table, "table"), seat(table, "referee", readonly=True)):
        assert refusal(permissions, Note(text="Rain")) == "You can only read here."


@pytest.mark.parametrize(
    ("line", "completed"), [("damage ", True), ("undo", False), ("T2", False), ("amend T2", False)]
)
def test_a_players_line_about_earlier_turns_is_not_completed(table: Given, line: str, completed: bool) -> None:
    assert seat(table, "player", "Mia").may_be_completed(line) is completed
    assert seat(table, "referee").may_be_completed(line)
