"""What lies behind a turn: the rulings and wordings that it was played under, its dice and cards, what it changed."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.system.paragraphs import bare_number
from domain.system.rulesystem import RuleSystem
from domain.system.rulings_in_force import RulingInForce, holdings_of
from domain.system.state import Game
from domain.values import as_json
from projections.difference import differences, differences_in_words
from projections.views.cells import as_on_sheet
from projections.views.chronicle_queries import way
from projections.views.view import View


class RulingThen(Struct, frozen=True):
    """A ruling that was in force, with the options that it determined."""

    ruling: int
    rule: str
    text: str
    why: str | None
    options: dict[str, Any]


class Rolls(Struct, frozen=True):
    """Dice or cards of one purpose, the `reported` ones of the table first."""

    purpose: str
    kind: str
    values: tuple[int | str, ...]
    reported: int


class WordingThen(Struct, frozen=True):
    """The wording of a paragraph when a turn was played; `turn` gave it that wording, None: the rules."""

    rule: str
    version: int
    turn: int | None
    title: str | None


class AlteredField(Struct, frozen=True):
    """One sheet field that an event of a turn changed."""

    event: int
    character: str
    field: str
    old: Any
    new: Any


class TurnContext(Struct, frozen=True):
    """The context of a turn: the rulings in force, the changes on sheets, the dice and cards."""

    rulings: tuple[RulingThen, ...]
    changes: tuple[AlteredField, ...]
    chance: tuple[Rolls, ...]
    #: the wordings that it was played under, by paragraph
    wordings: tuple["WordingThen", ...] = ()


def context_of(view: View, system: RuleSystem, turn: int, rules: Sequence[str]) -> TurnContext:
    """The context of a turn that cites these paragraphs."""
    changes = view.ask('SELECT event, character, field, old, new FROM "values" WHERE turn = ? ORDER BY id', turn)
    citing = (turn, tuple(rules))
    rulings = rulings_then(view, system, [citing])[citing]
    chance, wordings = tuple(rolls_of(view, turn)), wordings_then(view, system, turn)
    return TurnContext(rulings, altered_fields(system, changes), chance, wordings)


# -- rulings and wordings ----------------------------------------------------------------------------------

#: A turn, and the paragraphs that it cites.
CitingTurn = tuple[int, tuple[str, ...]]


def rulings_then(
    view: View, system: RuleSystem, citing_turns: Collection[CitingTurn]
) -> dict[CitingTurn, tuple[RulingThen, ...]]:
    """The rulings on the paragraphs of each turn that were in force at it, the latest first."""
    rows = view.ask(
        "SELECT turn, ended_by, ruling, rule, text, why, options, supersedes FROM rulings"
        " WHERE standing ORDER BY ruling DESC"
    )
    turns = [turn for row in rows for turn in row[:2] if turn is not None]
    place_of = _ways(view, [*turns, *(turn for turn, _ in citing_turns)])
    spans, told = [], {}
    for turn, ended_by, number, rule, text, why, options, supersedes in rows:
        ruling = RulingInForce(number, rule, msgspec.json.decode(options), supersedes=supersedes)
        spans.append((ruling, place_of[turn], None if ended_by is None else place_of[ended_by]))
        told[number] = RulingThen(number, rule, text, why, {})
    then = {}
    for turn, rules in citing_turns:
        place, numbers = place_of[turn], {bare_number(system, rule) for rule in rules}
        standing = (ruling for ruling, since, until in spans if since < place and (until is None or until >= place))
        then[turn, rules] = tuple(
            replace(told[number], options=holding.options)
            for number, holding in holdings_of(standing)
            if holding.in_force and told[number].rule in numbers
        )
    return then


def _ways(view: View, turns: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """The place where each turn folds, as a path (see `way`)."""
    numbers = as_json(list(turns))
    places = view.ask("SELECT turn, place FROM turns WHERE turn IN (SELECT value FROM json_each(?))", numbers)
    return {turn: way(view, turn, place) for turn, place in places}


def wordings_then(view: View, system: RuleSystem, turn: int) -> tuple[WordingThen, ...]:
    """The wordings that a turn was played under."""
    wordings = []
    inherited_titles = dict(
        view.ask(
            "SELECT json_extract(value, '$.rule'), json_extract(value, '$.title')"
            " FROM events, json_each(events.json, '$.inherits.paragraphs')"
            " WHERE turn = 1 AND number = 1"
        )
    )
    for rule, version in view.ask("SELECT DISTINCT rule, version FROM under WHERE turn = ? ORDER BY rowid", turn):
        number = bare_number(system, rule)
        rows = view.ask(
            "SELECT turn, title FROM wordings WHERE rule = ? AND version <= ? ORDER BY version DESC", number, version
        )
        title = next((title for _, title in rows if title is not None), inherited_titles.get(number))
        wordings.append(WordingThen(rule, version, rows[0][0] if rows else None, title))
    return tuple(wordings)


# -- dice and cards, and what changed on sheets --------------------------------------------------------------


def rolls_of(view: View, turn: int, character: str | None = None) -> Iterator[Rolls]:
    """The dice and cards of a turn; with `character` only those of that character or of nobody."""
    rows = view.ask(
        "SELECT character, purpose, kind, value, reported FROM rolls WHERE turn = ?"
        " AND (? IS NULL OR character IS NULL OR character = ?) ORDER BY id",
        turn,
        character,
        character,
    )
    for (name, purpose, kind), group in groupby(rows, itemgetter(0, 1, 2)):
        rolls = list(group)
        whose = f"{name}, " if character is None and name is not None else ""
        yield Rolls(whose + purpose, kind, tuple(row[3] for row in rolls), sum(row[4] for row in rolls))


def altered_fields(system: RuleSystem, changes: Iterable[Sequence[Any]]) -> tuple[AlteredField, ...]:
    """The changes from their cells: event, character, field, old and new value."""
    return tuple(
        AlteredField(event, name, field, as_on_sheet(system, field, old), as_on_sheet(system, field, new))
        for event, name, field, old, new in changes
    )


def altered_in_words(system: RuleSystem, state: Game, change: AlteredField) -> Iterator[AlteredField]:
    """The change with its field and values in the rule system's words; one of several members for each of them."""
    parts = tuple(differences({change.field: change.old}, {change.field: change.new}))
    for part in differences_in_words(system, change.character, parts, state, state):
        yield replace(change, field=part.field, old=part.old, new=part.new)
