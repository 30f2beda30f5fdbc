"""An evening of each kind, served."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.shell.command_context import open_chosen
from tests.kit.browsers import browser_running
from tests.kit.on_disk import handler_of
from tests.kit.phones import Served, served
from tests.kit.shell import Shell

#: Brog of Mia and Ada of Jo, under osr, and a hireling whom nobody plays; Brann of Ines and Ysa of Marek, under
#: gloomhaven, in the selection of the first round; Wren of Mia and Ash of Jo, under deckahedron, beside a wolf:
#: Wren's top card is read as two crosses where Strength is 2, so that two checks of the wolf have a choice.
EVENINGS = {
    "crypt": (
        "new Crypt --rules osr",
        "osr enrol Brog --player Mia --level 2 --rolled 5,6",
        "osr enrol Ada --player Jo --level 2 --rolled 4,4",
        "osr enrol Pim --rolled 3",
    ),
    "barrow": (
        "new Barrow --rules gloomhaven",
        "gloomhaven enrol Brann brute --player Ines",
        "gloomhaven enrol Ysa spellweaver --player Marek",
        "begin-scenario 1",
        "begin-round",
    ),
    "tower": (
        "new Tower --rules deckahedron",
        "enrol Wren 2 2 2 deck=0,16,4,15,14,1,2,3,5,6,7,8,9,10,11,12,13,17,18,19 --player Mia",
        "enrol Ash 1 1 1 --player Jo",
        "foe wolf 9",
    ),
}


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each evening begun, once for all tests."""
    folder = tmp_path_factory.mktemp("begun")
    with pytest.MonkeyPatch.context() as patch:
        shell = Shell(folder, patch)
        for lines in EVENINGS.values():
            shell.do(*lines)
        return shell.folder


@pytest.fixture(scope="module")
def _running_browser() -> Iterator[Any]:
    # for no longer than a module: as long as it is open, this thread's event loop is its own
    with browser_running() as found:
        yield found


@pytest.fixture
def browser(_running_browser: Any) -> Iterator[Any]:
    """A browser without a page; those that a test leaves open are closed, or they go on looking for their tables."""
    yield _running_browser
    for context in _running_browser.contexts:
        context.close()


@contextmanager
def evening(name: str, begun: Path, shell: Shell) -> Iterator[Served]:
    shutil.copy(begun / f"{name}.campaign", shell.folder)
    with open_chosen(f"{name}.campaign", write=True) as (log, system), served(log, system, handler_of(log)) as found:
        yield found


@pytest.fixture
def crypt(begun: Path, shell: Shell) -> Iterator[Served]:
    with evening("crypt", begun, shell) as found:
        yield found


@pytest.fixture
def tower(begun: Path, shell: Shell) -> Iterator[Served]:
    with evening("tower", begun, shell) as found:
        yield found


@pytest.fixture
def barrow(begun: Path, shell: Shell) -> Iterator[Served]:
    with evening("barrow", begun, shell) as found:
        yield found
