"""The steps that a conversation returns to its face: what to ask, to show, or to let somebody type."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from cli.line.understanding import Question
from cli.recording.choosing import KEYS, LETTERS
from domain.choice import Choice
from domain.log.revising import Outcome
from domain.refusal import Invalid, LaterTurn, Refusal
from domain.registry import tag_of
from domain.system.field_schema import fields_of
from domain.system.pending import PendingDecision
from domain.system.state import Game

if TYPE_CHECKING:  # most turns revise no earlier one
    from projections.preview import ActionPreview


#: The sign of an answer that leaves everything as it is, alone or before a colon and its words.
LEAVE = "leave"


class Answer(Struct, frozen=True):
    """One answer to a question.

    `key` is for keyboards, "" where there are more answers than keys; `sign` identifies it across requests without a
    session, as it depends only on the meaning of the answer. `says` is empty if the face words the choice.
    """

    key: str
    says: str
    sign: str
    choice: Choice | None = None
    #: the whole line that this answer makes of the one that was typed; "" where no line is asked about
    line: str = ""
    #: what a button says for it, if `says` begins with the word to type
    label: str = ""


class Ask(Struct, frozen=True):
    """A question that has to be answered before the conversation goes on.

    Its `kind` is a decision of the rules before an action is recorded ("rules"), one that a turn has left pending
    ("open"), a missing field ("field"), the confirmation of a change of earlier turns ("confirm"), or the fate of later
    turns that are no longer legal ("conflicts").
    """

    kind: Literal["rules", "open", "field", "confirm", "conflicts"]
    why: str
    answers: tuple[Answer, ...]
    #: the preview to show first
    preview: "ActionPreview | None" = None
    #: the preview of the answer that keeps later results, if there is one; `preview` is that of the other
    keeping: "ActionPreview | None" = None
    #: later turns that are no longer legal
    conflicts: tuple[LaterTurn, ...] = ()
    #: the turn that is recorded already, whatever the answer
    stands: int | None = None
    #: whether cards or dice were drawn for it, which the next try draws again
    drawn: bool = False

    @property
    def with_text(self) -> Answer | None:
        """The one answer of which a text is to be typed."""
        answers = [answer for answer in self.answers if answer.choice is not None and _takes_text(answer.choice)]
        return answers[0] if len(answers) == 1 else None

    @property
    def with_number(self) -> Answer | None:
        """The one answer of which a number is to be typed."""
        answers = [answer for answer in self.answers if answer.choice is not None and _takes_number(answer.choice)]
        return answers[0] if len(answers) == 1 else None

    @property
    def is_about_words(self) -> bool:
        """Whether nothing is chosen but to say something in words or to leave it unsaid."""
        return self.with_text is not None and sum(answer.choice is not None for answer in self.answers) == 2

    @property
    def with_keys(self) -> tuple[Answer, ...]:
        """The answers that have a key; the others have to be tapped, or typed behind the line."""
        return tuple(answer for answer in self.answers if answer.key)

    @property
    def leaving(self) -> Answer | None:
        """The answer that leaves everything as it is; None if there is none."""
        return next((answer for answer in self.answers if answer.sign.partition(":")[0] == LEAVE), None)

    def answered_by(self, key: str) -> Answer | None:
        """The answer with this key or sign; None if there is none."""
        return next((answer for answer in self.answers if key and key in (answer.key, answer.sign)), None)


class TypeOn(Struct, frozen=True):
    """An unfinished line whose rest has to be typed; an empty rest leaves it.

    `error` is the error of a first attempt.
    """

    beginning: str
    error: Invalid | Refusal | None = None
    #: the pending decision that the line settles, and the choice that it makes
    settles: PendingDecision | None = None
    choice: Choice | None = None


class TurnsRecorded(Struct, frozen=True):
    """Turns that have just been recorded."""

    outcomes: tuple[Outcome, ...]
    #: the state before them
    before: Game
    #: the preview that was shown before
    preview: "ActionPreview | None" = None
    #: whether they change earlier turns
    revises: bool = False
    #: the decisions that they left pending and that are asked next
    pending: tuple[PendingDecision, ...] = ()
    #: what is said beside: whom `all` left out, which of two hours it was
    notice: str = ""


class Previewed(Struct, frozen=True):
    """The preview of a dry run."""

    preview: "ActionPreview"


class Done(Struct, frozen=True):
    """The conversation is over."""


Step = Ask | TypeOn | TurnsRecorded | Previewed | Question | Done


def _takes_text(choice: Choice) -> bool:
    """Whether the next field that a choice asks for is the rest of its line, in somebody's own words."""
    return any(field.remark for field in fields_of(choice.action) if field.key in choice.asks[:1])


def _takes_number(choice: Choice) -> bool:
    return any(field.one.shape == "number" for field in fields_of(choice.action) if field.key in choice.asks[:1])


def sign_of(choice: Choice) -> str:
    """A hash of a choice's content, the same in every request."""
    value = msgspec.json.encode([tag_of(choice.action), choice.fields, choice.asks, choice.says], order="sorted")
    return blake2b(value, digest_size=9).hexdigest()


def answers_of(choices: Sequence[Choice], *more: str, kept: Mapping[str, str] = {}) -> tuple[Answer, ...]:
    """Answers for these choices, with a key each; `more` are the words of answers that choose none.

    Where a number may be typed instead, the keys are letters: the 1 of 15 would answer something else. `kept`: as in
    `keys_for`.
    """
    keys = keys_for([choice.says for choice in choices], LETTERS if any(map(_takes_number, choices)) else KEYS, kept)
    answers = [Answer(key, choice.says, sign_of(choice), choice) for key, choice in zip(keys, choices, strict=False)]
    leaving = [Answer(key, says, f"{LEAVE}:{says}") for key, says in zip(keys[len(answers) :], more, strict=False)]
    return (*answers, *leaving)


def keys_for(answers: Sequence[str], keys: Sequence[str], kept: Mapping[str, str]) -> Sequence[str]:
    """The keys of answers in their order, and behind them the others.

    Answers that all stood in the question before keep its keys: no number means another card once one is taken.
    """
    own = [kept[says] for says in answers if says in kept]
    return [*own, *(key for key in keys if key not in own)] if len(own) == len(answers) else keys
