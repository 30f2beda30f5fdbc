"""How a command line is taken apart, and Typer's inside: no other file imports a private module of a library.

Typer before 0.29 carries a click of its own in `typer._click`; the dependency's range is bounded because of it.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer
from typer._click import Command, Context, HelpFormatter
from typer._click.exceptions import (
    BadParameter,
    ClickException,
    MissingParameter,
    NoArgsIsHelpError,
    NoSuchOption,
    UsageError,
)
from typer._click.parser import _OptionParser, _ParsingState
from typer._click.types import IntParamType
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from cli.shell.declared import Argument, Option, parameters_of

__all__ = [
    "BadParameter",
    "ClickException",
    "Command",
    "Context",
    "Group",
    "HelpFormatter",
    "IntParamType",
    "Line",
    "MissingParameter",
    "NoArgsIsHelpError",
    "NoSuchCommand",
    "NoSuchOption",
    "SingleCommand",
    "TooManyWords",
    "UsageError",
    "Verb",
    "command_of",
    "group_of",
]


class NoSuchCommand(UsageError):
    """The command line begins with a word that is no command of its group; `names` are those there are."""

    def __init__(self, word: str, names: Iterable[str], ctx: Context) -> None:
        super().__init__(f"There is no command {word!r}", ctx)
        self.word, self.names = word, tuple(names)


class Group(TyperGroup):
    """Commands by name, each made when it is asked for: listing them makes none of them."""

    #: what the help lists: under each heading the commands, each with its line
    listing: Callable[[], Mapping[str, Mapping[str, str]]]
    #: the command of this name, or None
    made: Callable[[str], Command | None]

    def _lines(self) -> dict[str, str]:
        return {name: line for part in self.listing().values() for name, line in part.items()}

    def list_commands(self, _ctx: Context) -> list[str]:
        return list(self._lines())

    def get_command(self, _ctx: Context, cmd_name: str) -> Command | None:
        return self.made(cmd_name)

    def format_commands(self, _ctx: Context, formatter: HelpFormatter) -> None:
        for heading, part in self.listing().items():
            with formatter.section(heading):
                formatter.write_dl(list(part.items()))

    def shell_complete(self, _ctx: Context, incomplete: str) -> list[Any]:
        from typer._click.shell_completion import CompletionItem

        return [CompletionItem(name, help=line) for name, line in self._lines().items() if name.startswith(incomplete)]

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], self.list_commands(ctx), ctx)
        return args[0] if command else None, command, args[1:]


def group_of(
    name: str,
    told: str,
    listing: Callable[[], Mapping[str, Mapping[str, str]]],
    made: Callable[[str], Command | None],
    *,
    callback: Callable[..., None] = lambda: None,
    **settings: Any,
) -> Group:
    """Commands under one name, told by its help. `settings` are those of `typer.Typer`."""
    app = typer.Typer(cls=Group, name=name, help=told, no_args_is_help=True, rich_markup_mode=None, **settings)
    app.callback()(_as_typer_takes_it(callback))
    group = get_command(app)
    assert isinstance(group, Group)
    group.listing, group.made = listing, made
    return group


class TooManyWords(UsageError):
    """Words are left for which the command has no place."""

    def __init__(self, words: Iterable[str], ctx: Context) -> None:
        super().__init__("There are words too many", ctx)
        self.words = tuple(words)


class _Strict(TyperCommand):
    """A command that tells which words are left over, each by itself."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            raise TooManyWords(left, ctx)
        return left


class SingleCommand(_Strict):
    """A command whose usage tells what may be left out by brackets, and what must be there by none."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        return [piece[1:-1] if piece[:1] == "{" else piece for piece in super().collect_usage_pieces(ctx)]


class Verb(_Strict):
    """A command to which `-3` is a number, not an option."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        # they may be given as options too, so the parser takes none of them for required; each must be there
        options_, *arguments = super().collect_usage_pieces(ctx)
        return [options_, *(piece.strip("[]") for piece in arguments)]

    def make_parser(self, ctx: Context) -> _OptionParser:
        parser = super().make_parser(ctx)
        process = parser._process_opts

        def process_options(argument: str, state: _ParsingState) -> None:
            if re.fullmatch(r"-\d+", argument):
                state.largs.append(argument)
            else:
                process(argument, state)

        parser._process_opts = process_options  # type: ignore[method-assign, assignment]
        return parser


class Line(TyperCommand):
    """A line of the table as a command: what the shell does not know is left to the line."""

    #: the verb that the line begins with, as a command that can tell its help
    verb: Callable[[Context], Command]
    #: the words that may follow what was typed
    ways: Callable[[Any, str], Iterable[tuple[str, str]]]

    def format_help(self, ctx: Context, formatter: HelpFormatter) -> None:
        self.verb(ctx).format_help(ctx, formatter)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        ctx.ignore_unknown_options = True
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: Context, incomplete: str) -> list[Any]:
        from typer._click.shell_completion import CompletionItem

        return [CompletionItem(text, help=told) for text, told in self.ways(ctx, incomplete)]


def command_of(name: str, function: Any, told: str, cls: type[TyperCommand] = SingleCommand) -> Command:
    """One function as a command, told by its help."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=told, cls=cls)(_as_typer_takes_it(function))
    command = get_command(app)
    for parameter in command.params:
        _tell_what_it_takes(parameter)
    return command


def _as_typer_takes_it(function: Any) -> Any:
    """The function with what `cli.shell.declared` says of its parameters told to Typer."""

    def taking(*given: Any, **named: Any) -> Any:
        return function(*given, **named)

    parameters = []
    for each in parameters_of(function):
        annotation: Any = each.kind | None if each.default is None and not each.required else each.kind
        if isinstance(each.declared, Option):
            annotation = Annotated[annotation, typer.Option(*each.declared.names, **each.declared.settings)]
        elif isinstance(each.declared, Argument):
            annotation = Annotated[annotation, typer.Argument(**each.declared.settings)]
        elif each.declared is not None:
            annotation = Annotated[annotation, each.declared]
        default = inspect.Parameter.empty if each.required else each.default
        parameters.append(
            inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        )
    taking.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    taking.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return taking


def _tell_what_it_takes(parameter: Any) -> None:
    """N or TEXT where an option does not say better; an argument goes by its own name."""
    if parameter.metavar is not None or parameter.type.name not in ("str", "int", "int range"):
        return
    if parameter.param_type_name == "argument":
        parameter.metavar = parameter.name.rstrip("_").upper()
    else:
        parameter.metavar = "TEXT" if parameter.type.name == "str" else "N"
