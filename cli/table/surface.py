"""The surface that replies are laid out for: its width and colours, and the capture of printed output."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO

from cli.terminal.screen import Page


class Surface:
    """How replies are laid out: `columns` (None: not wrapped), and `paints`: with codes for colours."""

    def __init__(self, *, paints: bool = False) -> None:
        self.paints = paints
        self.columns: int | None = None

    def page(self, *, hints: bool = True) -> Page:
        """An empty page of this surface to print on."""
        return Page(self.columns, paints=self.paints, hints=hints)

    @contextmanager
    def capture(self) -> Iterator[Callable[[], tuple[str, ...]]]:
        """Redirect stdout and stderr, and yield what returns the lines written to them, those of stdout first."""
        with redirect_stdout(self.page(hints=False)) as out, redirect_stderr(StringIO()) as err:
            yield lambda: (*out.getvalue().splitlines(), *err.getvalue().splitlines())
