"""The common options of recording commands: in the help of every verb, and as the values of a line or a reader."""

from collections.abc import Collection
from inspect import Parameter
from typing import Any

from msgspec import Struct

from cli.line.understanding import SETTLES_LATER_TURNS
from cli.recording.authorship import author, moment
from cli.shell import options
from cli.shell.declaration import parameter
from cli.terminal.screen import Screen, complain
from domain.log.backdating import NOW, PLACES, Backdating, with_conflict_answer
from domain.log.command_handler import Command
from domain.log.effective_history import reaches_back
from domain.refusal import Invalid
from domain.turn import Action


class RecordOptions(Struct, frozen=True):
    """The values of the common options of a recording command."""

    screen: Screen
    #: the value of --campaign; None: the campaign is chosen by `cli.shell.choose`
    campaign: str | None = None
    json: bool = False
    yes: bool = False
    #: whether to preview only
    dry_run: bool = False
    by: str | None = None
    when: str | None = None
    backdating: Backdating = NOW


#: The common options by parameter name, in the order of the help.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "after": (options.After, None),
    "before": (options.Before, None),
    "drop": (options.Drop, False),
    "keep": (options.Keep, False),
    "dry_run": (options.DryRun, False),
    "yes": (options.Yes, False),
    "campaign": (options.Campaign, None),
    "by": (options.By, None),
    "when": (options.When, None),
    "json": (options.Json, False),
    "color": (options.ColorWhen, options.Color.auto),
}
#: The options that stand among the words of a line and are read with them.
IN_WORDS = (*PLACES, "drop", "keep", "by", "when")
#: The options that are renamed if a field of the action has their name.
_GIVING_WAY: dict[str, tuple[str, Any]] = {
    "by": ("--by", options.SaidBy),
    "drop": ("--drop", options.DropLater),
    "keep": ("--keep", options.KeepLater),
}


def record_parameters(*, without: Collection[str] = (), names_in_use: Collection[str] = ()) -> list[Parameter]:
    """The parameters of the common options; some are renamed if their spelling is in `names_in_use`."""
    own_options = {name: option for name, option in _OPTIONS.items() if name not in without}
    for name, (spelling, other) in _GIVING_WAY.items():
        if spelling in names_in_use:
            own_options[name] = (other, own_options[name][1])
    return [parameter(name, annotation, default) for name, (annotation, default) in own_options.items()]


def record_options_of(arguments: dict[str, Any]) -> RecordOptions:
    """Take the common options out of the arguments of a command. Raises Invalid for --drop with --keep."""
    values = {name: arguments.pop(name, default) for name, (_, default) in _OPTIONS.items()}
    return RecordOptions(
        Screen(values["color"]),
        values["campaign"],
        values["json"],
        values["yes"],
        values["dry_run"],
        values["by"],
        values["when"],
        Backdating(values["after"], values["before"], options.conflicts_option(values["drop"], values["keep"])),
    )


def command_of_options(manner: RecordOptions, action: Action) -> Command:
    """The command for the handler. A way to settle conflicts goes into a revising action, else into the backdating.

    Raises Invalid for an invalid time or author, and for such a way without possible conflicts.
    """
    backdating = manner.backdating
    if backdating.conflicts is not None:
        if not reaches_back(action, placed=bool(backdating)):
            raise Invalid(SETTLES_LATER_TURNS)
        action, backdating = with_conflict_answer(action, backdating, backdating.conflicts)
    return Command(action, by=author(manner.by), at=moment(manner.when, complain), backdating=backdating)
