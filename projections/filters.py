"""The filters of the log, and the comparison of words with a sentence, in one place.

A reader of the log passes each entry through `matching_entries`. A query of a view, for long logs, only selects
candidates and passes their entries through `matching_entries` too, so that both give the same answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from domain.naming import folded, key_of
from projections.chronicle import Entry

#: The number of entries that are read and printed first, so that a reader need not wait for the others.
AT_FIRST = 40


class Filters(Struct, frozen=True):
    """The filters of a query. `kinds` are tags; `since` and `until` are inclusive."""

    first: int = 1
    last: int | None = None
    session: int | None = None
    #: exactly as enrolled
    character: str | None = None
    kinds: Sequence[str] | None = None
    #: a citation: "OSR 6.5"
    rule: str | None = None
    #: only these turns (those that were played under a ruling)
    turns: frozenset[int] | None = None
    #: a name, compared without case and width
    by: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    #: words that must all occur in the sentence, compared without case and width
    grep: str | None = None
    undone: bool | None = None

    def covers(self, turn: int, session: int, at: datetime) -> bool:
        """Whether a turn of this number, session and time lies in the range, the session and the time asked for."""
        return (
            turn >= self.first
            and (self.last is None or turn <= self.last)
            and (self.session is None or session == self.session)
            and (self.turns is None or turn in self.turns)
            and (self.since is None or at >= self.since)
            and (self.until is None or at <= self.until)
        )

    @property
    def words(self) -> list[str]:
        """The words of `grep`, folded for comparison."""
        return [folded(word) for word in (self.grep or "").split()]


def tags_matching(kind: str, tags: Iterable[str]) -> list[str]:
    """The tags that a typed kind selects: "osr.short_rest", "short-rest", "rest", or its words in another order."""
    key = kind.replace("-", "_").casefold()
    words = sorted(key.split("_"))

    def selects(tag: str) -> bool:
        parts = re.split(r"[._]", tag)
        return key in (tag, tag.rpartition(".")[2], *parts) or words == sorted(parts)

    return list(filter(selects, tags))


def is_by(logger: str | None, name: str) -> bool:
    """Whether a turn was logged by the person of this `name`; False for a turn without a name."""
    return logger is not None and key_of(logger) == key_of(name)


def matching_entries(entries: Iterable[Entry], filters: Filters) -> Iterator[Entry]:
    f, words = filters, filters.words
    for entry in entries:
        if (
            f.covers(entry.turn, entry.session, entry.at)
            and (f.character is None or f.character in entry.characters)
            and (f.kinds is None or entry.kind in f.kinds)
            and (f.rule is None or f.rule in entry.rules)
            and (f.by is None or is_by(entry.by, f.by))
            and (f.undone is None or entry.standing != f.undone)
            and (not words or all(map(folded(entry.sentence).__contains__, words)))
        ):
            yield entry
