"""Lines that amend an earlier turn: `T49 amount=2`, `amend 2`, `T49 = damage brog 2`, `T3 lead=4 T4 card=4`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from cli.line.errors import LineError
from cli.line.grammar import grammar_of
from cli.line.manner import PLACES, option_at
from cli.line.reading import Reader
from cli.line.values import Context, dice_of, number_at, turn_number_of
from cli.line.verbs import Verb, names_a_turn, verb_in
from cli.line.words import Line, quote
from domain.common.revisions import REVISIONS, Amend
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.snapshots import EVERY
from domain.naming import did_you_mean, listed
from domain.refusal import Refusal, Unknown
from domain.registry import action_from, verb_name
from domain.system.field_schema import Field, fields_of
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
    at += named is not None
    number = latest_turn(context) if named is None else named
    # revisions are about earlier turns only, so that nothing before this one says anything of it
    effective = effective_history(context.log, after=max(0, number - 1))
    action = _action_in(effective, context, number)
    if at >= end and not place:
        keys = [field.key for field in fields_of(type(action)) if getattr(action, field.name) not in (None, False)]
        if not keys:
            raise LineError(
                f"T{number} has nothing to change; put a line in its place: amend T{number} = note Rain.", at=at
            )
        raise LineError(f"Say what changes in T{number}: {either(keys)}.", at=at, missing=keys)
    whole: dict[str, Any] = msgspec.to_builtins(action)
    people = names_in(action)[:1] if len(names_in(action)) == 1 else []
    of_turn = Reader(context, grammar_of(Verb(verb_name(type(action)), type(action))), line, at, end, people)
    of_turn.replaces = True
    beside = Reader(context, grammar_of(BESIDE), line, at, end)
    if (value := number_at(line, at)) is not None and at < end:
        first = _first_number(of_turn, action, number)
        _refuse_dice(line, at, number, action, first)
        whole[first], of_turn.at = value[0], value[1]
    dropped, replacing = set[str](), None
    while of_turn.at < end:
        here = of_turn.at
        word = line.words[here]
        name, sign, text = word.text.removeprefix("--").partition("=")
        field = of_turn.grammar.field(name)
        if word.text == "=":
            replacing = here + 1
            break
        if sign and not text and not word.quoted and field is not None:
            dropped.add(field.key)
            of_turn.at += 1
        elif _is_beside(word.text, field, beside, name):
            beside.at = here
            if not beside.take_named():
                raise _no_field(of_turn, number)
            of_turn.at = beside.at
        elif (option := option_at(line, here, end, of_turn.grammar.fields)) is not None:
            beside.manner[option[0]], of_turn.at = option[1], option[2]
        elif (field is None and not of_turn.settable(name)) or not (sign or word.is_option):
            raise _no_field(of_turn, number)
        else:
            of_turn.take_named()
    manner, own = {**beside.manner, **of_turn.manner}, {k: v for k, v in beside.shared.items() if v is not None}
    if replacing is not None:
        for key in set(of_turn.shared) & set(beside.grammar.fields):
            # a field that both have, like the reason, belongs to the amendment
            beside.shared[key] = of_turn.shared.pop(key)
        if set(of_turn.shared) | dropped or value is not None:
            raise LineError(f"Change fields of T{number} or put another line in its place, not both.", at=replacing - 1)
        line, beside = _own_options_off(context, line, replacing, end, beside)
        own = {key: value for key, value in beside.shared.items() if value is not None}
        actions, options = means(line, replacing, len(line.words))
        if len(actions) != 1:
            raise LineError(f"T{number} is one turn; you cannot put {len(actions)} turns in its place.", at=replacing)
        return _amend(number, msgspec.to_builtins(actions[0]), own), {**options, **manner}
    for key, given in of_turn.given_anew().items():
        old = whole.get(key)
        whole[key] = {**old, **given} if isinstance(old, dict) and isinstance(given, dict) else given
    whole = {key: given for key, given in whole.items() if key not in dropped}
    if not place and not set(manner) & set(PLACES) and _changes_nothing(effective, context, number, action, whole):
        raise Refusal(None, f"T{number} says that already; nothing would change.")
    return _amend(number, whole, own), manner


def _own_options_off(context: Context, line: Line, at: int, end: int, beside: Reader) -> tuple[Line, Reader]:
    """The line up to `end` without the options of the amendment itself behind `=`, which are taken by `beside`.

    An option that is a field of the other action too is that action's.
    """
    verb, _ = verb_in(context, line, at)
    others = () if isinstance(verb, str) else [field.key for field in fields_of(verb.kind)]
    words, beside.line, beside.words = list(line.words[:at]), line, line.words
    while at < end:
        name = line.words[at].text.removeprefix("--").partition("=")[0]
        beside.at = at
        if line.words[at].is_option and name not in others and _is_beside(line.words[at].text, None, beside, name):
            beside.take_named()
            at = beside.at
        else:
            words.append(line.words[at])
            at += 1
    return replace(line, words=tuple(words)), beside


def _amend(number: int, action: dict[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "amend", "turn": number, "action": action, **beside}


def _is_beside(text: str, field: Field | None, beside: Reader, name: str) -> bool:
    """Whether a word names a field of the amendment itself: as an option, or where the turn has none of that name."""
    is_own = beside.grammar.field(name) is not None or name in ("drop", "keep")
    return is_own and (field is None or text.startswith("--"))


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
    new_names = [field.name for field in fields_of(type(action)) if field.names == "new character"]
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


def _first_number(of_turn: Reader, action: Action, number: int) -> str:
    """The first field of an action that holds a number."""
    numbers = [
        field.key
        for field in fields_of(type(action))
        if field.kind.shape == "number" and getattr(action, field.name) is not None and not field.turn
    ]
    if not numbers:
        keys = [field.key for field in fields_of(type(action)) if getattr(action, field.name) not in (None, False)]
        first = keys[0] if keys else "FIELD"
        raise of_turn.refuse(f"No number stands in T{number}. Name what to change: T{number} {first}=…")
    return numbers[0]


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


def _no_field(of_turn: Reader, number: int) -> LineError:
    """The error for a word that is the value of no field of a turn, with how to write it."""
    line, at, grammar = of_turn.line, of_turn.at, of_turn.grammar
    word = line.words[at].text
    field = grammar.field(word.removeprefix("--").partition("=")[0])
    fields = [f"{key}=" for key in grammar.fields]
    before = line.words[at - 1].text if at else ""
    ways = []
    if field is not None and at + 1 < of_turn.end:
        ways = [line.replaced(at, of_turn.end, f"{field.key}={quote(line.rest(at + 1, of_turn.end))}")]
    elif "=" in before and not line.words[at - 1].quoted:
        name, _, text = before.partition("=")
        ways = [line.replaced(at - 1, end, f"{name}={quote(f'{text} {line.rest(at, end)}', always=True)}")
                for end in (of_turn.end,)]  # fmt: skip
    else:
        ways = [line.replaced(at, at, "=")]
    name = word.removeprefix("--").partition("=")[0]
    if field is not None and "=" not in word:
        return of_turn.refuse(f"Say what {field.key} becomes, as {field.key}=VALUE.", at, *ways)
    advice = did_you_mean(name, list(grammar.fields), otherwise=f"it takes {listed(fields)}.")
    reason = f"T{number} has no field for {word!r}; {advice}"
    return of_turn.refuse(reason, at, *ways)
