"""The list of commands with their groups and chapters, and the lookup of one by name.

The module of a command is imported when the command is used; its docstring is the help. The list of all commands reads
only the first lines of the files, as importing them all would be slow.
"""

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

from cli.shell.declaration import HELP, LineDeclaration, OptionSpec
from cli.shell.ending import Ended
from domain.common import ACTIONS
from domain.registry import verb_name
from domain.system.installed import SYSTEMS, installed, is_installed

if TYPE_CHECKING:
    from cli.shell.parser import Command, CommandGroup

#: The headings of the help, with the commands under each and their chapters of the manual.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "At the table": {
        "new": "first-evening", "use": "first-evening", "play": "line", "session": "first-evening",
        "note": "first-evening", "status": "sheet", "log": "questions", "why": "questions", "undo": "correcting",
        "redo": "correcting", "serve": "phones", "manual": "first-evening", "demo": "first-evening",
    },
    "Look back": {
        "show": "questions", "diff": "after-the-evening", "when": "questions", "recap": "after-the-evening",
        "replay": "after-the-evening", "stats": "questions",
    },
    "Correct": {
        "amend": "correcting", "override": "sheet", "check-sheet": "sheet", "branch": "correcting",
        "switch": "correcting", "adopt": "correcting",
    },
    "Rules": {"rules": "rulings", "ruling": "rulings", "paragraph": "rulings"},
    "Keep and share": {
        "list": "first-evening", "site": "after-the-evening", "backup": "trust", "seal": "trust", "verify": "trust",
        "export": "after-the-evening", "import": "after-the-evening", "join": "correcting",
    },
    "For programs and servers": {
        "act": "programs", "query": "questions", "explore": "questions", "views": "questions", "server": "server",
        "doctor": "trust",
    },
}  # fmt: skip
#: The chapter of the manual about the verbs.
OF_VERBS = "line"
COMMANDS = tuple(name for group in GROUPS.values() for name in group)
#: Words that count as `--help`.
ASKS_FOR_HELP = ("help", "?")

_FILES = Path(__file__).parents[1] / "commands"


def program() -> "CommandGroup":
    """The group of all commands, `campaign` itself."""
    from cli.shell.parser import group_of

    group = group_of(
        "campaign",
        "The log of a tabletop campaign: every action kept, every value explained, anything taken back.",
        _listing,
        find_command,
        callback=_campaign,
        context_settings={"help_option_names": list(HELP), "max_content_width": 100},
    )
    group.also = _verbs
    return group


def _verbs() -> dict[str, str]:
    from cli.shell.completion import verbs

    return verbs()


def declared_by(words: Sequence[str]) -> tuple[Callable[..., Any] | LineDeclaration, Sequence[str]] | None:
    """The function or declaration of the command that a command line names, and its other words; None for none."""
    if not words or words[0] not in COMMANDS:
        return None
    module = module_of(words[0])
    if not hasattr(module, "COMMANDS"):
        return getattr(module, _module_name(words[0])), words[1:]
    declaration = module.COMMANDS.get(words[1]) if len(words) > 1 else None
    return (declaration, words[2:]) if declaration is not None else None


def find_command(name: str) -> "Command | None":
    """The command of this name, its module imported; for any other word the command that runs a line."""
    if name in SYSTEMS or (name not in COMMANDS and is_installed(name)):
        from cli.shell.typer_line import line_command
        from cli.shell.verbs import verbs_of

        return verbs_of(name, lambda verb: line_command([verb], COMMANDS, find_command, rules=name))
    if name not in COMMANDS:
        from cli.shell.typer_line import line_command

        return line_command([name], COMMANDS, find_command)
    module = module_of(name)
    help_text = inspect.getdoc(module) or ""
    if hasattr(module, "COMMANDS"):
        return _group_in(name, help_text, module.COMMANDS)
    return _command_in(getattr(module, _module_name(name)), help_text, name)


def _command_in(declaration: Callable[..., Any] | LineDeclaration, help_text: str, *words: str) -> "Command":
    """The command that these words name, with this help, unless it is declared as a line and has its own."""
    if isinstance(declaration, LineDeclaration):
        from cli.shell.typer_line import line_command

        return line_command(words, COMMANDS, find_command, declaration=declaration, chapter=chapter_of(words[0]))
    from cli.shell.parser import command_of

    return command_of(words[-1], declaration, help_text, chapter=chapter_of(words[0]))


def chapter_of(name: str) -> str:
    """The chapter of the manual about a command."""
    return next((group[name] for group in GROUPS.values() if name in group), OF_VERBS)


def first_line(name: str) -> str:
    """The first line of a command's help, without importing its module."""
    with (_FILES / f"{_module_name(name)}.py").open(encoding="utf-8") as source:
        return source.readline().strip().removeprefix('"""').removesuffix('"""')


def module_of(name: str) -> ModuleType:
    """The module that declares a command, or a group of them."""
    return import_module(f"cli.commands.{_module_name(name)}")


def _module_name(name: str) -> str:
    plain = name.replace("-", "_")
    return f"{plain}_" if iskeyword(plain) or plain == "list" else plain


def _lines_of_every_campaign() -> dict[str, str]:
    """The verbs of every campaign that are no commands, each with the first line of its help."""

    by_name = {verb_name(kind): kind for kind in ACTIONS if kind.has_verb}
    own = {name: kind for name, kind in by_name.items() if " " not in name and name not in (*COMMANDS, "start")}
    return {name: (inspect.getdoc(kind) or "").partition("\n")[0] for name, kind in own.items()}


def _listing() -> dict[str, dict[str, str]]:
    return {
        **{
            heading: {name: first_line(name) for name in group} | (_lines_of_every_campaign() if not at else {})
            for at, (heading, group) in enumerate(GROUPS.items())
        },
        "Rule systems": {name: f"Record {what}." for name, what in installed().items()},
    }


def _group_in(name: str, help_text: str, declarations: Mapping[str, Any]) -> "CommandGroup":
    """A group of commands, each with the help of its docstring or declaration."""
    from cli.shell.parser import group_of, in_the_manual

    def make_command(command_name: str) -> "Command | None":
        return (
            _command_in(declarations[command_name], helps[command_name], name, command_name)
            if command_name in declarations
            else None
        )

    helps = {command_name: help_of(declaration) for command_name, declaration in declarations.items()}
    return group_of(
        name,
        help_text,
        lambda: {"Commands": {command_name: text.partition("\n")[0] for command_name, text in helps.items()}},
        make_command,
        add_completion=False,
        epilog=in_the_manual(chapter_of(name)),
    )


def help_of(declaration: Callable[..., Any] | LineDeclaration) -> str:
    """The help of a command of a group."""
    return declaration.help if isinstance(declaration, LineDeclaration) else inspect.getdoc(declaration) or ""


def _tell_version(flag: bool) -> None:
    if flag:
        from cli.shell.versions import version_of

        sys.stdout.write(f"campaign {version_of('campaign-log')}\n")
        raise Ended(0)


def _campaign(
    version: Annotated[
        bool, OptionSpec("--version", is_eager=True, callback=_tell_version, help="Show the version.")
    ] = False,
) -> None:
    """The callback of the program: it does nothing but accept --version."""
