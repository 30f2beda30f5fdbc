"""A line as its words: where each stands, which were quoted, and how a text is typed as one word."""

import re
from collections.abc import Sequence

from msgspec import Struct, structs

#: Quotes that open a text of several words, each with what closes it. An apostrophe belongs to names: it opens one at
#: the beginning of a word alone, and only where another one stands at the end of a word.
QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "'": "'"}


#: A value in quotes behind its name, which a shell was kept from taking off.
QUOTED_VALUE = r"(--)?[\w.-]+=[\"“„«'].*[\"”“»']$"


#: The name before `=`.
NAME = re.compile(r"[\w.-]*[^\W_][\w.-]*")


class Word(Struct, frozen=True):
    """One word of a line. `quoted`: it is whole as it is, whatever spaces it holds."""

    text: str
    start: int
    end: int
    quoted: bool = False

    @property
    def is_option(self) -> bool:
        """Whether it is written as an option: `--dc`, `--dc=30`; in quotes only what is behind the sign."""
        name, sign, _ = self.text.partition("=")
        return re.match("--[A-Za-z]", name) is not None and (not self.quoted or (sign != "" and " " not in name))


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

    def typed(self, place: int) -> str:
        """A word as it can be typed again, wherever the line came from."""
        word = self.words[place]
        as_typed = self.text[word.start : word.end]
        if not word.quoted or as_typed != word.text:
            return as_typed
        name, sign, value = word.text.partition("=")
        return f"{name}={quote(value)}" if sign and name.replace("-", "").isalnum() else quote(word.text, always=True)

    def replaced(self, begin: int, end: int, *others: str) -> str:
        """The line as it can be typed again, with other words in the place of those from `begin` up to `end`."""
        before, behind = map(self.typed, range(begin)), map(self.typed, range(end, len(self.words)))
        return " ".join([*before, *filter(None, others), *behind])


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
    """A line as a shell hands it over: a word with spaces was quoted there, and so was `NAME="VALUE"` or `"WORD"`."""
    words, at = [], 0
    for argument in arguments:
        own = tokenize(argument).words if "=" in argument and re.match(QUOTED_VALUE, argument, re.DOTALL) else ()
        own = own or (tokenize(argument).words if argument.startswith('"') else ())
        if len(own) == 1 and own[0].quoted:
            words.append(Word(own[0].text, at, at + len(argument), quoted=True))
        else:
            words.append(
                Word(argument, at, at + len(argument), not argument or any(sign.isspace() for sign in argument))
            )
        at += len(argument) + 1
    return Line(" ".join(arguments), tuple(words), from_shell=True)


def for_shell(line: str) -> str:
    """A line as it is typed at a shell, which takes off quotes around one word, and inside a text."""
    import shlex  # only a refusal needs it

    typed = (line[word.start : word.end] for word in tokenize(line).words)
    return " ".join(shlex.quote(word) if re.search('^"[^ ]*"$|""', word) else word for word in typed)


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
