"""`campaign new` and `campaign use`."""

import re
import secrets
from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.choose import remember
from cli.terminal.screen import Screen, as_text
from domain.refusal import Invalid


def slug(name: str) -> str:
    """A file name for a campaign, short enough for any disk: "Dungeon Crawl" is `dungeon-crawl`."""
    words = re.sub(r"[^\w]+", "-", name.casefold()).strip("-_")[:60]
    return words.encode()[:150].decode(errors="ignore") or "campaign"


def option_values(given: list[str] | None, rules: str) -> dict[str, object]:
    """`name=value` words as option values: JSON where it parses as the option's type, else text."""
    import msgspec

    from domain.common.campaign import options_of
    from domain.system.registry import system_of

    known = options_of(system_of(rules).options)
    found: dict[str, object] = {}
    for word in given or ():
        name, sign, text = word.partition("=")
        name = name.strip().replace("-", "_")
        if not sign:
            raise Invalid(f"Write an option as NAME=VALUE; {word!r} has no value.")
        if name in found:
            raise Invalid(f"{name} is set twice.")
        found[name] = text
        if name in known:
            try:
                found[name] = msgspec.json.decode(text, type=known[name].type)
            except (msgspec.DecodeError, RecursionError):
                found[name] = text
    return found


def new(
    name: Annotated[str, typer.Argument(help="What the campaign is called.", show_default=False)],
    rules: Annotated[
        str,
        typer.Option(
            "--rules",
            "-r",
            help="The rule system.",
            autocompletion=options.complete_systems,
            show_default=False,
        ),
    ],
    file: Annotated[Path | None, typer.Option("--file", "-f", help="Where to keep it.", show_default=False)] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="Start with this option.", show_default=False),
    ] = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Start a campaign and make it the current one."""
    from cli.shell.desk import author, moment, scribe_for
    from cli.store.file import create
    from cli.terminal.answers import answer_json
    from domain.log.port import MemoryLog
    from domain.system.registry import action_from, system_of

    system = system_of(rules)
    if not name.strip():
        raise Invalid("A campaign needs a name.")
    path = file or Path(f"{slug(name)}.campaign")
    log = MemoryLog(rules)
    action = action_from(
        rules, {"type": "campaign.start", "name": name.strip(), "rules": rules, "options": option_values(set_, rules)}
    )
    turn = scribe_for(log).record(action, by=author(by), at=moment(when)).turn
    create(path, secrets.token_hex(8), turn)
    remember(path)
    screen = Screen(color)
    if json:
        screen.json(answer_json(system, turn) | {"file": as_text(path)})
    else:
        screen.line(f"{name.strip()} begins, under the rules of {rules}, in {path}.")
        screen.line('Next: campaign session open "…", then enrol the characters: ', f"campaign {rules} enrol --help")
    screen.flush()


def use(
    file: Annotated[Path, typer.Argument(help="The campaign file.", show_default=False)],
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Choose the current campaign."""
    from cli.store.file import open_campaign
    from domain.log.folding import state_at
    from domain.system.registry import system_of

    with open_campaign(file) as log:
        state = state_at(system_of(log.rules), log, 1)
        turns = log.last()
    remember(file)
    screen = Screen(color)
    screen.line(f"{state.campaign.name} is the current campaign now: {file}, T{turns}.")
    screen.flush()
