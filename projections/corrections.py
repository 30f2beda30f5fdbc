"""The corrections of a session: one line per mistake, however many turns corrected it."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from domain.common.notes import Note, Noted
from domain.common.revisions import REVISIONS, Undo
from domain.log.effective_history import EffectiveHistory, EffectiveTurn
from domain.naming import ended, listed
from domain.system.rulesystem import RuleSystem
from projections.chronicle import TurnText
from projections.revision_sentences import amendment_in_words
from projections.secrecy import readable
from projections.sentences import turns_in_words


class Correction(Struct, frozen=True):
    """One mistake: the turns with the mistake, the turn that corrected it, and a line about both.

    A late entry is a correction too: its turn is both.
    """

    #: the first turn with the mistake
    turn: int
    turns: tuple[int, ...]
    by: int
    #: the correction in words: "T20 undone by T22"
    what: str
    #: the sentence of the turn, as it was or as it is now
    sentence: str
    #: turns that come out differently because of it
    differently: tuple[int, ...] = ()
    #: whether the turns with the mistake were taken back, so that the sentence holds no longer
    taken_back: bool = False

    @property
    def is_late_entry(self) -> bool:
        """Whether nothing was wrong: a turn was entered late."""
        return self.by in self.turns

    @property
    def line(self) -> str:
        read = "reads" if len(self.differently) == 1 else "read"
        so = f" {turns_in_words(self.differently)} {read} differently now." if self.differently else ""
        earlier_reading = f". {'It' if len(self.turns) == 1 else 'They'} had said" if self.taken_back else ""
        return f"{self.what}{earlier_reading}: {self.sentence}{so}"


def corrections_of(
    system: RuleSystem,
    turns: Sequence[EffectiveTurn],
    texts: Mapping[int, TurnText],
    effective: EffectiveHistory,
    *,
    sees_all: bool,
) -> Iterator[Correction]:
    """The mistakes in these turns of a session that were corrected, then or later, in the order of the turns.

    `texts` are as the viewer may see them; without `sees_all` an amendment counts only if it changed such a text.
    """
    by_correction: dict[int, list[EffectiveTurn]] = {}
    for turn in turns:
        number = turn.number
        if isinstance(turn.turn.action, REVISIONS):
            continue
        is_late = turn.standing and turn.turn.place is not None
        if is_late and not all(isinstance(fact, Noted) for fact in turn.facts):  # a late note is no mistake
            by_correction.setdefault(number, []).append(turn)
        is_amended = sees_all and turn.standing and turn.action != turn.turn.action
        reads_as_it_did = turn.standing and texts[number].first_read is None
        corrected_by = turn.redecided_by if turn.standing else turn.undone_by
        if is_amended:  # a later turn that only decided it again did not correct it
            corrected_by = effective.amendments[number][0]
        if corrected_by is not None and (is_amended or not reads_as_it_did):
            by_correction.setdefault(corrected_by, []).append(turn)
    for numbers in _mistakes(by_correction, turns):
        corrected_turns = sorted(
            (turn for number in numbers for turn in by_correction[number]), key=lambda turn: turn.number
        )
        amended_turns = [turn for turn in corrected_turns if turn.standing and turn.action != turn.turn.action]
        yield _correction(system, numbers, corrected_turns, amended_turns if sees_all else (), turns, texts)


def _mistakes(by_correction: Mapping[int, Sequence[EffectiveTurn]], turns: Sequence[EffectiveTurn]) -> list[list[int]]:
    """The correcting turns, grouped by mistake: undos that directly follow one another belong together."""
    undos = {turn.number for turn in turns if isinstance(turn.turn.action, Undo)}
    groups: list[list[int]] = []
    for number in sorted(by_correction):
        if groups and groups[-1][-1] + 1 == number and {number - 1, number} <= undos:
            groups[-1].append(number)
        else:
            groups.append([number])
    return sorted(groups, key=lambda numbers: min(turn.number for n in numbers for turn in by_correction[n]))


def _correction(
    system: RuleSystem,
    numbers: Sequence[int],
    corrected_turns: Sequence[EffectiveTurn],
    amended_turns: Sequence[EffectiveTurn],
    turns: Sequence[EffectiveTurn],
    texts: Mapping[int, TurnText],
) -> Correction:
    last = numbers[-1]
    undone_turns = [turn for turn in corrected_turns if not turn.standing]
    new_turns = [turn for turn in corrected_turns if turn.number in numbers]
    mistaken = undone_turns or new_turns or amended_turns or list(corrected_turns)
    differently = tuple(turn.number for turn in corrected_turns if turn not in mistaken)
    in_the_same_words = False
    mistaken_words = turns_in_words([turn.number for turn in mistaken])
    by_words = turns_in_words(numbers)
    if undone_turns:
        again = _logged_again(undone_turns, last, turns)
        what = _undone_in_words(undone_turns, numbers)
        what += f" and logged again as {turns_in_words([turn.number for turn in again])}" if again else ""
        sentence, now = (
            " ".join(ended(texts[turn.number].sentence) for turn in part) for part in (undone_turns, again)
        )
        in_the_same_words = bool(again) and now == sentence
        what += ", in the same words" if in_the_same_words else ""
        if again and not in_the_same_words:
            sentence += f" Now: {now}"
    elif new_turns:
        what = f"{mistaken_words} entered late, as it happened after T{new_turns[0].place}"
        # its own sentence tells what comes out differently
        sentence, differently = texts[last].sentence, ()
    elif amended_turns:
        actions = [(readable(system, turn.turn.action), readable(system, turn.action)) for turn in amended_turns]
        changes = "; ".join(change for change in (amendment_in_words(system, *pair) for pair in actions) if change)
        what = f"{mistaken_words} amended by {by_words}{f' ({changes})' if changes else ''}"
        sentence = " ".join(texts[turn.number].sentence for turn in amended_turns)
    else:
        what = f"{mistaken_words} {'has' if len(mistaken) == 1 else 'have'} read differently since {by_words}"
        first_read = " ".join(texts[turn.number].first_read or "" for turn in mistaken).strip()
        sentence = f"{' '.join(texts[turn.number].sentence for turn in mistaken)} At first: {first_read}"
    return Correction(
        mistaken[0].turn.number,
        tuple(turn.number for turn in mistaken),
        last,
        what,
        sentence,
        differently,
        taken_back=bool(undone_turns) and not in_the_same_words,
    )


def _logged_again(
    undone_turns: Sequence[EffectiveTurn], after: int, turns: Sequence[EffectiveTurn]
) -> Sequence[EffectiveTurn]:
    """The turns that replaced the undone ones after the undo `after`: the next of the same types, or such notes."""
    later = [turn for turn in turns if turn.number > after and turn.standing]
    notes = [turn.turn.action for turn in undone_turns if isinstance(turn.turn.action, Note)]
    if len(notes) == len(undone_turns):  # the same words were written again, however much later
        return [turn for turn in later if turn.turn.action in notes][: len(notes)]
    kinds = [type(turn.turn.action) for turn in undone_turns]
    follow = [turn for turn in later if turn.number <= after + len(kinds)]
    return follow if [type(turn.turn.action) for turn in follow] == kinds else ()


def _undone_in_words(undone_turns: Sequence[EffectiveTurn], numbers: Sequence[int]) -> str:
    """Which turns which undos undid: "T4 to T6 undone by T7 to T9", "T16 undone by T17 and T8 by T18"."""
    mistaken = [turn.number for turn in undone_turns]
    if len(numbers) == 1 or max(mistaken) - min(mistaken) < len(mistaken):
        return f"{turns_in_words(mistaken)} undone by {turns_in_words(numbers)}"
    undone_by: dict[int | None, list[int]] = {}
    for turn in undone_turns:
        undone_by.setdefault(turn.undone_by, []).append(turn.number)
    (first, number), *others = undone_by.items()
    more = (f"{turns_in_words(turns)} by T{by}" for by, turns in others)
    return listed([f"{turns_in_words(number)} undone by T{first}", *more])
