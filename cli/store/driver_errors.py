"""Unwrapping of the database driver's errors, which the event store library wraps in its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from eventsourcing.persistence import PersistenceError

E = TypeVar("E", bound=Exception)


@contextmanager
def driver_errors(driver: type[E], *, otherwise: type[E]) -> Iterator[None]:
    """Raise the driver's error that caused one of the library's, or `otherwise` if none did."""
    try:
        yield
    except PersistenceError as error:
        raise _behind(error, driver) or otherwise(str(error)) from error


def _behind(error: BaseException | None, driver: type[E]) -> E | None:
    while error is not None:
        if isinstance(error, driver):
            return error
        error = error.__cause__ or error.__context__
    return None
