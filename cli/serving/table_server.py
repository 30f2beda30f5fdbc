"""One campaign that is served: its writer thread, its readings, its seats, and how every answer is made.

Everything that decides or records happens in one thread, the writer, in turn: two taps at once are two turns. What
reads much of the log happens beside it (`reading_room`), so that no tap waits for a page.
"""

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from cli.serving.buttons import label_of
from cli.serving.door import Door, Problem
from cli.serving.http_guard import RateLimit
from cli.serving.invitations import Invitations, Seat, SeatState
from cli.serving.live import Streams, TurnFeed
from cli.serving.reading_room import Crowded, ReaderLeft, ReadingRoom, TookTooLong
from cli.serving.recent_turns import RecentTurns
from cli.serving.table_view import TableView
from cli.serving.tap_handler import NO_FORM, ChoiceGone
from cli.serving.turned_over import OpenQuestions
from cli.serving.views import SeatView
from cli.shell.command_context import handler_for
from cli.store.failures import MadeByNewer, MadeByOlder, Unopenable
from cli.store.stored_log import StoredLog
from domain.log.command_handler import CommandHandler
from domain.log.points import NotAPlace
from domain.log.port import DamagedLog, MaybeSaved, NotSaved
from domain.refusal import Conflict, Invalid, Refusal, Unknown
from domain.system.rulesystem import RuleSystem

T = TypeVar("T")
#: Seconds that a tap waits for a server with the log: whoever holds a phone would rather be told and tap again.
LONGEST_WAIT = 5.0

#: Seconds that a tap waits for its answer where there were too many: a phone that does not wait would do nothing else.
PAUSE = 0.5
#: Which entry of the menu a page belongs to; the others are behind More.
SECTIONS = {
    **dict.fromkeys(("home", "sheet"), "table"),
    **dict.fromkeys(("actions", "form", "look", "touch", "changes", "question_page", "done"), "do"),
    **dict.fromkeys(("log", "turn"), "log"),
    **dict.fromkeys(("rules", "rule"), "rules"),
    **dict.fromkeys(("ask", "why", "when", "diff", "stats", "query", "known"), "ask"),
    **dict.fromkeys(("recap", "no_recap"), "recap"),
    **dict.fromkeys(("seats", "end_seat"), "seats"),
    "at": "time",
}

#: What a place in the log is, for somebody who types one into a field.
PLACE = "Write a turn, like T4, a session, like S2, or a date."
TOO_MANY = "Too much was tapped here in a moment. Wait a little, then try again."
GONE = "That is no longer one of the choices: the table has moved on."
DAMAGED = "The log is damaged. Whoever keeps it should run campaign doctor."
UNREADABLE = "The log cannot be read right now. Try again."
NEWER = "A newer version of the program keeps this campaign now. Ask whoever serves this page to update it."
NO_TABLE = "There is no table of this name. Open the link that you were given."
OLDER = "The tables are being brought up to date for this version of the program. Try again in a moment."
CROWDED = "Too many pages are being read at once. Try again in a moment."
TOOK_TOO_LONG = "That page took too long to read. Ask for something shorter."


class TableServer(Door):
    """One open campaign and everybody who has a seat at it."""

    def __init__(
        self,
        log: StoredLog,
        system: RuleSystem,
        handler: CommandHandler,
        invitations: Invitations,
        *,
        address: str,
        by: str | None = None,
        readonly: bool = False,
        rate_limit: RateLimit | None = None,
        writer: ThreadPoolExecutor | None = None,
        reading_room: ReadingRoom | None = None,
        counts: Counter[str] | None = None,
        taps: tuple[RateLimit, RateLimit] | None = None,
    ) -> None:
        """`writer` is a thread that several tables share, as `reading_room` may share threads with others.

        `counts` counts what is recorded and what is refused, at all tables that share it. `taps` is how often one seat,
        and all of the table, may tap; default: as often as they like.
        """
        self._owns_writer = writer is None
        writer = writer or ThreadPoolExecutor(1, thread_name_prefix="writer")
        super().__init__(invitations, address=address, writer=writer, rate_limit=rate_limit)
        self.log, self.system, self.handler = log, system, handler
        self.by, self.readonly = by, readonly
        #: the campaign's name when it was last read, so that a page about nothing else waits for no log
        self.name = str(handler.state().campaign.name) if log.last() else ""
        log.patience = LONGEST_WAIT
        self.turns = TurnFeed(log.last())
        self.streams = Streams(self.turns)
        self.counts = Counter[str]() if counts is None else counts
        self._taps = taps
        #: held by the tap of a seat that is being done
        self._tap_of: dict[str, asyncio.Lock] = {}
        self._views: dict[str, SeatView] = {}
        self.recent, self._open_questions = RecentTurns(), OpenQuestions(log)
        #: the table as it was last rendered, by seat and template
        self.tables: dict[tuple[str, str], tuple[TableView, bytes]] = {}
        self._reading_room = reading_room or ReadingRoom(lambda: log.on(log.branch))

    def close(self) -> None:
        """End all threads; what has begun is finished first."""
        if self._owns_writer:
            self.writer.shutdown()
        self._reading_room.close()

    # -- work ----------------------------------------------------------------------------------------------

    async def in_writer(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do something with the log, after whatever is being done with it.

        Turns of other programs are looked for once for all of it.
        """

        def do() -> Any:
            with self.log.looking_once():
                return work(*arguments)

        return await super().in_writer(do)

    async def reading(self, request: Request, view: SeatView, work: Callable[..., Any], *arguments: Any) -> Any:
        """What a reading (of `readings`) finds for whoever has this seat."""

        def read(log: StoredLog) -> Any:
            return work(log, self.system, view.viewer, *arguments)

        return await self._reading_room.read(request, view.seat.name, read)

    async def looking_back(self, request: Request, view: SeatView, work: Callable[[SeatView], Any]) -> Any:
        """What `work` finds in a seat's view of an earlier turn, which is of a log beside the writer's."""

        def read(log: StoredLog) -> Any:
            return work(self._view_of(view.seat, log, handler_for(log), RecentTurns(), OpenQuestions(log)))

        return await self._reading_room.read(request, view.seat.name, read)

    def view(self, seat: Seat) -> SeatView:
        """What a seat sees and does, in the writer thread."""
        view = self._views.get(seat.name)
        if view is None:
            view = self._views[seat.name] = self._view_of(
                seat, self.log, self.handler, self.recent, self._open_questions
            )
        return view

    def _view_of(
        self, seat: Seat, log: StoredLog, handler: CommandHandler, recent: RecentTurns, questions: OpenQuestions
    ) -> SeatView:
        return SeatView(
            log, self.system, handler, seat, self.invitations, recent, questions, by=self.by, readonly=self.readonly
        )  # fmt: skip

    def prepare_events(self, before: int, last: int) -> None:
        """Work out what every open page is told of the turns after one, up to the last."""
        for view in list(self._views.values()):
            self.recent.after(view.audience, before, last)

    def seats(self) -> list[SeatState]:
        """Every seat, with those of players who joined since."""
        state = self.handler.state()
        players = dict.fromkeys(str(name) for sheet in state.characters.values() if (name := _player(sheet)))
        self.invitations.refresh()
        self.invitations.seat_all(players)
        return list(self.invitations.states())

    # -- who asks ------------------------------------------------------------------------------------------

    async def view_for(self, request: Request) -> SeatView:
        """The view of whoever asks. Raises Problem for somebody without a seat."""
        return self.view(await self.seat_for(request))

    async def tap(self, seat: Seat, work: Callable[..., T], *arguments: Any) -> T:
        """Do what a seat has tapped, in the writer thread, after whatever the same seat has tapped before.

        So a tap of anybody else waits for one of each other seat, and not for as many as one phone sends. Raise
        Problem, after a pause, where a seat or the table taps more often than one plays.
        """
        if self._taps is not None:
            of_seat, of_table = self._taps
            if of_seat.waits(seat.name) or of_table.waits(""):
                await asyncio.sleep(PAUSE)
                raise Problem(429, TOO_MANY)
            of_seat.count(seat.name)
            of_table.count("")
        async with self._tap_of.setdefault(seat.name, asyncio.Lock()):
            result: T = await self.in_writer(work, *arguments)
            return result

    # -- answers -------------------------------------------------------------------------------------------

    def page(self, template: str, view: SeatView | None, status: int = 200, **values: Any) -> HTMLResponse:
        """A template as a page, with what every page shows."""
        seat = view.seat if view is not None else None
        reads = view is None or view.permissions.only_reads
        section = SECTIONS.get(template, "more")
        ours = {"seat": seat, "reads": reads, "section": section, "campaign": self.name, "turn": self.turns.last}
        return super().page(template, view, status, **{**ours, **values})


Handler = Callable[[TableServer, Request, SeatView], Awaitable[Response]]


def _player(sheet: Any) -> str | None:
    player = getattr(sheet, "player", None)
    return player if isinstance(player, str) and player.strip() else None


async def form_of(request: Request) -> dict[str, list[str]]:
    """The fields that a form sent. Raises Problem for anything else."""
    try:
        text = (await request.body()).decode("ascii")
        return parse_qs(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=200, errors="strict")
    except ValueError:
        raise Problem(400, NO_FORM) from None


def field(form: Mapping[str, list[str]], name: str) -> str:
    """The last value of a field; nothing where it was not sent."""
    return form[name][-1] if form.get(name) else ""


def number(text: str) -> int:
    """A whole number that a form or an address holds, or 0."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else 0


def for_seats(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler for whoever has a seat; what goes wrong is answered with a status and one sentence."""

    async def handle(request: Request) -> Response:
        server: TableServer = request.app.state.server
        view: SeatView | None = None
        try:
            view = await server.view_for(request)
            return await handler(server, request, view)
        except ReaderLeft:
            return Response(status_code=204)  # nobody reads it
        except Exception as error:
            explanation = explanation_of(error)
            if explanation is None:
                raise
            server.counts["refusals_total"] += isinstance(error, Refusal | Invalid | Conflict)
            return server.problem(request, *explanation, view)

    return handle


def explanation_of(error: Exception) -> tuple[int, str] | None:
    """The status and the sentence for what went wrong; None for a bug."""
    match error:
        case Problem():
            return error.status, error.sentence
        case ChoiceGone():
            return 409, GONE
        case Unknown():
            return 404, str(error)
        case Refusal():
            return 409, " ".join((str(error), *dict.fromkeys(f"Next: {label_of(way)}." for way in error.choices)))
        case Conflict():
            turns = "; ".join(f"T{later.turn}: {later.refusal}" for later in error.turns)
            return 409, f"Later turns would no longer be legal; nothing was changed. {turns}"
        case NotAPlace():
            return 422, f"“{error.text}” is no place in the log. {PLACE}"
        case Invalid():
            return 422, str(error)
        case NotSaved() | MaybeSaved():
            return 503, str(error)
        case Crowded():
            return 503, CROWDED
        case TookTooLong():
            return 503, TOOK_TOO_LONG
        case MadeByNewer():
            return 503, NEWER
        case MadeByOlder():
            return 503, OLDER
        case Unopenable(exit_code=2):
            return 404, NO_TABLE
        case Unopenable():
            return 503, UNREADABLE
        case DamagedLog():
            return 500, DAMAGED
        case OSError() | sqlite3.Error():
            return 503, UNREADABLE
    return None
