"""Keep the campaigns of many tables on PostgreSQL."""

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from cli.pages.rows import write_facts
from cli.shell import options
from cli.shell.partial_failure import report_saved
from cli.shell.reading import ReadOptions, reads
from cli.store.anywhere import need_driver
from cli.store.failures import Unopenable
from cli.store.server.address import server_address
from cli.terminal.asking import ask_rest
from cli.terminal.screen import Screen
from domain.naming import quantity

Address = Annotated[str, typer.Argument(metavar="URL", help="postgresql://host/database")]


def init(
    url: Address,
    reader: Annotated[list[str] | None, typer.Option("--reader", metavar="ROLE", help="Let this role read.")] = None,
    writer: Annotated[
        list[str] | None, typer.Option("--writer", metavar="ROLE", help="Let this role read and add turns.")
    ] = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Make the tables in a database, or bring them up to date.

    Whoever keeps the server does this once. It touches nothing that was played. A role that is let in may add turns
    and change none; whether it may log in at all is decided on the server.

    Examples:
      campaign server init postgresql://keeper@tables.example/campaigns
    """
    need_driver()
    from cli.store.server.administering import initialise

    address = server_address(url)
    initialise(address, readers=reader or (), writers=writer or ())
    screen = Screen(color)
    screen.line(f"{address.database} is set up for campaigns.")
    screen.line(f'Next: campaign new "The Mill" --rules osr --in {address.at(None)}')
    screen.flush()


@reads(without=("at", "as_", "campaign"))
def doctor(request: ReadOptions, url: Address) -> None:
    """Show versions, rights, size, and how far standbys are behind.

    Examples:
      campaign server doctor postgresql://keeper@tables.example/campaigns
    """
    need_driver()
    from cli.store.server.administering import server_facts

    write_facts(request.screen, server_facts(server_address(url)), request.form)
    request.screen.flush()


def remove(
    url: Address,
    campaign: Annotated[str, typer.Option("--campaign", metavar="NAME", help="The campaign's name in its address.")],
    copy: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Where to put the copy.")] = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Take one campaign out of a database for good.

    It asks for the campaign's name first, and writes the whole campaign into a file. Only the owner of the tables may
    do this.

    Examples:
      campaign server remove postgresql://keeper@tables.example/campaigns --campaign the-mill
    """
    need_driver()
    from cli.store.server.administering import remove as take_out
    from cli.store.server.log import open_on_server

    address, screen = replace(server_address(url), campaign=campaign), Screen(color)
    file = copy or Path(f"{campaign}.campaign")
    with open_on_server(address, needs_rules=False) as log:
        question = (
            f"{campaign} has {quantity(log.last(), 'turn')}. Type its name to remove it from {address.database}: "
        )
        if ask_rest(question).removeprefix(question).strip() != campaign:
            raise Unopenable("That is not its name; nothing was removed.", 1)
        was_there = file.exists()
        with report_saved(lambda: f"{file} is made" if file.exists() and not was_there else ""):
            turns = quantity(take_out(address, log, file), "turn")
    screen.line(f"{campaign} is removed from {address.database}; the whole of it ({turns}) is in {file}.")
    screen.flush()


def invite(
    url: Address,
    public: Annotated[str, typer.Option("--public", metavar="URL", help="The address that people see.")],
    campaign: Annotated[
        str | None, typer.Option("--campaign", metavar="NAME", help="One campaign (default: each without a referee).")
    ] = None,
    keeper: Annotated[
        bool, typer.Option("--keeper", help="Whoever keeps the club: a link to its page, which ends an earlier one.")
    ] = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Make the referee's link for campaigns of a club.

    The referee gives links to the players, on the page of the table. A new link for a campaign takes nobody's seat.
    With --keeper it is the link to the page of all tables: their last turns and seats, a new table, a file of each.

    Examples:
      campaign server invite postgresql://players@tables.example/campaigns --public https://club.example
    """
    need_driver()
    from cli.serving.addresses import club_address, table_address
    from cli.serving.club_seats import CLUB, ClubInvitations
    from cli.serving.invitations import KEEPER, REFEREE
    from cli.store.server.connection import SharedConnection, checked_format
    from cli.store.server.log import campaigns_there

    screen, address, club = Screen(color), server_address(url), club_address(public)
    with closing(SharedConnection(address, write=True)) as shared:
        if keeper:
            checked_format(shared.current, address)
            seats = ClubInvitations(lambda: shared, CLUB)
            seats.begin(anew=False, keep=True, address=club)
            seats.end_seat(KEEPER)
            screen.line(f"the keeper: {club}/in/{seats.invite(KEEPER)}")
            screen.flush()
            return
        there = [(slug, campaign_id) for slug, _, campaign_id in campaigns_there(address) if campaign in (None, slug)]
        if not there:
            raise options.NotFound(f"There is no campaign {campaign!r} in {address.database}.")
        for slug, campaign_id in there:
            table = table_address(club, slug)
            seats = ClubInvitations(lambda: shared, campaign_id)
            seats.begin(anew=False, keep=True, address=table)
            if campaign is None and any(state.seat.name == REFEREE and state.devices for state in seats.states()):
                continue
            screen.line(f"{slug}: {table}/in/{seats.invite(REFEREE)}")
    screen.flush()


COMMANDS = {"init": init, "doctor": doctor, "invite": invite, "remove": remove}
