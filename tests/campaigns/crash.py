"""Writers killed in the middle: every turn that was acknowledged is there, and the file opens.

python -m tests.campaigns.crash --rounds 200 --seed 7

In each round one or two who append and one who makes campaigns are killed at a random moment; and once every command
that saves something is killed at each of its calls of the disk, and half way through each of its writes.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

from cli.store.file import open_campaign
from cli.store.making import create
from domain.common.notes import Note
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.failing_disk import DEEDS, KILLS, run
from tests.kit.elsewhere import begun
from tests.kit.longer_runs import end
from tests.kit.on_disk import first_turn, handler_of, note

processes = begun()
SIGNALS = tuple(getattr(signal, name) for name in ("SIGKILL", "SIGTERM", "SIGINT") if hasattr(signal, name))
#: Rounds after which the next campaign is begun; one that has grown long takes its time to be read.
TOGETHER = 20


class Killable:
    """A process that says what it has done, line by line, until it is ended."""

    def __init__(self, do: Callable[[Path, int], None], path: Path) -> None:
        reading, backdating = os.pipe()
        self._process = processes.Process(target=do, args=(path, backdating))
        self._process.start()
        os.close(backdating)
        self._pipe = os.fdopen(reading, "rb")

    def listen(self, lines: int) -> list[bytes]:
        """Wait for so many lines."""
        return [self._pipe.readline() for _ in range(lines)]

    def kill(self, how: signal.Signals) -> list[bytes]:
        """End it; what it had said by then. A line that was cut off says nothing."""
        assert self._process.pid is not None
        # an interrupt that comes while Python lets go of a generator is told and passed over; people press again
        for _ in range(10):
            os.kill(self._process.pid, how)
            self._process.join(timeout=3)
            if self._process.exitcode is not None:
                break
        assert self._process.exitcode is not None
        with self._pipe:
            lines = self._pipe.readlines()
        return [line for line in lines if line.endswith(b"\n")]


def write(path: Path, pipe: int) -> None:
    """Append until killed; say each turn's id once it is saved."""
    # whoever runs this in the background may have it ignored, and nothing would end this then
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # the one who kills cleans up when told to end; who is killed here does not
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(KeyboardInterrupt), open_campaign(path, write=True) as campaign:
        handler = handler_of(campaign)
        while True:
            turn = handler.record(Note(text="x" * random.randrange(1, 9000))).turn
            os.write(pipe, f"{turn.number} {turn.id}\n".encode())


def kill_one(path: Path, chance: random.Random, kill: signal.Signals, writers: int = 1) -> int:
    """Let some write, end each by a signal at a random moment, and check the file. The number acknowledged."""
    running = [Killable(write, path) for _ in range(writers)]
    lines: list[bytes] = []
    for process in running:
        lines += process.listen(chance.randrange(1, 30))
        time.sleep(chance.random() * 0.01)
        lines += process.kill(kill)
    acknowledged = [(int(number), turn_id) for number, turn_id in (line.decode().split() for line in lines)]
    with open_campaign(path) as campaign:
        turns = {turn.number: turn.id for turn in campaign.read()}
        assert list(turns) == list(range(1, campaign.last() + 1)), "numbers without gaps"
        assert len(set(turns.values())) == len(turns), "no turn twice"
        for number, turn_id in acknowledged:
            assert turns.get(number) == turn_id, f"turn T{number} was acknowledged and is gone"
            stored_turn = campaign.find(turn_id)
            assert stored_turn is not None and stored_turn.number == number
    # a journal that is not synced yet begins with zeros, and whoever writes next takes it away
    side_files = [each.name for each in path.parent.glob(f"{path.name}-*") if each.read_bytes()[:1] not in (b"", b"\0")]
    assert not side_files, f"{side_files} left after the last one closed"
    return len(acknowledged)


def make(folder: Path, pipe: int) -> None:
    """Make one campaign after another until killed; say each one's name once it is made."""
    for number in count():
        path = folder / f"{number}.campaign"
        create(path, f"campaign-{number}", first_turn())
        os.write(pipe, f"{path.name}\n".encode())


def kill_maker(folder: Path, chance: random.Random) -> int:
    """Kill one who makes campaigns: those under their names are whole. The number acknowledged."""
    process = Killable(make, folder)
    campaigns = process.listen(chance.randrange(1, 5))
    time.sleep(chance.random() * 0.01)
    campaigns += process.kill(signal.SIGKILL)
    files = sorted(folder.glob("*.campaign"))
    assert {name.decode().strip() for name in campaigns} <= {path.name for path in files}
    for path in files:
        with open_campaign(path, write=True) as campaign:
            assert list(campaign.read()) == [first_turn()]
            campaign.append(note(2))
    # what was being made can be made now
    create(folder / f"{len(files)}.campaign", "again", first_turn())
    return len(files)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--step", type=int, default=1, help="only at every so many-th call")
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    chance = random.Random(seed)
    kills: Counter[str] = Counter()
    acknowledged = campaigns = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            path = Path(folder, f"{number // TOGETHER}.campaign")
            if not path.exists():
                create(path, "crash", first_turn())
            kill, writers = chance.choice((signal.SIGKILL, *SIGNALS)), chance.choice((1, 1, 2))
            acknowledged += kill_one(path, chance, kill, writers)
            kills[kill.name] += writers
            with tempfile.TemporaryDirectory() as empty:
                campaigns += kill_maker(Path(empty), chance)
            kills["SIGKILL"] += 1
    counts = ", ".join(f"{times} {name}" for name, times in sorted(kills.items()))
    print(
        f"seed {seed}: {options.rounds} rounds ({counts}), {acknowledged} turns acknowledged, none lost;"
        f" {campaigns} campaigns made, none of them half"
    )
    if shutil.which("cc") is None or not sys.platform.startswith("linux"):
        print("There is no compiler here, so nobody was killed at a call.")
        return
    calls, wrong = run(list(DEEDS), options.step, KILLS)
    print(f"killed at every {options.step}. call of {', '.join(DEEDS)}: {calls.total()} kills, {len(wrong)} wrong")
    end(wrong)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
