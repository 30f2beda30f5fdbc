"""Help at the table: what the keys do, how a line is typed, the verbs, and what each part of a verb's line means."""

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any

from cli.line.evening import examples_of
from cli.line.verbs import verbs_of
from cli.shell.catalogue import chapter_of, declared_by
from cli.shell.declaration import LineDeclaration
from cli.shell.parser import EXAMPLES
from cli.shell.verbs import declared_verb, verb
from cli.table.surface import Surface
from cli.terminal.screen import Screen, Span
from domain.common.rulings import Ruling
from domain.log.backdating import PLACELESS
from domain.registry import verb_name
from domain.system.extensions import FileReader
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

#: What each key of the screen does.
KEYS = (
    ("Enter", "does a finished line; asks for what is missing; on the empty line lists what can be done"),
    ("Tab, ↑ ↓", "choose what may stand next; Enter or Space takes it; Shift-Tab goes back"),
    ("Esc", "goes back one step, then leaves"),
    ("?", "shows this; behind a verb, its help"),
    ("Ctrl-P, Ctrl-R", "what can be done, from anywhere; search the lines typed before"),
    ("↑ ↓, Tab", "on the empty line: lines typed before; the turns, where Enter opens the menu of one"),
    ("PgUp, PgDn", "look back, and forward again; scroll what is read"),
    ("F2, F3, Ctrl-D", "hide what is typed; a sheet, then the next one; leave the table"),
)
#: The first lines of help: forms of lines that every campaign has beside its verbs.
HOW_TO_TYPE = (
    "A line is a verb, who, values, words: VERB NAME 4 what it was. Beginnings of words will do.",
    "u undoes the latest line, r restores it, n TEXT writes a note, why NAME shows where a value comes from.",
    "T12 shows a turn, T12 amount=2 amends it, amend 2 the latest; LINE after T12 is a late entry.",
)
#: What the help says of every verb that has a place in the log.
LATE = "If it was forgotten: --after T4 or --before T4. If somebody else says it: --by NAME."


def key_lines(surface: Surface) -> tuple[str, ...]:
    """What the keys do, laid out for the surface."""
    page = surface.page()
    screen = Screen("auto", page)
    across = max(len(keys) for keys, _ in KEYS) + 2
    for keys, does in KEYS:
        screen.line(Span(f"{keys:<{across}}", "bold"), does, indent=across)
    screen.line()
    screen.flush()
    return tuple(page.getvalue().splitlines())


def help_lines(surface: Surface, system: RuleSystem, questions: Sequence[str]) -> tuple[str, ...]:
    """The lines of help for a rule system, laid out for the surface."""
    page = surface.page()
    screen = Screen("auto", page)
    by_kind: dict[type[Action], list[str]] = {}
    summaries: dict[type[Action], str] = {}
    for way in verbs_of(system.key):
        by_kind.setdefault(way.kind, []).append(way.name)
        summaries.setdefault(way.kind, way.help)
    for row in HOW_TO_TYPE:
        screen.line(row, indent=2)
    screen.line(f"Questions: {', '.join(questions)}.", indent=2)
    screen.line("help VERB explains one: its fields, and examples.", indent=2)
    if readers := [_command_of(reader) for reader in system.readers]:
        screen.line(f"Files are read by the shell: {', '.join(readers)}.", indent=2)
    screen.line()
    across = max(map(len, (names[0] for names in by_kind.values()))) + 2
    for kind, names in by_kind.items():
        short = " ".join(name for name in names[1:] if len(name) < len(names[0]))
        line = (Span(f"{names[0]:<{across}}", "bold"), f"{short:<6} ", summaries[kind])
        screen.line(*line, indent=across + 7)
    screen.flush()
    return tuple(page.getvalue().splitlines())


def _command_of(reader: FileReader) -> str:
    return f"campaign {reader.verb}{f' --{reader.option}' if reader.option else ''} FILE"


def verb_lines(surface: Surface, system: RuleSystem, kind: type[Action]) -> tuple[str, ...]:
    """The lines of help for one verb: how it is typed at the table, examples, and what each part of it means."""
    name = verb_name(kind)
    match = declared_by(name.split())
    declaration = match[0] if match is not None and isinstance(match[0], LineDeclaration) else None
    help_text = inspect.cleandoc(declaration.help) if declaration is not None else inspect.getdoc(kind) or ""
    text, _, examples = help_text.partition(f"\n{EXAMPLES}\n")
    typed_at_a_shell = [line.strip().removeprefix("campaign ") for line in examples.splitlines() if line.strip()]
    if issubclass(kind, Ruling):  # whose paragraphs are those of the rules that are played
        typed_at_a_shell = [*examples_of(system.key, kind)] or typed_at_a_shell
    chapter = chapter_of(name.split()[0])
    command = declared_verb(declaration, name, chapter) if declaration is not None else verb(system.key, kind)
    own: Sequence[Any] = command.params
    rows = [(str(taken.metavar), str(taken.help)) for taken in own if taken.param_type_name == "argument"]
    page = surface.page()
    screen = Screen("auto", page)
    screen.line(Span(" ".join([name, *(metavar for metavar, _ in rows)]), "bold"), indent=4)
    # what is typed at a shell is typed here without its first word
    for paragraph in re.sub(rf"\bcampaign (?={name}\b)", "", text).strip().split("\n\n"):
        screen.line(f"  {' '.join(paragraph.split())}")
    for line in dict.fromkeys(typed_at_a_shell or examples_of(system.key, kind)):
        screen.line(f"    {line}", indent=6)
    rows += _by_name(own)
    across = max(map(len, (form for form, _ in rows)), default=0) + 2
    for form, meaning in rows:
        screen.line(f"  {form:<{across}}{meaning}", indent=across + 2)
    if not issubclass(kind, PLACELESS):
        screen.line(f"  {LATE}", indent=2)
    screen.line(f"  Manual: manual {chapter}", indent=2)
    screen.flush()
    return tuple(page.getvalue().splitlines())


def _by_name(parameters: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """How each field that is not typed by its place is typed by its name, and what it means."""
    for taken in parameters:
        if taken.name.startswith("option_") and not taken.hidden:
            name = next(spelling for spelling in taken.opts if spelling[:2] == "--").removeprefix("--")
            yield f"{name}={'yes|no' if taken.secondary_opts else taken.metavar}", str(taken.help)
