"""Reads a save of GloomhavenSecretariat into the first actions of a log: enrolments, then overrides for the rest.

The format is that of its public source (`GameModel`, or a dump with the game in it). A save has characters, levels,
experience, gold, items, hit points and conditions; it has no hand and no discard pile. What it lacks, or what this
log does not store, is reported as open and never guessed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec
from msgspec import Struct, field

from domain.gloomhaven.classes import known_classes, known_items, levels
from domain.gloomhaven.facts import Condition, PrintedClass
from domain.gloomhaven.ghs_data import class_of, edition_of
from domain.gloomhaven.ghs_halves import whole_number
from domain.gloomhaven.sheet import GloomhavenState
from domain.naming import called, fit_name, key_of, listed, possessive, quantity
from domain.refusal import Invalid
from domain.system.extensions import FileReader, Files, ReadResult

#: The reason of the overrides: the values come from a save and not from play.
SEEN_IN_A_SAVE = "Seen in a save of GloomhavenSecretariat."
CONDITIONS = get_args(Condition)
#: Item numbers of the log by (edition, number printed on the card).
ByPrint = Mapping[tuple[str | None, int], int]


class Identified(Struct):
    """An item by its number in an edition; its `tags` include "spent" or "consumed"."""

    name: str | int = ""
    edition: str | None = None
    tags: list[str] | None = None


class Suffered(Struct):
    """A condition that a character has or had."""

    name: str = ""
    expired: bool | None = False
    state: str | None = None


class Progress(Struct):
    """What a character keeps from one scenario to the next."""

    experience: int | None = 0
    gold: int | None = 0
    items: list[Identified] | None = None
    equippedItems: list[Identified] | None = None  # noqa: N815 - as the save has it
    retired: bool | None = False


class SavedCharacter(Struct):
    """One character. `experience` and `loot` were gained in the current scenario."""

    name: str
    edition: str | None = None
    title: str | None = None
    level: int | None = 1
    experience: int | None = 0
    loot: int | None = 0
    health: int | None = None
    exhausted: bool | None = False
    entityConditions: list[Suffered] | None = None  # noqa: N815 - as the save has it
    summons: list[Any] | None = None
    progress: Progress | None = None

    @property
    def display_name(self) -> str:
        """The character's name: its title, else its class."""
        return (self.title or "").strip() or called(self.name)

    @property
    def conditions(self) -> list[str]:
        """The names of the conditions that are in force, sorted."""
        active = (
            condition
            for condition in self.entityConditions or ()
            if not condition.expired and condition.state != "removed"
        )
        return sorted({condition.name for condition in active})


class SavedScenario(Struct):
    """The current scenario."""

    index: str | int = ""
    edition: str | None = None
    custom: str | None = None

    @property
    def display_name(self) -> str:
        return (self.custom or "").strip() or str(self.index)


class SavedParty(Struct):
    """The party; only its name is read."""

    name: str | None = None


class Save(Struct):
    """One snapshot of the game."""

    characters: list[SavedCharacter]
    revision: int | None = 0
    scenario: SavedScenario | None = None
    level: int | None = None
    round: int | None = 0
    party: SavedParty | None = None

    @property
    def playing(self) -> SavedScenario | None:
        """The scenario, if its first round has begun; else None."""
        return self.scenario if self.scenario is not None and self.scenario.display_name and self.round else None


class Dump(Struct):
    """A dump of everything that the program stores; its keys come with the prefix `ghs-` or without."""

    game: Save | None = None
    ghs_game: Save | None = field(name="ghs-game", default=None)
    undo: list[msgspec.Raw] | None = None
    ghs_undo: list[msgspec.Raw] | None = field(name="ghs-undo", default=None)


def read(files: Files, state: GloomhavenState) -> ReadResult:
    """Actions for one save: a note of its source, enrolments, overrides. Raises Invalid for any other file."""
    if len(files) != 1:
        raise Invalid("A save is one file; name it.")
    ((path, content),) = files.items()
    save, snapshots = _save_in(path, content)
    left_open = ["Who plays whom: amend the enrolments (player=…)."]
    newcomers = [character for character in save.characters if _can_come(character, save, state, left_open)]
    if not newcomers:
        raise Invalid(" ".join(left_open[1:]) or f"Nobody is in the save {path}.")
    actions: list[Mapping[str, Any]] = [{"type": "note", "text": _source(save, snapshots)}]
    actions += [_enrolment(character, state, left_open) for character in newcomers]
    playing = save.playing
    if playing is not None and not state.table.playing:
        level = {"level": save.level} if save.level in range(8) else {}
        actions.append({"type": "gloomhaven.begin_scenario", "scenario": playing.display_name, **level})
        left_open.append(f"The round: the save is in round {save.round}; the log counts from its own first.")
    for character in newcomers:
        fields = dict(_fields_of(character, state, left_open, playing=playing is not None and not state.table.playing))
        if fields:
            actions.append(
                {"type": "override", "character": character.display_name, "set": fields, "why": SEEN_IN_A_SAVE}
            )
        left_open += _left_out(character, playing=playing is not None)
    return ReadResult(tuple(actions), tuple(left_open))


def _save_in(path: str, content: bytes) -> tuple[Save, int]:
    """The game, and the number of undo snapshots in the same file. Raises Invalid if it is no save."""
    try:
        whole = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        if "characters" in whole:
            return msgspec.json.decode(content, type=Save), 0
        dump = msgspec.json.decode(content, type=Dump)
    except (msgspec.DecodeError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).rstrip(".").lower()
        raise Invalid(f"{path} is not a save of GloomhavenSecretariat: {reason}.") from None
    game = dump.game or dump.ghs_game
    if game is None:
        raise Invalid(f"{path} is not a save of GloomhavenSecretariat: there is no game in it.")
    return game, len(dump.undo or dump.ghs_undo or ())


def _source(save: Save, snapshots: int) -> str:
    """The text of the note that names the save."""
    party = (save.party.name or "").strip() if save.party is not None else ""
    undo_remark = f"; {snapshots} snapshots to undo in it are not read" if snapshots else ""
    where = f", in round {save.round} of scenario {save.playing.display_name}" if save.playing is not None else ""
    party_name = f" ({party[:60]})" if party else ""
    return f"From a save of GloomhavenSecretariat{party_name}, revision {save.revision}{where}{undo_remark}."


def _can_come(character: SavedCharacter, save: Save, state: GloomhavenState, left_open: list[str]) -> bool:
    """Whether a character of the save can be enrolled; appends the reason to `left_open` if not."""
    title = character.display_name
    if character.progress is not None and character.progress.retired:
        left_open.append(f"{title} has retired and is not enrolled.")
        return False
    try:
        fit_name(title)
    except Invalid as error:
        left_open.append(f"{character.name[:60]}: {error.reason}")
        return False
    if any(key_of(title) == key_of(name) for name in state.characters):
        left_open.append(f"{title} is enrolled already; nothing of the save's is taken.")
        return False
    namesakes = (other for other in save.characters if key_of(other.display_name) == key_of(title))
    if next(namesakes) is not character:
        left_open.append(f"Two characters of the save are called {title}; the first of them is taken.")
        return False
    facts = _class_of(character, state)
    if facts is None:
        edition = edition_of(character.edition)
        suffix = f" of {edition}" if edition else ""
        left_open.append(
            f"{title}: the log does not know the class {character.name[:60]}{suffix}; let it learn that first."
        )
        return False
    if character.edition and facts.edition != edition_of(character.edition):
        suffix = f"it is taken for that of {edition_of(character.edition)}"
        left_open.append(f"{title}: the log does not know of which edition its {facts.class_} is; {suffix}.")
    if sum(card.level == 1 for card in facts.cards) != facts.hand_size:
        left_open.append(f"{title}: the log does not know all level-1 cards of the {facts.class_}; enrol them by hand.")
        return False
    if character.level not in range(1, 10):
        left_open.append(f"{title}: level {character.level} is not from 1 to 9.")
        return False
    return True


def _class_of(character: SavedCharacter, state: GloomhavenState) -> PrintedClass | None:
    """The log's class of a character in the save; None if the log does not know it.

    Older logs store no edition with a class: there the name decides, unless it is that of a starting class.
    """
    name, learned = key_of(character.name), state.table.classes
    if not character.edition:
        return known_classes(learned).get(name)
    facts = class_of(learned, name, edition_of(character.edition))
    before = learned.get(name) if name not in levels()["starters"] else None
    return facts or (before if before is not None and before.edition is None else None)


def _class_in(character: SavedCharacter, state: GloomhavenState) -> PrintedClass:
    """The same for a character that passed `_can_come`, so that the class is known."""
    facts = _class_of(character, state)
    assert facts is not None
    return facts


def _enrolment(character: SavedCharacter, state: GloomhavenState, left_open: list[str]) -> dict[str, Any]:
    """The enrolment of a character; of the current scenario it takes only the experience."""
    progress = character.progress or Progress()
    numbers, items = _by_print(state), []
    unknown: dict[str | None, list[str]] = {}
    for item in progress.items or ():
        number = _known_number(item, numbers)
        if number is not None:
            items.append(number)
        else:
            unknown.setdefault(item.edition, []).append(str(item.name)[:60])
    for edition, names in unknown.items():
        sentence = f"item{'' if len(names) == 1 else 's'} {listed(names)} ({edition})"
        left_open.append(f"{character.display_name} owns the {sentence}, which the log does not know.")
    return {
        "type": "gloomhaven.enrol",
        "character": character.display_name,
        "class": _class_in(character, state).class_,
        "level": character.level,
        "xp": max(0, progress.experience or 0) + max(0, character.experience or 0),
        "gold": max(0, progress.gold or 0),
        **({"items": list(dict.fromkeys(items))} if items else {}),
    }


def _fields_of(
    character: SavedCharacter, state: GloomhavenState, left_open: list[str], *, playing: bool
) -> Iterator[tuple[str, Any]]:
    """The fields to override: hit points, conditions, items, exhaustion in the current scenario."""
    facts, name = _class_in(character, state), character.display_name
    unknown = [condition for condition in character.conditions if condition not in CONDITIONS]
    if unknown:
        left_open.append(f"{name} has {listed(unknown)}, which these rules do not have.")
    if not playing:
        return
    if character.exhausted:
        opening_cards = [card.id for card in facts.cards if card.level == 1]
        yield from {"exhausted": True, "hp": max(0, character.health or 0), "hand": [], "lost": opening_cards}.items()
        return
    most = facts.max_hp(character.level or 1)
    if character.health is None or not 1 <= character.health <= most:
        left_open.append(f"{possessive(name)} hit points: the save has {character.health} of {most}.")
    elif character.health != most:
        yield "hp", character.health
    conditions = [condition for condition in character.conditions if condition in CONDITIONS]
    if conditions:
        yield "conditions", conditions
    items = _items(character, _by_print(state))
    if items["spent"] or items["consumed"]:
        yield "items", items


def _items(character: SavedCharacter, numbers: ByPrint) -> dict[str, list[int]]:
    """The character's items that the log knows, by place; their tags tell the place."""
    progress = character.progress or Progress()
    own_numbers = dict.fromkeys(
        number for item in progress.items or () if (number := _known_number(item, numbers)) is not None
    )
    tags = {_known_number(item, numbers): item.tags or [] for item in progress.equippedItems or ()}
    places: dict[str, list[int]] = {"ready": [], "spent": [], "consumed": []}
    for number in sorted(own_numbers):
        place = next((place for place in ("consumed", "spent") if place in tags.get(number, ())), "ready")
        places[place].append(number)
    return places


def _by_print(state: GloomhavenState) -> ByPrint:
    return {item.printed: item.id for item in known_items(state.table.items).values()}


def _known_number(item: Identified, numbers: ByPrint) -> int | None:
    number = whole_number(item.name)
    return None if number is None or not item.edition else numbers.get((edition_of(item.edition), number))


def _left_out(character: SavedCharacter, *, playing: bool) -> Iterator[str]:
    """A sentence for each fact that saves lack or this log stores differently."""
    name = character.display_name
    # between scenarios a hand is chosen; in one, only the referee's word changes it
    cards = f"the cards in hand are those of level 1 until {'an override' if playing else 'choose-hand'} says otherwise"
    if (character.level or 1) > 1:
        cards += ", and which were gained above level 1; amend the enrolment for that (gained=…)"
    yield f"{name}: {cards}."
    if playing and not character.exhausted:
        yield f"{name}: which cards are discarded, lost or active; an override sets it."
    if playing and character.loot:
        yield f"{name}: {quantity(character.loot, 'money token')} of the scenario; loot says it."
    if character.summons:
        yield f"{name}: the summons on the board."


READER = FileReader(
    "import-save",
    "Begin with a save of GloomhavenSecretariat.",
    read,
    examples=("our-party.json",),
)
