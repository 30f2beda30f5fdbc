"""The keeper's page of a club, at its bare address: its tables, their seats, a file of each, and a new one.

Whoever has no seat there is told nothing, not even that there are tables.
"""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

import psycopg
from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from cli.serving.app import AT_EVERY_DOOR
from cli.serving.club_seats import CLUB, ClubInvitations
from cli.serving.door import Door, Problem, address_of_client
from cli.serving.invitations import REFEREE, Seat, new_token
from cli.serving.table_server import NO_TABLE, UNREADABLE, explanation_of, field, form_of
from cli.shell.choose import slug as slug_of
from cli.shell.command_context import handler_for
from cli.store.failures import Unopenable
from cli.store.server.address import ServerAddress
from cli.store.server.connection import SharedConnection
from cli.store.server.log import TableThere, campaigns_there, open_on_server, tables_there
from cli.store.server.moving import create_on_server
from domain.log.port import MemoryLog
from domain.refusal import Invalid
from domain.registry import action_from
from domain.system.installed import installed, package_of

#: Tables on one page.
ON_A_PAGE = 100


class KeepersPage(Door):
    """Whoever keeps a club, and what they do there."""

    def __init__(
        self,
        where: ServerAddress,
        writing: Callable[[], SharedConnection],
        writer: ThreadPoolExecutor,
        *,
        address: str,
        table_address: Callable[[str], str],
    ) -> None:
        """`writing` gives the connection of the thread `writer`; `table_address` is where a table is, by its name."""
        super().__init__(ClubInvitations(writing, CLUB), address=address, writer=writer, rate_limit=None)
        self.where, self._writing, self.table_address = where, writing, table_address

    async def seat_of(self, request: Request) -> Seat | None:
        # asked seldom, so that nobody has to tell this page of a seat that ended elsewhere
        if request.cookies and not self.rate_limit.waits(address_of_client(request)):
            await self.in_writer(self.invitations.refresh)
        return await super().seat_of(request)

    def tables(self, slug: str, *, only: bool = False) -> list[TableThere]:
        """The tables by name, after this one; or the `only` one of this name. Raises psycopg.Error."""
        return self._writing().ask(lambda connection: tables_there(connection, slug, ON_A_PAGE, only=only))

    def seats(self, slug: str) -> tuple[TableThere, ClubInvitations]:
        """A table with its seats. Raises Problem if there is none."""
        table = next(iter(self.tables(slug, only=True)), None)
        if table is None:
            raise Problem(404, NO_TABLE)
        seats = ClubInvitations(self._writing, table.campaign)
        seats.begin(anew=False, keep=True, address=self.table_address(slug))
        return table, seats

    def begin_table(self, name: str, rules: str, token: str) -> str:
        """Begin a campaign, and return its name in its address. Raises Invalid, Unopenable, NotSaved, MaybeSaved.

        `token` is that of the form: what is sent twice, as a proxy does when no answer came, is one campaign. Another
        one that is filled into the same page, after going back to it, is one of its own.
        """
        if not name.strip():
            raise Invalid("A campaign needs a name.")
        if rules not in installed():
            raise Invalid("Choose a rule system.")
        start = {"type": "campaign.start", "name": name.strip(), "rules": rules, "package": package_of(rules)}
        turn = handler_for(MemoryLog(rules)).record(action_from(rules, start), by="keeper").turn
        campaign = sha256("\0".join(("table", token or new_token(), name, rules)).encode()).hexdigest()[:16]
        try:
            return create_on_server(self.where, campaign, name.strip(), slug_of(name), turn)
        except Unopenable:
            begun = (slug for slug, _, campaign_id in campaigns_there(self.where) if campaign_id == campaign)
            if (slug := next(begun, None)) is None:
                raise
            return slug

    def file_of(self, slug: str) -> bytes:
        """A whole campaign as a file. Raises Unopenable, NotSaved."""
        with (
            open_on_server(replace(self.where, campaign=slug), needs_rules=False) as log,
            tempfile.TemporaryDirectory() as folder,
        ):
            path = Path(folder, "table.campaign")
            log.backup(path)
            return path.read_bytes()


Handler = Callable[[KeepersPage, Request], Awaitable[Response]]


def for_keeper(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler for the keeper; what goes wrong is answered with a status and one sentence."""

    async def handle(request: Request) -> Response:
        page: KeepersPage = request.app.state.server
        try:
            await page.seat_for(request)
            return await handler(page, request)
        except psycopg.Error:
            return page.problem(request, 503, UNREADABLE)
        except Exception as error:
            explanation = explanation_of(error)
            if explanation is None:
                raise
            return page.problem(request, *explanation)

    return handle


async def home(page: KeepersPage, request: Request) -> Response:
    """Every table with its last turn, and a form for a new one."""
    tables = await page.in_writer(page.tables, request.query_params.get("after", "")[:200])
    more = tables[-1:] if len(tables) == ON_A_PAGE else ()
    return page.page("tables", None, title="Tables", tables=tables, more=more, rules=installed(), token=new_token())


async def begin(page: KeepersPage, request: Request) -> Response:
    """Begin a campaign, and show the link of its referee."""
    form = await form_of(request)
    fields = (field(form, "name")[:200], field(form, "rules"), field(form, "token"))
    slug = await asyncio.to_thread(page.begin_table, *fields)
    return await _table_page(page, slug, REFEREE)


async def table(page: KeepersPage, request: Request) -> Response:
    """The seats of one table."""
    return await _table_page(page, str(request.path_params["slug"]))


async def _table_page(page: KeepersPage, slug: str, invited: str = "") -> Response:
    """The seats of one table, with a new link for the one that is `invited`."""

    def look() -> tuple[TableThere, list[Any], str]:
        found, seats = page.seats(slug)
        link = f"{page.table_address(slug)}/in/{seats.invite(invited)}" if invited else ""
        return found, list(seats.states()), link

    found, states, link = await page.in_writer(look)
    return page.page("table_seats", None, title=found.name, table=found, states=states, link=link)


async def change(page: KeepersPage, request: Request) -> Response:
    """Give the referee a new link, or end a seat, after asking."""
    slug, form = str(request.path_params["slug"]), await form_of(request)
    if field(form, "do") == "invite":
        return await _table_page(page, slug, REFEREE)

    def end() -> Any:
        _, seats = page.seats(slug)
        seat = next((state.seat for state in seats.states() if state.seat.key == field(form, "seat")), None)
        if seat is None:
            raise Problem(404, "There is no such seat.")
        if field(form, "sure") == "yes":
            seats.end_seat(seat.name)
            return None
        return seat

    seat = await page.in_writer(end)
    if seat is not None:
        return page.page("end_seat", None, title=f"End the seat of {seat.label}?", whose=seat, at=f"/table/{slug}")
    return RedirectResponse(f"/table/{slug}", 303)


async def download(page: KeepersPage, request: Request) -> Response:
    """One table as a campaign file."""
    slug = str(request.path_params["slug"])
    found, _ = await page.in_writer(page.seats, slug)
    content = await asyncio.to_thread(page.file_of, found.slug)
    name = found.slug.encode("ascii", "replace").decode().replace("?", "_")
    return Response(
        content,
        media_type="application/octet-stream",
        headers={"content-disposition": f'attachment; filename="{name}.campaign"'},
    )


ROUTES = (
    *AT_EVERY_DOOR,
    Route("/", for_keeper(home)),
    Route("/", for_keeper(begin), methods=["POST"]),
    Route("/table/{slug}", for_keeper(table)),
    Route("/table/{slug}", for_keeper(change), methods=["POST"]),
    Route("/file/{slug}", for_keeper(download)),
)
