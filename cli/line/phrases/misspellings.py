"""Slips of the hand: a line with a verb or a name that is nearly one that is known, as the line with that mended."""

from difflib import get_close_matches

from cli.line.action_roles import adds_foes
from cli.line.errors import Ambiguous
from cli.line.offers import nearest_lines, note_line, offer_of
from cli.line.phrase import LinePhrase
from cli.line.phrases.name_first import lines_with_verb_first
from cli.line.phrases.verbs_behind_names import verbs_behind_a_name
from cli.line.values import Context, title_at
from cli.line.verbs import verbs_meant, verbs_of
from cli.line.vocabulary import DEALING, DYING, GAINING, SIGN_OF, SPENDING, STRIKING, STRUCK, third_person
from cli.line.words import Line, quote, rest_of, tokenize, without_genitive, words_to_type
from domain.common.notes import Note
from domain.naming import LEAST_LETTERS, LITTLE, PRONOUNS, nearest
from domain.refusal import Unknown
from domain.registry import verb_name
from domain.system.field_schema import fields_of

#: How much a word is like what people say behind a name, from 0 to 1, where it may be that mistyped.
LIKE_A_SLIP = 0.82


def verb_behind_a_name(phrase: LinePhrase) -> Ambiguous | None:
    """`pip tkes 8 from the ogre`: the lines with that verb mended, and the note; None: it is nearly none."""
    line, at, context = phrase.line, phrase.behind_people, phrase.context
    near = _said_behind_names(line, at, context)
    if near is None:
        return None
    lines = [
        text for text in lines_with_verb_first(_mended(line, at, near), context) if text.split()[0] != verb_name(Note)
    ]
    reason = f"There is no verb {line.words[at].text!r}; did you mean {near}?"
    offer = nearest_lines(context, reason, lines)
    return nearest_lines(context, reason, [*lines, note_line(line)]) if offer.choices else None


def verb_first(phrase: LinePhrase) -> Ambiguous | None:
    """`damge pip 3`: the lines of the verbs that may be meant; None: none of them can be read."""
    line, at, context = phrase.line, phrase.at, phrase.context
    for count in (2, 1):
        text = " ".join(word.text for word in line.words[at : at + count])
        names = {verb.name for verb in verbs_of(context.system.key) if verb.name.count(" ") == count - 1}
        near = [name.partition(" (")[0] for name in verbs_meant(context.system.key, text)]
        lines = [" ".join([name, *rest_of(line, at + count)]) for name in near if name in names]
        offer = nearest_lines(context, str(phrase.no_verb), lines)
        if offer.choices:
            return offer
    return None


def name(phrase: LinePhrase) -> Ambiguous | None:
    """`d pipp 2 a spear`: the line with the name that is nearly meant; None: that is not what is wrong."""
    error, line, context = phrase.error, phrase.line, phrase.context
    if not isinstance(error, Unknown) or error.kind != "character":
        return None
    if lines := _of_others(phrase):
        return nearest_lines(context, error.reason, lines)
    near = nearest(str(error.sought), context.state.characters)
    if near is None and phrase.verb is not None and phrase.verb.kind.number_sign == "-":
        return _unknown_foe(phrase, error)
    places = (at for at in range(phrase.at, len(line.words)) if line.words[at].text == error.sought)
    at = next(places, None)
    if near is None or at is None:
        return None
    choices = nearest_lines(context, error.reason, [_mended(line, at, quote(near)).text]).choices
    return Ambiguous(f"{error.reason} Say:", error.reason, choices, at, unasked=error) if choices else None


def _unknown_foe(phrase: LinePhrase, error: Unknown) -> Ambiguous | None:
    """`d ghast 3`, where nobody is called so: the line that enrols such a foe, and the note; None: no foe can be."""
    line, context, foe = phrase.line, phrase.context, quote(str(error.sought))
    kinds = (kind for kind in context.system.actions if adds_foes(kind))
    enrolling = nearest_lines(context, "", [f"{verb_name(kind)} {foe} foe" for kind in kinds]).choices
    is_name = foe.isalpha() and len(foe) >= LEAST_LETTERS and foe.casefold() not in LITTLE | PRONOUNS
    if not enrolling or not is_name or any(word.quoted for word in line.words):
        return None
    choices = [*enrolling, *nearest_lines(context, "", [note_line(line, phrase.at)]).choices]
    return Ambiguous(f"{error.reason} Say:", error.reason, choices, phrase.at, unasked=error)


def _of_others(phrase: LinePhrase) -> list[str]:
    """`d mystic 1`: the line of the verb for those whom somebody else has on the board; none where nobody is meant."""
    line, context, verb = phrase.line, phrase.context, phrase.verb
    lines = []
    if verb is None:
        return []
    for kind in context.system.actions:
        needs = [field for field in fields_of(kind) if field.required and not field.names]
        if not needs or not verb_name(kind).endswith(f"-{verb_name(verb.kind)}") or phrase.at >= len(line.words):
            continue
        for owner in context.own():
            names = context.system.proposals(context.state, kind, needs[0].key, owner) or ()
            title = title_at(line.words, phrase.at, names)
            if title is not None:
                lines.append(" ".join([verb_name(kind), quote(owner), quote(title[0]), *rest_of(line, title[1])]))
    return lines


def name_first(phrase: LinePhrase) -> Ambiguous | None:
    """`hlda takes 5`: the line of whoever's name that nearly is, and the note; None: there is no such line."""
    line, at, context = phrase.line, phrase.at, phrase.context
    word = line.words[at]
    is_genitive = without_genitive(word.text) != word.text
    in_question = not word.quoted and not is_genitive and at + 1 < len(line.words)
    near = nearest(word.text, context.state.characters) if in_question else None
    if near is None:
        return None
    lines = lines_with_verb_first(tokenize(" ".join([quote(near), *rest_of(line, at + 1)])), context)
    return offer_of(context, f"There is no character {word.text!r}; did you mean {near}?", lines)


def _mended(line: Line, at: int, word: str) -> Line:
    """The line with another word at a place."""
    return tokenize(" ".join([*words_to_type(line, 0, at), word, *rest_of(line, at + 1)]))


def _said_behind_names(line: Line, at: int, context: Context) -> str | None:
    """What people say behind a name that a word nearly is; None: it is near nothing of it, or one of them."""
    if at >= len(line.words):
        return None
    word = line.words[at].text.casefold()
    if (
        line.words[at].quoted
        or not word.isalpha()
        or len(word) < LEAST_LETTERS
        or verbs_behind_a_name(context, line, at)[0]
    ):
        return None
    kinds = context.system.actions
    of_rules = {verb.name for verb in verbs_of(context.system.key) if verb.name.isalpha() and len(verb.name) > 1}
    nicknames = {nickname for kind in kinds for nickname in kind.synonyms if nickname.isalpha()}
    shared_forms = {*SIGN_OF, *STRIKING, *STRUCK, *DEALING, *DYING, *GAINING, *SPENDING}
    forms = shared_forms | {form for verb in of_rules | nicknames for form in (verb, third_person(verb))}
    forms |= {form_of_kind for kind in kinds for form_of_kind in kind.predicates}
    swaps = [word[:place] + word[place + 1] + word[place] + word[place + 2 :] for place in range(len(word) - 1)]
    near = [other for other in swaps if other in forms and word not in forms]  # `tkaes`
    near = near or (get_close_matches(word, forms, n=1, cutoff=LIKE_A_SLIP) if word not in forms else [])
    # a word that begins with another letter is hardly ever the same one mistyped: `wakes` is not `takes`
    return near[0] if near and near[0][0] in word[:2] else None
