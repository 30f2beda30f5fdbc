"""Play at one screen: the party, the chronicle, one line.

Type a verb, who, values, words: d brog 4 a ghoul. While you type, the table shows what the line would do. Without a
terminal, it does and answers each line of standard input: campaign play < lines.txt

Examples:
  campaign play
  campaign play < lines.txt
"""

import os
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from cli.shell import options
from cli.shell.choose import choose
from cli.shell.command_context import handler_for, open_chosen, seen_by
from cli.shell.ending import Ended, left_in_order
from cli.shell.jsonlines import AnyLineEnd, lines_of
from cli.table.plain import play_lines, prompt
from cli.table.table import OpenTable
from cli.terminal.screen import Screen, typed_in
from domain.refusal import Invalid

#: Seconds that a line waits for a server that does not answer before it fails and can be typed again.
LONGEST_WAIT = 5.0


def play(
    plain: Annotated[bool, typer.Option("--plain", help="Use a prompt and no screen, for screen readers.")] = False,
    hands: Annotated[bool, typer.Option("--hands", help="Show hands, on a screen that everybody shares.")] = False,
    as_: options.As = None,
    campaign: options.Campaign = None,
    by: options.By = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen, chosen_campaign = Screen(color), choose(campaign)
    with open_chosen(campaign, write=True) as (log, system):
        log.patience = LONGEST_WAIT
        viewer = seen_by(log, system, as_)
        from_a_pipe = not typed_in()
        if sys.stdin is None:
            raise Invalid("Standard input is closed; the lines to play come from there, or from a terminal.")
        table = OpenTable(
            log,
            system,
            handler_for(log),
            address=log.address,
            by=by,
            viewer=viewer,
            paints=screen.paints,
            asks=not from_a_pipe,
            hints=from_a_pipe,
        )
        table.audience.hands = hands
        name = table.handler.state().campaign.name
        another = "; for another one: campaign play -c FILE" if chosen_campaign.used_last is not None else ""
        opening = f"{name} is {chosen_campaign.why}: {chosen_campaign.address}{another}"
        if from_a_pipe:
            assert isinstance(sys.stdin, TextIOWrapper)
            code = play_lines(table, lines_of(AnyLineEnd(sys.stdin)), screen)
        elif plain or not screen.interactive or not sys.stderr.isatty() or not _draws_boxes():
            code = prompt(table, screen, opening)
        else:
            from cli.table.screen import PlayApp  # Textual, which a pipe and a prompt do without

            app = PlayApp(table, opening=opening)
            with left_in_order(app.leave_for):
                code = app.run() or 0
    if code:
        raise Ended(code)


def _draws_boxes() -> bool:
    try:
        "▸█░●".encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return False
    return os.environ.get("TERM") != "dumb"
