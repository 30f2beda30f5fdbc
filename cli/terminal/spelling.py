"""The command line of a choice: how what a rule system proposes is typed on the shell."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from domain.choice import Choice
from domain.common import ACTIONS
from domain.registry import tag_of, verb_name
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision

#: The shapes of fields with one value of their own.
VALUES = ("number", "text", "list")
#: The signs beside letters and digits that a shell takes as they are.
PLAIN = "@%+=:,./-_"


def command_line_of(choice: Choice) -> str:
    """The command line of a choice, with its known fields as options and the open ones as placeholders."""
    fields = {field.key: field for field in fields_of(choice.action)}
    # verbs common to all rule systems have no system before them
    of_system = [] if choice.action in ACTIONS else [tag_of(choice.action).partition(".")[0]]
    words = ["campaign", *of_system, verb_name(choice.action)]
    for name, value in choice.fields.items():
        if isinstance(value, bool):
            words.append(f"--{'' if value else 'no-'}{name.replace('_', '-')}")
        elif isinstance(value, Mapping):
            words += [f"--{name.replace('_', '-')} {in_quotes(f'{key}={_item(item)}')}" for key, item in value.items()]
        elif of_system and not (fields[name].required or fields[name].in_order) and fields[name].kind.shape in VALUES:
            for item in value if isinstance(value, list | tuple) else [value]:
                words.append(f"--{name.replace('_', '-')} {in_quotes(str(item))}")  # no position among the others
        elif isinstance(value, list | tuple):
            words += [in_quotes(str(item)) for item in value]
        else:
            words.append(in_quotes(str(value)))
    for name in choice.asks:
        if fields[name].required:
            words.append('"…"' if fields[name].kind.shape == "text" else name.upper())
        else:
            words.append(f"--{fields[name].file or name.replace('_', '-')} …")
    return " ".join(words)


def in_quotes(text: str) -> str:
    """A text as one word for a shell; one with an apostrophe in double quotes, as a person would type it."""
    if text and text.isascii() and all(sign.isalnum() or sign in PLAIN for sign in text):
        return text
    if "'" not in text:
        return f"'{text}'"
    if not set(text) & set('"$`\\!'):
        return f'"{text}"'
    from shlex import quote  # only where both kinds of quotes are in the text

    return quote(text)


def _item(value: Any) -> str:
    """A value of a map as an option takes it: dice with commas between them."""
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def hints_of(decisions: Iterable[PendingDecision], spell: Callable[[Choice], str] = command_line_of) -> list[str]:
    """Lines about pending decisions: the reason of each, then its choices as `spell` writes them."""
    lines = []
    for decision in decisions:
        if decision.why:
            lines.append(decision.why)
        # on a line each, as a | between them would be a pipe to the shell
        lines += [f"{'or:  ' if number else 'Next:'} {spell(choice)}" for number, choice in enumerate(decision.choices)]
    return lines
