"""Readings beside the desk: they keep no tap waiting, and they end when nobody waits for them."""

import asyncio
import threading
import time
from collections import Counter
from typing import Any

import pytest

from cli.serving import reading_room
from cli.store.file import CampaignFile
from domain.common.notes import Note
from domain.log.command_handler import Command
from tests.kit.phones import Phone, Served, asking_until, scope_of


class HeldBack:
    """Every log but the desk's waits at its first question until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waiting, self.go = threading.Semaphore(0), threading.Event()
        asked = CampaignFile.ask

        def ask(log: CampaignFile, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
            if threading.current_thread().name.startswith("reading"):
                self.waiting.release()
                self.go.wait(60)
            return asked(log, select, *parameters)

        monkeypatch.setattr(CampaignFile, "ask", ask)


async def left(phone: Phone, address: str, gone: asyncio.Event) -> list[Any]:
    """What is sent to a client that asks, and closes its connection at `gone`."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await phone.served.app(scope_of("GET", address, phone.headers(), phone.address), asking_until(gone), send)
    return sent


@pytest.mark.parametrize("address", ["/at?turn=1", "/log?upto=2", "/log?grep=x", "/turn/1", "/recap", "/diff"])
def test_a_tap_waits_for_no_reading(crypt: Served, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    table, mia, last = crypt.phone("table"), crypt.phone("Mia"), crypt.log.last()
    held = HeldBack(monkeypatch)

    async def evening() -> None:
        gone = asyncio.Event()
        readings = [asyncio.create_task(left(table, address, gone)) for _ in range(60)]
        async with asyncio.timeout(60):
            while not held.waiting.acquire(blocking=False):
                await asyncio.sleep(0.01)
        reply = await asyncio.wait_for(mia.sending("/do", [("at", str(last)), ("line", "d brog 1")]), 60)
        assert reply.status == 303
        held.go.set()
        statuses = Counter(sent[0]["status"] for sent in await asyncio.gather(*readings))
        assert set(statuses) <= {200, 404}

    crypt.run(evening())
    assert crypt.log.last() == last + 1


def test_a_reading_is_given_up_when_its_client_leaves(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    table, begun, ended = crypt.phone("table"), threading.Event(), threading.Event()

    def read(log: Any, *_: Any) -> None:
        begun.set()
        try:
            while True:
                log.last()
                time.sleep(0.001)
        finally:
            ended.set()

    monkeypatch.setattr("cli.shell.readings.turn", read)
    # by itself it would end only then
    monkeypatch.setattr(reading_room, "LONGEST", 60)

    async def evening() -> None:
        gone = asyncio.Event()
        reading = asyncio.create_task(left(table, "/turn/1", gone))
        await asyncio.to_thread(begun.wait, 60)
        gone.set()
        await asyncio.wait_for(reading, 30)
        assert await asyncio.to_thread(ended.wait, 30)

    crypt.run(evening())


def test_a_reading_takes_only_so_long(crypt: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_room, "LONGEST", 0.05)

    def read(log: Any, *_: Any) -> None:
        begun = time.monotonic()
        while time.monotonic() - begun < 30:
            log.last()
            time.sleep(0.001)

    monkeypatch.setattr("cli.shell.readings.turn", read)
    answer = crypt.phone("table").get("/turn/1")
    assert (answer.status, "took too long" in answer.main) == (503, True)


def test_one_seat_asks_for_no_more_than_it_may_and_keeps_no_other_waiting(
    crypt: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, jo = crypt.phone("table"), crypt.phone("Jo")
    held = HeldBack(monkeypatch)

    async def evening() -> None:
        gone = asyncio.Event()
        most = reading_room.MOST_OF_A_SEAT
        readings = [asyncio.create_task(left(table, "/log", gone)) for _ in range(most + 1)]
        done, waiting = await asyncio.wait(readings, return_when=asyncio.FIRST_COMPLETED)
        assert [answer.result()[0]["status"] for answer in done] == [503]
        # another seat's reading runs beside them
        other = asyncio.create_task(left(jo, "/log", gone))
        for _ in range(2):
            while not held.waiting.acquire(blocking=False):
                await asyncio.sleep(0.01)
        gone.set()
        held.go.set()
        await asyncio.gather(*waiting, other)

    crypt.run(evening())


@pytest.mark.parametrize("address", ["/at?turn=5", "/log?upto=10"])
def test_a_page_of_an_old_turn_reads_no_more_than_it_shows(
    crypt: Served, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    crypt.handler.record_together([Command(Note(text=str(number))) for number in range(3000)])
    crypt.serving.turns.came(crypt.log.last())
    phone = crypt.phone("Mia")
    phone.get(address)
    rows = 0
    asked = CampaignFile.ask

    def ask(log: CampaignFile, select: str, *parameters: int | str) -> list[tuple[Any, ...]]:
        nonlocal rows
        found = asked(log, select, *parameters)
        rows += len(found)
        return found

    monkeypatch.setattr(CampaignFile, "ask", ask)
    assert phone.get(address).status == 200
    assert rows < 600
