"""The turns that words mean: `undo the last two`, `undo brog's hit`, `forgot: hob was hit before the rest`."""

import re
from collections.abc import Iterator

from cli.line.errors import Ambiguous
from cli.line.offers import nearest_lines
from cli.line.phrase import LinePhrase
from cli.line.values import Context, number_of, one_of
from cli.line.verbs import kinds_called, verbs_of
from cli.line.vocabulary import ARTICLES, LAST, NUMBER_WORDS, STOPS, THAT, TURNS, third_person
from cli.line.words import Line, quote, rest_of, tokenize, without_genitive, words_to_type
from domain.common.revisions import REVISIONS, Redo, Undo
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history
from domain.naming import LITTLE, plain_words
from domain.refusal import Invalid
from domain.registry import verb_name
from domain.system.field_schema import fields_of
from domain.turn import Action, Turn

#: So many of the latest turns are searched for the one that is named.
TURNS_SEARCHED = 500
#: What says no more than that the latest turn is meant, and what a number of the latest counts.
#: So many words at most name a turn; more are a reason.
LONGEST_REFERENCE = 4
#: Turns from one to another: `T5..T7`, `T5-T7`, `T5 to T7`.
A_RANGE = r"[Tt]([0-9]{1,9})(?:\.\.|[-–]| - | (?:to|through|until|till) )[Tt]?([0-9]{1,9})"


def taking_back(phrase: LinePhrase) -> Ambiguous:
    """The line that takes the latest turn back, of `oops`, `scratch that` and the like."""
    return nearest_lines(phrase.context, "Undo the latest line?", [verb_name(Undo)])


def once_more(phrase: LinePhrase) -> Line | None:
    """`again`: who did what to whom in the latest turn of the rules; its numbers and results are asked anew."""
    context = phrase.context
    for turn in standing_turns(context):
        action = effective_history(context.log).action(turn)
        verb, kind = verb_name(type(action)), type(action)
        fields = [field for field in fields_of(kind) if field.names == "character" or field.added_by is not None]
        names = [quote(value) for field in fields if isinstance(value := getattr(action, field.name), str)]
        if names and kind in context.system.actions:
            does = len(names) > 1 and fields[0].names == "character"
            return tokenize(" ".join([names[0], third_person(verb), *names[1:]] if does else [verb, *names]))
    return None


def undo_in_words(phrase: LinePhrase) -> Line | Ambiguous | None:
    """An undo whose words behind the verb say in numbers what they mean; None: they say a reason alone.

    Ambiguous for words that name people or what they did, which another turn than the latest may be.
    """
    line, at, context = phrase.line, phrase.at, phrase.context
    words, here = line.words, at
    for behind in (at + 1, at + 3):
        if (turns := _range(" ".join(word.text for word in words[at:behind]), context)) is not None:
            return _rewrite(line, at, turns, behind)
    while here < len(words) and words[here].text.casefold().rstrip(STOPS) in ARTICLES | THAT and not words[here].quoted:
        here += 1
    is_last = here < len(words) and words[here].text.casefold() == LAST
    place = here + is_last
    in_words = place + 1 == len(words) and not words[place].text.isdecimal()
    if (count := _count(line, place)) is not None and (is_last or in_words or _is_turns(line, place + 1)):
        behind = place + 1 + _is_turns(line, place + 1)
        return _rewrite(line, at, [f"last={count}"], behind)
    if is_last and (place == len(words) or (_is_turns(line, place) and place + 1 == len(words))):
        return _rewrite(line, at, ["last=1"], len(words))
    if here == len(words):
        return _rewrite(line, at, [], here)
    if place + 1 == len(words) and words[place].text.casefold().rstrip(STOPS) == verb_name(Undo):
        return tokenize(verb_name(Redo))
    if phrase.verb is not None and phrase.verb.kind is not Undo:
        return None
    end = len(words) - (len(words) > here + 1 and phrase.bare[-1] in ARTICLES)
    if here + 1 == end and end == len(words) and not _kinds(words[here].text, context):
        return None  # one word that is no turn is said to be none
    if any("=" in word.text or word.text.startswith("--") or word.quoted for word in words[at:]):
        return None
    numbers = _turns_meant(line, here, context)
    if numbers is None:
        return None
    verb = verb_name(Undo)
    reason = line.rest(at, len(words))
    # words that end with an article are no reason yet
    reasons = [f"{verb} why={quote(reason, always=True)}"] if end == len(words) else []
    lines = [*(f"{verb} T{number}" for number in numbers), *reasons]
    return Ambiguous.between(f"Which turn is {reason!r}?", lines, at)


def _range(text: str, context: Context) -> list[str] | None:
    """The turns from one to another, each by itself; None: the text is no such range, or one beyond the log."""
    match = re.fullmatch(A_RANGE, text)
    first, last = (int(match[1]), int(match[2])) if match else (1, 0)
    return [f"T{number}" for number in range(first, last + 1)] if first <= last <= context.log.last() else None


def _rewrite(line: Line, at: int, words: list[str], behind: int) -> Line:
    return tokenize(" ".join([*words_to_type(line, 0, at), *words, *rest_of(line, behind)]))


def _count(line: Line, at: int) -> int | None:
    """A number of turns in words or digits; None: none stands there."""
    if at >= len(line.words) or line.words[at].quoted:
        return None
    text = line.words[at].text.casefold()
    number = NUMBER_WORDS.get(text) if text not in ARTICLES else None
    return number if number is not None else number_of(text) if text.isdecimal() else None


def _is_turns(line: Line, at: int) -> bool:
    return at < len(line.words) and line.words[at].text.casefold().rstrip(".,") in TURNS


def turn_meant(line: Line, at: int, context: Context) -> int | None:
    """The turn that words from a place on name: T5, or the latest of a kind, as in `the rest`; None: none."""
    for place in range(at, len(line.words)):
        text = line.words[place].text
        if re.fullmatch(r"[Tt]\d{1,15}", text):
            return int(text[1:])
        if kinds := _kinds(text, context):
            return next((turn.number for turn in standing_turns(context) if type(turn.action) in kinds), None)
    return None


def _turns_meant(line: Line, at: int, context: Context) -> list[int] | None:
    """The latest turn that those who are named did, and the latest that was about them, of a kind if one is named.

    None: the words name neither anybody nor what was done.
    """
    there, names = tuple(context.state.characters), list[str]()
    kinds = set[type[Action]]()
    for word in line.words[at : at + LONGEST_REFERENCE]:
        bare = without_genitive(word.text.rstrip(".,;!"))
        try:
            is_name = len(plain_words(bare)[0]) > 2 and bare.casefold() not in LITTLE
            name = one_of(bare, there, at) if is_name else None
        except Invalid:
            name = None
        names += [name] if name is not None else []
        kinds |= _kinds(word.text, context)
    if not names and not kinds:
        return None
    turns = [turn for turn in standing_turns(context) if not kinds or type(turn.action) in kinds]
    numbers: dict[int, None] = {}
    for text_of in (_source, lambda turn: " ".join(names_in(turn.action))):
        words_of_names = [set(plain_words(name)) for name in names]
        fits = (turn.number for turn in turns if all(own <= set(plain_words(text_of(turn))) for own in words_of_names))
        numbers |= dict.fromkeys(number for number in [next(fits, None)] if number is not None)
    return list(numbers)


def _source(turn: Turn) -> str:
    return str(getattr(turn.action, "source", None) or "-")


def _kinds(word: str, context: Context) -> set[type[Action]]:
    """The actions that a word names: `rest`, `hit`."""
    bare = word.casefold().rstrip(".,;!")
    if bare in LITTLE:
        return set()
    kinds = {verb.kind for verb in verbs_of(context.system.key) if bare in (verb.name, *verb.words)}
    return {kind for kind in (*kinds, *kinds_called(context.system.key, bare)) if kind not in REVISIONS}


def standing_turns(context: Context) -> Iterator[Turn]:
    """The latest turns that stand and that those who type may know of, the latest first."""
    keeps, after = context.keeps, _searched_after(context)
    stands = effective_history(context.log, after=after).stands
    for turn in context.log.read_back(after):
        if stands(turn.number) and not isinstance(turn.action, REVISIONS) and not (keeps is not None and keeps(turn)):
            yield turn


def standing_actions(context: Context) -> Iterator[tuple[int, Action]]:
    """The numbers of these turns, with their actions as they were amended."""
    effective = effective_history(context.log, after=_searched_after(context))
    return ((turn.number, effective.action(turn)) for turn in standing_turns(context))


def _searched_after(context: Context) -> int:
    """The turn after which a line looks for a turn that it speaks of; only later ones say whether those stand."""
    return max(1, context.log.last() - TURNS_SEARCHED)
