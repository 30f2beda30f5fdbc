"""Turns as they come: one event each, from whoever tells them, and what was missed."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from cli.serving.invitations import MOST_DEVICES
from cli.serving.live import Follower
from cli.shell.command_context import handler_for, open_chosen
from domain.common.notes import Note
from tests.kit.phones import Served
from tests.kit.shell import Shell


async def some(events: Any, count: int) -> list[tuple[str, str]]:
    """So many events: the id of each, and its sentence."""
    found = []
    async for event in events:
        found.append((event["id"], event["sentence"]))
        if len(found) == count:
            break
    return found


def test_a_turn_is_one_event_on_every_page(crypt: Served) -> None:
    mia, jo, table = crypt.phone("Mia"), crypt.phone("Jo"), crypt.phone("table")
    last = crypt.log.last()

    async def evening() -> None:
        async with jo.listening() as at_jo, table.listening() as at_table:
            await mia.sending("/do", [("at", str(last)), ("line", "n The torch gutters")])
            for events in (at_jo, at_table):
                ((number, sentence),) = await some(events, 1)
                assert (number, "The torch gutters" in sentence) == (str(last + 1), True)

    crypt.run(evening())


def test_a_phone_that_slept_catches_up(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    last = crypt.log.last()
    for number in range(3):
        mia.says(f"n {number}")

    async def evening() -> None:
        for known in ({"address": f"/live?after={last}"}, {"last-event-id": str(last)}):
            async with mia.listening(**known) as events:
                assert [number for number, _ in await some(events, 3)] == [str(last + 1), str(last + 2), str(last + 3)]
        # one that knows turns of another evening begins anew
        async with mia.listening(address="/live?after=9999") as events:
            assert await some(events, 1) == [(str(last + 3), "")]

    crypt.run(evening())


def test_who_slept_for_long_is_told_that_there_is_much(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    with crypt.log.on("main"):
        for number in range(101):
            crypt.handler.record(Note(text=str(number)))
    last = crypt.log.last()
    crypt.serving.turns.came(last)

    async def evening() -> None:
        async with mia.listening(address="/live?after=1") as events:
            assert await some(events, 1) == [(str(last), "")]

    crypt.run(evening())


def test_a_turn_told_elsewhere_comes_by_itself(crypt: Served) -> None:
    mia = crypt.phone("Mia")
    last = crypt.log.last()

    async def evening() -> None:
        follower = Follower(crypt.log.on("main"), crypt.serving.turns, asyncio.get_running_loop())
        follower.start()
        try:
            async with mia.listening() as events:
                with open_chosen(None, write=True) as (log, _):
                    handler_for(log).record(Note(text="Told on the shell."))
                ((number, sentence),) = await some(events, 1)
                assert (number, "Told on the shell." in sentence) == (str(last + 1), True)
        finally:
            await asyncio.to_thread(follower.stop)

    crypt.run(evening())
    assert "Told on the shell." in mia.get("/").main


def test_a_tap_while_others_turns_are_looked_for_is_not_taken_back(crypt: Served) -> None:
    last = crypt.log.last()

    async def evening() -> None:
        loop, looked = asyncio.get_running_loop(), asyncio.Event()
        followed = crypt.log.on("main")

        def slow() -> int:
            """The end of the log as it was before the tap of which the feed is told meanwhile."""
            del followed.last
            asyncio.run_coroutine_threadsafe(tap(), loop).result()
            loop.call_soon_threadsafe(looked.set)
            return last

        async def tap() -> None:
            crypt.serving.turns.came(last + 1)

        followed.last = slow  # type: ignore[method-assign]
        follower = Follower(followed, crypt.serving.turns, loop)
        changes = crypt.serving.turns.changes
        follower.start()
        try:
            await looked.wait()
            crypt.handler.record(Note(text="The tap."))
        finally:
            await asyncio.to_thread(follower.stop)
        assert (crypt.serving.turns.last, crypt.serving.turns.changes) == (last + 1, changes + 1)

    crypt.run(evening())


def test_whoever_is_sent_away_hears_nothing_more(crypt: Served, shell: Shell) -> None:
    assert shell.folder.is_dir()
    mia = crypt.phone("Mia")

    async def evening() -> None:
        async with mia.listening() as events:
            crypt.invitations.end_seat("Mia")
            crypt.serving.turns.look()
            assert [event["event"] async for event in events] in (["over"], [])
        assert (await mia.sending("/do", [("line", "n Hello")])).status == 401

    crypt.run(evening())


def test_where_seats_cannot_be_read_nobody_hears_anything_more(crypt: Served) -> None:
    mia = crypt.phone("Mia")

    async def evening() -> None:
        async with mia.listening() as events:
            await asyncio.sleep(0.05)
            crypt.invitations.end()
            crypt.handler.record(Note(text="Nobody hears this."))
            crypt.serving.turns.came(crypt.log.last())
            assert [(event["event"], event["why"]) async for event in events] == [("over", "revoked")]

    crypt.run(evening())


def test_a_seat_has_so_many_streams_and_no_more(crypt: Served) -> None:
    mia, jo = crypt.phone("Mia"), crypt.phone("Jo")

    async def evening() -> None:
        async with AsyncExitStack() as open_pages:
            other = await open_pages.enter_async_context(jo.listening())
            first = await open_pages.enter_async_context(mia.listening())
            await asyncio.sleep(0.05)
            more = [await open_pages.enter_async_context(mia.listening()) for _ in range(MOST_DEVICES)]
            assert [(event["event"], event["why"]) async for event in first] == [("over", "moved")]
            # the others, and those of another seat, go on
            await mia.sending("/do", [("at", "1"), ("line", "n Rain")])
            for events in (other, *more):
                assert len(await some(events, 1)) == 1

    crypt.run(evening())


def test_a_ninth_who_looks_on_ends_nobody(crypt: Served) -> None:
    mia, screens = crypt.phone("Mia"), [crypt.phone("table") for _ in range(MOST_DEVICES + 2)]

    async def evening() -> None:
        async with AsyncExitStack() as open_pages:
            pages = [await open_pages.enter_async_context(screen.listening()) for screen in screens]
            await asyncio.sleep(0.05)
            await mia.sending("/do", [("at", "1"), ("line", "n Rain")])
            for events in pages:
                assert len(await some(events, 1)) == 1

    crypt.run(evening())


def test_a_stream_says_why_it_ends(crypt: Served) -> None:
    mia, jo = crypt.phone("Mia"), crypt.phone("Jo")

    async def evening() -> None:
        async with mia.listening() as at_mia, jo.listening() as at_jo:
            await asyncio.sleep(0.05)
            crypt.invitations.end_seat("Mia")
            crypt.serving.turns.look()
            assert [event["why"] async for event in at_mia] == ["revoked"]
            crypt.serving.turns.end()
            assert [event["why"] async for event in at_jo] == ["stopped"]

    crypt.run(evening())


def test_the_end_of_the_page_ends_what_listens(crypt: Served) -> None:
    mia = crypt.phone("Mia")

    async def evening() -> None:
        async with mia.listening() as events:
            crypt.serving.turns.end()
            assert [event["event"] async for event in events] == ["over"]

    crypt.run(evening())
