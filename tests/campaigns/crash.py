"""Writers killed in the middle: every turn that was acknowledged is there, and the file opens.

python -m tests.campaigns.crash --rounds 200 --seed 7
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from itertools import count
from pathlib import Path

from cli.store.file import open_campaign
from cli.store.making import create
from tests.kit.on_disk import beside, first_turn, note, scribe_of

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def write(path: Path) -> None:
    """Append until killed; say each turn's id once it is saved."""
    from domain.common.notes import Note

    # whoever runs this in the background may have it ignored, and nothing would end this then
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt), open_campaign(path, write=True) as campaign:
        scribe = scribe_of(campaign)
        while True:
            turn = scribe.record(Note(text="x" * random.randrange(1, 9000))).turn
            os.write(1, f"{turn.number} {turn.id}\n".encode())


def kill_one(path: Path, chance: random.Random, kill: signal.Signals, writers: int = 1) -> int:
    """Let some write, end each by a signal at a random moment, and check the file. The number acknowledged."""
    command = [sys.executable, "-m", "tests.campaigns.crash", "--write", str(path)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(writers)]
    lines: list[bytes] = []
    for process in running:
        assert process.stdout is not None
        lines += [process.stdout.readline() for _ in range(chance.randrange(1, 30))]
        time.sleep(chance.random() * 0.01)
        process.send_signal(kill)
        lines += process.stdout.readlines()
        process.stdout.close()
        process.wait(timeout=30)
    # a line that was cut off acknowledges nothing
    told = [line.decode().split() for line in lines if line.endswith(b"\n")]
    acknowledged = [(int(number), turn_id) for number, turn_id in told]
    with open_campaign(path) as campaign:
        turns = {turn.number: turn.id for turn in campaign.read()}
        assert list(turns) == list(range(1, campaign.last() + 1)), "numbers without gaps"
        assert len(set(turns.values())) == len(turns), "no turn twice"
        for number, turn_id in acknowledged:
            assert turns.get(number) == turn_id, f"turn T{number} was acknowledged and is gone"
            found = campaign.find(turn_id)
            assert found is not None and found.number == number
    left = [each for each in beside(path) if each.endswith(("-wal", "-shm"))]
    assert not left, f"{left} left after the last one closed"
    return len(acknowledged)


def make(folder: Path) -> None:
    """Make one campaign after another until killed; say each one's name once it is made."""
    for number in count():
        path = folder / f"{number}.campaign"
        create(path, f"campaign-{number}", first_turn())
        os.write(1, f"{path.name}\n".encode())


def kill_maker(folder: Path, chance: random.Random) -> int:
    """Kill one who makes campaigns: those under their names are whole. The number acknowledged."""
    command = [sys.executable, "-m", "tests.campaigns.crash", "--make", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        made = [process.stdout.readline() for _ in range(chance.randrange(1, 5))]
        time.sleep(chance.random() * 0.01)
        process.kill()
        made += process.stdout.readlines()
    found = sorted(folder.glob("*.campaign"))
    assert {name.decode().strip() for name in made if name.endswith(b"\n")} <= {path.name for path in found}
    for path in found:
        with open_campaign(path, write=True) as campaign:
            assert list(campaign.read()) == [first_turn()]
            campaign.append(note(2))
    # what was being made can be made now
    create(folder / f"{len(found)}.campaign", "again", first_turn())
    return len(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.write:
        write(asked.write)
        return
    if asked.make:
        make(asked.make)
        return
    seed = asked.seed if asked.seed is not None else random.SystemRandom().randrange(2**32)
    chance = random.Random(seed)
    kills: Counter[str] = Counter()
    acknowledged = made = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "crash.campaign")
        create(path, "crash", first_turn())
        for _ in range(asked.rounds):
            kill = chance.choice(SIGNALS)
            acknowledged += kill_one(path, chance, kill, writers=chance.choice((1, 1, 2)))
            kills[kill.name] += 1
            with tempfile.TemporaryDirectory() as empty:
                made += kill_maker(Path(empty), chance)
    told = ", ".join(f"{times} {name}" for name, times in sorted(kills.items()))
    sys.stdout.write(
        f"seed {seed}: {asked.rounds} rounds ({told}), {acknowledged} turns acknowledged, none lost;"
        f" {made} campaigns made, none of them half\n"
    )


if __name__ == "__main__":
    main()
