"""What a command takes beside the annotations of its function, and commands whose words are a line of the table."""

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import Any, TypeVar

from msgspec import Struct

from domain.refusal import Refusal
from domain.turn import Action

T = TypeVar("T")


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


def parameter(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:
    """A parameter for a command; it is required if there is no default."""
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def taking(function: Callable[..., T], parameters: Sequence[Parameter]) -> Callable[..., T]:
    """The function with these parameters for Typer, which reads the signature and the annotations."""
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return function


def gathering(
    function: Callable[..., None], kind: type, value_of: Callable[[dict[str, Any]], Any], common: Sequence[Parameter]
) -> Callable[..., None]:
    """Make a command of a function whose parameter of type `kind` gathers the options `common` to many commands.

    `value_of` removes the common options from the arguments and makes the value of `kind`.
    """

    def run(**arguments: Any) -> None:
        function(value_of(arguments), **arguments)

    own = (each for each in signature(function).parameters.values() if each.annotation is not kind)
    run.__doc__ = function.__doc__
    return taking(run, [*(each.replace(kind=Parameter.KEYWORD_ONLY) for each in own), *common])
