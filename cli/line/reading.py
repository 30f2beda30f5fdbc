"""A reading: one way to understand the words of a line up to a place. An ambiguous word splits it into two."""

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, structs

from cli.line.errors import Misread, Unclear
from cli.line.grammar import Grammar
from cli.line.values import json_or_text
from domain.registry import tag_of
from domain.system.field_schema import Field
from domain.system.options import options_of

#: As what words were understood.
How = Literal["name", "value", "named", "flag", "option", "dice", "words", "filler", "manner"]


class Piece(Struct, frozen=True):
    """A run of words, what it was understood as, and the field that it belongs to; "" for none."""

    start: int
    end: int
    how: How
    field: str = ""


class Unlisted(Struct, frozen=True):
    """A name that is not on the list that the log keeps, and the words it stands in."""

    field: str
    name: str
    start: int
    end: int


class People(Struct, eq=False):
    """Characters named together, and the values that hold for them."""

    names: list[str] = []
    values: dict[str, Any] = {}
    #: the dice of each, in an action of several
    faces: dict[str, list[int]] = {}

    def copy(self) -> "People":
        return People(list(self.names), dict(self.values), dict(self.faces))


class Reading(Struct, eq=False):
    """One way to understand the words of a line up to a place, with its cost; the likeliest costs least.

    The rows of the search copy a reading before they read on; nobody else changes one that was read.
    """

    grammar: Grammar
    #: the words so far, in order, and what they cost
    pieces: tuple[Piece, ...] = ()
    cost: float = 0.0
    #: the error at the place where the reading cannot go on
    fault: Misread | None = None

    # -- whom it is about
    #: those who are named, each group with values of its own
    groups: list[People] = []
    #: the character who is known beforehand, as in an amendment
    known_person: str | None = None
    #: the character who is meant if the line names nobody: whose turn it is
    implied_person: str | None = None
    #: the field of the character named last, and whether one word named several, or everybody: `all`
    person_field: str | None = None
    is_group: bool = False
    is_everybody: bool = False

    # -- what it says
    #: the values that hold for all characters of the line
    shared: dict[str, Any] = {}
    #: the options of the line itself: by whom, when, after or before which turn
    manner: dict[str, str] = {}
    #: further values of a field, each of which makes a turn of its own
    repeated: tuple[tuple[str, Any], ...] = ()
    #: lists of some of those whom the line is about, named without any: whoever is the only one
    of_the_only_one: tuple[Field, ...] = ()
    #: fields that were given an empty value, so as to be left out
    dropped: frozenset[str] = frozenset()
    #: a name that is not on the list that the log keeps
    unlisted: Unlisted | None = None
    #: what is added to such a list first: the tag of the adding action, its field, the name
    added: tuple[tuple[str, str, str], ...] = ()

    @classmethod
    def of_nothing(cls, grammar: Grammar) -> "Reading":
        """The reading before the first word."""
        person_field = grammar.who.key if grammar.who else None
        return cls(grammar, groups=[People()], person_field=person_field, shared=dict(grammar.verb.sets))

    def copy(self) -> "Reading":
        """A copy that can be read on in another way."""
        shared = {key: dict(value) if isinstance(value, dict) else value for key, value in self.shared.items()}
        groups = [group.copy() for group in self.groups]
        return structs.replace(self, groups=groups, shared=shared, manner=dict(self.manner))

    @property
    def place(self) -> int:
        """The place of the next word."""
        return self.pieces[-1].end if self.pieces else 0

    @property
    def words(self) -> Piece | None:
        """The words that became the remark; None if there are none."""
        return next((piece for piece in self.pieces if piece.how == "words"), None)

    @property
    def names(self) -> list[str]:
        """All characters that the line is about."""
        return [name for group in self.groups for name in group.names]

    @property
    def whose(self) -> str | None:
        """The character that the next value is about; None if unknown."""
        names = self.groups[-1].names
        who = self.grammar.who
        others = self.shared.get(who.key) if who else None
        return names[-1] if names else others if isinstance(others, str) else self.known_person

    def is_open(self, field: Field) -> bool:
        """Whether a field has no value yet."""
        group = self.groups[-1]
        has_names = field is self.grammar.who and bool(group.names)
        return not has_names and field.key not in self.shared and field.key not in group.values

    def value_of(self, key: str) -> Any:
        """The value of a field so far; None if it has none."""
        return self.shared.get(key, self.groups[-1].values.get(key))

    def open_field(self, name: str) -> Field | None:
        """The field with exactly this name, if it has no value yet."""
        field = self.grammar.field_called(name, whole=True)
        if field is None or field is self.grammar.loose or (field is self.grammar.who and self.whose):
            return None
        return None if field.key in self.shared or field.key in self.groups[-1].values else field

    def missing(self) -> list[Field]:
        """The required fields without a value, and those of which one has to be said."""
        grammar = self.grammar
        return [
            field
            for field in grammar.fields.values()
            # one that may be left out beside others is needed where it stands alone
            if (field.required or (field.unless and all(self.value_of(other) is None for other in field.unless)))
            and field.key not in self.shared
            and not all(field.key in group.values for group in self.groups)
            and not (field is grammar.who and all(group.names for group in self.groups))
        ]

    def give(self, field: Field, value: Any, here: int) -> None:
        """Set a field for everybody whom the line is about. Raises Misread for one that is given twice."""
        grammar, key = self.grammar, field.key
        if field is grammar.who and not grammar.several:
            self.groups[0].names = [value]
        elif field is grammar.who:
            self.groups[0].names += value
        elif self.is_open(field):
            self.shared[key] = value
        elif field.kind.shape == "choice" and self.value_of(key) == value:
            pass  # `shoots … with her bow` says it twice
        elif key not in self.shared:
            raise Misread(f"{key} is given twice.", here)
        elif field.kind.shape == "list":
            self.shared[key] = [*self.shared[key], *value]
        elif field.kind.shape == "map" and not set(value) & set(self.shared[key]):
            self.shared[key] = {**self.shared[key], **value}
        else:
            raise Misread(f"{key} is given twice.", here)

    def give_loose(self, name: str, text: str, here: int) -> None:
        """Set an option or the field of a sheet. Raises Misread for one that is given twice."""
        grammar = self.grammar
        assert grammar.loose is not None
        plain = name.replace("-", "_")
        name = plain if plain in grammar.settable(self.whose) else name
        values = self.shared.setdefault(grammar.loose.key, {})
        if name in values:
            raise Misread(f"{name} is given twice.", here)
        values[name] = json_or_text(text, self._kind_of_loose(name))

    def _kind_of_loose(self, name: str) -> Any:
        """The type of an option, or bool for a field of the sheet that is yes or no; Any for what nobody knows."""
        system, state = self.grammar.context.system, self.grammar.context.state
        if self.grammar.who is None:
            option = options_of(system.options).get(name)
            return Any if option is None else option.type
        sheet = system.sheet_view(state, self.whose) if self.whose in state.characters else {}
        return bool if isinstance(sheet.get(name), bool) else Any

    def values(self) -> dict[str, Any]:
        """The values of the single character that the line is about, by field."""
        grammar, names = self.grammar, self.groups[0].names
        who = {grammar.who.key: names if grammar.several else names[0]} if grammar.who is not None and names else {}
        return {**who, **self.shared}

    def actions(self) -> list[dict[str, Any]]:
        """The actions as JSON has them. Raises Unclear for a list of names that does not say whose it is."""
        adding = [{"type": tag, field: name} for tag, field, name in self.added]
        return [*adding, *self._actions_of_the_verb()]

    def _actions_of_the_verb(self) -> list[dict[str, Any]]:
        """The actions of the verb itself: one, or one for each whom the line is about, and for each repeated value."""
        grammar = self.grammar
        if self.of_the_only_one and len(self.names) > 1:
            raise Unclear(f"Say whose: {self.of_the_only_one[0].key}=NAME.", self.names)
        only_one = {field.key: self.names for field in self.of_the_only_one}
        tag, shared = {"type": tag_of(grammar.verb.kind)}, {**self.shared, **only_one}
        if grammar.who is None:
            return [{**tag, **shared, **self.groups[0].values}]
        if grammar.several:
            faces = {name: dice for group in self.groups for name, dice in group.faces.items()}
            dice = {grammar.faces.key: faces} if grammar.faces and faces else {}
            who = {grammar.who.key: self.names} if self.names else {}
            return [{**tag, **who, **dice, **shared, **self.groups[0].values}]
        return [
            {**tag, **({grammar.who.key: name} if name else {}), **shared, **values}
            for group in self.groups
            for name in group.names or [""]
            # the values of a turn, and of the further turns with other values of one field
            for values in (group.values, *({**group.values, key: value} for key, value in self.repeated))
        ]

    def comes_to(self) -> Mapping[str, Any] | list[Any]:
        """What the reading amounts to: equal for readings with the same meaning."""
        return [self.shared, self.manner, [(group.names, group.values, group.faces) for group in self.groups]]
