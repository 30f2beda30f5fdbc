"""One log of a campaign: how turns are decided, appended, folded, revised and verified.

To be read in this order:

* `port`: what a log is (read turns, append a turn), and logs that are kept nowhere or hold uncommitted turns.
* `effective_history`: which turns stand, what each comes to and where it folds, from the revision events in the log.
* `folding`: effective turns in, state out; `snapshots`: packed states, so that a fold need not begin at turn 1.
* `deciding`: one action against one state; `chance` and `used_numbers`: where its dice, cards and ids come from.
* `command_handler`: an action in, a decided and appended turn out, decided again if another writer came first.
* `revising`: what undo, redo, amend, a late entry or a ruling `since` makes of the later turns, which are decided
  again.
* `backdating`: after which turn a late entry folds; `redoing`: which undos there are; `adopting`: a branch's turns
  here.
* `simulation`: deciding for a preview, with draws that are not the real ones; `pending_draws`: the seeds of draws that
  a refused action has made, used by whoever asks the same again.
* `points`: T42, S3, @-3 and dates as turn numbers; `suspects`: which single turn explains a wrong paper sheet.
* `hash_chain`: links and seals; `verifying`: whether the log is what was written, and follows from what was done.
* `upcasts`: what turns of earlier versions left out.
"""
