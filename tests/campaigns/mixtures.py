"""Random mixtures of verbs, names and values, as many as one likes: none may lose a word of the rules.

nice python -m tests.campaigns.mixtures --lines 100000 --seed 1

At random tables of each rule system in turn. Every line that loses a word is printed; the count of how the lines ended
comes last. The control is the same with a reader that lets anything end among the words: it has to lose words, or
nothing was tried.
"""

import argparse
import sys
from collections import Counter

import pytest

from tests.kit.mixtures import lost_word, mixture
from tests.kit.subjects import built_in
from tests.kit.tables import Chances, fresh

#: Lines that are tried at one table.
EACH = 250


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
    """Try them, then the control. Exit 1 if a word was lost, or if the control lost none."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    faults = faults_of(options.lines, options.seed, counts)
    sys.stdout.writelines(f"{line}\n" for line in faults[:40])
    ends = ", ".join(f"{count} {how}" for how, count in counts.most_common())
    sys.stdout.write(f"seed {options.seed}, {options.lines} lines: {ends}; {len(faults)} lost a word\n")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("cli.line.reading.Reader._check_words", lambda *_: None)
        control = faults_of(max(EACH * len(built_in()), options.lines // 20), options.seed, Counter())
    sys.stdout.write(f"control, with anything among the words: {len(control)} lost a word\n")
    return int(bool(faults) or not control)


if __name__ == "__main__":
    sys.exit(main())
