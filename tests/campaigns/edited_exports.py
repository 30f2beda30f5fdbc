"""Exports edited by hand, of every rule system and every version of its rules: refused where today's version decided.

python -m tests.campaigns.edited_exports --rounds 500 --seed 7

Each log is played at random, with turns taken back and amended. It begins under one of the versions that there ever
were; from some turn on it says that today's version decides. One number, name or fact of an event behind there is
changed, or the version that a turn names, and the seal at the end is left out. Either the import refuses it, or nothing
was checked. The control is the same change before the mark: it is taken, and is said to be on trust.
"""

import argparse
import io
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from cli.shell.exchange import ExportReader, export_lines
from cli.store.checking import findings_in
from cli.store.file import open_campaign
from cli.store.making import create
from domain.log.verifying import ON_TRUST
from domain.refusal import Invalid
from domain.registry import system_of
from tests.campaigns.ended import clean_up_when_told_to_end
from tests.kit.subjects import Subject, built_in
from tests.kit.tables import Chances, revised

Line = dict[str, Any]


def lines_of(subject: Subject, chance: random.Random) -> list[Line]:
    """An export of a table at which much was done, without its seal."""
    log = revised(Chances(chance.randrange(10**6)), subject).log
    return [msgspec.json.decode(line) for line in export_lines(log, system_of(subject.key), log.last())]


def begun_under(lines: list[Line], version: int, mark: int, today: int) -> list[Line]:
    """The same log begun under a version; from turn `mark` on today's decides, where that is another one."""
    copy: list[Line] = msgspec.json.decode(msgspec.json.encode(lines))
    copy[0]["rules_version"] = version
    copy[1]["events"][0]["version"] = version
    if version != today:
        copy[mark]["rules_version"] = today
    return copy


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where the whole numbers of a record are."""
    if isinstance(value, dict):
        for name, entry in value.items():
            yield from numbers_in(entry, (*path, name))
    elif isinstance(value, list):
        for place, entry in enumerate(value):
            yield from numbers_in(entry, (*path, place))
    elif type(value) is int:
        yield path


def edit_line(line: Line, chance: random.Random) -> str | None:
    """Change one thing that a turn says happened; None where it has nothing to change."""
    places = [path for path in numbers_in(line["events"], ("events",)) if path[-1] != "turn"]
    if places and chance.random() < 0.7:
        *way, last = chance.choice(places)
        holder: Any = line
        for step in way:
            holder = holder[step]
        holder[last] += chance.choice((-1, 1, 7, 900))
        return "another number"
    if len(line["events"]) > 1 and chance.random() < 0.5:
        line["events"].pop()
        return "a fact left out"
    if line["events"]:
        line["events"].append(line["events"][0])
        return "a fact told twice"
    return None


def is_imported(lines: list[Line], folder: Path) -> tuple[bool, int]:
    """Whether an import takes these lines, and how many turns it would say it took on trust."""
    text = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    path = folder / "new.campaign"
    try:
        reading = ExportReader(io.BytesIO(text))
        turns = reading.turns()
        create(path, reading.header.campaign, next(turns), turns)
        with open_campaign(path) as log:
            findings = list(findings_in(log))
        is_damaged = any(finding.kind in ("damage", "newer") for finding in findings)
        return not is_damaged, sum(finding.count for finding in findings if finding.kind in ON_TRUST)
    except Invalid:
        return False, 0
    finally:
        path.unlink(missing_ok=True)


def fault_of_one(subject: Subject, chance: random.Random, folder: Path, counts: Counter[str]) -> str | None:
    """One edited export; what went wrong, if anything did."""
    today = system_of(subject.key).version
    version = chance.randint(1, today)
    plain = lines_of(subject, chance)
    mark = chance.randint(2, len(plain) - 1)
    lines = begun_under(plain, version, mark, today)
    turns_expected = 0 if version == today else mark - 1
    if is_imported(lines, folder) != (True, turns_expected):
        return f"{subject.key}, begun under {version}, mark at T{mark}: nobody touched it, and it is not taken so"
    where = chance.randint(mark if version != today else 2, len(lines) - 1)
    if chance.random() < 0.2:
        lines[where]["rules_version"] = chance.choice((0, -5, version, today, today + 1))
        if version != today and where == mark and lines[where]["rules_version"] == today:
            return None  # that is what it said
        edit: str | None = "a version that is none there"
    else:
        edit = edit_line(lines[where], chance)
    if edit is None:
        return None
    counts[f"{subject.key}: {edit}"] += 1
    if is_imported(lines, folder)[0]:
        return f"{subject.key}, begun under {version}, mark at T{mark}: {edit} in T{where} is taken"
    if version != today and mark > 2:
        before = begun_under(plain, version, mark, today)
        if edit_line(before[chance.randint(2, mark - 1)], chance) is not None:
            took, on_trust = is_imported(before, folder)
            counts["control: taken before the mark, and on trust" if took else "control: refused before the mark"] += 1
            if took and on_trust != mark - 1:
                return f"{subject.key}: what is taken on trust before T{mark} is not said to be"
    return None


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args(arguments)
    seed = options.seed if options.seed is not None else random.SystemRandom().randrange(2**32)
    chance, counts = random.Random(seed), Counter[str]()
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            subject = built_in()[number % len(built_in())]
            if (sentence := fault_of_one(subject, chance, Path(folder), counts)) is not None:
                wrong.append(sentence)
    edited = sum(times for edit, times in counts.items() if not edit.startswith("control"))
    controls = counts["control: taken before the mark, and on trust"]
    print(f"seed {seed}: {edited} edited exports, {edited - len(wrong)} refused; control: {controls} taken on trust")
    for edit, times in sorted(counts.items()):
        print(f"  {edit:<60} {times:6}")
    for fault in wrong[:20]:
        print(f"  wrong: {fault}")
    return int(bool(wrong) or (options.rounds >= 50 and not controls))


if __name__ == "__main__":
    clean_up_when_told_to_end()
    sys.exit(main())
