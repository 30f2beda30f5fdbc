"""The commands of a rule system beside its verbs: readers of other programs' files, and lookups."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cli.shell import options
from cli.shell.command_context import handler_for, open_chosen, played_otherwise, read_up_to
from cli.shell.declaration import gathering
from cli.shell.parser import Command, command_of
from cli.shell.record_options import RecordOptions, command_of_options, record_options_of, record_parameters
from cli.terminal.answers import answer_json, print_answer
from cli.terminal.screen import Screen, Span
from cli.terminal.sheet import print_rows
from domain.log.folding import state_at
from domain.refusal import Invalid, Refusal
from domain.registry import action_from
from domain.system.extensions import FileReader, Files, Lookup
from domain.system.rulesystem import RuleSystem

#: Bytes in all, and files of a folder, that are read at most.
MOST_BYTES, MOST_FILES = 64_000_000, 5_000


def offered_by(system: RuleSystem) -> dict[str, FileReader | Lookup]:
    """The readers and look-ups of a system, by their verbs."""
    readers = (reader for reader in system.readers if not reader.option)
    extensions: tuple[FileReader | Lookup, ...] = (*readers, *system.lookups)
    return {extension.verb: extension for extension in extensions}


def is_offered(system: RuleSystem, words: Sequence[str]) -> bool:
    """Whether a line begins with an extension of the system, or has the option of one."""
    options = {(reader.verb, f"--{reader.option}") for reader in system.readers if reader.option}
    options |= {(lookup.also[0], f"--{lookup.also[1]}") for lookup in system.lookups if lookup.also}
    return words[0] in offered_by(system) or any((words[0], word.partition("=")[0]) in options for word in words)


def words_of(offer: FileReader | Lookup) -> list[str]:
    """The examples of a reader or a lookup as command lines."""
    option = f"--{offer.option} " if isinstance(offer, FileReader) and offer.option else ""
    return [f"campaign {offer.verb} {option}{example}" for example in offer.examples]


def reading_in(system: RuleSystem, words: Sequence[str]) -> tuple[FileReader, str] | None:
    """The reader that a line names by an option, and its path; None if it names none. Raises Invalid for more words."""
    for reader in (candidate for candidate in system.readers if candidate.option and candidate.verb == words[0]):
        name = f"--{reader.option}"
        at = next((at for at, word in enumerate(words) if word.partition("=")[0] == name), None)
        if at is None:
            continue
        _, sign, where = words[at].partition("=")
        rest = [*words[1:at], *words[at + (1 if sign else 2) :]]
        if not sign:
            where = words[at + 1] if at + 1 < len(words) else ""
        if rest:
            raise Invalid(f"{name} reads everything from files; leave the other words out.")
        if not where:
            raise Invalid(f"{name} needs a file or a folder.")
        return reader, where
    return None


def listing_in(system: RuleSystem, words: Sequence[str]) -> Lookup | None:
    """The lookup that a line names by an option of its verb; None if it names none."""
    pairs = {(words[0], word) for word in words[1:]}
    return next(
        (lookup for lookup in system.lookups if lookup.also and (lookup.also[0], f"--{lookup.also[1]}") in pairs), None
    )


def files_at(where: str) -> Files:
    """The bytes of a file, or of every JSON file below a folder, by path. Raises Invalid."""
    path = Path(where)
    try:
        folder = path.is_dir()
        files = sorted(file for file in path.rglob("*.json") if file.is_file()) if folder else [path]
        if not files:
            raise Invalid(f"There is no JSON file in the folder {where}.")
        if len(files) > MOST_FILES:
            raise Invalid(f"There are more than {MOST_FILES:,} JSON files in {where}; name a folder further in.")
        if sum(file.stat().st_size for file in files) > MOST_BYTES:
            raise Invalid(f"{where} is too large to be read (more than {MOST_BYTES // 1_000_000} MB).")
        return {file.relative_to(path).as_posix() if folder else file.name: file.read_bytes() for file in files}
    except OSError as error:
        raise Invalid(f"{where} cannot be read: {(error.strerror or str(error)).lower()}.") from None


def take_in(reader: FileReader, where: str, manner: RecordOptions) -> None:
    """Record the actions that a reader makes of files, all or none, and print what is left open, or only preview it."""
    files, screen = files_at(where), manner.screen
    with open_chosen(manner.campaign, write=True) as (log, system):
        if reader not in system.readers:
            raise played_otherwise(log)
        handler = handler_for(log)
        reading = reader.read(files, handler.state())
        actions = [action_from(log.rules, value) for value in reading.actions]
        outcomes = handler.record_together(
            [command_of_options(manner, action) for action in actions], dry_run=manner.dry_run
        )
        if manner.json:
            turns = [answer_json(system, value.turn) for value in outcomes]
            screen.json({"turns": turns, "left_open": list(reading.left_open)})
        else:
            state = handler.state()
            for outcome in outcomes:
                print_answer(system, outcome, state, screen, hints=outcome is outcomes[-1])
            if reading.left_open:
                screen.line("The files leave open:")
            for value in reading.left_open:
                screen.line(Span(f"    {value}", "yellow"), indent=6)
            if manner.dry_run:
                screen.line("Nothing was recorded.")
    screen.flush()
    if not outcomes:
        raise Refusal(None, f"There is nothing in {where} that the log does not know already.")


def reader_command(reader: FileReader) -> Command:
    """The command of a reader with a verb of its own."""

    def run(manner: RecordOptions, file: Annotated[str, typer.Argument(metavar="FILE", help="What to read.")]) -> None:
        take_in(reader, file, manner)

    run_with_options = gathering(run, RecordOptions, record_options_of, record_parameters(without=("yes",)))
    return command_of(reader.verb, run_with_options, reader.help, examples=lambda: words_of(reader))


def lookup_command(lookup: Lookup) -> Command:
    """The command of a lookup: one thing by its name, or the list of names."""

    def names(ctx: Any, incomplete: str) -> list[str]:
        from cli.shell.completion import subjects_of

        return subjects_of(lookup.verb)(incomplete, ctx.params)

    def run(
        name: Annotated[
            str | None, typer.Argument(help="Which (default: what there is).", autocompletion=names)
        ] = None,
        at: options.At = None,
        campaign: options.Campaign = None,
        json: options.Json = False,
        color: options.ColorWhen = options.Color.auto,
    ) -> None:
        look_up(lookup, name, at, campaign, Screen(color), as_json=json)

    return command_of(lookup.verb, run, lookup.help, examples=lambda: words_of(lookup))


def look_up(
    lookup: Lookup, name: str | None, at: str | None, campaign: str | None, screen: Screen, *, as_json: bool
) -> None:
    """Print one thing of a lookup, or with None the names of all."""

    with open_chosen(campaign) as (log, system):
        if lookup not in system.lookups:
            raise played_otherwise(log)
        state: Any = state_at(system, log, read_up_to(log, at))
        if name is None:
            names = list(lookup.names(state))
            if as_json:
                screen.json(names)
            else:
                screen.line(", ".join(names) or "Nothing yet.")
        elif as_json:
            screen.json(options.or_not_found(lambda: lookup.to_view(state, name)))
        else:
            print_rows(screen, options.or_not_found(lambda: lookup.rows(state, name)))
    screen.flush(pager=True)
