"""Choose the current campaign, by its file or its name.

Without a name, list the campaigns of this folder, and on a terminal choose one of them.

Examples:
  campaign use mill.campaign
  campaign use mill
  campaign use
"""

from pathlib import Path
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.campaigns import campaigns_of
from cli.shell.choose import beginnings, remember
from cli.store.anywhere import open_log
from cli.store.server.address import is_server
from cli.terminal.screen import Screen, as_text
from domain.log.folding import state_at
from domain.naming import LONGEST_NAME, fitting, known_are, listed_first
from domain.refusal import Invalid
from domain.registry import system_of


def use(
    file: Annotated[
        str | None,
        typer.Argument(
            help="The campaign file, its name, or its address on a server.", autocompletion=options.known("campaigns")
        ),
    ] = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen = Screen(color)
    name_or_address = _ask_which(screen) if file is None else file
    if name_or_address is None:
        return
    address = name_or_address if is_server(name_or_address) or _exists(name_or_address) else _file_of(name_or_address)
    with open_log(address) as log:
        state = state_at(system_of(log.rules), log, 1)
        turns, where = log.last(), log.address if is_server(address) else address
    remember(where)
    screen.line(f"{state.campaign.name} is the current campaign now: {where}, T{turns}.")
    screen.flush()


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # no file can be called so
        return False


def _file_of(text: str) -> str:
    """The file of the only campaign here of this name; any other text is taken for a file. Raises Invalid."""
    if _exists(f"{text}.campaign"):
        return f"{text}.campaign"
    names = {campaign.file.as_posix(): f"{campaign.name} {campaign.file.stem}" for campaign in campaigns_of(Path())}
    files = [file for file, name in names.items() if fitting(text, (name,))]
    if len(files) > 1:
        raise Invalid(f"{text} may be {listed_first(files, 'or')}.")
    if not files and names and len(text) <= LONGEST_NAME and not text.endswith(".campaign") and "/" not in text:
        raise Invalid(f"There is no campaign {text!r} here; {known_are(text, names)}")
    return files[0] if files else text


def _ask_which(screen: Screen) -> str | None:
    """List the campaigns here and ask for one; None if nobody can be asked or answers. Raises NotFound for none."""
    campaigns = list(campaigns_of(Path()))
    if not campaigns:
        raise options.NotFound(f"There is no campaign here.\n{beginnings()}")
    for number, campaign in enumerate(campaigns, 1):
        where = f", {campaign.rules}, T{campaign.turn}" if campaign.turn else ""
        current = " (current)" if campaign.current else ""
        screen.line(f"{number}  {as_text(campaign.file)}  {campaign.name}{where}{current}", indent=None)
    screen.flush()
    if not screen.answers:
        return None
    answer = input("Which one? ").strip()
    return (
        campaigns[int(answer) - 1].file.as_posix()
        if answer.isdecimal() and 0 < int(answer) <= len(campaigns)
        else answer or None
    )
