"""The event store library is in our process what it is in every other."""

import sys

import eventsourcing.domain
from eventsourcing.persistence import PersistenceError

from tests.kit.shell import Shell


def test_its_errors_are_of_its_own_kind() -> None:
    assert issubclass(PersistenceError, eventsourcing.domain.EventSourcingError)


def test_they_are_in_a_process_that_has_written_a_turn(shell: Shell) -> None:
    asks = (
        "from cli.shell.command_line import run; run(['note', 'Rain.']); import eventsourcing.domain;"
        " from eventsourcing.persistence import PersistenceError;"
        " print(issubclass(PersistenceError, eventsourcing.domain.EventSourcingError))"
    )
    shell.run("new", "Crypt", "--rules", "osr").ok()
    with shell.start(program=(sys.executable, "-c", asks)) as process:
        out, _ = process.communicate(timeout=60)
    assert out.decode().splitlines()[-1] == "True"
