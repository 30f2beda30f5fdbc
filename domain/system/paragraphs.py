"""The paragraphs of a rule system, as `data/<key>/paragraphs.toml` lists them in our own words.

["6.4"]
title = "Short rest"
summary = "…"
modelled = true              # or false, with
reason = "…"                 # why it is left to the table
background = "…"             # optional: how the paragraph came to read as it does
not_in_source = ["…"]        # optional: what the summary says and its source does not

[["6.4".option_fields]]      # optional: fields of actions that mean something only while an option has a value
option = "keep_higher"
value = true
action = "osr.short_rest"
fields = ["keep"]
"""

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

from domain.naming import key_of, known_are
from domain.refusal import Unknown
from domain.system.installed import data_folder
from domain.system.rulesystem import RuleSystem
from domain.turn import Event


class OptionFields(Struct, frozen=True, forbid_unknown_fields=True):
    """Fields of an action that mean something only while an option has this value."""

    option: str
    value: Any
    action: str
    fields: tuple[str, ...]


class Paragraph(Struct, frozen=True, forbid_unknown_fields=True):
    """One paragraph.

    `background` is the history that the source tells of it. `not_in_source` lists what the summary says although the
    source does not: figures of the game, or what was settled for this log.
    """

    title: str
    summary: str
    modelled: bool = True
    reason: str = ""
    background: str = ""
    not_in_source: tuple[str, ...] = ()
    option_fields: tuple[OptionFields, ...] = ()


def data_of(key: str, name: str) -> dict[str, Any]:
    """The table in `<name>.toml` among the data of a rule system ("": of every campaign)."""
    import tomllib

    return tomllib.loads((data_folder(key) / f"{name}.toml").read_text("utf-8"))


def figures_of(key: str, name: str = "figures") -> dict[str, Any]:
    """The table of figures in `<name>.json` among the data of a rule system.

    Every command reads them with the rules, and to read them as TOML took a 25th of `campaign status`.
    """
    figures: dict[str, Any] = msgspec.json.decode((data_folder(key) / f"{name}.json").read_bytes())
    return figures


@cache
def paragraphs_of(key: str) -> dict[str, Paragraph]:
    """Every paragraph by its bare number ("6.4"), in the order of the rules."""
    return msgspec.convert(data_of(key, "paragraphs"), dict[str, Paragraph])


def bare_number(system: RuleSystem, rule: str) -> str:
    """A paragraph's bare number: "OSR 6.4", "osr 6.4" and "6.4" are the same."""
    text = " ".join(rule.split())
    head, _, tail = text.partition(" ")
    return tail if tail and head.casefold() == system.cite.casefold() else text


def citation(system: RuleSystem, rule: str) -> str:
    """The citation of a paragraph, "OSR 6.4", from its number or from the citation itself."""
    return _citations(system.cite, (rule,))[0]


def with_title(key: str, citation: str) -> str:
    """A citation with the title that the rules of this key give the paragraph: "OSR 6.4 “Resting”"."""
    paragraph = paragraphs_of(key).get(citation.rpartition(" ")[2])
    return f"{citation} “{paragraph.title}”" if paragraph is not None else citation


def cited_by(system: RuleSystem, event: Event) -> tuple[str, ...]:
    """The citations of an event, without duplicates."""
    rule = getattr(event, "rule", None)
    return _citations(system.cite, (*event.cites, rule) if isinstance(rule, str) else event.cites)


@cache
def _citations(cite: str, rules: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{cite} {rule.removeprefix(f'{cite} ')}" for rule in rules))


def known_rule(system: RuleSystem, rule: str, own: Iterable[str] = ()) -> str:
    """The bare number of a paragraph that exists, among the rules or the group's own (case and width ignored).

    Raises Unknown, naming the nearest and the known ones.
    """
    number = bare_number(system, rule)
    numbers = (*paragraphs_of(system.key), *own)
    if number in numbers:
        return number
    for existing in numbers:
        if key_of(existing) == key_of(number):
            return existing
    raise Unknown("rule", number, f"There is no rule {number!r} in {system.key}", lambda: known_are(number, numbers))
