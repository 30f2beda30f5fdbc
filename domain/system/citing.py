"""Which function stands for which paragraph.

`@rule("OSR 6.5")` marks a function as the place where a paragraph is kept; a test holds this index against
the paragraphs listed in `data/`, both ways.
"""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

#: citation -> the functions that keep it, as "module.function".
INDEX: dict[str, set[str]] = {}


def rule(*citations: str) -> Callable[[F], F]:
    """Mark a function as keeping these paragraphs."""

    def mark(function: F) -> F:
        for citation in citations:
            INDEX.setdefault(citation, set()).add(f"{function.__module__}.{function.__qualname__}")
        return function

    return mark
