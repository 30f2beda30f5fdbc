"""What is flipped in an attack, as people say it behind the attack: `ash shoots the wolf, it flips x`."""

from cli.line.errors import Ambiguous
from cli.line.phrase import LinePhrase
from cli.line.phrases.attacks import results_of_foes
from cli.line.phrases.name_first import with_verb_first
from cli.line.values import Context, number_of, people_at, without_article
from cli.line.vocabulary import FLIPPING
from cli.line.words import Line, joins, tokenize, words_between
from domain.common.notes import Note
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name


def flip_behind_an_attack(phrase: LinePhrase) -> Line | None:
    """The attack with what is flipped among its values; None: nothing is flipped in it, or nobody knows by whom.

    What the rules call a result is the foe's, and numbers are cards of somebody of ours.
    """
    line, context = phrase.line, phrase.context
    at = next((place for place, word in enumerate(phrase.bare) if word in FLIPPING), 0)
    begin = at
    while begin > 1 and not joins(line.words, begin - 1) and not line.words[begin - 1].text.endswith(","):
        begin -= 1
    if begin <= 1 or begin == at:
        return None
    first = tokenize(words_between(line, 0, begin - joins(line.words, begin - 1)).rstrip(","))
    values = phrase.bare[at + 1 :]
    who = people_at(line.words[:at], without_article(line.words[:at], begin, tuple(context.state.characters)), context)
    numbers = bool(values) and all(number_of(value) is not None for value in values)
    results = {choice for field in results_of_foes(context) for choice in field.kind.offered_choices}
    if not numbers and (who is not None or len(values) != 1 or values[0] not in results):
        return None
    attack = _attack(first, context)
    if attack is None:
        return None
    # behind the cards of whoever is attacked the rules still ask for what the foe flipped
    value = f"flipped={','.join(values)}" if numbers else values[0]
    return tokenize(f"{attack} {value}")


def _attack(line: Line, context: Context) -> str | None:
    """The line of an attack with its verb first; None: it is none."""
    try:
        attack = with_verb_first(line, context)
    except Ambiguous as error:
        lines = [choice.line for choice in error.choices if choice.line.partition(" ")[0] != verb_name(Note)]
        return min(lines, key=len, default=None)
    except (Invalid, Refusal):
        return None
    return None if attack is None else attack.text
