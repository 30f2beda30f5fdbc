"""The exit codes, and the two ways in which a command ends early: with one of them, or because nobody agreed."""

DONE, NO, USAGE, REFUSED, CONFLICT, DAMAGED, UNSAVED = 0, 1, 2, 3, 4, 5, 6


class Ended(Exception):
    """The command is done and has printed what there is to print; `code` is its exit code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Unanswered(Exception):
    """A question was answered with no, or not at all; nothing was done.

    `by`: what came instead of an answer, the end of the input or Ctrl-C; None: the answer was no.
    """

    def __init__(self, by: BaseException | None = None) -> None:
        super().__init__()
        self.was_interrupted = isinstance(by, KeyboardInterrupt)
        self.was_answered = by is None
