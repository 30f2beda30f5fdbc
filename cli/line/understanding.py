"""The entry to understanding a line: a line and its context in; actions or a question out, or the one error.

All faces that take lines (the shell, the table, a page) call `understand`, so that the same words mean the same
everywhere. Nothing is printed or recorded, and nothing is guessed:

1. A turn alone is shown; a line that begins with a turn amends it (`cli.line.amending`).
2. The line begins with its verb, or with a name and then its verb (`cli.line.verbs`), or is a name and a signed number.
3. A reading command is a question, with the words behind it.
4. The words behind a verb become the fields of its action (`cli.line.reading`; tracked names: `cli.line.tracking`).
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import get_args

from msgspec import Struct

from cli.line.amending import amendments, put_in_place
from cli.line.context import Context
from cli.line.doubts import refuse_shared_report
from cli.line.errors import LineError
from cli.line.grammar import grammar_of
from cli.line.lacking import check_complete
from cli.line.manner import happened_after, place_of
from cli.line.people import people_at, somebody_among_words
from cli.line.reading import Reader
from cli.line.tracking import Tracking
from cli.line.trials import ANY_TEXT, refusal_of
from cli.line.values import SIGNS, Fit, is_signed, number_at, sheet_as_meant
from cli.line.verbs import Verb, names_a_turn, verb_in
from cli.line.why_subject import why_subject
from cli.line.words import Line, quote, tokenize
from domain.common.revisions import REVISIONS, Amend, Conflicts, Redo
from domain.common.sheets import Override
from domain.common.tracking import Track
from domain.log.backdating import Backdating
from domain.log.redoing import check_nothing_came_since
from domain.naming import PARTY, called
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, verb_name
from domain.system.field_schema import fields_of
from domain.system.pending import choices_in
from domain.system.type_descriptions import either
from domain.turn import Action

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


def understand(
    line: Line | str, context: Context, questions: Sequence[str] = (), looked_back: str | None = None
) -> Understood:
    """Understand a line. `questions` are the reading commands that this face answers beside verbs.

    A late entry is understood against what was there then: at the place that it names, or directly after the turn that
    is `looked_back` to, as `T4`.

    Raises LineError, of which each nearest line can be typed as it stands, and is not refused for what is known by now;
    Refusal for somebody or something unknown; Invalid for a value that its field does not take.
    """
    try:
        return _meaning(tokenize(line) if isinstance(line, str) else line, context, questions, looked_back)
    except LineError as error:
        refusals = {
            way: refusal_of(context, meant.actions, backdating_of(meant, looked_back))
            for way in error.nearest
            if (meant := _if_readable(way, context, questions, looked_back)) is not None
        }
        error.nearest = tuple(way for way, refusal in refusals.items() if refusal is None)
        error.refusal = next(iter(refusals.values()), None)
        raise


def backdating_of(understood: Understood, looked_back: str | None) -> Backdating:
    """The place of a line: the one it names, else directly after `looked_back`; a revision is always recorded now."""
    own = understood.backdating
    if own or looked_back is None or any(isinstance(action, REVISIONS) for action in understood.actions):
        return own
    return Backdating(after=looked_back)


def _if_readable(line: str, context: Context, questions: Sequence[str], looked_back: str | None) -> Understood | None:
    """What a line means; None: nothing, or what is not for those who type."""
    try:
        understood = _meaning(tokenize(line), context, questions, looked_back)
        _ = understood.backdating
    except (Invalid, Refusal):
        return None
    return understood if all(context.proposes(type(action)) for action in understood.actions) else None


def _meaning(line: Line, context: Context, questions: Sequence[str], looked_back: str | None) -> Understood:
    then = context.after(happened_after(line, context.log, looked_back))
    line, end, place = place_of(line)
    then, verb, at, who = _beginning_then(then, context, line, questions)
    if at == 0 and len(line.words) == 1:
        return Understood(question=Question("show", (line.words[0].text,)))
    if isinstance(verb, str):
        return Understood(question=_question(verb, line, at, context))
    if verb.kind is Amend:
        return _amended(line, at, end, place, context)
    reader = _read(then, context, verb, line, at, end, who)
    return Understood(_actions(then, reader), manner={**reader.manner, **place}, without=_left_out(then, reader))


def _beginning_then(
    then: Context, now: Context, line: Line, questions: Sequence[str] = ()
) -> tuple[Context, Verb | str, int, tuple[str, ...]]:
    """The beginning of a line as it was then; or as it is now, as what is tracked only since is a verb, too."""
    try:
        return then, *beginning_of(then, line, questions)
    except LineError:
        return now, *beginning_of(now, line, questions)


def beginning_of(
    context: Context, line: Line, questions: Sequence[str] = ()
) -> tuple[Verb | str, int, tuple[str, ...]]:
    """The verb or the command of a line, the place behind it, and whom the line names before it. Raises LineError.

    A line that begins with a turn amends it from there on.
    """
    if line.words and names_a_turn(line.words[0].text) and not line.words[0].quoted:
        return Verb(verb_name(Amend), Amend), 0, ()
    try:
        return (*verb_in(context, line, 0, questions), ())
    except LineError as error:
        try:
            people = people_at(context, line, 0) if line.words else None
        except LineError as unclear:
            raise (unclear if error.no_verb else error) from None
        if people is None or people[1] >= len(line.words):
            raise
    who, at = people
    if is_signed(line.words[at].text):
        number = number_at(line, at)
        sign = line.words[at].text[:1].translate(SIGNS)
        kind = next((kind for kind in context.system.actions if kind.number_sign == sign), None)
        if number is None or kind is None:
            raise _no_gain(context, line, at, who, number)
        _refuse_awaited(context, line, at, who, kind)
        points = next(field.key for field in fields_of(kind) if field.required and field.kind.shape == "number")
        return Verb(verb_name(kind), kind, {points: abs(number[0])}), number[1], who
    verb, beyond = verb_in(context, line, at, ())
    assert not isinstance(verb, str)
    if verb.kind is Amend:
        raise LineError("A line that amends begins with the turn, or with amend.", at=at)
    return verb, beyond, who


def kind_of(context: Context, line: Line, questions: Sequence[str] = ()) -> type[Action] | None:
    """The action whose fields the end of a line fills: behind `T7 =` not the amendment. None: a command, or none."""
    if (other := replacing(context, line, questions)) is not None:
        line, questions = other, ()
    try:
        verb, *_ = beginning_of(context, line, questions)
    except LineError:
        return None
    return None if isinstance(verb, str) else verb.kind


def replacing(context: Context, line: Line, questions: Sequence[str] = ()) -> Line | None:
    """The line that another one puts in the place of a turn, however unfinished; None: it puts none there."""
    try:
        verb, at, _ = beginning_of(context, line, questions)
    except LineError:
        return None
    return put_in_place(line, at) if not isinstance(verb, str) and verb.kind is Amend else None


def _refuse_awaited(context: Context, line: Line, at: int, who: Sequence[str], kind: type[Action]) -> None:
    """Refuse a signed number that the table waits for under another verb: the modifier card of `brann +1`."""
    behind = " ".join(map(line.typed, range(at, len(line.words))))
    pending = choices_in(decision for name in who for decision in context.system.pending_for(context.state, name))
    verbs = {verb_name(choice.action): choice.action for choice in pending if choice.action is not kind}
    whom = " ".join(map(line.typed, range(at)))
    ways = {verb: f"{verb} {whom} {behind}" for verb in verbs}
    readable = {verb: way for verb, way in ways.items() if _if_readable(way, context, (), None) is not None}
    if readable:
        ways = {verb_name(kind): f"{verb_name(kind)} {whom} {behind.lstrip('+-−– ')}", **readable}
        raise LineError(f"{line.rest(at, at + 1)} may be {either(ways)}.", nearest=list(ways.values()), at=at)


def _no_gain(context: Context, line: Line, at: int, who: Sequence[str], number: Fit) -> LineError:
    """The error for a signed number of which the rules know no verb: with the override that comes to the same."""
    vital, behind = context.system.vital[0], len(line.words)
    reason = f"{line.rest(at, behind)!r} is no loss. A gain that no rule gives is an override, with the reason"
    if number is None or len(who) != 1:
        return LineError(f"{reason}.", at=at)
    now = context.system.sheet_view(context.state, who[0])[vital]
    why = line.rest(number[1], behind) if number[1] < behind else ANY_TEXT
    instead = Override(character=who[0], set={vital: now + number[0]}, why=why)
    if refusal_of(context, [instead]) is not None:
        return LineError(f"{reason}.", at=at)
    way = " ".join([verb_name(Override), quote(who[0]), f"{vital}={now + number[0]}"])
    if number[1] >= behind:
        return LineError(f"{reason}: {way} and why.", at=at)
    return LineError(f"{reason}.", nearest=[" ".join([way, *map(line.typed, range(number[1], behind))])], at=at)


def _read(then: Context, now: Context, verb: Verb, line: Line, at: int, end: int, who: Sequence[str]) -> Reader:
    """The words behind a verb, read to their end. Raises LineError for somebody who was not there yet."""
    since = [name for name in now.state.characters if name not in then.state.characters]
    named = somebody_among_words(since, line, at, end) if since and not grammar_of(verb).any_words else None
    if named is not None:
        raise LineError(f"{called(named[0])} was not there yet.", at=named[1])
    if verb.kind is Track:
        return Tracking(then, verb, line, at, end, who).read()
    reader = Reader(then, grammar_of(verb), line, at, end, who)
    if who and reader.grammar.who is None:
        raise reader.refuse(f"{verb.name} is about nobody: the line begins with {verb.name}.", 0)
    refuse_shared_report(reader.read())
    check_complete(reader)
    return reader


def _actions(context: Context, reader: Reader) -> tuple[Action, ...]:
    values = [sheet_as_meant(context.system, context.state, value) for value in reader.actions()]
    actions = tuple(action_from(context.system.key, dict(value)) for value in values)
    if any(isinstance(action, Redo) and action.last is None and action.turn is None for action in actions):
        check_nothing_came_since(context.log)
    return actions


def _left_out(context: Context, reader: Reader) -> tuple[str, ...]:
    """The characters whom `all` or `party` left out although they are still shown: the collapsed, but not the dead."""
    if reader.group_at is None:
        return ()
    system, state = context.system, context.state
    is_party = reader.words[reader.group_at].text.casefold() in PARTY
    ours = (name for name in state.characters if not system.is_foe(state, name))
    group = (name for name in ours if not is_party or getattr(state.characters[name], "player", None))
    absentees = [name for name in group if system.fallen(state, name) and name not in reader.names]
    return tuple(name for name in absentees if system.brief(state, name, system.sheet_view(state, name)))


def _amended(line: Line, at: int, end: int, place: Mapping[str, str], context: Context) -> Understood:
    def means(line: Line, then: Context) -> tuple[tuple[Action, ...], Mapping[str, str]]:
        then, verb, at, who = _beginning_then(then, context, line)
        assert not isinstance(verb, str)
        if verb.kind is Amend:
            raise LineError("You cannot put an amendment in the place of a turn.")
        reader = _read(then, context, verb, line, at, len(line.words), who)
        return _actions(then, reader), reader.manner

    value, manner = amendments(context, line, at, end, place, means)
    return Understood((action_from(context.system.key, value),), manner=manner)


def _question(command: str, line: Line, at: int, context: Context) -> Question:
    """The arguments of a reading command: its words; SQL, which has quotes of its own, as it was typed.

    `why` is asked about one value: the vital one of somebody where no field is named.
    """
    words = line.words[at:]
    if command == "why":
        texts = [word.text for word in words]
        subject = list(takewhile(lambda text: not text.startswith("-"), texts))
        if not subject:
            raise LineError("Say whose: why NAME, or why NAME.FIELD.", at=at)
        return Question(command, (_subject_of_why(subject, context), *texts[len(subject) :]))
    if command != "query":
        return Question(command, tuple(word.text for word in words))
    is_option = (not word.quoted and re.match("--?[A-Za-z]", word.text) is not None for word in words)
    end = next((place for place, ends in enumerate(is_option) if ends), len(words))
    return Question(command, (*([line.rest(at, at + end)] if end else ()), *(word.text for word in words[end:])))


def _subject_of_why(words: Sequence[str], context: Context) -> str:
    state = context.state
    first = next(iter(state.characters), None)
    fields = tuple(context.system.sheet_view(state, first)) if first is not None else ()
    things = {name: tuple(sheet.tracked) for name, sheet in state.characters.items()}
    return why_subject(words, tuple(state.characters), fields, context.system.vital, tuple(state.table.tracked), things)
