"""What the shell proposes: characters and what is legal now. Whatever goes wrong, it proposes nothing."""

import os
import re
from collections.abc import Iterable
from typing import Any

from domain.naming import key_of


class Proposal(str):
    """A value found ignoring case; Typer would compare it once more, letter by letter, and drop it."""

    def startswith(self, *_: Any) -> bool:
        return True


def proposals(values: Iterable[Any], incomplete: str) -> list[str]:
    """The values that begin so, ignoring case, as the shell can put them into its line."""
    wanted = key_of(incomplete)
    return [proposal(str(each)) for each in values if key_of(str(each)).startswith(wanted)]


def proposal(value: str) -> str:
    """A value as the shell can put it into its line, whatever was typed of it."""
    return Proposal(_quoted(value))


def _quoted(value: str) -> str:
    """bash inserts a word as it is; other shells quote it themselves, as bash does inside open quotes."""
    line = os.environ.get("COMP_WORDS", "")
    if os.environ.get("_CAMPAIGN_COMPLETE") != "complete_bash" or line.count('"') % 2 or line.count("'") % 2:
        return value
    return re.sub(r"([^\w@%+=:,./-])", r"\\\1", value)


def _reading(named: str | None) -> Any:
    from cli.shell.choose import choose
    from cli.store.file import open_campaign
    from domain.log.folding import state_at
    from domain.system.registry import system_of

    with open_campaign(choose(named).path) as log:
        system = system_of(log.rules)
        return system, state_at(system, log)


def characters(incomplete: str, named: str | None = None) -> list[str]:
    """The characters whose names begin so, ignoring case."""
    try:
        _, state = _reading(named)
    except Exception:  # a broken campaign must not break the shell's prompt
        return []
    return proposals(state.characters, incomplete)


def rules(incomplete: str, named: str | None = None) -> list[str]:
    """The numbers of the rules that begin so."""
    from domain.system.paragraphs import paragraphs_of

    try:
        system, _ = _reading(named)
        return proposals(paragraphs_of(system.key), incomplete)
    except Exception:  # as above
        return []


def branches(incomplete: str, named: str | None = None) -> list[str]:
    """The branches whose names begin so."""
    from cli.shell.choose import choose
    from cli.store.file import open_campaign
    from cli.store.layout import MAIN

    try:
        with open_campaign(choose(named).path) as log:
            names = [MAIN, *(branch.name for branch in log.branches())]
    except Exception:  # as above
        return []
    return [name for name in names if name.startswith(incomplete)]


def values_for(
    key: str,
    action: type[Any],
    field: str,
    names: bool,
    choices: tuple[str, ...],
    character: str | None,
    named: str | None,
    incomplete: str,
) -> list[str]:
    """The values of one field that are legal now, or the characters, or the choices of its type."""
    if names:
        return characters(incomplete, named)
    found: Any = None
    try:
        system, state = _reading(named)
        whose = next((each for each in state.characters if key_of(each) == key_of(character or "")), None)
        found = system.proposals(state, action, field, whose) if system.key == key else None
    except Exception:  # as above
        found = None
    return proposals(choices if found is None else found, incomplete)
