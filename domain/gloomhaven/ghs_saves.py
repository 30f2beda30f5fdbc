"""A save of GloomhavenSecretariat as the beginning of a log: enrolments, and what else it shows as observations.

The format is that of its public source (`GameModel`, or a dump with the game in it). A save knows characters, levels,
experience, gold, items, hit points and conditions; it knows no hand and no discard pile. What it does not hold, or
what this log has no place for, is left open and never guessed.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec
from msgspec import Struct, field

from domain.gloomhaven.classes import known_classes, known_items, levels
from domain.gloomhaven.ghs_data import class_of, edition_of
from domain.gloomhaven.ghs_halves import whole_number
from domain.gloomhaven.printed import Condition, PrintedClass
from domain.gloomhaven.sheet import GloomhavenState
from domain.naming import called, fit_name, key_of, listed
from domain.refusal import Invalid
from domain.system.extensions import Files, Reader, Reading

#: Why a sheet is set by the referee's word: nobody played it, a save shows it.
OBSERVED = "Seen in a save of GloomhavenSecretariat."
CONDITIONS = get_args(Condition)
#: The number of an item in the log, by its edition and the number on its card.
ByPrint = Mapping[tuple[str | None, int], int]


class Identified(Struct):
    """Something by its number in an edition; `tags` of an item say whether it is spent or consumed."""

    name: str | int = ""
    edition: str | None = None
    tags: list[str] | None = None


class Suffered(Struct):
    """A condition of somebody's."""

    name: str = ""
    expired: bool | None = False
    state: str | None = None


class Progress(Struct):
    """What a character takes from one scenario to the next."""

    experience: int | None = 0
    gold: int | None = 0
    items: list[Identified] | None = None
    equippedItems: list[Identified] | None = None  # noqa: N815 - as the save has it
    retired: bool | None = False


class SavedCharacter(Struct):
    """One character. `experience` and `loot` are those of the scenario that is being played."""

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
    def called(self) -> str:
        """What the character is called, by its title or its class."""
        return (self.title or "").strip() or called(self.name)

    @property
    def conditions(self) -> list[str]:
        """The conditions that hold."""
        held = (each for each in self.entityConditions or () if not each.expired and each.state != "removed")
        return sorted({each.name for each in held})


class SavedScenario(Struct):
    """The scenario that is being played."""

    index: str | int = ""
    edition: str | None = None
    custom: str | None = None

    @property
    def called(self) -> str:
        return (self.custom or "").strip() or str(self.index)


class SavedParty(Struct):
    """The party, of which only its name is told."""

    name: str | None = None


class Save(Struct):
    """One state of the game."""

    characters: list[SavedCharacter]
    revision: int | None = 0
    scenario: SavedScenario | None = None
    level: int | None = None
    round: int | None = 0
    party: SavedParty | None = None

    @property
    def playing(self) -> SavedScenario | None:
        """The scenario, if a round of it has begun."""
        return self.scenario if self.scenario is not None and self.scenario.called and self.round else None


class Dump(Struct):
    """Everything that the program keeps; the names of its parts with a prefix or without."""

    game: Save | None = None
    ghs_game: Save | None = field(name="ghs-game", default=None)
    undo: list[msgspec.Raw] | None = None
    ghs_undo: list[msgspec.Raw] | None = field(name="ghs-undo", default=None)


def read(files: Files, state: GloomhavenState) -> Reading:
    """One save: a note of where it comes from, enrolments, and observations. Raises Invalid for any other file."""
    if len(files) != 1:
        raise Invalid("A save is one file; name it.")
    ((path, content),) = files.items()
    save, snapshots = _save_in(path, content)
    left_open = ["Who plays whom: amending an enrolment says it (player=…)."]
    coming = [each for each in save.characters if _can_come(each, save, state, left_open)]
    if not coming:
        raise Invalid(" ".join(left_open[1:]) or f"Nobody is in the save {path}.")
    actions: list[Mapping[str, Any]] = [{"type": "note", "text": _source(save, snapshots)}]
    actions += [_enrolment(each, state, left_open) for each in coming]
    playing = save.playing
    if playing is not None and not state.table.playing:
        level = {"level": save.level} if save.level in range(8) else {}
        actions.append({"type": "gloomhaven.begin_scenario", "scenario": playing.called, **level})
        left_open.append(f"The round: the save is in round {save.round}; the log counts from its own first.")
    for each in coming:
        seen = dict(_observed(each, state, left_open, playing=playing is not None and not state.table.playing))
        if seen:
            actions.append({"type": "override", "character": each.called, "set": seen, "why": OBSERVED})
        left_open += _not_held(each, playing=playing is not None)
    return Reading(tuple(actions), tuple(left_open))


def _save_in(path: str, content: bytes) -> tuple[Save, int]:
    """The game, and how many snapshots to undo lie beside it. Raises Invalid."""
    try:
        whole = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        if "characters" in whole:
            return msgspec.json.decode(content, type=Save), 0
        dump = msgspec.json.decode(content, type=Dump)
    except (msgspec.DecodeError, RecursionError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).rstrip(".").lower()
        raise Invalid(f"{path} is no save of GloomhavenSecretariat: {what}.") from None
    game = dump.game or dump.ghs_game
    if game is None:
        raise Invalid(f"{path} is no save of GloomhavenSecretariat: there is no game in it.")
    return game, len(dump.undo or dump.ghs_undo or ())


def _source(save: Save, snapshots: int) -> str:
    """Where all of it comes from."""
    party = (save.party.name or "").strip() if save.party is not None else ""
    undone = f"; {snapshots} snapshots to undo in it are not read" if snapshots else ""
    at = f", in round {save.round} of scenario {save.playing.called}" if save.playing is not None else ""
    of = f" ({party[:60]})" if party else ""
    return f"From a save of GloomhavenSecretariat{of}, revision {save.revision}{at}{undone}."


def _can_come(character: SavedCharacter, save: Save, state: GloomhavenState, left_open: list[str]) -> bool:
    """Whether a character of the save can be enrolled; if not, that is said."""
    who = character.called
    if character.progress is not None and character.progress.retired:
        left_open.append(f"{who} has retired and is not enrolled.")
        return False
    try:
        fit_name(who)
    except Invalid as error:
        left_open.append(f"{character.name[:60]}: {error.reason}")
        return False
    if any(key_of(who) == key_of(name) for name in state.characters):
        left_open.append(f"{who} is enrolled already; nothing of the save's is taken.")
        return False
    if next(each for each in save.characters if key_of(each.called) == key_of(who)) is not character:
        left_open.append(f"Two characters of the save are called {who}; the first of them is taken.")
        return False
    facts = _class_of(character, state)
    if facts is None:
        edition = edition_of(character.edition)
        of = f" of {edition}" if edition else ""
        left_open.append(f"{who}: the log does not know the class {character.name[:60]}{of}; let it learn that first.")
        return False
    if character.edition and facts.edition != edition_of(character.edition):
        of = f"it is taken for that of {edition_of(character.edition)}"
        left_open.append(f"{who}: the log does not know of which edition its {facts.class_} is; {of}.")
    if sum(card.level == 1 for card in facts.cards) != facts.hand_size:
        left_open.append(f"{who}: the log does not know all level-1 cards of the {facts.class_}; enrol them by hand.")
        return False
    if character.level not in range(1, 10):
        left_open.append(f"{who}: a level of {character.level} is none from 1 to 9.")
        return False
    return True


def _class_of(character: SavedCharacter, state: GloomhavenState) -> PrintedClass | None:
    """The class of somebody in the save, as the log knows it.

    A log of before kept no edition: there the name decides, unless it is that of a class to start with.
    """
    name, learned = key_of(character.name), state.table.classes
    if not character.edition:
        return known_classes(learned).get(name)
    found = class_of(learned, name, edition_of(character.edition))
    before = learned.get(name) if name not in levels()["starters"] else None
    return found or (before if before is not None and before.edition is None else None)


def _class_in(character: SavedCharacter, state: GloomhavenState) -> PrintedClass:
    """The same of somebody who comes into the log, and so is of a class that it knows."""
    facts = _class_of(character, state)
    assert facts is not None
    return facts


def _enrolment(character: SavedCharacter, state: GloomhavenState, left_open: list[str]) -> dict[str, Any]:
    """What a character brings along, and nothing of the scenario but its experience."""
    progress = character.progress or Progress()
    known, items = _by_print(state), []
    unknown: dict[str | None, list[str]] = {}
    for item in progress.items or ():
        number = _known(item, known)
        if number is not None:
            items.append(number)
        else:
            unknown.setdefault(item.edition, []).append(str(item.name)[:60])
    for edition, names in unknown.items():
        what = f"item{'' if len(names) == 1 else 's'} {listed(names)} ({edition})"
        left_open.append(f"{character.called} owns the {what}, which the log does not know.")
    return {
        "type": "gloomhaven.enrol",
        "character": character.called,
        "class": _class_in(character, state).class_,
        "level": character.level,
        "xp": max(0, progress.experience or 0) + max(0, character.experience or 0),
        "gold": max(0, progress.gold or 0),
        **({"items": list(dict.fromkeys(items))} if items else {}),
    }


def _observed(
    character: SavedCharacter, state: GloomhavenState, left_open: list[str], *, playing: bool
) -> Iterator[tuple[str, Any]]:
    """What the save shows of the scenario: hit points, conditions, items, exhaustion."""
    facts, who = _class_in(character, state), character.called
    unknown = [each for each in character.conditions if each not in CONDITIONS]
    if unknown:
        left_open.append(f"{who} has {listed(unknown)}, which these rules do not have.")
    if not playing:
        return
    if character.exhausted:
        chosen = [card.id for card in facts.cards if card.level == 1]
        yield from {"exhausted": True, "hp": max(0, character.health or 0), "hand": [], "lost": chosen}.items()
        return
    most = facts.max_hp(character.level or 1)
    if character.health is None or not 1 <= character.health <= most:
        left_open.append(f"{who}'s hit points: the save has {character.health} of {most}.")
    elif character.health != most:
        yield "hp", character.health
    held = [each for each in character.conditions if each in CONDITIONS]
    if held:
        yield "conditions", held
    items = _items(character, _by_print(state))
    if items["spent"] or items["consumed"]:
        yield "items", items


def _items(character: SavedCharacter, known: ByPrint) -> dict[str, list[int]]:
    """Where the items lie that the log knows, by their tags."""
    progress = character.progress or Progress()
    owned = dict.fromkeys(number for each in progress.items or () if (number := _known(each, known)) is not None)
    tags = {_known(each, known): each.tags or [] for each in progress.equippedItems or ()}
    places: dict[str, list[int]] = {"ready": [], "spent": [], "consumed": []}
    for number in sorted(owned):
        told = [place for place in ("consumed", "spent") if place in tags.get(number, ())]
        places[told[0] if told else "ready"].append(number)
    return places


def _by_print(state: GloomhavenState) -> ByPrint:
    return {item.printed: item.id for item in known_items(state.table.items).values()}


def _known(item: Identified, known: ByPrint) -> int | None:
    number = whole_number(item.name)
    return None if number is None or not item.edition else known.get((edition_of(item.edition), number))


def _not_held(character: SavedCharacter, *, playing: bool) -> Iterator[str]:
    """What no save holds, or this log keeps in another way."""
    who = character.called
    # between scenarios a hand is chosen; in one, only the referee's word changes it
    cards = f"the cards in hand are those of level 1 until {'an override' if playing else 'choose-hand'} says otherwise"
    if (character.level or 1) > 1:
        cards += ", and which were gained above level 1 is told by amending the enrolment (gained=…)"
    yield f"{who}: {cards}."
    if playing and not character.exhausted:
        yield f"{who}: which cards are discarded, lost or active; an override says it."
    if playing and character.loot:
        yield f"{who}: {character.loot} money token{'' if character.loot == 1 else 's'} of the scenario; loot says it."
    if character.summons:
        yield f"{who}: the summons on the board."


READER = Reader(
    "import-save",
    "Begin with a save of GloomhavenSecretariat: characters, and what it shows of them.",
    read,
    examples=("our-party.json",),
)
