"""Recording commands: their common options, and the recording of an action through a conversation."""

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
from domain.turn import Action


class RecordOptions(Struct, frozen=True):
    """The values of the common options of a recording command."""

    screen: Screen
    #: the value of --campaign; None: the campaign is chosen by `cli.shell.choose`
    campaign: str | None = None
    as_json: bool = False
    by: str | None = None
    when: str | None = None
    #: whether to preview only
    dry_run: bool = False
    #: whether to ask nothing, neither for confirmation nor for pending decisions
    yes: bool = False
    backdating: Backdating = NOW
    #: the player whose knowledge limits a dry run
    as_: str | None = None


#: The common options by parameter name, in the order of the help.
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
#: Options that commands without a place in the log lack; their dry run may be limited to a player's knowledge.
NOT_BACKDATED = ("after", "before")
#: The options that are renamed if a field of the action has their name.
_GIVING_WAY: dict[str, tuple[str, Any]] = {
    "by": ("--by", options.SaidBy),
    "drop": ("--drop", options.DropLater),
    "keep": ("--keep", options.KeepLater),
}


def record_parameters(*, without: Collection[str] = ("as_",), taken: Collection[str] = ()) -> list[Parameter]:
    """The parameters of the common options; some are renamed if their spelling is in `taken`."""
    options_taken = {name: option for name, option in _OPTIONS.items() if name not in without}
    for name, (spelling, other) in _GIVING_WAY.items():
        if spelling in taken:
            options_taken[name] = (other, options_taken[name][1])
    return [parameter(name, annotation, default) for name, (annotation, default) in options_taken.items()]


def record_options_of(arguments: dict[str, Any]) -> RecordOptions:
    """Take the common options out of the arguments of a command. Raises Invalid for --drop with --keep."""
    values = {name: arguments.pop(name, default) for name, (_, default) in _OPTIONS.items()}
    return RecordOptions(
        Screen(values["color"]),
        values["campaign"],
        values["json"],
        values["by"],
        values["when"],
        values["dry_run"],
        values["yes"],
        Backdating(values["after"], values["before"], options.settled(values["drop"], values["keep"])),
        values["as_"],
    )


def with_record_options(*, without: Collection[str] = ("as_",)) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a function with a parameter of type `RecordOptions` as a recording command.

    The command takes the function's other parameters and the common options, but those in `without`.
    """

    return lambda function: gathering(function, RecordOptions, record_options_of, record_parameters(without=without))


def records(
    *, without: Collection[str] = ("as_",)
) -> Callable[[Callable[..., Mapping[str, Any]]], Callable[..., None]]:
    """Decorate a function that returns an action as JSON as the command that records it."""

    def made(value_of: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
        def run(manner: RecordOptions, **arguments: Any) -> None:
            perform(manner, value_of(**arguments))

        run.__doc__ = value_of.__doc__
        return with_record_options(without=without)(takes(run, parameters_of(value_of)))

    return made


def played_otherwise(log: StoredLog) -> Invalid:
    """The error for a verb of other rules than the log's."""
    return Invalid(f"{log.name} is played under {log.rules}; its verbs: campaign {log.rules} --help")


def perform(manner: RecordOptions, value: Mapping[str, Any]) -> None:
    """Record one action in the chosen campaign and print the result and the pending decisions.

    On a terminal an action that changes earlier turns is previewed and confirmed, and decisions of the rules are asked
    for.
    """
    with opened(manner.campaign, write=True) as (log, system):
        handler = handler_for(log)
        value = _with_turns(log, value)
        if value["type"] in OF_SHEETS:
            value = sheet_as_meant(system, handler.state(), value)
        record(handler, action_from(log.rules, value), manner)


def _with_turns(log: StoredLog, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The action with @ and @-1 replaced by the numbers of those turns. Raises Refusal."""
    kind = action_kinds(log.rules).get(str(value["type"]))
    # a field of type text holds a point, which stays as it is typed
    turns = (field for field in fields_of(kind) if field.turn and field.kind.shape != "text") if kind else ()

    def number(word: Any) -> Any:
        if isinstance(word, list):
            return [number(part) for part in word]
        return turn_said(word, log) or word if isinstance(word, str) and word[:1] == "@" else word

    return {**value, **{field.key: number(value[field.key]) for field in turns if field.key in value}}


def record(handler: CommandHandler, action: Action, manner: RecordOptions) -> None:
    """Record one action in an open campaign. With `as_` a dry run shows only what that player may know."""
    command = command_of_options(manner, action)
    if manner.as_ is not None:
        _previewed_for(handler, command.action, manner)
    conversation = conversation_of(handler, manner)
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
    """The conversation of one command; its audience is the keeper, who is asked only on a terminal."""
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
    """The command for the handler. A way to settle conflicts goes into a revising action, else into the backdating.

    Raises Invalid for an invalid time or author, and for such a way without possible conflicts.
    """
    backdating = manner.backdating
    if backdating.conflicts is not None:
        if not backdating and not reaches_back(action, NOW):
            raise Invalid(SETTLES_LATER_TURNS)
        action, backdating = settling(action, backdating, backdating.conflicts)
    return Command(action, by=author(manner.by), at=moment(manner.when), backdating=backdating)


def _previewed_for(handler: CommandHandler, action: Action, manner: RecordOptions) -> None:
    """Print what a player may know of the preview of an action, and end; returns if nothing is secret.

    Raises Ended, Invalid without a dry run, NotFound for an unknown player.
    """
    from cli.shell.viewing import seen_by

    if not manner.dry_run:
        raise Invalid("--as shows what a player may know of it beforehand; it goes with --dry-run.")
    system, viewer = handler.system, seen_by(handler.log, handler.system, manner.as_)
    if viewer is None or not system.keeps_secrets:
        return
    from cli.terminal.answers import print_revision_targets
    from projections.revision_targets import revision_targets

    targets = revision_targets(handler, action, viewer)
    print_revision_targets(targets, manner.screen, as_json=manner.as_json)
    manner.screen.flush()
    raise Ended(1 if targets else 0)
