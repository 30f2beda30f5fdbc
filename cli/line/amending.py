"""Lines that amend an earlier turn: `T49 amount=2`, `amend 2`, `T49 = damage brog 2`, `T3 lead=4 T4 card=4`."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, get_args

import msgspec
from msgspec.structs import replace

from cli.line.context import Context
from cli.line.errors import LineError, may_be
from cli.line.grammar import grammar_of, is_text
from cli.line.manner import happened_after, option_at
from cli.line.people import people_at
from cli.line.reading import Reader
from cli.line.tracking import VALUES
from cli.line.trials import refusal_of
from cli.line.values import dice_of, is_signed, number_at, number_of, turn_number_of
from cli.line.verbs import Verb, names_a_turn, verb_in
from cli.line.words import Line, Word, quote
from domain.common.revisions import REVISIONS, Amend, Conflicts, Redo, Undo
from domain.common.tracking import Track
from domain.log.backdating import PLACES
from domain.log.deciding import names_in
from domain.log.effective_history import EffectiveHistory, effective_history
from domain.log.snapshots import EVERY
from domain.naming import did_you_mean, listed, nearest, same_letters, short_for
from domain.refusal import Refusal, Unknown
from domain.registry import action_from, tag_of, verb_name
from domain.system.field_schema import NEW, Field, fields_of
from domain.system.type_descriptions import either
from domain.turn import Action, Turn

#: The amendment's own fields, which a line may set beside those of the turn.
BESIDE = Verb(verb_name(Amend), Amend, {"turn": None, "action": None})
#: The names of these: `amend 2 why=…` amends the latest turn.
OWN = frozenset(field.key for field in fields_of(Amend))
#: A number of so many digits may be dice; one digit is the first number of a turn.
LEAST_OF_DICE = 2
#: The actions of a line that begins with a verb, as it was meant at a place in the log, and its options.
Means = Callable[[Line, Context], tuple[tuple[Action, ...], Mapping[str, str]]]


def amendments(
    context: Context, line: Line, at: int, end: int, place: Mapping[str, str], means: Means
) -> tuple[dict[str, Any], dict[str, str]]:
    """The amend action of a line as JSON, and its options; `place` is where in the log the line says it happened.

    `means` reads a line that replaces a whole action. Raises LineError, and Refusal if nothing would change.
    """
    words = tuple(
        word if word.quoted else replace(word, text=word.text.removeprefix("--set="))
        for word in line.words[:end]
        if word.text != "--set" or word.quoted
    )
    behind = " ".join(map(line.typed, range(end, len(line.words))))
    moved = happened_after(line, context.log)
    line = replace(line, words=words)
    begins = _beginnings(line, at)
    parts: list[dict[str, Any]] = []
    manner = dict(place)
    for begin, beyond in zip(begins, [*begins[1:], len(words)], strict=True):
        turn = AmendedTurn(context, line, begin, beyond, moved, parts)
        try:
            own, options = turn.amended(means, is_moved=bool(place))
        except LineError as error:
            error.nearest = tuple(way if behind in way else f"{way} {behind}" for way in error.nearest)
            raise
        manner = {**options, **manner}
        parts.append(own)
    value, *further = parts
    if beside := {key for own in further for key in own} - {"type", "turn", "action"}:
        raise LineError(f"{listed(sorted(beside))} counts for the whole amendment: say it with the first turn.", at=at)
    also = {"also": [{"turn": own["turn"], "action": own["action"]} for own in further]} if further else {}
    return {**value, **also}, manner


def _beginnings(line: Line, at: int) -> list[int]:
    """The places at which a turn to amend begins: at the first word, then before another turn with a field of it."""
    further = range(at + 2, len(line.words) - 1)
    return [at, *(here for here in further if _may_begin(line, here) and "=" in line.words[here + 1].text)]


def _may_begin(line: Line, here: int) -> bool:
    """Whether the word at this place may be a further turn to amend."""
    before, word = line.words[here - 1 : here + 1]
    waits_for_it = before.text == "=" or before.text.removeprefix("--") in PLACES
    return not word.quoted and names_a_turn(word.text) and not waits_for_it


def put_in_place(line: Line, at: int) -> Line | None:
    """The line that an unfinished one, amending from `at` on, puts in the place of a turn; None: there is none."""
    equals = _equals(line, _beginnings(line, at)[-1], len(line.words))
    return replace(line, words=line.words[equals + 1 :]) if equals < len(line.words) else None


def _equals(line: Line, at: int, end: int) -> int:
    """The place of the bare `=`; `end` where there is none."""
    return next((here for here in range(at, end) if line.words[here].text == "="), end)


def being_amended(context: Context, line: Line, at: int) -> "AmendedTurn":
    """The turn of which an unfinished line says at its end what changes. Raises LineError, Refusal."""
    begin, last = _beginnings(line, at)[-1], len(line.words) - 1
    if last > begin + 1 and _may_begin(line, last):
        begin = last
    return AmendedTurn(context, line, begin, last + 1)


class AmendedTurn(Reader):
    """The words about one turn, whose fields take the place of what it says; up to `=`, if another line follows.

    They are read against what was there then: before the turn, or where it is `moved` to. `renaming` are amendments
    that may give an enrolled character another name.
    """

    def __init__(
        self,
        context: Context,
        line: Line,
        begin: int,
        end: int,
        moved: int | None = None,
        renaming: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        named = _turn_at(context, line, begin, end)
        self.number = latest_turn(context) if named is None else named
        # revisions are about earlier turns only, so that nothing before this one says anything of it
        self.effective = effective_history(context.log, after=max(0, self.number - 1))
        self.action = _action_in(self.effective, context, self.number)
        kind, people, at = type(self.action), names_in(self.action), begin + (named is not None)
        grammar = grammar_of(Verb(verb_name(kind), kind))
        self.now = context
        context = context.before(self.number) if moved is None else context.after(moved)
        for values in renaming:
            context = _with_renamed(context, values)
        super().__init__(context, grammar, line, at, _equals(line, at, end), people if len(people) == 1 else ())
        #: what the amendment says of itself
        self.own: dict[str, Any] = {}
        self.is_default = True  # whom the line names takes the place of whom the turn does
        self.line_end, self.before = end, [*map(line.typed, range(begin)), f"T{self.number}"]
        #: the fields in which the turn says something, or is so by default, those with a number first
        self.numbers = [
            field
            for field in fields_of(kind)
            # the number of a card is its name, and no number to be changed
            if type(self._now(field)) is int and not field.turn and (kind is Track or not field.kind.reference)
        ]
        said = [field for field in fields_of(kind) if field.required or self._now(field) or field.dice]
        self.standing = [*(field for field in said if field in self.numbers), *said]

    def _now(self, field: Field) -> Any:
        return getattr(self.action, field.name)

    def open_fields(self) -> Iterator[Field]:
        """The fields of which its words do not say yet what they become."""
        words = [word.text.removeprefix("--").partition("=")[0] for word in self.words[self.at : self.end]]
        if self.at < self.end and number_at(self.line, self.at) is not None:
            words[0] = self._first_number()
        said = [self.grammar.field(word) for word in words]
        return (field for field in self.grammar.fields.values() if field not in said)

    def amended(self, means: Means, *, is_moved: bool) -> tuple[dict[str, Any], dict[str, str]]:
        """The amendment as JSON, and its options: a number, fields by their names, or `=` and another line."""
        equals, end, number = self.end, self.line_end, self.number
        if self.at >= end and not is_moved:
            raise self._nothing_said()
        whole: dict[str, Any] = msgspec.to_builtins(self.action)
        if self.at < equals and (value := number_at(self.line, self.at)) is not None:
            first = self._first_number()
            self._refuse_dice(first)
            self.shared[first], self.at = value
        for key in self._take_fields():
            whole.pop(key, None)
        manner, given = self.manner, self.shared
        if equals < end:
            if given or len(whole) < len(msgspec.to_builtins(self.action)):
                raise LineError(f"Change fields of T{number} or put another line in its place, not both.", at=equals)
            instead = self._line_instead()
            try:
                actions, options = means(instead, self.context)
            except LineError as error:
                begin = equals + 1
                own = [here for here in range(begin, end) if self.words[here] not in instead.words]
                before = list(map(self.line.typed, range(begin)))
                behind = list(map(self.line.typed, [*own, *range(end, len(self.words))]))
                error.nearest = tuple(" ".join([*before, way, *behind]) for way in error.nearest)
                error.at += begin
                raise
            if len(actions) != 1:
                reason = f"T{number} is one turn; you cannot put {len(actions)} turns in its place."
                raise LineError(reason, at=equals + 1)
            whole, manner = msgspec.to_builtins(actions[0]), {**options, **manner}
        else:
            who = self.grammar.who
            if who is not None and self.names:
                given = {who.key: self.names if self.grammar.several else self.names[0], **given}
            if isinstance(self.action, Track) and VALUES & given.keys():
                whole = {key: old for key, old in whole.items() if key not in VALUES}  # one of them takes its place
            for key, new in given.items():
                old = whole.get(key)
                whole[key] = {**old, **new} if isinstance(old, dict) and isinstance(new, dict) else new
            if not is_moved and not set(manner) & set(PLACES) and self._changes_nothing(whole):
                raise Refusal(None, f"T{number} says that already; nothing would change.")
        return {"type": tag_of(Amend), "turn": number, "action": whole, **self.own}, manner

    def _line_instead(self) -> Line:
        """The line behind `=`, without the options in it that are the amendment's own."""
        self.at, self.end, words = self.end + 1, self.line_end, list[Word]()
        try:
            verb = verb_in(self.context, self.line, self.at)[0]
        except LineError:
            verb = verb_in(self.now, self.line, self.at)[0]
        fields = () if isinstance(verb, str) else [field.key for field in fields_of(verb.kind)]
        while self.at < self.end:
            word = self.words[self.at]
            if not (word.is_option and self._take_own(fields)):
                words.append(word)
                self.at += 1
        return replace(self.line, words=tuple(words))

    def _take_own(self, others: Collection[str]) -> bool:
        """Take what the amendment says of itself, as its reason, unless it is one of `others`."""
        grammar, shared, own = self.grammar, self.shared, grammar_of(BESIDE)
        name = self.words[self.at].text.removeprefix("--").partition("=")[0]
        if name in others or (own.field(name) is None and name not in get_args(Conflicts)):
            return False
        self.grammar, self.shared = own, self.own
        try:
            return self.take_named()
        finally:
            self.grammar, self.shared = grammar, shared

    def _take_fields(self) -> Iterator[str]:
        """Take the fields that are named, of the turn and of the amendment; the keys of what is emptied: `source=`."""
        while self.at < self.end:
            word, beyond = self.grammar.word_at(self.line, self.at, self.end)
            name, sign, text = word.text.removeprefix("--").partition("=")
            field = self.grammar.field(name)
            is_option = option_at(self.line, self.at, self.end, self.grammar.fields) is not None
            if self._take_own(() if word.is_option or self.end < self.line_end else self.grammar.fields):
                continue
            if sign and not text and not word.quoted and field is not None:
                self.at = beyond
                yield field.key
            elif field is not None and not (sign or word.is_option) and self._ends_text(field, beyond + 1):
                if not self._by_its_name(field, beyond):
                    raise self._no_field()
            elif not is_option and ((field is None and not self.settable(name)) or not (sign or word.is_option)):
                raise self._no_field()
            else:
                self.take_named()

    def _ends_text(self, field: Field, beyond: int) -> bool:
        """Whether a value up to a place is all that may belong to it: `player Lukas Bo` may be one text."""
        if not is_text(field) or beyond >= self.end or self.words[beyond - 1].quoted:
            return True
        return "=" in self.words[beyond].text or self.words[beyond].is_option

    def _changes_nothing(self, values: dict[str, Any]) -> bool:
        """Whether an amendment leaves a turn as it is; False for a turn that holds what whoever types may not know."""
        same = action_from(self.context.system.key, values) == self.action
        return same and not _is_secret(self.context, _turn(self.context, self.number))

    # -- what is refused -----------------------------------------------------------------------------------------------

    def _first_number(self) -> str:
        """The first field that holds a number: what was said goes before what is so by default.

        A signed number changes what is tracked.
        """
        if isinstance(self.action, Track) and is_signed(self.words[self.at].text):
            return "change"
        said = (field for field in self.numbers if field.required or self._now(field) != field.default)
        if not self.numbers:
            raise self.refuse(f"No number stands in T{self.number}. {self._nothing_said().reason}")
        return next(said, self.numbers[0]).key

    def _nothing_said(self) -> LineError:
        """The error for what does not say what changes, with a line that does: it shows how that is typed."""
        keys = [field.key for field in fields_of(type(self.action)) if field in self.standing]
        nothing = f"T{self.number} has nothing to change; put a line in its place."
        others = [] if _is_secret(self.context, _turn(self.context, self.number)) else list(self._others())
        legal = (f"{key}={quote(str(other))}" for key, other in others if self._may_say(key, other))
        ways = [" ".join([*self.before, way]) for way in islice(legal, 1)]
        reason = f"Say what changes in T{self.number}: {either(keys)}." if keys else nothing
        return LineError(
            reason,
            nearest=ways if others else [" ".join([*self.before, "= note Rain"])],
            at=self.at,
            missing=keys,
        )

    def _others(self) -> Iterator[tuple[str, Any]]:
        """Other values that the turn could have: the next number, another choice, somebody else; none for a text."""
        for field in self.standing:
            now = self._now(field)
            choices = self.context.own() if field.names == "character" else field.kind.offered_choices
            if field in self.numbers:
                yield field.key, now - 1 if now == field.kind.bounds.get("le") else now + 1
            elif isinstance(now, str):
                yield from ((field.key, other) for other in choices if other != now)

    def _may_say(self, key: str, value: Any) -> bool:
        """Whether the rules let the turn have another value in a field."""
        action = {**msgspec.to_builtins(self.action), key: value}
        return refusal_of(self.context, [Amend(turn=self.number, action=action)]) is None

    def _refuse_dice(self, first: str) -> None:
        """Refuse a number that may be the dice of a turn as well as its first number: `amend T3 56`."""
        field = next((field for field in self.grammar.fields.values() if field.dice or field.keyed_by_names), None)
        word = self.words[self.at].text.removesuffix(",")
        faces, people = dice_of(word), names_in(self.action)
        if field is None or faces is None or not word.isdecimal() or (field.keyed_by_names and len(people) != 1):
            return
        so_far = getattr(self.action, field.name)
        so_far = so_far.get(people[0]) if field.keyed_by_names and so_far else so_far
        if len(faces) < LEAST_OF_DICE or len(faces) != len(so_far or faces):
            return  # so many dice were not rolled
        report = ",".join(map(str, faces))
        dice = f"{field.key}={report}" if not field.keyed_by_names else f'{field.key}="{people[0]}={report}"'
        either_way = {"the dice": dice, f"the {first.replace('_', ' ')}": f"{first}={word}"}
        raise may_be(self.line, self.at, self.at + 1, either_way)

    def _no_field(self) -> LineError:
        """The error for a word that is the value of no field, with how to write it."""
        line, at, end, known = self.line, self.at, self.end, list(self.grammar.fields)
        word, before = line.words[at], line.words[at - 1].text if at else ""
        name, sign, text = word.text.removeprefix("--").partition("=")
        field = self.grammar.field(name)
        until = self.end_of_text(at + 1, end)
        as_reason = f"why={quote(line.rest(at, until), always=True)}"
        reason = [line.replaced(at, until, as_reason)] if number_of(word.text) is None else []
        if at > self.begin and at + 1 == end and _may_begin(line, at):
            return self.refuse(f"Say what changes in {word.text}, as {word.text} FIELD=VALUE.", at)
        if field is not None:
            behind = " ".join(line.words[here].text for here in range(at + 1, end))
            ways = [line.replaced(at, end, f"{field.key}={quote(behind)}")] if behind else []
            return self.refuse(f"Say what {field.key} becomes, as {field.key}=VALUE.", at, *ways)
        if word.text in PLACES and at + 1 < end and names_a_turn(line.words[at + 1].text):
            ways = [" ".join([line.replaced(at, at + 2), line.rest(at, at + 2)])]
        elif (verb := same_letters(word.text, [verb_name(Undo), verb_name(Redo)])) is not None:
            ways = [f"{verb} T{self.number}"]
        elif sign:
            near = [key for key in [nearest(name, known)] if key is not None]
            number = number_of(text)
            others = (own.key for own in self.standing if own in self.numbers and number is not None)
            meant = near or [key for key in others if self._may_say(key, number)]
            ways = [line.replaced(at, at + 1, f"{key}={quote(text)}") for key in meant[:1]]
        elif whom := list(self._whom_instead(at)):
            ways = [line.replaced(at, at + 1, way) for way in whom]
        elif "=" in before and not line.words[at - 1].quoted:
            ways = [line.replaced(at - 1, end, *self._whole_values(at - 1)), *reason]
        else:
            ways = [line.replaced(at, at, "="), *reason]
        advice = did_you_mean(name, known, otherwise="it takes none.")
        return self.refuse(f"T{self.number} has no field for {word.text!r}; {advice}", at, *ways)

    def _whom_instead(self, at: int) -> Iterator[str]:
        """`character=Brog` for the bare name of somebody, for each field in which the turn names one person."""
        people = people_at(self.context, self.line, at)
        if people is not None and len(people[0]) == 1 and people[1] == self.end:
            name = quote(short_for(people[0][0], self.context.state.characters))
            named = (field for field in self.standing if field.names == "character" and self._now(field))
            yield from dict.fromkeys(f"{field.key}={name}" for field in named if field.kind.shape != "list")

    def _whole_values(self, at: int) -> Iterator[str]:
        """The words from a place on, each text of several behind its name in quotes: `source=a trap`."""
        while at < self.end:
            (name, _, text), beyond = self.words[at].text.partition("="), self.end_of_text(at + 1, self.end)
            whole = f"{text} {self.line.rest(at + 1, beyond)}" if beyond > at + 1 else ""
            numbers = whole.replace(",", " ").split()
            as_one = ",".join(numbers) if all(map(str.isdecimal, numbers)) else quote(whole, always=True)
            yield f"{name}={as_one}" if whole else self.line.typed(at)  # `rolled=5,2,4` of `rolled=5 2 4`
            at = beyond


def _turn_at(context: Context, line: Line, at: int, end: int) -> int | None:
    """The turn that a line names first: T4 or @-1, or 4 beside a field of it. None: it names none."""
    if at >= end:
        return None
    word, behind = line.words[at].text, line.words[at + 1].text if at + 1 < end else ""
    beside_a_field = "=" in behind and not behind.startswith("--") and behind.partition("=")[0] not in OWN
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


def latest_turn(context: Context) -> int:
    """The latest standing turn that can be amended. Raises Refusal if there is none."""
    for end in range(context.log.last(), 1, -EVERY):  # nearly always it is among the last few
        after = max(1, end - EVERY)
        stands = effective_history(context.log, after=after).stands
        for turn in context.log.read_back(after, end):
            if stands(turn.number) and not isinstance(turn.action, REVISIONS):
                return turn.number
    raise Refusal(None, "There is no turn to amend yet.")
