"""The verbs that a line may begin with, and how one is found: by its name, a short name, a synonym, a beginning.

Names that are tracked are verbs too (`gold hob +5`); they are asked for here and read in `cli.line.tracking`.
"""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

from msgspec import Struct

from cli.line.context import Context
from cli.line.errors import LineError, may_be
from cli.line.words import Line, quote
from domain.common import ACTIONS as COMMON
from domain.common.notes import Note
from domain.common.tracking import Track, tracked_names
from domain.naming import reads_as_point, same_letters, spelt_like
from domain.registry import system_of, tag_of, verb_name
from domain.system.field_schema import fields_of
from domain.system.type_descriptions import either
from domain.turn import Action
from domain.values import as_written

#: A verb or a synonym has so many words at most.
LONGEST = 3
#: Letters with which a longer verb may be begun; fewer are a verb only as its short name.
LEAST_OF_A_BEGINNING = 3
#: Verbs that the refusal of an unknown one names at most.
MOST_MEANT = 3
#: Other words for questions.
ALSO_ASKED = {"?": "help", "exit": "quit"}


class Verb(Struct, frozen=True, dict=True):
    """A word for an action, with fields that the word itself sets."""

    name: str
    kind: type[Action]
    sets: Mapping[str, Any] = {}

    @cached_property
    def words(self) -> tuple[str, ...]:
        return parts_of(self.name)

    @property
    def help(self) -> str:
        """Its help in one line."""
        first = (inspect.getdoc(self.kind) or "").partition("\n")[0]
        fixed = ", ".join(key if value is True else as_written(value) for key, value in self.sets.items())
        return f"{first.removesuffix('.')}: {fixed}" if fixed else first


@lru_cache(maxsize=4096)
def parts_of(word: str) -> tuple[str, ...]:
    """The words of a verb, joined by spaces, hyphens, underscores or full stops; without a colon behind them."""
    return tuple(re.split(r"[-_. ]+", word.casefold().strip("-_. ").rstrip(":")))


@cache
def verbs_of(rules: str) -> tuple[Verb, ...]:
    """All verbs under these rules, those of the rule system first."""
    verbs = []
    for kind in (*system_of(rules).actions, *COMMON):
        if kind.has_verb:
            verbs.append(Verb(verb_name(kind), kind))
            verbs += [Verb(short, kind, sets) for short, sets in kind.shorts.items()]
    return tuple(verbs)


@cache
def _by_words(rules: str) -> Mapping[tuple[str, ...], Verb]:
    """The verbs by the words of their names and of the tags of their actions; a name wins over a tag."""
    verbs = {verb.words: verb for verb in reversed(verbs_of(rules))}
    for verb in verbs_of(rules):
        verbs.setdefault(parts_of(tag_of(verb.kind)), verb)
    return verbs


@cache
def _by_synonym(rules: str) -> Mapping[tuple[str, ...], tuple[Verb, ...]]:
    """The verbs that each synonym stands for."""
    verbs: dict[tuple[str, ...], tuple[Verb, ...]] = {}
    for verb in verbs_of(rules):
        for synonym in verb.kind.synonyms if verb.name == verb_name(verb.kind) else ():
            verbs[parts_of(synonym)] = (*verbs.get(parts_of(synonym), ()), verb)
    return verbs


def verb_in(context: Context, line: Line, at: int = 0, questions: Sequence[str] = ()) -> tuple[Verb | str, int]:
    """The verb or the command at a place of a line of this campaign, as `verb_at` finds it."""
    return verb_at(context.system.key, line, at, questions, tracked_names(context.state))


def verb_at(
    rules: str, line: Line, at: int = 0, questions: Sequence[str] = (), tracked: Sequence[str] = ()
) -> tuple[Verb | str, int]:
    """The verb or the reading command at a place of a line, and the place behind it.

    In this order: a whole name of most words, where a command wins over a verb; a tracked name; a synonym; the
    beginning of a name. Raises LineError where there is none, or more than one.
    """
    words = line.words
    if at >= len(words):
        raise LineError("A line begins with a verb; help lists them.", at=at, no_verb=True)
    for prefix in ("campaign", rules):  # a line copied from the shell: `campaign osr damage brog 4`
        at += words[at].text == prefix and at + 1 < len(words)
    runs = [(_parts(line, at, count), at + count) for count in range(min(LONGEST, len(words) - at), 0, -1)]
    for parts, beyond in runs:
        if beyond == at + 1 and (question := ALSO_ASKED.get(words[at].text, words[at].text)) in questions:
            return question, beyond
        if (verb := _by_words(rules).get(parts)) is not None:
            return verb, beyond
    if (own := same_letters(words[at].text, tracked)) is not None:
        return Verb(own, Track, {"name": own}), at + 1
    for parts, beyond in runs:
        if meant := _by_synonym(rules).get(parts):
            return _the_only(line, at, beyond, meant)
    for parts, beyond in runs[-2:]:
        if begun := _begun(rules, questions, parts):
            if at > 0 and len(begun) == 1 and isinstance(begun[0], Verb):
                _refuse_choice(rules, line, at, begun[0])
            return _the_only(line, at, beyond, begun)
    raise _no_verb(rules, line, at, questions, tracked)


def _parts(line: Line, at: int, count: int) -> tuple[str, ...]:
    run = line.words[at : at + count]
    return () if any(word.quoted for word in run) else tuple(part for word in run for part in parts_of(word.text))


def _begun(rules: str, questions: Sequence[str], parts: Sequence[str]) -> list[Verb | str]:
    """The verbs and commands whose name begins so, each meaning once."""
    if len("".join(parts)) < LEAST_OF_A_BEGINNING:
        return []
    verbs = {(verb.kind, tuple(verb.sets)): verb for verb in reversed(verbs_of(rules)) if begins(parts, verb.words)}
    return [*reversed(verbs.values()), *(name for name in questions if begins(parts, parts_of(name)))]


def _refuse_choice(rules: str, line: Line, at: int, begun: Verb) -> None:
    """Refuse what begins a verb behind a name, and a choice of another one: the `str` of `tobin str push the cart`."""
    text = line.words[at].text.casefold()
    for verb in verbs_of(rules):
        choices = {str(choice) for field in fields_of(verb.kind) if field.required for choice in field.one.choices}
        if verb.kind is not begun.kind and any(choice.startswith(text) for choice in choices):
            raise may_be(line, at, at + 1, {begun.name: begun.name, verb.name: f"{verb.name} {text}"})


def begins(parts: Sequence[str], words: Sequence[str]) -> bool:
    """Whether typed words are a beginning of a verb's words, each of which may be shortened."""
    fits = len(parts) <= len(words) and all(map(str.startswith, words, parts))
    return fits or "".join(words).startswith("".join(parts))


def _the_only(line: Line, at: int, beyond: int, meant: Sequence[Verb | str]) -> tuple[Verb | str, int]:
    if len(meant) == 1:
        return meant[0], beyond
    names = [verb if isinstance(verb, str) else verb.name for verb in meant]
    raise may_be(line, at, beyond, {name: name for name in names})


def _no_verb(rules: str, line: Line, at: int, questions: Sequence[str], tracked: Sequence[str]) -> LineError:
    """The error about a line that begins with no verb: the verbs that are meant, and the line as a note."""
    word = line.words[at].text
    near = verbs_meant(rules, word, questions, tracked)
    meant = f"did you mean {either(near)}?" if near else "help lists the verbs."
    text = line.text[line.words[0].start :]
    as_words = quote(text, always=True) if re.search(r"[=\"“„«]|--|\b(after|before) \S+$", text) else text
    note = [f"{verb_name(Note)} {as_words}"] if len(line.words) > 1 else []
    before, behind = list(map(line.typed, range(at))), list(map(line.typed, range(at + 1, len(line.words))))
    spelt = [" ".join([*before, verb, *behind]) for verb in spelt_like(word, near, MOST_MEANT)]
    if near == [verb_name(Track)]:  # `gold 12`
        spelt = [" ".join([*before, *near, *map(line.typed, range(at, len(line.words)))])]
    for verb in near:  # of two words, of which the first is a slip: `sesion close`
        _, *further = verb.split()
        if further and [word.casefold() for word in behind[: len(further)]] == further:
            spelt = [" ".join([*before, verb, *behind[len(further) :]])]
    return LineError(f"There is no verb {word!r}; {meant}", nearest=[*spelt, *note], at=at, no_verb=True)


def verbs_meant(rules: str, word: str, questions: Iterable[str] = (), tracked: Iterable[str] = ()) -> list[str]:
    """Up to three verbs that an unknown word may stand for: those that are meant by it, else those spelled like it."""
    kinds = {verb_name(verb.kind): verb.kind for verb in verbs_of(rules)}
    spellings = {name: name for name in (*kinds, *questions, *tracked) if len(name) >= LEAST_OF_A_BEGINNING}
    for name, kind in kinds.items():
        spellings |= {other: name for other in (*kind.synonyms, *kind.meant_by) if other not in spellings}
        choices = {str(choice) for field in fields_of(kind) if field.required for choice in field.one.choices}
        spellings |= {choice: name for choice in choices if choice not in spellings}
    typed = word.casefold()
    near = [name for name in spellings if len(typed) > 1 and typed in parts_of(name)]
    near = near or spelt_like(typed, spellings, MOST_MEANT)
    return list(dict.fromkeys(spellings[name] for name in near))[:MOST_MEANT]


def names_a_turn(text: str) -> bool:
    """Whether a word at the beginning of a line is a turn, to be amended or shown."""
    return reads_as_point(text) and text[:1] not in ("s", "S")


def short_of(verb: Verb) -> str:
    """The shortest name of the same action with nothing set; "" where there is none."""
    return min((short for short, sets in verb.kind.shorts.items() if not sets and not verb.sets), key=len, default="")
