"""What stands, what it comes to, and where it folds."""

from collections.abc import Iterator, Sequence
from sys import getrefcount

import msgspec
import pytest

from domain.common.rulings import Ruling
from domain.log.backdating import Backdating
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns, since_of
from domain.log.folding import last_change, state_at, steps
from domain.log.port import DamagedLog, MemoryLog, MemorySnapshots, UncommittedLog
from domain.log.revision_draft import latest_line
from domain.registry import record_types
from domain.turn import Turn, TurnRedecided, TurnUndone
from tests.campaigns.lived import lived
from tests.kit.given import Given
from tests.kit.soundness import reads_as_defined
from tests.osr.asked import NOTE, amend, enrol, hit, table

ZERO = {"type": "ruling", "rule": "6.6", "text": "Zero hurts.", "set": {"zero_is_injury": True}}


def effective_turn_at(at: Given, number: int, upto: int | None = None) -> EffectiveTurn:
    return next(effective_turn for effective_turn in effective_turns(at.log, upto) if effective_turn.number == number)


def test_what_lies_over_a_log_is_read_from_anywhere_to_anywhere() -> None:
    under = table(enrol(), NOTE).log
    over = UncommittedLog(under)
    for later in table(enrol(), NOTE, hit(1), NOTE).log.read(after=under.last()):
        over.append(later)
    assert (under.last(), over.last()) == (3, 5)
    for after in range(6):
        for upto in range(after, 6):
            there = list(range(after + 1, upto + 1))
            assert [turn.number for turn in over.read(after, upto)] == there
            assert [turn.number for turn in over.read_back(after, upto)] == there[::-1]
            notes = [turn.number for turn in over.read_back(after, upto, ["note"])]
            assert notes == [number for number in (5, 3) if number in there]


# -- what stands -------------------------------------------------------------------------------------------


def test_an_undone_turn_stays_visible_with_what_undid_it() -> None:
    at = table(enrol(), hit(1), {"type": "undo", "turns": [3]})
    assert not effective_turn_at(at, 3).standing
    assert effective_turn_at(at, 3).undone_by == 4
    assert effective_turn_at(at, 3).facts, "what it came to can still be read"


def test_the_word_of_an_undone_turn_does_not_count() -> None:
    at = table(enrol(), hit(1), {"type": "undo", "turns": [3]}, {"type": "undo", "turns": [4]})
    assert effective_turn_at(at, 3).standing
    assert effective_turn_at(at, 4).undone_by == 5


def test_an_amendment_is_read_alike_wherever_the_reading_begins() -> None:
    """Later amendments first: each asks for turns further back than what was read so far."""
    at = table(enrol("brog", 6, 6, 6), *[hit(0)] * 6)
    for turn, amount in ((7, 1), (3, 1), (7, 2), (5, 1), (3, 2), (4, 1), (7, 3), (3, 3), (2, 1)):
        at.when(amend(turn, hit(amount) if turn != 2 else enrol("brog", 6, 6, 5)))
        if amount == 2:
            at.when({"type": "undo"})
    whole = {turn.number: turn.amended_from for turn in effective_turns(at.log)}
    assert sum(map(len, whole.values())) == 9
    for after in range(at.log.last()):
        read = {turn.number: turn.amended_from for turn in effective_turns(at.log, after=after)}
        assert read == {number: amended for number, amended in whole.items() if number > after}


def test_what_was_weighed_is_let_go_of() -> None:
    """However many turns spoke, only their words are remembered: a long log has tens of thousands of them."""
    log = MemoryLog("osr", turns=list(lived(1003)))
    before = list(map(getrefcount, log.turns))
    effective = effective_history(log)
    after = list(map(getrefcount, log.turns))
    held = {number for number, (one, other) in enumerate(zip(before, after, strict=True), 1) if one != other}
    assert held == effective.place.keys() and held, "a ruling that counts from earlier on"
    assert len(effective.revisions) > 15


def test_undoing_the_undo_of_an_undo() -> None:
    at = table(enrol(), hit(1), *({"type": "undo", "turns": [n]} for n in (3, 4, 5)))
    assert [effective_turn.standing for effective_turn in effective_turns(at.log)] == [
        True,
        True,
        False,
        True,
        False,
        True,
    ]


def test_the_latest_standing_word_counts() -> None:
    """Two corrections of one turn: the second counts, and undone, the first does again."""
    at = table(enrol(), hit(1), {"type": "amend", "turn": 3, "action": hit(2)}).when(
        {"type": "amend", "turn": 3, "action": hit(3)}
    )
    assert (effective_turn_at(at, 3).redecided_by, effective_turn_at(at, 3).action.amount) == (5, 3)  # type: ignore[attr-defined]
    at.when({"type": "undo", "turns": [5]})
    assert (effective_turn_at(at, 3).redecided_by, effective_turn_at(at, 3).action.amount) == (4, 2)  # type: ignore[attr-defined]
    at.when({"type": "undo", "turns": [4]})
    assert (effective_turn_at(at, 3).redecided_by, effective_turn_at(at, 3).action.amount) == (None, 1)  # type: ignore[attr-defined]


def test_the_facts_of_a_turn_that_also_speaks_are_told_without_its_words() -> None:
    at = table(enrol("brog", 4), hit(4), {**ZERO, "since": "T2"})
    ruling = effective_turn_at(at, 4)
    assert [type(event).__struct_config__.tag for event in ruling.facts] == ["ruling.made"]
    assert [type(event).__struct_config__.tag for event in ruling.events] == ["ruling.made", "turn.redecided"]


def test_redeciding_a_ruling_leaves_its_words() -> None:
    """A ruling that made an earlier turn come out differently is amended in its wording alone."""
    at = table(enrol("brog", 4), hit(4), {**ZERO, "since": "T2"})
    at.when({"type": "amend", "turn": 4, "action": {**ZERO, "since": "T2", "text": "Zero really hurts."}})
    assert effective_turn_at(at, 3).redecided_by == 4
    at.has("brog", hp=0, injury={"dc": 20, "source": None, "stage": "saves"})
    reads_as_defined(at)


# -- where it folds ----------------------------------------------------------------------------------------


def test_a_ruling_folds_at_its_own_number() -> None:
    at = table(enrol(), ZERO)
    assert effective_turn_at(at, 3).place is None


def test_a_ruling_with_since_folds_directly_behind_that_turn() -> None:
    at = table(enrol(), NOTE, NOTE, {**ZERO, "since": "T3"})
    assert effective_turn_at(at, 5).place == 3
    order = [
        (effective_turn.number, state.options.zero_is_injury) for effective_turn, state in steps(at.system, at.log)
    ]
    assert order == [(1, False), (2, False), (3, False), (5, True), (4, True)]


def test_it_folds_there_even_if_that_turn_is_undone() -> None:
    at = table(enrol(), NOTE, NOTE, {**ZERO, "since": "T3"}, {"type": "undo", "turns": [3]})
    assert [effective_turn.number for effective_turn, _ in steps(at.system, at.log)] == [1, 2, 3, 5, 4, 6]


def test_rulings_at_one_place_fold_in_the_order_of_their_numbers() -> None:
    no = {**ZERO, "set": {"zero_is_injury": False}}
    at = table(enrol(), NOTE, {**ZERO, "since": "T2"}, {**no, "since": "T2"})
    assert [effective_turn.number for effective_turn, _ in steps(at.system, at.log)] == [1, 2, 4, 5, 3]
    assert not at.handler.state().options.zero_is_injury


def test_a_turn_of_another_kind_amended_into_a_ruling_with_since_folds_there() -> None:
    at = table(enrol("brog", 4), hit(4), NOTE)
    at.when({"type": "amend", "turn": 4, "action": {**ZERO, "since": "T2"}})
    assert effective_turn_at(at, 4).place == 2
    assert [effective_turn.number for effective_turn, _ in steps(at.system, at.log)] == [1, 2, 4, 3, 5]
    at.has("brog", injury={"dc": 20, "source": None, "stage": "saves"})
    reads_as_defined(at)


def test_a_turn_amended_into_a_ruling_with_since_folds_before_a_later_one_that_counts_from_there_too() -> None:
    at = table(enrol("brog", 4), NOTE, {**ZERO, "set": {"zero_is_injury": False}, "since": "T2"})
    at.when({"type": "amend", "turn": 3, "action": {**ZERO, "since": "T2"}})
    assert [effective_turn.number for effective_turn, _ in steps(at.system, at.log)] == [1, 2, 3, 4, 5]
    reads_as_defined(at)


def test_an_undone_ruling_keeps_its_place_and_holds_no_longer() -> None:
    at = table(enrol(), NOTE, {**ZERO, "since": "T2"}, {"type": "undo", "turns": [4]})
    assert effective_turn_at(at, 4).place == 2
    assert not at.handler.state().options.zero_is_injury


def test_since_is_of_rulings_alone() -> None:
    assert since_of(Ruling(rule="6.4", text="So.", since="T3")) == 3
    assert since_of(Ruling(rule="6.4", text="So.")) is None


def test_every_turn_comes_once_and_undone_ones_leave_the_state_as_it_is() -> None:
    at = table(enrol("brog", 4), hit(1), hit(1), {"type": "undo", "turns": [3]})
    seen = [
        (effective_turn.number, state.characters["brog"].hp if "brog" in state.characters else None)
        for effective_turn, state in steps(at.system, at.log)
    ]
    assert seen == [(1, None), (2, 4), (3, 4), (4, 3), (5, 3)]


# -- as of a turn ------------------------------------------------------------------------------------------


def test_an_earlier_point_knows_nothing_of_later_turns() -> None:
    at = table(
        enrol("brog", 4), hit(1), {"type": "amend", "turn": 3, "action": hit(2)}, {"type": "undo", "turns": [2, 3]}
    )
    hp = [state_at(at.system, at.log, n).characters["brog"].hp for n in (2, 3, 4)]
    assert hp == [4, 3, 2]
    assert not state_at(at.system, at.log, 5).characters
    assert effective_turn_at(at, 3, upto=3).redecided_by is None
    assert effective_turn_at(at, 3, upto=4).redecided_by == 4


def test_a_ruling_made_later_does_not_count_at_an_earlier_point() -> None:
    at = table(enrol("brog", 4), hit(4), {**ZERO, "since": "T2"})
    assert not state_at(at.system, at.log, 3).options.zero_is_injury
    assert state_at(at.system, at.log, 4).options.zero_is_injury


@pytest.mark.parametrize("since", ["T2", "T3", "T4", "T5"])
def test_a_kept_state_is_passed_over_when_a_ruling_comes_to_fold_behind_it(
    since: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("domain.log.command_handler.EVERY", 1)
    at = Given("osr")
    at.log.snapshots = MemorySnapshots()
    for value in (enrol("brog", 4), hit(1), hit(1), NOTE, {**ZERO, "since": since}):
        at.when(value)
    assert state_at(at.system, at.log).options.zero_is_injury
    assert at.handler.state().options.zero_is_injury
    reads_as_defined(at)


# -- sessions ----------------------------------------------------------------------------------------------


def test_a_turn_belongs_to_the_session_that_was_open() -> None:
    at = table(NOTE, {"type": "session.open"}, NOTE, {"type": "session.close"}, NOTE)
    assert [effective_turn.session for effective_turn in effective_turns(at.log)] == [0, 0, 1, 1, 1, 0]


def test_the_session_of_a_turn_is_read_and_not_stored() -> None:
    at = table({"type": "session.open"}, NOTE, {"type": "session.close"}, NOTE, {"type": "undo", "turns": [4]})
    assert [effective_turn.session for effective_turn in effective_turns(at.log)] == [0, 1, 1, 1, 1, 1]
    at.when({"type": "undo", "turns": [2]})
    assert [effective_turn.session for effective_turn in effective_turns(at.log)] == [0, 1, 0, 0, 0, 0, 0]


def test_going_on_after_a_turn_nothing_that_folds_directly_behind_it_folds_twice() -> None:
    at = table(enrol("brog"), hit(1), hit(1))
    at.handler.record(at.line(hit(1)), backdating=Backdating(after="T3"))
    reached = {effective_turn.number: state.copy() for effective_turn, state in steps(at.system, at.log)}
    *_, (_, state) = steps(at.system, at.log, after=3, state=reached[5].copy())
    assert state.characters == reached[4].characters


# -- the turn that last changed a field --------------------------------------------------------------------


def test_the_last_change_is_the_turn_after_which_the_value_differs() -> None:
    at = table(enrol("brog", 4), hit(1), hit(0), NOTE)
    assert last_change(at.system, at.log, "brog", "hp") == 3
    assert last_change(at.system, at.log, "brog", "fatigue") == 2


def test_an_undone_turn_changed_nothing() -> None:
    at = table(enrol("brog", 4), hit(1), hit(1), {"type": "undo", "turns": [4]})
    assert last_change(at.system, at.log, "brog", "hp") == 3


def test_the_last_change_up_to_a_turn() -> None:
    at = table(enrol("brog", 4), hit(1), hit(1))
    assert last_change(at.system, at.log, "brog", "hp", before=4) == 3
    assert last_change(at.system, at.log, "brog", "hp", before=2) is None


def test_nobody_and_no_such_field_never_changed() -> None:
    at = table(enrol("brog", 4))
    assert last_change(at.system, at.log, "ada", "hp") is None


# -- straight from the definition --------------------------------------------------------------------------


def crafted(*words: tuple[TurnUndone | TurnRedecided, ...]) -> MemoryLog:
    """A log whose turns from T4 on say these words; T2 and T3 enrol and hit."""
    at = table(enrol("brog", 4), hit(1))
    kind = record_types("osr").turn
    turns = [
        kind(
            number=number,
            id=f"crafted-{number}",
            at=at.log.turns[0].at,
            action=at.line({"type": "undo", "turns": [2]}),
            events=word,
            seed=0,
        )
        for number, word in enumerate(words, start=4)
    ]
    return MemoryLog("osr", turns=[*at.log.turns, *turns])


@pytest.mark.parametrize(
    ("words", "undone"),
    [
        ([(TurnUndone(3),)], {3}),
        ([(TurnUndone(3),), (TurnUndone(4),)], {4}),
        ([(TurnUndone(3),), (TurnUndone(3),)], {3}),
        ([(TurnUndone(3),), (TurnUndone(3),), (TurnUndone(5),)], {3, 5}),
        ([(TurnUndone(3),), (TurnUndone(3),), (TurnUndone(5), TurnUndone(4))], {4, 5}),
        ([(TurnUndone(3),), (TurnUndone(4),), (TurnUndone(5),), (TurnUndone(6),)], {4, 6}),
    ],
)
def test_a_turn_stands_unless_a_standing_later_turn_says_it_is_undone(
    words: list[tuple[TurnUndone, ...]], undone: set[int]
) -> None:
    assert set(effective_history(crafted(*words)).undone_by) == undone


def test_a_later_word_of_an_undone_turn_gives_way_to_an_older_one() -> None:
    kind = record_types("osr").redecided
    one, other = (kind(turn=3, events=(), chance={}, kept=kept) for kept in (True, False))
    log = crafted((one,), (other,), (TurnUndone(5),))
    now, before = effective_history(log), effective_history(log, 5)
    assert (now.redecided_by, now.redecision(3)) == ({3: 4}, one)
    assert (before.redecided_by, before.redecision(3)) == ({3: 5}, other)
    assert now.redecision(4) is None
    assert msgspec.structs.asdict(list(effective_turns(log))[2])["kept"] is True


def test_turns_laid_over_a_log_are_read_up_to_any_turn() -> None:
    at = table(NOTE)
    whole = [turn.number for turn in at.log.read()]
    over = UncommittedLog(MemoryLog("osr", turns=at.log.turns[:1]))
    over.append_all(at.log.turns[1:])
    for upto in (None, *range(1, whole[-1] + 1)):
        assert [turn.number for turn in over.read(upto=upto)] == whole[:upto]


class Overwritten(MemoryLog):
    """A log of which the newest turn is gone when it is read again, as where another file was laid over it."""

    def read(self, after: int = 0, upto: int | None = None, topics: Sequence[str] = ()) -> Iterator[Turn]:
        return (
            iter(()) if upto == self.last() and after == upto - 1 and not topics else super().read(after, upto, topics)
        )


def test_a_turn_that_is_gone_meanwhile_is_said() -> None:
    log = Overwritten("osr", turns=list(lived(20)))
    with pytest.raises(DamagedLog, match=r"Turn T20 is missing\."):
        latest_line(log, log.last(), effective_history(log))
