"""The numbers that a log has given out (wound ids, R numbers, session numbers); none is given out twice."""

from collections.abc import Iterable

from msgspec import Struct


class UsedNumbers(Struct):
    """The numbers given out under each key, including those of undone turns.

    It also has the version of the rules, because the same walk over the turns finds it, and a snapshot keeps both.
    """

    numbers: dict[str, set[int]] = {}
    #: The version of the rules that decided the last turn that was read; 0 before the first.
    version: int = 0

    def add(self, key: str, numbers: Iterable[int]) -> None:
        """Record that these were given out under this key."""
        self.numbers.setdefault(key, set()).update(numbers)

    def has(self, key: str, number: int) -> bool:
        return number in self.numbers.get(key, ())

    def highest(self, key: str) -> int:
        """The highest number given out under this key; 0 if none was."""
        return max(self.numbers.get(key, ()), default=0)

    def copy(self) -> "UsedNumbers":
        return UsedNumbers({key: set(numbers) for key, numbers in self.numbers.items()}, self.version)
