"""Errors after something was saved: they are reported with what is in the campaign all the same."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cli.store.failures import STRANGE, Unopenable
from cli.store.stored_log import StoredLog
from cli.terminal.screen import NobodyReads, Unprintable, complain
from domain.log.port import DamagedLog, MaybeSaved, NotSaved

#: Errors that can occur once something was saved: of printing, of files beside the log, or of saving more.
AFTERWARDS = (NobodyReads, Unprintable, OSError, sqlite3.Error, Unopenable, DamagedLog, NotSaved, MaybeSaved)


class PartialFailure(Exception):
    """Something is saved, and after that something failed; `sentence` is about the former."""

    def __init__(self, sentence: str, error: Exception, *, is_done: bool | None = None) -> None:
        super().__init__(str(error))
        self.sentence, self.error = sentence, error
        #: Whether everything that was asked for is saved; by default decided by the kind of error.
        self.is_done = not isinstance(error, DamagedLog | NotSaved | MaybeSaved) if is_done is None else is_done


@contextmanager
def report_saved(sentence: Callable[[], str]) -> Iterator[None]:
    """Raise errors of the block as PartialFailure with a sentence about what was saved ("": nothing was)."""
    try:
        yield
    except AFTERWARDS as error:
        if not (words := sentence()):
            raise
        raise PartialFailure(words, error) from error
    except STRANGE:
        if words := sentence():
            complain(f"{words}.")
        raise


def saved_sentence(log: StoredLog) -> str:
    """What was saved through this log, as the beginning of a sentence; "" if nothing was."""
    turns = log.saved_numbers
    if not turns:
        return "; ".join(log.saved_changes)
    sentence = f"T{turns[0]} is saved" if len(turns) == 1 else f"T{turns[0]} to T{turns[-1]} are saved"
    return "; ".join((sentence, *log.saved_changes))
