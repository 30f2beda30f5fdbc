"""Write the reference chapter from the declarations it lists: `uv run python -m tests.record_reference`.

Every command with its options, every verb with its fields and short names, every option of a rule, every table and
column. A test holds the chapter to what this prints.
"""

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from cli.shell.catalogue import COMMANDS, declared_by, first_line, help_of
from cli.shell.declaration import LineDeclaration
from cli.shell.parser import command_of
from cli.shell.verbs import declared_verb
from domain.common import ACTIONS
from domain.registry import SYSTEMS, system_of, verb_name
from domain.system.field_schema import fields_of
from domain.system.options import options_of
from domain.turn import Action
from projections.views.tables import TABLES
from tests.kit.chapters import MANUAL

CHAPTER = MANUAL / "reference.md"
#: An option that so many commands take is described once, at the top.
SHARED = 4


def chapter() -> str:
    """The whole chapter."""
    return "\n".join(_lines()).rstrip("\n") + "\n"


def _lines() -> Iterator[str]:
    yield "# Everything by name\n"
    yield "To look something up: every command with its options, every verb with its fields, every ruling option and"
    yield "every table. The other chapters explain them. This one is written from the program itself"
    yield "(`python -m tests.record_reference`), so it lists what is there and nothing else.\n"
    commands = {name: _parameters(words) for name, words in _commands()}
    count = Counter(
        _row(parameter) for given in commands.values() for parameter in given if parameter.param_type_name == "option"
    )
    # an option of the same name that does something else is one of its command's own
    shared = [row for row, often in count.items() if often >= SHARED]
    yield "## Options that many commands take\n"
    yield from shared
    yield "\n## Commands\n"
    yield "What stands in capitals can also be named: `campaign note --text …` and `campaign note text=…`.\n"
    for name, given in commands.items():
        yield f"**`campaign {name}`** {_summary(name)}\n"
        if own := [row for row in map(_row, given) if row not in shared]:
            yield from own
            yield ""
    yield "## Verbs of every campaign\n"
    yield "Behind each verb stand its short names, then its fields; those in brackets may be left out.\n"
    yield from _verbs(ACTIONS)
    for key in SYSTEMS:
        system = system_of(key)
        yield f"\n## Verbs of {key}\n"
        yield from _verbs(system.actions)
        yield f"\n## Ruling options of {key}\n"
        yield "| option | paragraph | values, default first | meaning |\n|---|---|---|---|"
        for option in options_of(system.options).values():
            values = option.values if option.values is not None else (option.default, "…")
            shown = ", ".join(f"`{str(value).lower() if isinstance(value, bool) else value}`" for value in values)
            yield f"| `{option.name}` | {option.rule} | {shown} | {option.meaning} |"
    yield "\n## Tables\n"
    yield "These are the tables that `campaign query` asks and `campaign explore` shows. A turn **counts** if it is not"
    yield "undone.\n"
    for name, table in TABLES.items():
        yield f"**`{name}`** {table.meaning}\n"
        yield from (f"* `{column}`: {meaning}" for column, (_, meaning) in table.columns.items())
        yield ""


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Every command, those of a group by both words."""
    for name in COMMANDS:
        if declared_by([name]) is not None:
            yield name, [name]
        else:
            file = name.replace("-", "_")
            yield from (
                (f"{name} {command}", [name, command]) for command in import_module(f"cli.commands.{file}").COMMANDS
            )


def _parameters(words: list[str]) -> list[Any]:
    found = declared_by(words)
    assert found is not None, words
    declared = found[0]
    is_line = isinstance(declared, LineDeclaration)
    command = declared_verb(declared, words[-1], "") if is_line else command_of(words[-1], declared, "")
    return [parameter for parameter in command.params if not getattr(parameter, "hidden", False)]


def _row(given: Any) -> str:
    """The line of an argument or an option."""
    names = given.opts if not given.secondary_opts else [f"{given.opts[0]}/{given.secondary_opts[0]}"]
    names = [given.metavar] if given.param_type_name == "argument" else names
    return f"* {', '.join(f'`{name}`' for name in names)}: {given.help or ''}"


def _summary(name: str) -> str:
    command, _, member = name.partition(" ")
    if not member:
        return first_line(command)
    found = declared_by([command, member])
    return ((help_of(found[0]) if found else "") or first_line(command)).partition("\n")[0]


def _verbs(actions: Any) -> Iterator[str]:
    for kind in actions:
        names = ", ".join(f"`{name}`" for name in (verb_name(kind), *kind.shorts))
        fields = f" ({fields})" if (fields := _fields(kind)) else ""
        yield f"* {names}{fields}: {(kind.__doc__ or '').partition(chr(10))[0]}"


def _fields(kind: type[Action]) -> str:
    named = [f"`{field.key}`" if field.required else f"[`{field.key}`]" for field in fields_of(kind)]
    return " ".join(named)


def main() -> None:
    """Write the chapter."""
    CHAPTER.write_text(chapter(), "utf-8")


if __name__ == "__main__":
    main()
