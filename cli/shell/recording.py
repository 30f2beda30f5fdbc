"""An action recorded, and what every command that records takes beside it: by whom, when and how it is told."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from cli.line.understanding import SETTLES_LATER_TURNS, Understood
from cli.line.values import OF_SHEETS, sheet_as_meant, turn_said
from cli.recording.audience import Audience
from cli.recording.authorship import author, moment
from cli.recording.conversation import Conversation
from cli.shell import options
from cli.shell.command_context import handler_for, opened
from cli.shell.declaration import Parameter, gathering, parameter, parameters_of, takes
from cli.shell.ending import Ended
from cli.shell.terminal_conversation import converse
from cli.shell.words import from_file
from cli.store.streams import StoredLog
from cli.terminal.screen import Screen
from domain.log.backdating import NOW, Backdating, reaches_back, settling
from domain.log.command_handler import Command, CommandHandler
from domain.refusal import Invalid
from domain.registry import action_from, action_kinds
from domain.system.field_schema import fields_of
from domain.system.installed import is_installed
from domain.turn import Action


class RecordOptions(Struct, frozen=True):
    """How something is recorded, and answered."""

    screen: Screen
    #: the campaign as it was named; None: the one that is meant anyhow
    campaign: str | None = None
    as_json: bool = False
    by: str | None = None
    when: str | None = None
    #: only show what it would do
    dry_run: bool = False
    #: ask nothing, neither before earlier turns change nor what the rules ask
    yes: bool = False
    backdating: Backdating = NOW
    #: the player whose knowledge a dry run keeps to
    as_: str | None = None


#: The options of the telling, by their names in a function, in the order in which help tells them.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "after": (options.After, None),
    "before": (options.Before, None),
    "drop": (options.Drop, False),
    "keep": (options.Keep, False),
    "dry_run": (options.DryRun, False),
    "as_": (options.As, None),
    "yes": (options.Yes, False),
    "campaign": (options.Campaign, None),
    "by": (options.By, None),
    "when": (options.When, None),
    "json": (options.Json, False),
    "color": (options.ColorWhen, options.Color.auto),
}
#: What speaks of the log as it is takes no place in it, and may be foreseen by a player.
TOLD_NOW = ("after", "before")
#: How the options are spelt that give way to a field of what is recorded.
_GIVING_WAY: dict[str, tuple[str, Any]] = {
    "by": ("--by", options.SaidBy),
    "drop": ("--drop", options.DropLater),
    "keep": ("--keep", options.KeepLater),
}


def record_parameters(*, without: Collection[str] = ("as_",), taken: Collection[str] = ()) -> list[Parameter]:
    """The parameters of the telling; some give way to options that are `taken`, as they are spelt."""
    told = {name: each for name, each in _OPTIONS.items() if name not in without}
    for name, (spelling, other) in _GIVING_WAY.items():
        if spelling in taken:
            told[name] = (other, told[name][1])
    return [parameter(name, annotation, default) for name, (annotation, default) in told.items()]


def record_options_of(given: dict[str, Any]) -> RecordOptions:
    """How it is told, taken out of what a command was given. Raises Invalid for two ways to settle conflicts."""
    told = {name: given.pop(name, default) for name, (_, default) in _OPTIONS.items()}
    return RecordOptions(
        Screen(told["color"]),
        told["campaign"],
        told["json"],
        told["by"],
        told["when"],
        told["dry_run"],
        told["yes"],
        Backdating(told["after"], told["before"], options.settled(told["drop"], told["keep"])),
        told["as_"],
    )


def with_record_options(*, without: Collection[str] = ("as_",)) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A function of a `RecordOptions` and of what is told, made into a command.

    The command takes what the function takes, and the options of the telling but those that it is `without`.
    """

    return lambda function: gathering(function, RecordOptions, record_options_of, record_parameters(without=without))


def records(
    *, without: Collection[str] = ("as_",), settles: bool = False
) -> Callable[[Callable[..., Mapping[str, Any]]], Callable[..., None]]:
    """A function that gives an action as JSON would tell it, made into the command that records it.

    With `settles` what it leaves open is asked about on a terminal.
    """

    def made(value_of: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
        def run(manner: RecordOptions, **given: Any) -> None:
            perform(manner, value_of(**given), settles=settles)

        run.__doc__ = value_of.__doc__
        return with_record_options(without=without)(takes(run, parameters_of(value_of)))

    return made


def played_otherwise(log: StoredLog) -> Invalid:
    """What is said of a verb of other rules than those of the log."""
    return Invalid(f"{log.name} is played under {log.rules}; its verbs: campaign {log.rules} --help")


def perform(
    manner: RecordOptions,
    value: Mapping[str, Any],
    *,
    settles: bool = False,
    afterwards: Callable[[StoredLog], None] | None = None,
) -> None:
    """Record one action and say what happened, and what to do next where something is open.

    On a terminal an action that changes earlier turns is shown before it is done, and asked for, and the rules' own
    questions are asked; with `settles` so is what it leaves open. `afterwards` is called with the log once it is
    recorded.
    """
    with opened(manner.campaign, write=True) as (log, system):
        asked_of = str(value["type"]).partition(".")[0]
        if asked_of != log.rules and "." in str(value["type"]) and is_installed(asked_of):
            raise played_otherwise(log)

        handler = handler_for(log)
        value = _with_turns(log, value)
        if value["type"] in OF_SHEETS:
            value = sheet_as_meant(system, handler.state(), value)
        record(handler, action_from(log.rules, value), manner, settles=settles)
        if afterwards is not None:
            afterwards(log)


def _with_turns(log: StoredLog, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The value with the turns that it counts back from the latest (@, @-1) by their numbers. Raises Refusal."""
    kind = action_kinds(log.rules).get(str(value["type"]))
    # a point is a text, and stays as it is told
    turns = (field for field in fields_of(kind) if field.turn and field.kind.shape != "text") if kind else ()

    def number(said: Any) -> Any:
        if isinstance(said, list):
            return [number(each) for each in said]
        return turn_said(said, log) or said if isinstance(said, str) and said[:1] == "@" else said

    return {**value, **{field.key: number(value[field.key]) for field in turns if field.key in value}}


def record(handler: CommandHandler, action: Action, manner: RecordOptions, *, settles: bool = False) -> None:
    """The same at a campaign that is open. With `as_`, a dry run shows what this player may know of it.

    With `settles`, what the turn leaves open is asked about on a terminal.
    """
    command = command_of_options(manner, action)
    if manner.as_ is not None:
        _previewed_for(handler, command.action, manner)
    conversation = conversation_of(handler, manner, settles=settles)
    when = {} if manner.when is None else {"when": manner.when}
    understood = Understood((command.action,), manner=when)
    converse(conversation, conversation.do(understood, command.backdating), manner)


def conversation_of(
    handler: CommandHandler,
    manner: RecordOptions,
    *,
    settles: bool = False,
    questions: Sequence[str] = (),
    admits: Callable[[Understood], Understood] = lambda understood: understood,
) -> Conversation:
    """The conversation of one command: whoever types it knows everything, and is asked where a terminal answers."""
    screen = manner.screen
    asks = screen.answers and not (manner.yes or manner.as_json or manner.dry_run)
    return Conversation(
        handler,
        Audience(handler.log, handler.system, handler.state, keeper=True, reads=from_file),
        by=manner.by,
        questions=questions,
        asks=asks,
        confirms=screen.interactive and not manner.yes,
        settles=settles and asks,
        dry_run=manner.dry_run,
        admits=admits,
    )


def command_of_options(manner: RecordOptions, action: Action) -> Command:
    """An action as it is recorded. How conflicts are settled says a revision of earlier turns itself, else its place.

    Raises Invalid for a time that is none, and where there are no later turns that could conflict.
    """
    backdating = manner.backdating
    if backdating.conflicts is not None:
        if not backdating and not reaches_back(action, NOW):
            raise Invalid(SETTLES_LATER_TURNS)
        action, backdating = settling(action, backdating, backdating.conflicts)
    return Command(action, by=author(manner.by), at=moment(manner.when), backdating=backdating)


def _previewed_for(handler: CommandHandler, action: Action, manner: RecordOptions) -> None:
    """Show what a player may know of an action beforehand, and leave; where nothing is secret, that is all of it.

    Raises Ended, Invalid without a dry run, NotFound if nobody is called so.
    """
    from cli.shell.viewing import seen_by

    if not manner.dry_run:
        raise Invalid("--as shows what a player may know of it beforehand; it goes with --dry-run.")
    system, viewer = handler.system, seen_by(handler.log, handler.system, manner.as_)
    if viewer is None or not system.keeps_secrets:
        return
    from cli.terminal.answers import print_revision_targets
    from projections.revision_targets import revision_targets

    told = revision_targets(handler, action, viewer)
    print_revision_targets(told, manner.screen, as_json=manner.as_json)
    manner.screen.flush()
    raise Ended(1 if told else 0)
