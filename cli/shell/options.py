"""The options that many commands share, each declared once, and their completion."""

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

from cli.pages.rows import Format
from cli.shell.declaration import ArgumentSpec, OptionSpec
from domain.refusal import Invalid, Refusal
from domain.system.installed import installed

T = TypeVar("T")


class NotFound(Exception):
    """A reading command was asked for something that is not there (exit code 1)."""


class Color(StrEnum):
    """When to use colour."""

    auto = "auto"
    always = "always"
    never = "never"


def complete_characters(ctx: Any, incomplete: str) -> list[str]:
    """The characters whose names begin so."""
    from cli.shell.completion import characters

    return characters(incomplete, ctx.params.get("campaign"))


def complete_rules(ctx: Any, incomplete: str) -> list[str]:
    """The rules whose numbers begin so."""
    from cli.shell.completion import rules

    return rules(incomplete, ctx.params.get("campaign"))


def complete_options_of_rule(ctx: Any, incomplete: str) -> list[str]:
    """The options of the rule that was named, each with a value."""
    from cli.shell.completion import rule_options

    return rule_options(incomplete, ctx.params.get("campaign"), str(ctx.params.get("rule")))


def complete_sheet_values(ctx: Any, incomplete: str) -> list[str]:
    """Characters, and the fields of their sheets."""
    from cli.shell.completion import sheet_values

    return sheet_values(incomplete, ctx.params.get("campaign"))


def complete_turns(ctx: Any, incomplete: str) -> list[str]:
    """The latest turns."""
    from cli.shell.completion import turns

    return turns(incomplete, ctx.params.get("campaign"))


def complete_points(ctx: Any, incomplete: str) -> list[str]:
    """The sessions and the latest turns."""
    from cli.shell.completion import points

    return points(incomplete, ctx.params.get("campaign"))


def complete_sessions(ctx: Any, incomplete: str) -> list[str]:
    """The sessions."""
    from cli.shell.completion import sessions

    return sessions(incomplete, ctx.params.get("campaign"))


def complete_players(ctx: Any, incomplete: str) -> list[str]:
    """Who plays."""
    from cli.shell.completion import players

    return players(incomplete, ctx.params.get("campaign"))


def complete_kinds(ctx: Any, incomplete: str) -> list[str]:
    """The verbs under which turns are on record."""
    from cli.shell.completion import kinds

    return kinds(incomplete, ctx.params.get("campaign"))


def complete_options_of_rules(ctx: Any, incomplete: str) -> list[str]:
    """The options of the rules that a new campaign is to have."""
    from cli.shell.completion import options_of_rules

    return options_of_rules(str(ctx.params.get("rules")), incomplete)


def complete_about_somebody(ctx: Any, incomplete: str) -> list[str]:
    """Characters, and the fields of their sheets, in one word or in two."""
    from cli.shell.completion import about_somebody

    return about_somebody(ctx.params.get("what") or (), incomplete, ctx.params.get("campaign"))


def complete_figures(ctx: Any, incomplete: str) -> list[str]:
    """The questions and pictures of `stats`."""
    from cli.shell.completion import figures

    return figures(incomplete, ctx.params.get("campaign"))


def complete_campaigns(incomplete: str) -> list[str]:
    """The campaign files of this folder."""
    from cli.shell.completion import campaigns

    return campaigns(incomplete)


def complete_systems(incomplete: str) -> list[str]:
    """The rule systems whose names begin so."""
    from cli.shell.completion import proposals

    return proposals(installed(), incomplete)


def complete_branches(incomplete: str) -> list[str]:
    """The branches whose names begin so."""
    from cli.shell.completion import branches

    return branches(incomplete)


In = Annotated[
    str | None,
    OptionSpec("--in", metavar="URL", help="Keep it on this PostgreSQL server.", show_default=False),
]
Campaign = Annotated[
    str | None,
    OptionSpec(
        "--campaign",
        "-c",
        metavar="FILE",
        help="The campaign file.",
        autocompletion=complete_campaigns,
        show_default=False,
    ),
]
At = Annotated[
    str | None,
    OptionSpec(
        "--at",
        metavar="POINT",
        help="Read at a point: T4, S2, @-3, a date.",
        autocompletion=complete_points,
        show_default=False,
    ),
]
As = Annotated[
    str | None,
    OptionSpec(
        "--as",
        metavar="PLAYER",
        help="Show what this player may see.",
        autocompletion=complete_players,
        show_default=False,
    ),
]
#: A hidden option that is refused with a reason.
RefusedAs = Annotated[str | None, OptionSpec("--as", metavar="PLAYER", hidden=True)]
AsNow = Annotated[bool, OptionSpec("--as-now", help="With --at: with everything corrected since.", show_default=False)]
Output = Annotated[Format, OptionSpec("--output", "-O", help="How to write the result.", show_default=False)]
Json = Annotated[bool, OptionSpec("--json", help="The same as -O json.", show_default=False)]
ColorWhen = Annotated[Color, OptionSpec("--color", help="When to use colour.", show_default=False)]
By = Annotated[
    str | None,
    OptionSpec("--by", metavar="WHO", envvar="CAMPAIGN_BY", help="Who records this.", show_default=False),
]
#: The same for verbs with a field named "by".
SaidBy = Annotated[
    str | None,
    OptionSpec("--said-by", metavar="WHO", envvar="CAMPAIGN_BY", help="Who records this.", show_default=False),
]
When = Annotated[
    str | None, OptionSpec("--when", metavar="TIME", help="When it happened (default: now).", show_default=False)
]
Why = Annotated[str | None, OptionSpec("--why", metavar="TEXT", help="The reason.", show_default=False)]
DryRun = Annotated[bool, OptionSpec("--dry-run", help="Only show what it would do.", show_default=False)]
#: The last argument, so that a name of several words needs no quotes.
Character = Annotated[
    list[str] | None,
    ArgumentSpec(
        metavar="[CHARACTER]",
        help="One character (default: all).",
        autocompletion=complete_characters,
        show_default=False,
    ),
]
Session = Annotated[
    str | None,
    ArgumentSpec(
        metavar="[SESSION]",
        help="S3 or 3 (default: the last one).",
        autocompletion=complete_sessions,
        show_default=False,
    ),
]

Drop = Annotated[bool, OptionSpec("--drop", help="Undo later turns that are no longer legal.", show_default=False)]
Keep = Annotated[
    bool, OptionSpec("--keep", help="Keep later turns that are no longer legal as they were.", show_default=False)
]
Yes = Annotated[bool, OptionSpec("--yes", "-y", help="Do not ask.", show_default=False)]

After = Annotated[
    str | None,
    OptionSpec(
        "--after",
        metavar="T4",
        help="Late entry: it happened directly after this turn.",
        autocompletion=complete_turns,
        show_default=False,
    ),
]
Before = Annotated[
    str | None,
    OptionSpec(
        "--before",
        metavar="T4",
        help="Late entry: it happened directly before this turn.",
        autocompletion=complete_turns,
        show_default=False,
    ),
]
#: The same as --drop and --keep, for verbs with fields of those names.
DropLater = Annotated[
    bool, OptionSpec("--drop-later", help="Undo later turns that are no longer legal.", show_default=False)
]
KeepLater = Annotated[
    bool,
    OptionSpec("--keep-later", help="Keep later turns that are no longer legal as they were.", show_default=False),
]


def settled(drop: bool, keep: bool) -> Literal["drop", "keep"] | None:
    """How to settle conflicts, as a field of actions holds it. Raises Invalid for both options at once."""
    if drop and keep:
        raise Invalid("Say --drop or --keep, not both.")
    return "drop" if drop else "keep" if keep else None


def found(look: Callable[[], T]) -> T:
    """The result of `look`; its Refusal (exit code 3) is raised as NotFound (exit code 1)."""
    try:
        return look()
    except Refusal as refusal:
        raise NotFound(refusal.reason) from None
