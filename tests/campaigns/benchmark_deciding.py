"""What deciding again costs under every rule system: `uv run python -m tests.campaigns.benchmark_deciding`.

Logs that have lived (evenings of 250 turns with notes, rulings, turns taken back and amended) are verified, and
changed where everything after the change is decided again. Beside it stands what no such change can do without:
reading whole turns, and the rules themselves. Measured as in `benchmark`. Nothing here is asserted; the tests run the
short form (`--turns 60 --rounds 1`).
"""

import argparse
import os
import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from cli.store.file import CampaignFile, open_campaign
from domain.common.revisions import REVISIONS, Amend, Undo
from domain.log.effective_history import effective_history, turns_as_folded
from domain.log.folding import fold, state_at
from domain.log.port import MemorySnapshots
from domain.log.verifying import decide_all_again
from domain.refusal import Invalid, Refusal
from domain.registry import system_of, tag_of
from domain.system.chance import COUNTED, Chance
from domain.system.decision import Decision
from domain.turn import Action, Turn
from tests.campaigns.benchmark import campaign_of, compare, handler_for, keep_states, seconds, uncollected
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.campaigns.lived import EVENING, at_the_table
from tests.kit.given import Given
from tests.kit.subjects import Line, Subject, built_in
from tests.kit.tables import ruling_line

#: What the first enrolment of each system is amended to, so that its character differs for good.
OTHERWISE: Mapping[str, Mapping[str, Any]] = {
    "osr": {"level": 7}, "deckahedron": {"intelligence": 2}, "gloomhaven": {"player": "Zoe"},
}  # fmt: skip


def lived_under(subject: Subject, turns: int) -> list[Turn]:
    """A log of so many turns, each of them decided at its time."""
    table, chance = Given(subject.key, seed=5), Random(5)
    table.log.snapshots = MemorySnapshots()
    lines = _lines(subject, chance, table)
    while table.log.last() < turns:
        table.when(next(lines))
    return table.log.turns


def _lines(subject: Subject, chance: Random, table: Given) -> Iterator[Line]:
    """What is tried, evening after evening; not all of it is legal."""
    for level, name in ((9, "Brog"), (8, "Ada")) if subject.key == "osr" else ():
        yield {"type": "osr.enrol", "character": name, "level": level}
    # each sleeps alone, or who is left after an undone enrolment would never sleep off anything again
    of_osr = (
        {**line, "characters": [name]} if line["type"] == "osr.night_rest" else line
        for line in at_the_table()
        if line["type"].startswith("osr.")
        for name in (line["characters"] if line["type"] == "osr.night_rest" else ("",))
    )
    while True:
        end = table.log.last() + EVENING - 1
        yield {"type": "session.open", "title": "The next evening"}
        for at in count():
            if table.log.last() >= end:
                break
            if at % 9 in (2, 8):
                yield {"type": "note", "text": f"The torch gutters; somebody counts the rations, {at}."}
            elif at % 50 == 49:
                yield {"type": "undo"}
            elif at % 100 == 60:
                yield ruling_line(chance, table)
            elif at % 100 == 77:
                note = {"type": "note", "text": "So it was not."}
                yield {"type": "amend", "turn": _last_note(table), "action": note}
            else:
                yield next(of_osr) if subject.key == "osr" else subject.line(chance, table)
        yield {"type": "session.close"}


def _last_note(table: Given) -> int:
    effective = effective_history(table.log, after=table.log.last() - 20)
    notes = (turn.number for turn in reversed(table.log.turns) if tag_of(type(turn.action)) == "note")
    return next(filter(effective.stands, notes), 2)


def rules_alone(log: CampaignFile) -> float:
    """The seconds that the rules take to decide every turn once, with all that is made for that left out."""
    system, seconds_spent, waiting = system_of(log.rules), 0.0, list[Decision[Any, Any, Any]]()

    def decide() -> None:
        for decision in waiting:
            with suppress(Refusal, Invalid):
                decision.action.decide(decision)

    state = system.opening()
    for effective_turn in turns_as_folded(log):
        if not effective_turn.standing or isinstance(effective_turn.action, REVISIONS):
            continue
        chance_on_record = {
            key: drawn for key, drawn in effective_turn.chance.items() if drawn.reported or key.endswith(COUNTED)
        }
        chance = Chance(effective_turn.turn.seed, chance_on_record, lenient=True)
        waiting.append(Decision(system, state.copy(), effective_turn.action, chance, effective_turn.number, None))
        for event in effective_turn.facts:
            event.fold(state)
        if len(waiting) == EVENING:
            seconds_spent += seconds(decide)
            waiting.clear()
    return seconds_spent + seconds(decide)


def what_it_takes(log: CampaignFile, label: str, rounds: int) -> None:
    """Reading whole turns and the rules alone, beside folding: less than that no deciding again can cost."""
    system, ratios = system_of(log.rules), []

    def read() -> None:
        for _ in log.read():
            pass

    def fold_all() -> None:
        fold(system.opening(), log.read(), effective_history(log))

    for _ in range(rounds):
        reading, folding = seconds(read), seconds(fold_all)
        ratios.append((reading / folding, rules_alone(log) / folding))
    reading, rules = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"{label}: reading whole turns, and the rules alone : folding{reading:15.2f} + {rules:.2f}", flush=True)


def deciding(log: CampaignFile, label: str, rounds: int) -> None:
    """Every turn decided again, and the changes of the past that decide all of it again."""
    system = system_of(log.rules)
    enrolment = next(turn for turn in log.read() if "enrol" in tag_of(type(turn.action)))
    first = enrolment.number

    def again() -> None:
        assert not [finding for _, finding in decide_all_again(log) if finding]

    def fold_all() -> None:
        fold(system.opening(), log.read(), effective_history(log))

    def follows() -> None:
        fold(state_at(system, log, first - 1), log.read(first - 1), effective_history(log))

    def change(action: Action) -> Callable[[], None]:
        handler = handler_for(log)
        handler.state()

        def revise() -> None:
            handler.record(action, dry_run=True)

        return revise

    otherwise = {**msgspec.to_builtins(enrolment.action), **OTHERWISE[log.rules]}
    again()
    compare(f"{label}: verified, each turn decided again : folding", again, fold_all, rounds, 3)
    for sentence, action in (
        ("undo the first enrolment, dropping what falls", Undo(turns=(first,), conflicts="drop")),
        ("the same, keeping what falls", Undo(turns=(first,), conflicts="keep")),
        ("amend the first enrolment", Amend(turn=first, action=otherwise, conflicts="drop")),
    ):
        compare(f"{label}: {sentence} : folding what follows", change(action), follows, rounds, 3)


def main(arguments: list[str] | None = None) -> None:
    """Run it all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rules", nargs="*", default=list(OTHERWISE), choices=list(OTHERWISE))
    options = parser.parse_args(arguments)
    for subject in built_in():
        if subject.key not in options.rules:
            continue
        lived = lived_under(subject, max(options.turns))
        for turns in options.turns:
            with uncollected(), tempfile.TemporaryDirectory() as name:
                os.environ["XDG_CACHE_HOME"] = str(Path(name) / "cache")
                path = campaign_of(Path(name), lived[:turns], f"{subject.key}{turns}")
                with open_campaign(path, write=True) as log:
                    keep_states(log, lived[:turns])
                    what_it_takes(log, f"{subject.key} {turns:,}", options.rounds)
                    deciding(log, f"{subject.key} {turns:,}", options.rounds)


if __name__ == "__main__":
    clean_up_when_told_to_end()
    main()
