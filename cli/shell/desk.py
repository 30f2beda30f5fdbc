"""What most commands begin with: the campaign opened, a point found, a character found, an action recorded."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from cli.shell.afterwards import AFTERWARDS, AfterSaving, saved_told
from cli.shell.choose import Chosen, choose, remember
from cli.store.anywhere import open_log
from cli.store.failures import STRANGE
from cli.store.streams import StoredLog
from cli.terminal.screen import Screen, complain
from domain.common.revisions import REVISIONS
from domain.log.port import Damaged, Log, NotSaved
from domain.refusal import Invalid
from domain.system.installed import is_installed, missing
from domain.system.registry import action_from, action_kinds, system_of
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

if TYPE_CHECKING:
    from domain.log.placing import Telling


@contextmanager
def opened(
    named: str | None, *, write: bool = False, whatever: bool = False, ruled: bool = True
) -> Iterator[tuple[StoredLog, RuleSystem]]:
    """The campaign that is meant, with its rule system; one whose rules are missing only if it need not be `ruled`.

    Raises Invalid, store.Unopenable, log.Damaged; NotSaved if turns are to be appended to a log that no longer
    holds what was last seen of it, unless `whatever`.
    """
    from cli.shell import seen

    chosen = choose(named)
    if write:
        _not_by_mistake(chosen)
    with open_log(chosen.address, write=write, ruled=ruled) as log:
        if log.notice and not write:  # whoever writes is told when saving fails
            complain(log.notice)
        if write:
            remember(log.address)
        lost = None if whatever else seen.gone(log)
        if lost is not None:
            then = "Look at it with `campaign verify`; `campaign verify --accept` takes it as it is."
            if write:
                raise NotSaved(f"{lost.sentence} Nothing was saved. {then}")
            complain(f"{lost.sentence} {then}")
        with _saved_all_the_same(log):
            with damage_named(log):
                yield log, system_of(log.rules) if is_installed(log.rules) else _system_to_read(log)
            if lost is None and not whatever:
                seen.see(log)


#: After so many seconds the campaign used last is that of another evening.
ANOTHER_EVENING = 12 * 3600


def _not_by_mistake(chosen: Chosen) -> None:
    """Say that a turn goes to the campaign of another evening, which does not lie here; ask where one can be asked."""
    if chosen.used_last is None or now().timestamp() - chosen.used_last < ANOTHER_EVENING:
        return
    day = datetime.fromtimestamp(chosen.used_last, UTC).astimezone().date()
    complain(f"There is no campaign in this folder; the one used last, on {day}, is {chosen.address}.")
    if sys.stdin.isatty() and sys.stderr.isatty():
        ask_first("Write to it?")


def _system_to_read(log: StoredLog) -> RuleSystem:
    """What a log is told by whose rules are missing, once that is said."""
    from domain.system.uninstalled import system_to_read

    complain(f"{log.name} is played under {missing(log.rules, log.package)}")
    return system_to_read(log.rules)


@contextmanager
def _saved_all_the_same(log: StoredLog) -> Iterator[None]:
    """Whatever fails after a turn was saved says that it is saved, lest somebody tells it again."""
    try:
        yield
    except AFTERWARDS as error:
        if not log.saved:
            raise
        raise AfterSaving(log.saved, error) from error
    except STRANGE:
        if log.saved:
            complain(f"{saved_told(log.saved)}.")
        raise


@contextmanager
def damage_named(log: StoredLog) -> Iterator[None]:
    """Raise Damaged where something strange happens with a log that is not what was written; else it is a bug."""
    try:
        yield
    except STRANGE as error:
        from cli.store.checking import verified

        wrong = next((finding for finding in verified(log) if finding.kind == "damage"), None)
        if wrong is None:
            raise
        raise Damaged(wrong.sentence) from error


def point_in(log: Log, at: str | None) -> int:
    """The turn number of a point (None: now)."""
    if at is None:
        return log.last()
    from domain.log.points import turn_at

    return turn_at(at, log)


def now() -> datetime:
    """The time on this machine, with its zone, to the second."""
    return datetime.now(UTC).astimezone().replace(microsecond=0)


def scribe_for(log: Log) -> Any:
    """A scribe with this machine's clock and chance."""
    import os

    from domain.log.chance import SEED_LIMIT
    from domain.log.scribe import Scribe

    # what `secrets` gives, without importing it: the limit divides 2^64, so that every seed is as likely
    def new_seed() -> int:
        return int.from_bytes(os.urandom(8), "big") % SEED_LIMIT

    return Scribe(log, clock=now, new_id=lambda: os.urandom(8).hex(), new_seed=new_seed)


def perform(
    named: str | None,
    value: Mapping[str, Any],
    *,
    screen: Screen,
    as_: str | None = None,
    as_json: bool = False,
    by: str | None = None,
    when: str | None = None,
    dry_run: bool = False,
    yes: bool = True,
    asks: bool = False,
    seal: bool = False,
    telling: "Telling | None" = None,
) -> None:
    """Record one action and say what happened, and what to do next where something is open.

    An action that changes earlier turns is shown before it is done, and asked for on a terminal unless `yes`; with
    `asks`, the rules' own questions about it are asked there. With `seal` the seal of the log is said at the end.
    """
    with opened(named, write=True) as (log, system):
        asked_of = str(value["type"]).partition(".")[0]
        if asked_of != log.rules and "." in str(value["type"]) and is_installed(asked_of):
            raise Invalid(f"{log.name} is played under {log.rules}; its verbs: campaign {log.rules} --help")
        from cli.line.values import OF_SHEETS, sheet_as_meant

        scribe = scribe_for(log)
        value = _with_turns(log, value)
        if value["type"] in OF_SHEETS:
            value = sheet_as_meant(system, scribe.state(), value)
        action = action_from(log.rules, value)
        record(
            scribe,
            action,
            screen=screen,
            as_json=as_json,
            by=by,
            when=when,
            dry_run=dry_run,
            yes=yes,
            asks=asks,
            telling=telling,
            as_=as_,
        )
        if seal and not as_json:
            from domain.log.links import sealed

            screen.line(f"    Seal: {sealed(log.last(), log.link(log.last()))}", indent=None)
            screen.flush()


def _with_turns(log: StoredLog, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The value with the turns that it counts back from the latest (@, @-1) by their numbers. Raises Refusal."""
    from cli.line.values import turn_said
    from domain.system.hints import fields_of

    kind = action_kinds(log.rules).get(str(value["type"]))
    # a point is a text, and stays as it is told
    turns = (field for field in fields_of(kind) if field.turn and field.kind.shape != "text") if kind else ()

    def number(said: Any) -> Any:
        if isinstance(said, list):
            return [number(each) for each in said]
        return turn_said(said, log) or said if isinstance(said, str) and said[:1] == "@" else said

    return {**value, **{field.key: number(value[field.key]) for field in turns if field.key in value}}


def revises(action: Action) -> bool:
    """Whether an action changes earlier turns, so that it is shown before it is done, and asked for."""
    from domain.common.rulings import Ruling

    return isinstance(action, REVISIONS) or (isinstance(action, Ruling) and action.since is not None)


def record(
    scribe: Any,
    action: Action,
    *,
    screen: Screen,
    as_json: bool = False,
    by: str | None = None,
    when: str | None = None,
    dry_run: bool = False,
    yes: bool = True,
    asks: bool = False,
    telling: "Telling | None" = None,
    as_: str | None = None,
) -> None:
    """The same at a campaign that is open. With `as_`, a dry run tells what this player may know of it."""
    from cli.shell.words import author, moment
    from cli.terminal.answers import answer_json, print_answer, print_preview, print_sheets
    from domain.log.placing import NOW
    from domain.log.scribe import Line
    from projections.prospect import on_sheets, prospect

    system, at, by = scribe.system, moment(when), author(by)
    if as_ is not None:
        _foreseen_by(as_, scribe, action, screen, as_json=as_json, dry_run=dry_run)
    line, shown = Line(action, by=by, at=at, telling=telling or NOW), False
    if dry_run or (not yes and screen.interactive):
        told = prospect(scribe, line)
        shown = dry_run or not told.only_latest
        if shown:
            print_preview(system, told, screen, as_json=as_json)
            screen.flush()
        if dry_run:
            import typer

            raise typer.Exit(1 if told.reaches_back else 0)
        if shown and not told.conflicts:
            ask_first()
    asks = asks and not as_json and screen.answers
    if asks:
        from cli.shell.questions import decided_afterwards, decided_here

        (asked,) = decided_here(scribe, (action,), telling)
        asks, action = asked == action, asked
    before = scribe.state().copy()
    waited_for = system.table_matters(before)
    outcome = scribe.record(action, by=by, at=at, telling=line.telling)
    state = scribe.state()
    if as_json:
        screen.json(answer_json(system, outcome.turn))
    else:
        print_answer(system, outcome, state, screen, table_before=waited_for, shown_before=shown)
        if telling or revises(action):
            print_sheets(on_sheets(system, before, state), screen)
    screen.flush()
    for amended in decided_afterwards(scribe, outcome, before) if asks else ():
        record(scribe, amended, screen=screen, by=by)


def _foreseen_by(as_: str, scribe: Any, action: Action, screen: Screen, *, as_json: bool, dry_run: bool) -> None:
    """Show what a player may know of an action beforehand, and leave; where nothing is secret, that is all of it.

    Raises typer.Exit, Invalid without a dry run, NotFound if nobody is called so.
    """
    from cli.shell.viewing import seen_by

    if not dry_run:
        raise Invalid("--as shows what a player may know of it beforehand; it goes with --dry-run.")
    system, viewer = scribe.system, seen_by(scribe.log, scribe.system, as_)
    if viewer is None or not system.keeps_secrets:
        return
    import typer

    from cli.terminal.answers import print_foreseen
    from projections.foreseen import foreseen

    told = foreseen(scribe, action, viewer)
    print_foreseen(told, screen, as_json=as_json)
    screen.flush()
    raise typer.Exit(1 if told else 0)


def ask_first(question: str = "Do this?") -> None:
    """Raise typer.Abort unless the answer is yes."""
    import typer

    from cli.terminal.asking import confirmed

    try:
        agreed = confirmed(question)
    except (KeyboardInterrupt, EOFError):
        raise typer.Abort from None  # its context tells which of them it was
    if not agreed:
        raise typer.Abort
