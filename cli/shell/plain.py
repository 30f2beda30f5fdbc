"""A command line that is plain: words in their places and options as they are spelt, read without Typer.

It saves the time that Typer takes to be imported, and nothing else: whatever is not plain (an abbreviation, an error, a
question for help) is left to `cli.shell.parser`, and without this file everything is, as tests hold it to.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from enum import EnumType
from functools import partial
from typing import Any, get_args, get_origin

from cli.shell.catalogue import ASKS_FOR_HELP, COMMANDS, command_named, declared_by
from cli.shell.declaration import (
    HELP,
    ArgumentSpec,
    LineDeclaration,
    OptionSpec,
    Parameter,
    parameters_of,
)
from domain.system.installed import SYSTEMS


def plain_call(words: Sequence[str]) -> Callable[[], Any] | None:
    """The call that a plain command line asks for; None for any other."""
    named = declared_by(words)
    if named is None:
        return _line(words)
    declared, left = named
    if isinstance(declared, LineDeclaration):
        return _said(words[: len(words) - len(left)], left, declared=declared)
    given = given_plainly(declared, left)
    return None if given is None else partial(declared, **given)


def _line(words: Sequence[str]) -> Callable[[], Any] | None:
    """The same of a line of the table, which the words are where they name nothing else."""
    rules = words[0] if len(words) > 1 and words[0] in SYSTEMS else None
    words = words if rules is None else words[1:]
    if not words or words[0][:1] in ("", "-") or (rules is None and words[0] in (*COMMANDS, *SYSTEMS, *ASKS_FOR_HELP)):
        return None
    return _said(words[:1], words[1:], rules=rules)


def _said(
    begun: Sequence[str],
    words: Sequence[str],
    *,
    rules: str | None = None,
    declared: LineDeclaration | None = None,
) -> Callable[[], None] | None:
    """The call that does a line which begins with the words of a command, or with any other word."""
    from cli.shell.line_command import is_verb, line_function

    if rules is not None and not is_verb(rules, begun[0]):
        return None
    function = line_function(begun, COMMANDS, command_named, rules=rules, declared=declared)
    given = given_plainly(function, words, others_are_words=True)
    return None if given is None else partial(function, **given)


def given_plainly(
    function: Callable[..., Any], words: Sequence[str], *, others_are_words: bool = False
) -> dict[str, Any] | None:
    """What the function of a command is called with; None if only the parser knows.

    With `others_are_words` what looks like a long option and is none is a word like any other.
    """
    parameters = parameters_of(function)
    arguments = [each for each in parameters if isinstance(each.spec, ArgumentSpec)]
    options = [each for each in parameters if isinstance(each.spec, OptionSpec)]
    if len(arguments) + len(options) < len(parameters):
        return None
    meant: dict[str, tuple[Parameter, bool | None]] = {}
    for each in options:
        for name, flag in _spellings(each):
            meant[name] = (each, flag)
    told: dict[str, Any] = {}
    loose: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word[:1] != "-":
            loose.append(word)
            continue
        name, sign, value = word.partition("=")
        if others_are_words and name[:2] == "--" != name and name not in (*meant, *HELP):
            loose.append(word)
            continue
        if name not in meant or (sign and name[:2] != "--"):
            return None
        option, flag = meant[name]
        if flag is not None:
            if sign or option.name in told:
                return None
            told[option.name] = flag
            continue
        text = value if sign else next(waiting, None)
        if text is None or (not sign and text[:1] == "-"):
            return None
        if _is_list(option):
            told.setdefault(option.name, []).append(text)
        elif option.name in told:
            return None
        else:
            told[option.name] = text
    for each in arguments:
        taken = len(loose) if _is_list(each) else 1
        if loose:
            told[each.name] = loose[:taken] if _is_list(each) else loose[0]
            loose = loose[taken:]
    return None if loose else _converted(parameters, told)


def _converted(parameters: Sequence[Parameter], told: dict[str, Any]) -> dict[str, Any] | None:
    """What was told, by the types of the parameters; what was not, by the environment or the default."""
    given: dict[str, Any] = {}
    for each in parameters:
        variable = each.spec.settings.get("envvar")
        if each.name not in told and variable and os.environ.get(variable):
            told[each.name] = os.environ[variable]
        if each.name not in told:
            if each.required:
                return None
            given[each.name] = each.default
            continue
        value = _value(each, told[each.name])
        if value is None:
            return None
        given[each.name] = value
    return given


def _value(parameter: Parameter, told: Any) -> Any:
    """The value of one parameter; None if it is not one, or of a type that only the parser knows."""
    kind = parameter.kind
    if kind is bool or kind is str or _is_list(parameter):
        return told
    if kind is int:
        least = parameter.spec.settings.get("min")
        fits = re.fullmatch(r"[0-9]{1,15}", told) and (least is None or int(told) >= least)
        return int(told) if fits else None
    members: Mapping[str, Any] = kind.__members__ if isinstance(kind, EnumType) else {}
    return next((each for each in members.values() if each.value == told), None)


def _is_list(parameter: Parameter) -> bool:
    return get_origin(parameter.kind) is list and get_args(parameter.kind) == (str,)


def _spellings(option: Parameter) -> list[tuple[str, bool | None]]:
    """How an option is spelt, each spelling of a flag with what it says."""
    plain = option.name.replace("_", "-")
    if option.kind is not bool:
        return [(name, None) for name in option.spec.names or (f"--{plain}",)]
    names = option.spec.names or (f"--{plain}/--no-{plain}",)
    return [(spelling, side == 0) for name in names for side, spelling in enumerate(name.split("/")) if spelling]
