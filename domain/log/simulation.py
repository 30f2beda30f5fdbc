"""Simulation: deciding an action for a preview, without the draws that the real turn would make.

A preview leaves no trace, so it must not reveal what would be drawn or which cards lie face down: the player could then
do something else. So the action is decided in several simulations that differ in just that. What is the same in all
of them is certain and is shown; the rest is shown as open. No simulation uses a seed of the log.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from msgspec import Struct
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
#: The latest shuffles of a deck that are looked through for one that an undo has brought back.
MOST_SHUFFLES = 8
#: From so many cards on, an order agrees with an earlier one by no accident.
FEWEST = 8


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
            key: replace(draw, values=self._reordered(_owner(key), self._face_down.shuffled(_owner(key), draw.values)))
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
        lineage = self._face_down.lineage(owner, order)
        if lineage is None:
            return order
        remaining = set(order)
        return tuple(card for card in _laid(self._number, owner, lineage) if card in remaining)


@lru_cache(maxsize=1_000)
def _laid(simulation: int, owner: str, lineage: "Lineage") -> Order:
    """The whole of a deck in one simulation: what was dealt in its order, before what nobody has seen.

    A card that was reported lies anywhere behind those that were dealt while it was still in the deck, as nobody has
    seen where it lay: before one of the others that were dealt, or among the unseen ones.
    """
    dealt, tail = lineage.dealt, list(_shuffled(simulation, owner, lineage.unseen))
    before: list[list[int | str]] = [[] for _ in dealt]
    for card, first in lineage.reported:
        number = int.from_bytes(blake2b(f"{owner}/{card}".encode(), digest_size=8).digest(), "big")
        place = (number + simulation) % (len(dealt) - first + 1)  # so that a few simulations find each of them
        if first + place < len(dealt):
            before[first + place].append(card)
        else:
            tail.insert((number + simulation) % (len(tail) + 1), card)
    return (*(card for cards, last in zip(before, dealt, strict=True) for card in (*cards, last)), *tail)


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


class Lineage(Struct, frozen=True):
    """What is known of all orders that came of one shuffle of a deck, whatever was undone meanwhile."""

    #: the cards that were dealt from the top, in the order in which they lay
    dealt: Order
    #: those that were reported alone, each with how many of the dealt ones lie above it for certain
    reported: tuple[tuple[int | str, int], ...]
    unseen: Order


class FaceDown:
    """Which cards of each order of a deck nobody has seen, according to the whole log.

    A deck that was dealt from, or out of which a card was reported, is part of its earlier order; any other order comes
    from a new shuffle. Without turns, every deck is completely unseen.
    """

    def __init__(self, system: RuleSystem, turns: Iterable[Turn] | None = None) -> None:
        """`turns` are all turns of the log, standing or not."""
        self.field, self._turned_up = system.face_down, system.turned_up
        self._shuffle_of: dict[tuple[str, Order], list[tuple[Order, frozenset[int | str]]]] | None = None
        #: what is known of a shuffle, by its first order, once it is asked for
        self._lineages: dict[tuple[str, Order], Lineage] = {}
        #: the cards that were shuffled, by what is on record of it
        self._shuffled: dict[tuple[str, Order], Order] = {}
        if self.field is None or turns is None:
            return
        self._shuffle_of = {}
        #: the orders of each shuffle, with the cards that were reported for each
        self._shuffles: dict[str, list[list[tuple[Order, frozenset[int | str]]]]] = {}
        for turn in turns:
            self._note_all(turn.chance, turn.events)
            for event in turn.events:
                if isinstance(event, TurnRedecided):
                    self._note_all(event.chance, event.events)

    def lineage(self, owner: str, order: Order) -> Lineage | None:
        """What is known of the deck that has this order; None for an unknown order."""
        if self._shuffle_of is None:
            return Lineage((), (), order)
        orders = self._shuffle_of.get((owner, order))
        if orders is None:
            return None
        key = owner, orders[0][0]
        if key not in self._lineages:
            self._lineages[key] = _lineage_of(orders)
        return self._lineages[key]

    def shuffled(self, owner: str, on_record: Order) -> Order:
        """The cards that were shuffled, without those that stay on record of an earlier decision of the same turn."""
        return self._shuffled.get((owner, on_record), on_record)

    def _note_all(self, chance: Mapping[str, StoredDrawn], events: Sequence[Any]) -> None:
        told = {card for draw in chance.values() for card in draw.values[: draw.reported]}
        waiting: dict[str, list[Order]] = {}
        for key, draw in chance.items():
            if key.endswith(UNSEEN):
                waiting.setdefault(_owner(key), []).append(draw.values)
        before: dict[str, Order] = {}
        for at, event in enumerate(events):
            of_whom, turned_up = self._turned_up(event)
            last = before.get(of_whom, self._last(of_whom))
            has_shuffled = self._note_end(of_whom, tuple(turned_up), told, last)
            order, owner = self._order_in(event), getattr(event, "character", None)
            if order is not None and isinstance(owner, str):
                has_shuffled = has_shuffled or (not order and len(turned_up) > len(last))
                # what was flipped before the deck was shuffled is no part of the new order
                while waiting.get(owner) and (has_shuffled or self._shuffle_with(owner, order) is None):
                    self._note_shuffled(owner, waiting[owner].pop(0), told, events[at:])
                    has_shuffled = False
                self._note(owner, order, told)
                before[owner] = order
        for owner, orders in waiting.items():
            for order in orders:
                self._note(owner, self.shuffled(owner, order), told)  # it stays on record, but is not needed any more

    def _note_shuffled(self, owner: str, on_record: Order, told: Set[int | str], since: Iterable[Any]) -> None:
        """Note a shuffle on record: no card twice, and none that is nowhere in the events since."""
        there = {card for event in since for card in (*(self._order_in(event) or ()), *self._turned_up(event)[1])}
        order = tuple(card for card in dict.fromkeys(on_record) if card in there)
        self._shuffled[owner, on_record] = order
        self._note(owner, order, told)

    def _order_in(self, event: Any) -> Order | None:
        """The order in which an event leaves a deck, if it does."""
        order = getattr(event, self.field or "", None)
        return order if isinstance(order, tuple) else None

    def _last(self, owner: str) -> Order:
        """The last order of a deck that was noted."""
        shuffles = self._shuffles.get(owner)
        return shuffles[-1][-1][0] if shuffles else ()

    def _note_end(self, owner: str, turned_up: Order, told: Set[int | str], last: Order) -> bool:
        """Note whether a deck was dealt to its end within an event, which has only the next order."""
        ended = bool(last) and len(turned_up) > len(last) and turned_up[: len(last)] == last
        if ended and (orders := self._shuffle_with(owner, last)) is not None:
            orders.append(((), frozenset(told)))
        return ended

    def _note(self, owner: str, order: Order, told: Set[int | str]) -> None:
        assert self._shuffle_of is not None
        orders = self._shuffle_with(owner, order)
        if orders is None:
            orders = [(order, frozenset())]
            self._shuffles.setdefault(owner, []).append(orders)
        elif order != orders[-1][0]:
            orders.append((order, frozenset(told)))
        self._shuffle_of[owner, order] = orders

    def _shuffle_with(self, owner: str, order: Order) -> list[tuple[Order, frozenset[int | str]]] | None:
        """The orders of the latest shuffle that an order is part of; None: of none of them."""
        latest = self._shuffles.get(owner, [])[: -MOST_SHUFFLES - 1 : -1]
        return next((orders for orders in latest if _comes_of(order, orders[0][0], orders[-1][0])), None)


def _comes_of(order: Order, first: Order, last: Order) -> bool:
    """Whether an order is what is left of the last one of a shuffle, or behind an undo of an earlier one.

    A few shuffled cards may lie in the same sequence by chance.
    """
    is_suffix = first[len(first) - len(order) :] == order
    return is_suffix or _is_part(order, last) or (len(order) >= FEWEST and _is_part(order, first))


def _is_part(order: Order, of: Order) -> bool:
    """Whether some cards of an order are another one, in the same sequence."""
    rest = iter(of)
    return all(card in rest for card in order)


def _lineage_of(orders: Sequence[tuple[Order, frozenset[int | str]]]) -> Lineage:
    """What these orders of one shuffle, in the order of the log, show of the cards."""
    first, _ = orders[0]
    dealings: list[tuple[Order, set[int | str]]] = []
    for at, (order, told) in enumerate(orders[1:], 1):
        longer = (other for other, _ in reversed(orders[:at]) if len(other) > len(order) and _is_part(order, other))
        before = min(longer, key=len, default=())  # of two the later one
        taken = set(before).difference(order, told)
        on_top = [card for card in before if card not in told][: len(taken)]
        dealings += [(order, taken)] if taken == set(on_top) else []  # else they were taken out, as a Wound card is
    from_top = {card for _, cards in dealings for card in cards}
    seen = {card for order, _ in orders for card in set(first).difference(order)}
    dealt = tuple(card for card in first if card in from_top)
    above = dict.fromkeys(sorted(seen - from_top, key=str), 0)
    for order, cards in dealings:
        for card in above.keys() & set(order) if cards else ():
            above[card] = max(above[card], *(dealt.index(other) + 1 for other in cards))
    return Lineage(dealt, tuple(above.items()), tuple(card for card in first if card not in seen))


def _owner(key: str) -> str:
    return key.removesuffix(UNSEEN).rpartition("/")[0]
