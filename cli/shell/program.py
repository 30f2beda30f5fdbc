"""The program as Typer's commands, made from the catalogue, each when it is asked for."""

import inspect
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from cli.shell.catalogue import (
    COMMANDS,
    GROUPS,
    Declaration,
    chapter_of,
    declaration_of,
    first_line,
    help_of,
    module_of,
)
from cli.shell.declaration import LineDeclaration
from cli.shell.ending import DONE, Ended
from cli.shell.parser import HELP, Command, CommandGroup, command_of, group_of, in_the_manual
from domain.common import ACTIONS
from domain.registry import verb_name
from domain.system.installed import SYSTEMS, installed, is_installed


def program() -> CommandGroup:
    """The group of all commands, `campaign` itself."""
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
    """The verbs of the chosen campaign, for completion, with their help."""
    from cli.shell.completion import verbs

    return verbs()


def find_command(name: str, words: Sequence[str] = ()) -> Command | None:
    """The command of this name, its module imported; for any other word the command that runs a line with `words`.

    Looking for the rules of other packages takes long, so it is done for help alone: a line may begin with their name.
    """
    is_line = bool(words) and not any(word in HELP for word in words)
    if name in SYSTEMS or (name not in COMMANDS and not is_line and is_installed(name)):
        from cli.shell.verbs import verbs_of

        return verbs_of(name, lambda verb: _line_command([verb], rules=name))
    if name not in COMMANDS:
        return _line_command([name])
    declared, help_text = declaration_of(name), inspect.getdoc(module_of(name)) or ""
    if isinstance(declared, Mapping):
        return _group_in(name, help_text, declared)
    return _command_in(declared, help_text, name)


def _line_command(first_words: Sequence[str], **settings: Any) -> Command:
    """The command that runs a line which begins with these words; `settings` are those of `line_command`."""
    from cli.shell.line_command import line_command

    return line_command(first_words, **settings)


def _command_in(declaration: Declaration, help_text: str, *words: str) -> Command:
    """The command that these words name, with this help, unless it is declared as a line and has its own."""
    if isinstance(declaration, LineDeclaration):
        return _line_command(words, declaration=declaration, chapter=chapter_of(words[0]))
    return command_of(words[-1], declaration, help_text, chapter=chapter_of(words[0]))


def _lines_of_every_campaign() -> dict[str, str]:
    """The verbs of every campaign that are no commands, each with the first line of its help."""
    by_name = {verb_name(kind): kind for kind in ACTIONS if kind.has_verb}
    own = {name: kind for name, kind in by_name.items() if " " not in name and name not in (*COMMANDS, "start")}
    return {name: (inspect.getdoc(kind) or "").partition("\n")[0] for name, kind in own.items()}


def _listing() -> dict[str, dict[str, str]]:
    """The list of all commands: heading -> command -> first line of its help."""
    return {
        **{
            heading: {name: first_line(name) for name in group} | (_lines_of_every_campaign() if not at else {})
            for at, (heading, group) in enumerate(GROUPS.items())
        },
        "Rule systems": {name: f"Record {what}." for name, what in installed().items()},
    }


def _group_in(name: str, help_text: str, declarations: Mapping[str, Declaration]) -> CommandGroup:
    """A group of commands, each with the help of its docstring or declaration."""

    def make_command(command_name: str, _words: Sequence[str]) -> Command | None:
        known = command_name in declarations
        return _command_in(declarations[command_name], helps[command_name], name, command_name) if known else None

    helps = {command_name: help_of(declaration) for command_name, declaration in declarations.items()}
    return group_of(
        name,
        help_text,
        lambda: {"Commands": {command_name: text.partition("\n")[0] for command_name, text in helps.items()}},
        make_command,
        add_completion=False,
        epilog=in_the_manual(chapter_of(name)),
    )


def _tell_version(flag: bool) -> None:
    if flag:
        from cli.shell.versions import version_of

        sys.stdout.write(f"campaign {version_of('campaign-log')}\n")
        raise Ended(DONE)


def _campaign(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_tell_version, help="Show the version.")
    ] = False,
) -> None:
    """The callback of the program: it does nothing but accept --version."""
