"""Several turns from one line at the table: all or none, and taken back as one; a redo that names its undo."""

from typing import Any

import pytest

from domain.log.command_handler import Command
from domain.log.port import NumberTaken
from domain.log.redoing import MOST_LISTED, StandingUndo, check_nothing_came_since, standing_undos
from domain.log.snapshots import EVERY
from domain.naming import listed
from domain.refusal import Refusal
from domain.turn import Turn, TurnUndone
from projections.turn_status import history_of_turn
from tests.kit.given import Given, unchanged
from tests.kit.soundness import is_sound
from tests.kit.tables import second_handler
from tests.osr.asked import NOTE, hit


@pytest.fixture
def table() -> Given:
    """T2 brog, T3 wen."""
    at = Given("osr")
    for name in ("brog", "wen"):
        at.when({"type": "osr.enrol", "character": name, "rolled": [6]})
    return at


def together(at: Given, *values: dict[str, Any]) -> list[Turn]:
    return [outcome.turn for outcome in at.handler.record_together([Command(at.line(value)) for value in values])]


def test_every_turn_says_which_was_the_first_of_them(table: Given) -> None:
    assert [(turn.number, turn.together) for turn in together(table, hit(1, "brog"), hit(1, "wen"))] == [(4, 4), (5, 4)]
    table.has("brog", hp=5).has("wen", hp=5)
    is_sound(table)


def test_one_alone_is_a_turn_like_any_other(table: Given) -> None:
    assert [turn.together for turn in together(table, hit(1, "brog"))] == [None]


def test_a_refusal_of_one_refuses_all_and_says_which(table: Given) -> None:
    with unchanged(table), pytest.raises(Refusal, match=r"Not done: There is no character 'nobody'.*\(2 of 3\)"):
        together(table, hit(1, "brog"), hit(1, "nobody"), hit(1, "wen"))


def test_of_two_the_one_that_can_be_done_alone_is_offered(table: Given) -> None:
    table.when(hit(9, "brog"))
    for values in ([hit(1, "brog"), hit(1, "wen")], [hit(1, "wen"), hit(1, "brog")]):
        with unchanged(table), pytest.raises(Refusal, match=r"come first \(. of 2\)") as refusal:
            together(table, *values)
        assert [choice.fields["character"] for choice in refusal.value.choices] == ["wen"]
    table.when(hit(9, "wen"))
    for values in ([hit(1, "brog"), hit(1, "wen")], [NOTE, hit(1, "wen")]):
        with pytest.raises(Refusal) as refusal:
            together(table, *values)
        assert not refusal.value.choices, "as nothing of the same kind is left to do"


def test_a_bare_undo_takes_the_whole_line_back_and_a_named_turn_alone(table: Given) -> None:
    together(table, hit(1, "brog"), hit(1, "wen"))
    table.when({"type": "undo"}).then(TurnUndone(4), TurnUndone(5))
    table.when({"type": "redo"}).when({"type": "undo", "turns": [4]})
    table.has("brog", hp=6).has("wen", hp=5)
    table.when({"type": "undo"}).then(TurnUndone(5))


def test_somebody_who_came_first_is_read_before_all_of_it_is_decided_again(table: Given) -> None:
    other, append = second_handler(table), table.log.append_all

    def late(_turns: Any) -> None:
        table.log.append_all = append  # type: ignore[method-assign]
        other.record(table.line(NOTE))
        raise NumberTaken

    table.log.append_all = late  # type: ignore[method-assign, assignment]
    assert [turn.number for turn in together(table, hit(1, "brog"), hit(1, "wen"))] == [5, 6]


def test_a_turn_that_was_saved_although_it_was_not_known_is_the_answer(table: Given) -> None:
    append = table.log.append

    def taken(turn: Any) -> None:
        table.log.append = append  # type: ignore[method-assign]
        append(turn)
        raise NumberTaken

    table.log.append = taken  # type: ignore[method-assign]
    outcome = table.handler.record(table.line(NOTE), turn_id="once")
    assert (outcome.repeated, outcome.turn, table.log.last()) == (True, table.log.turns[-1], outcome.turn.number)


def test_the_life_of_a_turn_tells_each_word_about_it(table: Given) -> None:
    table.when(hit(1, "brog")).when({"type": "undo"}).when({"type": "redo"}).when({"type": "undo", "turns": [4]})
    chapters = [(chapter.turn, chapter.what, chapter.undone_by) for chapter in history_of_turn(table.log, 4)]
    assert chapters == [(4, "logged", None), (5, "undone", 6), (6, "T5 undone", None), (7, "undone", None)]


def test_a_redo_may_name_its_undo(table: Given) -> None:
    for value in (NOTE, NOTE, {"type": "undo", "turns": [4]}, {"type": "undo", "turns": [5]}):
        table.when(value)
    assert [*standing_undos(table.log)] == [StandingUndo(7, (5,)), StandingUndo(6, (4,))]
    table.when({"type": "redo", "turn": 6}).then(TurnUndone(6))
    table.when({"type": "redo", "turn": 6}).refused(None, "T6 is not an undo in force; those in force: T7.")
    table.when({"type": "redo", "turn": 7, "last": 1}).invalid("not both")


def test_right_after_an_undo_a_bare_redo_is_clear(table: Given) -> None:
    table.when(NOTE).when({"type": "undo"})
    for value in (NOTE, {"type": "sheet.check", "character": "brog", "expect": {"hp": 6}}):
        table.when(value)
        check_nothing_came_since(table.log)


def test_once_more_was_done_it_is_not(table: Given) -> None:
    table.when(NOTE).when({"type": "undo"}).when(hit(1, "brog"))
    with pytest.raises(Refusal, match="T5 undid T4"):
        check_nothing_came_since(table.log)
    table.when({"type": "redo"}).then(TurnUndone(5))


def test_of_many_undos_the_latest_are_named(table: Given) -> None:
    # over three stretches of the log, most of which hold an undo that does not stand any more
    undos, gone = list[int](), list[int]()
    for at in range(15):
        table.when(NOTE).when({"type": "undo"})
        undos.append(table.log.last())
        if at % 4 == 3:
            table.when({"type": "redo"})
            gone.append(undos.pop())
        for _ in range(40):
            table.when(NOTE)
    assert table.log.last() > EVERY + 2 * EVERY and len(undos) > MOST_LISTED
    assert [undo.turn for undo in standing_undos(table.log)] == undos[::-1]
    sentence = "; ".join(f"T{undo} undid T{undo - 1}" for undo in undos[: -MOST_LISTED - 1 : -1])
    table.when(hit(1, "brog"))
    with pytest.raises(Refusal) as refused:
        check_nothing_came_since(table.log)
    assert refused.value.reason.endswith(f" {sentence}; and there are earlier ones.")
    table.when({"type": "redo", "turn": gone[0]})
    assert str(table.error).endswith(
        "the latest in force: " + listed(f"T{undo}" for undo in undos[-MOST_LISTED:]) + "."
    )
