"""The steps of a conversation: what somebody has to be shown, asked or left to type before it goes on."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Literal

import msgspec
from msgspec import Struct

from cli.line.choosing import KEYS
from cli.line.understanding import Question
from domain.choice import Choice
from domain.log.revising import Outcome
from domain.refusal import Invalid, LaterTurn, Refusal
from domain.registry import tag_of
from domain.system.pending import PendingDecision
from domain.system.state import Game

if TYPE_CHECKING:  # most of what is recorded changes nothing recorded before
    from projections.preview import ActionPreview


class Answer(Struct, frozen=True):
    """One answer to a question.

    `key` gives it on a keyboard, `sign` names it for whoever keeps nothing between two requests: it stays the same for
    as long as the answer means the same. `says` is empty where only a face can word the choice.
    """

    key: str
    says: str
    sign: str
    choice: Choice | None = None


class Ask(Struct, frozen=True):
    """A question; nothing happens until one of the answers is given.

    `kind`: what the rules leave to decide before it is recorded ("rules"), what a turn has left
    open ("open"), a field of the line that is missing ("field"), a word with several meanings ("word"), whether to go
    on though earlier turns change ("confirm"), and what becomes of later turns that are no longer legal ("conflicts").
    """

    kind: Literal["rules", "open", "field", "word", "confirm", "conflicts"]
    why: str
    answers: tuple[Answer, ...]
    #: what it would change, to be shown first
    preview: "ActionPreview | None" = None
    #: later turns that are no longer legal
    conflicts: tuple[LaterTurn, ...] = ()
    #: the turn that stands already, whatever is answered
    stands: int | None = None

    def answered_by(self, key: str) -> Answer | None:
        """The answer of a key, or of a sign; None if there is none."""
        return next((each for each in self.answers if key in (each.key, each.sign)), None)


class TypeOn(Struct, frozen=True):
    """A line as far as it is said; the rest has to be typed. Nothing typed behind it leaves it.

    `error` says why it cannot be done yet, after something was typed that could not.
    """

    beginning: str
    error: Invalid | Refusal | None = None
    #: what is settled by it, where a turn has left something open, and the way in which the line does that
    settles: PendingDecision | None = None
    choice: Choice | None = None


class TurnsRecorded(Struct, frozen=True):
    """Turns that are in the log now."""

    outcomes: tuple[Outcome, ...]
    #: the state before them
    before: Game
    #: what was shown of it beforehand
    shown: "ActionPreview | None" = None
    #: whether they change earlier turns
    revises: bool = False
    #: what they have left open and is asked next
    asked: tuple[PendingDecision, ...] = ()
    #: who was left out where everybody was named
    without: str = ""


class Previewed(Struct, frozen=True):
    """What it would come to, where nothing is to be recorded."""

    preview: "ActionPreview"


class Done(Struct, frozen=True):
    """The conversation is over."""


Step = Ask | TypeOn | TurnsRecorded | Previewed | Question | Done


def sign_of(choice: Choice) -> str:
    """A choice by what it does: the same in every request for as long as it is the same."""
    value = msgspec.json.encode([tag_of(choice.action), choice.fields, choice.asks, choice.says], order="sorted")
    return blake2b(value, digest_size=9).hexdigest()


def answers_of(choices: Sequence[Choice], *more: str) -> tuple[Answer, ...]:
    """The answers that choose between these, a key each; `more` are answers that choose none."""
    chosen = [Answer(key, each.says, sign_of(each), each) for key, each in zip(KEYS, choices, strict=False)]
    left = [Answer(key, says, f"leave:{says}") for key, says in zip(KEYS[len(chosen) :], more, strict=False)]
    return (*chosen, *left)
