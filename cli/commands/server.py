"""Keep the campaigns of many tables on PostgreSQL."""

from typing import Annotated

from cli.pages.rows import write_facts
from cli.shell import options
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.reading import ReadOptions, reads
from cli.store.anywhere import need_driver
from cli.store.server.address import server_address
from cli.terminal.screen import Screen

Address = Annotated[str, ArgumentSpec(metavar="URL", help="postgresql://host/database")]


def init(
    url: Address,
    reader: Annotated[list[str] | None, OptionSpec("--reader", metavar="ROLE", help="Let this role read.")] = None,
    writer: Annotated[
        list[str] | None, OptionSpec("--writer", metavar="ROLE", help="Let this role read and add turns.")
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


COMMANDS = {"init": init, "doctor": doctor}
