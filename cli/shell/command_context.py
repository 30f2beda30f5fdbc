"""What most commands begin with: the campaign opened, a point found, a command handler, a question first."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from cli.shell.choose import Chosen, choose, remember
from cli.shell.ending import Unanswered
from cli.shell.options import found
from cli.shell.partial_failure import saved_sentence, saying_what_was_saved
from cli.store.anywhere import open_log
from cli.store.failures import STRANGE
from cli.store.streams import StoredLog
from cli.terminal.screen import complain, typed_in
from domain.log.port import AsOf, DamagedLog, Log, NotSaved
from domain.refusal import Refusal
from domain.registry import system_of
from domain.registry.uninstalled import system_to_read
from domain.system.chance import SEED_LIMIT
from domain.system.installed import is_installed, missing
from domain.system.rulesystem import RuleSystem


@contextmanager
def opened(
    named: str | None, *, write: bool = False, whatever: bool = False, ruled: bool = True
) -> Iterator[tuple[StoredLog, RuleSystem]]:
    """The campaign that is meant, with its rule system; one whose rules are missing only if it need not be `ruled`.

    Raises Invalid, store.Unopenable, log.Damaged; NotSaved if turns are to be appended to a log that no longer
    holds what was last seen of it, unless `whatever`.
    """
    from cli.shell import last_seen_store

    chosen = choose(named)
    if write:
        _not_by_mistake(chosen)
    with open_log(chosen.address, write=write, ruled=ruled) as log:
        if log.notice and not write:  # whoever writes is told when saving fails
            complain(log.notice)
        if write:
            remember(log.address)
        lost = None if whatever else last_seen_store.gone(log)
        if lost is not None:
            then = "Look at it with `campaign verify`; `campaign verify --accept` takes it as it is."
            if write:
                raise NotSaved(f"{lost.sentence} Nothing was saved. {then}")
            complain(f"{lost.sentence} {then}")
        with saying_what_was_saved(lambda: saved_sentence(log)):
            with damage_named(log):
                yield log, system_of(log.rules) if is_installed(log.rules) else _system_to_read(log)
            if lost is None and not whatever:
                last_seen_store.see(log)


#: After so many seconds the campaign used last is that of another evening.
ANOTHER_EVENING = 12 * 3600


def of_another_evening(chosen: Chosen) -> bool:
    """Whether it is only the one that was used last, and that is long ago."""
    return chosen.used_last is not None and now().timestamp() - chosen.used_last >= ANOTHER_EVENING


def _not_by_mistake(chosen: Chosen) -> None:
    """Say that a turn goes to the campaign of another evening, which does not lie here; ask where one can be asked."""
    if chosen.used_last is None or not of_another_evening(chosen):
        return
    day = datetime.fromtimestamp(chosen.used_last, UTC).astimezone().date()
    complain(f"There is no campaign in this folder; the one used last, on {day}, is {chosen.address}.")
    if typed_in() and bool(sys.stderr) and sys.stderr.isatty():
        ask_first("Write to it?")


def _system_to_read(log: StoredLog) -> RuleSystem:
    """What a log is told by whose rules are missing, once that is said."""
    complain(f"{log.name} is played under {missing(log.rules, log.package)}")
    return system_to_read(log.rules)


@contextmanager
def damage_named(log: StoredLog) -> Iterator[None]:
    """Raise DamagedLog where something strange happens with a log that is not what was written; else it is a bug."""
    try:
        yield
    except STRANGE as error:
        from cli.store.checking import verified

        wrong = next((finding for finding in verified(log) if finding.kind == "damage"), None)
        if wrong is None:
            raise
        raise DamagedLog(wrong.sentence) from error


def point_in(log: Log, at: str | None) -> int:
    """The turn number of a point (None: now)."""
    if at is None:
        return log.last()
    from domain.log.points import turn_at

    return turn_at(at, log, sessions=_sessions)


def read_up_to(log: Log, at: str | None) -> int:
    """The turn up to which a command reads (None: now). Raises NotFound for a point that is not there."""
    return found(lambda: point_in(log, at))


def _sessions(log: Log, upto: int) -> Mapping[int, tuple[int, int]]:
    """The sessions that stand at a turn: from the kept view if there is one, for in the log that takes all of it."""
    whole = log.whole if isinstance(log, AsOf) else log
    if isinstance(whole, StoredLog) and is_installed(whole.rules):
        from cli.shell.viewing import sessions_known

        return sessions_known(whole, system_of(whole.rules), upto)
    from domain.log.points import sessions_of

    return sessions_of(log, upto)


def points_between(text: str | None, log: Log) -> tuple[int, int]:
    """`T3..T9`, `S2..`, `..T9`, or one point for "from there to now": the two turns. Raises Invalid, Refusal."""
    if text is None:
        return log.last() - 1, log.last()
    start, _, end = text.partition("..")
    first = point_in(log, start) if start.strip() else 1
    last = point_in(log, end) if end.strip() else log.last()
    if first > last:
        raise Refusal(None, f"{text} is empty: T{first} comes after T{last}; try {end or '@'}..{start}.")
    return first, last


def now() -> datetime:
    """The time on this machine, with its zone, to the second."""
    return datetime.now(UTC).astimezone().replace(microsecond=0)


def handler_for(log: Log) -> Any:
    """A command handler with this machine's clock and chance."""
    import os

    from cli.shell import last_seen_store
    from domain.log.command_handler import CommandHandler

    # what `secrets` gives, without importing it: the limit divides 2^64, so that every seed is as likely
    def new_seed() -> int:
        return int.from_bytes(os.urandom(8), "big") % SEED_LIMIT

    pending_draws = last_seen_store.StoredPendingDraws(log) if isinstance(log, StoredLog) else None
    return CommandHandler(
        log, clock=now, new_id=lambda: os.urandom(8).hex(), new_seed=new_seed, pending_draws=pending_draws
    )


def ask_first(question: str = "Do this?") -> None:
    """Raise Unanswered unless the answer is yes."""
    from cli.terminal.asking import confirmed

    try:
        agreed = confirmed(question)
    except (KeyboardInterrupt, EOFError) as stopped:
        raise Unanswered(stopped) from None
    if not agreed:
        raise Unanswered
