"""A club at its real size: every table of a database behind one address, by real processes, and what that costs.

python -m tests.campaigns.club --tables 50 --many 1000 --taps 10000 --pooled 10000 --cloned 5000 --twins 100000 --seed 1

Phones are asked and answered over HTTP, each request by the next process, as behind a proxy that knows no seats. In
between a process is killed and the database restarted. What is lost or doubled, and a seat that is not known any more,
is an exit code; the figures are printed. Statements are counted by the database itself.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from subprocess import DEVNULL, Popen

import psycopg
from msgspec import Struct

from cli.serving.club_seats import ClubInvitations
from cli.serving.invitations import REFEREE, TABLE, new_token
from cli.shell.command_context import open_chosen
from cli.store.anywhere import create_at, open_log
from cli.store.server.address import server_address
from cli.store.server.administering import initialise
from cli.store.server.connection import SharedConnection
from domain.common.notes import Note
from domain.turn import Turn
from tests.campaigns.benchmark_phones import Wire, processor_time, until_event
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit import pooler
from tests.kit.club_twins import compared
from tests.kit.longer_runs import end
from tests.kit.postgres import Server, binaries, free_port, running
from tests.kit.shell import PROGRAM, Shell, shell_elsewhere
from tests.kit.subjects import secretive

PUBLIC = "club.example"
#: Whose seven pages are open at a table: of the referee, four players and the table.
SEATS = (REFEREE, "Mia", "Jo", "Ines", "Marek", TABLE, TABLE)
#: How a table of these begins.
BEGINNING = (
    "new Mill --rules osr",
    "osr enrol Brog --player Mia --level 2 --rolled 5,6",
    "osr enrol Ada --player Jo --level 2 --rolled 4,4",
    "osr enrol Cid --player Ines --level 2 --rolled 3,5",
    "osr enrol Dot --player Marek --level 2 --rolled 2,6",
)
#: How many taps a noisy phone sends at once, not waiting for their answers; and how often it falls silent.
AT_ONCE, ROUNDS_OF_NOISE = 32, 4
#: Seconds after which a phone that is never answered is a fault.
LONGEST = 60.0


class Phone(Wire):
    """A phone at one table of a club: each request goes to the next process, and to another one if that is gone."""

    def __init__(self, ports: Sequence[int], slug: str, chance: Random) -> None:
        super().__init__(0, host=f"{slug}.{PUBLIC}")
        self.ports, self.slug, self._next = ports, slug, chance.randrange(len(ports))

    async def ask(
        self, method: str, path: str, fields: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """The answer of the first process that gives one; what was sent before is sent again as it was."""
        deadline = time.monotonic() + LONGEST
        while True:
            self.turn_to_next()
            with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                async with asyncio.timeout(LONGEST / 2):
                    status, headers, body = await super().ask(method, path, fields)
                if status not in (429, 502, 503, 504):
                    return status, headers, body
            self.break_off()
            assert time.monotonic() < deadline, f"{self.slug}: {method} {path} is never answered"
            await asyncio.sleep(0.05)

    def turn_to_next(self) -> None:
        """Let the next process answer."""
        self.break_off()
        self._next += 1
        self.port = self.ports[self._next % len(self.ports)]


class Club:
    """The processes of one club, and phones at its tables."""

    def __init__(self, shell: Shell, database: str, served_at: str, count: int, chance: Random) -> None:
        """`served_at` is the address by which the processes reach the database: its own, a pooler's, a slow one."""
        self.database, self.chance = database, chance
        self._shell, self._served_at = shell, served_at
        #: what a process is started with
        self.program: Sequence[str] = PROGRAM
        #: the address that people see
        self.public = f"http://{PUBLIC}"
        self.ports = [free_port() for _ in range(count)]
        self.processes: list[Popen[bytes]] = []

    def start(self) -> None:
        """Start every process, and return when each answers."""
        self.processes = [self._start(port) for port in self.ports]
        self.wait()

    def _start(self, port: int) -> "Popen[bytes]":
        words = ("serve", self._served_at, "--public", self.public, "--listen", f"127.0.0.1:{port}")
        proxied = ("--proxy", "127.0.0.1") if self.public.startswith("https:") else ()
        listening = () if self._served_at == self.database else ("--listen-url", self.database)
        return Popen(
            [*self.program, *words, *proxied, *listening],
            cwd=self._shell.folder, env=self._shell.environment(), stdout=DEVNULL, stderr=DEVNULL,
        )  # fmt: skip

    def wait(self) -> None:
        """Return when each process answers."""

        async def healthy(port: int) -> bool:
            wire = Wire(port)
            with suppress(OSError, asyncio.IncompleteReadError):
                status, _, _ = await wire.ask("GET", "/healthz")
                wire.break_off()
                await asyncio.sleep(0)  # a connection is closed in the next round of the loop
                return status == 200
            return False

        deadline = time.monotonic() + LONGEST
        for port in self.ports:
            while not asyncio.run(healthy(port)):
                assert time.monotonic() < deadline and all(each.poll() is None for each in self.processes)
                time.sleep(0.05)

    def kill(self) -> None:
        """Kill the last process, whatever it is doing."""
        self.processes[-1].kill()
        self.processes[-1].wait()

    def stop(self, number: int) -> None:
        """Tell a process to stop, and return when it has."""
        self.processes[number].terminate()
        self.processes[number].wait(LONGEST)

    def begin_again(self, number: int = -1) -> None:
        """Start a process anew, the last one if no other is said."""
        self.processes[number] = self._start(self.ports[number])

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()

    def links(self, slugs: Sequence[str], seats: Sequence[str]) -> Iterator[tuple[str, str, str]]:
        """A link for each of these seats at each of these tables, as (slug, seat, token)."""
        shared = SharedConnection(server_address(self.database), write=True)
        try:
            for slug in slugs:
                invitations = ClubInvitations(lambda: shared, f"campaign-{slug}")
                invitations.begin(anew=False, keep=True, address=f"http://{slug}.{PUBLIC}")
                for seat in seats:
                    yield slug, seat, invitations.invite(seat)
        finally:
            shared.close()

    async def seated(self, slugs: Sequence[str], seats: Sequence[str]) -> list[Phone]:
        """A phone in each of these seats at each of these tables."""
        phones = []
        for slug, _, token in self.links(slugs, seats):
            phone = Phone(self.ports, slug, self.chance)
            status, _, _ = await phone.ask("POST", "/in", {"token": token, "device": new_token()})
            assert status == 303, status
            phones.append(phone)
        return phones

    def memory(self) -> float:
        """What the processes hold, in MB, with their part of what they share."""
        texts = (Path(f"/proc/{process.pid}/smaps_rollup").read_text("ascii") for process in self.processes)
        return sum(int(text.partition("Pss:")[2].split()[0]) for text in texts) / 1024

    def processor(self) -> float:
        """Seconds of the processor that all of them have had."""
        return sum(processor_time(process.pid) for process in self.processes)

    def backends(self) -> int:
        """How many connections the club has to its database."""
        with psycopg.connect(self.database) as connection:
            row = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND application_name = 'campaign'"
            ).fetchone()
        return int(row[0]) if row else 0


class Told(Struct):
    """What became of taps: how long each took, and the texts that were recorded."""

    seconds: list[float] = []
    texts: list[tuple[str, str]] = []
    refused: list[str] = []


async def tap(phone: Phone, text: str, told: Told) -> None:
    """One tap, sent again until it is answered."""
    started = time.perf_counter()
    status, _, body = await phone.ask("POST", "/do", {"at": "1", "line": f"n {text}"})
    told.seconds.append(time.perf_counter() - started)
    if status in (200, 303):
        told.texts.append((phone.slug, text))
    else:
        told.refused.append(f"{phone.slug}: {status} {body[-200:]!r}")


async def poisson(
    phones: Sequence[Phone], count: int, rate: float, chance: Random, midway: Callable[[int], Awaitable[None]]
) -> Told:
    """So many taps at random phones, `rate` of them a second on average, each phone one at a time.

    `midway` is told before each how many there were.
    """
    label = f"{chance.getrandbits(32):x}"
    told, free, running_taps = Told(), set(range(len(phones))), set[asyncio.Task[None]]()

    async def one(number: int, at: int) -> None:
        try:
            await tap(phones[at], f"{label} {number}", told)
        finally:
            free.add(at)

    for number in range(count):
        await midway(number)
        while not free:
            await asyncio.sleep(0.005)
        at = chance.choice(sorted(free))
        free.remove(at)
        task = asyncio.create_task(one(number, at))
        running_taps.add(task)
        task.add_done_callback(running_taps.discard)
        await asyncio.sleep(chance.expovariate(rate))
    await asyncio.gather(*running_taps)
    return told


def faults_of(database: str, told: Told) -> list[str]:
    """What is wrong in the database: taps that were answered and are not there, or are there twice."""
    faults = [f"refused: {reason}" for reason in told.refused]
    for slug in sorted({slug for slug, _ in told.texts}):
        with open_log(f"{database}?campaign={slug}") as log:
            there = Counter(turn.action.text for turn in log.read() if isinstance(turn.action, Note))
        texts = [text for at, text in told.texts if at == slug]
        faults += [f"{slug}: {text} is lost" for text in texts if not there[text]]
        faults += [f"{slug}: {text} is there {times} times" for text, times in there.items() if times > 1]
    return faults


async def seats_lost(phones: Sequence[Phone]) -> list[str]:
    """The seats that are not known any more."""
    return [f"{phone.slug}: no seat" for phone in phones if (await phone.ask("GET", "/now"))[0] != 200]


async def nothing(_: int) -> None:
    """Nothing happens midway."""


def at(seconds: Sequence[float]) -> str:
    """The median and the 95th of 100, in ms."""
    ordered = sorted(seconds)
    return f"median, p95 {statistics.median(ordered) * 1000:.0f} / {ordered[int(len(ordered) * 0.95)] * 1000:.0f} ms"


# -- the database ----------------------------------------------------------------------------------------------


def beginning(shell: Shell) -> list[Turn]:
    """The turns with which each table begins."""
    shell.do(*BEGINNING)
    with open_chosen(None) as (log, _):
        return list(log.read())


def made(server: Server, name: str, turns: Sequence[Turn], tables: int) -> tuple[str, list[str]]:
    """A database with so many tables, each a campaign of these turns: its address, and their names."""
    database = server.database(name)
    initialise(server_address(database))
    slugs = [f"{name}-{number}" for number in range(tables)]
    for slug in slugs:
        with open_log(create_at(database, f"campaign-{slug}", slug, slug, turns[0]), write=True) as log:
            log.append_all(turns[1:])
    return database, slugs


@contextmanager
def slowed(database: str, seconds: float) -> Iterator[str]:
    """The address of a database that is so far away: what is sent to it arrives that much later."""
    code = (
        "import asyncio, sys\n"
        "async def passing(reader, writer, late):\n"
        "    loop = asyncio.get_running_loop()\n"
        "    while data := await reader.read(65536):\n"
        "        loop.call_later(late, writer.write, data)\n"
        "    loop.call_later(late, writer.close)\n"
        "async def came(reader, writer):\n"
        "    there, to = await asyncio.open_connection('127.0.0.1', int(sys.argv[2]))\n"
        "    await asyncio.gather(passing(reader, to, float(sys.argv[3])), passing(there, writer, 0),\n"
        "                         return_exceptions=True)\n"
        "async def main():\n"
        "    async with await asyncio.start_server(came, '127.0.0.1', int(sys.argv[1])) as server:\n"
        "        await server.serve_forever()\n"
        "asyncio.run(main())\n"
    )
    port, there = free_port(), database.rpartition(":")[2].partition("/")[0]
    with Popen([sys.executable, "-c", code, str(port), there, str(seconds)], stderr=DEVNULL) as process:
        try:
            time.sleep(0.3)
            yield database.replace(f":{there}/", f":{port}/")
        finally:
            process.kill()


@contextmanager
def counting_statements(server: Server, database: str) -> Iterator[Callable[[], list[str]]]:
    """Every statement that the database was sent, but the look at all open tables, which costs the same for any."""
    log = server.folder / "log"

    def since_then() -> list[str]:
        lines = log.read_text("utf-8", "replace")[before:].splitlines()
        parts = (line.partition("LOG:  ")[2] for line in lines)
        told = (part.partition(": ")[2] for part in parts if part.startswith(("statement:", "execute ")))
        return [statement for statement in told if "unnest(" not in statement]

    with psycopg.connect(database, autocommit=True) as keeper:
        keeper.execute("ALTER SYSTEM SET log_statement = 'all'")
        keeper.execute("SELECT pg_reload_conf()")
        time.sleep(0.3)
        before = len(log.read_text("utf-8", "replace"))
        yield since_then
        keeper.execute("ALTER SYSTEM RESET log_statement")
        keeper.execute("SELECT pg_reload_conf()")


# -- the rows of the table of figures --------------------------------------------------------------------------


@contextmanager
def club(shell: Shell, database: str, count: int, chance: Random, served_at: str | None = None) -> Iterator[Club]:
    """So many processes of a club."""
    processes = Club(shell, database, served_at or database, count, chance)
    try:
        processes.start()
        yield processes
    finally:
        processes.close()


async def opened(phones: Sequence[Phone]) -> list[asyncio.StreamReader]:
    """Every phone's page, and the stream of it."""
    streams = []
    for phone in phones:
        status, _, page = await phone.ask("GET", "/now")
        assert status == 200, status
        phone.turn_to_next()
        streams.append(await phone.events(int(page.partition(b'data-turn="')[2].partition(b'"')[0])))
    return streams


async def idle(club: Club, seconds: float) -> float:
    """What part of one core the processes take while nobody taps, in per cent."""
    before = club.processor()
    await asyncio.sleep(seconds)
    return (club.processor() - before) / seconds * 100


async def open_tables(club: Club, slugs: Sequence[str], seats: Sequence[str], seconds: float) -> list[Phone]:
    """So many tables with so many phones each; what they cost while nothing happens."""
    phones = await club.seated(slugs, seats)
    streams = await opened(phones)
    await asyncio.sleep(1)
    share = await idle(club, seconds)
    print(
        f"{len(slugs):,} open tables, {len(streams):,} streams, {len(club.processes)} processes: {club.memory():.0f}"
        f" MB, {club.backends()} backends, idle {share:.1f} % of a core",
        flush=True,
    )
    return phones


async def statements(club: Club, server: Server, slug: str) -> None:
    """What a turn with its seven pages asks the database."""
    phones = await club.seated([slug], SEATS)
    streams = await opened(phones)
    told, counts = Told(), []
    with counting_statements(server, club.database) as sent:
        for number in range(5):
            before = len(sent())
            await tap(phones[1], f"statement {number}", told)
            for phone, stream in zip(phones, streams, strict=True):
                await until_event(stream, 6 + number)
                status, _, _ = await phone.ask("GET", "/now")
                assert status == 200
            await asyncio.sleep(0.2)
            counts.append(len(sent()) - before)
        last = sent()[-counts[-1] :]
    print(f"statements of a turn with its {len(SEATS)} pages: {statistics.median(counts):.0f}", flush=True)
    kinds = Counter(statement.split("(")[0][:60] for statement in last)
    for kind, times in kinds.most_common():
        print(f"    {times} {kind}")


async def crowd(club: Club, slug: str, readers: int, turns: int) -> None:
    """What one turn costs the processor where so many look on from the table's seat."""
    (teller,) = await club.seated([slug], [REFEREE])
    phones = await club.seated([slug], [TABLE] * readers)
    streams = await opened(phones)
    told, costs = Told(), []
    last = int((await teller.ask("GET", "/now"))[2].partition(b'data-turn="')[2].partition(b'"')[0])

    async def look(phone: Phone, stream: asyncio.StreamReader, turn: int) -> None:
        await until_event(stream, turn)
        status, _, _ = await phone.ask("GET", "/now")
        assert status == 200

    for number in range(1, turns + 1):
        before = club.processor()
        looks = [look(phone, stream, last + number) for phone, stream in zip(phones, streams, strict=True)]
        await asyncio.gather(*looks, tap(teller, f"crowd {number}", told))
        costs.append(club.processor() - before)
    print(f"one table, {readers} phones: {statistics.median(costs):.2f} s of the processor for a turn", flush=True)


async def survived(club: Club, server: Server, slugs: Sequence[str], taps: int, rate: float) -> list[str]:
    """Taps while a process is killed and comes back, and the database is restarted; what was lost."""
    phones = await club.seated(slugs, SEATS[:3])
    loop = asyncio.get_running_loop()

    async def midway(number: int) -> None:
        if number == taps // 3:
            await loop.run_in_executor(None, club.kill)
        elif number == taps // 2:
            club.begin_again()
        elif number == taps * 2 // 3:
            await loop.run_in_executor(None, server.stop)
            await loop.run_in_executor(None, server.start)

    told = await poisson(phones, taps, rate, club.chance, midway)
    faults = [*faults_of(club.database, told), *await seats_lost(phones)]
    for phone in phones:
        phone.break_off()
    await asyncio.sleep(0)
    print(
        f"{len(told.texts):,} taps at {len(slugs)} tables, a process killed and the database restarted:"
        f" {len(faults)} lost, doubled or without a seat; {at(told.seconds)}",
        flush=True,
    )
    return faults


async def tapped(club: Club, phones: Sequence[Phone], taps: int, rate: float, label: str) -> list[str]:
    """Taps at random; how long they took, and what was lost."""
    started = time.perf_counter()
    told = await poisson(phones, taps, rate, club.chance, nothing)
    each_second = taps / (time.perf_counter() - started)
    faults = faults_of(club.database, told)
    print(
        f"{label}: {len(told.texts):,} of {taps:,} taps, {each_second:.0f} a second, {at(told.seconds)},"
        f" {len(faults)} lost or doubled",
        flush=True,
    )
    return faults


async def noise(club: Club, slugs: Sequence[str], taps: int) -> None:
    """How long taps take while one phone taps without end, by turns with how long they take alone.

    What it does to its own table is said apart, for at the others there is no more noise than its processes make.
    """
    phones = await club.seated(slugs, SEATS[:3])
    noisy = phones[0]
    tables = {
        "its own table": [phone for phone in phones[1:] if phone.slug == noisy.slug],
        "other tables": [phone for phone in phones if phone.slug != noisy.slug],
    }
    noises, ends = Told(), asyncio.Event()
    alone, beside = ({name: list[float]() for name in tables} for _ in range(2))

    async def others_tap(told: dict[str, list[float]]) -> None:
        for name, others in tables.items():
            told[name] += (await poisson(others, taps // ROUNDS_OF_NOISE, 10, club.chance, nothing)).seconds

    async def without_end(number: int) -> None:
        wire = Wire(club.ports[number % len(club.ports)], noisy.cookie, host=f"{noisy.slug}.{PUBLIC}")
        while not ends.is_set():
            started = time.perf_counter()
            status, _, _ = await wire.ask("POST", "/do", {"at": "1", "line": f"n noise {len(noises.seconds)}"})
            noises.seconds.append(time.perf_counter() - started)
            noises.refused += [str(status)] if status == 429 else []

    for _ in range(ROUNDS_OF_NOISE):
        await others_tap(alone)
        ends.clear()
        noise_makers = [asyncio.create_task(without_end(number)) for number in range(AT_ONCE)]
        await others_tap(beside)
        ends.set()
        await asyncio.gather(*noise_makers)
    print(
        f"one phone sends {len(noises.seconds):,} taps, {AT_ONCE} at once, of which {len(noises.refused):,} are turned"
        " away; taps of others alone, and meanwhile:",
        *(f"    at {name}: {at(alone[name])}; {at(beside[name])}" for name in tables),
        sep="\n",
        flush=True,
    )


def apart(server: Server, count: int, chance: Random) -> list[str]:
    """So many requests at tables of one process that differ in a secret, or altogether; what is wrong."""
    database, _ = made(server, "twins", (), 0)
    done, number, faults = 0, 0, list[str]()
    while done < count:
        number += 1
        for request, wrong in compared(database, number, chance, chance.choice(secretive()), -(-(count - done) // 4)):
            faults += [f"{request}: {wrong}"] if wrong else []
            done += 4  # at each of both, at another in the same moment, and with a seat of one at that other
    print(
        f"{done:,} requests to one process at tables that differ in a secret, or altogether: {len(faults)} told apart,"
        " or found in another's page",
        flush=True,
    )
    return faults


def short(shell: Shell, server: Server, folder: Path, taps: int = 40) -> list[str]:
    """The shortest run that still kills, restarts and pools: what was lost or doubled."""
    chance = Random(1)
    database, slugs = made(server, "short", beginning(shell), 2)
    with ExitStack() as stack:
        served_at = (
            stack.enter_context(pooler.pooled(server, folder, database, mode="transaction", size=3))
            if pooler.is_here()
            else database
        )
        processes = stack.enter_context(club(shell, database, 2, chance, served_at))
        return asyncio.run(survived(processes, server, slugs, taps, 200))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure. Exits with 1 where something was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=10, help="tables of one process")
    parser.add_argument("--many", type=int, default=50, help="tables of two processes")
    parser.add_argument("--readers", type=int, default=50, help="phones at one table")
    parser.add_argument("--taps", type=int, default=300)
    parser.add_argument("--pooled", type=int, default=300, help="taps through a pooler of five connections")
    parser.add_argument("--rate", type=float, default=30, help="taps a second on average")
    parser.add_argument("--cloned", type=int, default=100, help="tables of which some are seated")
    parser.add_argument("--twins", type=int, default=1000, help="requests at tables that differ in a secret")
    parser.add_argument("--idle", type=float, default=5, help="seconds in which nobody taps")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    if binaries() is None:
        print("There is no PostgreSQL here, and none in a package for this platform.")
        return
    chance, faults = Random(options.seed), list[str]()
    print(f"seed {options.seed}")
    with shell_elsewhere() as shell, running(("max_connections = 60",)) as server:
        turns = beginning(shell)
        database, slugs = made(server, "one", turns, options.tables)
        with club(shell, database, 1, chance) as processes:
            asyncio.run(open_tables(processes, slugs, SEATS, options.idle))
        with club(shell, database, 1, chance) as processes:
            asyncio.run(statements(processes, server, slugs[0]))
            asyncio.run(crowd(processes, slugs[1], options.readers, 10))
        with club(shell, database, 2, chance) as processes:
            faults += asyncio.run(survived(processes, server, slugs[2:], options.taps, options.rate))
            asyncio.run(noise(processes, slugs[:3], options.taps // 5))
        for late in (0.0, 0.005, 0.02):
            with slowed(database, late) as far, club(shell, database, 2, chance, far) as processes:

                async def from_afar(processes: Club = processes, late: float = late) -> list[str]:
                    phones = await processes.seated(slugs[2:5], SEATS[:3])
                    label = f"database {late * 1000:.0f} ms away"
                    # as often as a far database still takes them, so that it is a tap that is measured and no queue
                    rate = options.rate / (6 if late else 1)
                    return await tapped(processes, phones, options.taps // (20 if late else 5), rate, label)

                faults += asyncio.run(from_afar())
        if pooler.is_here():
            with (
                tempfile.TemporaryDirectory() as folder,
                pooler.pooled(server, Path(folder), database, mode="transaction", size=5) as pool,
                club(shell, database, 2, chance, pool) as processes,
            ):

                async def pooled(processes: Club = processes) -> list[str]:
                    phones = await processes.seated(slugs[2:], SEATS[:3])
                    label = "through a transaction pooler of 5"
                    return await tapped(processes, phones, options.pooled, options.rate, label)

                faults += asyncio.run(pooled())
        else:
            print("there is no pgbouncer here: nothing was pooled")
        for name, count, seated in (("many", options.many, options.many), ("cloned", options.cloned, 200)):
            database, slugs = made(server, name, turns, count)
            with club(shell, database, 2, chance) as processes:

                async def many(processes: Club = processes, slugs: list[str] = slugs[:seated]) -> list[str]:
                    two_fifths = len(slugs) * 2 // 5
                    phones = await open_tables(processes, slugs, SEATS[:1], options.idle)
                    phones += await processes.seated(slugs[:two_fifths], SEATS[1:2])
                    await opened(phones[-two_fifths:])
                    return await tapped(processes, phones, options.taps, options.rate, f"{len(slugs):,} tables open")

                faults += asyncio.run(many())
        faults += apart(server, options.twins, chance)
    end(faults)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
