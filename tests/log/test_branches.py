"""A line of play beside the campaign: begun at a point, played, compared, adopted or forgotten."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from cli.store.branches import common_turns, delete_branch, make_branch, switch_to
from cli.store.failures import Unopenable
from cli.store.file import CampaignFile, open_campaign
from cli.store.layout import MAIN
from cli.store.making import create
from domain.common.notes import Note
from domain.common.paragraphs import ParagraphAdd
from domain.common.revisions import Adopt, Amend, Redo, Undo
from domain.common.rulings import Ruling
from domain.common.start import CampaignStart
from domain.log.adopting import decide_adoption
from domain.log.backdating import Backdating
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_turns
from domain.log.folding import state_at
from domain.log.port import MemoryLog
from domain.osr.hit_points import Enrol
from domain.osr.injuries import Damage
from domain.osr.rests import ShortRest
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import system_of
from domain.turn import Action
from tests.kit.elsewhere import move_home
from tests.kit.on_disk import handler_of

#: An adopted turn is known by its seed, which no other turn has.
SEEDS = count(1)


def record(path: Path, *actions: Action, branch: str = MAIN) -> None:
    with open_campaign(path, write=True, branch=branch) as log:
        handler = handler_of(log, SEEDS)
        for action in actions:
            handler.record(action)


def hp(path: Path, branch: str = MAIN) -> int:
    with open_campaign(path, branch=branch) as log:
        sheet = state_at(system_of("osr"), log).characters["brog"]
        return int(sheet.hp)


def adopt(path: Path, name: str = "plan", conflicts: str | None = None) -> list[str]:
    with open_campaign(path, write=True) as log, open_campaign(path, branch=name) as line:
        made = decide_adoption(handler_of(log, SEEDS), line, name, common_turns(log, line), conflicts)  # type: ignore[arg-type]
        log.append_all(made.turns)
        return [later.reason for later in made.left_out]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A campaign with Brog at 11 hit points at T2, a branch `plan` begun after T3, and one more turn on main."""
    move_home(monkeypatch, tmp_path / "cache")
    file = tmp_path / "dc.campaign"
    start = MemoryLog("osr")
    turn = handler_of(start).record(CampaignStart(name="Test", rules="osr")).turn
    create(file, "test", turn)
    record(file, Enrol(character="brog", level=2, rolled=(5, 6)), Damage(character="brog", amount=1))
    with open_campaign(file, write=True) as log:
        make_branch(log, "plan", 3)
    record(file, Damage(character="brog", amount=2))
    yield file


def test_a_branch_begins_where_it_was_told_and_goes_its_own_way(path: Path) -> None:
    assert hp(path, "plan") == 10
    record(path, Damage(character="brog", amount=5), branch="plan")
    assert (hp(path), hp(path, "plan")) == (8, 5)
    with open_campaign(path, branch="plan") as line:
        assert [turn.number for turn in line.read()] == [1, 2, 3, 4]
        assert (line.last(), line.fork) == (4, 3)


def test_making_one_appends_no_turn(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        before = [turn.id for turn in log.read()]
        make_branch(log, "other", 2)
        assert [turn.id for turn in log.read()] == before


def test_a_branch_of_a_branch_reads_what_both_share(path: Path) -> None:
    record(path, Damage(character="brog", amount=5), branch="plan")
    with open_campaign(path, write=True, branch="plan") as line:
        make_branch(line, "deeper", 4)
        make_branch(line, "earlier", 2)
    record(path, Note(text="deeper"), branch="deeper")
    assert (hp(path, "deeper"), hp(path, "earlier")) == (5, 11)
    with open_campaign(path, branch="deeper") as line:
        assert line.last() == 5


def test_switching_is_remembered_in_the_file(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        switch_to(log, "plan")
    with open_campaign(path) as log:
        assert log.branch == "plan"
        with pytest.raises(Refusal, match="You are on plan"):
            delete_branch(log, "plan")


def test_undoing_on_a_branch_leaves_main_alone(path: Path) -> None:
    record(path, Undo(turns=(3,)), branch="plan")
    assert (hp(path), hp(path, "plan")) == (8, 11)


def test_adopted_turns_speak_of_each_other_by_their_new_numbers(path: Path) -> None:
    record(
        path,
        Damage(character="brog", amount=1),
        ParagraphAdd(rule="H1", title="Ours", text="So.", because=(3, 4)),
        Note(text="plan", turn=5, rule="H1"),
        branch="plan",
    )
    assert adopt(path) == []
    with open_campaign(path) as log:
        *_, added, note, _ = log.read()
        assert (added.number, added.action.because) == (6, (3, 5))  # type: ignore[attr-defined]
        assert (note.number, note.action.turn) == (7, 6)  # type: ignore[attr-defined]


def test_adopted_rulings_count_from_the_turns_that_they_counted_from_on_the_branch(path: Path) -> None:
    record(
        path,
        Ruling(rule="6.4", text="Since where both lines part.", since="T3"),
        Damage(character="brog", amount=1),
        Note(text="Told between them."),
        Ruling(rule="6.5", text="Since a turn of the branch.", since="T5"),
        branch="plan",
    )
    assert adopt(path) == []
    with open_campaign(path) as log:
        rulings = [(turn.number, turn.action.since) for turn in log.read() if isinstance(turn.action, Ruling)]
    # a turn of the branch comes here anew, and what counts from it directly behind it
    assert rulings == [(5, "T3"), (7, None)]
    record(path, Ruling(rule="6.6", text="Since a turn that was adopted.", since="T5"), branch="plan")
    assert adopt(path) == []
    with open_campaign(path) as log:
        assert [turn.action.since for turn in log.read(9) if isinstance(turn.action, Ruling)] == ["T6"]


def test_adopting_decides_the_turns_here_with_the_dice_they_had(path: Path) -> None:
    record(path, ShortRest(characters=("brog",), rolled={"brog": (2, 3)}), Note(text="plan"), branch="plan")
    assert adopt(path) == []
    with open_campaign(path) as log:
        kinds = [type(t.action).__name__ for t in effective_turns(log)]
        assert kinds == ["CampaignStart", "Enrol", "Damage", "Damage", "ShortRest", "Note", "Adopt"]
    assert hp(path) == 5


def test_what_the_branch_undid_of_its_own_is_not_adopted(path: Path) -> None:
    record(path, Damage(character="brog", amount=5), Undo(), Note(text="only this"), branch="plan")
    adopt(path)
    assert hp(path) == 8


def test_what_the_branch_undid_of_the_common_past_is_undone_here(path: Path) -> None:
    record(path, Undo(turns=(3,)), branch="plan")
    adopt(path)
    assert hp(path) == 9


def test_an_illegal_turn_is_a_conflict_and_nothing_is_appended(path: Path) -> None:
    record(path, ShortRest(characters=("brog",), rolled={"brog": (2, 3)}), branch="plan")
    record(path, Damage(character="brog", amount=20))
    with pytest.raises(Conflict) as caught:
        adopt(path)
    assert [(later.turn, later.rule) for later in caught.value.turns] == [(4, "OSR 6.6")]
    with open_campaign(path) as log:
        assert log.last() == 5


def test_conflicts_are_dropped_or_kept(path: Path) -> None:
    record(path, ShortRest(characters=("brog",), rolled={"brog": (2, 3)}), Note(text="and"), branch="plan")
    record(path, Damage(character="brog", amount=20))
    assert len(adopt(path, conflicts="drop")) == 1
    assert hp(path) == 0
    assert len(adopt(path, conflicts="keep")) == 1
    assert hp(path) == 5
    with open_campaign(path) as log:
        assert [effective_turn.number for effective_turn in effective_turns(log) if effective_turn.kept] == [8]


def test_an_amendment_that_is_not_legal_here_is_left_out_even_if_others_are_kept(path: Path) -> None:
    """Without what came of it, it would still be the action of the turn that it names."""
    record(path, Amend(turn=3, action={"type": "osr.damage", "character": "brog", "amount": 2}), branch="plan")
    record(path, Note(text="and"), branch="plan")
    record(path, Undo(turns=(3,)))
    assert len(adopt(path, conflicts="keep")) == 1
    with open_campaign(path) as log:
        assert [type(effective_turn.action) for effective_turn in effective_turns(log, after=log.last() - 2)] == [
            Note,
            Adopt,
        ]
        assert [
            type(effective_turn.action) for effective_turn in effective_turns(log) if effective_turn.number == 3
        ] == [Damage]
        assert next(
            effective_turn.action for effective_turn in effective_turns(log) if effective_turn.number == 3
        ) == Damage(character="brog", amount=1)


def test_a_branch_that_went_on_is_adopted_from_there(path: Path) -> None:
    """As where another copy is joined again: what was adopted before is not done a second time."""
    record(path, Damage(character="brog", amount=3), Note(text="ghoul", turn=4), branch="plan")
    adopt(path)  # T5, T6, T7
    assert hp(path) == 5
    record(path, Damage(character="brog", amount=1), Note(text="again", turn=4), branch="plan")
    adopt(path)
    with open_campaign(path) as log:
        *_, hit, note, adopted = log.read()
    assert (hp(path), hit.number, note.action.turn, adopted.action.turns) == (4, 8, 5, (8, 9))  # type: ignore[attr-defined]
    with pytest.raises(Refusal, match="All of plan was adopted already"):
        adopt(path)
    record(path, Undo(turns=(8, 9, 10)))  # the second adoption
    adopt(path)
    assert hp(path) == 4


def test_what_the_branch_revised_of_what_was_adopted_is_revised_here(path: Path) -> None:
    less = Amend(turn=4, action={"type": "osr.damage", "character": "brog", "amount": 2})
    record(path, Damage(character="brog", amount=3), less, Damage(character="brog", amount=1), branch="plan")
    adopt(path)  # T5 and T6, with the amended amount
    assert hp(path) == 5
    record(path, Undo(turns=(6,)), branch="plan")
    adopt(path)
    assert hp(path) == 6
    with open_campaign(path) as log:
        assert [type(turn.action) for turn in log.read(after=7)] == [Undo, Adopt]
    none = Amend(turn=4, action={"type": "osr.damage", "character": "brog", "amount": 0})
    record(path, none, branch="plan")
    with open_campaign(path, write=True, branch="plan") as line:
        handler_of(line, SEEDS).record(Damage(character="brog", amount=1), backdating=Backdating(after="T4"))
    adopt(path)
    with open_campaign(path) as log:
        assert [(turn.number, turn.place) for turn in effective_turns(log) if turn.place is not None] == [(10, 5)]
    assert hp(path) == 7


def test_nothing_to_adopt_is_refused(path: Path) -> None:
    with pytest.raises(Refusal, match="nothing"):
        adopt(path)


@pytest.mark.parametrize("name", ["", "T4", "s2", "@", "a..b", "a b", "4th", "x" * 41, "a\u202eb"])
def test_names_that_could_be_taken_for_something_else(path: Path, name: str) -> None:
    with open_campaign(path, write=True) as log, pytest.raises(Invalid):
        make_branch(log, name, 1)


def test_a_name_is_given_once_until_it_is_deleted(path: Path) -> None:
    with open_campaign(path, write=True) as log:
        with pytest.raises(Refusal, match="already"):
            make_branch(log, "plan", 1)
        delete_branch(log, "plan")
        with pytest.raises(Refusal, match="no branch"):
            switch_to(log, "plan")
        make_branch(log, "plan", 1)
    with open_campaign(path, branch="plan") as line:
        assert line.last() == 1


def test_an_unknown_branch_cannot_be_opened(path: Path) -> None:
    with pytest.raises(Unopenable, match="known: main and plan"):
        open_campaign(path, branch="nothing")


def test_an_id_of_another_branch_is_not_found_here(path: Path) -> None:
    with open_campaign(path, write=True, branch="plan") as line:
        turn = handler_of(line).record(Note(text="x")).turn
    with open_campaign(path) as log:
        assert log.find(turn.id) is None
        assert isinstance(log, CampaignFile)


def test_states_kept_for_main_are_not_taken_for_a_branch(path: Path) -> None:
    record(path, *(Damage(character="brog", amount=0) for _ in range(210)))
    with open_campaign(path, write=True) as log:
        make_branch(log, "late", 100)
    record(
        path,
        *(Damage(character="brog", amount=0) for _ in range(210)),
        Damage(character="brog", amount=8),
        branch="late",
    )
    with open_campaign(path, write=True, branch="late") as line:
        assert CommandHandler.state(handler_of(line)).characters["brog"].hp == 0
    assert hp(path) == 8


def test_what_was_told_late_on_the_branch_cannot_be_kept(path: Path) -> None:
    with open_campaign(path, write=True, branch="plan") as line:
        handler_of(line).record(Damage(character="brog", amount=5), backdating=Backdating(after="T2"))
    record(path, Undo(turns=(2,), conflicts="drop"), Note(text="and"))
    record(path, Note(text="so"), branch="plan")
    (reason,) = adopt(path, conflicts="keep")
    assert reason.endswith("It is a late entry that later turns would rest on, so it cannot be kept.")


def test_what_the_branch_redid_is_redone_here_also_where_it_begins_at_the_undo(path: Path) -> None:
    record(path, Undo(turns=(4,)))
    with open_campaign(path, write=True) as log:
        make_branch(log, "again", 5)
    record(path, Redo(), branch="again")
    assert (hp(path), hp(path, "again")) == (10, 8)
    adopt(path, "again")
    assert hp(path) == 8


def test_each_undo_that_the_branch_redid_is_redone_here(path: Path) -> None:
    record(path, Undo(turns=(4,)), Undo(turns=(3,)))
    with open_campaign(path, write=True) as log:
        make_branch(log, "again", 6)
    record(path, Redo(last=2), branch="again")
    assert (hp(path), hp(path, "again")) == (11, 8)
    adopt(path, "again")
    assert hp(path) == 8
