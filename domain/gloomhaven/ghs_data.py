"""The data of GloomhavenSecretariat that people have on their disks, as facts that the log can learn.

The format is that of its public repository, `data/EDITION`: a deck in `character/deck/NAME.json` lists the cards as
`abilities`; `character/NAME.json` has hand size and hit points; `items.json` lists items; `label/en.json` holds words.
None of its data is here. What the files do not tell of a card is listed by card and never guessed; what the log
knows already stays as the log knows it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import msgspec

from domain.gloomhaven.classes import known_classes, known_items, levels
from domain.gloomhaven.ghs_halves import HalfTold, Labels, Told, summoned, whole_number
from domain.gloomhaven.printed import (
    CLASS_NAME,
    EDITION_NAME,
    Half,
    PrintedCard,
    PrintedClass,
    PrintedHalf,
    PrintedItem,
)
from domain.gloomhaven.sheet import GloomhavenState
from domain.naming import called, key_of, listed
from domain.refusal import Invalid
from domain.system.extensions import Files, Reader, Reading

HALVES: tuple[Half, ...] = get_args(Half)
#: Levels that a class has hit points for.
LEVELS = range(1, 10)


def read(files: Files, state: GloomhavenState) -> Reading:
    """Decks, characters and items as one `learn`. Raises Invalid if nothing of that kind is among the files."""
    found = _Found(files)
    if not (found.decks or found.items):
        if found.unread:
            raise Invalid(" ".join(found.unread))
        told = "hit points without cards" if found.characters else "no deck and no items"
        where = listed(list(files)[:3]) if files else "that folder"
        raise Invalid(f"There is {told} of GloomhavenSecretariat in {where}.")
    if len(found.editions) > 1 and found.bases != 1:
        raise Invalid(f"These are several editions ({listed(sorted(found.editions))}); name the folder of one of them.")
    classes, left_open = [], list(found.unread)
    for name in sorted(found.decks):
        deck = _Deck(name, found, state.table.classes)
        left_open += deck.left_open
        classes += [deck.table] if deck.table is not None else []
    items = list(_items(found.items, state.table.items, left_open))
    fields = {name: told for name, told in (("classes", classes), ("items", items)) if told}
    return Reading(({"type": "gloomhaven.learn", **fields},) if fields else (), tuple(left_open))


# -- sorting the files -------------------------------------------------------------------------------------


class _Found:
    """What there is among the files, whatever else lies in the folder."""

    def __init__(self, files: Files) -> None:
        self.decks: dict[str, Told] = {}
        self.characters: dict[str, Told] = {}
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
            of_items = [each for each in value if isinstance(each, Mapping) and "cost" in each and "id" in each]
            self.items += of_items
            self._belongs_to(of_items[:1])
        elif isinstance(value, Mapping) and "label" in path.split("/"):
            if path.split("/")[-1].startswith("en"):
                self.labels = _merged(self.labels, value)
        elif isinstance(value, Mapping) and isinstance(value.get("name"), str):
            name = key_of(value["name"])[:CLASS_NAME]
            if isinstance(value.get("abilities"), list) and value.get("character"):
                self.decks[name] = value
                self._belongs_to([value])
            elif isinstance(value.get("stats"), list) and {"characterClass", "handSize", "perks"} & value.keys():
                self.characters[name] = value
                self._belongs_to([value])

    def _belongs_to(self, told: list[Told]) -> None:
        self.editions |= {each["edition"] for each in told if isinstance(each.get("edition"), str)}


#: What the data has as lists.
LISTS = ("abilities", "actions", "bottomActions", "subActions", "availableSummons", "stats", "perks")
#: How deep it is looked at.
DEEPEST = 50


def listed_in(told: Told, key: str) -> list[Any]:
    """A list, or nothing where something else stands in its place, which is said once by `_no_lists`."""
    value = told.get(key)
    return value if isinstance(value, list) else []


def _no_lists(where: str, value: Any, depth: int = 0) -> Iterator[str]:
    """Values of the wrong type where a list belongs: each is left out."""
    if depth > DEEPEST:
        return
    if isinstance(value, list):
        for each in value:
            yield from _no_lists(where, each, depth + 1)
    elif isinstance(value, Mapping):
        named = value.get("name")
        here = f"{where}, {named[:40]}" if isinstance(named, str) and named else where
        for key, each in value.items():
            if key in LISTS and not isinstance(each, list):
                yield f"{here}: {key} is {_brief(each)} and no list; it is left out."
            else:
                yield from _no_lists(here, each, depth + 1)


def _merged(one: Labels, other: Labels) -> Labels:
    """Labels of two files; a text of the second wins."""
    both = dict(one)
    for key, value in other.items():
        mine = both.get(key)
        both[key] = _merged(mine, value) if isinstance(mine, Mapping) and isinstance(value, Mapping) else value
    return both


# -- a class and its cards ---------------------------------------------------------------------------------


class _Deck:
    """The cards of one class: `table` is what is new of it, as `learn` takes it; None if nothing is."""

    def __init__(self, name: str, found: _Found, learned: Mapping[str, PrintedClass]) -> None:
        self.left_open: list[str] = []
        deck = found.decks[name]
        self._edition = edition_of(deck.get("edition"))
        self._known = class_of(learned, name, self._edition) or _class_before_editions(learned, name, deck)
        self._class = self._known.class_ if self._known is not None else _class_name(learned, name, self._edition)
        self._name, self._labels = name, found.labels
        self._halves: dict[Half, HalfTold] = {}
        self._character = found.characters.get(name, {})
        #: what is open -> the halves or cards of which it is
        self._open: dict[str, list[str]] = {}
        cards = list(self._cards(listed_in(deck, "abilities")))
        about = self._about()
        self.table = {"class": self._class, **about, "cards": cards} if cards and about is not None else None
        if self.table is not None and self._class != name and self._known is None:
            self._say(f"the log knows another class of that name, so it is called {self._class}.")
        for what, of in self._open.items() if about is not None else ():
            self._say(f"{what}: {listed(of)}.")

    def _say(self, sentence: str) -> None:
        self.left_open.append(f"{called(self._class)}: {sentence}")

    def _about(self) -> dict[str, Any] | None:
        """Hand size and hit points; None if the class is new and the files do not tell them."""
        hand_size = whole_number(self._character.get("handSize"))
        health = {
            whole_number(each.get("level")): whole_number(each.get("health"))
            for each in listed_in(self._character, "stats")
            if isinstance(each, Mapping)
        }
        hp = [health.get(level) for level in LEVELS]
        told: dict[str, Any] = {
            **({"edition": self._edition} if self._edition else {}),
            **({"name": self._name} if self._name != self._class else {}),
            **({"hand_size": hand_size} if hand_size else {}),
            **({"hp": hp} if all(hp) else {}),
        }
        if self._known is not None:
            if hand_size and hand_size != self._known.hand_size:
                self._say(f"the log knows a hand of {self._known.hand_size} cards, the files one of {hand_size}.")
            if all(hp) and tuple(hp) != self._known.hp:
                self._say("the log knows other hit points than the files.")
            return {}
        missing = [what for what, field in (("hand size", "hand_size"), ("hit points", "hp")) if field not in told]
        if missing and (self._edition or self._name not in levels()["starters"]):
            self._say(f"the files do not tell {listed(missing)}, so its cards are not learned.")
            return None
        return told

    def _cards(self, abilities: list[Any]) -> Iterator[dict[str, Any]]:
        """The cards that are new, as in the TOML."""
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
            yield {field: _borne(value) if field in HALVES else value for field, value in card.items()}

    def _card(self, ability: Told, place: int) -> dict[str, Any] | None:
        """A card as far as it is told; None if it has no number, level or initiative that fits."""
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
        self._halves = {half: HalfTold(ability, half, self._labels) for half in HALVES}
        return {**card, **{half: told.facts for half, told in self._halves.items()}}

    def _leave_open(self, card: dict[str, Any]) -> None:
        """Note what is not told of the card that was read last."""
        for half, told in self._halves.items():
            for what in dict.fromkeys(told.left_open):
                self._open.setdefault(what, []).append(f"{card['name']} ({half})")
        figures = self._summons_of(card["id"])
        if figures and not any("summon" in told.facts for told in self._halves.values()):
            self._open.setdefault(f"which half summons ({figures})", []).append(card["name"])

    def _summons_of(self, number: int | None) -> str:
        """The figures that the character's file has for a card, if it has any."""
        for each in listed_in(self._character, "availableSummons"):
            if isinstance(each, Mapping) and whole_number(each.get("cardId")) == number is not None:
                figures = summoned(each) or {}
                return ", ".join(f"{name} {value}" for name, value in figures.items() if name != "traits")
        return ""

    def _is_known(self, card: dict[str, Any]) -> bool:
        """Whether the log knows the card; where it knows it otherwise, that is said and stays so."""
        if self._known is None:
            return False
        same = self._known.card(card["id"])
        namesake = next((each for each in self._known.cards if key_of(each.name) == key_of(card["name"])), None)
        if same is None and namesake is not None:
            self._say(f"the log knows {namesake.name} as card {namesake.id}, the files as {card['id']}.")
        if same is not None:
            for field, mine, theirs in _differences(same, card):
                self._say(f"of card {same.id} the log knows the {field} {mine}, the files {theirs}.")
        return same is not None or namesake is not None


def _why_left_out(card: dict[str, Any], level: Any) -> str:
    """What keeps a card from being learned; its `level` as the files tell it."""
    if not card["id"]:
        return "left out, without a number"
    if card["level"] not in ("X", *LEVELS):
        return f"left out, of level {_brief(level)}, which is none from 1 to 9 or X"
    return "left out, with an initiative that is none from 1 to 99"


def _differences(known: PrintedCard, told: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What the files tell of a card otherwise than the log: the field, how the log has it, how the files do."""
    mine, other = msgspec.to_builtins(_whole(known)), msgspec.to_builtins(_whole(msgspec.convert(told, PrintedCard)))
    for field in ("name", "level", "initiative"):
        if key_of(str(mine[field])) != key_of(str(other[field])):
            yield field, mine[field], other[field]
    for half in HALVES:
        for field in told[half]:
            if mine[half][field] != other[half][field]:
                yield f"{half}'s {field.replace('_', ' ')}", _brief(mine[half][field]), _brief(other[half][field])


def _whole(card: PrintedCard) -> dict[str, Any]:
    """A card with every field of its halves."""
    halves: dict[str, Any] = {
        half: {field: getattr(getattr(card, half), field) for field in PrintedHalf.__struct_fields__} for half in HALVES
    }
    return {"name": card.name, "level": card.level, "initiative": card.initiative} | halves


def _borne(facts: dict[str, Any]) -> dict[str, Any]:
    """A half or an item as the TOML has it: what it does not bear is left out; a price of nothing is one."""
    return {field: value for field, value in facts.items() if value or field == "price"}


# -- editions ----------------------------------------------------------------------------------------------


#: The edition that is Gloomhaven itself, and numbers its items as this log does.
EDITION = "gh"


def edition_of(told: Any) -> str | None:
    """An edition as the log tells it: None for Gloomhaven itself."""
    return told[:EDITION_NAME] if isinstance(told, str) and told and told != EDITION else None


def class_of(learned: Mapping[str, PrintedClass], name: str, edition: str | None) -> PrintedClass | None:
    """The class that this edition calls so, as the log knows it or as it is built in."""
    return next((each for each in known_classes(learned).values() if each.printed == (edition, name)), None)


def _class_before_editions(learned: Mapping[str, PrintedClass], name: str, deck: Told) -> PrintedClass | None:
    """The same class, learned by a log that did not keep its edition yet: each card of it that is in both is one."""
    same = learned.get(name)
    if same is None or same.edition is not None:
        return None
    told = {each.get("cardId"): each.get("name") for each in deck["abilities"] if isinstance(each, Mapping)}
    both = [(card.name, told[card.id]) for card in same.cards if card.id in told]
    return same if both and all(key_of(mine) == key_of(str(other)) for mine, other in both) else None


def _class_name(learned: Mapping[str, PrintedClass], name: str, edition: str | None) -> str:
    """What a class that is new is called in the log: as its edition calls it, unless another is called so there."""
    of = f" ({edition or EDITION})"
    return name if name not in known_classes(learned) else f"{name[: CLASS_NAME - len(of)]}{of}"


# -- items -------------------------------------------------------------------------------------------------


#: By how much the numbers of an edition are moved whose own ones other items have.
MOVED = 1000


def _items(told: list[Told], learned: Mapping[int, PrintedItem], left_open: list[str]) -> Iterator[dict[str, Any]]:
    """The items that are new, as in the TOML."""
    items = _readable(told, left_open)
    known = {item.printed: item for item in known_items(learned).values()}
    names = {(item.edition, key_of(item.name)) for item in known.values()}
    taken: set[tuple[str | None, int]] = set()
    moved = _moved(items, learned)
    for edition, by in moved.items():
        if by:
            numbers = f"other items have their numbers, so {by} is added to each"
            left_open.append(f"Items of {edition or EDITION}: {numbers}.")
    untold = 0
    for item in items:
        edition, printed = item.get("edition"), item["id"]
        same = known.get((edition, printed)) or _before_editions(item, learned)
        if same is not None:
            left_open += _otherwise(item, same)
        elif (edition, printed) in taken:
            left_open.append(f"The item {printed} is there twice; the first of them is taken.")
        elif (edition, key_of(item["name"])) in names:
            left_open.append(f"The item {printed} is called {item['name']} like another, and is left out.")
        else:
            taken.add((edition, printed))
            names.add((edition, key_of(item["name"])))
            untold += "shields" not in item
            by = moved[edition]
            yield _borne({**item, "id": printed + by, **({"number": printed} if by else {})})
    if untold:
        left_open.append(
            f"Items: what {untold} of them do, which is the table's; damage takes a shield as item_shield."
        )


def _readable(told: list[Told], left_open: list[str]) -> list[dict[str, Any]]:
    """Every item that has a number, a name and a price."""
    items = []
    for each in told:
        item = _item(each)
        if item is None:
            left_open.append(f"The item {_brief(each.get('id'))} lacks a number, a name or a price, and is left out.")
        else:
            items.append(item)
    return items


def _before_editions(item: dict[str, Any], learned: Mapping[int, PrintedItem]) -> PrintedItem | None:
    """The same item in every fact, learned by a log that did not keep its edition yet."""
    same = learned.get(item["id"])
    told = msgspec.convert({field: value for field, value in item.items() if field != "edition"}, PrintedItem)
    return same if same == told else None


def _otherwise(item: dict[str, Any], known: PrintedItem) -> Iterator[str]:
    """What the files tell of a known item otherwise than the log."""
    mine = msgspec.to_builtins(known)
    for field, value in item.items():
        here = item["id"] if field == "id" else mine.get(field, 0)
        if here != value and key_of(str(here)) != key_of(str(value)):
            yield f"Of the item {item['id']} the log knows the {field.replace('_', ' ')} {here}, the files {value}."


def _moved(items: list[dict[str, Any]], learned: Mapping[int, PrintedItem]) -> dict[str | None, int]:
    """By how much the numbers of each edition are moved: as for its items in the log, else as little as needed."""
    printed: dict[str | None, set[int]] = {}
    for item in items:
        if _before_editions(item, learned) is None:
            printed.setdefault(item.get("edition"), set()).add(item["id"])
    moved: dict[str | None, int] = {}
    held = {number: item.printed for number, item in learned.items()}
    for edition, numbers in printed.items():
        by = next((item.id - item.printed[1] for item in learned.values() if item.edition == edition), 0)
        while any(held.get(number + by, (edition, number)) != (edition, number) for number in numbers):
            by += MOVED
        moved[edition] = by
        held |= {number + by: (edition, number) for number in numbers}
    return moved


def _item(told: Told) -> dict[str, Any] | None:
    """An item as far as it is told; None if it has no number, name or price."""
    edition = edition_of(told.get("edition"))
    item = {
        "id": whole_number(told.get("id")),
        "name": told.get("name"),
        "price": whole_number(told.get("cost")),
        "once_used": "consumed" if told.get("consumed") else "spent" if told.get("spent") else "ready",
        "circles": whole_number(told.get("slots", 0)) or 0,
        "unrecoverable": bool(told.get("loss")),
        **_shield_of(told.get("actions")),
        **({"edition": edition} if edition else {}),
    }
    try:
        msgspec.convert(item, PrintedItem)
    except msgspec.ValidationError:
        return None
    return item


def _shield_of(actions: Any) -> dict[str, int]:
    """The Shield of an item that says nothing else."""
    told = [each for each in actions if isinstance(each, Mapping)] if isinstance(actions, list) else []
    shields = [whole_number(each.get("value")) for each in told if each.get("type") == "shield"]
    return {"shields": shields[0]} if len(told) == 1 and shields and shields[0] is not None else {}


def _brief(value: Any) -> str:
    return str(msgspec.json.encode(value).decode())[:60]


READER = Reader(
    "learn",
    "a file or folder of your own copy of GloomhavenSecretariat's data: decks, characters, items, labels",
    read,
    option="ghs",
    examples=("ghs-data",),
)
