"""Pending draws: the next try of a refused action draws the same values.

Nothing of a refused action is appended, but the refusal may have revealed what was drawn. So the seed of the draw stays
pending under the draw's key: the next turn that draws under that key takes this seed as its own, so that nobody can
try again until the dice fall well. A recorded turn has the seed that it drew from.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from domain.refusal import Conflict, Invalid, Refusal

#: Key of a draw -> the pending seeds in the order of use, each with the number of the last turn when it was drawn:
#: only a later turn can have used it.
Seeds = Mapping[str, Mapping[int, int]]


class PendingDraws:
    """The pending seeds of one branch, in memory; subclasses store them by overriding `read` and `write`."""

    def __init__(self) -> None:
        self._seeds: Seeds = {}
        #: a turn's own seed -> the seed that it draws from; and that seed -> itself
        self._seed_for: dict[int, int] = {}
        #: key of a draw -> the seeds used under it in this try
        self._draws: dict[str, list[int]] = {}
        self._tries = 0
        #: the pending seeds when this try first drew
        self._pending_before: Seeds = {}

    def read(self) -> Seeds:
        return self._seeds

    def write(self, seeds: Seeds) -> None:
        self._seeds = seeds

    def last(self) -> int:
        """The number of the last turn; 0 if nobody else appends, so that every used seed is known at once."""
        return 0

    def is_used(self, seed: int, after: int) -> bool:  # noqa: ARG002
        """Whether a turn after this number has used the listed seed: by another writer, or one that crashed."""
        return False

    def seed(self, key: str, own: int) -> int:
        """The seed from which a turn draws under this key and all later ones: a pending one if any, else its `own`."""
        if not self._seed_for:
            self._pending_before = self.read()
        if own not in self._seed_for:  # a late entry may be decided several times before it is appended, with one seed
            in_use = self._seed_for.values()
            pending_seeds = self._pending_before.get(key, {}).items()
            pending = next(
                (seed for seed, after in pending_seeds if seed not in in_use and not self.is_used(seed, after)),
                own,
            )
            self._seed_for[own] = self._seed_for[pending] = pending
        seed = self._seed_for[own]
        seeds = self._draws.setdefault(key, [])
        if seed not in seeds:
            seeds.append(seed)
        return seed

    @contextmanager
    def trying(self) -> Iterator[None]:
        """A context in which draws become pending if it ends in a refusal. Of nested ones the outermost counts."""
        if not self._tries:
            self._seed_for, self._draws = {}, {}
        self._tries += 1
        try:
            yield
        except (Refusal, Invalid, Conflict):
            if self._tries == 1 and self._draws:
                last = self.last()
                draws = {}
                for key, new in self._draws.items():
                    before = self._pending_before.get(key, {})
                    draws[key] = {**before, **{seed: last for seed in new if seed not in before}}
                self.write({**self._pending_before, **draws})
            raise
        finally:
            self._tries -= 1

    def remove_spent_seeds(self) -> None:
        """Remove the seeds used by the last try, because its turns were appended."""
        if self._tries or not self._draws:
            return
        spent_seeds = set(self._seed_for.values())
        remaining = {
            key: {seed: after for seed, after in seeds.items() if seed not in spent_seeds}
            for key, seeds in self._pending_before.items()
        }
        if remaining != self._pending_before:
            self.write({key: seeds for key, seeds in remaining.items() if seeds})
