"""The values that the table returns to its faces: replies, questions, previews and proposals."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from cli.shell.ending import DONE
from cli.terminal.asking import choice_key
from domain.system.type_descriptions import either

#: Said of a question for which something was drawn, so that leaving it gains nothing.
DRAWN_AGAIN = "the next try draws the same"


class KeyChoice(Struct, frozen=True):
    """One answer to a question: its key and its meaning."""

    key: str
    says: str
    #: whether somebody dies of it, so that its key alone is not enough
    is_grave: bool = False

    @property
    def answers_at_once(self) -> bool:
        """Whether its key alone answers."""
        return self.key.isdecimal() and not self.is_grave


class KeyQuestion(Struct, frozen=True):
    """A question that is answered with one digit, or with what is typed."""

    why: str
    choices: tuple[KeyChoice, ...]
    #: the choice is secret: the typed key is not shown
    unseen: bool = False
    #: cards or dice were drawn for it, which the next try draws again
    drawn: bool = False
    #: the key of the answer whose number can be typed at once
    number: str = ""
    #: the key of the answer whose words can be typed at once, where they are no line of their own
    words: str = ""
    #: whether it only lists what can be done, so that nothing waits for the answer
    is_menu: bool = False

    def choice_of(self, key: str) -> KeyChoice | None:
        """The answer with this key; None if there is none."""
        return next((choice for choice in self.choices if choice.key == key), None)

    def called(self, text: str) -> KeyChoice | None:
        """The answer with this key, or that says just this; of yes and no one letter will do."""
        short = {choice.says[0]: choice for choice in self.choices if choice.says in ("yes", "no")}
        by_name = {choice.key.casefold(): choice for choice in self.choices}
        by_name |= {choice.says.casefold(): choice for choice in self.choices}
        return {**short, **by_name}.get(text.casefold())

    def meant_by(self, text: str) -> KeyChoice | None:
        """The answer that was typed: its key, or the beginning of what it says; None where none is meant alone."""
        key = choice_key(text, [(choice.key, choice.says) for choice in self.choices])
        return None if key is None else self.choice_of(key)

    @property
    def how(self) -> tuple[str, ...]:
        """How it is answered: "press 1 or 2", "type A and Enter"."""
        choices = [choice for choice in self.choices if choice.key != self.number]
        digits = [choice.key for choice in choices if choice.answers_at_once]
        letters = [choice.key for choice in choices if not choice.answers_at_once]
        ways = (
            f"press {keys_in_words(digits)}" if digits else "",
            "type the number" if self.number else "",
            f"type {keys_in_words(letters)} and Enter" if letters else "",
        )
        return tuple(filter(None, ways))

    @property
    def prompt(self) -> str:
        """What is said below the question: how it is answered, and what Esc does."""
        how = either(self.how)
        return f"{how[:1].upper()}{how[1:]}, or Esc to cancel{f'; {DRAWN_AGAIN}' if self.drawn else ''}."


def keys_in_words(keys: Sequence[str]) -> str:
    """Keys as text: "1 to 9 or 0", "A or B"."""
    runs: list[list[str]] = []
    for key in keys:
        if runs and key.isdecimal() and ord(key) == ord(runs[-1][-1]) + 1:
            runs[-1].append(key)
        else:
            runs.append([key])
    return either(part for run in runs for part in (run if len(run) < 3 else [f"{run[0]} to {run[-1]}"]))


class Reply(Struct, frozen=True):
    """The reply to one line or key: lines to show (with codes for colours if the table paints), and its exit code."""

    lines: tuple[str, ...] = ()
    code: int = DONE
    #: a further sentence about a line that was done
    notice: str = ""
    #: the question that has to be answered first
    choices: KeyQuestion | None = None
    #: the beginning of a line to be completed
    begins: str | None = None
    #: whether turns were recorded
    is_recorded: bool = False
    #: whether the line was `quit`
    leaves: bool = False


#: What Enter does with a line. "draws" records it, unless what is drawn leaves something to be decided; "asks" what
#: has to be decided before it is recorded; "looks back" records it, unless it changes earlier turns; "goes on" asks
#: for what is missing; "waits" keeps it until that is answered; "passes" leaves what the table waits for as it is; ""
#: says what is wrong.
Enter = Literal["", "records", "draws", "asks", "looks back", "goes on", "waits", "shows", "passes", "leaves"]


class LinePreview(Struct, frozen=True):
    """What a line would do, in one sentence, and how to show it."""

    text: str = ""
    kind: Literal["nothing", "would", "refused", "missing"] = "nothing"
    enter: Enter = ""
    #: whether it is about the word that is still being typed
    is_early: bool = False


class Proposal(Struct, frozen=True):
    """One choice of a pending decision: its key, its meaning, and the line as far as it is known."""

    key: str
    says: str
    line: str


class Waiting(Struct, frozen=True):
    """A pending decision as the table shows it."""

    why: str
    proposals: tuple[Proposal, ...]
