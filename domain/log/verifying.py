"""Verifying: whether a log is what was written, and whether what it says follows from what was done.

Three questions, each of which finds what the others cannot: whether every turn fits its link; whether the log still
has the links that somebody saw or wrote down (a seal); and whether each turn, decided again from its action, its
chance and the options in force then, comes to its events. Nothing here knows where the turns are kept.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping
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
from domain.log.folding import version_begun
from domain.log.hash_chain import Seal, linker, sealed
from domain.log.port import AsOf, DamagedLog, Log, MemorySnapshots, Snapshot
from domain.log.snapshots import snapshot_of, unpacked
from domain.log.upcasts import chance_with_owners
from domain.naming import ended
from domain.refusal import Invalid, Refusal
from domain.registry import system_of
from domain.system.chance import COUNTED, draws
from domain.system.state import Game
from domain.turn import BareDrawn, Drawn, Event, StoredDrawn, Turn, TurnRedecided


class Finding(Struct, frozen=True):
    """One result of verifying a log, as a sentence.

    `kind` is "damage" for what is not as it was written; "older" for turns that an older version of the rules decided
    and "trust" for turns taken over as they were, both held by their links alone; "newer" for a turn that only a
    newer version of the program can read; "note" for what is worth knowing and not wrong. `count`: how many turns
    an "older" or "trust" is about.
    """

    sentence: str
    turn: int | None = None
    kind: str = "damage"
    count: int = 0


#: The kinds of findings that tell of turns which nothing but their links holds.
ON_TRUST = ("older", "trust")


class OnTrust:
    """The turns met while verifying that nothing but their links holds, as runs that follow each other."""

    def __init__(self) -> None:
        #: Each run: the version that decided it (None: it was taken over as it was), its first turn, its last, and
        #: how many of its turns come out differently today.
        self._runs: list[tuple[int | None, int, int, int]] = []

    def add(self, turn: int, version: int | None, *, differs: bool) -> None:
        """Note one more turn; `version` is None for one that was taken over from a branch as it was."""
        if self._runs and self._runs[-1][0] == version and self._runs[-1][2] == turn - 1:
            _, first, _, differing = self._runs.pop()
        else:
            first, differing = turn, 0
        self._runs.append((version, first, turn, differing + differs))

    def findings(self, *, linked: bool = True) -> Iterator[Finding]:
        """One finding for each run. `linked`: whether the turns have links at all."""
        held = "checked by links only" if linked else "taken on trust"
        for version, first, last, differing in self._runs:
            which, count = f"T{first} was" if first == last else f"T{first} to T{last} were", last - first + 1
            if version is None:
                sentence = f"{which} taken over from a branch as recorded there, {held}."
                yield Finding(sentence, first, "trust", count)
                continue
            tail = ""
            if differing:
                tail = f" Under today's rules {differing} of {count} would come out differently."
            yield Finding(f"{which} decided by version {version} of the rules, {held}.{tail}", first, "older", count)


#: A turn as it is stored (its number, its topic, its bytes, whatever they are by now), with its link if it has one.
LinkedTurn = tuple[Any, Any, Any, bytes | None]


def check_links(before: bytes, stream: str, after: int, turns: Iterable[LinkedTurn]) -> Iterator[Finding]:
    """Every turn of a stream that does not fit its link, or is missing; `before` is the link of turn `after`."""
    number, link_of = after, linker(stream)
    for found, topic, state, link in turns:
        if not isinstance(found, int):
            yield Finding(f"After T{number} comes a turn that has no number.", number)
            continue
        if found != number + 1:
            yield Finding(f"{_turns(number + 1, found - 1)} missing.", number + 1)
        number = found
        if not isinstance(state, bytes) or not isinstance(topic, str):
            yield Finding(f"T{found} is damaged: its record cannot be read.", found)
            continue
        fits = link_of(before, found, topic, state)
        if link is None:
            yield Finding(f"T{found} has no link.", found)
        elif fits != link:
            yield Finding(f"T{found} does not fit its link: it, or what lies before it, was changed.", found)
        # from what is written on: so the next finding is another change, and not this one again
        before = link or fits


def _turns(first: int, last: int) -> str:
    return f"T{first} is" if first == last else f"T{first} to T{last} are"


def check_seal(seal: Seal, link: bytes | None) -> Finding | None:
    """What is wrong if the turn of a seal has this link; None for the link of a turn that is not there."""
    if link is None:
        return Finding(f"The log ends before T{seal.turn}, of which there is a seal ({seal}).", seal.turn)
    if not seal.fits(link):
        return Finding(
            f"The log up to T{seal.turn} is not what was sealed: {seal} then, {sealed(seal.turn, link)} now."
        )
    return None


# -- deciding again --------------------------------------------------------------------------------------


class SoFar(AsOf):
    """A log as far as it has been verified; what lies behind is not known to it."""

    def __init__(self, log: Log, number: int) -> None:
        super().__init__(log, number)
        self.snapshots = MemorySnapshots()  # made here, and trusted for that

    def grow(self) -> None:
        """Let one more turn be known."""
        self._number += 1


def kept_after(log: Log, after: int = 0) -> set[int]:
    """The turns after which there are snapshots of this very log."""
    version = system_of(log.rules).version
    newest_first = takewhile(lambda each: each.turn > after, log.snapshots.upto(log.last()))
    return {each.turn for each in newest_first if each.version == version and each.link == log.link(each.turn)}


def decided_again(
    log: Log,
    after: int = 0,
    held: set[int] | None = None,
    trusted: OnTrust | None = None,
    *,
    base: Snapshot | None = None,
    at_forks: dict[int, Snapshot | None] | None = None,
) -> Iterator[tuple[Turn, Finding | None]]:
    """Every turn after `after`, with what is wrong with it. Raises DamagedLog at the first that cannot be read.

    A turn that is wrong is remembered as it is, and the next ones are decided on its ground. `held` are turns after
    which states are kept: those are taken out that the log comes to. `trusted` gets the turns that today's rules
    say nothing about: what an older version decided, and what was taken over as it was.

    `at_forks` has the turns after which branches begin as keys, and gets the state after each. `base` is such a state
    after turn `after`; without it the turns up to there are folded once more.
    """
    known = SoFar(log, after)
    if base is not None:
        known.snapshots.keep(base)
    handler = CommandHandler(known, clock=_no_clock, new_id=str, new_seed=int)
    adopted, as_they_were = _adopted(log, after)
    handler.catch_up()
    today, before = handler.system.version, handler.used.version
    for turn in log.read(after=after):
        finding, state = _wrong_version(turn, before, today), None
        if finding is None:
            before = _version_of(turn, before)
        is_older = finding is None and before < today
        if finding is not None:
            pass
        elif isinstance(turn.action, Adopt):
            finding = _adoption(known, turn, turn.action)
        elif turn.number not in as_they_were:
            try:
                begun = turn if turn.number > 1 else _begun_today(turn, today)
                finding, state = _difference(handler, begun, turn.number in adopted)
            except DamagedLog:
                raise
            except Exception as error:
                # a forger wrote it: whatever the rules cannot make of it is the turn's fault
                finding = Finding(f"T{turn.number} cannot be decided again: {_plain(error)}", turn.number)
        if finding is not None and is_older:
            finding = Finding(f"T{turn.number} comes out differently today.", turn.number, "older")
        if trusted is not None and (is_older or (turn.number in as_they_were and finding is None)):
            trusted.add(turn.number, before if is_older else None, differs=finding is not None)
        known.grow()
        handler.take(turn, None if finding else state)
        if held and turn.number in held and _comes_to_what_is_kept(log, handler, turn.number):
            held.remove(turn.number)
        if at_forks and turn.number in at_forks:
            at_forks[turn.number] = snapshot_of(log, turn.number, *handler.keepable())
        yield turn, finding


def _version_of(turn: Turn, before: int) -> int:
    """The version of the rules that decided a turn; `before` is that of the turn before it."""
    if turn.number == 1:
        return version_begun(turn)
    return before if turn.rules_version is None else turn.rules_version


def _wrong_version(turn: Turn, before: int, today: int) -> Finding | None:
    """What is wrong with the version that a turn names: there never was such a one, or versions only rise."""
    version = _version_of(turn, before)
    if not 1 <= version <= today:
        sentence = f"T{turn.number} names version {version} of the rules; there are only 1 to {today}."
        return Finding(sentence, turn.number)
    if turn.rules_version is not None and (turn.number == 1 or version <= before):
        sentence = f"T{turn.number} names version {version} of the rules where version {before} is in force already."
        return Finding(sentence, turn.number)
    return None


def _comes_to_what_is_kept(log: Log, handler: CommandHandler, number: int) -> bool:
    """Whether the snapshot after this turn, if there is one of this very log, holds what the log comes to."""
    snapshot = next((each for each in log.snapshots.upto(number) if each.link == log.link(each.turn)), None)
    if snapshot is None or snapshot.turn < number:
        return True
    return unpacked(handler.system, snapshot.state) == handler.keepable()


def _adoption(log: Log, turn: Turn, adopt: Adopt) -> Finding | None:
    """What is wrong with the turn that closes an adoption: it names those before it, and keeps some as they were."""
    first = min(adopt.turns, default=turn.number)
    own = {each.number: each.facts for each in log.read(after=first - 1)}
    pinned = all(
        isinstance(word, TurnRedecided) and word.kept and own.get(word.turn) == word.events for word in turn.events
    )
    if pinned and adopt.turns and adopt.turns == tuple(own):
        return None
    return Finding(f"T{turn.number} does not follow: it does not say what was adopted.", turn.number)


def _begun_today(turn: Turn, version: int) -> Turn:
    """Turn 1 as today's rules would begin it: their version is no outcome."""
    begins = [replace(each, version=version) if isinstance(each, CampaignStarted) else each for each in turn.events]
    return replace(turn, events=tuple(begins))


def _no_clock() -> datetime:
    raise AssertionError("nothing is recorded here")


def _plain(error: Exception) -> str:
    said = str(error) if isinstance(error, Refusal | Invalid) else f"{type(error).__name__}: {error}"
    return ended(said[:200])


def _adopted(log: Log, after: int) -> tuple[set[int], set[int]]:
    """Turns after `after` that came from a branch with the chance they had there, and those taken over as they were.

    Whatever adopts a turn follows it.
    """
    adopted: set[int] = set()
    as_they_were: set[int] = set()
    for turn in log.read(after, topics=["adopt"]):
        if isinstance(turn.action, Adopt):
            adopted.update(turn.action.turns)
            as_they_were.update(word.turn for word in turn.events if isinstance(word, TurnRedecided) and word.kept)
    return adopted, as_they_were & adopted


def _difference(handler: CommandHandler, turn: Turn, adopted: bool) -> tuple[Finding | None, Game | None]:
    """What is wrong with a turn, and the state after it if nothing is."""
    number = turn.number
    # what was drawn follows from the seed; what was reported, and the numbers given out, are on record
    reported = _reported(turn.chance) if turn.chance else {}
    try:
        now, state = handler.again(turn, chance=reported)
        if _same(now, turn):
            return None, state
    except (Refusal, Invalid):
        if not turn.chance:
            raise
    now, state = handler.again(turn, chance=turn.chance)
    if not _same(now, turn):
        return Finding(f"T{number} does not follow: it says {_told(turn)} Decided again: {_told(now)}", number), None
    if not adopted:
        return Finding(f"T{number} has dice or cards that its seed did not draw: {_told(turn)}", number), None
    return None, state


def _same(now: Turn, then: Turn) -> bool:
    """Whether a turn decided again is the one on record."""
    if now == then:  # nearly always, and ten times as fast as looking closer
        return True
    if now.action != then.action or not _same_chance(now.chance, then.chance) or len(now.events) != len(then.events):
        return False
    return all(map(_same_event, now.events, then.events))


def _same_event(now: Event, then: Event) -> bool:
    if isinstance(now, SheetOverridden) and isinstance(then, SheetOverridden) and then.words is UNSET:
        return replace(now, words=UNSET) == then  # of before, told without words
    if not (isinstance(now, TurnRedecided) and isinstance(then, TurnRedecided)):
        return now == then
    if not _same_chance(now.chance, then.chance) or len(now.events) != len(then.events):
        return False
    bare = replace(now, chance={}, events=()) == replace(then, chance={}, events=())
    return bare and all(map(_same_event, now.events, then.events))


def _same_chance(now: Mapping[str, StoredDrawn], then: Mapping[str, StoredDrawn]) -> bool:
    """What turns of before left out (`domain.log.upcasts`) is not held against them."""
    if now.keys() != then.keys():
        return False
    return all(
        (drawn.values, drawn.reported) == (now[key].values, now[key].reported)
        if isinstance(drawn, BareDrawn)
        else drawn == now[key]
        for key, drawn in then.items()
    )


def _reported(chance: Mapping[str, StoredDrawn]) -> dict[str, Drawn]:
    told = {key: drawn for key, drawn in chance.items() if drawn.reported or key.endswith(COUNTED)}
    if not told:  # as in most turns
        return {}
    return {
        key: drawn if key.endswith(COUNTED) else replace(drawn, values=drawn.values[: drawn.reported])
        for key, drawn in chance_with_owners(told).items()
    }


def _told(turn: Turn) -> str:
    said = " ".join("".join(event.told()) for event in turn.events[:3])
    return said[:300] or "nothing."


# -- draws that were undone and drawn again --------------------------------------------------------------


def drew(turns: Iterable[Turn], effective: EffectiveHistory) -> Iterator[tuple[int, Hashable, bool]]:
    """Of these turns those that drew, each with its number, what was asked, and whether it stands."""
    for turn in turns:
        if draws(effective.chance(turn)):
            yield turn.number, repr(effective.action(turn)), effective.stands(turn.number)


def drawn_again(drew: Iterable[tuple[int, Hashable, bool]]) -> Iterator[Finding]:
    """Each draw that was taken back and drawn again: legal, and worth knowing. The turns that drew in their order."""
    undone: dict[Hashable, int] = {}
    for number, asked, stands in drew:
        before = undone.pop(asked, None)
        if before is not None:
            yield Finding(f"What T{before} drew was undone, and T{number} drew again.", number, "note")
        if not stands:
            undone[asked] = number
