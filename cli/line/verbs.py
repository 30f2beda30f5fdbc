"""The verbs that a line may begin with: names, short names and nicknames of actions, and how one is found."""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any

from msgspec import Struct

from cli.line.errors import Missing, NoVerb, Unclear
from cli.line.vocabulary import POINTS, SUBJECT_PRONOUNS, bases_of, singular
from cli.line.words import Line
from domain.common import ACTIONS as COMMON
from domain.common.start import CampaignStart
from domain.naming import letters
from domain.registry import SYSTEMS, system_of, tag_of, verb_name
from domain.system.rulesystem import RuleSystem
from domain.system.type_descriptions import either
from domain.turn import Action

#: A nickname has so many words at most: `pick up`.
LONGEST_NICKNAME = 2
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
        return first if not self.sets else f"{first} {', '.join(f'{key} {value}' for key, value in self.sets.items())}"

    @property
    def means(self) -> tuple[type[Action], tuple[tuple[str, Any], ...]]:
        """Equal for two words with the same meaning."""
        return self.kind, tuple(self.sets.items())


@lru_cache(maxsize=4096)
def parts_of(word: str) -> tuple[str, ...]:
    """The words of a verb, joined by spaces, hyphens, underscores or full stops; without a colon behind them."""
    return tuple(re.split(r"[-_. ]+", word.casefold().strip("-_. ").rstrip(":")))


@cache
def verbs_of(rules: str) -> tuple[Verb, ...]:
    """All verbs under these rules, those of the rule system first."""
    verbs = []
    for kind in _kinds(rules):
        verbs.append(Verb(verb_name(kind), kind))
        verbs += [Verb(short, kind, sets) for short, sets in kind.shorts.items()]
    return tuple(verbs)


@cache
def _verbs_by_words(rules: str) -> Mapping[tuple[str, ...], Verb]:
    """The verbs by the words of their full names and of the tags of their actions; a name wins over a tag."""
    verbs: dict[tuple[str, ...], Verb] = {}
    for verb in verbs_of(rules):
        verbs.setdefault(verb.words, verb)
    for verb in verbs_of(rules):  # of several with the same tag, the first one sets no fields
        verbs.setdefault(parts_of(tag_of(verb.kind)), verb)
    return verbs


def _kinds(rules: str) -> list[type[Action]]:
    return [kind for kind in (*system_of(rules).actions, *COMMON) if kind.has_verb]


def verb_at(
    rules: str,
    line: Line,
    at: int = 0,
    questions: Sequence[str] = (),
    more: Callable[[], Iterable[Verb]] = tuple,
) -> tuple[Verb | str, int]:
    """The verb or the question at a place of a line, and the place behind it.

    A full name wins over a beginning. `more` gives the verbs of this campaign alone, which need their full names and
    lose against all others. Raises Misread if there is none, or more than one.
    """
    if at >= len(line.words):
        first = next((verb for verb in verbs_of(rules) if len(verb.name) == 1), verbs_of(rules)[0])
        raise Missing(f"A line begins with a verb, like {verb_name(first.kind)}; ? lists them.", (), at)
    for prefix in ("campaign", rules):  # a line copied from the shell: `campaign osr damage brog 4`
        at += line.words[at].text == prefix and at + 1 < len(line.words) and line.words[at + 1].text != "start"
    verbs = verbs_of(rules)
    both = " ".join(word.text for word in line.words[at : at + LONGEST_NICKNAME])
    for count in (3, 2, 1):
        parts = tuple(part for word in line.words[at : at + count] for part in parts_of(word.text))
        if count == 1 and " " in both and _is_nickname(verbs, both):
            # `end round` is no end of the turn of anybody called Round
            raise _no_verb(rules, both, questions, at)
        if count == 1 and (question := ALSO_ASKED.get(line.words[at].text, line.words[at].text)) in questions:
            return question, at + 1
        whole = _verbs_by_words(rules).get(parts)
        if whole is not None and len(line.words) >= at + count:
            return whole, at + count
    own = next((verb for verb in more() if letters(verb.name) == letters(line.words[at].text)), None)
    if own is not None:
        return own, at + 1
    matches = _beginning_with(verbs, questions, line.words[at].text)
    if line.words[at].text.casefold() in SUBJECT_PRONOUNS and at + 1 < len(line.words):
        matches = []  # `he takes 3` asks for no help
    if all(isinstance(verb, str) for verb in matches) and _is_nickname(verbs, line.words[at].text):
        matches = []  # `d` for damage, where no verb begins so, is not diff
    if len(matches) == 1:
        return matches[0], at + 1
    closer = _beginning_with([verb for verb in verbs if " " in verb.name], (), both) if matches and " " in both else []
    if len(closer) == 1:
        return closer[0], at + 2
    if (near := _near_verb(verbs, line, at)) is not None:
        raise NoVerb(f"There is no verb {near[0]!r}; did you mean {near[1]}?", at)
    names = [verb if isinstance(verb, str) else verb.name for verb in matches]
    word = line.words[at].text
    if matches:
        raise Unclear(f"{word} may be {either(names)}.", names, at)
    raise _no_verb(rules, word, questions, at)


def _no_verb(rules: str, word: str, questions: Sequence[str], at: int) -> NoVerb:
    """That a word, or two, are no verb, with those that they may stand for."""
    near = verbs_meant(rules, word, questions)
    hint = f"did you mean {either(near)}?" if near else "help lists the verbs."
    return NoVerb(f"There is no verb {word!r}; {hint}", at)


def _near_verb(verbs: Iterable[Verb], line: Line, at: int) -> tuple[str, str] | None:
    """The two words at a place, and the verb of two words that they are nearly: `sesion close`; None: there is none."""
    from difflib import get_close_matches

    two = " ".join(word.text.casefold() for word in line.words[at : at + 2])
    near = get_close_matches(two, [verb.name for verb in verbs if " " in verb.name], n=1, cutoff=0.85)
    return (two, near[0]) if near else None


def _is_nickname(verbs: Iterable[Verb], word: str) -> bool:
    """Whether a word is a nickname of one of these verbs."""
    return any(word.casefold() in verb.kind.synonyms for verb in verbs)


def verbs_meant(rules: str, word: str, questions: Iterable[str] = ()) -> list[str]:
    """The verbs that an unknown word may stand for, with their short names: "damage (d)"; [] if none is near.

    Those with this nickname, else those that contain the word, else the most similar one, else those of which one word
    is similar.
    """
    from difflib import get_close_matches

    # nobody types the start of a campaign
    kinds = {verb_name(kind): kind for kind in _kinds(rules) if kind is not CampaignStart}
    typing, names = word.casefold(), [*kinds, *questions]
    by_name = (
        [name for name, kind in kinds.items() if kind in kinds_called(rules, *typing.split(" "))]
        or [name for name in names if typing in parts_of(name)]
        or get_close_matches(typing, names, n=1, cutoff=0.7)
        or [name for name in names if get_close_matches(typing, parts_of(name), n=1, cutoff=0.85)]
    )
    return [_with_short(name, kinds[name]) if name in kinds else name for name in by_name]


def kinds_called(rules: str, word: str, *more: str) -> list[type[Action]]:
    """The actions with these words, or an inflected form of the first, among their nicknames and short names."""
    forms = {" ".join((first, *more)) for first in bases_of(word)}
    return [kind for kind in _kinds(rules) if forms & {*kind.synonyms, *kind.shorts}]


def systems_with(verb: str) -> list[str]:
    """The rule systems that have a verb of this name."""
    return [system for system in SYSTEMS if verb in map(verb_name, system_of(system).actions)]


def kinds_meant(rules: str, line: Line, at: int) -> tuple[list[type[Action]], int]:
    """The actions with the words at a place of a line as a nickname, and the place behind it; none: the next place."""
    for count in (LONGEST_NICKNAME, 1):
        words = [word.text.casefold().rstrip(",.;!") for word in line.words[at : at + count]]
        if len(words) == count and (kinds := kinds_called(rules, *words)):
            return kinds, at + count
    return [], at + 1


def _with_short(name: str, kind: type[Action]) -> str:
    short = min((word for word, sets in kind.shorts.items() if not sets), key=len, default=name)
    return f"{name} ({short})" if len(short) < len(name) else name


def _beginning_with(verbs: Iterable[Verb], questions: Iterable[str], beginning: str) -> list[Verb | str]:
    """The verbs and questions that begin with a word, each meaning once; never the start of a campaign."""
    meanings: dict[Any, Verb | str] = {}
    parts = parts_of(beginning)
    for verb in verbs:
        if begins(parts, verb.words) and verb.kind is not CampaignStart:
            meanings.setdefault(verb.means, verb)
    for question in questions:
        if begins(parts, parts_of(question)):
            meanings[question] = question
    return list(meanings.values())


def vital_units(system: RuleSystem, kind: type[Action]) -> set[str]:
    """What is counted where somebody loses or gets back what keeps them alive: hp, hit points, damage."""
    field, unit = (text.casefold() for text in system.vital)
    return {field, unit, singular(unit), verb_name(kind), *kind.synonyms, *POINTS}


def names_a_turn(text: str) -> bool:
    """Whether a word at the beginning of a line is a turn, to be amended or shown."""
    return re.fullmatch(r"[Tt]\d{1,15}|@(-\d{1,15})?", text) is not None


def begins(typing: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether typed words are a beginning of a verb's words, each of which may be shortened."""
    fits = len(typing) <= len(words) and all(word.startswith(part) for part, word in zip(typing, words, strict=False))
    return any(typing) and (fits or "".join(words).startswith("".join(typing)))
