"""The check for the PostgreSQL driver, which comes with an extra of the package."""

from importlib.util import find_spec

from cli.store.failures import Unopenable


def need_driver() -> None:
    """Raise Unopenable, which says how to install it, unless the driver is installed."""
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise Unopenable(
            "Campaigns on a server need the PostgreSQL driver; in your clone of this project, uv tool install"
            " '.[postgres]' installs it with the program.",
            2,
        )
