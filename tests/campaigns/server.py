"""Writers, connections and servers killed in the middle: every turn that was acknowledged is there, once.

python -m tests.campaigns.server --kills 200 --backends 200 --restarts 20 --failovers 20 --writers 50
    --campaigns 1000 --seed 7

The control must fail: with a standby that need not have a turn before it is acknowledged, a failover loses turns.
"""

import argparse
import os
import random
import selectors
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import psycopg

from cli.store.anywhere import create_at, open_log
from cli.store.failures import Unopenable
from cli.store.server.address import server_address
from cli.store.server.administering import initialise
from cli.store.stored_log import StoredLog
from domain.log.port import MaybeSaved, NotSaved
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.elsewhere import begun
from tests.kit.on_disk import first_turn, handler_of
from tests.kit.postgres import Server, binaries, folder_of_servers, running

#: Seconds after which a writer that says nothing has lost its server for good.
PATIENCE = 60.0
#: That append to many campaigns at once.
PROCESSES = 8
processes = begun()


def write_in_each(addresses: Sequence[str], turns: int | None, pipe: int) -> None:
    """Append to each of these campaigns, all at once."""
    with ThreadPoolExecutor(len(addresses)) as threads:
        for future in [threads.submit(write, address, turns, pipe) for address in addresses]:
            future.result()


def write(address: str, turns: int | None, pipe: int) -> None:
    """Append until killed, or so many turns; say each turn's id once it is saved."""
    from domain.common.notes import Note

    with _open(address) as log:
        handler = handler_of(log)
        saved = 0
        while turns is None or saved < turns:
            try:
                turn = handler.record(Note(text="x" * random.randrange(1, 2000))).turn
            except (NotSaved, MaybeSaved):
                handler = handler_of(log)  # whatever came of it, it was not acknowledged
                continue
            saved += 1
            os.write(pipe, f"{turn.number} {turn.id}\n".encode())


def _open(address: str) -> StoredLog:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return open_log(address, write=True)
        except Unopenable:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


class Writers:
    """Processes that append to campaigns, and what they have acknowledged."""

    def __init__(self, addresses: Sequence[str], count: int, turns: int | None = None) -> None:
        self._running = []
        self._waiting = selectors.DefaultSelector()
        for number in range(count):
            reading, backdating = os.pipe()
            # each of them has its share of the campaigns, or all have the one
            share = addresses[number::count] or addresses
            self._running.append(processes.Process(target=write_in_each, args=(share, turns, backdating)))
            self._running[-1].start()
            os.close(backdating)
            os.set_blocking(reading, False)
            self._waiting.register(reading, selectors.EVENT_READ, bytearray())
        self.acknowledged: list[tuple[int, str]] = []

    def __enter__(self) -> "Writers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running:
            process.kill()
            process.join(PATIENCE)
        for key in list(self._waiting.get_map().values()):
            os.close(key.fd)
        self._waiting.close()

    def wait_for(self, more: int) -> None:
        """Return once so many more turns have been acknowledged."""
        target, deadline = len(self.acknowledged) + more, time.monotonic() + PATIENCE
        while len(self.acknowledged) < target:
            assert time.monotonic() < deadline, "the writers have stopped"
            self._read(1.0)

    def listen(self, seconds: float) -> None:
        """Take what is acknowledged within so many seconds."""
        deadline = time.monotonic() + seconds
        while (seconds_left := deadline - time.monotonic()) > 0:
            self._read(seconds_left)

    def _read(self, seconds: float) -> bool:
        """Take what has been acknowledged meanwhile. Whether there may be more."""
        for key, _ in self._waiting.select(seconds):
            output = os.read(key.fd, 65536)
            if not output:
                self._waiting.unregister(key.fileobj)
                os.close(key.fd)
            key.data.extend(output)
            # a line that was cut off acknowledges nothing
            *lines, rest = bytes(key.data).split(b"\n")
            key.data[:] = rest
            for line in lines:
                number, turn_id = line.decode().split()
                self.acknowledged.append((int(number), turn_id))
        return bool(self._waiting.get_map())

    def kill(self) -> None:
        """End them in the middle of whatever they do, and read the rest."""
        for process in self._running:
            process.kill()
        self.finish()

    def finish(self) -> None:
        """Wait until they are through."""
        while self._read(PATIENCE):
            pass
        for process in self._running:
            process.join(PATIENCE)


class Checked(NamedTuple):
    """What became of the turns of some writers."""

    acknowledged: int
    #: acknowledged turns that are not there, and turns that are there once more
    lost: int
    doubled: int
    there: int


def _there(address: str) -> list[tuple[int, str]]:
    with open_log(address) as log:
        turns = [(turn.number, turn.id) for turn in log.read()]
        assert [number for number, _ in turns] == list(range(1, log.last() + 1)), "numbers without gaps"
        assert log.link(log.last())
    return turns


def check(address: str, acknowledged: list[tuple[int, str]]) -> Checked:
    """What became of the turns that were acknowledged; no number is left out."""
    turns = dict(_there(address))
    losses = sum(turns.get(number) != turn_id for number, turn_id in acknowledged)
    return Checked(len(acknowledged), losses, len(turns) - len(set(turns.values())), len(turns))


def _campaign(server: Server, name: str) -> str:
    database = server.database(name)
    initialise(server_address(database))
    return create_at(database, f"campaign-{name}", "Test", "test", first_turn())


def killed_writers(server: Server, rounds: int, chance: random.Random) -> Checked:
    """The turns of writers that were killed."""
    address = _campaign(server, "killed")
    acknowledged: list[tuple[int, str]] = []
    for _ in range(rounds):
        with Writers([address], 2) as writers:
            writers.wait_for(chance.randrange(1, 20))
            writers.kill()
        acknowledged += writers.acknowledged
    return check(address, acknowledged)


def ended_connections(server: Server, rounds: int, chance: random.Random) -> Checked:
    """The same of writers whose connections the server ended."""
    address = _campaign(server, "ended")
    with Writers([address], 3) as writers:
        for _ in range(rounds):
            writers.wait_for(chance.randrange(1, 12))
            with psycopg.connect(server.url("ended"), autocommit=True) as keeper:
                keeper.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        writers.wait_for(1)
        writers.kill()
    return check(address, writers.acknowledged)


def restarted(server: Server, rounds: int, chance: random.Random) -> Checked:
    """The same of writers whose server crashed and came back."""
    address = _campaign(server, "restarted")
    with Writers([address], 3) as writers:
        for _ in range(rounds):
            writers.wait_for(chance.randrange(1, 30))
            server.stop("immediate")
            server.start()
        writers.wait_for(1)
        writers.kill()
    return check(address, writers.acknowledged)


def _cut_off(standby: Server) -> None:
    """The standby hears nothing of its primary any more, as over a network that broke."""
    with psycopg.connect(standby.url("postgres"), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
        connection.execute("SELECT pg_reload_conf()")
        deadline = time.monotonic() + PATIENCE
        while connection.execute("SELECT 1 FROM pg_stat_wal_receiver").fetchone():
            assert time.monotonic() < deadline, "the standby still follows"
            time.sleep(0.02)


def _wait_for_writers_to_end(server: Server, database: str) -> None:
    """Until no connection of a killed writer is left: its turn may wait for the standby, and come through late."""
    deadline = time.monotonic() + PATIENCE
    with psycopg.connect(server.url(database), autocommit=True) as connection:
        while connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'"
            " AND pid <> pg_backend_pid()"
        ).fetchone():
            assert time.monotonic() < deadline, "a writer's connection does not end"
            time.sleep(0.02)


def failed_over(rounds: int, chance: random.Random, *, synchronous: bool) -> Checked:
    """The same of writers whose primary was killed and whose standby took its place, over and over."""
    with folder_of_servers() as root:
        folders = (root / f"{number}" for number in range(rounds + 2))

        def place() -> Path:
            folder = next(folders)
            folder.mkdir()
            return folder

        primary = Server(place())
        names = "'*'" if synchronous else "''"
        primary.make("wal_level = replica", "max_wal_senders = 8", "hot_standby = on")
        primary.start()
        standby = primary.standby(place())
        address = _campaign(primary, "failed")
        primary.configure(f"synchronous_standby_names = {names}")
        primary.reload()
        standby.configure(f"synchronous_standby_names = {names}")
        first = f"127.0.0.1:{primary.port}"
        both_addresses = address.replace(first, f"{first},127.0.0.1:{standby.port}")
        with Writers([both_addresses], 2) as writers:
            for _ in range(rounds):
                writers.wait_for(chance.randrange(5, 30))
                _cut_off(standby)
                # whatever is acknowledged now is so without the standby
                writers.listen(0.5)
                primary.stop("immediate")
                port = primary.port
                standby.promote()
                primary, standby = standby, standby.standby(place(), port=port)
                standby.configure(f"synchronous_standby_names = {names}")
            writers.wait_for(1)
            writers.kill()
        _wait_for_writers_to_end(primary, "failed")
        # of the two the standby may not show yet what it has
        return check(address.replace(first, f"127.0.0.1:{primary.port}"), writers.acknowledged)


def many_writers(server: Server, count: int, turns: int) -> Checked:
    """The same of so many writers on one campaign."""
    address = _campaign(server, "many")
    with Writers([address], count, turns) as writers:
        writers.finish()
    assert len(writers.acknowledged) == count * turns, "every one of them got through"
    checked = check(address, writers.acknowledged)
    assert checked.there == 1 + count * turns, "nothing besides"
    return checked


def many_campaigns(server: Server, count: int, turns: int) -> Checked:
    """The same of so many campaigns that are appended to at once, over a connection each."""
    database = server.database("at_once")
    initialise(server_address(database))
    addresses = [create_at(database, f"c{number}", "Test", f"c{number}", first_turn()) for number in range(count)]
    with Writers(addresses, min(count, PROCESSES), turns) as writers:
        writers.finish()
    assert len(writers.acknowledged) == count * turns, "every one of them got through"
    # no two turns have one id, so it is all the same in which of them each is looked for
    all_there = Counter(turn for address in addresses for turn in _there(address))
    losses = sum(not all_there[turn] for turn in writers.acknowledged)
    return Checked(count * turns, losses, all_there.total() - count * (1 + turns), all_there.total())


def _checked_in_words(checked: Checked) -> str:
    return f"{checked.acknowledged} turns acknowledged, {checked.lost} lost, {checked.doubled} doubled"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--backends", type=int, default=20)
    parser.add_argument("--restarts", type=int, default=2)
    parser.add_argument("--failovers", type=int, default=2)
    parser.add_argument("--writers", type=int, default=10)
    parser.add_argument("--campaigns", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    options = parser.parse_args()
    if binaries() is None:
        print("There is no PostgreSQL here, and none in a package for this platform.")
        return
    chance = random.Random(options.seed)
    print(f"seed {options.seed}")
    failures = 0
    with running((f"max_connections = {max(200, options.campaigns + 50)}",)) as server:
        for name, rounds, run in (
            ("killed writers", options.kills, killed_writers),
            ("ended connections", options.backends, ended_connections),
            ("crashed servers", options.restarts, restarted),
        ):
            checked = run(server, rounds, chance)
            failures += checked.lost + checked.doubled
            print(f"{rounds} {name}: {_checked_in_words(checked)}", flush=True)
        checked = many_writers(server, options.writers, 10)
        failures += checked.lost + checked.doubled
        print(f"{options.writers} writers of one campaign: {_checked_in_words(checked)}", flush=True)
        checked = many_campaigns(server, options.campaigns, 10)
        failures += checked.lost + checked.doubled
        print(f"{options.campaigns} campaigns at once: {_checked_in_words(checked)}", flush=True)
    if options.failovers:
        checked = failed_over(options.failovers, chance, synchronous=True)
        failures += checked.lost + checked.doubled
        print(f"{options.failovers} failovers: {_checked_in_words(checked)}", flush=True)
        checked = failed_over(min(3, options.failovers), chance, synchronous=False)
        print(f"control, a standby that lags: {_checked_in_words(checked)} (must lose)")
        failures += not checked.lost
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
