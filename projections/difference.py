"""The differences between two states of the log: sheets, table and options, field by field."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.naming import listed, singular
from domain.system.field_schema import kind_of, stored_fields
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import same
from domain.values import in_words
from projections.secrecy import sheet_for

HowItDiffers = Literal["changed", "new", "gone"]

#: Keys by which the members of a list are matched, if all members have the key with distinct values.
IDENTITIES = ("id", "card", "name", "character")


class Difference(Struct, frozen=True):
    """One field that differs; a nested one by its path: `injury.dc`, `wounds.2.treated`.

    The old value of a "new" field is None, and so is the new value of one that is "gone".
    """

    field: str
    change: HowItDiffers
    old: Any
    new: Any


class Person(Struct, frozen=True):
    """One character who differs: "new" and "gone" are enrolled and removed in between."""

    change: HowItDiffers
    fields: tuple[Difference, ...]


class Comparison(Struct, frozen=True):
    """Everything that differs between the states after two turns."""

    first: int
    last: int
    characters: dict[str, Person]
    table: tuple[Difference, ...] = ()
    options: tuple[Difference, ...] = ()
    #: The branches of the two places, if they were named.
    branches: tuple[str, str] | None = None

    def __bool__(self) -> bool:
        return bool(self.characters or self.table or self.options)

    def as_json(self) -> dict[str, Any]:
        """The keys of `campaign diff --json`; they are stable."""
        return {
            "from": self.first,
            "to": self.last,
            "same": not self,
            "characters": msgspec.to_builtins(self.characters),
            "table": msgspec.to_builtins(self.table),
            "options": msgspec.to_builtins(self.options),
            **(dict(zip(("from_branch", "to_branch"), self.branches, strict=True)) if self.branches else {}),
        }

    @property
    def heads(self) -> tuple[str, str]:
        """The titles of the two places."""
        turns = (f"T{self.first}" if self.first else "before", f"T{self.last}")
        if self.branches is None:
            return turns
        return f"{self.branches[0]} {turns[0]}", f"{self.branches[1]} {turns[1]}"

    def rows(self) -> Iterator[dict[str, Any]]:
        """One flat row per field that differs."""
        parts: list[tuple[str, str | None, Sequence[Difference]]] = [
            *(("sheet", name, person.fields) for name, person in self.characters.items()),
            ("table", None, self.table),
            ("options", None, self.options),
        ]
        for part, character, fields in parts:
            for field in fields:
                yield {"part": part, "character": character, **msgspec.to_builtins(field)}


def compare(
    system: RuleSystem,
    before: Game,
    after: Game,
    first: int,
    last: int,
    *,
    character: str | None = None,
    viewer: str | None = None,
) -> Comparison:
    """Compare the states after turns `first` (0: the beginning) and `last`.

    With `character` only that sheet is compared, with `viewer` only what this player may see.
    """
    people = people_who_differ(system, before, after, character=character, viewer=viewer)
    if character is not None:
        return Comparison(first, last, people)
    return Comparison(
        first,
        last,
        people,
        tuple(differences(system.table_view(before), system.table_view(after))),
        tuple(differences(msgspec.to_builtins(before.options), msgspec.to_builtins(after.options))),
    )


def people_who_differ(
    system: RuleSystem, before: Game, after: Game, *, character: str | None = None, viewer: str | None = None
) -> dict[str, Person]:
    """The sheets that differ between two states, as `viewer` may see them; with `character` this one alone."""
    people = {}
    for name in (*after.characters, *(name for name in before.characters if name not in after.characters)):
        if character in (None, name):
            old = sheet_for(system, before, name, viewer) if name in before.characters else None
            new = sheet_for(system, after, name, viewer) if name in after.characters else None
            fields = tuple(differences(old or {}, new or {}))
            if fields or (old is None) != (new is None):
                people[name] = Person("new" if old is None else "gone" if new is None else "changed", fields)
    return people


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    """The fields that differ between two JSON objects, in the order of the new one."""
    return _inside("", old, new)


def field_title(system: RuleSystem, field: str) -> str:
    """The name of a field of a sheet or the table: "wounds.1" is wound 1, "tracked.gold" gold."""
    top, _, inside = field.partition(".")
    if top == "tracked" and inside:
        return inside
    stored_field = stored_fields(system.sheet).get(top) or stored_fields(system.table).get(top)
    # one member of several
    several = stored_field is not None and kind_of(stored_field.type).shape in ("list", "map")
    first = singular(top) if inside and several else top
    return f"{first} {inside}".strip().replace("_", " ").replace(".", " ")


def change_of_members(old: Any, new: Any) -> str | None:
    """What came to a list and left it, after the name of the list: "no longer has 15"; None for other values."""
    if not all(isinstance(value, list | tuple) and value for value in (old, new)):
        return None
    losses, gains = ([member for member in one if member not in other] for one, other in ((old, new), (new, old)))
    if gains and losses:
        return f"has {_list_of(gains)} instead of {_list_of(losses)}"
    return (
        f"also has {_list_of(gains)}"
        if gains
        else f"no longer has {_list_of(losses)}"
        if losses
        else "is in another order"
    )


def _list_of(members: Sequence[Any]) -> str:
    return listed(in_words(member) for member in members)


def differences_in_words(
    system: RuleSystem, name: str, fields: Sequence[Difference], before: Game, after: Game
) -> tuple[Difference, ...]:
    """The differences of a sheet with fields and values in the rule system's words."""
    return tuple(
        replace(
            difference,
            field=field_title(
                system,
                system.field_in_words(
                    before if difference.change == "gone" else after, name, difference.field, difference.new
                ),
            ),
            old=system.in_words(before, name, difference.field, difference.old),
            new=system.in_words(after, name, difference.field, difference.new),
        )
        for difference in fields
    )


def comparison_in_words(system: RuleSystem, comparison: Comparison, before: Game, after: Game) -> Comparison:
    """A comparison of these two states with fields and values in words, as names for numbers."""
    people = {
        name: replace(person, fields=differences_in_words(system, name, person.fields, before, after))
        for name, person in comparison.characters.items()
    }
    table, options = (
        tuple(replace(difference, field=field_title(system, difference.field)) for difference in differing)
        for differing in (comparison.table, comparison.options)
    )
    return replace(comparison, characters=people, table=table, options=options)


def _inside(path: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Difference]:
    for key in (*new, *(key for key in old if key not in new)):
        inner = f"{path}{key}"
        if key not in old:
            yield Difference(inner, "new", None, new[key])
        elif key not in new:
            yield Difference(inner, "gone", old[key], None)
        elif not same(old[key], new[key]):
            yield from _of_values(inner, old[key], new[key])


def _of_values(path: str, old: Any, new: Any) -> Iterator[Difference]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        yield from _inside(f"{path}.", old, new)
        return
    if isinstance(old, list | tuple) and isinstance(new, list | tuple):
        named_old, named_new = _by_identity(old, new)
        # if members only changed places, the list as a whole differs
        if named_old is not None and named_new is not None and named_old != named_new:
            yield from _inside(f"{path}.", named_old, named_new)
            return
    yield Difference(path, "changed", old, new)


def _by_identity(old: Sequence[Any], new: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]] | tuple[None, None]:
    """The members of two lists by the first of `IDENTITIES` that fits both; None, None if none does."""
    if not all(isinstance(member, Mapping) for member in (*old, *new)):
        return None, None
    for identity in IDENTITIES:
        if all(identity in member for member in (*old, *new)):
            by_key_old, by_key_new = ({str(member[identity]): member for member in members} for members in (old, new))
            if len(by_key_old) == len(old) and len(by_key_new) == len(new):
                return by_key_old, by_key_new
    return None, None
