"""The pending decisions of the table, each choice with the key that picks it."""

from cli.line.spelling import line_of_choice, start_of_line
from cli.recording.audience import Audience
from cli.recording.choosing import KEYS, question_of
from cli.recording.steps import sign_of
from cli.table.replies import Proposal, Waiting
from domain.choice import Choice
from domain.system.pending import PendingDecision


class Proposals:
    """What those who look on can settle now. A decision that was left as it is is not proposed again."""

    def __init__(self, audience: Audience) -> None:
        self._audience = audience
        self._left: list[PendingDecision] = []
        #: the key of each choice that was proposed last, by what it means
        self._keys: dict[str, str] = {}

    def by_key(self) -> dict[str, tuple[PendingDecision, Choice | None]]:
        """Each choice by its key; None stands for leaving a decision as it is.

        What stays keeps its key, and meanwhile nothing else takes one that was shown before: a `1` that is typed too
        early means what it meant, or nothing.
        """
        choices = [
            (decision, choice)
            for decision in self._decisions()
            for choice in (*decision.choices, *((None,) if decision.leave else ()))
        ]
        meant = [decision.leave if choice is None else sign_of(choice) for decision, choice in choices]
        kept = {what: self._keys[what] for what in meant if what in self._keys}
        free = iter([key for key in KEYS if not kept or key not in self._keys.values()])
        self._keys = {what: key for what in meant if (key := kept.get(what) or next(free, ""))}
        return {self._keys[what]: choice for what, choice in zip(meant, choices, strict=True) if what in self._keys}

    def leave(self, decision: PendingDecision) -> None:
        self._left.append(decision)

    def waiting(self) -> tuple[Waiting, ...]:
        """The pending decisions in words, each choice with its key and its line."""
        choices, result = self.by_key(), []
        for decision in self._decisions():
            proposals = [
                Proposal(key, decision.leave, "")
                if choice is None
                else Proposal(key, in_words(self._audience, choice), start_of_line(self._audience.context, choice))
                for key, (of, choice) in choices.items()
                if of is decision or of == decision
            ]
            result.append(Waiting(question_of(decision), tuple(proposals)))
        return tuple(result)

    def _decisions(self) -> list[PendingDecision]:
        pending = self._audience.pending()
        self._left = [decision for decision in self._left if decision in pending]
        return [decision for decision in pending if decision not in self._left]


def in_words(audience: Audience, choice: Choice | None) -> str:
    """A choice as it is proposed: what it means, or its line; "" for none."""
    return "" if choice is None else choice.says or line_of_choice(audience.context, choice)
