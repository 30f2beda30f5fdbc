"""Requests that no phone sends: methods, hosts, origins, addresses, bodies, tokens; and what each may not do."""

from collections.abc import Iterator, Sequence
from random import Random
from urllib.parse import quote, urlencode

from msgspec import Struct
from msgspec.structs import replace

from cli.serving.http_guard import RateLimit
from domain.common.notes import Note
from tests.kit.phones import HERE, HOST, Phone, Reply, Served

METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "X", "get")
HOSTS = (
    HOST,
    HOST,
    HOST,
    HOST.upper(),
    "localhost:8440",
    "evil.example",
    "127.0.0.1",
    "[::1]:8440",
    "",
    HOST + "@evil",
)
ORIGINS = (HERE, HERE, HERE, "null", "http://evil.example", HERE + ".evil", "https://" + HOST, "")
KINDS = ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded", "application/json", "text/plain", "")
PATHS = (
    "/", "/now", "/live", "/look", "/do", "/act", "/act/damage", "/act/%00", "/sheet/Ada", "/sheet/%F0%9F%90%89",
    "/at", "/log", "/turn/4", "/turn/-1", "/turn/99999999999999999999", "/rules", "/rule/6.4", "/rule/..%2f..", "/why",
    "/when", "/recap", "/recap/0", "/seats", "/leave", "/in", "/in/x", "/../etc/passwd", "//", "/%2e%2e/", "/static/x",
    "/%ff", "/ask", "/diff", "/stats", "/stats/%00", "/query", "/known/class", "/known/class/brute",
)  # fmt: skip
POST_ADDRESSES = ("/look", "/do", "/asked", "/withdraw", "/in", "/seats", "/leave")
WORDS = (
    "d brog 1", "d ada 1", "undo", "u", "redo", "T2 level=9", "enrol Zed", "override ada hp 99 why x", "why ada.hp",
    "amend T3 player=Mia", "session open", "n <script>", "query select 1", "export", "x" * 3000, "\x00", "🐉", '"', "=",
    "ruling 6.4 x", "d brog 999999999999999999999", "undo T1", "T1", "n --by Jo", "d brog 1 --after T2", "quit", "help",
)  # fmt: skip
FIELDS = (
    "line", "action", "way", "after", "answer", "sure", "verb", "f.amount", "f.character", "token", "seat", "do", "at",
    "of", "sql", "grep", "character", "session", "rule", "say", "if",
)  # fmt: skip
VALUES = (
    "damage", "note", "short-rest", "Brog", "Ada", "1", "-1", "yes", "end", "invite", "referee", "player Jo",
    '{"type":"osr.damage","character":"Ada","amount":1}', '{"type":"undo","turns":[2]}', "{", "[" * 9000, "null",
    '{"type":"note","text":"x","by":"Jo"}', '{"type":"campaign.start","name":"x","rules":"osr"}',
)  # fmt: skip
#: What an answer holds only by mistake.
SIGNS = ("Traceback", 'File "', "root:x:", "asyncio", "msgspec", "sqlite3.")


class Attack(Struct, frozen=True):
    """One request: from a player's own phone, or a stranger's with a cookie that he has made up."""

    inside: bool
    method: str
    address: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    client: str
    guess: str = ""

    def __str__(self) -> str:
        phone_owner = "own phone" if self.inside else "stranger"
        return f"{phone_owner}: {self.method} {self.address} {self.body!r}"


def attacks(chance: Random, count: int, words: Sequence[str] = WORDS) -> Iterator[Attack]:
    """So many; half of them come in by the door, so that what lies behind it is tried too."""
    values = (*words, *VALUES)
    for _ in range(count):
        fields = [(chance.choice(FIELDS), chance.choice(values)) for _ in range(chance.randrange(4))]
        path = chance.choice(PATHS)
        method = "POST" if path in POST_ADDRESSES else "GET"
        sent_headers = {"host": HOST, "origin": HERE, "content-type": KINDS[0]}
        if chance.random() < 0.5:
            method = chance.choice(METHODS)
            sent_headers = {
                "host": chance.choice(HOSTS),
                "origin": chance.choice(ORIGINS),
                "content-type": chance.choice(KINDS),
            }
        elif chance.random() < 0.4:
            method, path = "POST", chance.choice(("/do", "/look"))
            fields = [("at", str(chance.randrange(30))), ("line", chance.choice(words))]
        if method != "POST" and path == "/live":
            path = "/log"  # it does not end by itself
        query = f"?{urlencode(fields)}" if fields and method != "POST" else ""
        body = urlencode(fields).encode() if chance.random() < 0.9 else chance.randbytes(chance.randrange(200))
        if chance.random() < 0.01:
            body = b"line=" + b"x" * 20_000
        headers = [(name, value) for name, value in sent_headers.items() if value]
        if chance.random() < 0.3:
            headers.append(("accept", "application/json"))
        if chance.random() < 0.05:
            headers.append((chance.choice(("cookie", "host", "content-length", "x-forwarded-host")), "x" * 500))
        inside = chance.random() < 0.7
        client = "10.0.0.2" if inside else f"10.0.{chance.randrange(256)}.{chance.randrange(256)}"
        guess = f"{chance.random()}" if chance.random() < 0.3 else ""
        yield Attack(inside, method, path + query, tuple(headers), body, client, guess)


def attacked(
    served: Served, tries: Sequence[Attack], seat: str, other_seats: Sequence[str]
) -> Iterator[tuple[Reply, str]]:
    """Send them; how each was answered, and what went wrong, if anything.

    A player's own phone may make turns about the own characters, notes, and the own last line taken back. Whatever
    else is in the log afterwards is a finding, and so is what tells of the program.
    """
    # whoever is wrong so often would soon hear of nothing else
    served.serving.rate_limit = RateLimit(at_once=10**9)
    own, stranger = served.phone(seat), Phone(served)
    for request in tries:
        stranger.cookies = {served.invitations.evening.cookie: request.guess} if request.guess else {}
        phone, last = own if request.inside else stranger, served.log.last()
        cookies = "; ".join(f"{name}={quote(value)}" for name, value in phone.cookies.items())
        headers = [*request.headers, *([("cookie", cookies)] if cookies else [])]
        try:
            reply = served.run(served.ask(request.method, request.address, headers, request.body, request.client))
        except Exception as error:
            yield Reply(0, [], b""), f"{request}: {error!r}"
            continue
        if request.inside and request.address == "/leave" and reply.status == 200:
            own = served.phone(seat)
        wrong = ""
        if reply.status >= 500 or any(sign in reply.text for sign in SIGNS):
            wrong = f"{request}: {reply.status}"
        for turn in served.log.read(after=last):
            # whom a note is about is said apart from its words, which may speak of anybody
            action = replace(turn.action, text="") if isinstance(turn.action, Note) else turn.action
            if not request.inside or turn.by != seat or any(name in str(action) for name in other_seats):
                wrong = f"{request}: T{turn.number} {turn.by} {turn.action}"
        yield reply, wrong
