"""How a command line is taken apart, and Typer's inside: no other file imports a private module of a library.

Typer before 0.29 carries a click of its own in `typer._click`; the dependency's range is bounded because of it.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
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

from cli.shell.declaration import ArgumentSpec, OptionSpec, parameters_of
from domain.refusal import Invalid, Unknown

__all__ = [
    "BadParameter",
    "ClickException",
    "Command",
    "CommandGroup",
    "Context",
    "HelpFormatter",
    "IntParamType",
    "LineCommand",
    "MissingParameter",
    "NoArgsIsHelpError",
    "NoSuchCommand",
    "NoSuchOption",
    "SingleCommand",
    "TooManyWords",
    "UsageError",
    "VerbCommand",
    "command_of",
    "group_of",
]


#: Under which names a context keeps what was typed, and how its first reading failed.
TYPED, FAILED = "campaign.typed", "campaign.failed"
#: What heads the examples in the docstring of a command.
EXAMPLES = "Examples:"


class NoSuchCommand(UsageError):
    """The command line begins with a word that is no command of its group; `names` are those there are.

    `rules`: those of the campaign whose verbs were looked through too.
    """

    def __init__(self, word: str, names: Iterable[str], ctx: Context, rules: str | None = None) -> None:
        super().__init__(f"There is no command {word!r}", ctx)
        self.word, self.names, self.rules = word, tuple(names), rules


class CommandGroup(TyperGroup):
    """Commands by name, each made when it is asked for: listing them makes none of them."""

    #: what the help lists: under each heading the commands, each with its line
    listing: Callable[[], Mapping[str, Mapping[str, str]]]
    #: the command of this name, or None
    made: Callable[[str], Command | None]
    #: what else may stand there, and is proposed, each with its line
    also: Callable[[], Mapping[str, str]] = staticmethod(dict)

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

        ways = {**self.also(), **self._lines()}
        return [CompletionItem(name, help=line) for name, line in ways.items() if name.startswith(incomplete)]

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
) -> CommandGroup:
    """Commands under one name, told by its help. `settings` are those of `typer.Typer`."""
    app = typer.Typer(cls=CommandGroup, name=name, help=told, no_args_is_help=True, rich_markup_mode=None, **settings)
    app.callback()(_as_typer_takes_it(callback))
    group = get_command(app)
    assert isinstance(group, CommandGroup)
    group.listing, group.made = listing, made
    return group


class TooManyWords(UsageError):
    """Words are left for which the command has no place."""

    def __init__(self, words: Iterable[str], ctx: Context) -> None:
        super().__init__("There are words too many", ctx)
        self.words = tuple(words)


def _on_a_shell(line: str, columns: int, indent: str) -> str:
    """A command line as one can type it; where the window is too narrow for it, it goes on as shells let it."""
    from textwrap import wrap

    if len(indent) + len(line) <= columns:
        return f"{indent}{line}\n"
    parts = wrap(line, columns - 2, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)
    return " \\\n".join(parts) + "\n"


class _Told(TyperCommand):
    """A command whose help shows how it is typed."""

    examples: Callable[[], Iterable[str]] = staticmethod(tuple)

    def format_help_text(self, ctx: Context, formatter: HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        lines = list(self.examples())
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(_on_a_shell(line, formatter.width, " " * formatter.current_indent))


class _Strict(_Told):
    """A command that tells which words are left over, each by itself.

    One that stands for a verb has the line of the table as its second reading: whatever it does not understand may
    be a line, `note the ghoul had a key`, and what it does not say yet is asked for as there. What is no line either
    fails as it failed at first.
    """

    #: The command that reads lines, and the words that a line of this verb begins with.
    as_line: Callable[[], tuple[Command, tuple[str, ...]]] | None = None

    def make_context(
        self, info_name: str | None, args: list[str], parent: Context | None = None, **extra: Any
    ) -> Context:
        args = [part for word in args for part in self._as_form(word)]
        typed = list(args)
        try:
            context = super().make_context(info_name, args, parent, **extra)
        except UsageError as error:
            if self.as_line is None or isinstance(error, NoArgsIsHelpError) or _only_numbers(error):
                raise
            line, words = self.as_line()
            context = line.make_context(words[0], [*words[1:], *typed], parent, **extra)
            context.meta[FAILED] = error
        context.meta[TYPED] = typed
        return context

    def _as_form(self, word: str) -> list[str]:
        """`--html` is `-O html` where the result is written as HTML, and nothing else is called so."""
        written = next((each for each in self.params if "--output" in each.opts), None)
        forms = getattr(getattr(written, "type", None), "choices", ())
        named = any(word in each.opts for each in self.params)
        return ["-O", word[2:]] if word[:2] == "--" and word[2:] in forms and not named else [word]

    def invoke(self, ctx: Context) -> Any:
        try:
            return super().invoke(ctx)
        except (Invalid, Unknown) as error:
            if self.as_line is None:
                raise
            line, words = self.as_line()
            again = line.make_context(words[0], [*words[1:], *ctx.meta[TYPED]], ctx.parent)
            again.meta[FAILED] = error
            with again:
                return line.invoke(again)

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        left = super().parse_args(ctx, args)
        if left and not ctx.resilient_parsing:
            raise TooManyWords(left, ctx)
        return left


def _only_numbers(error: UsageError) -> bool:
    """Whether nothing is too much but numbers, which are no remark."""
    return isinstance(error, TooManyWords) and all(word.replace(",", "").isdecimal() for word in error.words)


class SingleCommand(_Strict):
    """A command whose usage tells what may be left out by brackets, and what must be there by none."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        return [piece[1:-1] if piece[:1] == "{" else piece for piece in super().collect_usage_pieces(ctx)]


class VerbCommand(_Strict):
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


class LineCommand(TyperCommand):
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

    def invoke(self, ctx: Context) -> Any:
        failed: Exception | None = ctx.meta.get(FAILED)
        try:
            return super().invoke(ctx)
        except (Invalid, UsageError):
            if failed is None:
                raise
            raise failed from None

    def shell_complete(self, ctx: Context, incomplete: str) -> list[Any]:
        from typer._click.shell_completion import CompletionItem

        return [CompletionItem(text, help=told) for text, told in self.ways(ctx, incomplete)]


@lru_cache(maxsize=128)
def command_of(
    name: str,
    function: Any,
    told: str,
    cls: type[TyperCommand] = SingleCommand,
    examples: Callable[[], Iterable[str]] | None = None,
) -> Command:
    """One function as a command, told by its help. What stands under `Examples:` there is shown line by line."""
    text, _, typed = told.partition(f"\n{EXAMPLES}\n")
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=text, cls=cls)(_as_typer_takes_it(function))
    command = get_command(app)
    if isinstance(command, _Told):
        command.examples = examples or (lambda: [line.strip() for line in typed.splitlines() if line.strip()])
    for parameter in command.params:
        _tell_what_it_takes(parameter)
    return command


def _as_typer_takes_it(function: Any) -> Any:
    """The function with what `cli.shell.declaration` says of its parameters told to Typer."""

    def taking(*given: Any, **named: Any) -> Any:
        return function(*given, **named)

    parameters = []
    for each in parameters_of(function):
        annotation: Any = each.kind | None if each.default is None and not each.required else each.kind
        if isinstance(each.declared, OptionSpec):
            annotation = Annotated[annotation, typer.Option(*each.declared.names, **each.declared.settings)]
        elif isinstance(each.declared, ArgumentSpec):
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
