"""The stored record: one turn is one action with its events, and the chance it was decided with.

Tags are stored names. They never change and are never import paths; a name or shape that must change gets
an upcast and an old log that proves it.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import chain
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct, field

#: The levels to which a value may be nested: recursion over it has room for as many.
DEEPEST = 400
#: JSON and SQLite agree on whole numbers within ±2^53.
LARGEST = 2**53

Whole = Annotated[int, Meta(ge=0, le=LARGEST)]
Positive = Annotated[int, Meta(ge=1, le=LARGEST)]
Text = Annotated[str, Meta(max_length=10_000)]
#: Text that may be left out, but not be empty.
NonEmptyText = Annotated[str, Meta(min_length=1, max_length=10_000)]
#: A character who is enrolled; found ignoring case and width, stored as enrolled.
Name = Annotated[str, Meta(max_length=200, extra={"names": "character"})]
#: The name of a character, or of somebody else whom the rules let be named in the same place; which, the rules say.
AllyName = Annotated[str, Meta(max_length=200, extra={"names": "ally"})]
#: A name that the action enrols; stored trimmed and otherwise as given.
NewName = Annotated[str, Meta(max_length=200, extra={"names": "new character"})]


class Struck(str):
    """A word of a sentence that was rolled or turned up but does not count."""


#: A sentence in pieces, so that what does not count can be struck through where the medium allows it.
Sentence = tuple[str, ...]


class Action(
    Struct,
    frozen=True,
    kw_only=True,
    gc=False,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag_field="type",
):
    """A command: what somebody asks for. The docstring of each action is the help of its verb."""

    #: Short names of its verb, each with the fields that it sets.
    shorts: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    #: The name of its verb; "": derived from its tag.
    verb: ClassVar[str] = ""
    #: Whether people enter it by itself; an action that only comes with another has no verb.
    has_verb: ClassVar[bool] = True
    #: "-" or "+" if a signed number behind a name means it: `brog -2` is the system's own loss, `brog +2` its healing.
    number_sign: ClassVar[str] = ""
    #: Other names of its verb: `takes` of what loses points, so that `brog takes 2` is a name and a verb.
    synonyms: ClassVar[tuple[str, ...]] = ()
    #: Words that people type for its verb, but might mean otherwise: the refusal of such a line names the verb.
    meant_by: ClassVar[tuple[str, ...]] = ()
    #: Whether it only answers a pending decision: it is offered there, as a button, and nowhere else.
    only_when_pending: ClassVar[bool] = False
    #: Whether every player may do it, whomever it names: it changes nothing that is somebody's own.
    for_everybody: ClassVar[bool] = False
    #: The paragraph that forbids it to anybody whose turn it is not; "": others may do it too.
    own_turn_rule: ClassVar[str] = ""
    #: What it ends for everybody at the table, as a sentence. The page asks first, naming who is not ready; "": it ends
    #: nothing.
    ends_for_everybody: ClassVar[str] = ""
    #: Whether the page asks first only while somebody is not ready.
    confirm_only_if_unready: ClassVar[bool] = False
    #: Field -> the value of it that nobody takes lightly ("death"): the page shows it apart, and asks once more.
    grave_values: ClassVar[Mapping[str, str]] = {}

    #: Field -> the answers to the question for it, each with the fields that it fills; without: one for each value.
    answers: ClassVar[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {}

    def check(self) -> None:
        """Raise Invalid for what field types cannot check. Called on a new action, never on a stored turn."""

    def announcement(self) -> str:
        """What is attempted, as the beginning of a sentence ("Ash attacks Reed lurker"); empty: verb and values do.

        Names are as enrolled. It is shown before anything is drawn, so it contains nothing of the outcome.
        """
        return ""

    def open_decision(self, draft: Any) -> Any:  # noqa: ARG002
        """What the player still has to decide, as a `PendingDecision` (see `domain.system.drafts`), or None.

        Called only where somebody can answer; otherwise the action is decided as it is.
        """
        return None

    def follows(self, chosen: Any, draft: Any) -> bool:  # noqa: ARG002
        """Whether this action is still to be done after `chosen`, another one that its question offered first."""
        return False

    def decide(self, decision: Any) -> None:
        """Tell the `Decision` what happens. Raises Refusal by the rule that forbids it."""
        raise NotImplementedError(type(self).__name__)


class Event(Struct, frozen=True, gc=False, forbid_unknown_fields=True, tag_field="type"):
    """A fact: something that happened, with every random outcome in it."""

    #: The paragraphs of the rules behind it, as cited ("OSR 6.5").
    cites: ClassVar[tuple[str, ...]] = ()
    #: Whether nothing drawn decides it, so that a preview tells it although other facts of its turn are open.
    foretold: ClassVar[bool] = False

    @property
    def silent(self) -> bool:
        """Whether it is on record only, and its sentence is empty."""
        return False

    def sentence(self) -> Sentence:
        """What happened, as one plain sentence, in pieces."""
        raise NotImplementedError(type(self).__name__)

    def sentence_for_others(self) -> Sentence:
        """The same for players who may not see its secret fields.

        Called on a copy in which a counted secret field holds its count, and every other secret field None.
        """
        raise NotImplementedError(type(self).__name__)

    def in_story(self) -> Any:
        """Its part in the story of the evening, a `StoryPart` (`domain.system.story`); None: its own sentence.

        For players who may not see its secret fields it is called on a copy, as `sentence_for_others` is.
        """
        return None

    def fold(self, state: Any) -> None:
        """Apply the event to the state. Never refuses and never draws; a character who is absent is skipped."""
        raise NotImplementedError(type(self).__name__)


class Drawn(Struct, frozen=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """The values under one key; the first `reported` of them were reported by the table.

    `whose`: the owner, as named in the action; empty: nobody's. `purpose`: what they were drawn for. `sides`: of
    the dice; None: the values are cards, or numbers counted in the log.
    """

    values: tuple[int | str, ...]
    reported: int = 0
    whose: str = ""
    purpose: str = ""
    sides: int | None = None


class BareDrawn(NamedTuple):
    """How turns stored their values until 2026-11-21: only the key named the owner (`domain.log.upcasts`)."""

    values: tuple[int | str, ...]
    reported: int = 0


#: Either, as stored. Reading a log upcasts `BareDrawn` to `Drawn`.
StoredDrawn = Drawn | BareDrawn


class TurnUndone(Event, frozen=True, tag="turn.undone"):
    """An earlier turn no longer counts. Undoing the turn of this event makes it count again."""

    turn: int

    def sentence(self) -> Sentence:
        return (f"T{self.turn} is undone.",)

    def fold(self, state: Any) -> None:
        """Do nothing: revisions of earlier turns are applied by `domain.log.effective_history`."""


class TurnRedecided(Event, frozen=True, tag="turn.redecided"):
    """An earlier turn has these events and this chance from now on. `kept` pins it: it is never decided again."""

    turn: int
    events: tuple[Event, ...]
    chance: Mapping[str, StoredDrawn] = {}
    kept: bool = False

    def sentence(self) -> Sentence:
        if self.kept:
            return (f"T{self.turn} is kept as it was.",)
        return (f"T{self.turn} comes out differently.",)

    def fold(self, state: Any) -> None:
        """Do nothing: revisions of earlier turns are applied by `domain.log.effective_history`."""


class Turn(Struct, frozen=True, kw_only=True, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """One turn of the log. `seed` draws whatever the table does not report.

    Fields that were added later are left out of the stored record at their default, so that an old turn keeps its
    bytes; `by` and `chance` have always been written, and still are.
    """

    number: int
    id: str
    #: When it happened: an ISO time with its zone, as entered. `moment` is the same as a datetime.
    at: str
    action: Action
    events: tuple[Event, ...]
    seed: int
    by: str | None = field(default_factory=NoneType)
    chance: Mapping[str, StoredDrawn] = field(default_factory=lambda: {})  # noqa: PIE807 - `dict` is left out if empty
    #: The turn directly after which this one folds, if it was entered late; None: it folds at its number. On an
    #: amendment: where the amended turn folds from then on; None: where it did before.
    place: int | None = None
    #: The first of the turns that one line at the table made, this one among them.
    together: int | None = None
    #: The paragraphs that the table named with the action, as cited ("OSR 6.5").
    cites: tuple[str, ...] = ()
    #: The version of the rules that decided this turn and those after it. Only on a turn where it differs from the
    #: turn before; the first version of a log is in the event `campaign.started`.
    rules_version: int | None = None
    #: What recorded it for whoever it is by, if that was no face of this program.
    via: Literal["assistant"] | None = None

    @property
    def moment(self) -> datetime:
        """When it happened."""
        return datetime.fromisoformat(self.at)

    @property
    def facts(self) -> tuple[Event, ...]:
        """The events that fold into the state: all but the revisions of earlier turns."""
        return tuple(event for event in self.events if not isinstance(event, REVISION_EVENTS))


REVISION_EVENTS = (TurnUndone, TurnRedecided)


def packed(record: Struct) -> bytes:
    """The MessagePack of a turn, an action or an event, with each map as short as it can be.

    msgspec leaves more room for the number of keys where a type has more than 15 fields. So a field that a later
    version adds to an action would change the bytes, and with them the link, of a turn that does not have it.
    """
    return msgspec.msgpack.encode(msgspec.msgpack.decode(msgspec.msgpack.encode(record)))


def unsound(value: Any, depth: int = DEEPEST) -> str | None:
    """What makes a decoded value unfit to be stored (JSON cannot express it or would change it); None: it is fit.

    Raises RecursionError for a value that is nested deeper than this.
    """
    parts: Iterable[Any]
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, str):
        broken = not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value)
        return "a broken character (half of a surrogate pair)" if broken else None
    if isinstance(value, int):
        return None if -LARGEST <= value <= LARGEST else "a whole number beyond ±2^53"
    if isinstance(value, float):
        return None if value == value and abs(value) != float("inf") else "a number that is not one (NaN or infinity)"
    if isinstance(value, dict | Mapping):  # dict first, as it is found out faster
        parts = chain(value, value.values())
    elif isinstance(value, list | tuple | set | frozenset):
        parts = value
    else:
        return "a date or a time (write it in quotes)"
    if not depth:
        raise RecursionError("nested too deeply")
    for part in parts:
        # a call for each text of a long revision takes half of the time of testing it
        if not (isinstance(part, str) and part.isascii()) and (problem := unsound(part, depth - 1)):
            return problem
    return None


def same(first: Any, second: Any) -> bool:
    """Equal as JSON: true is not 1."""
    return first is second or msgspec.json.encode(first, order="sorted") == msgspec.json.encode(second, order="sorted")
