"""What a question is about: what somebody means by `brog.hp`, `ada.Trample`, `the toll keeper` or a name alone."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

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
from domain.system.field_schema import fields_of
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.type_descriptions import either
from projections.views.cells import from_cell, inside
from projections.views.view import View


class Target(Struct, frozen=True):
    """A field of a sheet, a value inside it, or (`card`) the pile of a card.

    Or (`member`) the list inside a field that something lies in, as an item among the ready or the spent ones.
    Without a character: a field of the table, or a value that the table tracks.
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


#: What stands before a value of the table, if a character has the same name.
OF_TABLE = "table"


def characters_in(view: View) -> list[str]:
    """The characters with a sheet, by name."""
    return [name for (name,) in view.ask("SELECT character FROM sheets ORDER BY character")]


def fields_in(view: View) -> list[str]:
    return [row[1] for row in view.ask("PRAGMA table_info(sheets)")][1:]


def tracked_names(view: View, character: str | None) -> list[str]:
    """The names of the values that a character (None: the table) ever tracked."""
    return [
        name for (name,) in view.ask("SELECT DISTINCT name FROM tracked WHERE character IS ? ORDER BY name", character)
    ]


# -- on a sheet, or tracked ------------------------------------------------------------------------------


def target_of(view: View, system: RuleSystem, state: Game | None, text: str) -> Target:
    """The target of a typed path: "brog.hp", "brog.ability_loss.strength" or "ada.cards.Trample".

    A name alone stands for the vital figure; unique beginnings of names are enough. Cards are looked up in `state`;
    without it only fields of sheets are allowed. Raises Invalid for what is no path, Refusal for an unknown character,
    field or card.
    """
    parts = text.strip().split(".")
    if (of_table := _tracked_by_table(view, parts)) is not None:
        return of_table
    if len(parts) < 2 or not all(part.strip() for part in parts):
        return _without_a_field(view, system, text, parts)
    name, rest = _whose(view, parts)
    field = key_of(rest[0]).replace("-", "_").replace(" ", "_")
    if field == "cards" and system.piles is not None:
        if state is None:
            raise Invalid("A condition looks at fields of sheets; a card lies in a pile.")
        return _card(system, state, name, ".".join(rest[1:]))
    fields = fields_in(view)
    if field not in fields and len(meant := _beginning(system, rest[0], fields)) == 1:
        field = meant.pop()
    if field not in fields:
        return _beside_the_fields(view, system, state, name, rest, fields)
    path = tuple(part.strip() for part in rest[1:])
    if state is not None and path and not path[-1].isdecimal():
        cells = view.ask('SELECT DISTINCT new FROM "values" WHERE character = ? AND field = ?', name, field)
        if all(inside(cell, path) is None for (cell,) in cells):  # then it is no key, but may be called so
            for title in (path[-1], " ".join(path)):  # words without quotes are parts too
                for owned in possessions(view, system, state, name, title, field):
                    return owned
    return Target(name, field, path)


def _tracked_by_table(view: View, parts: Sequence[str]) -> Target | None:
    """A value that the table tracks: `day`, or `table.day` if a character is called Day; None if there is none."""
    if key_of(parts[0]) == OF_TABLE and len(parts) > 1:
        parts = parts[1:]
    elif fitting(parts[0], characters_in(view)):
        return None
    name = same_letters(".".join(parts), tracked_names(view, None))
    return Target("", "tracked", (name,)) if name is not None else None


def _without_a_field(view: View, system: RuleSystem, text: str, parts: Sequence[str]) -> Target:
    """Somebody's vital figure, or what only one of them tracks. Raises Invalid or Unknown with what has to be said."""
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


def _whose(view: View, parts: Sequence[str]) -> tuple[str, Sequence[str]]:
    """The character that the parts begin with, and the other parts. Raises Unknown."""
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


def _beginning(system: RuleSystem, text: str, fields: Sequence[str]) -> set[str]:
    """The fields that begin with these whole words, as `deck` does deck_count; also by the vital figure's name.

    Empty where the letters are also those of another name: `wound` is neither wounds nor wound_cards.
    """
    words = plain_words(text)
    names = [*((plain_words(field), field) for field in fields), (plain_words(system.vital[1]), system.vital[0])]
    begun = [(name, field) for name, field in names if " ".join(name).startswith(" ".join(words))]
    return {field for _, field in begun} if all(name[: len(words)] == words for name, _ in begun) else set()


def _beside_the_fields(
    view: View, system: RuleSystem, state: Game | None, name: str, parts: Sequence[str], fields: Sequence[str]
) -> Target:
    """What somebody tracks or owns by this name, which is no field. Raises Unknown."""
    own_names = tracked_names(view, name)
    if (tracked_name := same_letters(".".join(parts), own_names)) is not None:
        return Target(name, "tracked", (tracked_name,))
    if state is not None:
        for owned in possessions(view, system, state, name, " ".join(parts)):
            return owned
    more = ["cards"] if system.piles is not None and state is not None else []
    # the field of which the word is a value, as `collapsed` is a condition
    choices = (field for field in fields_of(system.sheet) if field.kind.shape == "choice")
    having = [own.key for own in choices if key_of(parts[0]) in map(key_of, own.kind.offered_choices)]
    hint = f"did you mean {having[0]}?" if len(having) == 1 else ""
    hint = hint or did_you_mean(parts[0], [*fields, *own_names, *more], otherwise="")
    raise Unknown("sheet field", parts[0], f"{called(name)} has no field {parts[0]!r}", hint)


# -- cards and other possessions -------------------------------------------------------------------------


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
        value = from_cell(cell)
        lists = value.items() if isinstance(value, Mapping) else (("", value),)
        for key, members in lists:
            for member in members if isinstance(members, list) else ():
                if isinstance(member, int | str):
                    seen.setdefault((holding, member), f"{holding}.{key}" if key else holding)
    for (holding, member), path in seen.items():
        (title,) = system.in_words(state, name, path, [member])
        if isinstance(title, str) and _as_typed(text) == _as_typed(title):
            yield Target(name, holding, (title,), member=member)


def _card(system: RuleSystem, state: Game, name: str, text: str) -> Target:
    """The card of this title or number, or the only one that it begins. Raises Invalid and Unknown."""
    assert system.piles is not None
    cards = system.piles.cards(state, name)
    if not text:
        raise Invalid(f"Say which card: {name}.cards.{next(iter(cards.values()), '…')}")
    if (card := _card_called(system, state, name, text)) is not None:
        return card
    if len(matches := set(fitting(text, cards.values()))) == 1:
        (title,) = matches
        return Target(name, "cards", (title,), next(card for card, other in cards.items() if other == title))
    hint = did_you_mean(text, cards.values(), otherwise="")
    raise Unknown("card", text, f"{called(name)} has no card {text!r}", hint)


def _card_called(system: RuleSystem, state: Game, name: str, text: str) -> Target | None:
    """The card of this title or number; None if there is none."""
    words = _as_typed(text)
    for card, title in (system.piles.cards(state, name) if system.piles is not None else {}).items():
        if words in (_as_typed(str(card)), _as_typed(title)):
            return Target(name, "cards", (title,), card)
    return None


def _as_typed(title: str) -> str:
    """A title for comparison: without case, and with hyphens as spaces, as typed in a shell."""
    return " ".join(key_of(title).replace("-", " ").replace("_", " ").split())


# -- of the table ----------------------------------------------------------------------------------------


def field_of_table(view: View, system: RuleSystem, text: str) -> Target | None:
    """A field of the table itself: `scene`, `table.round`, `foes.wolf`; None if it is somebody's or tracked.

    Raises Invalid for `table` with nothing that it has behind it.
    """
    first, *rest = parts = [part.strip() for part in text.split(".")]
    is_somebody = bool(fitting(first, characters_in(view)))
    if is_somebody or _tracked_by_table(view, parts) is not None:
        return None
    is_named = key_of(first) == OF_TABLE
    if is_named:
        first, *rest = rest or [""]
    fields = [name for name in system.table_to_view(system.opening()) if name != "tracked"]
    field = same_letters(first, fields)
    if field is None and is_named:
        known = [*fields, *tracked_names(view, None)]
        if not known:
            raise Invalid("The table keeps nothing of its own yet; a first thing: campaign track day 1.")
        raise Invalid(f"Say what of the table: {either(f'{OF_TABLE}.{name}' for name in known)}.")
    if field is None or (not is_named and field in fields_in(view)):
        return None
    return Target("", field, tuple(rest))


def named_by_table(system: RuleSystem, state: Game, text: str) -> Target | None:
    """Something that the table keeps by its name, as a foe: `the toll keeper`, `foes.wolf`; None if there is none."""
    first, *rest = [part.strip() for part in text.split(".")]
    fields = {name: value for name, value in system.table_to_view(state).items() if isinstance(value, Mapping)}
    if key_of(first) == OF_TABLE and rest:
        first, *rest = rest
    if (field := same_letters(first, fields)) is not None and rest:
        fields, (first, *rest) = {field: fields[field]}, rest
    found = [(name, key) for name, value in fields.items() if name != "tracked" for key in fitting(first, value)]
    if len(found) != 1:
        return None
    ((field, key),) = found
    path = (key, *rest)
    return Target("", field, path if inside(fields[field], path) is not None else (key,))
