"""The event store library, imported without what it takes longer to import than it uses of it.

Of `typing_extensions` it wants a `TypeVar` that takes a default, for who checks its types.
"""

import sys
import typing
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

EXTENSIONS = "typing_extensions"
E = TypeVar("E", bound=Exception)


class _StandIn(ModuleType):
    """In the place of `typing_extensions`, with the one name that is asked of it; any other comes from the real one."""

    @staticmethod
    def TypeVar(name: str, *constraints: Any, default: Any = None, **said: Any) -> Any:  # noqa: ARG004, N802
        return typing.TypeVar(name, *constraints, **said)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        sys.modules.pop(EXTENSIONS, None)
        return getattr(import_module(EXTENSIONS), name)


@contextmanager
def _stand_in() -> Iterator[None]:
    """Whoever asks for it afterwards gets the real one."""
    there = sys.modules.setdefault(EXTENSIONS, _StandIn(EXTENSIONS))
    try:
        yield
    finally:
        if sys.modules.get(EXTENSIONS) is there and isinstance(there, _StandIn):
            del sys.modules[EXTENSIONS]


with _stand_in():
    from eventsourcing.persistence import EventStore as EventStore
    from eventsourcing.persistence import Mapper as Mapper
    from eventsourcing.persistence import PersistenceError
    from eventsourcing.persistence import StoredEvent as StoredEvent
    from eventsourcing.persistence import Transcoder as Transcoder
    from eventsourcing.sqlite import SQLiteApplicationRecorder as SQLiteApplicationRecorder
    from eventsourcing.sqlite import SQLiteConnection as SQLiteConnection
    from eventsourcing.sqlite import SQLiteConnectionPool as SQLiteConnectionPool
    from eventsourcing.sqlite import SQLiteCursor as SQLiteCursor
    from eventsourcing.sqlite import SQLiteFactory as SQLiteFactory
    from eventsourcing.utils import Environment as Environment


@contextmanager
def told_by(driver: type[E], *, otherwise: type[E]) -> Iterator[None]:
    """What the library makes of a driver's errors comes out as what the driver said."""
    try:
        yield
    except PersistenceError as error:
        raise _said_by(driver, error) or otherwise(str(error)) from error


def _said_by(driver: type[E], error: BaseException | None) -> E | None:
    while error is not None:
        if isinstance(error, driver):
            return error
        error = error.__cause__ or error.__context__
    return None
