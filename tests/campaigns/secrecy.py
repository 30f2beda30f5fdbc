"""Pairs of logs that differ in a secret alone, and every command that takes --as asked of both.

python -m tests.campaigns.secrecy --count 20000 --seed 3

Prints the seed and the count, and each command that told the two apart. With --pages it asks for whatever a page of
`campaign serve` answers, to a player and to the table.
"""

import argparse
from collections.abc import Sequence
from random import Random

from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.served_twins import pages_compared
from tests.kit.shell import shell_elsewhere
from tests.kit.subjects import secretive
from tests.kit.twins import compared


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare so many commands under each rule system that keeps secrets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args(arguments)
    for subject in secretive():
        chance, comparisons, apart = Random(options.seed), 0, 0
        with shell_elsewhere() as shell:
            while comparisons < options.count:
                for request, same in (pages_compared if options.pages else compared)(shell, chance, subject):
                    comparisons += 1
                    if not same:
                        apart += 1
                        print(f"{subject.key}, after {comparisons}: {' '.join(map(str, request))} tells the two apart")
        print(f"{subject.key}: seed {options.seed}, {comparisons:,} comparisons, {apart} told the two apart")
        if apart:
            raise SystemExit(1)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
