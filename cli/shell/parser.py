"""The conversion of declarations to Typer's commands, with our help and errors; the only file that knows Typer.

Only public names of Typer are used. Its errors about a command line are `typer.TyperException` with exit code 2.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from textwrap import wrap
from typing import Annotated, Any

import typer
from msgspec import Struct
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from cli.shell.declaration import HELP, ArgumentSpec, OptionSpec, Parameter, parameters_of
from cli.shell.ending import Unanswered

#: One command, or several under one name.
Command = TyperCommand | TyperGroup
Context = typer.Context
#: The exit code of Typer's errors about a command line.
USAGE = 2
#: The key under which a context holds the typed words.
TYPED = "campaign.typed"
#: The heading of the examples in the docstring of a command.
EXAMPLES = "Examples:"


class UsageProblem(typer.TyperException):
    """A wrong command line that is found here and not by Typer."""

    exit_code = USAGE

    def __init__(self, message: str, ctx: Any) -> None:
        super().__init__(message)
        self.ctx = ctx


class NoSuchCommand(UsageProblem):
    """A word is no command of its group, whose commands are `names`, nor a verb of the `rules`, if given."""

    def __init__(self, word: str, names: Iterable[str], ctx: Any, rules: str | None = None) -> None:
        super().__init__(f"There is no command {word!r}", ctx)
        self.word, self.names, self.rules = word, tuple(names), rules


class TooManyWords(UsageProblem):
    """Words are left that the command does not take."""

    def __init__(self, words: Iterable[str], ctx: Any) -> None:
        super().__init__("There are too many words", ctx)
        self.words = tuple(words)


class NoCommand(UsageProblem):
    """No command is named; the message is the help of the group."""

    def __init__(self, ctx: Any) -> None:
        super().__init__(ctx.get_help(), ctx)


def is_usage(error: Exception) -> bool:
    """Whether an error is about the command line, raised here or by Typer."""
    return isinstance(error, typer.TyperException) and error.exit_code == USAGE


def run_command(command: Command, words: Sequence[str], name: str) -> int:
    """Run a command under a name with the words of a command line; returns its exit code, raises what it raises."""
    code = command.main(args=list(words), prog_name=name, standalone_mode=False)
    return code if isinstance(code, int) else 0


def read_words(command: Command, words: Sequence[str]) -> dict[str, Any] | None:
    """The arguments that a command would be called with; None for wrong words and for --help."""
    if any(word in HELP for word in words):
        return None
    try:
        return dict(command.make_context(command.name, list(words)).params)
    except typer.TyperException:
        return None


class ProposedWord(Struct, frozen=True):
    """A completion for the shell, in the form that Typer takes."""

    value: str
    help: str | None = None
    type: str = "plain"


class CommandGroup(TyperGroup):
    """Commands by name, each made when it is needed, so that listing them is cheap."""

    #: returns the list for the help: heading -> command -> line of help
    listing: Callable[[], Mapping[str, Mapping[str, str]]]
    #: returns the command of a name; None if there is none
    make: Callable[[str], Command | None]
    #: the names of commands in the list, where they differ
    labels: Mapping[str, str] = {}
    #: returns further words for completion with their help
    also: Callable[[], Mapping[str, str]] = staticmethod(dict)

    def _lines(self) -> dict[str, str]:
        return {name: line for part in self.listing().values() for name, line in part.items()}

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(self._lines())

    def get_command(self, _ctx: Any, cmd_name: str) -> Command | None:
        return self.make(cmd_name)

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        parts = self.listing()
        labels = {name: self.labels.get(name, name) for part in parts.values() for name in part}
        across = max(map(len, labels.values()), default=0)
        for heading, part in parts.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{labels[name]:<{across}}", line) for name, line in part.items()])

    def shell_complete(self, _ctx: Any, incomplete: str) -> list[Any]:
        ways = {**self.also(), **self._lines()}
        return [ProposedWord(name, line) for name, line in ways.items() if name.startswith(incomplete)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            raise NoCommand(ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], self.list_commands(ctx), ctx)
        return args[0] if command else None, command, args[1:]


def group_of(
    name: str,
    help_text: str,
    listing: Callable[[], Mapping[str, Mapping[str, str]]],
    make: Callable[[str], Command | None],
    *,
    callback: Callable[..., None] = lambda: None,
    **settings: Any,
) -> CommandGroup:
    """A group of commands. `settings` are those of `typer.Typer`."""
    app = typer.Typer(cls=CommandGroup, name=name, help=help_text, rich_markup_mode=None, **settings)
    app.callback(epilog=settings.get("epilog"))(_as_typer_takes_it(callback))
    group = get_command(app)
    assert isinstance(group, CommandGroup)
    group.listing, group.make = listing, make
    return group


def _on_a_shell(line: str, columns: int, indent: str) -> str:
    """A command line for the help, broken with backslashes if it is wider than the window."""
    if len(indent) + len(line) <= columns:
        return f"{indent}{line}\n"
    parts = wrap(line, columns - 2, initial_indent=indent, subsequent_indent=f"{indent}  ", break_on_hyphens=False)
    return " \\\n".join(parts) + "\n"


class _WithExamples(TyperCommand):
    """A command whose help ends with examples."""

    examples: Callable[[], Iterable[str]] = staticmethod(tuple)
    #: its parameters by name
    parameters_by_name: Mapping[str, Parameter] = {}

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        super().format_help_text(ctx, formatter)
        lines = list(self.examples())
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(_on_a_shell(line, formatter.width, " " * formatter.current_indent))


class SingleCommand(_WithExamples):
    """A command that reports words it does not take; brackets in its usage mean optional."""

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return super().make_context(info_name, [part for word in args for part in self._as_form(word)], parent, **extra)

    def _as_form(self, word: str) -> list[str]:
        """`--html` as `-O html`, if that is a format of the command and no option of its own."""
        output = self.parameters_by_name.get("output")
        forms = [opt.value for opt in output.kind] if output is not None else []
        is_option = any(word in opt.opts for opt in self.params)
        return ["-O", word[2:]] if word[:2] == "--" and word[2:] in forms and not is_option else [word]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        ctx.meta[TYPED] = list(args)
        remaining = super().parse_args(ctx, args)
        if remaining and not ctx.resilient_parsing:
            raise TooManyWords(remaining, ctx)
        return remaining

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece[1:-1] if piece[:1] == "{" else piece for piece in super().collect_usage_pieces(ctx)]


class VerbCommand(_WithExamples):
    """The help of a verb; the command that runs its line is a `LineCommand`."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        # Typer takes no argument for required, as each may also be given as an option; the usage shows which are
        options_, *_ = super().collect_usage_pieces(ctx)
        return [
            options_,
            *(str(parameter.metavar) for parameter in self.params if isinstance(parameter, TyperArgument)),
        ]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        arguments = [parameter for parameter in self.params if getattr(parameter, "hidden", False)]
        for parameter in arguments[:1]:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(f"You can also name an argument: {parameter.opts[0]} {parameter.metavar}")
        super().format_epilog(ctx, formatter)


class LineCommand(TyperCommand):
    """A line of the table as a command: options that the shell does not know are part of the line."""

    #: returns the command with the help of the line's verb
    verb: Callable[[Any], Command]
    #: returns the completions with their help
    ways: Callable[[Any, str], Iterable[tuple[str, str]]]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        self.verb(ctx).format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.ignore_unknown_options = True
        # Typer removes the first `--`, and the line needs it
        at = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:at], *args[at : at + 1], *args[at:]])

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        return [ProposedWord(text, help_text) for text, help_text in self.ways(ctx, incomplete)]


def in_the_manual(chapter: str) -> str:
    """The reference to a chapter of the manual."""
    return f"Manual: campaign manual {chapter}"


@lru_cache(maxsize=128)
def command_of(
    name: str,
    function: Any,
    help_text: str,
    cls: type[TyperCommand] = SingleCommand,
    examples: Callable[[], Iterable[str]] | None = None,
    chapter: str = "line",
) -> TyperCommand:
    """The command of a function. Lines under `Examples:` in its help are shown as examples."""
    text, _, example_lines = help_text.partition(f"\n{EXAMPLES}\n")
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=text, epilog=in_the_manual(chapter), cls=cls)(_as_typer_takes_it(function))
    command = get_command(app)
    assert isinstance(command, TyperCommand)
    if isinstance(command, _WithExamples):
        command.examples = examples or (lambda: [line.strip() for line in example_lines.splitlines() if line.strip()])
        command.parameters_by_name = {parameter.name: parameter for parameter in parameters_of(function)}
    return command


def _as_typer_takes_it(function: Any) -> Any:
    """A function with the signature that Typer reads, made from its declared parameters."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except EOFError as stopped:
            raise Unanswered(stopped) from None

    parameters = []
    for declared in parameters_of(function):
        annotation: Any = declared.kind | None if declared.default is None and not declared.required else declared.kind
        if declared.spec is not None:
            factory = typer.Option if isinstance(declared.spec, OptionSpec) else typer.Argument
            names = declared.spec.names if isinstance(declared.spec, OptionSpec) else ()
            annotation = Annotated[annotation, factory(*names, **_with_metavar(declared))]
        default = inspect.Parameter.empty if declared.required else declared.default
        parameters.append(
            inspect.Parameter(declared.name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
        )
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapper


def _with_metavar(parameter: Parameter) -> dict[str, Any]:
    """The settings of a parameter with a default metavar: N or TEXT for an option, its name for an argument."""
    settings = {"show_default": False, **parameter.spec.settings}
    if settings.get("metavar") is None and parameter.kind in (str, int, list[str]):
        if isinstance(parameter.spec, ArgumentSpec):
            settings["metavar"] = parameter.name.rstrip("_").upper()
        else:
            settings["metavar"] = "N" if parameter.kind is int else "TEXT"
    return settings
