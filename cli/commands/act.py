"""Record actions given as JSON lines.

Each line is one action with its type and fields, like {"type": "note", "text": "…"}. You may add by, at, id, cites,
and after or before with conflicts ("drop" or "keep"). It prints one JSON line for each, and stops at the first that
cannot be recorded. A line whose id is in the log already is answered as it was then, with "repeated", and not done
again.

Examples:
  campaign act evening.ndjson
  echo '{"type": "note", "text": "the ghoul had a key"}' | campaign act -
"""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Annotated, Any, BinaryIO

import typer

from cli.shell import options
from cli.shell.command_context import handler_for, open_chosen
from cli.shell.ending import CONFLICT, NO, REFUSED, USAGE, Ended
from cli.shell.failures import explain
from cli.shell.jsonlines import action_and_author, lines_of, stream_of, strict_object
from cli.shell.partial_failure import AFTERWARDS, PartialFailure, saved_sentence
from cli.terminal.answers import answer_json, refusal_json
from cli.terminal.screen import NobodyReads, Screen, Unprintable
from domain.log.command_handler import Command, CommandHandler, one_of_several
from domain.log.revising import Outcome
from domain.refusal import Conflict, Invalid, Refusal
from domain.system.rulesystem import RuleSystem
from projections.preview import simulate
from projections.preview_json import own_json


def act(
    file: Annotated[str, typer.Argument(help="A file of JSON lines, or - for standard input.")] = "-",
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Go on after a line that cannot be recorded.")
    ] = False,
    together: Annotated[bool, typer.Option("--together", help="Record all lines or none.")] = False,
    dry_run: options.DryRun = False,
    campaign: options.Campaign = None,
) -> None:
    screen = Screen(options.Color.never)
    with ExitStack() as stack:
        log, system = stack.enter_context(open_chosen(campaign, write=True))
        stream = stack.enter_context(stream_of(file))
        handler = handler_for(log)
        if together:
            _all_or_none(screen, handler, stream, dry_run=dry_run)
            return
        for line in lines_of(stream):
            if line is not None and not line.strip():
                continue
            try:
                command = _command_in(log.rules, line)
                if dry_run:
                    answers = _preview_answers(handler, [command])
                else:
                    answers = [_answer(system, handler.handle(command))]
            except AFTERWARDS as error:
                # this line was not done, but lines before it may have been saved
                if not log.saved_numbers:
                    raise
                raise PartialFailure(saved_sentence(log), error, is_done=False) from error
            except (Refusal, Invalid, Conflict) as error:
                screen.json(refusal_json(error), pretty=False)
                screen.flush()
                if not keep_going:
                    raise Ended(_code_of(error)) from None
            else:
                screen.json(answers[0], pretty=False)
                try:
                    screen.flush()
                except (NobodyReads, Unprintable) as error:
                    # the remaining lines are not done, as their results could not be printed
                    if log.saved_numbers:
                        explain(PartialFailure(saved_sentence(log), error))
                    raise Ended(NO) from None


def _answer(system: RuleSystem, outcome: Outcome) -> dict[str, Any]:
    """The result of one line as JSON, marked if its id was in the log already."""
    return answer_json(system, outcome.turn) | ({"repeated": True} if outcome.repeated else {})


def _command_in(rules: str, line: bytes | None) -> Command:
    """The command that a line of JSON holds. Raises Invalid."""
    action, about = action_and_author(rules, strict_object(line))
    return Command(action, **{**about, "cites": tuple(about.get("cites", ()))})


def _commands_in(rules: str, lines: Sequence[bytes | None]) -> list[Command]:
    """The commands that several lines hold. Raises Invalid, which says which line is meant."""
    if not lines:
        raise Invalid("There is no line to record.")
    commands = []
    for number, line in enumerate(lines, 1):
        try:
            commands.append(_command_in(rules, line))
        except Invalid as error:
            raise Invalid(one_of_several(error.reason, number, len(lines))) from None
    return commands


def _preview_answers(handler: CommandHandler, lines: Sequence[Command]) -> list[dict[str, Any]]:
    """The previewed result of each line. Raises Conflict, and what deciding them raises."""
    preview = simulate(handler, *lines)
    if preview.conflicts:
        raise Conflict(preview.conflicts)
    return own_json(handler.system, preview)


def _code_of(error: Refusal | Invalid | Conflict) -> int:
    return REFUSED if isinstance(error, Refusal) else CONFLICT if isinstance(error, Conflict) else USAGE


def _all_or_none(screen: Screen, handler: CommandHandler, stream: BinaryIO, *, dry_run: bool) -> None:
    """Record all lines as one batch and print a result for each, or one that says why none was recorded."""
    try:
        lines = _commands_in(handler.log.rules, [line for line in lines_of(stream) if line is None or line.strip()])
        if dry_run:
            answers = _preview_answers(handler, lines)
        else:
            answers = [_answer(handler.system, outcome) for outcome in handler.record_together(lines)]
    except (Refusal, Invalid, Conflict) as error:
        screen.json(refusal_json(error), pretty=False)
        screen.flush()
        raise Ended(_code_of(error)) from None
    for answer in answers:
        screen.json(answer, pretty=False)
    screen.flush()
