"""Cards and classes: how a class is checked on its way in, where a card or an item is looked up, who joins.

A class comes into the log with the first character of it, whole, so that an old log reads the same whatever
becomes of the file that it came from.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, get_args, get_origin

import msgspec
from msgspec import Struct

from domain.gloomhaven.printed import PrintedCard, PrintedClass, PrintedItem
from domain.naming import fitting, key_of, nearest
from domain.refusal import Invalid, Unknown
from domain.system.field_schema import stored_fields
from domain.system.paragraphs import data_of, figures_of
from domain.system.type_descriptions import either

#: The classes whose cards are built in.
BUILT_IN = ("brute", "spellweaver")


# -- from data ---------------------------------------------------------------------------------------------


@cache
def levels() -> dict[str, Any]:
    """Experience by level from 1, the worth of one money token by scenario level from 0, and the starting classes.

    Of these, hand size and hit points by level: a class file for one of them may leave both out.
    """
    return figures_of("gloomhaven", "levels")


@cache
def built_in(name: str) -> PrintedClass:
    return read_class(data_of("gloomhaven", name))


@cache
def built_in_items() -> tuple[PrintedItem, ...]:
    return msgspec.convert(data_of("gloomhaven", "items")["items"], tuple[PrintedItem, ...])


def known_classes(learned: Mapping[str, PrintedClass]) -> dict[str, PrintedClass]:
    """The classes that a log has learned, and those that are built in and not known there otherwise."""
    return {**{name: built_in(name) for name in BUILT_IN}, **learned}


def known_items(learned: Mapping[int, PrintedItem]) -> dict[int, PrintedItem]:
    """The items that a log has learned, and those that are built in whose number no other item has there."""
    return {**{item.id: item for item in built_in_items()}, **learned}


def read_class(data: Mapping[str, Any]) -> PrintedClass:
    """A class from its TOML form. Raises Invalid with one sentence for each mistake in it."""
    name = data.get("class")
    starts = isinstance(name, str) and data.get("edition") is None
    starter = levels()["starters"].get(key_of(name), {}) if starts else {}
    whole = {**starter, **data}
    _refuse(_mistakes(PrintedClass, whole, "The class"), _contradictions(whole))
    facts = msgspec.convert(whole, PrintedClass)
    title = facts.name and key_of(facts.name)
    return msgspec.structs.replace(facts, class_=key_of(facts.class_), name=title)


def read_cards(data: Sequence[Any], where: str) -> tuple[PrintedCard, ...]:
    """Cards from their TOML form. Raises Invalid with one sentence for each mistake in them."""
    _refuse(_mistakes_in_each(PrintedCard, data, f"{where}, cards"), _contradictions({"cards": data}) if data else ())
    return msgspec.convert(data, tuple[PrintedCard, ...])


def read_items(data: Sequence[Any]) -> tuple[PrintedItem, ...]:
    """Items from their TOML form. Raises Invalid with one sentence for each mistake in them."""
    _refuse(_mistakes_in_each(PrintedItem, data, "Item"), _contradictions({"items": data}))
    return msgspec.convert(data, tuple[PrintedItem, ...])


def _refuse(*mistakes: Iterable[str]) -> None:
    """Raise Invalid with all of them, if there are any."""
    if found := list(chain.from_iterable(mistakes)):
        raise Invalid(" ".join(found))


def _mistakes_in_each(kind: type[Struct], values: Iterable[Any], where: str) -> list[str]:
    """Everything in tables of a list that their Struct does not take, a sentence each."""
    return [
        mistake
        for number, each in enumerate(values, 1)
        for mistake in _mistakes(kind, each, f"{where} {_title(each, number)}")
    ]


def _mistakes(kind: type[Struct], value: Any, where: str) -> list[str]:
    """Everything in a table that its Struct does not take, a sentence each."""
    if not isinstance(value, Mapping):
        return [f"{where} must be a table with fields, not {_brief(value)}."]
    fields = stored_fields(kind)
    found = []
    for name in value:
        if name not in fields:
            near = nearest(str(name), fields)
            found.append(f"{where} has no field {_brief(name)}{f'; did you mean {near}?' if near else '.'}")
    for name, field in fields.items():
        if name not in value:
            found += [f"{where} lacks {name}."] if field.required else []
            continue
        inner = _struct_in(field.type)
        if inner is None:
            try:
                msgspec.convert(value[name], field.type)
            except msgspec.ValidationError as error:
                found.append(f"{where}: {name} cannot be {_brief(value[name])} ({str(error).split(' - ')[0]}).")
        elif get_origin(field.type) is not tuple:
            found += _mistakes(inner, value[name], f"{where}, {name}")
        elif not isinstance(value[name], list | tuple):
            found.append(f"{where}: {name} must be a list, not {_brief(value[name])}.")
        else:
            found += _mistakes_in_each(inner, value[name], f"{where}, {name}")
    return found


def _struct_in(hint: Any) -> type[Struct] | None:
    inner = get_args(hint)[0] if get_origin(hint) is tuple else hint
    return inner if isinstance(inner, type) and issubclass(inner, Struct) else None


def _title(value: Any, number: int) -> str:
    """What a card is called in a mistake: its number if it has one, else its place in the list."""
    number_told = value.get("id") if isinstance(value, Mapping) else None
    return f"{number_told}" if isinstance(number_told, int) else f"(number {number} in the list)"


def _brief(value: Any) -> str:
    text = msgspec.json.encode(value).decode() if not isinstance(value, Mapping) else "a table"
    return text if len(text) <= 60 else f"{text[:57]}..."


def _contradictions(data: Mapping[str, Any]) -> list[str]:
    """What no single field can tell: doubled numbers and names, slots without a bonus, a class without cards."""
    found = []
    for of in ("cards", "items"):
        entries = [each for each in data.get(of, ()) if isinstance(each, Mapping)] if _is_list(data.get(of)) else []
        for what, key in (("number", "id"), ("name", "name")):
            # two editions may have an item of one name
            given = Counter(
                (key_of(str(each[key])), str(each.get("edition")) if what == "name" else "")
                for each in entries
                if isinstance(each.get(key), int | str)
            )
            found += [f"Two {of} have the {what} {_brief(value)}." for (value, _), times in given.items() if times > 1]
        if of == "cards" and not entries and _is_list(data.get(of)):
            found.append("The class has no cards.")
        for each in entries:
            for half in ("top", "bottom"):
                facts = each.get(half)
                if isinstance(facts, Mapping) and facts.get("slots") and not facts.get("active"):
                    found.append(f"The {half} of card {each.get('id')} has slots, but active does not say of what.")
    return found


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


# -- finding what is meant ---------------------------------------------------------------------------------


#: So many letters have to be typed before something is named that nobody at the table has met.
LETTERS = 3


def _find(ref: int | str, known: Iterable[tuple[int, str]], what: str, met: Collection[int] | None = None) -> int:
    """The number of the card or item that is meant: by its number, its name, or what only its name fits.

    Raises Unknown, naming those that fit, the nearest, or all; of those that are not among the `met`, only once some
    letters of them are typed.
    """
    titles = dict(known)
    wanted = key_of(str(ref))
    called = [number for number, name in titles.items() if key_of(name) == wanted or str(number) == wanted]
    if called:
        return called[-1]
    same = {key: number for number, name in titles.items() for key in (key_of(name), str(number))}
    # a number that is not there is near to nothing
    fit = [] if wanted.isdecimal() else [number for number, name in titles.items() if fitting(wanted, (name,))]
    if len(wanted) < LETTERS and met is not None:
        fit = [number for number in fit if number in met]
    if len(fit) == 1:
        return fit[0]

    def hint() -> str:
        close = None if fit or wanted.isdecimal() else nearest(wanted, same)
        near = fit if close is None else [same[close]]
        if len(wanted) < LETTERS and met is not None:
            near = [each for each in near if each in met]
        told = {number: f"{number} {name}" for number, name in titles.items()}
        if near:
            return f"did you mean {either(told[each] for each in near)}?"
        return f"known are {', '.join(title for number, title in told.items() if met is None or number in met)}."

    asked = repr(ref.strip()) if isinstance(ref, str) else ref
    raise Unknown(what, ref, f"There is no {what} {asked}", hint)


def find_card(facts: PrintedClass, ref: int | str) -> PrintedCard:
    """The card of this class, by number or name. Raises Unknown, naming the nearest."""
    number = _find(ref, ((card.id, card.name) for card in facts.cards), f"{facts.class_} card")
    found = facts.card(number)
    assert found is not None
    return found


def find_item(learned: Mapping[int, PrintedItem], ref: int | str, owned: Collection[int] = ()) -> PrintedItem:
    """The item, by number or name, of those that the log knows or that are built in. Raises Unknown.

    Of several with one name, the only one among those `owned` is meant.
    """
    whole = known_items(learned)
    same = [item for item in whole.values() if key_of(item.name) == key_of(str(ref))]
    mine = [item for item in same if item.id in owned]
    if len(mine) == 1:
        return mine[0]
    titles = item_titles(whole)
    if len(same) > 1:
        which = either(f"{item.id} {titles[item.id]}" for item in same)
        raise Unknown("item", ref, f"Several items are called {same[0].name}", f"did you mean {which}?")
    met = {*owned, *(item.id for item in built_in_items())}
    return whole[_find(ref, titles.items(), "item", met)]


def item_titles(items: Mapping[int, PrintedItem]) -> dict[int, str]:
    """What each item is called: by its name, with its edition where others have that name too."""
    times = Counter(key_of(item.name) for item in items.values())
    return {
        number: f"{item.name} ({item.edition})" if item.edition and times[key_of(item.name)] > 1 else item.name
        for number, item in items.items()
    }


def find_class(name: str, known: Mapping[str, PrintedClass]) -> PrintedClass:
    """The class as the log knows it, else as it is built in. Raises Unknown, naming the nearest."""
    key, classes = key_of(name), known_classes(known)
    if key in classes:
        return classes[key]
    # parentheses want quotes on a shell
    same = [each for each in classes.values() if key == f"{each.printed[1]} {each.edition}"]
    if len(same) == 1:
        return same[0]
    near = nearest(key, classes)
    hint = f"did you mean {near}? Another" if near else "another"
    raise Unknown("class", name, f"There is no class {name.strip()!r}", f"{hint} class comes with a class file.")
