"""The options that every reading command takes: campaign, point, viewer and output."""

from collections.abc import Callable, Collection
from typing import Any

from msgspec import Struct

from cli.pages.formats import Format
from cli.shell import options
from cli.shell.declaration import gathering, parameter
from cli.terminal.screen import Screen
from domain.refusal import Invalid


class ReadOptions(Struct, frozen=True):
    """The values of the common options of a reading command."""

    screen: Screen
    #: the value of --campaign; None: the campaign is chosen by `cli.shell.choose`
    campaign: str | None = None
    #: the point to read at as it was typed; None: now
    at: str | None = None
    #: the player whose knowledge limits the answer, as typed; None: the keeper
    as_: str | None = None
    form: Format = Format.text

    @property
    def as_json(self) -> bool:
        return self.form is Format.json


#: The common options by parameter name, in the order of the help.
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "at": (options.At, None),
    "as_": (options.As, None),
    "output": (options.Output, Format.text),
    "json": (options.Json, False),
    "campaign": (options.Campaign, None),
    "color": (options.ColorWhen, options.Color.auto),
}


def reads(
    *, without: Collection[str] = (), keeps_secrets: bool = True
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorate a function with a parameter of type `ReadOptions` as a reading command.

    The command takes the function's other parameters and the common options, but those in `without`. Without
    `keeps_secrets` the option --as is accepted only to be refused with a reason.
    """
    taken_options = {name: option for name, option in _OPTIONS.items() if name not in without}
    if not keeps_secrets:
        taken_options["as_"] = (options.RefusedAs, None)
    parameters = [parameter(name, annotation, default) for name, (annotation, default) in taken_options.items()]

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        def options_of(arguments: dict[str, Any]) -> ReadOptions:
            values = {name: default for name, (_, default) in _OPTIONS.items()}
            values |= {name: arguments.pop(name) for name in taken_options}
            if values["as_"] is not None and not keeps_secrets:
                raise Invalid(
                    f"campaign {function.__name__} cannot keep secrets from {values['as_'][:60]};"
                    " leave --as out, or use campaign status."
                )
            form = Format.json if values["json"] else values["output"]
            return ReadOptions(Screen(values["color"]), values["campaign"], values["at"], values["as_"], form)

        return gathering(function, ReadOptions, options_of, parameters)

    return decorate
