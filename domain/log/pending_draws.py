"""What was drawn for something that then was refused, or that later turns stood in the way of.

Nothing of that was appended, but it may have been learnt: a refusal says what it rests on, and that there is none says
something too. So its seed stays owed: the next turn that draws the same takes it for its own, and nobody tries until it
falls well. What a turn drew follows from the seed that it has on record, owed or not.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from domain.refusal import Conflict, Invalid, Refusal

#: The seeds that are owed under a key of the chance, in the order in which they are drawn from; each with the number
#: of the last turn at the time: a later one has it, if any does.
Seeds = Mapping[str, Mapping[int, int]]


class PendingDraws:
    """The seeds that are owed in one line of play, for as long as this lives: `read` and `write` keep them longer."""

    def __init__(self) -> None:
        self._seeds: Seeds = {}
        #: a turn's own seed -> the one that it has; what it has -> the same
        self._lent: dict[int, int] = {}
        #: key -> the seeds from which was drawn under it
        self._drawn: dict[str, list[int]] = {}
        self._tries = 0
        #: what was owed when this try first drew
        self._owing: Seeds = {}

    def read(self) -> Seeds:
        """What is owed."""
        return self._seeds

    def write(self, seeds: Seeds) -> None:
        """From now on this is owed."""
        self._seeds = seeds

    def last(self) -> int:
        """The number of the last turn now; 0 where nobody else appends, and what is paid is known at once."""
        return 0

    def is_paid(self, seed: int, after: int) -> bool:  # noqa: ARG002
        """Whether a turn after this one has this seed, though it is still listed: somebody else's, or a writer died."""
        return False

    def seed(self, key: str, own: int) -> int:
        """The seed from which a turn draws under this key and from then on; its `own` one if nothing is owed there."""
        if not self._lent:
            self._owing = self.read()
        if own not in self._lent:  # a turn told late may be decided several times before it is
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
        """What is drawn in here is owed if it is refused. Of several tries in each other the outermost counts."""
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
        """What was drawn last is in the log; its seeds are those of its turns, and of no other."""
        if self._tries or not self._drawn:
            return
        used = set(self._lent.values())
        left = {
            key: {seed: after for seed, after in seeds.items() if seed not in used}
            for key, seeds in self._owing.items()
        }
        if left != self._owing:
            self.write({key: seeds for key, seeds in left.items() if seeds})
