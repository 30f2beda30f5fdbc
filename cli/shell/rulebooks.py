"""The rulebook of a campaign, with what was played under each wording and the evidence of its trials."""

from collections.abc import Callable, Sequence

from cli.shell.command_context import handler_for
from cli.shell.viewing import viewing
from cli.store.streams import StoredLog
from domain.log.port import AsOf
from domain.system.rulesystem import RuleSystem
from projections.history import Remark
from projections.trials import Evidence, evidence_of
from projections.views.rulebook import Rulebook, rulebook_of


def weighed(
    log: StoredLog, system: RuleSystem, upto: int, wanted: Callable[[Remark, int | None], bool] | None = None
) -> Rulebook:
    """The book as of turn `upto`, with the evidence of its trials, or of those that are `wanted`.

    `wanted` is asked for each trial with the turn that adopted or ended it, if any did.
    """
    handler = handler_for(AsOf(log, upto))

    def weigh(trial: Remark, played: Sequence[int], over: int | None) -> Evidence | None:
        return evidence_of(handler, trial, played, over) if wanted is None or wanted(trial, over) else None

    with viewing(log, system, upto) as view:
        return rulebook_of(system, log, upto, view, weigh)
