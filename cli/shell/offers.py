"""What a rule system offers besides its actions, as commands: files of other programs read, and what its log knows."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.shell import options
from cli.shell.desk import opened, scribe_for
from cli.shell.parser import Command, command_of
from cli.shell.words import author, moment
from cli.terminal.screen import Screen, Span
from domain.refusal import Invalid, Refusal
from domain.system.offers import Files, Lookup, Reader
from domain.system.registry import action_from
from domain.system.rulesystem import RuleSystem

if TYPE_CHECKING:
    from domain.log.placing import Telling

#: How much is read at most: bytes together, and files of a folder.
MOST_BYTES, MOST_FILES = 64_000_000, 5_000


def offered_by(system: RuleSystem) -> dict[str, Reader | Lookup]:
    """What a system offers under verbs that are no actions, by these."""
    offers: tuple[Reader | Lookup, ...] = (*(each for each in system.readers if not each.option), *system.lookups)
    return {each.verb: each for each in offers}


def is_offered(system: RuleSystem, words: Sequence[str]) -> bool:
    """Whether a line is for what the system offers: a verb of it, or a verb with the option that reads files."""
    reads = {(each.verb, f"--{each.option}") for each in system.readers if each.option}
    return words[0] in offered_by(system) or any((words[0], word.partition("=")[0]) in reads for word in words)


def command_for(offer: Reader | Lookup) -> Command:
    """The command of one of them."""
    return lookup_command(offer) if isinstance(offer, Lookup) else reader_command(offer)


def files_at(where: str) -> Files:
    """A file, or every JSON file in a folder and in those within it. Raises Invalid for what cannot be read."""
    path = Path(where)
    try:
        folder = path.is_dir()
        found = sorted(each for each in path.rglob("*.json") if each.is_file()) if folder else [path]
        if len(found) > MOST_FILES:
            raise Invalid(f"There are more than {MOST_FILES:,} JSON files in {where}; name a folder further in.")
        if sum(each.stat().st_size for each in found) > MOST_BYTES:
            raise Invalid(f"{where} is too large to be read (more than {MOST_BYTES // 1_000_000} MB).")
        return {each.relative_to(path).as_posix() if folder else each.name: each.read_bytes() for each in found}
    except OSError as error:
        raise Invalid(f"{where} cannot be read: {(error.strerror or str(error)).lower()}.") from None


def take_in(
    reader: Reader,
    where: str,
    campaign: str | None,
    screen: Screen,
    *,
    as_json: bool,
    by: str | None,
    when: str | None,
    dry_run: bool,
    telling: "Telling | None" = None,
) -> None:
    """Record what files come to, all of it or nothing, and say what they leave open. A dry run only shows it."""
    from cli.terminal.answers import answer_json, print_answer
    from domain.log.placing import NOW
    from domain.log.scribe import Line

    files = files_at(where)
    with opened(campaign, write=True) as (log, system):
        scribe = scribe_for(log)
        reading = reader.read(files, scribe.state())
        actions = [action_from(log.rules, each) for each in reading.actions]
        lines = [Line(action, by=author(by), at=moment(when), telling=telling or NOW) for action in actions]
        outcomes = scribe.record_together(lines, dry_run=dry_run)
        if as_json:
            turns = [answer_json(system, each.turn) for each in outcomes]
            screen.json({"turns": turns, "left_open": list(reading.left_open)})
        else:
            state = scribe.state()
            for outcome in outcomes:
                print_answer(system, outcome, state, screen, hints=outcome is outcomes[-1])
            if reading.left_open:
                screen.line("The files leave open:")
            for each in reading.left_open:
                screen.lines(screen.wrap((Span(f"    {each}", "yellow"),), indent=6))
            if dry_run:
                screen.line("Nothing was recorded.")
    screen.flush()
    if not outcomes:
        raise Refusal(None, f"There is nothing in {where} that the log does not know already.")


def reader_command(reader: Reader) -> Command:
    """Files of another program, read under a verb of their own."""

    def run(
        file: Annotated[str, typer.Argument(metavar="FILE", help="What to read.")],
        after: options.After = None,
        before: options.Before = None,
        drop: options.Drop = False,
        keep: options.Keep = False,
        dry_run: options.DryRun = False,
        campaign: options.Campaign = None,
        by: options.By = None,
        when: options.When = None,
        json: options.Json = False,
        color: options.ColorWhen = options.Color.auto,
    ) -> None:
        late = options.told_late(after, before, options.settled(drop, keep))
        screen = Screen(color)
        take_in(
            reader, file, campaign, screen, as_json=json, by=by, when=when, dry_run=dry_run, telling=late
        )  # fmt: skip

    return command_of(reader.verb, run, reader.help)


def lookup_command(lookup: Lookup) -> Command:
    """Something that the log knows, by its name; without one, what there is."""

    def names(ctx: typer.Context, incomplete: str) -> list[str]:
        from cli.shell.completion import looked_up

        return looked_up(lookup, incomplete, ctx.params.get("campaign"))

    def run(
        name: Annotated[
            str | None, typer.Argument(help="Which (default: what there is).", autocompletion=names, show_default=False)
        ] = None,
        at: options.At = None,
        campaign: options.Campaign = None,
        json: options.Json = False,
        color: options.ColorWhen = options.Color.auto,
    ) -> None:
        _look_up(lookup, name, at, campaign, Screen(color), as_json=json)

    return command_of(lookup.verb, run, lookup.help)


def _look_up(
    lookup: Lookup, name: str | None, at: str | None, campaign: str | None, screen: Screen, *, as_json: bool
) -> None:
    from cli.shell.desk import point_in
    from cli.terminal.sheet import print_rows
    from domain.log.folding import state_at

    with opened(campaign) as (log, system):
        state: Any = state_at(system, log, options.found(lambda: point_in(log, at)))
        if name is None:
            known = list(lookup.names(state))
            if as_json:
                screen.json(known)
            else:
                screen.line(", ".join(known) or "none")
        elif as_json:
            screen.json(options.found(lambda: lookup.shown(state, name)))
        else:
            print_rows(screen, options.found(lambda: lookup.drawn(state, name)))
    screen.flush(pager=True)
