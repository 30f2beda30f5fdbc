"""Sentences as a page says them, which knows fields by their labels: without the names and the signs of typed lines."""

import re
from collections.abc import Mapping
from typing import Any

from domain.common.rulings import Ruling
from domain.common.sheets import Override
from domain.log.points import HOW
from domain.registry import tag_of
from domain.turn import Sentence, Struck
from domain.values import assignments, in_words
from projections.chronicle import Entry, plain

#: What a place in the log is, for somebody who types one into a field.
PLACE = "Write a turn, like T4, a session, like S2, or a date."
#: What a list takes, as a schema says it.
_A_LIST = re.compile(r"must be a list(?: that is not empty)?, each item (.+?), not \[(.*)\]")
#: A name of a field or an option, which joins its words.
_A_NAME = re.compile(r"(?<![\w\"“'])[a-z]+(?:_[a-z]+)+(?![\w\"”'])")


def in_plain_words(sentence: str) -> str:
    """What went wrong with a form, without names of fields."""
    sentence = _A_LIST.sub(r"must each be \1, not \2", sentence.replace(HOW, PLACE))
    return _A_NAME.sub(lambda name: words_of(name[0]), sentence)


def words_of(name: str) -> str:
    """A name of a field or a value, of which the words are joined as they are typed."""
    return name.replace("_", " ")


def value_in_words(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else words_of(in_words(value))


def settings_in_words(values: Mapping[str, Any]) -> str:
    """What a ruling sets: "(keep higher: yes)"."""
    return f"({'; '.join(f'{words_of(name)}: {value_in_words(value)}' for name, value in values.items())})"


def change_in_words(sentence: str, tag: str, values: Mapping[str, Any]) -> str:
    """The sentence of an action that sets `values`, with these in words instead of as they are typed."""
    if tag == tag_of(Ruling):
        return sentence.replace(f"[{assignments(values)}]", settings_in_words(values)) if values else sentence
    if tag == tag_of(Override):
        for name in values:
            sentence = sentence.replace(f" {name} = ", f" {words_of(name)} to ")
    return sentence


def parts_in_words(entry: Entry) -> Sentence:
    """The sentence of a turn in its parts, with what it sets in words."""
    values = entry.action.get("set")
    if not isinstance(values, Mapping):
        return entry.parts
    return tuple(
        part if isinstance(part, Struck) else change_in_words(part, entry.kind, values) for part in entry.parts
    )


def sentence_in_words(entry: Entry) -> str:
    """The same as one text."""
    return plain(parts_in_words(entry))
