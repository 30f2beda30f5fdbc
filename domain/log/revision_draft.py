"""The draft of a turn that revises earlier ones: the turns that its action names, and its revision events about them.

An undo, a redo or an amendment of turns that do not stand is refused here; what follows for later turns is decided in
`domain.log.revising`. No more of the log is read for it than the draft touches.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.common.revisions import REVISIONS, Adopt, Amend, Redo, Undo
from domain.common.rulings import Ruling
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.points import number_in, turn_at
from domain.log.port import Log, turn_in
from domain.log.redoing import MOST_LISTED
from domain.log.snapshots import EVERY
from domain.naming import listed
from domain.refusal import Refusal, Unknown
from domain.registry import action_from, tag_of
from domain.turn import Action, Turn, TurnUndone


class _NotEnoughRead(Exception):
    """The draft touches turns before those that were read."""


class RevisionDraft:
    """A draft turn with its own revision events, and the effective history that it was found against."""

    def __init__(self, log: Log, draft: Turn) -> None:
        """Raises Refusal for turns that cannot be revised so."""
        self.log, self.rules, self._now = log, log.rules, draft.moment
        #: what others append meanwhile is read at the next try
        self.last = draft.number - 1
        first = self._first_target(draft)
        for further in (EVERY, first):  # from the beginning on it is never too little
            #: The effective history is known for turns after this one, which must include all that the draft touches.
            self.known_after = max(0, first - further)
            with suppress(_NotEnoughRead):
                self._read(draft)
                break

    def _first_target(self, draft: Turn) -> int:
        """The first turn that the draft is likely to touch; 0 if unknown."""
        match draft.action:
            case Undo(to=None) as undo:
                return min(undo.turns or (self.last - (undo.last or 1),))
            case Redo() as redo:
                return redo.turn or self.last - (redo.last or 1)
            case Amend() as amend:
                first = min(amend.new_actions)
                return first if draft.place is None else min(first, draft.place)
            case Ruling(since=str(since)):
                return number_in(since, "T") or 0
            case _:
                return draft.place or 0

    def _read(self, draft: Turn) -> None:
        """Read the effective history and the draft's own events. Raises _NotEnoughRead if more must be read."""
        for name in ("_revisions", "effective"):  # of the try before, which may be as long as the log
            self.__dict__.pop(name, None)
        self.effective = self.history()
        self.turn = self._with_own_events(draft)
        furthest = dict(self.effective.changes)
        undone_turns = [event.turn for event in self.turn.events if isinstance(event, TurnUndone)]
        if self.known_after and any(furthest.get(number, number) <= self.known_after for number in undone_turns):
            raise _NotEnoughRead

    def read_everything(self) -> None:
        """Start again with the effective history of the whole log."""
        if self.known_after:
            self.known_after = 0
            self.effective = self.history()

    def history(self, draft: Turn | None = None) -> EffectiveHistory:
        """The effective history of the turns that were read, with a draft turn added if given."""
        return effective_history(self.log, self.last, draft, after=self.known_after)

    def _with_own_events(self, draft: Turn) -> Turn:
        """The draft turn with the revision events of its action, before anything is decided again."""
        action = draft.action
        if isinstance(action, Undo):
            targets = self._targets(action)
            action = Undo(turns=targets, why=action.why, conflicts=action.conflicts)
            return replace(draft, action=action, events=tuple(map(TurnUndone, targets)))
        if isinstance(action, Redo):
            undos = self._undos(action.last or 1) if action.turn is None else self._undo(action.turn)
            return replace(draft, events=tuple(map(TurnUndone, undos)))
        if isinstance(action, Amend):
            whole = {}
            for number, action_json in action.new_actions.items():
                self._amendable(number, action_json)
                whole[number] = as_read_back(self._with_points(action_from(self.rules, action_json), before=number))
            return replace(draft, action=action.with_actions(whole))
        if isinstance(action, Adopt):
            raise Refusal(None, "A branch is adopted as a whole: an adoption cannot be recorded without its turns.")
        return replace(draft, action=self._with_points(action, before=draft.number))

    def _with_points(self, action: Action, *, before: int) -> Action:
        if isinstance(action, Ruling) and action.since is not None:
            place = turn_at(action.since, self.log, self.last, now=self._now)
            if place >= before:
                raise Refusal(None, f"A ruling can count only from a turn before its own, not from T{place}.")
            return replace(action, since=f"T{place}")
        return action

    def _targets(self, action: Undo) -> tuple[int, ...]:
        if action.turns is not None:
            if not action.turns:
                raise Refusal(None, "Name at least one turn to undo.")
            if len(set(action.turns)) != len(action.turns):
                raise Refusal(None, "The same turn is named twice.")
            for number in action.turns:
                # what one of these turns took back would stand again without it
                if self.effective.undone_by.get(number) not in action.turns:
                    self._must_stand(number, "undone")
            return tuple(sorted(action.turns))
        undos_and_redos = {n for n, action in self._revisions.items() if isinstance(action, Undo | Redo)}
        undoable = (n for n in self._downward() if self.effective.stands(n) and n not in undos_and_redos)
        if action.to is not None:
            point = turn_at(action.to, self.log, self.last, now=self._now)
            targets = tuple(sorted(n for n in undoable if n > point))
            if not targets:
                raise Refusal(None, f"No turn after T{point} is left to undo.")
            return targets
        if action.last is None:
            line = latest_line(self.log, self.last, self.effective)
            if not line:
                raise Refusal(None, "There is nothing to undo.")
            return line
        count = action.last
        targets = tuple(sorted(n for n, _ in zip(undoable, range(count), strict=False)))
        if len(targets) < count:
            raise Refusal(
                None,
                f"Only {len(targets)} turn{'s are' if len(targets) > 1 else ' is'} left to undo, not {count}."
                if targets
                else "There is nothing to undo.",
            )
        return targets

    def _downward(self) -> Iterator[int]:
        """Every turn but the first, newest first. Raises _NotEnoughRead after the known ones."""
        yield from range(self.last, max(1, self.known_after), -1)
        if self.known_after:
            raise _NotEnoughRead

    @cached_property
    def _revisions(self) -> dict[int, Action]:
        return {
            turn.number: turn.action
            for turn in self.log.read(self.known_after, self.last, tuple(map(tag_of, REVISIONS)))
        }

    def _undos(self, count: int) -> tuple[int, ...]:
        undos = [n for n, action in self._revisions.items() if isinstance(action, Undo) and self.effective.stands(n)]
        if len(undos) < count:
            if self.known_after:
                raise _NotEnoughRead
            refusal = f"Only {len(undos)} undo{'s are' if len(undos) > 1 else ' is'} left to redo, not {count}."
            raise Refusal(None, refusal if undos else "There is nothing to redo.")
        return tuple(undos[-count:])

    def _undo(self, number: int) -> tuple[int, ...]:
        standing = [n for n, action in self._revisions.items() if isinstance(action, Undo) and self.effective.stands(n)]
        if number not in standing:
            if self.known_after and len(standing) <= MOST_LISTED:
                raise _NotEnoughRead
            numbers = listed(f"T{undo}" for undo in standing[-MOST_LISTED:]) if standing else "none"
            which_undos = "those in force" if len(standing) <= MOST_LISTED else "the latest in force"
            raise Refusal(None, f"T{number} is not an undo in force; {which_undos}: {numbers}.")
        return (number,)

    def _must_stand(self, number: int, verb: str) -> None:
        if number > self.last:
            raise Unknown("turn", number, f"There is no turn T{number}", f"the last one is T{self.last}.")
        if number == 1:
            raise Refusal(None, f"Turn 1 begins the log and cannot be {verb}.")
        if not self.effective.stands(number):
            raise Refusal(None, f"T{number} is undone already, by T{self.effective.undone_by[number]}.")

    def _amendable(self, number: int, action_json: Mapping[str, Any]) -> None:
        self._must_stand(number, "amended")
        if number in self._revisions:
            raise Refusal(None, f"T{number} revises other turns; undo it instead of amending it.")
        if action_json.get("type") in [tag_of(kind) for kind in REVISIONS]:
            raise Refusal(None, "A turn cannot be amended into an undo, a redo or an amendment.")


def as_read_back(action: Action) -> dict[str, Any]:
    """The new action of an amendment as decoded from the store: with lists in place of tuples."""
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(action))
    return fields


def latest_line(log: Log, last: int, known: EffectiveHistory | None = None) -> tuple[int, ...]:
    """The turns that a bare undo undoes: the latest standing turn, with those of the same line or adoption.

    If the effective history is not `known`, no more of the log is read for it than what follows these turns.
    """
    kinds = tuple(tag_of(kind) for kind in (Undo, Redo))
    latest = None
    for end in range(last, 1, -EVERY):  # nearly always it is among the last few
        first = max(1, end - EVERY)
        effective = known or effective_history(log, last, after=first)
        undos_and_redos = {turn.number for turn in log.read(first, end, kinds)}
        latest = next((n for n in range(end, first, -1) if effective.stands(n) and n not in undos_and_redos), None)
        if latest is not None:
            break
    if latest is None:
        return ()
    turn = turn_in(log, latest)
    at_once: Sequence[int] = ()
    if isinstance(turn.action, Adopt):
        at_once = turn.action.turns
    elif turn.together is not None:
        at_once = [
            line_turn.number for line_turn in log.read(turn.together - 1, latest) if line_turn.together == turn.together
        ]
    # turns that one of these undid would stand again without it; all were appended at once, so that others came later
    return tuple(sorted({latest, *(n for n in at_once if effective.undone_by.get(n) in (None, latest, *at_once))}))
