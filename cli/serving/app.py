"""The addresses of the page, each with what answers there."""

from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from cli.serving.events import live
from cli.serving.http_guard import HttpGuard
from cli.serving.reading_pages import (
    ask,
    at,
    diff,
    figures,
    known,
    log_page,
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
from cli.serving.table_server import TableServer, guarded
from cli.serving.taps import action, actions, do, fragment, home, look, more, touch


def _problem_page(code: int, sentence: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    """What is answered where no page answers."""

    async def answer(request: Request, error: Exception) -> Response:  # noqa: ARG001
        server: TableServer = request.app.state.server
        return server.problem(request, code, sentence)

    return answer


#: By the code of the answer, or by what was raised.
PROBLEMS = {
    404: _problem_page(404, "There is no such page."),
    405: _problem_page(405, "That cannot be done here."),
    Exception: _problem_page(500, "Something went wrong in this program. Nothing was done."),
}
ROUTES = (
    Route("/in/{token}", enter),
    Route("/in", take_seat, methods=["POST"]),
    Route("/", guarded(home)),
    Route("/now", guarded(fragment)),
    Route("/live", guarded(live)),
    Route("/look", guarded(look), methods=["POST"]),
    Route("/do", guarded(do), methods=["POST"]),
    Route("/act", guarded(actions)),
    Route("/act/{verb:path}", guarded(action)),
    Route("/touch/{way}", guarded(touch)),
    Route("/more", guarded(more)),
    Route("/sheet/{name:path}", guarded(sheet)),
    Route("/at", guarded(at)),
    Route("/log", guarded(log_page)),
    Route("/turn/{number:int}", guarded(turn)),
    Route("/rules", guarded(rules)),
    Route("/rule/{number:path}", guarded(rule)),
    Route("/why", guarded(why)),
    Route("/when", guarded(when)),
    Route("/ask", guarded(ask)),
    Route("/diff", guarded(diff)),
    Route("/stats", guarded(figures)),
    Route("/stats/{name}", guarded(figures)),
    Route("/query", guarded(query)),
    Route("/known/{verb}", guarded(known)),
    Route("/known/{verb}/{name:path}", guarded(known)),
    Route("/recap", guarded(recap)),
    Route("/recap/{number:int}", guarded(recap)),
    Route("/seats", guarded(seats)),
    Route("/seats", guarded(change_seat), methods=["POST"]),
    Route("/leave", guarded(leave), methods=["POST"]),
)


def application(server: TableServer, names: frozenset[str]) -> HttpGuard:
    """The whole page behind its doors; `names` are those that it answers to, each with its port."""
    app = Starlette(routes=list(ROUTES), exception_handlers=PROBLEMS)
    app.router.redirect_slashes = False
    app.state.server = server
    scheme = server.address.partition(":")[0]
    return HttpGuard(app, names, scheme=scheme, csp=server.presentation.policy)
