"""Random tables of any rule system: played, ruled, undone, redone and amended from one seed each.

What a subject brings is what can be done under its rules; everything else that can happen to a log is drawn
here. `seen` tells what did happen, so that a test can see to it that it happens often.
"""

import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import wraps
from random import Random
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from domain.common.revisions import REVISIONS, Amend, Undo
from domain.common.rulings import Ruling
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import effective_history
from domain.log.port import MemorySnapshots
from domain.registry import record_types
from domain.system.options import options_of
from domain.system.paragraphs import paragraphs_of
from domain.turn import TurnRedecided, TurnUndone

from .given import EVENING, Given
from .soundness import in_force
from .subjects import Line, Subject

#: The seeds of the tables that the properties are held against; `tests.campaigns.tables` takes others.
SEEDS = range(int(os.environ.get("TABLES_FROM", 0)), int(os.environ.get("TABLES_TO", 16)))
MODEST = settings(max_examples=len(SEEDS), deadline=None, suppress_health_check=[HealthCheck.too_slow])
#: For what takes long at each table.
FEW = settings(MODEST, max_examples=max(4, len(SEEDS) // 3))


class Chances(Random):
    """A source of chance that can be told from its seed when a test fails."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.begun_with = seed

    def __repr__(self) -> str:
        return f"Chances({self.begun_with})"


chances = st.sampled_from(SEEDS).map(Chances)

Playing = Callable[[Random, Subject], Given]


def played_once(play: Playing) -> Playing:
    """A table of `SEEDS` is played once in each process: playing takes longer than most that is asked of tables."""
    tables: dict[Any, tuple[Given, Any]] = {}

    @wraps(play)
    def played(chance: Random, subject: Subject) -> Given:
        if not isinstance(chance, Chances) or chance.begun_with not in SEEDS:
            return play(chance, subject)
        # where a rule system was loaded anew meanwhile, the turns played before are of other types
        before = subject.key, record_types(subject.key).turn, chance.getstate()
        if before not in tables:
            tables[before] = play(chance, subject), chance.getstate()
        table, after = tables[before]
        chance.setstate(after)
        return table.copied()

    return played


# -- tables ------------------------------------------------------------------------------------------------


def open_table(chance: Random, subject: Subject) -> Given:
    """A table at which nothing was done yet, under options of its own; half of them keep states."""
    options = {
        name: chance.choice(option.values)
        for name, option in options_of(Given(subject.key).system.options).items()
        if option.values and chance.random() < 0.3
    }
    table = Given(subject.key, options=options, seed=chance.randrange(1000))
    if chance.random() < 0.5:
        table.log.snapshots = MemorySnapshots()
    return table


@played_once
def fresh(chance: Random, subject: Subject) -> Given:
    """A table at which a few things were done, and nothing was revised."""
    return play(chance, subject, open_table(chance, subject), chance.randint(*subject.tries))


@played_once
def revised(chance: Random, subject: Subject) -> Given:
    """A table at which turns were taken back and amended, and play went on."""
    return play(chance, subject, fresh(chance, subject), chance.randint(16, 28), revising=0.6)


def play(chance: Random, subject: Subject, table: Given, tries: int, *, revising: float = 0.0) -> Given:
    """Try so many things; `revising` is how likely each of them speaks of earlier turns."""
    for _ in range(tries):
        table.when((revising_line if chance.random() < revising else line)(chance, subject, table))
    return table


def second_handler(table: Given, seed: int = 7) -> CommandHandler:
    """Somebody else at the same log."""
    return CommandHandler(
        table.log,
        clock=lambda: EVENING,
        new_id=iter(f"other-{seed}-{n}" for n in range(1000)).__next__,
        new_seed=iter(range(seed * 1000, seed * 1000 + 1000)).__next__,
    )


def has_appended(table: Given) -> bool:
    """Whether the last `when` appended a turn."""
    return table.error is None


# -- what is done at them ----------------------------------------------------------------------------------


def line(chance: Random, subject: Subject, table: Given) -> Line:
    """Something that speaks of no earlier turn."""
    return subject.line(chance, table) if chance.random() < 0.75 else common_line(chance, table)


def common_line(chance: Random, table: Given) -> Line:
    """Something that might be done under any rules: sessions, notes, rulings, checks."""
    name = chance.choice([*table.handler.state().characters, None])
    kind = chance.choice(
        ("open", "close", "note", "ruling", "ruling", "since", "since", "end", "check", "keep", *("paragraph",) * 2)
    )
    if kind == "paragraph":
        return paragraph_line(chance, table)
    if kind == "keep":
        return {"type": "ruling.keep", "ruling": chance.randint(1, 4)}
    if kind == "open":
        title = chance.choice((None, "The crypt", "The mill"))
        number = chance.choice((None, None, chance.randint(1, 9)))
        return {"type": "session.open", "number": number, "title": title}
    if kind == "close":
        return {"type": "session.close"}
    if kind == "end":
        return {"type": "ruling.end", "ruling": chance.randint(1, 4)}
    if kind == "check" and name is not None:
        field, value = chance.choice(sorted(table.sheet(name).items()))
        return {"type": "sheet.check", "character": name, "expect": {field: value}}
    if kind in ("ruling", "since"):
        return ruling_line(chance, table, since=chance.randint(1, table.log.last()) if kind == "since" else None)
    return {
        "type": "note",
        "text": "Rain.",
        "about": name,
        "turn": chance.randint(1, table.log.last()),
        "rule": chance.choice((None, None, *OWN)),
    }


#: Numbers of paragraphs that the group of a random table may add.
OWN = ("H1", "H2")


def paragraph_line(chance: Random, table: Given) -> Line:
    """A paragraph added, revised, withdrawn or ruled on, its own or one of the rules."""
    because = [chance.randint(1, table.log.last())] if chance.random() < 0.3 else []
    rule = chance.choice((*OWN, *OWN, chance.choice(list(paragraphs_of(table.system.key)))))
    kind = chance.choice(("add", "add", "revise", "revise", "withdraw", "ruling"))
    if kind == "ruling":
        trial, supersedes = chance.random() < 0.5, ruling_to_supersede(chance, table, rule)
        return {"type": "ruling", "rule": rule, "text": "So.", "trial": trial, "supersedes": supersedes}
    words = {"add": {"title": "Ours", "text": "As we play it."}, "revise": {"text": f"{chance.randint(1, 9)} dice."}}
    return {
        "type": f"paragraph.{kind}", "rule": rule, "why": "It was asked.", "because": because, **words.get(kind, {}),
    }  # fmt: skip


def ruling_to_supersede(chance: Random, table: Given, rule: str) -> int | None:
    """A ruling on this rule that another may take the place of, sometimes."""
    rulings = [
        ruling.number for ruling in table.handler.state().campaign.rulings if ruling.rule == rule and not ruling.ended
    ]
    return chance.choice((None, chance.choice(rulings))) if rulings else None


def ruling_line(chance: Random, table: Given, since: int | None = None) -> Line:
    """A ruling that sets one of the options if there are any, from an earlier turn on if one is given."""
    options = list(options_of(table.system.options).values())
    option = chance.choice(options) if options else None
    rule = option.rule if option else chance.choice(list(paragraphs_of(table.system.key)))
    return {
        "type": "ruling",
        "rule": rule,
        "text": "So be it.",
        "set": {option.name: chance.choice(option.values or (option.default,))} if option else None,
        "trial": chance.random() < 0.3,
        "supersedes": ruling_to_supersede(chance, table, rule),
        "since": f"T{since}" if since is not None else None,
    }


def late_line(chance: Random, subject: Subject, table: Given, conflicts: str | None) -> Line:
    """Something told late: mostly near the end, where it is more likely to fit, or behind what was told late too."""
    last = table.log.last()
    late_entries = list(effective_history(table.log).place)
    number = chance.randint(1, last) if chance.random() < 0.4 else max(1, last - chance.randint(1, 5))
    if late_entries and chance.random() < 0.5:
        number = chance.choice(late_entries)
    # what somebody did already may be legal a little earlier too
    numbers = [
        turn.number for turn in table.log.turns[-12:] if not isinstance(turn.action, REVISIONS) and turn.number > 1
    ]
    action = (
        line(chance, subject, table)
        if not numbers or chance.random() < 0.6
        else in_force(table, chance.choice(numbers))
    )
    action = {name: value for name, value in action.items() if name != "since"}
    return {**action, chance.choice(("after", "after", "before")): f"T{number}", "conflicts": conflicts}


def revising_line(
    chance: Random, subject: Subject, table: Given, settle: Sequence[str | None] = ("drop", "keep", "keep", None)
) -> Line:
    """Something that revises earlier turns, for the most part turns that stand and on which others rest."""
    last, conflicts = table.log.last(), chance.choice(settle)
    effective = effective_history(table.log)
    plain = [turn for turn in range(2, last + 1) if effective.stands(turn) and turn not in effective.revisions]
    undos = [turn for turn in effective.revisions if effective.stands(turn)]
    # the earlier a turn, the more rests on it
    turn = (
        min(chance.choice(plain), chance.choice(plain)) if plain and chance.random() < 0.9 else chance.randint(1, last)
    )
    kind = chance.choice(
        ("undo", "undo", "undo", "undo two", "latest", "to", "redo", "undo of an undo", "undo of an undo",
         "amend", "amend alike", "amend alike", "amend into since", "amend into since", "amend into since", "since",
         *("late",) * 9, *("move",) * 6, "amend late", *("undo late",) * 4)
    )  # fmt: skip
    if kind == "late":
        return late_line(chance, subject, table, conflicts)
    if kind == "undo late" and effective.place:
        return {"type": "undo", "turns": [chance.choice(list(effective.place))], "conflicts": conflicts}
    if kind == "amend late" and effective.place:
        turn = chance.choice(list(effective.place))
    if kind == "undo":
        return {"type": "undo", "turns": [turn], "conflicts": conflicts}
    if kind == "undo two":
        return {"type": "undo", "turns": [turn, chance.randint(1, last)], "conflicts": conflicts}
    if kind == "latest":
        return {"type": "undo", "last": chance.randint(1, 3), "conflicts": conflicts}
    if kind == "to":
        return {"type": "undo", "to": f"@-{chance.randint(0, 4)}", "conflicts": conflicts}
    if kind == "redo":
        return {"type": "redo", "conflicts": conflicts}
    if kind == "undo of an undo" and undos:
        return {"type": "undo", "turns": [chance.choice(undos)], "conflicts": conflicts}
    earlier_places = [place for place in effective.place.values() if place < turn]
    since = (
        chance.choice(earlier_places)
        if earlier_places and chance.random() < 0.5
        else chance.randint(1, max(1, turn - 1))
    )
    if kind == "move":
        turn = chance.choice([*effective.place, turn])
        to = {chance.choice(("after", "before")): f"T{chance.randint(1, max(1, turn - 1))}"}
        return {"type": "amend", "turn": turn, "action": in_force(table, turn), "conflicts": conflicts, **to}
    if kind == "since":
        return {**ruling_line(chance, table, since), "conflicts": conflicts}
    if kind == "amend into since":
        action = ruling_line(chance, table, since)
    elif kind == "amend":
        action = line(chance, subject, table)
    else:
        action = similar(chance, in_force(table, turn))
    return {"type": "amend", "turn": turn, "action": action, "conflicts": conflicts}


def similar(chance: Random, action: Line) -> Line:
    """The same action with a number, a point or nothing at all changed."""
    fields = [name for name, value in action.items() if isinstance(value, int) and not isinstance(value, bool)]
    if action["type"] == "ruling":
        return {**action, "since": chance.choice((None, "T1", f"T{chance.randint(1, 12)}"))}
    if not fields:
        return action
    return {**action, chance.choice(fields): chance.randint(1, 12)}


# -- what has happened at them -----------------------------------------------------------------------------


def occurrences(table: Given) -> Counter[str]:
    """How often each thing happened to a log that a revision has to cope with."""
    effective = effective_history(table.log)
    counts: Counter[str] = Counter()
    for turn in table.log.read():
        words = [event for event in turn.events if isinstance(event, TurnUndone | TurnRedecided)]
        targets = {getattr(turn.action, "turn", None), *(getattr(turn.action, "turns", None) or ())}
        counts["a turn kept against the rules"] += any(isinstance(e, TurnRedecided) and e.kept for e in words)
        counts["a turn that comes out differently"] += any(
            isinstance(e, TurnRedecided) and not e.kept and e.turn not in targets for e in words
        )
        counts["a turn dropped"] += any(isinstance(e, TurnUndone) and e.turn not in targets for e in words)
        counts["an undo that is undone"] += isinstance(turn.action, Undo) and not effective.stands(turn.number)
        amendment = effective.amendments.get(turn.number)
        counts["a turn amended into a ruling that counts from earlier"] += (
            amendment is not None
            and effective.stands(turn.number)
            and isinstance(amendment[1], Ruling)
            and amendment[1].since is not None
        )
        counts["a turn that speaks of others"] += isinstance(turn.action, REVISIONS)
        late = turn.place is not None and not isinstance(turn.action, Amend)
        counts["a turn told late"] += late
        counts["a turn told late that others come out differently by"] += late and bool(words)
        counts["a turn told late and undone"] += late and not effective.stands(turn.number)
        counts["a turn moved"] += turn.number in effective.new_place
    counts["two turns that fold behind one"] += any(len(late) > 1 for late in effective.late.values())
    counts["a turn that folds behind one told late"] += any(effective.place.get(p) for p in effective.place.values())
    return counts
