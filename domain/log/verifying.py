"""Verifying: whether a log is as it was written, and whether its events follow from its actions.

Three checks, each of which finds what the others cannot: every turn fits its link; the log has the links that somebody
saw or wrote down (a seal); and each turn, decided again from its action, its chance and the options in force then, has
the same events. Nothing here depends on the store.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import takewhile
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from domain.common.revisions import Adopt
from domain.common.sheets import SheetOverridden
from domain.common.start import CampaignStarted
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import EffectiveHistory
from domain.log.finding import Finding
from domain.log.folding import first_version
from domain.log.hash_chain import Seal, linker, seal_of
from domain.log.port import AsOf, DamagedLog, Log, MemorySnapshots, Snapshot
from domain.log.snapshots import snapshot_of, unpack_state
from domain.log.upcasts import chance_with_owners
from domain.naming import ended
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import system_of
from domain.system.chance import COUNTED, draws
from domain.system.state import Game
from domain.turn import BareDrawn, Drawn, Event, StoredDrawn, Turn, TurnRedecided

#: The kinds of findings about turns that only their links protect.
ON_TRUST = ("older", "trust")


#: The dice and cards of one turn, by their keys.
Chances = Mapping[str, StoredDrawn]


class OnTrust:
    """The turns found while verifying that only their links protect, as runs of consecutive turns."""

    def __init__(self) -> None:
        #: Each run: the version that decided it (None: taken over unchanged), its first and last turn, and the number
        #: of its turns that come out differently today.
        self._runs: list[tuple[int | None, int, int, int]] = []

    def add(self, turn: int, version: int | None, *, differs: bool) -> None:
        """Add a turn; `version` is None for one that was taken over unchanged from a branch."""
        if self._runs and self._runs[-1][0] == version and self._runs[-1][2] == turn - 1:
            _, first, _, differing = self._runs.pop()
        else:
            first, differing = turn, 0
        self._runs.append((version, first, turn, differing + differs))

    def findings(self, *, linked: bool = True) -> Iterator[Finding]:
        """One finding per run. `linked`: whether the turns have links at all."""
        basis = "checked by links only" if linked else "taken on trust"
        for version, first, last, differing in self._runs:
            turns_words, count = f"T{first} was" if first == last else f"T{first} to T{last} were", last - first + 1
            if version is None:
                sentence = f"{turns_words} taken over from a branch as recorded there, {basis}."
                yield Finding(sentence, first, "trust", count)
                continue
            tail = ""
            if differing:
                tail = f" Under today's rules {differing} of {count} would come out differently."
            yield Finding(
                f"{turns_words} decided by version {version} of the rules, {basis}.{tail}", first, "older", count
            )


#: A stored turn (number, topic, bytes; of any type if damaged) with its link, if it has one.
LinkedTurn = tuple[Any, Any, Any, bytes | None]


def check_links(before: bytes, stream: str, after: int, turns: Iterable[LinkedTurn]) -> Iterator[Finding]:
    """A finding for each turn of a stream that does not fit its link, or is missing; `before`: the link of `after`."""
    number, link_of = after, linker(stream)
    for stored_number, topic, state, link in turns:
        if not isinstance(stored_number, int):
            yield Finding(f"After T{number} comes a turn that has no number.", number)
            continue
        if stored_number != number + 1:
            yield Finding(f"{_turns(number + 1, stored_number - 1)} missing.", number + 1)
        number = stored_number
        if not isinstance(state, bytes) or not isinstance(topic, str):
            yield Finding(f"T{stored_number} is damaged: its record cannot be read.", stored_number)
            continue
        fits = link_of(before, stored_number, topic, state)
        if link is None:
            yield Finding(f"T{stored_number} has no link.", stored_number)
        elif fits != link:
            yield Finding(
                f"T{stored_number} does not fit its link: it, or what lies before it, was changed.", stored_number
            )
        # continue from the stored link, so that the next finding is another change and not this one again
        before = link or fits


def _turns(first: int, last: int) -> str:
    return f"T{first} is" if first == last else f"T{first} to T{last} are"


def check_seal(seal: Seal, link: bytes | None) -> Finding | None:
    """The finding if the turn of a seal has this link (None: the turn is missing); None if the seal fits."""
    if link is None:
        return Finding(f"The log ends before T{seal.turn}, of which there is a seal ({seal}).", seal.turn)
    if not seal.fits(link):
        return Finding(
            f"The log up to T{seal.turn} is not what was sealed: {seal} then, {seal_of(seal.turn, link)} now."
        )
    return None


# -- deciding again --------------------------------------------------------------------------------------


class VerifiedPart(AsOf):
    """A log up to the last verified turn."""

    def __init__(self, log: Log, number: int) -> None:
        super().__init__(log, number)
        self.snapshots = MemorySnapshots()  # only snapshots made while verifying are trusted

    def grow(self) -> None:
        """Add the next turn."""
        self._number += 1


def turns_with_snapshots(log: Log, after: int = 0) -> set[int]:
    """The turns after `after` with a snapshot of this very log."""
    version = system_of(log.rules).version
    newest_first = takewhile(lambda snapshot: snapshot.turn > after, log.snapshots.upto(log.last()))
    return {
        snapshot.turn
        for snapshot in newest_first
        if snapshot.version == version and snapshot.link == log.link(snapshot.turn)
    }


def decide_all_again(
    log: Log,
    after: int = 0,
    snapshot_turns: set[int] | None = None,
    on_trust: OnTrust | None = None,
    *,
    base: Snapshot | None = None,
    at_forks: dict[int, Snapshot | None] | None = None,
    chance_on_branches: Callable[[int], Iterable[Chances]] = lambda _: (),
) -> Iterator[tuple[Turn, Finding | None]]:
    """Decide every turn after `after` again: (turn, finding or None). Raises DamagedLog for an unreadable turn.

    After a finding the turn is folded as recorded, and the next ones are decided on that state. `snapshot_turns` are
    turns with snapshots; those whose snapshot is right are removed. `on_trust` gets the turns that cannot be decided
    again by today's rules: those that an older version decided, and those taken over unchanged.

    `at_forks` has the turns at which branches fork as keys, and gets the state after each. `base` is such a state after
    turn `after`; without it the turns up to there are folded again.

    An adopted turn has the dice and cards that it had on its branch. `chance_on_branches` gives those of the turns of
    other branches with a seed, as far as they are verified there; where none of them leads to the turn, it is on trust.
    """
    part = VerifiedPart(log, after)
    if base is not None:
        part.snapshots.store(base)
    handler = CommandHandler(part, clock=datetime.now, new_id=str, new_seed=int)
    from_branches, pins = _adopted_turns(log, after)
    handler.catch_up()
    today, version = handler.system.version, handler.used_numbers.version
    for turn in log.read(after=after):
        state, is_older = None, False
        finding = _wrong_version(turn, version, today)
        if finding is None:
            version = _version_of(turn, version)
            is_older = version < today
            if isinstance(turn.action, Adopt):
                finding = _adoption(part, turn, turn.action)
            elif turn.number not in pins:
                branch_chances = chance_on_branches(turn.seed) if turn.number in from_branches else None
                result = _decide_again(handler, turn, branch_chances)
                finding, state = result.finding, result.state
                if finding is None and not result.is_proven:
                    pins.add(turn.number)
        if finding is not None and is_older:
            finding = Finding(f"T{turn.number} comes out differently today.", turn.number, "older")
        if on_trust is not None and (is_older or (turn.number in pins and finding is None)):
            on_trust.add(turn.number, version if is_older else None, differs=finding is not None)
        part.grow()
        handler.accept(turn, None if finding else state)
        if snapshot_turns and turn.number in snapshot_turns and _snapshot_is_right(log, handler, turn.number):
            snapshot_turns.remove(turn.number)
        if at_forks and turn.number in at_forks:
            at_forks[turn.number] = snapshot_of(log, turn.number, handler.state(), handler.used_numbers)
        yield turn, finding


def _version_of(turn: Turn, before: int) -> int:
    """The version of the rules that decided a turn; `before` is that of the turn before it."""
    if turn.number == 1:
        return first_version(turn)
    return before if turn.rules_version is None else turn.rules_version


def _wrong_version(turn: Turn, before: int, today: int) -> Finding | None:
    """The finding if a turn names a version of the rules that does not exist, or not a later one than before."""
    version = _version_of(turn, before)
    if not 1 <= version <= today:
        sentence = f"T{turn.number} names version {version} of the rules; there are only 1 to {today}."
        return Finding(sentence, turn.number)
    if turn.rules_version is not None and (turn.number == 1 or version <= before):
        sentence = f"T{turn.number} names version {version} of the rules where version {before} is in force already."
        return Finding(sentence, turn.number)
    return None


def _snapshot_is_right(log: Log, handler: CommandHandler, number: int) -> bool:
    """Whether the snapshot after this turn, if there is one of this very log, has the right state."""
    snapshot = next(
        (candidate for candidate in log.snapshots.upto(number) if candidate.link == log.link(candidate.turn)), None
    )
    if snapshot is None or snapshot.turn < number:
        return True
    return unpack_state(handler.system, snapshot.state) == (handler.state(), handler.used_numbers)


def _adoption(log: Log, turn: Turn, adopt: Adopt) -> Finding | None:
    """The finding for an `Adopt` turn that does not name the turns before it, or pins others than it may."""
    first = min(adopt.turns, default=turn.number)
    facts_by_number = {own_turn.number: own_turn.facts for own_turn in log.read(after=first - 1)}
    is_pinned = all(
        isinstance(event, TurnRedecided) and event.kept and facts_by_number.get(event.turn) == event.events
        for event in turn.events
    )
    if is_pinned and adopt.turns and adopt.turns == tuple(facts_by_number):
        return None
    return Finding(f"T{turn.number} does not follow: it does not say what was adopted.", turn.number)


def _plain(error: Exception) -> str:
    message = str(error) if isinstance(error, Refusal | Invalid) else f"{type(error).__name__}: {error}"
    return ended(message[:200])


def _adopted_turns(log: Log, after: int) -> tuple[set[int], set[int]]:
    """The turns after `after` that were adopted from a branch, and those of them taken over unchanged."""
    from_branches: set[int] = set()
    pins: set[int] = set()
    for turn in log.read(after, topics=["adopt"]):
        if isinstance(turn.action, Adopt):
            from_branches.update(turn.action.turns)
            pins.update(event.turn for event in turn.events if isinstance(event, TurnRedecided) and event.kept)
    return from_branches, pins & from_branches


class _Recheck(Struct, frozen=True):
    """The result of deciding a recorded turn again: a finding, or the state after the turn."""

    finding: Finding | None = None
    state: Game | None = None
    #: Whether the dice and cards of the turn follow from its seed, from reports, or from a verified branch.
    is_proven: bool = False


def _decide_again(handler: CommandHandler, turn: Turn, branch_chances: Iterable[Chances] | None) -> _Recheck:
    """As `_compare_with_record`, where every error of the rules is a finding too: the turn may be forged."""
    try:
        if turn.number == 1:  # the version of the rules is not an outcome to compare
            today = handler.system.version
            begins = (replace(e, version=today) if isinstance(e, CampaignStarted) else e for e in turn.events)
            turn = replace(turn, events=tuple(begins))
        return _compare_with_record(handler, turn, branch_chances)
    except DamagedLog:
        raise
    except Exception as error:
        return _Recheck(Finding(f"T{turn.number} cannot be decided again: {_plain(error)}", turn.number))


def _compare_with_record(handler: CommandHandler, turn: Turn, branch_chances: Iterable[Chances] | None) -> _Recheck:
    """Decide a turn again and compare the result with what is recorded. Raises Refusal, Invalid, Conflict.

    `branch_chances` are the dice and cards that an adopted turn may have had on its branch; None for any other turn.
    """
    number = turn.number
    # only reported values and counted numbers are given: the drawn ones must follow from the seed
    reported_chance = _reported_chance(turn.chance) if turn.chance else {}
    try:
        now, state = handler.decide_as_next(turn, chance=reported_chance)
        if _same(now, turn):
            return _Recheck(state=state, is_proven=True)
    except (Refusal, Invalid):
        if not turn.chance:
            raise
    counted_chance = {key: draw for key, draw in turn.chance.items() if key.endswith(COUNTED)}
    for branch_chance in branch_chances or ():
        draws_there = {
            key: draw for key, draw in chance_with_owners(branch_chance).items() if not key.endswith(COUNTED)
        }
        with suppress(Refusal, Invalid, Conflict):
            now, state = handler.decide_as_next(turn, chance={**draws_there, **counted_chance})
            if _same(now, turn):
                return _Recheck(state=state, is_proven=True)
    now, state = handler.decide_as_next(turn, chance=turn.chance)
    if not _same(now, turn):
        words_then, words_now = _first_sentences(turn), _first_sentences(now)
        decided_again = (
            f"Decided again: {words_now}" if words_now != words_then else "Decided again, it has other values."
        )
        return _Recheck(Finding(f"T{number} does not follow: it says {words_then} {decided_again}", number))
    if branch_chances is None:
        sentence = f"T{number} has dice or cards that its seed did not draw: {_first_sentences(turn)}"
        return _Recheck(Finding(sentence, number))
    return _Recheck(state=state)


def _same(now: Turn, then: Turn) -> bool:
    if now == then:  # nearly always true, and ten times faster than the comparison below
        return True
    if now.action != then.action or not _same_chance(now.chance, then.chance) or len(now.events) != len(then.events):
        return False
    return all(map(_same_event, now.events, then.events))


def _same_event(now: Event, then: Event) -> bool:
    if isinstance(now, SheetOverridden) and isinstance(then, SheetOverridden) and then.words is UNSET:
        return replace(now, words=UNSET) == then  # older turns have no words
    if not (isinstance(now, TurnRedecided) and isinstance(then, TurnRedecided)):
        return now == then
    if not _same_chance(now.chance, then.chance) or len(now.events) != len(then.events):
        return False
    bare = replace(now, chance={}, events=()) == replace(then, chance={}, events=())
    return bare and all(map(_same_event, now.events, then.events))


def _same_chance(now: Mapping[str, StoredDrawn], then: Mapping[str, StoredDrawn]) -> bool:
    """Whether the chance is equal, apart from what older turns lack (`domain.log.upcasts`)."""
    if now.keys() != then.keys():
        return False
    return all(
        (draw.values, draw.reported) == (now[key].values, now[key].reported)
        if isinstance(draw, BareDrawn)
        else draw == now[key]
        for key, draw in then.items()
    )


def _reported_chance(chance: Mapping[str, StoredDrawn]) -> dict[str, Drawn]:
    on_record = {key: draw for key, draw in chance.items() if draw.reported or key.endswith(COUNTED)}
    if not on_record:  # true for most turns
        return {}
    return {
        key: draw if key.endswith(COUNTED) else replace(draw, values=draw.values[: draw.reported])
        for key, draw in chance_with_owners(on_record).items()
    }


def _first_sentences(turn: Turn) -> str:
    sentences = " ".join("".join(event.sentence()) for event in turn.events[:3])
    return sentences[:300] or "nothing."


def chances_by_seed(log: Log, after: int) -> Iterator[tuple[int, Chances]]:
    """The dice and cards of the turns after `after` that verifying them proves, each with the seed of its turn.

    Not among them are turns that were adopted themselves, and those that an older version of the rules decided.
    """
    today, version = system_of(log.rules).version, 0
    from_branches, _ = _adopted_turns(log, after)
    seeds: dict[int, int] = {}
    for turn in log.read():
        version, seeds[turn.number] = _version_of(turn, version), turn.seed
        if turn.number <= after or version != today or turn.number in from_branches:
            continue
        yield turn.seed, turn.chance
        for event in turn.events:
            if isinstance(event, TurnRedecided) and not event.kept and event.turn in seeds:
                yield seeds[event.turn], event.chance


# -- draws that were undone and drawn again --------------------------------------------------------------


def turns_that_drew(turns: Iterable[Turn], effective: EffectiveHistory) -> Iterator[tuple[int, Hashable, bool]]:
    """The turns that drew, as (number, action as a key, whether it stands)."""
    for turn in turns:
        if draws(effective.chance(turn)):
            yield turn.number, repr(effective.action(turn)), effective.stands(turn.number)


class Redraws:
    """The draws that were undone and drawn again, which is legal, found turn by turn."""

    def __init__(self) -> None:
        #: The last turn that drew for an action and was undone, by that action.
        self._undone_turns: dict[Hashable, int] = {}

    def notes(self, drawing_turns: Iterable[tuple[int, Hashable, bool]]) -> Iterator[Finding]:
        """A note for each draw that was undone before, from the next `turns_that_drew` in order."""
        for number, action_key, stands in drawing_turns:
            before = self._undone_turns.pop(action_key, None)
            if before is not None:
                yield Finding(
                    f"T{before} was undone, and T{number} did the same again with a new draw. "
                    "That is allowed, and the log keeps both.",
                    number,
                    "note",
                )
            if not stands:
                self._undone_turns[action_key] = number
