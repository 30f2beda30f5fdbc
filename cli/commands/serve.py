"""Serve the table to phones, each with their own sheet.

Every seat (the referee, each player, and the table, which everybody may look at) has a link that works once, with a
code to photograph. Only this machine can reach the page, unless --lan opens it to the network. Stop it with Ctrl-C;
when its terminal closes, the page ends too, and without --keep so do its links.

With the address of a database and --public, every campaign there is served, each by a name before that address, by as
many processes as you start.

Examples:
  campaign serve --lan
  campaign serve --players
  campaign serve --revoke Mia
  campaign serve --invite Mia
"""

import ipaddress
import logging
import re
import shlex
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from cli.recording.authorship import author
from cli.serving.invitations import Invitations
from cli.shell import options
from cli.shell.command_context import handler_for, open_chosen
from cli.shell.listening import listening
from cli.store.anywhere import need_driver
from cli.store.server.address import server_address
from cli.terminal.screen import Screen
from domain.refusal import Invalid

STOP = "The referee's page there gives new links; to serve it differently, stop that one first with Ctrl-C."
LINK_OUT = "nobody has used the link yet. To print another:"
NOT_INSTALLED = (
    "The web server is not installed here; in your clone of this project, uv tool install '.[serve]' installs"
    " it with the program."
)


def serve(
    database: Annotated[
        str | None, typer.Argument(metavar="URL", help="A database on a server, to serve every campaign in it.")
    ] = None,
    lan: Annotated[bool, typer.Option("--lan", help="Let phones on this network connect.")] = False,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port (default: 8440, or a free one).")] = None,
    tls: Annotated[
        tuple[Path, Path] | None,
        typer.Option(metavar="CERT KEY", help="Serve encrypted, with this certificate and key."),
    ] = None,
    readonly: Annotated[
        bool, typer.Option("--readonly", help="Let everybody read, and nobody change anything.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep links and seats for the next time.")] = False,
    players: Annotated[bool, typer.Option("--players", help="List the seats of the page that is served now.")] = False,
    revoke: Annotated[
        str | None, typer.Option(metavar="NAME", help="End a seat: of a player, referee or table.")
    ] = None,
    invite: Annotated[str | None, typer.Option(metavar="NAME", help="Print a new link for one seat.")] = None,
    public: Annotated[
        str | None, typer.Option("--public", metavar="URL", help="The address that people see, for all of a database.")
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to answer a proxy, for all of a database.")
    ] = "127.0.0.1:8000",
    listen_url: Annotated[
        str | None, typer.Option("--listen-url", metavar="URL", help="The server itself, where URL is a pooler's.")
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option("--proxy", metavar="ADDRESS", help="Believe what this proxy says of its clients."),
    ] = None,
    campaign: options.Campaign = None,
    by: options.By = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    if any(find_spec(module) is None for module in ("starlette", "uvicorn", "jinja2", "segno")):
        raise options.NotFound(NOT_INSTALLED)
    screen = Screen(color)
    if database is not None or public is not None:
        _serve_all(screen, database, public, listen, listen_url, proxy or [], author(by) or "referee")
        return
    if players or revoke is not None or invite is not None:
        _about_seats(screen, campaign, revoke, invite)
        return
    _serve(screen, campaign, lan=lan, port=port, tls=tls, readonly=readonly, keep=keep, by=author(by) or "referee")


def _print_links(screen: Screen, links: Sequence[tuple[str, str]]) -> None:
    """Each link, on a terminal with its code."""
    from cli.serving import running

    for line in running.codes(links) if screen.interactive else (f"{seat}: {link}" for seat, link in links):
        screen.raw(line)


def _about_seats(screen: Screen, campaign: str | None, revoke: str | None, invite: str | None) -> None:
    """List the seats, revoke one of them, or print a new link for one. Raises NotFound if nothing is served."""
    with open_chosen(campaign) as (log, _):
        invitations = Invitations(log.campaign_id)
        if not invitations.is_kept:
            raise options.NotFound(f"No page of {log.name} is served, and no seat is kept.")
        if revoke is not None:
            seat = options.or_not_found(lambda: invitations.revoke(revoke))
            screen.line(f"{seat.label} has no seat any more.")
        elif invite is not None:
            seat = options.or_not_found(lambda: invitations.find_seat(invite))
            address = f"{invitations.evening.address}/in/{invitations.invite(seat.name)}"
            _print_links(screen, [(seat.label, address)])
        else:
            states = invitations.states()
            width = max(len(state.seat.label) for state in states) + 2
            for state in states:
                screen.line(f"{state.seat.label:<{width}}{state}")
    screen.flush()


def _serve_all(
    screen: Screen,
    database: str | None,
    public: str | None,
    listen: str,
    listen_url: str | None,
    proxies: Sequence[str],
    by: str,
) -> None:
    """Serve every campaign of a database. Raises Invalid, NotFound, Unopenable."""
    if database is None or public is None:
        raise Invalid("Every campaign of a database: campaign serve postgresql://host/database --public https://NAME")
    if (where := re.fullmatch(r"([^:]+|\[[^]]+\]):([0-9]{1,5})", listen)) is None or int(where[2]) > 65535:
        raise Invalid(f"{listen} is not a HOST:PORT, like 127.0.0.1:8000.")
    believed = [network_of(proxy) for proxy in proxies]
    need_driver()
    from cli.serving import running
    from cli.serving.addresses import club_address
    from cli.serving.hall import Hall

    address, club = server_address(database), club_address(public)
    hall = Hall(address, club, by=by)
    try:
        listener = listening(int(where[2]), host=where[1].strip("[]"), usual=int(where[2]))
    except OSError:
        hall.close()
        raise options.NotFound(f"{listen} is in use; try another with --listen.") from None

    def ready() -> None:
        screen.line(f"Every campaign of {address.database} is at {club}, answered on {listen}.")
        screen.line(f"Links: campaign server invite {address.at(None)} --public {club}  (stop with Ctrl-C)")
        screen.flush()

    access = logging.getLogger("campaign.access")
    access.setLevel(logging.INFO)
    access.addHandler(logging.StreamHandler())
    with listener, suppress(KeyboardInterrupt):
        running.serve_club(hall, listener, server_address(listen_url or database), believed, ready)


def network_of(proxy: str) -> str:
    """The network of a proxy, as uvicorn compares it: it would take 10.0.0.2/24 for the name of one host.

    Raises Invalid where no client could have this address, so that nothing would ever be believed of it.
    """
    try:
        return str(ipaddress.ip_network(proxy, strict=False))
    except ValueError:
        raise Invalid(f"{proxy} is not the address of a proxy; write it like 10.0.0.2, or 10.0.0.0/24.") from None


def _serve(
    screen: Screen,
    campaign: str | None,
    *,
    lan: bool,
    port: int | None,
    tls: tuple[Path, Path] | None,
    readonly: bool,
    keep: bool,
    by: str,
) -> None:
    from cli.serving import running
    from cli.serving.table_server import TableServer

    if tls is not None:
        running.checked_tls(*tls)
    host = running.address_in_network() if lan else running.HERE
    with ExitStack() as stack:
        log, system = stack.enter_context(open_chosen(campaign, write=True))
        invitations = Invitations(log.campaign_id)
        if not stack.enter_context(invitations.serving()):
            where = f" at {invitations.evening.address}/" if invitations.evening.address else ""
            raise options.NotFound(f"{log.name} is served already{where}. {STOP}")
        goes_on = keep and invitations.evening.keep
        # open pages connect again by themselves if the server has the same address as before
        usual = (goes_on and invitations.port) or running.USUAL_PORT
        try:
            listener = listening(port, host="0.0.0.0" if lan else host, usual=usual)
        except OSError:
            raise options.NotFound(f"Port {port} is in use; try another with --port.") from None
        stack.enter_context(listener)
        number = listener.getsockname()[1]
        scheme = "http" if tls is None else "https"
        address = f"{scheme}://{host}:{number}"
        # the links of a server that was killed end here too, unless they were to be kept
        invitations.begin(anew=not goes_on, keep=keep, address=address)
        serving = TableServer(log, system, handler_for(log), invitations, address=address, by=by, readonly=readonly)
        states = serving.seats()

        links = [
            (state.seat.label, f"{address}/in/{token}")
            for state in states
            if (token := invitations.unused_links.get(state.seat.name)) is not None
        ]

        def ready() -> None:
            if lan:
                screen.line("Anybody on this network can reach this page; only a link lets them in.", indent=None)
            _print_links(screen, links)
            for state in states:
                if state.has_link and state.seat.name not in invitations.unused_links:
                    invite = f"campaign serve --invite {shlex.quote(state.seat.address)}"
                    screen.line(f"{state.seat.label}: {LINK_OUT} {invite}")
            screen.line(f"{address}/  (stop with Ctrl-C)", indent=None)
            screen.flush()

        try:
            with suppress(KeyboardInterrupt):
                running.serve(serving, listener, running.names(host, number, scheme), ready, tls)
        finally:
            if not keep:
                invitations.end()
