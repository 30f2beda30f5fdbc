"""What was set right of an evening: one line for each mistake, however many turns it took."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from domain.common.notes import Noted
from domain.common.revisions import REVISIONS, Undo
from domain.log.effective_history import EffectiveHistory, EffectiveTurn
from domain.naming import listed
from domain.system.rulesystem import RuleSystem
from projections.chronicle import TurnText, readable, what_became


class Correction(Struct, frozen=True):
    """One mistake: the turns that it was in, the turn that set it right, and both as one line.

    What had been forgotten is one too: the turn that was entered late is both.
    """

    #: the first of its turns
    turn: int
    turns: tuple[int, ...]
    by: int
    #: what was done about it: "Taken back by T22"
    what: str
    #: what the turn read, or reads now
    sentence: str
    #: turns that come out differently because of it
    differently: tuple[int, ...] = ()

    @property
    def line(self) -> str:
        """The whole of it in one line."""
        so = f" {turns_told(self.differently)} read differently since." if len(self.differently) > 1 else ""
        so = f" {turns_told(self.differently)} reads differently since." if len(self.differently) == 1 else so
        return f"{self.what}: {self.sentence}{so}"


def corrections_of(
    system: RuleSystem,
    turns: Sequence[EffectiveTurn],
    texts: Mapping[int, TurnText],
    effective: EffectiveHistory,
    *,
    sees_all: bool,
) -> Iterator[Correction]:
    """The mistakes in these turns of an evening that were set right, then or later, in the order of the turns.

    To one who does not see all (`texts` are as they may read) an amendment is what it made readable, and no more.
    """
    by: dict[int, list[EffectiveTurn]] = {}
    for each in turns:
        number = each.turn.number
        if isinstance(each.turn.action, REVISIONS):
            continue
        if each.standing and _was_forgotten(each):
            by.setdefault(number, []).append(each)
        is_amended = sees_all and each.standing and each.action != each.turn.action
        reads_as_it_did = each.standing and texts[number].first_read is None
        corrected_by = each.retold_by if each.standing else each.undone_by
        if is_amended:  # a later turn that decided it again set nothing right in it
            corrected_by = effective.amended[number][0]
        if corrected_by is not None and (is_amended or not reads_as_it_did):
            by.setdefault(corrected_by, []).append(each)
    for numbers in _mistakes(by, turns):
        corrected = sorted((each for number in numbers for each in by[number]), key=lambda each: each.turn.number)
        amended = [each for each in corrected if each.standing and each.action != each.turn.action]
        yield _correction(system, numbers, corrected, amended if sees_all else (), turns, texts)


def _was_forgotten(each: EffectiveTurn) -> bool:
    """Whether a turn was entered late; a note that was is no mistake at the table."""
    return each.turn.place is not None and not all(isinstance(fact, Noted) for fact in each.facts)


def _mistakes(by: Mapping[int, Sequence[EffectiveTurn]], turns: Sequence[EffectiveTurn]) -> list[list[int]]:
    """The turns that corrected something, those of one mistake together: one undo after the other, nothing between."""
    undos = {each.turn.number for each in turns if isinstance(each.turn.action, Undo)}
    found: list[list[int]] = []
    for number in sorted(by, key=lambda number: min(each.turn.number for each in by[number])):
        found.append([number])
    merged: list[list[int]] = []
    for numbers in sorted(found):
        if merged and merged[-1][-1] + 1 == numbers[0] and {merged[-1][-1], numbers[0]} <= undos:
            merged[-1] += numbers
        else:
            merged.append(numbers)
    return sorted(merged, key=lambda numbers: min(each.turn.number for n in numbers for each in by[n]))


def _correction(
    system: RuleSystem,
    numbers: Sequence[int],
    corrected: Sequence[EffectiveTurn],
    amended: Sequence[EffectiveTurn],
    turns: Sequence[EffectiveTurn],
    texts: Mapping[int, TurnText],
) -> Correction:
    last = numbers[-1]
    undone = [each for each in corrected if not each.standing]
    added = [each for each in corrected if each.turn.number in numbers]
    meant = undone or added or amended or list(corrected)
    differently = tuple(each.turn.number for each in corrected if each not in meant)
    where = turns_told([each.turn.number for each in meant])
    by = turns_told(numbers)
    if undone:
        again = _told_again(undone, last, turns)
        what = f"{where} undone by {by}"
        what += f" and logged again as {turns_told([each.turn.number for each in again])}" if again else ""
        sentence = " ".join(texts[each.turn.number].sentence for each in undone)
        if again:
            sentence += f" Now: {' '.join(texts[each.turn.number].sentence for each in again)}"
    elif added:
        what = f"{where} added after T{added[0].place}"
        # which says itself what comes out differently
        sentence, differently = texts[last].sentence, ()
    elif amended:
        asked = [(readable(system, each.turn.action), readable(system, each.action)) for each in amended]
        changes = "; ".join(change for change in (what_became(*each) for each in asked) if change)
        what = f"{where} amended by {by}{f' ({changes})' if changes else ''}"
        sentence = " ".join(texts[each.turn.number].sentence for each in amended)
    else:
        what = f"{where} {'reads' if len(meant) == 1 else 'read'} differently since {by}"
        first_read = " ".join(texts[each.turn.number].first_read or "" for each in meant).strip()
        sentence = f"{' '.join(texts[each.turn.number].sentence for each in meant)} At first: {first_read}"
    return Correction(meant[0].turn.number, tuple(e.turn.number for e in meant), last, what, sentence, differently)


def _told_again(undone: Sequence[EffectiveTurn], after: int, turns: Sequence[EffectiveTurn]) -> Sequence[EffectiveTurn]:
    """The turns that stand in the place of those undone: directly after it, of the same kinds."""
    kinds = [type(each.turn.action) for each in undone]
    numbers = range(after + 1, after + 1 + len(kinds))
    follow = [each for each in turns if each.turn.number in numbers]
    same = [type(each.turn.action) for each in follow] == kinds and all(each.standing for each in follow)
    return follow if same else ()


def turns_told(numbers: Sequence[int]) -> str:
    """Turns as people name them: "T4, T6 and T7", "T10 to T13"."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told: list[str] = []
    for run in runs:
        told += [f"T{run[0]} to T{run[-1]}"] if len(run) > 2 else [f"T{number}" for number in run]
    return listed(told)
