"""Bring in what was played in another copy, as a branch.

Each line of play that went on there becomes a branch here, named after the file, with every turn as it is. Then adopt
it with campaign adopt, as any branch. Join the same copy again to add what is new in it.

Examples:
  campaign join theirs.campaign
"""

from typing import TYPE_CHECKING, Annotated

from msgspec import to_builtins

from cli.shell import options
from cli.shell.command_context import opened
from cli.shell.declaration import ArgumentSpec, OptionSpec
from cli.shell.signing import take_over
from cli.store import joining
from cli.store.anywhere import open_log
from cli.store.checking import verified
from cli.store.layout import MAIN
from cli.terminal.screen import Screen, Span, complain
from domain.log.port import DamagedLog
from domain.refusal import Invalid

if TYPE_CHECKING:
    from cli.store.joining import Joined


def join(
    other: Annotated[
        str,
        ArgumentSpec(
            metavar="OTHER.campaign", help="The other copy: a file, or its address on a server.",
            autocompletion=options.complete_campaigns)],
    name: Annotated[
        str | None, OptionSpec("--name", help="What to call the branch (default: as its file).")
    ] = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    campaign: options.Campaign = None,
    color: options.ColorWhen = options.Color.auto,
) -> None:  # fmt: skip

    screen = Screen(color)
    with opened(campaign, write=True) as (log, _), open_log(other, branch=MAIN) as copy:
        wrong = next((finding for finding in verified(copy) if finding.kind in ("damage", "newer")), None)
        if wrong is not None and wrong.kind == "newer":
            raise Invalid(f"{wrong.sentence} Nothing was joined.")
        if wrong is not None:
            raise DamagedLog(f"{copy.name} does not verify: {wrong.sentence} Nothing was joined.")
        joined = joining.join(log, copy, name, dry_run=dry_run)
        signatures_kept, unchecked = (0, 0) if dry_run else take_over(log, copy)
        if json:
            screen.json({"joined": [to_builtins(line) for line in joined], "signatures": signatures_kept})
        for line in () if json else joined:
            screen.line(Span(line.branch, "bold"), f" {_joined_sentence(line, copy.name, dry_run=dry_run)}")
        if signatures_kept and not json:
            screen.line(
                "1 signature is kept here too."
                if signatures_kept == 1
                else f"{signatures_kept} signatures are kept here too."
            )
        if unchecked:
            signatures_stay = "1 signature stays" if unchecked == 1 else f"{unchecked} signatures stay"
            how = "ssh-keygen, which checks signatures, is not installed here. Join again where it is."
            complain(f"{signatures_stay} in {copy.name}: {how}")
        if not json and not joined and not signatures_kept:
            screen.line(f"Nothing in {copy.name} is new here.")
        elif not json and joined and not dry_run:
            first = joined[0].branch
            screen.line(
                f"Next: campaign diff {log.branch}..{first} compares them, campaign adopt {first} takes it over."
            )
        screen.flush()


def _joined_sentence(joined: "Joined", name: str, *, dry_run: bool) -> str:
    first, last = joined.known + 1, joined.last
    turns = f"T{last}" if first == last else f"T{first} to T{last}"
    of = name if joined.line == MAIN else f"{joined.line} in {name}"
    if joined.grown:
        return f"{'would go' if dry_run else 'goes'} on with {turns} of {of}."
    begins = f"which {'would begin' if dry_run else 'begins'} after T{joined.known} of {joined.base}"
    return f"{'would be made' if dry_run else 'is new'}, {begins}: {turns} of {of}."
