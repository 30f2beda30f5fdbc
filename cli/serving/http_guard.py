"""Which requests are answered at all, before anything of the campaign is read.

Any page that a browser has open, and anybody in the same network, can send something here. So nothing is answered but
what asks for this server by its own name; nothing changes but by a POST that comes from one of its own pages; what is
sent is short and comes soon; and whatever is answered carries the headers that keep a browser from doing anything
else with it.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]

#: Bytes of a body, and of an address with its query.
LONGEST_BODY, LONGEST_ADDRESS = 16_384, 4_096
#: Seconds in which a request has to arrive whole; its body, once more; and in which an answer has to be read.
SLOWEST = 10.0
METHODS = ("GET", "HEAD", "POST")
NOT_HERE = "That cannot be done here."
#: What a browser may do with a page: load its own style, script and icons, and nothing else.
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; manifest-src 'self'; worker-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: How long a file that has a hash in its address is kept.
FOR_EVER = "public, max-age=31536000, immutable"
#: Headers of every answer. A page is kept nowhere; what says that it is kept for ever is.
HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class HttpGuard:
    """An ASGI application that only well-formed requests of its own pages reach."""

    def __init__(self, app: App, names: Collection[str], *, scheme: str = "http") -> None:
        self._app = app
        #: the names with their port that this server answers to
        self._names = {name.encode("ascii") for name in names}
        self._scheme = scheme.encode("ascii")
        self._headers = [(name.encode("ascii"), value.encode("ascii")) for name, value in HEADERS.items()]

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer_or_refuse(scope, receive, self._adding_headers(send))

    async def _answer_or_refuse(self, scope: Any, receive: Receive, send: Send) -> None:
        refusal = self._refusal_of(scope)
        if refusal is not None:
            await answer(send, *refusal)
            return
        if scope["method"] == "POST":
            try:
                async with asyncio.timeout(SLOWEST):
                    body = await _body(receive)
            except TimeoutError:
                await answer(send, 408, "That took too long to arrive; try again.", {"connection": "close"})
                return
            if body is None:
                await answer(send, 413, "That is too long.", {"connection": "close"})
                return
            receive = _replay(body, receive)
        await self._app(scope, receive, send)

    def _refusal_of(self, scope: Any) -> tuple[int, str, Mapping[str, str]] | None:
        """The status, sentence and headers that refuse a request; None for one that is let through."""
        headers = [(name.lower(), value) for name, value in scope["headers"]]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or hosts[0].lower() not in self._names:
            return 421, "This server answers only to its own address.", {}
        if scope["method"] not in METHODS:
            return 405, NOT_HERE, {"allow": ", ".join(METHODS)}
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414, "That address is too long.", {}
        if scope["method"] == "POST":
            origins = [value.lower() for name, value in headers if name == b"origin"]
            if origins != [self._scheme + b"://" + hosts[0].lower()]:
                return 403, "Changes are taken only from the pages of this server.", {}
            kinds = [value for name, value in headers if name == b"content-type"]
            if [kind.partition(b";")[0].strip().lower() for kind in kinds] != [b"application/x-www-form-urlencoded"]:
                return 415, "This server understands only what its own pages send.", {}
        return None

    def _adding_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_kept = (b"cache-control", FOR_EVER.encode("ascii")) in message.get("headers", ())
                headers = self._headers[1:] if is_kept else self._headers
                ours = {name for name, _ in headers}
                theirs = [(name, value) for name, value in message.get("headers", ()) if name.lower() not in ours]
                message["headers"] = [*theirs, *headers]
            await send(message)

        return send_with_headers


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None if it is too long."""
    parts: list[bytes] = []
    length = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        length += len(parts[-1])
        if length > LONGEST_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(parts)


def _replay(body: bytes, receive: Receive) -> Receive:
    is_replayed = False

    async def replay() -> Message:
        nonlocal is_replayed
        if is_replayed:
            return await receive()
        is_replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def answer(send: Send, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
    """Answer with one sentence."""
    all_headers = {"content-type": "text/plain; charset=utf-8", **(headers or {})}
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(k.encode(), v.encode()) for k, v in all_headers.items()],
        }
    )
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})


class RateLimit:
    """How often somebody may do something, as try a wrong link: so many times at once, then once in so many seconds."""

    def __init__(self, at_once: int = 10, seconds: float = 2.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once, self._seconds, self._clock = at_once, seconds, clock
        #: who -> (how often lately, when that was reckoned)
        self._counted: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def _lately(self, who: str) -> float:
        count, at = self._counted.get(who, (0.0, 0.0))
        return max(0.0, count - (self._clock() - at) / self._seconds)

    def waits(self, who: str) -> int:
        """Seconds until they may do it again; 0 for now."""
        over = self._lately(who) - self._at_once + 1
        return max(0, round(over * self._seconds + 0.5)) if over > 0 else 0

    def count(self, who: str) -> None:
        """Count one more time."""
        self._counted[who] = (self._lately(who) + 1, self._clock())
        self._counted.move_to_end(who)
        if len(self._counted) > MOST_REMEMBERED:
            self._counted.popitem(last=False)


#: How many of those who did something are remembered.
MOST_REMEMBERED = 10_000
