"""What a tap or a typed line brings from a page, and what may come of it.

Nothing is kept between two requests, so a tap brings everything that was chosen before it; and the fingerprint of the
sentence that its button was shown with, so that nothing else is recorded for it. That holds the last turn at that
moment too: while nothing has been recorded since, the sentence need not be worked out again.
"""

from hashlib import blake2b

from msgspec import Struct

from cli.line.understanding import Question
from domain.choice import Choice
from domain.system.rows import CardView
from projections.chronicle import Entry

#: Characters of a fingerprint at most: a number and a hash.
LONGEST_FINGERPRINT = 40


class Tap(Struct, frozen=True):
    """What one seat says: one of `line`, `action`, `choice`, with the answers to the rules' questions."""

    #: the last turn that the page knew: the same said of the same table is one turn
    at: int = 0
    #: as it was typed
    line: str = ""
    #: an action as JSON
    action: str = ""
    #: the sign of a choice that settles what the table waits for
    choice: str = ""
    #: the signs of what was chosen after it
    answers: tuple[str, ...] = ()
    #: whether the changes of earlier turns were shown, and agreed to
    sure: bool = False
    #: a place in the log directly after which it happened; "": it happens now
    after: str = ""
    #: the fingerprint of the outcome that was shown; "" if none was
    fingerprint: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """What its turn is known by, besides the seat."""
        return (self.at, self.line.strip(), self.action, self.choice, *self.answers, *filter(None, (self.after,)))


class OfferedChoice(Struct, frozen=True):
    """One answer: what it means, what to send for it, and its outcome where that is known beforehand."""

    says: str
    tap: Tap
    outcome: str = ""
    #: the card that it is about, and what is chosen of it besides
    card: CardView | None = None
    short: str = ""
    #: whether nobody chooses it lightly
    is_grave: bool = False
    #: whether something has to be filled in for it
    is_open: bool = False


class TapPreview(Struct, frozen=True):
    """The outcome of a tap, and what the rules ask first: one more tap answers that and does it."""

    outcome: str
    why: str = ""
    choices: tuple[OfferedChoice, ...] = ()
    #: that of `outcome`, if this is what would be recorded
    fingerprint: str = ""
    #: whether only words are asked for, which may be left out
    asks_for_words: bool = False


class Continuation(Struct, frozen=True):
    """One word with which a line may go on, the line with it, and what the word is."""

    says: str
    line: str
    help: str = ""


class Recorded(Struct, frozen=True):
    """The tap is in the log: its turns, and whether they were there already."""

    turns: tuple[Entry, ...]
    repeated: bool = False


class RulesQuestion(Struct, frozen=True):
    """Nothing is done yet: the rules ask something first."""

    why: str
    choices: tuple[OfferedChoice, ...]
    #: whether it is about cards or dice that everybody has seen by now, so that it cannot be left
    is_turned_over: bool = False
    #: the mark of the same question on the phone of the player whom it is about; "" where it stands on none
    mark: str = ""


class FormNeeded(Struct, frozen=True):
    """Nothing is done yet: fields of a choice have to be filled in, of what happened directly after a turn; "": now."""

    choice: Choice
    after: str = ""


class ConfirmationNeeded(Struct, frozen=True):
    """Nothing is done yet: it changes earlier turns, in these lines, and is to be confirmed.

    `keeping`: the tap that keeps later results as they were announced, where they would come out otherwise.
    """

    lines: tuple[str, ...]
    tap: Tap
    keeping: Tap | None = None
    #: the question, and what the button that confirms it says
    why: str = "What it changes"
    label: str = "Do it"


TapResult = Recorded | RulesQuestion | FormNeeded | ConfirmationNeeded | Question


def fingerprint(last: int, sentence: str) -> str:
    """The fingerprint of a sentence shown when `last` was the last turn; "" of no sentence."""
    return f"{last} {_hash(sentence)}" if sentence else ""


def is_of_turn(mark: str, last: int) -> bool:
    """Whether a fingerprint was made when this was the last turn."""
    return mark.startswith(f"{last} ")


def is_of_sentence(mark: str, sentence: str) -> bool:
    """Whether a fingerprint is of this sentence, at whatever turn; "" is of none."""
    return bool(sentence) and mark.partition(" ")[2] == _hash(sentence)


def _hash(sentence: str) -> str:
    return blake2b(sentence.encode(), digest_size=9).hexdigest()
