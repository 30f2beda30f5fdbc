"""How sheets change between two states, or may change where it depends on draws."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import same
from projections.difference import Difference, differences_in_words, people_who_differ


class SheetChange(Struct, frozen=True):
    """How one sheet would change. `open` are the fields whose new value depends on draws."""

    name: str
    #: "changed", "new" or "gone"
    change: str
    fields: tuple[Difference, ...] = ()
    open: frozenset[str] = frozenset()
    #: The same fields, named and valued in the rule system's words.
    fields_in_words: tuple[Difference, ...] = ()


def sheet_changes(system: RuleSystem, before: Game, *after: Game, viewer: str | None = None) -> Iterator[SheetChange]:
    """The sheets that change, as `viewer` may see them; fields that differ between the states `after` are open."""
    people = [people_who_differ(system, before, state, viewer=viewer) for state in after]
    for name in dict.fromkeys(name for persons_of_state in people for name in persons_of_state):
        persons = [persons_of_state.get(name) for persons_of_state in people]
        first = next(person for person in persons if person is not None)
        if first.change != "changed":
            yield SheetChange(name, first.change)
            continue
        fields = [{field.field: field for field in person.fields} if person else {} for person in persons]
        names = dict.fromkeys(field for by_field in fields for field in by_field)
        first_values = {field: next(by_field[field] for by_field in fields if field in by_field) for field in names}
        is_open = {
            field
            for field, value in first_values.items()
            if not all(field in by_field and same(by_field[field].new, value.new) for by_field in fields)
        }
        words = differences_in_words(system, name, tuple(first_values.values()), before, after[0])
        yield SheetChange(name, "changed", tuple(first_values.values()), frozenset(is_open), words)


def new_sheet_changes(
    preview: Sequence[SheetChange], system: RuleSystem, before: Game, after: Game, *, viewer: str | None = None
) -> tuple[SheetChange, ...]:
    """How the sheets changed; empty if the preview showed exactly this."""
    came_to = tuple(sheet_changes(system, before, after, viewer=viewer))
    return () if came_to == preview else came_to


def sheets_json(sheets: Sequence[SheetChange]) -> dict[str, Any]:
    """The changes of sheets by character."""
    by_name = {}
    for sheet in sheets:
        fields = [
            {
                "field": difference.field,
                "change": difference.change,
                "old": difference.old,
                **({"new": None, "open": True} if difference.field in sheet.open else {"new": difference.new}),
            }
            for difference in sheet.fields
        ]
        by_name[sheet.name] = {"change": sheet.change, "fields": fields}
    return by_name
