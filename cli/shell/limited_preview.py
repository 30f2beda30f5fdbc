"""`--as` of the commands that revise: a dry run that shows no more than one player may know."""

from collections.abc import Sequence

from msgspec.structs import replace

from cli.line.context import Context
from cli.shell import options
from cli.shell.command_context import seen_by
from cli.shell.declaration import LineStages, parameter
from cli.shell.ending import DONE, Ended
from cli.shell.record_options import RecordOptions
from cli.terminal.previews import print_revision_targets, targets_json
from domain.log.command_handler import CommandHandler
from domain.refusal import Invalid
from domain.turn import Action, Turn
from projections.revision_targets import revision_targets
from projections.secrecy import as_known_to, keeps_turn

AS = parameter("as_", options.As, None)


class LimitedPreview(LineStages):
    """The words are understood against what the player of --as may know, who sees no more of the preview."""

    def __init__(self, options: RecordOptions, as_: str | None) -> None:
        self.options, self.as_ = options, as_

    def narrow(self, context: Context) -> Context:
        """The context without what the player may not know. Raises NotFound for an unknown player."""
        log, system = context.log, context.system
        viewer = seen_by(log, system, self.as_)
        if viewer is None or not system.keeps_secrets:
            return context

        def keeps(turn: Turn) -> bool:
            return keeps_turn(system, log, turn, viewer)

        return replace(context, state=as_known_to(system, context.state, viewer), keeps=keeps, veiled=True)

    def check(self, handler: CommandHandler, actions: Sequence[Action]) -> None:
        """Print what the player may know of the preview, and raise Ended; return if nothing is secret.

        Raises Invalid for --as without a dry run.
        """
        if self.as_ is None:
            return
        if not self.options.dry_run:
            raise Invalid("--as shows what a player may know of it beforehand; it goes with --dry-run.")
        viewer = seen_by(handler.log, handler.system, self.as_)
        if viewer is None or not handler.system.keeps_secrets:
            return
        targets = [target for action in actions for target in revision_targets(handler, action, viewer)]
        if self.options.json:
            self.options.screen.json(targets_json(targets))
        else:
            print_revision_targets(targets, self.options.screen)
        self.options.screen.flush()
        raise Ended(DONE)
