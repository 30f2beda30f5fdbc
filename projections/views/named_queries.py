"""The named queries and plots of the program: `data/queries.toml`, and `data/KEY/queries.toml` of a rule system."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.system.paragraphs import data_of
from projections.views.fairness import FAIRNESS, NOT_WEIGHED, redrawn, tail, verdict
from projections.views.view import View
from projections.views.why import characters_in

#: The rows of each query when all queries are shown.
FEW_ROWS = 10


class NamedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A query with a name."""

    title: str
    description: str
    sql: str


class Plot(Struct, frozen=True, forbid_unknown_fields=True):
    """A plot of a sheet field over turns."""

    name: str
    title: str
    field: str


@cache
def _data(rules: str) -> dict[str, Any]:
    """The rule system's queries, if it has any, then those of every campaign."""
    try:
        of_system = data_of(rules, "queries")
    except FileNotFoundError:
        of_system = {}
    return {**of_system, **data_of("", "queries")}


def named_queries(rules: str) -> dict[str, NamedQuery]:
    """The named queries of a rule system, in order."""
    return {name: msgspec.convert(query, NamedQuery) for name, query in _data(rules).items() if name != "plot"}


def plots(rules: str) -> dict[str, Plot]:
    """The plots of a rule system by name."""
    return {plot.name: plot for plot in msgspec.convert(_data(rules).get("plot", []), list[Plot])}


class Course(Struct, frozen=True):
    """The course of one character's number: (turn, value) for each change, and for the last turn."""

    character: str
    points: tuple[tuple[int, int], ...]


def courses(view: View, field: str) -> list[Course]:
    """The courses of a field, for the characters whose sheet has it as a number."""
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


def points_of(view: View, plot: Plot) -> list[dict[str, Any]]:
    """The points of a plot as rows."""
    return [
        {"character": course.character, "turn": turn, plot.field: value}
        for course in courses(view, plot.field)
        for turn, value in course.points
    ]


def answer_to(view: View, query: NamedQuery) -> list[dict[str, Any]]:
    """The rows of a named query; those about dice with their chance and verdict."""
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
    """The columns of the table of an answer; the others are sentences below it."""
    return [column for column in rows[0] if column not in ("verdict", "chance", "kind")] if rows else []


def sentences_of(view: View, name: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The sentences of an answer beside its table: the verdicts on dice, and repeated draws."""
    sentences = [f"{row['die']} {row['source']}: {row['verdict']}" for row in rows if row.get("chance") is not None]
    sentences += dict.fromkeys(row["verdict"] for row in rows if "verdict" in row and row["chance"] is None)
    return [*sentences, *(redrawn(view) if name == FAIRNESS else ())]
