"""The context of a command: the opened campaign, points of its log, its viewer, its handler, and confirmations."""

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any

from cli.shell import last_seen_store
from cli.shell.choose import NotRemembered, choose, remember
from cli.shell.ending import UNSAVED, Unanswered
from cli.shell.options import NotFound, or_not_found
from cli.shell.partial_failure import report_saved, saved_sentence
from cli.shell.references import session_number
from cli.store.anywhere import open_log
from cli.store.failures import STRANGE, Unopenable
from cli.store.server.address import is_server
from cli.store.stored_log import StoredLog
from cli.terminal.asking import confirm
from cli.terminal.screen import complain, typed_in
from domain.log.points import sessions_of, turn_at
from domain.log.port import DamagedLog, Log, NotSaved
from domain.naming import key_of
from domain.refusal import Invalid, Refusal, Unknown
from domain.registry import system_of
from domain.registry.uninstalled import system_to_read
from domain.system.chance import SEED_LIMIT
from domain.system.installed import is_installed, missing
from domain.system.rulesystem import RuleSystem
from domain.times import local_now, unwritable_now
from projections.secrecy import ANYBODY, TABLE, find_player


@contextmanager
def open_chosen(
    campaign: str | None,
    *,
    write: bool = False,
    even_if_rewritten: bool = False,
    needs_rules: bool = True,
    names_copies: bool = True,
) -> Iterator[tuple[StoredLog, RuleSystem]]:
    """Open the chosen campaign and yield it with its rule system.

    Without `needs_rules` they need not be installed; with `even_if_rewritten` a log that no longer holds what was last
    seen of it is opened all the same. Raises Invalid, Unopenable, DamagedLog, and NotSaved for writing to such a log.
    """
    choice = choose(campaign)
    if choice.used_last is not None:
        _not_by_mistake(choice.address, choice.used_last, write=write)
    if write and (sentence := unwritable_now()):
        complain(sentence)
    with open_log(choice.address, write=write, needs_rules=needs_rules) as log:
        if log.notice and not write:  # a writing command reports it when saving fails
            complain(log.notice)
        failures: list[NotRemembered] = []
        if write:
            log.on_first_save = lambda: _remember(log.address, failures)
        if names_copies and not is_server(log.address) and _lies_beside_a_conflict(log.address):
            from cli.shell.campaigns import conflicted_copies  # few folders hold one

            for sentence in conflicted_copies(log):
                complain(sentence)
        finding = None if even_if_rewritten else last_seen_store.missing_turn(log)
        if finding is not None:
            then = "Look at it with `campaign verify`; `campaign verify --accept` takes it as it is."
            if write:
                raise NotSaved(f"{finding.sentence} Nothing was saved. {then}")
            complain(f"{finding.sentence} {then}")
        try:
            with report_saved(lambda: saved_sentence(log)):
                with naming_damage(log):
                    if not is_installed(log.rules):
                        complain(f"{log.name} is played under {missing(log.rules, log.package)}")
                    yield log, system_of(log.rules) if is_installed(log.rules) else system_to_read(log.rules)
                if finding is None and not even_if_rewritten:
                    with suppress(Unopenable):  # it is answered; a disk that fails now is no failure of that
                        last_seen_store.see(log)
        finally:
            if failures and failures[0].before:  # lines without -c go on to another campaign
                complain(str(failures[0]))


def _remember(address: str, failures: list[NotRemembered]) -> None:
    """Make a campaign the one used last; the error is kept until the screen is free."""
    try:
        remember(address)
    except NotRemembered as failure:
        failures.append(failure)


@contextmanager
def current_from_now(address: str) -> Iterator[None]:
    """Make a new campaign the current one; if that fails, say so after what the block prints."""
    failures: list[NotRemembered] = []
    _remember(address, failures)
    try:
        yield
    finally:
        for failure in failures:
            complain(str(failure))


def _lies_beside_a_conflict(file: str) -> bool:
    """Whether a name in the folder of a campaign file says that it is a conflicted copy, as sync tools call them."""
    try:
        return any("conflict" in name.casefold() for name in os.listdir(Path(file).parent))  # noqa: PTH208  quicker
    except OSError:
        return False


#: Seconds after which the campaign used last counts as that of another evening.
ANOTHER_EVENING = 12 * 3600


def _not_by_mistake(address: str, used_last: float, *, write: bool) -> None:
    """Name a campaign that was only used last, in another folder, to whoever reads at a terminal or writes to it.

    Before writing to it long after that, ask for confirmation on a terminal.
    """
    somebody_reads = bool(sys.stderr) and sys.stderr.isatty()
    if not write or time.time() - used_last < ANOTHER_EVENING:
        if write or somebody_reads:  # a script that reads is not bothered
            complain(f"There is no campaign in this folder; this is the one used last, {address}.")
        return
    complain(
        f"There is no campaign in this folder; the one used last, on {date.fromtimestamp(used_last)}, is {address}."
    )
    if typed_in() and somebody_reads:
        ask_first("Write to it?")


@contextmanager
def naming_damage(log: StoredLog) -> Iterator[None]:
    """Raise an unexpected error as DamagedLog if the log does not verify, and as Unopenable if its tables do not agree.

    Otherwise it is a bug and raised as it is.
    """
    try:
        yield
    except STRANGE as error:
        from cli.shell.viewing import view_differs
        from cli.store.checking import findings_in

        wrong = next((finding for finding in findings_in(log) if finding.kind == "damage"), None)
        if wrong is not None:
            raise DamagedLog(wrong.sentence) from error
        if is_installed(log.rules) and (findings := view_differs(log, system_of(log.rules))):
            raise Unopenable(f"{findings[0].sentence} Try again.", UNSAVED) from error
        raise


def played_otherwise(log: StoredLog) -> Invalid:
    return Invalid(f"{log.name} is played under {log.rules}; its verbs: campaign {log.rules} --help")


def point_in(log: Log, at: str | None, say: Callable[[str], object] | None = complain) -> int:
    """The turn number of a point (None: now). Where times run backwards, `say` is told which turn a date is taken as.

    Without `say` a date is refused there.
    """
    if at is None:
        return log.last()
    return turn_at(at, log, now=local_now(), say=say)


def read_up_to(log: Log, at: str | None) -> int:
    """The turn up to which a command reads (None: now). Raises NotFound for an unknown point."""
    return or_not_found(lambda: point_in(log, at))


def session_of(log: Log, text: str) -> int:
    """A session as it was typed: S3, 3, or the day of the evening. Raises NotFound for another day, and Invalid."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text.strip()) is None:
        return session_number(text)
    turn = or_not_found(lambda: point_in(log, text))
    for number, (first, last) in reversed(list(sessions_of(log).items())):
        if first <= turn:
            (latest,) = log.read(min(turn, last) - 1, min(turn, last))
            if latest.at.startswith(text.strip()):
                return number
            raise NotFound(f"No session was played on {text.strip()}; the one before is S{number}.")
    raise NotFound(f"No session was played on {text.strip()}.")


def seen_by(log: Log, system: RuleSystem, as_: str | None) -> str | None:
    """The player named by --as, spelled as on the sheets; None for the keeper. Raises NotFound for an unknown name.

    `--as table` means what everybody at the table may know, unless a player is called so. `TABLE`, which cannot be
    typed on a shell, is passed for a screen that everybody looks at.
    """
    if as_ is None:
        return None
    if as_ == TABLE:
        return TABLE
    try:
        return find_player(system, log, as_)
    except Unknown as unknown:
        if key_of(as_) == "table":
            return ANYBODY
        raise NotFound(unknown.reason) from None


def points_between(text: str | None, log: Log, say: Callable[[str], object] | None = complain) -> tuple[int, int]:
    """`T3..T9`, `S2..`, `..T9`, or one point for "from there to now": the two turns. Raises Invalid, Refusal.

    `say` as for `point_in`.
    """
    if text is None:
        return log.last() - 1, log.last()
    start, _, end = text.partition("..")
    first = point_in(log, start, say) if start.strip() else 1
    last = point_in(log, end, say) if end.strip() else log.last()
    if first > last:
        raise Refusal(None, f"{text} is empty: T{first} comes after T{last}; try {end or '@'}..{start}.")
    return first, last


def handler_for(log: Log) -> Any:
    """A command handler with this machine's clock, random ids and seeds, and stored pending draws."""
    from domain.log.command_handler import CommandHandler

    # like secrets.randbelow without its import; the limit divides 2^64, so that all seeds are equally likely
    def new_seed() -> int:
        return int.from_bytes(os.urandom(8), "big") % SEED_LIMIT

    pending_draws = last_seen_store.StoredPendingDraws(log) if isinstance(log, StoredLog) else None
    return CommandHandler(
        log, clock=local_now, new_id=lambda: os.urandom(8).hex(), new_seed=new_seed, pending_draws=pending_draws
    )


def ask_first(question: str = "Do this?") -> None:
    """Ask for confirmation. Raises Unanswered unless the answer is yes."""
    try:
        answer = confirm(question)
    except (KeyboardInterrupt, EOFError) as stopped:
        raise Unanswered(stopped) from None
    if not answer:
        raise Unanswered
