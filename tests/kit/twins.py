"""Two tables at which the same is done, but for what one player keeps from another; and what both print.

Each thing is tried at both first: it is done if both take it and what comes of it differs in declared secrets alone.
So what is revealed is the same at both, and whatever else differs was never told to anybody.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from cli.store.making import create
from domain.log.revising import Outcome
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import action_kinds, tag_of
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import holding, secrets_of

from .given import Given
from .shell import Shell
from .subjects import Line, Subject
from .tables import line, open_table, revising_line


class Twins:
    """Two tables of one seed; `differs` is how often something secret was done otherwise at the second."""

    def __init__(self, chance: Random, subject: Subject) -> None:
        seed = chance.randrange(2**32)
        self.chance, self.subject, self.differs = chance, subject, 0
        self.one, self.other = (open_table(Random(seed), subject) for _ in range(2))
        for _ in range(subject.tries[1] + 25):
            self._try((revising_line if chance.random() < 0.2 else line)(chance, subject, self.one))

    @property
    def viewer(self) -> str:
        """The player who must not notice."""
        return self.subject.viewer or ""

    @property
    def tell_apart(self) -> bool:
        """Whether something secret differs, and the player is there who must not notice."""
        return bool(self.differs) and self.viewer in self.one.handler.state().characters

    def _try(self, action: Line) -> None:
        other_action = action
        if self.subject.otherwise is not None and action.get("character") != self.viewer and self.chance.random() < 0.7:
            other_action = self.subject.otherwise(self.chance, self.other, action)
        outcomes = [foreseen(table, value) for table, value in ((self.one, action), (self.other, other_action))]
        first, second = outcomes
        if first is None or second is None or first.conflicts or second.conflicts:
            return
        seen_apart = open_sheets(self.one.system, first) != open_sheets(self.other.system, second)
        if not seen_apart and public(self.one.system, first) == public(self.other.system, second):
            for table, value in ((self.one, action), (self.other, other_action)):
                assert table.when(value).error is None
            self.differs += msgspec.to_builtins(first.whole_turn) != msgspec.to_builtins(second.whole_turn)


def foreseen(table: Given, value: Line) -> Outcome | None:
    """What would come of it; None: it is refused."""
    try:
        return table.handler.record(table.line(value), dry_run=True)
    except (Refusal, Invalid, Conflict):
        return None


def open_sheets(system: RuleSystem, outcome: Outcome) -> Any:
    """What everybody sees on the sheets then: whoever is exhausted lays every card of a hand on the table."""
    secret = secrets_of(system.sheet)
    sheets = outcome.state.characters if outcome.state is not None else {}
    return {
        name: {field: value for field, value in msgspec.to_builtins(sheet).items() if field not in secret}
        for name, sheet in sheets.items()
    }


def public(system: RuleSystem, outcome: Outcome) -> Any:
    """A turn without the fields that are declared secret, whosever they are and whether they were revealed."""
    turn = outcome.whole_turn
    kinds: dict[str, Any] = {**action_kinds(system.key), **{tag_of(kind): kind for kind in system.events}}
    kinds |= {tag_of(type(event)): type(event) for event in turn.events}
    sheet = secrets_of(system.sheet)

    def bare(record: dict[str, Any]) -> dict[str, Any]:
        kind = kinds.get(str(record.get("type")))
        if kind is None:
            return record
        public_fields = {
            name: value for name, value in record.items() if name not in secrets_of(kind) and name != "events"
        }
        public_fields["events"] = [bare(event) for event in record.get("events", ())]
        for field in holding(kind, "an action"):
            public_fields[field] = bare(record[field]) if field in record else None
        for field in holding(kind, "sheet fields"):
            public_fields[field] = {name: value for name, value in record.get(field, {}).items() if name not in sheet}
        return public_fields

    whole = msgspec.to_builtins(turn)
    return [bare(whole["action"]), [bare(event) for event in whole["events"]], whole["chance"]]


def commands(chance: Random, table: Given) -> Iterator[tuple[str, ...]]:
    """Whatever takes --as, asked of this table."""
    last = table.log.last()
    names = list(table.handler.state().characters)
    turn = f"T{chance.randint(1, last)}"
    yield from (("status",), ("status", "--json"), ("status", "-O", "csv"), ("status", "--at", turn, "--json"))
    yield from (("log",), ("log", "-O", "ndjson"), ("log", "-O", "md"), ("log", "--at", turn, "-O", "ndjson"))
    yield from (("log", "--with-why"), ("log", "--with-why", "-O", "ndjson"), ("log", "--after", turn, "-n", "3"))
    yield "status", "--each", "session", "-O", "csv"
    yield from (
        ("log", "--undone"),
        ("log", "--history", turn),
        ("diff", f"{turn}..@"),
        ("diff", f"{turn}..@", "--json"),
    )
    yield from (("diff", f"{turn}..@", "--as-now", "--json"), ("replay",), ("recap",), ("recap", "-O", "json"))
    for number in chance.sample(range(1, last + 1), min(last, 4)):
        yield "show", f"T{number}"
        yield "show", f"T{number}", "--json"
        yield "undo", f"T{number}", "--dry-run"
        yield "undo", f"T{number}", "--dry-run", "--json"
    yield from (("redo", "--dry-run"), ("amend", turn, "character=x", "--dry-run"), ("stats",), ("query", "select 1"))
    for name in names:
        field = chance.choice(sorted(table.sheet(name)))
        yield "why", f"{name}.{field}"
        yield "why", f"{name}.{field}", "--json"
        yield "when", f"{name}.{field} = 3"
        yield "check-sheet", name, f"{field}=[1,2]"
        yield "check-sheet", name, f"{field}=3", "--json"


def written(twins: Twins, chance: Random) -> list[str]:
    """Both tables as campaign files, each in a folder of its own: the names of the folders."""
    campaign = f"twin-{chance.randrange(2**32)}"
    for folder, table in (("one", twins.one), ("other", twins.other)):
        (Path(folder)).mkdir(exist_ok=True)
        first, *later = table.log.turns
        path = Path(folder, "table.campaign")
        path.unlink(missing_ok=True)
        create(path, campaign, first, later)
    return ["one", "other"]


def compared(shell: Shell, chance: Random, subject: Subject) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Each command asked of both of two new tables, and whether it printed the same, to the exit code."""
    twins = Twins(chance, subject)
    if not twins.tell_apart:
        return
    folders = written(twins, chance)
    for command in commands(chance, twins.one):
        answers = []
        for folder in folders:
            # each table has a machine of its own, which remembers what it saw
            with shell.at_home(folder):
                result = shell.run(*command, "--as", twins.viewer, "-c", f"{folder}/table.campaign")
            answers.append((result.code, *(text.replace(f"{folder}/", "") for text in (result.out, result.err))))
        yield command, answers[0] == answers[1]
