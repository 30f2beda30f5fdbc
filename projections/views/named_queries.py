"""The named queries and plots of the program: `data/queries.toml`, and `data/KEY/queries.toml` of a rule system."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.registry import system_of
from domain.system.paragraphs import data_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from projections.recap_document import Curve
from projections.views.fairness import FAIRNESS, NOT_WEIGHED, redrawn, tail, verdict
from projections.views.targets import characters_in
from projections.views.view import View

#: The rows of each query when all queries are shown.
FEW_ROWS = 10


class NamedQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """A query with a name. One with `facts` has a row for each of them, and counts them `by` some of their columns."""

    title: str
    description: str
    sql: str = ""
    facts: str = ""
    #: what is counted of the facts: "sum(lost) as lost, count(*) as hits"
    measures: str = ""
    by: tuple[str, ...] = ()
    #: the first thing to sort by
    order: str = ""

    def grouped(self, by: Sequence[str]) -> str:
        """The SQL that counts the facts by these columns."""
        columns = ", ".join(by)
        order = ", ".join(filter(None, (self.order, columns)))
        facts = self.facts.strip()
        return f"{PLAYERS}select {columns}, {self.measures}\nfrom (\n{facts}\n)\ngroup by {columns} order by {order}"


#: Who plays the character of a change, as was written down last; and what a change came from.
PLAYER = "(select player from players where players.character = changes.character)"
PLAYERS = """with players as (
  select character, new as player, max(id) from "values" where field = 'player' group by character
)
"""
SOURCE = """coalesce(
  json_extract(action, '$.source'), json_extract(action, '$.foe'),
  iif(kind like '%.damage', 'not told', replace(substr(kind, instr(kind, '.') + 1), '_', ' '))
)"""
#: What facts can be counted by.
GROUPS = ("session", "character", "player", "source")


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


@cache
def named_queries(rules: str) -> dict[str, NamedQuery]:
    """The named queries of a rule system, in order."""
    system = system_of(rules)
    vital = system.vital[0]
    loss = "new - old" if vital in system.worse_when_higher else "old - new"
    queries = {}
    for name, data in _data(rules).items():
        if name != "plot":
            query = msgspec.convert(data, NamedQuery)
            facts = query.facts.replace("{player}", PLAYER).replace("{source}", SOURCE)
            whole = replace(query, facts=facts.replace("{vital}", vital).replace("{loss}", loss))
            queries[name] = replace(whole, sql=query.sql or whole.grouped(query.by))
    return queries


def changes_of(plot: Plot) -> NamedQuery:
    """What a plot draws, to be counted: how low and how high its field was, and what was lost and gained."""
    return NamedQuery(
        plot.title,
        "",
        facts=f"""
select changes.turn, session, changes.character, {PLAYER} as player, {SOURCE} as source, old, new
from changes join turns using (turn)
where field = '{plot.field}' and typeof(new) = 'integer'
""",
        measures="min(new) as lowest, max(new) as highest, sum(max(coalesce(old, new) - new, 0)) as lost,"
        " sum(max(new - coalesce(old, new), 0)) as gained, count(*) as changes",
    )


def plots(rules: str) -> dict[str, Plot]:
    """The plots of a rule system by name."""
    return {plot.name: plot for plot in msgspec.convert(_data(rules).get("plot", []), list[Plot])}


def courses(view: View, field: str) -> list[Curve]:
    """The curves of a field up to the last turn, for the characters whose sheet has it as a number."""
    last = view.last()
    results = []
    for name in characters_in(view):
        rows = view.ask(
            "SELECT turn, new FROM changes WHERE character = ? AND field = ? AND typeof(new) = 'integer' ORDER BY id",
            name,
            field,
        )
        if rows:
            results.append(Curve(name, (*rows, (max(last, rows[-1][0]), rows[-1][1]))))
    return results


def points_of(view: View, plot: Plot) -> list[dict[str, Any]]:
    """The points of a plot as rows."""
    return [
        {"character": course.character, "turn": turn, plot.field: value}
        for course in courses(view, plot.field)
        for turn, value in course.points
    ]


def answer_to(view: View, query: NamedQuery, by: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The rows of a named query, counted `by` these columns if it has facts; those about dice with their verdict."""
    columns, rows = view.table(query.grouped(by) if by else query.sql)
    answers = [dict(zip(columns, row, strict=True)) for row in rows]
    if "chi_square" in columns:
        for row in answers:
            if row["chi_square"] is None:
                row["chance"], row["verdict"] = None, NOT_WEIGHED[row["kind"]]
                continue
            row["chance"] = round(tail(row["chi_square"], row["degrees"]), 4)
            row["verdict"] = verdict(row["rolls"], row["chi_square"], row["degrees"])
    return answers


def with_titles_of_cards(system: RuleSystem, state: Game, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of an answer about cards, with the title of each behind its number."""
    people = {row["character"] for row in rows} if system.piles is not None else set()
    titles = {
        (name, str(card)): title
        for name in people
        for card, title in (system.piles.cards(state, name) if system.piles is not None else {}).items()
    }
    named = []
    for row in rows:
        cells = dict[str, Any]()
        for column, value in row.items():
            cells[column] = value
            if column == "card":
                cells["title"] = titles.get((row["character"], str(value)))
        named.append(cells)
    return named


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns of the table of an answer; the others are sentences below it."""
    return [column for column in rows[0] if column not in ("verdict", "chance", "kind")] if rows else []


def sentences_of(view: View, name: str, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The sentences of an answer beside its table: the verdicts on dice, and repeated draws."""
    sentences = [f"{row['die']} {row['source']}: {row['verdict']}" for row in rows if row.get("chance") is not None]
    sentences += dict.fromkeys(row["verdict"] for row in rows if "verdict" in row and row["chance"] is None)
    return [*sentences, *(redrawn(view) if name == FAIRNESS else ())]
