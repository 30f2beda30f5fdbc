"""`note`, `ruling`, `override` and `check-sheet`: words about the game, and the referee's word against it."""

from typing import Annotated, Any

import typer

from cli import options
from cli.desk import opened, perform
from cli.output import Screen
from cli.start import option_values
from domain.refusal import Invalid


def note(
    text: Annotated[str, typer.Argument(help="The note.", show_default=False)],
    about: Annotated[
        str | None, typer.Option(help="A character.", autocompletion=options.complete_characters, show_default=False)
    ] = None,
    rule: Annotated[str | None, typer.Option(help="A rule, like 6.4.", show_default=False)] = None,
    turn: Annotated[str | None, typer.Option(help="A turn, like T4.", show_default=False)] = None,
    campaign: options.Campaign = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Write a note into the log."""
    value = {"type": "note", "text": text, "about": about, "rule": rule, "turn": turn_number(turn)}
    perform(campaign, value, screen=Screen(color), as_json=json, by=by, when=when)


def turn_number(text: str | None) -> int | None:
    """A turn as typed, T4 or 4. Raises Invalid."""
    if text is None:
        return None
    digits = text.strip().removeprefix("T").removeprefix("t")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
        raise Invalid(f"{text[:40]!r} is not a turn; write it like T4.")
    return int(digits)


def ruling(
    rule: Annotated[str | None, typer.Argument(help="The rule, like 6.4.", show_default=False)] = None,
    text: Annotated[str | None, typer.Argument(help="What was decided.", show_default=False)] = None,
    why: options.Why = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="An option it sets.", show_default=False),
    ] = None,
    trial: Annotated[bool, typer.Option("--trial", help="To be evaluated later.", show_default=False)] = False,
    since: Annotated[
        str | None, typer.Option(metavar="POINT", help="It counts from this point on.", show_default=False)
    ] = None,
    end: Annotated[
        str | None, typer.Option(metavar="R1", help="End this ruling instead of making one.", show_default=False)
    ] = None,
    drop: options.Drop = False,
    keep: options.Keep = False,
    dry_run: options.DryRun = False,
    yes: options.Yes = False,
    campaign: options.Campaign = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Record what the group decided about a rule.

    With --set an option of the rule holds from this turn on; with --since from that point on, and the turns
    after it are decided again.
    """
    value: dict[str, Any]
    if end is not None:
        if rule is not None or text is not None or set_:
            raise Invalid("Either end a ruling with --end R1, or make one.")
        digits = end.strip().removeprefix("R").removeprefix("r")
        if not digits.isascii() or not digits.isdigit() or len(digits) > 15:
            raise Invalid(f"{end[:40]!r} is not a ruling; write it like R1.")
        value = {"type": "ruling.end", "ruling": int(digits), "why": why}
    elif rule is None or text is None:
        raise Invalid('A ruling names its rule and says what was decided: campaign ruling 6.4 "…" --why "…"')
    else:
        with opened(campaign) as (log, _):
            sets = option_values(set_, log.rules) if set_ else None
        value = {"type": "ruling", "rule": rule, "text": text, "why": why, "set": sets, "since": since, "trial": trial}
        value["conflicts"] = options.settled(drop, keep) if since else None
    perform(
        campaign, value, screen=Screen(color), as_json=json, by=by, when=when, dry_run=dry_run, yes=yes or since is None
    )


def override(
    character: options.OneCharacter,
    fields: Annotated[list[str], typer.Argument(metavar="FIELD=VALUE...", help="What to set.", show_default=False)],
    why: Annotated[str, typer.Option("--why", help="The reason; it must be given.", show_default=False)],
    campaign: options.Campaign = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Set sheet fields by the referee's word, against the rules."""
    value = {"type": "override", "character": character, "set": field_values(fields), "why": why}
    perform(campaign, value, screen=Screen(color), as_json=json, by=by, when=when)


def check_sheet(
    character: options.OneCharacter,
    fields: Annotated[list[str], typer.Argument(metavar="FIELD=VALUE...", help="The paper sheet.", show_default=False)],
    campaign: options.Campaign = None,
    by: options.By = None,
    when: options.When = None,
    json: options.Json = False,
    color: options.ColorWhen = options.Color.auto,
) -> None:
    """Hold the paper sheet against the log."""
    value = {"type": "sheet.check", "character": character, "expect": field_values(fields)}
    perform(campaign, value, screen=Screen(color), as_json=json, by=by, when=when)


def field_values(words: list[str]) -> dict[str, Any]:
    """`hp=7 condition=up wounds=[]`: JSON where it parses, else text. Raises Invalid."""
    import msgspec

    found: dict[str, Any] = {}
    for word in words:
        name, sign, text = word.partition("=")
        if not sign or not name.strip():
            raise Invalid(f"Write a sheet field as FIELD=VALUE, not {word!r}.")
        if name.strip() in found:
            raise Invalid(f"{name.strip()} is set twice.")
        try:
            found[name.strip()] = msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            found[name.strip()] = text
    return found
