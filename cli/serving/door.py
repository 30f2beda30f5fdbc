"""The door of one address: who comes in by a link, and then by a cookie; and how every answer is made."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from cli.serving.http_guard import RateLimit
from cli.serving.invitations import Invitations, Seat
from cli.serving.presentation import rendered

NO_PAGE = "There is no such page."
NO_SEAT = "You have no seat here. Open your link, or ask the referee for a new one."
TOO_OFTEN = "Too many wrong links came from this address. Wait a moment, then open your link again."


class Problem(Exception):
    """Answered with a status and a sentence instead of a page."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class Door:
    """What a table and the keeper's page of a club have in common."""

    def __init__(
        self, invitations: Invitations, *, address: str, writer: ThreadPoolExecutor, rate_limit: RateLimit | None
    ) -> None:
        """`writer` is the thread in which everything happens that asks or changes what is stored."""
        self.invitations, self.writer = invitations, writer
        #: scheme, name and port, as they are typed on a phone
        self.address = address
        self.rate_limit = rate_limit or RateLimit()

    async def in_writer(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do something with what is stored, after whatever is being done with it."""
        return await asyncio.get_running_loop().run_in_executor(self.writer, work, *arguments)

    # -- who asks ------------------------------------------------------------------------------------------

    async def seat_of(self, request: Request) -> Seat | None:
        """The seat that the request's cookie opens; a valid cookie never waits for others' wrong links."""
        cookie = request.cookies.get(self.invitations.evening.cookie) or ""
        return await self._known_seat(request, cookie, self.invitations.of_cookie)

    async def seat_behind(self, request: Request, link: str) -> Seat | None:
        """The seat of an unused link, which never waits for others' wrong links either."""
        return await self._known_seat(request, link, self.invitations.of_link)

    async def _known_seat(self, request: Request, token: str, seat_of: Callable[[str], Seat | None]) -> Seat | None:
        """What a token opens. Another process may just have given it out, so an unknown one is looked up once more."""
        seat = seat_of(token)
        if seat is None and token and not self.rate_limit.waits(address_of_client(request)):
            await self.in_writer(self.invitations.refresh)
            seat = seat_of(token)
        return seat

    async def seat_for(self, request: Request) -> Seat:
        """The seat of whoever asks. Raises Problem for somebody without one."""
        seat = await self.seat_of(request)
        if seat is None:
            self.check_rate(request)
            if request.cookies.get(self.invitations.evening.cookie):
                self.rate_limit.count(address_of_client(request))
            raise Problem(401, NO_SEAT)
        return seat

    def check_rate(self, request: Request) -> None:
        """Raise Problem where too many wrong links came from this address."""
        if self.rate_limit.waits(address_of_client(request)):
            raise Problem(429, TOO_OFTEN)

    # -- answers -------------------------------------------------------------------------------------------

    def page(self, template: str, view: Any, status: int = 200, **values: Any) -> HTMLResponse:  # noqa: ARG002
        """A template as a page; `view` is what the seat of whoever asks sees, if it has one."""
        values = {"seat": None, "reads": True, "section": "", "title": "", "campaign": "", "turn": 0, **values}
        return HTMLResponse(rendered(template, **values), status)

    def problem(self, request: Request, status: int, sentence: str, view: Any = None) -> Response:
        """A sentence as a page, or as JSON for the script."""
        if wants_json(request):
            return JSONResponse({"problem": sentence}, status)
        title = "Not found" if status == 404 else "No seat" if status == 401 else "That did not work"
        # without a seat it takes another link, not another try
        here = "" if view is None and status in (401, 403) else _same_address(request)
        answer = self.page("problem", view, status, title=title, sentence=sentence, here=here)
        if status == 401 and self.invitations.evening.cookie in request.cookies:
            # a device whose seat was ended stops showing the old token
            answer.delete_cookie(self.invitations.evening.cookie, path="/", httponly=True, samesite="strict")
        return answer


def address_of_client(request: Request) -> str:
    """The address that a request comes from."""
    return request.client.host if request.client else ""


def wants_json(request: Request) -> bool:
    """Whether the script asks, and not a browser that opens a page."""
    return request.headers.get("accept", "") == "application/json"


def _same_address(request: Request) -> str:
    """Where a page can be asked for again; what a form sent is not sent again."""
    if request.method != "GET":
        return "/"
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{quote(request.url.path)}{query}"
