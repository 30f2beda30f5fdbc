"""What a line has said so far: whom it is about and what fills the fields of its verb.

The reader (`cli.line.reading`) fills it from left to right. What refuses a line looks at this and at the words alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from cli.line.context import Context
from cli.line.errors import LineError
from cli.line.grammar import Grammar, is_text
from cli.line.words import NAME, Line, quote
from domain.naming import EVERYBODY, PARTY
from domain.registry import tag_of
from domain.system.field_schema import Field
from domain.system.options import options_of


class Group(Struct):
    """Those who are named together, with the values that stand behind them."""

    names: list[str]
    values: dict[str, Any] = {}
    #: the dice of each, in an action of several
    faces: dict[str, list[int]] = {}
    #: whether they were named at once, so that dice behind them are nobody's
    is_group: bool = False


class Said:
    """The words of one line behind its verb, from `at` up to `end`, and what those before `at` said.

    `who`: whom the line named before its verb.
    """

    def __init__(
        self, context: Context, grammar: Grammar, line: Line, at: int, end: int, who: Sequence[str] = ()
    ) -> None:
        self.context, self.grammar, self.line, self.words = context, grammar, line, line.words
        self.at = self.begin = at
        self.end = end
        self.shared: dict[str, Any] = dict(grammar.verb.sets)
        self.groups = [Group(list(who), is_group=len(who) > 1)]
        #: options of the line itself: by whom, when, how conflicts are settled
        self.manner: dict[str, str] = {}
        #: whether the line left out whom it is about
        self.is_default = False
        #: where the word for a group stands that names them: `all`, `party`
        self.group_at = 0 if who and line.words[0].text.casefold() in (*EVERYBODY, *PARTY) else None
        #: the place at which the words began, and the one behind them
        self.words_at: int | None = None
        self.words_end: int | None = None
        #: who is added to the log's list first (`at ash new goblin`): the adding action as JSON
        self.added: list[dict[str, Any]] = []

    @property
    def names(self) -> list[str]:
        """All whom the line is about."""
        return [name for group in self.groups for name in group.names]

    @property
    def whose(self) -> str | None:
        """Whom the next value is about; None while nobody is named."""
        names = self.groups[-1].names
        return names[-1] if names else None

    @property
    def given(self) -> dict[str, Any]:
        """The values of whoever was named last, by field."""
        who, names = self.grammar.who, self.groups[-1].names
        about = {who.key: names if self.grammar.several else names[-1]} if who is not None and names else {}
        return {**about, **self.shared, **self.groups[-1].values}

    def is_open(self, field: Field) -> bool:
        """Whether a field has no value yet."""
        if field is self.grammar.who:
            return not self.groups[0].names
        return field.key not in self.shared and field.key not in self.groups[-1].values

    def open_in_order(self) -> Iterator[Field]:
        """The fields without a value that need no name; none of somebody who is not named, as a defender's cards."""
        whose = self.grammar.fields
        nobodys = {field.key for field in self.grammar.order if field.keyed_by and self.is_open(whose[field.keyed_by])}
        return (field for field in self.grammar.order if self.is_open(field) and field.key not in nobodys)

    def missing(self) -> list[Field]:
        """The required fields without a value, and those of which one has to be said."""
        return [
            field
            for field in self.grammar.fields.values()
            if not self._has(field)
            and (field.required or (field.unless and self._is_needed(field)))
            # of those on the log's own list one is meant, while there are any
            and (field.added_by is None or self.titles(field) or field.required)
        ]

    def _is_needed(self, field: Field) -> bool:
        """Whether one has to be said of a field and those that may be said instead, of which none is."""
        fields = self.grammar.fields
        is_meant = not field.needed_with or self._has(fields[field.needed_with])
        return is_meant and not any(self._has(fields[key]) for key in field.unless if key in fields)

    def _has(self, field: Field) -> bool:
        if field is self.grammar.who:
            return all(group.names for group in self.groups)
        return field.key in self.shared or all(field.key in group.values for group in self.groups)

    def titles(self, field: Field) -> Sequence[str] | None:
        """The names that are legal in a field now; None: the rules have no opinion."""
        if not self._is_of_owners(field):
            return self._titles_for(field, self.whose)
        return list(dict.fromkeys(title for name in self.names for title in self._titles_for(field, name) or ()))

    def _titles_for(self, field: Field, name: str | None) -> Sequence[str] | None:
        system, kind = self.context.system, self.grammar.verb.kind
        return system.proposals_for(self.context.state, kind, field.key, name, self.given)

    def _is_of_owners(self, field: Field) -> bool:
        """Whether several people are named at once, of whom each may own some of what such a list names."""
        is_list = field.kind.shape == "list" and field.one.reference and not field.required
        return is_list and not self.grammar.several and len(self.names) > 1

    def _shared_with(self, name: str) -> dict[str, Any]:
        """What is said of all, for one of them: of things that others own (`d all 2 items hide`) those of one's own."""
        values = dict(self.shared)
        for key in values.keys() & self.grammar.fields.keys():
            if self._is_of_owners(field := self.grammar.fields[key]):
                own, others = self._titles_for(field, name) or (), self.titles(field) or ()
                values[key] = [thing for thing in values[key] if thing in own or thing not in others]
        return {key: value for key, value in values.items() if value != []}

    def numbered(self, field: Field) -> Mapping[str, str]:
        """What each number that is legal in a field now stands for: the wounds by theirs."""
        return self.context.system.numbered(self.context.state, self.grammar.verb.kind, field.key, self.whose)

    def settable(self, name: str) -> bool:
        """Whether NAME=VALUE sets something that is no field: an option of the rules, a field of a sheet."""
        plain, system, state = name.replace("-", "_"), self.context.system, self.context.state
        if self.grammar.loose is None:
            return False
        if self.grammar.who is None:
            return plain in options_of(system.options)
        return self.whose in state.characters and plain in system.sheet_view(state, self.whose)

    def names_a_value(self, name: str) -> bool:
        """Whether NAME=VALUE would be a value of this verb."""
        grammar = self.grammar
        is_of_sheet = grammar.loose is not None and grammar.who is not None and NAME.fullmatch(name)
        return grammar.field(name) is not None or self.settable(name) or bool(is_of_sheet)

    def refuse(self, reason: str, at: int | None = None, *nearest: str) -> LineError:
        """The error about a place of this line, with lines that can be typed instead."""
        return LineError(reason, nearest=nearest, at=self.at if at is None else at)

    def in_quotes(self, begin: int, end: int | None = None) -> str:
        """The line with all from a place on as one text in quotes, behind a little word that leads to it (`from`)."""
        end, words = self.end if end is None else end, self.grammar.words
        led = words is not None and begin + 1 < end and self.words[begin].text.casefold() in words.led_by
        text = " ".join(word.text for word in self.words[begin + led : end])
        text = text.removesuffix(",") if end < self.end else text
        return self.line.replaced(
            begin, end, *map(self.line.typed, range(begin, begin + led)), quote(text, always=True)
        )

    def end_of_text(self, at: int, end: int) -> int:
        """The end of a text that goes on from a place: before a value by its name, or an option."""
        return next((at for at in range(at, end) if "=" in self.words[at].text or self.words[at].is_option), end)

    def longer_value(self, at: int, end: int) -> tuple[str, int] | None:
        """`why=it was less` with the whole text as its value, and the place behind it; None: it is one word."""
        word, beyond = self.grammar.word_at(self.line, at, end)
        name, sign, text = word.text.partition("=")
        field = self.grammar.field(name) if sign and text and not word.quoted else None
        if field is None or not is_text(field):
            return None
        until = self.end_of_text(beyond, end)
        if until == beyond:
            return None
        return f"{field.key}={quote(f'{text} {self.line.rest(beyond, until)}', always=True)}", until

    def actions(self) -> list[dict[str, Any]]:
        """The actions of a complete line as JSON: one, or one for each person whom it is about."""
        grammar, tag = self.grammar, {"type": tag_of(self.grammar.verb.kind)}
        if grammar.who is None:
            return [*self.added, {**tag, **self.shared, **self.groups[0].values}]
        if grammar.several:
            faces = {name: dice for group in self.groups for name, dice in group.faces.items()}
            dice = {grammar.faces.key: faces} if grammar.faces is not None and faces else {}
            return [{**tag, grammar.who.key: self.names, **dice, **self.shared, **self.groups[0].values}]
        return [
            {**tag, grammar.who.key: name, **self._shared_with(name), **group.values}
            for group in self.groups
            for name in group.names
        ]
