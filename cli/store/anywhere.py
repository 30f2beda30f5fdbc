"""The choice of the store by address: a campaign in a file, or on a server, whose driver is imported only then."""

import os
from importlib.util import find_spec
from pathlib import Path

from cli.store.failures import Unopenable
from cli.store.file import open_campaign
from cli.store.server.address import is_server, server_address
from cli.store.stored_log import StoredLog
from domain.turn import Turn


def open_log(
    address: str | os.PathLike[str], *, write: bool = False, branch: str | None = None, needs_rules: bool = True
) -> StoredLog:
    """Open a campaign by its file name or its server address. Raises Unopenable."""
    if not isinstance(address, str) or not is_server(address):
        return open_campaign(Path(address), write=write, branch=branch, needs_rules=needs_rules)
    need_driver()
    from cli.store.server.log import open_on_server

    return open_on_server(address, write=write, branch=branch, needs_rules=needs_rules)


def create_at(server: str, campaign_id: str, name: str, slug: str, turn: Turn) -> str:
    """Create a campaign on a server and return its address; `slug` gets a number if it is taken.

    Raises Unopenable, NotSaved, MaybeSaved.
    """
    need_driver()
    from cli.store.server.moving import create_on_server

    where = server_address(server)
    return where.at(create_on_server(where, campaign_id, name, slug, turn))


def copy_to(server: str, log: StoredLog, name: str, slug: str) -> str:
    """Copy a whole campaign to a server and return its address there. Raises Unopenable, NotSaved, MaybeSaved."""
    need_driver()
    from cli.store.server.moving import copy_to_server

    where = server_address(server)
    return where.at(copy_to_server(log, where, name, slug))


def campaigns_on(server: str) -> dict[str, str]:
    """The campaigns on a server: address -> name. Raises Unopenable."""
    need_driver()
    from cli.store.server.log import campaigns_there

    where = server_address(server)
    return {where.at(slug): name for slug, name, _ in campaigns_there(where)}


def need_driver() -> None:
    """Raise Unopenable, which says how to install it, unless the driver is installed."""
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise Unopenable(
            "Campaigns on a server need the PostgreSQL driver; in your clone of this project, uv tool install"
            " '.[postgres]' installs it with the program.",
            2,
        )
