"""Compare the paper sheet with the log.

It agrees and that is recorded, or each difference is shown. Where they differ, the turn whose undo or amendment
would make them agree is named, if there is one.

Examples:
  campaign check-sheet brog hp=10 fatigue=1
"""

from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from cli.shell import options
from cli.shell.command_context import handler_for, opened
from cli.shell.declaration import ArgumentSpec
from cli.shell.ending import Ended
from cli.shell.failures import NO
from cli.shell.recording import RecordOptions, perform, with_record_options
from cli.shell.viewing import seen_by
from cli.shell.words import sheet_values
from cli.terminal.spelling import in_quotes
from domain.log.folding import last_change, state_at
from domain.log.suspects import likeliest
from domain.naming import called, listed, name_meant
from domain.refusal import Refusal
from domain.values import as_written, in_words
from projections.secrecy import kept_from


@with_record_options(without=())
def check_sheet(
    manner: RecordOptions,
    character: options.OneCharacter,
    fields: Annotated[
        list[str],
        ArgumentSpec(
            metavar="FIELD=VALUE...",
            help="The paper sheet.",
            autocompletion=options.complete_sheet_fields,
            show_default=False,
        ),
    ],
) -> None:
    expect = sheet_values(fields)
    value = {"type": "sheet.check", "character": character, "expect": expect}
    _keep_secrets(manner.campaign, character, expect, manner.as_)
    try:
        perform(replace(manner, as_=None), value)
    except Refusal as refusal:
        with opened(manner.campaign) as (log, system):
            state = state_at(system, log)
            name = name_meant(character, state.characters)
            if not set(expect) <= set(system.fields_view(state, name)):
                raise
            blind = manner.as_ is not None and system.keeps_secrets
            _print_differences(manner, log, system, name, expect, reason=refusal.reason, blind=blind)
        manner.screen.flush()
        raise Ended(NO) from None


def _keep_secrets(campaign: str | None, character: str, expect: dict[str, Any], as_: str | None) -> None:
    """Raise Refusal for fields that the player of --as may not see: an answer would reveal their values."""
    if as_ is None:
        return

    with opened(campaign) as (log, system):
        viewer, state = seen_by(log, system, as_), state_at(system, log)
        name = name_meant(character, state.characters)
        secret = [field for field in expect if field in kept_from(system, state, name, viewer)]
        if secret:
            whose = f"{called(name)}'s {listed(secret)}"
            raise Refusal(None, f"{viewer} may not see {whose}; check it without --as.")


def _print_differences(
    manner: RecordOptions,
    log: Any,
    system: Any,
    name: str,
    expect: dict[str, Any],
    *,
    reason: str,
    blind: bool,
) -> None:
    """Print each field that differs with the turn that last changed it, and the turn most likely at fault.

    With `blind` no turn is looked for: that decides turns again, which may reveal what other players hold.
    """

    handler, screen = handler_for(log), manner.screen
    in_log = system.fields_view(handler.state(), name)
    expect = {field: system.meant(handler.state(), name, field, value) for field, value in expect.items()}
    suspect = None if blind else likeliest(handler, name, expect)
    differing = {field: value for field, value in expect.items() if in_log[field] != value}
    changed = {field: last_change(system, log, name, field) for field in differing}
    if manner.as_json:
        differences = [
            {"field": field, "log": in_log[field], "paper": value, "changed": changed[field]}
            for field, value in differing.items()
        ]
        screen.json({"differs": differences, "suspect": msgspec.to_builtins(suspect), "reason": reason})
        return

    def words(field: str, value: Any) -> str:
        return in_words(system.in_words(handler.state(), name, field, value))

    screen.line(f"{called(name)}'s paper sheet differs from the log:")
    for field, value in differing.items():
        screen.line(
            f"  {field}: {words(field, in_log[field])} in the log (last changed at T{changed[field]}), "
            f"{words(field, value)} on paper"
        )
    if blind:
        return
    if suspect is None:
        screen.line("No single turn explains it. Look at the log: ", f"campaign log --character {in_quotes(name)}")
    elif suspect.field is None:
        screen.line(f"They would agree without T{suspect.turn}: campaign undo T{suspect.turn}")
    else:
        screen.line(
            f"They would agree if T{suspect.turn} were amended: "
            f"campaign amend T{suspect.turn} {set_options(suspect.field, suspect.value)}"
        )


def set_options(field: str, value: Any) -> str:
    """A field's value as --set options: one, or for a map of lists one for each key."""
    if isinstance(value, dict) and any(isinstance(item, list | tuple) for item in value.values()):
        words = [f"{field}={key}={option_text(item)}" for key, item in value.items()]
    else:
        words = [f"{field}={option_text(value)}"]
    return " ".join(f"--set {in_quotes(word)}" for word in words)


def option_text(value: Any) -> str:
    """A value in the form that an option of a verb takes."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    if isinstance(value, dict):
        return ",".join(f"{key}={option_text(item)}" for key, item in value.items())
    return as_written(value)
