"""Tables of one club, in one process, that differ in a secret or altogether: what each answers, asked all at once."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest.mock import patch
from urllib.parse import urlencode

from cli.serving.hall import Hall
from cli.serving.invitations import REFEREE
from cli.store.anywhere import create_at, open_log
from cli.store.server.address import ServerAddress, server_address
from domain.common.notes import Note
from tests.kit.given import Given
from tests.kit.on_disk import handler_of
from tests.kit.phones import Reply, asking_until, scope_of
from tests.kit.served_twins import Request, requests
from tests.kit.subjects import Subject
from tests.kit.twins import Twins

PUBLIC = "https://club.example"
#: What stands in the log of the third table alone.
MARK = "Qwzyxian"


class HallPhone:
    """A phone at one table of a process."""

    def __init__(self, hall: Hall, slug: str) -> None:
        self.hall, self.slug, self.host = hall, slug, f"{slug}.club.example"
        self.cookies: dict[str, str] = {}

    async def sits_down(self, seat: str) -> None:
        """Take a seat by a link."""
        server = (await self.hall.table(self.slug)).server
        await self.ask("POST", "/in", {"token": await server.in_writer(server.invitations.invite, seat)})
        assert self.cookies

    async def ask(self, how: str, address: str, fields: Mapping[str, str]) -> Reply:
        """What is answered; `how` is GET, POST, or TYPED for what a script sends."""
        method = "GET" if how == "GET" else "POST"
        headers = [("host", self.host), *([("accept", "application/json")] if how == "TYPED" else [])]
        if self.cookies:
            headers.append(("cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items())))
        if method == "POST":
            headers += [("origin", f"https://{self.host}"), ("content-type", "application/x-www-form-urlencoded")]
        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        body = urlencode(fields).encode()
        await self.hall(scope_of(method, address, headers, "10.0.0.1"), asking_until(asyncio.Event(), body), send)
        reply = Reply(messages[0]["status"], messages[0]["headers"], b"".join(m.get("body", b"") for m in messages[1:]))
        for cookie in reply.cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return reply

    def known_of(self, reply: Reply) -> tuple[Any, ...]:
        """An answer without the name of its own table and its own cookie."""
        headers = sorted((name, value) for name, value in reply.headers.items() if name != "set-cookie")
        return reply.status, headers, reply.body.replace(self.slug.encode(), b"table")


@contextmanager
def hall_of(address: ServerAddress) -> Iterator[Hall]:
    """A process that decides alike at each table, and takes as many taps as come."""
    with (
        patch("cli.serving.hall.handler_for", handler_of),
        patch("cli.serving.hall.OF_A_SEAT", (10**9, 1)),
        patch("cli.serving.hall.OF_A_TABLE", (10**9, 1)),
    ):
        hall = Hall(address, PUBLIC)
        try:
            yield hall
        finally:
            hall.close()


def compared(
    database: str, number: int, chance: Random, subject: Subject, most: int = 1000
) -> Iterator[tuple[Request, str]]:
    """Requests made at the same time at two twins and a third table of one process; what is wrong with the answers.

    `number` tells these tables from others in the database; at most so many requests are made.
    """
    twins = Twins(chance, subject)
    if not twins.tell_apart:
        return
    third = Given(subject.key)
    third.handler.record(Note(text=MARK))
    slugs = [f"{which}{number:06}" for which in ("one", "two", "tre")]
    for slug, table in zip(slugs, (twins.one, twins.other, third), strict=True):
        first, *later = table.log.read()
        with open_log(create_at(database, f"campaign-{slug}", slug, slug, first), write=True) as log:
            log.append_all(later)
    tries = [request for request in requests(chance, twins) if request[0] != "LIVE"]
    tries = [tries[at] for at in sorted(chance.sample(range(len(tries)), min(most, len(tries))))]
    with hall_of(server_address(database)) as hall, asyncio.Runner() as runner:
        yield from zip(tries, runner.run(_faults(hall, slugs, twins.viewer, tries)), strict=True)


async def _faults(hall: Hall, slugs: list[str], viewer: str, tries: list[Request]) -> list[str]:
    one, two, other = phones = [HallPhone(hall, slug) for slug in slugs]
    seats = (viewer, viewer, REFEREE)
    await asyncio.gather(*(phone.sits_down(seat) for phone, seat in zip(phones, seats, strict=True)))
    stranger = HallPhone(hall, slugs[2])
    stranger.cookies = one.cookies
    faults = []
    for request in tries:
        # a table that is asked in the same moment has nothing to do with it, nor has a seat at another
        first, second, third, foreign = await asyncio.gather(
            one.ask(*request), two.ask(*request), other.ask("GET", "/log", {}), stranger.ask(*request)
        )
        wrong = []
        if one.known_of(first) != two.known_of(second):
            wrong.append("the two are told apart")
        if any(MARK in reply.text for reply in (first, second, foreign)) or MARK not in third.text:
            wrong.append("one table is found in another's page")
        if foreign.status not in (401, 403, 429):
            wrong.append(f"a seat of another table is answered {foreign.status}")
        faults.append("; ".join(wrong))
    return faults
