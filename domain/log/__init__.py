"""The event log of a campaign: deciding, appending, folding, revising and verifying turns.

To be read in this order:

* `port`: the interface of a log (read turns, append a turn), with in-memory and uncommitted implementations.
* `effective_history`: which turns stand, their outcome and where they fold, from the revision events in the log.
* `folding`: folds effective turns into a state; `snapshots`: packed states from which a fold can start.
* `deciding`: decides one action against one state; its dice, cards and ids come from `domain.system.chance`.
* `command_handler`: decides and appends an action as one turn, and again if another writer was faster.
* `revision_draft`: which turns an undo, redo or amendment names; `revising`: decides later turns again after one, or
  after a late entry or a ruling `since`.
* `backdating`: the place of a late entry; `redoing`: the undos that can be redone; `adopting`: takes over the turns of
  a branch.
* `simulation`: deciding for a preview without the real draws; `open_questions`: what an action leaves open, asked
  before it is recorded; `pending_draws`: the seeds that refused actions drew from, for the next try.
* `points`: T42, S3, @-3 and dates as turn numbers; `suspects`: the single turn that explains a wrong paper sheet.
* `hash_chain`: links and seals; `verifying`: whether turns are as written and follow from their actions; `finding`: one
  result of that.
* `upcasts`: fills in what turns of earlier versions lack.
"""
