"""Simulation: deciding an action for a preview, without the draws that the real turn would make.

A preview leaves no trace, so it must not show what would be drawn, nor what lies face down: whoever has looked could do
something else instead. So the action is decided in several simulations that differ in just that. What comes out the
same in all of them is certain and is shown; the rest is shown as open. None of it rests on a seed of the log.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from domain.log.upcasts import chance_with_owners
from domain.system.chance import SEED_LIMIT, UNSEEN, below
from domain.system.options import without_idle_fields
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Action, StoredDrawn, Turn, TurnRedecided

#: In how many simulations an action is decided, once a draw is met.
SIMULATIONS = 6

Order = tuple[int | str, ...]


class RealDraws:
    """Where draws really come from: the seeds, decks and records as they are."""

    def seed(self, turn: Turn) -> int:
        """The seed by which a turn draws."""
        return turn.seed

    def chance(self, recorded: Mapping[str, StoredDrawn]) -> Mapping[str, StoredDrawn]:
        """What a turn has on record."""
        return recorded

    def veil(self, state: Game) -> None:
        """Lay what nobody has seen in the order that it has here."""

    def action(self, action: Action, state: Game) -> Action:  # noqa: ARG002
        """An earlier turn's action as it is decided again in this state."""
        return action


class WithoutIdleFields(RealDraws):
    """Real draws, but earlier actions are decided again without the fields that mean nothing under the options there.

    So a turn is weighed as it would have been played without the ruling that gave those fields a meaning.
    """

    def __init__(self, system: RuleSystem) -> None:
        self._system = system

    def action(self, action: Action, state: Game) -> Action:
        return without_idle_fields(self._system, state.options, action)


REAL_DRAWS = RealDraws()


class Simulation(RealDraws):
    """Draws that are not the real ones: face-down cards in another order, and dice from another seed."""

    def __init__(self, number: int, face_down: "FaceDown") -> None:
        self._number, self._face_down = number, face_down

    def seed(self, turn: Turn) -> int:
        return below(SEED_LIMIT, self._number, "seed", turn.number)

    def chance(self, recorded: Mapping[str, StoredDrawn]) -> Mapping[str, StoredDrawn]:
        orders = chance_with_owners({key: drawn for key, drawn in recorded.items() if key.endswith(UNSEEN)})
        veiled = {key: replace(each, values=self._laid(_owner(key), each.values)) for key, each in orders.items()}
        return {**recorded, **veiled} if veiled else recorded

    def veil(self, state: Game) -> None:
        field = self._face_down.field
        if field is None:
            return
        for name, sheet in list(state.characters.items()):
            before = getattr(sheet, field)
            laid = self._laid(name, before)
            if laid != before:
                state.change(name, **{field: laid})

    def _laid(self, owner: str, order: Order) -> Order:
        unseen = self._face_down.unseen(owner, order)
        if unseen < 2:
            return order
        left, laid = sorted(order[-unseen:], key=str), []
        key = f"{owner}/{left}"
        while left:
            laid.append(left.pop(below(len(left), self._number, key, len(left))))
        return (*order[:-unseen], *laid)


class FaceDown:
    """How many cards at the end of each order nobody has seen, by all that the log ever said of them.

    A deck that is dealt from the top is the end of what it was; once it is not, it was shuffled anew. Without turns,
    all of every deck is unseen.
    """

    def __init__(self, system: RuleSystem, turns: Iterable[Turn] | None = None, *, begun: Game | None = None) -> None:
        """`turns` were told after the state `begun`, whether they stand or not."""
        self.field = system.face_down
        self._unseen: dict[tuple[str, Order], int] | None = None
        if self.field is None or turns is None:
            return
        self._unseen = {}
        self._chains: dict[str, list[Order]] = {}
        for name, sheet in (begun.characters if begun is not None else {}).items():
            self._note(name, getattr(sheet, self.field))
        for turn in turns:
            self._note_all(turn.chance, turn.events)
            for word in turn.events:
                if isinstance(word, TurnRedecided):
                    self._note_all(word.chance, word.events)
        for owner in list(self._chains):
            self._end(owner)

    def unseen(self, owner: str, order: Order) -> int:
        """How many cards at the end of this order nobody has seen; 0 for one that was never told of."""
        return len(order) if self._unseen is None else self._unseen.get((owner, order), 0)

    def _note_all(self, chance: Mapping[str, StoredDrawn], events: Iterable[Any]) -> None:
        for key, drawn in chance.items():
            if key.endswith(UNSEEN):
                self._note(_owner(key), drawn.values)
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
            known = self._unseen.get((owner, order))
            self._unseen[owner, order] = least if known is None else min(known, least)


def _owner(key: str) -> str:
    return key.removesuffix(UNSEEN).rpartition("/")[0]
