"""Whom words name: a name or the beginning of one of its words, several, `all`, `party`, `all but NAME`."""

from collections.abc import Sequence

from cli.line.context import Context
from cli.line.errors import LineError, may_be
from cli.line.values import number_of, run_at
from cli.line.words import Line, quote
from domain.naming import EVERYBODY, LITTLE, PARTY, fitting, key_of, plain_words

BUT = ("but", "except")
JOINS = ("and", "&")
#: So many letters of a name mean somebody among words.
LEAST_AMONG_WORDS = 3
#: Whom words name, and the place behind them; None: nobody.
People = tuple[tuple[str, ...], int] | None


def people_at(context: Context, line: Line, at: int) -> People:
    """Whom one name or one word for a group means at a place. Raises LineError for a beginning of several names."""
    if at >= len(line.words):
        return None
    word, everybody = line.words[at], tuple(context.state.characters)
    text = word.text.removesuffix(",") if not word.quoted else word.text
    if not text or word.is_option:
        return None
    if not word.quoted and text.casefold() in (*EVERYBODY, *PARTY):
        return _but(context, line, at + 1, context.able() if text.casefold() in EVERYBODY else context.party())
    if not word.quoted and "," in text:
        named = [_one(line, at, part.strip(), everybody) for part in text.split(",") if part.strip()]
        return None if None in named or not named else (tuple(dict.fromkeys(name for name in named if name)), at + 1)
    if (run := run_at(line, at, everybody)) is not None:
        return (run[0],), run[1]
    name = _one(line, at, text, everybody)
    return None if name is None else ((name,), at + 1)


def _one(line: Line, at: int, text: str, names: Sequence[str]) -> str | None:
    fits = fitting(text, names)
    if not any(key_of(text) == key_of(name) for name in fits) and (
        text.casefold() in LITTLE or number_of(text) is not None
    ):
        return None  # the 3 of Rat 3 names nobody by itself, nor does the `a` of Ada
    if len(fits) > 1:
        raise may_be(line, at, at + 1, {name: quote(name) for name in fits})
    return fits[0] if fits else None


def _but(context: Context, line: Line, at: int, group: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """`all but brog and wen`: a group without those who are named behind it."""
    if at >= len(line.words) or line.words[at].quoted or line.words[at].text.casefold() not in BUT:
        return tuple(group), at
    beyond, out = at + 1, list[str]()
    while (more := people_at(context, line, beyond)) is not None:
        out, beyond = [*out, *more[0]], more[1]
        if is_join(line, beyond) and people_at(context, line, beyond + 1) is not None:
            beyond += 1
    if not out:
        raise LineError(f"Say who is left out behind {line.words[at].text}.", at=at)
    return tuple(name for name in group if name not in out), beyond


def row_at(context: Context, line: Line, at: int) -> People:
    """Whom several names in a row mean, parted by `and` or commas. Raises LineError as `people_at` does."""
    people = people_at(context, line, at)
    while people is not None and (is_join(line, people[1]) or line.words[people[1] - 1].text.endswith(",")):
        more = people_at(context, line, people[1] + is_join(line, people[1]))
        if more is None:
            break
        people = (*people[0], *more[0]), more[1]
    return people


def is_join(line: Line, at: int) -> bool:
    """Whether `and` stands at a place."""
    return at < len(line.words) and not line.words[at].quoted and line.words[at].text.casefold() in JOINS


def somebody_among_words(names: Sequence[str], line: Line, begin: int, end: int) -> tuple[str, int] | None:
    """The first of these names among words, by a whole word or at least three letters of it, and its place."""
    for at in range(begin, end):
        first = plain_words(line.words[at].text)[0]
        if line.words[at].quoted or first in LITTLE or first.isdecimal():
            continue
        for name in names:
            own = [part for part in plain_words(name) if part not in LITTLE]
            if first in own or (len(first) >= LEAST_AMONG_WORDS and any(part.startswith(first) for part in own)):
                return name, at
    return None
