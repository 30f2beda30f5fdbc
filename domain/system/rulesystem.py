"""What a rule system is to the log: a class to derive from, and what it has to have before it loads.

A rule system names its chapters: modules in which each action says how it is decided, and each event how it
is told and how it folds. Deciding thinks: it tells events or raises `Refusal`. Folding remembers: it never
refuses, never draws, and is total over any order of facts (a fact about somebody who is not there leaves the
state as it is).

Fields have a meaning for the log by their names: `character` (and whatever a field's type marks as a name) is
who an action or event is about, `player` on a sheet is who plays the character, `rule` cites a paragraph. What
players keep from each other is declared on the fields, as `domain.system.secrets` says.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from domain.refusal import Incomplete
from domain.system.extensions import Lookup, Reader
from domain.system.field_schema import kind_of, stored_fields
from domain.system.figures import Figure
from domain.system.pending import PendingDecision
from domain.system.rows import Bit, Phrase, Pile, Row
from domain.system.secrets import secrets_of
from domain.system.state import Game, Options, Sheet, State, Table
from domain.turn import Action, Event, StoredDrawn


class CardPiles(Struct, frozen=True):
    """Where the cards of a character lie, so that it can be told how a card came there."""

    #: (state, name) -> every card that the character has, or had and lost for good: card -> what it is called.
    cards: Callable[[Any, str], Mapping[int | str, str]]
    #: (the sheet as shown, card) -> the pile that it lies in ("hand", "lost"); None: the sheet does not tell.
    pile: Callable[[Mapping[str, Any], int | str], str | None]


class RuleSystem:
    """One rule system: its words, its rules, and how its sheets are shown. Its docstring says what it is for."""

    #: "osr": the name in tags, verbs and data, and behind `--rules` where a campaign is begun.
    key: ClassVar[str]
    #: "OSR": how its paragraphs are cited.
    cite: ClassVar[str]
    #: Counted up when a rule in the code changes its outcome.
    version: ClassVar[int]
    #: One module for each chapter of the rules, in the order in which its verbs are listed.
    chapters: ClassVar[tuple[ModuleType, ...]]
    sheet: ClassVar[type[Sheet]]
    table: ClassVar[type[Table]]
    options: ClassVar[type[Options]]

    #: The sheet field, as shown, that says how much a character can still take, and how it is called in words.
    vital: ClassVar[tuple[str, str]] = ("hp", "hit points")
    #: Fields of the sheet, as shown, that are worse the higher they are (fatigue, marks).
    worse_when_higher: ClassVar[frozenset[str]] = frozenset()
    #: The tags of events that harm somebody. What else makes it worse (dice rolled anew, a price paid) is no blow.
    blows: ClassVar[frozenset[str]] = frozenset()
    #: Stored fields of the sheet that no JSON of it holds and no override sets.
    hidden: ClassVar[frozenset[str]] = frozenset()
    #: Fields of actions and events that are on record for the fold alone; no reading command shows them.
    unread: ClassVar[frozenset[str]] = frozenset()
    #: The field of the sheet, and of events about a character, with cards in an order that nobody at the table has
    #: seen, top first. So a dry run, which leaves no trace, tells nobody what lies on top.
    face_down: ClassVar[str | None] = None
    #: What numbers in a turn's chance are told for that are neither dice of so many sides nor cards (a save's total).
    totals: ClassVar[frozenset[str]] = frozenset()
    #: What is drawn, in words, by the purpose under which it is kept: "draws {count} of {whose} exhausted cards".
    draw_words: ClassVar[Mapping[str, str]] = {}
    #: Where cards lie; None: this system has no cards.
    piles: ClassVar[CardPiles | None] = None
    #: The fields of a sheet and of the table, as shown -> the actions that change them, those used most first. For
    #: others the referee's override is named.
    changed_by: ClassVar[Mapping[str, tuple[type[Action], ...]]] = {}
    #: Files of other programs that it reads.
    readers: ClassVar[tuple[Reader, ...]] = ()
    #: What its log can be asked besides sheets.
    lookups: ClassVar[tuple[Lookup, ...]] = ()

    @cached_property
    def actions(self) -> tuple[type[Action], ...]:
        """The actions of the chapters, in their order."""
        return collected(self.chapters, Action)

    @cached_property
    def events(self) -> tuple[type[Event], ...]:
        """The events of the chapters, in their order."""
        return collected(self.chapters, Event)

    @cached_property
    def keeps_secrets(self) -> bool:
        """Whether any field of a sheet, an action or an event is declared secret."""
        return any(secrets_of(kind) for kind in (self.sheet, *self.actions, *self.events))

    def opening(self) -> Game:
        """The state before turn 1."""
        return State({}, self.table(), self.options())

    def to_view(self, state: Any, name: str) -> dict[str, Any]:
        """The sheet as JSON: stored fields and derived ones. What every sheet has is added by `sheet_view`."""
        raise NotImplementedError

    def sheet_view(self, state: Any, name: str) -> dict[str, Any]:
        """The sheet as `status --json` prints it: what the rules keep, what is tracked, and whether one is away."""
        view, sheet = self.to_view(state, name), state.characters[name]
        # the very object of the sheet, so that whoever looks for changes sees at once that there is none
        view["tracked"], view["away"] = sheet.tracked, sheet.away
        return view

    def fields_view(self, state: Any, name: str) -> Mapping[str, Any]:
        """The same with the tracked values as fields beside those of the rules."""
        view = self.sheet_view(state, name)
        return {**view["tracked"], **view} if view["tracked"] else view

    def audit(self, decision: Any, name: str, overridden: Mapping[str, Any]) -> None:
        """What has to hold of a sheet, and to follow (a deck shuffled anew), after an override of these fields.

        It is told to the `Decision` of the override. Raises Refusal if an invariant of the sheet is broken.
        """
        raise NotImplementedError

    def rows(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[Row]:
        """The sheet as rows to look at; `shown` is what the one who looks may see of it."""
        raise NotImplementedError

    def brief(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:
        """The sheet in as few lines as one needs in sight all evening, for a window of 80 columns.

        No line at all folds away whoever is out of it. Left out, it is how much the character can still take, and
        what keeps them from acting.
        """
        field, words = self.vital
        fallen = self.fallen(state, name)
        return ((Phrase(f"{view.get(field)} {words}"), *((Phrase(fallen, "bad"),) if fallen else ())),)

    def sheet_rows(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[Row]:
        """The rows of the rules, and those that every sheet has: what is tracked, and whether one is away."""
        tracked = tuple(Phrase(f"{each} {value}") for each, value in view["tracked"].items())
        away = (Phrase("not here tonight" if view["away"] == "absent" else "retired", "faint"),)
        return (
            *self.rows(state, name, view),
            *([("tracked", tracked)] if tracked else []),
            *([("away", away)] if view["away"] else []),
        )

    def brief_rows(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:
        """The brief lines of the rules, with what the group pinned and whether one is absent behind the first."""
        lines = self.brief(state, name, view)
        if not lines:
            return lines
        pinned = [
            Phrase(f"{each} {view['tracked'][each]}") for each in state.campaign.pinned if each in view["tracked"]
        ]
        absent = [Phrase("absent", "faint")] if view["away"] == "absent" else []
        return ((*lines[0], *pinned, *absent), *lines[1:])

    def laid_out(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[Pile]:
        """The character's cards, pile by pile, where there are any; `shown` is what the one who looks may see."""
        return ()

    def table_to_view(self, state: Any) -> dict[str, Any]:
        """The table as JSON. What the table tracks for itself is added by `table_view`."""
        return dict(msgspec.to_builtins(state.table))

    def table_view(self, state: Any) -> dict[str, Any]:
        """The table as `status --json` prints it: what the rules keep, and what the table tracks for itself."""
        return {**self.table_to_view(state), "tracked": state.table.tracked}

    def table_rows(self, state: Any) -> Sequence[Row]:
        """The table as rows to look at."""
        return ()

    def whole_table_rows(self, state: Any) -> Sequence[Row]:
        """The rows of the rules, and what the table tracks for itself."""
        return (
            *self.table_rows(state),
            *((name, (Phrase(str(value)),)) for name, value in state.table.tracked.items()),
        )

    def pending_for(self, state: Any, name: str) -> Sequence[PendingDecision]:
        """What this character is waiting for."""
        return ()

    def pending_for_table(self, state: Any) -> Sequence[PendingDecision]:
        """What the table as a whole is waiting for."""
        return ()

    def pending_for_anyone(self, state: Game) -> list[PendingDecision]:
        """What any character is waiting for, each once."""
        found: list[PendingDecision] = []
        for name in state.characters:
            found += [pending for pending in self.pending_for(state, name) if pending not in found]
        return found

    def in_words(self, state: Any, name: str, field: str, value: Any) -> Any:
        """The value of a sheet field as shown, with names for what the sheet knows by numbers."""
        return value

    def field_called(self, state: Any, name: str, field: str, value: Any) -> str:
        """A field of a sheet by its path ("wounds.2.treated"), with names for what the sheet knows by numbers.

        `value` is told beside it, in words; None: it is gone.
        """
        return field

    def meant(self, state: Any, name: str, field: str, value: Any) -> Any:
        """A value of a sheet field as people write it, as the sheet shows it: a list may be told as "1, 2, 3".

        Raises Refusal for a word of it that names nothing.
        """
        stored = stored_fields(self.sheet).get(field)
        if stored is None or not isinstance(value, str | int) or isinstance(value, bool):
            return value
        if kind_of(stored.type).shape != "list":
            return value
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        return [int(part) if part.isdecimal() else part for part in parts]

    def proposals(self, state: Any, action: type[Action], field: str, name: str | None) -> Sequence[str] | None:
        """Values that are legal now for a field, for the character named before it (None: nobody was).

        None: no opinion. Names of characters are proposed without it.
        """
        return None

    def proposals_given(
        self, state: Any, action: type[Action], field: str, name: str | None, given: Mapping[str, Any]
    ) -> Sequence[str] | None:
        """The same where more of the action is known (`given`): the cards of the class that somebody joins with."""
        return self.proposals(state, action, field, name)

    def figures(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[Figure]:
        """The numbers of the sheet that people touch at the table, the most watched first."""
        return ()

    def spoilers(self, state: Any, action: type[Action], field: str) -> Collection[str]:
        """Values of a field that nobody at the table has met: listed nowhere, and completed after three letters."""
        return ()

    def fallen(self, state: Any, name: str) -> str | None:
        """What keeps a character from acting ("dead", "exhausted"); None: nothing does."""
        return None

    def whose_turn(self, state: Any) -> str | None:
        """Whose turn it is, where the rules know it."""
        return None

    def at_hand(self, number: str) -> Sequence[Sequence[str]]:
        """What a table needs at hand beside a paragraph (cards, costs), as rows, the first of them the head."""
        return ()

    def turned_up(self, event: Event) -> tuple[str, Sequence[str]]:
        """Whose cards an event turned up out of a deck that the log keeps, and which, whoever dealt them."""
        return "", ()

    def is_foe(self, state: Any, name: str) -> bool:
        """Whether somebody who is enrolled stands on the other side."""
        return False

    def as_announced(self, events: Sequence[Event]) -> Mapping[str, StoredDrawn]:
        """The cards that these events turned up, as the chance of a turn in which the table reported them.

        With it a turn that is decided again turns up the same cards, as far as they are still there.
        """
        return {}

    def may_leave(self, decision: Any, name: str, *, for_good: bool) -> None:
        """Raise Refusal where a rule keeps a character from being away; `for_good`: from retiring."""

    def lies_open(self, state: Any, name: str, /) -> bool:
        """Whether what the sheet keeps until it is revealed is open to all now."""
        return False

    def was_revealed(self, event: Event, after: Any, now: Any) -> bool:
        """Whether what this event keeps until it is revealed has been.

        `after` is the state after its turn, `now` the state at the point that is read.
        """
        return False

    def before_reveal(self, state: Any) -> Any:
        """The state as everybody may look at it: what was chosen face down still lies where it was chosen from."""
        return state


def is_whole(kind: type[Struct]) -> bool:
    """Whether a Struct has a stored name, and is no base of others that have."""
    return kind.__struct_config__.tag != kind.__name__


def collected(chapters: Sequence[ModuleType], base: type[Any]) -> tuple[type[Any], ...]:
    """The actions or events that these modules define, in the order in which they stand there."""
    return tuple(
        each
        for chapter in chapters
        for each in vars(chapter).values()
        if isinstance(each, type) and issubclass(each, base) and each.__module__ == chapter.__name__ and is_whole(each)
    )


def checked(system: RuleSystem) -> RuleSystem:
    """The system, if nothing is missing that the log needs. Raises Incomplete, naming the piece."""
    what = type(system).__name__
    for piece in ("key", "cite", "version", "chapters", "sheet", "table", "options"):
        if not hasattr(system, piece):
            raise Incomplete(f"The rule system {what} has no {piece}.")
    for method in ("to_view", "audit", "rows"):
        if getattr(type(system), method) is getattr(RuleSystem, method):
            raise Incomplete(f"The rule system {what} lacks {method}().")
    for kinds, base, needs in ((system.actions, Action, ("decide",)), (system.events, Event, ("told", "fold"))):
        if not kinds:
            raise Incomplete(f"The chapters of {what} hold no {base.__name__.lower()}.")
        tags: dict[str, type[Any]] = {}
        for kind in kinds:
            tag = str(kind.__struct_config__.tag)
            if not tag.startswith(f"{system.key}."):
                raise Incomplete(f"{kind.__name__} of {what} is stored as {tag!r}; its tag begins with {system.key!r}.")
            if tag in tags:
                raise Incomplete(f"{kind.__name__} and {tags[tag].__name__} of {what} are both stored as {tag!r}.")
            tags[tag] = kind
            if not kind.__doc__:
                raise Incomplete(f"{kind.__name__} of {what} has no docstring, which is what it is told by.")
            for method in needs:
                if getattr(kind, method) is getattr(base, method):
                    raise Incomplete(f"{kind.__name__} of {what} lacks {method}().")
    for field in msgspec.structs.fields(system.sheet):
        if field.encode_name in secrets_of(system.sheet) and field.default is msgspec.NODEFAULT:
            raise Incomplete(
                f"The secret field {field.name} of {what}'s sheet has no default, which others know of it."
            )
    for kind in system.events:
        if secrets_of(kind) and kind.told_to_others is Event.told_to_others:
            raise Incomplete(f"{kind.__name__} of {what} holds a secret and lacks told_to_others().")
    return system
