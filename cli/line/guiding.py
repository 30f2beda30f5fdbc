"""How a line may go on: the slots of its verb in order, filled or open, and candidates for the one at the cursor.

The screen that leads to a line is built on this alone. It never shows what this seat may not know: everything comes
from the context, whose state holds no more than that.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cli.line.amending import being_amended, put_in_place
from cli.line.context import Context
from cli.line.errors import LineError
from cli.line.grammar import as_read, grammar_of, is_text, label_of
from cli.line.manner import place_of
from cli.line.people import people_at
from cli.line.reading import Reader
from cli.line.trials import ANY_TEXT, as_reason, reason_now, refused_with
from cli.line.understanding import beginning_of
from cli.line.values import is_signed, number_of
from cli.line.verbs import Verb, parts_of, short_of, verbs_meant, verbs_of
from cli.line.words import Line, quote, tokenize
from domain.common.paragraphs import ParagraphAdd, ParagraphRevise, ParagraphWithdraw, free_number
from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.common.tracking import Track, tracked_names
from domain.log.effective_history import effective_history
from domain.log.points import sessions_of
from domain.log.port import Log
from domain.naming import fitting, key_of, same_letters
from domain.refusal import Invalid, Refusal, Unfit
from domain.registry import action_from, tag_of, verb_name
from domain.system.field_schema import Field, fields_of
from domain.system.options import options_of
from domain.system.paragraphs import bare_number, paragraphs_of
from domain.system.rows import CardView
from domain.system.rulesystem import RuleSystem
from domain.turn import Action
from domain.values import as_written, in_words
from projections.views.named_queries import named_queries, plots

#: Letters that have to be typed before a value which nobody at the table has seen yet is a candidate.
LETTERS = 3
#: Earlier remarks that are candidates at most, and the latest turns that are searched for them.
MOST_REMARKS, TURNS_SEARCHED = 8, 500
#: Latest turns that are candidates at most.
MOST_TURNS = 20
#: The letter of a ruling before its number.
RULING = "R"
#: The options of every line for a late entry, with their help.
PLACED = {"--after": "late entry: directly after this turn", "--before": "late entry: directly before this turn"}

#: The verbs of what no turn can be amended into.
REVISING = frozenset(verb_name(kind) for kind in REVISIONS)
#: What becomes of a tracked name as such, whosever it is.
OF_A_NAME = ("pin", "unpin")
#: No late entry is directly before the turn that begins the log.
NOWHERE = ("--before", "T1")


class Slot(Struct, frozen=True):
    """One field of the verb: its name, what a person calls it, and what fills it."""

    key: str
    label: str
    #: what fills it; "" while it is open
    text: str = ""
    required: bool = False
    #: whether it takes the words at the end of the line
    words: bool = False


class Candidate(Struct, frozen=True):
    """One word that may stand at the cursor."""

    text: str
    #: the short name that may be typed instead
    short: str = ""
    help: str = ""
    #: why it cannot be done now; "" where it can
    reason: str = ""
    #: whether more follows without a space, as behind `source=`
    continues: bool = False
    #: letters that have to be typed before it is shown
    letters: int = 0
    #: whether it is typed as it stands, as a verb of two words is
    is_verb: bool = False
    #: how a person reads it, where it is spelt for programs
    label: str = ""
    #: whether it ends somebody's life
    is_grave: bool = False

    @property
    def as_word(self) -> str:
        """The word as it is typed, quoted if need be."""
        name, sign, value = self.text.partition("=")
        if self.continues or self.is_verb or (sign and not value):
            return self.text
        return f"{name}={quote(value)}" if sign else quote(self.text)


class Guidance(Struct, frozen=True):
    """Where a line stands at the cursor."""

    slots: tuple[Slot, ...] = ()
    #: the slot that the cursor is at; None: none, as in the verb itself
    open: int | None = None
    #: the range of the text that a candidate replaces
    start: int = 0
    end: int = 0
    candidates: tuple[Candidate, ...] = ()


def guide(text: str, cursor: int, context: Context, questions: Sequence[str] = ()) -> Guidance:
    """The guidance for a line at the cursor; without candidates where the line before it cannot be understood."""
    whole = tokenize(text[:cursor])
    start, before, beginning = cursor, whole, ""
    if whole.words and whole.words[-1].end == cursor and not text[cursor - 1 : cursor].isspace():
        word = whole.words[-1]
        start, beginning = word.start, word.text
        before = Line(text[: word.start], whole.words[:-1])
    try:
        reader, found = _next(before, beginning, context, questions)
        candidates = tuple(matching(beginning, found))
    except LineError as error:
        return _verbs_meant(whole, error.at, context, questions) if error.no_verb else Guidance(start=start, end=cursor)
    except (Invalid, Refusal):
        return Guidance(start=start, end=cursor)
    if reader is None:
        is_none = beginning and not before.words and not candidates
        return _verbs_meant(whole, 0, context, questions) if is_none else Guidance((), None, start, cursor, candidates)
    with_it = reader
    if beginning:
        with suppress(Invalid, Refusal):
            placed, end, _ = place_of(whole)
            with_it = _next(replace(placed, words=placed.words[:end]), "", context, questions)[0] or reader
    slots, at = _slots(reader, with_it if with_it.grammar is reader.grammar else reader)
    return Guidance(slots, at, start, cursor, candidates)


def candidates_for(line: Line, beginning: str, context: Context, questions: Sequence[str] = ()) -> list[Candidate]:
    """The candidates behind a line that begin as `beginning` does; none for a line that cannot be understood."""
    try:
        return matching(beginning, _next(line, beginning, context, questions)[1])
    except (Invalid, Refusal):
        return []


def matching(beginning: str, candidates: Iterable[Candidate]) -> list[Candidate]:
    """What is called so, then what begins so, in a later word too, then what has two or more letters in this order.

    What cannot be done now comes last, unless it is called so.
    """
    typed, ranked = key_of(beginning), dict[str, tuple[int, Candidate]]()
    for way in candidates:
        if len(beginning) < way.letters or way.text in ranked:
            continue
        name = key_of(way.text)
        if typed and typed in (name, way.short):
            ranked[way.text] = 0, way
        elif begins_so(way.text, beginning) or (way.label and begins_so(way.label, beginning)):
            ranked[way.text] = 1 if name.startswith(typed) else 2, way
        elif len(typed) > 1 and not way.letters:
            rest = iter(name)
            if all(letter in rest for letter in typed):
                ranked[way.text] = 3, way
    order = sorted(ranked.values(), key=lambda found: (found[0] > 0, bool(found[1].reason), found[0]))
    return [way for _, way in order]


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


def _next(
    line: Line, beginning: str, context: Context, questions: Sequence[str]
) -> tuple[Reader | None, Iterable[Candidate]]:
    """The reader of the words before the cursor, if they have a verb with fields, and what may stand there."""
    if not line.words:
        return None, chain(_verbs(context, questions), _people(context, context.own()))
    second = list(_second_words(context, line)) if len(line.words) == 1 else []
    if line.words[-1].text in PLACED and len(line.words) > 1:
        # nothing came before the first turn
        return None, (Candidate(turn) for turn in latest_turns(context.log) if (line.words[-1].text, turn) != NOWHERE)
    try:
        verb, at, who = beginning_of(context, line, questions)
    except LineError:
        if second:
            return None, second
        people = people_at(context, line, 0)
        if people is None or people[1] < len(line.words):
            raise
        return None, _verbs(context, (), people[0])
    if isinstance(verb, str):
        return None, _of_question(verb, line, at, beginning, context)
    if verb.kind is Amend:
        is_turn = at == len(line.words) and not beginning.isdecimal()  # a number is the new one of the latest turn
        turns = map(Candidate, revisable(context.log, Amend) if is_turn else ())
        reader, found = _of_amendment(line, at, beginning, context)
        return reader, chain(turns, found)
    if verb.kind is Track:
        return None, _of_tracking(context, verb, line, at, who)
    grammar = grammar_of(verb)
    last = line.words[-1]
    named = grammar.field(last.text.removeprefix("--")) if len(line.words) > at and not last.quoted else None
    if named is not None and named.kind.shape != "flag":
        before = Reader(context, grammar, Line(line.text, line.words[:-1]), at, len(line.words) - 1, who).read()
        if before.is_open(named) if last.is_option else before.leads_to_value(named):
            return before, _values(before, named)
    reader = Reader(context, grammar, line, at, len(line.words), who).read()
    return reader, chain(second, _of_action(reader, beginning))


# -- slots -------------------------------------------------------------------------------------------------------------


def _slots(before: Reader, whole: Reader) -> tuple[tuple[Slot, ...], int | None]:
    """The fields of a verb in the order of its line, with what fills them; and the one that the cursor is at.

    `before` has read what stands before the word that is being typed, `whole` this too. Who comes first and the words
    last; what was said by its name stands where it was declared.
    """
    grammar = before.grammar
    fields = [field for field in (grammar.who, *grammar.order) if field is not None]
    declared, missing = list(grammar.fields.values()), before.missing()
    if grammar.verb.name == verb_name(grammar.verb.kind):  # the number of `brog -2`, which no other verb says
        fields[1:1] = [field for field in fields_of(grammar.verb.kind) if field.key in grammar.verb.sets]
    for field in declared:
        is_shown = field.wanted or field in (grammar.faces, grammar.loose, *missing) or not whole.is_open(field)
        if is_shown and field not in (*fields, grammar.words):
            behind = declared[declared.index(field) :]
            earlier = [at for at, other in enumerate(fields) if other not in behind]
            fields.insert(max(earlier, default=-1) + 1, field)
    fields += [grammar.words] if grammar.words is not None else []
    slots = tuple(
        Slot(
            field.key,
            _name_of_slot(field),
            _filled(whole, field),
            field.required or field in missing,
            field is grammar.words,
        )
        for field in fields
    )
    is_open = [not _filled(before, field) for field in fields]
    needed = (at for at, field in enumerate(fields) if is_open[at] and field in missing)
    places = (at for at, field in enumerate(fields) if is_open[at] and field in (*grammar.order, grammar.who))
    return slots, next(chain(needed, places, (at for at, open_ in enumerate(is_open) if open_)), None)


def _name_of_slot(field: Field) -> str:
    """What a field is called while it is open: by the one thing that it may be, where there is no other."""
    choices = field.one.offered_choices
    return choices[0] if len(choices) == 1 else label_of(field)


def _filled(reader: Reader, field: Field) -> str:
    """What fills a field, in short."""
    if field is reader.grammar.who:
        return ", ".join(reader.names)
    if field is reader.grammar.faces and any(group.faces for group in reader.groups):
        return " ".join("".join(map(str, dice)) for group in reader.groups for dice in group.faces.values())
    value = reader.given.get(field.key)
    if value is None:
        return ""
    values = [group.values[field.key] for group in reader.groups if field.key in group.values]
    return ", ".join(_value_in_short(field, each) for each in values or [value])


def _value_in_short(field: Field, value: Any) -> str:
    if field.dice and all(face < 10 for face in value):
        return "".join(map(str, value))
    if field.turn and isinstance(value, list):
        return ", ".join(f"T{number}" for number in value)
    if value in field.one.choices and value not in field.one.read_as:
        return field.one.reading_of(str(value))
    if isinstance(value, bool):
        return label_of(field) if value else f"not {label_of(field)}"
    return in_words(value)


def _verbs_meant(line: Line, at: int, context: Context, questions: Sequence[str]) -> Guidance:
    """The verbs that may be meant by a word that is none, in its place.

    Of several words, as in `sesion open`, those verbs of two words alone whose second one this is.
    """
    known = {way.text: way for way in _verbs(context, questions)}
    near = verbs_meant(context.system.key, line.words[at].text, questions, tracked_names(context.state))
    candidates = tuple(known[name] for name in near if name in known)
    start, end = line.words[at].start, line.words[at].end
    if at + 1 < len(line.words):
        second = line.words[at + 1]
        two = [way for way in candidates if parts_of(way.text)[1:2] == (second.text.casefold(),)]
        candidates, end = (tuple(two), second.end) if two else (candidates, end)
    return Guidance(start=start, end=end, candidates=candidates)


# -- verbs -------------------------------------------------------------------------------------------------------------


def _verbs(context: Context, questions: Sequence[str], whom: Sequence[str] = ()) -> Iterator[Candidate]:
    """The verbs, those that can do something now first, the others with the reason; what is tracked; commands.

    Behind names only those that are about somebody.
    """
    for verb in verbs_of(context.system.key):
        is_shown = verb.name == verb_name(verb.kind) or verb.sets
        if is_shown and context.proposes(verb.kind) and (not whom or verb.kind is Track or grammar_of(verb).who):
            reason = reason_now(context, verb.kind, whom or context.own(), verb.sets)
            yield Candidate(verb.name, short_of(verb), verb.help, reason, is_verb=True)
    yield from (Candidate(name, help="tracked") for name in tracked_names(context.state) if context.proposes(Track))
    yield from map(Candidate, questions)


def _second_words(context: Context, line: Line) -> Iterator[Candidate]:
    """The second words of verbs of two words: `session open`."""
    parts = parts_of(line.words[0].text)
    for verb in verbs_of(context.system.key):
        if len(verb.words) == 2 and " " in verb.name and verb.words[0] == parts[0]:
            reason = reason_now(context, verb.kind, context.own(), verb.sets)
            yield Candidate(verb.words[1], help=verb.help, reason=reason)


# -- commands that read ------------------------------------------------------------------------------------------------


def _of_question(question: str, line: Line, at: int, beginning: str, context: Context) -> Iterator[Candidate]:
    """The characters that a command may be about, and for `why` and `when` their fields."""
    about, dot, _ = (line.words[at].text, "", "") if at < len(line.words) else beginning.rpartition(".")
    names = fitting(about, context.state.characters) if about else []
    if question in ("why", "when") and len(names) == 1 and (dot or question == "why"):
        yield from _of_sheet(context, names[0], f"{names[0]}." if dot else "")
    elif at >= len(line.words):
        yield from _subjects(question, context)


def _subjects(question: str, context: Context) -> Iterator[Candidate]:
    """What a command may be about: characters, turns, sessions, rules, queries, verbs, lookups."""
    system = context.system
    lookup = next((candidate for candidate in system.lookups if candidate.verb == question), None)
    if lookup is not None:
        yield from map(Candidate, lookup.names(context.state))
    elif question in ("log", "diff", "recap"):
        yield from map(Candidate, latest_sessions(context.log))
    if question in ("log", "diff", "show"):
        yield from map(Candidate, latest_turns(context.log))
    elif question == "rules":
        yield from _paragraphs(context)
    elif question == "stats":
        yield from map(Candidate, (*named_queries(system.key), *plots(system.key)))
    elif question == "help":
        yield from _verbs(context, ())
    if question in ("log", "why", "status", "when"):
        yield from _people(context, context.state.characters)


def _paragraphs(context: Context) -> Iterator[Candidate]:
    """The paragraphs of the rules, which a word of their titles finds too, with those that the group has added."""
    for number, paragraph in paragraphs_of(context.system.key).items():
        yield Candidate(number, label=f"{number} {paragraph.title}")
    yield from map(Candidate, context.state.campaign.paragraphs)


def revisable(log: Log, kind: type[Action]) -> list[str]:
    """Those of the latest turns that such an action may be about, newest first."""
    turns = latest_turns(log)
    if kind not in (Undo, Redo, Amend) or not turns:
        return turns
    after = log.last() - len(turns)
    stands = effective_history(log, after=after).stands
    standing = [turn for turn in log.read_back(max(1, after), log.last()) if stands(turn.number)]
    if kind is not Undo:
        of_kind = [turn for turn in standing if isinstance(turn.action, Undo if kind is Redo else REVISIONS)]
        standing = of_kind if kind is Redo else [turn for turn in standing if turn not in of_kind]
    return [f"T{turn.number}" for turn in standing]


def latest_turns(log: Log) -> list[str]:
    """The latest turns, newest first."""
    return [f"T{number}" for number in range(log.last(), max(0, log.last() - MOST_TURNS), -1)]


def latest_sessions(log: Log) -> list[str]:
    """The sessions, newest first."""
    return [f"S{number}" for number in reversed(sessions_of(log))]


def _people(context: Context, names: Iterable[str]) -> Iterator[Candidate]:
    for name in names:
        sheet = context.state.characters[name]
        note = context.system.fallen(context.state, name) or getattr(sheet, "player", None)
        yield Candidate(name, help=note or "")


# -- the line of an action ---------------------------------------------------------------------------------------------


def _of_action(reader: Reader, beginning: str) -> Iterator[Candidate]:
    """What may stand next in the line of an action."""
    grammar = reader.grammar
    name, sign, _ = beginning.removeprefix("--").partition("=")
    if reader.words_at is not None and not sign and not beginning.startswith("--"):
        yield from _settable(reader) if grammar.says_all and grammar.loose is not None else ()
    elif sign:
        field = grammar.field(name)
        if field is not None:
            yield from (replace(way, text=f"{name}={way.text}") for way in _values(reader, field))
        elif grammar.loose is not None and grammar.who is None:
            yield from _settable(reader)
    elif beginning.startswith("--"):
        yield from _options(reader)
    elif grammar.who is not None and not reader.groups[0].names:
        yield from _values(reader, grammar.who)
    else:
        yield from _in_order(reader)


def _in_order(reader: Reader) -> Iterator[Candidate]:
    """Values by position, then remarks where words may begin, other characters, and fields by name."""
    grammar = reader.grammar
    for field in grammar.order:
        if reader.is_open(field) and not _contradicts(reader, field):
            yield from _values(reader, field)
            if field.required:
                break
    if grammar.who is not None and reader.is_default and reader.at == reader.begin:
        # the name may be left out for whoever's turn it is, so their values come first
        yield from _values(reader, grammar.who)
    is_ready = not reader.missing() or grammar.several or not any(group.values for group in reader.groups)
    is_joined = reader.at > reader.begin and reader.words[reader.at - 1].text.endswith(",")
    is_row = is_joined or not grammar.words_follow_names
    may_end = not (reader.missing() or is_joined)
    others: list[Candidate] = []
    if grammar.who is not None and is_ready and is_row and not any(field.names for field in grammar.order):
        others = list(_able(reader, (name for name in reader.context.own() if name not in reader.names)))
    if may_end and all(way.reason for way in others):  # the line goes on with words alone
        others = []
    words = grammar.words
    remarks = list(_earlier_remarks(reader, words)) if words is not None and reader.is_open(words) else []
    yield from (*remarks, *others) if may_end else (*others, *remarks)
    yield from _fields(reader)


def _options(reader: Reader) -> Iterator[Candidate]:
    """The open fields as options of the shell, and where in the log it happened."""
    for field in reader.grammar.fields.values():
        if reader.is_open(field):
            off = field.kind.shape == "flag" and field.default is True
            yield Candidate(f"--{'no-' if off else ''}{field.key.replace('_', '-')}", help=field.description)
    for option, help_ in PLACED.items():
        if option.removeprefix("--") not in reader.grammar.fields:
            yield Candidate(option, help=help_)


def _fields(reader: Reader) -> Iterator[Candidate]:
    """The open fields that have no place in order, as NAME=."""
    grammar, is_whole = reader.grammar, not reader.missing()
    for field in grammar.fields.values():
        if reader.is_open(field) and field not in (grammar.who, grammar.loose, grammar.faces):
            flag = field.kind.shape == "flag"
            name, label = f"{field.key}=", f"{label_of(field)}="
            if flag and grammar.says_all:  # where the bare word may be the first of a text
                value = "no" if field.default is True else "yes"
                name, label = f"{name}{value}", f"{label}{value}"
            elif flag:
                is_on = field.default is True
                name, label = (f"un{field.key}", f"not {label_of(field)}") if is_on else (field.key, label_of(field))
            help_ = f"no: {field.description}" if flag and field.default is True else field.description
            is_listed = field in grammar.order and bool(
                reader.titles(field) or field.one.offered_choices or field.names
            )
            letters = 1 if is_listed else 0  # its values stand there already
            with_it = {**reader.given, field.key: field.default is not True}
            refusal = refused_with(reader.context, grammar.verb.kind, with_it) if flag and is_whole else None
            reason = as_reason(refusal)
            if is_whole and _contradicts(reader, field):
                continue
            yield Candidate(name, help=help_, reason=reason, continues=not flag, label=label, letters=letters)
    if grammar.loose is not None:
        yield from _settable(reader)


def _contradicts(reader: Reader, field: Field) -> bool:
    """Whether an action that is whole cannot be with any text or points in a field: `fate wen death` has no wound."""
    points = dict.fromkeys((reader.titles(field) or ())[:1], 1) if field.one.shape == "map" else None
    is_name = field.names == "character" or field.added_by is not None
    example = points or (ANY_TEXT if is_text(field) or is_name else None)
    value: Mapping[str, Any] = {"type": tag_of(reader.grammar.verb.kind), **reader.given}
    is_legal = False
    try:
        action_from(reader.context.system.key, value)
        is_legal = True
        action_from(reader.context.system.key, {**value, field.key: example})
    except Invalid as invalid:
        return is_legal and example is not None and not isinstance(invalid, Unfit)
    return False


def _settable(reader: Reader) -> Iterator[Candidate]:
    """The names before NAME=VALUE: fields of the character's sheet, or options of the named rule."""
    context, whose = reader.context, reader.whose
    system, state = context.system, context.state
    if reader.grammar.who is None:
        yield from (Candidate(way, label=as_read(way)) for way in option_values(system, reader.given.get("rule")))
    elif whose is not None and whose in state.characters:
        yield from _of_sheet(context, whose, sign="=")


def _of_sheet(context: Context, whose: str, before: str = "", sign: str = "") -> Iterator[Candidate]:
    """The fields of a character's sheet with their values, each between two texts."""
    for name, value in context.system.sheet_view(context.state, whose).items():
        help_ = str(value) if isinstance(value, int | str) else ""
        label = f"{before}{as_read(name)}{sign}"
        yield Candidate(f"{before}{name}{sign}", help=help_, continues=bool(sign), label=label)


def option_values(system: RuleSystem, rule: str | None) -> Iterator[str]:
    """The options of a rule, or of all rules, as NAME=VALUE for each value."""
    for option in options_of(system.options).values():
        if rule is None or bare_number(system, option.rule) == bare_number(system, rule):
            yield from (f"{option.name}={as_written(value)}" for value in option.values or ("",))


def _values(reader: Reader, field: Field) -> Iterator[Candidate]:
    """The values of a field: characters, legal values, or choices."""
    context, grammar = reader.context, reader.grammar
    if field.names == "character":
        yield from _whom(reader, field)
        return
    if field is grammar.loose:
        yield from _settable(reader)
        return
    kind = grammar.verb.kind
    if field.turn and kind is Undo and {"last", "to"} & reader.shared.keys():
        return  # which say already what is undone
    if field.turn:
        is_point = field.kind.shape == "text"
        yield from map(Candidate, latest_turns(context.log) if is_point else revisable(context.log, kind))
        return
    if field.key == "rule":
        over = context.state.campaign.withdrawn if kind in (ParagraphRevise, ParagraphWithdraw) else ()
        numbers = (
            _paragraphs(context)
            if kind is not ParagraphAdd
            else [Candidate(free_number(context.system, context.state))]
        )
        yield from (way for way in numbers if way.text not in over)
        return
    if field.one.letter == RULING:
        for ruling in context.state.campaign.rulings:
            if refused_with(context, kind, {**reader.given, field.key: ruling.number}) is None:
                yield Candidate(f"{RULING}{ruling.number}", help=f"{context.system.cite} {ruling.rule}")
        return
    legal = reader.titles(field)
    if legal is not None:
        values: Sequence[str] = tuple(map(str, legal))
    elif field.one.shape == "flag":
        values = ("yes", "no")
    else:
        values = field.one.offered_choices
    if field.one.reference:  # what is said of one field is not proposed for the next
        others = (other for other in grammar.fields.values() if other is not field and other.one.reference)
        taken = {key_of(str(reader.given.get(other.key, ""))) for other in others}
        values = [value for value in values if key_of(value) not in taken]
    spoilers = context.system.spoilers(context.state, grammar.verb.kind, field.key)
    cards = _cards_of(context, reader.whose) if legal is not None else {}
    things = reader.numbered(field)
    grave = grammar.verb.kind.grave_values.get(field.key)
    for value in sorted(values, key=lambda value: value == grave):
        reads = field.one.reading_of(value) if value in field.one.offered_choices else value
        help_ = cards[value].remarks if value in cards else reads if value in field.one.read_as else field.description
        help_ = things.get(value, help_)
        label = "" if value in field.one.read_as else reads
        letters = LETTERS if value in spoilers else 0
        yield Candidate(value, help=help_, letters=letters, label=label, is_grave=value == grave)
    if field is grammar.words:
        yield from map(Candidate, field.usual)
        yield from _earlier_remarks(reader, field)


def _cards_of(context: Context, name: str | None) -> dict[str, CardView]:
    """The cards of a character by their names; none of somebody who is not enrolled."""
    if name is None or name not in context.state.characters:
        return {}
    sheet = context.system.sheet_view(context.state, name)
    return context.system.cards_by_name(context.state, {name: sheet})


def _whom(reader: Reader, field: Field) -> Iterator[Candidate]:
    """The characters for whom the verb can do something, then those for whom it cannot, then the words for groups."""
    context, grammar, kind = reader.context, reader.grammar, reader.grammar.verb.kind
    if field is not grammar.who:
        for way in _people(context, context.state.characters):
            named = [way.text] if field.kind.shape == "list" else way.text
            refusal = refused_with(context, grammar.verb.kind, {**reader.given, field.key: named})
            yield replace(way, reason=as_reason(refusal))
    else:
        yield from _able(reader, (name for name in context.own() if reader.is_default or name not in reader.names))
    if field.kind.shape == "list" or field is grammar.who:
        for word, who, help_ in (("all", context.able, "everyone on your side who can still act"),
                                 ("party", context.party, "those with a player")):  # fmt: skip
            if field is not grammar.who:
                refusal = refused_with(context, grammar.verb.kind, {**reader.given, field.key: list(who())})
                yield Candidate(word, help=help_, reason=as_reason(refusal))
            elif who() and set(who()) <= set(context.own()):  # all or none of them
                reasons = (reason_now(context, kind, (name,), grammar.verb.sets) for name in who())
                yield Candidate(word, help=help_, reason=next(filter(None, reasons), ""))


def _able(reader: Reader, names: Iterable[str]) -> Iterator[Candidate]:
    """People whom a line may be about, those for whom nothing can be done now with the reason."""
    for way in _people(reader.context, names):
        verb = reader.grammar.verb
        yield replace(way, reason=reason_now(reader.context, verb.kind, (way.text,), verb.sets))


def _earlier_remarks(reader: Reader, field: Field) -> Iterator[Candidate]:
    """The texts of a field in earlier actions of this kind, newest first."""
    log, kind = reader.context.log, reader.grammar.verb.kind
    after = max(0, log.last() - TURNS_SEARCHED)
    stands = effective_history(log, after=after).stands
    turns = (turn for turn in log.read(after, topics=(tag_of(kind),)) if stands(turn.number))
    remarks = [getattr(turn.action, field.name, None) for turn in turns]
    latest = dict.fromkeys(remark for remark in reversed(remarks) if isinstance(remark, str))
    if field.one.written_as is not None:  # what went in quotes then does not go without them
        latest = {remark: None for remark in latest if re.fullmatch(field.one.written_as, remark)}
    yield from (Candidate(remark, help="said before") for remark in islice(latest, MOST_REMARKS))


# -- amendments and tracked values -------------------------------------------------------------------------------------


def _of_amendment(line: Line, at: int, beginning: str, context: Context) -> tuple[Reader | None, Iterable[Candidate]]:
    """The fields of the turn that a line amends at its end, with their values; behind `=` another line begins."""
    turn = being_amended(context, line, at)
    if (other := put_in_place(line, at)) is not None:
        reader, found = _next(other, beginning, turn.context, ())
        # what cannot be done as things stood then may be amended, too
        return reader, (replace(way, reason="") for way in found if not (way.is_verb and way.text in REVISING))
    name, sign, _ = beginning.partition("=")
    field = turn.grammar.field(name) if sign else None
    if field is not None:
        values = _values(Reader(turn.context, turn.grammar, line, at, at), field)
        if field.names == "character" and field.kind.shape != "list":  # one turn of one person stays so
            values = _people(context, context.own())
        return None, (Candidate(f"{name}={way.text}", help=way.help) for way in values)
    now = ((field.key, getattr(turn.action, field.name)) for field in turn.open_fields())
    return None, (
        Candidate(f"{key}=", help="" if value is None else in_words(value), continues=True, label=f"{as_read(key)}=")
        for key, value in now
    )


def _of_tracking(context: Context, verb: Verb, line: Line, at: int, who: Sequence[str]) -> Iterator[Candidate]:
    """What may be typed next behind `track` or a tracked name; `who` stands before it."""
    behind = line.words[at:]
    known = tracked_names(context.state)
    has_name = "name" in verb.sets or any(same_letters(word.text, known) for word in behind)
    has_value = any(number_of(word.text) is not None or is_signed(word.text) for word in behind)
    if has_value or len(behind) > 1 + ("name" not in verb.sets):
        return
    is_of_name = bool(behind) and behind[0].text.casefold() in OF_A_NAME
    is_whose = any(people_at(context, line, place) is not None for place in range(at, len(line.words)))
    if not (who or is_whose or is_of_name):
        yield from _people(context, context.own())
        yield Candidate("all", help="everyone on your side who can still act")
        yield Candidate("party", help="those with a player")
    if not has_name:
        yield from (Candidate(name, help="tracked") for name in known)
