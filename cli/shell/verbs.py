"""The commands of verbs, generated from the fields of their actions: a new action needs no change here.

`campaign osr damage brog 4` is run as the line `damage brog 4` by `cli.line`; the parameters made here are only for
the help: the fields as arguments and options, and the common options of recording.
"""

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from inspect import Parameter
from typing import Annotated, Any

import typer

from cli.line.evening import examples_of
from cli.line.grammar import grammar_of
from cli.line.verbs import Verb
from cli.line.verbs import verbs_of as verbs_under
from cli.shell import offers
from cli.shell.declaration import LineDeclaration, parameter, taking
from cli.shell.offers import offered_by, words_of
from cli.shell.parser import Command, CommandGroup, VerbCommand, command_of, group_of, in_the_manual
from cli.shell.record_options import record_parameters
from cli.shell.words import option_of, shape_of
from domain.log.backdating import PLACELESS, PLACES
from domain.naming import capitalised
from domain.registry import system_of, verb_name
from domain.system.extensions import Lookup
from domain.system.field_schema import Field, fields_of
from domain.system.installed import purpose_of
from domain.system.type_descriptions import either
from domain.turn import Action


def verbs_of(key: str, line: Callable[[str], Command]) -> CommandGroup:
    """The group of a rule system's verbs; `line` makes the command that runs a line with this verb."""
    system = system_of(key)
    actions = {verb_name(action): action for action in system.actions}
    extensions = offered_by(system)

    def listing() -> dict[str, dict[str, str]]:
        verbs = {
            name: (inspect.getdoc(action) or "").partition("\n")[0]
            for name, action in actions.items()
            if action.has_verb
        }
        more = {name: offer.help for name, offer in extensions.items()}
        return {"Verbs": verbs, **({"And": more} if more else {})}

    def verb_command(name: str, _words: Sequence[str]) -> Command | None:
        if (offer := extensions.get(name)) is not None:
            return offers.lookup_command(offer) if isinstance(offer, Lookup) else offers.reader_command(offer)
        is_verb = any(name in (verb.name, verb.words[0]) for verb in verbs_under(key))
        return line(name) if is_verb else None

    help_text, epilog = f"Record {purpose_of(key)}.", in_the_manual("line")
    group = group_of(key, help_text, listing, verb_command, add_completion=False, epilog=epilog)
    for name, action in actions.items():
        shorts = [short for short, sets in action.shorts.items() if not sets and len(short) < len(name)]
        group.labels[name] = f"{name} ({shorts[0]})" if shorts else name
    return group


@cache
def verb(key: str, action: type[Action]) -> Command:
    """The command of an action, for its help only."""

    name, system = verb_name(action), system_of(key)
    readers = [reader for reader in system.readers if reader.option and reader.verb == name]
    extra: list[Parameter] = []
    for reader in readers:
        option = typer.Option(f"--{reader.option}", help=f"{capitalised(reader.help)}.", metavar="FILE|FOLDER")
        extra.append(parameter(f"read_{reader.option}", Annotated[str | None, option], None))
    for lookup in system.lookups:
        if lookup.also and lookup.also[0] == name:
            flag = typer.Option(f"--{lookup.also[1]}", help=lookup.help)
            extra.append(parameter(f"list_{lookup.also[1]}", Annotated[bool, flag], False))

    def examples() -> list[str]:
        lines = [f"campaign {line}" for line in examples_of(key, action)]
        return lines + [line for reader in readers for line in words_of(reader)]

    return _described(name, action, inspect.getdoc(action) or "", extra, examples=examples)


@cache
def declared_verb(declaration: LineDeclaration, name: str, chapter: str) -> Command:
    """The command of a verb that is declared, for its help only."""
    help_text, fields = inspect.cleandoc(declaration.help), declaration.help_parameters
    return _described(name, declaration.action, help_text, declaration.options, fields, chapter=chapter)


def _described(
    name: str,
    action: type[Action],
    help_text: str,
    besides: Sequence[Parameter],
    in_place_of_fields: Sequence[Parameter] | None = None,
    **settings: Any,
) -> Command:
    """A command with the fields of an action, those in `besides`, and the common options of recording."""
    fields = fields_of(action) if in_place_of_fields is None else ()
    arguments = in_order(action) if in_place_of_fields is None else ()
    own = in_place_of_fields or [*_positional(arguments), *_optional(fields, arguments)]
    without = PLACES if issubclass(action, PLACELESS) else ()
    common = record_parameters(without=without, names_in_use={option_of(field) for field in fields})
    return command_of(name, taking(lambda **_: None, [*own, *besides, *common]), help_text, VerbCommand, **settings)


def _positional(fields: Sequence[Field]) -> list[Parameter]:
    """The arguments, of the fields that may be given by position."""
    parameters = []
    for field in fields:
        name = "FIELD=VALUE" if shape_of(field) == "map" else field.key.upper()
        several = shape_of(field) in ("list", "map")
        argument = typer.Argument(
            metavar=f"{name if field.required else f'[{name}]'}{'...' if several else ''}",
            help=_help(field, spelt_out=True),
        )
        kind: Any = list[str] | None if several else str | None
        parameters.append(parameter(f"given_{field.name}", Annotated[kind, argument], None))
    return parameters


def in_order(action: type[Action]) -> list[Field]:
    """The fields that may be given by position, as lines are read; a flag is said by its name."""
    grammar = grammar_of(Verb(verb_name(action), action))
    loose = grammar.loose if grammar.loose is not None and grammar.loose.required else None
    placed = (grammar.who, *grammar.order, loose, grammar.words)
    return [field for field in placed if field is not None and field.kind.shape != "flag"]


def _optional(fields: Sequence[Field], arguments: Sequence[Field]) -> list[Parameter]:
    """The options; one that has no more to say than the argument for its field is left out of the help."""
    parameters = []
    placed = {field.key for field in arguments}
    for field in fields:
        if (field.required and field.names) or field.key == "conflicts":  # which --drop and --keep settle
            continue
        kind: Any = str | None
        names = [option_of(field), *([field.short] if field.short else [])]
        if shape_of(field) in ("list", "map"):
            kind = list[str] | None
        elif shape_of(field) == "flag":
            kind = bool | None
            names = [f"{option_of(field)}/--no-{field.key.replace('_', '-')}"]
        option = typer.Option(
            *names,
            help=_help(field),
            metavar=None if shape_of(field) == "flag" else _metavar(field),
            hidden=field.key in placed and not field.short,
        )
        parameters.append(parameter(f"option_{field.name}", Annotated[kind, option], None))
    return parameters


def _help(field: Field, *, spelt_out: bool = False) -> str:
    """What a field is; `spelt_out`: with the values that it may have."""
    what = (field.what or field.key.replace("_", " ")).removesuffix(".")
    otherwise = field.otherwise or ("" if field.default in (None, False, ()) else str(field.default).lower())
    choices = field.kind.offered_choices if spelt_out else ()
    if choices and any(choice not in what for choice in choices):
        what = f"{what}: {either(choices)}"
    return f"{capitalised(what)}{f' (default: {otherwise})' if otherwise else ''}."


def _metavar(field: Field) -> str:
    if field.kind.choices:
        return "|".join(map(str, field.kind.choices))
    if shape_of(field) == "map":
        return "NAME=VALUE"
    if field.kind.reference:
        return "N|NAME"
    if field.turn and shape_of(field) == "text":
        return "POINT"
    return {"number": "N", "file": "FILE", "list": "A,B"}.get(shape_of(field), "TEXT")
