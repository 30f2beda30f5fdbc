"""What keeps a line from being recorded as it stands: something is missing, ambiguous, or has no place in it.

These are results as well as exceptions: whoever finds one inside the reader returns it, and `understand` raises it.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from domain.choice import Choice
from domain.refusal import Invalid, Refusal
from domain.system.field_schema import Field


class Misread(Invalid):
    """The line cannot be understood. `at` is the place of the word that it fails at, None: the line as a whole."""

    def __init__(self, reason: str, at: int | None = None) -> None:
        super().__init__(reason)
        self.at = at


class NoVerb(Misread):
    """The line does not begin with a verb."""


class NoField(Misread):
    """An option that is no field of the action."""

    def __init__(self, reason: str, name: str, at: int | None = None) -> None:
        super().__init__(reason, at)
        self.name = name


class Missing(Misread):
    """The line may be right so far, and does not say these fields; `legal` are the values that the first may have.

    There are none where it can be anything. `instead`: the word that stands in its place, if one does; `of`: the
    action, with whom it is about, where the line ends too early; `like`: examples of the whole line, of which the first
    is shown behind the reason.
    """

    def __init__(
        self,
        reason: str,
        fields: Sequence[Field],
        at: int | None = None,
        legal: Sequence[str] = (),
        instead: str | None = None,
        of: Choice | None = None,
        like: Sequence[str] = (),
    ) -> None:
        super().__init__(f"{reason} Like: {like[0]}." if like else reason, at)
        self.whole = reason
        self.like = tuple(like)
        self.fields, self.legal, self.instead, self.of = tuple(fields), tuple(legal), instead, of

    def with_examples(self, like: Sequence[str]) -> "Missing":
        """The same with these examples of the whole line."""
        if tuple(like) == self.like:
            return self
        return Missing(self.whole, self.fields, self.at, self.legal, self.instead, self.of, like)


class Unclear(Misread):
    """A word fits several candidates."""

    def __init__(self, reason: str, candidates: Sequence[str], at: int | None = None) -> None:
        super().__init__(reason, at)
        self.candidates = tuple(candidates)


class PlaysSeveral(Unclear):
    """Somebody is named by the player, who plays several characters: `candidates`."""


#: What the meaning says that takes nothing out of the words of a line.
AS_WORDS = "part of the words"


class Meaning(Struct, frozen=True):
    """One meaning of an ambiguous line: in a few words, and as a line without another meaning."""

    says: str
    line: str


class Ambiguous(Misread):
    """The line may mean several things: it is asked which, with one key; where nobody can answer, all are spelt out.

    They are spelt out behind `lead`, with what each means in brackets if `explained`. `unasked`: what is raised there
    instead.
    """

    def __init__(
        self,
        lead: str,
        question: str,
        choices: Sequence[Meaning],
        at: int | None = None,
        *,
        explained: bool = False,
        unasked: Refusal | None = None,
    ) -> None:
        lines = (f"{choice.line} ({choice.says})" if explained else choice.line for choice in choices)
        super().__init__(f"{lead} {'; or '.join(lines)}." if choices else lead, at)
        self.lead, self.question, self.choices, self.explained = lead, question, tuple(choices), explained
        self.unasked = unasked

    @classmethod
    def between(
        cls,
        question: str,
        lines: Iterable[Meaning | str],
        at: int | None,
        instead: str = "Say:",
        *,
        explained: bool = False,
    ) -> "Ambiguous":
        """The question which of these lines is meant; one without a Meaning of its own is shown as it is.

        `instead` stands between the question and the lines where they are spelt out.
        """
        choices = [line if isinstance(line, Meaning) else Meaning(line, line) for line in lines]
        return cls(f"{question} {instead}" if choices else question, question, choices, at, explained=explained)

    def only(self, choices: Sequence[Meaning]) -> "Ambiguous":
        """The same with some of the choices alone."""
        return Ambiguous(self.lead, self.question, choices, self.at, explained=self.explained, unasked=self.unasked)
