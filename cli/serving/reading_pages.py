"""The pages that read: a sheet, an earlier turn, the log, one turn, rules, why, when, differences, figures, recaps."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any
from urllib.parse import urlencode

import msgspec
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import Response

from cli.serving.controls import label_of_sheet_field
from cli.serving.door import NO_PAGE, Problem
from cli.serving.table_server import TableServer, number
from cli.serving.views import ON_A_PAGE, SeatView
from cli.serving.wording import as_title, parts_in_words, sentence_in_words
from cli.shell import readings
from cli.shell.references import turn_name
from domain.common.revisions import Amend
from domain.refusal import Invalid, Unknown
from domain.values import plainly
from projections.recap_document import TurnInWords
from projections.views.conditions import as_word

#: The fields of a search in the log.
SEARCHED = msgspec.structs.fields(readings.LogSearch)
#: How a value is compared with another: as a condition has it, and as it is read.
COMPARISONS = {
    "<": "is below", "<=": "is at most", "=": "is", "!=": "is not", ">=": "is at least", ">": "is above"
}  # fmt: skip
#: Characters of the title of a turn.
LONGEST_TITLE = 60


async def sheet(server: TableServer, request: Request, view: SeatView) -> Response:
    """One sheet."""
    picture = await server.in_writer(view.picture, str(request.path_params["name"]))
    return server.page("sheet", view, title=picture.name, picture=picture)


async def at(server: TableServer, request: Request, view: SeatView) -> Response:
    """The table as it was after a turn, and a slider to move through time."""
    number_there = number(request.query_params.get("turn", ""))

    def look(earlier: SeatView) -> Any:
        last = earlier.log.last()
        point = min(number_there or last, last)
        return earlier.at(point), earlier.sessions(), earlier.turns(point - 1, point)

    table, sessions, turns = await server.looking_back(request, view, look)
    return server.page("at", view, title=f"As of T{table.point}", now=table, sessions=sessions, turns=turns)


async def log_page(server: TableServer, request: Request, view: SeatView) -> Response:
    """The turns, the newest first, or those that a search finds."""
    number_there = number(request.query_params.get("upto", ""))
    search = readings.LogSearch(**{field.name: request.query_params.get(field.name, "")[:200] for field in SEARCHED})
    if search != readings.LogSearch():
        matches = await server.reading(request, view, readings.matches_of, search, number_there or None)
        more = {**msgspec.structs.asdict(search), "upto": matches.turns[-1].turn - 1} if matches.more else {}
        earlier = f"/log?{urlencode({name: value for name, value in more.items() if value})}" if more else ""
        return server.page("log", view, title="Log", turns=matches.turns, search=search, earlier=earlier, later="")

    def look(earlier: SeatView) -> Any:
        last = earlier.log.last()
        upto = min(number_there or last, last)
        after = max(0, upto - ON_A_PAGE)
        return earlier.turns(after, upto), after, upto, last

    turns, after, upto, last = await server.looking_back(request, view, look)
    later = f"/log?upto={min(upto + ON_A_PAGE, last)}" if upto < last else ""
    earlier = f"/log?upto={after}" if after else ""
    return server.page("log", view, title="Log", turns=turns[::-1], search=search, earlier=earlier, later=later)


async def turn(server: TableServer, request: Request, view: SeatView) -> Response:
    """One turn whole."""
    number = int(request.path_params["number"])
    text = await server.reading(request, view, readings.turn, number)
    last = text.entry.redecided_by or 0

    def may() -> dict[str, object]:
        redecision = next(view.log.read(after=last - 1, upto=last), None) if last else None
        amended_by = last if redecision is not None and isinstance(redecision.action, Amend) else None
        undoes = text.entry.undone_by or amended_by or number
        referee, amendable = view.permissions.is_referee, view.permissions.amendable()
        return {
            "undoes": undoes if referee or undoes in view.permissions.own_line.numbers() else None,
            "amended_by": amended_by,
            "amends": text.entry.standing and (amendable is None or number in amendable),
        }

    allowed = await server.in_writer(may)
    title = shorten(f"T{number} {sentence_in_words(text.entry)}", LONGEST_TITLE, placeholder=" …")
    return server.page("turn", view, title=title, text=text, last=server.turns.last, **allowed)


async def rules(server: TableServer, request: Request, view: SeatView) -> Response:
    """The paragraphs of the rules, or those that say something."""
    say = request.query_params.get("say", "")[:200]
    try:
        paragraphs = (await server.reading(request, view, readings.rules, say)).paragraphs
    except Unknown:
        paragraphs = ()
    return server.page("rules", view, title="Rules", paragraphs=paragraphs, say=say)


async def rule(server: TableServer, request: Request, view: SeatView) -> Response:
    """One paragraph as it is played."""
    paragraph = await server.reading(request, view, readings.rule, str(request.path_params["number"]))
    return server.page("rule", view, title=paragraph.cited, paragraph=paragraph)


async def why(server: TableServer, request: Request, view: SeatView) -> Response:
    """Where a value comes from."""
    field = request.query_params.get("of", "")[:200]
    history = await server.reading(request, view, readings.why, field) if field else None
    values = await server.in_writer(_values_of_sheets, view)
    about = _called(values, str(history.about)) if history is not None else ""
    return server.page("why", view, title="Why", history=history, about=about, field=field, values=values)


def _called(values: Mapping[str, Sequence[tuple[str, str]]], asked: str) -> str:
    """What a value that is asked for is called: "Brog: hit points"."""
    labels = (
        f"{as_title(name)}: {says}"
        for name, fields in values.items()
        for value, says in fields
        if value.casefold() == asked.casefold()
    )
    return next(labels, plainly(asked))


def _values_of_sheets(view: SeatView) -> dict[str, list[tuple[str, str]]]:
    """What there is on every sheet, by whose it is: as it is asked for, and its label.

    The own ones come first, and of each the figure that is watched all evening.
    """
    system, state = view.system, view.audience.known()
    names = dict.fromkeys((*view.actions.plays(), *state.characters))
    return {
        name: [
            (f"{name}.{field}", label_of_sheet_field(system, field))
            for field in sorted(system.sheet_view(state, name), key=lambda field: field != system.vital[0])
        ]
        for name in names
    }


async def when(server: TableServer, request: Request, view: SeatView) -> Response:
    """Since when something is so."""
    asked = {name: request.query_params.get(name, "")[:100] for name in ("of", "how", "value")}
    condition = typed = request.query_params.get("if", "")[:400]
    if asked["of"] and asked["how"] in COMPARISONS:
        name, _, field = asked["of"].rpartition(".")
        condition = f"{as_word(name)}.{field} {asked['how']} {as_word(asked['value'])}"
    values = await server.in_writer(_values_of_sheets, view)
    try:
        periods = await server.reading(request, view, readings.when, condition) if condition else None
    except Invalid:
        if condition == typed:
            raise
        what = f"{_called(values, asked['of'])} {COMPARISONS[asked['how']]} {asked['value']}"
        raise Invalid(f"{what}: that cannot be compared. Ask whether it is, or is not, something.") from None
    return server.page(
        "when",
        view,
        title="When",
        periods=periods,
        typed=typed,
        asked=asked,
        values=values,
        comparisons=COMPARISONS,
    )


async def diff(server: TableServer, request: Request, view: SeatView) -> Response:
    """What differs between two places of the log."""
    asked = {name: request.query_params.get(name, "")[:100].strip() for name in ("since", "upto")}
    of = request.query_params.get("of", "")[:200]
    if of:
        asked["since"], _, asked["upto"] = of.partition("..")
    elif asked["since"]:
        of = f"{turn_name(asked['since'])}..{turn_name(asked['upto'] or '@')}"
    difference = await server.reading(request, view, readings.diff, of)
    return server.page("diff", view, title="What differs", difference=difference, asked=asked)


async def figures(server: TableServer, request: Request, view: SeatView) -> Response:
    """Figures and pictures of the whole campaign."""
    name = str(request.path_params.get("name", ""))
    tables = await server.reading(request, view, readings.figures, name)
    title = tables[0].title if name and tables else "Figures"
    return server.page("stats", view, title=title, figures=tables, last=server.turns.last)


async def query(server: TableServer, request: Request, view: SeatView) -> Response:
    """What SQL finds in the tables of the campaign: for the referee alone."""
    sql = request.query_params.get("sql", "")[:2000]
    result = await server.reading(request, view, readings.query, sql) if sql else None
    return server.page("query", view, title="Query", result=result, sql=sql)


async def lookup_page(server: TableServer, request: Request, view: SeatView) -> Response:
    """What the log knows besides sheets: what there is of it, or all of one."""
    verb, name = str(request.path_params["verb"]), str(request.path_params.get("name", ""))
    lookup = next((lookup for lookup in server.system.lookups if lookup.verb == verb), None)
    if lookup is None:
        raise Problem(404, NO_PAGE)

    def look() -> Any:
        state = view.audience.known()
        return lookup.rows(state, name) if name else list(lookup.names(state))

    content = await server.in_writer(look)
    return server.page("known", view, title=name or verb, lookup=lookup, name=name, content=content)


async def ask(server: TableServer, request: Request, view: SeatView) -> Response:  # noqa: ARG001
    """What can be asked, each with its page."""
    values, search = await server.in_writer(_values_of_sheets, view), readings.LogSearch()
    return server.page(
        "ask",
        view,
        title="Ask",
        values=values,
        comparisons=COMPARISONS,
        lookups=server.system.lookups,
        search=search,
        asked=dict.fromkeys(("of", "how", "value", "since", "upto"), ""),
    )


async def recap(server: TableServer, request: Request, view: SeatView) -> Response:
    """An evening as a page to read."""
    number = request.path_params.get("number")
    try:
        evening = await server.reading(request, view, readings.recap, None if number is None else int(number))
    except Unknown:
        if number is not None:
            raise
        return server.page("no_recap", view, title="Recap")
    overrides, chronicle = map(_lines_in_words, (evening.overrides, evening.chronicle))
    evening = replace(evening, overrides=overrides, chronicle=chronicle)
    return server.page("recap", view, title="Recap", evening=evening)


def _lines_in_words(lines: Sequence[TurnInWords]) -> tuple[TurnInWords, ...]:
    return tuple(replace(line, parts=parts_in_words(line.parts)) for line in lines)
