"""What stands: which turns count, what they come to, and where they fold.

A turn stands unless a standing later turn says that it is undone; so the words are weighed in one pass from
the newest turn to the oldest. The outcome of a turn is what the latest standing turn that redecided it says,
else its own facts. A ruling that counts from an earlier turn on folds directly after that turn; every other
turn folds at its number.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct

from domain.common.revisions import REVISIONS, Amend
from domain.common.rulings import Ruling
from domain.common.sessions import SessionClosed, SessionOpened
from domain.log.chance import Drawn
from domain.log.port import Log
from domain.log.upcasts import chance_with_owners
from domain.system.registry import record_types
from domain.turn import WORDS, Action, Event, Turn, TurnRedecided, TurnUndone

#: The tags of the actions that can carry words about earlier turns, or fold elsewhere than at their number.
SPEAKING = ("undo", "redo", "amend", "adopt", "ruling")


class Judgement:
    """What the turns that speak of earlier turns make of them."""

    def __init__(self, speaking: Sequence[Turn], rules: str) -> None:
        #: turn -> the standing turn that undid it
        self.undone: dict[int, int] = {}
        #: turn -> (the turn that redecided it, its word)
        self.retold: dict[int, tuple[int, TurnRedecided]] = {}
        #: turn -> (the turn that amended it, the action in force)
        self.amended: dict[int, tuple[int, Action]] = {}
        #: turn -> the turn directly after which it folds
        self.place: dict[int, int] = {}
        #: undo, redo, amend and adopt turns: they carry words only
        self.revisions: set[int] = set()
        #: standing turn that speaks -> the first turn it names
        self.reach: dict[int, int] = {}
        #: (turn that ever spoke, the first turn whose reading it may have changed)
        self.changes: list[tuple[int, int]] = []
        for turn in reversed(speaking):
            number = turn.number
            if isinstance(turn.action, REVISIONS):
                self.revisions.add(number)
            if number in self.undone:
                continue
            named = []
            for word in turn.events:
                if isinstance(word, TurnUndone):
                    self.undone.setdefault(word.turn, number)
                elif isinstance(word, TurnRedecided):
                    self.retold.setdefault(word.turn, (number, word))
                else:
                    continue
                named.append(word.turn)
            if isinstance(turn.action, Amend):
                if turn.action.turn not in self.amended:
                    action = msgspec.convert(turn.action.action, record_types(rules).action)
                    self.amended[turn.action.turn] = (number, action)
                named.append(turn.action.turn)
            if named:
                self.reach[number] = min(named)
        #: turn -> the rulings that fold directly after it
        self.moved: dict[int, list[Turn]] = {}
        self._note_changes(speaking)

    def place_rulings(self, turns: Iterable[Turn]) -> None:
        """Find the place of every ruling that counts from earlier on; `turns` in order, those that are none too."""
        for turn in turns:
            place = since_of(self.action(turn))
            if place is not None and self.stands(turn.number):
                self.place[turn.number] = place
                self.moved.setdefault(place, []).append(turn)
                self.reach[turn.number] = min(place + 1, self.reach.get(turn.number, place + 1))

    def _note_changes(self, speaking: Sequence[Turn]) -> None:
        """How far back each turn that speaks may change what was read, whether it stands or not.

        Undoing a revision changes what that revision changed, however far back that lies.
        """
        furthest: dict[int, int] = {}
        for turn in speaking:
            named = [event.turn for event in turn.events if isinstance(event, TurnUndone | TurnRedecided)]
            place = since_of(turn.action)
            if isinstance(turn.action, Amend):
                named.append(turn.action.turn)
                asked = turn.action.action
                place = _number_of(asked["since"]) if asked["type"] == "ruling" and asked.get("since") else None
            if place is not None:
                # a state after the very turn that a ruling folds behind lacks the ruling
                named.append(place)
            if named:
                furthest[turn.number] = min(min(each, furthest.get(each, each)) for each in named)
                self.changes.append((turn.number, furthest[turn.number]))

    def stands(self, number: int) -> bool:
        return number not in self.undone

    def facts(self, turn: Turn) -> tuple[Event, ...]:
        """What a standing turn comes to."""
        told = self.retold.get(turn.number)
        return told[1].events if told else turn.facts

    def chance(self, turn: Turn) -> Mapping[str, Drawn]:
        """The chance in force for a turn."""
        told = self.retold.get(turn.number)
        return chance_with_owners(told[1].chance if told else turn.chance)

    def action(self, turn: Turn) -> Action:
        """The action in force."""
        amended = self.amended.get(turn.number)
        return amended[1] if amended else turn.action

    def kept(self, number: int) -> bool:
        """Whether the turn is pinned: remembered, never decided again."""
        told = self.retold.get(number)
        return told is not None and told[1].kept


def since_of(action: Action) -> int | None:
    """The turn directly after which a ruling counts, None for everything else."""
    return _number_of(action.since) if isinstance(action, Ruling) and action.since is not None else None


def _number_of(point: str) -> int:
    """A recorded point is always a turn ("T4")."""
    return int(point.removeprefix("T"))


def judge(log: Log, upto: int | None = None, draft: Turn | None = None) -> Judgement:
    """Weigh the words of the log as of turn `upto`, with a draft turn added if there is one."""
    speaking = list(log.read(upto=upto, topics=SPEAKING))
    if draft is not None:
        speaking.append(draft)
    judgement = Judgement(speaking, log.rules)
    speakers = {turn.number for turn in speaking}
    # a turn of any kind may have been amended into a ruling that counts from earlier on
    others = [
        turn
        for number, (_, action) in judgement.amended.items()
        if number not in speakers and since_of(action) is not None
        for turn in log.read(after=number - 1, upto=number)
    ]
    judgement.place_rulings(sorted((*speaking, *others), key=lambda turn: turn.number))
    return judgement


class Told(Struct, frozen=True):
    """One turn as the log tells it: what was asked, what it comes to, whether and where it stands."""

    turn: Turn
    action: Action
    facts: tuple[Event, ...]
    #: the session it belongs to; 0 outside any
    session: int
    chance: Mapping[str, Drawn] = {}
    undone_by: int | None = None
    retold_by: int | None = None
    kept: bool = False
    #: the turn directly after which it folds, if that is not its own place
    since: int | None = None

    @property
    def standing(self) -> bool:
        return self.undone_by is None

    @property
    def events(self) -> tuple[Event, ...]:
        """Facts as they now read, and the words that the turn said."""
        return (*self.facts, *(event for event in self.turn.events if isinstance(event, WORDS)))


def tell(
    log: Log, upto: int | None = None, judgement: Judgement | None = None, *, after: int = 0, session: int = 0
) -> Iterator[Told]:
    """The turns after `after` in the order of the numbers, undone ones included; `session` was open then."""
    judgement = judgement or judge(log, upto)
    for turn in log.read(after=after, upto=upto):
        number = turn.number
        facts = judgement.facts(turn)
        of = session
        for event in facts:
            if isinstance(event, SessionOpened):
                of = event.number
                session = of if judgement.stands(number) else session
            elif isinstance(event, SessionClosed) and judgement.stands(number):
                session = 0
        yield Told(
            turn,
            judgement.action(turn),
            facts,
            of,
            judgement.chance(turn),
            judgement.undone.get(number),
            judgement.retold[number][0] if number in judgement.retold else None,
            judgement.kept(number),
            judgement.place.get(number),
        )
