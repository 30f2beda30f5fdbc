"""Bring in what was played in another copy, as a branch.

Each line of play that went on there becomes a branch here, named after the file, with every turn as it is. Then adopt
it with campaign adopt, as any branch. Join the same copy again to add what is new in it.

Examples:
  campaign join theirs.campaign
"""

from typing import Annotated

import typer
from msgspec import to_builtins

from cli.shell import options
from cli.shell.command_context import open_chosen
from cli.shell.signing import take_over
from cli.store import joining
from cli.store.anywhere import open_log
from cli.store.checking import findings_in
from cli.store.layout import MAIN
from cli.terminal.screen import Screen, Span, complain
from domain.log.port import DamagedLog
from domain.refusal import Invalid


def join(
    other: Annotated[
        str,
        typer.Argument(
            metavar="OTHER.campaign", help="The other copy: a file, or its address on a server.",
            autocompletion=options.known("campaigns"))],
    name: Annotated[
        str | None, typer.Option("--name", help="What to call the branch (default: as its file).")
    ] = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:  # fmt: skip

    screen = Screen(color)
    with open_chosen(campaign, write=True, names_copies=False) as (log, _), open_log(other, branch=MAIN) as copy:
        wrong = next((finding for finding in findings_in(copy) if finding.kind in ("damage", "newer")), None)
        if wrong is not None and wrong.kind == "newer":
            raise Invalid(f"{wrong.sentence} Nothing was joined.")
        if wrong is not None:
            raise DamagedLog(f"{copy.name} does not verify: {wrong.sentence} Nothing was joined.")
        results = joining.join(log, copy, name, dry_run=dry_run)
        new_signatures, unchecked_signatures = (0, 0) if dry_run else take_over(log, copy)
        if json:
            screen.json({"joined": [to_builtins(line) for line in results], "signatures": new_signatures})
        for line in () if json else results:
            screen.line(Span(line.branch, "bold"), f" {_sentence_about(line, copy.name, dry_run=dry_run)}")
        if new_signatures and not json:
            screen.line(
                "1 signature is kept here too."
                if new_signatures == 1
                else f"{new_signatures} signatures are kept here too."
            )
        if unchecked_signatures:
            signatures_stay = (
                "1 signature stays" if unchecked_signatures == 1 else f"{unchecked_signatures} signatures stay"
            )
            how = "ssh-keygen, which checks signatures, is not installed here. Join again where it is."
            complain(f"{signatures_stay} in {copy.name}: {how}")
        if not json and not results and not new_signatures:
            screen.line(f"Nothing in {copy.name} is new here.")
        elif not json and results and not dry_run:
            first = results[0].branch
            screen.line(
                f"Next: campaign diff {log.branch}..{first} compares them, campaign adopt {first} takes it over."
            )
        screen.flush()


def _sentence_about(result: joining.Joined, name: str, *, dry_run: bool) -> str:
    first, last = result.known + 1, result.last
    turns = f"T{last}" if first == last else f"T{first} to T{last}"
    of = name if result.line == MAIN else f"{result.line} in {name}"
    if result.grown:
        return f"{'would go' if dry_run else 'goes'} on with {turns} of {of}."
    begins = f"which {'would begin' if dry_run else 'begins'} after T{result.known} of {result.base}"
    return f"{'would be made' if dry_run else 'is new'}, {begins}: {turns} of {of}."
