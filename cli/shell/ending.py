"""The two ways in which a command ends before its last line: with an exit code, or because nobody agreed."""


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
