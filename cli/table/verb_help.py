"""The text of `help VERB` at the table: the verb as it is typed there, and what each part of its line means."""

import inspect
import re
from collections.abc import Iterator, Sequence
from typing import Any

from cli.line.evening import examples_of
from cli.shell.catalogue import chapter_of, declared_by
from cli.shell.declaration import LineDeclaration
from cli.shell.parser import EXAMPLES
from cli.shell.verbs import declared_verb, verb
from cli.table.surface import Surface
from cli.terminal.screen import Screen, Span
from domain.common.rulings import Ruling
from domain.log.backdating import PLACELESS
from domain.registry import verb_name
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

#: What the help says of every verb that has a place in the log.
LATE = "If it was forgotten: --after T4 or --before T4. If somebody else says it: --by NAME."


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
