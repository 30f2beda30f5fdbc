"""An action recorded, and what every command that records takes beside it: by whom, when and how it is told."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from cli.shell import options
from cli.shell.command_context import ask_first, handler_for, opened
from cli.shell.declaration import Parameter, gathering, parameter, parameters_of, takes
from cli.shell.ending import Ended
from cli.shell.words import author, moment
from cli.store.streams import StoredLog
from cli.terminal.screen import Screen
from domain.log.backdating import NOW, Backdating, reaches_back, settling
from domain.log.command_handler import Command
from domain.refusal import Invalid
from domain.system.installed import is_installed
from domain.system.pending import PendingDecision
from domain.system.registry import action_from, action_kinds
from domain.turn import Action

if TYPE_CHECKING:
    from projections.preview import ActionPreview


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
_GIVING_WAY: dict[str, tuple[str, Any]] = {"by": ("--by", options.SaidBy), "keep": ("--keep", options.KeepLater)}


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
    *, without: Collection[str] = ("as_",), asks: bool = False
) -> Callable[[Callable[..., Mapping[str, Any]]], Callable[..., None]]:
    """A function that gives an action as JSON would tell it, made into the command that records it.

    With `asks` the rules' own questions are asked.
    """

    def made(value_of: Callable[..., Mapping[str, Any]]) -> Callable[..., None]:
        def run(manner: RecordOptions, **given: Any) -> None:
            perform(manner, value_of(**given), asks=asks)

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
    asks: bool = False,
    afterwards: Callable[[StoredLog], None] | None = None,
) -> None:
    """Record one action and say what happened, and what to do next where something is open.

    An action that changes earlier turns is shown before it is done, and asked for on a terminal; with `asks`, the
    rules' own questions about it are asked there. `afterwards` is called with the log once it is recorded.
    """
    with opened(manner.campaign, write=True) as (log, system):
        asked_of = str(value["type"]).partition(".")[0]
        if asked_of != log.rules and "." in str(value["type"]) and is_installed(asked_of):
            raise played_otherwise(log)
        from cli.line.values import OF_SHEETS, sheet_as_meant

        handler = handler_for(log)
        value = _with_turns(log, value)
        if value["type"] in OF_SHEETS:
            value = sheet_as_meant(system, handler.state(), value)
        record(handler, action_from(log.rules, value), manner, asks=asks)
        if afterwards is not None:
            afterwards(log)


def _with_turns(log: StoredLog, value: Mapping[str, Any]) -> Mapping[str, Any]:
    """The value with the turns that it counts back from the latest (@, @-1) by their numbers. Raises Refusal."""
    from cli.line.values import turn_said
    from domain.system.field_schema import fields_of

    kind = action_kinds(log.rules).get(str(value["type"]))
    # a point is a text, and stays as it is told
    turns = (field for field in fields_of(kind) if field.turn and field.kind.shape != "text") if kind else ()

    def number(said: Any) -> Any:
        if isinstance(said, list):
            return [number(each) for each in said]
        return turn_said(said, log) or said if isinstance(said, str) and said[:1] == "@" else said

    return {**value, **{field.key: number(value[field.key]) for field in turns if field.key in value}}


def record(handler: Any, action: Action, manner: RecordOptions, *, asks: bool = False, decided: bool = False) -> None:
    """The same at a campaign that is open. With `as_`, a dry run tells what this player may know of it.

    Of what is `decided` nothing is asked any more before it is done.
    """
    from cli.terminal.answers import answer_json, print_answer, print_sheets

    system, screen = handler.system, manner.screen
    line = told_as(manner, action)
    changes = reaches_back(line.action, line.backdating)
    if manner.as_ is not None:
        _foreseen_by(handler, line.action, manner)
    asks = asks and not (manner.yes or manner.as_json or manner.dry_run) and screen.answers
    as_typed, open_now = True, list[PendingDecision]()
    if asks:
        from cli.shell.terminal_questions import decided_afterwards, decided_here

        (asked,) = (line.action,) if decided else decided_here(handler, (line.action,), line.backdating)
        as_typed, line = asked == line.action, replace(line, action=asked)
    shown = shown_first(handler, (line,), manner)
    if shown is not None:
        if shown.conflicts and screen.answers and not manner.as_json:
            from cli.shell.terminal_questions import settled_conflicts

            action, backdating = settling(line.action, line.backdating, settled_conflicts())
            line = replace(line, action=action, backdating=backdating)
        elif not shown.conflicts:
            ask_first()
    before = handler.state().copy()
    waited_for = system.pending_for_table(before)
    outcome = handler.record(line.action, by=line.by, at=line.at, backdating=line.backdating)
    state = handler.state()
    if asks:
        from cli.line.choosing import opened as opened_matters

        open_now = opened_matters(system, before, state)
    if manner.as_json:
        screen.json(answer_json(system, outcome.turn))
    else:
        shown_before = shown is not None
        print_answer(system, outcome, state, screen, table_before=waited_for, asked=open_now, shown_before=shown_before)
        if changes:
            from projections.preview import sheets_unseen

            print_sheets(system, sheets_unseen(shown.sheets if shown else (), system, before, state), screen)
    screen.flush()
    for amended in decided_afterwards(handler, outcome, before) if asks and as_typed else ():
        record(handler, amended, replace(manner, when=None, backdating=NOW, yes=True))
    settle(handler, open_now, manner)


def shown_first(handler: Any, lines: Sequence[Command], manner: RecordOptions) -> "ActionPreview | None":
    """What lines would do, done together, once it is shown: for a dry run, which leaves with it, and on a terminal
    where they change more than the latest line. None: nothing was shown. Raises Ended.
    """
    screen = manner.screen
    changes = any(reaches_back(line.action, line.backdating) for line in lines)
    if not (manner.dry_run or (changes and not manner.yes and screen.interactive)):
        return None
    from cli.terminal.answers import print_preview
    from projections.preview import simulate

    told = simulate(handler, *lines)
    if told.only_latest and not manner.dry_run:
        return None
    print_preview(handler.system, told, screen, as_json=manner.as_json)
    screen.flush()
    if manner.dry_run:
        raise Ended(1 if told.reaches_back else 0)
    return told


def settle(handler: Any, matters: Sequence[PendingDecision], manner: RecordOptions) -> None:
    """Ask about what turns have left open, as the rules do, and record what settles it."""
    for matter in matters:
        from cli.shell.terminal_questions import settled_here

        if matter in handler.system.pending_for_anyone(handler.state()):
            for action in settled_here(handler, matter):
                record(handler, action, replace(manner, when=None, backdating=NOW), asks=True, decided=True)


def told_as(manner: RecordOptions, action: Action) -> Command:
    """An action as it is told. How conflicts are settled says an action that speaks of earlier turns, else the place.

    Raises Invalid for a time that is none, and where there are no later turns that could conflict.
    """
    backdating = manner.backdating
    if backdating.conflicts is not None:
        if not backdating and not reaches_back(action, NOW):
            from cli.line.understanding import SETTLES_LATER_TURNS

            raise Invalid(SETTLES_LATER_TURNS)
        action, backdating = settling(action, backdating, backdating.conflicts)
    return Command(action, by=author(manner.by), at=moment(manner.when), backdating=backdating)


def _foreseen_by(handler: Any, action: Action, manner: RecordOptions) -> None:
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
