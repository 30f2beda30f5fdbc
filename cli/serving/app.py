"""The addresses of the page, and what each answers to whom.

Everything that touches the campaign happens in one thread, one thing after the other: two taps at once are two turns.
Readings that go through the whole log have a thread and a log of their own, so that no tap waits for them.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from cli.line.errors import Misread
from cli.line.understanding import Question
from cli.line.verbs import verb_name
from cli.serving import readings
from cli.serving.addresses import address_of
from cli.serving.doing import (
    ChoiceGone,
    ConfirmationNeeded,
    FormNeeded,
    Recorded,
    RulesQuestion,
    Tap,
    TapPreview,
    TapResult,
    label_of,
)
from cli.serving.http_guard import HttpGuard, RateLimit
from cli.serving.invitations import Invitations, Seat, SeatState
from cli.serving.live import TurnFeed
from cli.serving.presentation import Presentation
from cli.serving.views import ON_A_PAGE, RecentTurns, SeatView, TableView
from cli.store.failures import Unopenable
from cli.store.streams import StoredLog
from cli.terminal.screen import safe
from domain.log.command_handler import CommandHandler
from domain.log.port import DamagedLog, MaybeSaved, NotSaved
from domain.refusal import Conflict, Invalid, Refusal, Unknown
from domain.system.rulesystem import RuleSystem
from projections.views.conditions import example_of

#: Turns that were missed and are told one by one; of more it is told that there are many.
MOST_MISSED = 100
#: What turns are looked for by.
SOUGHT = msgspec.structs.fields(readings.LogSearch)
#: Answers that a tap may carry.
LONGEST_ANSWERS = 20

NO_SEAT = "You have no seat here. Open your link, or ask whoever keeps the log for a new one."
GONE = "That cannot be chosen any more; the table has gone on."
DAMAGED = "The log is damaged; whoever keeps it should look at it with campaign doctor."
UNREADABLE = "The log cannot be read now; try again."


class Problem(Exception):
    """What is answered with a sentence instead of a page."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class TableServer:
    """One campaign, open, and everybody who has a seat at it."""

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
    ) -> None:
        self.log, self.system, self.handler, self.invitations = log, system, handler, invitations
        self.by, self.readonly = by, readonly
        #: scheme, name and port, as one types it on a phone
        self.address = address
        self.presentation = Presentation()
        #: what the campaign is called, as far as it was read: who is answered waits for no log
        self.name = str(handler.state().campaign.name) if log.last() else ""
        log.patience = LONGEST_WAIT
        self.turns = TurnFeed(log.last())
        self.rate_limit = rate_limit or RateLimit()
        self._places: dict[str, SeatView] = {}
        self.recent = RecentTurns()
        #: the table as it was made last, for each seat and template
        self.tables: dict[tuple[str, str], tuple[TableView, bytes]] = {}
        #: one thread for the log, one for readings that take long
        self._desk = ThreadPoolExecutor(1, thread_name_prefix="desk")
        self._library = ThreadPoolExecutor(1, thread_name_prefix="library")
        self._readers = 0

    def close(self) -> None:
        """End both threads; what was begun is done first."""
        self._desk.shutdown()
        self._library.shutdown()

    # -- work ----------------------------------------------------------------------------------------------

    async def at_desk(self, work: Callable[..., Any], *given: Any) -> Any:
        """Do something with the log, after whatever is being done with it."""
        return await asyncio.get_running_loop().run_in_executor(self._desk, work, *given)

    async def in_library(self, place: SeatView, work: Callable[..., Any], *given: Any) -> Any:
        """Read something that takes long, with a log of its own."""
        if self._readers >= MOST_READERS:
            raise Problem(503, "Too many pages are being read at once; try again in a moment.")

        def read() -> Any:
            with self.log.on(self.log.branch) as log:
                return work(log, self.system, place.viewer, *given)

        self._readers += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._library, read)
        finally:
            self._readers -= 1

    def place(self, seat: Seat) -> SeatView:
        """What a seat sees and does."""
        found = self._places.get(seat.name)
        if found is None:
            found = self._places[seat.name] = SeatView(
                self.log,
                self.system,
                self.handler,
                seat,
                self.invitations,
                self.recent,
                by=self.by,
                readonly=self.readonly,
            )
        return found

    def tell_all(self, before: int) -> None:
        """Work out what everybody hears of the turns that have come after one."""
        for place in list(self._places.values()):
            self.recent.after(place.sitting, before)

    def seats(self) -> list[SeatState]:
        """How it stands with every seat, with those of players who joined since."""
        state = self.handler.state()
        players = dict.fromkeys(str(name) for sheet in state.characters.values() if (name := _player(sheet)))
        self.invitations.seat_all(players)
        return list(self.invitations.states())

    # -- who asks ------------------------------------------------------------------------------------------

    def seat_at(self, request: Request) -> Seat | None:
        """Whose cookie a request shows. Raises Problem for who was wrong too often."""
        shown = request.cookies.get(self.invitations.evening.cookie)
        if not shown:
            return None
        self.must_wait(request)
        seat = self.invitations.of_cookie(shown)
        if seat is None:
            self.rate_limit.wrong(_from(request))
        return seat

    def must_sit(self, request: Request) -> SeatView:
        """The place of whoever asks. Raises Problem for who has none."""
        seat = self.seat_at(request)
        if seat is None:
            raise Problem(401, NO_SEAT)
        return self.place(seat)

    def must_wait(self, request: Request) -> None:
        """Raise Problem for who was wrong too often."""
        if self.rate_limit.waits(_from(request)):
            raise Problem(429, "That was wrong too often; wait a moment.")

    # -- answers -------------------------------------------------------------------------------------------

    def page(self, template: str, place: SeatView | None, status: int = 200, **told: Any) -> HTMLResponse:
        seat = place.seat if place is not None else None
        told = {
            "seat": seat, "reads": place is None or place.doing.reads, "title": "", "campaign": self.name, **told,
        }  # fmt: skip
        return HTMLResponse(self.presentation.page(template, told), status)

    def problem(self, request: Request, status: int, sentence: str, place: SeatView | None = None) -> Response:
        """A sentence as a page; as JSON for the script."""
        if _wants_json(request):
            return JSONResponse({"problem": sentence}, status)
        answer = self.page(
            "problem", place, status, title="That did not work", sentence=sentence, here=_same_address(request)
        )
        if status == 401 and self.invitations.evening.cookie in request.cookies:
            # a device that was ended does not show the old token again
            answer.delete_cookie(self.invitations.evening.cookie, path="/", httponly=True, samesite="strict")
        return answer


#: Seconds that a tap waits for a server with the log: whoever holds a phone would rather be told and tap again.
LONGEST_WAIT = 5.0
#: Readings that take long, at once.
MOST_READERS = 32

Handler = Callable[[TableServer, Request, SeatView], Awaitable[Response]]


def _player(sheet: Any) -> str | None:
    found = getattr(sheet, "player", None)
    return found if isinstance(found, str) and found.strip() else None


def _from(request: Request) -> str:
    return request.client.host if request.client else ""


def _wants_json(request: Request) -> bool:
    return request.headers.get("accept", "") == "application/json"


def _same_address(request: Request) -> str:
    """Where a page that was asked for is asked for again: what was sent is not sent anew."""
    if request.method != "GET":
        return "/"
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{quote(request.url.path)}{query}"


async def _form(request: Request) -> dict[str, list[str]]:
    """What a form sent. Raises Problem for what is none."""
    try:
        text = (await request.body()).decode("ascii")
        return parse_qs(text, keep_blank_values=True, strict_parsing=bool(text), max_num_fields=200, errors="strict")
    except ValueError:
        raise Problem(400, "That is not what a form of this page sends.") from None


def _said(form: Mapping[str, list[str]], name: str) -> str:
    return form[name][-1] if form.get(name) else ""


def _number(text: str) -> int:
    """A whole number of people, or 0."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 15 else 0


def _tap(place: SeatView, form: Mapping[str, list[str]]) -> Tap:
    """What was said. Raises what reading a form raises."""
    verb = _said(form, "verb")
    action = place.forms.action(verb, form) if verb else _said(form, "action")
    return Tap(
        at=_number(_said(form, "at")),
        line=_said(form, "line").replace("\r", " ").replace("\n", " "),
        action=action,
        way=_said(form, "way"),
        after=_number(_said(form, "after")),
        answers=tuple(form.get("answer", ())[:LONGEST_ANSWERS]),
        sure=_said(form, "sure") == "yes",
    )


def guarded(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A handler for whoever has a seat; whatever goes wrong is one sentence, and which status goes with it."""

    async def handle(request: Request) -> Response:
        serving: TableServer = request.app.state.serving
        place: SeatView | None = None
        try:
            place = serving.must_sit(request)
            return await handler(serving, request, place)
        except Exception as error:
            told = _explained(error)
            if told is None:
                raise
            return serving.problem(request, *told, place)

    return handle


def _explained(error: Exception) -> tuple[int, str] | None:
    """The status and the sentence of what went wrong; None: it is a bug."""
    match error:
        case Problem():
            return error.status, error.sentence
        case ChoiceGone():
            return 409, GONE
        case Unknown():
            return 404, str(error)
        case Refusal():
            return 409, " ".join((str(error), *(f"Next: {label_of(way)}." for way in error.choices)))
        case Conflict():
            turns = "; ".join(f"T{later.turn}: {Refusal(later.rule, later.reason)}" for later in error.turns)
            said = f"Later turns stand in the way; nothing was changed. {turns}"
            return 409, f"{said} Settle it with conflicts=drop or conflicts=keep at the end of the line."
        case Misread() | Invalid():
            return 422, error.reason
        case NotSaved() | MaybeSaved():
            return 503, str(error)
        case Unopenable():
            return 503, UNREADABLE
        case DamagedLog():
            return 500, DAMAGED
        case OSError() | sqlite3.Error():
            return 503, UNREADABLE
    return None


# -- coming in and leaving -----------------------------------------------------------------------------------


async def enter(request: Request) -> Response:
    """The page behind a link: whose seat it is. Looking at it uses nothing up."""
    serving: TableServer = request.app.state.serving
    try:
        serving.must_wait(request)
        token = str(request.path_params["token"])
        seat = serving.invitations.of_link(token)
        if seat is None:
            if serving.seat_at(request) is not None:
                return RedirectResponse("/", 303)
            serving.rate_limit.wrong(_from(request))
            raise Problem(403, "This link is used or ended. Ask whoever keeps the log for a new one.")
    except Problem as problem:
        return serving.problem(request, problem.status, problem.sentence)
    return serving.page("enter", None, title="Take your seat", whose=seat.called, token=token)


async def take_seat(request: Request) -> Response:
    """Use a link: from then on the cookie opens the page."""
    serving: TableServer = request.app.state.serving
    try:
        serving.must_wait(request)
        token = _said(await _form(request), "token")
        taken = serving.invitations.take(token) if token else None
        if taken is None:
            if serving.seat_at(request) is not None:
                return RedirectResponse("/", 303)  # the tap was sent twice
            serving.rate_limit.wrong(_from(request))
            raise Problem(403, "This link is used or ended. Ask whoever keeps the log for a new one.")
    except Problem as problem:
        return serving.problem(request, problem.status, problem.sentence)
    except (NotSaved, OSError):
        return serving.problem(request, 503, "That could not be kept; try again.")
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        serving.invitations.evening.cookie,
        taken[1],
        path="/",
        httponly=True,
        samesite="strict",
        secure=serving.address.startswith("https:"),
    )
    return answer


async def leave(serving: TableServer, request: Request, place: SeatView) -> Response:  # noqa: ARG001
    """Give the seat up on this device."""
    name = serving.invitations.evening.cookie
    serving.invitations.leave(request.cookies[name])
    serving.turns.look()
    answer = serving.page("problem", None, title="Goodbye", sentence="You have left the table.", here="")
    answer.delete_cookie(name, path="/", httponly=True, samesite="strict")
    return answer


async def seats(serving: TableServer, request: Request, place: SeatView) -> Response:  # noqa: ARG001
    """The seats, with the links that nobody has used: for the referee alone."""
    if place.seat.role != "referee":
        raise Problem(403, "The seats are for whoever keeps the log.")
    states = await serving.at_desk(serving.seats)
    told = [(each, *_link(serving, each)) for each in states]
    return serving.page("seats", place, title="Seats", seats=told)


def _link(serving: TableServer, state: SeatState) -> tuple[str, str]:
    """The address of a link that nobody has used, and its code to be photographed."""
    token = serving.invitations.told.get(state.seat.name)
    if token is None or not state.has_link:
        return "", ""
    import segno

    address = f"{serving.address}/in/{token}"
    return address, segno.make(address, error="m").svg_inline(scale=4, border=2, light="#fff", dark="#000")


async def change_seat(serving: TableServer, request: Request, place: SeatView) -> Response:
    """A new link for a seat, or its end."""
    if place.seat.role != "referee":
        raise Problem(403, "The seats are for whoever keeps the log.")
    form = await _form(request)
    seat = next((each.seat for each in serving.invitations.states() if each.seat.key == _said(form, "seat")), None)
    if seat is None:
        raise Problem(404, "There is no such seat.")
    if _said(form, "do") == "end" and seat.role != "referee":
        serving.invitations.end_seat(seat.name)
        serving.turns.look()
    elif _said(form, "do") == "invite":
        serving.invitations.invite(seat.name)
    return RedirectResponse("/seats", 303)


# -- the table -----------------------------------------------------------------------------------------------


async def home(serving: TableServer, request: Request, place: SeatView) -> Response:  # noqa: ARG001
    """The own sheet, the party, what the table waits for, the last turns."""
    return await _table(serving, place, "home")


async def fragment(serving: TableServer, request: Request, place: SeatView) -> Response:  # noqa: ARG001
    """The same without what stands around it, for a page that is open."""
    return await _table(serving, place, "now")


async def _table(serving: TableServer, place: SeatView, template: str) -> Response:
    """The table as it is now; made once a turn, however many look at it from one seat."""
    now = await serving.at_desk(place.now)
    serving.name = now.campaign
    kept = serving.tables.get((place.seat.name, template))
    if kept is None or kept[0] is not now:
        made = serving.page(template, place, now=now, line="", verbs=_short_verbs(place))
        kept = serving.tables[place.seat.name, template] = (now, bytes(made.body))
    return HTMLResponse(kept[1])


def _short_verbs(place: SeatView) -> list[Any]:
    return [] if place.doing.reads else [verb for verb in place.forms.listed() if verb.shorts]


async def sheet(serving: TableServer, request: Request, place: SeatView) -> Response:
    """One sheet."""
    picture = await serving.at_desk(place.picture, str(request.path_params["name"]))
    return serving.page("sheet", place, title=picture.name, picture=picture)


async def at(serving: TableServer, request: Request, place: SeatView) -> Response:
    """The table as it was after a turn, and a slider to move through time."""
    last = await serving.at_desk(serving.log.last)
    point = min(max(1, _number(request.query_params.get("turn", "")) or last), last)

    def look() -> Any:
        return place.at(point), place.sessions(), place.turns(point - 1, point)

    now, sessions, turns = await serving.at_desk(look)
    return serving.page("at", place, title=f"As of T{point}", now=now, sessions=sessions, turns=turns)


async def log_page(serving: TableServer, request: Request, place: SeatView) -> Response:
    """The turns, the newest first; or those that are looked for."""
    last = await serving.at_desk(serving.log.last)
    upto = min(_number(request.query_params.get("upto", "")) or last, last)
    asked = readings.LogSearch(**{each.name: request.query_params.get(each.name, "")[:200] for each in SOUGHT})
    if asked != readings.LogSearch():
        found = await serving.in_library(place, readings.sought, asked, upto)
        more = {**msgspec.structs.asdict(asked), "upto": found.turns[-1].turn - 1} if found.more else {}
        earlier = f"/log?{urlencode({name: value for name, value in more.items() if value})}" if more else ""
        return serving.page("log", place, title="Log", turns=found.turns, asked=asked, earlier=earlier, later="")
    after = max(0, upto - ON_A_PAGE)
    turns = await serving.at_desk(place.turns, after, upto)
    later = f"/log?upto={min(upto + ON_A_PAGE, last)}" if upto < last else ""
    earlier = f"/log?upto={after}" if after else ""
    return serving.page("log", place, title="Log", turns=turns[::-1], asked=asked, earlier=earlier, later=later)


async def turn(serving: TableServer, request: Request, place: SeatView) -> Response:
    """One turn whole."""
    number = int(request.path_params["number"])
    told = await serving.in_library(place, readings.turn, number)
    return serving.page("turn", place, title=f"T{number}", told=told, last=serving.turns.last)


async def rules(serving: TableServer, request: Request, place: SeatView) -> Response:
    """The paragraphs of the rules, or those that say something."""
    book = await serving.in_library(place, readings.rules, request.query_params.get("say", "")[:200])
    return serving.page("rules", place, title="Rules", book=book)


async def rule(serving: TableServer, request: Request, place: SeatView) -> Response:
    """One paragraph as it is played."""
    told = await serving.in_library(place, readings.rule, str(request.path_params["number"]))
    return serving.page("rule", place, title=told.cited, paragraph=told)


async def why(serving: TableServer, request: Request, place: SeatView) -> Response:
    """Where a value comes from."""
    what = request.query_params.get("of", "")[:200]
    told = await serving.in_library(place, readings.why, what) if what else None
    fields = await serving.at_desk(_asked_about, place)
    return serving.page("why", place, title="Why", told=told, what=what, fields=fields)


def _asked_about(place: SeatView) -> list[str]:
    state = place.sitting.known()
    return [f"{name}.{field}" for name in state.characters for field in place.system.to_view(state, name)]


def _example(place: SeatView) -> str:
    """A condition of somebody whom this seat plays, else of whoever is there."""
    return example_of(dict.fromkeys((*place.forms.plays(), *place.sitting.known().characters)), place.system)


async def when(serving: TableServer, request: Request, place: SeatView) -> Response:
    """Since when something is so."""
    condition = request.query_params.get("if", "")[:400]
    told = await serving.in_library(place, readings.when, condition) if condition else None
    like = await serving.at_desk(_example, place)
    return serving.page("when", place, title="When", told=told, condition=condition, like=like)


async def diff(serving: TableServer, request: Request, place: SeatView) -> Response:
    """What differs between two places of the log."""
    of = request.query_params.get("of", "")[:200]
    told = await serving.in_library(place, readings.diff, of)
    return serving.page("diff", place, title="What differs", told=told, of=of)


async def figures(serving: TableServer, request: Request, place: SeatView) -> Response:
    """Figures and pictures of the whole campaign."""
    told = await serving.in_library(place, readings.figures, str(request.path_params.get("name", "")))
    return serving.page("stats", place, title="Figures", told=told, last=serving.turns.last)


async def query(serving: TableServer, request: Request, place: SeatView) -> Response:
    """What SQL finds in the tables of the campaign: for the referee alone."""
    sql = request.query_params.get("sql", "")[:2000]
    told = await serving.in_library(place, readings.query, sql) if sql else None
    return serving.page("query", place, title="Query", told=told, sql=sql)


async def known(serving: TableServer, request: Request, place: SeatView) -> Response:
    """What the log knows besides sheets: what there is of it, or all of one."""
    verb, name = str(request.path_params["verb"]), str(request.path_params.get("name", ""))
    lookup = next((each for each in serving.system.lookups if each.verb == verb), None)
    if lookup is None:
        raise Problem(404, "There is no such page.")

    def look() -> Any:
        state = place.sitting.known()
        return lookup.rows(state, name) if name else list(lookup.names(state))

    told = await serving.at_desk(look)
    return serving.page("known", place, title=name or verb, lookup=lookup, name=name, told=told)


async def ask(serving: TableServer, request: Request, place: SeatView) -> Response:  # noqa: ARG001
    """What can be asked, each with its page."""
    fields, like = await serving.at_desk(lambda: (_asked_about(place), _example(place)))
    told = {"fields": fields, "like": like, "lookups": serving.system.lookups, "asked": readings.LogSearch()}
    return serving.page("ask", place, title="Ask", **told)


async def recap(serving: TableServer, request: Request, place: SeatView) -> Response:
    """An evening as a page to read."""
    number = request.path_params.get("number")
    told = await serving.in_library(place, readings.recap, None if number is None else int(number))
    return serving.page("recap", place, title="Recap", told=told)


# -- doing ---------------------------------------------------------------------------------------------------


async def actions(serving: TableServer, request: Request, place: SeatView) -> Response:  # noqa: ARG001
    """What can be done, each as a form."""
    listed = [] if place.doing.reads else await serving.at_desk(place.forms.listed)
    return serving.page("actions", place, title="What can be done", verbs=listed)


async def action(serving: TableServer, request: Request, place: SeatView) -> Response:
    """One action to be filled in."""
    verb, whose = str(request.path_params["verb"]), request.query_params.get("for", "")
    form = await serving.at_desk(place.forms.form, verb, whose)
    return serving.page("form", place, title=form.title, form=form, at=serving.turns.last)


async def look(serving: TableServer, request: Request, place: SeatView) -> Response:
    """What something would come to; nothing is done."""
    form = await _form(request)

    if _wants_json(request):
        return JSONResponse(await serving.at_desk(_while_it_is_typed, serving, place, form))

    def foretell() -> tuple[Tap, TapPreview]:
        tap = _tap(place, form)
        return tap, place.doing.preview(tap)

    tap, told = await serving.at_desk(foretell)
    return serving.page("look", place, title="It would be", tap=tap, told=told)


def _while_it_is_typed(serving: TableServer, place: SeatView, form: Mapping[str, list[str]]) -> dict[str, str]:
    """What it would come to as it stands, or why it cannot be done; what the rules ask first; how a line may go on."""
    told = TapPreview("")
    problem = ""
    try:
        told = place.doing.preview(_tap(place, form))
    except Exception as error:
        explained = _explained(error)
        if explained is None:
            raise
        problem = explained[1]
    asked = serving.presentation.page("choices", {"choices": told.choices}) if told.choices else ""
    ways = place.doing.ways_on(_said(form, "line"))
    goes_on = serving.presentation.page("ways", {"ways": ways}) if ways else ""
    return {"would": safe(told.why or told.would), "problem": safe(problem), "asked": asked, "ways": goes_on}


async def do(serving: TableServer, request: Request, place: SeatView) -> Response:
    """Do it, or ask what the rules ask first."""
    form = await _form(request)

    def act() -> tuple[TapResult, int]:
        before = serving.log.last()
        answer = place.doing.do(_tap(place, form))
        last = serving.log.last()
        if last > before:
            serving.tell_all(before)
        return answer, last

    answer, last = await serving.at_desk(act)
    serving.turns.came(last)
    return await _answered(serving, request, place, answer)


async def _answered(serving: TableServer, request: Request, place: SeatView, answer: TapResult) -> Response:
    match answer:
        case Recorded():
            if _wants_json(request) and not answer.choices:
                turns = [{"turn": each.turn, "sentence": each.sentence} for each in answer.turns]
                return JSONResponse({"done": turns, "repeated": answer.repeated})
            if not answer.choices and not answer.repeated:
                return RedirectResponse("/", 303)
            return serving.page("told", place, title="Done", told=answer)
        case RulesQuestion():
            return serving.page("asked", place, title="First", asked=answer)
        case ConfirmationNeeded():
            return serving.page("changes", place, title="What it changes", changes=answer)
        case FormNeeded():
            filled = await serving.at_desk(place.forms.form, verb_name(answer.way.action), "", answer.way.fields)
            return serving.page("form", place, title=filled.title, form=filled, at=serving.turns.last)
        case Question():
            return RedirectResponse(address_of(answer, serving.system.lookups), 303)
    raise AssertionError(answer)


# -- live ----------------------------------------------------------------------------------------------------


async def live(serving: TableServer, request: Request, place: SeatView) -> Response:
    """The turns as they come, after the last one that the page knows."""
    known = request.headers.get("last-event-id") or request.query_params.get("after", "")
    after = _number(known) if known else serving.turns.last
    cookie = request.cookies[serving.invitations.evening.cookie]
    return StreamingResponse(_events(serving, place, cookie, after), media_type="text/event-stream")


async def _events(serving: TableServer, place: SeatView, cookie: str, seen: int) -> AsyncIterator[str]:
    yield "retry: 1000\n\n"
    while not serving.turns.over and serving.invitations.of_cookie(cookie) == place.seat:
        last = serving.turns.last
        if seen > last:
            # a page that knows turns which are not there: another evening, or another log
            yield _event("turn", last, {"turn": last, "sentence": ""})
            seen = last
        elif last - seen > MOST_MISSED:
            yield _event("turn", last, {"turn": last, "sentence": ""})
            seen = last
        elif last > seen:
            with suppress(DamagedLog, Unopenable, OSError, sqlite3.Error):
                known = serving.recent.known(place.sitting, seen, last)
                for entry in await serving.at_desk(place.heard, seen, last) if known is None else known:
                    yield _event("turn", entry.turn, {"turn": entry.turn, "sentence": safe(entry.sentence)})
            seen = last
        if not await serving.turns.wait(seen):
            yield ": here\n\n"
    yield "event: over\ndata: {}\n\n"


def _event(kind: str, number: int, told: Mapping[str, Any]) -> str:
    return f"event: {kind}\nid: {number}\ndata: {msgspec.json.encode(told).decode()}\n\n"


def _told(code: int, sentence: str) -> Callable[[Request, Exception], Awaitable[Response]]:
    """What is answered where no page answers."""

    async def answer(request: Request, error: Exception) -> Response:  # noqa: ARG001
        serving: TableServer = request.app.state.serving
        return serving.problem(request, code, sentence)

    return answer


#: By the code of the answer, or by what was raised.
PROBLEMS = {
    404: _told(404, "There is no such page."),
    405: _told(405, "That cannot be done here."),
    Exception: _told(500, "That went wrong here, and is a mistake of this program. Nothing was done."),
}
ROUTES = (
    Route("/in/{token}", enter),
    Route("/in", take_seat, methods=["POST"]),
    Route("/", guarded(home)),
    Route("/now", guarded(fragment)),
    Route("/live", guarded(live)),
    Route("/look", guarded(look), methods=["POST"]),
    Route("/do", guarded(do), methods=["POST"]),
    Route("/act", guarded(actions)),
    Route("/act/{verb:path}", guarded(action)),
    Route("/sheet/{name:path}", guarded(sheet)),
    Route("/at", guarded(at)),
    Route("/log", guarded(log_page)),
    Route("/turn/{number:int}", guarded(turn)),
    Route("/rules", guarded(rules)),
    Route("/rule/{number:path}", guarded(rule)),
    Route("/why", guarded(why)),
    Route("/when", guarded(when)),
    Route("/ask", guarded(ask)),
    Route("/diff", guarded(diff)),
    Route("/stats", guarded(figures)),
    Route("/stats/{name}", guarded(figures)),
    Route("/query", guarded(query)),
    Route("/known/{verb}", guarded(known)),
    Route("/known/{verb}/{name:path}", guarded(known)),
    Route("/recap", guarded(recap)),
    Route("/recap/{number:int}", guarded(recap)),
    Route("/seats", guarded(seats)),
    Route("/seats", guarded(change_seat), methods=["POST"]),
    Route("/leave", guarded(leave), methods=["POST"]),
)


def application(serving: TableServer, names: frozenset[str]) -> HttpGuard:
    """The whole page behind its doors; `names` are those that it answers to, each with its port."""
    app = Starlette(routes=list(ROUTES), exception_handlers=PROBLEMS)
    app.router.redirect_slashes = False
    app.state.serving = serving
    scheme = serving.address.partition(":")[0]
    return HttpGuard(app, names, scheme=scheme, csp=serving.presentation.policy)
