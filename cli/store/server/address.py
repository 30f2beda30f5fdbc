"""Addresses of campaigns on a server: `postgresql://host/database?campaign=dungeon-crawl`.

They are parsed here, as the driver shows the whole address with its password when it cannot parse one.
"""

import re
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from msgspec import Struct
from msgspec.structs import replace

from cli.store.failures import Unopenable

SCHEMES = ("postgresql://", "postgres://")
#: The beginning of anything that may be meant for an address: it may hold a password, and is never repeated as the name
#: of a file.
_SERVER_ADDRESS = r"([a-z]+:)?postgres(ql)?:"
#: A host with an optional port; in brackets if the host has colons. May be empty.
_HOST = r"(\[[^]]*\]|[^:]*)(:[0-9]{0,5})?"


def is_server(text: str) -> bool:
    """Whether a text is meant for a server's address, and not for a file."""
    return "postgres" in text.casefold() and re.match(_SERVER_ADDRESS, text, re.IGNORECASE) is not None


class ServerAddress(Struct, frozen=True):
    """A database on a server, and optionally a campaign in it."""

    #: user, hosts with their ports and database, without the password
    base: str
    #: further parameters for the driver (`target_session_attrs`, `sslmode`, `service` …)
    settings: tuple[tuple[str, str], ...]
    campaign: str | None
    #: used in this process only, never stored or shown
    password: str | None = None

    def __str__(self) -> str:
        """The address for showing and storing, without the password."""
        return self.at(self.campaign)

    def at(self, campaign: str | None) -> str:
        """The address of a campaign in this database, without a password."""
        query = [*self.settings, *([("campaign", campaign)] if campaign else [])]
        return f"postgresql://{self.base}" + (f"?{urlencode(query, safe='/,')}" if query else "")

    def __repr__(self) -> str:
        return f"ServerAddress({str(self)!r})"

    def each_host(self) -> "list[ServerAddress]":
        login, at, where = self.base.rpartition("@")
        hosts, slash, database = where.partition("/")
        return [replace(self, base=f"{login}{at}{host}{slash}{database}") for host in hosts.split(",")]

    @property
    def database(self) -> str:
        """The server and database for a sentence, without user, password and campaign."""
        return self.base.rpartition("@")[2] or dict(self.settings).get("service", "the server")

    def for_the_driver(self) -> tuple[str, dict[str, Any]]:
        """The address and the password as psycopg takes them."""
        url = f"postgresql://{self.base}" + (f"?{urlencode(self.settings, quote_via=quote)}" if self.settings else "")
        return url, {"password": self.password} if self.password else {}


def server_address(text: str) -> ServerAddress:
    """Parse an address. Raises Unopenable, whose reason repeats nothing of the text, as it may hold a password."""
    rest = text.partition("://")[2]
    base, _, query = rest.partition("?")
    login, at, where = base.rpartition("@")
    user, _, password = login.partition(":")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError:
        raise _unreadable() from None
    known_password = next((value for name, value in pairs if name == "password"), None) or unquote(password) or None
    settings = tuple((name, value) for name, value in pairs if name not in ("password", "campaign"))
    campaign = next((value for name, value in pairs if name == "campaign"), None) or None
    fit = all(sign.isprintable() and not sign.isspace() for sign in text) and "@" not in user and "#" not in base
    hosts, _, database = where.partition("/")
    fit = fit and all(re.fullmatch(_HOST, host) for host in hosts.split(",")) and "/" not in database
    if not text.startswith(SCHEMES) or not fit:
        raise _unreadable()
    return ServerAddress(f"{user}{at}{where}" if user else where, settings, campaign, known_password)


def _unreadable() -> Unopenable:
    return Unopenable(
        "That address cannot be read; write it like postgresql://user@host/database?campaign=dungeon-crawl"
        " (put a password into ~/.pgpass or $PGPASSWORD).",
        2,
    )
