"""The rulebook of a campaign with the counts of its wordings and the evidence of its trials."""

from collections.abc import Callable, Sequence

from cli.shell.command_context import handler_for
from cli.shell.viewing import viewing
from cli.store.snapshots import EvidenceFile
from cli.store.stored_log import StoredLog
from domain.log.port import AsOf
from domain.system.rulesystem import RuleSystem
from projections.rule_history import Remark
from projections.trials import Evidence, evidence_of
from projections.views.rulebook import Rulebook, rulebook_of


def rulebook_with_evidence(
    log: StoredLog,
    system: RuleSystem,
    upto: int,
    selects: Callable[[Remark, int | None], bool] | None = None,
    ruling: int | None = None,
) -> Rulebook:
    """The rulebook as of turn `upto`, with the evidence of all trials, or of those for which `selects` is true.

    `selects` is called with each trial and the turn that adopted or ended it, if any. `ruling` is a ruling that counts
    as a trial here.
    """
    handler = handler_for(AsOf(log, upto))
    store = EvidenceFile(log.campaign_id) if log.is_linked else None  # a link that is not stored takes the whole log

    def weigh(trial: Remark, turns: Sequence[int], over: int | None) -> Evidence | None:
        return evidence_of(handler, trial, turns, over, store) if selects is None or selects(trial, over) else None

    with viewing(log, system, upto) as view:
        return rulebook_of(system, log, upto, view, weigh, ruling)
