"""Bring the turns of a branch in here, all or none.

They are decided here, with the dice and cards they had.

Examples:
  campaign adopt plan
"""

from typing import Annotated

import typer

from cli.shell import options
from cli.shell.command_context import ask_first, handler_for, open_chosen
from cli.shell.ending import DONE, Ended
from cli.store.branches import common_turns, must_be_a_branch
from cli.store.layout import MAIN
from cli.terminal.answers import answer_json, print_sentence
from cli.terminal.previews import print_adoption, print_sheets
from cli.terminal.screen import Screen, Span
from domain.log.adopting import append_adoption
from domain.log.folding import state_at
from domain.refusal import Invalid
from projections.chronicle_range import chronicle
from projections.preview import adoption
from projections.preview_json import turns_json
from projections.sheet_changes import new_sheet_changes, sheets_json


def adopt(
    name: Annotated[str, typer.Argument(help="The branch.", autocompletion=options.known("branches"))],
    drop: Annotated[bool, typer.Option("--drop", help="Leave out turns that are not legal here.")] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Take over turns that are not legal here as they were.")] = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    screen, conflicts = Screen(color), options.conflicts_option(drop, keep)
    with open_chosen(campaign, write=True) as (log, system):
        must_be_a_branch(log, name)
        if name in (log.branch, MAIN):
            raise Invalid(f"You are on {log.branch}; adopt another branch, like campaign adopt plan.")
        handler = handler_for(log)
        with log.on(name) as line:
            fork = common_turns(log, line)
            preview = None
            if dry_run or (screen.interactive and not yes):
                outcome, own, sheets = preview = adoption(handler, line, name, fork, conflicts)
                if json:
                    screen.json({"turns": turns_json(system, outcome.new_turns, own), "sheets": sheets_json(sheets)})
                else:
                    print_adoption(system, name, outcome, own, sheets, screen)
                screen.flush()
                if dry_run:
                    raise Ended(DONE)
                ask_first()
            adopted_branch = append_adoption(handler, line, name, fork, conflicts)
        before = state_at(system, log, adopted_branch.turns[0].number - 1)
        if json:
            for turn in adopted_branch.turns:
                screen.json(answer_json(system, turn), pretty=False)
            screen.flush()
            return
        # what the preview has already shown is not printed again, unless draws were open in it
        is_certain = preview is not None and not any(change.open for change in preview[1])
        for later in () if is_certain else adopted_branch.left_out:
            how = "Kept as it was" if later.turn in adopted_branch.pinned_turns else "Left out"
            screen.line(Span(f"{how}: T{later.turn} of {name}: {later.refusal}", "yellow"))
        is_plural = len(adopted_branch.new_turns) != 1
        screen.line(
            f"{len(adopted_branch.new_turns)} {'turns' if is_plural else 'turn'} of {name}"
            f" {'are turns' if is_plural else 'is a turn'} of {log.branch} now{'.' if is_certain else ':'}"
        )
        for entry in chronicle(system, log, after=adopted_branch.turns[-1 if is_certain else 0].number - 1):
            print_sentence(screen, entry.turn, entry.parts)
        print_sheets(new_sheet_changes(preview[2] if preview else (), system, before, adopted_branch.state), screen)
    screen.flush()
