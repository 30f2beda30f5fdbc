"""The event store library, imported without what it takes longer to import than it uses of it.

What it makes of domain events, and its own way to write them down, is asked for nowhere here.
"""

import typing
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar

from cli.importing import standing_in

E = TypeVar("E", bound=Exception)


class _EventSourcingError(Exception):
    """What all errors of the library are, in the place of its own."""


def _type_variable(name: str, *constraints: Any, default: Any = None, **said: Any) -> TypeVar:  # noqa: ARG001
    """A type variable without its default, which is for who checks its types."""
    return typing.TypeVar(name, *constraints, **said)


_STANDING_IN: dict[str, dict[str, Any]] = {
    "typing_extensions": {"TypeVar": _type_variable},
    "inspect": {
        "isfunction": lambda each: isinstance(each, FunctionType),
        "get_annotations": lambda kind: dict(vars(kind).get("__annotations__", {})),  # for `dataclasses`
    },
    "random": {"random": lambda: import_module("random").random()},
    "json": {},
    "copy": {},
    "eventsourcing.domain": {
        "DomainEventProtocol": object,
        "HasOriginatorIDVersion": object,
        "EventSourcingError": _EventSourcingError,
        "TAggregateID": TypeVar("TAggregateID"),
    },
}

with standing_in(_STANDING_IN):
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
