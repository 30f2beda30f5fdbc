"""Two tables that differ in another's secret alone, both served; and what a page answers at each, to the byte."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from typing import Any

from cli.line.context import Context
from cli.line.spelling import line_of
from cli.line.verbs import verbs_of
from cli.shell.command_context import open_chosen
from domain.refusal import Invalid
from domain.registry import action_from, verb_name
from domain.system.paragraphs import paragraphs_of
from tests.kit.given import Given
from tests.kit.hostile import WORDS, Attack, attacked, attacks
from tests.kit.on_disk import handler_of
from tests.kit.phones import Phone, Reply, Served, served
from tests.kit.shell import Shell
from tests.kit.subjects import Subject
from tests.kit.twins import Twins, written

#: A request: how, which address, and what is sent.
Request = tuple[str, str, dict[str, str]]


#: Pages that are asked for by their address alone.
ALONE = (
    "/", "/now", "/log", "/at", "/why", "/when", "/recap", "/act", "/rules", "/ask", "/diff", "/stats", "/stats/hp",
    "/query?sql=select%201", "/rules", "/rules?say=card", "/recap/1", "/diff?of=T1..@", "/log?grep=e", "/seats",
)  # fmt: skip


def requests(chance: Random, twins: Twins) -> Iterator[Request]:
    """Whatever one can ask of this table, in a random order of the turns, names and fields that there are."""
    table = twins.one
    last, names = table.log.last(), list(table.handler.state().characters)
    turns = [str(turn) for turn in chance.sample(range(1, last + 1), min(last, 4))]
    yield from (("GET", address, {}) for address in ALONE)
    for turn in turns:
        yield from (("GET", address, {}) for address in (f"/at?turn={turn}", f"/turn/{turn}", f"/log?upto={turn}"))
        yield "LIVE", f"/live?after={int(turn) - 1}", {}
    if len(turns) > 1:
        yield "GET", f"/diff?of=T{min(turns, key=int)}..T{max(turns, key=int)}", {}
    for lookup in table.system.lookups:
        known_names = lookup.names(table.handler.state())
        some_names = chance.sample(known_names, min(len(known_names), 2))
        yield from (
            ("GET", f"/known/{lookup.verb}{suffix}", {}) for suffix in ("", *(f"/{name}" for name in some_names))
        )
    for number in chance.sample(sorted(paragraphs_of(table.system.key)), 2):
        yield "GET", f"/rule/{number}", {}
    for name in names:
        field = chance.choice(sorted(table.sheet(name)))
        yield "GET", f"/sheet/{name}", {}
        yield "GET", f"/why?of={name}.{field}", {}
        yield "GET", f"/when?if={name}.{field}%20%3D%203", {}
        yield "GET", f"/log?character={name}&grep={chance.choice(('selects', 'card', 'hand', 'e'))}", {}
    verbs = verbs_at(table)
    for verb in chance.sample(verbs, min(len(verbs), 12)):
        yield "GET", f"/act/{verb.replace(' ', '%20')}", {}
        yield "GET", f"/act/{verb.replace(' ', '%20')}?for={chance.choice(names)}", {}
    for line in lines(chance, twins, verbs, names, turns):
        yield "POST", "/look", {"at": str(last), "line": line}
        yield "TYPED", "/look", {"at": str(last), "line": line[: chance.randint(0, len(line))]}
        yield "POST", "/asked", {"at": str(last), "line": line}
        if not is_own(line, twins, names, turns):
            yield "POST", "/do", {"at": str(last), "line": line}


def verbs_at(table: Given) -> list[str]:
    """What can be said at a table."""
    return list(dict.fromkeys(verb_name(verb.kind) for verb in verbs_of(table.system.key)))


def is_own(line: str, twins: Twins, names: Sequence[str], turns: Sequence[str]) -> bool:
    """Whether what comes of a line the rules may tell: an own action, or what the whole table waits for."""
    return not set(line.split()) & {*names, "redo", *(f"T{turn}" for turn in turns)} - {twins.viewer}


def lines(chance: Random, twins: Twins, verbs: list[str], names: list[str], turns: list[str]) -> Iterator[str]:
    """What one may type: about others, about earlier turns, in halves; and whatever might be done at this table."""
    other_names = [name for name in names if name != twins.viewer] or names
    for _ in range(6):
        yield f"{chance.choice(verbs)} {chance.choice(other_names)}"
        yield f"{chance.choice(verbs)} {chance.choice(other_names)} {chance.randint(1, 70)} {chance.randint(1, 70)}"
    for turn in turns:
        yield from (f"T{turn}", f"undo T{turn}", f"amend T{turn} character=x", f"T{turn} lead=1", f"redo T{turn}")
    yield from (
        "redo",
        "u",
        "",
        "n",
        "xyzzy",
        "reveal",
        "clean-up",
        "begin-round",
        f"why {other_names[0]}.hand",
        "status",
    )
    table = twins.one
    for _ in range(6):
        value = twins.subject.line(chance, table)
        if value.get("character") in other_names or "character" not in value:
            against = Context(table.system, table.handler.state(), table.log)
            with suppress(Invalid):  # what a subject makes up may contradict itself
                yield line_of(against, action_from(table.system.key, value))


def answer_to(phone: Phone, request: Request) -> tuple[Any, ...]:
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
    collected: list[Any] = []
    last = phone.served.log.last()
    async with phone.listening(address) as events:
        async for event in events:
            collected.append(event)
            if event.get("turn") == last:
                break
    return collected


def pages_compared(shell: Shell, chance: Random, subject: Subject) -> Iterator[tuple[Request, bool]]:
    """Each request made at both of two new tables, of the player and of the table's page; whether both answer alike."""
    twins = Twins(chance, subject)
    if not twins.tell_apart:
        return
    tries = list(requests(chance, twins))
    seat = "table" if chance.random() < 0.3 else twins.viewer
    answers = []
    for table in at_both(shell, chance, twins):
        phone = table.phone(seat)
        answers.append([answer_to(phone, request) for request in tries])
    for request, first_answer, second_answer in zip(tries, *answers, strict=True):
        yield request, first_answer == second_answer


def at_both(shell: Shell, chance: Random, twins: Twins) -> Iterator[Served]:
    """Each of both tables, served."""
    folders = written(twins, chance)
    for folder in folders:
        with ExitStack() as stack:
            stack.enter_context(shell.at_home(folder))
            log, system = stack.enter_context(open_chosen(str(Path(folder, "table.campaign")), write=True))
            yield stack.enter_context(served(log, system, handler_of(log)))


def attacks_compared(shell: Shell, chance: Random, subject: Subject, count: int) -> Iterator[tuple[Attack, bool, str]]:
    """What no phone sends, at both of two new tables: whether both answer alike, and what went wrong besides."""
    twins = Twins(chance, subject)
    if not twins.tell_apart:
        return
    table = twins.one
    names, verbs = list(table.handler.state().characters), verbs_at(table)
    turns = [str(turn) for turn in range(1, table.log.last() + 1)]
    lines_typed = [line for line in lines(chance, twins, verbs, names, turns) if not is_own(line, twins, names, turns)]
    tries = list(attacks(chance, count, (*WORDS, *lines_typed)))
    other_names = [name for name in names if name != twins.viewer]
    answers = [list(attacked(twin, tries, twins.viewer, other_names)) for twin in at_both(shell, chance, twins)]
    for attack, (first_reply, wrong), (second_reply, _) in zip(tries, *answers, strict=True):
        yield attack, _without_cookies(first_reply) == _without_cookies(second_reply), wrong


def _without_cookies(reply: Reply) -> tuple[Any, ...]:
    return (
        reply.status,
        sorted((name, value) for name, value in reply.headers.items() if name != "set-cookie"),
        reply.body,
    )
