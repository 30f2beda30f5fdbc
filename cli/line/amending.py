"""Lines that amend an earlier turn: `T49 amount=2`, `amend 2`, `T49 = damage brog 2`."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from cli.line import tracking
from cli.line.clause import MANNER, PLACES, SETTLING, Clause
from cli.line.errors import Ambiguous, Meaning, Misread, Missing, NoField
from cli.line.grammar import Grammar
from cli.line.named_values import by_name
from cli.line.reading import Reading
from cli.line.values import Context, dice_of, number_of, people_at, turn_number_of
from cli.line.verbs import Verb, names_a_turn
from cli.line.vocabulary import AMOUNT_NAMES
from cli.line.words import Line, Word, quote, rest_of
from domain.common.revisions import REVISIONS, Amend
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.port import Log
from domain.log.snapshots import EVERY
from domain.naming import did_you_mean, listed
from domain.refusal import Refusal, Unknown
from domain.registry import action_from
from domain.system.field_schema import fields_of
from domain.turn import Action, Turn

#: The amendment's own fields, which a line may set beside those of the turn.
BESIDE = Verb("amend", Amend, {"turn": None, "action": None})

#: A number of so many digits may be dice; one digit is the first number of a turn.
LEAST_OF_DICE = 2

#: Reads the actions behind a place of a line, and the options of the line among them.
Means = Callable[[Line, int, Context], tuple[tuple[Action, ...], Mapping[str, str]]]


def amendment(line: Line, at: int, context: Context, means: Means) -> tuple[dict[str, Any], dict[str, str]]:
    """The amend action of a line as JSON, and its options; `means` reads a line that replaces the whole action.

    If no turn is named, the latest that can be amended is meant. Raises Misread, and Refusal if nothing would change.
    """
    turn = _turn_reference(line, at, context.log)
    at += turn is not None
    number = turn if turn is not None else latest_turn(context)
    # revisions are about earlier turns only, so that nothing before this one says anything of it
    effective = effective_history(context.log, after=max(0, number - 1))
    action = _action_in(effective, context, number)
    if at >= len(line.words):
        fields = [field for field in fields_of(type(action)) if getattr(action, field.name) not in (None, False)]
        raise Missing(f"Say what T{number} should be: {', '.join(f'{field.key}=…' for field in fields)}.", fields, at)
    values, manner = _with_fields(line, at, context, number, action, means)
    if not set(manner) & set(PLACES) and _changes_nothing(effective, context, number, action, values["action"]):
        raise Refusal(None, f"T{number} says that already; nothing would change.")
    return values, manner


def _turn_reference(line: Line, at: int, log: Log) -> int | None:
    """The turn that a line names first: T4 or @-1, or 4 beside a field of it. None: it names none."""
    if at >= len(line.words):
        return None
    word, following = line.words[at].text, line.words[at + 1 : at + 2]
    beside_a_field = bool(following) and "=" in following[0].text and not is_own_option(following[0])
    return int(word) if beside_a_field and re.fullmatch(r"[0-9]{1,15}", word) else turn_number_of(word, log)


def is_own_option(word: Word) -> bool:
    """Whether a word is an option of the amendment itself, like --why: a field of the turn has no hyphens."""
    name = word.text.removeprefix("--").partition("=")[0]
    names = (*(field.key for field in fields_of(Amend) if field.key not in BESIDE.sets), *MANNER, *SETTLING)
    return word.text.startswith("--") and not word.quoted and name in names


def without_set(line: Line) -> Line:
    """The line with `--set FIELD=VALUE` as FIELD=VALUE."""
    words = (
        replace(word, text=word.text.removeprefix("--set=")) if not word.quoted else word
        for word in line.words
        if word.text != "--set" or word.quoted
    )
    return replace(line, words=tuple(words))


def _changes_nothing(
    effective: EffectiveHistory, context: Context, number: int, action: Action, values: dict[str, Any]
) -> bool:
    """Whether an amendment leaves a turn as it is; False for a turn that holds what whoever types may not know."""
    can_be = number > 1 and effective.stands(number) and not isinstance(action, REVISIONS)
    same = can_be and action_from(context.system.key, values) == action
    return same and not _is_secret(context, _turn(context, number))


def amendments(line: Line, at: int, context: Context, means: Means) -> tuple[dict[str, Any], dict[str, str]]:
    """The same for a line that may amend several turns at once: `T3 lead=4 T4 card=4`."""
    line = without_set(line)
    begins = [at, *(place for place in range(at + 2, len(line.words) - 1) if _begins_another(line, place))]
    ends = [*begins[1:], len(line.words)]
    parts: list[tuple[dict[str, Any], dict[str, str]]] = []
    for begin, end in zip(begins, ends, strict=True):
        if parts:
            context = _with_renamed(context, parts[-1][0])
        parts.append(amendment(Line(line.text, line.words[:end]), begin, context, means))
    value, manner = parts[0]
    if len(parts) > 1:
        further = [own for own, _ in parts[1:]]
        if beside := {key for own in further for key in own} - {"type", "turn", "action"}:
            raise Misread(f"{listed(sorted(beside))} counts for the whole amendment: say it with the first turn.", at)
        value["also"] = [{"turn": own["turn"], "action": own["action"]} for own in further]
    return value, {key: text for _, own_manner in reversed(parts) for key, text in own_manner.items()} | manner


def _with_renamed(context: Context, values: dict[str, Any]) -> Context:
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


def _begins_another(line: Line, place: int) -> bool:
    """Whether a further turn to amend begins at this place."""
    before, word, following = line.words[place - 1 : place + 2]
    waits_for_it = before.text == "=" or before.text.removeprefix("--") in PLACES
    return not word.quoted and names_a_turn(word.text) and not waits_for_it and "=" in following.text


def action_of(context: Context, number: int) -> Action:
    """The effective action of a turn. Raises Unknown if there is none, Refusal if it would show what others hide."""
    return _action_in(effective_history(context.log, after=max(0, number - 1)), context, number)


def _action_in(effective: EffectiveHistory, context: Context, number: int) -> Action:
    """The same where the effective history is known."""
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


def latest_turn(context: Context) -> int:
    """The latest standing turn that can be amended. Raises Refusal if there is none."""
    for end in range(context.log.last(), 1, -EVERY):  # nearly always it is among the last few
        after = max(1, end - EVERY)
        stands = effective_history(context.log, after=after).stands
        for turn in context.log.read_back(after, end):
            if stands(turn.number) and not isinstance(turn.action, REVISIONS):
                return turn.number
    raise Refusal(None, "There is no turn to amend yet.")


def _amend(number: int, action: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "amend", "turn": number, "action": action, **more}


def _first_number(action: Action, turn: int, at: int) -> str:
    """The first field of an action that holds a number. Raises Misread."""
    numbers = [
        field.key
        for field in fields_of(type(action))
        if field.kind.shape == "number" and getattr(action, field.name) is not None and not field.turn
    ]
    if not numbers:
        keys = [field.key for field in fields_of(type(action)) if getattr(action, field.name) not in (None, False)]
        first = keys[0] if keys else "FIELD"
        raise Misread(f"T{turn} has no number; say what is to change, like T{turn} {first}=….", at)
    return numbers[0]


def _refuse_dice(line: Line, at: int, turn: int, action: Action, first: str) -> None:
    """Raise Ambiguous for a number that may be the dice of a turn as well as its first number: `amend T3 56`."""
    field = next((field for field in fields_of(type(action)) if field.dice or field.keyed_by_names), None)
    word = line.words[at].text.removesuffix(",")
    faces = dice_of(word)
    people = names_in(action)
    if field is None or faces is None or not word.isdecimal() or (field.keyed_by_names and len(people) != 1):
        return
    faces_so_far = getattr(action, field.name)
    faces_so_far = faces_so_far.get(people[0]) if field.keyed_by_names and faces_so_far else faces_so_far
    if len(faces) < LEAST_OF_DICE or len(faces) != len(faces_so_far or faces):
        return  # so many dice were not rolled
    report = ",".join(map(str, faces))
    dice = f"{field.key}={report}" if not field.keyed_by_names else f'{field.key}="{people[0]}={report}"'
    same = dice if list(faces_so_far or ()) == faces else ""
    lines = [
        " ".join([f"T{turn}", change, *rest_of(line, at + 1)]) for change in (dice, f"{first}={word}") if change != same
    ]
    lead = f"{word} may be the dice or the {first.replace('_', ' ')}; type one of these:"
    raise Ambiguous(lead, f"{word}:", [Meaning(text, text) for text in lines], at)


def _with_fields(
    line: Line, at: int, context: Context, number: int, action: Action, means: Means
) -> tuple[dict[str, Any], dict[str, str]]:
    """Read named fields of the action or of the amendment itself; an empty value removes a field."""
    whole: dict[str, Any] = msgspec.to_builtins(action)
    table_of_turn = Clause(Grammar(context, Verb(str(whole["type"]), type(action))), line, at)
    table_of_amendment = Clause(Grammar(context, BESIDE), line, at)
    of_turn, of_amendment = Reading.of_nothing(table_of_turn.grammar), Reading.of_nothing(table_of_amendment.grammar)
    of_turn.known_person = names_in(action)[0] if len(names_in(action)) == 1 else None
    if at < len(line.words) and (value := number_of(line.words[at].text)) is not None:
        first = _first_number(action, number, at)
        _refuse_dice(line, at, number, action, first)
        whole[first] = value
        at += 1
    while at < len(line.words):
        if line.words[at].text == "=":
            return _replacing(line, at, number, means, of_turn, of_amendment)
        name = line.words[at].text.removeprefix("--").partition("=")[0]
        is_beside = is_own_option(line.words[at]) or (
            of_turn.grammar.field_called(name) is None and of_amendment.grammar.field_called(name) is not None
        )
        for beside in (is_beside, not is_beside):
            clause, reading = (table_of_amendment, of_amendment) if beside else (table_of_turn, of_turn)
            further = by_name(clause, reading, at)
            further = further if further is None else _with_rest_of_text(clause, reading, further, at)
            if beside:
                of_amendment = further or of_amendment
            else:
                of_turn = further or of_turn
            if further is not None:
                break
        if further is None and (place := table_of_amendment.late_at(at)) is not None:
            of_amendment.manner[place[0]] = place[1]
            break
        if further is None:
            raise _no_field(line, at, context, number, action, of_turn)
        at = further.place
    _refuse_results_as_names(number, of_turn)
    for key, value in of_turn.values().items():
        old = whole.get(key)
        whole[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
    for key in of_turn.dropped:
        whole.pop(key, None)
    return _amend(number, whole, **_beside(of_amendment)), {**of_amendment.manner, **of_turn.manner}


def _refuse_results_as_names(number: int, of_turn: Reading) -> None:
    """Raise Ambiguous for a choice of another field in the place of a foe's name: `T11 foe=xx`, of what it flipped."""
    fields = of_turn.grammar.fields
    for key, value in of_turn.values().items():
        others = (own for own in fields if own.startswith(f"{key}_") and value in fields[own].kind.offered_choices)
        if fields[key].added_by is not None and (other := next(others, None)) is not None:
            raise Ambiguous.between(f"Nobody is called {value}.", [f"T{number} {other}={value}"], None)


def _with_rest_of_text(clause: Clause, before: Reading, further: Reading, at: int) -> Reading:
    """`text=Old Tom casts it`: a text that was named takes what follows it, up to what else is named there."""
    word, key = clause.words[at], further.pieces[-1].field
    field = clause.grammar.fields.get(key)
    name = word.text.removeprefix("--").partition("=")[0]
    free = field is not None and field.kind.shape == "text" and clause.fits(before).is_free(field)
    if field is None or not free or word.quoted or not word.text.partition("=")[2] or further.place != at + 1:
        return further
    end = at + 1
    while end < len(clause.words) and not _names_something(clause, further, end):
        end += 1
    longer = clause.taking(before, at, end, "option", 0, key)
    longer.give(field, clause.line.rest(at, end).removeprefix(word.text[: word.text.index("=") + 1]), at)
    return longer if end > at + 1 and name else further


def _names_something(clause: Clause, reading: Reading, here: int) -> bool:
    """Whether a word behind a text is an option, a place in the log, or, where that has other fields, one of these."""
    word = clause.words[here]
    if word.text == "=" or "=" in word.text or word.text.startswith("--") or clause.late_at(here) is not None:
        return True
    if clause.grammar.words_alone:
        return False
    try:
        return by_name(clause, reading, here) is not None
    except Misread:
        return False


def _no_field(line: Line, at: int, context: Context, number: int, action: Action, of_turn: Reading) -> Misread:
    """The error for a word that is the value of no field of a turn, with how to write it."""
    word = line.words[at].text
    name = word.removeprefix("--").partition("=")[0]
    field = of_turn.grammar.field_called(name, whole=True)
    if field is None and _is_verb(context, line, at):
        return Misread(f"Write T{number} = {line.rest(at, len(line.words))} to put another line in its place.", at)
    field = of_turn.grammar.field_called(name) if field is None else field
    if field is not None:
        takes, behind = of_turn.grammar.takes(field, of_turn.whose), line.rest(at, len(line.words))
        return Misread(f"Write it as {field.key}=…: {takes}, not {behind!r}.", at)
    numbers = [own.key for own in fields_of(type(action)) if own.kind.shape == "number" and not own.turn]
    keys = [key for key in numbers if key in msgspec.to_builtins(action)] or numbers
    keys = keys or [own.key for own in fields_of(type(action)) if own.dice]  # a number that was rolled for
    value = word.partition("=")[2]
    if len(keys) == 1 and number_of(value) is not None and field is None and name.casefold() in AMOUNT_NAMES:
        like = " ".join([f"T{number}", f"{keys[0]}={value}", *rest_of(line, at + 1)])
        return Ambiguous.between(f"T{number} has no field for {word!r}.", [like], at)
    whom = people_at(line.words, at, context)
    if whom is not None and of_turn.grammar.who is not None and len(whom[0]) == 1:
        return Misread(f"T{number} has no field for {word!r}; say {of_turn.grammar.who.key}={quote(whom[0][0])}.", at)
    advice = did_you_mean(name, list(of_turn.grammar.fields), otherwise="it has none.")
    reason = f"T{number} has no field for {word!r}; {advice}"
    return NoField(reason, name, at) if word.startswith("--") else Misread(reason, at)


def _is_verb(context: Context, line: Line, at: int) -> bool:
    try:
        return at + 1 < len(line.words) and bool(tracking.verb_in(context, line, at))
    except Misread:
        return False


def _beside(of_amendment: Reading) -> dict[str, Any]:
    """The fields of the amendment itself."""
    return {key: value for key, value in of_amendment.shared.items() if key not in BESIDE.sets}


def _replacing(
    line: Line,
    at: int,
    number: int,
    means: Means,
    of_turn: Reading,
    of_amendment: Reading,
) -> tuple[dict[str, Any], dict[str, str]]:
    """Read a whole action that replaces another: `T49 = damage brog 2`."""
    context = of_turn.grammar.context
    for key in set(of_turn.shared) & set(of_amendment.grammar.fields):
        # a field that both have, like the reason, belongs to the amendment
        of_amendment.shared[key] = of_turn.shared.pop(key)
    if of_turn.values() or of_turn.dropped:
        raise Misread(f"Change fields of T{number} or put another line in its place, not both.", at)
    line, of_amendment = _own_options_off(line, at + 1, of_amendment)
    actions, manner = means(line, at + 1, context)
    if len(actions) != 1:
        raise Misread(f"T{number} is one turn; you cannot put {len(actions)} turns in its place.", at)
    manner = {**manner, **of_amendment.manner, **of_turn.manner}
    return _amend(number, msgspec.to_builtins(actions[0]), **_beside(of_amendment)), manner


def _own_options_off(line: Line, at: int, of_amendment: Reading) -> tuple[Line, Reading]:
    """A line without the amendment's own options among the words of another action, and the reading that has them.

    An option that is a field of the other action too is that action's.
    """
    verb, _ = tracking.verb_in(of_amendment.grammar.context, line, at)
    own_keys = () if isinstance(verb, str) else [field.key for field in fields_of(verb.kind)]
    clause, words, here = Clause(of_amendment.grammar, line, at), [*line.words[:at]], at
    while here < len(line.words):
        word = line.words[here]
        own = is_own_option(word) and word.text.removeprefix("--").partition("=")[0] not in own_keys
        further = by_name(clause, of_amendment, here) if own else None
        if further is None:
            words.append(word)
            here += 1
        else:
            of_amendment, here = further, further.place
    return replace(line, words=tuple(words)), of_amendment
