"""What was drawn for something that then was refused, or that later turns stood in the way of.

Nothing of that was appended, but it may have been learnt: a refusal says what it rests on, and that there is none says
something too. So it stays owed: whoever tries once more draws the same, and nobody tries until it falls well.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from domain.refusal import Conflict, Invalid, Refusal

#: The seeds that are owed under a key of the chance, in the order in which they are drawn from.
Seeds = Mapping[str, Sequence[int]]


class Owed:
    """The draws that are owed in one line of play, for as long as this lives: `read` and `write` keep them longer."""

    def __init__(self) -> None:
        self._seeds: Seeds = {}
        #: key -> each turn's own seed -> the one that it draws from
        self._asked: dict[str, dict[int, int]] = {}
        self._tries = 0
        #: what was owed when this try first drew
        self._owing: Seeds = {}

    def read(self) -> Seeds:
        """What is owed."""
        return self._seeds

    def write(self, seeds: Seeds) -> None:
        """From now on this is owed."""
        self._seeds = seeds

    def seed(self, key: str, own: int) -> int:
        """The seed from which a turn draws under this key; its `own` one if nothing is owed there."""
        if not self._asked:
            self._owing = self.read()
        asked = self._asked.setdefault(key, {})
        if own not in asked:  # a turn told late may be decided several times before it is
            owed = self._owing.get(key, ())
            asked[own] = owed[len(asked)] if len(asked) < len(owed) else own
        return asked[own]

    @contextmanager
    def trying(self) -> Iterator[None]:
        """What is drawn in here is owed if it is refused. Of several tries in each other the outermost counts."""
        if not self._tries:
            self._asked = {}
        self._tries += 1
        try:
            yield
        except (Refusal, Invalid, Conflict):
            if self._tries == 1 and self._asked:
                drawn = {
                    key: [*asked.values(), *self._owing.get(key, ())[len(asked) :]]
                    for key, asked in self._asked.items()
                }
                self.write({**self._owing, **drawn})
            raise
        finally:
            self._tries -= 1

    def paid(self) -> None:
        """What was drawn last is in the log."""
        if self._tries or not self._asked:
            return
        if self._owing.keys() & self._asked.keys():
            left = {key: seeds[len(self._asked.get(key, ())) :] for key, seeds in self._owing.items()}
            self.write({key: seeds for key, seeds in left.items() if seeds})
