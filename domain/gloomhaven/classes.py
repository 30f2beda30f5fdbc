"""Classes, cards and items: validation of class files, and look-up by number or name.

The log stores a class whole with its first character, so that replaying does not depend on the class file.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

from domain.gloomhaven.facts import PrintedCard, PrintedClass, PrintedItem
from domain.naming import fitting, key_of, listed, listed_first, nearest
from domain.refusal import Invalid, Unknown
from domain.system.field_schema import stored_fields
from domain.system.paragraphs import data_of, figures_of
from domain.system.type_descriptions import either

#: The classes whose cards are built in.
BUILT_IN = ("brute", "spellweaver")


# -- from data ---------------------------------------------------------------------------------------------


@cache
def levels() -> dict[str, Any]:
    """Experience by level from 1, gold per money token by scenario level from 0, and the starting classes.

    The starting classes have hand size and hit points by level here, so that their class files may leave both out.
    """
    return figures_of("gloomhaven", "levels")


@cache
def built_in(name: str) -> PrintedClass:
    """The facts of a built-in class, from its data file."""
    return read_class(data_of("gloomhaven", name))


@cache
def built_in_items() -> tuple[PrintedItem, ...]:
    """The facts of the built-in items."""
    return msgspec.convert(data_of("gloomhaven", "items")["items"], tuple[PrintedItem, ...])


def known_classes(by_name: Mapping[str, PrintedClass]) -> dict[str, PrintedClass]:
    """The learned classes and the built-in ones by name; a learned class replaces a built-in one."""
    return {**{name: built_in(name) for name in BUILT_IN}, **by_name}


def met_classes(learned: Mapping[str, PrintedClass], played: Iterable[str]) -> tuple[str, ...]:
    """The classes that are built in or `played`: those that may be named without being asked for."""
    in_play = frozenset(played)
    return tuple(name for name in known_classes(learned) if name in BUILT_IN or name in in_play)


def known_items(learned: Mapping[int, PrintedItem]) -> dict[int, PrintedItem]:
    """The learned items and the built-in ones by number; a learned item replaces a built-in one."""
    return {**{item.id: item for item in built_in_items()}, **learned}


def read_class(data: Mapping[str, Any]) -> PrintedClass:
    """A class from its TOML form. Raises Invalid with one sentence per mistake."""
    name = data.get("class")
    starts = isinstance(name, str) and data.get("edition") is None
    starter = levels()["starters"].get(key_of(name), {}) if starts else {}
    whole = {**starter, **data}
    _refuse(_mistakes(PrintedClass, whole, "The class"), _contradictions(whole))
    facts = msgspec.convert(whole, PrintedClass)
    title = facts.name and key_of(facts.name)
    return msgspec.structs.replace(facts, class_=key_of(facts.class_), name=title)


def read_cards(data: Sequence[Any], where: str) -> tuple[PrintedCard, ...]:
    """Cards from their TOML form. Raises Invalid with one sentence per mistake."""
    _refuse(_mistakes_in_each(PrintedCard, data, f"{where}, cards"), _contradictions({"cards": data}) if data else ())
    return msgspec.convert(data, tuple[PrintedCard, ...])


def read_items(data: Sequence[Any]) -> tuple[PrintedItem, ...]:
    """Items from their TOML form. Raises Invalid with one sentence per mistake."""
    _refuse(_mistakes_in_each(PrintedItem, data, "Item"), _contradictions({"items": data}))
    return msgspec.convert(data, tuple[PrintedItem, ...])


def _refuse(*mistakes: Iterable[str]) -> None:
    """Raise Invalid with all mistakes, if there are any."""
    if sentences := list(chain.from_iterable(mistakes)):
        raise Invalid(" ".join(sentences))


def _mistakes_in_each(kind: type[Struct], values: Iterable[Any], where: str) -> list[str]:
    """One sentence per part of the tables in a list that does not fit the Struct `kind`."""
    return [
        mistake
        for number, value in enumerate(values, 1)
        for mistake in _mistakes(kind, value, f"{where} {_title(value, number)}")
    ]


def _mistakes(kind: type[Struct], value: Any, where: str) -> list[str]:
    """One sentence per part of a table that does not fit the Struct `kind`."""
    if not isinstance(value, Mapping):
        return [f"{where} must be a table with fields, not {_as_json(value)}."]
    fields = stored_fields(kind)
    mistakes = []
    for name in value:
        if name not in fields:
            near = nearest(str(name), fields)
            mistakes.append(f"{where} has no field {_as_json(name)}{f'; did you mean {near}?' if near else '.'}")
    for name, field in fields.items():
        if name not in value:
            mistakes += [f"{where} lacks {name}."] if field.required else []
            continue
        inner = _struct_in(field.type)
        if inner is None:
            try:
                msgspec.convert(value[name], field.type)
            except msgspec.ValidationError as error:
                mistakes.append(f"{where}: {name} cannot be {_as_json(value[name])} ({str(error).split(' - ')[0]}).")
        elif get_origin(field.type) is not tuple:
            mistakes += _mistakes(inner, value[name], f"{where}, {name}")
        elif not isinstance(value[name], list | tuple):
            mistakes.append(f"{where}: {name} must be a list, not {_as_json(value[name])}.")
        else:
            mistakes += _mistakes_in_each(inner, value[name], f"{where}, {name}")
    return mistakes


def _struct_in(hint: Any) -> type[Struct] | None:
    inner = get_args(hint)[0] if get_origin(hint) is tuple else hint
    return inner if isinstance(inner, type) and issubclass(inner, Struct) else None


def _title(value: Any, number: int) -> str:
    """The name of a card in a sentence about a mistake: its number, else its place in the list."""
    card_id = value.get("id") if isinstance(value, Mapping) else None
    return f"{card_id}" if isinstance(card_id, int) else f"(number {number} in the list)"


def _as_json(value: Any) -> str:
    text = msgspec.json.encode(value).decode() if not isinstance(value, Mapping) else "a table"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _contradictions(data: Mapping[str, Any]) -> list[str]:
    """Mistakes across fields: duplicate numbers and names, slots without a bonus, a class without cards."""
    mistakes = []
    for plural in ("cards", "items"):
        entries = (
            [entry for entry in data.get(plural, ()) if isinstance(entry, Mapping)]
            if _is_list(data.get(plural))
            else []
        )
        for label, key in (("number", "id"), ("name", "name")):
            # two editions may have an item of one name
            uses = Counter(
                (key_of(str(entry[key])), str(entry.get("edition")) if label == "name" else "")
                for entry in entries
                if isinstance(entry.get(key), int | str)
            )
            mistakes += [
                f"Two {plural} have the {label} {_as_json(value)}." for (value, _), times in uses.items() if times > 1
            ]
        if plural == "cards" and not entries and _is_list(data.get(plural)):
            mistakes.append("The class has no cards.")
        for entry in entries:
            for half in ("top", "bottom"):
                facts = entry.get(half)
                if isinstance(facts, Mapping) and facts.get("slots") and not facts.get("active"):
                    mistakes.append(f"The {half} of card {entry.get('id')} has slots, but active does not say of what.")
    return mistakes


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


# -- look-up by number or name -----------------------------------------------------------------------------


#: Letters that must be typed before a hint names cards or items that the players have not met yet.
LETTERS = 3


def _find(
    ref: int | str, numbered_titles: Iterable[tuple[int, str]], kind: str, familiar: Collection[int] | None = None
) -> int:
    """The number of the card or item that `ref` names: by number, by name, or by a part that fits one name only.

    Raises Unknown, whose hint names those that fit, the nearest, or all. With fewer than `LETTERS` letters typed the
    hint names only those among the `familiar`, if given: a typing mistake must not reveal the others.
    """
    titles = dict(numbered_titles)
    key_typed = key_of(str(ref))
    exact = [number for number, name in titles.items() if key_of(name) == key_typed or str(number) == key_typed]
    if exact:
        return exact[-1]
    same = {key: number for number, name in titles.items() for key in (key_of(name), str(number))}
    # a number that is not there is near to nothing
    fit = [] if key_typed.isdecimal() else [number for number, name in titles.items() if fitting(key_typed, (name,))]
    if len(key_typed) < LETTERS and familiar is not None:
        fit = [number for number in fit if number in familiar]
    if len(fit) == 1:
        return fit[0]

    def hint() -> str:
        close = None if fit or key_typed.isdecimal() else nearest(key_typed, same)
        suggestions = fit if close is None else [same[close]]
        if len(key_typed) < LETTERS and familiar is not None:
            suggestions = [number for number in suggestions if number in familiar]
        labels = {number: f"{number} {name}" for number, name in titles.items()}
        if suggestions:
            return f"did you mean {listed_first((labels[number] for number in suggestions), 'or')}?"
        known_labels = (label for number, label in labels.items() if familiar is None or number in familiar)
        return f"known: {listed_first(known_labels)}."

    what = repr(ref.strip()) if isinstance(ref, str) else ref
    raise Unknown(kind, ref, f"There is no {kind} {what}", hint)


def find_card(facts: PrintedClass, ref: int | str) -> PrintedCard:
    """The card of this class, by number or name. Raises Unknown, naming the nearest."""
    number = _find(ref, ((card.id, card.name) for card in facts.cards), f"{facts.class_} card")
    card = facts.card(number)
    assert card is not None
    return card


def find_item(learned: Mapping[int, PrintedItem], ref: int | str, own_items: Collection[int] = ()) -> PrintedItem:
    """The learned or built-in item, by number or name. Raises Unknown.

    If several have the name, the only one among `own_items` is taken.
    """
    whole = known_items(learned)
    same = [item for item in whole.values() if key_of(item.name) == key_of(str(ref))]
    own = [item for item in same if item.id in own_items]
    if len(own) == 1:
        return own[0]
    titles = item_titles(whole)
    if len(same) > 1:
        candidates = either(f"{item.id} {titles[item.id]}" for item in same)
        raise Unknown("item", ref, f"Several items are called {same[0].name}", f"did you mean {candidates}?")
    familiar = {*own_items, *(item.id for item in built_in_items())}
    return whole[_find(ref, titles.items(), "item", familiar)]


def item_titles(items: Mapping[int, PrintedItem]) -> dict[int, str]:
    """The title of each item by number: its name, with the edition if other items have the same name."""
    times = Counter(key_of(item.name) for item in items.values())
    return {
        number: f"{item.name} ({item.edition})" if item.edition and times[key_of(item.name)] > 1 else item.name
        for number, item in items.items()
    }


def find_class(name: str, learned: Mapping[str, PrintedClass], played: Iterable[str] = ()) -> PrintedClass:
    """The learned class of that name, else the built-in one. Raises Unknown, naming the nearest or those met."""
    key, classes = key_of(name), known_classes(learned)
    if key in classes:
        return classes[key]
    # parentheses want quotes on a shell
    same = [facts for facts in classes.values() if key == f"{facts.printed[1]} {facts.edition}"]
    if len(same) == 1:
        return same[0]
    near = nearest(key, classes)
    hint = f"did you mean {near}?" if near else f"known: {listed(met_classes(learned, played))}."
    more = "Another class comes with a class file; help learn says how."
    raise Unknown("class", name, f"There is no class {name.strip()!r}", f"{hint} {more}")
