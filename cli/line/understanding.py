"""The entry to understanding a line: a line and its context in; actions, a question or an error out.

All faces that take lines (the shell, the table, a page) call it, so that the same words mean the same everywhere.
Nothing is printed or recorded, and nothing ambiguous is guessed.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import get_args

from msgspec import Struct, structs

from cli.line import tracking
from cli.line.doubts import doubt
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, NoVerb, PlaysSeveral, Unclear
from cli.line.past import amendments
from cli.line.reader import Result, read
from cli.line.several import second_line, two_things
from cli.line.values import ARTICLES, PRONOUNS, Context, people_at, title_at, without_article
from cli.line.verbs import Verb, names_a_turn, verb_at, verb_name, verbs_of
from cli.line.words import Line, Word, quoted, rest_of, typed, written
from domain.common.paragraphs import ParagraphAdd
from domain.common.revisions import Amend, Conflicts, Redo, Undo
from domain.common.rulings import Ruling
from domain.common.sheets import Override
from domain.common.tracking import Track
from domain.log.backdating import Backdating
from domain.log.redoing import check_nothing_came_since
from domain.naming import short_for
from domain.refusal import Invalid, Refusal
from domain.registry import action_from
from domain.system.field_schema import NEW, fields_of
from domain.system.type_descriptions import either
from domain.turn import Action

#: The error for --drop and --keep in a line that cannot cause a conflict.
SETTLES_LATER_TURNS = "--drop and --keep decide about later turns; use them with --after or --before."


#: What begins a correction, and a verb too.
CONTRADICTING = ("i", "no", "not")
#: What asks about everybody: who is down, who has the key.
ASKING_WHO = ("who", "who's", "whos")


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
    """Understand a line. `questions` are the reading commands that this face answers beside verbs.

    Raises Misread (Missing, Unclear …), Invalid for a value that its field does not take, Refusal for an unknown name.
    """
    try:
        return _understood(line, context, questions)
    except PlaysSeveral as error:
        raise _asking_whom(line, context, error) from None


def _asking_whom(line: Line, context: Context, error: PlaysSeveral) -> Misread:
    """Ask whom a player means who plays several characters, with the line of each."""
    at = error.at or 0
    before = [written(line, each) for each in range(at)]
    choices = []
    for name in error.candidates:
        text = " ".join([*before, quoted(name), *rest_of(line, at + 1)])
        try:
            understand(typed(text), context)
        except (Invalid, Refusal):
            continue
        choices.append(Meaning(name, text))
    return Ambiguous(f"{error.reason} Say:", error.reason, choices, at) if choices else error


def _understood(line: Line, context: Context, questions: Sequence[str]) -> Understood:
    """What a line means, of one that says whom it means."""
    line = _without_colon(line, context, questions)
    if len(line.words) == 1 and names_a_turn(line.words[0].text) and "show" in questions:
        return Understood(question=Question("show", (line.words[0].text,)))
    if line.words and names_a_turn(line.words[0].text):
        if len(line.words) > 2 and "=" not in line.text and (meant := _correction(line, context)) is not None:
            raise meant
        return _amending(line, 0, context)
    # `no` begins note, and `I` the saves of osr
    contradicts = len(line.words) > 1 and line.words[0].text.casefold() in CONTRADICTING
    if contradicts and (meant := _correction(line, context)) is not None:
        raise meant
    if line.words and line.words[0].text.casefold() in ARTICLES:
        from cli.line.blows import foe_first  # few lines begin with an article

        if (struck := foe_first(line, context)) is not None:
            return understand(struck, context, questions)
        from cli.line.announced import announced

        if (told := announced(line, context)) is not None:
            raise told
    if len(line.words) > 1 and line.words[0].text.casefold() in PRONOUNS:
        from cli.line.elliptical import with_doer  # and fewer with a pronoun

        if (told := with_doer(line, context)) is not None:
            raise told
    try:
        verb, at = tracking.verb_in(context, line, 0, questions)
    except NoVerb as error:
        if line.words[0].text.casefold() in ASKING_WHO and "status" in questions:
            return Understood(question=Question("status"))
        return understand(_as_spoken(line, context, error), context, questions)
    if isinstance(verb, str):
        return Understood(question=_question(verb, line, at, context, questions))
    if verb.kind is Amend:
        return _amending(line, at, context)
    if verb.kind in (Ruling, ParagraphAdd):
        from cli.line.paragraph_meant import refuse_words_for_a_number

        refuse_words_for_a_number(verb.kind, line, at, context)
    if any(field.names == NEW for field in fields_of(verb.kind)):
        from cli.line.newcomers import newcomer_told, without_articles

        line = without_articles(verb, line, at, context)
        if (newcomer := newcomer_told(verb, line, at, context)) is not None:
            raise newcomer
    if verb.kind is Undo and at < len(line.words):
        from cli.line.turns_told import undo_as_said

        line = undo_as_said(line, at, context)
    try:
        result = whole(context, verb, line, at)
    except (Misread, Refusal) as error:
        raise _of_nobody(line, context) or error from None
    actions = tuple(action_from(context.system.key, value) for value in result.actions())
    if any(isinstance(action, Redo) and action.last is None and action.turn is None for action in actions):
        check_nothing_came_since(context.log)
    return Understood(actions, manner=result.manner, without=result.without)


def _without_colon(line: Line, context: Context, questions: Sequence[str]) -> Line:
    """`ruling: we rest together`: the line without the colon behind its verb; any other line as it is."""
    first = line.words[0].text if line.words else ""
    if not first.endswith(":") or len(line.words) < 2 or line.words[0].quoted:
        return line
    try:
        tracking.verb_in(context, typed(first.rstrip(":")), 0, questions)
    except Misread:
        return line
    return typed(" ".join([first.rstrip(":"), *rest_of(line, 1)]))


def _of_nobody(line: Line, context: Context) -> Ambiguous | None:
    """The lines of a loss or healing that names nobody, of one that cannot be done."""
    from cli.line.spoken import of_nobody

    return of_nobody(line, context)


def _correction(line: Line, context: Context) -> Ambiguous | None:
    """The amendments of the latest turns that a line may mean; None: it corrects nothing."""
    from cli.line.corrected import correction  # few lines do

    return correction(line, context, lambda other: understand(other, context).actions)


def _as_spoken(line: Line, context: Context, error: NoVerb) -> Line:
    """The line with its verb first, of one that begins with something else. Raises Misread, which says what to type."""
    # most lines begin with their verb
    from cli.line.announced import announced
    from cli.line.blows import foe_first
    from cli.line.elliptical import value_alone, whose_line
    from cli.line.forgotten import refuse_forgotten
    from cli.line.spoken import people_first, verb_first, wished

    at = error.at or 0
    refuse_forgotten(line, context)
    if (offered := _correction(line, context) or announced(line, context)) is not None:
        raise offered from None
    if (said := value_alone(line, context)) is not None:
        raise said from None
    spoken = foe_first(line, context) or verb_first(line, context)
    if spoken is not None:
        return spoken
    if without_article(line.words, 0, tuple(context.state.characters)):
        return typed(" ".join(rest_of(line, 1)))
    last = people_first(line, context)
    _refuse_a_card_first(line, last, context)
    from cli.line.told import told  # so few lines tell of something that no verb is for

    if (recorded := told(line, context)) is not None:
        return recorded
    _refuse_a_name_alone(line, last, context)
    if (of_somebody := whose_line(line, at, context)) is not None:
        raise of_somebody from None
    raise wished(line, at, context, error) from None


def whole(context: Context, verb: Verb, line: Line, at: int) -> Result | tracking.TrackedLine:
    """Read the words behind a verb completely. Raises Misread, and Refusal for an unknown name."""
    if verb.kind is Track and not tracking.names_its_fields(line, at):
        return tracking.read(context, verb, line, at)
    result = read(context, verb, line, at)
    if not result.whole:
        if verb.kind is Override:
            tracking.refuse_override(context, line, at)
        from cli.line.diagnosis import diagnosed

        error = diagnosed(result)
        # where nothing else is offered, `and` may begin another line
        also = None if isinstance(error, Ambiguous) else second_line(result.table, error.at or 0)
        raise also or error
    if (unclear := two_things(result) or doubt(result)) is not None:
        raise unclear
    return result


def line_meant(line: Line, more: str, context: Context, questions: Sequence[str] = ()) -> Line:
    """Decide whether `more`, typed at a prompt for the rest of a line, completes `line` or is a line of its own.

    It is one of its own if it begins with the verb of the line, or if only by itself it can be understood.
    """
    other_line = typed(more)
    if len(other_line.words) > 1 and (
        other_line.words[0].text == "campaign" or _begins_alike(line, other_line, context)
    ):
        return other_line
    try:
        understand(line, context, questions)
    except (Invalid, Refusal):
        try:
            understand(other_line, context, questions)
        except Missing:
            return other_line if other_line.words else line
        except (Invalid, Refusal):
            return line
        return other_line
    return line


def _begins_alike(line: Line, other: Line, context: Context) -> bool:
    """Whether a line begins with the verb of another, under any of its names."""
    rules, first = context.system.key, other.words[0].text.casefold()
    try:
        verb, _ = verb_at(rules, line)
    except Misread:
        return False
    return not isinstance(verb, str) and any(
        known.kind is verb.kind and known.name == first for known in verbs_of(rules)
    )


def options_among_words(line: Line, understood: Understood) -> list[int]:
    """The places of words that look like options but became part of a text, which is hardly ever intended."""
    texts = [
        value for action in understood.actions for value in structs.asdict(action).values() if isinstance(value, str)
    ]
    dashed = [at for at, word in enumerate(line.words) if word.text.startswith("--") and not word.quoted]
    return [at for at in dashed if any(line.words[at].text in text for text in texts)]


def _refuse_a_name_alone(line: Line, last: int, context: Context) -> None:
    """Raise Misread for a line of which nothing but a character's name, up to `last`, can be read."""
    if last:
        example = example_line(context)
        like = f", like {example}" if example else ""
        name = line.text[line.words[0].start : line.words[last - 1].end]
        raise Misread(f"{name} is a character, and a line begins with a verb{like}.", 0)


def _refuse_a_card_first(line: Line, at: int, context: Context) -> None:
    """Raise Misread for a line with a card which can be used now in the place of its verb, with the verbs for it."""
    system = context.system
    whose = system.whose_turn(context.state)
    if whose is None or at >= len(line.words):
        return
    for kind in system.actions:
        field = next((candidate for candidate in fields_of(kind) if candidate.required and not candidate.names), None)
        if field is None or not field.kind.reference:
            continue
        legal = system.proposals(context.state, kind, field.key, whose)
        try:
            title = title_at(line.words, at, legal) if legal else None
        except Unclear:
            title = None
        if title is not None:
            thing = line.rest(at, title[1])
            known = {
                verb.means: verb.name for verb in reversed(verbs_of(system.key)) if verb.kind is kind and verb.sets
            }
            lines = [f"{name} {thing}" for name in reversed(known.values() or [verb_name(kind)])]
            raise Misread(f"Say what happens to {title[0]}: {either(lines)}.", 0)


def example_line(context: Context) -> str:
    """A short line that can be typed now, from the example evening; one that enrols if nobody is enrolled.

    "" if no line fits.
    """
    from cli.line.evening import first_steps, short_lines

    rules, names = context.system.key, context.own()
    lines = short_lines(rules) if names else first_steps(rules)
    return next((line for example in lines if (line := _about_somebody(example, context, names))), "")


def _about_somebody(example: str, context: Context, names: Sequence[str]) -> str:
    """An example line with the name of an enrolled character in it; "" if it does not fit."""
    line = typed(example)
    try:
        verb, at = tracking.verb_in(context, line)
        assert not isinstance(verb, str)
        who = next((field for field in fields_of(verb.kind) if field.required and field.names), None)
        if who is None or at >= len(line.words) or (who.names == "new character") is bool(names):
            return ""
        people = people_at(line.words, at, context)
        if people is not None and not set(people[0]) <= set(names):
            return ""  # it is about a character that belongs to somebody else
        if names and people is None:
            if any(field.required and field.kind.reference for field in fields_of(verb.kind)):
                return ""  # the cards in the example are another character's
            name = quoted(short_for(names[0], names))
            example = f"{example[: line.words[at].start]}{name}{example[line.words[at].end :]}"
        return example if understand(typed(example), context).actions else ""
    except (Invalid, Refusal):
        return ""


def _amending(line: Line, at: int, context: Context) -> Understood:
    value, manner = amendments(line, at, context, _read_whole)
    return Understood((action_from(context.system.key, value),), manner=manner)


def _read_whole(line: Line, at: int, context: Context) -> tuple[tuple[Action, ...], Mapping[str, str]]:
    """The actions that the words from a place on mean, and the options of the line among them."""
    verb, beyond = tracking.verb_in(context, line, at)
    assert not isinstance(verb, str)
    if verb.kind is Amend:
        raise Misread("You cannot put an amendment in the place of a turn.", at)
    result = whole(context, verb, line, beyond)
    return tuple(action_from(context.system.key, value) for value in result.actions()), result.manner


def _is_option(word: Word) -> bool:
    return not word.quoted and re.match("--?[A-Za-z]", word.text) is not None


def _somebody_alone(line: Line, at: int, context: Context) -> str | None:
    """The character whom all words from a place on name; None: they are no character, or a turn."""
    if at >= len(line.words) or names_a_turn(line.words[at].text):
        return None
    try:
        found = people_at(line.words, at, context)
    except Unclear:
        return None
    return found[0][0] if found is not None and len(found[0]) == 1 and found[1] == len(line.words) else None


def _question(command: str, line: Line, at: int, context: Context, questions: Sequence[str]) -> Question:
    """The arguments of a reading command. `why` needs a character, and takes the vital field if none is named."""
    words = tuple(word.text for word in line.words[at:])
    if command == "query":
        # SQL has its own quotes, so it is taken as it was typed, up to the first option
        end = next((place for place in range(at, len(line.words)) if _is_option(line.words[place])), len(line.words))
        return Question(command, (*([line.rest(at, end)] if end > at else ()), *words[end - at :]))
    if command == "show" and "status" in questions and (who := _somebody_alone(line, at, context)) is not None:
        return Question("status", (who,))  # turns are shown, and people have a sheet
    if command != "why":
        return Question(command, words)
    if not words:
        raise Missing("Say whose: why NAME, or why NAME.FIELD.", (), at)
    from cli.line.why_subject import why_subject

    state, subject = context.state, tuple(takewhile(lambda word: not word.startswith("-"), words))
    first = next(iter(state.characters), None)
    fields = tuple(context.system.sheet_view(state, first)) if first is not None else ()
    owned = {name: tuple(sheet.tracked) for name, sheet in state.characters.items()}
    tables = tuple(state.table.tracked)
    subject_text = why_subject(subject, tuple(state.characters), fields, context.system.vital, tables, owned)
    return Question("why", (subject_text, *words[len(subject) :]))
