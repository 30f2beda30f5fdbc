"""The base class of rule systems, and the checks before one is loaded.

A rule system is a decider. It lists its chapters: modules with actions (commands) and events. `Action.decide` emits
events or raises `Refusal`. `Event.fold` applies one event to the state; it never refuses, never draws, and handles any
order of events (an event about somebody who is not there leaves the state unchanged).

Some field names have a meaning: `character` (and any field whose type marks a name) is who an action or event is
about, `player` on a sheet is who plays the character, `rule` cites a paragraph. Secrets between players are declared on
fields, see `domain.system.secrets`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from domain.refusal import Incomplete
from domain.system.extensions import FileReader, Lookup
from domain.system.field_schema import kind_of, stored_fields
from domain.system.figures import Figure
from domain.system.pending import PendingDecision, besides
from domain.system.rows import Bit, CardView, Phrase, PileView, ReportableCards, Row, tracked_rows
from domain.system.secrets import secrets_of
from domain.system.state import Game, Options, Sheet, State, TableState
from domain.turn import Action, Event, StoredDrawn


class CardPiles(Struct, frozen=True):
    """Where the cards of a character lie, so that `why` can explain how a card got there."""

    #: (state, name) -> every card that the character has or ever had: card -> its title.
    cards: Callable[[Any, str], Mapping[int | str, str]]
    #: (sheet view, card) -> the pile it lies in ("hand", "lost"); None if the view does not show it.
    pile: Callable[[Mapping[str, Any], int | str], str | None]


class RuleSystem:
    """One rule system: its actions, events, rules and views. The docstring of a subclass says what it is for."""

    #: "osr": its name in tags, verbs, data folders and behind --rules.
    key: ClassVar[str]
    #: "OSR": how its paragraphs are cited.
    cite: ClassVar[str]
    #: Raised whenever the code decides something differently or stores something new.
    version: ClassVar[int]
    #: One module for each chapter of the rules; verbs are listed in this order.
    chapters: ClassVar[tuple[ModuleType, ...]]
    sheet: ClassVar[type[Sheet]]
    table: ClassVar[type[TableState]]
    options: ClassVar[type[Options]]

    #: The view field that says how much a character can still take, and its name in words.
    vital: ClassVar[tuple[str, str]] = ("hp", "hit points")
    #: View fields for which higher is worse (fatigue, marks).
    worse_when_higher: ClassVar[frozenset[str]] = frozenset()
    #: Tags of events in which somebody is harmed. A re-roll that comes out lower or a price that is paid is no harm.
    harmful_events: ClassVar[frozenset[str]] = frozenset()
    #: Stored sheet fields that no view contains and no override sets.
    hidden: ClassVar[frozenset[str]] = frozenset()
    #: Fields of actions and events that exist for the fold alone; no reading command shows them.
    fold_only: ClassVar[frozenset[str]] = frozenset()
    #: The field of sheets and events that holds face-down cards in order, top first. Previews never reveal the order.
    face_down: ClassVar[str | None] = None
    #: Purposes of recorded numbers that are neither dice nor cards, such as the total of a save.
    totals: ClassVar[frozenset[str]] = frozenset()
    #: Purpose of a draw -> what is drawn, in words: "draws {count} of {whose} exhausted cards".
    draw_words: ClassVar[Mapping[str, str]] = {}
    #: How to find cards; None if the system has none.
    piles: ClassVar[CardPiles | None] = None
    #: View field of a sheet or of the table -> the actions that change it, the usual ones first. Fields that are not
    #: listed change by override.
    changed_by: ClassVar[Mapping[str, tuple[type[Action], ...]]] = {}
    #: Readers for files of other programs.
    readers: ClassVar[tuple[FileReader, ...]] = ()
    #: Look-ups in its log besides sheets.
    lookups: ClassVar[tuple[Lookup, ...]] = ()

    @cached_property
    def actions(self) -> tuple[type[Action], ...]:
        """The actions of all chapters, in order."""
        return classes_in(self.chapters, Action)

    @cached_property
    def events(self) -> tuple[type[Event], ...]:
        """The events of all chapters, in order."""
        return classes_in(self.chapters, Event)

    @cached_property
    def keeps_secrets(self) -> bool:
        """Whether any field of a sheet, an action or an event is declared secret."""
        return any(secrets_of(kind) for kind in (self.sheet, *self.actions, *self.events))

    def opening(self) -> Game:
        """The state before turn 1."""
        return State({}, self.table(), self.options())

    def to_view(self, state: Any, name: str) -> dict[str, Any]:
        """The sheet as JSON, stored and derived fields. `sheet_view` adds the fields that every sheet has."""
        raise NotImplementedError

    def sheet_view(self, state: Any, name: str) -> dict[str, Any]:
        """The sheet as `status --json` prints it: `to_view` with `tracked` and `away`."""
        view, sheet = self.to_view(state, name), state.characters[name]
        # the object of the sheet itself: changes are found by identity
        view["tracked"], view["away"] = sheet.tracked, sheet.away
        return view

    def fields_view(self, state: Any, name: str) -> Mapping[str, Any]:
        """`sheet_view` with each tracked value as a field beside those of the rules."""
        view = self.sheet_view(state, name)
        return {**view["tracked"], **view} if view["tracked"] else view

    def audit(self, decision: Any, name: str, overridden: Mapping[str, Any]) -> None:
        """Check the invariants of a sheet after an override of these fields, and emit what follows from it.

        Events (a deck shuffled again) are emitted on the `Decision` of the override. Raises Refusal if an invariant is
        broken.
        """
        raise NotImplementedError

    def rows(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[Row]:
        """The sheet as rows for display; `view` holds what the viewer may see."""
        raise NotImplementedError

    def brief(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:
        """The sheet in the few lines that stay in sight all evening, for 80 columns.

        An empty result folds the character away. The default shows the vital figure and what keeps them from acting.
        """
        field, words = self.vital
        fallen_words = self.fallen(state, name)
        return ((Phrase(f"{view.get(field)} {words}"), *((Phrase(fallen_words, "bad"),) if fallen_words else ())),)

    def sheet_rows(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[Row]:
        """`rows`, followed by the rows that every sheet has: tracked values, and whether the character is away."""
        phrases = tuple(Phrase(f"{name} {value}") for name, value in view["tracked"].items())
        return (*self.rows(state, name, view), *([("tracked", phrases)] if phrases else []), *self.away_rows(view))

    def away_rows(self, view: Mapping[str, Any]) -> Sequence[Row]:
        """The row of somebody who is not here tonight, or retired; none for the others."""
        away = (Phrase("not here tonight" if view["away"] == "absent" else "retired", "faint"),)
        return [("away", away)] if view["away"] else []

    def brief_rows(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:
        """`brief`, with pinned values and a mark for the absent at the end of the first line."""
        lines = self.brief(state, name, view)
        if not lines:
            return lines
        phrases = [
            Phrase(f"{name} {view['tracked'][name]}") for name in state.campaign.pinned if name in view["tracked"]
        ]
        absent = [Phrase("absent", "faint")] if view["away"] == "absent" else []
        return ((*lines[0], *phrases, *absent), *lines[1:])

    def laid_out(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[PileView]:
        """The character's cards, pile by pile; empty if there are none. `view` holds what the viewer may see."""
        return ()

    def cards_by_name(self, state: Any, sheets: Mapping[str, dict[str, Any]]) -> dict[str, CardView]:
        """The cards that lie open to whoever sees these sheets, by their names."""
        piles = (pile for name, view in sheets.items() for pile in self.laid_out(state, name, view))
        return {card.name: card for pile in piles for card in pile.cards}

    def table_to_view(self, state: Any) -> dict[str, Any]:
        """The table as JSON. `table_view` adds the tracked values of the table."""
        return dict(msgspec.to_builtins(state.table))

    def table_view(self, state: Any) -> dict[str, Any]:
        """The table as `status --json` prints it: `table_to_view` with `tracked`."""
        return {**self.table_to_view(state), "tracked": state.table.tracked}

    def table_rows(self, state: Any) -> Sequence[Row]:
        """The table as rows for display."""
        return ()

    def whole_table_rows(self, state: Any) -> Sequence[Row]:
        """`table_rows`, followed by the tracked values of the table."""
        return (*self.table_rows(state), *tracked_rows(state.table.tracked))

    def pending_for(self, state: Any, name: str) -> Sequence[PendingDecision]:
        """The pending decisions of one character."""
        return ()

    def pending_for_table(self, state: Any) -> Sequence[PendingDecision]:
        """The pending decisions of the table as a whole."""
        return ()

    def pending_for_anyone(self, state: Game, names: Iterable[str] | None = None) -> list[PendingDecision]:
        """The pending decisions of these characters (None: of all), without duplicates."""
        decisions: list[PendingDecision] = []
        for name in state.characters if names is None else names:
            decisions += [pending for pending in self.pending_for(state, name) if pending not in decisions]
        return decisions

    def pending_now(self, state: Game) -> list[PendingDecision]:
        """What the table waits for: the pending decisions of all, and those of the table that these do not settle."""
        decisions = self.pending_for_anyone(state)
        return [*decisions, *besides(decisions, self.pending_for_table(state))]

    def loose_ends(self, state: Any) -> Sequence[PendingDecision]:
        """What is still open when a session closes, although nothing waits for it (an unfinished scenario)."""
        return ()

    def follow_ups(self, state: Any, facts: Sequence[Event]) -> Sequence[PendingDecision]:
        """What may be recorded after these facts of a turn (the effect of an item); nothing waits for it."""
        return ()

    def in_words(self, state: Any, name: str, field: str, value: Any) -> Any:
        """The value of a view field in words, with names in place of ids."""
        return value

    def field_in_words(self, state: Any, name: str, field: str, value: Any) -> str:
        """The path of a field of a sheet ("wounds.2.treated"), with names in place of the numbers of list entries.

        `value` is the value that is shown with it; None: the field was removed.
        """
        return field

    def read_value(self, state: Any, name: str, field: str, value: Any) -> Any:
        """The value of a sheet field from what somebody typed: a list may be typed as "1, 2, 3".

        Raises Refusal for a word that names nothing.
        """
        struct_field = stored_fields(self.sheet).get(field)
        if struct_field is None or not isinstance(value, str | int) or isinstance(value, bool):
            return value
        if kind_of(struct_field.type).shape != "list":
            return value
        parts = [part.strip() for part in str(value).split(",") if part.strip()]
        return [int(part) if part.isdecimal() else part for part in parts]

    def proposals(self, state: Any, action: type[Action], field: str, name: str | None) -> Sequence[str] | None:
        """The values that are legal now for a field of an action about this character (None: nobody was named).

        Returns None if the rules have no opinion. Names of characters are proposed without it.
        """
        return None

    #: Fields of actions that name a thing which everybody may see, as an open item; others may be in a hand.
    open_references: ClassVar[frozenset[str]] = frozenset()

    def proposals_for(
        self, state: Any, action: type[Action], field: str, name: str | None, fields: Mapping[str, Any]
    ) -> Sequence[str] | None:
        """As `proposals`, where other fields of the action are filled in (`fields`): the cards of the class chosen."""
        return self.proposals(state, action, field, name)

    def past(self, state: Any, action: type[Action], field: str) -> Mapping[str, str]:
        """Names on the log's own list that a field cannot have any more, each with the reason as a sentence."""
        return {}

    def numbered(self, state: Any, action: type[Action], field: str, name: str | None) -> Mapping[str, str]:
        """What each number that is legal for a field now stands for, where a person says that instead: `broken jaw`."""
        return {}

    def figures(self, state: Any, name: str, view: dict[str, Any]) -> Sequence[Figure]:
        """The numbers of the sheet that players change most at the table, the most important first."""
        return ()

    def cards_to_report(self, state: Any, action: type[Action], field: str, name: str | None) -> ReportableCards | None:
        """The cards that a field of an action about this character may list; None if it lists no cards."""
        return None

    def spoilers(self, state: Any, action: type[Action], field: str) -> Collection[str]:
        """Values of a field that the table has not met yet: never listed, and completed only after three letters."""
        return ()

    def fallen(self, state: Any, name: str) -> str | None:
        """What keeps a character from acting ("dead", "exhausted"), or None."""
        return None

    def whose_turn(self, state: Any) -> str | None:
        """Whose turn it is, or None if the rules have no turn order or no turn is open."""
        return None

    def reference_table(self, number: str) -> Sequence[Sequence[str]]:
        """A reference table for a paragraph (cards, costs): rows of cells, the first row being the header."""
        return ()

    def turned_up(self, event: Event) -> tuple[str, Sequence[str]]:
        """The owner of the cards that an event turned up from a recorded deck, and the cards."""
        return "", ()

    def is_foe(self, state: Any, name: str) -> bool:
        return False

    def as_reports(self, events: Sequence[Event]) -> Mapping[str, StoredDrawn]:
        """The cards that these events turned up, as the chance of a turn in which the table reported them.

        With it a turn that is decided again turns up the same cards, as far as they are still there.
        """
        return {}

    def may_leave(self, decision: Any, name: str, *, for_good: bool) -> None:
        """Raise Refusal if a rule forbids that a character is absent, or retires (`for_good`)."""

    def secrets_are_open(self, state: Any, name: str, /) -> bool:
        """Whether everybody may see the fields of this character that are secret until revealed."""
        return False

    def was_revealed(self, event: Event, after: Any, now: Any) -> bool:
        """Whether the secret in this event has been revealed.

        `after` is the state after its turn, `now` the state at the point that is read. Once no fields that are secret
        until revealed are hidden, the answer about earlier events stays the same: the kept views of players rely on it.
        """
        return False

    def before_reveal(self, state: Any) -> Any:
        """The state as everybody may see it: cards chosen face down are back where they were chosen from."""
        return state


def is_whole(kind: type[Struct]) -> bool:
    """Whether a Struct has a stored tag and is not merely a base class."""
    return kind.__struct_config__.tag != kind.__name__


def classes_in(chapters: Sequence[ModuleType], base: type[Any]) -> tuple[type[Any], ...]:
    """The actions or events that these modules define, in order."""
    return tuple(
        member
        for chapter in chapters
        for member in vars(chapter).values()
        if isinstance(member, type)
        and issubclass(member, base)
        and member.__module__ == chapter.__name__
        and is_whole(member)
    )


def check_system(system: RuleSystem) -> RuleSystem:
    """The system, if it is complete. Raises Incomplete naming the missing piece."""
    class_name = type(system).__name__
    for piece in ("key", "cite", "version", "chapters", "sheet", "table", "options"):
        if not hasattr(system, piece):
            raise Incomplete(f"The rule system {class_name} has no {piece}.")
    for method in ("to_view", "audit", "rows"):
        if getattr(type(system), method) is getattr(RuleSystem, method):
            raise Incomplete(f"The rule system {class_name} lacks {method}().")
    for kinds, base, needs in ((system.actions, Action, ("decide",)), (system.events, Event, ("sentence", "fold"))):
        if not kinds:
            raise Incomplete(f"The chapters of {class_name} hold no {base.__name__.lower()}.")
        tags: dict[str, type[Any]] = {}
        for kind in kinds:
            tag = str(kind.__struct_config__.tag)
            if not tag.startswith(f"{system.key}."):
                raise Incomplete(
                    f"{kind.__name__} of {class_name} is stored as {tag!r}; its tag begins with {system.key!r}."
                )
            if tag in tags:
                raise Incomplete(
                    f"{kind.__name__} and {tags[tag].__name__} of {class_name} are both stored as {tag!r}."
                )
            tags[tag] = kind
            if not kind.__doc__:
                raise Incomplete(f"{kind.__name__} of {class_name} has no docstring, which is what it is told by.")
            for method in needs:
                if getattr(kind, method) is getattr(base, method):
                    raise Incomplete(f"{kind.__name__} of {class_name} lacks {method}().")
    for field in msgspec.structs.fields(system.sheet):
        if field.encode_name in secrets_of(system.sheet) and field.default is msgspec.NODEFAULT:
            raise Incomplete(
                f"The secret field {field.name} of {class_name}'s sheet has no default, which others know of it."
            )
    for kind in system.events:
        if secrets_of(kind) and kind.sentence_for_others is Event.sentence_for_others:
            raise Incomplete(f"{kind.__name__} of {class_name} holds a secret and lacks sentence_for_others().")
    return system
