"""Random tables of any rule system, and what has to hold of every log however it was revised.

A rule system takes part with one function in `LINES`: given a source of chance and a table, the JSON of
something that might be done there. Not all of it has to be legal; what is refused is not appended.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any

import msgspec
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from domain.common.campaign import Amend, Override, Redo, Ruling, SheetCheck, Undo, decide, options_of
from domain.log.chance import Chance
from domain.log.folding import counted, state_at, steps
from domain.log.port import Kept
from domain.log.scribe import Scribe
from domain.log.standing import judge, tell
from domain.system.registry import record_types
from domain.turn import WORDS, Action, Event, Turn, TurnRedecided, TurnUndone
from projections.chronicle import chronicle
from tests.deckahedron import test_always as test_deckahedron_always
from tests.gloomhaven import test_always as test_gloomhaven_always
from tests.kit.given import EVENING, Given

Line = dict[str, Any]
#: (chance, table) -> something that might be done at this table.
Lines = Callable[[Random, Given], Line]

MODEST = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class MemoryStates:
    """Kept states of a log that is kept in memory."""

    def __init__(self) -> None:
        self._kept: list[Kept] = []

    def upto(self, turn: int, as_of: int) -> Iterable[Kept]:
        fitting = [kept for kept in self._kept if kept.turn <= turn and kept.as_of <= as_of]
        return sorted(fitting, key=lambda kept: (kept.turn, kept.as_of), reverse=True)

    def keep(self, kept: Kept) -> None:
        self._kept.append(kept)


# -- what is done at the tables ----------------------------------------------------------------------------

OSR_NAMES = ("brog", "ada", "ogre")


def osr_line(chance: Random, table: Given) -> Line:
    """Something that might be done under osr: first of all what an open injury waits for."""
    sheets = table.scribe.state().characters
    absent = [name for name in OSR_NAMES if name not in sheets]
    if absent and chance.random() < (0.9 if len(absent) == 3 else 0.25):
        return {"type": "osr.enrol", "character": absent[0], "level": chance.randint(1, 3)}
    name = chance.choice(OSR_NAMES)
    sheet = sheets.get(name)
    total = chance.randint(15, 30)
    if sheet is not None and sheet.injury is not None and chance.random() < 0.8:
        if sheet.injury.stage == "saves":
            return {"type": "osr.injury_saves", "character": name, "strength": total, "will": chance.randint(15, 30)}
        fate = chance.choice(("major_wound", "major_wound", "death"))
        return {"type": "osr.choose_fate", "character": name, "fate": fate}
    dice = sheet.hit_dice + sheet.fatigue if sheet is not None else 1
    some = chance.sample(OSR_NAMES, chance.randint(1, 2))
    rest: Line = {"type": "osr.short_rest", "characters": [name]}
    return chance.choice(
        (
            rest,
            {**rest, "rolled": {name: [chance.randint(1, 6) for _ in range(dice)]}},
            {**rest, "characters": some},
            {**rest, "keep": [name]},
            {"type": "osr.night_rest", "characters": some},
            {"type": "osr.damage", "character": name, "amount": chance.randint(0, 9)},
            {"type": "osr.damage", "character": name, "amount": chance.randint(5, 25), "source": "a troll"},
            {
                "type": "osr.bypassing_hit",
                "character": name,
                "dc": total,
                "cost": 2,
                "sacrifice": chance.random() < 0.5,
            },
            {"type": "osr.treat", "character": name, "wound": chance.randint(1, 3)},
            {"type": "osr.worsen", "character": name, "wound": chance.randint(1, 3), "dc": total},
            {"type": "osr.rally", "character": name},
            {"type": "osr.level_up", "character": name},
            {"type": "override", "character": name, "set": {"hp": chance.randint(0, 6)}, "why": "so says the referee"},
        )
    )


def deckahedron_line(chance: Random, table: Given) -> Line:
    """Something that might be done under deckahedron, by two who were enrolled first."""
    sheets = table.scribe.state().characters
    absent = [name for name in test_deckahedron_always.NAMES if name not in sheets]
    if absent and chance.random() < 0.8:
        ranks = {"strength": 2, "dexterity": 3, "intelligence": 1}
        return {"type": "deckahedron.enrol", "character": absent[0], **ranks}
    return test_deckahedron_always.something(chance, table)


def gloomhaven_line(chance: Random, table: Given) -> Line:
    """Something that might be done under the rules of Gloomhaven, by three who were enrolled first."""
    sheets = table.scribe.state().characters
    absent = [name for name in test_gloomhaven_always.NAMES[:3] if name not in sheets]
    if absent and chance.random() < (0.9 if len(absent) == 3 else 0.4):
        kind = "spellweaver" if absent[0] == "spell" else "brute"
        return {
            "type": "gloomhaven.enrol",
            "character": absent[0],
            "class": kind,
            "hand": test_gloomhaven_always.HANDS[kind],
            "items": test_gloomhaven_always.ITEMS[: chance.randint(1, 4)],
            "xp": 50,
        }
    return test_gloomhaven_always.something(chance, table)


LINES: dict[str, Lines] = {"osr": osr_line, "deckahedron": deckahedron_line, "gloomhaven": gloomhaven_line}
#: How many things are tried before anything is revised, at least and at most.
FIRST_TRIES = {"osr": (6, 14), "deckahedron": (6, 14), "gloomhaven": (12, 40)}


def common_line(chance: Random, table: Given) -> Line:
    """Something that might be done under any rules: sessions, notes, rulings, checks."""
    last = table.log.last()
    name = chance.choice([*table.scribe.state().characters, None])
    kind = chance.choice(("open", "close", "note", "ruling", "ruling", "since", "since", "end", "check"))
    if kind == "open":
        return {"type": "session.open", "number": chance.choice((None, None, chance.randint(1, 9)))}
    if kind == "close":
        return {"type": "session.close"}
    if kind == "end":
        return {"type": "ruling.end", "ruling": chance.randint(1, 4)}
    if kind == "check" and name is not None:
        field, value = chance.choice(sorted(table.sheet(name).items()))
        return {"type": "sheet.check", "character": name, "expect": {field: value}}
    if kind in ("ruling", "since"):
        option = chance.choice(list(options_of(table.system.options).values()))
        values = option.values or (option.default,)
        return {
            "type": "ruling",
            "rule": option.rule,
            "text": "So be it.",
            "set": {option.name: chance.choice(values)},
            "since": f"T{chance.randint(1, last)}" if kind == "since" else None,
        }
    return {"type": "note", "text": "Rain.", "about": name, "turn": chance.randint(1, last)}


def revising_line(chance: Random, table: Given, settle: Sequence[str | None] = ("drop", "keep", None)) -> Line:
    """Something that revises earlier turns."""
    last, conflicts = table.log.last(), chance.choice(settle)
    kind = chance.choice(("undo", "undo", "undo two", "latest", "to", "redo", "amend", "amend", "amend again"))
    turn = chance.randint(1, last)
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
    action = line(chance, table) if kind == "amend" else similar(chance, in_force(table, turn))
    return {"type": "amend", "turn": turn, "action": action, "conflicts": conflicts}


def similar(chance: Random, action: Line) -> Line:
    """The same action with a number, a point or nothing at all changed."""
    fields = [name for name, value in action.items() if isinstance(value, int) and not isinstance(value, bool)]
    if "since" in action:
        return {**action, "since": chance.choice((None, "T1", f"T{chance.randint(1, 12)}"))}
    if action["type"] == "ruling":
        return {**action, "since": f"T{chance.randint(1, 12)}"}
    if not fields:
        return action
    return {**action, chance.choice(fields): chance.randint(1, 12)}


def line(chance: Random, table: Given) -> Line:
    """Something that speaks of no earlier turn."""
    lines = LINES[table.log.rules] if chance.random() < 0.75 else common_line
    return lines(chance, table)


def play(chance: Random, table: Given, tries: int, *, revising: float = 0.0) -> Given:
    """Try so many things; `revising` is how likely each of them speaks of earlier turns."""
    for _ in range(tries):
        table.when((revising_line if chance.random() < revising else line)(chance, table))
    return table


def fresh(chance: Random, rules: str) -> Given:
    """A table at which a few things were done; on half of them states are kept at every turn or two."""
    table = Given(rules, seed=chance.randrange(1000))
    if chance.random() < 0.5:
        table.log.kept = MemoryStates()
    return play(chance, table, chance.randint(*FIRST_TRIES[rules]))


chances = st.randoms(use_true_random=False)


# -- what a log says, from the definition -------------------------------------------------------------------


class ByDefinition:
    """What stands, what it comes to and where it folds, straight from the definition and as slow as that is."""

    def __init__(self, table: Given, upto: int | None = None) -> None:
        self.system = table.system
        self.turns: dict[int, Turn] = {turn.number: turn for turn in table.log.read(upto=upto)}
        self.stands = cache(self._stands)

    def _stands(self, number: int) -> bool:
        return not any(isinstance(word, TurnUndone) and self.stands(by) for by, word in self._words_about(number))

    def _words_about(self, number: int) -> Iterator[tuple[int, TurnUndone | TurnRedecided]]:
        """Newest first."""
        for turn in reversed(self.turns.values()):
            for word in turn.events:
                if isinstance(word, WORDS) and word.turn == number:
                    assert turn.number > number
                    yield turn.number, word

    def retold(self, number: int) -> TurnRedecided | None:
        for by, word in self._words_about(number):
            if isinstance(word, TurnRedecided) and self.stands(by):
                return word
        return None

    def facts(self, number: int) -> tuple[Event, ...]:
        told = self.retold(number)
        return told.events if told else tuple(e for e in self.turns[number].events if not isinstance(e, WORDS))

    def chance(self, number: int) -> Any:
        told = self.retold(number)
        return told.chance if told else self.turns[number].chance

    def action(self, number: int) -> Action:
        for turn in reversed(self.turns.values()):
            if isinstance(turn.action, Amend) and turn.action.turn == number and self.stands(turn.number):
                return msgspec.convert(turn.action.action, record_types(self.system.key).action)  # type: ignore[no-any-return]
        return self.turns[number].action

    def pinned(self, number: int) -> bool:
        told = self.retold(number)
        return (
            number == 1
            or (told is not None and told.kept)
            or isinstance(self.action(number), Override | SheetCheck | Undo | Redo | Amend)
        )

    def place(self, number: int) -> tuple[int, int]:
        action = self.action(number)
        if isinstance(action, Ruling) and action.since is not None:
            return int(action.since.removeprefix("T")), number
        return number, 0

    def in_order(self) -> list[int]:
        """The standing turns in the order in which they fold."""
        return sorted((number for number in self.turns if self.stands(number)), key=self.place)

    def state(self) -> Any:
        state = self.system.opening()
        for number in self.in_order():
            for event in self.facts(number):
                self.system.evolve[type(event)](state, event)
        return state


def in_force(table: Given, number: int) -> Line:
    """The action of a turn as it now is."""
    action: Line = msgspec.to_builtins(ByDefinition(table).action(number))
    return action


# -- what has to hold of every log --------------------------------------------------------------------------


def reads_as_defined(table: Given) -> None:
    """The reading agrees with the definition: what stands, what it comes to, where it folds, the states between."""
    told = {each.turn.number: each for each in tell(table.log)}
    slow = ByDefinition(table)
    for number, each in told.items():
        assert each.standing == slow.stands(number), f"T{number}"
        if each.standing:
            assert each.facts == slow.facts(number), f"T{number}"
            assert each.action == slow.action(number), f"T{number}"
    assert state_at(table.system, table.log) == slow.state()
    walked = [(each.turn.number, state.copy()) for each, state in steps(table.system, table.log)]
    assert [number for number, _ in walked if slow.stands(number)] == slow.in_order()
    assert sorted(number for number, _ in walked) == sorted(told)
    assert walked[-1][1] == slow.state()


def is_caught_up(table: Given) -> None:
    """The state that the scribe holds is the fold of the standing turns, read from nothing."""
    assert table.scribe.state() == ByDefinition(table).state()
    used: dict[str, set[int]] = {}
    list(counted(table.log.read(), used))
    assert table.scribe.used == used


def decides_as_told(table: Given) -> None:
    """Every standing turn that is not pinned, decided with its own chance in order of place, is as it is told."""
    slow = ByDefinition(table)
    state = table.system.opening()
    for number in slow.in_order():
        if slow.pinned(number):
            for event in slow.facts(number):
                table.system.evolve[type(event)](state, event)
            continue
        turn = slow.turns[number]
        chance = Chance(turn.seed, slow.chance(number), lenient=True, used=table.scribe.used)
        decision = decide(table.system, state, slow.action(number), chance, number)
        assert tuple(decision.events) == slow.facts(number), f"T{number}"
        state = decision.state


def can_be_stored(table: Given) -> None:
    """Every turn is the same once it was written and read, and gives out no number twice."""
    kind = record_types(table.log.rules).turn
    given: dict[tuple[str, int], int] = {}
    for turn in table.log.read():
        stored = msgspec.msgpack.encode(turn)
        assert msgspec.msgpack.encode(msgspec.msgpack.decode(stored, type=kind)) == stored
        chances = [(turn.number, turn.chance)]
        chances += [(word.turn, word.chance) for word in turn.events if isinstance(word, TurnRedecided)]
        for owner, chance in chances:
            for key, drawn in chance.items():
                if key.endswith("#"):
                    for value in drawn.values:
                        assert given.setdefault((key, int(value)), owner) == owner, f"{key} {value}: T{owner}"


def is_sound(table: Given) -> None:
    """Everything that has to hold of every log."""
    reads_as_defined(table)
    is_caught_up(table)
    decides_as_told(table)
    can_be_stored(table)


# -- what a log says, to be compared ------------------------------------------------------------------------


def reading(table: Given, upto: int | None = None) -> dict[str, Any]:
    """All that can be read of the turns up to one as they now are: the log lines, the outcomes, the sheets."""
    upto = upto or table.log.last()
    judgement = judge(table.log)
    entries = [entry.as_json() for entry in chronicle(table.system, table.log) if entry.turn <= upto]
    told = [each for each in tell(table.log) if each.turn.number <= upto]
    return {
        "log": entries,
        "chances": [judgement.chance(each.turn) for each in told],
        "pinned": [each.kept for each in told],
    }


def everything(table: Given, upto: int | None = None) -> dict[str, Any]:
    """The same, with the sheets and the state."""
    state = table.scribe.state()
    return {
        **reading(table, upto),
        "sheets": {name: table.system.shown(state, name) for name in state.characters},
        "table": table.system.shown_table(state),
        "options": state.options,
        "session": state.campaign.session,
    }


def second_scribe(table: Given, seed: int = 7) -> Scribe:
    """Somebody else at the same log."""
    return Scribe(
        table.log,
        clock=lambda: EVENING,
        new_id=iter(f"other-{seed}-{n}" for n in range(1000)).__next__,
        new_seed=iter(range(seed * 1000, seed * 1000 + 1000)).__next__,
    )


def done(table: Given) -> bool:
    """Whether the last `when` appended a turn."""
    return table.error is None


def options_in_force(table: Given) -> Mapping[str, Any]:
    found: Mapping[str, Any] = msgspec.to_builtins(table.scribe.state().options)
    return found
