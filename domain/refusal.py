"""The three ways in which an action does not become a turn.

* `Invalid`: wrong whatever the log says (a missing field, a number out of bounds). Exit code 2.
* `Refusal`: a rule, or the state of the campaign, forbids it. Exit code 3.
* `Conflict`: it would take the ground from under later turns. Exit code 4.

In none of them is anything appended.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from domain.choice import Choice


class Invalid(Exception):
    """The request itself is malformed; `reason` is one plain sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unreported(Invalid):
    """What was rolled or drawn at the table has to be reported, and is not.

    `example`: the field that takes it, by its name, with a value that can be reported there.
    """

    def __init__(self, reason: str, example: Mapping[str, object]) -> None:
        super().__init__(reason)
        self.example = example


class Unfit(Invalid):
    """A field of an action is missing or has a value that it does not take.

    `told` says so for whoever does not think of the action by its tag.
    """

    def __init__(self, reason: str, told: str) -> None:
        super().__init__(reason)
        self.told = told


class Refusal(Exception):
    """A rule forbids the action. `rule` is its citation ("OSR 6.5"), None outside the rule systems.

    `choices`: what can be done first or instead; each surface writes them as they are typed there.
    """

    def __init__(self, rule: str | None, reason: str, choices: Sequence[Choice] = ()) -> None:
        super().__init__(reason)
        self.rule = rule
        self.reason = reason
        self.choices = choices

    def __str__(self) -> str:
        return f"{self.reason.removesuffix('.')} ({self.rule})." if self.rule else self.reason


class Unknown(Refusal):
    """Nothing of this kind has that name or number. `hint` says which there are, or the nearest.

    Finding the nearest takes longer than refusing does, so it is worked out when somebody reads the reason.
    """

    def __init__(self, kind: str, sought: object, told: str, hint: Callable[[], str] | str = "") -> None:
        super().__init__(None, told)
        self.kind, self.sought = kind, sought
        self._told, self._hint = told, hint

    @property
    def reason(self) -> str:
        hint = self._hint if isinstance(self._hint, str) else self._hint()
        return f"{self._told}; {hint}" if hint else f"{self._told}."

    @reason.setter
    def reason(self, told: str) -> None:
        """The reason is made of its parts."""


class ReportedShort(Refusal):
    """What was reported of the table ends too early; `example` as for `Unreported`."""

    def __init__(self, rule: str, reason: str, example: Mapping[str, object]) -> None:
        super().__init__(rule, reason)
        self.example = example


class LaterTurn(Struct, frozen=True):
    """One later turn that would no longer be legal, and why."""

    turn: int
    rule: str | None
    reason: str


class Conflict(Exception):
    """Later turns stand in the way; every one of them is listed."""

    def __init__(self, turns: Sequence[LaterTurn]) -> None:
        super().__init__(", ".join(f"T{later.turn}" for later in turns))
        self.turns = tuple(turns)


class Incomplete(Exception):
    """A rule system lacks something that the log needs of it; the text names the piece."""


def refuse_unless(condition: object, rule: str, reason: str) -> None:
    """Raise Refusal by `rule` unless the condition holds."""
    if not condition:
        raise Refusal(rule, reason)
