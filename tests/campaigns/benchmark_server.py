"""What a server costs, each figure beside its limit in one run: ratios, because machines differ and drift.

python -m tests.campaigns.benchmark_server [--turns 20000] [--campaigns 1000] [--each 100]
"""

import argparse
import time
from functools import partial
from itertools import chain, count, islice

import msgspec
import psycopg

from cli.store.anywhere import create_at, open_log
from cli.store.checking import findings_in
from cli.store.server.address import server_address
from cli.store.server.administering import initialise
from cli.store.server.tables import LAST_LINK, NEW_TURNS, STREAM_LOCK, by_number, new_turns, translate
from cli.store.streams import StoredLog
from domain.log.effective_history import effective_history
from domain.log.folding import fold
from domain.log.hash_chain import beginning, linker, links_of
from domain.registry import record_types, system_of, tag_of
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
    ours = open_log(create_at(database, "ours", "Ours", "ours", first_turn()), write=True)
    create_at(database, "bare", "Bare", "bare", first_turn())
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
                    driver.execute(translate(STREAM_LOCK), by_number(("bare",), "bare"))
                    driver.execute(translate(LAST_LINK), by_number(("bare",), "bare"))
                    link = link_of(link, number, "note", state)
                    values = new_turns("bare", [f"id-{number}"], [(number, "note", state)], [link])
                    driver.execute(translate(NEW_TURNS), by_number(values, "bare"))
                driver.execute("SELECT pg_notify('campaign_turns', 'bare')")

        compare("append 100 turns : the same statements through the driver", append, by_hand, ROUNDS, 1.5)
    ours.close()


def reading(server: Server, turns: int) -> None:
    """Reading and folding a log against the same SELECT with its decoding."""
    database = server.database("reading")
    initialise(server_address(database))
    first, *later = lived(turns)
    address = create_at(database, "campaign-1", "Lived", "lived", first, later)
    system, decode = system_of("osr"), msgspec.msgpack.Decoder(record_types("osr").turn).decode
    with open_log(address) as log, psycopg.connect(database, autocommit=True) as driver:

        def read_and_fold() -> None:
            fold(system.opening(), log.read(), effective_history(log))

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
    for writers in (1, 4):
        addresses = [
            create_at(database, f"c{writers}-{number}", "X", f"x{writers}", first_turn()) for number in range(writers)
        ]
        started = time.perf_counter()
        running_now = [Writers([address], 1, 150) for address in addresses]
        for process in running_now:
            process.finish()
        rates[writers] = writers * 150 / (time.perf_counter() - started)
    print(f"four campaigns at once: {rates[4]:.0f} turns a second, {rates[4] / rates[1]:.2f} of one", flush=True)


def crowded(server: Server, campaigns: int, turns: int) -> None:
    """Appending and the last 20 turns in a database of many campaigns against one of ten, in ten of either."""
    logs: dict[int, list[StoredLog]] = {}
    for how_many in (10, campaigns):
        database = server.database(f"crowd{how_many}")
        initialise(server_address(database))
        with psycopg.connect(database) as driver:
            _fill(driver, how_many, turns)
        with psycopg.connect(database, autocommit=True) as driver:
            driver.execute("VACUUM ANALYZE")
            (size,) = driver.execute("SELECT pg_database_size(current_database())").fetchone() or (0,)
        addresses = [f"{database}?campaign=c{at}" for at in range(0, how_many, how_many // 10)]
        logs[how_many] = [open_log(address, write=True) for address in addresses]
        assert list(findings_in(logs[how_many][-1])) == [], "it was filled as it is written"
        print(f"{how_many} campaigns of {turns} turns: {size / how_many / turns:.0f} bytes a turn", flush=True)
    following = {how_many: count(turns + 1) for how_many in logs}

    def append(how_many: int) -> None:
        for number in islice(following[how_many], 5):
            for log in logs[how_many]:
                log.append(note(number, turn_id=f"more-{number}"))

    def last(how_many: int) -> None:
        for log in logs[how_many] * 5:
            list(log.read(after=log.last() - 20))

    # by the wall: what many campaigns cost, they cost the server
    for label, do in (("append 50 turns", append), ("50 times the last 20 turns", last)):
        sentence = f"{label} among {campaigns} campaigns : among ten"
        compare(sentence, partial(do, campaigns), partial(do, 10), 4 * ROUNDS, 1.3, time.perf_counter)
    for log in chain(*logs.values()):
        log.close()


def _fill(driver: psycopg.Connection[tuple[object, ...]], campaigns: int, turns_each: int) -> None:
    """So many campaigns of so many turns, as the port writes them: the same turns in each, and its own links."""
    turns: list[Turn] = [first_turn(), *(note(number) for number in range(2, turns_each + 1))]
    rows = [(turn.number, tag_of(type(turn.action)), msgspec.msgpack.encode(turn)) for turn in turns]
    streams = sorted(f"c{at}" for at in range(campaigns))
    driver.execute("SET search_path TO campaign, pg_catalog")
    driver.execute("CREATE TEMPORARY TABLE turns (id text, number bigint, topic text, state bytea) ON COMMIT DROP")
    with driver.cursor() as cursor:
        with cursor.copy("COPY turns (id, number, topic, state) FROM STDIN") as copy:
            for turn, row in zip(turns, rows, strict=True):
                copy.write_row((turn.id, *row))
        with cursor.copy("COPY campaigns (campaign, slug, name) FROM STDIN") as copy:
            for stream in streams:
                copy.write_row((stream, stream, stream))
        # in the order of the keys, or each index is filled at random
        for columns, values in (
            ("stored_events (originator_id, originator_version, topic, state)", "campaign, number, topic, state"),
            ("turn_ids (campaign, id, number, stream)", "campaign, id, number, campaign"),
        ):
            cursor.execute(f"INSERT INTO {columns} SELECT {values} FROM campaigns, turns ORDER BY 1, 2".encode())
        with cursor.copy("COPY links (stream, number, link) FROM STDIN WITH (FORMAT BINARY)") as copy:
            copy.set_types(["text", "int8", "bytea"])
            for stream in streams:
                for number, link in enumerate(links_of(beginning(stream), stream, rows), 1):
                    copy.write_row((stream, number, link))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=20_000)
    parser.add_argument("--campaigns", type=int, default=1_000)
    parser.add_argument("--each", type=int, default=100)
    options = parser.parse_args()
    if binaries() is None:
        print("There is no PostgreSQL here, and none in a package for this platform.")
        return
    with running(("max_wal_size = 2GB",)) as server:
        appending(server)
        reading(server, options.turns)
        side_by_side(server)
        crowded(server, options.campaigns, options.each)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
