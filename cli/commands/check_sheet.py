"""Compare the paper sheet with the log.

If they agree, that is recorded. If not, see each difference, and the turn to undo or amend so that they agree, if
there is one.

Examples:
  campaign check-sheet brog hp=10 fatigue=1
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from cli.shell.command_context import seen_by
from cli.shell.declaration import LineDeclaration, LineStages
from cli.shell.ending import NO, Ended
from cli.shell.limited_preview import AS
from cli.shell.record_options import RecordOptions
from cli.terminal.spelling import in_quotes
from domain.common.sheets import SheetCheck, SheetDiffers
from domain.log.command_handler import CommandHandler
from domain.log.suspects import likeliest
from domain.naming import listed, name_meant, possessive
from domain.refusal import Refusal
from domain.turn import Action
from domain.values import as_written, in_words
from projections.secrecy import kept_from


class SheetComparison(LineStages):
    """Where the sheets differ, each difference is printed; for the player of --as nothing that they may not see."""

    def __init__(self, options: RecordOptions, as_: str | None) -> None:
        self.options, self.as_ = options, as_

    def check(self, handler: CommandHandler, actions: Sequence[Action]) -> None:
        """Raise Refusal for fields that the player of --as may not see: an answer would reveal their values."""
        viewer = seen_by(handler.log, handler.system, self.as_)
        for action in actions if viewer is not None else ():
            assert isinstance(action, SheetCheck)
            state = handler.state()
            name = name_meant(action.character, state.characters)
            secret = [field for field in action.expect if field in kept_from(handler.system, state, name, viewer)]
            if secret:
                whose = f"{possessive(name)} {listed(secret)}"
                raise Refusal(None, f"{viewer} may not see {whose}; check it without --as.")

    def on_refusal(self, handler: CommandHandler, refusal: Refusal) -> None:
        """Print the differences and raise Ended, if that is why the line is refused."""
        if not isinstance(refusal, SheetDiffers):
            raise refusal
        blind = self.as_ is not None and handler.system.keeps_secrets
        _print_differences(self.options, handler, refusal, blind=blind)
        self.options.screen.flush()
        raise Ended(NO) from None


def _print_differences(options: RecordOptions, handler: CommandHandler, differs: SheetDiffers, *, blind: bool) -> None:
    """Print each field that differs with the turn that last changed it, and the turn most likely at fault.

    With `blind` no turn is looked for: that decides turns again, which may reveal what other players hold.
    """
    system, screen, name = handler.system, options.screen, differs.character
    suspect = None if blind else likeliest(handler, name, differs.expect)
    if options.json:
        differences = [
            {
                "field": difference.field,
                "log": difference.in_log,
                "paper": difference.on_paper,
                "changed": difference.changed,
            }
            for difference in differs.differences
        ]
        screen.json({"differs": differences, "suspect": msgspec.to_builtins(suspect), "reason": differs.reason})
        return

    def words(field: str, value: Any) -> str:
        return in_words(system.in_words(handler.state(), name, field, value))

    screen.line(f"{possessive(name)} paper sheet differs from the log:")
    for difference in differs.differences:
        field = difference.field
        screen.line(
            f"  {field}: {words(field, difference.in_log)} in the log (last changed at T{difference.changed}), "
            f"{words(field, difference.on_paper)} on paper"
        )
    if blind:
        return
    if suspect is None:
        screen.line("No single turn explains it. Look at the log: ", f"campaign log --character {in_quotes(name)}")
    elif suspect.field is None:
        screen.line(f"They would agree without T{suspect.turn}: campaign undo T{suspect.turn}")
    else:
        screen.line(
            f"They would agree if T{suspect.turn} were amended: "
            f"campaign amend T{suspect.turn} {set_options(suspect.field, suspect.value)}"
        )


def set_options(field: str, value: Any) -> str:
    """A field's value as --set options: one, or for a map of lists one for each key."""
    if isinstance(value, dict) and any(isinstance(item, list | tuple) for item in value.values()):
        words = [f"{field}={key}={option_text(item)}" for key, item in value.items()]
    else:
        words = [f"{field}={option_text(value)}"]
    return " ".join(f"--set {in_quotes(word)}" for word in words)


def option_text(value: Any) -> str:
    """A value in the form that an option of a verb takes."""
    if isinstance(value, list | tuple):
        return ",".join(map(str, value))
    if isinstance(value, dict):
        return ",".join(f"{key}={option_text(item)}" for key, item in value.items())
    return as_written(value)


check_sheet = LineDeclaration(SheetCheck, __doc__, (AS,), SheetComparison)
