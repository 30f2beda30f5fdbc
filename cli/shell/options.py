"""The options that many commands share, each declared once, and their completion."""

from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any, Literal, TypeVar

import typer

from cli.pages.formats import Format
from domain.refusal import Invalid, Refusal

T = TypeVar("T")


class NotFound(Exception):
    """A reading command was asked for something that is not there (exit code 1)."""


class Color(StrEnum):
    """When to use colour."""

    auto = "auto"
    always = "always"
    never = "never"


def known(name: str) -> Callable[[Any, str], list[Any]]:
    """The proposals of this name in `cli.shell.completion`, which is imported when a shell asks for them."""

    def complete(ctx: Any, incomplete: str) -> list[Any]:
        proposals: list[Any] = getattr(import_module("cli.shell.completion"), name)(incomplete, ctx.params)
        return proposals

    return complete


In = Annotated[str | None, typer.Option("--in", metavar="URL", help="Keep it on this PostgreSQL server.")]
Campaign = Annotated[
    str | None,
    typer.Option("--campaign", "-c", metavar="FILE", help="The campaign file.", autocompletion=known("campaigns")),
]
At = Annotated[
    str | None,
    typer.Option("--at", metavar="POINT", help="Read at a point: T4, S2, @-3, a date.", autocompletion=known("points")),
]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="PLAYER", help="Show what this player may see.", autocompletion=known("players")),
]
#: A hidden option that is refused with a reason.
RefusedAs = Annotated[str | None, typer.Option("--as", metavar="PLAYER", hidden=True)]
AsNow = Annotated[bool, typer.Option("--as-now", help="With --at: include what was corrected since.")]
Output = Annotated[Format, typer.Option("--output", "-O", help="How to write the result.")]
Json = Annotated[bool, typer.Option("--json", help="The same as -O json.")]
ColorWhen = Annotated[Color, typer.Option("--color", help="When to use colour.")]
By = Annotated[str | None, typer.Option("--by", metavar="WHO", envvar="CAMPAIGN_BY", help="Who records this.")]
#: The same for verbs with a field named "by".
SaidBy = Annotated[str | None, typer.Option("--said-by", metavar="WHO", envvar="CAMPAIGN_BY", help="Who records this.")]
When = Annotated[str | None, typer.Option("--when", metavar="TIME", help="When it happened (default: now).")]
Why = Annotated[str | None, typer.Option("--why", metavar="TEXT", help="The reason.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what it would do.")]
#: The last argument, so that a name of several words needs no quotes.
Character = Annotated[
    list[str] | None,
    typer.Argument(metavar="[CHARACTER]", help="One character (default: all).", autocompletion=known("characters")),
]
Session = Annotated[
    str | None,
    typer.Argument(
        metavar="[SESSION]", help="S3, 3 or a day (default: the last one).", autocompletion=known("sessions")
    ),
]

Drop = Annotated[bool, typer.Option("--drop", help="Undo later turns that are no longer legal.")]
Keep = Annotated[bool, typer.Option("--keep", help="Keep later turns that are no longer legal as they were.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]

After = Annotated[
    str | None,
    typer.Option(
        "--after", metavar="T4", help="Late entry: it happened directly after this turn.", autocompletion=known("turns")
    ),
]
Before = Annotated[
    str | None,
    typer.Option(
        "--before",
        metavar="T4",
        help="Late entry: it happened directly before this turn.",
        autocompletion=known("turns"),
    ),
]
#: The same as --drop and --keep, for verbs with fields of those names.
DropLater = Annotated[bool, typer.Option("--drop-later", help="Undo later turns that are no longer legal.")]
KeepLater = Annotated[
    bool, typer.Option("--keep-later", help="Keep later turns that are no longer legal as they were.")
]


def conflicts_option(drop: bool, keep: bool) -> Literal["drop", "keep"] | None:
    """How to settle conflicts, as a field of actions holds it. Raises Invalid for both options at once."""
    if drop and keep:
        raise Invalid("Say --drop or --keep, not both.")
    return "drop" if drop else "keep" if keep else None


def or_not_found(look: Callable[[], T]) -> T:
    """The result of `look`; its Refusal (exit code 3) is raised as NotFound (exit code 1)."""
    try:
        return look()
    except Refusal as refusal:
        raise NotFound(refusal.reason) from None
