"""What lies beside a campaign file as it is opened: whether a `-wal` or a journal there is its own.

SQLite does not notice if it is not, and puts the pages of another campaign into the file. So it is decided before
SQLite opens the file for writing.
"""

import os
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from cli.store.beginning import beginning_in
from cli.store.connection import ALONE, connect, uri_of
from cli.store.descriptors import hold, let_go
from cli.store.failures import DEFECTS, SQLITE_FAILS, Unopenable, damage_of, in_the_way, primary_code, size_of
from cli.store.header import header_of
from cli.store.layout import HOW_MANY_TURNS
from cli.store.linking import tables_agree
from cli.store.lock import sole_writer
from domain.log.port import NotSaved

#: The first byte of a journal that SQLite would put back.
JOURNAL = b"\xd9"


def check_what_lies_beside(path: Path) -> None:
    """Raise Unopenable if a `-wal` beside the file is not its own; take a journal away that the file does not need."""
    wal, journal = Path(f"{path}-wal"), Path(f"{path}-journal")
    for beside in (wal, journal):
        # SQLite would wait for ever for somebody who writes into a pipe
        if beside.exists() and (what := in_the_way(beside)):
            raise Unopenable(f"{path.name} cannot be read: {what}.", 6)
    if size_of(wal) > 0:
        _check_wal(path, wal)
    if _first_byte(journal) == JOURNAL:
        _check_journal(path, journal)


def _check_wal(path: Path, wal: Path) -> None:
    """Raise Unopenable if the `-wal` is another campaign's, or an older one.

    SQLite would show its turns, and write them over this file's on close. Decided by a read that includes the `-wal`:
    after a power cut during a checkpoint the pages are whole there, and the file alone may hold anything.
    """
    shm = Path(f"{path}-shm")
    in_use = shm.exists()
    turns_alone = _turns_of(path, ALONE)  # before those with the -wal, as others may be writing
    together = _campaign_id_of(path, "mode=ro")
    alone = _campaign_id_of(path, ALONE)
    if together and together == alone and (turns := _turns_of(path, "mode=ro")) < turns_alone:
        raise Unopenable(
            f"Beside {path.name} lies an older {wal.name}, with {turns} turns where the file has {turns_alone};"
            " move it away and keep it.",
            5,
        )
    if together is None or together == alone != "" or (together and not alone):
        return
    foreign = bool(alone) and bool(together or not _speaks_of(wal, alone or ""))
    wrong = damage_of(path)
    if foreign:
        advice = "move it away and keep it: it holds turns of another campaign."
        wrong = Unopenable(f"Beside {path.name} lies a {wal.name} that is not its own; {advice}", 5)
    if not in_use:
        with suppress(OSError):
            shm.unlink()
    raise wrong


def _check_journal(path: Path, journal: Path) -> None:
    """Take a journal away that the file does not need, before SQLite puts its pages back into the file.

    It is of another file, or older than the file, or was left when the turn was complete. One that names the campaign
    goes, as its pages are those of before; any other is set aside under a name that SQLite does not know.
    """
    with suppress(OSError, NotSaved), sole_writer(path):
        descriptor = hold(path)
        try:
            pages, first_page = _journaled(journal)
            header = header_of(descriptor)
            # the first page is written with every commit, and says how often that was and how many pages there are
            before = first_page[24:28] if first_page else pages.to_bytes(4, "big")
            is_of_now = before == (header[24:28] if first_page else header[28:32])
            campaign_id = _campaign_id_of(path, ALONE)
            is_own = not campaign_id or _speaks_of(journal, campaign_id)
            if (is_own and is_of_now) or not _is_whole_alone(path):
                return
            os.fsync(descriptor.fd)
        finally:
            let_go(descriptor)
        if is_own:
            journal.unlink()
        else:
            journal.rename(f"{journal}.of-another-file")


def _first_byte(journal: Path) -> bytes:
    try:
        with journal.open("rb") as file:
            return file.read(1)
    except OSError:
        return b""


def _journaled(journal: Path) -> tuple[int, bytes]:
    """How many pages the file had before, and its first page if that is in the journal. Raises OSError."""
    content, at, first_page = journal.read_bytes(), 0, b""
    pages, sector, size = (int.from_bytes(content[start : start + 4], "big") for start in (16, 20, 24))
    while sector and size and content[at : at + 1] == JOURNAL:
        records = int.from_bytes(content[at + 8 : at + 12], "big") or 2**32 - 1
        at += sector
        while records and at + size + 8 <= len(content):
            if content[at : at + 4] == b"\0\0\0\1":
                first_page = content[at + 4 : at + 4 + size]
            at, records = at + size + 8, records - 1
        at = -(-at // sector) * sector
    return pages, first_page


def _speaks_of(beside: Path, campaign_id: str) -> bool:
    """Whether a `-wal` or a journal names this campaign, as every stored turn and branch does."""
    try:
        return campaign_id.encode() in beside.read_bytes()
    except OSError:
        return True


def _campaign_id_of(path: Path, how: str) -> str | None:
    """The campaign id as read in this mode; "" if the file is damaged so, None if it cannot be told."""
    try:
        with closing(connect(uri_of(path, how))) as connection:
            return beginning_in(path.name, connection).campaign_id
    except Unopenable as error:
        return "" if error.exit_code == 5 else None
    except SQLITE_FAILS as error:
        return "" if primary_code(error) in DEFECTS else None


def _turns_of(path: Path, how: str) -> int:
    """How many turns there are as read in this mode; 0 if that cannot be told."""
    try:
        with closing(connect(uri_of(path, how))) as connection:
            return int(connection.execute(HOW_MANY_TURNS).fetchone()[0])
    except SQLITE_FAILS:
        return 0


def _is_whole_alone(path: Path) -> bool:
    """Whether a file is as after a commit, without what lies beside it."""
    try:
        with closing(connect(uri_of(path, ALONE))) as connection:
            is_sound = connection.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
            return is_sound and tables_agree(connection)
    except (*SQLITE_FAILS, NotSaved, TypeError, ValueError, msgspec.MsgspecError):
        return False
