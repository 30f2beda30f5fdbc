"""Typer's commands with our help, completions and errors.

Only public names of Typer are used. Its errors about a command line are `typer.TyperException` with exit code 2.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from textwrap import wrap
from typing import Any

import typer
from msgspec import Struct
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from cli.shell.ending import USAGE, Unanswered

#: One command, or several under one name.
Command = TyperCommand | TyperGroup
#: The options for help, which every command has.
HELP = ("--help", "-h")
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


def run_command(program: "CommandGroup", words: Sequence[str]) -> int:
    """Run a command line of the program; returns its exit code, raises what it raises."""
    code = program.main(args=list(words), prog_name="campaign", standalone_mode=False)
    return code if isinstance(code, int) else 0


def call(group: "CommandGroup", names: Sequence[str], words: Sequence[str], settled: Mapping[str, Any]) -> int:
    """Call the command of these names with its words, and with what is settled of its parameters; its exit code.

    Raises what it raises, and Typer's error for wrong words.
    """
    command: Any = group
    for at, name in enumerate(names):
        command = command.make(name, [*names[at + 1 :], *words])
    try:
        settings = {"help_option_names": list(HELP)}
        ctx = command.make_context(" ".join(("campaign", *names)), list(words), **settings)
    except typer.Exit as done:  # its help was asked for, and printed
        return done.exit_code
    ctx.params |= {name: value for name, value in settled.items() if name in ctx.params}
    with ctx:
        code = command.invoke(ctx)
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
    #: returns the command of a name which these words follow; None if there is none
    make: Callable[[str, Sequence[str]], Command | None]
    #: the names of commands in the list, where they differ
    labels: dict[str, str]
    #: returns further words for completion with their help
    also: Callable[[], Iterable[tuple[str, str]]] = staticmethod(tuple)

    def _lines(self) -> dict[str, str]:
        return {name: line for part in self.listing().values() for name, line in part.items()}

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(self._lines())

    def get_command(self, _ctx: Any, cmd_name: str) -> Command | None:
        return self.make(cmd_name, ())

    def format_commands(self, _ctx: Any, formatter: Any) -> None:
        parts = self.listing()
        labels = {name: self.labels.get(name, name) for part in parts.values() for name in part}
        across = max(map(len, labels.values()), default=0)
        for heading, part in parts.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{labels[name]:<{across}}", line) for name, line in part.items()])

    def shell_complete(self, _ctx: Any, incomplete: str) -> list[Any]:
        ways = {**dict(self.also()), **self._lines()}
        return [ProposedWord(name, line) for name, line in ways.items() if name.startswith(incomplete)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            raise NoCommand(ctx)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        command = self.make(args[0], args[1:])
        if command is None and not ctx.resilient_parsing:
            raise NoSuchCommand(args[0], self.list_commands(ctx), ctx)
        return args[0] if command else None, command, args[1:]


def group_of(
    name: str,
    help_text: str,
    listing: Callable[[], Mapping[str, Mapping[str, str]]],
    make: Callable[[str, Sequence[str]], Command | None],
    *,
    callback: Callable[..., None] = lambda: None,
    **settings: Any,
) -> CommandGroup:
    """A group of commands. `settings` are those of `typer.Typer`."""
    app = typer.Typer(cls=CommandGroup, name=name, help=help_text, rich_markup_mode=None, **settings)
    app.callback(epilog=settings.get("epilog"))(callback)
    group = get_command(app)
    assert isinstance(group, CommandGroup)
    group.listing, group.make, group.labels = listing, make, {}
    return group


class _Command(TyperCommand):
    """A command whose help may end with examples; input that ends while it asks something is `Unanswered`."""

    examples: Callable[[], Iterable[str]] = staticmethod(tuple)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except EOFError as stopped:
            raise Unanswered(stopped) from None

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        super().format_help_text(ctx, formatter)
        if not (lines := list(self.examples())):
            return
        with formatter.section("Examples"):
            first = " " * formatter.current_indent
            for line in lines:
                parts = [first + line]
                if len(parts[0]) > formatter.width:  # as a shell takes it on several lines
                    indents = {"initial_indent": first, "subsequent_indent": f"{first}  "}
                    parts = wrap(line, formatter.width - 2, **indents, break_on_hyphens=False)
                formatter.write(" \\\n".join(parts) + "\n")


class SingleCommand(_Command):
    """A command that reports words it does not take; brackets in its usage mean optional."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.allow_extra_args = True
        # a format of the command may be typed as an option, unless it is one of its own
        forms = {f"--{form}": form for taken in self.params if taken.name == "output" for form in choices_of(taken)}
        for name in {name for taken in self.params for name in taken.opts} & forms.keys():
            del forms[name]
        ctx.meta[TYPED] = args = [part for word in args for part in (["-O", forms[word]] if word in forms else [word])]
        remaining = super().parse_args(ctx, list(args))
        if remaining and not ctx.resilient_parsing:
            raise TooManyWords(remaining, ctx)
        return remaining

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [piece[1:-1] if piece[:1] == "{" else piece for piece in super().collect_usage_pieces(ctx)]


class VerbCommand(_Command):
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


class LineCommand(_Command):
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


def choices_of(taken: Any) -> list[str]:
    """The values of an enumerated parameter; [] for any other."""
    return [str(choice) for choice in getattr(taken.type, "choices", ())]


@lru_cache(maxsize=128)
def command_of(
    name: str,
    function: Any,
    help_text: str,
    cls: type[TyperCommand] = SingleCommand,
    examples: Callable[[], Iterable[str]] | None = None,
    chapter: str = "line",
) -> TyperCommand:
    """The command of a function. Lines under `Examples:` in its help are shown as examples.

    The help shows no default, as a sentence says what holds without an option; and what is typed for one that says
    nothing else is N or TEXT, or the name of an argument.
    """
    text, _, example_lines = help_text.partition(f"\n{EXAMPLES}\n")
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=text, epilog=in_the_manual(chapter), cls=cls)(function)
    command = get_command(app)
    assert isinstance(command, _Command)
    command.examples = examples or (lambda: [line.strip() for line in example_lines.splitlines() if line.strip()])
    for taken in command.params:
        taken.show_default = False  # type: ignore[attr-defined]
        is_number = taken.type.name.startswith("int")  # "integer" in earlier versions, as "str" was "text"
        if taken.metavar is None and (is_number or taken.type.name in ("str", "text")):
            is_argument = isinstance(taken, TyperArgument)
            taken.metavar = str(taken.name).rstrip("_").upper() if is_argument else "N" if is_number else "TEXT"
    return command
