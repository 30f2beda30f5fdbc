"""What was last seen of each campaign, when it was last backed up, and which draws are owed in it: remembered outside
it, in the state folder.

Whoever changes a campaign file can make its links anew; what this machine remembers of it they cannot. So a log
that no longer holds what was seen of it says so, and takes no turn until somebody has looked (`campaign verify`).
"""

import os
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec import Struct

from cli.store import layout
from cli.store.folders import state_folder
from cli.store.streams import StoredLog
from domain.log.hash_chain import sealed
from domain.log.pending_draws import PendingDraws, Seeds

if TYPE_CHECKING:
    from domain.log.verifying import Finding

T = TypeVar("T")


class BackedUp(Struct):
    """The last backup: when, up to which turn, and into which file."""

    at: str
    turn: int
    file: str

    @property
    def moment(self) -> datetime:
        """When it was made."""
        return datetime.fromisoformat(self.at)


class Seen(Struct, array_like=True):
    """The last turn that was seen of a branch: its number, its link, its id (not known of what was seen before 0.2)."""

    turn: int
    link: bytes
    id: str = ""


class Memory(Struct):
    """What is remembered of one campaign."""

    #: stream -> the place (a file as it was opened, the address on a server) -> what was last seen of it there
    seen: dict[str, dict[str, Seen]] = {}
    backup: BackedUp | None = None


#: stream -> what is owed in that line of play
OwedIn = dict[str, dict[str, dict[int, int]]]


def _path(campaign_id: str, kind: str = "seen") -> Path:
    safe = "".join(sign if sign.isalnum() else "-" for sign in campaign_id)
    return state_folder() / kind / f"{safe}.json"


def memory_of(campaign_id: str) -> Memory:
    """What is remembered; nothing where it cannot be read, or is not what was written: a log is blamed for neither."""
    return _kept(_path(campaign_id), Memory) or Memory()


def _kept(path: Path, kind: type[T]) -> T | None:
    try:
        written, _, hashed = path.read_bytes().rpartition(b"\n")
        if sha256(written).hexdigest().encode() == hashed:
            return msgspec.json.decode(written, type=kind)
    except (OSError, ValueError, msgspec.MsgspecError):
        pass
    return None


def _keep(path: Path, memory: Memory | OwedIn) -> None:
    """Not being able to is no reason to fail."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        written = msgspec.json.encode(memory)
        fresh.write_bytes(written + b"\n" + sha256(written).hexdigest().encode())
        fresh.replace(path)
    except OSError:
        return


def gone(log: StoredLog) -> "Finding | None":
    """What was last seen of this branch at this place, if the log no longer holds it."""
    return _gone(log, log.stream)


def gone_from_any(log: StoredLog) -> "list[Finding]":
    """The same for every branch that was ever seen at this place."""
    found = [_gone(log, stream) for stream in memory_of(log.campaign_id).seen]
    return [each for each in found if each is not None]


def _gone(log: StoredLog, stream: str) -> "Finding | None":
    seen = memory_of(log.campaign_id).seen.get(stream, {}).get(log.address)
    if seen is None or _holds(log, stream, seen):
        return None
    from domain.log.verifying import Finding

    sentence = f"{log.name} no longer holds what was last seen of it here ({sealed(seen.turn, seen.link)})."
    return Finding(sentence, seen.turn)


def _holds(log: StoredLog, stream: str, seen: Seen) -> bool:
    """Whether a branch of this log has this turn with this link."""
    if log.is_linked:
        return [row[0] for row in log.ask(layout.LINK, stream, seen.turn)] == [seen.link]
    return stream == log.stream and seen.turn <= log.last() and log.link(seen.turn) == seen.link


def seen_elsewhere(log: StoredLog) -> "list[Finding]":
    """What copies of this campaign at other places had that this one has not: a remark for each place.

    Turns of another copy that were joined here have other links, because they are on another branch; their ids are
    the same.
    """
    last: dict[str, Seen] = {}
    for stream, places in memory_of(log.campaign_id).seen.items():
        for place, seen in places.items():
            if place == log.address or _holds(log, stream, seen) or log.ask(layout.WHERE_THE_ID_IS, seen.id):
                continue
            if place not in last or last[place].turn < seen.turn:
                last[place] = seen
    if not last:
        return []
    from domain.log.verifying import Finding

    return [
        Finding(
            f"A copy at {place} had turns that are not here, up to {sealed(seen.turn, seen.link)}.",
            seen.turn,
            "note",
        )
        for place, seen in sorted(last.items())
    ]


def see(log: StoredLog) -> None:
    """Remember the end of this branch at this place. What has no links yet cannot be remembered."""
    last = log.last()
    if not log.is_linked or last == log.fork:  # a branch without turns of its own is its base, up to there
        return
    memory, link = memory_of(log.campaign_id), log.link(last)
    places = memory.seen.setdefault(log.stream, {})
    before = places.get(log.address)
    if before is None or (before.turn, before.link) != (last, link):
        places[log.address] = Seen(last, link, log.id_of(last))
        _keep(_path(log.campaign_id), memory)


def accept(log: StoredLog) -> None:
    """Forget what was seen at this place, and remember this branch as it is now."""
    memory = memory_of(log.campaign_id)
    for places in memory.seen.values():
        places.pop(log.address, None)
    _keep(_path(log.campaign_id), memory)
    see(log)


def note_backup(log: StoredLog, file: Path, at: datetime) -> None:
    """Remember that the campaign was backed up."""
    memory = memory_of(log.campaign_id)
    memory.backup = BackedUp(at.isoformat(), log.last(), str(file.resolve()))
    _keep(_path(log.campaign_id), memory)


class StoredPendingDraws(PendingDraws):
    """What is owed in one line of play, however many commands it takes until somebody draws it.

    Others write there at the same time, and may be killed between their turn and this: what a turn has is paid.
    """

    def __init__(self, log: StoredLog) -> None:
        super().__init__()
        self._log, self._path = log, _path(log.campaign_id, "owed")

    def read(self) -> Seeds:
        return self._everywhere().get(self._log.stream, {})

    def write(self, seeds: Seeds) -> None:
        everywhere = self._everywhere()
        everywhere[self._log.stream] = {key: dict(owed) for key, owed in seeds.items()}
        _keep(self._path, everywhere)

    def last(self) -> int:
        return self._log.last()

    def is_paid(self, seed: int, after: int) -> bool:
        return any(turn.seed == seed for turn in self._log.read(after=after))

    def _everywhere(self) -> OwedIn:
        return _kept(self._path, OwedIn) or {}
