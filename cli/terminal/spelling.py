"""How the shell writes an action: the one place that makes a command line out of what a rule system proposes."""

from collections.abc import Callable, Iterable, Mapping

from domain.choice import Choice
from domain.common import ACTIONS
from domain.registry import tag_of
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision


def spelled(way: Choice) -> str:
    """The command line for this action: what is known as it is typed, what somebody has to fill in by its name."""
    from cli.line.verbs import verb_name  # most that is done leaves nothing open

    fields = {field.key: field for field in fields_of(way.action)}
    # a verb of every campaign begins with its own first word
    of_system = [] if way.action in ACTIONS else [tag_of(way.action).partition(".")[0]]
    words = ["campaign", *of_system, verb_name(way.action)]
    for name, value in way.fields.items():
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{name.replace('_', '-')}")
        elif isinstance(value, Mapping):
            words += [f"--{name.replace('_', '-')} {in_quotes(f'{key}={each}')}" for key, each in value.items()]
        elif isinstance(value, list | tuple):
            words += [in_quotes(str(each)) for each in value]
        else:
            words.append(in_quotes(str(value)))
    for name in way.asks:
        if fields[name].required:
            words.append('"…"' if fields[name].kind.shape == "text" else name.upper())
        else:
            words.append(f"--{fields[name].file or name.replace('_', '-')} …")
    return " ".join(words)


def in_quotes(text: str) -> str:
    """A text as one word for a shell: O'Neil stands in double quotes, as a person would write it."""
    from shlex import quote

    return f'"{text}"' if "'" in text and not set(text) & set('"$`\\!') else quote(text)


def hints_of(matters: Iterable[PendingDecision], spell: Callable[[Choice], str] = spelled) -> list[str]:
    """What is open, line by line: why, then what settles it, or each of those that do, as the surface spells it."""
    lines = []
    for matter in matters:
        if matter.why:
            lines.append(matter.why)
        # each a command of its own: a | between them would be a pipe to the shell
        lines += [f"{'or:  ' if number else 'Next:'} {spell(way)}" for number, way in enumerate(matter.choices)]
    return lines
