"""Random mixtures of verbs, names and values, as many as one likes: none may lose one of its words.

nice python -m tests.campaigns.mixtures --lines 20000 --seed 1

At random tables of each rule system in turn. Every line that loses a word is printed; the count of how the lines ended
comes last. Three controls do the same with a reader that lets anything end among the words, drops the last of several
words, or offers lines without their last word: each has to lose words, or nothing was tried.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from cli.line import reading
from cli.line.reading import Reader
from cli.line.words import Line
from domain.system.field_schema import Field
from tests.kit.mixtures import lost_word, mixture
from tests.kit.subjects import built_in
from tests.kit.tables import Chances, fresh

#: Lines that are tried at one table.
EACH = 250


def _dropping_the_last(reader: Reader, words: Field, begin: int, end: int) -> None:
    reader.shared[words.key] = reader.line.rest(begin, max(begin + 1, end - 1))
    reader.words_at, reader.at = begin, end


def _without_the_last(line: Line, begin: int, end: int, *others: str) -> str:
    return " ".join([*map(line.typed, range(begin)), *others, *map(line.typed, range(end, len(line.words) - 1))])


#: What is wrong in a control, and the function that is replaced.
CONTROLS: tuple[tuple[str, object, str, Callable[..., Any]], ...] = (
    ("with anything among the words", reading, "refuse_doubts", lambda *_: None),
    ("dropping the last of several words", Reader, "_put_words", _dropping_the_last),
    ("offering lines without their last word", Line, "replaced", _without_the_last),
)


def faults_of(lines: int, seed: int, counts: Counter[str]) -> list[str]:
    """The lines that lost a word, each with the word, of so many."""
    faults, subjects = [], built_in()
    for number in range(0, lines, EACH):
        subject = subjects[number // EACH % len(subjects)]
        chance = Chances(seed * 1_000_000 + number)
        table = fresh(chance, subject)
        for _ in range(min(EACH, lines - number)):
            line = mixture(chance, table)
            word = lost_word(table, line, counts)
            if word is not None:
                faults.append(f"{subject.key} {number}: {line}: {word!r} is lost")
    return faults


def main() -> int:
    """Try them, then the controls. Exit 1 if a word was lost, or if a control lost none."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    faults = faults_of(options.lines, options.seed, counts)
    sys.stdout.writelines(f"{line}\n" for line in faults[:40])
    ends = ", ".join(f"{count} {how}" for how, count in counts.most_common())
    sys.stdout.write(f"seed {options.seed}, {options.lines} lines: {ends}; {len(faults)} lost a word\n")
    fewer, found = max(EACH * len(built_in()), options.lines // 20), []
    for control, owner, replaced, by in CONTROLS:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(owner, replaced, by)
            found.append(len(faults_of(fewer, options.seed, Counter())))
        sys.stdout.write(f"control, {control}: {found[-1]} of {fewer} lines lost a word\n")
    return int(bool(faults) or not all(found))


if __name__ == "__main__":
    sys.exit(main())
