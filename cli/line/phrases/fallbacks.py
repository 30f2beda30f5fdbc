"""Fallbacks for a phrase without a verb of the rules: the nearest lines of them, or the line that keeps its words."""

from collections.abc import Iterator, Sequence

from cli.line.action_roles import action_of_sign, harm_of
from cli.line.errors import Ambiguous, Meaning, Misread
from cli.line.offers import TO_KEEP_IT, WHICH, nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases import misspellings
from cli.line.phrases.attacks import attacks_upon_a_foe
from cli.line.phrases.blows import NO_FOE, NO_MONSTERS, perhaps_a_blow, somebody_struck
from cli.line.phrases.deaths import latest_things
from cli.line.phrases.goods import of_somebody, of_something
from cli.line.phrases.loss_and_healing import no_healing, of_nobody
from cli.line.phrases.name_first import with_group
from cli.line.phrases.omissions import is_waited_for
from cli.line.phrases.verbs_behind_names import verbs_behind_a_name
from cli.line.values import Context, number_of, people_first, people_meant_at, somebody_meant, those_first
from cli.line.verbs import kinds_meant, systems_with, verbs_meant, verbs_of, vital_units
from cli.line.vocabulary import (
    ALL,
    APPEARING_WORDS,
    ARTICLES,
    BEING,
    DEAD,
    DETERMINERS,
    DYING,
    GOING,
    KILLING,
    LEAST_OF_A_CHOICE,
    OBJECT_PRONOUNS,
    PARTY,
    SIGN_OF,
    STOPS,
    STRIKING,
    SUBJECT_PRONOUNS,
    TRYING,
    WITH,
    bases_of,
)
from cli.line.words import Line, quote, rest_of, tokenize, word_to_type, words_between, words_to_type
from domain.common.notes import Note
from domain.common.tracking import Track
from domain.naming import key_of
from domain.registry import SYSTEMS, verb_name
from domain.system.field_schema import fields_of
from domain.system.pending import choices_in
from domain.system.rulesystem import RuleSystem
from domain.turn import Action

#: Said of what is told and is nothing of the rules.
NO_VERB = "{} has no verb for that"
#: A sentence has so many words at least.
LEAST_NARRATED = 3


def unrecorded_outcome(phrase: LinePhrase) -> Line | Ambiguous | None:
    """What somebody who is named first does that no verb is for, as the line that keeps it; None: it tells of nobody.

    Raises Refusal for what the rules keep themselves.
    """
    line_before, context = phrase.line, phrase.context
    line = with_group(line_before, context)
    last = people_first(line, context)
    if not 0 < last < len(line.words) or all(number_of(word.text) is not None for word in line.words[last:]):
        return None
    verbs, _ = verbs_behind_a_name(context, line, last)
    keepable = of_somebody(line, last, *those_first(line, last, context), context) if not verbs else []
    if not keepable and (outcomes := _outcomes(line, last, context)):
        return nearest_lines(context, WHICH, [*outcomes, note_line(line_before)])
    offer = _to_keep(context, NO_VERB.format(context.system.key), keepable or [note_line(line_before)])
    # what the rules take for it may still lack its reason, which is asked for
    return offer if offer.choices or not keepable else tokenize(keepable[0])


def _outcomes(line: Line, last: int, context: Context) -> list[str]:
    """The lines of what the word behind a name tells of: `mirko sprains his ankle`, with its words as the remark."""
    whom, words = words_between(line, 0, last), [word.text.casefold().strip(f"{STOPS}!") for word in line.words[last:]]
    phrase_of_it = " ".join(word for word in words[words[0] in BEING :] if word not in DETERMINERS)
    lines = list(_attempts(line, last, context))
    for kind in context.system.actions:
        word = next((word for word in (words[0], phrase_of_it) if word in kind.predicates), None)
        if word is not None and not any(text.startswith(f"{verb_name(kind)} ") for text in lines):
            sets = [f"{name}={value}" for name, value in kind.predicates[word].items()]
            beginning = [verb_name(kind), whom, *sets]
            if not any(field.remark for field in fields_of(kind)) and not kind.only_when_pending:
                lines.append(" ".join(beginning))
            elif not kind.only_when_pending:
                lines.append(" ".join([*beginning, *rest_of(line, last)]))
            elif is_waited_for(kind, whom, context):  # and has no place for more words
                lines.append(" ".join(beginning))
    return lines


def _attempts(line: Line, last: int, context: Context) -> Iterator[str]:
    """The lines of what somebody puts to the test, with the words as what it is: `ash sneaks past the guard with dex`.

    Where no word says with what, `ash tries to climb`, they are those of each.
    """
    words = [word.text.casefold().strip(STOPS) for word in line.words]
    for kind in context.system.actions:
        fields = fields_of(kind)
        needs = [field for field in fields if field.required]
        is_test = len(needs) == 2 and needs[0].names == "character" and needs[1].kind.shape == "choice"
        if not is_test or not any(field.remark for field in fields):
            continue
        choices = needs[1].kind.offered_choices
        fields_with_names = [
            (choice, at)
            for at in range(last + 1, len(words))
            for choice in choices
            if len(words[at]) >= LEAST_OF_A_CHOICE and choice.startswith(words[at])
        ]
        begins = [verb_name(kind), words_between(line, 0, last)]
        for choice, at in fields_with_names[:1]:
            leads = at - 1 > last and words[at - 1] in (*WITH, "on", "by", "for")
            before, stop = words_to_type(line, last, at - leads), line.words[at].text.endswith(",")
            before[-1] = before[-1].removesuffix(",")
            if stop and at + 1 < len(line.words):
                before[-1] += ","  # what it ends goes on
            yield " ".join([*begins, choice, *before, *rest_of(line, at + 1)])
        if not fields_with_names and words[last] in TRYING:
            yield from (" ".join([*begins, choice, *rest_of(line, last + 1)]) for choice in choices)
        return  # what comes first is the plainest test


def fallback(phrase: LinePhrase) -> Misread:
    """What a phrase wishes for whose first word is no verb: the lines that are nearest to it, where they can be read.

    Where there are none, the line that keeps it. Raises Refusal for what the rules keep themselves.
    """
    line, at, context, error = phrase.line, phrase.at, phrase.context, phrase.no_verb
    assert error is not None
    kinds, beyond = kinds_meant(context.system.key, line, at)
    lines = [" ".join([verb_name(kind), *_of_the_verb(kind, line, beyond)]) for kind in _open_first(kinds, context)]
    if (refusal := _healing_by_nothing(line, at, context)) is not None:
        return refusal
    of_rules = [kind for kind in kinds if kind in context.system.actions] if beyond == len(line.words) else []
    everybody = [f"{verb_name(kind)} {ALL[0]}" for kind in of_rules]
    for nearest in (nearest_lines(context, error.reason, lines), nearest_lines(context, error.reason, everybody)):
        if nearest.choices:
            return nearest
    if (question := of_nobody(line, context)) is not None:
        return question
    behind = "".join(word.text for word in line.words[at + 1 : at + 2])
    is_word = behind.isalpha() and not somebody_meant(line.words, at + 1, context)
    is_narration = line.words[at].text.casefold() in ARTICLES  # `the wolf runs away` is no attack upon it
    if is_word and not is_narration and (attacks := attacks_upon_a_foe(line, at + 1, context)):
        return nearest_lines(context, "Who attacks?", [*attacks, note_line(line, at)])
    if is_word and any(kind.number_sign == "-" for kind in kinds):
        return nearest_lines(context, NO_FOE.format(context.system.key), [note_line(line, at)], TO_KEEP_IT)
    for offer in (misspellings.name_first(phrase), misspellings.verb_first(phrase)):
        if offer is not None:
            return offer
    strikes = next((place for place, other_word in enumerate(phrase.bare) if place and other_word in STRIKING), None)
    if strikes is not None:
        whom = somebody_struck(line, strikes, context, note_line(line, at))
        if whom is not None:
            return whom
    if (monster := of_a_monster(phrase)) is not None:
        return monster
    return _offer_to_keep(phrase, error, is_word=is_word)


def _healing_by_nothing(line: Line, at: int, context: Context) -> Misread | None:
    """What is said of points that somebody gets back, where the rules have no verb for it; None: nobody does."""
    has_healing = action_of_sign(context, "+") is not None
    if has_healing or SIGN_OF.get(line.words[at].text.casefold()) != "+":
        return None
    people = people_meant_at(line.words, at + 1, context)
    points = number_of(line.words[people[1]].text) if people is not None and people[1] < len(line.words) else None
    if people is None or points is None:
        return None
    return no_healing(context, words_between(line, at + 1, people[1]), points)


def _offer_to_keep(phrase: LinePhrase, error: Misread, *, is_word: bool) -> Misread:
    """The lines that keep a phrase without a verb of the rules; the error itself where it is a slip, or no phrase.

    `is_word`: a word that names nobody stands behind the first.
    """
    line, at, context = phrase.line, phrase.at, phrase.context
    behind = "".join(word.text for word in line.words[at + 1 : at + 2])
    word = line.words[at].text
    counts = number_of(word) is not None and behind.isalpha()
    slips = error.reason.endswith("?") and verbs_meant(context.system.key, word)
    if slips or len(line.words) < at + 2 or not (word[:1].isalpha() or counts) or systems_with(word) or word in SYSTEMS:
        return error
    blow = perhaps_a_blow(line, context)
    keepable = of_something(line, at, context) or (blow and [*blow, note_line(line, at)])
    narrates = is_word and not keepable
    reason = NO_VERB.format(context.system.key) if narrates else error.reason
    return _to_keep(context, reason, keepable or [note_line(line, at)])


def of_a_monster(phrase: LinePhrase) -> Ambiguous | None:
    """`guard 1 has 5 hp`, `a guard dies`: that no monsters are kept, with the kill and the note; None: it is none."""
    if not _tells_of_a_monster(phrase):
        return None
    kills, note = _kills(phrase), note_line(phrase.line)
    if kills:
        return nearest_lines(phrase.context, "Is it a kill?", [*kills, note])
    return nearest_lines(phrase.context, NO_MONSTERS, [note], TO_KEEP_IT)


def _tells_of_a_monster(phrase: LinePhrase) -> bool:
    """Whether it tells or asks of the points, wounds, coming or end of somebody under rules that keep no foes."""
    line, context, words = phrase.line, phrase.context, phrase.bare
    system, harm = context.system, harm_of(context)
    fields = [field for kind in system.actions for field in fields_of(kind)]
    keeps_foes = type(system).is_foe is not RuleSystem.is_foe or any(field.added_by for field in fields)
    if harm is None or keeps_foes or words[0] in SIGN_OF:
        return False
    if len(words) < 2 or any(somebody_meant(line.words, at, context) for at in range(len(words))):
        return False
    units = {word for unit in vital_units(system, harm) for word in unit.split()} | {"hit", "health", "dead"}
    loses = any(word in SIGN_OF and number_of(words[at + 1]) is not None for at, word in enumerate(words[:-1]))
    choices = {key_of(name) for field in fields for name in field.kind.offered_choices}
    suffers = words[-2] in BEING and not choices.isdisjoint(bases_of(words[-1]))
    comes = words[0] in ARTICLES and not APPEARING_WORDS.isdisjoint(words[2:])
    return loses or suffers or comes or bool(units & set(words[1:])) or words[-1] in DYING | DEAD


def _kills(phrase: LinePhrase) -> list[str]:
    """The line of whoever's turn it is that counts a kill, of a monster that is dead: `guard 1 dies`."""
    words, name = phrase.bare, phrase.context.system.whose_turn(phrase.context.state)
    last = len(words) - 1 - (words[-2] in BEING | GOING)
    if name is None or not last or words[-1] not in DYING | DEAD:
        return []
    kinds = [kind for kind in phrase.context.system.actions if verb_name(kind) in KILLING]
    is_it = " ".join(words[:last]).removesuffix(" one") in OBJECT_PRONOUNS | SUBJECT_PRONOUNS
    killed = latest_things(phrase.context) if is_it else [words_between(phrase.line, 0, last)]
    return [f"{verb_name(kind)} {quote(name)} {thing}" for kind in kinds for thing in killed]


def _open_first(kinds: Sequence[type[Action]], context: Context) -> list[type[Action]]:
    """Actions that a word may mean, those first which the rules wait for from the table now."""
    pending = context.system.pending_for_table(context.state)
    expected = {choice.action for choice in choices_in(pending)}
    return sorted(kinds, key=lambda kind: kind not in expected)


def _of_the_verb(kind: type[Action], line: Line, at: int) -> list[str]:
    """The words from a place on; without numbers, where an action has no fields: `round 2`."""
    keeps = bool(fields_of(kind))
    places = range(at, len(line.words))
    return [word_to_type(line, place) for place in places if keeps or number_of(line.words[place].text) is None]


def narration(phrase: LinePhrase) -> Ambiguous | None:
    """What is told in a sentence that begins with a little word, as the note that keeps it; None: it is a verb's line.

    `in the crypt there is a chest`: a little word may begin a verb, and is hardly ever meant as one.
    """
    line, word = phrase.line, phrase.bare[0]
    is_verb = any(word == verb.name for verb in verbs_of(phrase.context.system.key))
    if is_verb or len(line.words) < LEAST_NARRATED:
        return None
    return _to_keep(phrase.context, NO_VERB.format(phrase.context.system.key), [note_line(line)])


def _to_keep(context: Context, reason: str, lines: Sequence[str]) -> Ambiguous:
    """The lines that keep what the rules do not, with the reason; or those of the rules, which need none."""
    beside = (verb_name(Track), verb_name(Note))
    if all(text.partition(" ")[0] in beside for text in lines):
        offer = nearest_lines(context, reason, lines, TO_KEEP_IT)
        return offer.only([_as_share(choice) for choice in offer.choices]) if len(offer.choices) > 1 else offer
    return nearest_lines(context, WHICH, lines)


def _as_share(choice: Meaning) -> Meaning:
    """A line that keeps a number, with whose it is: each one's, or one for the whole table."""
    verb, whose, *_ = choice.line.split()
    if verb != verb_name(Track):
        return choice
    share = "for each of you" if whose in (*ALL, *PARTY) else "for the whole table"
    return Meaning(f"{choice.line} ({share})", choice.line)
