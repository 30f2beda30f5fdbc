"""Index of the functions that implement each paragraph.

`@rule("OSR 6.5")` marks the function that implements a paragraph. A test compares this index with the paragraphs
listed in `data/`, both ways.
"""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

#: Citation -> the functions that implement it, as "module.function".
INDEX: dict[str, set[str]] = {}


def rule(*citations: str) -> Callable[[F], F]:
    """Mark a function as implementing these paragraphs."""

    def mark(function: F) -> F:
        for citation in citations:
            INDEX.setdefault(citation, set()).add(f"{function.__module__}.{function.__qualname__}")
        return function

    return mark
