"""The rule systems under test, and what each of them brings to the suite in `tests/every_system`.

The built-in ones bring a `SUBJECT` in `tests/KEY/subject.py`. A package with a rule system of its own names its
subjects in the module that takes the suite over: see `tests/every_system/__init__.py`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec import Struct

import data
from domain.registry import SYSTEMS, system_of

from .contract import scenarios
from .given import Given
from .recordings import old_logs_in, recordings_in

Line = dict[str, Any]
#: A verb and what is filled in; with more than one value where several boxes are ticked.
Filled = tuple[str, dict[str, Any]]
#: What the built-in rule systems bring along.
DATA = Path(data.__path__[0])


class Subject(Struct, frozen=True, kw_only=True):
    """One rule system, how it is played at random, and what it promises."""

    #: As in `campaign new --rules`.
    key: str
    #: (chance, table) -> the JSON of something that might be done at this table, enrolling included. It need not
    #: be legal; what is refused is not appended. Most of it should be, or the tables stay empty.
    line: Callable[[Random, Given], Line]
    #: A file with every tag and field of its own that was ever stored, as `tests/every_system/test_tags.py` reads it.
    stored_names: Path
    #: The numbers of the paragraphs, in the order of the source.
    paragraphs: tuple[str, ...]
    #: Option -> (its paragraph, its values with the default first; the default alone where any number will do).
    options: Mapping[str, tuple[str, tuple[Any, ...]]] = {}
    #: How many things are tried at a table before anything is revised, at least and at most.
    tries: tuple[int, int] = (10, 20)
    #: Asserts what is true of every table after every turn.
    sound: Callable[[Given], None] = lambda _: None
    #: The same, where turns may have been kept against the rules.
    sound_when_kept: Callable[[Given], None] = lambda _: None
    #: Where players keep something from each other: a player, who plays the character of that name, and
    #: (chance, table, line) -> the line with something else that this player may not see.
    viewer: str | None = None
    otherwise: "Callable[[Random, Given, Line], Line] | None" = None
    #: A file of scenarios as `contract.py` reads them.
    contract: Path | None = None
    #: From an empty campaign on, each of its own verbs with what a person fills in.
    evening: tuple[Filled, ...] = ()
    #: A folder with the example campaigns and the logs of earlier versions, as `recorded.py` finds them there.
    data: Path = DATA

    def __repr__(self) -> str:
        return self.key


@cache
def built_in() -> tuple[Subject, ...]:
    """What the rule systems of this project bring."""
    tests = __name__.split(".", maxsplit=1)[0]
    return tuple(import_module(f"{tests}.{key}.subject").SUBJECT for key in SYSTEMS)


def secretive() -> tuple[Subject, ...]:
    """Those of them under which players keep something from each other."""
    return tuple(subject for subject in built_in() if system_of(subject.key).keeps_secrets)


def subjects_of(module: Any) -> tuple[Subject, ...]:
    """The subjects that a test module names, else the built-in ones."""
    subjects: tuple[Subject, ...] | None = getattr(module, "SUBJECTS", None)
    return built_in() if subjects is None else subjects


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test for each `subject`, or for each of what the subjects bring, whichever it takes.

    `scenario` is one scenario of a contract, `recorded` an example campaign, `old_log` the file of an earlier version.
    Imported into a test module, pytest finds this there.
    """
    for name in {"subject", "scenario", "recorded", "old_log"} & set(metafunc.fixturenames):
        values = {
            f"{subject.key}{suffix}": argument
            for subject in subjects_of(metafunc.module)
            for suffix, argument in BRINGS[name](subject)
        }
        metafunc.parametrize(name, list(values.values()), ids=list(values))


def _scenarios_of(subject: Subject) -> Iterator[tuple[str, Any]]:
    contract = scenarios(subject.key, subject.contract) if subject.contract is not None else {}
    for title in contract:
        yield f": {title}", (subject.key, contract, title)


#: The argument of a test -> what there is of it, by how the test is then called.
BRINGS: dict[str, Callable[[Subject], Iterable[tuple[str, Any]]]] = {
    "subject": lambda subject: [("", subject)],
    "scenario": _scenarios_of,
    "recorded": lambda subject: [(f"-{example.name}", example) for example in recordings_in(subject.data, subject.key)],
    "old_log": lambda subject: [
        (f"-{path.parent.name}-{path.stem}", path) for path in old_logs_in(subject.data, subject.key)
    ],
}
