"""An action as a line that means it: to be shown, recalled, completed by hand, and typed again."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from cli.line.context import Context
from cli.line.grammar import grammar_of
from cli.line.understanding import understand
from cli.line.values import json_or_text
from cli.line.verbs import Verb
from cli.line.words import quote, tokenize
from domain.choice import Choice
from domain.common.revisions import Amend
from domain.common.tracking import Track
from domain.naming import short_for
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, verb_name
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

#: What stands for something that is still to be said.
GAP = "…"


def line_of(context: Context, action: Action) -> str:
    """The line of an action: as short as it can be without meaning something else, else with every field named."""
    if isinstance(action, Amend):
        return _line_of_amendment(context, action)
    values: dict[str, Any] = msgspec.to_builtins(action)
    # what is left out elsewhere may have to be said in a line
    needs = [field for field in fields_of(type(action)) if field.unless and not {field.key, *field.unless} & {*values}]
    values |= {field.key: field.default for field in needs if field.default is not None}
    for in_quotes in (False, True):
        short = line_with_gaps(type(action), values, in_quotes=in_quotes)
        if _means(short, action, context):
            return short
    fields = [field for field in fields_of(type(action)) if field.key in values]
    words = [
        word for field in fields for word in _addition(context, action, field) or _with_name(field, values[field.key])
    ]
    return " ".join([verb_name(type(action)), *words])


def line_of_choice(context: Context, way: Choice, gap: Callable[[Field], str] = lambda field: field.key.upper()) -> str:
    """The line of a choice, with a `gap` for each field that has to be typed: `injury-saves Brog STRENGTH WILL`.

    Characters stand in it by one word of their names where that is unique, which keeps the line short.
    """
    everybody = tuple(context.state.characters)
    names = [field.key for field in fields_of(way.action) if field.names == "character"]
    short_names = {key: short_for(name, everybody) for key in names if (name := way.fields.get(key)) in everybody}
    remark = next((str(way.fields.get(field.key, "")) for field in fields_of(way.action) if field.remark), "")
    in_quotes = any(map(str.isdecimal, remark.split()))  # which may be read as a value once more is typed
    line = line_with_gaps(way.action, {**way.fields, **short_names}, gap=gap, in_quotes=in_quotes)
    asks = [field for field in fields_of(way.action) if field.key in way.asks and gap(field) not in line.split()]
    asks.sort(key=lambda field: field.remark)  # words come last, as they run to the end
    in_place = [field for field in asks if field.required or field.in_order or field.remark]
    return " ".join(
        [line, *(gap(field) if field in in_place else f"{field.file or field.key}={GAP}" for field in asks)]
    )


def start_of_line(context: Context, way: Choice) -> str:
    """The line of a choice up to the first field that has to be typed."""
    return line_of_choice(context, way, lambda _: GAP).partition(GAP)[0]


def line_with_gaps(
    kind: type[Action],
    values: Mapping[str, Any],
    *,
    gap: Callable[[Field], str] = lambda _: GAP,
    in_quotes: bool = False,
) -> str:
    """The line of an action that may be incomplete: a `gap` stands for each required field without a value.

    `in_quotes`: its words stand in quotes, as they hold what could be a value.
    """
    if kind is Track:
        return _line_of_tracking(values)
    grammar = grammar_of(Verb(verb_name(kind), kind))
    words = [verb_name(kind)]
    faces = values.get(grammar.faces.key) or {} if grammar.faces is not None else {}
    if grammar.who is not None:
        who = values.get(grammar.who.key)
        for name in [who] if isinstance(who, str) else who or [gap(grammar.who)]:
            words += [quote(name), *([_dice(faces[name])] if faces.get(name) else [])]
    for field in grammar.order:
        if field.key in values:
            words.append(",".join(_written(field, values[field.key])))
        elif field.required:
            words.append(gap(field))
    apart = (grammar.who, grammar.words, *grammar.order, *([grammar.faces] if faces else []))
    for field in grammar.fields.values():
        if field.key in values and field not in apart:
            loose = field is grammar.loose and isinstance(values[field.key], Mapping)
            words += _loose(values[field.key]) if loose else _with_name(field, values[field.key])
    if grammar.words is not None and grammar.words.key in values:
        text = str(values[grammar.words.key])
        words.append(quote(text, always=True) if in_quotes else text)
    elif grammar.words is not None and grammar.words.required:
        words.append(gap(grammar.words))
    return " ".join(words)


def _line_of_tracking(values: Mapping[str, Any]) -> str:
    """The line of a track action, perhaps not whole."""
    name = quote(str(values["name"])) if "name" in values else GAP
    if values.get("pin") is not None:
        return f"{verb_name(Track)} {'pin' if values['pin'] else 'unpin'} {name}"
    words = [verb_name(Track), *([quote(str(values["character"]))] if values.get("character") else []), name]
    if values.get("change") is not None:
        words.append(f"{values['change']:+d}")
    elif values.get("value") is not None:
        words.append(quote(str(values["value"]), always=isinstance(values["value"], str)))
    else:
        words.append("drop" if values.get("drop") else GAP)
    words += ["debt"] if values.get("debt") else []
    return " ".join([*words, *([values["source"]] if values.get("source") else [])])


def _addition(context: Context, action: Action, field: Field) -> list[str]:
    """Somebody whom the log's own list does not hold, as a line adds them first; nothing for any other field."""
    name = getattr(action, field.name)
    legal = context.system.proposals(context.state, type(action), field.key, None) or ()
    return ["new", quote(name)] if field.added_by is not None and name not in legal else []


def line_to_report(context: Context, line: str, action: Action, example: Mapping[str, Any]) -> str:
    """A line that means an action, with a gap for what the table has yet to report: `ls pim 2 4 FLIPPED`.

    `example`: the fields of that, by their names, each with a value that may be reported. Nothing of it is told, as
    only the table knows what lies there. Where the line cannot be typed on, it is that of the action.
    """
    told, shown = [line], [line]
    values: dict[str, Any] = msgspec.to_builtins(action)
    dice = ""
    for field in (field for field in fields_of(type(action)) if field.name in example):
        before, after, gap = getattr(action, field.name) or (), example[field.name], field.key.upper()
        more = ",".join(map(str, after[len(before) :])) if isinstance(after, tuple) else str(after)
        if field.dice or field.kind.shape != "list":
            told, shown = ([f"{way} {field.key}={text}" for way in ways] for ways, text in ((told, more), (shown, gap)))
            dice = f" {field.key}={gap}"
            continue
        values[field.key] = [*before, gap]
        told, shown = (_with_cards(ways, before, field, text) for ways, text in ((told, more), (shown, gap)))
    whole = replace(action, **example)
    means_it = (way for text, way in zip(told, shown, strict=True) if _means(text, whole, context))
    return next(means_it, None) or f"{line_with_gaps(type(action), values)}{dice}"


def _with_cards(ways: Sequence[str], before: Sequence[str], field: Field, more: str) -> list[str]:
    """Lines with more cards behind those `before`: at the end, by the name of the field, behind the last of them."""
    longer = [f"{way} {more}" for way in ways] + [f"{way} {field.key}={more}" for way in ways]
    for way in map(tokenize, ways) if before else ():
        ends = (at for at, word in enumerate(way.words) if word.text.split(",")[-1] == before[-1])
        longer += [way.replaced(at, at + 1, f"{way.words[at].text},{more}") for at in ends]
    return longer


def _means(line: str, action: Action, context: Context) -> bool:
    """Whether a line means this action and nothing else."""
    try:
        return understand(tokenize(line), context).actions == (action,)
    except (Invalid, Refusal):
        return False


def _line_of_amendment(context: Context, amendment: Amend) -> str:
    values: dict[str, Any] = msgspec.to_builtins(amendment)
    beside = [
        word
        for field in fields_of(Amend)
        if field.key in values and field.key not in ("turn", "action")
        for word in _with_name(field, values[field.key])
    ]
    inner = line_of(context.before(amendment.turn), action_from(context.system.key, values["action"]))
    return " ".join([f"T{values['turn']}", *beside, "=", inner])


def _loose(values: Mapping[str, Any]) -> list[str]:
    """NAME=VALUE, each a word: what JSON would read as something else than a text is written as JSON."""
    texts = {
        name: value if isinstance(value, str) and json_or_text(value) == value else msgspec.json.encode(value).decode()
        for name, value in values.items()
    }
    return [f"{name}={quote(text)}" for name, text in texts.items()]


def _with_name(field: Field, value: Any) -> list[str]:
    """A field with its name, in as many words as it takes; a text in quotes is meant as it stands."""
    return [f"{field.key}={text}" for text in _written(field, value, always=True)]


def _written(field: Field, value: Any, *, always: bool = False) -> list[str]:
    """A value of a field, each item of a list by itself; `always`: texts in quotes even where they need none."""
    kind, item, is_list = field.kind, field.kind.item, isinstance(value, list | tuple)
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    if not value and is_list:
        return ["[]"]
    if kind.shape == "map" and value and item is not None and item.shape != "any":
        return [quote(f"{name}={_dice(own) if item.item else own}", always=True) for name, own in value.items()]
    if kind.shape == "map" or (is_list and item is not None and item.shape in ("object", "any", "map")):
        return [quote(msgspec.json.encode(value).decode(), always=True)]
    if field.dice:
        return [_dice(value, apart=field.sides_in is not None)]
    if field.turn and not isinstance(value, str):
        return [",".join(f"T{number}" for number in (value if is_list else [value]))]
    return [quote(str(one), always=always and isinstance(one, str)) for one in (value if is_list else [value])]


def _dice(faces: Any, *, apart: bool = False) -> str:
    """Faces stuck together where that can be read; `apart`: never, as `17` may be one face."""
    if faces and not apart and all(0 <= face <= 9 for face in faces):
        return "".join(map(str, faces))
    return "".join(f"{face}," for face in faces)
