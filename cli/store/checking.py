"""Whether a campaign file is what was written: its pages, its tables, every turn of every branch, and its links."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from msgspec.structs import replace

from cli.store import layout
from cli.store.decoding import Row
from cli.store.failures import STRANGE, NewerVersion, Unopenable
from cli.store.layout import MAIN
from cli.store.stored_log import StoredLog
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.finding import Finding
from domain.log.hash_chain import Seal, beginning, in_groups
from domain.log.port import DamagedLog, Snapshot
from domain.log.verifying import (
    Chances,
    LinkedTurn,
    OnTrust,
    Redraws,
    chances_by_seed,
    check_links,
    check_seal,
    decide_all_again,
    turns_that_drew,
    turns_with_snapshots,
)
from domain.system.installed import is_installed

#: Errors of the database's own check that are reported at most.
MOST_PAGES = 5
#: Snapshots of the states at which branches begin: stream -> fork -> snapshot; None: not folded yet.
AtForks = dict[str, dict[int, Snapshot | None]]


def findings_in(
    log: StoredLog,
    seals: Sequence[Seal | str] = (),
    *,
    quick: bool = False,
    progress: Callable[[], None] | None = None,
) -> Iterator[Finding]:
    """Find everything in this log that is not as it was written; with `quick` only links and seals are checked.

    What is recorded meanwhile is left out.
    A text among `seals` is the digits of a seal whose turn is not known; the turn is found.
    `progress` is called with the number of turns decided again since its last call. Raises what damage to the records
    makes the program raise, if nothing else was found that explains it.
    """
    damage = False
    try:
        for finding in _findings(log.as_of_now(), seals, quick=quick, progress=progress):
            damage = damage or finding.kind == "damage"
            yield finding
    except STRANGE:
        if not damage:
            raise
        yield Finding("The rest cannot be verified.")


def _findings(
    log: StoredLog, seals: Sequence[Seal | str], *, quick: bool, progress: Callable[[], None] | None
) -> Iterator[Finding]:
    if not quick:
        yield from damaged_pages(log)
        yield from _tables(log)
    if tables := log.tables_of_other_types():
        for table in tables:
            yield Finding(f"The table {table!r} holds values that no version of campaign writes there.")
        yield Finding("Nothing more can be verified before that is put right.", kind="note")
        return
    yield from _links(log)
    for seal in seals:
        yield from _find_turn_of(log, seal) if isinstance(seal, str) else _check_seal(log, seal)
    if quick:
        return
    if not is_installed(log.rules):
        yield Finding(f"Nothing was decided again: that needs the rules of {log.rules}.", kind="note")
        return
    at_forks: AtForks = {}
    for branch in log.branches(deleted=True):
        at_forks.setdefault(branch.base, {})[branch.fork] = None
    chances = _ChancesOfBranches(log)
    for name, line in log.lines():
        where = "" if name == MAIN else f"On {name}: "
        if isinstance(line, DamagedLog):
            yield Finding(f"{where}{line}")
            continue
        ids = dict.fromkeys(log.ask(layout.IDS, line.stream))
        if line.last() > line.fork or ids:  # a branch without turns of its own has nothing to check
            for finding in _verify_branch(line, ids, at_forks, chances, progress):
                yield replace(finding, sentence=f"{where}{finding.sentence}")


def _check_seal(log: StoredLog, seal: Seal) -> Iterator[Finding]:
    try:
        wrong = check_seal(seal, log.link(seal.turn) if seal.turn <= log.last() else None)
        if wrong is not None and not (seal.turn <= log.last() and log.holds(seal, log.stream_at(seal.turn))):
            yield wrong
    except DamagedLog as error:
        yield Finding(str(error), seal.turn)


def _find_turn_of(log: StoredLog, digits: str) -> Iterator[Finding]:
    """The turn whose seal has these digits, as a finding."""
    seal = log.find_seal(digits)
    if seal is None:
        yield Finding(f"No turn has the seal {in_groups(digits)}: it was copied wrongly, or the past was changed.")
    else:
        yield Finding(f"{in_groups(digits)} is the seal of T{seal.turn}.", seal.turn, "note")


def damaged_pages(log: StoredLog) -> Iterator[Finding]:
    """The errors that the database finds in its own pages, as one finding. Most forgeries pass this check."""
    # one failed read looks like damage, so only errors of a second check count
    if errors := _page_errors(log) and _page_errors(log):
        yield Finding(f"The pages of {log.name} are damaged: {'; '.join(errors)[:300]}.")


def _page_errors(log: StoredLog) -> list[str]:
    try:
        return log.damaged_pages(MOST_PAGES)
    except (DamagedLog, Unopenable) as error:
        return [str(error)]


def _tables(log: StoredLog) -> Iterator[Finding]:
    known_schema = log.known_schema
    schema = {(kind, name) for kind, name in log.ask(layout.SCHEMA)}
    for kind, name in sorted(schema - known_schema - layout.LATER_SCHEMA):
        yield Finding(f"There is a {kind} {name!r} in {log.name} that no version of campaign made.")
    for kind, name in sorted(known_schema - schema):
        yield Finding(f"The {kind} {name!r} is missing from {log.name}.")
    for (name,) in log.ask(layout.UNKNOWN_SETTINGS):
        yield Finding(f"There is a setting {name!r} that no version of campaign made.")
    for (stream,) in log.ask(layout.TURNS_OF_NO_BRANCH):
        yield Finding(f"There are turns of {stream!r}, which is no branch.")


def _links(log: StoredLog) -> Iterator[Finding]:
    if not log.is_linked:
        yield Finding("It was begun before turns had links; they are made at its first write.", kind="note")
        return
    for stream, base, fork in log.streams():
        before = beginning(log.campaign_id)
        if fork:
            rows = log.ask(layout.LINK, base, fork)
            if not rows:
                yield Finding(f"A branch begins after T{fork}, which has no link.", fork)
                continue
            before = rows[0][0]
        yield from check_links(before, stream, fork, _linked_turns(log, stream))
    for _, number in log.ask(layout.LINKS_WITHOUT_TURNS):
        yield Finding(f"T{number} is missing: its link is there.", number)


def _linked_turns(log: StoredLog, stream: str) -> Iterator[LinkedTurn]:
    last, end = 0, log.end_of(stream)
    while last < end and (rows := log.ask(layout.STORED, stream, last)):
        links = dict(log.ask(layout.LINKS, stream, last))
        last_number = rows[-1][0]
        if isinstance(last_number, int) and len(links) == len(rows) and max(links) == last_number:
            for (number, topic, state), link in zip(rows, links.values(), strict=True):
                yield number, topic, state, link
        else:
            for number, topic, state in rows:
                link = links.get(number) or next((row[0] for row in log.ask(layout.LINK, stream, number)), None)
                yield number, topic, state, link if isinstance(link, bytes) else None
        last = last_number


class _ChancesOfBranches:
    """The dice and cards on the branches of a campaign, read when a turn is met that was adopted from one."""

    def __init__(self, log: StoredLog) -> None:
        self._log = log

    def beside(self, stream: str) -> Callable[[int], Iterator[Chances]]:
        """From a seed to the dice and cards of turns with it on other branches than this one."""
        return lambda seed: (chances for of, chances in self._by_seed.get(seed, ()) if of != stream)

    @cached_property
    def _by_seed(self) -> dict[int, list[tuple[str, Chances]]]:
        by_seed: dict[int, list[tuple[str, Chances]]] = {}
        for _, line in self._log.lines():
            if not isinstance(line, DamagedLog):
                with suppress(DamagedLog, NewerVersion):  # which is a finding where the branch is verified
                    for seed, chances in chances_by_seed(line, line.fork):
                        by_seed.setdefault(seed, []).append((line.stream, chances))
        return by_seed


def _verify_branch(
    line: StoredLog,
    ids: dict[Row, None],
    at_forks: AtForks,
    chances: _ChancesOfBranches,
    progress: Callable[[], None] | None,
) -> Iterator[Finding]:
    """Verify the turns of one branch after its fork, by deciding them again; those before belong to its base.

    `ids` are the numbers and ids as they are listed, each is removed once it is found right.
    """
    base = at_forks.get(line.base, {}).get(line.fork)
    redraws, late = Redraws(), set[int]()
    notes: list[Finding] = []
    try:
        snapshots = turns_with_snapshots(line, line.fork)
        on_trust, effective = OnTrust(), EffectiveHistory((), line.rules)
        with suppress(DamagedLog, NewerVersion):  # a revising turn that cannot be read is a finding of its own
            effective = effective_history(line, after=line.fork)
        deciding = decide_all_again(
            line,
            line.fork,
            snapshots,
            on_trust,
            base=base,
            at_forks=at_forks.get(line.stream),
            chance_on_branches=chances.beside(line.stream),
        )
        for turn, finding in deciding:
            notes += redraws.notes(turns_that_drew((turn,), effective))
            if turn.place is not None:
                late.add(turn.number)
            if finding is not None and finding.kind != "older":  # turns of older versions are only counted
                yield finding
            if (listed := (turn.number, turn.id)) in ids:
                del ids[listed]
            else:
                yield Finding(f"T{turn.number} is not listed under its id.", turn.number)
            if progress is not None:
                progress()
        for number in sorted({turn.number for turn in line.late_turns(line.fork)} ^ late):
            yield Finding(f"T{number} is listed as a late entry and is not, or the other way round.", number)
        for number, _ in ids:
            is_there = line.record(line.stream, number) is not None
            if number > line.last() and is_there:
                continue  # recorded after the others were read
            missing = f"An id leads to T{number}, which is not there."
            sentence = f"T{number} is listed twice, under two ids." if is_there else missing
            yield Finding(sentence, number)
        yield from (*on_trust.findings(linked=line.is_linked), *notes)
        if snapshots:
            line.snapshots.discard()
            yield Finding("A state in the cache folder did not agree with the log and was thrown away.", kind="note")
    except DamagedLog as error:
        yield Finding(str(error))
    except NewerVersion as error:
        yield Finding(error.reason, error.number, "newer")
