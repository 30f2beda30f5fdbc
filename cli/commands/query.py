"""Ask the tables of the campaign in SQL.

A question can read these tables and nothing else, and write nothing. It is stopped after two seconds.
`campaign query --schema` lists the tables, `campaign query --list` the questions that have a name.

Examples:
  campaign query "select turn, old, new from changes where field = 'hp'"
  campaign query --save wounds "select turn, sentence from turns where kind = 'osr.damage'"
  campaign query --list
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from cli.pages.formats import Format
from cli.pages.rows import write_rows
from cli.shell import options
from cli.shell.command_context import open_chosen, read_up_to
from cli.shell.reading import ReadOptions, reads
from cli.shell.saved_questions import (
    NAME,
    SavedQuestion,
    forget,
    must_have_values,
    parameters_in,
    save,
    saved_questions,
)
from cli.shell.viewing import viewing_file
from cli.shell.words import pairs, values_by_name
from cli.store.stored_log import StoredLog
from cli.terminal.screen import Screen, Span, complain
from cli.terminal.table import print_table
from domain.naming import did_you_mean
from domain.refusal import Invalid
from domain.system.rulesystem import RuleSystem
from projections.views.named_queries import named_queries, plots, points_of
from projections.views.sql_questions import ask
from projections.views.tables import TABLES, has_full_text
from projections.views.view import View


@reads(keeps_secrets=False)
def query(
    request: ReadOptions,
    sql: Annotated[
        str | None,
        typer.Argument(
            metavar="SELECT|NAME",
            help="SQL, or a name that `campaign query --list` shows.",
            autocompletion=options.known("questions"),
        ),
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("-p", "--parameter", metavar="NAME=VALUE", help="The value of :NAME.")
    ] = None,
    save_as: Annotated[
        str | None, typer.Option("--save", metavar="NAME", help="Keep this select under a name, to ask it again.")
    ] = None,
    forgotten: Annotated[
        str | None,
        typer.Option(
            "--forget", metavar="NAME", help="Delete a saved question.", autocompletion=options.known("questions")
        ),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the questions that have a name.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="List the tables and their columns.")] = False,
) -> None:
    form, screen = request.form, request.screen
    with open_chosen(request.campaign) as (log, system):
        if forgotten is not None:
            forget(log, forgotten)
            screen.line(f"{forgotten} is deleted.")
        elif listing:
            write_rows(screen, _named(log, system), form, ("question", "about", "parameters"))
        else:
            with viewing_file(log, system, read_up_to(log, request.at)) as view:
                if schema:
                    _print_schema(screen, view, form)
                elif save_as is not None:
                    _save(screen, log, system, view, save_as, sql or "")
                else:
                    _answer(screen, log, system, view, sql or "", parameters(parameter or ()), form)
    screen.flush(pager=True)


def _answer(
    screen: Screen, log: StoredLog, system: RuleSystem, view: View, text: str, values: Mapping[str, Any], form: Format
) -> None:
    """Print the answer to SQL, or to a question by its name. Raises Invalid for what is neither."""
    queries, pictures = named_queries(system.key), plots(system.key)
    if text in pictures:
        points = points_of(view, pictures[text])
        columns: Sequence[str] = ("character", "turn", pictures[text].field)
        if form is Format.text:
            print_table(screen, columns, [list(row.values()) for row in points])
        else:
            write_rows(screen, points, form, columns)
        return
    if text in queries:
        text = queries[text].sql
    elif not text.strip() or NAME.fullmatch(text):
        saved = saved_questions(log)
        names = (*queries, *pictures, *saved)
        if not text.strip():
            raise Invalid("Write a select, or one of these names: " + ", ".join(names) + ".")
        if text not in saved:
            raise Invalid(f"There is no question {text!r}; {did_you_mean(text, names, otherwise='')}")
        must_have_values(saved[text], values)
        text = saved[text].sql
    assert view.path is not None
    answer = ask(view.path, text, values)
    if form is Format.text:
        print_table(screen, answer.columns, answer.rows)
    else:
        write_rows(screen, answer.as_dicts(), form, answer.columns)
    if answer.cut:
        complain(f"Only the first {len(answer.rows):,} rows are given; ask for less.")


def _save(screen: Screen, log: StoredLog, system: RuleSystem, view: View, name: str, sql: str) -> None:
    """Keep SQL under a name, once it has been asked with every parameter empty. Raises Invalid for what is no SQL."""
    if not NAME.fullmatch(name):
        raise Invalid(f"A name consists of letters, digits, - and _, not {name[:60]!r}.")
    if name in named_queries(system.key) or name in plots(system.key):
        raise Invalid(f"{name} is a question of the program itself; choose another name.")
    if not sql.strip() or NAME.fullmatch(sql):
        raise Invalid(f'Write the select that {name} is to stand for: campaign query --save {name} "select …"')
    question = SavedQuestion(name, sql, parameters_in(sql))
    assert view.path is not None
    ask(view.path, sql, dict.fromkeys(question.parameters))
    save(log, name, sql)
    given = "".join(f" -p {parameter}=…" for parameter in question.parameters)
    screen.line(f"Saved. To ask it: {screen.program}query {name}{given}", indent=None)


def _named(log: StoredLog, system: RuleSystem) -> list[dict[str, Any]]:
    """Every question that has a name: the program's, its pictures, and those that were saved, which are their SQL."""
    titles = {name: question.title for name, question in named_queries(system.key).items()}
    titles |= {name: picture.title for name, picture in plots(system.key).items()}
    rows = [{"question": name, "about": title, "parameters": [], "saved": False} for name, title in titles.items()]
    saved = saved_questions(log).values()
    return rows + [
        {"question": one.name, "about": one.sql, "parameters": list(one.parameters), "saved": True} for one in saved
    ]


def parameters(words: Sequence[str]) -> dict[str, Any]:
    """The values of `-p name=value` by name, numbers as numbers and the rest as text. Raises Invalid."""
    form = "a parameter as NAME=VALUE"
    values = values_by_name((name.removeprefix(":"), text) for name, text in pairs(words, form))
    for name in values:
        if not name.isidentifier():
            raise Invalid(f"Write {form}; {name[:60]!r} is not a name.")
    number = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")
    kinds = ((name, text, float if "." in text else int) for name, text in values.items())
    return {name: kind(text) if number.fullmatch(text) else text for name, text, kind in kinds}


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
                screen.line(*line, indent=widest + 4)
        screen.line()
