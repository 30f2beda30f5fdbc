"""The memory of this machine about each campaign, in the state folder: last seen turns, last backup, pending draws.

Whoever changes a campaign file can compute its links anew, but cannot change this memory. A log that no longer holds
the turn that was last seen of it is reported, and takes no turn until `campaign verify --accept`.
"""

import os
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from cli.store import layout
from cli.store.folders import state_folder
from cli.store.stored_log import StoredLog
from domain.log.finding import Finding
from domain.log.hash_chain import seal_of
from domain.log.pending_draws import PendingDraws, Seeds

T = TypeVar("T")


class BackedUp(Struct):
    """The last backup: when, up to which turn, and into which file."""

    at: str
    turn: int
    file: str

    @property
    def moment(self) -> datetime:
        return datetime.fromisoformat(self.at)


class LastSeen(Struct, array_like=True):
    """The last turn that was seen of a branch: its number, its link, and its id (unknown if seen before 0.2)."""

    turn: int
    link: bytes
    id: str = ""


class Memory(Struct):
    """The memory about one campaign."""

    #: stream -> place (the path as it was opened, or the address on a server) -> the turn last seen there
    seen: dict[str, dict[str, LastSeen]] = {}
    backup: BackedUp | None = None


#: stream -> its pending draws
StoredDraws = dict[str, dict[str, dict[int, int]]]


def _path(campaign_id: str, kind: str = "seen") -> Path:
    safe = "".join(sign if sign.isalnum() else "-" for sign in campaign_id)
    return state_folder() / kind / f"{safe}.json"


def _place(address: str) -> str:
    """An address as JSON can hold it: bytes of a file name that are no UTF-8 are written as escapes."""
    return address.encode("utf-8", "backslashreplace").decode()


def memory_of(campaign_id: str) -> Memory:
    """The memory about a campaign; an empty one if it cannot be read or its hash does not match."""
    return _load(_path(campaign_id), Memory) or Memory()


def _load(path: Path, kind: type[T]) -> T | None:
    try:
        content, _, digest = path.read_bytes().rpartition(b"\n")
        if sha256(content).hexdigest().encode() == digest:
            return msgspec.json.decode(content, type=kind)
    except (OSError, ValueError, msgspec.MsgspecError):
        pass
    return None


def _save(path: Path, memory: Memory | StoredDraws) -> None:
    """Write a memory with its hash; errors are ignored."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        content = msgspec.json.encode(memory)
        temporary.write_bytes(content + b"\n" + sha256(content).hexdigest().encode())
        temporary.replace(path)
    except OSError:
        return


def missing_turn(log: StoredLog, stream: str | None = None) -> Finding | None:
    """A finding if the log no longer holds the turn that was last seen here of a branch (None: this one); else None."""
    stream = stream or log.stream
    last = memory_of(log.campaign_id).seen.get(stream, {}).get(_place(log.address))
    if last is None or _holds(log, stream, last):
        return None
    sentence = f"{log.name} no longer holds what was last seen of it here ({seal_of(last.turn, last.link)})."
    return Finding(sentence, last.turn)


def _holds(log: StoredLog, stream: str, last: LastSeen) -> bool:
    """Whether a branch of this log holds this turn with this link."""
    if log.is_linked:
        return [row[0] for row in log.ask(layout.LINK, stream, last.turn)] == [last.link]
    return stream == log.stream and last.turn <= log.last() and log.link(last.turn) == last.link


def seen_elsewhere(log: StoredLog) -> list[Finding]:
    """A finding for each other place whose copy of this campaign had turns that this one lacks.

    Joined turns are on another branch and have other links, so they are recognised by their ids.
    """
    last: dict[str, LastSeen] = {}
    here = _place(log.address)
    for stream, places in memory_of(log.campaign_id).seen.items():
        for place, latest in places.items():
            if place == here or _holds(log, stream, latest) or log.ask(layout.WHERE_THE_ID_IS, latest.id):
                continue
            if place not in last or last[place].turn < latest.turn:
                last[place] = latest
    if not last:
        return []
    return [
        Finding(
            f"A copy at {place} had turns that are not here, up to {seal_of(latest.turn, latest.link)}.",
            latest.turn,
            "note",
        )
        for place, latest in sorted(last.items())
    ]


def see(log: StoredLog) -> None:
    """Store the last turn of this branch at this place; nothing for a log without links."""
    last = log.last()
    if not log.is_linked or last == log.fork:  # a branch without turns of its own adds nothing to its base
        return
    memory, link = memory_of(log.campaign_id), log.link(last)
    places = memory.seen.setdefault(log.stream, {})
    before = places.get(_place(log.address))
    if before is None or (before.turn, before.link) != (last, link):
        places[_place(log.address)] = LastSeen(last, link, log.id_in(log.stream, last))
        _save(_path(log.campaign_id), memory)


def accept(log: StoredLog) -> None:
    """Forget what was seen at this place, and store this branch as it is now."""
    memory = memory_of(log.campaign_id)
    for places in memory.seen.values():
        places.pop(_place(log.address), None)
    _save(_path(log.campaign_id), memory)
    see(log)


def note_backup(log: StoredLog, file: Path, at: datetime) -> None:
    memory = memory_of(log.campaign_id)
    memory.backup = BackedUp(at.isoformat(), log.last(), _place(str(file.resolve())))
    _save(_path(log.campaign_id), memory)


class StoredPendingDraws(PendingDraws):
    """The pending draws of one branch, kept across commands until they are drawn.

    Those of a file are in the state folder, those on a server beside the turns: many machines write to it.

    Other processes write there too and may be killed between recording a turn and writing here, so the log is asked
    whether a turn has used a seed.
    """

    def __init__(self, log: StoredLog) -> None:
        super().__init__()
        self._log, self._path, self._name = log, _path(log.campaign_id, "owed"), f"draws {log.stream}"

    def read(self) -> Seeds:
        kept = self._log.kept(self._name)
        if kept is None:
            return self._all_streams().get(self._log.stream, {})
        try:
            return msgspec.json.decode(kept, type=dict[str, dict[int, int]]) if kept else {}
        except msgspec.MsgspecError:
            return {}

    def write(self, seeds: Seeds) -> None:
        if self._log.keep(self._name, msgspec.json.encode(seeds).decode()):
            return
        everywhere = self._all_streams()
        everywhere[self._log.stream] = {key: dict(draws) for key, draws in seeds.items()}
        _save(self._path, everywhere)

    def last(self) -> int:
        return self._log.last()

    def is_used(self, seed: int, after: int) -> bool:
        return any(turn.seed == seed for turn in self._log.read(after=after))

    def _all_streams(self) -> StoredDraws:
        return _load(self._path, StoredDraws) or {}
