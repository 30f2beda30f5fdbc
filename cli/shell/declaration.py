"""The declaration of commands and their parameters, from which commands, help and completion are made.

A `LineDeclaration` is a command whose words are read as a line of the table; its parameters come from its action. Typer
is not imported here, as that takes longer than most commands; `cli.shell.parser` converts the declarations.
"""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, TypeVar, get_args, get_origin

from msgspec import Struct

from domain.refusal import Refusal
from domain.turn import Action

T = TypeVar("T")
#: The options for help, which every command has.
HELP = ("--help", "-h")


class OptionSpec:
    """An option; without `names` its parameter's name is used. `settings` are those of `typer.Option`.

    The help shows no default: a sentence says what holds without the option.
    """

    def __init__(self, *names: str, **settings: Any) -> None:
        self.names, self.settings = names, settings


class ArgumentSpec:
    """An argument by position; `settings` are those of `typer.Argument`."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings


class Parameter(Struct, frozen=True):
    """One parameter of a command's function."""

    name: str
    #: its type, without the None of an optional one
    kind: Any
    spec: Any
    required: bool
    default: Any


class LineStages:
    """What a command does beside recording its line, in the order in which it comes; by default nothing."""

    def narrow(self, context: Any) -> Any:
        """The context that the words of the line are understood against."""
        return context

    def check(self, handler: Any, actions: Sequence[Action]) -> None:
        """Raise Refusal, Invalid or Ended for actions that must not be recorded."""

    def on_refusal(self, handler: Any, refusal: Refusal) -> None:  # noqa: ARG002
        """Report a line that was refused: raise the refusal, or Ended."""
        raise refusal

    def after_recording(self, log: Any) -> None:
        """Called once the line is recorded, but not after a dry run."""


class LineDeclaration(Struct, frozen=True):
    """A command that is the verb of an action; its words are read as a line of the table."""

    action: type[Action]
    help: str
    #: its parameters beside the options of a line
    options: tuple[Parameter, ...] = ()
    #: called with the options of the line and the values of these
    stages: Callable[..., LineStages] = lambda _: LineStages()
    #: the parameters in its help, where they are not the fields of its action
    help_parameters: tuple[Parameter, ...] | None = None


def parameters_of(function: Callable[..., Any]) -> list[Parameter]:
    """The parameters of a function in their order, from its attribute `takes` or its signature."""
    explicit: list[Parameter] | None = getattr(function, "takes", None)
    if explicit is not None:
        return explicit
    return [
        parameter(name, own.annotation, *(() if own.default is own.empty else (own.default,)))
        for name, own in signature(function).parameters.items()
    ]


def takes(function: Callable[..., T], parameters: list[Parameter]) -> Callable[..., T]:
    """The function with these parameters as its attribute `takes`."""
    function.takes = parameters  # type: ignore[attr-defined]
    return function


def gathering(
    function: Callable[..., None], kind: type, value_of: Callable[[dict[str, Any]], Any], parameters: list[Parameter]
) -> Callable[..., None]:
    """Make a command of a function whose first parameter, of type `kind`, gathers options common to many commands.

    The command takes the common `parameters` and the function's own; `value_of` removes the common ones from the
    arguments and makes the value of `kind`.
    """

    def run(**arguments: Any) -> None:
        function(value_of(arguments), **arguments)

    run.__doc__ = function.__doc__
    return takes(run, [*(own for own in parameters_of(function) if own.kind is not kind), *parameters])


def parameter(name: str, annotation: Any, *default: Any) -> Parameter:
    """The parameter of an annotation; it is required if there is no default."""
    metadata = getattr(annotation, "__metadata__", ())
    kind = annotation.__origin__ if metadata else annotation
    if type(None) in get_args(kind) and get_origin(kind) is not None:
        inside = [member for member in get_args(kind) if member is not type(None)]
        kind = inside[0] if len(inside) == 1 else kind
    return Parameter(name, kind, metadata[0] if metadata else None, not default, *default or (None,))
