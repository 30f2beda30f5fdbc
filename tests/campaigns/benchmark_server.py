"""What a server costs, each figure beside its limit in one run: ratios, because machines differ and drift.

python -m tests.campaigns.benchmark_server [--turns 20000] [--campaigns 1000] [--each 100]
"""

import argparse
import time
from collections.abc import Callable
from itertools import count

import msgspec
import psycopg

from cli.store import layout
from cli.store.anywhere import made_there, open_log
from cli.store.server.address import server_address
from cli.store.server.administering import initialise
from cli.store.server.tables import NEW_EVENT, NEW_ID, STREAM_LOCK, by_number, translated
from cli.store.streams import StoredLog
from domain.log.folding import fold
from domain.log.links import beginning, linked, linker
from domain.log.standing import judge
from domain.system.registry import record_types, system_of
from domain.turn import Turn
from tests.campaigns.benchmark import compare
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.lived import lived
from tests.campaigns.server import Writers
from tests.kit.on_disk import first_turn, note
from tests.kit.postgres import Server, binaries, running

ROUNDS = 5


def appending(server: Server) -> None:
    """A turn through the port against the same statements through the bare driver."""
    database = server.database("appending")
    initialise(server_address(database))
    ours = open_log(made_there(database, "ours", "Ours", "ours", first_turn()), write=True)
    made_there(database, "bare", "Bare", "bare", first_turn())
    numbers, bare = count(2), count(2)
    link_of, link = linker("bare"), bytes(32)
    with psycopg.connect(database, autocommit=True) as driver:
        driver.execute("SET search_path TO campaign, pg_catalog")

        def append() -> None:
            for _ in range(100):
                ours.append(note(next(numbers)))

        def by_hand() -> None:
            nonlocal link
            for _ in range(100):
                number = next(bare)
                state = msgspec.msgpack.encode(note(number))
                with driver.transaction():
                    driver.execute(translated(STREAM_LOCK), by_number(("bare",), "bare"))
                    driver.execute(translated(NEW_ID), by_number((f"id-{number}", number, "bare"), "bare"))
                    driver.execute(translated(layout.LAST_TURN), by_number(("bare",), "bare"))
                    driver.execute(translated(NEW_EVENT), by_number(("bare", number, "note", state), "bare"))
                    driver.execute(translated(layout.LINK), by_number(("bare", number - 1), "bare"))
                    link = link_of(link, number, "note", state)
                    driver.execute(translated(layout.NEW_LINK), by_number(("bare", number, link), "bare"))
                driver.execute("SELECT pg_notify('campaign_turns', 'bare')")

        compare("append 100 turns : the same statements through the driver", append, by_hand, ROUNDS, 1.5)
    ours.close()


def reading(server: Server, turns: int) -> None:
    """Reading and folding a log against the same SELECT with its decoding."""
    database = server.database("reading")
    initialise(server_address(database))
    first, *later = lived(turns)
    address = made_there(database, "campaign-1", "Lived", "lived", first, later)
    system, decode = system_of("osr"), msgspec.msgpack.Decoder(record_types("osr").turn).decode
    with open_log(address) as log, psycopg.connect(database, autocommit=True) as driver:

        def read_and_fold() -> None:
            fold(system.opening(), log.happened(), judge(log))

        def select_and_decode() -> None:
            for (state,) in driver.execute(
                "SELECT state FROM campaign.stored_events"
                " WHERE originator_id = 'campaign-1' ORDER BY originator_version"
            ):
                decode(state)

        compare(f"read and fold {turns} turns : SELECT and decode", read_and_fold, select_and_decode, ROUNDS, 1.6)


def side_by_side(server: Server) -> None:
    """Turns a second of one campaign, and of four at once."""
    database = server.database("side")
    initialise(server_address(database))
    rates = {}
    for many in (1, 4):
        addresses = [made_there(database, f"c{many}-{each}", "X", f"x{many}", first_turn()) for each in range(many)]
        begun = time.perf_counter()
        running_now = [Writers(address, 1, 150) for address in addresses]
        for each in running_now:
            each.finish()
        rates[many] = many * 150 / (time.perf_counter() - begun)
    print(f"four campaigns at once: {rates[4]:.0f} turns a second, {rates[4] / rates[1]:.2f} of one", flush=True)


def crowded(server: Server, campaigns: int, each: int) -> None:
    """Appending and the last 20 turns in a database of many campaigns against one of ten."""
    logs: dict[int, StoredLog] = {}
    for many in (10, campaigns):
        database = server.database(f"crowd{many}")
        initialise(server_address(database))
        with psycopg.connect(database) as driver:
            _fill(driver, many, each)
        with psycopg.connect(database, autocommit=True) as driver:
            driver.execute("VACUUM ANALYZE")
            (size,) = driver.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
        logs[many] = open_log(f"{database}?campaign=c5", write=True)
        print(f"{many} campaigns of {each} turns: {size / many / each:.0f} bytes a turn", flush=True)
    numbers = {many: count(each + 1) for many in logs}

    def append(many: int) -> None:
        for _ in range(50):
            number = next(numbers[many])
            logs[many].append(note(number, turn_id=f"more-{number}"))

    def last(many: int) -> None:
        for _ in range(50):
            log = logs[many]
            list(log.read(after=log.last() - 20))

    among = f"among {campaigns} campaigns : among ten"
    compare(f"append 50 turns {among}", lambda: append(campaigns), lambda: append(10), ROUNDS, 1.3)
    compare(f"50 times the last 20 turns {among}", lambda: last(campaigns), lambda: last(10), ROUNDS, 1.3)
    for log in logs.values():
        log.close()


def _fill(driver: psycopg.Connection[tuple[object, ...]], campaigns: int, each: int) -> None:
    """So many campaigns of so many turns, written as the port writes them, in bulk."""
    driver.execute("SET search_path TO campaign, pg_catalog")
    turns: list[Turn] = [first_turn(), *(note(number) for number in range(2, each + 1))]
    stored = [("campaign.start" if turn.number == 1 else "note", msgspec.msgpack.encode(turn)) for turn in turns]

    rows = [(number, topic, state) for number, (topic, state) in enumerate(stored, 1)]

    def copied(table: str, columns: str, row: Callable[[str, int], tuple[object, ...]]) -> None:
        with driver.cursor() as cursor, cursor.copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy:
            for at in range(campaigns):
                for number in range(1, each + 1):
                    copy.write_row(row(f"c{at}", number))

    def link(stream: str, number: int) -> bytes:
        if number == 1:
            links[:] = linked(beginning(stream), stream, rows)
        return links[number - 1]

    links: list[bytes] = []
    copied(
        "stored_events",
        "originator_id, originator_version, topic, state",
        lambda stream, number: (stream, number, *stored[number - 1]),
    )
    copied(
        "turn_ids",
        "campaign, id, number, stream",
        lambda stream, number: (stream, turns[number - 1].id, number, stream),
    )
    copied("links", "stream, number, link", lambda stream, number: (stream, number, link(stream, number)))
    with driver.cursor() as cursor, cursor.copy("COPY campaigns (campaign, slug, name) FROM STDIN") as copy:
        for at in range(campaigns):
            copy.write_row((f"c{at}", f"c{at}", f"C {at}"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--campaigns", type=int, default=1_000)
    parser.add_argument("--each", type=int, default=100)
    given = parser.parse_args()
    if binaries() is None:
        print("There is no PostgreSQL here, and none in a package for this platform.")
        return
    with running(("max_wal_size = 2GB",)) as server:
        appending(server)
        reading(server, given.turns)
        side_by_side(server)
        crowded(server, given.campaigns, given.each)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
