"""What turn 1 of a stored log says about the rest, and it alone: whose log it is and under which rules it is played."""

import sqlite3
from typing import Any

import msgspec

from cli.store.failures import MadeByNewer, Unopenable
from cli.store.header import check_format
from cli.store.layout import BUILT_IN, FIRST_TURN, WHOSE_TURNS
from cli.store.linking import campaign_of
from domain.registry import system_of
from domain.system.installed import is_installed, missing


class Beginning(msgspec.Struct, frozen=True):
    campaign_id: str
    rules: str
    #: The version of the rules when the campaign was begun.
    version: int
    #: The name of the package that brought the rules; None for built-in rules.
    package: str | None


def beginning_in(name: str, connection: sqlite3.Connection) -> Beginning:
    """The beginning of the log in a file. Raises Unopenable, and sqlite3.Error for errors of SQLite."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    check_format(name, version)
    if connection.execute(BUILT_IN).fetchone():
        raise Unopenable(f"{name} is damaged: somebody built triggers or views into it.", 5)
    ids = connection.execute(WHOSE_TURNS).fetchone()
    if ids[0] is None:
        raise Unopenable(f"{name} is damaged: it holds no turn.", 5)
    if not all(isinstance(stream, str) for stream in ids) or campaign_of(ids[0]) != campaign_of(ids[1]):
        raise Unopenable(f"{name} is damaged: it holds more than one log.", 5)
    first = connection.execute(FIRST_TURN, ids[:1]).fetchone()
    return beginning_of(name, str(ids[0]), first)


class _Start(msgspec.Struct, tag_field="type", tag="campaign.start"):
    rules: str
    package: str | None = None


class _Started(msgspec.Struct):
    version: int = 0


class _First(msgspec.Struct):
    """The part of turn 1 that says how to read the rest."""

    number: int
    action: _Start
    events: tuple[_Started, ...]


def beginning_of(name: str, campaign_id: str, first: tuple[Any, ...] | None) -> Beginning:
    """The beginning of a log from the row of its first turn, (number, state). Raises Unopenable."""
    try:
        number, state = first or (None, b"")
        turn = msgspec.msgpack.decode(state, type=_First)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        raise Unopenable(f"{name} is damaged: turn T1 cannot be read.", 5) from None
    if number != 1 or turn.number != 1:
        raise Unopenable(f"{name} is damaged: it does not begin with turn T1.", 5)
    start, version = turn.action, max((event.version for event in turn.events), default=0)
    return Beginning(campaign_id, start.rules, version, start.package)


def check_rules(name: str, beginning: Beginning) -> None:
    """Raise Unopenable if the rules of a log are not installed, or only in an older version."""
    rules = beginning.rules
    if not is_installed(rules):
        raise Unopenable(f"{name} is played under {missing(rules, beginning.package)}", 2)
    if beginning.version > system_of(rules).version:
        raise MadeByNewer(f"{name} is played under a newer version of the {rules} rules; update campaign to open it.")
