"""The entry to understanding a line: a line and its context in; actions, a question or an error out.

All faces that take lines (the shell, the table, a page) call it, so that the same words mean the same everywhere.
Nothing is printed or recorded, and nothing ambiguous is guessed. A line goes through these stages:

1. A turn alone is shown, and a turn that a line begins with is corrected or amended: `T44`, `T44 amount=3`.
2. Its verb is looked for (`cli.line.tracking.verb_in`). Where it does not begin with one, it is a phrase: how people
   talk otherwise stands in one table (`cli.line.phrase_readers`), which says at each stage who is asked. A phrase means
   a line to read instead, or is answered with an offer of lines.
3. A reading command is a question, with the words behind it.
4. The words behind a verb become the fields of its action (`cli.line.search`).
5. What could mean something else is asked about (`cli.line.ambiguities`), and what cannot be read is said
   (`cli.line.diagnosis.unread_line`).
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import get_args

from msgspec import Struct, structs

from cli.line import tracking
from cli.line.ambiguities import ambiguity_of
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, NoVerb, PlaysSeveral, Unclear
from cli.line.phrase import Actions, LinePhrase, Outcome
from cli.line.phrase_readers import meaning_of
from cli.line.search import Result, read
from cli.line.values import Context, people_at, somebody_meant
from cli.line.verbs import names_a_turn, verb_at, verbs_of
from cli.line.vocabulary import ARTICLES, HAND
from cli.line.words import Line, Word, quote, rest_of, tokenize, words_to_type
from domain.common.notes import Note
from domain.common.revisions import Amend, Conflicts, Redo
from domain.common.tracking import Track
from domain.log.backdating import Backdating
from domain.log.redoing import check_nothing_came_since
from domain.naming import fitting
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, verb_name
from domain.system.type_descriptions import either
from domain.turn import Action

#: So many words at most stand before whom a line of the rules is about.
MOST_BEFORE_A_NAME = 3
#: The error for --drop and --keep in a line that cannot cause a conflict.
SETTLES_LATER_TURNS = "--drop and --keep decide about later turns; use them with --after or --before."


class Question(Struct, frozen=True):
    """A line that records nothing: the reading command, and its arguments."""

    command: str
    words: tuple[str, ...] = ()


class Understood(Struct, frozen=True):
    """The meaning of a line: actions to record together, or a question."""

    actions: tuple[Action, ...] = ()
    question: Question | None = None
    #: options of the line itself: `by`, `when`, `after`, `before`, and `conflicts` with these
    manner: Mapping[str, str] = {}
    #: the characters that `all` left out although they are still shown
    without: tuple[str, ...] = ()

    @property
    def backdating(self) -> Backdating:
        """The backdating of the line. Raises Invalid for a wrong or needless way to settle conflicts."""
        conflicts = self.manner.get("conflicts")
        if conflicts not in (None, *get_args(Conflicts)):
            raise Invalid(f"conflicts takes {either(get_args(Conflicts))}, not {conflicts!r}.")
        if conflicts is not None and not (self.manner.get("after") or self.manner.get("before")):
            raise Invalid(SETTLES_LATER_TURNS)
        return Backdating(self.manner.get("after"), self.manner.get("before"), conflicts)  # type: ignore[arg-type]


def understand(line: Line, context: Context, questions: Sequence[str] = ()) -> Understood:
    """Understand a line, as `outcome_of` does. Raises what keeps it from meaning anything."""
    outcome = outcome_of(line, context, questions)
    if isinstance(outcome, Understood):
        return outcome
    raise outcome


def outcome_of(
    line: Line, context: Context, questions: Sequence[str] = (), *, is_one_thing: bool = False
) -> Understood | Invalid | Refusal:
    """What a line means, or what keeps it from meaning anything.

    That is a Misread (Missing, Ambiguous, Unclear …), Invalid for a value that its field does not take, or a Refusal
    for an unknown name. `questions` are the reading commands that this face answers beside verbs. With `is_one_thing`
    the line is not read as several things, of which each would be understood by itself.
    """
    try:
        return _meaning(line, context, questions, is_one_thing)
    except Unclear as error:
        is_of_people = isinstance(error, PlaysSeveral) or _is_of_people(error, line, context)
        return _asking_whom(line, context, error) if is_of_people else error
    except Misread as error:
        return _as_spoken(line, context, questions, is_one_thing, error)
    except (Invalid, Refusal) as error:
        return error


def _offers_more_than_words(error: Misread) -> bool:
    """Whether a line is offered that does more than to write down the words."""
    choices = error.choices if isinstance(error, Ambiguous) else ()
    return any(choice.line.partition(" ")[0] != verb_name(Note) for choice in choices)


def _as_spoken(
    line: Line, context: Context, questions: Sequence[str], is_one_thing: bool, error: Misread
) -> Understood | Misread:
    """What a line means with its numbers as digits and without its full stop; the error where that is no more."""
    from cli.line.speech import in_plain_words  # most lines are read as they are

    plain = in_plain_words(line) if not _offers_more_than_words(error) else None
    if plain is None:
        return error
    try:
        meaning = _meaning(plain, context, questions, is_one_thing)
    except Missing as missing:
        return error if isinstance(error, Missing) else missing
    except Ambiguous as ambiguous:
        return ambiguous if _offers_more_than_words(ambiguous) else error
    except (Invalid, Refusal):
        return error
    return error if any(isinstance(action, Note) for action in meaning.actions) else meaning


def _is_of_people(error: Unclear, line: Line, context: Context) -> bool:
    """Whether it is a word of the line that may be each of several people: `ghoul` beside Ghoul 1 and Ghoul 2."""
    is_word = error.at is not None and error.at < len(line.words)
    return (
        is_word
        and set(error.candidates) <= context.state.characters.keys()
        and fitting(line.words[error.at or 0].text, error.candidates) == list(error.candidates)
    )


def _asking_whom(line: Line, context: Context, error: Unclear) -> Misread:
    """Ask whom a word means that may be several people, or a player who plays several, with the line of each."""
    at = error.at or 0
    before = words_to_type(line, 0, at)
    choices = []
    for name in error.candidates:
        text = " ".join([*before, quote(name), *rest_of(line, at + 1)])
        if isinstance(outcome_of(tokenize(text), context), Understood):
            choices.append(Meaning(name, text))
    return Ambiguous.between(error.reason, choices, at) if choices else error


def _meaning(line: Line, context: Context, questions: Sequence[str], is_one_thing: bool) -> Understood:
    """What a line means, of one that says whom it means."""
    is_turn_first = bool(line.words) and names_a_turn(line.words[0].text)
    if is_turn_first and len(line.words) == 1 and "show" in questions:
        return Understood(question=Question("show", (line.words[0].text,)))
    phrase = structs.replace(_phrase(line, context, questions), is_one_thing=is_one_thing)
    meaning = meaning_of(phrase, "turn first" if is_turn_first else "before the verb")
    if meaning is None:
        try:
            verb, at = tracking.verb_in(context, line, 0, questions)
        except NoVerb as error:
            phrase = structs.replace(phrase, at=error.at or 0, no_verb=error)
        except Unclear as error:
            if phrase.bare[0] not in ARTICLES:
                raise
            # `a wolf appears`: an article is no beginning of several verbs
            phrase = structs.replace(phrase, no_verb=NoVerb(error.reason, error.at))
        else:
            if isinstance(verb, str):
                return Understood(question=_question(verb, line, at, context, questions))
            phrase = structs.replace(phrase, at=at, verb=verb)
        meaning = meaning_of(phrase, "no verb" if phrase.verb is None else "behind the verb")
    if isinstance(meaning, Line):
        return understand(meaning, context, questions)
    try:
        result = _whole(phrase) if meaning is None else meaning
    except (Misread, Refusal) as error:
        meaning_of(structs.replace(phrase, error=error), "failed")
        raise error from None
    actions = tuple(action_from(context.system.key, value) for value in result.actions())
    if any(isinstance(action, Redo) and action.last is None and action.turn is None for action in actions):
        check_nothing_came_since(context.log)
    return Understood(actions, manner=result.manner, without=result.without)


def _phrase(line: Line, context: Context, questions: Sequence[str]) -> LinePhrase:
    """A line of which nothing is understood yet."""
    return LinePhrase(
        line,
        context,
        questions,
        lambda other: _actions_of(outcome_of(other, context)),
        lambda other: _actions_of(outcome_of(other, context, is_one_thing=True)),
        _whole_from,
    )


def _actions_of(outcome: Understood | Invalid | Refusal) -> Outcome:
    """The actions of what is understood."""
    return outcome.actions if isinstance(outcome, Understood) else outcome


def _whole(phrase: LinePhrase) -> Result | Actions:
    """Read the words behind the verb completely. Raises Misread, and Refusal for an unknown name."""
    context, line, at, verb = phrase.context, phrase.line, phrase.at, phrase.verb
    assert verb is not None
    if verb.kind is Track and not tracking.names_its_fields(line, at):
        return tracking.read(context, verb, line, at)
    result = read(context, verb, line, at)
    meaning_of(structs.replace(phrase, result=result), "read" if result.whole else "unread")
    if not result.whole:
        from cli.line.diagnosis.unread_line import error_of  # most lines can be read

        raise error_of(result)
    if (unclear := ambiguity_of(result)) is not None:
        raise unclear
    return result


def _whole_from(line: Line, at: int, context: Context) -> tuple[tuple[Action, ...], Mapping[str, str]]:
    """The actions that the words from a place on mean, and the options of the line among them."""
    verb, beyond = tracking.verb_in(context, line, at)
    assert not isinstance(verb, str)
    if verb.kind is Amend:
        raise Misread("You cannot put an amendment in the place of a turn.", at)
    phrase = structs.replace(_phrase(line, context, ()), at=beyond, verb=verb)
    result = _whole(phrase)
    return tuple(action_from(context.system.key, value) for value in result.actions()), result.manner


def line_meant(line: Line, more: str, context: Context, questions: Sequence[str] = ()) -> Line:
    """Decide whether `more`, typed at a prompt for the rest of a line, completes `line` or is a line of its own.

    It is one of its own if it begins with the verb of the line, if only by itself it can be understood, or if it would
    end among the words of what the rules ask and says by itself what the rules do to somebody it names.
    """
    other_line = tokenize(more)
    if len(other_line.words) > 1 and (
        other_line.words[0].text == "campaign" or _begins_alike(line, other_line, context)
    ):
        return other_line
    outcome = outcome_of(line, context, questions)
    if isinstance(outcome, Understood):
        ends_among_words = _is_of_the_rules(outcome.actions, context) and _does_something(other_line, context)
        return other_line if ends_among_words else line
    match outcome_of(other_line, context, questions):
        case Understood():
            return other_line
        case Missing():
            return other_line if other_line.words else line
        case Ambiguous() as ambiguous:
            return other_line if _offers_more_than_words(ambiguous) else line
    return line


def _is_of_the_rules(actions: Sequence[Action], context: Context) -> bool:
    """Whether there are actions, and all are of the rules: the words of a note may be any."""
    return bool(actions) and all(type(action) in context.system.actions for action in actions)


def _does_something(line: Line, context: Context) -> bool:
    """`bruna rests 8 hours`: whether a line is understood by itself, as of the rules and of somebody it names."""
    if not any(somebody_meant(line.words, at, context) for at in range(min(len(line.words), MOST_BEFORE_A_NAME))):
        return False
    outcome = outcome_of(line, context)
    return isinstance(outcome, Understood) and _is_of_the_rules(outcome.actions, context)


def _begins_alike(line: Line, other: Line, context: Context) -> bool:
    """Whether a line begins with the verb of another, under any of its names."""
    rules, first = context.system.key, other.words[0].text.casefold()
    try:
        verb, _ = verb_at(rules, line)
    except Misread:
        return False
    return not isinstance(verb, str) and any(
        other_verb.kind is verb.kind and other_verb.name == first for other_verb in verbs_of(rules)
    )


def options_among_words(line: Line, understood: Understood) -> list[int]:
    """The places of words that look like options but became part of a text, which is hardly ever intended."""
    texts = [
        value for action in understood.actions for value in structs.asdict(action).values() if isinstance(value, str)
    ]
    places = [at for at, word in enumerate(line.words) if word.text.startswith("--") and not word.quoted]
    return [at for at in places if any(line.words[at].text in text for text in texts)]


def _is_option(word: Word) -> bool:
    return not word.quoted and re.match("--?[A-Za-z]", word.text) is not None


def _somebody_alone(line: Line, at: int, context: Context) -> str | None:
    """The character whom all words from a place on name; None: they are no character, or a turn."""
    if at >= len(line.words) or names_a_turn(line.words[at].text):
        return None
    try:
        people = people_at(line.words, at, context)
    except Unclear:
        return None
    return people[0][0] if people is not None and len(people[0]) == 1 and people[1] == len(line.words) else None


def _question(command: str, line: Line, at: int, context: Context, questions: Sequence[str]) -> Question:
    """The arguments of a reading command. `why` needs a character, and takes the vital field if none is named."""
    words = tuple(word.text for word in line.words[at:])
    if command == "query":
        # SQL has its own quotes, so it is taken as it was typed, up to the first option
        end = next((place for place in range(at, len(line.words)) if _is_option(line.words[place])), len(line.words))
        return Question(command, (*([line.rest(at, end)] if end > at else ()), *words[end - at :]))
    if command == "show" and "status" in questions and (who := _somebody_alone(line, at, context)) is not None:
        return Question("status", (who,))  # turns are shown, and people have a sheet
    if command == "show" and not HAND.isdisjoint(word.casefold() for word in words):
        question = understand(tokenize(" ".join(rest_of(line, at))), context, questions).question
        return question or Question(command, words)
    if command != "why":
        return Question(command, words)
    if not words:
        raise Missing("Say whose: why NAME, or why NAME.FIELD.", (), at)
    from cli.line.why_subject import why_subject

    state, subject = context.state, tuple(takewhile(lambda word: not word.startswith("-"), words))
    first = next(iter(state.characters), None)
    fields = tuple(context.system.sheet_view(state, first)) if first is not None else ()
    things_of = {name: tuple(sheet.tracked) for name, sheet in state.characters.items()}
    tables = tuple(state.table.tracked)
    subject_text = why_subject(subject, tuple(state.characters), fields, context.system.vital, tables, things_of)
    return Question("why", (subject_text, *words[len(subject) :]))
