"""Reads the data files of GloomhavenSecretariat into `learn` actions: classes with their cards, and items.

The format is that of its public repository, `data/EDITION`: a deck in `character/deck/NAME.json` lists the cards as
`abilities`; `character/NAME.json` has hand size and hit points; `items.json` lists items; `label/en.json` holds texts.
None of that data is part of this program. What the files leave out of a card is reported by card and never guessed;
what the log has learned before is not overwritten.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec

from domain.gloomhaven.classes import known_classes, known_items, levels
from domain.gloomhaven.facts import (
    CLASS_NAME,
    EDITION_NAME,
    Half,
    PrintedCard,
    PrintedClass,
    PrintedHalf,
    PrintedItem,
)
from domain.gloomhaven.ghs_halves import HalfReader, JsonObject, Labels, summon_of, whole_number
from domain.gloomhaven.sheet import GloomhavenState
from domain.naming import called, key_of, listed
from domain.refusal import Invalid
from domain.system.extensions import FileReader, Files, ReadResult

HALVES: tuple[Half, ...] = get_args(Half)
#: Levels that a class has hit points for.
LEVELS = range(1, 10)


def read(files: Files, state: GloomhavenState) -> ReadResult:
    """Decks, characters and items as one `learn`. Raises Invalid if nothing of that kind is among the files."""
    data = _DataFiles(files)
    if not (data.decks or data.items):
        if data.unread:
            raise Invalid(" ".join(data.unread))
        present = "hit points without cards" if data.characters else "no deck and no items"
        source = listed(list(files)[:3]) if files else "that folder"
        raise Invalid(f"There is {present} of GloomhavenSecretariat in {source}.")
    if len(data.editions) > 1 and data.bases != 1:
        raise Invalid(f"These are several editions ({listed(sorted(data.editions))}); name the folder of one of them.")
    classes, left_open = [], list(data.unread)
    for name in sorted(data.decks):
        deck = _DeckReader(name, data, state.table.classes)
        left_open += deck.left_open
        classes += [deck.table] if deck.table is not None else []
    items = list(_items(data.items, state.table.items, left_open))
    fields = {name: entries for name, entries in (("classes", classes), ("items", items)) if entries}
    return ReadResult(({"type": "gloomhaven.learn", **fields},) if fields else (), tuple(left_open))


# -- sorting the files -------------------------------------------------------------------------------------


class _DataFiles:
    """The decoded files, sorted by kind; files of any other kind are ignored, broken ones reported in `unread`."""

    def __init__(self, files: Files) -> None:
        self.decks: dict[str, JsonObject] = {}
        self.characters: dict[str, JsonObject] = {}
        self.items: list[Any] = []
        self.labels: Labels = {}
        self.editions: set[str] = set()
        self.unread: list[str] = []
        #: folders of an edition: one of them may hold cards and items that belong to another
        self.bases = sum(path.split("/")[-1] == "base.json" for path in files)
        for path, content in sorted(files.items()):
            try:
                value = msgspec.json.decode(content)
            except msgspec.DecodeError as error:
                self.unread.append(f"{path} is broken: {str(error).removeprefix('JSON is malformed: ')}.")
                continue
            except RecursionError:
                self.unread.append(f"{path} is nested too deeply to be read.")
                continue
            if "label" not in path.split("/"):
                self.unread += _no_lists(path, value)
            self._sort(path, value)

    def _sort(self, path: str, value: Any) -> None:
        if isinstance(value, list):
            of_items = [entry for entry in value if isinstance(entry, Mapping) and "cost" in entry and "id" in entry]
            self.items += of_items
            self._belongs_to(of_items[:1])
        elif isinstance(value, Mapping) and "label" in path.split("/"):
            if path.split("/")[-1].startswith("en"):
                self.labels = _merge(self.labels, value)
        elif isinstance(value, Mapping) and isinstance(value.get("name"), str):
            name = key_of(value["name"])[:CLASS_NAME]
            if isinstance(value.get("abilities"), list) and value.get("character"):
                self.decks[name] = value
                self._belongs_to([value])
            elif isinstance(value.get("stats"), list) and {"characterClass", "handSize", "perks"} & value.keys():
                self.characters[name] = value
                self._belongs_to([value])

    def _belongs_to(self, tables: list[JsonObject]) -> None:
        self.editions |= {table["edition"] for table in tables if isinstance(table.get("edition"), str)}


#: Keys whose values must be lists.
LISTS = ("abilities", "actions", "bottomActions", "subActions", "availableSummons", "stats", "perks")
#: Nesting depth at which the check of lists stops.
DEEPEST = 50


def listed_in(table: JsonObject, key: str) -> list[Any]:
    """The list at `key`; empty if there is none or the value is no list, which `_no_lists` reports once."""
    value = table.get(key)
    return value if isinstance(value, list) else []


def _no_lists(where: str, value: Any, depth: int = 0) -> Iterator[str]:
    """A sentence for each value of another type where a list belongs."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for child in value:
            yield from _no_lists(where, child, depth + 1)
    elif isinstance(value, Mapping):
        name = value.get("name")
        place = f"{where}, {name[:40]}" if isinstance(name, str) and name else where
        for key, child in value.items():
            if key in LISTS and not isinstance(child, list):
                yield f"{place}: {key} is {_as_json(child)}, not a list; it is left out."
            else:
                yield from _no_lists(place, child, depth + 1)


def _merge(first: Labels, second: Labels) -> Labels:
    """The labels of two files, merged deeply; where both have a text, the second wins."""
    both = dict(first)
    for key, value in second.items():
        present = both.get(key)
        both[key] = _merge(present, value) if isinstance(present, Mapping) and isinstance(value, Mapping) else value
    return both


# -- a class and its cards ---------------------------------------------------------------------------------


class _DeckReader:
    """Reads the deck of one class. `table` holds its new cards in the form that `learn` takes; None without any."""

    def __init__(self, name: str, data: _DataFiles, learned: Mapping[str, PrintedClass]) -> None:
        self.left_open: list[str] = []
        deck = data.decks[name]
        self._edition = edition_of(deck.get("edition"))
        self._known_class = class_of(learned, name, self._edition) or _class_before_editions(learned, name, deck)
        self._class = (
            self._known_class.class_ if self._known_class is not None else _class_name(learned, name, self._edition)
        )
        self._name, self._labels = name, data.labels
        self._halves: dict[Half, HalfReader] = {}
        self._character = data.characters.get(name, {})
        #: open question -> the cards or halves that it concerns
        self._open: dict[str, list[str]] = {}
        cards = list(self._cards(listed_in(deck, "abilities")))
        about = self._about()
        self.table = {"class": self._class, **about, "cards": cards} if cards and about is not None else None
        if self.table is not None and self._class != name and self._known_class is None:
            self._say(f"the log knows another class of that name, so it is called {self._class}.")
        for question, places in self._open.items() if about is not None else ():
            self._say(f"{question}: {listed(places)}.")

    def _say(self, sentence: str) -> None:
        self.left_open.append(f"{called(self._class)}: {sentence}")

    def _about(self) -> dict[str, Any] | None:
        """Hand size and hit points of a new class; empty for a known one, None if the files lack them."""
        hand_size = whole_number(self._character.get("handSize"))
        health = {
            whole_number(row.get("level")): whole_number(row.get("health"))
            for row in listed_in(self._character, "stats")
            if isinstance(row, Mapping)
        }
        hp = [health.get(level) for level in LEVELS]
        facts: dict[str, Any] = {
            **({"edition": self._edition} if self._edition else {}),
            **({"name": self._name} if self._name != self._class else {}),
            **({"hand_size": hand_size} if hand_size else {}),
            **({"hp": hp} if all(hp) else {}),
        }
        if self._known_class is not None:
            if hand_size and hand_size != self._known_class.hand_size:
                self._say(f"the log knows a hand of {self._known_class.hand_size} cards, the files one of {hand_size}.")
            if all(hp) and tuple(hp) != self._known_class.hp:
                self._say("the log knows other hit points than the files.")
            return {}
        missing = [label for label, field in (("hand size", "hand_size"), ("hit points", "hp")) if field not in facts]
        if missing and (self._edition or self._name not in levels()["starters"]):
            self._say(f"the files do not say {listed(missing)}, so its cards are not learned.")
            return None
        return facts

    def _cards(self, abilities: list[Any]) -> Iterator[dict[str, Any]]:
        """The cards that the log does not know, in the TOML's form."""
        ids: set[int] = set()
        names: set[str] = set()
        for place, ability in enumerate(abilities, 1):
            card = self._card(ability, place) if isinstance(ability, Mapping) else None
            if card is None or self._is_known(card):
                continue
            if card["id"] in ids or key_of(card["name"]) in names:
                self._say(f"{card['name']} ({card['id']}) is there twice; the first of them is taken.")
                continue
            ids.add(card["id"])
            names.add(key_of(card["name"]))
            self._leave_open(card)
            yield {field: _without_defaults(value) if field in HALVES else value for field, value in card.items()}

    def _card(self, ability: JsonObject, place: int) -> dict[str, Any] | None:
        """One card, as complete as the file has it; None without a valid number, level or initiative."""
        number = whole_number(ability.get("cardId"))
        name = ability.get("name")
        if not isinstance(name, str) or not name.strip():
            name = f"card {number}"
            self._say(f"the card {number if number else f'in place {place}'} has no name.")
        level = ability.get("level")
        title = name.strip()[:200]
        card: dict[str, Any] = {
            "id": number,
            "name": title,
            "level": "X" if level == "X" else whole_number(level),
            "initiative": whole_number(ability.get("initiative")),
        }
        try:
            msgspec.convert(card, PrintedCard)
        except msgspec.ValidationError:
            self._open.setdefault(_why_left_out(card, level), []).append(
                f"{title[:60]} ({number})" if number else title[:60]
            )
            return None
        self._halves = {half: HalfReader(ability, half, self._labels) for half in HALVES}
        return {**card, **{half: reader.facts for half, reader in self._halves.items()}}

    def _leave_open(self, card: dict[str, Any]) -> None:
        """Record the open questions of the card that was read last."""
        for half, reader in self._halves.items():
            for question in dict.fromkeys(reader.left_open):
                self._open.setdefault(question, []).append(f"{card['name']} ({half})")
        figures = self._summons_of(card["id"])
        if figures and not any("summon" in reader.facts for reader in self._halves.values()):
            self._open.setdefault(f"which half summons ({figures})", []).append(card["name"])

    def _summons_of(self, number: int | None) -> str:
        """The figures of a card's summon in the character's file; "" if it has none."""
        for entry in listed_in(self._character, "availableSummons"):
            if isinstance(entry, Mapping) and whole_number(entry.get("cardId")) == number is not None:
                figures = summon_of(entry) or {}
                return ", ".join(f"{name} {value}" for name, value in figures.items() if name != "traits")
        return ""

    def _is_known(self, card: dict[str, Any]) -> bool:
        """Whether the log knows the card by number or name; reports where the files differ, and keeps the log's."""
        if self._known_class is None:
            return False
        same = self._known_class.card(card["id"])
        namesake = next(
            (known_card for known_card in self._known_class.cards if key_of(known_card.name) == key_of(card["name"])),
            None,
        )
        if same is None and namesake is not None:
            self._say(f"the log knows {namesake.name} as card {namesake.id}, the files as {card['id']}.")
        if same is not None:
            for field, in_log, in_files in _differences(same, card):
                self._say(f"card {same.id}: the {field} is {in_log} in the log, {in_files} in the files.")
        return same is not None or namesake is not None


def _why_left_out(card: dict[str, Any], level: Any) -> str:
    """Why a card was not valid; `level` is the raw value of the file."""
    if not card["id"]:
        return "left out: it has no number"
    if card["level"] not in ("X", *LEVELS):
        return f"left out, of level {_as_json(level)}, which is not 1 to 9 or X"
    return "left out: its initiative is not 1 to 99"


def _differences(in_log: PrintedCard, in_files: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Where the files contradict the log about a card: (field, value in the log, value in the files)."""
    logged_fields, file_fields = (
        msgspec.to_builtins(_with_all_fields(in_log)),
        msgspec.to_builtins(_with_all_fields(msgspec.convert(in_files, PrintedCard))),
    )
    for field in ("name", "level", "initiative"):
        if key_of(str(logged_fields[field])) != key_of(str(file_fields[field])):
            yield field, logged_fields[field], file_fields[field]
    for half in HALVES:
        for field in in_files[half]:
            if logged_fields[half][field] != file_fields[half][field]:
                yield (
                    f"{half}'s {field.replace('_', ' ')}",
                    _as_json(logged_fields[half][field]),
                    _as_json(file_fields[half][field]),
                )


def _with_all_fields(card: PrintedCard) -> dict[str, Any]:
    """A card with every field of its halves, defaults included, so that two cards can be compared."""
    halves: dict[str, Any] = {
        half: {field: getattr(getattr(card, half), field) for field in PrintedHalf.__struct_fields__} for half in HALVES
    }
    return {"name": card.name, "level": card.level, "initiative": card.initiative} | halves


def _without_defaults(facts: dict[str, Any]) -> dict[str, Any]:
    """A half or an item without its empty fields, as the TOML has it; a price of 0 is kept."""
    return {field: value for field, value in facts.items() if value or field == "price"}


# -- editions ----------------------------------------------------------------------------------------------


#: The edition that is Gloomhaven itself; this log uses its item numbers.
EDITION = "gh"


def edition_of(edition: Any) -> str | None:
    """An edition as the log stores it: None for Gloomhaven itself, and for what is no text."""
    return edition[:EDITION_NAME] if isinstance(edition, str) and edition and edition != EDITION else None


def class_of(learned: Mapping[str, PrintedClass], name: str, edition: str | None) -> PrintedClass | None:
    """The class with this printed name and edition, learned or built in; None if there is none."""
    return next((facts for facts in known_classes(learned).values() if facts.printed == (edition, name)), None)


def _class_before_editions(learned: Mapping[str, PrintedClass], name: str, deck: JsonObject) -> PrintedClass | None:
    """The same class in a log from before editions were stored: all cards in both have the same names."""
    same = learned.get(name)
    if same is None or same.edition is not None:
        return None
    names = {
        ability.get("cardId"): ability.get("name") for ability in deck["abilities"] if isinstance(ability, Mapping)
    }
    pairs = [(card.name, names[card.id]) for card in same.cards if card.id in names]
    return same if pairs and all(key_of(in_log) == key_of(str(in_files)) for in_log, in_files in pairs) else None


def _class_name(learned: Mapping[str, PrintedClass], name: str, edition: str | None) -> str:
    """The log's name for a new class: its printed name, with the edition appended if that name is in use."""
    suffix = f" ({edition or EDITION})"
    return name if name not in known_classes(learned) else f"{name[: CLASS_NAME - len(suffix)]}{suffix}"


# -- items -------------------------------------------------------------------------------------------------


#: The step by which an edition's item numbers are moved while other items have them.
OFFSET = 1000


def _items(
    tables: list[JsonObject], learned: Mapping[int, PrintedItem], left_open: list[str]
) -> Iterator[dict[str, Any]]:
    """The items that the log does not know, in the TOML's form."""
    items = _readable(tables, left_open)
    known_by_print = {item.printed: item for item in known_items(learned).values()}
    names = {(item.edition, key_of(item.name)) for item in known_by_print.values()}
    seen_prints: set[tuple[str | None, int]] = set()
    offsets = _number_offsets(items, learned)
    for edition, offset in offsets.items():
        if offset:
            numbers = f"other items have their numbers, so {offset} is added to each"
            left_open.append(f"Items of {edition or EDITION}: {numbers}.")
    without_shield = 0
    for item in items:
        edition, number = item.get("edition"), item["id"]
        same = known_by_print.get((edition, number)) or _learned_before_editions(item, learned)
        if same is not None:
            left_open += _item_differences(item, same)
        elif (edition, number) in seen_prints:
            left_open.append(f"The item {number} is there twice; the first of them is taken.")
        elif (edition, key_of(item["name"])) in names:
            left_open.append(f"The item {number} is called {item['name']} like another, and is left out.")
        else:
            seen_prints.add((edition, number))
            names.add((edition, key_of(item["name"])))
            without_shield += "shields" not in item
            offset = offsets[edition]
            yield _without_defaults({**item, "id": number + offset, **({"number": number} if offset else {})})
    if without_shield:
        left_open.append(
            f"Items: what {without_shield} of them do is left to the table; damage takes a shield as item_shield."
        )


def _readable(tables: list[JsonObject], left_open: list[str]) -> list[dict[str, Any]]:
    """The items that have a number, a name and a price; the others are reported."""
    items = []
    for table in tables:
        item = _item(table)
        if item is None:
            left_open.append(
                f"The item {_as_json(table.get('id'))} lacks a number, a name or a price, and is left out."
            )
        else:
            items.append(item)
    return items


def _learned_before_editions(item: dict[str, Any], learned: Mapping[int, PrintedItem]) -> PrintedItem | None:
    """The item equal in every field but the edition, from a log that did not store editions yet; else None."""
    same = learned.get(item["id"])
    without_edition = msgspec.convert(
        {field: value for field, value in item.items() if field != "edition"}, PrintedItem
    )
    return same if same == without_edition else None


def _item_differences(item: dict[str, Any], in_log: PrintedItem) -> Iterator[str]:
    """A sentence for each field in which the files contradict the log about an item."""
    logged_fields = msgspec.to_builtins(in_log)
    for field, value in item.items():
        logged_value = item["id"] if field == "id" else logged_fields.get(field, 0)
        if logged_value != value and key_of(str(logged_value)) != key_of(str(value)):
            title = field.replace("_", " ")
            yield f"Item {item['id']}: the {title} is {logged_value} in the log, {value} in the files."


def _number_offsets(items: list[dict[str, Any]], learned: Mapping[int, PrintedItem]) -> dict[str | None, int]:
    """The offset of each edition's item numbers: that of its items in the log, else the smallest free one."""
    numbers_by_edition: dict[str | None, set[int]] = {}
    for item in items:
        if _learned_before_editions(item, learned) is None:
            numbers_by_edition.setdefault(item.get("edition"), set()).add(item["id"])
    offsets: dict[str | None, int] = {}
    prints = {number: item.printed for number, item in learned.items()}
    for edition, numbers in numbers_by_edition.items():
        offset = next((item.id - item.printed[1] for item in learned.values() if item.edition == edition), 0)
        while any(prints.get(number + offset, (edition, number)) != (edition, number) for number in numbers):
            offset += OFFSET
        offsets[edition] = offset
        prints |= {number + offset: (edition, number) for number in numbers}
    return offsets


def _item(table: JsonObject) -> dict[str, Any] | None:
    """One item, as complete as the file has it; None without a valid number, name or price."""
    edition = edition_of(table.get("edition"))
    item = {
        "id": whole_number(table.get("id")),
        "name": table.get("name"),
        "price": whole_number(table.get("cost")),
        "once_used": "consumed" if table.get("consumed") else "spent" if table.get("spent") else "ready",
        "circles": whole_number(table.get("slots", 0)) or 0,
        "unrecoverable": bool(table.get("loss")),
        **_shield_of(table.get("actions")),
        **({"edition": edition} if edition else {}),
    }
    try:
        msgspec.convert(item, PrintedItem)
    except msgspec.ValidationError:
        return None
    return item


def _shield_of(actions: Any) -> dict[str, int]:
    """The Shield value of an item whose only action is a Shield; else empty."""
    tables = [action for action in actions if isinstance(action, Mapping)] if isinstance(actions, list) else []
    shields = [whole_number(action.get("value")) for action in tables if action.get("type") == "shield"]
    return {"shields": shields[0]} if len(tables) == 1 and shields and shields[0] is not None else {}


def _as_json(value: Any) -> str:
    return str(msgspec.json.encode(value).decode())[:60]


READER = FileReader(
    "learn",
    "a file or folder of your own copy of GloomhavenSecretariat's data: decks, characters, items, labels",
    read,
    option="ghs",
    examples=("ghs-data",),
)
