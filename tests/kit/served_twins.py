"""Two tables that differ in another's secret alone, both served; and what a page answers at each, to the byte."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

from cli.line.spelling import line_of
from cli.line.values import Context
from cli.line.verbs import verb_name, verbs_of
from cli.shell.desk import opened
from domain.system.registry import action_from
from tests.kit.on_disk import scribe_of
from tests.kit.phones import Phone, served
from tests.kit.shell import Shell
from tests.kit.subjects import Subject
from tests.kit.twins import Twins, views_kept, written

#: A request: how, which address, and what is sent.
Request = tuple[str, str, dict[str, str]]


#: Pages that are asked for by their address alone.
ALONE = (
    "/", "/now", "/log", "/at", "/why", "/when", "/recap", "/act", "/rules", "/ask", "/diff", "/stats", "/stats/hp",
    "/query?sql=select%201",
)  # fmt: skip


def requests(chance: Random, twins: Twins) -> Iterator[Request]:
    """Whatever one can ask of this table, in a random order of the turns, names and fields that there are."""
    table = twins.one
    last, names = table.log.last(), list(table.scribe.state().characters)
    turns = [str(turn) for turn in chance.sample(range(1, last + 1), min(last, 4))]
    yield from (("GET", each, {}) for each in ALONE)
    for turn in turns:
        yield from (("GET", each, {}) for each in (f"/at?turn={turn}", f"/turn/{turn}", f"/log?upto={turn}"))
        yield "LIVE", f"/live?after={int(turn) - 1}", {}
    if len(turns) > 1:
        yield "GET", f"/diff?of=T{min(turns, key=int)}..T{max(turns, key=int)}", {}
    for lookup in table.system.lookups:
        known = lookup.names(table.scribe.state())
        yield from (("GET", f"/known/{lookup.verb}/{each}", {}) for each in chance.sample(known, min(len(known), 2)))
    for name in names:
        field = chance.choice(sorted(table.sheet(name)))
        yield "GET", f"/sheet/{name}", {}
        yield "GET", f"/why?of={name}.{field}", {}
        yield "GET", f"/when?if={name}.{field}%20%3D%203", {}
        yield "GET", f"/log?character={name}&grep={chance.choice(('selects', 'card', 'hand', 'e'))}", {}
    verbs = list(dict.fromkeys(verb_name(verb.kind) for verb in verbs_of(table.system.key)))
    for verb in chance.sample(verbs, min(len(verbs), 12)):
        yield "GET", f"/act/{verb.replace(' ', '%20')}", {}
        yield "GET", f"/act/{verb.replace(' ', '%20')}?for={chance.choice(names)}", {}
    for line in lines(chance, twins, verbs, names, turns):
        yield "POST", "/look", {"at": str(last), "line": line}
        yield "TYPED", "/look", {"at": str(last), "line": line[: chance.randint(0, len(line))]}
        # what comes of an own action, or of what the whole table waits for, the rules tell (a reveal reveals)
        if set(line.split()) & {*names, "redo", *(f"T{turn}" for turn in turns)} - {twins.viewer}:
            yield "POST", "/do", {"at": str(last), "line": line}


def lines(chance: Random, twins: Twins, verbs: list[str], names: list[str], turns: list[str]) -> Iterator[str]:
    """What one may type: about others, about earlier turns, in halves; and whatever might be done at this table."""
    others = [name for name in names if name != twins.viewer] or names
    for _ in range(6):
        yield f"{chance.choice(verbs)} {chance.choice(others)}"
        yield f"{chance.choice(verbs)} {chance.choice(others)} {chance.randint(1, 70)} {chance.randint(1, 70)}"
    for turn in turns:
        yield from (f"T{turn}", f"undo T{turn}", f"amend T{turn} character=x", f"T{turn} lead=1", f"redo T{turn}")
    yield from ("redo", "u", "", "n", "xyzzy", "reveal", "clean-up", "begin-round", f"why {others[0]}.hand", "status")
    table = twins.one
    for _ in range(6):
        value = twins.subject.line(chance, table)
        if value.get("character") in others or "character" not in value:
            against = Context(table.system, table.scribe.state(), table.log)
            yield line_of(against, action_from(table.system.key, value))


def answered(phone: Phone, request: Request) -> tuple[Any, ...]:
    """What is answered, with everything that a browser would know of it."""
    how, address, fields = request
    if how == "LIVE":
        return "live", tuple(phone.served.run(_events(phone, address)))
    if how == "GET":
        reply = phone.got(address)
    else:
        accepts = {"accept": "application/json"} if how == "TYPED" else {}
        reply = phone.served.run(phone.sending(address, list(fields.items()), **accepts))
    return reply.status, tuple(sorted(reply.headers.items())), reply.body


async def _events(phone: Phone, address: str) -> list[Any]:
    """The events that are there already."""
    found: list[Any] = []
    last = phone.served.log.last()
    async with phone.listening(address) as events:
        async for event in events:
            found.append(event)
            if event.get("turn") == last:
                break
    return found


def pages_compared(shell: Shell, chance: Random, subject: Subject) -> Iterator[tuple[Request, bool]]:
    """Each request made at both of two new tables, of the player and of the table's page; whether both answer alike."""
    twins = Twins(chance, subject)
    if not twins.tell_apart:
        return
    folders = written(twins, chance)
    asked = list(requests(chance, twins))
    with views_kept():
        seat = "table" if chance.random() < 0.3 else twins.viewer
        told = []
        for folder in folders:
            with ExitStack() as held:
                held.enter_context(shell.at_home(folder))
                log, system = held.enter_context(opened(str(Path(folder, "table.campaign")), write=True))
                phone = held.enter_context(served(log, system, scribe_of(log))).phone(seat)
                told.append([answered(phone, request) for request in asked])
        for request, one, other in zip(asked, *told, strict=True):
            yield request, one == other
