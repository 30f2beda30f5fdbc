"""Choose the current campaign, by its file or its name.

Without either those of this folder are listed, and on a terminal one of them is asked for.

Examples:
  campaign use mill.campaign
  campaign use mill
  campaign use
"""

from pathlib import Path
from typing import Annotated

from cli.shell import options
from cli.shell.campaigns import Campaign, campaigns_of
from cli.shell.choose import remember
from cli.shell.declaration import ArgumentSpec
from cli.store.anywhere import open_log
from cli.store.server.address import is_server
from cli.terminal.screen import Screen, as_text
from domain.log.folding import state_at
from domain.naming import LONGEST_NAME, fitting, known_are, listed
from domain.refusal import Invalid
from domain.registry import system_of


def use(
    file: Annotated[
        str | None,
        ArgumentSpec(
            help="The campaign file, its name, or its address on a server.",
            autocompletion=options.complete_campaigns,
            show_default=False,
        ),
    ] = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen = Screen(color)
    meant = _asked_for(screen) if file is None else file
    if meant is None:
        return
    chosen = meant if is_server(meant) or _is_there(meant) else _named(meant)
    with open_log(chosen) as log:
        state = state_at(system_of(log.rules), log, 1)
        turns, where = log.last(), log.address if is_server(chosen) else chosen
    remember(where)
    screen.line(f"{state.campaign.name} is the current campaign now: {where}, T{turns}.")
    screen.flush()


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # no file can be called so
        return False


def _named(said: str) -> str:
    """The file of the only campaign here that is called so; what nobody is called is taken for a file."""
    if _is_there(f"{said}.campaign"):
        return f"{said}.campaign"
    names = {each.file.as_posix(): f"{each.name} {each.file.stem}" for each in campaigns_of(Path())}
    found = [file for file, name in names.items() if fitting(said, (name,))]
    if len(found) > 1:
        raise Invalid(f"{said} may be {listed(found, 'or')}.")
    if not found and names and len(said) <= LONGEST_NAME and not said.endswith(".campaign") and "/" not in said:
        raise Invalid(f"There is no campaign {said!r} here; {known_are(said, names)}")
    return found[0] if found else said


def _asked_for(screen: Screen) -> str | None:
    """What is chosen of the campaigns that are listed; None where nobody can be asked, or nothing is chosen."""
    known = list(campaigns_of(Path()))
    if not known:
        raise options.NotFound('There is no campaign here; start one with campaign new "Name" --rules osr.')
    for number, each in enumerate(known, 1):
        screen.line(f"{number}  {as_text(each.file)}  {_told(each)}", indent=None)
    screen.flush()
    if not screen.answers:
        return None
    said = input("Which one? ").strip()
    return known[int(said) - 1].file.as_posix() if said.isdecimal() and 0 < int(said) <= len(known) else said or None


def _told(campaign: Campaign) -> str:
    where = f", {campaign.rules}, T{campaign.turn}" if campaign.turn else ""
    return f"{campaign.name}{where}{' (current)' if campaign.current else ''}"
