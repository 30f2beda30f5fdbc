"""What holds of a line of play that went its own way, is joined and adopted: on random tables of every rule system."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import msgspec
from hypothesis import given

from cli.store.checking import findings_in
from cli.store.file import CampaignFile, open_campaign
from cli.store.joining import Joined, join
from cli.store.making import create
from domain.common.revisions import Conflicts
from domain.log.adopting import Adoption, decide_adoption
from domain.log.command_handler import CommandHandler
from domain.log.port import Log, MemoryLog
from domain.log.verifying import OnTrust, chances_by_seed, decide_all_again
from domain.refusal import Conflict, Invalid, Refusal
from projections.preview import adoption

from ..kit.given import Given
from ..kit.soundness import everything, is_sound
from ..kit.subjects import Subject
from ..kit.subjects import pytest_generate_tests as pytest_generate_tests
from ..kit.tables import FEW, MODEST, chances, fresh, play, second_handler


def parted(chance: Random, subject: Subject) -> tuple[Given, Given, int]:
    """A table, another that went its own way from it, and the last turn that they have in common."""
    table = play(chance, subject, fresh(chance, subject), 6, revising=0.4)
    fork = chance.randint(2, table.log.last()) if table.log.last() > 1 else 1
    other = Given(subject.key)
    other.log.turns[:] = table.log.turns[:fork]
    other.handler = second_handler(other)
    for one_table in (table, other):
        play(chance, subject, one_table, 6, revising=0.3)
    return table, other, fork


def taken_over(chance: Random, table: Given, other: Given, fork: int) -> Adoption | None:
    """The other line of play adopted; None: there is nothing to adopt, or it cannot be."""
    try:
        made = decide_adoption(table.handler, other.log, "other", fork, chance.choice(("drop", "keep")))
    except (Refusal, Invalid, Conflict):
        return None
    table.log.append_all(made.turns)
    return made


@MODEST
@given(chance=chances)
def test_what_is_adopted_reads_and_verifies_like_what_was_played_here(subject: Subject, chance: Random) -> None:
    table, other, fork = parted(chance, subject)
    made = taken_over(chance, table, other, fork)
    if made is None:
        return
    is_sound(table)
    there, trusted = list(chances_by_seed(other.log, fork)), OnTrust()
    verifying = decide_all_again(
        MemoryLog(subject.key, turns=table.log.turns),
        on_trust=trusted,
        chance_on_branches=lambda wanted: [chances for seed, chances in there if seed == wanted],
    )
    assert [finding for _, finding in verifying if finding] == []
    # beside the branch every die and card is proven; on trust is only what was kept as it was there
    assert sum(finding.count for finding in trusted.findings()) == len(made.pinned_turns)


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
        preview, own, _ = adoption(table.handler, other.log, "other", fork, settled)
    except (Refusal, Invalid, Conflict):
        return
    assert table.log.turns == turns
    assert [turn.turn for turn in own] == [turn.number for turn in preview.new_turns]
    assert len(decide_adoption(table.handler, other.log, "other", fork, settled).new_turns) == len(own) or any(
        turn.open for turn in own
    )


@contextmanager
def two_copies(table: Given, other: Given) -> Iterator[tuple[CampaignFile, CampaignFile]]:
    """Both tables as files of one campaign: here.campaign, to be written to, and other.campaign."""
    with TemporaryDirectory() as folder:
        for name, one_table in (("here", table), ("other", other)):
            first, *later = one_table.log.turns
            create(Path(folder, f"{name}.campaign"), one_table.log.campaign_id, first, later)
        with (
            open_campaign(Path(folder, "here.campaign"), write=True) as here,
            open_campaign(Path(folder, "other.campaign")) as copy,
        ):
            yield here, copy


def as_stored(log: CampaignFile) -> list[tuple[int, str, bytes]]:
    """The turns of a line of play to the byte, wherever they are kept."""
    with log.on(log.branch) as line:
        starts = (0, *(upto for _, upto in line.segments))
        return [
            turn
            for after, (stream, upto) in zip(starts, line.segments, strict=False)
            for turn in line.stored_rows(stream, after, upto)
        ]


def what_adopting_says(handler: CommandHandler, branch: Log, fork: int, settled: Conflicts) -> list[bytes] | str:
    """The turns that adopt a branch to the byte, or why there are none."""
    try:
        return [msgspec.msgpack.encode(turn) for turn in decide_adoption(handler, branch, "other", fork, settled).turns]
    except (Refusal, Invalid, Conflict) as error:
        return f"{type(error).__name__}: {error}"


@FEW
@given(chance=chances)
def test_what_the_other_copy_played_is_a_branch_to_the_byte_and_nothing_else_changes(
    subject: Subject, chance: Random
) -> None:
    table, other, fork = parted(chance, subject)
    last = other.log.last()
    settled: Conflicts = chance.choice(("drop", "keep"))
    with two_copies(table, other) as (here, copy):
        before = as_stored(here)
        went_on = [Joined("main", "other", fork, "main", last, grown=False)] if last > fork else []
        assert join(here, copy, dry_run=True) == went_on
        assert [branch.name for branch in here.branches()] == []
        assert join(here, copy) == went_on
        assert as_stored(here) == before
        assert join(here, copy) == []
        assert as_stored(here) == before
        assert list(findings_in(here, quick=True)) == []
        if not went_on:
            return
        with here.on("other") as line:
            assert as_stored(line) == as_stored(copy)
            sentences = what_adopting_says(second_handler(table, 8), other.log, fork, settled)
            assert what_adopting_says(second_handler(table, 8).for_log(here), line, fork, settled) == sentences
