"""Joining: turns from another copy of a campaign become branches of this one, byte by byte.

Two turns are the same if they and all turns before them are the same bytes, on whatever branch. So every branch of the
other copy is known here up to some turn; the rest becomes a new branch, or extends the branch of an earlier join. Main
and the current branch never grow by a join.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cli.store import layout
from cli.store.branches import fit_branch_name
from cli.store.layout import MAIN
from cli.store.segments import Branch
from cli.store.stored_log import Signature, StoredLog, Tail
from domain.log.hash_chain import StoredRow, seal_from
from domain.log.port import NotSaved, NumberTaken
from domain.naming import numbered
from domain.refusal import Invalid, Refusal
from domain.registry import record_types

#: Attempts, each of which compares the copies again, if others keep writing meanwhile.
MOST_TRIES = 5
#: A hash over the bytes of a turn and of all turns before it.
History = bytes


class Joined(Struct, frozen=True):
    """A branch of the other copy with new turns, and the branch that holds them here."""

    line: str
    branch: str
    #: The last turn that was here before, and its branch.
    known: int
    base: str
    last: int
    #: Whether an existing branch was extended.
    grown: bool


def join(log: StoredLog, copy: StoredLog, name: str | None = None, *, dry_run: bool = False) -> list[Joined]:
    """Store the turns that only the other copy has, all or none, and return the branches that got them.

    `name` is for the branch of the other copy's main; without it the file's name is taken. Raises Refusal for what is
    no copy of this campaign, Invalid for an impossible branch name, NotSaved, MaybeSaved.
    """
    for _ in range(MOST_TRIES):
        joining = _Joining(log, copy, name)
        try:
            if joining.tails and not dry_run:
                log.put_beside(joining.tails)
                log.note_saved(change=f"What is new in {copy.name} is saved")
        except NumberTaken:
            continue
        return joining.results
    raise NotSaved("Nothing was saved. The log is busy: others kept writing first. Try again.")


def signatures_that_hold(log: StoredLog, copy: StoredLog) -> list[Signature]:
    """The signatures that the other copy keeps and this one does not, of turns that are here as they were signed."""
    own = set(log.signatures())
    usable = []
    for signature in copy.signatures():
        with suppress(Invalid):
            seal = seal_from(signature.seal)
            for number, stream in log.ask(layout.WHERE_THE_ID_IS, copy.id_in(signature.stream, signature.turn)):
                here = replace(signature, stream=stream)
                if number == signature.turn == seal.turn and here not in own and log.holds(seal, stream):
                    usable.append(here)
    return usable


class _Joining:
    """One comparison of two copies: which turns are new, and on which branches they belong."""

    def __init__(self, log: StoredLog, copy: StoredLog, name: str | None) -> None:
        if copy.campaign_id != log.campaign_id:
            raise Refusal(None, f"{copy.name} is another campaign; only a copy of this one can be joined.")
        if copy.address == log.address:
            raise Refusal(None, f"{copy.name} is this very campaign; join another copy of the campaign.")
        self._log, self._copy, self._name = log, copy, name
        self._decode = msgspec.msgpack.Decoder(record_types(log.rules).turn).decode
        self._branches = {branch.stream: branch for branch in log.branches()}
        #: The stream and number of every turn that is or will be here, by its history.
        self._here: dict[History, tuple[str, int]] = {}
        #: The last turn of each stream, those to be stored included.
        self._lasts: dict[str, int] = {}
        #: The streams of branches that this join makes or extends.
        self._changed_branches: set[str] = set()
        self._read_here()
        self.results: list[Joined] = []
        self.tails: list[Tail] = []
        for line in (MAIN, *(branch.name for branch in copy.branches())):
            self._compare(line)

    def _read_here(self) -> None:
        histories: dict[tuple[str, int], History] = {}
        for stream, base, fork in self._log.streams():
            history = histories.get((base, fork), b"")
            for row in self._log.stored_rows(stream):
                history, number = _with(history, row), row[0]
                histories[stream, number] = history
                self._here.setdefault(history, (stream, number))
                self._lasts[stream] = number

    def _compare(self, line: str) -> None:
        position_here, new, histories = (self._log.campaign_id, 0), list[StoredRow](), list[History]()
        history = b""
        with self._copy.on(line) as whole_line:
            for row in whole_line.rows():
                history = _with(history, row)
                if history in self._here:
                    position_here = self._here[history]
                else:
                    new.append(row)
                    histories.append(history)
        if not position_here[1]:
            raise Refusal(
                None, f"{self._copy.name} and this campaign have nothing in common: their first turns differ already."
            )
        if not new:
            return
        stream, known = position_here
        base = self._branches.get(stream)
        # a branch that ends with the last known turn goes on
        ends = self._lasts[stream] == known and stream not in (self._log.stream, *self._changed_branches)
        branch_that_grows = base if ends else None
        branch = branch_that_grows or self._new_branch(line, position_here)
        turns = tuple(self._decode(state) for _, _, state in new)
        for turn in turns:
            self._must_be_free(turn.id, turn.number)
        self.tails.append(Tail(branch, turns, tuple(new), is_new=branch_that_grows is None))
        after = MAIN if stream == self._log.campaign_id else base.name if base else "a branch that was deleted"
        self.results.append(Joined(line, branch.name, known, after, new[-1][0], grown=branch_that_grows is not None))
        self._here |= {
            known_history: (branch.stream, turn[0]) for known_history, turn in zip(histories, new, strict=True)
        }
        self._lasts[branch.stream] = new[-1][0]
        self._branches[branch.stream] = branch
        self._changed_branches.add(branch.stream)

    def _new_branch(self, line: str, position_here: tuple[str, int]) -> Branch:
        names = {MAIN, *(branch.name for branch in self._branches.values())}
        if line == MAIN and self._name is not None:
            fit = fit_branch_name(self._name)
            if fit in names:
                raise Refusal(None, f"There is a branch {fit} already; choose another name.")
        else:
            after = _fit(self._copy.name.removesuffix(".campaign"))
            fit = next(name for name in _names(after if line == MAIN else line, after) if name not in names)
        return Branch(fit, f"{self._log.campaign_id}/{fit}-{secrets.token_hex(4)}", *position_here)

    def _must_be_free(self, turn_id: str, number: int) -> None:
        rows = self._log.ask(layout.WHERE_THE_ID_IS, turn_id)
        if rows:
            raise Refusal(
                None,
                f"T{number} of {self._copy.name} has the id {turn_id[:40]!r}, which belongs to another turn here"
                f" (T{rows[0][0]}); they cannot both be kept.",
            )


def _with(history: History, turn: StoredRow) -> History:
    number, topic, state = turn
    return sha256(b"%b%d %d %b %b" % (history, number, len(topic), topic.encode(), state)).digest()


def _fit(stem: str) -> str:
    """The stem of a file name made into a valid branch name."""
    words = re.sub(r"[^\w-]+", "-", stem).strip("-_")[:30]
    try:
        return fit_branch_name(words)
    except Invalid:
        return "copy"


def _names(first: str, after: str) -> Iterator[str]:
    """Candidates for the name of a branch, without end."""
    if first != after:
        yield first
        first = f"{after}-{first}"[:35]
    yield from numbered(first)
