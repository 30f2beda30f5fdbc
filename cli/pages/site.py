"""The pages of an exported site, for any web space or a USB stick: index, sessions, characters, rules, statistics.

Each page is rendered from Markdown, loads nothing and runs nothing; the links are relative, so that they work from
files. All text of the log passes `escape`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from msgspec import Struct

from cli.pages import recap as recap_pages
from cli.pages import rulebook as rulebook_pages
from cli.pages import svg_plot
from cli.pages.blocks import Link, in_markdown, table_lines
from cli.pages.escaping import escape, prose
from cli.pages.html_page import document, escape_html
from cli.pages.markdown import STYLE, to_html
from domain.naming import called, capitalised, key_of, quantity
from domain.values import as_written, in_words, silent
from projections.recap_document import Curve, Recap, TurnInWords
from projections.sentences import by_person, runs_of
from projections.story import TurningPoint
from projections.views.rulebook import Rulebook

INDEX, RULEBOOK, STATISTICS, OUTSIDE = "index.html", "rulebook.html", "statistics.html", "sessions/outside.html"
#: Characters of a name in the address of its page, at most.
LONGEST_SLUG = 40
#: Turning points of the last session on the index, at most.
FEW_MOMENTS = 3

#: Rows of a query on the statistics page, at most.
MOST_ROWS = 40


class SessionOnSite(Struct, frozen=True):
    """One session as far as the other pages need it: what they say about it, and which turns its page holds."""

    number: int
    first: int
    last: int
    title: str | None
    date: str
    summary: str | None
    #: the turns on its page, as ranges (first, last)
    turns: tuple[tuple[int, int], ...]
    turning_points: tuple[TurningPoint, ...]
    #: character -> the curve of the campaign's measure, as (turn, value)
    curves: dict[str, tuple[tuple[int, int], ...]]
    #: character -> tracked names with their values at the end of the session
    tracked: dict[str, dict[str, Any]]


class CharacterOnSite(Struct, frozen=True):
    """The present state of a character, for the index and the character's page."""

    name: str
    player: str | None
    sheet: dict[str, str]
    vital: str
    #: "dead" or "retired"; None while in play
    fallen: str | None
    #: the rulings that turns of theirs were played under: number, the paragraph, the words
    rulings: tuple[tuple[int, str, str], ...] = ()


class StatisticsTable(Struct, frozen=True):
    """One query of the statistics: its rows in columns, and sentences about them."""

    title: str
    description: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[str, ...] = ()


class Site(Struct, frozen=True):
    """The facts about the campaign that all pages share."""

    name: str
    rules: str
    turn: int
    measure: str
    sessions: tuple[SessionOnSite, ...]
    characters: tuple[CharacterOnSite, ...]
    has_statistics: bool = True
    has_outside: bool = False
    seal: str | None = None
    #: a sentence about whose knowledge the site is limited to; None: nothing is left out
    seen_by: str | None = None


def on_site(recap: Recap, tracked_values: Mapping[str, Mapping[str, Any]]) -> SessionOnSite:
    """The session of a recap as the other pages need it; `tracked_values` are those at its end, by character."""
    return SessionOnSite(
        recap.session,
        recap.first,
        recap.last,
        recap.title,
        recap.date or recap.began.date().isoformat(),
        recap.summary,
        tuple(runs_of(line.turn for line in recap.chronicle)),
        recap.turning_points,
        {curve.character: curve.points for curve in recap.curves},
        {name: dict(values) for name, values in tracked_values.items() if values},
    )


# -- addresses ---------------------------------------------------------------------------------------------


def session_page(number: int) -> str:
    return f"sessions/session-{number}.html"


def character_page(name: str) -> str:
    """The page of a character: ASCII letters and digits of the name, and a hash that tells alike names apart."""
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")[:LONGEST_SLUG].strip("-")
    whole = blake2b(key_of(name).encode(), digest_size=3).hexdigest()
    return f"characters/{f'{slug}-' if slug else ''}{whole}.html"


def turn_pages(sessions: Iterable[SessionOnSite]) -> Link:
    """The address of each turn relative to the index; turns of no session are on the page `OUTSIDE`."""
    runs = sorted((first, last, session.number) for session in sessions for first, last in session.turns)

    def page_of(turn: int) -> str:
        for first, last, session in reversed(runs):
            if first <= turn <= last:
                return f"{session_page(session)}#T{turn}"
        return f"{OUTSIDE}#T{turn}"

    return page_of


# -- the pages ---------------------------------------------------------------------------------------------


def index(site: Site) -> str:
    """The first page: the campaign, its last evening, the party, its sessions."""
    return _page(site, "", site.name, _index(site))


def _index(site: Site) -> Iterator[str]:
    sessions = quantity(len(site.sessions), "session")
    yield f"# {escape(site.name)}"
    yield from ("", f"*{escape(' · '.join((site.rules, sessions, f'T{site.turn}')))}*")
    if site.seen_by is not None:
        yield from ("", f"*{escape(site.seen_by)}*")
    if site.sessions:
        last = site.sessions[-1]
        yield from ("", "## The last evening", "")
        yield f"[{escape(_title_of(last))}]({session_page(last.number)}), {escape(last.date)}."
        if last.summary:
            yield ""
            yield from (f"> {line}" for line in prose(last.summary).split("\n"))
        gravest = sorted(last.turning_points, key=lambda point: -point.gravity)[:FEW_MOMENTS]
        moments = [point for point in last.turning_points if point in gravest]
        yield from [""] if moments else []
        for point in moments:
            yield f"- {_point_line(point)} [T{point.turn}]({session_page(last.number)}#T{point.turn})"
    if site.characters:
        rows = (
            [
                f"[{escape(called(who.name))}]({character_page(who.name)})",
                escape(who.player or ""),
                escape(who.fallen or who.vital),
            ]
            for who in site.characters
        )
        yield from ("", "## The party", "", *table_lines(("name", "player", escape(site.measure)), rows))
    if site.sessions:
        yield from ("", "## Sessions", "")
        for session in reversed(site.sessions):
            yield f"- [{escape(_title_of(session))}]({session_page(session.number)}), {escape(session.date)}"
    if site.has_outside:
        yield f"- [Outside any session]({OUTSIDE})"
    if site.seal is not None:
        yield from ("", f"*Seal: {escape(site.seal)}*")


def session(site: Site, number: int, recap: Recap) -> str:
    """The page of one session: its recap, with every turn folded below it."""
    numbers = [evening.number for evening in site.sessions]
    at = numbers.index(number)
    neighbours = []
    if at:
        neighbours.append(f"[Session {numbers[at - 1]}](session-{numbers[at - 1]}.html)")
    if at + 1 < len(numbers):
        neighbours.append(f"[Session {numbers[at + 1]}](session-{numbers[at + 1]}.html)")
    return _page(site, "../", recap_pages.heading(recap), [" · ".join(neighbours)], recap_pages.body(recap))


def outside(site: Site, lines: Sequence[TurnInWords]) -> str:
    """The turns that belong to no session."""
    return _page(site, "../", f"{site.name}: outside any session", _outside(lines))


def _outside(lines: Sequence[TurnInWords]) -> Iterator[str]:
    yield from ("# Outside any session", "")
    for line in lines:
        words = "\\\n  ".join(in_markdown(parts) for parts in by_person(line.parts))
        if line.undone_by is not None:
            words = f"~~{escape(''.join(line.parts).strip())}~~ undone by T{line.undone_by}"
        yield f'- <a id="T{line.turn}"></a>**T{line.turn}** {words}'


def character(site: Site, who: CharacterOnSite) -> str:
    """The page of one character: the sheet now, the curves, the turning points, and the rulings they played under."""
    figures: dict[str, str] = {}
    text = list(_character(site, who, figures))
    return _page(site, "../", f"{called(who.name)}, {site.name}", text, figures=figures)


def _character(site: Site, who: CharacterOnSite, figures: dict[str, str]) -> Iterator[str]:
    player = f" ({escape(who.player)})" if who.player else ""
    yield f"# {escape(called(who.name))}{player}"
    if who.fallen:
        yield from ("", f"*{escape(who.fallen)}*")
    rows = ((escape(name), escape(value)) for name, value in who.sheet.items())
    yield from ("", "## The sheet now", "", *table_lines(("", ""), rows))
    # up to the last session the character took part in, so that other sessions leave the page unchanged
    last = max((session.last for session in site.sessions if who.name in session.curves), default=0)
    for number, (title, points) in enumerate(_courses(site, who)):
        figures[f"curve{number}"] = svg_plot.svg([Curve(who.name, points)], title, last)
        latest = ", ".join(f"T{turn}: {value}" for turn, value in points[-3:])
        yield from ("", f"## {escape(title)}", "", f"````figure curve{number}", escape(latest), "````")
    deeds = [
        (session, point)
        for session in site.sessions
        for point in session.turning_points
        if key_of(point.who) == key_of(who.name)
    ]
    if deeds:
        yield from ("", "## Wounds and deeds", "")
        for session, point in deeds:
            page = f"../{session_page(session.number)}"
            yield f"- {_point_line(point)} [T{point.turn}]({page}#T{point.turn}), session {session.number}"
    if who.rulings:
        yield from ("", "## Rulings that touched them", "")
        for number, rule, words in who.rulings:
            yield f"- [R{number}](../{RULEBOOK}#R{number}) on {escape(rule)}: {escape(words)}"


def _courses(site: Site, who: CharacterOnSite) -> Iterator[tuple[str, tuple[tuple[int, int], ...]]]:
    """The titles and points of a character's curves: the campaign's measure, then every tracked number."""
    points: list[tuple[int, int]] = []
    courses: dict[str, list[tuple[int, int]]] = {}
    for session in site.sessions:
        for turn, value in session.curves.get(who.name, ()):
            if not points or (points[-1][1] != value and points[-1][0] <= turn):
                points.append((turn, value))
        for name, value in session.tracked.get(who.name, {}).items():
            if isinstance(value, int) and not isinstance(value, bool):
                courses.setdefault(name, []).append((session.last, value))
    if points:
        yield f"{capitalised(site.measure)} over the campaign", tuple(points)
    for name, values in courses.items():
        if len(values) > 1:
            yield f"{capitalised(name)}, session by session", tuple(values)


def rulebook(site: Site, book: Rulebook, page_of: Link) -> str:
    """The page of the rulebook, its turns linked to the pages of their sessions."""
    body = rulebook_pages.body(book, link=page_of)
    return _page(site, "", f"The rules of {site.name}", [], body, style=rulebook_pages.BOOK_STYLE)


def statistics(site: Site, tables: Sequence[StatisticsTable], plots: Sequence[tuple[str, Sequence[Curve]]]) -> str:
    """The page of the statistics: the plots, each as (title, courses), and the tables of the queries."""
    pictures = {f"plot{at}": svg_plot.svg(courses, title, site.turn) for at, (title, courses) in enumerate(plots)}
    return _page(site, "", f"Statistics of {site.name}", _statistics(tables, plots), figures=pictures)


def _statistics(tables: Sequence[StatisticsTable], plots: Sequence[tuple[str, Sequence[Curve]]]) -> Iterator[str]:
    yield "# Statistics"
    for at, (title, _) in enumerate(plots):
        yield from ("", f"## {escape(title)}", "", f"````figure plot{at}", escape(title), "````")
    for table in tables:
        yield from ("", f"## {escape(table.title)}", "", f"*{escape(table.description)}*", "")
        rows = ([escape("" if value is None else as_written(value)) for value in row] for row in table.rows[:MOST_ROWS])
        yield from table_lines(list(map(escape, table.columns)), rows)
        if len(table.rows) > MOST_ROWS:
            yield from ("", f"*and {len(table.rows) - MOST_ROWS} more*")
        for sentence in table.notes:
            yield from ("", escape(sentence))


def sheet_rows(sheet: Mapping[str, Any], in_rules: Callable[[str, Any], Any]) -> dict[str, str]:
    """The fields of a sheet as text, without empty ones; `in_rules` turns a field's value into the rules' terms."""
    rows: dict[str, str] = {}
    for field, value in sheet.items():
        if field == "tracked" and isinstance(value, Mapping):
            rows |= {str(name): in_words(entry) for name, entry in value.items()}
        elif field not in ("player", "away") and not silent(value):
            rows[field.replace("_", " ")] = in_words(in_rules(field, value))
    return rows


def _title_of(session: SessionOnSite) -> str:
    return f"Session {session.number}{f': {session.title}' if session.title else ''}"


def _point_line(point: TurningPoint) -> str:
    return f"{escape(point.what)}{f' ({escape(point.cause)})' if point.cause else ''}."


#: Style of the links between the pages.
NAV_STYLE = """
.ways { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; font-size: .9em; margin-bottom: 1.4rem; }
.ways a { padding: .3rem 0; }
@media print { .ways { display: none; } }
"""


def _page(
    site: Site,
    up: str,
    title: str,
    lines: Iterable[str],
    body: str = "",
    *,
    figures: Mapping[str, str] | None = None,
    style: str = "",
) -> str:
    """One page of the site with links to the others; `up` is the path from its folder to that of the index."""
    pages = [(INDEX, site.name), (RULEBOOK, "Rulebook")]
    pages += [(STATISTICS, "Statistics")] if site.has_statistics else []
    links = "".join(f'<a href="{up}{page}">{escape_html(label)}</a>' for page, label in pages)
    parts = [f'<nav class="ways" aria-label="Pages">{links}</nav>', to_html("\n".join(lines), figures), body]
    return document(title, STYLE + svg_plot.STYLE + NAV_STYLE + style, [part for part in parts if part])
