"""Lines that amend an earlier turn: `T49 amount=2`, `amend 2`, `T49 = damage brog 2`, `T3 lead=4 T4 card=4`."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from cli.line.context import Context
from cli.line.errors import LineError
from cli.line.grammar import grammar_of
from cli.line.manner import PLACES, option_at
from cli.line.reading import Reader
from cli.line.values import dice_of, number_at, number_of, turn_number_of
from cli.line.verbs import Verb, names_a_turn, verb_in
from cli.line.words import Line, quote
from domain.common.revisions import REVISIONS, Amend, Conflicts
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.snapshots import EVERY
from domain.naming import did_you_mean, listed, nearest
from domain.refusal import Refusal, Unknown
from domain.registry import action_from, verb_name
from domain.system.field_schema import NEW, Field, fields_of
from domain.system.type_descriptions import either
from domain.turn import Action, Turn

#: The amendment's own fields, which a line may set beside those of the turn.
BESIDE = Verb("amend", Amend, {"turn": None, "action": None})
#: A number of so many digits may be dice; one digit is the first number of a turn.
LEAST_OF_DICE = 2
#: The actions of the words from a place on, which begin with a verb, and the options among them.
Means = Callable[[Line, int, int], tuple[tuple[Action, ...], Mapping[str, str]]]


def amendments(
    context: Context, line: Line, at: int, end: int, place: Mapping[str, str], means: Means
) -> tuple[dict[str, Any], dict[str, str]]:
    """The amend action of a line as JSON, and its options; `place` is where in the log the line says it happened.

    `means` reads a line that replaces a whole action. Raises LineError, and Refusal if nothing would change.
    """
    words = tuple(
        replace(word, text=word.text.removeprefix("--set=")) if not word.quoted else word
        for word in line.words[:end]
        if word.text != "--set" or word.quoted
    )
    line = replace(line, words=words)
    begins = [at, *(here for here in range(at + 2, len(words) - 1) if _begins_another(line, here))]
    parts: list[dict[str, Any]] = []
    manner = dict(place)
    for begin, beyond in zip(begins, [*begins[1:], len(words)], strict=True):
        if parts:
            context = _with_renamed(context, parts[-1])
        own, options = _amendment(context, line, begin, beyond, place, means)
        manner = {**options, **manner}
        parts.append(own)
    value, *further = parts
    if beside := {key for own in further for key in own} - {"type", "turn", "action"}:
        raise LineError(f"{listed(sorted(beside))} counts for the whole amendment: say it with the first turn.", at=at)
    also = {"also": [{"turn": own["turn"], "action": own["action"]} for own in further]} if further else {}
    return {**value, **also}, manner


def _begins_another(line: Line, here: int) -> bool:
    """Whether a further turn to amend begins at this place."""
    before, word, behind = line.words[here - 1 : here + 2]
    waits_for_it = before.text == "=" or before.text.removeprefix("--") in PLACES
    return not word.quoted and names_a_turn(word.text) and not waits_for_it and "=" in behind.text


def _amendment(
    context: Context, line: Line, at: int, end: int, place: Mapping[str, str], means: Means
) -> tuple[dict[str, Any], dict[str, str]]:
    """One turn of an amendment: the turn, then a number, fields by their names, or `=` and another line."""
    named = _turn_at(context, line, at, end)
    begin, at = at, at + (named is not None)
    number = latest_turn(context) if named is None else named
    # revisions are about earlier turns only, so that nothing before this one says anything of it
    effective = effective_history(context.log, after=max(0, number - 1))
    action = _action_in(effective, context, number)
    equals = next((here for here in range(at, end) if line.words[here].text == "="), end)
    people = names_in(action)[:1] if len(names_in(action)) == 1 else []
    grammar = grammar_of(Verb(verb_name(type(action)), type(action)))
    of_turn = Reader(context, grammar, line, at, equals, people)
    of_turn.replaces = True
    whole: dict[str, Any] = msgspec.to_builtins(action)
    if at >= end and not place:
        raise _nothing_said(of_turn, number, action, begin)
    if (value := number_at(line, at)) is not None and at < equals:
        first = _first_number(of_turn, action, number)
        _refuse_dice(line, at, number, action, first)
        whole[first], of_turn.at = value[0], value[1]
    beside = _Beside(context, line, of_turn.at, end, equals, grammar.fields)
    dropped = set[str]()
    while of_turn.at < equals:
        word = line.words[of_turn.at]
        name, sign, text = word.text.removeprefix("--").partition("=")
        field = grammar.field(name)
        is_option = option_at(line, of_turn.at, end, grammar.fields) is not None
        if of_turn.at in beside.taken:
            of_turn.at += 1
        elif sign and not text and not word.quoted and field is not None:
            dropped.add(field.key)
            of_turn.at += 1
        elif not is_option and ((field is None and not of_turn.settable(name)) or not (sign or word.is_option)):
            raise _no_field(of_turn, number, action)
        else:
            of_turn.take_named()
    manner = {**beside.manner, **of_turn.manner}
    if equals < end:
        if set(of_turn.shared) | dropped or value is not None:
            raise LineError(f"Change fields of T{number} or put another line in its place, not both.", at=equals)
        behind = [here for here in range(equals + 1, end) if here not in beside.taken]
        actions, options = means(replace(line, words=tuple(line.words[here] for here in behind)), 0, len(behind))
        if len(actions) != 1:
            raise LineError(f"T{number} is one turn; you cannot put {len(actions)} turns in its place.", at=equals + 1)
        return _amend(number, msgspec.to_builtins(actions[0]), beside.fields), {**options, **manner}
    for key, given in of_turn.given_anew().items():
        old = whole.get(key)
        whole[key] = {**old, **given} if isinstance(old, dict) and isinstance(given, dict) else given
    whole = {key: given for key, given in whole.items() if key not in dropped}
    if not place and not set(manner) & set(PLACES) and _changes_nothing(effective, context, number, action, whole):
        raise Refusal(None, f"T{number} says that already; nothing would change.")
    return _amend(number, whole, beside.fields), manner


class _Beside(Reader):
    """What an amendment says of itself, as its reason: `fields`, at the places `taken`, wherever these stand.

    Before `=` its options are its own, and so is a field that the turn has none of; behind `=` an option that is no
    field of the other action.
    """

    def __init__(self, context: Context, line: Line, at: int, end: int, equals: int, of_turn: Collection[str]) -> None:
        super().__init__(context, grammar_of(BESIDE), line, at, end)
        verb = verb_in(context, line, equals + 1)[0] if equals < end else ""
        of_other = () if isinstance(verb, str) else [field.key for field in fields_of(verb.kind)]
        self.taken = set[int]()
        while self.at < end:
            here, word = self.at, line.words[self.at]
            name = word.text.removeprefix("--").partition("=")[0]
            others = of_other if here > equals else () if word.is_option or equals < end else of_turn
            is_own = self.grammar.field(name) is not None or name in get_args(Conflicts)
            if is_own and name not in others and (word.is_option or here < equals) and self.take_named():
                self.taken |= set(range(here, self.at))
            else:
                self.at = here + 1

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the amendment that are said, by name."""
        return {key: value for key, value in self.shared.items() if value is not None}


def _amend(number: int, action: dict[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "amend", "turn": number, "action": action, **beside}


def _turn_at(context: Context, line: Line, at: int, end: int) -> int | None:
    """The turn that a line names first: T4 or @-1, or 4 beside a field of it. None: it names none."""
    if at >= end:
        return None
    word, behind = line.words[at].text, line.words[at + 1].text if at + 1 < end else ""
    beside_a_field = "=" in behind and not behind.startswith("--")
    return int(word) if beside_a_field and re.fullmatch(r"[0-9]{1,15}", word) else turn_number_of(word, context.log)


def _with_renamed(context: Context, values: Mapping[str, Any]) -> Context:
    """The context for further turns of an amendment that gives an enrolled character another name."""
    action = action_from(context.system.key, values["action"])
    before = action_of(context, values["turn"])
    new_names = [field.name for field in fields_of(type(action)) if field.names == NEW]
    state = context.state
    for name in new_names if type(before) is type(action) else ():
        new, sheet = getattr(action, name), state.characters.get(getattr(before, name))
        if sheet is not None and new not in state.characters:
            state = state.copy()
            state.characters[new] = sheet
    return replace(context, state=state)


def action_of(context: Context, number: int) -> Action:
    """The effective action of a turn. Raises Unknown if there is none, Refusal if it would show what others hide."""
    return _action_in(effective_history(context.log, after=max(0, number - 1)), context, number)


def _action_in(effective: EffectiveHistory, context: Context, number: int) -> Action:
    turn = _turn(context, number)
    if not context.veiled and _is_secret(context, turn):
        raise Refusal(None, f"T{number} is not open to you; whoever sees it may amend it, and undo takes it back.")
    return effective.action(turn)


def _turn(context: Context, number: int) -> Turn:
    turn = next(context.log.read(after=number - 1, upto=number), None)
    if turn is None:
        raise Unknown("turn", number, f"There is no turn T{number}", f"the last one is T{context.log.last()}.")
    return turn


def _is_secret(context: Context, turn: Turn) -> bool:
    return context.keeps is not None and context.keeps(turn)


def _changes_nothing(
    effective: EffectiveHistory, context: Context, number: int, action: Action, values: dict[str, Any]
) -> bool:
    """Whether an amendment leaves a turn as it is; False for a turn that holds what whoever types may not know."""
    can_be = number > 1 and effective.stands(number) and not isinstance(action, REVISIONS)
    same = can_be and action_from(context.system.key, values) == action
    return same and not _is_secret(context, _turn(context, number))


def latest_turn(context: Context) -> int:
    """The latest standing turn that can be amended. Raises Refusal if there is none."""
    for end in range(context.log.last(), 1, -EVERY):  # nearly always it is among the last few
        after = max(1, end - EVERY)
        stands = effective_history(context.log, after=after).stands
        for turn in context.log.read_back(after, end):
            if stands(turn.number) and not isinstance(turn.action, REVISIONS):
                return turn.number
    raise Refusal(None, "There is no turn to amend yet.")


def _standing(action: Action) -> list[Field]:
    """The fields that an action says something in, those with a number first."""
    fields = [field for field in fields_of(type(action)) if field.required or getattr(action, field.name)]
    return sorted(fields, key=lambda field: field.kind.shape != "number" or field.turn)


def _first_number(of_turn: Reader, action: Action, number: int) -> str:
    """The first field of an action that holds a number: what was said goes before what is so by default."""
    numbers = [field for field in fields_of(type(action)) if field.kind.shape == "number" and not field.turn]
    numbers = [field for field in numbers if getattr(action, field.name) is not None]
    said = [field for field in numbers if field.required or getattr(action, field.name) != field.default]
    if not numbers:
        keys = [field.key for field in _standing(action)]
        first = keys[0] if keys else "FIELD"
        raise of_turn.refuse(f"No number stands in T{number}. Name what to change: T{number} {first}=…")
    return (said or numbers)[0].key


def _nothing_said(of_turn: Reader, number: int, action: Action, begin: int) -> LineError:
    """The error for an amendment that does not say what changes, with a line that does: it shows how that is typed."""
    context, standing = of_turn.context, _standing(action)
    is_open = not _is_secret(context, _turn(context, number))
    others = [
        f"{field.key}={quote(str(other))}"
        for field in standing if is_open for other in _others(context, field, getattr(action, field.name))
    ]  # fmt: skip
    way = [*map(of_turn.line.typed, range(begin)), f"T{number}", *(others or ["= note Rain"])[:1]]
    keys = [field.key for field in fields_of(type(action)) if field in standing]
    reason = (
        f"Say what changes in T{number}: {either(keys)}."
        if keys
        else f"T{number} has nothing to change; put a line in its place."
    )
    return LineError(reason, nearest=[" ".join(way)], at=begin, missing=keys)


def _others(context: Context, field: Field, now: Any) -> list[Any]:
    """Another value that a field could have: the next number, another choice, somebody else; none for a text."""
    if field.kind.shape == "number":
        return [now + 1 if now < field.kind.bounds.get("le", now + 1) else now - 1]
    choices = context.own() if field.names == "character" else field.kind.choices
    return [other for other in choices if other != now and isinstance(now, str)]


def _refuse_dice(line: Line, at: int, turn: int, action: Action, first: str) -> None:
    """Refuse a number that may be the dice of a turn as well as its first number: `amend T3 56`."""
    field = next((field for field in fields_of(type(action)) if field.dice or field.keyed_by_names), None)
    word = line.words[at].text.removesuffix(",")
    faces, people = dice_of(word), names_in(action)
    if field is None or faces is None or not word.isdecimal() or (field.keyed_by_names and len(people) != 1):
        return
    so_far = getattr(action, field.name)
    so_far = so_far.get(people[0]) if field.keyed_by_names and so_far else so_far
    if len(faces) < LEAST_OF_DICE or len(faces) != len(so_far or faces):
        return  # so many dice were not rolled
    report = ",".join(map(str, faces))
    dice = f"{field.key}={report}" if not field.keyed_by_names else f'{field.key}="{people[0]}={report}"'
    ways = [dice] * (list(so_far or ()) != faces) + [f"{first}={word}"]
    behind = map(line.typed, range(at + 1, len(line.words)))
    nearest = [" ".join([f"T{turn}", way, *behind]) for way in ways]
    raise LineError(f"{word} may be the dice or the {first.replace('_', ' ')}.", nearest=nearest, at=at)


def _no_field(of_turn: Reader, number: int, action: Action) -> LineError:
    """The error for a word that is the value of no field of a turn, with how to write it."""
    line, at, grammar = of_turn.line, of_turn.at, of_turn.grammar
    word, before = line.words[at], line.words[at - 1].text if at else ""
    name, sign, text = word.text.removeprefix("--").partition("=")
    field = grammar.field(name)
    if field is not None:
        behind = " ".join(line.words[here].text for here in range(at + 1, of_turn.end))
        ways = [line.replaced(at, of_turn.end, f"{field.key}={quote(behind)}")] if behind else []
        return of_turn.refuse(f"Say what {field.key} becomes, as {field.key}=VALUE.", at, *ways)
    if sign:
        near = nearest(name, list(grammar.fields))
        numbers = [own.key for own in _standing(action) if own.kind.shape == "number" and number_of(text) is not None]
        meant = [near] if near is not None else numbers[:1]
        ways = [line.replaced(at, at + 1, f"{key}={quote(text)}") for key in meant]
    elif "=" in before and not line.words[at - 1].quoted:
        last, _, text = before.partition("=")
        in_quotes = quote(f"{text} {line.rest(at, of_turn.end)}", always=True)
        ways = [line.replaced(at - 1, of_turn.end, f"{last}={in_quotes}")]
    else:
        ways = [line.replaced(at, at, "=")]
    advice = did_you_mean(name, list(grammar.fields), otherwise=f"it takes {listed(grammar.fields)}.")
    return of_turn.refuse(f"T{number} has no field for {word.text!r}; {advice}", at, *ways)
