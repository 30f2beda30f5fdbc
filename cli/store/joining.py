"""Joining: what was played in another copy of a campaign becomes branches of this one, every turn to the byte.

Two turns are the same turn if they, and all that lies before them, are the same bytes, whatever line of play they
stand on. So every line of the other copy is known here up to some turn; what follows goes on a branch of its own, or
on the branch where an earlier join left off. Main, and the branch that one is on, never grow by it.
"""

import re
import secrets
from collections.abc import Iterator
from hashlib import sha256

import msgspec
from msgspec import Struct

from cli.store import layout
from cli.store.branches import fit_branch_name
from cli.store.layout import MAIN
from cli.store.streams import Branch, StoredLog, Tail
from domain.log.hash_chain import Stored
from domain.log.port import NotSaved, NumberTaken
from domain.refusal import Invalid, Refusal
from domain.registry import record_types

#: How often what to join is found out again because somebody else wrote meanwhile.
MOST_TRIES = 5
#: A turn together with all that lies before it, as a hash of their bytes.
History = bytes


class Joined(Struct, frozen=True):
    """A line of play of the other copy that went on, and the branch that it goes on as here."""

    line: str
    branch: str
    #: The last turn that was here before, and on which branch.
    known: int
    base: str
    last: int
    #: Whether the branch was there already.
    grown: bool


def join(log: StoredLog, other: StoredLog, name: str | None = None, *, dry_run: bool = False) -> list[Joined]:
    """Take over what the other copy has and this one has not, all of it or nothing; none if there is no such thing.

    `name`: what to call the branch that its main line becomes; else it is called after its file. Raises Refusal for
    what is no copy of this campaign, Invalid for a name that no branch can have, NotSaved, MaybeSaved.
    """
    for _ in range(MOST_TRIES):
        joining = _Joining(log, other, name)
        try:
            if joining.tails and not dry_run:
                log.put_beside(joining.tails)
                log.changed.append(f"What is new in {other.name} is saved")
        except NumberTaken:
            continue
        return joining.joined
    raise NotSaved("Nothing was saved. The log is busy: others kept writing first. Try again.")


class _Joining:
    """What one copy has that the other has not."""

    def __init__(self, log: StoredLog, other: StoredLog, name: str | None) -> None:
        if other.campaign_id != log.campaign_id:
            raise Refusal(None, f"{other.name} is another campaign; only a copy of this one can be joined.")
        if other.address == log.address:
            raise Refusal(None, f"{other.name} is this very campaign; join another copy of the campaign.")
        self._log, self._other, self._name = log, other, name
        self._decode = msgspec.msgpack.Decoder(record_types(log.rules).turn).decode
        self._branches = {branch.stream: branch for branch in log.branches()}
        #: Every turn that is here, or will be, by its history: the stream that holds it, and its number.
        self._here: dict[History, tuple[str, int]] = {}
        #: The last turn of each stream that is here, or will be.
        self._lasts: dict[str, int] = {}
        #: Branches that have grown, or are made, in this joining.
        self._touched: set[str] = set()
        self._read_here()
        self.joined: list[Joined] = []
        self.tails: list[Tail] = []
        for line in (MAIN, *(branch.name for branch in other.branches())):
            self._compare(line)

    def _read_here(self) -> None:
        histories: dict[tuple[str, int], History] = {}
        for stream, base, fork in self._log.streams():
            history = histories.get((base, fork), b"")
            for turn in self._log.stored(stream):
                history = _with(history, turn)
                histories[stream, turn[0]] = history
                self._here.setdefault(history, (stream, turn[0]))
                self._lasts[stream] = turn[0]

    def _compare(self, line: str) -> None:
        known, new, histories = (self._log.campaign_id, 0), list[Stored](), list[History]()
        history = b""
        for turn in _whole_line(self._other, line):
            history = _with(history, turn)
            if history in self._here:
                known = self._here[history]
            else:
                new.append(turn)
                histories.append(history)
        if not known[1]:
            raise Refusal(
                None, f"{self._other.name} and this campaign have nothing in common: their first turns differ already."
            )
        if not new:
            return
        grown = self._growing(known)
        branch = grown or self._new_branch(line, known)
        turns = tuple(self._decode(state) for _, _, state in new)
        for each in turns:
            self._must_be_free(each.id, each.number)
        self.tails.append(Tail(branch, turns, tuple(new), is_new=grown is None))
        self.joined.append(
            Joined(line, branch.name, known[1], self._called(known[0]), new[-1][0], grown=grown is not None)
        )
        self._here |= {each: (branch.stream, turn[0]) for each, turn in zip(histories, new, strict=True)}
        self._lasts[branch.stream] = new[-1][0]
        self._branches[branch.stream] = branch
        self._touched.add(branch.stream)

    def _growing(self, known: tuple[str, int]) -> Branch | None:
        """The branch that ends with the last known turn, and may go on from there."""
        stream, number = known
        ends = self._lasts[stream] == number and stream not in (self._log.stream, *self._touched)
        return self._branches.get(stream) if ends else None

    def _called(self, stream: str) -> str:
        branch = self._branches.get(stream)
        return MAIN if stream == self._log.campaign_id else branch.name if branch else "a branch that was deleted"

    def _new_branch(self, line: str, known: tuple[str, int]) -> Branch:
        taken = {MAIN, *(branch.name for branch in self._branches.values())}
        if line == MAIN and self._name is not None:
            fit = fit_branch_name(self._name)
            if fit in taken:
                raise Refusal(None, f"There is a branch {fit} already; choose another name.")
        else:
            after = _fit(self._other.name.removesuffix(".campaign"))
            fit = next(name for name in _names(after if line == MAIN else line, after) if name not in taken)
        return Branch(fit, f"{self._log.campaign_id}/{fit}-{secrets.token_hex(4)}", *known)

    def _must_be_free(self, turn_id: str, number: int) -> None:
        rows = self._log.ask(layout.WHERE_THE_ID_IS, turn_id)
        if rows:
            raise Refusal(
                None,
                f"T{number} of {self._other.name} has the id {turn_id[:40]!r}, which is that of another turn here"
                f" (T{rows[0][0]}); they cannot both be kept.",
            )


def _with(history: History, turn: Stored) -> History:
    number, topic, state = turn
    return sha256(b"%b%d %d %b %b" % (history, number, len(topic), topic.encode(), state)).digest()


def _whole_line(other: StoredLog, line: str) -> Iterator[Stored]:
    """The turns of one line of play as they are stored, from the first on."""
    with other.on(line) as log:
        after = 0
        for stream, upto in log.segments:
            yield from log.stored(stream, after, upto)
            after = upto


def _fit(stem: str) -> str:
    """A file's name as one that a branch can have."""
    words = re.sub(r"[^\w-]+", "-", stem).strip("-_")[:30]
    try:
        return fit_branch_name(words)
    except Invalid:
        return "copy"


def _names(first: str, after: str) -> Iterator[str]:
    """Names for a branch, until one is free."""
    yield first
    if first != after:
        first = f"{after}-{first}"[:35]
        yield first
    number = 2
    while True:
        yield f"{first}-{number}"
        number += 1
