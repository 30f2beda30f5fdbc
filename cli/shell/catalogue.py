"""The list of commands with their groups and chapters, and the declaration of one by name; nothing here needs Typer.

The module of a command is imported when the command is used; its docstring is the help. The list of all commands reads
only the first lines of the files, as importing them all would be slow.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from pathlib import Path
from types import ModuleType
from typing import Any

from cli.shell.declaration import LineDeclaration

#: The headings of the help, with the commands under each and their chapters of the manual.
GROUPS: Mapping[str, Mapping[str, str]] = {
    "At the table": {
        "new": "first-evening", "use": "first-evening", "play": "line", "session": "first-evening",
        "note": "first-evening", "status": "sheet", "log": "questions", "why": "questions", "undo": "correcting",
        "redo": "correcting", "serve": "phones", "manual": "first-evening", "demo": "first-evening",
    },
    "Look back": {
        "show": "questions", "diff": "after-the-evening", "when": "questions", "recap": "after-the-evening",
        "replay": "after-the-evening", "stats": "questions", "sessions": "cookbook", "rulings": "cookbook",
        "corrections": "cookbook",
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
        "mcp": "assistant", "act": "programs", "query": "questions", "explore": "questions", "views": "questions",
        "server": "server", "doctor": "trust",
    },
}  # fmt: skip
#: The chapter of the manual about the verbs.
OF_VERBS = "line"
COMMANDS = tuple(name for group in GROUPS.values() for name in group)
#: Words that count as `--help`.
ASKS_FOR_HELP = ("help", "?")

#: A command: its function, or the verb of an action that it is.
Declaration = Callable[..., Any] | LineDeclaration

_FILES = Path(__file__).parents[1] / "commands"


def declared_by(words: Sequence[str]) -> tuple[Declaration, Sequence[str]] | None:
    """The declaration of the command that a command line names, and its other words; None if it names none."""
    if not words or words[0] not in COMMANDS:
        return None
    declared = declaration_of(words[0])
    if not isinstance(declared, Mapping):
        return declared, words[1:]
    declaration = declared.get(words[1]) if len(words) > 1 else None
    return (declaration, words[2:]) if declaration is not None else None


def declaration_of(name: str) -> Declaration | Mapping[str, Declaration]:
    """The declaration of a command; for a group those of its commands, by name."""
    module = module_of(name)
    declared: Declaration | Mapping[str, Declaration]
    declared = module.COMMANDS if hasattr(module, "COMMANDS") else getattr(module, _module_name(name))
    return declared


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


def help_of(declaration: Declaration) -> str:
    return declaration.help if isinstance(declaration, LineDeclaration) else inspect.getdoc(declaration) or ""
