"""What a line may begin with: the verbs of the rules and of every campaign, their short names, and the questions."""

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct

from cli.line.errors import Missing, NoVerb, Unclear
from cli.line.words import Line
from domain.common import ACTIONS as COMMON
from domain.common.start import CampaignStart
from domain.naming import letters
from domain.registry import system_of, tag_of
from domain.system.type_descriptions import either
from domain.turn import Action

#: What people type who look for help, or for the door.
ALSO_ASKED = {"?": "help", "exit": "quit"}


class Verb(Struct, frozen=True):
    """One way to begin a line that records something: the action, and fields that the word itself sets."""

    name: str
    kind: type[Action]
    sets: Mapping[str, Any] = {}

    @property
    def words(self) -> tuple[str, ...]:
        return parts_of(self.name)

    @property
    def help(self) -> str:
        """What it does, in one line."""
        first = (inspect.getdoc(self.kind) or "").partition("\n")[0]
        return first if not self.sets else f"{first} {', '.join(f'{key} {value}' for key, value in self.sets.items())}"

    @property
    def means(self) -> tuple[type[Action], tuple[tuple[str, Any], ...]]:
        """The same for two words that mean the same."""
        return self.kind, tuple(self.sets.items())


@lru_cache(maxsize=4096)
def parts_of(word: str) -> tuple[str, ...]:
    """The words of a verb, however they are joined."""
    return tuple(re.split(r"[-_. ]+", word.casefold().strip("-_. ")))


def verb_name(action: type[Action]) -> str:
    """The verb of an action: "osr.short_rest" is `short-rest`, "session.open" is `session open`."""
    if action.verb:
        return action.verb
    head, dot, tail = tag_of(action).partition(".")
    common = action in COMMON
    return (f"{head} {tail}" if dot and common else tail or head).replace("_", "-")


@cache
def verbs_of(rules: str) -> tuple[Verb, ...]:
    """Every word that begins a line under these rules, those of the rule system first; tags are verbs too."""
    found = []
    for kind in _kinds(rules):
        found.append(Verb(verb_name(kind), kind))
        found += [Verb(short, kind, sets) for short, sets in kind.shorts.items()]
    return tuple(found)


def _kinds(rules: str) -> list[type[Action]]:
    return [kind for kind in (*system_of(rules).actions, *COMMON) if kind.has_verb]


def verb_at(
    rules: str, line: Line, at: int = 0, questions: Sequence[str] = (), more: Sequence[Verb] = ()
) -> tuple[Verb | str, int]:
    """The verb, or the question, that stands at a place of a line, and the place behind it.

    A whole name wins over a prefix; `more` are verbs of this campaign alone, which are meant by their whole names only
    where nothing else is. Raises Misread: none is meant, or more than one.
    """
    if at >= len(line.words):
        first = next((each for each in verbs_of(rules) if len(each.name) == 1), verbs_of(rules)[0])
        raise Missing(f"A line begins with a verb, like {verb_name(first.kind)}; ? lists them.", (), at)
    for prefix in ("campaign", rules):  # `campaign osr damage brog 4`, as on the shell
        at += line.words[at].text == prefix and at + 1 < len(line.words) and line.words[at + 1].text != "start"
    known = verbs_of(rules)
    for count in (3, 2, 1):
        parts = tuple(part for word in line.words[at : at + count] for part in parts_of(word.text))
        if count == 1 and (question := ALSO_ASKED.get(line.words[at].text, line.words[at].text)) in questions:
            return question, at + 1
        whole = [verb for verb in known if parts in (verb.words, parts_of(tag_of(verb.kind)))]
        if whole and len(line.words) >= at + count:
            # a tag is the verb that sets nothing
            return next((verb for verb in whole if verb.words == parts), whole[0]), at + count
    own = next((verb for verb in more if letters(verb.name) == letters(line.words[at].text)), None)
    if own is not None:
        return own, at + 1
    begun = _begun(known, questions, line.words[at].text)
    if all(isinstance(each, str) for each in begun) and _called_so(known, line.words[at].text):
        begun = []  # `d` for damage, where no verb begins so, is not diff
    if len(begun) == 1:
        return begun[0], at + 1
    if begun and at + 1 < len(line.words):
        both = f"{line.words[at].text} {line.words[at + 1].text}"
        if len(closer := _begun([verb for verb in known if " " in verb.name], (), both)) == 1:
            return closer[0], at + 2
    names = [each if isinstance(each, str) else each.name for each in begun]
    word = line.words[at].text
    if begun and not _called_so(known, f"{word} {line.words[at + 1].text if at + 1 < len(line.words) else ''}"):
        raise Unclear(f"{word} may be {either(names)}.", names, at)
    if begun:
        word = f"{word} {line.words[at + 1].text}"
    meant = verbs_meant(rules, word, questions)
    hint = f"did you mean {either(meant)}?" if meant else "help lists those there are."
    raise NoVerb(f"There is no verb {word!r}; {hint}", at)


def _called_so(verbs: Iterable[Verb], word: str) -> bool:
    """Whether people call a verb so who do not know its name."""
    return any(word.casefold() in verb.kind.also_called for verb in verbs)


def verbs_meant(rules: str, word: str, questions: Iterable[str] = ()) -> list[str]:
    """What a word may mean that begins no line, each with its short name: "damage (d)". None if nothing is near.

    The verbs that people call so, else those that it is a word of, else the nearest.
    """
    from difflib import get_close_matches

    kinds = {verb_name(kind): kind for kind in _kinds(rules)}
    lowered, names = word.casefold(), [*kinds, *questions]
    found = (
        [name for name, kind in kinds.items() if kind in kinds_called(rules, lowered)]
        or [name for name in names if lowered in parts_of(name)]
        or get_close_matches(lowered, names, n=1, cutoff=0.7)
    )
    return [_with_short(name, kinds[name]) if name in kinds else name for name in found]


def kinds_called(rules: str, word: str) -> list[type[Action]]:
    """The actions that people call so who do not know their verbs."""
    # `hits` for `hit`: one of several is called as all of them are
    forms = {word, word.removesuffix("s"), word.removesuffix("ed"), word.removesuffix("ing")}
    return [kind for kind in _kinds(rules) if forms & {*kind.also_called, *kind.shorts}]


def kinds_meant(rules: str, line: Line, at: int) -> list[type[Action]]:
    """The actions that people call by the word at a place of a line."""
    return kinds_called(rules, line.words[at].text.casefold()) if at < len(line.words) else []


def _with_short(name: str, kind: type[Action]) -> str:
    short = min((word for word, sets in kind.shorts.items() if not sets), key=len, default=name)
    return f"{name} ({short})" if len(short) < len(name) else name


def _begun(verbs: Iterable[Verb], questions: Iterable[str], typed: str) -> list[Verb | str]:
    """Those that begin so, each meaning once. A log begins once, and nobody means that by a beginning of the word."""
    found: dict[Any, Verb | str] = {}
    parts = parts_of(typed)
    for verb in verbs:
        if begins(parts, verb.words) and verb.kind is not CampaignStart:
            found.setdefault(verb.means, verb)
    for question in questions:
        if begins(parts, parts_of(question)):
            found[question] = question
    return list(found.values())


def names_a_turn(text: str) -> bool:
    """Whether this, at the beginning of a line, is a turn: it is amended, or looked at."""
    return re.fullmatch(r"[Tt]\d{1,15}|@(-\d{1,15})?", text) is not None


def begins(typed: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a verb begins as it was said, each of its words perhaps cut short."""
    fits = len(typed) <= len(words) and all(word.startswith(part) for part, word in zip(typed, words, strict=False))
    return any(typed) and (fits or "".join(words).startswith("".join(typed)))
