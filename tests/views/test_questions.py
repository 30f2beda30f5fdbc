"""The questions that ship with the program, each asked of the example of its rule system and counted again by hand."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from domain.log.effective_history import effective_turns
from domain.log.folding import steps
from domain.log.port import MemoryLog
from domain.osr.injuries import Damage
from domain.registry import SYSTEMS, system_of, tag_of
from domain.system.chance import COUNTED as COUNTED_IN_LOG
from domain.system.chance import UNSEEN
from domain.system.paragraphs import cited_by
from projections.dealt_cards import cards_from_the_log
from projections.sentences import parts_of, plain
from projections.views.named_queries import courses, named_queries, plots
from tests.kit.given import Given
from tests.kit.shell import Shell
from tests.kit.views import view_in_memory
from tests.views.test_examples import example

EXAMPLES = {"osr": "drowned-chapel", "deckahedron": "salt-road", "gloomhaven": "lamps-in-the-barrow"}


class Changed(NamedTuple):
    """One field of one sheet after a turn."""

    turn: int
    session: int
    character: str
    kind: str
    source: str
    foe: str | None
    old: Any
    new: Any
    sentence: str


def changes(log: MemoryLog, field: str) -> Iterator[Changed]:
    """Every change of a field, found by looking at everybody after every turn."""
    system = system_of(log.rules)
    known: dict[str, Any] = {}
    for effective_turn, state in steps(system, log):
        for name in state.characters:
            new, old = system.sheet_view(state, name)[field], known.get(name)
            if new != old:
                source = getattr(effective_turn.action, "source", None) or "not told"
                text = plain(parts_of(effective_turn.facts))
                kind = tag_of(type(effective_turn.action))
                foe = getattr(effective_turn.action, "foe", None)
                yield Changed(effective_turn.number, effective_turn.session, name, kind, source, foe, old, new, text)
            known[name] = new


def kinds(log: MemoryLog) -> Counter[tuple[int, str]]:
    """How many standing turns of each session and kind."""
    return Counter(
        (effective_turn.session, tag_of(type(effective_turn.action)))
        for effective_turn in effective_turns(log)
        if effective_turn.standing
    )


def rests(log: MemoryLog, short: tuple[str, ...], long: tuple[str, ...]) -> list[tuple[int, ...]]:
    count = kinds(log)
    rows = []
    for session in sorted({at for at, _ in count}):
        counts = [sum(count[session, tag] for tag in tags) for tags in (short, long)]
        rows += [(session, sum(counts), *counts)] if sum(counts) else []
    return rows


def over_time(log: MemoryLog, field: str) -> list[tuple[Any, ...]]:
    return [(change.turn, change.session, change.character, change.new) for change in changes(log, field)]


def lost(log: MemoryLog, field: str, by: str, only: str) -> list[tuple[Any, ...]]:
    """What fell, by what: (by, in how many turns, how much in all)."""
    turns: dict[str, set[int]] = {}
    total: Counter[str] = Counter()
    for change in changes(log, field):
        if change.old is not None and change.new < change.old and change.kind.startswith(only):
            what = getattr(change, by).removeprefix("deckahedron.")
            turns.setdefault(what, set()).add(change.turn)
            total[what] += change.old - change.new
    return sorted(((what, len(turns[what]), total[what]) for what in turns), key=lambda row: (-row[2], row[0]))


def cards_lost(log: MemoryLog) -> list[tuple[Any, ...]]:
    return [
        (change.turn, change.session, change.character, card, change.sentence)
        for change in changes(log, "lost")
        for card in change.new
        if card not in (change.old or [])
    ]


def dice(log: MemoryLog) -> list[tuple[Any, ...]]:
    """(die or what for, where from, how many, how often each face or what there was)."""
    system = system_of(log.rules)
    faces: dict[tuple[int, bool], Counter[int]] = {}
    others: dict[tuple[bool, str, bool], list[Any]] = {}
    for effective_turn in effective_turns(log):
        for key, drawn in effective_turn.chance.items():
            for at, value in enumerate(drawn.values) if not key.endswith((COUNTED_IN_LOG, UNSEEN)) else ():
                if drawn.sides is not None:
                    faces.setdefault((drawn.sides, at < drawn.reported), Counter())[int(value)] += 1
                else:
                    card = drawn.purpose not in system.totals
                    others.setdefault((card, drawn.purpose, at < drawn.reported), []).append(value)
        for _, cards in cards_from_the_log(system, effective_turn):
            others.setdefault((True, "dealt by the log", False), []).extend(cards)
    weighed = [
        (f"d{sides}", "reported" if reported else "drawn", sum(values.values()),
         " ".join(str(values[face]) for face in range(1, sides + 1)))
        for (sides, reported), values in sorted(faces.items(), key=lambda item: (item[0][0], not item[0][1]))
    ]  # fmt: skip
    counted = []
    for (card, purpose, reported), values in sorted(others.items(), key=lambda item: (*item[0][:2], not item[0][2])):
        kinds_of = len(set(values))
        found = f"{kinds_of} {'card' if kinds_of == 1 else 'different cards'}"
        if not card:
            found = f"{min(values)} to {max(values)}, mean {round(sum(values) / len(values), 1)}"
        counted.append((purpose, "reported" if reported else "drawn", len(values), found))
    return [*weighed, *counted]


def cited_most(log: MemoryLog) -> list[tuple[Any, ...]]:
    system = system_of(log.rules)
    events: Counter[str] = Counter()
    turns: dict[str, list[int]] = {}
    for effective_turn in effective_turns(log):
        if not effective_turn.standing:
            continue
        # what the table says that it played a turn under counts beside what its events rest on
        for rule in (
            *effective_turn.turn.cites,
            *(rule for fact in effective_turn.facts for rule in cited_by(system, fact)),
        ):
            events[rule] += 1
            turns.setdefault(rule, []).append(effective_turn.number)
    rows = [(rule, count, len(set(turns[rule])), max(turns[rule])) for rule, count in events.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def dealt(log: MemoryLog) -> list[tuple[Any, ...]]:
    """Every standing blow, also one that changed nothing, with what it dealt and what it took."""
    took = {
        change.turn: change.old - change.new for change in changes(log, "hp") if change.old and change.new < change.old
    }
    blows = [
        (effective_turn.number, effective_turn.action)
        for effective_turn in effective_turns(log)
        if effective_turn.standing and isinstance(effective_turn.action, Damage)
    ]
    found: dict[str, list[int]] = {}
    for turn, blow in blows:
        hits, points, lost = found.get(blow.source or "not told", [0, 0, 0])
        found[blow.source or "not told"] = [hits + 1, points + blow.amount, lost + took.get(turn, 0)]
    return sorted(((source, *counts) for source, counts in found.items()), key=lambda row: (-row[2], row[0]))


def busiest(log: MemoryLog) -> list[tuple[Any, ...]]:
    count = Counter(
        (effective_turn.turn.by or "nobody", effective_turn.standing) for effective_turn in effective_turns(log)
    )
    rows = [(name, count[name, True], count[name, False]) for name in {name for name, _ in count}]
    return sorted(rows, key=lambda row: (-row[1], row[0]))


def lost_to(log: MemoryLog) -> list[tuple[Any, ...]]:
    """What everybody lost of the vital figure, by character and what it came from."""
    count: Counter[tuple[str, str]] = Counter()
    hits: Counter[tuple[str, str]] = Counter()
    for change in changes(log, system_of(log.rules).vital[0]):
        if change.old is not None and change.new < change.old:
            kind = change.kind.partition(".")[2].replace("_", " ")
            told = change.source if change.source != "not told" or kind == "damage" else change.foe or kind
            count[change.character, told] += change.old - change.new
            hits[change.character, told] += 1
    return sorted(((*key, lost, hits[key]) for key, lost in count.items()), key=lambda row: (-row[2], row[0], row[1]))


COUNTED = {
    ("osr", "rests-per-session"): lambda log: rests(log, ("osr.short_rest",), ("osr.night_rest",)),
    ("deckahedron", "rests-per-session"): lambda log: rests(log, (), ("deckahedron.rest", "deckahedron.heal")),
    ("gloomhaven", "rests-per-session"): lambda log: rests(log, ("gloomhaven.short_rest",), ("gloomhaven.long_rest",)),
    ("osr", "fatigue-over-time"): lambda log: over_time(log, "fatigue"),
    ("deckahedron", "stamina-over-time"): lambda log: over_time(log, "stamina_left"),
    ("osr", "damage-by-source"): dealt,
    ("gloomhaven", "damage-by-source"): lambda log: lost(log, "hp", "source", "gloomhaven.damage"),
    ("deckahedron", "stamina-by-cause"): lambda log: lost(log, "stamina_left", "kind", ""),
    ("gloomhaven", "cards-lost"): cards_lost,
    **{(key, "lost"): lost_to for key in EXAMPLES},
    **{(key, "dice-fairness"): dice for key in EXAMPLES},
    **{(key, "rules-cited"): cited_most for key in EXAMPLES},
    **{(key, "busiest-players"): busiest for key in EXAMPLES},
}


def test_every_question_is_counted_again_here() -> None:
    assert set(EXAMPLES) == set(SYSTEMS)
    # what is tracked is counted in test_tracked, on tables that track something
    asked = {(key, name) for key in SYSTEMS for name in named_queries(key) if name != "tracked"}
    assert not asked - set(COUNTED), f"add to COUNTED a function that counts the same: {sorted(asked - set(COUNTED))}"
    gone = sorted(set(COUNTED) - asked)
    assert not gone, f"take these out of COUNTED, there is no such question in data/**/queries.toml: {gone}"


@pytest.mark.parametrize(("key", "name"), COUNTED)
def test_a_question_finds_in_the_example_what_is_there(key: str, name: str) -> None:
    log = example(EXAMPLES[key])
    counted = COUNTED[key, name](log)
    with view_in_memory(log, system_of(key)) as view:
        columns, rows = view.table(named_queries(key)[name].sql)
    cells = [row[: len(counted[0])] for row in rows] if counted else rows
    if columns[0] == "turn":  # within a turn the tables go by its events, and the count here by the sheets
        cells, counted = sorted(cells), sorted(counted)
    assert cells == counted
    assert len(columns) >= 3, f"give the answer of {name} a third column"
    assert counted


@pytest.mark.parametrize("key", SYSTEMS)
def test_a_picture_follows_the_sheets_of_the_example(key: str) -> None:
    log = example(EXAMPLES[key])
    with view_in_memory(log, system_of(key)) as view:
        for plot in plots(key).values():
            drawn = courses(view, plot.field)
            assert drawn
            for course in drawn:
                seen = [
                    (change.turn, change.new)
                    for change in changes(log, plot.field)
                    if change.character == course.character
                ]
                assert list(course.points[:-1]) == seen
                assert course.points[-1] == (log.last(), seen[-1][1])


@pytest.mark.parametrize("key", SYSTEMS)
def test_every_question_can_be_asked_of_a_campaign_that_has_just_begun(key: str) -> None:
    table = Given(key)
    with view_in_memory(table.log, table.system) as view:
        for name, query in named_queries(key).items():
            _, rows = view.table(query.sql)
            assert len(rows) == len(COUNTED.get((key, name), lambda _: [])(table.log))
            assert query.title and query.description.endswith(".")


def test_what_heals_at_once_is_no_rest_and_an_amended_or_undone_one_is_counted_as_it_stands(new_shell: Shell) -> None:
    new_shell.do(
        "new Marsh --rules deckahedron", "session open", "enrol Pip player Mia 2 3 3", "rest pip 8", "rest pip 8",
        "T5 hours=6", "rest pip 8", "u", "n x", "T9 = rest pip 8", "heal pip by=magic", "scene haven", "heal pip 2",
    )  # fmt: skip
    counted = json.loads(new_shell.run("query", "rests-per-session", "-O", "json").ok().out)
    assert counted == [{"session": 1, "rests": 4, "short": 0, "long": 4}]
