"""Numbers given out by a log: wound ids, R numbers, session numbers. None is ever given out twice under one key."""

from bisect import bisect
from collections.abc import Iterable, Iterator

from msgspec import Struct

#: Whole numbers in ascending order, each run of them as (first, one behind the last).
Runs = tuple[tuple[int, int], ...]


class UsedNumbers(Struct, gc=False):
    """The numbers given out under each key, in turns that were undone too.

    Numbers are counted, so that nearly all of them stand in one run: a copy, the next number and whether one was
    given out cost the same however long the log is.
    """

    runs: dict[str, Runs] = {}
    #: The version of the rules that decided the last turn that was read; 0 before the first.
    version: int = 0

    def add(self, key: str, numbers: Iterable[int]) -> None:
        """These were given out under this key."""
        runs = self.runs.get(key, ())
        for number in numbers:
            runs = _with(runs, number)
        self.runs[key] = runs

    def has(self, key: str, number: int) -> bool:
        """Whether this one was given out under this key."""
        return _has(self.runs.get(key, ()), number)

    def highest(self, key: str) -> int:
        """The highest number given out under this key; 0 if none was."""
        runs = self.runs.get(key)
        return runs[-1][1] - 1 if runs else 0

    def copy(self) -> "UsedNumbers":
        return UsedNumbers(self.runs.copy(), self.version)


def runs_of(numbers: Iterable[int]) -> Runs:
    """These numbers, each once, as runs."""
    runs: list[tuple[int, int]] = []
    for number in sorted({*numbers}):
        if runs and runs[-1][1] == number:
            runs[-1] = (runs[-1][0], number + 1)
        else:
            runs.append((number, number + 1))
    return tuple(runs)


def numbers_in(runs: Runs) -> Iterator[int]:
    """The numbers again, in their order."""
    return (number for run in runs for number in range(*run))


def _has(runs: Runs, number: int) -> bool:
    at = bisect(runs, number, key=_first) - 1
    return at >= 0 and number < runs[at][1]


def _first(run: tuple[int, int]) -> int:
    return run[0]


def _with(runs: Runs, number: int) -> Runs:
    if runs and runs[-1][1] == number:  # as nearly always
        return (*runs[:-1], (runs[-1][0], number + 1))
    if _has(runs, number):
        return runs
    at = bisect(runs, number, key=_first)
    before, behind = runs[:at], runs[at:]
    first, end = number, number + 1
    if before and before[-1][1] == number:
        first, before = before[-1][0], before[:-1]
    if behind and behind[0][0] == end:
        end, behind = behind[0][1], behind[1:]
    return (*before, (first, end), *behind)
