"""The questions and pictures that ship with the program: `data/queries.toml`, and `data/KEY/queries.toml`."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.system.paragraphs import data_of
from projections.views.fairness import FAIRNESS, NOT_WEIGHED, redrawn, tail, verdict
from projections.views.view import View
from projections.views.why import characters_in

#: Rows of each question where all are shown.
FEW_ROWS = 10


class NamedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A question with a name."""

    title: str
    description: str
    sql: str


class Plot(Struct, frozen=True, forbid_unknown_fields=True):
    """A sheet field over turns as a picture."""

    name: str
    title: str
    field: str


@cache
def _data(rules: str) -> dict[str, Any]:
    """The system's own, then those of every campaign. A system need not have any."""
    try:
        of_system = data_of(rules, "queries")
    except FileNotFoundError:
        of_system = {}
    return {**of_system, **data_of("", "queries")}


def named_queries(rules: str) -> dict[str, NamedQuery]:
    """The named questions of a rule system, in their order."""
    return {name: msgspec.convert(query, NamedQuery) for name, query in _data(rules).items() if name != "plot"}


def plots(rules: str) -> dict[str, Plot]:
    """The pictures of a rule system by name."""
    return {plot.name: plot for plot in msgspec.convert(_data(rules).get("plot", []), list[Plot])}


class Course(Struct, frozen=True):
    """How one character's number went: (turn, value) after each turn that changed it, up to the last turn."""

    character: str
    points: tuple[tuple[int, int], ...]


def courses(view: View, field: str) -> list[Course]:
    """The course of a field for everybody whose sheet has it as a number."""
    last = view.last()
    results = []
    for name in characters_in(view):
        rows = view.ask(
            "SELECT turn, new FROM changes WHERE character = ? AND field = ? AND typeof(new) = 'integer' ORDER BY id",
            name,
            field,
        )
        if rows:
            results.append(Course(name, (*rows, (max(last, rows[-1][0]), rows[-1][1]))))
    return results


def answered(view: View, query: NamedQuery) -> list[dict[str, Any]]:
    """The rows that a named question finds; of dice, each with how likely they are and what that says."""
    columns, rows = view.table(query.sql)
    answers = [dict(zip(columns, row, strict=True)) for row in rows]
    if "chi_square" in columns:
        for row in answers:
            if row["chi_square"] is None:
                row["chance"], row["verdict"] = None, NOT_WEIGHED[row["kind"]]
                continue
            row["chance"] = round(tail(row["chi_square"], row["degrees"]), 4)
            row["verdict"] = verdict(row["rolls"], row["chi_square"], row["degrees"])
    return answers


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What stands in the table of an answer: what is a sentence stands below it."""
    return [column for column in rows[0] if column not in ("verdict", "chance", "kind")] if rows else []


def said_of(view: View, name: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What an answer says besides its figures, a sentence each: how likely dice are, and which were drawn again."""
    sentences = [f"{row['die']} {row['source']}: {row['verdict']}" for row in rows if row.get("chance") is not None]
    sentences += dict.fromkeys(row["verdict"] for row in rows if "verdict" in row and row["chance"] is None)
    return [*sentences, *(redrawn(view) if name == FAIRNESS else ())]
