"""Lines that leave out what everybody at the table knows: who does it, or what is done with what the rules wait for.

`he draws`, `plays trample and spare dagger`, `we won`: each is offered as the whole line that it may be, and never done
as it is. What one attack waits for is read at once: `x2`.
"""

import re
from collections.abc import Iterator

from cli.line.clause import AS_TYPED
from cli.line.errors import Ambiguous, Misread, Missing
from cli.line.grammar import Grammar
from cli.line.offers import WHICH, offer_of
from cli.line.phrase import LinePhrase
from cli.line.phrases.goods import lines_of_the_rules
from cli.line.phrases.name_first import lines_with_verb_first, verb_first
from cli.line.phrases.verbs_behind_names import verbs_behind_a_name
from cli.line.search import read_from_verb
from cli.line.values import Context, number_of, people_at, people_first, somebody_meant, title_at
from cli.line.verbs import Verb, kinds_called, kinds_meant, verbs_of
from cli.line.vocabulary import (
    AROUND_A_HAND,
    DETERMINERS,
    FIRST_PERSON,
    FOR,
    HAND,
    NUMBER_WORDS,
    ONE,
    SIGN_OF,
    SUBJECT_PRONOUNS,
)
from cli.line.words import Line, quote, rest_of, tokenize, without_genitive, word_to_type, words_between, words_to_type
from domain.naming import find_name, key_of
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.system.pending import choices_in
from domain.system.type_descriptions import either
from domain.turn import Action

#: So many of the latest turns are searched for whoever did something last.
TURNS_SEARCHED = 50
#: The question that shows everybody.
STATUS = "status"


def verbs_of_phrase(line: Line, context: Context) -> tuple[list[Verb], int, int]:
    """The verbs that a line may mean which begins with no verb, the place behind whoever does it, and that behind them.

    Raises Misread for a player who plays several.
    """
    pronoun = len(line.words) > 1 and line.words[0].text.casefold() in SUBJECT_PRONOUNS
    last = 1 if pronoun else people_first(line, context)
    if not last:
        kinds, behind = kinds_meant(context.system.key, line, 0)
        return [Verb(verb_name(kind), kind) for kind in kinds], 0, behind
    verbs, behind = verbs_behind_a_name(context, line, last) if last < len(line.words) else ([], last)
    return verbs, last, behind


def everybody_asked_for(phrase: LinePhrase) -> Line | None:
    """`who is down`: the line that shows everybody's state; None: that is not answered here."""
    return tokenize(STATUS) if STATUS in phrase.questions else None


def sheet_asked_for(phrase: LinePhrase) -> Line | None:
    """`my hand`, `Brann's cards`: the line that shows the sheet of whoever has them; None: it asks for nothing.

    Raises Misread where it may be anybody's: nobody's cards are shown to all before they are asked for.
    """
    context, names = phrase.context, list[str]()
    if STATUS not in phrase.questions or not HAND & set(phrase.bare):
        return None
    for word in phrase.bare:
        if word in HAND | AROUND_A_HAND:
            continue
        people = people_at(tokenize(without_genitive(word)).words, 0, context)
        if people is None:
            return None
        names += people[0]
    # whoever looks as one player or as the table need not be the one whose turn it is
    turn = context.system.whose_turn(context.state) if context.keeps is None else None
    owners = names or ([turn] if turn in context.own() else [name for name in context.own() if name in context.party()])
    if len(owners) != 1:
        raise Misread(f"Whose? Say {either([f'{STATUS} {quote(name)}' for name in owners])}.", 0)
    return tokenize(f"{STATUS} {quote(owners[0])}")


def somebody_asked_for(phrase: LinePhrase) -> Line | None:
    """`how many hit points has brog`: the line that shows their sheet; None: it asks about nobody, or several."""
    line, context = phrase.line, phrase.context
    places = [at for at in range(1, len(line.words)) if somebody_meant(line.words, at, context)]
    names = {name for at in places for name in (people_at(line.words, at, context) or ((), at))[0]}
    return tokenize(f"show {quote(names.pop())}") if len(names) == 1 and STATUS in phrase.questions else None


def doer(phrase: LinePhrase) -> Ambiguous | None:
    """`he draws` as a line of whoever's turn it is, or of who did something last; None: there is nobody."""
    line, context = phrase.line, phrase.context
    if len(line.words) < 2:
        return None
    turn = context.system.whose_turn(context.state)
    lines: list[str] = []
    for name in dict.fromkeys(name for name in (turn, _last_doer(context)) if name is not None):
        whole = tokenize(" ".join([quote(name), *rest_of(line, 1)]))
        lines += lines_with_verb_first(whole, context) if name in context.own() else ()
    who = line.words[0].text
    return offer_of(context, WHICH if who.casefold() in FIRST_PERSON else f"Who is {who}?", lines)


def speaker(phrase: LinePhrase) -> Line | Ambiguous | None:
    """`I attack guard 1 for 3` as a line of whoever's turn it is; None: `i` uses an item that they have."""
    context, turn = phrase.context, phrase.context.system.whose_turn(phrase.context.state)
    assert phrase.verb is not None
    grammar = Grammar(context, phrase.verb)
    items = [context.system.proposals(context.state, phrase.verb.kind, key, turn) or () for key in grammar.fields]
    is_item = any(title_at(phrase.line.words, phrase.at, names) is not None for names in items)
    if is_item or turn not in context.own() or somebody_meant(phrase.line.words, phrase.at, context):
        return None
    line = tokenize(f"{quote(turn)} {' '.join(rest_of(phrase.line, phrase.at)).removeprefix('am ')}")
    return doer(phrase) or (line if verb_first(line, context) is not None else None)


def doer_in_turn(phrase: LinePhrase) -> Line | None:
    """`loots a coin`, `attacks guard 1 for 3` as lines of whoever's turn it is; None: it says nothing that they do."""
    line, context, does = phrase.line, phrase.context, phrase.bare[0]
    name = context.system.whose_turn(context.state)
    names_somebody = any(somebody_meant(line.words, at, context) for at in range(len(line.words)))
    if name not in context.own() or names_somebody or does in SIGN_OF or not does.endswith("s"):
        return None
    with_verb = verb_first(tokenize(" ".join([quote(name), *rest_of(line, 0)])), context)
    if with_verb is not None or len(line.words) > 1:
        return with_verb
    # what there is no place for now is said by the rules: `misses` without an attack
    kinds = (kind for kind in context.system.actions if kind.only_when_pending and does in kind.predicates)
    sets = ([verb_name(kind), quote(name), *map("=".join, kind.predicates[does].items())] for kind in kinds)
    return next((tokenize(" ".join(words)) for words in sets), None)


def coins_in_turn(phrase: LinePhrase) -> Ambiguous | None:
    """`picked up two coins` in somebody's turn as the line of the rules; None: it counts nothing that they do."""
    context, bare = phrase.context, phrase.bare
    for at, word in enumerate(bare[1:-1], 1):
        number = NUMBER_WORDS.get(word) or number_of(word)
        lines = lines_of_the_rules(phrase.line, 0, "", number, bare[at + 1], context) if number else []
        if lines:
            return offer_of(context, WHICH, lines)
    return None


def _last_doer(context: Context) -> str | None:
    """Whom the latest turn about anybody is about, as far as those who type may know it."""
    last, keeps = context.log.last(), context.keeps
    for turn in reversed(list(context.log.read(after=max(0, last - TURNS_SEARCHED), upto=last))):
        who = next((field for field in fields_of(type(turn.action)) if field.names == "character"), None)
        name = getattr(turn.action, who.name) if who is not None else None
        if isinstance(name, str) and not (keeps is not None and keeps(turn)):
            try:
                return find_name(name, context.state.characters)
            except Refusal:
                return None  # whoever it was is not enrolled any more
    return None


def value_alone(phrase: LinePhrase) -> Line | Ambiguous | None:
    """`x2`, `we won`: what a field of one action is called, as the line of that action; None: it is nothing of it.

    It is offered, but for that of the one from whom the rules wait for it.
    """
    text, context = phrase.alone, phrase.context
    lines_of = [
        (who, " ".join([verb_name(kind), *who, alone.groupdict().get("value", text)]))
        for kind in context.system.actions
        for field in fields_of(kind)
        if field.said_alone and (alone := re.fullmatch(field.said_alone, text, re.IGNORECASE))
        for who in _whose(kind, context)
    ]
    if len(lines_of) == 1 and lines_of[0][0]:
        return tokenize(lines_of[0][1])
    return offer_of(context, WHICH, [line for _, line in lines_of])


def _whose(kind: type[Action], context: Context) -> Iterator[list[str]]:
    """Those from whom the rules wait for an action, as words of its line; one empty run for one about nobody."""
    if Grammar(context, Verb(verb_name(kind), kind)).who is None:
        yield []
        return
    for name in context.own():
        if is_waited_for(kind, name, context):
            yield [quote(name)]


def is_waited_for(kind: type[Action], name: str, context: Context) -> bool:
    """Whether the rules wait for this action from somebody."""
    own = next((name_there for name_there in context.own() if key_of(name_there) == key_of(name.strip('"'))), None)
    pending = context.system.pending_for(context.state, own) if own is not None else ()
    return any(choice.action is kind for choice in choices_in(pending))


def one_of_something(phrase: LinePhrase) -> Ambiguous | None:
    """`loot a coin`: the line with 1 in the place of the article where a number is missing; None: there is none."""
    line, error = phrase.line, phrase.error
    if not isinstance(error, Missing) or error.at is None or [field.kind.shape for field in error.fields] != ["number"]:
        return None
    if phrase.bare[error.at : error.at + 1] == () or phrase.bare[error.at] not in ONE:
        return None
    if any(number_of(word.text) is not None for word in line.words[error.at :]):
        return None  # that is the number, and the article begins words: `d brog a ghoul 4`
    words = words_to_type(line, 0, error.at)
    return offer_of(phrase.context, WHICH, [" ".join([*words, "1", *rest_of(line, error.at + 1)])])


def verb_in_other_words(phrase: LinePhrase) -> Line | Ambiguous | None:
    """`end of round`, `the round ends`, `end Brann turn`: a verb with little words or somebody in it; None: it is none.

    A verb of the whole table, which takes nothing more, is read as it is: the rules say why it cannot be yet.
    """
    line, context, rules = phrase.line, phrase.context, phrase.context.system.key
    own = {key_of(name): name for name in context.own()}
    bare = tuple(without_genitive(word) for word in phrase.bare)
    bare = (*bare[:-2], "ends") if bare[-2:] == ("is", "over") else bare
    who = [quote(own[word]) for word in bare if word in own]
    words = tuple(word for word in bare if word not in (*own, *DETERMINERS, "of", "campaign", rules))
    goes_on = any(word not in own for word in bare[phrase.at :])
    if len(words) < 2 or (phrase.verb is not None and (len(words) == len(line.words) or not goes_on)):
        return None
    reordered = (words[-1].removesuffix("s"), *words[:-1])
    verbs = [verb.kind for verb in verbs_of(rules) if verb.words in (words, reordered)]
    same_words = kinds_called(rules, *words)
    kinds = list(dict.fromkeys(verbs or same_words or kinds_called(rules, *reordered)))
    lines = [" ".join([verb_name(kind), *who]) for kind in kinds]
    if len(kinds) == 1 and not fields_of(kinds[0]) and not who:
        return tokenize(lines[0])
    if same_words and len(words) == len(line.words):
        return None  # what else words may stand for is said where no verb is found
    return offer_of(context, WHICH, lines)


def doer_behind_for(phrase: LinePhrase) -> Line | None:
    """`heal 3 for Ysa`: the line with whoever stands behind `for` where a line names whom it is about; None: nobody."""
    line, context, at, verb = phrase.line, phrase.context, phrase.at, phrase.verb
    assert verb is not None
    who = Grammar(context, verb).who
    names_others = any(field.names and field is not who for field in fields_of(verb.kind))
    if who is None or names_others or people_at(line.words, at, context) is not None:
        return None
    for place in range(at, len(line.words) - 1):
        if line.words[place].quoted or phrase.bare[place] != FOR or not somebody_meant(line.words, place + 1, context):
            continue
        people = people_at(line.words, place + 1, context)
        if people is not None:
            names, before = words_between(line, place + 1, people[1]), words_between(line, at, place)
            words = [*(word_to_type(line, here) for here in range(at)), names, before, *rest_of(line, people[1])]
            return tokenize(" ".join(filter(None, words)))
    return None


def doer_of_a_nickname(phrase: LinePhrase) -> Ambiguous | None:
    """`plays trample and spare dagger`: the line of everybody who may mean it and is waited for; None: of nobody."""
    line, context = phrase.line, phrase.context
    kinds, beyond = kinds_meant(context.system.key, line, phrase.at)
    lines = [
        text
        for kind in kinds
        for who in _whose(kind, context)
        if who and _fits(text := " ".join([verb_name(kind), *who, *rest_of(line, beyond)]), kind, context)
    ]
    return offer_of(context, "Who does it?", lines)


def _fits(text: str, kind: type[Action], context: Context) -> bool:
    """Whether a line can be read with values that are known, as of cards of one's own."""
    line, verb = tokenize(text), Verb(verb_name(kind), kind)
    try:
        result = read_from_verb(context, verb, line)
    except (Invalid, Refusal):
        return False
    return result.whole and result.best.cost < AS_TYPED
