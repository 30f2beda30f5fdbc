"""When a condition became true: a small language of comparisons with a parser of its own; nothing is executed as code.

brog.hp < 3        ada.condition = dead and not brog.hp > 5        "Sir Tom".conditions contains poison
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

from msgspec import Struct

from domain.naming import fitting, folded, key_of, somebody
from domain.refusal import Invalid, Refusal, Unknown
from domain.system.field_schema import fields_of
from domain.system.rulesystem import RuleSystem
from projections.views.cells import as_cell, from_cell, inside
from projections.views.targets import Target, characters_in, target_of
from projections.views.view import View

LONGEST = 1000
DEEPEST = 40

#: A word without quotes; an apostrophe may stand inside it, as in O'Brien.
BARE = r"""[^\s<>=!()"'.]+(?:'[^\s<>=!()"'.]+)*"""
WORD = rf"""(?:"[^"]*"|'[^']*'|{BARE})"""
TOKEN = re.compile(
    rf"\s*(?:(?P<number>-?\d+(?:\.\d+)?)(?![^\s<>=!()])|(?P<sign><=|>=|==|!=|<>|[<>=()])|(?P<path>{WORD}(?:\.{WORD})+)|(?P<word>{WORD}))"
)

Values = Mapping[tuple[str, str], Any]
Test = Callable[[Values], bool]


class Condition(Struct, frozen=True):
    """A condition as a test, and the fields (character, field) that it reads.

    `of_any` are those of them that it reads of anybody, who need not be enrolled yet.
    """

    test: Test
    looks_at: frozenset[tuple[str, str]]
    of_any: frozenset[tuple[str, str]] = frozenset()


class TrueSpan(Struct, frozen=True):
    """The turn that made a condition true, and the turn that made it false again; None: it is still true."""

    turn: int
    session: int
    until: int | None
    sentence: str


def example_of(names: Iterable[str], system: RuleSystem) -> str:
    """An example of a condition about one of these characters."""
    name = somebody(names)
    return f"{as_word(name)}.{system.vital[0]} < 3"


def as_word(name: str) -> str:
    """A name or a value as one word of a condition."""
    if re.fullmatch(BARE, name):
        return name
    return f"'{name}'" if '"' in name else f'"{name}"'


def parse(
    text: str,
    find: Callable[[str], Target],
    example: str,
    names: Sequence[str] = (),
    system: RuleSystem | None = None,
) -> Condition:
    """Parse a typed condition about these characters (`names`): of one of them, or of anybody (`any.hp < 3`, `hp < 3`).

    Raises Invalid with the example if it cannot be parsed, and what `find` raises. The fields of `system` are proposed
    where somebody's name stands without one.
    """
    if len(text) > LONGEST:
        raise Invalid(f"A condition has at most {LONGEST} characters.")
    return _Parser(text, find, example, names, system).condition()


def times_of(view: View, system: RuleSystem, text: str) -> list[TrueSpan]:
    """Every time that a typed condition became true. Raises Invalid and Refusal for what is none."""
    names = characters_in(view)
    condition = parse(text, lambda path: target_of(view, system, None, path), example_of(names, system), names, system)
    sentences = "SELECT session, sentence FROM turns WHERE turn = ?"
    rows = ((turn, until, *view.ask(sentences, turn)[0]) for turn, until in times(view, condition))
    return [TrueSpan(turn, session, until, sentence) for turn, until, session, sentence in rows]


def times(view: View, condition: Condition) -> list[tuple[int, int | None]]:
    """Every time that the condition became true: the turn, and the one at which it was no longer, in folding order."""
    pairs = sorted(condition.looks_at)
    required_values = condition.looks_at - condition.of_any
    rows = view.ask(
        'SELECT turn, character, field, new FROM "values" WHERE '
        + " OR ".join(["(character = ? AND field = ?)"] * len(pairs))
        + " ORDER BY id",
        *(name for pair in pairs for name in pair),
    )
    values: dict[tuple[str, str], Any] = {}
    spans: list[tuple[int, int | None]] = []
    holds = False
    for turn, changes in groupby(rows, itemgetter(0)):
        for _, character, field, new in changes:
            values[character, field] = new
        if not required_values <= values.keys():  # a character is not enrolled yet
            continue
        before, holds = holds, condition.test(values)
        if holds and not before:
            spans.append((turn, None))
        elif before and not holds:
            spans[-1] = spans[-1][0], turn
    return spans


class _Parser:
    def __init__(
        self,
        text: str,
        find: Callable[[str], Target],
        example: str,
        names: Sequence[str],
        system: RuleSystem | None,
    ) -> None:
        self._text, self._find, self._example, self._names, self._system = text, find, example, names, system
        self._how = f"Write a condition like: {example}."
        self._tokens = self._split()
        self._at = 0
        self._depth = 0
        self._looks_at: set[tuple[str, str]] = set()
        self._of_any: set[tuple[str, str]] = set()

    def _split(self) -> list[tuple[str, str]]:
        tokens, at = [], 0
        text = self._text.rstrip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if match is None:
                raise Invalid(f"{text[at:].strip()[:30]!r} cannot be read. {self._how}")
            kind = match.lastgroup or ""
            tokens.append((kind, match[kind]))
            at = match.end()
        return tokens

    def condition(self) -> Condition:
        if not self._tokens:
            raise Invalid(f"The condition is empty. {self._how}")
        test = self._disjunction()
        if self._at < len(self._tokens):
            raise Invalid(f"{self._tokens[self._at][1]!r} does not belong there. {self._how}")
        if not self._looks_at and not self._of_any:
            raise Invalid(f"The condition names no field of a sheet. {self._how}")
        return Condition(test, frozenset(self._looks_at | self._of_any), frozenset(self._of_any - self._looks_at))

    def _next_is(self, *words: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at][1].casefold() in words:
            self._at += 1
            return True
        return False

    def _disjunction(self) -> Test:
        test = self._conjunction()
        while self._next_is("or"):
            test = _of_two(any, test, self._conjunction())
        return test

    def _conjunction(self) -> Test:
        test = self._negation()
        while self._next_is("and"):
            test = _of_two(all, test, self._negation())
        return test

    def _negation(self) -> Test:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Invalid("The condition is nested too deeply.")
        try:
            if self._next_is("not"):
                denied = self._negation()
                return lambda values: not denied(values)
            if self._next_is("("):
                test = self._disjunction()
                if not self._next_is(")"):
                    raise Invalid(f"A parenthesis is not closed. {self._how}")
                return test
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Test:
        everybody = self._of_everybody()
        if everybody:
            self._at += 1
            for sign, compare in COMPARISONS.items():
                if self._next_is(sign):
                    right = self._operand(first=False)
                    return _of_any([_comparison_test(compare, left_side, right, self._text) for left_side in everybody])
            return _of_any([_truth_test(left_side) for left_side in everybody])
        left_side = self._operand(first=True)
        for sign, compare in COMPARISONS.items():
            if self._next_is(sign):
                return _comparison_test(compare, left_side, self._operand(first=False), self._text)
        return _truth_test(left_side)

    def _operand(self, *, first: bool) -> Callable[[Values], Any]:
        if self._at >= len(self._tokens):
            raise Invalid(f"The condition ends too early. {self._how}")
        kind, text = self._tokens[self._at]
        self._at += 1
        match kind:
            case "path":
                about = self._find(".".join(part.strip("\"'") for part in re.findall(WORD, text)))
                self._looks_at.add((about.character, about.field))
                return partial(_value_of, about)
            case "number":
                number = float(text) if "." in text else int(text)
                return lambda _values: number
            case "word" if first and (of_table := self._of_the_table(text)) is not None:
                self._looks_at.add((of_table.character, of_table.field))
                return partial(_value_of, of_table)
            case "word" if not first:
                word: Any = text.strip("\"'") if text[0] in "\"'" else WORDS.get(text.casefold(), text)
                return lambda _values: word
            case _:
                self._refuse_a_name_alone(text)
                dotted = any(kind == "path" for kind, _ in self._tokens[self._at : self._at + 3])
                how = "Put a name of several words in quotes of its own: 'Sir Tom'.hp < 3." if dotted else self._how
                raise Invalid(f"{text[:30]!r} is not a field of a sheet. {how}")

    def _refuse_a_name_alone(self, text: str) -> None:
        """Raise Invalid for somebody's name without a field, with the condition as it is written."""
        words = [text, *(word for kind, word in self._tokens[self._at :] if kind == "word")]
        for count in range(len(words), 0, -1):
            matches = fitting(" ".join(words[:count]), self._names)
            if len(matches) == 1:
                what = self._comparison_of(words[count:]) or self._example.rpartition(".")[2]
                like = f"{as_word(matches[0])}.{what}"
                raise Invalid(f"Say which field of {matches[0]}, like {like}.")

    def _comparison_of(self, words: Sequence[str]) -> str | None:
        """What words behind a name mean of the sheet: a field that they name, or one of which they are a value."""
        keys = {key_of(word) for word in words}
        for field in fields_of(self._system.sheet) if self._system is not None else ():
            if field.kind.shape == "flag" and field.key in keys:
                return field.key
            value = next((value for value in field.one.offered_choices if key_of(value) in keys), None)
            if value is not None:
                return f"{field.key} {'contains' if field.kind.shape == 'list' else '='} {value}"
        return None

    def _of_everybody(self) -> list[Callable[[Values], Any]]:
        """The value of each character, where a field of anybody stands here: `any.hp`, `condition`; none of others."""
        kind, text = self._tokens[self._at] if self._at < len(self._tokens) else ("", "")
        parts = [part.strip("\"'") for part in re.findall(WORD, text)]
        alone = kind == "word" and len(self._tokens) > self._at + 1 and self._of_the_table(text) is None
        if kind == "path" and folded(parts[0]) in ANYBODY and not fitting(parts[0], self._names):
            parts = parts[1:]
        elif not alone or self._tokens[self._at + 1][1].casefold() not in COMPARISONS or fitting(text, self._names):
            return []
        values: list[Callable[[Values], Any]] = []
        unknown: Unknown | None = None
        for name in self._names:
            try:
                about = self._find(".".join((name, *parts)))
            except Unknown as error:
                unknown = error  # what is tracked need not be tracked of each
                continue
            self._of_any.add((about.character, about.field))
            values.append(partial(_value_of, about))
        if unknown is not None and not values and not alone:
            raise unknown
        return values

    def _of_the_table(self, text: str) -> Target | None:
        """The value that the table tracks under this name; None if there is none."""
        try:
            about = self._find(text.strip("\"'"))
        except (Invalid, Refusal):
            return None
        return None if about.character else about


def _value_of(about: Target, values: Values) -> Any:
    return as_cell(inside(values[about.character, about.field], about.inside))


def _truth_test(value_of: Callable[[Values], Any]) -> Test:
    return lambda values: bool(from_cell(value_of(values)))


def _of_any(tests: Sequence[Test]) -> Test:
    """Whether one of these tests holds; one about somebody who is not there yet does not."""

    def test(values: Values) -> bool:
        for test in tests:
            try:
                if test(values):
                    return True
            except KeyError:
                continue
        return False

    return test


#: What stands before a field for that of anybody.
ANYBODY = frozenset(("any", "anybody", "anyone", "all", "everybody", "everyone", "party"))
#: Words with a value other than their text.
WORDS: dict[str, Any] = {"true": 1, "yes": 1, "false": 0, "no": 0, "null": None, "none": None}


def _contains(value: Any, words: Any) -> bool:
    within = from_cell(value)
    if isinstance(within, str):
        return folded(str(words)) in folded(within)
    parts = list(within) if isinstance(within, list | dict) else []
    parts += [member for part in parts if isinstance(part, dict) for member in part.values()]
    return any(_same(as_cell(part), words) for part in parts)


def _same(first: Any, second: Any) -> bool:
    """Whether two values are equal; a list is also equal to what it contains, as it has no value in one word."""
    if isinstance(from_cell(first), list) and _contains(first, second):
        return True
    if isinstance(first, str) and isinstance(second, str):
        return folded(first) == folded(second)
    return bool(first == second)


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "!=": lambda left, right: not _same(left, right),
    "<>": lambda left, right: not _same(left, right),
    "==": _same,
    "=": _same,
    "<": operator.lt,
    ">": operator.gt,
    "contains": _contains,
}
#: Comparisons of two numbers or two texts only.
ORDERING = [COMPARISONS[sign] for sign in ("<=", ">=", "<", ">")]


def _comparison_test(
    compare: Callable[[Any, Any], bool], left_of: Callable[[Values], Any], right_of: Callable[[Values], Any], text: str
) -> Test:
    def test(values: Values) -> bool:
        first, second = left_of(values), right_of(values)
        if compare in ORDERING:
            if first is None or second is None:
                return False
            if isinstance(first, str) != isinstance(second, str):
                raise Invalid(f"{text.strip()[:60]!r} compares a number with a text; compare like with like.")
        return compare(first, second)

    return test


def _of_two(how_many: Callable[[Iterable[bool]], bool], first: Test, second: Test) -> Test:
    return lambda values: how_many(test(values) for test in (first, second))
