"""The verbs that people say behind a name: `brog rests`, `bram levels up`, `ysa takes a short rest`."""

from collections.abc import Sequence

from cli.line.values import Context
from cli.line.verbs import Verb, kinds_meant, verbs_of
from cli.line.vocabulary import ARTICLES, DETERMINERS, GAINING, OWNING, SPENDING, STOPS, TAKING, bases_of
from cli.line.words import Line
from domain.registry import verb_name

#: The first word of a verb means it behind a name where it has so many letters: `bram levels`, and not `bram dies`.
LEAST_OF_A_VERB = 5
#: Verbs of so many words are looked for behind a name.
LONGEST_VERB = 3


def verbs_behind_a_name(context: Context, line: Line, at: int) -> tuple[list[Verb], int]:
    """The verbs that may be meant behind a name, and the place behind them; none: the next place.

    They are said by their own words, `wren flips`, or by what people call them; by the first word alone where several
    begin with it, `bram levels`. `takes` and an article may stand before them.
    """
    words = [word.text.casefold().rstrip(STOPS) for word in line.words]
    verbs = verbs_of(context.system.key)
    starts = [at]
    if words[at] in TAKING and at + 1 < len(words):
        starts.append(at + 1 + (words[at + 1] in ARTICLES and at + 2 < len(words)))
    for start in starts:
        if (own := _by_their_own_words(verbs, words, start)) is not None:
            return own
        kinds, behind = kinds_meant(context.system.key, line, start)
        if kinds:
            return [Verb(verb_name(kind), kind) for kind in kinds], behind
    return _by_their_first_word(verbs, words[at]), at + 1


def _by_their_own_words(verbs: Sequence[Verb], words: Sequence[str], start: int) -> tuple[list[Verb], int] | None:
    """The verbs whose words, or forms of them, stand at a place, and the place behind them; None: there are none."""
    places = [place for place in range(start, len(words)) if words[place] not in DETERMINERS]
    for count in range(min(LONGEST_VERB, len(places)), 1, -1):
        forms = [bases_of(words[place]) for place in places[:count]]
        for verb in verbs:
            if len(verb.words) == count and all(a in b for a, b in zip(verb.words, forms, strict=True)):
                return [verb, *_ending_with(verb, verbs)], places[count - 1] + 1
    for form in bases_of(words[start]):
        for verb in verbs:
            if verb.name == form and len(form) > 1:
                return [verb], start + 1
    return None


def _by_their_first_word(verbs: Sequence[Verb], word: str) -> list[Verb]:
    """The verbs of several words that begin with one word, each action once; [] for a word that may be another's."""
    if len(word) < LEAST_OF_A_VERB or word in GAINING | SPENDING | OWNING:
        return []
    bases = bases_of(word)
    by_kind = {verb.kind: verb for verb in reversed(verbs) if len(verb.words) > 1 and verb.words[0] in bases}
    return list(by_kind.values())


def _ending_with(verb: Verb, verbs: Sequence[Verb]) -> list[Verb]:
    """The verbs that end with the words of another: `declare-long-rest` with those of `long-rest`."""
    count = len(verb.words)
    return [other for other in verbs if len(other.words) > count and other.words[-count:] == verb.words]
