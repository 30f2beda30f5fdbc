"""`note`, `ruling`, `override` and `check-sheet`: words about the game, and the referee's word against it."""

from typing import Annotated, Any

import typer

from cli.commands.start import option_values
from cli.shell import options
from cli.shell.desk import opened, perform
from cli.shell.failures import NO
from cli.terminal.screen import Screen
from domain.log.folding import state_at
from domain.naming import called, find_name
from domain.refusal import Invalid, Refusal


def note(
    text: Annotated[str, typer.Argument(help="The note.", show_default=False)],
    about: Annotated[
        str | None, typer.Option(help="A character.", autocompletion=options.complete_characters, show_default=False)
    ] = None,
    rule: Annotated[
        str | None, typer.Option(help="A rule, like 6.4.", autocompletion=options.complete_rules, show_default=False)
    ] = None,
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
    rule: Annotated[
        str | None,
        typer.Argument(help="The rule, like 6.4.", autocompletion=options.complete_rules, show_default=False),
    ] = None,
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
    """Hold the paper sheet against the log: it agrees and that is recorded, or each difference is shown.

    Where they differ, the turn whose undo or amendment would make them agree is named, if there is one.
    """
    expect = field_values(fields)
    value = {"type": "sheet.check", "character": character, "expect": expect}
    screen = Screen(color)
    try:
        perform(campaign, value, screen=screen, as_json=json, by=by, when=when)
    except Refusal as refusal:
        with opened(campaign) as (log, system):
            state = state_at(system, log)
            name = find_name(character, state.characters)
            if not set(expect) <= set(system.shown(state, name)):
                raise
            _print_differences(screen, log, system, name, expect, as_json=json, reason=refusal.reason)
        screen.flush()
        raise typer.Exit(NO) from None


def _print_differences(
    screen: Screen, log: Any, system: Any, name: str, expect: dict[str, Any], *, as_json: bool, reason: str
) -> None:
    """Each field that differs, with the turn that last changed it, and the likeliest culprit."""
    import msgspec

    from cli.shell.desk import scribe_for
    from domain.log.folding import last_change
    from domain.log.suspects import likeliest

    scribe = scribe_for(log)
    shown = system.shown(scribe.state(), name)
    suspect = likeliest(scribe, name, expect)
    differing = {field: value for field, value in expect.items() if shown[field] != value}
    changed = {field: last_change(system, log, name, field) for field in differing}
    if as_json:
        told = [
            {"field": field, "log": shown[field], "paper": value, "changed": changed[field]}
            for field, value in differing.items()
        ]
        screen.json({"differs": told, "suspect": msgspec.to_builtins(suspect), "reason": reason})
        return
    screen.line(f"{called(name)}'s paper sheet differs from the log:")
    for field, value in differing.items():
        screen.line(
            f"  {field}: {json_text(shown[field])} in the log (last changed at T{changed[field]}), "
            f"{json_text(value)} on paper"
        )
    if suspect is None:
        screen.line("No single turn explains it. Look at the log: ", f"campaign log --character {quoted(name)}")
    elif suspect.field is None:
        screen.line(f"They would agree without T{suspect.turn}: campaign undo T{suspect.turn}")
    else:
        screen.line(
            f"They would agree if T{suspect.turn} were amended: "
            f"campaign amend T{suspect.turn} {set_options(suspect.field, suspect.value)}"
        )


def set_options(field: str, value: Any) -> str:
    """A field's value as the --set options that give it; a map of lists takes one for each of its keys."""
    if isinstance(value, dict) and any(isinstance(each, list | tuple) for each in value.values()):
        words = [f"{field}={key}={option_text(each)}" for key, each in value.items()]
    else:
        words = [f"{field}={option_text(value)}"]
    return " ".join(f"--set {quoted(word)}" for word in words)


def json_text(value: Any) -> str:
    """A value as a person reads it."""
    import msgspec

    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def option_text(value: Any) -> str:
    """A value as an option of a verb takes it."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    if isinstance(value, dict):
        return ",".join(f"{key}={option_text(each)}" for key, each in value.items())
    return json_text(value)


def quoted(text: str) -> str:
    """A text as one word for the shell."""
    import shlex

    return shlex.quote(text)


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
