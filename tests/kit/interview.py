"""What the rules ask before an action is done, answered by a script: each answer is the beginning of what it means."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from cli.recording.choosing import Choosing, completed, completed_choice
from domain.choice import Choice
from domain.system.pending import PendingDecision

from .given import Given


class Interview(Struct):
    """What was asked, in its order, and what came of the answers."""

    #: why, and what each answer means
    questions: list[tuple[str, list[str]]]
    #: the actions to be done, as JSON; None: something has to be typed
    actions: list[dict[str, Any]] | None
    #: the fields that are to be typed then
    to_type: tuple[str, ...] = ()

    @property
    def choices(self) -> list[str]:
        """The answers that the last question has."""
        return self.questions[-1][1]


def interview(table: Given, action: Mapping[str, Any], *answers: str) -> Interview:
    """Ask about an action; no question may be left over, and no answer."""
    return _drive(completed(table.handler, (table.line(action),), table.handler.state()), answers)


def quiet(table: Given, action: Mapping[str, Any]) -> None:
    """Nothing is asked about an action."""
    assert not interview(table, action).questions


def interview_of_choice(table: Given, way: Choice, *answers: str) -> Interview:
    """Ask what a way that settles something leaves open."""
    return _drive(completed_choice(table.handler, way, table.handler.state()), answers)


def _drive(asking: Choosing, answers: Sequence[str]) -> Interview:
    questions: list[tuple[str, list[str]]] = []
    remaining = list(answers)
    try:
        matter: PendingDecision = next(asking)
        while True:
            labels = [way.says for way in matter.choices]
            questions.append((matter.why, labels))
            assert remaining, f"asked, and not answered: {matter.why} {labels}"
            answer = remaining.pop(0)
            exactly = [way for way in matter.choices if way.says == answer]
            (way,) = exactly or [way for way in matter.choices if way.says.startswith(answer)]
            matter = asking.send(way)
    except StopIteration as stop:
        assert not remaining, f"not asked: {remaining}"
        if isinstance(stop.value, Choice):
            return Interview(questions, None, stop.value.asks)
        return Interview(questions, [msgspec.json.decode(msgspec.json.encode(action)) for action in stop.value])
