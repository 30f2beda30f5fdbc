"""What a seat may do: whatever is refused here never reaches the rules."""

import pytest
from msgspec.structs import replace

from cli.line.understanding import Understood
from cli.recording.audience import Audience
from cli.serving.invitations import Role, Seat
from cli.serving.permissions import NOTHING_TO_RESTORE, SeatPermissions, is_for_players
from cli.serving.recent_turns import RecentTurns
from domain.common.dice import RollDice
from domain.common.notes import Note
from domain.common.revisions import Amend, Amended, Redo, Undo
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
    return SeatPermissions(table.handler, audience, Seat(role, name), RecentTurns(), by=name or role, readonly=readonly)


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
    kinds = (Damage, Note, RollDice, Enrol, SessionOpen, Override, Undo, Amend)
    assert [kind for kind in kinds if is_for_players(kind)] == [Damage, Note, RollDice]


def test_a_bare_undo_is_of_the_own_last_line(table: Given) -> None:
    mia = seat(table, "player", "Mia")
    assert refusal(mia, Undo()) == "You have recorded nothing yet that you could undo."
    table.handler.record(Note(text="Rain"), by="Mia")
    table.handler.record(Note(text="Fog"), by="Jo")
    assert mia.admit(Understood((Undo(),))).actions == (Undo(turns=(4,)),)
    assert refusal(mia, Undo(turns=(5,))) == "You may undo your own last line, T4, and no other."
    table.handler.record(Undo(turns=(4,)), by="Mia")
    assert refusal(mia, Undo()) == "You have undone your last line already; redo restores it."
    table.handler.record(Redo(turn=6), by="Jo")
    for _ in range(200):
        table.handler.record(Note(text="Wind"), by="Jo")
    assert refusal(mia, Undo()) == "None of the last 200 turns is yours to undo."
    # the referee's is of the last line of all, which the log finds
    assert seat(table, "referee").admit(Understood((Undo(),))).actions == (Undo(),)


def test_a_bare_redo_is_of_the_own_undo_as_long_as_nothing_own_came_since(table: Given) -> None:
    mia = seat(table, "player", "Mia")
    table.handler.record(Note(text="Rain"), by="Mia")
    table.handler.record(Undo(turns=(4,)), by="Mia")
    table.handler.record(Note(text="Fog"), by="Jo")
    table.handler.record(Undo(turns=(6,)), by="Jo")
    assert mia.admit(Understood((Redo(),))).actions == (Redo(turn=5),)
    for redo in (Redo(turn=7), Redo(last=1), Redo(turn=5, conflicts="drop")):
        assert refusal(mia, redo) == (
            "Later turns rest on it; whoever keeps the log can settle that." if redo.conflicts else NOTHING_TO_RESTORE
        )
    table.handler.record(Redo(turn=5), by="Mia")
    assert refusal(mia, Redo()) == NOTHING_TO_RESTORE
    table.handler.record(Undo(turns=(4,)), by="Mia")
    table.handler.record(Note(text="Snow"), by="Mia")
    assert refusal(mia, Redo()) == NOTHING_TO_RESTORE
    assert seat(table, "referee").admit(Understood((Redo(),))).actions == (Redo(),)


def test_an_amendment_is_of_the_own_last_line_and_of_the_own_characters(table: Given) -> None:
    mia = seat(table, "player", "Mia")
    damage = {"type": "osr.damage", "character": "Brog", "amount": 1}
    table.handler.record(Damage(character="Brog", amount=1), by="Mia")
    table.handler.record(RollDice(dice="2d6"), by="Jo")
    mend = Amend(turn=4, action={**damage, "amount": 2})
    assert mia.admit(Understood((mend,))).actions == (mend,)
    of_others = "You may change your own last line, T4, and no other."
    assert refusal(mia, Amend(turn=5, action={"type": "roll", "dice": "3d6"})) == of_others
    assert refusal(mia, replace(mend, also=(Amended(5, {"type": "roll", "dice": "3d6"}),))) == of_others
    assert refusal(mia, replace(mend, action={**damage, "character": "Ada"})) == "Mia does not play Ada."
    assert refusal(mia, replace(mend, action={"type": "session.open"})) == "session open is for whoever keeps the log."
    assert "Later turns rest on it" in refusal(mia, replace(mend, conflicts="keep"))
    assert refusal(seat(table, "player", "Ruth"), mend) == "You may change your own last line, and no other."


def test_a_seat_that_only_reads_records_nothing(table: Given) -> None:
    for permissions in (seat(table, "table"), seat(table, "referee", readonly=True)):
        assert refusal(permissions, Note(text="Rain")) == "You can only read here."


@pytest.mark.parametrize(
    ("line", "completed"),
    [("damage ", True), ("undo", False), ("redo", False), ("T2", False), ("amend T2", False), ("amend", False),
     ("T4", True), ("amend T4", True), ("T4 amount=2 T2", False)],
)  # fmt: skip
def test_a_players_line_about_others_turns_is_not_completed(table: Given, line: str, completed: bool) -> None:
    table.handler.record(Damage(character="Brog", amount=1), by="Mia")
    assert seat(table, "player", "Mia").may_be_completed(line) is completed
    assert seat(table, "referee").may_be_completed(line)
