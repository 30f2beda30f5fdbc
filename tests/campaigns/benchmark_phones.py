"""What the page costs, at a real port: `uv run python -m tests.campaigns.benchmark_phones --taps 200 --readers 200`.

From one phone's tap to the event at the others, beside an echo of the same size that keeps as many bytes on the disk
before it answers, as a turn is; taps while many long readings are open; many readers at a long log; and taps over
connections that break, at a server that is killed in between. Printed are medians and the 95th of 100, as ratios to
the echo, and of a tap the processor's time too, which other work on the machine hardly changes; whether anything was
lost or doubled is an exit code.
"""

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode, urlsplit

from cli.serving.invitations import MOST_DEVICES, Invitations
from cli.shell.command_context import handler_for, open_chosen
from domain.common.notes import Note
from domain.log.command_handler import Command
from domain.log.effective_history import effective_turns
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.shell import Shell, shell_elsewhere

#: A bare application of the same framework: it answers with so many bytes, and passes what it is sent on to whoever
#: listens, as events of so many bytes; with `sync` once as many are on the disk.
ECHO = """
import asyncio, os, sys, tempfile, uvicorn
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
listeners = []
kept = tempfile.TemporaryFile(dir=".")
def keep(size):
    kept.write(b"x" * size)
    kept.flush()
    os.fsync(kept.fileno())
async def echo(request):
    await request.body()
    size = int(request.query_params["size"])
    if "sync" in request.query_params:
        await asyncio.get_running_loop().run_in_executor(None, keep, size)
    if number := request.query_params.get("id"):
        for each in listeners:
            each.put_nowait(f"event: turn\\nid: {number}\\ndata: ".ljust(size - 2, "x") + "\\n\\n")
    return Response(b"x" * size)
async def live(request):
    heard = asyncio.Queue()
    listeners.append(heard)
    async def events():
        while True:
            yield await heard.get()
    return StreamingResponse(events(), media_type="text/event-stream")
routes = [Route("/", echo, methods=["GET", "POST"]), Route("/live", live)]
uvicorn.run(Starlette(routes=routes), port=int(sys.argv[1]), log_level="critical")
"""


class Wire:
    """One browser on a socket that stays open."""

    def __init__(self, port: int, cookie: str = "", host: str = "") -> None:
        """`host` is the name that it knows the server by, if that is not its address."""
        self.port, self.cookie, self._host = port, cookie, host
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(
        self, method: str, path: str, fields: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """The status, the headers and the body."""
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(self.request(method, path, fields))
        status, headers = await _head(reader)
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if "set-cookie" in headers:
            self.cookie = headers["set-cookie"].partition(";")[0]
        return status, headers, body

    def request(self, method: str, path: str, fields: dict[str, str] | None) -> bytes:
        """A request as it goes over the wire."""
        here = self._host or f"127.0.0.1:{self.port}"
        lines = [f"{method} {path} HTTP/1.1", f"Host: {here}"]
        body = urlencode(fields).encode() if fields is not None else b""
        if fields is not None:
            kind = "application/x-www-form-urlencoded"
            lines += [f"Origin: http://{here}", f"Content-Type: {kind}", f"Content-Length: {len(body)}"]
        if self.cookie:
            lines.append(f"Cookie: {self.cookie}")
        return "\r\n".join([*lines, "", ""]).encode() + body

    async def events(self, after: int) -> asyncio.StreamReader:
        """What comes, on a connection of its own."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(self.request("GET", f"/live?after={after}", None))
        await _head(reader)
        self.listening = writer
        return reader

    def break_off(self) -> None:
        """The connection is gone, whatever was under way."""
        if self.streams is not None:
            self.streams[1].transport.abort()
            self.streams = None


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = (line.partition(": ") for line in lines[1:] if line)
    return int(lines[0].split()[1]), {name.lower(): value for name, _, value in fields}


async def until_event(reader: asyncio.StreamReader, number: int) -> None:
    """Return when the event of this turn came."""
    while f"id: {number}\n".encode() not in (line := await reader.readline()):
        assert line, "nothing more comes"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def serving(shell: Shell, port: int) -> Iterator[tuple[Any, dict[str, str]]]:
    """A server of its own process, and its links by the names of those whom they are for."""
    with shell.start("serve", "--keep", "--port", str(port)) as process:
        assert process.stdout is not None
        links = {}
        while "stop with" not in (line := process.stdout.readline().decode()):
            assert line, "the server ended"
            seat, _, address = line.strip().partition(": ")
            links[seat] = urlsplit(address).path
        yield process, links


@contextmanager
def echoing() -> Iterator[tuple[Any, int]]:
    """The bare echo: its process and its port."""
    port = free_port()
    with subprocess.Popen([sys.executable, "-c", ECHO, str(port)]) as process:
        try:
            while True:
                with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield process, port
        finally:
            process.kill()


async def seated(port: int, path: str) -> Wire:
    """A phone that has taken its seat."""
    wire = Wire(port)
    await wire.ask("POST", "/in", {"token": path.rpartition("/")[2]})
    return wire


async def latency(
    port: int, links: dict[str, str], echo: int, processes: tuple[int, int], taps: int, phones: int = 8
) -> None:
    """From the first sign of a tap to the event at the last of the other phones.

    Beside it a bare echo that answers whoever asks, and one that passes the same number of bytes on to as many others.
    `processes`: the ids of the server and of the echo.
    """
    teller = await seated(port, links["Mia"])
    listeners = [Wire(port, teller.cookie) for _ in range(phones - 1)]
    _, _, page = await teller.ask("GET", "/now")
    last = int(page.partition(b'data-turn="')[2].partition(b'"')[0])
    streams = [await listener.events(last) for listener in listeners]
    bare, passing, hearers = Wire(echo), Wire(echo), [Wire(echo) for _ in listeners]
    passed_on = [await hearer.events(0) for hearer in hearers]
    durations: list[float] = []
    plain: list[float] = []
    durations_unsaved: list[float] = []
    synced: list[float] = []
    durations_saved: list[float] = []
    worked: list[float] = []
    echo_worked: list[float] = []
    for number in range(taps):
        tap = {"at": str(last), "line": f"n tap {number}"}
        started, worked_before = time.perf_counter(), processor_time(processes[0])
        _, (status, _, _) = await asyncio.gather(
            asyncio.gather(*(until_event(stream, last + 1) for stream in streams)), teller.ask("POST", "/do", tap)
        )
        durations.append(time.perf_counter() - started)
        worked.append(processor_time(processes[0]) - worked_before)
        assert status == 303
        last += 1
        started = time.perf_counter()
        await bare.ask("POST", "/?size=200", tap)
        plain.append(time.perf_counter() - started)
        started = time.perf_counter()
        await asyncio.gather(
            *(until_event(stream, last) for stream in passed_on), passing.ask("POST", f"/?size=200&id={last}", tap)
        )
        durations_unsaved.append(time.perf_counter() - started)
        started, worked_before = time.perf_counter(), processor_time(processes[1])
        await asyncio.gather(
            *(until_event(stream, last) for stream in passed_on),
            passing.ask("POST", f"/?size=200&sync=1&id={last}", tap),
        )
        durations_saved.append(time.perf_counter() - started)
        echo_worked.append(processor_time(processes[1]) - worked_before)
        synced.append(_sync())
    median, p95 = statistics.median(synced) * 1000, sorted(synced)[int(taps * 0.95)] * 1000
    _print_ratio(f"{taps} taps to the last of {phones - 1} other phones", durations, plain)
    _print_ratio(
        "    the same beside an echo that passes as many bytes on to as many phones", durations, durations_unsaved
    )
    _print_ratio("    and that keeps them on this disk before it answers, as a turn is", durations, durations_saved)
    _print_ratio("    the processor's time of the server for a tap, beside that of this echo", worked, echo_worked)
    print(f"    to keep as much on this disk: median, p95 {median:.1f} / {p95:.1f} ms", flush=True)


def processor_time(pid: int) -> float:
    """Seconds of the processor that a process has had, in all of its threads."""
    times = (task.joinpath("schedstat").read_text("ascii").split() for task in Path(f"/proc/{pid}/task").iterdir())
    return sum(int(time_had) for time_had, *_ in times) / 1e9


def _sync() -> float:
    """Seconds that this disk takes to keep a page: no turn is told before it is kept."""
    with tempfile.TemporaryFile() as file:
        file.write(bytes(4096))
        file.flush()
        started = time.perf_counter()
        os.fsync(file.fileno())
        return time.perf_counter() - started


async def beside_readings(port: int, links: dict[str, str], taps: int, readings: int = 60) -> None:
    """Taps of one phone while another seat has so many long readings open, of early turns and whole evenings."""
    teller, table = await seated(port, links["Mia"]), await seated(port, links["the table"])
    alone = await _taps(teller, taps, "alone")
    stops, pages = asyncio.Event(), 0

    async def read(number: int) -> None:
        nonlocal pages
        wire = Wire(port, table.cookie)
        path = (f"/at?turn={1 + number}", f"/log?upto={50 + number}", "/log?grep=nothing+like+it", "/diff?of=T1..T99")[
            number % 4
        ]
        while not stops.is_set():
            status, _, _ = await wire.ask("GET", path)
            assert status in (200, 503), status
            pages += status == 200

    open_pages = [asyncio.create_task(read(number)) for number in range(readings)]
    await asyncio.sleep(0.5)
    beside = await _taps(teller, taps, "beside")
    stops.set()
    await asyncio.gather(*open_pages)
    _print_ratio(
        f"{taps} taps while {readings} long readings are open ({pages} pages read)", beside, alone, "taps alone"
    )


async def _taps(teller: Wire, taps: int, line: str) -> list[float]:
    """Seconds that each of so many taps took, one after the other."""
    _, _, page = await teller.ask("GET", "/now")
    last, durations = int(page.partition(b'data-turn="')[2].partition(b'"')[0]), []
    for number in range(taps):
        started = time.perf_counter()
        status, _, _ = await teller.ask("POST", "/do", {"at": str(last + number), "line": f"n {line} {number}"})
        durations.append(time.perf_counter() - started)
        assert status == 303
    return durations


async def readers(port: int, links: dict[str, str], echo: int, count: int, turns: int, process: Any) -> None:
    """Many pages that are open: each hears of a turn, and asks for the table anew."""
    # each seat may have so many streams
    seats = [await seated(port, path) for seat, path in links.items() if seat.startswith("Reader")]
    pages = [Wire(port, seats[number % len(seats)].cookie) for number in range(count)]
    streams = [await page.events(turns) for page in pages]
    bare = [Wire(echo) for _ in range(count)]
    durations: list[float] = []
    plain: list[float] = []
    _, _, body = await pages[0].ask("GET", "/now")

    async def read(page: Wire, path: str, into: list[float]) -> None:
        started = time.perf_counter()
        status, _, _ = await page.ask("GET", path)
        into.append(time.perf_counter() - started)
        assert status == 200

    before = _memory(process.pid)
    for _ in range(10):
        await asyncio.gather(*(read(page, "/now", durations) for page in pages))
        await asyncio.gather(*(read(page, f"/?size={len(body)}", plain) for page in bare))
    growth = _memory(process.pid) - before
    _print_ratio(f"{count} readers at once at {turns:,} turns, {len(streams)} of them listening", durations, plain)
    print(f"    memory grew by {growth / 1024:.1f} MB over {len(durations):,} pages", flush=True)


def _memory(pid: int) -> int:
    """What a process holds, in kB."""
    text = Path(f"/proc/{pid}/status").read_text("utf-8")
    return int(text.partition("VmRSS:")[2].split()[0])


async def drops(shell: Shell, count: int, seed: int, kills: int) -> bool:
    """Taps over connections that break at any moment; whether each is in the log once."""
    chance, port, texts_sent, broken, cookie = Random(seed), free_port(), list[str](), 0, ""
    for part in range(kills + 1):
        with serving(shell, port) as (process, links):
            wire = Wire(port, cookie) if cookie else await seated(port, links["Mia"])
            cookie = wire.cookie
            for number in range(count // (kills + 1)):
                fields = {"at": "1", "line": f"n drop {part}-{number}"}
                texts_sent.append(fields["line"].removeprefix("n "))
                while True:
                    try:
                        limit = chance.uniform(0, 0.03) if chance.random() < 0.6 else None
                        status, _, _ = await asyncio.wait_for(wire.ask("POST", "/do", fields), limit)
                        assert status in (200, 303), status
                        break
                    except (TimeoutError, OSError, asyncio.IncompleteReadError):
                        broken += 1
                        wire.break_off()
            # killed while a tap is under way, which is sent again to the next server
            fields = {"at": "1", "line": f"n drop {part}-killed"}
            with suppress(TimeoutError, OSError, asyncio.IncompleteReadError):
                await asyncio.wait_for(wire.ask("POST", "/do", fields), chance.uniform(0, 0.02))
            process.kill()
            process.wait()
            wire.break_off()
        with serving(shell, port):
            again = Wire(port, cookie)
            status, _, _ = await again.ask("POST", "/do", fields)
            assert status in (200, 303)
            texts_sent.append(fields["line"].removeprefix("n "))
    with open_chosen(None) as (log, _):
        texts = [getattr(effective_turn.turn.action, "text", "") for effective_turn in effective_turns(log)]
    losses, doubles = (
        [text for text in texts_sent if text not in texts],
        [text for text in texts_sent if texts.count(text) > 1],
    )
    print(f"{len(texts_sent):,} taps, {broken:,} connections broken, {kills + 1} servers killed: {len(losses)} lost, "
          f"{len(doubles)} doubled (seed {seed})", flush=True)  # fmt: skip
    return not losses and not doubles


def _print_ratio(label: str, durations: Sequence[float], plain: Sequence[float], beside: str = "the echo") -> None:
    ours, theirs = (
        [statistics.median(times), sorted(times)[int(len(times) * 0.95)], max(times)] for times in (durations, plain)
    )
    ratios = ", ".join(f"{a / b:.1f}" for a, b in zip(ours, theirs, strict=True))
    milliseconds = " / ".join(f"{seconds * 1000:.1f}" for seconds in ours)
    print(f"{label}: median, p95, longest {milliseconds} ms; to {beside} {ratios}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure. Exits with 1 where a tap was lost or doubled."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--taps", type=int, default=200)
    parser.add_argument("--readers", type=int, default=200)
    parser.add_argument("--turns", type=int, default=100_000)
    parser.add_argument("--drops", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parsed = parser.parse_args(arguments)
    with shell_elsewhere() as shell:
        shell.do("new Crypt --rules osr")
        shell.do("osr enrol Brog --player Mia --rolled 5", "osr enrol Ada --player Jo --rolled 4")
        for number in range(-(-parsed.readers // MOST_DEVICES)):
            shell.do(f"osr enrol Guest{number} --player Reader{number} --rolled 4")
        sound = asyncio.run(drops(shell, parsed.drops, parsed.seed, parsed.kills))
        with open_chosen(None, write=True) as (log, _):
            handler, last = handler_for(log), log.last()
            for first in range(last, parsed.turns, 5000):
                texts = (f"note {number}" for number in range(first, min(first + 5000, parsed.turns)))
                handler.record_together([Command(Note(text=text)) for text in texts])
            turns = log.last()
        port = free_port()
        with serving_anew(shell, port) as (process, links), echoing() as (echo_process, echo):
            asyncio.run(latency(port, links, echo, (process.pid, echo_process.pid), parsed.taps))
            asyncio.run(readers(port, links, echo, parsed.readers, turns + parsed.taps, process))
        with serving_anew(shell, port) as (_, links):
            asyncio.run(beside_readings(port, links, parsed.taps))
    if not sound:
        raise SystemExit(1)


@contextmanager
def serving_anew(shell: Shell, port: int) -> Iterator[tuple[Any, dict[str, str]]]:
    """A server with new links for everybody."""
    with open_chosen(None) as (log, _):
        Invitations(log.campaign_id).end()
    with serving(shell, port) as server:
        yield server


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
