"""The values that the table returns to its faces: replies, questions, previews and proposals."""

from typing import Literal

from msgspec import Struct

from cli.shell.ending import DONE
from cli.terminal.asking import choice_key, without_article
from domain.naming import ARTICLES, plain_words

#: Said of a question for which something was drawn, so that leaving it gains nothing.
DRAWN_AGAIN = "the next try draws the same"
#: Said of a text at a question that is none of its answers, once Enter was pressed behind it.
ANOTHER_LINE = "For another line, press Esc first."


class KeyChoice(Struct, frozen=True):
    """One answer to a question: its key and its meaning."""

    key: str
    says: str


class KeyQuestion(Struct, frozen=True):
    """A question that is answered with one key."""

    why: str
    choices: tuple[KeyChoice, ...]
    #: the choice is secret: the typed key is not shown
    unseen: bool = False
    #: what it is about, where `why` does not say that
    what: str = ""
    #: cards or dice were drawn for it, which the next try draws again
    drawn: bool = False
    #: the line that led to it, of which nothing is recorded; "" for a key, and for what is typed unseen
    line: str = ""

    def no_answer(self, text: str) -> str:
        """What is said to a text that is none of the answers; what is typed unseen is not repeated."""
        return "That is not an answer" if self.unseen else f'"{text}" is not an answer'

    def answered_by(self, text: str) -> KeyChoice | None:
        """The answer that a text is: its key, or the beginning of its meaning, but where that is typed unseen."""
        keys = [(choice.key, "" if self.unseen else choice.says) for choice in self.choices]
        key = choice_key(text, keys)
        return next((choice for choice in self.choices if choice.key == key), None)

    def may_become_answer(self, text: str) -> bool:
        """Whether the words of a text stand in a row in what an answer means, the last of them perhaps not whole."""
        words = without_article(plain_words(text))
        rows = (plain_words(choice.says) for choice in self.choices if not self.unseen)
        runs = (row[at : at + len(words)] for row in rows for at in range(len(row)))
        return words[0] in ARTICLES or any(
            run[:-1] == words[:-1] and run[-1].startswith(words[-1]) for run in runs if len(run) == len(words)
        )

    def about(self, text: str, keys: str, *, gives_way: bool) -> tuple[str, str]:
        """What is said of a text that is typed in its place, and in which style; `keys` are those that answer.

        `gives_way`: Enter found no answer in this text, and the next letter begins another one.
        """
        answer = self.answered_by(text)
        if answer is not None:
            meaning = "" if self.unseen else f"{answer.key}: {answer.says}. "
            return f"{meaning}Enter takes this answer; if you type on, it becomes a line.", ""
        if gives_way:
            return f"{self.no_answer(text)}: press {keys}. {ANOTHER_LINE}", "yellow"
        return f"{self.no_answer(text)}: press {keys}, or keep typing to write a line.", "yellow"

    @property
    def _subject(self) -> str:
        return self.what or self.why.removesuffix(":")

    @property
    def left(self) -> str:
        """What is said where the question was left, for somebody who may not have seen it: the line that led to it."""
        again = f" ({DRAWN_AGAIN})" if self.drawn else ""
        return f"Left unanswered, nothing was recorded{again}: {self.line or self._subject}"

    def prompt(self, keys: str) -> str:
        """What is said below the question: the `keys` that answer, and what Esc does."""
        why = "to answer" if len(self.choices) > 1 else "for that"
        return f"Press {keys} {why}, or Esc to cancel{f'; {DRAWN_AGAIN}' if self.drawn else ''}."

    @property
    def comes_first(self) -> str:
        """What is said to somebody who would take back a line while the question is open."""
        nothing = DRAWN_AGAIN if self.drawn else "nothing is recorded"
        return f"First this question: {self._subject} (Esc cancels it; {nothing})"


class Reply(Struct, frozen=True):
    """The reply to one line or key: lines to show (with codes for colours if the table paints), and its exit code."""

    lines: tuple[str, ...] = ()
    code: int = DONE
    #: a further sentence about a line that was done
    notice: str = ""
    #: the question that has to be answered first
    choices: KeyQuestion | None = None
    #: the beginning of a line to be completed, and the question that its rest answers
    begins: str | None = None
    asks: str = ""
    #: whether the line was `quit`
    leaves: bool = False


class LinePreview(Struct, frozen=True):
    """What a line would do, in one sentence, and how to show it."""

    text: str = ""
    kind: Literal["nothing", "would", "refused", "missing"] = "nothing"


class Proposal(Struct, frozen=True):
    """One choice of a pending decision: its key, its meaning, and the line as far as it is known."""

    key: str
    says: str
    line: str


class Waiting(Struct, frozen=True):
    """A pending decision as the table shows it."""

    why: str
    proposals: tuple[Proposal, ...]
