"""What a rule system is to the log: actions in, events out, and a fold that only remembers.

`decide` thinks: one function per action, given a `Decision`, tells events or raises `Refusal`.
`evolve` remembers: one function per event; it never refuses, never draws, and is total over any order of
facts (a fact about somebody who is not there leaves the state as it is).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.log.chance import Chance
from domain.turn import Action, Event


class Sheet(Struct, frozen=True, gc=False):
    """One character after some turn. Never changed, only replaced."""


class Table(Struct, frozen=True, gc=False):
    """What belongs to nobody: the scene, the round, the order."""


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """The open questions of a rule system, each with its default. `Meta(extra={"rule": "6.4"})` names its paragraph."""


S = TypeVar("S", bound=Sheet)
T = TypeVar("T", bound=Table)
O = TypeVar("O", bound=Options)  # noqa: E741


class RulingInForce(Struct, frozen=True, gc=False):
    """A ruling as far as the rules must know it: which options it sets, and whether it still does."""

    number: int
    rule: str
    options: Mapping[str, Any]
    ended: bool = False


class Facts(Struct, frozen=True, gc=False):
    """What the campaign itself is, whatever its rules."""

    name: str = ""
    #: The options that the campaign was started with; rulings lie above them.
    options: Mapping[str, Any] = {}
    rulings: tuple[RulingInForce, ...] = ()
    #: The number of the open session.
    session: int | None = None


class State(Generic[S, T, O]):
    """The fold of the turns that stand. The sheets are frozen; only this frame changes inside a fold."""

    __slots__ = ("campaign", "characters", "options", "table")

    def __init__(self, characters: dict[str, S], table: T, options: O, campaign: Facts | None = None) -> None:
        self.characters = characters
        self.table = table
        self.options = options
        self.campaign = campaign or Facts()

    def copy(self) -> "State[S, T, O]":
        return State(dict(self.characters), self.table, self.options, self.campaign)

    def change(self, name: str, **changes: Any) -> None:
        """Replace fields of one sheet. Nobody of that name: nothing changes, so that evolve is total."""
        sheet = self.characters.get(name)
        if sheet is not None:
            self.characters[name] = replace(sheet, **changes)

    def change_table(self, **changes: Any) -> None:
        self.table = replace(self.table, **changes)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.characters == other.characters
            and list(self.characters) == list(other.characters)
            and self.table == other.table
            and self.options == other.options
            and self.campaign == other.campaign
        )

    __hash__ = None  # type: ignore[assignment]


#: A state of whichever rule system it is.
Game = State[Any, Any, Any]


class Decision(Generic[S, T, O]):
    """One action being decided: a draft of the state, the options in force, the chance, the events so far.

    `number` is the turn's; `last_change(character, field)` is the turn that last changed a sheet field.
    """

    def __init__(
        self,
        system: "RuleSystem",
        state: State[S, T, O],
        action: Action,
        chance: Chance,
        number: int,
        last_change: Callable[[str, str], int | None] | None = None,
    ) -> None:
        self.system = system
        self.state = state.copy()
        #: The action, with its names as enrolled.
        self.action = action
        self.chance = chance
        self.number = number
        self.last_change = last_change
        self.events: list[Event] = []

    @property
    def options(self) -> O:
        return self.state.options

    def sheet(self, name: str) -> S:
        """The sheet of an enrolled character, as the events told so far leave it."""
        return self.state.characters[name]

    @property
    def table(self) -> T:
        return self.state.table

    def tell(self, *events: Event) -> None:
        """Something happens: it is noted, and the draft shows it at once."""
        for event in events:
            self.system.evolve[type(event)](self.state, event)
            self.events.append(event)


Decide = Callable[[Any, Any], None]
Evolve = Callable[[Any, Any], None]


class Bar(Struct, frozen=True):
    """A bar that is `now` of `full` long, with its figures."""

    now: int
    full: int


class Pips(Struct, frozen=True):
    """`full` of `of` pips filled."""

    full: int
    of: int


class Marks(Struct, frozen=True):
    """Something counted in strokes."""

    count: int


class Words(Struct, frozen=True):
    """Plain text; the tone is how it stands out, never the only carrier of a meaning."""

    text: str
    tone: Literal["plain", "good", "bad", "faint"] = "plain"


#: One line of a sheet as one looks at it: its label, and what stands behind it.
Row = tuple[str, tuple[Bar | Pips | Marks | Words, ...]]


class Veiled(Struct, frozen=True):
    """A turn as a player sees it who may not see all of it. Dicts are as JSON, with what is secret left out."""

    action: dict[str, Any]
    events: tuple[dict[str, Any], ...]
    sentence: str


@dataclass(frozen=True)
class Secrets:
    """What one player may not see of the others. Only what the viewer's own characters hold is shown whole."""

    #: (state, name, viewer) -> as `shown`, with the other players' secrets as counts.
    sheet: Callable[[Any, str, str], dict[str, Any]]
    #: (action in force, facts, the state after that turn, the state at the point that is read, viewer) -> the
    #: turn as that viewer sees it; None: nothing in it is secret from them.
    turn: Callable[[Action, Sequence[Event], Any, Any, str], Veiled | None]


@dataclass(frozen=True)
class Piles:
    """Where the cards of a character lie, so that it can be told how a card came there."""

    #: (state, name) -> every card that the character has, or had and lost for good: card -> what it is called.
    cards: Callable[[Any, str], Mapping[int | str, str]]
    #: (the sheet as shown, card) -> the pile that it lies in ("hand", "lost"); None: the sheet does not tell.
    pile: Callable[[Mapping[str, Any], int | str], str | None]


@dataclass(frozen=True)
class RuleSystem:
    """One rule system: its words, its rules, and how its sheets are shown."""

    #: "osr": the name in tags, verbs, data and `campaign new --rules`.
    key: str
    #: "OSR": how its paragraphs are cited.
    cite: str
    #: Counted up when a rule in the code changes its outcome.
    version: int
    actions: tuple[type[Action], ...]
    events: tuple[type[Event], ...]
    options: type[Options]
    sheet: type[Sheet]
    table: type[Table]
    decide: Mapping[type[Action], Decide]
    #: The system's own events; the log adds those that every campaign has.
    evolve: dict[type[Event], Evolve]
    #: (state, name) -> the sheet as `status --json` prints it: stored fields and derived ones.
    shown: Callable[[Any, str], dict[str, Any]]
    #: (decision, name, the overridden fields): raises Refusal if an invariant of the sheet is broken, and
    #: tells what has to follow (a deck shuffled anew).
    audit: Callable[[Any, str, Mapping[str, Any]], None]
    #: state -> the table as printed.
    shown_table: Callable[[Any], dict[str, Any]] = lambda state: msgspec.to_builtins(state.table)
    #: (state, name) -> what this character is waiting for: sentences, each with the command that settles it.
    open_matters: Callable[[Any, str], Sequence[str]] = lambda _state, _name: ()
    #: state -> what the table as a whole is waiting for, in the same way.
    table_matters: Callable[[Any], Sequence[str]] = lambda _state: ()
    #: (state, name, the sheet as shown to the one who looks) -> the sheet as rows to look at.
    drawn: Callable[[Any, str, dict[str, Any]], Sequence[Row]] = lambda _state, _name, _shown: ()
    #: (state, name, field as shown, its value) -> the value with names for what the sheet knows by numbers.
    in_words: Callable[[Any, str, str, Any], Any] = lambda _state, _name, _field, value: value
    #: state -> the table as rows to look at.
    drawn_table: Callable[[Any], Sequence[Row]] = lambda _state: ()
    #: (state, action type, field, the character named before it or None) -> values that are legal there now,
    #: for shell completion; None: no opinion. Names of characters are proposed without it.
    proposals: Callable[[Any, type[Action], str, str | None], Sequence[str] | None] = (
        lambda _state, _action, _field, _name: None
    )
    #: The sheet field, as shown, that says how much a character can still take, and how it is called in words.
    vital: tuple[str, str] = ("hp", "hit points")
    #: Fields of the sheet, as shown, that are worse the higher they are (fatigue, marks).
    worse_when_higher: frozenset[str] = frozenset()
    #: The tags of events that harm somebody. What else makes it worse (dice rolled anew, a price paid) is no blow.
    blows: frozenset[str] = frozenset()
    #: (state, name) -> what keeps a character from acting ("dead", "exhausted"); None: nothing does.
    fallen: Callable[[Any, str], str | None] = lambda _state, _name: None
    #: Stored fields of the sheet that no JSON of it holds and no override sets.
    hidden: frozenset[str] = frozenset()
    #: (key in a turn's chance) -> how many sides the dice under it have; None: there are no dice under it.
    sides: Callable[[str], int | None] = lambda _key: None
    #: Where cards lie; None: this system has no cards.
    piles: Piles | None = None
    #: Fields of actions and events that are on record for the fold alone; no reading command shows them.
    unread: frozenset[str] = frozenset()
    #: (state, seed) -> the state with what lies face down in another order, so that a dry run, which leaves no
    #: trace, tells nobody what lies on top; None: nothing lies face down.
    guessed: Callable[[Any, int], Any] | None = None
    #: What players may not see of each other; None: nothing is secret.
    secrets: Secrets | None = None

    def opening(self) -> State[Any, Any, Any]:
        """The state before turn 1."""
        return State({}, self.table(), self.options())


def cited(system: RuleSystem, rule: str) -> str:
    """A paragraph's bare number: "OSR 6.4", "osr 6.4" and "6.4" are the same."""
    text = " ".join(rule.split())
    head, _, tail = text.partition(" ")
    return tail if tail and head.casefold() == system.cite.casefold() else text
