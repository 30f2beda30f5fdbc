"""What a command takes: the one description from which Typer's commands, help and completion are made.

A command that records what a line records (`LineDeclaration`) is described by its action, and its words are read as
those of any line.

It imports no Typer, which takes longer to import than most commands take; `cli.shell.parser` hands it to Typer.
"""

from collections.abc import Callable
from typing import Any, TypeVar, get_args, get_origin

from msgspec import Struct

from domain.turn import Action

T = TypeVar("T")
#: Options that every command has: it is told, and not done.
HELP = ("--help", "-h")


class OptionSpec:
    """An option by its names (none: by the name of its parameter); `settings` are those of `typer.Option`."""

    def __init__(self, *names: str, **settings: Any) -> None:
        self.names, self.settings = names, settings


class ArgumentSpec:
    """A word that goes by its place; `settings` are those of `typer.Argument`."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings


class Parameter(Struct, frozen=True):
    """One parameter of a command's function: its type, what was declared of it, and its default."""

    name: str
    #: without None, which stands for what is not given
    kind: Any
    spec: Any
    required: bool
    default: Any


class LineDeclaration(Struct, frozen=True):
    """A command that is the verb of an action, with its help; what is typed behind it is a line of the table."""

    action: type[Action]
    help: str
    #: what it takes besides the options of a line
    options: tuple[Parameter, ...] = ()
    #: gives, of the values of these options, what is done with the log once the line is recorded (None: nothing)
    afterwards: Callable[..., Callable[[Any], None] | None] = lambda **_: None


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a function in their order; whoever makes a function says its own as `takes`."""
    made: list[Parameter] | None = getattr(function, "takes", None)
    if made is not None:
        return made
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    first = len(names) - len(defaults)
    return [
        parameter(name, function.__annotations__[name], *defaults[place - first : place - first + 1])
        if place >= first
        else parameter(name, function.__annotations__[name])
        for place, name in enumerate(names)
    ]


def takes(function: Callable[..., T], parameters: list[Parameter]) -> Callable[..., T]:
    """The function, which says that it takes these parameters."""
    function.takes = parameters  # type: ignore[attr-defined]
    return function


def gathering(
    function: Callable[..., None], kind: type, made: Callable[[dict[str, Any]], Any], parameters: list[Parameter]
) -> Callable[..., None]:
    """A function of what many commands take alike, gathered in one value of this kind, and of what only it takes.

    As a command it takes both; `made` takes the parameters that are common out of what was given.
    """

    def run(**given: Any) -> None:
        function(made(given), **given)

    run.__doc__ = function.__doc__
    return takes(run, [*(each for each in parameters_of(function) if each.kind is not kind), *parameters])


def parameter(name: str, annotation: Any, *default: Any) -> Parameter:
    """One parameter out of its annotation; without a default it must be given."""
    metadata = getattr(annotation, "__metadata__", ())
    kind = annotation.__origin__ if metadata else annotation
    if type(None) in get_args(kind) and get_origin(kind) is not None:
        inside = [each for each in get_args(kind) if each is not type(None)]
        kind = inside[0] if len(inside) == 1 else kind
    return Parameter(name, kind, metadata[0] if metadata else None, not default, *default or (None,))
