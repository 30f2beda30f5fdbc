"""A clause: the words of one line with the grammar of its verb. What its readings cost, and the line's own options.

The ways themselves are rows of the search (`cli.line.search.continuations`): a row is given a reading and a
place, and answers with the readings that go on from there. What a row knows to be wrong is a reading too, with its
fault. Costs say which way is the likelier one: what is named costs least, free words most.
"""

from collections.abc import Iterator, Sequence
from typing import Any, get_args

from msgspec.structs import replace

from cli.line.errors import Misread, Unclear
from cli.line.grammar import Fits, Grammar
from cli.line.reading import How, Piece, Reading
from cli.line.values import behind_unit, dice_of
from cli.line.verbs import names_a_turn, vital_units
from cli.line.vocabulary import ARTICLES, singular
from cli.line.words import Line, Word
from domain.common.revisions import Conflicts
from domain.naming import fitting
from domain.system.field_schema import Field

#: Options of the line and not of its action; an action with such a field of its own keeps it.
MANNER = ("by", "when", "after", "before", "conflicts")
#: Those of them that have a turn for their value.
PLACES = ("after", "before")
#: The options that settle conflicts with later turns, each with how. The long ones are for a verb that has a field
#: called like the short one, and are understood with every verb.
SETTLING = {f"{how}{end}": how for how in get_args(Conflicts) for end in ("", "-later")}
#: The costs of the ways to take words; per word where there are several.
NAMED, VALUE, SKIPPED, FREE, MORE, FILLER, WORDS, AS_TYPED = 0.5, 1, 0.25, 3, 5, 1.5, 4, 6
Readings = Iterator[Reading]


class Clause:
    """The words of one line with the grammar of its verb: what the rows of the search share."""

    def __init__(self, grammar: Grammar, line: Line, start: int) -> None:
        self.grammar, self.line, self.start, self.context = grammar, line, start, grammar.context
        shorts = {field.short: f"--{field.key}" for field in grammar.fields.values() if field.short}
        #: the words of the line, the short names of options written out
        self.words = tuple(
            replace(word, text=shorts[word.text]) if word.text in shorts and not word.quoted else word
            for word in line.words
        )

    def fits(self, reading: Reading) -> Fits:
        """What fits the fields behind a reading, whose values are known already."""
        return self.grammar.fits({**reading.shared, **reading.groups[-1].values})

    def taking(self, reading: Reading, here: int, beyond: int, how: How, cost: float, field: str = "") -> Reading:
        """A copy of the reading that has taken the words from one place up to another, understood as `how`."""
        other = reading.copy()
        other.pieces = (*reading.pieces, Piece(here, beyond, how, field))
        other.cost += cost
        return other

    def failed(self, reading: Reading, error: Misread) -> Reading:
        """A copy of the reading that cannot go on because of an error."""
        other = reading.copy()
        other.fault = error
        return other

    def with_named_value(self, reading: Reading, field: Field, value: Any, here: int, beyond: int, how: How) -> Reading:
        """A copy of the reading with the value of a field that is named, which holds for all whom the line is about.

        Raises Misread for a field that is given twice.
        """
        other = self.taking(reading, here, beyond, how, 0 if how == "option" else NAMED, field.key)
        other.give(field, value, here)
        return other

    def with_value_by_type(
        self, reading: Reading, field: Field, fit: tuple[Any, int], here: int, cost: float
    ) -> Reading:
        """A copy of the reading with the value of a field that is not named, which holds for those named last."""
        beyond = self.behind_unit(field, fit[1])
        other = self.taking(reading, here, beyond, "value", cost, field.key)
        other.groups[-1].values[field.key] = fit[0]
        if field.names == "character":
            other.person_field = field.key
        return other

    def begins_a_value(self, reading: Reading, here: int, *, but: Field | None = None) -> bool:
        """Whether a word is a value of those that go in order (`but`: not of this), and could not be any text."""
        if here >= len(self.words):
            return False
        if self.grammar.faces is not None and dice_of(self.words[here].text) is not None:
            return True
        for field in self.grammar.order:
            if field.names or field is but:
                continue
            try:
                if self.fits(reading).known_at(field, self.words, here, reading.whose) is not None:
                    return True
            except Unclear:
                return field.required
        return False

    def takes_no_words(self, reading: Reading) -> bool:
        """Whether the verb has no remark, or the line has said it."""
        return self.grammar.remark is None or self.grammar.remark.key in reading.shared

    def is_known(self, reading: Reading, here: int) -> bool:
        """Whether a word within a text has a meaning of its own."""
        name = self.words[here].text
        return reading.open_field(name) is not None or self.flag_at(reading, here) is not None

    def flag_at(self, reading: Reading, here: int) -> tuple[Field, bool, int] | None:
        """A flag that stands at a place: `safe`, `unsafe`, `no-safe`, `not safe`, `not an attack`."""
        word = self.words[here].text.casefold()
        first = here + 1
        if first + 1 < len(self.words) and self.words[first].text.casefold() in ARTICLES:
            first += 1
        following = self.words[first : first + 1]
        for field in self.grammar.fields.values():
            if field.kind.shape != "flag" or reading.open_field(field.key) is None:
                continue
            name = field.key.replace("_", "-")
            if word.replace("_", "-") == name:
                return field, True, here + 1
            if word.replace("_", "-") in (f"un{name}", f"no-{name}", f"not-{name}"):
                return field, False, here + 1
            if word in ("not", "no") and following and following[0].text.casefold().replace("_", "-") == name:
                return field, False, first + 1
        return None

    def is_option(self, here: int) -> bool:
        """Whether a word is written as an option that there is, or as a value of something that can be set."""
        word, grammar = self.words[here], self.grammar
        name, sign, text = word.text.removeprefix("--").partition("=")
        if word.text.startswith("--"):
            names = (*grammar.fields, *MANNER, *SETTLING)
            dashed = name in names or grammar.field_called(name.removeprefix("no-")) is not None
            return dashed and not word.quoted
        whole = name.replace("-", "_")
        return bool(sign and text) and (grammar.field_called(name, whole=True) is not None or self.settable(whole))

    def settable(self, name: str) -> bool:
        """Whether NAME=VALUE may stand here although NAME is no field: an option, or a field of some sheet."""
        context = self.context
        whose = next(iter(context.state.characters), None) if self.grammar.who is not None else None
        return name in self.grammar.settable(whose)

    def late_at(self, here: int) -> tuple[str, str] | None:
        """Where in the log it happened, where that is the end of the line and no field of the verb."""
        late = None if self.grammar.words_alone else late_at(self.words, here)
        return None if late is None or late[0] in self.grammar.fields else late

    def by_at(self, here: int) -> str | None:
        """`by Jo` at the end of a line: who says so; None: it is something else."""
        by, name = self.words[here], self.words[-1].text
        if here + 2 != len(self.words) or by.quoted or by.text != "by" or "by" in self.grammar.fields:
            return None
        choices = [choice for field in self.grammar.fields.values() for choice in field.kind.offered_choices]
        somebody = fitting(name, self.context.state.characters)
        return None if somebody or self.grammar.field_called(name) is not None or name in choices else name

    def option_named(self, here: int) -> str:
        """The name of what is written as an option of the shell, `--x`; nothing for anything else, or in quotes.

        Of `--why="it fell"` a shell hands over `--why=it fell`, whose name was in no quotes.
        """
        word = self.words[here]
        name, sign, _ = word.text.removeprefix("--").partition("=")
        is_name = not word.quoted or (sign and not any(map(str.isspace, name)))
        return name if word.text.startswith("--") and is_name else ""

    def names_remark(self) -> bool:
        """Whether the line gives its remark by its name: `--why TEXT`, `why=TEXT`."""
        remark = self.grammar.remark
        pairs = (word.text.removeprefix("--").partition("=") for word in self.words)
        options = (self.option_named(here) for here in range(len(self.words)))
        return remark is not None and (
            remark.key in options or any(name == remark.key and sign for name, sign, _ in pairs)
        )

    def behind_unit(self, field: Field, here: int) -> int:
        """The place behind what only says what a number counts, if that stands here: `8 hours`, `1 hour`, `2 hp`."""
        if here >= len(self.words) or field.kind.shape != "number" or field.turn:
            return here
        units = {field.key, singular(field.key), *field.units}
        if self.grammar.verb.kind.number_sign and field.required:
            units |= vital_units(self.context.system, self.grammar.verb.kind)
        return behind_unit(self.words, here, units)


def manner_off(line: Line, at: int) -> tuple[Line, dict[str, str]]:
    """A line without the options of the line itself from a place on, and these options.

    They say who says it, when, and where in the log.

    These are `--by Mia`, `--when …`, `--after T3`, `--drop`, wherever they stand, and `after T3` at its end. Raises
    Misread for one without its value.
    """
    manner: dict[str, str] = {}
    rest = list(line.words[:at])
    here = at
    while here < len(line.words):
        word = line.words[here]
        name, sign, value = word.text.removeprefix("--").partition("=")
        is_option = word.text.startswith("--") and not word.quoted
        if is_option and name in SETTLING and not sign:
            manner["conflicts"] = SETTLING[name]
        elif is_option and name in MANNER:
            if not sign and here + 1 >= len(line.words):
                raise Misread(f"{word.text} needs a value.", here)
            manner[name] = value if sign else line.words[here + 1].text
            here += not sign
        elif (late := late_at(line.words, here)) is not None:
            manner[late[0]] = late[1]
            break
        else:
            rest.append(word)
        here += 1
    return Line(line.text, tuple(rest)), manner


def late_at(words: Sequence[Word], here: int) -> tuple[str, str] | None:
    """`after T6`, `before=@-1`: where in the log it happened, where that is the end of a line."""
    name, sign, point = words[here].text.partition("=")
    if not sign and here + 1 < len(words):
        point = words[here + 1].text
    ends = here + 1 + (not sign) == len(words)
    return (name, point) if name in PLACES and ends and names_a_turn(point) else None
