"""A copy of the campaign's file alone, made after any line that was answered, holds every turn that was answered."""

import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from itertools import combinations
from pathlib import Path

import pytest

from cli.shell.command_context import open_chosen
from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from domain.common.notes import Note
from domain.log.port import DamagedLog
from tests.kit.phones import served
from tests.kit.shell import LONGEST, Shell, shell_after

#: Types a note and returns once that is answered.
Typing = Callable[[str], None]
Program = Callable[[Shell], AbstractContextManager[Typing]]

shell = shell_after("new Crypt --rules osr", "osr enrol Brog --player Mia")


@contextmanager
def commands(shell: Shell) -> Iterator[Typing]:
    def type_note(text: str) -> None:
        shell.process("note", text).ok()

    yield type_note


@contextmanager
def play(shell: Shell) -> Iterator[Typing]:
    with shell.start("play") as process:
        typed, shown = process.stdin, process.stdout
        assert typed is not None and shown is not None

        def type_note(text: str) -> None:
            typed.write(f"note {text}\n".encode())
            typed.flush()
            while text.encode() not in (answer := shown.readline()):
                assert answer

        yield type_note


@contextmanager
def serve(_: Shell) -> Iterator[Typing]:
    with open_chosen(None, write=True) as (log, system), served(log, system) as table:
        phone = table.phone("Mia")

        def type_note(text: str) -> None:
            assert phone.says(f"note {text}").status == 303

        yield type_note


def notes_in_a_copy(file: Path, copy: Path) -> list[str]:
    """The notes in a copy of the file alone; none if that was made while somebody wrote, and is not whole."""
    shutil.copy(file, copy)
    try:
        with open_campaign(copy) as log:
            return [turn.action.text for turn in log.read() if isinstance(turn.action, Note)]
    except (Unopenable, DamagedLog):
        return []


@pytest.mark.parametrize("program", [commands, play, serve])
def test_a_copy_of_the_file_alone_holds_every_turn_that_was_answered(
    shell: Shell, program: Program, tmp_path: Path
) -> None:
    with program(shell) as type_note:
        for number in range(1, 9):
            type_note(f"line {number} of the evening")
            assert len(notes_in_a_copy(shell.folder / "crypt.campaign", tmp_path / "copy.campaign")) == number


@pytest.mark.parametrize(
    "programs",
    list(combinations([commands, play, serve], 2)),
    ids=lambda pair: " and ".join(each.__name__ for each in pair),
)
def test_so_it_does_while_two_programs_write(shell: Shell, programs: tuple[Program, Program], tmp_path: Path) -> None:
    def evening(type_note: Typing, name: str) -> None:
        answered = set[str]()
        for number in range(1, 9):
            type_note(text := f"line {number} from {name}")
            answered.add(text)
            given_up = time.monotonic() + LONGEST
            while not answered <= set(notes_in_a_copy(shell.folder / "crypt.campaign", tmp_path / name)):
                assert time.monotonic() < given_up, answered

    with ExitStack() as stack, ThreadPoolExecutor() as both:
        opened = [stack.enter_context(program(shell)) for program in programs]
        for ended in [both.submit(evening, *each) for each in zip(opened, ("one", "two"), strict=True)]:
            ended.result()
