"""Simulation: deciding an action for a preview, without the draws that the real turn would make.

A preview leaves no trace, so it must not reveal what would be drawn or which cards lie face down: the player could then
do something else. So the action is decided in several simulations that differ in just that. What is the same in all
of them is certain and is shown; the rest is shown as open. No simulation uses a seed of the log.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from domain.log.upcasts import chance_with_owners
from domain.system.chance import UNSEEN
from domain.system.options import without_idle_fields
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game, Sheet, State
from domain.turn import Action, StoredDrawn, Turn, TurnRedecided

#: The number of simulations of an action that draws.
SIMULATIONS = 6

Order = tuple[int | str, ...]


class DrawSource:
    """What a turn is decided with. This one is the real source: the seeds, decks and records of the log.

    Subclasses replace what a preview must not use, or what a turn that is decided again must not repeat.
    """

    def seed(self, turn: Turn) -> int:
        """The seed from which a turn draws what is not on record."""
        return turn.seed

    def chance(self, recorded_chance: Mapping[str, StoredDrawn]) -> Mapping[str, StoredDrawn]:
        """The chance on record of a turn, as this source knows it."""
        return recorded_chance

    def reordered(self, state: Game) -> Game:
        """The state with its face-down cards in the order of this source; the real one leaves them as they are."""
        return state

    def equals_reordered(self, state: Game, real: Game) -> bool:
        return state == real

    @property
    def reorders(self) -> bool:
        """Whether this source has an order of its own for face-down cards."""
        return False

    def action(self, action: Action, state: Game) -> Action:  # noqa: ARG002
        """The action of an earlier turn, for deciding it again in this state."""
        return action


class WithoutIdleFields(DrawSource):
    """The real source, but earlier actions lose the fields that have no meaning with the options in force.

    So a turn is decided as it would have been played without the ruling that gave those fields a meaning.
    """

    def __init__(self, system: RuleSystem) -> None:
        self._system = system

    def action(self, action: Action, state: Game) -> Action:
        return without_idle_fields(self._system, state.options, action)


#: The real source: what is decided with it may be appended.
REAL_DRAWS = DrawSource()


class Simulation(DrawSource):
    """Other draws than the real ones: face-down cards in another order, and dice from another seed."""

    def __init__(self, number: int, face_down: "FaceDown") -> None:
        self._number, self._face_down = number, face_down
        #: The last sheet of each character, and its reordered copy: most turns change one sheet, or none.
        self._sheets: dict[str, tuple[Sheet, Sheet]] = {}
        #: The character whose sheets, reordered and real, were the last to differ: mostly they still do.
        self._differing: tuple[str, Sheet | None, Sheet | None] = "", None, None

    def seed(self, turn: Turn) -> int:
        """A seed of its own for each turn; negative, as none of the log is."""
        return -(turn.number * (SIMULATIONS + 1) + self._number)

    def chance(self, recorded_chance: Mapping[str, StoredDrawn]) -> Mapping[str, StoredDrawn]:
        if self._face_down.field is None or not recorded_chance:
            return recorded_chance
        face_down = {key: draw for key, draw in recorded_chance.items() if key.endswith(UNSEEN)}
        if not face_down:
            return recorded_chance
        reordered = {
            key: replace(draw, values=self._reordered(_owner(key), draw.values))
            for key, draw in chance_with_owners(face_down).items()
        }
        return {**recorded_chance, **reordered}

    @property
    def reorders(self) -> bool:
        return self._face_down.field is not None

    def reordered(self, state: Game) -> Game:
        if self._face_down.field is None:
            return state
        sheets = {name: self._reordered_sheet(name, sheet) for name, sheet in state.characters.items()}
        return State(sheets, state.table, state.options, state.campaign)

    def equals_reordered(self, state: Game, real: Game) -> bool:
        field = self._face_down.field
        if field is None:
            return state == real
        name, other, sheet = self._differing
        if sheet is not None and state.characters.get(name) is other and real.characters.get(name) is sheet:
            return False
        # whatever else differs is cheaper to see than an order is to make
        for name, sheet in real.characters.items():
            other = state.characters.get(name)
            if other is None or replace(sheet, **{field: getattr(other, field)}) != other:
                self._differing = name, other, sheet
                return False
        return state == self.reordered(real)

    def _reordered_sheet(self, name: str, sheet: Sheet) -> Sheet:
        last, reordered = self._sheets.get(name, (None, sheet))
        if last is not sheet:
            field = str(self._face_down.field)
            before = getattr(sheet, field)
            laid = self._reordered(name, before)
            reordered = sheet if laid == before else replace(sheet, **{field: laid})
            self._sheets[name] = sheet, reordered
        return reordered

    def _reordered(self, owner: str, order: Order) -> Order:
        unseen = self._face_down.unseen(owner, order)
        if unseen < 2:
            return order
        return (*order[:-unseen], *_shuffled(self._number, owner, order[-unseen:]))


@lru_cache(maxsize=10_000)  # a deck stays as it is for many turns, and is met in both histories
def _shuffled(simulation: int, owner: str, unseen: Order) -> Order:
    """The unseen cards of an owner in the order that they have in one simulation, however they lie."""
    remaining, order = sorted(unseen, key=str), list[int | str]()
    # 256 bits number every order of 57 cards
    number = int.from_bytes(blake2b(f"{simulation}/{owner}/{remaining}".encode(), digest_size=32).digest(), "big")
    while remaining:
        number, place = divmod(number, len(remaining))
        order.append(remaining.pop(place))
    return tuple(order)


class FaceDown:
    """How many cards at the end of each order of a deck nobody has seen, according to the whole log.

    A deck dealt from the top is a suffix of its earlier order; an order that is no suffix comes from a new shuffle.
    Without turns, every deck is completely unseen.
    """

    def __init__(self, system: RuleSystem, turns: Iterable[Turn] | None = None) -> None:
        """`turns` are all turns of the log, standing or not."""
        self.field = system.face_down
        self._unseen: dict[tuple[str, Order], int] | None = None
        if self.field is None or turns is None:
            return
        self._unseen = {}
        self._chains: dict[str, list[Order]] = {}
        for turn in turns:
            self._note_all(turn.chance, turn.events)
            for event in turn.events:
                if isinstance(event, TurnRedecided):
                    self._note_all(event.chance, event.events)
        for owner in list(self._chains):
            self._end(owner)

    def unseen(self, owner: str, order: Order) -> int:
        """The number of unseen cards at the end of this order; 0 for an unknown order."""
        return len(order) if self._unseen is None else self._unseen.get((owner, order), 0)

    def _note_all(self, chance: Mapping[str, StoredDrawn], events: Iterable[Any]) -> None:
        for key, draw in chance.items():
            if key.endswith(UNSEEN):
                self._note(_owner(key), draw.values)
        for event in events:
            order, owner = getattr(event, self.field or "", None), getattr(event, "character", None)
            if isinstance(order, tuple) and isinstance(owner, str):
                self._note(owner, order)

    def _note(self, owner: str, order: Order) -> None:
        chain = self._chains.setdefault(owner, [])
        if chain and not (len(order) <= len(chain[0]) and chain[0][len(chain[0]) - len(order) :] == order):
            self._end(owner)
            chain = self._chains[owner] = []
        chain.append(order)

    def _end(self, owner: str) -> None:
        assert self._unseen is not None
        chain = self._chains[owner]
        least = min(map(len, chain), default=0)
        for order in chain:
            earlier = self._unseen.get((owner, order))
            self._unseen[owner, order] = least if earlier is None else min(earlier, least)


def _owner(key: str) -> str:
    return key.removesuffix(UNSEEN).rpartition("/")[0]
