"""Correct an earlier turn: its action with other fields.

An empty value leaves a field out.
"""

from typing import Annotated, Any

import typer

from cli.shell import options
from cli.shell.desk import opened, perform
from cli.shell.words import as_field, field_value, pairs, turn_number
from cli.terminal.screen import Screen
from domain.refusal import Invalid


def amend(
    turn: Annotated[str, typer.Argument(help="The turn, like T4.", show_default=False)],
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="FIELD=VALUE", help="A field of its action.", show_default=False),
    ] = None,
    why: options.Why = None,
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
    number = turn_number(turn)
    if not set_:
        raise Invalid(f"Say what to change: campaign amend T{number} --set amount=4")
    with opened(campaign) as (log, _):
        action = _amended(log, number, set_)
    value = {"type": "amend", "turn": number, "action": action, "why": why}
    value["conflicts"] = options.settled(drop, keep)
    perform(campaign, value, screen=Screen(color), as_json=json, by=by, when=when, dry_run=dry_run, yes=yes)


def _amended(log: Any, number: int, words: list[str]) -> dict[str, Any]:
    """The action in force of a turn, with these fields set as the verb's options would set them."""
    import msgspec

    from domain.log.standing import judge
    from domain.naming import did_you_mean
    from domain.refusal import Refusal
    from domain.system.hints import fields_of

    turn = next(log.read(after=number - 1, upto=number), None)
    if turn is None:
        raise Refusal(None, f"There is no turn T{number}; the last one is T{log.last()}.")
    old = judge(log).action(turn)
    action: dict[str, Any] = msgspec.to_builtins(old)
    fields = {field.key: field for field in fields_of(type(old))}
    told: dict[str, list[str]] = {}
    for name, text in ((as_field(name), text) for name, text in pairs(words, "it as FIELD=VALUE")):
        if name not in fields:
            raise Invalid(
                f"{action['type']} has no field {name!r}; {did_you_mean(name, fields, otherwise='it has none.')}"
            )
        told.setdefault(name, []).append(text)
    for name, texts in told.items():
        if texts == [""]:
            action.pop(name, None)
        else:
            action[name] = field_value(fields[name], texts, action, tuple(fields.values()))
    return action
