"""What a longer run has started ends with it, however it is ended."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest

from tests.campaigns.ended import TOLD, clean_up_when_told_to_end
from tests.kit.elsewhere import needs
from tests.kit.postgres import folder_of_servers

#: Seconds in which something ends on a slow machine.
PATIENCE = 30


@pytest.mark.parametrize("number", TOLD)
def test_who_is_told_to_end_leaves_every_block(number: signal.Signals) -> None:
    before = {number: signal.getsignal(number) for number in TOLD}
    try:
        clean_up_when_told_to_end()
        with pytest.raises(SystemExit) as left:
            signal.raise_signal(number)
    finally:
        for signal_number, handler in before.items():
            signal.signal(signal_number, handler)
    assert left.value.code == 128 + number


#: What stands for a server: it says who it is, ends when it is told to as a server is, and says so.
STAND_IN = """
    trap 'rm "$1"; echo ended >"/dev/fd/$2"; exit' QUIT
    echo "$$" >"$1"
    echo "$$" >"/dev/fd/$2"
    while :; do sleep 0.05; done
"""


def _be_killed_beside_a_server(pipe: int) -> NoReturn:
    try:
        # ignored where the tests run in the background of a shell, and then a shell cannot trap it
        signal.signal(signal.SIGQUIT, signal.SIG_DFL)
        with folder_of_servers() as folder:
            (folder / "data").mkdir()
            os.write(pipe, f"{folder}\n".encode())
            os.set_inheritable(pipe, True)
            os.spawnlp(os.P_WAIT, "sh", "sh", "-c", STAND_IN, "sh", str(folder / "data/postmaster.pid"), str(pipe))
    finally:
        os._exit(1)


@needs("os.fork")
def test_no_server_outlives_who_was_killed() -> None:
    reading, backdating = os.pipe()
    if (child := os.fork()) == 0:
        _be_killed_beside_a_server(backdating)
    os.close(backdating)
    with os.fdopen(reading) as lines:
        folder, server = Path(lines.readline().strip()), int(lines.readline())
        try:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            deadline = time.monotonic() + PATIENCE
            while folder.exists():
                assert time.monotonic() < deadline, "its folder is still there"
                time.sleep(0.01)
        finally:
            with suppress(ProcessLookupError):
                os.kill(server, signal.SIGKILL)
        assert lines.readline() == "ended\n"
