"""The one error of a line that is not done: why, and whole lines that do what it said."""

from collections.abc import Sequence

from domain.choice import Choice
from domain.refusal import Invalid


class LineError(Invalid):
    """A line that has no meaning, or more than one.

    Each line of `nearest` can be typed as it stands and does what this one said. `at` is the place of the word at
    fault. `missing` are the keys of the required fields that are open, where nothing but these is wrong; `lacks` is
    then the action as far as it is said, unless the line is about several people with values of their own. `no_verb`:
    it begins with none.
    """

    def __init__(
        self,
        reason: str,
        *,
        nearest: Sequence[str] = (),
        at: int = 0,
        missing: Sequence[str] = (),
        lacks: Choice | None = None,
        no_verb: bool = False,
    ) -> None:
        super().__init__(reason)
        self.nearest, self.at, self.missing, self.lacks = tuple(nearest), at, tuple(missing), lacks
        self.no_verb = no_verb

    def __str__(self) -> str:
        """The reason, with the lines that can be typed."""
        return f"{self.reason} Like: {'; or '.join(self.nearest)}." if self.nearest else self.reason
