"""Backdating: the place of a late entry or a moved turn, which is the turn directly after which it folds."""

from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import REVISIONS, Amend, Conflicts
from domain.common.rulings import Ruling
from domain.common.start import CampaignStart
from domain.log.effective_history import EffectiveHistory, effective_history, reaches_back
from domain.log.points import turn_at
from domain.log.port import Log, turn_in
from domain.refusal import Invalid, Refusal
from domain.registry import tag_of
from domain.turn import Action, Turn

#: What a place in the log is said with, before a turn.
PLACES = ("after", "before")


class Backdating(Struct, frozen=True):
    """The place in the log where something happened, as a point; with neither field it is the end of the log.

    `conflicts`: what happens to later turns that are not legal any more.
    """

    after: str | None = None
    before: str | None = None
    conflicts: Conflicts | None = None

    def __bool__(self) -> bool:
        return self.after is not None or self.before is not None


def with_conflict_answer(action: Action, backdating: Backdating, conflicts: Conflicts) -> tuple[Action, Backdating]:
    """The action and its backdating, with the answer for later turns that are not legal any more filled in.

    A revising action has the answer in its own field; for any other action it is in the backdating.
    """
    if reaches_back(action, placed=False):
        return replace(action, conflicts=conflicts), replace(backdating, conflicts=None)
    return action, replace(backdating, conflicts=conflicts)


#: At the end of the log.
NOW = Backdating()
#: Actions that cannot be backdated. A backdated amendment moves the amended turn.
PLACELESS: tuple[type[Action], ...] = (CampaignStart, *(kind for kind in REVISIONS if kind is not Amend))


def backdate(log: Log, draft: Turn, backdating: Backdating, *, keep_time: bool) -> Turn:
    """The draft turn with its place, and with the time of that place unless `keep_time`.

    A turn directly after the last one gets no place. On an amendment the place is the new one of the amended turn,
    None if that does not change. Raises Refusal for a place that does not exist or is not possible for this turn,
    Invalid for two places.
    """
    if not backdating:
        return draft
    if backdating.after is not None and backdating.before is not None:
        raise Invalid("Say after or before, not both.")
    action = draft.action
    if isinstance(action, PLACELESS):
        raise Refusal(None, f"{tag_of(type(action))} is about the log as it is now, so it cannot be a late entry.")
    last = draft.number - 1

    def folds_elsewhere(number: int) -> bool:
        # only the turn itself and later ones can give it a place
        return number in effective_history(log, last, after=number - 1).place

    if backdating.after is not None:
        place = turn_at(backdating.after, log, last, now=draft.moment)
    else:
        follower = turn_at(backdating.before or "", log, last, now=draft.moment)
        if folds_elsewhere(follower):
            behind = effective_history(log, last).place[follower]
            raise Refusal(
                None, f"T{follower} is itself placed directly after T{behind}; say after which turn it happened."
            )
        if follower == 1:
            raise Refusal(None, "Turn 1 begins the log; nothing came before it.")
        place = next(number for number in range(follower - 1, 0, -1) if not folds_elsewhere(number))
    if isinstance(action, Amend):
        return replace(draft, place=_new_place(action, place, last, effective_history(log, last)))
    if isinstance(action, Ruling) and action.since is not None:
        raise Invalid("Say since, after or before: only one of these.")
    if place == last and not folds_elsewhere(place):
        return draft
    time = draft.at if keep_time else turn_in(log, place).at
    return replace(draft, place=place, at=time)


def _new_place(action: Amend, place: int, last: int, effective: EffectiveHistory) -> int | None:
    """The place that an amendment gives to the amended turn; None if it folds there already."""
    if action.action.get("type") == tag_of(Ruling) and action.action.get("since") is not None:
        raise Invalid("Say since, after or before: only one of these.")
    if place >= action.turn:
        raise Refusal(
            None,
            f"T{action.turn} was recorded before T{place} and cannot be moved after it. Move T{place} instead, or undo"
            f" T{action.turn} and record it again after T{place}.",
        )
    if action.turn > last:
        return place  # `Revision` refuses an amendment of a turn that does not exist
    path = effective.fold_path(action.turn)
    begin, end = sorted((path, (*effective.fold_path(place), action.turn)))
    other_paths = map(effective.fold_path, chain(effective.place, range(begin[0], end[0] + 1)))
    is_moved = any(begin < other < end and other[: len(path)] != path for other in other_paths)
    return place if is_moved else None
