"""The program as Typer's commands, made from the catalogue, each when it is asked for."""

import inspect
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
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
    group.also = lambda: import_module("cli.shell.completion").verbs()  # only when a shell asks for proposals
    return group


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


def _listing() -> dict[str, dict[str, str]]:
    """The list of all commands: heading -> command -> first line of its help."""
    listing = {heading: {name: first_line(name) for name in group} for heading, group in GROUPS.items()}
    # of the verbs of every campaign those that are no commands
    verbs = {verb_name(kind): (inspect.getdoc(kind) or "").partition("\n")[0] for kind in ACTIONS if kind.has_verb}
    listing["At the table"] |= {name: line for name, line in verbs.items() if " " not in name and name not in COMMANDS}
    return listing | {"Rule systems": {name: f"Record {what}." for name, what in installed().items()}}


def _group_in(name: str, help_text: str, declarations: Mapping[str, Declaration]) -> CommandGroup:
    """A group of commands, each with the help of its docstring or declaration."""

    helps = {member: help_of(declaration) for member, declaration in declarations.items()}
    return group_of(
        name,
        help_text,
        lambda: {"Commands": {member: text.partition("\n")[0] for member, text in helps.items()}},
        lambda member, _: _command_in(declarations[member], helps[member], name, member) if member in helps else None,
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
