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
from cli.store.server.address import is_server
from cli.store.streams import StoredLog
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


class Memory(Struct):
    """What is remembered of one campaign."""

    #: stream -> the file that it was seen in -> the number of its last turn, and that one's link
    seen: dict[str, dict[str, tuple[int, bytes]]] = {}
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
    """What was last seen of this line of play, if the log no longer holds it."""
    return _gone(log, log.stream)


def gone_from_any(log: StoredLog) -> "list[Finding]":
    """The same of every line of play that was ever seen."""
    found = [_gone(log, stream) for stream in memory_of(log.campaign_id).seen]
    return [each for each in found if each is not None]


def _gone(log: StoredLog, stream: str) -> "Finding | None":
    for file, (number, link) in memory_of(log.campaign_id).seen.get(stream, {}).items():
        if not _is_about(log, file):
            continue
        if log.is_linked:
            found = [row[0] for row in log.ask(layout.LINK, stream, number)]
        else:
            found = [log.link(number)] if stream == log.stream and number <= log.last() else []
        if found != [link]:
            from domain.log.hash_chain import sealed
            from domain.log.verifying import Finding

            sentence = f"{log.name} no longer holds what was last seen of it here ({sealed(number, link)})."
            return Finding(sentence, number)
    return None


def _is_about(log: StoredLog, file: str) -> bool:
    """Whether what was seen in a file is to be found in this one: it is the same, or that one has been moved away.

    A copy that still lies beside the campaign (a backup, a log as it stood) has a life of its own.
    """
    return file == log.address or not (is_server(file) or Path(file).exists())


def see(log: StoredLog) -> None:
    """Remember the end of this line of play. What has no links yet cannot be remembered."""
    if not log.is_linked or log.last() == log.fork:  # a branch without turns of its own is its base, up to there
        return
    memory, now = memory_of(log.campaign_id), (log.last(), log.link(log.last()))
    before = memory.seen.get(log.stream, {})
    after = {file: seen for file, seen in before.items() if not _is_about(log, file)} | {log.address: now}
    if after != before:
        memory.seen[log.stream] = after
        _keep(_path(log.campaign_id), memory)


def accept(log: StoredLog) -> None:
    """Forget what was seen in this file, and remember this line of play as it is now."""
    memory = memory_of(log.campaign_id)
    for stream, files in memory.seen.items():
        memory.seen[stream] = {file: seen for file, seen in files.items() if not _is_about(log, file)}
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
