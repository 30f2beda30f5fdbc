"""The provenance of a value: the turns that changed it, with the rulings, dice and paragraphs behind each."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.log.folding import steps
from domain.log.port import Log
from domain.naming import (
    called,
    did_you_mean,
    find_name,
    fitting,
    key_of,
    listed,
    name_meant,
    plain_words,
    same_letters,
    somebody,
)
from domain.refusal import Invalid, Unknown
from domain.system.field_schema import fields_of, stored_fields
from domain.system.paragraphs import bare_number
from domain.system.rulesystem import RuleSystem
from domain.system.rulings_in_force import RulingInForce, holdings_of
from domain.system.state import Game
from domain.system.type_descriptions import either
from domain.values import as_json, in_words
from projections.difference import differences, in_their_words
from projections.views.chronicle_queries import way
from projections.views.view import View


class Target(Struct, frozen=True):
    """The subject of a question: a field of a sheet, a value inside it, or (`card`) the pile of a card.

    Or (`member`) the list inside a field that something lies in, as an item among the ready or the spent ones.
    Without a character: a value that the table tracks.
    """

    character: str
    field: str
    inside: tuple[str, ...] = ()
    card: int | str | None = None
    member: int | str | None = None

    @property
    def path(self) -> str:
        """The field on the sheet, and the value inside it."""
        return ".".join((self.field, *self.inside))

    def __str__(self) -> str:
        field = () if self.field == "tracked" and self.inside else (self.field,)
        if not self.character:
            return called(".".join((*field, *self.inside)))
        return ".".join((self.character, *field, *self.inside))


#: The prefix of a value that the table tracks, needed if a character has the same name.
TABLE = "table"


class RulingThen(Struct, frozen=True):
    """A ruling that was in force, with the options that it determined."""

    ruling: int
    rule: str
    text: str
    why: str | None
    options: dict[str, Any]


class Rolls(Struct, frozen=True):
    """Dice or cards of one purpose, the `reported` ones of the table first."""

    purpose: str
    kind: str
    values: tuple[int | str, ...]
    reported: int


class Change(Struct, frozen=True):
    """One change of a value. `event` is the number within the turn, `rules` are citations."""

    turn: int
    event: int
    old: Any
    new: Any
    sentence: str
    rules: tuple[str, ...]
    rulings: tuple[RulingThen, ...]
    chance: tuple[Rolls, ...]


# -- the subject of a question ---------------------------------------------------------------------------


def characters_in(view: View) -> list[str]:
    """The characters with a sheet, by name."""
    return [name for (name,) in view.ask("SELECT character FROM sheets ORDER BY character")]


def fields_in(view: View) -> list[str]:
    return [row[1] for row in view.ask("PRAGMA table_info(sheets)")][1:]


def target(view: View, system: RuleSystem, state: Game | None, text: str) -> Target:
    """The target of a typed path: "brog.hp", "brog.ability_loss.strength" or "ada.cards.Trample".

    A name alone stands for the vital figure; unique beginnings of names are enough. Cards are looked up in `state`;
    without it only fields of sheets are allowed. Raises Invalid for what is no path, Refusal for an unknown character,
    field or card.
    """
    parts = text.strip().split(".")
    if (of_the_table := _of_the_table(view, parts)) is not None:
        return of_the_table
    if len(parts) < 2 or not all(part.strip() for part in parts):
        names = characters_in(view)
        matches, example = fitting(parts[0], names), somebody(names)
        if len(matches) == 1 and len(parts) == 1:
            return Target(matches[0], system.vital[0])
        if len(matches) == 1:
            raise Invalid(f"Say which field of {matches[0]}: {listed(fields_in(view))}.")
        if matches:
            raise Invalid(f"{text.strip()} may be {either(matches)}.")
        if key_of(text) in fields_in(view):
            raise Invalid(f"Say whose {key_of(text)}, like {example}.{key_of(text)}.")
        owners = [(name, own) for name in names if (own := same_letters(text, tracked_names(view, name))) is not None]
        if len(owners) == 1:
            return Target(owners[0][0], "tracked", (owners[0][1],))
        if owners:
            raise Invalid(f"Say whose {owners[0][1]}, like {'.'.join(owners[0])}.")
        if len(parts) == 1 and text.strip():
            find_name(text, names)
        like = f"{example}.{system.vital[0]}"
        raise Invalid(f"{text[:60]!r} is not a field of a sheet; write CHARACTER.FIELD, like {like}.")
    name, rest = _whose(view, parts)
    field = key_of(rest[0]).replace("-", "_").replace(" ", "_")
    if field == "cards" and system.piles is not None:
        if state is None:
            raise Invalid("A condition looks at fields of sheets; a card lies in a pile.")
        return _card(system, state, name, ".".join(rest[1:]))
    fields = fields_in(view)
    if field not in fields and len(meant := _beginning(system, rest[0], fields)) == 1:
        field = meant.pop()
    if field not in fields and (tracked_name := same_letters(".".join(rest), tracked_names(view, name))) is not None:
        return Target(name, "tracked", (tracked_name,))
    if field not in fields and state is not None:
        for owned in possessions(view, system, state, name, " ".join(rest)):
            return owned
    if field not in fields:
        more = ["cards"] if system.piles is not None and state is not None else []
        # the field of which the word is a value, as `collapsed` is a condition
        choices = (field for field in fields_of(system.sheet) if field.kind.shape == "choice")
        having = [own.key for own in choices if key_of(rest[0]) in map(key_of, own.kind.offered_choices)]
        hint = f"did you mean {having[0]}?" if len(having) == 1 else ""
        hint = hint or did_you_mean(rest[0], [*fields, *tracked_names(view, name), *more], otherwise="")
        raise Unknown("sheet field", rest[0], f"{called(name)} has no field {rest[0]!r}", hint)
    path = tuple(part.strip() for part in rest[1:])
    if state is not None and path and not path[-1].isdecimal():
        cells = view.ask('SELECT DISTINCT new FROM "values" WHERE character = ? AND field = ?', name, field)
        if all(inside(cell, path) is None for (cell,) in cells):  # then it is no key, but may be called so
            for title in (path[-1], " ".join(path)):  # words without quotes are parts too
                for owned in possessions(view, system, state, name, title, field):
                    return owned
    return Target(name, field, path)


def possessions(
    view: View, system: RuleSystem, state: Game, name: str, text: str, field: str | None = None
) -> Iterator[Target]:
    """The card of this title, or whatever else is called so and ever lay in a list of a field (None: of any)."""
    if (card := _card_called(system, state, name, text)) is not None:
        yield card
        return
    seen: dict[tuple[str, int | str], str] = {}
    rows = view.ask(
        'SELECT DISTINCT field, new FROM "values" WHERE character = ? AND (? IS NULL OR field = ?)', name, field, field
    )
    for holding, cell in rows:
        value = decode(cell)
        lists = value.items() if isinstance(value, Mapping) else (("", value),)
        for key, members in lists:
            for member in members if isinstance(members, list) else ():
                if isinstance(member, int | str):
                    seen.setdefault((holding, member), f"{holding}.{key}" if key else holding)
    for (holding, member), path in seen.items():
        (title,) = system.in_words(state, name, path, [member])
        if isinstance(title, str) and _as_words(text) == _as_words(title):
            yield Target(name, holding, (title,), member=member)


def _beginning(system: RuleSystem, text: str, fields: Sequence[str]) -> set[str]:
    """The fields that begin with these whole words, as `deck` does deck_count; also by the vital figure's name.

    Empty where the letters are also those of another name: `wound` is neither wounds nor wound_cards.
    """
    words, vital = plain_words(text), system.vital
    begun = [
        (name, field)
        for name, field in (*zip(fields, fields, strict=True), vital[::-1])
        if " ".join(plain_words(name)).startswith(" ".join(words))
    ]
    return (
        {field for _, field in begun} if all(plain_words(name)[: len(words)] == words for name, _ in begun) else set()
    )


def tracked_names(view: View, character: str | None) -> list[str]:
    """The names of the values that a character (None: the table) ever tracked."""
    return [
        name for (name,) in view.ask("SELECT DISTINCT name FROM tracked WHERE character IS ? ORDER BY name", character)
    ]


def _of_the_table(view: View, parts: Sequence[str]) -> Target | None:
    """A value that the table tracks: `day`, or `table.day` if a character is called Day; None if there is none."""
    if key_of(parts[0]) == TABLE and len(parts) > 1:
        parts = parts[1:]
    elif fitting(parts[0], characters_in(view)):
        return None
    name = same_letters(".".join(parts), tracked_names(view, None))
    return Target("", "tracked", (name,)) if name is not None else None


def of_the_table(view: View, system: RuleSystem, text: str) -> Target | None:
    """A field of the table itself: `scene`, `table.round`, `foes.wolf`; None if it is somebody's or tracked.

    Raises Invalid for `table` with nothing that it has behind it.
    """
    first, *rest = parts = [part.strip() for part in text.split(".")]
    named = key_of(first) == TABLE and not fitting(first, characters_in(view))
    if _of_the_table(view, parts) is not None or (not named and fitting(first, characters_in(view))):
        return None
    if named:
        first, *rest = rest or [""]
    fields = [name for name in system.table_to_view(system.opening()) if name != "tracked"]
    field = same_letters(first, fields)
    if field is None and named:
        known = [*fields, *tracked_names(view, None)]
        if not known:
            raise Invalid("The table keeps nothing of its own yet; a first thing: campaign track day 1.")
        raise Invalid(f"Say what of the table: {either(f'{TABLE}.{name}' for name in known)}.")
    if field is None or (not named and field in fields_in(view)):
        return None
    return Target("", field, tuple(rest))


def in_the_table(system: RuleSystem, state: Game, text: str) -> Target | None:
    """Something that the table keeps by its name, as a foe: `the toll keeper`, `foes.wolf`; None if there is none."""
    first, *rest = [part.strip() for part in text.split(".")]
    fields = {name: value for name, value in system.table_to_view(state).items() if isinstance(value, Mapping)}
    if key_of(first) == TABLE and rest:
        first, *rest = rest
    if (field := same_letters(first, fields)) is not None and rest:
        fields, (first, *rest) = {field: fields[field]}, rest
    found = [(name, key) for name, value in fields.items() if name != "tracked" for key in fitting(first, value)]
    if len(found) != 1:
        return None
    ((field, key),) = found
    path = (key, *rest)
    return Target("", field, path if inside(fields[field], path) is not None else (key,))


def _whose(view: View, parts: Sequence[str]) -> tuple[str, Sequence[str]]:
    by_key = {key_of(name): name for name in characters_in(view)}
    for count in range(len(parts) - 1, 0, -1):  # a name may contain full stops
        name = by_key.get(key_of(".".join(parts[:count])))
        if name is not None:
            return name, parts[count:]
    if fitting(parts[0], by_key.values()):
        return name_meant(parts[0], by_key.values()), parts[1:]
    for undone_turn, undoer in view.ask(
        "SELECT turn, undone_by FROM turns AS t WHERE t.standing = 0 AND EXISTS"
        " (SELECT 1 FROM involved AS i WHERE i.turn = t.turn AND folded(i.character) = ?) ORDER BY turn LIMIT 1",
        key_of(parts[0]),
    ):
        reason = f"There is no character {parts[0]!r} any more: T{undone_turn} is undone by T{undoer}"
        raise Unknown("character", parts[0], reason)
    find_name(parts[0], by_key.values())
    raise AssertionError("a name that is found is a name that is known")


def _card_called(system: RuleSystem, state: Game, name: str, text: str) -> Target | None:
    """The card of this title or number; None if there is none."""
    words = _as_words(text)
    for card, title in (system.piles.cards(state, name) if system.piles is not None else {}).items():
        if words in (_as_words(str(card)), _as_words(title)):
            return Target(name, "cards", (title,), card)
    return None


def _card(system: RuleSystem, state: Game, name: str, text: str) -> Target:
    assert system.piles is not None
    cards = system.piles.cards(state, name)
    if not text:
        raise Invalid(f"Say which card: {name}.cards.{next(iter(cards.values()), '…')}")
    if (called_so := _card_called(system, state, name, text)) is not None:
        return called_so
    if len(matches := set(fitting(text, cards.values()))) == 1:
        (title,) = matches
        return Target(name, "cards", (title,), next(card for card, other in cards.items() if other == title))
    hint = did_you_mean(text, cards.values(), otherwise="")
    raise Unknown("card", text, f"{called(name)} has no card {text!r}", hint)


def _as_words(title: str) -> str:
    """A title for comparison: without case, and with hyphens as spaces, as typed in a shell."""
    return " ".join(key_of(title).replace("-", " ").replace("_", " ").split())


class Step(Struct, frozen=True):
    """One change of a value, as the tables have it."""

    turn: int
    event: int
    old: Any
    new: Any
    rules: tuple[str, ...]


class Provenance(Struct, frozen=True):
    """Where a value comes from: its changes, newest first, and one more than was asked for."""

    links: list[Change]
    #: The first pile of a card.
    at_first: str | None
    #: Turns that do not count any more: (turn, undone by, sentence).
    undone: list[tuple[int, int, str]]
    #: A clause about what is there in place of a missing piece.
    present_value: str


# -- the chain -------------------------------------------------------------------------------------------


def inside(cell: Any, path: Sequence[str]) -> Any:
    """The value at a path inside a cell: by key in mappings, in lists by `id` or `card`, else by place from 1."""
    value = decode(cell)
    for part in path:
        if isinstance(value, Mapping):
            value = next((member for key, member in value.items() if key_of(str(key)) == key_of(part)), None)
        elif isinstance(value, list):
            members = [member for member in value if isinstance(member, dict) and ("id" in member or "card" in member)]
            place = int(part) if part.isdecimal() else 0
            value = (
                # the member's own number, as in "wound 2", and not its place among those left
                next((member for member in members if part in (str(member.get("id")), str(member.get("card")))), None)
                if members
                else value[place - 1]
                if 0 < place <= len(value)
                else None
            )
        else:
            return None
    return value if path else cell


def _lists_with(cell: Any, member: int | str) -> str | bool | None:
    """The names of the lists in a cell that something lies in; of one list alone, whether; None: in none."""
    value = decode(cell)
    if isinstance(value, Mapping):
        names = [str(key) for key, members in value.items() if isinstance(members, list) and member in members]
        return listed(names) if names else None
    return (isinstance(value, list) and member in value) or None


def value_of(view: View, about: Target) -> Any:
    """The current value of the whole field."""
    (cell,) = view.ask(f'SELECT "{about.field}" FROM sheets WHERE character = ?', about.character)[0]
    return decode(cell)


def pieces(view: View, about: Target) -> list[str]:
    """The names that exist where the path of the target ends, to suggest them for a missing part."""
    value, way = value_of(view, about), list[str]()
    for part in about.inside:
        deeper = inside(value_of(view, about), (*way, part))
        if not isinstance(deeper, Mapping | list):
            break
        value, way = deeper, [*way, part]
    if isinstance(value, Mapping):
        return [str(key) for key in value]
    if not isinstance(value, list):
        return []
    return [
        str(member.get("id", member.get("card", at))) if isinstance(member, Mapping) else str(at)
        for at, member in enumerate(value, 1)
    ]


def as_on_sheet(system: RuleSystem, field: str, cell: Any) -> Any:
    """A cell as in the JSON of the sheet, with booleans, lists and mappings restored."""
    is_flag = isinstance(cell, int) and (own := stored_fields(system.sheet).get(field)) is not None and own.type is bool
    return bool(cell) if is_flag else decode(cell)


def decode(cell: Any) -> Any:
    """The list or mapping in a cell with JSON; any other cell unchanged."""
    if isinstance(cell, str) and cell[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(cell)
        except msgspec.DecodeError:
            return cell
    return cell


def chain(view: View, system: RuleSystem, about: Target, newest: int | None = None) -> list[Change]:
    """The changes of a value, newest first; with `newest` at most so many."""
    steps = (_piles(view, system, about) if about.card is not None else _values(view, system, about, newest))[:newest]
    return _explained(view, system, about.character, steps)


def provenance_at_table(view: View, system: RuleSystem, log: Log, about: Target, upto: int) -> Provenance:
    """The provenance of a field of the table, folded from the log, since the tables keep the values of sheets only."""
    found: list[Step] = []
    table, whole, value = None, None, None
    for turn, state in steps(system, log, upto):
        if state.table is table:
            continue
        table, whole = state.table, system.table_to_view(state).get(about.field)
        now = inside(whole, about.inside) if about.inside else whole
        if now != value:
            rules = view.ask("SELECT DISTINCT rule FROM under WHERE turn = ? ORDER BY rule", turn.number)
            found.append(Step(turn.number, 0, value, now, tuple(rule for (rule,) in rules)))
            value = now
    there = listed(list(map(str, whole))) if isinstance(whole, Mapping) and whole else ""
    return Provenance(_explained(view, system, "", found[::-1]), None, [], f"there is {there} now" if there else "")


def _values(view: View, system: RuleSystem, about: Target, newest: int | None) -> list[Step]:
    # not every change of a field changes a value inside it
    limit = f" LIMIT {newest}" if newest is not None and not about.inside else ""
    # the id is selected too: only then does SQLite read both halves of a view in order
    changes = 'SELECT turn, event, old, new, rule, id FROM "values"'
    rows = view.ask(
        f"{changes} WHERE character = ? AND field = ? ORDER BY id DESC{limit}", about.character, about.field
    )

    def value(cell: Any) -> Any:
        if about.member is not None:
            return _lists_with(cell, about.member)
        return inside(cell, about.inside) if about.inside else as_on_sheet(system, about.field, cell)

    steps = [Step(turn, event, value(old), value(new), _rules(rules)) for turn, event, old, new, rules, _ in rows]
    return [step for step in steps if step.old != step.new or not about.inside]


def _piles(view: View, system: RuleSystem, about: Target) -> list[Step]:
    assert system.piles is not None and about.card is not None
    sheet: dict[str, Any] = {}
    lies: str | None = None
    steps: list[Step] = []
    rows = view.ask(
        'SELECT turn, event, field, new, rule FROM "values" WHERE character = ? ORDER BY id', about.character
    )
    for (turn, event), changes in groupby(rows, itemgetter(0, 1)):
        rules = None
        for _, _, field, new, rule in changes:
            sheet[field], rules = decode(new), rule
        now = system.piles.pile(sheet, about.card)
        if now != lies:
            steps.append(Step(turn, event, lies, now, _rules(rules)))
            lies = now
    return steps[::-1]


def _explained(view: View, system: RuleSystem, character: str, steps: Sequence[Step]) -> list[Change]:
    """The steps with their sentences, the rulings that were in force, and what was rolled or drawn."""
    rulings = rulings_then(view, system, [(step.turn, step.rules) for step in steps])
    changes = []
    for step in steps:
        ((sentence,),) = view.ask(
            "SELECT coalesce((SELECT e.sentence FROM events AS e WHERE e.turn = t.turn AND number = ?), t.sentence)"
            " FROM turns AS t WHERE t.turn = ?",
            step.event,
            step.turn,
        )
        rolls = tuple(rolls_of(view, step.turn, character))
        holding = rulings[step.turn, step.rules]
        changes.append(Change(step.turn, step.event, step.old, step.new, sentence, step.rules, holding, rolls))
    return changes


def _rules(cell: str | None) -> tuple[str, ...]:
    return tuple(cell.split(", ")) if cell else ()


#: A turn, and the paragraphs that it cites.
Question = tuple[int, tuple[str, ...]]


def rulings_then(
    view: View, system: RuleSystem, questions: Collection[Question]
) -> dict[Question, tuple[RulingThen, ...]]:
    """The rulings on the paragraphs of each question that were in force at its turn, the latest first."""
    rows = view.ask(RULINGS)
    turns = [turn for row in rows for turn in row[:2] if turn is not None]
    place_of = _ways(view, [*turns, *(turn for turn, _ in questions)])
    made = [
        (
            place_of[turn],
            None if ended_by is None else place_of[ended_by],
            RulingInForce(number, rule, msgspec.json.decode(options), supersedes=supersedes),
            RulingThen(number, rule, text, why, {}),
        )
        for turn, ended_by, number, rule, text, why, options, supersedes in rows
    ]
    then: dict[Question, tuple[RulingThen, ...]] = {}
    for question in questions:
        place, numbers = place_of[question[0]], {bare_number(system, rule) for rule in question[1]}
        standing = {
            ruling.number: (ruling, words)
            for since, until, ruling, words in made
            if since < place and (until is None or until >= place)
        }
        then[question] = tuple(
            replace(standing[number][1], options=holding.options)
            for number, holding in holdings_of(ruling for ruling, _ in standing.values())
            if holding.in_force and standing[number][1].rule in numbers
        )
    return then


#: The rulings that stand, the latest first.
RULINGS = (
    "SELECT turn, ended_by, ruling, rule, text, why, options, supersedes FROM rulings"
    " WHERE standing ORDER BY ruling DESC"
)


def _ways(view: View, turns: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """The place where each turn folds, as a path (see `way`)."""
    numbers = as_json(list(turns))
    places = view.ask("SELECT turn, place FROM turns WHERE turn IN (SELECT value FROM json_each(?))", numbers)
    return {turn: way(view, turn, place) for turn, place in places}


def rolls_of(view: View, turn: int, character: str | None = None) -> Iterator[Rolls]:
    """The dice and cards of a turn; with `character` only those of that character or of nobody."""
    rows = view.ask(
        "SELECT character, purpose, kind, value, reported FROM rolls WHERE turn = ?"
        " AND (? IS NULL OR character IS NULL OR character = ?) ORDER BY id",
        turn,
        character,
        character,
    )
    for (name, purpose, kind), group in groupby(rows, itemgetter(0, 1, 2)):
        rolls = list(group)
        whose = f"{name}, " if character is None and name is not None else ""
        yield Rolls(whose + purpose, kind, tuple(row[3] for row in rolls), sum(row[4] for row in rolls))


#: Undone turns after a given one with an event about a field, by the index of `standing`.
UNDONE_SINCE = (
    "SELECT t.turn, t.undone_by, t.sentence FROM turns AS t WHERE t.standing = 0 AND t.turn > ? AND EXISTS"
    " (SELECT 1 FROM events AS e CROSS JOIN json_each(e.json) AS field"
    " WHERE e.turn = t.turn AND e.character = ? AND field.key = ?) ORDER BY t.turn"
)


def undone_since(view: View, about: Target, turn: int) -> list[tuple[int, int, str]]:
    """Undone turns after `turn` with an event about this field: (turn, undone by, sentence)."""
    return view.ask(UNDONE_SINCE, turn, about.character, about.field)


def provenance(view: View, system: RuleSystem, about: Target, most: int | None) -> Provenance:
    """The provenance of a value, with so many changes (None: all)."""
    links = chain(view, system, about, most + 1 if most is not None else None)
    at_first = None
    if about.card is not None and (piles := _piles(view, system, about)):
        at_first = piles[-1].new
    undone = undone_since(view, about, links[0].turn if links else 0)
    return Provenance(links, at_first, undone, _present_value(view, about) if not links and about.inside else "")


def _present_value(view: View, about: Target) -> str:
    """A clause about the present value where the piece asked about is missing."""
    if names := pieces(view, about):
        return f"there is {listed(names)} now"
    value, whole = value_of(view, about), Target(about.character, about.field)
    if isinstance(value, list | dict) or value is None:
        return "there is nothing now"
    return f"{whole} is {in_words(value)}"


class AlteredField(Struct, frozen=True):
    """One sheet field that an event of a turn changed."""

    event: int
    character: str
    field: str
    old: Any
    new: Any


def changes_in_words(system: RuleSystem, state: Any, about: Target, changes: Iterable[Change]) -> list[Change]:
    """The changes with their values in the rule system's words, as names for numbers."""
    words = partial(system.in_words, state, about.character, about.path)
    return [replace(change, old=words(change.old), new=words(change.new)) for change in changes]


def altered_in_words(system: RuleSystem, state: Game, change: AlteredField) -> Iterator[AlteredField]:
    """The change with its field and values in the rule system's words; one of several members for each of them."""
    parts = tuple(differences({change.field: change.old}, {change.field: change.new}))
    for part in in_their_words(system, change.character, parts, state, state):
        yield replace(change, field=part.field, old=part.old, new=part.new)


class TurnContext(Struct, frozen=True):
    """The context of a turn: the rulings in force, the changes on sheets, the dice and cards."""

    rulings: tuple[RulingThen, ...]
    changes: tuple[AlteredField, ...]
    chance: tuple[Rolls, ...]
    #: the wordings that it was played under, by paragraph
    wordings: tuple["WordingThen", ...] = ()


class WordingThen(Struct, frozen=True):
    """The wording of a paragraph when a turn was played; `turn` gave it that wording, None: the rules."""

    rule: str
    version: int
    turn: int | None
    title: str | None


def wordings_then(view: View, system: RuleSystem, turn: int) -> tuple[WordingThen, ...]:
    """The wordings that a turn was played under."""
    wordings = []
    inherited_titles = dict(
        view.ask(
            "SELECT json_extract(value, '$.rule'), json_extract(value, '$.title')"
            " FROM events, json_each(events.json, '$.inherits.paragraphs')"
            " WHERE turn = 1 AND number = 1"
        )
    )
    for rule, version in view.ask("SELECT DISTINCT rule, version FROM under WHERE turn = ? ORDER BY rowid", turn):
        number = bare_number(system, rule)
        rows = view.ask(
            "SELECT turn, title FROM wordings WHERE rule = ? AND version <= ? ORDER BY version DESC", number, version
        )
        title = next((title for _, title in rows if title is not None), inherited_titles.get(number))
        wordings.append(WordingThen(rule, version, rows[0][0] if rows else None, title))
    return tuple(wordings)


def context_of(view: View, system: RuleSystem, turn: int, rules: Sequence[str]) -> TurnContext:
    """The context of a turn that cites these paragraphs."""
    changes = view.ask('SELECT event, character, field, old, new FROM "values" WHERE turn = ? ORDER BY id', turn)
    question = (turn, tuple(rules))
    rulings = rulings_then(view, system, [question])[question]
    chance, wordings = tuple(rolls_of(view, turn)), wordings_then(view, system, turn)
    return TurnContext(rulings, altered_fields(system, changes), chance, wordings)


def altered_fields(system: RuleSystem, changes: Iterable[Sequence[Any]]) -> tuple[AlteredField, ...]:
    """The changes from their cells: event, character, field, old and new value."""
    return tuple(
        AlteredField(event, name, field, as_on_sheet(system, field, old), as_on_sheet(system, field, new))
        for event, name, field, old, new in changes
    )
