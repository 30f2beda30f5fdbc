"""`campaign`: the entry point, and the list of commands. Each command's module is imported when it is used."""

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer._click import Command, Context, HelpFormatter  # Typer < 0.29 carries its own click; the range is bounded
from typer._click.exceptions import ClickException, UsageError
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from domain.system.registry import SYSTEMS

#: name -> (module, function, one-line help), in the order of the help.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "new": ("cli.commands.start", "new", "Start a campaign and make it the current one."),
    "use": ("cli.commands.start", "use", "Choose the current campaign."),
    "session": ("cli.commands.session", "", "Open or close a session."),
    "act": ("cli.commands.act", "act", "Record actions given as JSON lines."),
    "note": ("cli.commands.words", "note", "Write a note into the log."),
    "ruling": ("cli.commands.words", "ruling", "Record what the group decided about a rule."),
    "rules": ("cli.commands.rules", "rules", "The rules, their options in force, their history and notes."),
    "status": ("cli.commands.status", "status", "The sheets, now or at any point."),
    "log": ("cli.commands.chronicle", "log", "The chronicle: one line a turn."),
    "show": ("cli.commands.chronicle", "show", "One turn whole."),
    "diff": ("cli.commands.diff", "diff", "What differs between two places in the log."),
    "recap": ("cli.commands.recap", "recap", "An evening as a page to read."),
    "replay": ("cli.commands.replay", "replay", "An evening again, step by step."),
    "why": ("cli.commands.why", "why", "Where a value comes from, turn by turn."),
    "when": ("cli.commands.why", "when", "Since when something is so, and each time before."),
    "stats": ("cli.commands.stats", "stats", "How often what happened, in figures and pictures."),
    "query": ("cli.commands.query", "query", "Ask the tables of the campaign in SQL."),
    "explore": ("cli.commands.explore", "explore", "Look at the tables in a browser, with Datasette."),
    "views": ("cli.commands.views", "", "The tables that questions are asked of."),
    "undo": ("cli.commands.revise", "undo", "Take turns back without erasing them."),
    "redo": ("cli.commands.revise", "redo", "Let the turns of the latest undo stand again."),
    "amend": ("cli.commands.revise", "amend", "Correct an earlier turn."),
    "branch": ("cli.commands.branches", "branch", "Begin a line of play beside this one, or list them."),
    "switch": ("cli.commands.branches", "switch", "Read and play on another branch."),
    "adopt": ("cli.commands.branches", "adopt", "Append the turns of a branch here."),
    "override": ("cli.commands.words", "override", "Set sheet fields by the referee's word."),
    "check-sheet": ("cli.commands.words", "check_sheet", "Hold the paper sheet against the log."),
    "export": ("cli.commands.exchange", "export", "Every turn as JSON lines, lossless, or the chronicle as CSV."),
    "import": ("cli.commands.exchange", "import_", "A new campaign from what `campaign export` wrote."),
    "doctor": ("cli.commands.doctor", "doctor", "Versions, and which file is used and why."),
    "demo": ("cli.commands.demo", "demo", "Play the example campaigns into new files and show them."),
}


class Commands(TyperGroup):
    """The commands by name; listing them imports none of them."""

    def list_commands(self, ctx: Context) -> list[str]:  # noqa: ARG002
        return [*COMMANDS, *SYSTEMS]

    def get_command(self, _ctx: Context, cmd_name: str) -> Command | None:
        if cmd_name in SYSTEMS:
            from cli.shell.verbs import verbs_of

            return verbs_of(cmd_name)
        if cmd_name not in COMMANDS:
            return None
        module, function, help_line = COMMANDS[cmd_name]
        if not function:
            return import_module(module).group()  # type: ignore[no-any-return]
        return single_command(cmd_name, getattr(import_module(module), function), help_line)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, help_line) for name, (_, _, help_line) in COMMANDS.items()])
        with formatter.section("Rule systems"):
            formatter.write_dl([(name, f"The verbs of {name}: {what}.") for name, what in SYSTEMS.items()])

    def shell_complete(self, _ctx: Context, incomplete: str) -> list[Any]:
        from typer._click.shell_completion import CompletionItem

        names = [(name, help_line) for name, (_, _, help_line) in COMMANDS.items()]
        names += list(SYSTEMS.items())
        return [CompletionItem(name, help=text) for name, text in names if name.startswith(incomplete)]

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        return resolved(self, ctx, args)


def resolved(group: TyperGroup, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
    """The command that the arguments begin with. An unknown one names the nearest."""
    command = group.get_command(ctx, args[0])
    if command is None and not ctx.resilient_parsing:
        raise UsageError(f"There is no command {args[0]!r}; {_meant(args[0], group.list_commands(ctx), ctx)}", ctx)
    return args[0] if command else None, command, args[1:]


def _meant(word: str, names: Sequence[str], ctx: Context) -> str:
    """What to type instead: the word where it is known, names that it is a part of, the nearest, else all there are."""
    from difflib import get_close_matches

    if ctx.command_path != "campaign" and word in COMMANDS:
        return f"did you mean campaign {word}?"
    if ctx.command_path == "campaign" and (elsewhere := _systems_with(word)):
        return f"did you mean {' or '.join(f'campaign {system} {word}' for system in elsewhere)}?"
    near = [name for name in names if word in name.split("-")] or get_close_matches(word, names, n=1)
    return f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names)}."


def _systems_with(verb: str) -> list[str]:
    """The rule systems that have such a verb."""
    from cli.shell.verbs import verb_name
    from domain.system.registry import system_of

    return [system for system in SYSTEMS if verb in map(verb_name, system_of(system).actions)]


def single_command(name: str, function: Any, help_line: str, cls: type[TyperCommand] | None = None) -> Command:
    """One function as a command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command(name, help=help_line, cls=cls or SingleCommand)(function)
    command = get_command(app)
    for parameter in command.params:
        _tell_what_it_takes(parameter)
    return command


class SingleCommand(TyperCommand):
    """A command whose usage tells what may be left out by brackets, and what must be there by none."""

    def collect_usage_pieces(self, ctx: Context) -> list[str]:
        return [piece[1:-1] if piece[:1] == "{" else piece for piece in super().collect_usage_pieces(ctx)]


def _tell_what_it_takes(parameter: Any) -> None:
    """N or TEXT where an option does not say better; an argument goes by its own name."""
    if parameter.metavar is not None or parameter.type.name not in ("str", "int", "int range"):
        return
    if parameter.param_type_name == "argument":
        parameter.metavar = parameter.name.rstrip("_").upper()
    else:
        parameter.metavar = "TEXT" if parameter.type.name == "str" else "N"


app = typer.Typer(
    cls=Commands,
    name="campaign",
    help="The log of a tabletop campaign: every action kept, every value explained, anything taken back.",
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        from cli.commands.doctor import version_of

        sys.stdout.write(f"campaign {version_of('campaign-log')}\n")
        raise typer.Exit


@app.callback()
def _campaign(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="The version.", show_default=False)
    ] = False,
) -> None:
    """The commands are looked up in `Commands`."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit code; every error is one plain sentence on stderr."""
    from cli.terminal.screen import NobodyReads, complain

    try:
        code = get_command(app).main(
            args=list(arguments) if arguments is not None else None, prog_name="campaign", standalone_mode=False
        )
    except UsageError as error:
        if error.ctx is not None and type(error).__name__ == "NoArgsIsHelpError":
            error.show()
            return 2
        from cli.shell.failures import usage_sentence

        complain(usage_sentence(error))
        return 2
    except ClickException as error:
        complain(error.format_message())
        return error.exit_code
    except typer.Abort as abort:
        # the answer was no, or there was none (Ctrl-D), or Ctrl-C
        unanswered = isinstance(abort.__context__, KeyboardInterrupt | EOFError)
        complain("\nNothing was done." if unanswered else "Nothing was done.")
        return 130 if isinstance(abort.__context__, KeyboardInterrupt) else 1
    except KeyboardInterrupt:
        return 130
    except NobodyReads:
        return 0
    except Exception as error:
        from cli.shell.failures import explain

        return explain(error)
    return code if isinstance(code, int) else 0


def main() -> None:
    """The console script."""
    import gc

    gc.disable()  # a command lives for a moment; walking its many small records again and again would double its time
    _settle_streams()
    code = run()
    try:
        sys.stdout.flush()
    except OSError:
        # nobody reads it, or it has been complained about; what is left in the buffer must not be tried again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)


def _settle_streams() -> None:
    """Streams that were closed before the start lead nowhere; those of another encoding can take every character."""
    while (fd := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass  # or the campaign file would be opened as one of them
    os.close(fd)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a terminal shows what it can; a file or another program gets UTF-8 whatever the locale says
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
