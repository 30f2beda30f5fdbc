"""Phones at a table that is served in this very process: what each is answered, and the forms that it taps."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from cli.serving.app import application
from cli.serving.http_guard import RateLimit
from cli.serving.invitations import REFEREE, TABLE, Invitations
from cli.serving.table_server import TableServer
from cli.shell.command_context import handler_for
from cli.store.stored_log import StoredLog
from domain.log.command_handler import CommandHandler
from domain.system.rulesystem import RuleSystem

HOST = "127.0.0.1:8440"
HERE = f"http://{HOST}"


class Form:
    """One form of a page: where it goes, what it holds, and what its button says."""

    def __init__(self, method: str, action: str) -> None:
        self.method, self.action, self.says = method, action, ""
        self.fields: list[tuple[str, str]] = []
        #: the names of what can be filled in, with the values that can be chosen
        self.open: dict[str, list[str]] = {}


class Forms(HTMLParser):
    """The forms of a page, in their order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._in_form = self._in_button = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "form":
            self.forms.append(Form(attributes.get("method") or "get", attributes.get("action") or ""))
            self._in_form = True
        elif tag == "input" and self._in_form:
            name, value, kind = attributes.get("name") or "", attributes.get("value") or "", attributes.get("type")
            if kind == "hidden":
                self.forms[-1].fields.append((name, value))
            else:
                # a text that stands in a field is no choice
                self.forms[-1].open.setdefault(name, []).append(value if kind else "")
                if "checked" in attributes or (kind is None and value):
                    self.forms[-1].fields.append((name, value))
        elif tag == "textarea" and self._in_form:
            self.forms[-1].open.setdefault(attributes.get("name") or "", [])
        elif tag == "button":
            self._in_button = attributes.get("type") != "button"

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._in_form = False
        elif tag == "button":
            self._in_button = False

    def handle_data(self, data: str) -> None:
        if self._in_button and self._in_form:
            self.forms[-1].says += data


class Reply:
    """What was answered."""

    def __init__(self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> None:
        self.status, self.body = status, body
        self.headers = {name.decode(): value.decode("latin-1") for name, value in headers}
        self.cookies = [value.decode("latin-1") for name, value in headers if name == b"set-cookie"]

    def __repr__(self) -> str:
        return f"{self.status} {self.headers}\n{self.text}"

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def forms(self) -> list[Form]:
        return Forms(self.text).forms

    @property
    def main(self) -> str:
        """What the page is about, without its style and script."""
        return self.text.partition("<main")[2].partition("</main>")[0] or self.text

    def json(self) -> Any:
        return json.loads(self.body)

    def form(self, says: str) -> Form:
        """The form whose button begins so."""
        matching = [form for form in self.forms if form.says.startswith(says)]
        assert matching, f"no button says {says!r}: {[form.says for form in self.forms]}\n{self.main}"
        return matching[0]


@contextmanager
def beside_any_loop() -> Iterator[None]:
    """Run a loop here: a browser that is open has one in this thread, which waits between two calls of its own."""
    waiting = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(waiting)


class Served:
    """A campaign that is served in this process, to phones in this process."""

    def __init__(
        self,
        log: StoredLog,
        system: RuleSystem,
        handler: CommandHandler | None = None,
        *,
        anew: bool = True,
        **options: Any,
    ) -> None:
        self.invitations = Invitations(log.campaign_id)
        self.invitations.begin(anew=anew)
        handler = handler or handler_for(log)
        self.log, self.system, self.handler = log, system, handler
        self.serving = TableServer(log, system, handler, self.invitations, address=HERE, **{"by": "referee", **options})
        self.serving.seats()
        self.app = application(self.serving, frozenset({HOST}))
        self._runner = asyncio.Runner()

    @staticmethod
    @contextmanager
    def again(before: "Served", **options: Any) -> "Iterator[Served]":
        """The same campaign and evening, as a server that was begun anew has them."""
        server = Served(before.log, before.system, anew=False, **options)
        try:
            yield server
        finally:
            server.close()

    def close(self) -> None:
        self.serving.turns.end()
        with beside_any_loop():
            self._runner.close()
        self.serving.close()

    def run(self, work: Any) -> Any:
        with beside_any_loop():
            return self._runner.run(work)

    def phone(self, name: str, address: str = "10.0.0.1") -> "Phone":
        """The phone of a player, of the "referee" or for the "table", that has taken its seat."""
        seat_name = {"referee": REFEREE, "table": TABLE}.get(name, name)
        phone = Phone(self, address)
        token = self.invitations.unused_links.get(seat_name) or self.invitations.invite(seat_name)
        answer = phone.post("/in", token=token)
        assert answer.status == 303, answer
        return phone

    async def ask(
        self,
        method: str,
        address: str,
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
        client: str = "10.0.0.1",
    ) -> Reply:
        """One request, as the server hands it on, and its whole answer."""
        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        await self.app(scope_of(method, address, headers, client), asking_until(asyncio.Event(), body), send)
        start = next(field for field in messages if field["type"] == "http.response.start")
        whole = b"".join(field.get("body", b"") for field in messages if field["type"] == "http.response.body")
        return Reply(start["status"], start["headers"], whole)


def scope_of(method: str, address: str, headers: Sequence[tuple[str, str]], client: str) -> dict[str, Any]:
    """A request as a server tells an application of it."""
    parts = urlsplit(address)
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(parts.path),
        "raw_path": parts.path.encode("ascii", "replace"),
        "query_string": parts.query.encode("ascii", "replace"),
        "root_path": "",
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers],
        "client": (client, 50000),
        "server": ("127.0.0.1", 8440),
    }


def asking_until(leaving: asyncio.Event, body: bytes = b"") -> Callable[[], Awaitable[Any]]:
    """What an application receives of a client: one request with this body, and at `gone` that it left."""
    first = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if first:
            return first.pop()
        await leaving.wait()
        return {"type": "http.disconnect"}

    return receive


class Phone:
    """One browser without script: its cookies, and the page that is open in it."""

    def __init__(self, served: Served, address: str = "10.0.0.1") -> None:
        self.served, self.address = served, address
        self.cookies: dict[str, str] = {}
        self.page: Reply | None = None

    def headers(self, **more: str) -> list[tuple[str, str]]:
        headers = {"host": HOST, **more}
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return list(headers.items())

    def get(self, address: str, **headers: str) -> Reply:
        """Open an address, and go where it leads."""
        reply = self._keep_cookies(self.served.run(self._ask("GET", address, b"", headers)))
        return self.get(reply.headers["location"]) if reply.status == 303 else reply

    def got(self, address: str) -> Reply:
        """What is answered to a request for an address, wherever that leads."""
        reply: Reply = self.served.run(self._ask("GET", address, b"", {}))
        return reply

    def post(self, address: str, fields: Mapping[str, str] | Sequence[tuple[str, str]] = (), **more: str) -> Reply:
        """Send a form; where it leads is not followed."""
        pairs = [*(fields.items() if isinstance(fields, Mapping) else fields), *more.items()]
        return self._keep_cookies(self.served.run(self.sending(address, pairs)))

    async def sending(self, address: str, fields: Sequence[tuple[str, str]], **headers: str) -> Reply:
        """The same, to be awaited."""
        kind = {"origin": HERE, "content-type": "application/x-www-form-urlencoded", **headers}
        return await self._ask("POST", address, urlencode(list(fields)).encode(), kind)

    def tap(self, says: str, **filled_in: str) -> Reply:
        """Send the form of the open page whose button begins so, and see what comes of it."""
        assert self.page is not None
        form = self.page.form(says)
        reply = self.post(form.action, [*form.fields, *filled_in.items()])
        return self.get(reply.headers["location"]) if reply.status == 303 else reply

    def says(self, line: str) -> Reply:
        """Type a line, and do it."""
        return self.post("/do", at=str(self.served.log.last()), line=line)

    def typing(self, line: str) -> dict[str, str]:
        """What a page with script is told while a line is typed."""
        return self.filling_in([("at", str(self.served.log.last())), ("line", line)])

    def filling_in(self, fields: Sequence[tuple[str, str]]) -> dict[str, str]:
        """What a page with script is told while a form is filled in."""
        record: dict[str, str] = self.served.run(self.sending("/look", fields, accept="application/json")).json()
        return record

    async def _ask(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        return await self.served.ask(method, address, self.headers(**headers), body, self.address)

    def _keep_cookies(self, reply: Reply) -> Reply:
        for cookie in reply.cookies:
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value.strip('"')
        if reply.status != 303:
            self.page = reply
        return reply

    @asynccontextmanager
    async def listening(self, address: str = "/live", **headers: str) -> "AsyncIterator[AsyncIterator[dict[str, Any]]]":
        """The events of a page that is open; leaving closes the connection."""
        came: asyncio.Queue[Any] = asyncio.Queue()
        leaving = asyncio.Event()

        async def send(message: Any) -> None:
            await came.put(message)

        scope = scope_of("GET", address, self.headers(**headers), self.address)
        request = asyncio.create_task(self.served.app(scope, asking_until(leaving), send))

        async def events() -> AsyncIterator[dict[str, Any]]:
            while True:
                message = await came.get()
                text = message.get("body", b"").decode()
                for part in text.split("\n\n"):
                    fields = dict(line.partition(": ")[::2] for line in part.splitlines() if line[:1] not in ("", ":"))
                    if "event" in fields:
                        yield {"event": fields["event"], "id": fields.get("id"), **json.loads(fields["data"])}
                if message["type"] == "http.response.body" and not message.get("more_body", False):
                    return

        try:
            yield events()
        finally:
            leaving.set()
            await request


@contextmanager
def served(
    log: StoredLog, system: RuleSystem, handler: CommandHandler | None = None, **options: Any
) -> Iterator[Served]:
    """A campaign that is served for as long as this lasts."""
    server = Served(log, system, handler, rate_limit=options.pop("rate_limit", RateLimit()), **options)
    try:
        yield server
    finally:
        server.close()
