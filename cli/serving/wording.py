"""Sentences as a page says them, which knows fields by their labels: without the signs of typed lines."""

import re
from collections.abc import Mapping
from typing import Any

from domain.naming import called, capitalised
from domain.turn import Sentence
from domain.values import Setting, plainly
from projections.chronicle import Entry
from projections.sentences import plain


def setting_in_words(name: str, value: Any) -> str:
    """What is set: "keep higher: yes"."""
    return f"{plainly(name)}: {plainly(value)}"


def stored_sentence_in_words(sentence: str) -> str:
    """The sentence of a turn out of the tables, where what it sets is not told from its other words."""
    if not sentence.startswith(("Override: ", "Ruling ")):
        return sentence
    return re.sub(r"\b([a-z]\w*) = (\w+)", lambda found: setting_in_words(found[1], _value(found[2])), sentence)


def _value(text: str) -> str | bool:
    return text == "true" if text in ("true", "false") else text


def settings_of_ruling(values: Mapping[str, Any]) -> str:
    """What a ruling sets: "[keep higher: yes]"."""
    return f"[{'; '.join(setting_in_words(name, value) for name, value in values.items())}]"


def parts_in_words(parts: Sentence) -> Sentence:
    """A sentence in its parts, with what it sets in words."""
    return tuple(setting_in_words(part.name, part.value) if isinstance(part, Setting) else part for part in parts)


def plain_for_page(parts: Sentence) -> str:
    """A sentence as one text, with what it sets in words."""
    return plain(parts_in_words(parts))


def sentence_in_words(entry: Entry) -> str:
    """The sentence of a turn as a page says it."""
    return plain_for_page(entry.parts)


def as_title(name: str) -> str:
    """A name as it begins a line."""
    return capitalised(called(name))
