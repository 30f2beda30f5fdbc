"""Pending draws: what was drawn for an action that was then refused is drawn for the next try.

Nothing of a refused action is appended, but somebody may have learnt from the refusal what was drawn. So the seed that
it was drawn from stays pending under the key of the draw: the next turn that draws under that key takes this seed as
its own, and nobody tries again until the dice fall well. A turn on record names the seed that it drew from, whichever
it is.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from domain.refusal import Conflict, Invalid, Refusal

#: Key of a draw -> the pending seeds in the order in which they will be used, each with the number of the last turn at
#: the time: if a turn has used the seed since, it is a later one.
Seeds = Mapping[str, Mapping[int, int]]


class PendingDraws:
    """The pending seeds of one branch, for as long as this object lives; `read` and `write` may keep them longer."""

    def __init__(self) -> None:
        self._seeds: Seeds = {}
        #: a turn's own seed -> the seed that it draws from; that seed -> itself
        self._lent: dict[int, int] = {}
        #: key of a draw -> the seeds that were drawn from under it
        self._drawn: dict[str, list[int]] = {}
        self._tries = 0
        #: what was pending when this try first drew
        self._owing: Seeds = {}

    def read(self) -> Seeds:
        """The pending seeds."""
        return self._seeds

    def write(self, seeds: Seeds) -> None:
        """From now on these are the pending seeds."""
        self._seeds = seeds

    def last(self) -> int:
        """The number of the last turn now; 0 where nobody else appends, so that every used seed is known at once."""
        return 0

    def is_paid(self, seed: int, after: int) -> bool:  # noqa: ARG002
        """Whether a turn after this number has the seed although it is listed: another writer used it, or one died."""
        return False

    def seed(self, key: str, own: int) -> int:
        """The seed from which a turn draws under this key and from then on: a pending one if any, else its `own`."""
        if not self._lent:
            self._owing = self.read()
        if own not in self._lent:  # a late entry may be decided several times before it is appended
            taken = self._lent.values()
            owing = self._owing.get(key, {}).items()
            found = next((seed for seed, after in owing if seed not in taken and not self.is_paid(seed, after)), own)
            self._lent[own] = self._lent[found] = found
        seed = self._lent[own]
        drawn = self._drawn.setdefault(key, [])
        if seed not in drawn:
            drawn.append(seed)
        return seed

    @contextmanager
    def trying(self) -> Iterator[None]:
        """What is drawn inside is pending if it ends in a refusal. Of nested tries the outermost counts."""
        if not self._tries:
            self._lent, self._drawn = {}, {}
        self._tries += 1
        try:
            yield
        except (Refusal, Invalid, Conflict):
            if self._tries == 1 and self._drawn:
                last = self.last()
                drawn = {}
                for key, new in self._drawn.items():
                    before = self._owing.get(key, {})
                    drawn[key] = {**before, **{seed: last for seed in new if seed not in before}}
                self.write({**self._owing, **drawn})
            raise
        finally:
            self._tries -= 1

    def paid(self) -> None:
        """The turns of the last try are in the log: the seeds that they used are pending no longer."""
        if self._tries or not self._drawn:
            return
        used = set(self._lent.values())
        left = {
            key: {seed: after for seed, after in seeds.items() if seed not in used}
            for key, seeds in self._owing.items()
        }
        if left != self._owing:
            self.write({key: seeds for key, seeds in left.items() if seeds})
