"""What every command that reads takes: which campaign, up to which point, as whom, and how it is to be answered."""

from collections.abc import Callable, Collection
from typing import Any

from msgspec import Struct

from cli.pages.rows import Format
from cli.shell import options
from cli.shell.declaration import gathering, parameter
from cli.terminal.screen import Screen
from domain.refusal import Invalid


class ReadOptions(Struct, frozen=True):
    """How something is read, and answered."""

    screen: Screen
    #: the campaign as it was named; None: the one that is meant anyhow
    campaign: str | None = None
    #: the point up to which is read, as it was typed; None: now
    at: str | None = None
    #: the player whose knowledge the answer keeps to, as they were named; None: the keeper
    as_: str | None = None
    form: Format = Format.text

    @property
    def as_json(self) -> bool:
        """Whether it is to be answered as JSON."""
        return self.form is Format.json


#: The options of an inquiry, by their names in a function, in the order in which help tells them.
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
    """A function of an `ReadOptions` and of what is asked, made into a command.

    The command takes what the function takes, and the options of an inquiry but those that it is `without`. Where it
    cannot keep secrets, --as is there all the same, to be refused with a reason.
    """
    told = {name: each for name, each in _OPTIONS.items() if name not in without}
    if not keeps_secrets:
        told["as_"] = (options.RefusedAs, None)
    parameters = [parameter(name, annotation, default) for name, (annotation, default) in told.items()]

    def made(function: Callable[..., None]) -> Callable[..., None]:
        def inquiry_of(given: dict[str, Any]) -> ReadOptions:
            said = {name: default for name, (_, default) in _OPTIONS.items()}
            said |= {name: given.pop(name) for name in told}
            if said["as_"] is not None and not keeps_secrets:
                raise Invalid(
                    f"campaign {function.__name__} cannot keep secrets from {said['as_'][:60]};"
                    " leave --as out, or use campaign status."
                )
            form = Format.json if said["json"] else said["output"]
            return ReadOptions(Screen(said["color"]), said["campaign"], said["at"], said["as_"], form)

        return gathering(function, ReadOptions, inquiry_of, parameters)

    return made
