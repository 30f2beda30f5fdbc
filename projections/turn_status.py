"""What a turn went through since it was told: amended, decided again, kept, told late or moved."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from domain.common.sheets import SheetCheck
from domain.log.effective_history import EffectiveHistory
from domain.system.registry import tag_of


class TurnStatus(Struct, frozen=True):
    """What happened to one turn that stands. None: it did not."""

    amended_by: int | None = None
    redecided_by: int | None = None
    kept: bool = False
    #: The turn directly after which it folds.
    place: int | None = None
    #: Whether an amendment gave it that place.
    moved: bool = False

    def __str__(self) -> str:
        told = [f"amended by T{self.amended_by}"] if self.amended_by is not None else []
        if self.redecided_by is not None and self.redecided_by != self.amended_by:
            told.append(f"{'kept as it was' if self.kept else 'decided again'} by T{self.redecided_by}")
        if self.place is not None:
            told.append(f"{'moved' if self.moved else 'told late'}, after T{self.place}")
        return "; ".join(told)

    def as_json(self) -> dict[str, Any]:
        """The keys that a turn has besides, where something happened to it."""
        told = {"amended_by": self.amended_by, "redecided_by": self.redecided_by, "place": self.place}
        return {name: each for name, each in told.items() if each is not None}


#: The action of holding a paper sheet against the log: where it agreed, that stays on record.
SHEET_CHECK = tag_of(SheetCheck)
#: What is said of it besides, once the sheet that it agreed with may be another.
AGREED_THEN = "agreed with the sheet of then"


def may_be_outdated(effective: EffectiveHistory, turn: int) -> bool:
    """Whether a later turn that stands reaches back to where this one folds, or before: the sheets of then may be
    others now."""
    place = effective.trunk(turn)
    return any(first <= place and turn < speaker for speaker, first in effective.reach.items())


def statuses_of(effective: EffectiveHistory, turns: Iterable[int]) -> dict[int, TurnStatus]:
    """What happened to each of these turns that something happened to."""
    found = {}
    for turn in turns:
        mark = TurnStatus(
            effective.amended[turn][0] if turn in effective.amended else None,
            effective.redecided[turn][0] if turn in effective.redecided else None,
            effective.kept(turn),
            effective.place.get(turn),
            turn in effective.moved,
        )
        if mark != TurnStatus():
            found[turn] = mark
    return found
