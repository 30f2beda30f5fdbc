"""The room of an assistant for tests: one open campaign."""

from collections.abc import Iterator

import pytest

from cli.assistant.assistant import Assistant
from cli.shell.command_context import open_chosen
from tests.kit.shell import Shell


@pytest.fixture
def keeper(shell: Shell) -> Iterator[Assistant]:
    """The keeper's assistant at the table of `shell`."""
    with open_chosen(str(next(shell.folder.glob("*.campaign"))), write=True) as (log, system):
        yield Assistant(log, system)
