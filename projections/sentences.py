"""The sentences of turns: parts joined, parted by person and as plain text; the numbers of turns in words."""

import re
from collections.abc import Iterable, Sequence

from domain.naming import listed
from domain.turn import Event, Sentence, Struck


def plain(parts: Sequence[str]) -> str:
    """A sentence as plain text; struck parts are put in parentheses."""
    if len(parts) == 1 and type(parts[0]) is str:  # the most frequent case
        text = parts[0]
    else:
        text = ""
        for part in parts:
            if isinstance(part, Struck):  # nearly always the face of one die; the spaces around it are not struck
                text += f"({part})" if part.isalnum() else re.sub(r"^(\s*)(.*?)(\s*)$", r"\1(\2)\3", part)
            else:
                text += part
    return (re.sub("  +", " ", text) if "  " in text else text).strip()


class NextPerson(str):
    """The space between two sentences of a turn about different people, where a view can begin a new line."""


NEXT_PERSON = NextPerson(" ")


def join_sentences(sentences: Sequence[Sentence], events: Sequence[Event] = ()) -> Sentence:
    """Sentences joined, and where they are of `events` about different characters, by `NEXT_PERSON`."""
    if len(sentences) == 1:
        return sentences[0]
    about = [getattr(event, "character", None) for event in events]
    several = len({name for name in about if name is not None}) > 1
    parts: list[str] = []
    last: str | None = None
    for number, sentence in enumerate(sentences):
        if sentence:
            person = about[number] if several else None
            parts += [NEXT_PERSON if person != last else " "] if parts else []
            parts += sentence
            last = person
    return tuple(parts)


def parts_of(events: Sequence[Event]) -> Sentence:
    """The sentences of several events, joined."""
    return join_sentences([event.sentence() for event in events], events)


def by_person(parts: Sentence) -> list[Sentence]:
    """A sentence split into one line per person, at `NEXT_PERSON`."""
    lines: list[list[str]] = [[]]
    for part in parts:
        if isinstance(part, NextPerson):
            lines.append([])
        else:
            lines[-1].append(part)
    return [tuple(line) for line in lines]


def read_alike(first: Sequence[Event], second: Sequence[Event]) -> bool:
    """Whether two outcomes have the same sentence, whatever lies behind it (other totals, the order of a deck)."""
    return plain(parts_of(first)) == plain(parts_of(second))


def turns_in_words(numbers: Sequence[int]) -> str:
    """The numbers of turns for people: "T4, T6 and T7", "T10 to T13"."""
    texts: list[str] = []
    for first, last in runs_of(numbers):
        texts += [f"T{first} to T{last}"] if last - first > 1 else [f"T{turn}" for turn in range(first, last + 1)]
    return listed(texts)


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """The first and last of each run of numbers without a gap."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs
