"""The questions and pictures that ship with the program, from `data/queries.toml`."""

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from projections.views.view import View


class Named(Struct, frozen=True, forbid_unknown_fields=True):
    """A question with a name. `rules` are the rule systems that it makes sense for; none: all."""

    title: str
    description: str
    sql: str
    rules: tuple[str, ...] = ()


class Plot(Struct, frozen=True, forbid_unknown_fields=True):
    """A sheet field over turns as a picture."""

    name: str
    title: str
    field: str


@cache
def _data() -> dict[str, Any]:
    import tomllib
    from importlib.resources import files

    return tomllib.loads(files("data").joinpath("queries.toml").read_text("utf-8"))


def named_queries(rules: str) -> dict[str, Named]:
    """The named questions of a rule system, in their order."""
    found = {name: msgspec.convert(each, Named) for name, each in _data().items() if name != "plot"}
    return {name: each for name, each in found.items() if not each.rules or rules in each.rules}


def plots() -> dict[str, Plot]:
    """The pictures by name."""
    return {each.name: each for each in msgspec.convert(_data()["plot"], list[Plot])}


class Course(Struct, frozen=True):
    """How one character's number went: (turn, value) after each turn that changed it, up to the last turn."""

    character: str
    points: tuple[tuple[int, int], ...]


def courses(view: View, field: str) -> list[Course]:
    """The course of a field for everybody whose sheet has it as a number."""
    (last,) = view.ask("SELECT max(turn) FROM turns")[0]
    found = []
    for (name,) in view.ask("SELECT character FROM sheets ORDER BY rowid"):
        rows = view.ask(
            "SELECT turn, new FROM changes WHERE character = ? AND field = ? AND typeof(new) = 'integer' ORDER BY id",
            name,
            field,
        )
        if rows:
            found.append(Course(name, (*rows, (max(last, rows[-1][0]), rows[-1][1]))))
    return found
