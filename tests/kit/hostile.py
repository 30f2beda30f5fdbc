"""Requests that no phone sends: methods, hosts, origins, addresses, bodies, tokens; and what each may not do."""

from collections import Counter
from random import Random
from typing import Any
from urllib.parse import quote, urlencode

from cli.serving.doors import Patience
from tests.kit.phones import HERE, HOST, Phone, Served

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
    *WORDS, "damage", "note", "short-rest", "Brog", "Ada", "1", "-1", "yes", "end", "invite", "referee", "player Jo",
    '{"type":"osr.damage","character":"Ada","amount":1}', '{"type":"undo","turns":[2]}', "{", "[" * 9000, "null",
    '{"type":"note","text":"x","by":"Jo"}', '{"type":"campaign.start","name":"x","rules":"osr"}',
)  # fmt: skip
#: What an answer holds only by mistake.
SIGNS = ("Traceback", 'File "', "root:x:", "asyncio", "msgspec", "sqlite3.")


def attacked(served: Served, chance: Random, count: int) -> tuple[Counter[str], list[str]]:
    """Send so many; how they were answered, and what went wrong.

    A third come from a player's own phone, some of which are taps that the player may make: turns about Brog, notes,
    and the own last line taken back. Whatever else is in the log after it is a finding.
    """
    # whoever is wrong so often would soon hear of nothing else
    served.serving.patience = Patience(at_once=10**9)
    mia, stranger = served.phone("Mia", "10.0.0.2"), Phone(served, "10.0.0.3")
    counts, found = Counter[str](), []
    for number in range(count):
        phone = mia if chance.random() < 0.6 else stranger
        if (not phone.cookies and phone is mia) or number % 500 == 0:
            mia.cookies = {}
            mia = served.phone("Mia", "10.0.0.2")  # it may have left the table
        stranger.cookies = {served.links.evening.cookie: f"{chance.random()}"} if chance.random() < 0.3 else {}
        stranger.address = f"10.0.{chance.randrange(256)}.{chance.randrange(256)}"
        last = served.log.last()
        asked = _request(chance, phone)
        try:
            reply = served.run(served.ask(*asked, phone.address))
        except Exception as error:
            found.append(f"{asked[:2]} {asked[3]!r}: {error!r}")
            continue
        counts[str(reply.status)] += 1
        if reply.status >= 500 or any(sign in reply.text for sign in SIGNS):
            found.append(f"{asked[:2]} {asked[3]!r}: {reply.status}")
        for turn in served.log.read(after=last):
            if phone is not mia or turn.by != "Mia" or "Ada" in str(turn.action):
                found.append(f"{asked[:2]} {asked[3]!r}: T{turn.number} {turn.by} {turn.action}")
    return counts, found


def _request(chance: Random, phone: Phone) -> tuple[str, str, list[tuple[str, str]], bytes]:
    method, path = chance.choice(METHODS), chance.choice(PATHS)
    if chance.random() < 0.5:
        method, path = "POST", chance.choice(("/do", "/look", "/seats", "/in", "/do"))
    fields = [(chance.choice(FIELDS), chance.choice(VALUES)) for _ in range(chance.randrange(4))]
    if method != "POST" and path == "/live":
        path = "/log"  # it does not end by itself
    query = f"?{urlencode(fields)}" if fields and method != "POST" else ""
    body = urlencode(fields).encode() if chance.random() < 0.9 else chance.randbytes(chance.randrange(200))
    if chance.random() < 0.01:
        body = b"line=" + b"x" * 20_000
    told: dict[str, Any] = {"host": chance.choice(HOSTS), "origin": chance.choice(ORIGINS)}
    told["content-type"] = chance.choice(KINDS)
    if chance.random() < 0.6:
        told |= {"host": HOST, "origin": HERE, "content-type": KINDS[0]}
    headers = [(name, value) for name, value in told.items() if value]
    if phone.cookies:
        headers.append(("cookie", "; ".join(f"{name}={quote(value)}" for name, value in phone.cookies.items())))
    if chance.random() < 0.3:
        headers.append(("accept", "application/json"))
    if chance.random() < 0.05:
        headers.append((chance.choice(("cookie", "host", "content-length", "x-forwarded-host")), "x" * 500))
    return method, path + query, headers, body
