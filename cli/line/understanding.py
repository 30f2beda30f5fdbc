"""What is typed at the table, understood: text, rules, state and log in; actions, a question, or what is missing out.

A line is a verb, who, values, words. Whatever takes lines (the shell, the table, a page) asks here, so that the same
words mean the same everywhere. Nothing is printed and nothing is recorded; nothing is guessed beyond what is unique.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, get_args

from msgspec import Struct, structs

from cli.line import tracking
from cli.line.asked import asked_about
from cli.line.diagnosis import diagnosed
from cli.line.doubts import doubt
from cli.line.errors import Misread, Missing, NoVerb, Unclear
from cli.line.evening import first_steps, short_lines
from cli.line.past import amendments
from cli.line.reader import Result, read
from cli.line.spoken import verb_first, wished
from cli.line.values import Context, people_at, title_at
from cli.line.verbs import Verb, kinds_meant, names_a_turn, verb_at, verb_name, verbs_of
from cli.line.words import Line, Word, quoted, typed
from domain.common.revisions import Amend, Conflicts
from domain.common.sheets import Override
from domain.common.tracking import Track
from domain.log.backdating import Backdating
from domain.naming import called, key_of, listed, short_for
from domain.refusal import Invalid, Refusal
from domain.registry import action_from
from domain.system.field_schema import fields_of
from domain.system.type_descriptions import either
from domain.turn import Action

#: Said of --drop and --keep where there can be no conflict.
SETTLES_LATER_TURNS = "--drop and --keep settle what becomes of later turns; they go with --after or --before."


class Question(Struct, frozen=True):
    """A line that records nothing: which reading command it asks for, and with which words."""

    command: str
    words: tuple[str, ...] = ()


class Understood(Struct, frozen=True):
    """What a line means: one action, or several that are said together, or a question."""

    actions: tuple[Action, ...] = ()
    question: Question | None = None
    #: how it is told, where the line says so: `by`, `when`, `after`, `before`, and with these `conflicts`
    manner: Mapping[str, str] = {}
    #: who was left out where everybody was named, though still in sight
    without: tuple[str, ...] = ()

    @property
    def backdating(self) -> Backdating:
        """Where in the log it happened. Raises Invalid for a way to settle conflicts that is none."""
        conflicts = self.manner.get("conflicts")
        if conflicts not in (None, *get_args(Conflicts)):
            raise Invalid(f"Conflicts are settled with {either(get_args(Conflicts))}, not {conflicts!r}.")
        if conflicts is not None and not (self.manner.get("after") or self.manner.get("before")):
            raise Invalid(SETTLES_LATER_TURNS)
        return Backdating(self.manner.get("after"), self.manner.get("before"), conflicts)  # type: ignore[arg-type]


def understand(line: Line, context: Context, questions: Sequence[str] = ()) -> Understood:
    """What a line means. `questions` are the commands that this surface answers besides verbs.

    Raises Misread (Missing, Unclear), Invalid for a value that no such field takes, Refusal for somebody or something
    that is not there.
    """
    if len(line.words) == 1 and names_a_turn(line.words[0].text) and "show" in questions:
        return Understood(question=Question("show", (line.words[0].text,)))
    if line.words and names_a_turn(line.words[0].text):
        return _amending(line, 0, context)
    try:
        verb, at = tracking.verb_in(context, line, 0, questions)
    except NoVerb as error:
        spoken = verb_first(line, context)
        if spoken is not None:
            return understand(spoken, context, questions)
        _refuse_a_name_first(line, context)
        _refuse_a_card_first(line, context)
        raise wished(
            line, error.at or 0, context, kinds_meant(context.system.key, line, error.at or 0), error
        ) from None
    if isinstance(verb, str):
        return Understood(question=_question(verb, line, at, context))
    if verb.kind is Amend:
        return _amending(line, at, context)
    result = whole(context, verb, line, at)
    actions = tuple(action_from(context.system.key, value) for value in result.actions())
    return Understood(actions, manner=result.manner, without=result.without)


def whole(context: Context, verb: Verb, line: Line, at: int) -> Result | tracking.TrackedLine:
    """The words behind a verb as they are meant. Raises Misread, and Refusal for somebody who is not there."""
    if verb.kind is Track and not tracking.names_its_fields(line, at):
        return tracking.read(context, verb, line, at)
    result = read(context, verb, line, at)
    if not result.whole:
        if verb.kind is Override:
            tracking.refuse_override(context, line, at)
        raise diagnosed(result)
    if (unclear := doubt(result)) is not None:
        raise unclear
    return result


def line_meant(line: Line, more: str, context: Context, questions: Sequence[str] = ()) -> Line:
    """The line that is meant where `more` was typed behind the beginning of `line`, and may be a line of its own.

    Most type on, some type all of it, or another one: what begins with the verb of the line, or cannot be read behind
    its beginning and can be by itself.
    """
    own = typed(more)
    if len(own.words) > 1 and (own.words[0].text == "campaign" or _begins_alike(line, own, context)):
        return own
    try:
        understand(line, context, questions)
    except (Invalid, Refusal):
        try:
            understand(own, context, questions)
        except Missing:
            return own if own.words else line
        except (Invalid, Refusal):
            return line
        return own
    return line


def _begins_alike(line: Line, own: Line, context: Context) -> bool:
    """Whether a line begins with the verb of another, by one of its names."""
    rules, first = context.system.key, own.words[0].text.casefold()
    try:
        verb, _ = verb_at(rules, line)
    except Misread:
        return False
    return not isinstance(verb, str) and any(each.kind is verb.kind and each.name == first for each in verbs_of(rules))


def options_among_words(line: Line, meant: Understood) -> list[int]:
    """The places of what was written as an option and became part of a text, which hardly anybody can have meant."""
    texts = [value for each in meant.actions for value in structs.asdict(each).values() if isinstance(value, str)]
    dashed = [at for at, word in enumerate(line.words) if word.text.startswith("--") and not word.quoted]
    return [at for at in dashed if any(line.words[at].text in text for text in texts)]


def without_told(context: Context, meant: Understood) -> str:
    """Who is left out by a line about everybody, and why: "Without Ada (collapsed)."; nothing where nobody is."""
    system, state = context.system, context.state
    left_out = [f"{called(name)} ({system.fallen(state, name)})" for name in meant.without]
    return f"Without {listed(left_out)}." if left_out else ""


def _refuse_a_name_first(line: Line, context: Context) -> None:
    """Raise Misread for a line that begins with somebody's name, as one speaks."""
    try:
        found = people_at(line.words, 0, context)
    except Unclear:
        return
    if found is not None and key_of(line.words[0].text) in map(key_of, found[0]):
        example = example_line(context)
        like = f", like {example}" if example else ""
        raise Misread(f"{line.words[0].text} is a character, and a line begins with a verb{like}.", 0)


def _refuse_a_card_first(line: Line, context: Context) -> None:
    """Raise Misread for a line that begins with a thing which can be used now: what can be done with it."""
    system = context.system
    whose = system.whose_turn(context.state)
    if whose is None:
        return
    for kind in system.actions:
        field = next((each for each in fields_of(kind) if each.required and not each.names), None)
        if field is None or not field.kind.reference:
            continue
        legal = system.proposals(context.state, kind, field.key, whose)
        try:
            found = title_at(line.words, 0, legal) if legal else None
        except Unclear:
            found = None
        if found is not None:
            thing = line.rest(0, found[1])
            known = {
                verb.means: verb.name for verb in reversed(verbs_of(system.key)) if verb.kind is kind and verb.sets
            }
            ways = [f"{name} {thing}" for name in reversed(known.values() or [verb_name(kind)])]
            raise Misread(f"A line begins with what is done with {found[0]}: {either(ways)}.", 0)


def example_line(context: Context) -> str:
    """A short line of the first evening about somebody who is there; while nobody is, one that enrols.

    Nothing where none can be read.
    """
    rules, names = context.system.key, context.own()
    lines = short_lines(rules) if names else first_steps(rules)
    return next((found for each in lines if (found := _about_somebody(each, context, names))), "")


def _about_somebody(example: str, context: Context, names: Sequence[str]) -> str:
    """A line of the first evening, with somebody who is there in the place of who is not."""
    line = typed(example)
    try:
        verb, at = tracking.verb_in(context, line)
        assert not isinstance(verb, str)
        who = next((each for each in fields_of(verb.kind) if each.required and each.names), None)
        if who is None or at >= len(line.words) or (who.names == "new character") is bool(names):
            return ""
        named = people_at(line.words, at, context)
        if named is not None and not set(named[0]) <= set(names):
            return ""  # it is somebody else's
        if names and named is None:
            if any(each.required and each.kind.reference for each in fields_of(verb.kind)):
                return ""  # whose cards they are is known of nobody else
            name = quoted(short_for(names[0], names))
            example = f"{example[: line.words[at].start]}{name}{example[line.words[at].end :]}"
        return example if understand(typed(example), context).actions else ""
    except (Invalid, Refusal):
        return ""


def amending(line: Line, at: int, context: Context) -> dict[str, Any]:
    """The amendment that a line asks for from a place on, as JSON has it. Raises as `understand` does."""
    return amendments(line, at, context, _actions)[0]


def _amending(line: Line, at: int, context: Context) -> Understood:
    value, manner = amendments(line, at, context, _actions)
    return Understood((action_from(context.system.key, value),), manner=manner)


def _actions(line: Line, at: int, context: Context) -> tuple[Action, ...]:
    """The actions of what stands behind a place of a line."""
    verb, beyond = tracking.verb_in(context, line, at)
    assert not isinstance(verb, str)
    if verb.kind is Amend:
        raise Misread("An amendment cannot stand in the place of a turn.", at)
    return tuple(action_from(context.system.key, value) for value in whole(context, verb, line, beyond).actions())


def _is_option(word: Word) -> bool:
    return not word.quoted and re.match("--?[A-Za-z]", word.text) is not None


def _question(command: str, line: Line, at: int, context: Context) -> Question:
    """What a reading command is asked. `why` is asked of a field, left out: of what says how much somebody can take."""
    words = tuple(word.text for word in line.words[at:])
    if command == "query":
        # SQL has quotes of its own, and stands there as it was typed up to the first option
        end = next((place for place in range(at, len(line.words)) if _is_option(line.words[place])), len(line.words))
        return Question(command, (*([line.rest(at, end)] if end > at else ()), *words[end - at :]))
    if command != "why":
        return Question(command, words)
    if not words:
        raise Missing("Say whose: why NAME, or why NAME.FIELD.", (), at)
    state, subject = context.state, tuple(takewhile(lambda word: not word.startswith("-"), words))
    first = next(iter(state.characters), None)
    fields = tuple(context.system.sheet_view(state, first)) if first is not None else ()
    about = asked_about(subject, tuple(state.characters), fields, context.system.vital, tuple(state.table.tracked))
    return Question("why", (about, *words[len(subject) :]))
