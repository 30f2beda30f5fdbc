"""Completions of a line: the verbs, characters, cards, values, fields and earlier remarks that may follow."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, starmap

from msgspec import Struct

from cli.line import tracking
from cli.line.amending import action_of, latest_turn, without_set
from cli.line.errors import Misread
from cli.line.grammar import Grammar
from cli.line.reading import Reading
from cli.line.search import read_so_far
from cli.line.values import Context, turn_number_of
from cli.line.verbs import Verb, begins, names_a_turn, parts_of, verbs_of
from cli.line.words import Line, quote, tokenize
from domain.common.revisions import Amend
from domain.common.tracking import Track
from domain.log.points import sessions_of
from domain.log.port import Log
from domain.naming import fitting, key_of
from domain.refusal import Invalid, Refusal
from domain.registry import tag_of, verb_name
from domain.system.field_schema import Field
from domain.system.options import options_of
from domain.system.paragraphs import bare_number, paragraphs_of
from domain.turn import Action
from domain.values import as_written
from projections.views.named_queries import named_queries, plots

#: Letters that have to be typed before a value which nobody at the table has seen yet is proposed.
LETTERS = 3
#: Earlier remarks that are proposed at most, and the latest turns that are searched for them.
MOST_REMARKS, TURNS_SEARCHED = 8, 500
#: Latest turns that are proposed at most.
MOST_TURNS = 20
#: The options of every line for backdating, with their help.
PLACED = {"--after": "late entry: directly after this turn", "--before": "late entry: directly before this turn"}


class Completion(Struct, frozen=True):
    """One word that may follow, with its help."""

    text: str
    help: str = ""
    #: whether more follows without a space, as behind `source=`
    open: bool = False
    #: letters that have to be typed before it is proposed
    letters: int = 0

    @property
    def as_word(self) -> str:
        """The word as it is typed, quoted if need be."""
        name, sign, value = self.text.partition("=")
        if self.open or (sign and not value):
            return self.text
        return f"{name}={quote(value)}" if sign else quote(self.text)


class Completions(Struct, frozen=True):
    """The completions, and the range of the text that each of them replaces."""

    start: int
    end: int
    ways: tuple[Completion, ...]


def completions(text: str, cursor: int, context: Context, questions: Sequence[str] = ()) -> Completions:
    """The completions of a line at the cursor; none for a line that cannot be understood."""
    whole = tokenize(text[:cursor])
    if whole.words and whole.words[-1].end == cursor and not text[cursor - 1 : cursor].isspace():
        word = whole.words[-1]
        before = Line(text[: word.start], whole.words[:-1])
        return Completions(word.start, cursor, ways_on(before, word.text, context, questions))
    return Completions(cursor, cursor, ways_on(whole, "", context, questions))


def ways_on(line: Line, beginning: str, context: Context, questions: Sequence[str] = ()) -> tuple[Completion, ...]:
    """The completions behind a line that begin as `beginning` does; none for a line that cannot be understood."""
    try:
        return tuple(_matching(beginning, _next(line, beginning, context, questions)))
    except (Invalid, Refusal):
        return ()


def _matching(beginning: str, ways: Iterable[Completion]) -> Iterator[Completion]:
    """The completions that begin so, without duplicates; an exact one comes first."""
    matches: dict[str, Completion] = {}
    for way in ways:
        if len(beginning) >= way.letters and begins_so(way.text, beginning):
            matches.setdefault(way.text, way)
    yield from sorted(matches.values(), key=lambda way: key_of(way.text) != key_of(beginning))


def begins_so(text: str, beginning: str) -> bool:
    """Whether a text, or a word in it, begins with `beginning`, ignoring case, accents and apostrophes.

    The parts around a full stop are compared each for itself: `seg.f` begins `Segolene.fatigue`.
    """
    whose, dot, field = beginning.rpartition(".")
    if dot and "." in text:
        head, _, tail = text.rpartition(".")
        return begins_so(head, whose) and begins_so(tail, field)
    plain = beginning[:1].isalnum() and bool(fitting(beginning, [text]))
    return not beginning or plain or key_of(text).startswith(key_of(beginning))


def _next(line: Line, beginning: str, context: Context, questions: Sequence[str]) -> Iterator[Completion]:
    if not line.words:
        return _verbs(context, questions)
    if names_a_turn(line.words[0].text):
        return _fields_of_turn(line, 1, beginning, context)
    try:
        verb, at = tracking.verb_in(context, line, 0, questions)
    except Misread:
        return _second_words(context, line)
    if isinstance(verb, str):
        return _of_question(verb, line, at, beginning, context)
    if verb.kind is Amend:
        line = without_set(line)
        names_turn = at < len(line.words) and names_a_turn(line.words[at].text)
        turns = map(Completion, latest_turns(context.log) if at == len(line.words) else ())
        return chain(turns, _fields_of_turn(line, at + bool(names_turn), beginning, context))
    if verb.kind is Track:
        return starmap(Completion, tracking.next_words(context, verb, line, at))
    return _of_action(context, verb, line, at, beginning)


def _verbs(context: Context, questions: Sequence[str]) -> Iterator[Completion]:
    for verb in verbs_of(context.system.key):
        if tag_of(verb.kind) != "campaign.start" and context.proposes(verb.kind):
            yield Completion(verb.name.partition(" ")[0] if " " in verb.name else verb.name, verb.help)
    for verb in tracking.verbs(context) if context.proposes(Track) else ():
        yield Completion(verb.name, "tracked")
    for question in questions:
        yield Completion(question)


def _second_words(context: Context, line: Line) -> Iterator[Completion]:
    """The second words of verbs of two words."""
    parts = parts_of(line.words[-1].text)
    for verb in verbs_of(context.system.key):
        two = " " in verb.name and context.proposes(verb.kind)
        if two and len(line.words) == 1 and begins(parts, verb.words[:1]):
            yield Completion(verb.words[1], verb.help)


def _of_question(question: str, line: Line, at: int, beginning: str, context: Context) -> Iterator[Completion]:
    """The characters that a question may be about, and for `why` and `when` their fields."""
    about, dot, _ = (line.words[at].text, "", "") if at < len(line.words) else beginning.rpartition(".")
    names = fitting(about, context.state.characters) if about else []
    if question in ("why", "when") and len(names) == 1 and (dot or question == "why"):
        for field, value in context.system.sheet_view(context.state, names[0]).items():
            text = str(value) if isinstance(value, int | str) else ""
            yield Completion(f"{names[0]}.{field}" if dot else field, text)
    elif at >= len(line.words):
        yield from _subjects(question, context)


def _subjects(question: str, context: Context) -> Iterator[Completion]:
    """What a reading command may be about: characters, turns, sessions, rules, queries, verbs, lookups."""
    system = context.system
    lookup = next((candidate for candidate in system.lookups if candidate.verb == question), None)
    if lookup is not None:
        yield from map(Completion, lookup.names(context.state))
    elif question in ("log", "diff", "recap"):
        yield from map(Completion, latest_sessions(context.log))
    if question in ("log", "diff", "show"):
        yield from map(Completion, latest_turns(context.log))
    elif question == "rules":
        yield from _paragraphs(context)
    elif question == "stats":
        yield from map(Completion, (*named_queries(system.key), *plots(system.key)))
    elif question == "help":
        yield from _verbs(context, ())
    if question in ("log", "why", "status", "when"):
        yield from _people(context, context.state.characters)


def _paragraphs(context: Context) -> Iterator[Completion]:
    """The paragraphs of the rules, with those that the group has added."""
    for number, paragraph in paragraphs_of(context.system.key).items():
        yield Completion(number, paragraph.title)
    yield from map(Completion, context.state.campaign.paragraphs)


def latest_turns(log: Log) -> list[str]:
    """The latest turns, newest first."""
    return [f"T{number}" for number in range(log.last(), max(0, log.last() - MOST_TURNS), -1)]


def latest_sessions(log: Log) -> list[str]:
    """The sessions, newest first."""
    return [f"S{number}" for number in reversed(sessions_of(log))]


def _people(context: Context, names: Iterable[str]) -> Iterator[Completion]:
    for name in names:
        sheet = context.state.characters[name]
        note = context.system.fallen(context.state, name) or getattr(sheet, "player", None)
        yield Completion(name, note or "")


def _own_people(context: Context, names: Sequence[str]) -> Iterator[Completion]:
    """The characters that whoever types may act for, without those in `names`."""
    return _people(context, (name for name in context.own() if name not in names))


def _of_action(context: Context, verb: Verb, line: Line, at: int, beginning: str) -> Iterator[Completion]:
    """The completions in the line of an action."""
    name, sign, _ = beginning.removeprefix("--").partition("=")
    grammar = Grammar(context, verb)
    last = line.words[-1].text if len(line.words) > at else ""
    if last in PLACED:
        yield from map(Completion, latest_turns(context.log))
        return
    named_field = grammar.field_called(last.removeprefix("--"), whole=not last.startswith("--")) if last else None
    if named_field is not None and named_field.kind.shape != "flag" and "=" not in last:
        before = read_so_far(context, verb, Line(line.text, line.words[:-1]), at)
        yield from _values(before, named_field) if before is not None else ()
        if last.startswith("--"):
            return  # nothing but its value can follow
    reading = read_so_far(context, verb, line, at)
    if reading is None:
        return
    if sign:
        field = grammar.field_called(name)
        if field is not None:
            yield from (Completion(f"{field.key}={way.text}", way.help) for way in _values(reading, field))
        elif grammar.loose is not None and grammar.who is None:
            yield from _settable(reading)
    elif beginning.startswith("--"):
        yield from _options(reading)
    elif grammar.who is not None and not reading.groups[0].names:
        yield from _values(reading, grammar.who)
    else:
        yield from _in_order(reading, first=len(line.words) == at)


def _in_order(reading: Reading, *, first: bool) -> Iterator[Completion]:
    """Values by position, then other characters, remarks, and fields by name. `first`: the verb is the only word."""
    grammar = reading.grammar
    for field in grammar.order:
        if reading.is_open(field):
            yield from _values(reading, field)
            if field.required:
                break
    if grammar.who is not None and reading.implied_person is not None and first:
        # the name may be left out for whoever's turn it is, so their values come first
        yield from _values(reading, grammar.who)
    has_remark = grammar.remark is not None and grammar.remark.key in reading.shared
    if grammar.who is not None and (not reading.missing() or grammar.several) and not has_remark:
        yield from _own_people(grammar.context, reading.names)
    if grammar.remark is not None and reading.is_open(grammar.remark):
        yield from _earlier_remarks(grammar, grammar.remark)
    yield from _fields(reading)


def _options(reading: Reading) -> Iterator[Completion]:
    """The open fields as options of the shell."""
    for field in reading.grammar.fields.values():
        if reading.is_open(field):
            off = field.kind.shape == "flag" and field.default is True
            yield Completion(f"--{'no-' if off else ''}{field.key.replace('_', '-')}", field.description)
    for option, help_ in PLACED.items():
        if reading.grammar.field_called(option.removeprefix("--"), whole=True) is None:
            yield Completion(option, help_)


def _fields(reading: Reading) -> Iterator[Completion]:
    """The open fields as NAME=."""
    grammar = reading.grammar
    for field in grammar.fields.values():
        if reading.is_open(field) and field not in (grammar.who, grammar.loose):
            flag = field.kind.shape == "flag"
            name = f"un{field.key}" if flag and field.default is True else field.key
            yield Completion(name if flag else f"{field.key}=", field.description, open=not flag)
    if grammar.loose is not None:
        yield from _settable(reading)


def _settable(reading: Reading) -> Iterator[Completion]:
    """The names before NAME=VALUE: fields of the character's sheet, or options of the named rule."""
    context, whose = reading.grammar.context, reading.whose
    system, state = context.system, context.state
    if reading.grammar.who is None:
        rule = reading.shared.get("rule", reading.groups[-1].values.get("rule"))
        for option in options_of(system.options).values():
            if rule is None or bare_number(system, option.rule) == bare_number(system, str(rule)):
                yield from (Completion(f"{option.name}={as_written(value)}") for value in option.values or ("",))
    elif whose is not None and whose in state.characters:
        for name, value in system.sheet_view(state, whose).items():
            yield Completion(f"{name}=", str(value) if isinstance(value, int | str) else "", open=True)


def _values(reading: Reading, field: Field) -> Iterator[Completion]:
    """The values of a field: characters, legal values, or choices."""
    grammar = reading.grammar
    context = grammar.context
    if field.names == "character":
        yield from _whom(reading, field)
        return
    if field is grammar.loose:
        yield from _settable(reading)
        return
    if field.turn:
        yield from map(Completion, latest_turns(context.log))
        return
    if field.key == "rule":
        yield from _paragraphs(context)
        return
    legal = grammar.fits(reading.values()).legal(field, reading.whose)
    if legal is not None:
        values: Sequence[str] = tuple(map(str, legal))
    elif field.one.shape == "flag":
        values = ("yes", "no")
    else:
        values = field.one.offered_choices
    spoilers = context.system.spoilers(context.state, grammar.verb.kind, field.key)
    for value in values:
        yield Completion(value, field.description, letters=LETTERS if value in spoilers else 0)
    if field.remark:
        yield from _earlier_remarks(grammar, field)


def _whom(reading: Reading, field: Field) -> Iterator[Completion]:
    """The characters that a field may name, and the words for groups."""
    grammar = reading.grammar
    context = grammar.context
    if field is grammar.who:
        yield from _own_people(context, () if reading.implied_person else reading.names)
    else:
        yield from _people(context, context.state.characters)
    if field.kind.shape == "list" or field is grammar.who:
        for word, who, help_ in (("all", context.able, "everyone who can still act"),
                                 ("party", context.party, "those with a player")):  # fmt: skip
            if field is not grammar.who or set(who()) <= set(context.own()):
                yield Completion(word, help_)


def _earlier_remarks(grammar: Grammar, field: Field) -> Iterator[Completion]:
    remarks = earlier_remarks(grammar.context.log, grammar.verb.kind, field)
    yield from (Completion(remark, "said before") for remark in remarks)


def earlier_remarks(log: Log, kind: type[Action], field: Field) -> list[str]:
    """The texts of a field in earlier actions of this kind, newest first."""
    remarks: dict[str, None] = {}
    for turn in log.read(after=max(0, log.last() - TURNS_SEARCHED), topics=(tag_of(kind),)):
        remark = getattr(turn.action, field.name, None)
        if isinstance(remark, str):
            remarks.pop(remark, None)
            remarks[remark] = None
    return list(remarks)[: -MOST_REMARKS - 1 : -1]


def _fields_of_turn(line: Line, at: int, beginning: str, context: Context) -> Iterator[Completion]:
    """The fields of the turn before `at` with their values; of the latest turn if none is named there."""
    turn = turn_number_of(line.words[at - 1].text, context.log)
    action = action_of(context, latest_turn(context) if turn is None else turn)
    grammar = Grammar(context, Verb(verb_name(type(action)), type(action)))
    name, sign, _ = beginning.partition("=")
    field = grammar.field_called(name) if sign else None
    if field is not None:
        values = _values(Reading.of_nothing(grammar), field)
        yield from (Completion(f"{field.key}={way.text}", way.help) for way in values)
        return
    named_fields = {word.text.partition("=")[0] for word in line.words[at:]}
    for other in grammar.fields.values():
        if other.key not in named_fields:
            value = getattr(action, other.name)
            yield Completion(f"{other.key}=", "" if value is None else str(value), open=True)
