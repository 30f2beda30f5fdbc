"""The one error of a line that is not done: why, and whole lines that do what it said."""

from collections.abc import Mapping, Sequence

from cli.line.words import Line
from domain.choice import Choice
from domain.refusal import Invalid, Refusal
from domain.system.state import Game
from domain.system.type_descriptions import either


class LineError(Invalid):
    """A line that has no meaning, or more than one.

    Each line of `nearest` can be typed as it stands and does what this one said; `refusal` is that of the line which
    was meant most likely, where the rules refuse it now. `at` is the place of the word at fault. `missing` are the keys
    of the required fields that are open, where nothing but these is wrong; `lacks` is then the action as far as it is
    said, unless the line is about several people with values of their own, and `state` the one in which it lacks them.
    `no_verb`: it begins with none.
    """

    def __init__(
        self,
        reason: str,
        *,
        nearest: Sequence[str] = (),
        at: int = 0,
        missing: Sequence[str] = (),
        lacks: Choice | None = None,
        state: Game | None = None,
        no_verb: bool = False,
    ) -> None:
        super().__init__(reason)
        self.nearest, self.at, self.missing, self.lacks = tuple(nearest), at, tuple(missing), lacks
        self.state, self.no_verb = state, no_verb
        self.refusal: Refusal | Invalid | None = None

    def __str__(self) -> str:
        """The reason, with the lines that can be typed."""
        reason = f"{self.reason} {self.refusal}" if self.refusal is not None else self.reason
        return f"{reason} Like: {'; or '.join(self.nearest)}." if self.nearest else reason


def may_be(line: Line, begin: int, end: int, ways: Mapping[str, str]) -> LineError:
    """The error for words that fit several things: what each of `ways` is, and how it is typed in their place."""
    return LineError(
        f"{line.rest(begin, end).removesuffix(',')} may be {either(ways)}.",
        nearest=[line.replaced(begin, end, typed) for typed in ways.values()],
        at=begin,
    )
