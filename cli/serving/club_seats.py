"""The seats of a table of a club: kept beside its turns, for every process that serves it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import psycopg

from cli.serving.invitations import Invitations, ServedEvening
from cli.store.server.connection import SharedConnection, because, unreadable
from cli.store.server.log import notify_of_seats
from cli.store.server.tables import BEGIN_WRITING, SCHEMA
from domain.log.port import NotSaved

_SEATS = f"SELECT value, xmin::text FROM {SCHEMA}.kept WHERE campaign = %s AND name = 'seats'"
_BEGIN = (
    f"INSERT INTO {SCHEMA}.kept (campaign, name, value) SELECT %(campaign)s, 'seats', %(nobody)s"
    f" WHERE %(campaign)s = %(club)s OR EXISTS (SELECT FROM {SCHEMA}.campaigns WHERE campaign = %(campaign)s)"
    " ON CONFLICT DO NOTHING"
)
_CHANGE = f"UPDATE {SCHEMA}.kept SET value = %s WHERE campaign = %s AND name = 'seats'"
#: Where the seats of the club itself are kept: no campaign has this id.
CLUB = ""
#: The seats of a table before it is served.
NOBODY = ServedEvening(cookie="", taps="")


class ClubInvitations(Invitations):
    """The seats of one campaign in a database, as they were when somebody last looked (`refresh`)."""

    def __init__(self, connection: Callable[[], SharedConnection], campaign_id: str) -> None:
        """`connection` gives an open one, in the thread of the table."""
        super().__init__(campaign_id)
        self._connection, self._campaign = connection, campaign_id
        self.mark: str | None = None

    @property
    def evening(self) -> ServedEvening:
        return self._evening

    @property
    def version(self) -> object:
        return self.mark

    def refresh(self) -> None:
        try:
            row = self._connection().ask(lambda known: known.execute(_SEATS, (self._campaign,)).fetchone())
        except psycopg.Error as error:
            raise unreadable(error, "The list of seats") from None
        if row is None:
            self._evening, self.mark = NOBODY, None  # it was taken out of the database, or nobody was ever invited
        elif row[1] != self.mark:
            self._evening, self.mark = _decoded(row[0]), str(row[1])

    @contextmanager
    def _changing(self) -> Iterator[ServedEvening]:
        self.refresh()  # where the connection was lost, it is a new one from here on
        connection = self._connection().current
        try:
            with connection.transaction():
                connection.execute(BEGIN_WRITING)
                connection.execute(
                    _BEGIN, {"campaign": self._campaign, "club": CLUB, "nobody": msgspec.json.encode(NOBODY).decode()}
                )
                row = connection.execute(f"{_SEATS} FOR UPDATE", (self._campaign,)).fetchone()
                if row is None:
                    raise NotSaved("The seats were not saved: that table is no longer there.")
                evening = self._evening = _decoded(row[0])
                yield evening
                connection.execute(_CHANGE, (msgspec.json.encode(evening).decode(), self._campaign))
            notify_of_seats(connection, self._campaign)
            self.refresh()
        except psycopg.Error as error:
            raise NotSaved(f"The seats were not saved: {because(error)}.") from None

    def begin(self, *, anew: bool, keep: bool = False, address: str = "") -> None:
        self.refresh()
        if anew or not self._evening.cookie or self._evening.address != address:
            super().begin(anew=anew, keep=keep, address=address)


def _decoded(value: Any) -> ServedEvening:
    return msgspec.json.decode(str(value), type=ServedEvening)
