"""What the verbs take: for each verb its fields in order, and which of them takes words.

All of it follows from the fields of the verb's action, so that a verb of a new rule system has its grammar at once:

    verb  {who}  {value of each field of `order`, in that order}  [words]

Any field may also stand by its name before the words: `dc=30`, `dc 30`, `safe`, `unsafe`. How a line is taken apart by
these declarations is said in `cli.line.reading`.
"""

from collections.abc import Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from cli.line.context import Context
from cli.line.verbs import Verb
from cli.line.words import Line, Word
from domain.registry import tag_of
from domain.system.field_schema import NEW, Field, fields_of
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

#: The name of the field for a reason, in which any words may stand.
REASON = "why"


def label_of(field: Field) -> str:
    """What a person calls a field."""
    if field.names in ("character", NEW) and field.key in ("character", "characters", "attacker"):
        return "who"
    return as_read(field.key)


def as_read(name: str) -> str:
    """A name that is spelt for programs, as a person reads it."""
    return name.replace("_", " ")


class Grammar(Struct, frozen=True):
    """The fields of one verb, by their part in its line."""

    verb: Verb
    #: all that a line may set, by name
    fields: Mapping[str, Field]
    #: whom the line is about
    who: Field | None
    #: whose values need no name, in this order
    order: tuple[Field, ...]
    #: the field that takes the words
    words: Field | None
    #: the dice of each, where one action is about several people
    faces: Field | None
    #: the field for NAME=VALUE where NAME is no field: options of the rules, fields of a sheet
    loose: Field | None

    @property
    def several(self) -> bool:
        """Whether one action is about several people; otherwise each of them has a turn of their own."""
        return self.who is not None and self.who.kind.shape == "list"

    @property
    def words_follow_names(self) -> bool:
        """Whether words may stand directly behind whom the line is about, so that one more name could be words."""
        return self.words is not None and self.who is not None and not any(field.required for field in self.order)

    @property
    def says_all(self) -> bool:
        """Whether the verb is there for its words, as a note is: then NAME=VALUE may stand behind them."""
        return self.words is not None and self.who is None and all(map(is_text, self.order))

    @property
    def any_words(self) -> bool:
        """Whether the words may be any: what a note, a ruling or a reason says is words whatever it holds.

        Of a title that is not so, as `number` and `level` are said beside it.
        """
        is_text = self.says_all and self.words is not None and self.words.remark and self.words.required
        return is_text or len(self.fields) == 1 or (self.words is not None and self.words.key == REASON)

    def field(self, name: str) -> Field | None:
        """The field of this name, of this short option or file, or that a list calls so; None: there is none."""
        key = name.casefold().replace("-", "_")
        labels = (field for field in self.fields.values() if label_of(field) == name.casefold())
        named = (field for field in self.fields.values() if name and name in (field.short, field.file))
        return self.fields.get(key) or next(named, None) or next(labels, None)

    def word_at(self, line: Line, at: int, end: int) -> tuple[Word, int]:
        """The word at a place, a field's name of two words (`hit dice`) as one, and the place behind it.

        In a text that may hold anything they stay two.
        """
        first = line.words[at]
        if at + 1 < end and not first.quoted and not self.any_words:
            second = line.words[at + 1]
            name, sign, value = second.text.partition("=")
            key = f"{first.text}_{name}"
            if name.isalpha() and (sign or not second.quoted) and key.casefold() in self.fields:
                return replace(first, text=f"{key}{sign}{value}", end=second.end, quoted=second.quoted), at + 2
        return first, at + 1

    def flag_at(self, line: Line, at: int, end: int) -> tuple[Field, bool, int] | None:
        """The flag that a place says (`safe`, `unsafe`, `not safe`), whether it says yes, and the place behind it."""
        if at >= end or line.words[at].quoted:
            return None
        is_denied = line.words[at].text.casefold() == "not" and at + 1 < end
        word, beyond = self.word_at(line, at + is_denied, end)
        said = word.text.removeprefix("--").casefold().replace("_", "-")
        for field in self.fields.values():
            name = field.key.replace("_", "-")
            denied = (f"un{name}", f"no-{name}", field.denied_by) if not is_denied else ()
            if field.kind.shape == "flag" and said in (name, *denied):
                return field, said == name and not is_denied, beyond
        return None


def grammar_of(verb: Verb) -> Grammar:
    """The grammar of a verb, without the fields that the verb itself sets."""
    return _grammar(verb.kind, verb.name, tuple(verb.sets.items()))


@cache
def _grammar(kind: type[Action], name: str, sets: tuple[tuple[str, object], ...]) -> Grammar:
    verb = Verb(name, kind, dict(sets))
    fields = [as_list(field) for field in fields_of(kind) if field.key not in verb.sets]
    placed = [field for field in fields if field.required or field.in_order]
    first = placed[0] if placed and not placed[0].remark else None
    who = first if first is not None and first.required and first.names == "character" else None
    faces = next((f for f in fields if who is not None and f.keyed_by == who.key and f.keyed_by_names), None)
    loose = next((f for f in fields if f.kind.shape == "map" and not f.file and f.one.shape == "map"
                  and f.kind.item is not None and f.kind.item.shape == "any"), None)  # fmt: skip
    words = next((field for field in fields if field.remark), None)
    order = tuple(field for field in placed if field not in (who, words, faces, loose))
    if words is None and order and who is None and order[-1].required and is_text(order[-1]) and order[-1].names != NEW:
        words, order = order[-1], order[:-1]  # `begin-scenario The barrow gate`
    return Grammar(verb, {field.key: field for field in fields}, who, order, words, faces, loose)


def as_list(field: Field) -> Field:
    """The field with the list as its only kind, if it takes a list or an object."""
    lists = [part for part in field.kind.parts if part.shape == "list"]
    return field.taking(lists[0].with_extra(field.kind.extra)) if lists else field


def is_text(field: Field) -> bool:
    """Whether any word may be a value of a field."""
    one = field.one
    is_name = field.names in ("character", "ally") or field.turn or field.added_by is not None
    return (
        not is_name and not one.reference and one.shape in ("text", "any") and one.values is None and not one.written_as
    )


@cache
def _listed_by(system: RuleSystem, kind: type[Action], key: str) -> tuple[type[Action], str] | None:
    """The action and the field that take a name of what this action adds: the foe of an attack."""
    named = [
        (other, field.key) for other in system.actions for field in fields_of(other) if field.added_by == tag_of(kind)
    ]
    adds = [field.key for field in fields_of(kind) if field.required and is_text(field)]
    return named[0] if named and adds == [key] else None


def known_in(context: Context, kind: type[Action], field: Field) -> Sequence[str] | None:
    """The names that the log's own list holds, where an action adds to it: `foe wolf 2 gone` is about wolf 2.

    None: the field adds to no list.
    """
    listed = _listed_by(context.system, kind, field.key)
    if listed is None:
        return None
    system, state = context.system, context.state
    return (*(system.proposals(state, *listed, None) or ()), *system.past(state, *listed))
