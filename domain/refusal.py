"""The three ways in which an action does not become a turn.

* `Invalid`: wrong whatever the log says (a missing field, a number out of bounds). Exit code 2.
* `Refusal`: a rule, or the state of the campaign, forbids it. Exit code 3.
* `Conflict`: later turns would no longer be legal. Exit code 4.

None of them appends anything to the log.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from domain.choice import Choice


class Invalid(Exception):
    """The request itself is malformed; `reason` is one plain sentence."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Unreported(Invalid):
    """The action lacks values that were rolled or drawn at the table.

    `example`: the field that takes them, by its name, with a value that can be reported there. `without_fields` is the
    same reason without names of fields, for a surface that shows none.
    """

    def __init__(self, reason: str, example: Mapping[str, object], without_fields: str) -> None:
        super().__init__(reason)
        self.example = example
        self.without_fields = without_fields


class Unfit(Invalid):
    """A field of an action is missing or has a value that it does not take.

    `without_tag` is the same reason without the tag of the action, for a surface that shows no tags; `field` is the
    `Field` and `value` what it does not take, for one that shows labels. Without a value it is missing or blank.
    """

    def __init__(self, reason: str, without_tag: str, field: Any, value: object = None) -> None:
        super().__init__(reason)
        self.without_tag, self.field, self.value = without_tag, field, value


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
    """Nothing of this kind has that name or number. `hint` lists the existing names, or the nearest ones.

    A hint that is slow to compute is given as a function; it is called when the reason is read.
    """

    def __init__(self, kind: str, sought: object, sentence: str, hint: Callable[[], str] | str = "") -> None:
        super().__init__(None, sentence)
        self.kind, self.sought = kind, sought
        self._sentence, self._hint = sentence, hint

    @property
    def reason(self) -> str:
        hint = self._hint if isinstance(self._hint, str) else self._hint()
        return f"{self._sentence}; {hint}" if hint else f"{self._sentence}."

    @reason.setter
    def reason(self, sentence: str) -> None:
        """Ignore what `Refusal.__init__` sets: the reason is composed of the sentence and the hint."""


class ReportedShort(Refusal):
    """Too few values were reported from the table; `example` as for `Unreported`."""

    def __init__(self, rule: str, reason: str, example: Mapping[str, object]) -> None:
        super().__init__(rule, reason)
        self.example = example


class LaterTurn(Struct, frozen=True):
    """One later turn that would no longer be legal, and why."""

    turn: int
    rule: str | None
    reason: str

    @property
    def refusal(self) -> Refusal:
        """What the rules say to it."""
        return Refusal(self.rule, self.reason)


class Conflict(Exception):
    """The action would make later turns illegal; all of them are listed in `turns`."""

    def __init__(self, turns: Sequence[LaterTurn]) -> None:
        super().__init__(", ".join(f"T{later.turn}" for later in turns))
        self.turns = tuple(turns)


class Incomplete(Exception):
    """A rule system lacks a piece that the log needs; the text names it."""


def refuse_unless(condition: object, rule: str, reason: str) -> None:
    """Raise Refusal by `rule` unless the condition holds."""
    if not condition:
        raise Refusal(rule, reason)
