"""The queries that may read the whole log: a search, one turn, a paragraph, why, when, diff, a recap, figures, SQL.

Each takes a log, its rules and a viewer (None: the keeper), as the reading commands do.
"""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cli.shell.command_context import points_between
from cli.shell.provenance import provenance_for
from cli.shell.references import session_number
from cli.shell.viewing import viewing
from cli.store.stored_log import StoredLog
from cli.terminal.turn_context import chance_lines, ruling_line
from domain.log.folding import state_at
from domain.log.points import session_at, turn_at
from domain.naming import did_you_mean, name_meant
from domain.refusal import Refusal, Unknown
from domain.system.paragraphs import citation, known_rule
from domain.system.rulesystem import RuleSystem
from projections.chronicle import Entry
from projections.difference import Comparison, compare, comparison_in_words
from projections.filters import Filters
from projections.recap import recap_of
from projections.recap_document import Curve, Recap
from projections.views.chronicle_queries import entries
from projections.views.conditions import TrueSpan, times_of
from projections.views.named_queries import (
    FEW_ROWS,
    NamedQuery,
    answer_to,
    columns_of,
    courses,
    named_queries,
    plots,
    sentences_of,
)
from projections.views.rulebook import LivingParagraph, Rulebook, alone, matching_paragraphs, rulebook_of
from projections.views.seen_turn import seen_turn
from projections.views.sql_questions import QueryResult, ask
from projections.views.targets import Target, target_of
from projections.views.turn_context import AlteredField, altered_in_words, context_of
from projections.views.view import View
from projections.views.why import Change, changes_in_words

#: Changes of a value that are told, turns that are found at once, and rows of a table at most.
NEWEST, MOST_FOUND, MOST_ROWS = 40, 100, 200


class TurnPage(Struct, frozen=True):
    """One turn whole, with what had a say in it and what it changed."""

    entry: Entry
    rulings: Sequence[str]
    chance: Sequence[str]
    changes: Sequence[AlteredField]


class WhyPage(Struct, frozen=True):
    """A value, and the turns that made it, newest first."""

    about: Target
    changes: Sequence[Change]
    left_out: bool


class LogSearch(Struct, frozen=True):
    """A search for turns, as it was typed; an empty field searches for nothing."""

    grep: str = ""
    character: str = ""
    session: str = ""
    rule: str = ""
    by: str = ""


class LogMatches(Struct, frozen=True):
    """Turns that were looked for, newest first; `more`: there may be earlier ones."""

    turns: Sequence[Entry]
    more: bool


class FiguresPage(Struct, frozen=True):
    """One question about the whole campaign, answered as a table or drawn."""

    name: str
    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    #: what the figures say, a sentence each
    says: Sequence[str] = ()
    courses: Sequence[Curve] = ()
    #: rows that are not shown
    left_out: int = 0


def matches_of(
    log: StoredLog, system: RuleSystem, viewer: str | None, search: LogSearch, upto: int | None
) -> LogMatches:
    """The newest turns up to one (None: the last) that a search finds. Raises Unknown, Refusal for unknown names."""
    state = state_at(system, log)
    session = session_number(search.session) if search.session else None
    if session:
        turn_at(f"S{session}", log)
    filters = Filters(
        last=min(upto or log.last(), log.last()),
        session=session,
        character=name_meant(search.character, state.characters) if search.character else None,
        rule=citation(system, known_rule(system, search.rule, state.campaign.paragraphs)) if search.rule else None,
        by=search.by or None,
        grep=search.grep or None,
    )
    with viewing(log, system, None, viewer) as view:
        entries_there = list(entries(view, filters, MOST_FOUND + 1))[::-1]
    return LogMatches(entries_there[:MOST_FOUND], len(entries_there) > MOST_FOUND)


def turn(log: StoredLog, system: RuleSystem, viewer: str | None, number: int) -> TurnPage:
    """One turn. Raises Unknown if there is none of this number."""
    if not 0 < number <= log.last():
        raise Unknown("turn", number, f"There is no turn T{number}; the last one is T{log.last()}")
    with viewing(log, system) as view:
        (entry,) = entries(view, Filters(first=number, last=number))
        context = context_of(view, system, number, entry.rules)
        if viewer is not None and system.keeps_secrets:
            entry, context = seen_turn(system, log, number, view.last(), viewer, context)
        state = state_at(system, log)
        changes = [part for change in context.changes for part in altered_in_words(system, state, change)]
        rulings = [ruling_line(system, ruling) for ruling in context.rulings]
        return TurnPage(entry, rulings, chance_lines(context.chance), changes)


def rules(log: StoredLog, system: RuleSystem, viewer: str | None, words: str = "") -> Rulebook:  # noqa: ARG001
    """The paragraphs with what was said about each: words of the table, of which none is anybody's secret.

    With `words` those that say them. Raises Unknown if none does.
    """
    book = rulebook_of(system, log, log.last())
    if not words:
        return book
    paragraphs = matching_paragraphs(book, words=words.split())
    if not paragraphs:
        raise Unknown("paragraph", words, f"No paragraph says {words[:60]!r}")
    return alone(book, paragraphs)


def rule(log: StoredLog, system: RuleSystem, viewer: str | None, number: str) -> LivingParagraph:
    """One paragraph. Raises Unknown if there is none of this number."""
    book = rules(log, system, viewer)
    paragraph_number = known_rule(system, number, state_at(system, log).campaign.paragraphs)
    return next(paragraph for paragraph in book.paragraphs if paragraph.rule == paragraph_number)


def why(log: StoredLog, system: RuleSystem, viewer: str | None, what: str) -> WhyPage:
    """Where a value comes from. Raises Invalid, Refusal for what is no value."""
    state = state_at(system, log) if system.piles is not None else system.opening()
    with viewing(log, system) as view:
        about = target_of(view, system, state, what)
        changes = provenance_for(view, system, log, about, NEWEST, view.last(), viewer).changes
    return WhyPage(about, changes_in_words(system, state, about, changes[:NEWEST]), len(changes) > NEWEST)


def diff(log: StoredLog, system: RuleSystem, viewer: str | None, text: str) -> Comparison:
    """What differs between two places, `T5..T20`; nothing said: what the last turn changed. Raises Invalid, Refusal."""
    first, last = points_between(text or None, log, None)
    before, after = state_at(system, log, first), state_at(system, log, last)
    return comparison_in_words(system, compare(system, before, after, first, last, viewer=viewer), before, after)


def figures(log: StoredLog, system: RuleSystem, viewer: str | None, name: str) -> list[FiguresPage]:
    """The questions and pictures that ship with the rules, or the one of this name.

    Raises Unknown if there is none of this name, Refusal for whoever may not know everything that is counted.
    """
    if viewer is not None and system.keeps_secrets:
        raise Refusal(
            None, "The figures include what others keep secret, so only whoever keeps the log can look at them."
        )
    with viewing(log, system) as view:
        queries, pictures = named_queries(system.key), plots(system.key)
        if name and name not in (*queries, *pictures):
            hint = did_you_mean(name, (*queries, *pictures), otherwise="")
            raise Unknown("question", name, f"There is no question {name[:60]!r}", hint)
        most = MOST_ROWS if name else FEW_ROWS
        tables = [_table(view, title, query, most) for title, query in queries.items() if name in ("", title)]
        for title, plot in pictures.items():
            if name in ("", title):
                tables.append(FiguresPage(title, plot.title, courses=courses(view, plot.field)))
    return [figures for figures in tables if figures.rows or figures.courses or figures.name == name]


def _table(view: View, name: str, query: NamedQuery, most: int) -> FiguresPage:
    rows = answer_to(view, query)
    first_rows, columns = rows[:most], columns_of(rows)
    cells = [[row[column] for column in columns] for row in first_rows]
    return FiguresPage(
        name, query.title, columns, cells, sentences_of(view, name, first_rows), left_out=len(rows) - len(first_rows)
    )


def query(log: StoredLog, system: RuleSystem, viewer: str | None, sql: str) -> QueryResult:
    """What SQL finds, asked in a process of its own. Raises Invalid; Refusal for all but whoever keeps the log."""
    if viewer is not None:
        raise Refusal(None, "query is for whoever keeps the log.")
    with viewing(log, system) as view:
        assert view.path is not None
        answer = ask(view.path, sql)
        return replace(answer, rows=answer.rows[:MOST_ROWS], cut=answer.cut or len(answer.rows) > MOST_ROWS)


def when(log: StoredLog, system: RuleSystem, viewer: str | None, condition: str) -> list[TrueSpan]:
    """Since when something is so. Raises Invalid, Refusal for what is no condition."""
    with viewing(log, system, None, viewer) as view:
        return times_of(view, system, condition)


def recap(log: StoredLog, system: RuleSystem, viewer: str | None, number: int | None) -> Recap:
    """One evening; None: the last one. Raises Unknown if there is none of this number."""
    session, bounds = session_at(log, log.last(), number)
    return recap_of(system, log, session, viewer=viewer, bounds=bounds, sealed=log.is_linked)
