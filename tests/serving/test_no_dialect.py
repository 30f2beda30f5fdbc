"""No page speaks the language of the command line, whatever is filled into whichever form.

Each verb of each system is opened in the course of an evening, by the referee and by a player, and is sent empty; each
of its fields once with values of every wrong kind, whose form it may be. Everything that is read there is held against
how lines, options and files are written.
"""

import html
import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

import pytest

from cli.line.verbs import verbs_of
from cli.shell.command_context import open_chosen
from domain.registry import verb_name
from tests.deckahedron.evening import EVENING as DECKAHEDRON
from tests.gloomhaven.evening import EVENING as GLOOMHAVEN
from tests.kit.on_disk import handler_of
from tests.kit.phones import Form, Phone, Reply, served
from tests.kit.shell import Shell
from tests.kit.subjects import Filled
from tests.osr.evening import EVENING as OSR
from tests.serving.test_forms import Table, picks

#: How lines, options, stored names and files are written, and how their readers complain.
DIALECT = re.compile(
    r"""
    \b[a-z]+_[a-z_]+\b | \w\ =\ \w | \b[a-z]+(\.[a-z]+)?=(?!\w*&) | (?<!\w)--\w | (?<!\w)@
    | \{"|"\} | \bTOML\b | \bJSON\b | \bTrue\b | \bFalse\b | \b(osr|deckahedron|gloomhaven)\.[a-z]
    | \bmust\ be\ an?\ (object|list|string|array)\b | \beach\ (item|value)\b
    | /act\b | \bcampaign\ (doctor|log|act|server) | at\ the\ end\ of\ the\ line
    """,
    re.VERBOSE,
)
#: What is typed where it does not belong.
WRONG = ("zzz", "-1", "hp=9", '{"Brog":"5.4.3"}', "T999", "99999999999999999999", "5.4.x", "strength")


def spoken(reply: Reply) -> str:
    """What is read on a page, or in the answer to what was typed."""
    text = " ".join(map(str, reply.json().values())) if reply.text.startswith("{") else f"<main{reply.main}"
    read = re.findall(r'(?:aria-label|placeholder|title)="([^"]*)"', text)
    return html.unescape(" \n".join((*read, re.sub(r"<[^>]*>", " ", text))))


def forms_of(phone: Phone, verb: str) -> Iterator[tuple[str, Reply]]:
    """A form, and the first of those behind what it asks before the rest."""
    page = phone.get(f"/act/{verb.replace(' ', '%20')}")
    yield verb, page
    for says, to in list(picks(page).items())[:2]:
        yield f"{verb} {says}", phone.get(to)


def sent(phone: Phone, form: Form, known: set[str]) -> Iterator[tuple[str, Reply]]:
    """The answers to a form that is sent empty, and with each thing wrong in each of its fields but those `known`."""
    hidden = [(name, value) for name, value in form.fields if name not in form.open]
    json = {"accept": "application/json"}
    looked = phone.served.run(phone.sending("/look", hidden, **json))
    yield "empty", looked
    if looked.json()["problem"]:
        yield "sent empty", phone.post("/do", hidden)
    for name, offered in form.open.items():
        for wrong in () if name in known else WRONG:
            fields = [*((other, value) for other, value in form.fields if other != name), (name, wrong)]
            yield f"{name} {wrong}", phone.served.run(phone.sending("/look", fields, **json))
            # what is offered is not typed, but may be sent all the same
            if [value for value in offered if value]:
                break
    known.update(form.open)


def walk(phone: Phone, verb: str, filled: dict[str, set[str]]) -> Iterator[str]:
    """Everything that a form says in dialect, whatever is filled into it; `filled`: the fields that were, by verb."""
    for name, page in forms_of(phone, verb):
        yield from dialect(f"{name}: page", spoken(page))
        for form in page.forms:
            if form.action == "/look":
                for how, reply in sent(phone, form, filled.setdefault(verb, set())):
                    yield from dialect(f"{name}: {how}", spoken(reply))


def dialect(where: str, text: str) -> Iterator[str]:
    """The lines of a page that are in dialect, but for what was typed itself."""
    for wrong in WRONG:
        typed = "|".join(map(re.escape, (wrong, wrong.replace('"', '\\"'))))
        text = re.sub(typed, "…", text, flags=re.IGNORECASE)
    for line in text.splitlines():
        if DIALECT.search(line):
            yield f"{where}: {line.strip()}"


def read_through(phone: Phone) -> Iterator[str]:
    """Everything that the pages which read say in dialect, at the end of an evening."""
    state, system = phone.served.handler.state(), phone.served.system
    values = [f"{quote(name)}.{field}" for name in state.characters for field in system.sheet_view(state, name)]
    addresses = ["/", "/log", "/ask", "/diff?since=1", "/recap", "/rules", "/at?turn=5"]
    addresses += [f"/turn/{number}" for number in range(1, phone.served.log.last() + 1)]
    addresses += [f"/why?of={value}" for value in values]
    addresses += [f"/when?of={value}&how=%3E%3D&value=1" for value in values]
    for address in addresses:
        yield from dialect(address, spoken(phone.get(address)))


def offered(phone: Phone) -> list[str]:
    links = phone.get("/act").main + phone.get("/").main
    return [verb.replace("%20", " ") for verb in dict.fromkeys(re.findall(r'href="/act/([^"?]+)"', links))]


@pytest.mark.parametrize(("rules", "evening"), [("osr", OSR), ("deckahedron", DECKAHEDRON), ("gloomhaven", GLOOMHAVEN)])
def test_no_form_speaks_the_language_of_the_command_line(rules: str, evening: Sequence[Filled], shell: Shell) -> None:
    shell.do(f"new Table --rules {rules}")
    said: list[str] = []
    walked: set[str] = set()
    filled: dict[str, set[str]] = {}
    with open_chosen(None, write=True) as (log, system), served(log, system, handler_of(log)) as found:
        table = Table(found)
        for verb, values in evening:
            if verb not in walked:
                said += walk(table.phone, verb, filled)
                walked.add(verb)
            table.fill_in(verb, values)
            if verb == "enrol" and "player" in values:
                for own in offered(player := found.phone(values["player"])):
                    said += walk(player, own, filled)
        said += read_through(table.phone)
        for verb in offered(table.phone):
            said += walk(table.phone, verb, filled)
            walked.add(verb)
    assert said == []
    assert {verb_name(verb.kind) for verb in verbs_of(rules)} - walked == set()
