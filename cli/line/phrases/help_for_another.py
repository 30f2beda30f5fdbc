"""Lines about one person who does something for another: `agnes rallies old tom`, where Tom is whom the verb names."""

from collections.abc import Sequence

from cli.line.grammar import Grammar
from cli.line.offers import TO_KEEP_IT, can_be_read, nearest_lines, note_line
from cli.line.phrases.loss_and_healing import no_healing
from cli.line.search import read_from_verb
from cli.line.values import Context, number_of, people_at, somebody_meant, those_first
from cli.line.verbs import Verb
from cli.line.vocabulary import SIGN_OF, bases_of
from cli.line.words import Line, rest_of, tokenize, without_genitive, words_between, words_to_type
from domain.common import ACTIONS as COMMON
from domain.naming import same_letters


def for_another(line: Line, last: int, behind: int, verbs: Sequence[Verb], context: Context) -> Line | None:
    """`agnes rallies old tom`, where whoever the verb names is the other one, and not who does it; None: it is not so.

    Raises Ambiguous with the line of the other one alone, where the rules have no place for who does it.
    """
    line = _without_genitive(line, behind, context)
    if not somebody_meant(line.words, behind, context):
        return None
    people, (who, names) = people_at(line.words, behind, context), those_first(line, last, context)
    if people is None or not people[0] or set(people[0]) & set(names):
        return None
    target, rest = words_between(line, behind, people[1]), rest_of(line, people[1])
    lines = []
    for verb in verbs:
        grammar = Grammar(context, verb)
        if grammar.who is None or grammar.names_another:
            continue
        whole = tokenize(" ".join([verb.name, *words_to_type(line, 0, last), target, *rest]))
        result = read_from_verb(context, verb, whole)
        words = result.best.words
        as_words = words is not None and words.start == len(verb.name.split()) + last
        if result.whole and set(result.best.names) <= set(names) and (not as_words or verb.kind in COMMON):
            continue  # it is a value, or the beginning of a reason
        number = number_of(line.words[people[1]].text) if people[1] < len(line.words) else None
        if verb.kind.number_sign and grammar.remark is not None and number is not None:
            return tokenize(" ".join([verb.name, target, str(number), who, *rest_of(line, people[1] + 1)]))
        whole_line = tokenize(" ".join([verb.name, target, *rest]))
        lines.append(whole_line.text if can_be_read(context, whole_line) else f"{verb.name} {target}")
    if not lines:
        return None
    reason = f"{verbs[0].name} names who it is for, not who does it"
    word = line.words[last].text.casefold()
    if SIGN_OF.get(word) == "+" and verbs[0].name not in bases_of(word):
        numbers_behind = (number_of(word.text) for word in line.words[people[1] :] if not word.quoted)
        numbers = [number for number in numbers_behind if number is not None]
        points = numbers[0] if len(numbers) == 1 else None
        raise no_healing(context, target, points, f"{who} heals", lines if points is None else ())
    offer = nearest_lines(context, reason, lines)
    raise offer if offer.choices else nearest_lines(context, reason, [note_line(line)], TO_KEEP_IT)


def _without_genitive(line: Line, at: int, context: Context) -> Line:
    """The line with somebody's name in the place of a genitive: `treats pip's leg` as `treats pip leg`."""
    word = line.words[at].text if at < len(line.words) and not line.words[at].quoted else ""
    name = without_genitive(word)
    if name == word or same_letters(name, context.state.characters) is None:
        return line
    return tokenize(" ".join([*words_to_type(line, 0, at), name, *rest_of(line, at + 1)]))
