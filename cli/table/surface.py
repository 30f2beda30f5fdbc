"""Where a table's answers are laid out: how wide, with colours or without, and what is written meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO

from cli.terminal.screen import Page


class Surface:
    """The columns for an answer, where it is laid out, and whether it holds codes for colours."""

    def __init__(self, *, paints: bool = False) -> None:
        self.paints = paints
        self.columns: int | None = None

    def page(self, *, hints: bool = True) -> Page:
        """An empty page to print on."""
        return Page(self.columns, paints=self.paints, hints=hints)

    @contextmanager
    def heard(self) -> Iterator[tuple[StringIO, StringIO]]:
        """What is written to stdout and stderr meanwhile."""
        with redirect_stdout(self.page(hints=False)) as out, redirect_stderr(StringIO()) as err:
            yield out, err
