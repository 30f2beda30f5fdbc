"""The cells of a view: a value of a sheet as one SQL value and back, and what lies inside it."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from domain.naming import key_of, listed
from domain.system.field_schema import stored_fields
from domain.system.rulesystem import RuleSystem
from domain.values import as_json


def as_cell(value: Any) -> Any:
    """A sheet value as one SQL value: numbers and texts as they are, booleans as 1 and 0, the rest as JSON text."""
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, int | float | str):
        return value
    return as_json(value)


def from_cell(cell: Any) -> Any:
    """The list or mapping in a cell with JSON; any other cell unchanged."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(cell)
        except msgspec.DecodeError:
            return cell
    return cell


def as_on_sheet(system: RuleSystem, field: str, cell: Any) -> Any:
    """A cell as in the JSON of the sheet, with booleans, lists and mappings restored."""
    is_flag = isinstance(cell, int) and (own := stored_fields(system.sheet).get(field)) is not None and own.type is bool
    return bool(cell) if is_flag else from_cell(cell)


def inside(cell: Any, path: Sequence[str]) -> Any:
    """The value at a path inside a cell: by key in mappings, in lists by `id` or `card`, else by place from 1."""
    value = from_cell(cell)
    for part in path:
        if isinstance(value, Mapping):
            value = next((member for key, member in value.items() if key_of(str(key)) == key_of(part)), None)
        elif isinstance(value, list):
            value = _member(value, part)
        else:
            return None
    return value if path else cell


def _member(values: Sequence[Any], part: str) -> Any:
    """One of a list, or None. Its own number counts, as in "wound 2", and not its place among those left."""
    numbered = [member for member in values if isinstance(member, dict) and ("id" in member or "card" in member)]
    if numbered:
        return next((one for one in numbered if part in (str(one.get("id")), str(one.get("card")))), None)
    place = int(part) if part.isdecimal() else 0
    return values[place - 1] if 0 < place <= len(values) else None


def lists_with(cell: Any, member: int | str) -> str | bool | None:
    """The names of the lists in a cell that something lies in; of one list alone, whether; None: in none."""
    value = from_cell(cell)
    if isinstance(value, Mapping):
        names = [str(key) for key, members in value.items() if isinstance(members, list) and member in members]
        return listed(names) if names else None
    return (isinstance(value, list) and member in value) or None
