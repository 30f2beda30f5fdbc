"""A line as its words: where each stands, which ones were quoted, and how a text is written as one word."""

import re
from collections.abc import Sequence

from msgspec import Struct, structs

from cli.line.vocabulary import JOINS, THEN

#: Quotes that open a text of several words, each with what closes it. An apostrophe belongs to names: it opens one at
#: the beginning of a word alone, and only where another one stands at the end of a word.
QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'"}


#: A value in quotes behind its name, which a shell was kept from taking off.
QUOTED_VALUE = r"(--)?[\w.-]+=[\"“„«'].*[\"”“»']$"


class Word(Struct, frozen=True):
    """One word of a line. `quoted`: it is whole as it is, whatever spaces it holds."""

    text: str
    start: int
    end: int
    quoted: bool = False


class Line(Struct, frozen=True):
    """A line and its words."""

    text: str
    words: tuple[Word, ...]
    #: A shell took it apart: of what was quoted there, only what has spaces still shows it.
    from_shell: bool = False

    def followed_by(self, more: "Line") -> "Line":
        """The line with another one behind it."""
        beyond = len(self.text) + 1
        words_behind = [structs.replace(word, start=word.start + beyond, end=word.end + beyond) for word in more.words]
        return Line(f"{self.text} {more.text}", (*self.words, *words_behind), self.from_shell)

    def rest(self, place: int, beyond: int) -> str:
        """Everything from a word up to another, as it was typed; one quoted text without its quotes."""
        if beyond == place + 1:
            return self.words[place].text
        return self.text[self.words[place].start : self.words[beyond - 1].end]


def tokenize(text: str) -> Line:
    """A line as it was typed. A quote opens at the beginning of a word or after its `=`; doubled, it is itself."""
    words, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start, parts, in_quotes = at, [], False
        while at < len(text) and not text[at].isspace():
            opens = text[at] in QUOTES and (at == start or text[at - 1] in "=,")
            inside, beyond = _read_quotes(text, at) if opens else (text[at], at + 1)
            in_quotes = in_quotes or beyond > at + 1
            parts.append(inside)
            at = beyond
        words.append(Word("".join(parts), start, at, in_quotes))
    return Line(text, tuple(words))


def _read_quotes(text: str, at: int) -> tuple[str, int]:
    """What stands between the quote at a place and the one that closes it, and the place behind that."""
    closing, inside, here = QUOTES[text[at]], [], at + 1
    while here < len(text):
        if text[here] != closing or (closing == "'" and text[here + 1 : here + 2].isalnum()):
            inside.append(text[here])
        elif text[here : here + 2] == closing * 2:
            inside.append(closing)
            here += 1
        else:
            return "".join(inside), here + 1
        here += 1
    return text[at], at + 1  # nothing closes it: it is a sign like any other


def line_of_arguments(arguments: Sequence[str]) -> Line:
    """A line as a shell hands it over: a word with spaces was quoted there, and so was `NAME="VALUE"`."""
    words, at = [], 0
    for argument in arguments:
        own = tokenize(argument).words if "=" in argument and re.match(QUOTED_VALUE, argument, re.DOTALL) else ()
        if len(own) == 1:
            words.append(Word(own[0].text, at, at + len(argument), quoted=True))
        else:
            words.append(
                Word(argument, at, at + len(argument), not argument or any(sign.isspace() for sign in argument))
            )
        at += len(argument) + 1
    return Line(" ".join(arguments), tuple(words), from_shell=True)


def word_to_type(line: Line, place: int) -> str:
    """One word of a line as it can be typed again, wherever the line came from."""
    word = line.words[place]
    typed_so = line.text[word.start : word.end]
    if not word.quoted or typed_so != word.text:
        return typed_so
    name, sign, value = word.text.partition("=")
    return f"{name}={quote(value)}" if sign and name.replace("-", "").isalnum() else quote(word.text, always=True)


def words_to_type(line: Line, begin: int = 0, end: int | None = None) -> list[str]:
    """The words from one place up to another (None: all behind it) as they can be typed again."""
    return [word_to_type(line, place) for place in range(begin, len(line.words) if end is None else end)]


def words_between(line: Line, begin: int, end: int) -> str:
    """The same words as one text."""
    return " ".join(words_to_type(line, begin, end))


def with_words(line: Line, begin: int, end: int, *others: str) -> str:
    """The text of the line with others in the place of the words from `begin` up to `end`."""
    return " ".join([*words_to_type(line, 0, begin), *filter(None, others), *words_to_type(line, end)])


def rest_of(line: Line, behind: int) -> list[str]:
    """The words from a place on as they can be typed again: in one piece where they stand as they were typed."""
    if behind >= len(line.words):
        return []
    if tokenize(line.text).words == line.words:
        return [line.text[line.words[behind].start :]]
    return words_to_type(line, behind)


def quote(text: str, *, always: bool = False) -> str:
    """A text as one word of a line; `always`: in quotes even where it needs none."""
    quotes = {*QUOTES, *QUOTES.values()} - {"'"}
    plain = (
        not always
        and text
        and text[0] != "'"
        and not any(sign.isspace() or sign in quotes or sign == "," for sign in text)
    )
    return text if plain else '"{}"'.format(text.replace('"', '""'))


def without_genitive(text: str) -> str:
    """A name without the sign of a genitive: `pip` of `pip's`."""
    return re.sub("['’]s?$", "", text)


def joins(words: Sequence[Word], at: int, *, then: bool = False) -> bool:
    """Whether `and` or its like stands at a place; with `then` also what puts one thing behind another."""
    joiners = (*JOINS, *THEN) if then else JOINS
    return at < len(words) and not words[at].quoted and words[at].text.casefold() in joiners


def next_of_several(words: Sequence[Word], at: int) -> int | None:
    """The place of the next of several names or things, behind `and` or a comma before it; None: nothing joins them."""
    if joins(words, at):
        return at + 1
    return at if words[at - 1].text.endswith(",") else None


def split_at_joins(words: Sequence[Word], begin: int, end: int) -> list[list[int]]:
    """The places of the words of each of several things, as `and`, `then` and commas part them."""
    things: list[list[int]] = [[]]
    for at in range(begin, end):
        if joins(words, at, then=True):
            things.append([])
            continue
        things[-1].append(at)
        if not words[at].quoted and words[at].text.endswith(","):
            things.append([])
    return [thing for thing in things if thing]
