"""Where a value comes from: the turns that changed it, newest first, each with what lies behind it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.log.folding import steps
from domain.log.port import Log
from domain.naming import listed
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.values import in_words
from projections.views.cells import as_on_sheet, from_cell, inside, lists_with
from projections.views.targets import Target
from projections.views.turn_context import Rolls, RulingThen, rolls_of, rulings_then
from projections.views.view import View


class Change(Struct, frozen=True):
    """One change of a value. `event` is the number within the turn, `rules` are citations."""

    turn: int
    event: int
    old: Any
    new: Any
    sentence: str
    rules: tuple[str, ...]
    rulings: tuple[RulingThen, ...]
    chance: tuple[Rolls, ...]


class Provenance(Struct, frozen=True):
    """Where a value comes from: its changes, newest first, and one more than was asked for."""

    changes: list[Change]
    #: The first pile of a card.
    at_first: str | None
    #: Turns that do not count any more: (turn, undone by, sentence).
    undone: list[tuple[int, int, str]]
    #: A clause about what is there in place of a missing piece.
    present_value: str


def provenance(view: View, system: RuleSystem, about: Target, most: int | None) -> Provenance:
    """The provenance of a value, with so many changes (None: all)."""
    newest = most + 1 if most is not None else None
    found = _bare_changes(view, system, about, newest)
    at_first = found[-1].new if found and about.card is not None else None
    undone = undone_since(view, about, found[0].turn if found else 0)
    present_value = _present_value(view, about) if not found and about.inside else ""
    return Provenance(_explained(view, system, about.character, found[:newest]), at_first, undone, present_value)


def provenance_at_table(view: View, system: RuleSystem, log: Log, about: Target, upto: int) -> Provenance:
    """The provenance of a field of the table, folded from the log, since the tables keep the values of sheets only."""
    found: list[_BareChange] = []
    table, whole, value = None, None, None
    for turn, state in steps(system, log, upto):
        if state.table is table:
            continue
        table, whole = state.table, system.table_to_view(state).get(about.field)
        now = inside(whole, about.inside)
        if now != value:
            rules = view.ask("SELECT DISTINCT rule FROM under WHERE turn = ? ORDER BY rule", turn.number)
            found.append(_BareChange(turn.number, 0, value, now, tuple(rule for (rule,) in rules)))
            value = now
    there = listed(list(map(str, whole))) if isinstance(whole, Mapping) and whole else ""
    return Provenance(_explained(view, system, "", found[::-1]), None, [], f"there is {there} now" if there else "")


def changes_in_words(system: RuleSystem, state: Game, about: Target, changes: Iterable[Change]) -> list[Change]:
    """The changes with their values in the rule system's words, as names for numbers."""
    words = partial(system.in_words, state, about.character, about.path)
    return [replace(change, old=words(change.old), new=words(change.new)) for change in changes]


# -- the changes -----------------------------------------------------------------------------------------


class _BareChange(Struct, frozen=True):
    """A change as the tables have it, without what they have about its turn."""

    turn: int
    event: int
    old: Any
    new: Any
    rules: tuple[str, ...]


def changes_of(view: View, system: RuleSystem, about: Target, newest: int | None = None) -> list[Change]:
    """The changes of a value, newest first; with `newest` at most so many."""
    return _explained(view, system, about.character, _bare_changes(view, system, about, newest)[:newest])


def _bare_changes(view: View, system: RuleSystem, about: Target, newest: int | None) -> list[_BareChange]:
    """The changes of a value, newest first: all of a card, and of any other at least the `newest`."""
    return _piles(view, system, about) if about.card is not None else _values(view, system, about, newest)


def _values(view: View, system: RuleSystem, about: Target, newest: int | None) -> list[_BareChange]:
    # not every change of a field changes a value inside it
    limit = f" LIMIT {newest}" if newest is not None and not about.inside else ""
    # the id is selected too: only then does SQLite read both halves of a view in order
    changes = 'SELECT turn, event, old, new, rule, id FROM "values"'
    rows = view.ask(
        f"{changes} WHERE character = ? AND field = ? ORDER BY id DESC{limit}", about.character, about.field
    )

    def value(cell: Any) -> Any:
        if about.member is not None:
            return lists_with(cell, about.member)
        return inside(cell, about.inside) if about.inside else as_on_sheet(system, about.field, cell)

    found = [_BareChange(turn, event, value(old), value(new), _rules(cell)) for turn, event, old, new, cell, _ in rows]
    return [change for change in found if change.old != change.new or not about.inside]


def _piles(view: View, system: RuleSystem, about: Target) -> list[_BareChange]:
    """The piles in which a card lay, found from all changes of the sheet."""
    assert system.piles is not None and about.card is not None
    sheet: dict[str, Any] = {}
    lies: str | None = None
    found: list[_BareChange] = []
    rows = view.ask(
        'SELECT turn, event, field, new, rule FROM "values" WHERE character = ? ORDER BY id', about.character
    )
    for (turn, event), changes in groupby(rows, itemgetter(0, 1)):
        rules = None
        for _, _, field, new, rule in changes:
            sheet[field], rules = from_cell(new), rule
        now = system.piles.pile(sheet, about.card)
        if now != lies:
            found.append(_BareChange(turn, event, lies, now, _rules(rules)))
            lies = now
    return found[::-1]


def _rules(cell: str | None) -> tuple[str, ...]:
    return tuple(cell.split(", ")) if cell else ()


def _explained(view: View, system: RuleSystem, character: str, found: Sequence[_BareChange]) -> list[Change]:
    """The changes with their sentences, the rulings that were in force, and what was rolled or drawn."""
    rulings = rulings_then(view, system, [(change.turn, change.rules) for change in found])
    changes = []
    for change in found:
        ((sentence,),) = view.ask(
            "SELECT coalesce((SELECT e.sentence FROM events AS e WHERE e.turn = t.turn AND number = ?), t.sentence)"
            " FROM turns AS t WHERE t.turn = ?",
            change.event,
            change.turn,
        )
        holding, rolls = rulings[change.turn, change.rules], tuple(rolls_of(view, change.turn, character))
        changes.append(
            Change(change.turn, change.event, change.old, change.new, sentence, change.rules, holding, rolls)
        )
    return changes


# -- what does not count any more, and what is there instead ---------------------------------------------


def undone_since(view: View, about: Target, turn: int) -> list[tuple[int, int, str]]:
    """Undone turns after `turn` with an event about this field: (turn, undone by, sentence)."""
    return view.ask(
        "SELECT t.turn, t.undone_by, t.sentence FROM turns AS t WHERE t.standing = 0 AND t.turn > ? AND EXISTS"
        " (SELECT 1 FROM events AS e CROSS JOIN json_each(e.json) AS field"  # by the index of `standing`
        " WHERE e.turn = t.turn AND e.character = ? AND field.key = ?) ORDER BY t.turn",
        turn,
        about.character,
        about.field,
    )


def _present_value(view: View, about: Target) -> str:
    """A clause about the present value where the piece asked about is missing."""
    if names := pieces(view, about):
        return f"there is {listed(names)} now"
    value = _value_of(view, about)
    if isinstance(value, list | dict) or value is None:
        return "there is nothing now"
    return f"{Target(about.character, about.field)} is {in_words(value)}"


def pieces(view: View, about: Target) -> list[str]:
    """The names that exist where the path of the target ends, to suggest them for a missing part."""
    value = _value_of(view, about)
    for part in about.inside:
        deeper = inside(value, (part,))
        if not isinstance(deeper, Mapping | list):
            break
        value = deeper
    if isinstance(value, Mapping):
        return [str(key) for key in value]
    if not isinstance(value, list):
        return []
    return [
        str(member.get("id", member.get("card", at))) if isinstance(member, Mapping) else str(at)
        for at, member in enumerate(value, 1)
    ]


def _value_of(view: View, about: Target) -> Any:
    """The current value of the whole field."""
    (cell,) = view.ask(f'SELECT "{about.field}" FROM sheets WHERE character = ?', about.character)[0]
    return from_cell(cell)
