"""What a line or a key comes to at the table: lines to show, perhaps a question, perhaps a line to be typed on."""

from typing import Literal

from msgspec import Struct

from cli.shell.failures import DONE


class KeyChoice(Struct, frozen=True):
    """One answer to a question: the key that gives it, and what it means."""

    key: str
    says: str


class KeyQuestion(Struct, frozen=True):
    """A question that is answered with one key."""

    why: str
    choices: tuple[KeyChoice, ...]
    #: what is chosen lies face down: the key is not shown
    unseen: bool = False
    #: what Esc leaves as it is, where a turn stands already
    stands: str = ""


class Reply(Struct, frozen=True):
    """What one line came to: lines to show (with codes for colours if the table paints), and its exit code."""

    lines: tuple[str, ...] = ()
    code: int = DONE
    #: what is said besides of a line that was done
    notice: str = ""
    #: the rules ask something first
    choices: KeyQuestion | None = None
    #: the line as far as it is known, to be typed on: what was chosen, or a line that ends too early
    begins: str | None = None
    #: the line asked to leave the table
    leaves: bool = False


class LinePreview(Struct, frozen=True):
    """What a line would do, in one sentence."""

    text: str = ""
    kind: Literal["nothing", "would", "refused", "missing"] = "nothing"


class Proposal(Struct, frozen=True):
    """One way to settle what the table waits for: its key, what it means, and the line as far as it is known."""

    key: str
    says: str
    line: str


class Waiting(Struct, frozen=True):
    """Something that the table waits for."""

    why: str
    proposals: tuple[Proposal, ...]
