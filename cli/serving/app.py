"""The routes of the server, each with its handler."""

from collections.abc import Awaitable, Callable, Sequence

from starlette.applications import Starlette
from starlette.convertors import IntegerConvertor, register_url_convertor
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cli.serving.asset_files import WORKER, asset, worker
from cli.serving.door import NO_PAGE, Door
from cli.serving.events import live
from cli.serving.http_guard import NOT_HERE, HttpGuard
from cli.serving.reading_pages import (
    ask,
    at,
    diff,
    figures,
    log_page,
    lookup_page,
    query,
    recap,
    rule,
    rules,
    sheet,
    turn,
    when,
    why,
)  # fmt: skip
from cli.serving.seats import change_seat, enter, leave, seats, take_seat
from cli.serving.table_pages import action, actions, asked, do, fragment, home, look, more, touch, withdraw
from cli.serving.table_server import for_seats


def _problem_page(code: int, sentence: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    """What is answered where no page answers."""

    async def answer(request: Request, error: Exception) -> Response:  # noqa: ARG001
        server: Door = request.app.state.server
        return server.problem(request, code, sentence)

    return answer


async def offline(request: Request) -> Response:
    """What a browser keeps, to show it where nobody answers."""
    server: Door = request.app.state.server
    return server.page("offline", None, title="Offline")


class _Count(IntegerConvertor):
    """A whole number that the tables of a campaign can hold; an address with a longer one is none."""

    regex = "[0-9]{1,15}"


register_url_convertor("count", _Count())

#: Bytes up to which an answer is sent as it is, and how much work packing the others is worth, of 9.
SHORT, PACKED = 600, 5
#: By the code of the answer, or by what was raised.
PROBLEMS = {
    404: _problem_page(404, NO_PAGE),
    405: _problem_page(405, NOT_HERE),
    Exception: _problem_page(500, "Something went wrong in this program. Nothing was done."),
}
#: What every door has, that of a table and that of whoever keeps a club.
AT_EVERY_DOOR = (
    Route("/assets/{version}/{name}", asset),
    Route(f"/{WORKER}", worker),
    Route("/offline", offline),
    Route("/in/{token}", enter),
    Route("/in", take_seat, methods=["POST"]),
)
ROUTES = (
    *AT_EVERY_DOOR,
    Route("/", for_seats(home)),
    Route("/now", for_seats(fragment)),
    Route("/live", for_seats(live)),
    Route("/look", for_seats(look), methods=["POST"]),
    Route("/asked", for_seats(asked), methods=["POST"]),
    Route("/do", for_seats(do), methods=["POST"]),
    Route("/withdraw", for_seats(withdraw), methods=["POST"]),
    Route("/act", for_seats(actions)),
    Route("/act/{verb:path}", for_seats(action)),
    Route("/touch/{way}", for_seats(touch)),
    Route("/more", for_seats(more)),
    Route("/sheet/{name:path}", for_seats(sheet)),
    Route("/at", for_seats(at)),
    Route("/log", for_seats(log_page)),
    Route("/turn/{number:count}", for_seats(turn)),
    Route("/rules", for_seats(rules)),
    Route("/rule/{number:path}", for_seats(rule)),
    Route("/why", for_seats(why)),
    Route("/when", for_seats(when)),
    Route("/ask", for_seats(ask)),
    Route("/diff", for_seats(diff)),
    Route("/stats", for_seats(figures)),
    Route("/stats/{name}", for_seats(figures)),
    Route("/query", for_seats(query)),
    Route("/known/{verb}", for_seats(lookup_page)),
    Route("/known/{verb}/{name:path}", for_seats(lookup_page)),
    Route("/recap", for_seats(recap)),
    Route("/recap/{number:count}", for_seats(recap)),
    Route("/seats", for_seats(seats)),
    Route("/seats", for_seats(change_seat), methods=["POST"]),
    Route("/leave", for_seats(leave), methods=["POST"]),
)


def application(server: Door, names: frozenset[str], routes: Sequence[Route] = ROUTES) -> HttpGuard:
    """The whole page behind its doors; `names` are those that it answers to, each with its port."""
    packing = Middleware(GZipMiddleware, minimum_size=SHORT, compresslevel=PACKED)
    app = Starlette(routes=list(routes), exception_handlers=PROBLEMS, middleware=[packing])
    app.router.redirect_slashes = False
    app.state.server = server
    scheme = server.address.partition(":")[0]
    return HttpGuard(app, names, scheme=scheme)
