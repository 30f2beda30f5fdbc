"""What holds of a line of play that went its own way and is adopted: on random tables of every rule system."""

from random import Random

from hypothesis import given

from domain.common.revisions import Conflicts
from domain.log.adopting import Adoption, adopted
from domain.log.port import MemoryLog
from domain.log.verifying import decided_again
from domain.refusal import Conflict, Invalid, Refusal
from projections.prospect import adoption

from ..kit.given import Given
from ..kit.soundness import everything, is_sound
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import MODEST, chances, fresh, play, second_scribe


def parted(chance: Random, subject: Subject) -> tuple[Given, Given, int]:
    """A table, another that went its own way from it, and the last turn that they have in common."""
    table = play(chance, subject, fresh(chance, subject), 6, revising=0.4)
    fork = chance.randint(2, table.log.last()) if table.log.last() > 1 else 1
    other = Given(subject.key)
    other.log.turns[:] = table.log.turns[:fork]
    other.scribe = second_scribe(other)
    for each in (table, other):
        play(chance, subject, each, 6, revising=0.3)
    return table, other, fork


def taken_over(chance: Random, table: Given, other: Given, fork: int) -> Adoption | None:
    """The other line of play adopted; None: there is nothing to adopt, or it cannot be."""
    try:
        made = adopted(table.scribe, other.log, "other", fork, chance.choice(("drop", "keep")))
    except (Refusal, Invalid, Conflict):
        return None
    table.log.append_all(made.turns)
    return made


@MODEST
@given(chance=chances)
def test_what_is_adopted_reads_and_verifies_like_what_was_played_here(subject: Subject, chance: Random) -> None:
    table, other, fork = parted(chance, subject)
    if taken_over(chance, table, other, fork) is None:
        return
    is_sound(table)
    assert [finding for _, finding in decided_again(MemoryLog(subject.key, turns=table.log.turns)) if finding] == []


@MODEST
@given(chance=chances)
def test_a_bare_undo_takes_the_whole_adoption_back(subject: Subject, chance: Random) -> None:
    table, other, fork = parted(chance, subject)
    before, last = everything(table), table.log.last()
    if taken_over(chance, table, other, fork) is None:
        return
    table.when({"type": "undo", "conflicts": "drop"})
    assert table.error is None
    assert everything(table, last) == before


@MODEST
@given(chance=chances)
def test_what_is_told_of_an_adoption_beforehand_appends_nothing(subject: Subject, chance: Random) -> None:
    table, other, fork = parted(chance, subject)
    turns = list(table.log.turns)
    settled: Conflicts = chance.choice(("drop", "keep"))
    try:
        told, own, _ = adoption(table.scribe, other.log, "other", fork, settled)
    except (Refusal, Invalid, Conflict):
        return
    assert table.log.turns == turns
    assert [each.turn for each in own] == [turn.number for turn in told.played]
    assert len(adopted(table.scribe, other.log, "other", fork, settled).played) == len(own) or any(
        each.open for each in own
    )
