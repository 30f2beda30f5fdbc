"""A line of the table as it is said on the shell: what it means against its campaign, and that recorded.

Nothing here needs Typer, which takes as long to import as recording takes. `cli.shell.typer_line` makes a command of
it, which knows help, completion and every error; `cli.shell.command_line` does at once what is plain.
"""

import os
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct
from msgspec.structs import replace

from cli.line.errors import Missing
from cli.line.understanding import Understood, understand, without_told
from cli.line.values import Context
from cli.line.verbs import names_a_turn, verbs_of
from cli.line.words import Line, given
from cli.shell import options
from cli.shell.choose import choose
from cli.shell.command_context import ask_first, handler_for, of_another_evening, opened
from cli.shell.declaration import ArgumentSpec, parameter, takes
from cli.shell.plain import NotPlain, given_plainly
from cli.shell.recording import RecordOptions, record, settle, shown_first, told_as
from cli.shell.words import from_file
from cli.terminal.screen import Screen, complain
from domain.refusal import Invalid, Refusal
from domain.system.extensions import Lookup, Reader
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

if TYPE_CHECKING:
    from domain.log.command_handler import CommandHandler


def offered_by(system: RuleSystem) -> dict[str, Reader | Lookup]:
    """What a system offers under verbs that are no actions, by these."""
    offers: tuple[Reader | Lookup, ...] = (*(each for each in system.readers if not each.option), *system.lookups)
    return {each.verb: each for each in offers}


def is_offered(system: RuleSystem, words: Sequence[str]) -> bool:
    """Whether a line is for what the system offers: a verb of it, or a verb with the option that reads files."""
    reads = {(each.verb, f"--{each.option}") for each in system.readers if each.option}
    return words[0] in offered_by(system) or any((words[0], word.partition("=")[0]) in reads for word in words)


def questions_of(rules: str, commands: Sequence[str]) -> tuple[str, ...]:
    """The commands that no verb stands for."""
    begun = {word for verb in verbs_of(rules) for word in (verb.name, verb.words[0])}
    return tuple(name for name in commands if name not in begun)


#: What a line may be told with besides its words, each as `LineOptions` has it.
OF_A_LINE = [
    parameter("dry_run", options.DryRun, False),
    parameter("yes", options.Yes, False),
    parameter("campaign", options.Campaign, None),
    parameter("json", options.Json, False),
    parameter("color", options.ColorWhen, options.Color.auto),
]
_WORDS = parameter("words", Annotated[list[str] | None, ArgumentSpec()], None)


class LineOptions(Struct, frozen=True, kw_only=True, dict=True):
    """How a line is told."""

    dry_run: bool
    yes: bool
    campaign: str | None
    json: bool
    color: options.Color

    @cached_property
    def screen(self) -> Screen:
        """Where it is answered."""
        return Screen(self.color)

    @property
    def asks(self) -> bool:
        """Whether what it leaves open is asked for."""
        return self.screen.answers and not self.yes and not self.json


def plain_line(words: Sequence[str], commands: Sequence[str]) -> Callable[[], None] | None:
    """What does a line of the table that is plain: its options as they are spelt. None for any other.

    Doing it raises NotPlain where more has to be known.
    """

    def do(words: list[str] | None, **told: Any) -> None:
        _do([first, *(words or ())], commands, LineOptions(**told))

    first = words[0]
    told = given_plainly(takes(do, [_WORDS, *OF_A_LINE]), words[1:], others_are_words=True)
    return None if told is None else partial(do, **told)


def _do(said: Sequence[str], commands: Sequence[str], told: LineOptions) -> None:
    """Record what a line says. Raises NotPlain before anything is said or asked."""
    try:
        if of_another_evening(choose(told.campaign)):
            raise NotPlain  # that is said first
    except Invalid:
        raise NotPlain from None
    with opened(told.campaign, write=True) as (log, system):
        handler = handler_for(log)
        against = Context(system, handler.state(), log, from_file)
        meant = _plainly_meant(said, against, commands, told)
        if meant is not None:
            record_meant(handler, against, meant, told)
    if meant is None:
        raise NotPlain


def _plainly_meant(
    said: Sequence[str], against: Context, commands: Sequence[str], told: LineOptions
) -> Understood | None:
    """What a line means that begins with a whole verb of the rules, or with a turn; None where that is not plain.

    The beginning of a verb may be another command, or other rules.
    """
    rules, line = against.system.key, given(said)
    names = {name for verb in verbs_of(rules) for name in (verb.name, verb.words[0])}
    if is_offered(against.system, said) or not (said[0] in names or names_a_turn(said[0])):
        return None
    try:
        meant = understand(line, against, questions_of(rules, commands))
    except Missing as missing:
        return completed(line, against, missing) if told.asks and missing.of is not None else None
    except (Invalid, Refusal):
        return None
    return None if meant.question is not None else meant


def completed(line: Line, against: Context, missing: Missing) -> Understood:
    """What a line means, once what it does not say yet was asked for."""
    from cli.shell.terminal_questions import completed_here

    return completed_here(against, line, missing)


def record_meant(handler: "CommandHandler", against: Context, meant: Understood, told: LineOptions) -> None:
    """Record what a line means."""
    manner = RecordOptions(
        told.screen,
        as_json=told.json,
        by=_said_by(meant),
        when=meant.manner.get("when"),
        dry_run=told.dry_run,
        yes=told.yes,
        backdating=meant.backdating,
    )
    if (without := without_told(against, meant)) and not told.json:
        complain(without)
    if len(meant.actions) > 1:
        _record_together(handler, meant.actions, manner)
        return
    for action in meant.actions:
        record(handler, action, manner, asks=True)


def _said_by(meant: "Understood") -> str | None:
    """Who says so: as the line says it, else as the environment does."""
    return meant.manner.get("by", os.environ.get("CAMPAIGN_BY") or None)


def _record_together(handler: "CommandHandler", actions: "Sequence[Action]", manner: "RecordOptions") -> None:
    """Record several turns that one line tells: all of them or none."""
    from cli.line.choosing import opened as opened_matters
    from cli.terminal.answers import answer_json, print_answer, print_sheets
    from projections.preview import sheets_unseen

    screen = manner.screen
    waited_for = handler.system.pending_for_table(handler.state())
    if asks := not (manner.yes or manner.as_json or manner.dry_run) and screen.answers:
        from cli.shell.terminal_questions import decided_here

        actions = decided_here(handler, actions, manner.backdating)
    shown = shown_first(handler, [told_as(manner, action) for action in actions], manner)
    if shown is not None and not shown.conflicts:
        ask_first()
    elif shown is not None and screen.answers and not manner.as_json:
        from cli.shell.terminal_questions import settled_conflicts

        manner = replace(manner, backdating=replace(manner.backdating, conflicts=settled_conflicts()))
    before = handler.state().copy()
    outcomes = handler.record_together([told_as(manner, action) for action in actions])
    open_now = opened_matters(handler.system, before, handler.state()) if asks else []
    for outcome in outcomes:
        if manner.as_json:
            screen.json(answer_json(handler.system, outcome.turn), pretty=False)
        else:
            print_answer(
                handler.system,
                outcome,
                handler.state(),
                screen,
                table_before=waited_for,
                asked=open_now,
                shown_before=shown is not None,
            )
    if manner.backdating and not manner.as_json:
        unseen = sheets_unseen(shown.sheets if shown else (), handler.system, before, handler.state())
        print_sheets(handler.system, unseen, screen)
    screen.flush()
    settle(handler, open_now, manner)
