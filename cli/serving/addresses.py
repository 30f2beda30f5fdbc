"""The address of a club, and those of its tables: names before its host."""

import re

from domain.refusal import Invalid

#: The port that an address need not say.
USUAL_PORTS = {"http": ":80", "https": ":443"}


def club_address(text: str) -> str:
    """The address of a club as browsers write it: no slash at its end, and no port that goes without saying.

    Raises Invalid where no table could have a name before it: behind a path, or before the number of a machine.
    """
    found = re.fullmatch(r"(https?)://((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*)(:[0-9]{1,5})?/?", text.lower())
    if found is None:
        raise Invalid(f"{text} is not the address of a club; write it like https://club.example.")
    scheme, host, port = found.groups(default="")
    return f"{scheme}://{host}{'' if port == USUAL_PORTS[scheme] else port}"


def table_address(public: str, slug: str) -> str:
    """Where a table is, before the address of its club: https://the-mill.club.example.

    Letters that a host name lacks are written as browsers do (RFC 3492).
    """
    label = slug if slug.isascii() else f"xn--{slug.encode('punycode').decode('ascii')}"
    scheme, _, host = public.partition("://")
    return f"{scheme}://{label}.{host}"


def slug_in(label: str) -> str:
    """The name of the table that a host name begins with; "" for what is none."""
    if not label.startswith("xn--"):
        return label
    try:
        return label.removeprefix("xn--").encode("ascii").decode("punycode")
    except UnicodeError:
        return ""
