"""Importing without what takes longer to import than is used of it.

A library imports whole modules for one name of theirs, or for what nobody asks of it here. A stand-in has the names
that are asked for while it is imported; every other comes from the module itself, as soon as it is asked for.
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any, cast


class _StandIn(ModuleType):
    """In the place of a module that is imported late."""

    def __init__(self, name: str, given: Mapping[str, Any]) -> None:
        super().__init__(name)
        self.__dict__.update(given)
        self._given = tuple(given)

    def give_no_longer(self) -> None:
        """From now on every name comes from the module itself."""
        for name in self._given:
            del self.__dict__[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        from importlib import import_module

        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def standing_in(names: Mapping[str, Mapping[str, Any] | None]) -> Iterator[None]:
    """Stand in for modules that are not imported yet, each with these names; None: it is not to be had.

    Whoever imports them afterwards gets the real ones, and a stand-in that somebody has is a door to them.
    """
    made = {name: None if given is None else _StandIn(name, given) for name, given in names.items()}
    made = {name: each for name, each in made.items() if name not in sys.modules}
    sys.modules.update(cast(dict[str, ModuleType], made))
    try:
        yield
    finally:
        for name, each in made.items():
            if sys.modules.get(name, sys) is each:
                del sys.modules[name]
            if each is not None:
                each.give_no_longer()
