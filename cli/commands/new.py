"""Start a campaign and make it the current one.

Examples:
  campaign new "The Sunken Mill" --rules osr
  campaign new Friday --rules gloomhaven --file friday.campaign
"""

import secrets
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from cli.line.evening import first_steps
from cli.recording.authorship import author, moment
from cli.recording.choosing import KEYS
from cli.shell import options
from cli.shell.choose import slug
from cli.shell.command_context import current_from_now, handler_for, open_chosen
from cli.shell.ending import Unanswered
from cli.shell.partial_failure import report_saved
from cli.shell.rulebooks import rulebook_with_evidence
from cli.shell.words import option_values
from cli.store.anywhere import create_at
from cli.store.making import create
from cli.terminal.answers import answer_json
from cli.terminal.asking import pick
from cli.terminal.screen import Screen, as_text, complain
from domain.log.port import MemoryLog
from domain.refusal import Invalid, Unknown
from domain.registry import action_from, system_of
from domain.system.installed import installed, package_of
from domain.system.type_descriptions import either
from projections.views.rulebook import Rulebook, inheritance_of, options_set


def new(
    name: Annotated[str, typer.Argument(help="What the campaign is called.")],
    rules: Annotated[
        str | None, typer.Option("--rules", "-r", help="The rule system.", autocompletion=options.known("systems"))
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Where to keep it.")] = None,
    server: options.In = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help="Start with this option.",
            autocompletion=options.known("options_of_rules"),
        ),
    ] = None,
    inherit: Annotated[
        str | None, typer.Option(metavar="BOOK", help="Begin with this rulebook (JSON, or a campaign).")
    ] = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    if not name.strip():
        raise Invalid("A campaign needs a name.")
    rules = rules or _ask_rules(Screen(color))
    try:
        system = system_of(rules)
    except Unknown as error:
        raise Invalid(error.reason) from None
    if file is not None and server is not None:
        raise Invalid("A campaign lies in a file or on a server: leave out --file or --in.")
    path = file or Path(f"{slug(name)}.campaign")
    log = MemoryLog(rules)
    set_here = option_values(set_, rules)
    start = {"name": name.strip(), "rules": rules, "options": set_here, "package": package_of(rules)}
    if inherit is not None:
        parent, values = _inheritance_from(inherit)
        start |= {"inherits": parent, "options": {**values, **set_here} if parent["rules"] == rules else set_here}
    action = action_from(rules, {"type": "campaign.start", **start})
    turn = handler_for(log).record(action, by=author(by), at=moment(when, complain)).turn
    campaign_id, where = secrets.token_hex(8), as_text(path)
    if server is not None:
        where = create_at(server, campaign_id, name.strip(), slug(name), turn)
    else:
        create(path, campaign_id, turn)
    with report_saved(lambda: f"{where} is made"), current_from_now(where):
        screen = Screen(color)
        if json:
            screen.json(answer_json(system, turn) | {"file": where})
        else:
            book = f" with the rulebook of {parent['campaign']}" if inherit is not None else ""
            screen.line(f"{name.strip()} begins, under the rules of {rules}{book}, in {where}.")
            steps = first_steps(rules)
            if not steps:
                screen.line(
                    'Next: campaign session open "…", then enrol the characters: ', f"campaign {rules} enrol --help"
                )
            for number, line in enumerate(steps):
                screen.line("      " if number else "Next: ", f"campaign {line}")
            if steps:
                screen.line(
                    f"The same at one screen: campaign play. Every verb of these rules: campaign {rules} --help"
                )
        screen.flush()


def _ask_rules(screen: Screen) -> str:
    """Ask for the rule system. Raises Invalid if nobody can be asked, Unanswered if nobody answers."""
    purposes = installed()
    if not screen.answers:
        raise Invalid(f"--rules is missing: {either(purposes)}. Try: campaign new --help")

    lines = [f"{key}: {purpose}" for key, purpose in purposes.items()]
    try:
        return list(purposes)[KEYS.index(pick("Under which rules?", list(zip(KEYS, lines, strict=False))))]
    except (KeyboardInterrupt, EOFError) as stopped:
        raise Unanswered(stopped) from None


# -- what is inherited: a rulebook written as JSON, or that of another campaign ----------------------------------------

#: Bytes of a book at most; real ones have a few pages.
LARGEST = 20_000_000


def _inheritance_from(source: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The inheritance from a book or a campaign as JSON, and the values of its options.

    Raises Invalid, and what opening a campaign raises.
    """
    if _is_json(Path(source)):
        book = _from_json(Path(source))
    else:
        with open_chosen(source) as (log, system):
            book = rulebook_with_evidence(log, system, log.last())
    return msgspec.to_builtins(inheritance_of(book)), options_set(book)


def _is_json(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(64).lstrip()[:1] == b"{"
    except OSError:
        return False


def _from_json(path: Path) -> Rulebook:
    no_book = f"{path} is not a rulebook; write one with campaign rules --book -O json -o {path.name}"
    try:
        if path.stat().st_size > LARGEST:
            raise Invalid(no_book)
        value = msgspec.json.decode(path.read_bytes())
        if value.get("type") != "rulebook":
            raise Invalid(no_book)
        return msgspec.convert(value, Rulebook)
    except (OSError, ValueError, RecursionError, msgspec.DecodeError):
        raise Invalid(no_book) from None
