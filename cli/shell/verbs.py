"""The verbs of a rule system, derived from its action Structs: adding an action touches no file here.

A verb's signature comes from the fields of its Struct; what the shell gave is reshaped to what JSON would
have held, and checked where JSON is checked. Required fields may be given in order; every field but the
names of characters may be given as an option.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from cli.line.verbs import verb_name
from cli.shell.declaration import ArgumentSpec, OptionSpec, Parameter, parameter, takes
from cli.shell.recording import perform, record_options_of, record_parameters
from cli.shell.words import field_value, option_of, shape_of
from domain.refusal import Invalid
from domain.system.extensions import Lookup, Reader
from domain.system.field_schema import Field, fields_of
from domain.system.installed import purpose_of
from domain.system.registry import system_of, tag_of
from domain.turn import Action

if TYPE_CHECKING:
    from cli.shell.parser import Command, CommandGroup


def _told(action: type[Action]) -> str:
    import inspect

    return inspect.getdoc(action) or ""


def verbs_of(key: str) -> "CommandGroup":
    """The verbs of one rule system as a group of commands; a verb's command is made when it is asked for."""
    from cli.shell import offers
    from cli.shell.line_command import offered_by
    from cli.shell.parser import group_of

    system = system_of(key)
    actions = {verb_name(action): action for action in system.actions}
    offered = offered_by(system)

    def listing() -> dict[str, dict[str, str]]:
        verbs = {name: _told(action).partition("\n")[0] for name, action in actions.items()}
        more = {name: each.help for name, each in offered.items()}
        return {"Verbs": verbs, **({"And": more} if more else {})}

    def made(name: str) -> "Command | None":
        if name in actions:
            return verb(key, actions[name])
        return offers.command_for(offered[name]) if name in offered else None

    return group_of(key, f"{key}: {purpose_of(key)}.", listing, made, add_completion=False)


@cache
def verb(key: str, action: type[Action]) -> "Command":
    """One action as a command."""
    from cli.shell.parser import VerbCommand, command_of

    def examples() -> list[str]:
        from cli.line.evening import examples_of
        from cli.shell.offers import typed

        readers = (each for each in system_of(key).readers if each.option and each.verb == verb_name(action))
        read = [line for each in readers for line in typed(each)]
        return [*(f"campaign {line}" for line in examples_of(key, action)), *read]

    return command_of(verb_name(action), _function(key, action), _told(action), VerbCommand, examples)


def function_of_verb(key: str, name: str) -> Callable[..., None] | None:
    """The function of one verb of a rule system; None if it has no action of this name."""
    action = next((each for each in system_of(key).actions if verb_name(each) == name), None)
    return None if action is None else _function(key, action)


def _function(key: str, action: type[Action]) -> Callable[..., None]:
    """What a verb does with what the shell gave."""
    fields = fields_of(action)
    readers = {each.option: each for each in system_of(key).readers if each.option and each.verb == verb_name(action)}
    read = [_reading(reader) for reader in readers.values()]
    listed = {each.also[1]: each for each in system_of(key).lookups if each.also and each.also[0] == verb_name(action)}
    lists = [_listing(option, lookup) for option, lookup in listed.items()]
    parameters = [*_positional(key, action, fields), *_optional(key, action, fields), *read, *lists]

    def run(**given: Any) -> None:
        manner = record_options_of(given)
        for option, lookup in listed.items():
            if given.pop(f"list_{option}"):
                from cli.shell import offers

                offers.look_up(lookup, None, None, manner.campaign, manner.screen, as_json=manner.as_json)
                return
        files = {name: where for name in readers if (where := given.pop(f"read_{name}")) is not None}
        value = reshaped(action, fields, given)
        for name, where in files.items():
            if len(value) > 1 or len(files) > 1:
                raise Invalid(f"--{name} reads everything from files; leave the other options out.")
            from cli.shell import offers

            offers.take_in(readers[name], where, manner)
            return
        perform(manner, value, settles=True)

    taken = {option_of(field) for field in fields}
    return takes(run, [*parameters, *record_parameters(taken=taken)])


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


def _positional(key: str, action: type[Action], fields: tuple[Field, ...]) -> list[Parameter]:
    """Required fields in their order; one list of names takes all that is left."""
    found = []
    for field in ordered(fields):
        argument = ArgumentSpec(
            metavar=f"{field.key.upper()}{'...' if shape_of(field) == 'list' else ''}",
            help=_help(field),
            show_default=False,
            autocompletion=_completion(key, action, field),
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


def _optional(key: str, action: type[Action], fields: tuple[Field, ...]) -> list[Parameter]:
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
            autocompletion=None if shape_of(field) == "flag" else _completion(key, action, field),
        )
        found.append(parameter(f"option_{field.name}", Annotated[kind, option], None))
    return found


def _help(field: Field) -> str:
    shown = "" if field.default in (None, False, ()) else f" (default: {str(field.default).lower()})"
    words = field.description or field.key.replace("_", " ").capitalize()
    return f"{words[:1].upper()}{words[1:].removesuffix('.')}{shown}."


def _as_option(field: Field) -> str:
    """An option as it is typed; a flag takes no value."""
    return f"{option_of(field)}|--no-{option_of(field)[2:]}" if shape_of(field) == "flag" else f"{option_of(field)} …"


def _metavar(field: Field) -> str:
    if field.choices:
        return "|".join(field.choices)
    if shape_of(field) == "map":
        return "NAME=VALUE"
    if field.kind.reference:
        return "N|NAME"
    return {"number": "N", "file": "FILE", "list": "A,B"}.get(shape_of(field), "TEXT")


def _completion(key: str, action: type[Action], field: Field) -> Any:
    def complete(ctx: Any, incomplete: str) -> list[str]:
        from cli.shell.completion import values_for

        names = [each.name for each in fields_of(action) if each.names and each.required and shape_of(each) == "text"]
        named = ctx.params.get(f"given_{names[0]}") if names else None
        return values_for(
            key,
            action,
            field.key,
            field.names not in (None, "ally"),
            field.choices,
            named,
            ctx.params.get("campaign"),
            incomplete,
        )

    return complete


def reshaped(action: type[Action], fields: tuple[Field, ...], given: dict[str, Any]) -> dict[str, Any]:
    """What the shell gave, as the JSON object that `campaign act` would read. Raises Invalid."""
    value: dict[str, Any] = {"type": tag_of(action)}
    verb_line = f"campaign {tag_of(action).partition('.')[0]} {verb_name(action)}"
    loose = [given.get(f"given_{field.name}") for field in ordered(fields)]
    # `damage brog --amount 9 --source trap`: an option leaves its place in the row to the next field
    row = [field for field in ordered(fields) if given.get(f"option_{field.name}") in (None, [])]
    words = [word for word in loose if word is not None and word != []]
    for field, word in zip(row, words, strict=False):
        value[field.key] = field_value(field, word if isinstance(word, list) else [word], value, fields)
    if len(words) > len(row):
        raise Invalid(f"That is one word too many; try `{verb_line} --help`.")
    for field in fields:
        told = given.get(f"option_{field.name}")
        if told is None or told == []:
            continue
        if shape_of(field) == "flag":
            value[field.key] = told
        else:
            value[field.key] = field_value(field, told if isinstance(told, list) else [told], value, fields)
    for field in fields:
        if field.required and field.key not in value:
            how = " ".join(
                (each.key.upper() if each in ordered(fields) else _as_option(each)) for each in fields if each.required
            )
            missing = field.key.upper() if field in ordered(fields) else option_of(field)
            raise Invalid(f"{missing} is missing: {verb_line} {how}")
    return value
