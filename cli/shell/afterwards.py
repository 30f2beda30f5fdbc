"""What fails after a turn was saved: the turn is in the log all the same, and that is said first."""

import sqlite3
from collections.abc import Sequence

from cli.store.failures import Unopenable
from cli.terminal.screen import NobodyReads, Unprintable
from domain.log.port import Damaged, MaybeSaved, NotSaved

#: What may fail once something was saved: telling of it, and what is kept beside the log; or saving something else.
AFTERWARDS = (NobodyReads, Unprintable, OSError, sqlite3.Error, Unopenable, Damaged, NotSaved, MaybeSaved)


class AfterSaving(Exception):
    """These turns are saved, and after that something failed."""

    def __init__(self, saved: Sequence[int], error: Exception) -> None:
        super().__init__(str(error))
        self.saved, self.error = saved, error

    @property
    def is_done(self) -> bool:
        """Whether all that was asked for is done, and only what follows it is not."""
        return not isinstance(self.error, Damaged | NotSaved | MaybeSaved)


def saved_told(saved: Sequence[int]) -> str:
    """The turns that are saved, as the beginning of a sentence."""
    return f"T{saved[0]} is saved" if len(saved) == 1 else f"T{saved[0]} to T{saved[-1]} are saved"
