"""The verbs of a rule system as commands, described from their action Structs: adding an action touches no file here.

`campaign osr damage brog 4` is the line `damage brog 4`, read by the one reader of `cli.line`; what is made here is the
description that help shows: the fields of the Struct as arguments and options, and the options of every line.
"""

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from cli.line.evening import examples_of
from cli.line.verbs import verb_name
from cli.shell import offers
from cli.shell.declaration import ArgumentSpec, LineDeclaration, OptionSpec, Parameter, parameter, takes
from cli.shell.line_command import is_verb, offered_by
from cli.shell.offers import typed
from cli.shell.parser import VerbCommand, command_of, group_of, in_the_manual
from cli.shell.recording import record_parameters
from cli.shell.words import option_of, shape_of
from domain.registry import system_of
from domain.system.extensions import Lookup, Reader
from domain.system.field_schema import Field, fields_of
from domain.system.installed import purpose_of
from domain.turn import Action

if TYPE_CHECKING:
    from cli.shell.parser import Command, CommandGroup


def help_of(action: type[Action]) -> str:
    """What an action is for, in its own words."""
    return inspect.getdoc(action) or ""


def verbs_of(key: str, line: Callable[[str], "Command"]) -> "CommandGroup":
    """The verbs of one rule system as a group of commands; `line` makes the command of a line with this verb."""
    system = system_of(key)
    actions = {verb_name(action): action for action in system.actions}
    offered = offered_by(system)

    def listing() -> dict[str, dict[str, str]]:
        verbs = {name: help_of(action).partition("\n")[0] for name, action in actions.items() if action.has_verb}
        more = {name: each.help for name, each in offered.items()}
        return {"Verbs": verbs, **({"And": more} if more else {})}

    def made(name: str) -> "Command | None":
        if name in offered:
            return offers.command_for(offered[name])
        return line(name) if is_verb(key, name) else None

    help_text, epilog = f"Record {purpose_of(key)}.", in_the_manual("line")
    group = group_of(key, help_text, listing, made, add_completion=False, epilog=epilog)
    group.labels = {name: _with_shorts(name, action) for name, action in actions.items()}
    return group


def _with_shorts(name: str, action: type[Action]) -> str:
    """A verb with its short name: "damage (d)"."""
    shorts = [short for short, sets in action.shorts.items() if not sets and len(short) < len(name)]
    return f"{name} ({shorts[0]})" if shorts else name


@cache
def verb(key: str, action: type[Action]) -> "Command":
    """The description of one action as a command: what its help shows. It is not run."""

    def examples() -> list[str]:
        readers = (each for each in system_of(key).readers if each.option and each.verb == verb_name(action))
        read = [line for each in readers for line in typed(each)]
        return [*(f"campaign {line}" for line in examples_of(key, action)), *read]

    readers = [each for each in system_of(key).readers if each.option and each.verb == verb_name(action)]
    lookups = [each for each in system_of(key).lookups if each.also and each.also[0] == verb_name(action)]
    offered = [*map(_reading, readers), *(_listing(each.also[1], each) for each in lookups if each.also)]
    described = takes(lambda **_: None, parameters_of_verb(action, offered))
    return command_of(verb_name(action), described, help_of(action), VerbCommand, examples)


@cache
def declared_verb(declared: LineDeclaration, name: str, chapter: str) -> "Command":
    """The same of a verb of every campaign that is declared as a command, with its own help."""
    described = takes(lambda **_: None, parameters_of_verb(declared.action, declared.options))
    return command_of(name, described, inspect.cleandoc(declared.help), VerbCommand, chapter=chapter)


def parameters_of_verb(action: type[Action], besides: Sequence[Parameter] = ()) -> list[Parameter]:
    """What a verb takes: the fields of its action, what else it takes, and how it is told."""
    fields = fields_of(action)
    taken = {option_of(field) for field in fields}
    return [*_positional(fields), *_optional(fields), *besides, *record_parameters(taken=taken)]


def _reading(reader: Reader) -> Parameter:
    """The option by which a verb reads files of another program."""
    option = OptionSpec(
        f"--{reader.option}", help=f"{reader.help[:1].upper()}{reader.help[1:]}.", metavar="FILE|FOLDER",
        show_default=False,
    )  # fmt: skip
    return parameter(f"read_{reader.option}", Annotated[str | None, option], None)


def _listing(option: str, lookup: Lookup) -> Parameter:
    """The option by which a verb lists what the log knows, and records nothing."""
    flag = OptionSpec(f"--{option}", help=lookup.help, show_default=False)
    return parameter(f"list_{option}", Annotated[bool, flag], False)


def _positional(fields: tuple[Field, ...]) -> list[Parameter]:
    """Required fields in their order; one list of names takes all that is left."""
    found = []
    for field in ordered(fields):
        argument = ArgumentSpec(
            metavar=f"{field.key.upper()}{'...' if shape_of(field) == 'list' else ''}",
            help=_help(field),
            show_default=False,
        )
        kind: Any = list[str] | None if shape_of(field) == "list" else str | None
        found.append(parameter(f"given_{field.name}", Annotated[kind, argument], None))
    return found


def ordered(fields: tuple[Field, ...]) -> list[Field]:
    """The fields that may be given in order: the required ones and those told in their order, up to the first list."""
    found = []
    for field in fields:
        told_in_order = field.required or (field.in_order and not field.dice)
        if told_in_order and shape_of(field) in ("text", "number", "list"):
            found.append(field)
            if shape_of(field) == "list":
                break
    return found


def _optional(fields: tuple[Field, ...]) -> list[Parameter]:
    found = []
    for field in fields:
        if field.required and field.names:
            continue
        kind: Any = str | None
        names = [option_of(field)]
        if shape_of(field) in ("list", "map"):
            kind = list[str] | None
        elif shape_of(field) == "flag":
            kind = bool | None
            names = [f"{option_of(field)}/--no-{field.key.replace('_', '-')}"]
        option = OptionSpec(
            *names,
            help=_help(field),
            metavar=None if shape_of(field) == "flag" else _metavar(field),
            show_default=False,
        )
        found.append(parameter(f"option_{field.name}", Annotated[kind, option], None))
    return found


def _help(field: Field) -> str:
    shown = "" if field.default in (None, False, ()) else f" (default: {str(field.default).lower()})"
    words = field.description or field.key.replace("_", " ").capitalize()
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}{shown}."


def _metavar(field: Field) -> str:
    if field.choices:
        return "|".join(field.choices)
    if shape_of(field) == "map":
        return "NAME=VALUE"
    if field.kind.reference:
        return "N|NAME"
    return {"number": "N", "file": "FILE", "list": "A,B"}.get(shape_of(field), "TEXT")
