"""What passes a filter of the log, and how words are compared with a sentence: nothing else decides either.

Whoever reads the log turn by turn lets each entry pass here. Whoever asks the tables of a view, because the log
is long, has them name the turns that may pass, and lets those pass here too: one answer at every length.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from msgspec import Struct

from domain.naming import folded, key_of
from projections.chronicle import Entry


class Filters(Struct, frozen=True):
    """What a reader of the log asked for. `kinds` are tags; `since` and `until` are included."""

    first: int = 1
    last: int | None = None
    session: int | None = None
    #: as enrolled
    character: str | None = None
    kinds: Sequence[str] | None = None
    #: as cited: "OSR 6.5"
    rule: str | None = None
    #: the turns that may pass (those that were played under a ruling)
    turns: frozenset[int] | None = None
    #: a name, whatever its case and width
    by: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    #: words, each of which stands somewhere in the sentence, whatever its case and width
    grep: str | None = None
    undone: bool | None = None

    @property
    def words(self) -> list[str]:
        """What `grep` looks for, as it is compared."""
        return [folded(word) for word in (self.grep or "").split()]


def kinds_meant(kind: str, known: Iterable[str]) -> list[str]:
    """The tags that a reader means by "osr.short_rest", "short-rest" or "rest"."""
    wanted = kind.replace("-", "_").casefold()
    return [tag for tag in known if wanted in (tag, tag.rpartition(".")[2]) or wanted in re.split(r"[._]", tag)]


def is_by(by: str | None, wanted: str) -> bool:
    """Whether a turn is by this person. What nobody is said to have logged is by nobody whom one could name."""
    return by is not None and key_of(by) == key_of(wanted)


def selected(entries: Iterable[Entry], filters: Filters) -> Iterator[Entry]:
    """The entries that pass the filters."""
    f, words = filters, filters.words
    for entry in entries:
        if (
            entry.turn >= f.first
            and (f.last is None or entry.turn <= f.last)
            and (f.session is None or entry.session == f.session)
            and (f.character is None or f.character in entry.characters)
            and (f.kinds is None or entry.kind in f.kinds)
            and (f.rule is None or f.rule in entry.rules)
            and (f.turns is None or entry.turn in f.turns)
            and (f.by is None or is_by(entry.by, f.by))
            and (f.since is None or entry.at >= f.since)
            and (f.until is None or entry.at <= f.until)
            and (f.undone is None or entry.standing != f.undone)
            and (not words or _holds_all(entry.sentence, words))
        ):
            yield entry


def _holds_all(sentence: str, words: Sequence[str]) -> bool:
    text = folded(sentence)
    return all(word in text for word in words)
