"""What fails after something was saved: it is in the campaign all the same, and that is said first."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cli.store.failures import STRANGE, Unopenable
from cli.store.streams import StoredLog
from cli.terminal.screen import NobodyReads, Unprintable, complain
from domain.log.port import DamagedLog, MaybeSaved, NotSaved

#: What may fail once something was saved: telling of it, and what is kept beside the log; or saving something else.
AFTERWARDS = (NobodyReads, Unprintable, OSError, sqlite3.Error, Unopenable, DamagedLog, NotSaved, MaybeSaved)


class PartialFailure(Exception):
    """This is saved, and after that something failed."""

    def __init__(self, saved: str, error: Exception, *, is_done: bool | None = None) -> None:
        super().__init__(str(error))
        self.saved, self.error = saved, error
        #: Whether all that was asked for is done, and only what follows it is not. Left out, the error tells.
        self.is_done = not isinstance(error, DamagedLog | NotSaved | MaybeSaved) if is_done is None else is_done


@contextmanager
def saying_what_was_saved(told: Callable[[], str]) -> Iterator[None]:
    """Whatever fails in here says first what was saved before (empty: nothing), lest somebody does it again."""
    try:
        yield
    except AFTERWARDS as error:
        if not (saved := told()):
            raise
        raise PartialFailure(saved, error) from error
    except STRANGE:
        if saved := told():
            complain(f"{saved}.")
        raise


def saved_sentence(log: StoredLog) -> str:
    """What was saved through this log, as the beginning of a sentence; empty: nothing."""
    turns = log.saved
    if not turns:
        return "; ".join(log.changed)
    told = f"T{turns[0]} is saved" if len(turns) == 1 else f"T{turns[0]} to T{turns[-1]} are saved"
    return "; ".join((told, *log.changed))
