"""What was turned over for a question that nobody has answered yet.

Cards and dice that somebody has seen are settled by an answer, or nobody would play on without knowing them: until
then nothing else is recorded here. Whoever may do the action may answer.
"""

from collections.abc import Sequence

import msgspec
from msgspec import Struct

from cli.recording.steps import Ask
from cli.store.streams import StoredLog
from domain.choice import Choice
from domain.log.port import Log
from domain.registry import action_from, tag_of
from domain.turn import Action


class TurnedOver(Struct, frozen=True):
    """A question about what was turned over when `last` was the last turn."""

    last: int
    why: str
    #: what each answer says, its sign, and the action that it comes to, as JSON
    answers: tuple[tuple[str, str, str], ...]

    def is_answered_by(self, actions: Sequence[Action]) -> bool:
        """Whether this is what one of its answers comes to."""
        return [as_json(action) for action in actions] in ([action] for _, _, action in self.answers)


class AnswerFirst(Exception):
    """Something else would be recorded while a question about what was turned over is open."""

    def __init__(self, question: TurnedOver) -> None:
        super().__init__(question.why)
        self.question = question


class OpenQuestions:
    """The one such question of a log: beside the turns where several processes serve it, else in memory."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._latest: TurnedOver | None = None
        self._stored = log if isinstance(log, StoredLog) else None

    def ask(self, question: Ask) -> None:
        """Note what the cards and dice have led to. Raises AnswerFirst if another such question is open."""
        choices = ((answer, answer.choice) for answer in question.answers)
        answers = tuple(
            (choice.says, answer.sign, as_json(_action_of(choice, self._log.rules)))
            for answer, choice in choices
            if choice is not None
        )
        new = TurnedOver(self._log.last(), question.why, answers)
        if (before := self._read()) is not None and before != new:
            raise AnswerFirst(before)
        self._latest = new
        if self._stored is not None:
            self._stored.keep(self._name, msgspec.json.encode(new).decode())

    def check(self, actions: Sequence[Action]) -> None:
        """Raise AnswerFirst for what answers no question that is open."""
        question = self._read()
        if question is not None and not question.is_answered_by(actions):
            raise AnswerFirst(question)

    def known(self) -> TurnedOver | None:
        """The question that is open, as far as this process knows it; a later turn, wherever it came from, ends it."""
        question = self._latest
        return question if question is not None and question.last == self._log.last() else None

    def _read(self) -> TurnedOver | None:
        kept = None if self._stored is None else self._stored.kept(self._name)
        if kept:
            self._latest = msgspec.json.decode(kept, type=TurnedOver)
        return self.known()

    @property
    def _name(self) -> str:
        return f"turned over {self._stored.stream}" if self._stored is not None else ""


def as_json(action: Action) -> str:
    """An action as it is compared, and sent by a tap."""
    return msgspec.json.encode(action, order="sorted").decode()


def _action_of(choice: Choice, rules: str) -> Action:
    return action_from(rules, {"type": tag_of(choice.action), **choice.fields})
