"""Taking a seat, leaving it, and the referee's page of all seats."""

from typing import NoReturn

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cli.serving.door import Door, Problem, address_of_client
from cli.serving.invitations import SeatState, new_token
from cli.serving.table_server import UNREADABLE, TableServer, field, form_of
from cli.serving.views import SeatView
from cli.store.failures import Unopenable
from domain.log.port import NotSaved

#: Seconds that a browser keeps a seat: of one evening, and of one that is kept, which is as long as browsers keep any.
LASTS, LASTS_KEPT = 24 * 3600, 400 * 24 * 3600
USED = "This link was used already, or its seat was ended. Ask the referee for a new one."
REFEREES = "Only the referee gives out seats."


async def enter(request: Request) -> Response:
    """The page behind a link: whose seat it is. Looking at it does not use the link."""
    server: Door = request.app.state.server
    token = str(request.path_params["token"])
    try:
        seat = await server.seat_behind(request, token)
        if seat is None and await server.seat_of(request) is not None:
            return RedirectResponse("/", 303)
        if seat is None:
            _refuse_link(server, request)
    except Problem as problem:
        return server.problem(request, problem.status, problem.sentence)
    except Unopenable:
        return server.problem(request, 503, UNREADABLE)
    return server.page("enter", None, title="Take your seat", whose=seat.label, token=token, device=new_token())


async def take_seat(request: Request) -> Response:
    """Use a link; from then on the cookie opens the page."""
    server: Door = request.app.state.server
    try:
        form = await form_of(request)
        token, device = field(form, "token"), field(form, "device")
        known = await server.seat_behind(request, token) or server.invitations.of_cookie(device)
        seat = await server.in_writer(server.invitations.take, token, device) if known is not None else None
        if seat is None and await server.seat_of(request) is not None:
            return RedirectResponse("/", 303)  # the tap was sent twice
        if seat is None:
            _refuse_link(server, request)
    except Problem as problem:
        return server.problem(request, problem.status, problem.sentence)
    except (NotSaved, OSError, Unopenable):
        return server.problem(request, 503, "Your seat could not be saved. Try again.")
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        server.invitations.evening.cookie,
        seat[1],
        # without it the browser forgets the seat when it is closed
        max_age=LASTS_KEPT if server.invitations.evening.keep else LASTS,
        path="/",
        httponly=True,
        samesite="strict",
        secure=server.address.startswith("https:"),
    )
    return answer


def _refuse_link(server: Door, request: Request) -> NoReturn:
    """Raise Problem for a link that nobody may use, and count it."""
    server.check_rate(request)
    server.rate_limit.count(address_of_client(request))
    raise Problem(403, USED)


async def leave(server: TableServer, request: Request, view: SeatView) -> Response:
    """Give up the seat on this device, after asking: it takes a new link to come back."""
    if field(await form_of(request), "sure") != "yes":
        return server.page("leave", view, title="Leave the table?")
    name = server.invitations.evening.cookie
    await server.in_writer(server.invitations.leave, request.cookies[name])
    server.turns.look()
    sentence = "You have left the table. Ask the referee for a new link to come back."
    answer = server.page("problem", None, title="Goodbye", sentence=sentence, here="")
    answer.delete_cookie(name, path="/", httponly=True, samesite="strict")
    return answer


async def seats(server: TableServer, request: Request, view: SeatView) -> Response:
    """All seats, with the links that nobody has used: for the referee alone. A new player's stands first, unfolded."""
    if view.seat.role != "referee":
        raise Problem(403, REFEREES)
    return await _seats_page(server, view, request.query_params.get("player", ""))


async def _seats_page(server: TableServer, view: SeatView, first: str = "") -> Response:
    states = sorted(await server.in_writer(server.seats), key=lambda state: state.seat.name != first)
    with_links = [(state, *_link(server, state)) for state in states]
    return server.page("seats", view, title="Seats", seats=with_links, first=first)


def _link(server: TableServer, state: SeatState) -> tuple[str, str]:
    """The address of a link that nobody has used, and its QR code."""
    token = server.invitations.unused_links.get(state.seat.name, "")
    # another process may have made a new one
    if server.invitations.of_link(token) is None:
        return "", ""
    import segno

    address = f"{server.address}/in/{token}"
    return address, segno.make(address, error="m").svg_inline(scale=4, border=2, light="#fff", dark="#000")


async def change_seat(server: TableServer, request: Request, view: SeatView) -> Response:
    """Give a seat a new link, or end it."""
    if view.seat.role != "referee":
        raise Problem(403, REFEREES)
    form = await form_of(request)
    await server.in_writer(server.invitations.refresh)
    seat = next((state.seat for state in server.invitations.states() if state.seat.key == field(form, "seat")), None)
    if seat is None:
        raise Problem(404, "There is no such seat.")
    if field(form, "do") == "end" and seat.role != "referee":
        if field(form, "sure") != "yes":
            return server.page("end_seat", view, title=f"End the seat of {seat.label}?", whose=seat, at="/seats")
        await server.in_writer(server.invitations.end_seat, seat.name)
        server.turns.look()
    elif field(form, "do") == "invite":
        await server.in_writer(server.invitations.invite, seat.name)
        # only this process knows the link
        return await _seats_page(server, view, seat.name)
    return RedirectResponse("/seats", 303)
