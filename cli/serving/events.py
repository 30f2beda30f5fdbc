"""The open page's event stream: one event for each turn, signs of life, and why the stream ends."""

import sqlite3
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from cli.serving.table_server import TableServer, number
from cli.serving.views import SeatView
from cli.serving.wording import sentence_in_words
from cli.store.failures import Unopenable
from cli.terminal.screen import safe
from domain.log.port import DamagedLog

#: Missed turns that are sent one by one; of more the page only hears that there are many.
MOST_MISSED = 100


async def live(server: TableServer, request: Request, view: SeatView) -> Response:
    """The turns as they come, after the last one that the page knows."""
    last_id = request.headers.get("last-event-id") or request.query_params.get("after", "")
    after = number(last_id) if last_id else server.turns.last
    cookie = request.cookies[server.invitations.evening.cookie]
    return StreamingResponse(_events(server, view, cookie, after), media_type="text/event-stream")


async def _events(server: TableServer, view: SeatView, cookie: str, upto: int) -> AsyncIterator[str]:
    """The events; the last one says why there are no more: stopped, moved (too many pages are open) or revoked."""
    with server.streams.one_of(view.seat) as stream:
        yield "retry: 1000\n\n"
        known_seats: object = None
        questions = server.turns.questions
        while True:
            changes = server.turns.changes
            if server.turns.moves:
                return
            if server.turns.over:
                yield _event("over", upto, {"why": "stopped"})
                return
            seats = server.invitations.version
            # to look for the cookie among all of them takes longer than to send a turn
            if seats is None or seats != known_seats:
                if server.invitations.of_cookie(cookie) != view.seat:
                    yield _event("over", upto, {"why": "revoked"})
                    return
                known_seats = seats
            if stream.is_displaced:
                yield _event("over", upto, {"why": "moved"})
                return
            last = server.turns.last
            # a page that knows turns which are not there was opened on another evening
            if upto > last or last - upto > MOST_MISSED:
                yield _event("turn", last, {"turn": last, "sentence": ""})
            elif last > upto:
                with suppress(DamagedLog, Unopenable, OSError, sqlite3.Error):
                    entries = server.recent.if_cached(view.audience, upto, last)
                    for entry in await server.in_writer(view.new_entries, upto, last) if entries is None else entries:
                        yield _event(
                            "turn", entry.turn, {"turn": entry.turn, "sentence": safe(sentence_in_words(entry))}
                        )
            upto = last
            if server.turns.questions != questions:
                questions = server.turns.questions
                yield _event("asked", upto, {})
            if not await server.turns.wait(changes):
                yield _event("here", upto, {})


def _event(kind: str, turn: int, data: Mapping[str, Any]) -> str:
    return f"event: {kind}\nid: {turn}\ndata: {msgspec.json.encode(data).decode()}\n\n"
