"""Ask the tables of the campaign in SQL.

A question can read these tables and nothing else, and write nothing. It is stopped after two seconds.
`campaign query --schema` lists the tables.

Examples:
  campaign query "select turn, old, new from changes where field = 'hp'"
  campaign query --schema
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.reading import ReadOptions, reads
from cli.shell.viewing import viewing_file
from cli.shell.words import pairs, values_by_name
from cli.terminal.screen import Screen, Span, complain
from cli.terminal.table import print_table
from domain.naming import did_you_mean
from domain.refusal import Invalid
from projections.views.named_queries import named_queries, plots, points_of
from projections.views.sql_questions import ask
from projections.views.tables import TABLES, has_full_text
from projections.views.view import View


@reads(keeps_secrets=False)
def query(
    request: ReadOptions,
    sql: Annotated[
        str | None, ArgumentSpec(metavar="SELECT|NAME", help="SQL, or a name that `campaign stats` lists.")
    ] = None,
    parameter: Annotated[
        list[str] | None, OptionSpec("-p", "--parameter", metavar="NAME=VALUE", help="The value of :NAME.")
    ] = None,
    schema: Annotated[bool, OptionSpec("--schema", help="List the tables and their columns.")] = False,
) -> None:
    form, screen = request.form, request.screen
    with (
        open_chosen(request.campaign) as (log, system),
        viewing_file(log, system, read_up_to(log, request.at)) as view,
    ):
        if schema:
            _print_schema(screen, view, form)
        elif sql in (pictures := plots(system.key)):
            rows = points_of(view, pictures[sql])
            columns = ("character", "turn", pictures[sql].field)
            if form is Format.text:
                print_table(screen, columns, [list(row.values()) for row in rows])
            else:
                write_rows(screen, rows, form, columns)
        else:
            queries = named_queries(system.key)
            text = queries[sql].sql if sql in queries else sql or ""
            if not text.strip():
                raise Invalid("Write a select, or one of these names: " + ", ".join((*queries, *pictures)) + ".")
            if re.fullmatch(r"[\w-]+", text):
                raise Invalid(
                    f"There is no question {text!r}; {did_you_mean(text, (*queries, *pictures), otherwise='')}"
                )
            assert view.path is not None
            answer = ask(view.path, text, parameters(parameter or ()))
            if form is Format.text:
                print_table(screen, answer.columns, answer.rows)
            else:
                write_rows(screen, answer.as_dicts(), form, answer.columns)
            if answer.cut:
                complain(f"Only the first {len(answer.rows):,} rows are given; ask for less.")
    screen.flush(pager=True)


def parameters(words: Sequence[str]) -> dict[str, Any]:
    """The values of `-p name=value` by name, numbers as numbers and the rest as text. Raises Invalid."""
    form = "a parameter as NAME=VALUE"
    values = values_by_name((name.removeprefix(":"), text) for name, text in pairs(words, form))
    for name in values:
        if not name.isidentifier():
            raise Invalid(f"Write {form}; {name[:60]!r} is not a name.")
    return {name: _number_or_text(text) for name, text in values.items()}


def _number_or_text(text: str) -> int | float | str:
    if re.fullmatch(r"-?[0-9]{1,18}", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?[0-9]{1,18}\.[0-9]{1,18}", text) else text


def _print_schema(screen: Screen, view: View, form: Format) -> None:
    rows = [
        {"table": name, "column": column, "meaning": meaning}
        for name, table in TABLES.items()
        for column, (_, meaning) in table.columns.items()
    ]
    fields = [row[1] for row in view.ask("PRAGMA table_info(sheets)")]
    meanings = {"character": "whose sheet"}
    as_printed = "as `campaign status --json` shows it; lists as JSON text"
    rows += [{"table": "sheets", "column": field, "meaning": meanings.get(field, as_printed)} for field in fields]
    if has_full_text():
        rows.append({"table": "turns_fts", "column": "sentence", "meaning": "full text: where turns_fts match 'word'"})
    if form is not Format.text:
        write_rows(screen, rows, form, ("table", "column", "meaning"))
        return
    about: Mapping[str, str] = {
        **{name: table.meaning for name, table in TABLES.items()},
        "sheets": "The sheets as they are now, one row a character.",
        **({"turns_fts": "The sentences, for searching; rowid is the turn."} if has_full_text() else {}),
    }
    widest = max(len(row["column"]) for row in rows)
    for name, meaning in about.items():
        screen.line(Span(name, "bold cyan"), f"  {meaning}")
        for row in rows:
            if row["table"] == name:
                line: list[Span | str] = [f"  {row['column']:<{widest}}  ", Span(row["meaning"], "dim")]
                screen.lines(screen.wrap(line, indent=widest + 4))
        screen.line()
