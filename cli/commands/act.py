"""`campaign act`: actions as JSON lines, one result line each."""

from contextlib import ExitStack
from datetime import datetime
from typing import Annotated, Any

import typer
from msgspec import ValidationError, convert
from msgspec.structs import fields

from cli.shell import options
from cli.shell.desk import moment, opened, scribe_for
from cli.shell.failures import CONFLICT, NO, REFUSED, USAGE
from cli.shell.jsonlines import lines_of, stream_of, strict_object
from cli.terminal.answers import answer_json, refusal_json
from cli.terminal.screen import NobodyReads, Screen
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.registry import action_from, system_of, tag_of
from domain.turn import unsound


def act(
    file: Annotated[
        str, typer.Argument(help="A file of JSON lines, or - for standard input.", show_default=False)
    ] = "-",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Go on after a line that is not appended.", show_default=False)
    ] = False,
    dry_run: options.DryRun = False,
    campaign: options.Campaign = None,
) -> None:
    """Record actions given as JSON lines.

    Each line is one action by its type and fields, like {"type": "note", "text": "…"}; by, at and id may be
    added. Prints one JSON line for each, and stops at the first that is not appended.
    """
    import gc

    gc.enable()  # unlike other commands this one may live long
    screen = Screen(options.Color.never)
    with ExitStack() as stack:
        log, system = stack.enter_context(opened(campaign, write=True))
        stream = stack.enter_context(stream_of(file))
        scribe = scribe_for(log)
        for line in lines_of(stream):
            if line is not None and not line.strip():
                continue
            try:
                action, about = action_and_author(log.rules, strict_object(line))
                outcome = scribe.record(action, **about, dry_run=dry_run)
                if dry_run and outcome.conflicts:
                    raise Conflict(outcome.conflicts)
            except (Refusal, Invalid, Conflict) as error:
                screen.json(refusal_json(error), pretty=False)
                screen.flush()
                if not keep_going:
                    raise typer.Exit(
                        REFUSED if isinstance(error, Refusal) else CONFLICT if isinstance(error, Conflict) else USAGE
                    ) from None
            else:
                screen.json(answer_json(system, outcome.turn), pretty=False)
                try:
                    screen.flush()
                except NobodyReads:
                    # the rest of the lines is left alone, as nobody would learn what became of them
                    raise typer.Exit(NO) from None


def action_and_author(rules: str, value: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The action of a line, and who said it, when, under which id.

    Where an action has a field of such a name (healing is by "magic" or an "item"), a value fit for that field
    is the action's.
    """
    about: dict[str, Any] = {}
    for key in ("by", "at", "id"):
        if _is_of_the_action(rules, value, key):
            continue
        told = value.pop(key, None)
        if told is None:
            continue
        if not isinstance(told, str) or not told.strip() or len(told) > 200 or unsound(told):
            raise Invalid(f"{key} is a short text of 1 to 200 characters.")
        about["turn_id" if key == "id" else key] = told
    if "at" in about:
        about["at"] = _zoned(about["at"])
    action = action_from(rules, value)
    return action, about


def _is_of_the_action(rules: str, value: dict[str, Any], key: str) -> bool:
    kind = next((each for each in system_of(rules).actions if tag_of(each) == value.get("type")), None)
    of_that_name = [each for each in fields(kind) if each.encode_name == key] if kind and key in value else []
    try:
        return any(convert(value[key], each.type) is not None for each in of_that_name)
    except ValidationError:
        return False


def _zoned(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        when = None
    if when is None or when.tzinfo is None:
        raise Invalid(f"at is an ISO time with its zone, like 2026-01-31T19:30:00+01:00, not {text[:60]!r}.")
    return moment(text)
