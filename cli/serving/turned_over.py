"""A question of the rules that stands on the table until somebody answers it: whoever may do the action may.

Once cards or dice are face up, the question must be answered before anything else is recorded. Else it only stands on
the phone of the player whom it is about, where the referee told of a hit.
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, Self

import msgspec
from msgspec import Struct

from cli.recording.steps import Ask
from cli.store.stored_log import StoredLog
from domain.choice import Choice
from domain.log.port import Log
from domain.registry import action_from, tag_of
from domain.turn import Action


class OpenAnswer(Struct, frozen=True):
    """What an answer says, its sign, and the action that it comes to but for the fields that it asks for."""

    says: str
    sign: str
    action: dict[str, Any]
    asks: tuple[str, ...] = ()

    def comes_to(self, action: Action) -> bool:
        fields = msgspec.to_builtins(action)
        return {name: value for name, value in fields.items() if name not in self.asks} == self.action


class OpenQuestion(Struct, frozen=True):
    """A question that was asked when `last` was the last turn. `binds`: something was turned over for it."""

    last: int
    why: str
    answers: tuple[OpenAnswer, ...]
    binds: bool

    @classmethod
    def of(cls, ask: Ask, log: Log) -> Self:
        """What is asked now."""
        choices = ((answer, answer.choice) for answer in ask.answers)
        answers = tuple(
            OpenAnswer(choice.says, answer.sign, msgspec.to_builtins(_action_of(choice, log.rules)), choice.asks)
            for answer, choice in choices
            if choice is not None
        )
        return cls(log.last(), ask.why, answers, ask.drawn)

    @property
    def mark(self) -> str:
        """What tells it from every other question."""
        return blake2b(msgspec.json.encode(self), digest_size=9).hexdigest()

    def is_answered_by(self, actions: Sequence[Action]) -> bool:
        """Whether this is what one of its answers comes to."""
        return len(actions) == 1 and any(answer.comes_to(actions[0]) for answer in self.answers)


class AnswerFirst(Exception):
    """Something else would be recorded while a question about what was turned over is open."""

    def __init__(self, question: OpenQuestion) -> None:
        super().__init__(question.why)
        self.question = question


class OpenQuestions:
    """The one such question of a log: beside the turns where several processes serve it, else in memory."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._latest: OpenQuestion | None = None
        self._stored = log if isinstance(log, StoredLog) else None

    def ask(self, question: Ask) -> OpenQuestion:
        """Note what is asked. Raises AnswerFirst if another question binds."""
        new = OpenQuestion.of(question, self._log)
        if (before := self._read()) is not None and before.binds and before != new:
            raise AnswerFirst(before)
        self._latest = new
        if self._stored is not None:
            self._stored.keep(self._name, msgspec.json.encode(new).decode())
        return new

    def withdraw(self, mark: str) -> None:
        """End the question with this mark, as whoever told of it thought better; one that binds stays."""
        question = self._read()
        if question is not None and not question.binds and question.mark == mark:
            self._latest = None
            if self._stored is not None:
                self._stored.keep(self._name, "")

    def check(self, actions: Sequence[Action]) -> None:
        """Raise AnswerFirst for what does not answer a question that binds."""
        question = self._read()
        if question is not None and question.binds and not question.is_answered_by(actions):
            raise AnswerFirst(question)

    def known(self) -> OpenQuestion | None:
        """The question that is open, as far as this process knows it; a later turn, wherever it came from, ends it."""
        question = self._latest
        return question if question is not None and question.last == self._log.last() else None

    def _read(self) -> OpenQuestion | None:
        kept = None if self._stored is None else self._stored.kept(self._name)
        if kept:
            self._latest = msgspec.json.decode(kept, type=OpenQuestion)
        return self.known()

    @property
    def _name(self) -> str:
        return f"turned over {self._stored.stream}" if self._stored is not None else ""


def _action_of(choice: Choice, rules: str) -> Action:
    return action_from(rules, {"type": tag_of(choice.action), **choice.fields})
