"""The table, and what is done there: the page that is open all evening, the forms, previews, and taps."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from cli.line.understanding import Question
from cli.line.verbs import verbs_of
from cli.serving.confirmations import confirmation_of
from cli.serving.controls import Form
from cli.serving.door import wants_json
from cli.serving.forms import AFTER, LONGEST_VALUE, Forms
from cli.serving.permissions import brings_in
from cli.serving.presentation import page_text, rendered
from cli.serving.question_pages import address_of
from cli.serving.table_server import TableServer, explanation_of, field, form_of, number
from cli.serving.tap import (
    LONGEST_FINGERPRINT,
    ConfirmationNeeded,
    FormNeeded,
    Recorded,
    RulesQuestion,
    Tap,
    TapPreview,
    TapResult,
)
from cli.serving.tap_handler import MOST_TOGETHER
from cli.serving.touching import Direction
from cli.serving.views import SeatView
from cli.serving.wording import sentence_in_words
from cli.shell import readings
from cli.shell.references import turn_name
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import tag_of, verb_name
from projections.chronicle import Entry

Result = TypeVar("Result")
#: Answers that one tap may carry.
MOST_ANSWERS = 20


async def home(server: TableServer, request: Request, view: SeatView) -> Response:  # noqa: ARG001
    """The own sheet, the party, what the table waits for, the last turns."""
    return await _table(server, view, "home")


async def fragment(server: TableServer, request: Request, view: SeatView) -> Response:  # noqa: ARG001
    """The table without the menu and the foot of the page, for a page that is open."""
    return await _table(server, view, "now")


async def _table(server: TableServer, view: SeatView, template: str) -> Response:
    """The table as it is now; made once a turn, however many look at it from one seat."""

    def table() -> tuple[bytes, int]:
        now = view.now()
        server.name = now.campaign
        entry = server.tables.get((view.seat.name, template))
        if entry is None or entry[0] is not now:
            verbs = [] if view.permissions.only_reads else list(view.actions.at_hand())
            response = server.page(template, view, now=now, turn=now.last, line="", verbs=verbs)
            entry = server.tables[view.seat.name, template] = (now, bytes(response.body))
        return entry[1], now.last

    content, last = await server.in_writer(table)
    # it may show a turn of another process that nobody has told of here
    server.turns.came(max(last, server.turns.last))
    return HTMLResponse(content)


def _tap(view: SeatView, form: Mapping[str, list[str]]) -> Tap:
    """What was said. Raises what reading a form raises."""
    verb = field(form, "verb")
    line = "" if verb else field(form, "line")
    after = turn_name(field(form, AFTER).strip()[:LONGEST_VALUE])
    action = view.forms_at(after).action(verb, form) if verb else field(form, "action")
    return Tap(
        at=number(field(form, "at")),
        line=line.replace("\r", " ").replace("\n", " "),
        action=action,
        choice=field(form, "way"),
        answers=tuple(form.get("answer", ())[:MOST_ANSWERS]),
        sure=field(form, "sure") == "yes",
        after=after,
        fingerprint=field(form, "fingerprint")[:LONGEST_FINGERPRINT],
    )


async def actions(server: TableServer, request: Request, view: SeatView) -> Response:
    """What can be done, or could have been after an earlier turn, each as a form."""
    late, groups = await _of_forms(server, request, view, lambda forms: (forms.actions.late, forms.actions.entries()))
    title = f"What happened after {late}" if late else "What can be done"
    return server.page("actions", view, title=title, groups=groups, late=late)


async def _of_forms(server: TableServer, request: Request, view: SeatView, work: Callable[[Forms], Result]) -> Result:
    """What is found in the forms of what happens now, or of what happened after the turn that the address names."""
    view.permissions.check_can_act()
    place = request.query_params.get(AFTER, "")[:LONGEST_VALUE]
    if place:
        found: Result = await server.looking_back(request, view, lambda earlier: work(earlier.forms_at(place)))
    else:
        found = await server.in_writer(work, view.forms)
    return found


async def action(server: TableServer, request: Request, view: SeatView) -> Response:
    """One action to be filled in."""
    verb, whose = str(request.path_params["verb"]), request.query_params.get("for", "")
    titles: Mapping[str, str] = {}
    if await server.in_writer(view.forms.asks_for_a_paragraph, verb):
        book = await server.reading(request, view, readings.rules)
        titles = {paragraph.rule: paragraph.title for paragraph in book.paragraphs if paragraph.in_force}

    def to_fill_in(forms: Forms) -> Form:
        return forms.form(verb, whose, forms.in_address(verb, request.query_params), titles)

    form = await _of_forms(server, request, view, to_fill_in)
    return server.page("form", view, title=form.title, form=form, at=server.turns.last)


async def look(server: TableServer, request: Request, view: SeatView) -> Response:
    """What something would come to; nothing is done."""
    form = await form_of(request)

    if wants_json(request):
        return JSONResponse(await server.tap(view.seat, _live_preview, view, form))

    def foretell() -> tuple[Tap, TapPreview]:
        tap = _tap(view, form)
        preview = _with_own_words(view, form, view.taps.preview(tap))
        return replace(tap, fingerprint=preview.fingerprint), preview

    tap, preview = await server.tap(view.seat, foretell)
    return server.page("look", view, title="It would be", tap=tap, line=field(form, "line"), preview=preview)


def _with_own_words(view: SeatView, form: Mapping[str, list[str]], preview: TapPreview) -> TapPreview:
    """A preview that says besides what is recorded as it was typed into a form."""
    verb = field(form, "verb")
    remark = view.forms.sent.own_words(verb, form, preview.outcome) if verb else ""
    return replace(preview, outcome=f"{preview.outcome} {remark}") if remark else preview


def _live_preview(view: SeatView, form: Mapping[str, list[str]]) -> dict[str, str]:
    """What it would come to as it stands, or why it cannot be done; what the rules ask first; how a line may go on."""
    preview = TapPreview("")
    problem = ""
    try:
        preview = _with_own_words(view, form, view.taps.preview(_tap(view, form)))
    except Exception as error:
        reason = explanation_of(error)
        if reason is None:
            raise
        problem = reason[1]
    choices = preview.choices
    if field(form, "verb") and preview.asks_for_words:
        # the form has the field for them
        choices = tuple(choice for choice in choices if not choice.is_open)
    question = rendered("choices", choices=choices) if choices else ""
    ways = view.taps.continuations(field(form, "line"))
    goes_on = rendered("ways", ways=ways) if ways else ""
    return {
        "would": page_text(preview.why or preview.outcome),
        "problem": page_text(problem),
        "asked": question,
        "ways": goes_on,
        "fingerprint": preview.fingerprint,
    }


async def do(server: TableServer, request: Request, view: SeatView) -> Response:
    """Do it, or ask what the rules ask first."""
    form = await form_of(request)

    def act() -> tuple[TapResult, int]:
        before = server.handler.last()
        tap = _tap(view, form)
        answer = confirmation_of(view.taps, tap) or view.taps.do(tap)
        last = server.handler.last()
        if last > before:
            server.prepare_events(before, last)
        return answer, last

    answer, last = await server.tap(view.seat, act)
    if isinstance(answer, Recorded) and not answer.repeated:
        server.counts["turns_total"] += len(answer.turns)
    server.turns.came(last)
    return await _answer_page(server, request, view, answer)


async def asked(server: TableServer, request: Request, view: SeatView) -> Response:
    """A question that lies over a page, as it is asked by now, or what was recorded for it; nothing: it is over."""
    form = await form_of(request)

    def again() -> dict[str, Any]:
        with suppress(Refusal, Invalid, Conflict):
            match view.taps.still_asked(_tap(view, form)):
                case Recorded(turns):
                    return {"done": _told(turns)}
                case RulesQuestion() as question:
                    return {"asked": rendered("question", question=view.offers.question(question))}
        return {"asked": ""}

    return JSONResponse(await server.tap(view.seat, again))


def _told(turns: Iterable[Entry]) -> list[dict[str, Any]]:
    """Turns as a page that is open is told of them."""
    return [{"turn": turn.turn, "sentence": page_text(sentence_in_words(turn))} for turn in turns]


def _new_player(server: TableServer, view: SeatView, answer: Recorded) -> str:
    """Who plays a character that the referee has just enrolled, and has a link that nobody used; "" for nobody."""
    if not view.permissions.is_referee:
        return ""
    links = server.invitations.unused_links
    enrols = {tag_of(verb.kind) for verb in verbs_of(server.system.key) if brings_in(verb.kind)}
    players = [str(turn.action.get("player") or "") for turn in answer.turns if turn.kind in enrols]
    if players:
        server.seats()  # a new player has a seat from now on
    return next((player for player in players if links.get(player)), "")


async def _answer_page(server: TableServer, request: Request, view: SeatView, answer: TapResult) -> Response:
    """A page, or for the script what it puts where the tap was."""
    asks_inline = wants_json(request)
    match answer:
        case Recorded():
            new = "" if answer.repeated else await server.in_writer(_new_player, server, view, answer)
            to = f"/seats?{urlencode({'player': new})}" if new else "/"
            if asks_inline:
                return JSONResponse(
                    {"done": _told(answer.turns), "repeated": answer.repeated, **({"to": to} if new else {})}
                )
            if not answer.repeated:
                return RedirectResponse(to, 303)
            return server.page("done", view, title="Done", result=answer)
        case RulesQuestion():
            question = await server.in_writer(view.offers.question, answer)
            server.turns.asks()
            if asks_inline:
                return JSONResponse({"asked": rendered("question", question=question)})
            return server.page("question_page", view, title="First", question=question)
        case ConfirmationNeeded():
            if asks_inline:
                return JSONResponse({"asked": rendered("confirm", changes=answer)})
            return server.page("changes", view, title=answer.why, changes=answer)
        case FormNeeded():
            verb, fields, asks = verb_name(answer.choice.action), answer.choice.fields, answer.choice.asks
            form = await server.in_writer(lambda: view.forms_at(answer.after).form(verb, "", fields, asks=asks))
            page = server.page("form", view, title=form.title, form=form, at=server.turns.last)
            # addresses stay in histories and in the logs of proxies: this one says nothing of what was filled in
            query = urlencode({name: value for name, value in (("for", form.about), (AFTER, form.late)) if value})
            page.headers["content-location"] = f"/act/{quote(verb)}?{query}".removesuffix("?")
            return page
        case Question():
            return RedirectResponse(address_of(answer, server.system.lookups), 303)
    raise AssertionError(answer)


async def withdraw(server: TableServer, request: Request, view: SeatView) -> Response:
    """Leave what the rules ask about a player's character: it goes from that player's phone too."""
    await server.in_writer(view.taps.withdraw, field(await form_of(request), "mark"))
    server.turns.asks()
    return RedirectResponse("/", 303)


async def touch(server: TableServer, request: Request, view: SeatView) -> Response:
    """A figure of a sheet, to be made less or more."""
    direction: Direction = "more" if request.path_params["way"] == "more" else "less"
    label = request.query_params.get("figure", "")[:100]
    names = request.query_params.getlist("who")[:MOST_TOGETHER]
    figure = await server.in_writer(view.touch, names, label, direction)
    return server.page("touch", view, title=figure.title, touch=figure)


async def more(server: TableServer, request: Request, view: SeatView) -> Response:  # noqa: ARG001
    """The pages for which the first line has no room on a phone."""
    return server.page("more", view, title="More")
