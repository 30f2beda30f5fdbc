"""The fast path for plain command lines, with exact options and no errors: they are parsed without importing Typer.

It saves time and nothing else: every other command line (abbreviations, errors, --help) is left to `cli.shell.parser`,
and without this file all of them are, as tests check.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from enum import EnumType
from functools import partial
from typing import TYPE_CHECKING, Any, get_args, get_origin

from cli.shell.catalogue import ASKS_FOR_HELP, COMMANDS, declared_by
from cli.shell.declaration import HELP, ArgumentSpec, LineDeclaration, OptionSpec, Parameter, parameters_of
from domain.system.installed import SYSTEMS

if TYPE_CHECKING:
    from cli.shell.parser import Command


def plain_call(words: Sequence[str]) -> Callable[[], Any] | None:
    """The call that a plain command line means; None for any other."""
    match = declared_by(words)
    if match is None:
        return _line_of_verb(words)
    declaration, remaining = match
    if isinstance(declaration, LineDeclaration):
        return _line_call(words[: len(words) - len(remaining)], remaining, declaration=declaration)
    arguments = plain_arguments(parameters_of(declaration), remaining)
    return None if arguments is None else partial(declaration, **arguments)


def _line_of_verb(words: Sequence[str]) -> Callable[[], Any] | None:
    """The same for a line of the table, if the words name no command."""
    rules = words[0] if len(words) > 1 and words[0] in SYSTEMS else None
    words = words if rules is None else words[1:]
    if not words or words[0][:1] in ("", "-") or (rules is None and words[0] in (*COMMANDS, *SYSTEMS, *ASKS_FOR_HELP)):
        return None
    return _line_call(words[:1], words[1:], rules=rules)


def _line_call(
    first_words: Sequence[str],
    words: Sequence[str],
    *,
    rules: str | None = None,
    declaration: LineDeclaration | None = None,
) -> Callable[[], None] | None:
    """The call that runs a line which begins with the words `first_words`; None for an unknown verb of the `rules`."""
    from cli.shell.line_command import is_verb, line_parameters, run_line

    if rules is not None and not is_verb(rules, first_words[0]):
        return None
    arguments = plain_arguments(line_parameters(declaration), words, others_are_words=True)
    if arguments is None:
        return None
    return partial(run_line, first_words, COMMANDS, _find_command, arguments, rules=rules, declaration=declaration)


def _find_command(name: str) -> "Command | None":
    from cli.shell.program import find_command  # for lines that are questions or begin with an extension

    return find_command(name)


def plain_arguments(
    parameters: Sequence[Parameter], words: Sequence[str], *, others_are_words: bool = False
) -> dict[str, Any] | None:
    """The arguments for these parameters of a command; None if the words are not plain.

    With `others_are_words` unknown long options count as words.
    """
    arguments = [parameter for parameter in parameters if isinstance(parameter.spec, ArgumentSpec)]
    options = [parameter for parameter in parameters if isinstance(parameter.spec, OptionSpec)]
    if len(arguments) + len(options) < len(parameters):
        return None
    spellings: dict[str, tuple[Parameter, bool | None]] = {}
    for parameter in options:
        for name, flag in _spellings(parameter):
            spellings[name] = (parameter, flag)
    texts: dict[str, Any] = {}
    loose: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word[:1] != "-":
            loose.append(word)
            continue
        name, sign, value = word.partition("=")
        if others_are_words and name[:2] == "--" != name and name not in (*spellings, *HELP):
            loose.append(word)
            continue
        if name not in spellings or (sign and name[:2] != "--"):
            return None
        option, flag = spellings[name]
        if flag is not None:
            if sign or option.name in texts:
                return None
            texts[option.name] = flag
            continue
        text = value if sign else next(waiting, None)
        if text is None or (not sign and text[:1] == "-"):
            return None
        if _is_list(option):
            texts.setdefault(option.name, []).append(text)
        elif option.name in texts:
            return None
        else:
            texts[option.name] = text
    for parameter in arguments:
        count = len(loose) if _is_list(parameter) else 1
        if loose:
            texts[parameter.name] = loose[:count] if _is_list(parameter) else loose[0]
            loose = loose[count:]
    return None if loose else _convert(parameters, texts)


def _convert(parameters: Sequence[Parameter], texts: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments from their texts, or from the environment or the defaults; None if the parser is needed."""
    arguments: dict[str, Any] = {}
    for parameter in parameters:
        variable = parameter.spec.settings.get("envvar")
        if parameter.name not in texts and variable and os.environ.get(variable):
            texts[parameter.name] = os.environ[variable]
        if parameter.name not in texts:
            if parameter.required:
                return None
            arguments[parameter.name] = parameter.default
            continue
        value = _value(parameter, texts[parameter.name])
        if value is None:
            return None
        arguments[parameter.name] = value
    return arguments


def _value(parameter: Parameter, text: Any) -> Any:
    """The value of one parameter; None for an invalid one, or for a type that needs the parser."""
    kind = parameter.kind
    if kind is bool or kind is str or _is_list(parameter):
        return text
    if kind is int:
        bounds = parameter.spec.settings
        fits = re.fullmatch(r"[0-9]{1,15}", text) and bounds.get("min", 0) <= int(text) <= bounds.get("max", int(text))
        return int(text) if fits else None
    members: Mapping[str, Any] = kind.__members__ if isinstance(kind, EnumType) else {}
    return next((member for member in members.values() if member.value == text), None)


def _is_list(parameter: Parameter) -> bool:
    return get_origin(parameter.kind) is list and get_args(parameter.kind) == (str,)


def _spellings(option: Parameter) -> list[tuple[str, bool | None]]:
    """The spellings of an option; those of a flag with their values."""
    plain = option.name.replace("_", "-")
    if option.kind is not bool:
        return [(name, None) for name in option.spec.names or (f"--{plain}",)]
    names = option.spec.names or (f"--{plain}/--no-{plain}",)
    return [(spelling, side == 0) for name in names for side, spelling in enumerate(name.split("/")) if spelling]
