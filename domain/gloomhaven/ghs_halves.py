"""Reads one half of a card in the data of GloomhavenSecretariat: its bookkeeping, and the questions it leaves open.

The symbols of a half are flags of the card (`lost`, `loss` for unrecoverable, `round`, `persistent`, `xp`) and
actions of the type `card` ("lost", "round", "persistent", "slot", "slotXp:1", "experience:2"), which may be nested:
below an attack a symbol is only laid out beside it, below a spent element it counts only if that is spent. Texts of
the card are labels, often in a file of their own; they are searched for symbols and not interpreted otherwise.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from domain.gloomhaven.facts import Half

#: An object of the data: a card, an action, the figures of a summon.
JsonObject = Mapping[str, Any]
#: Texts of the label files, nested by the parts of their dotted keys ("custom.gh.…").
Labels = Mapping[str, Any]

#: Questions that the data leaves open, each with the command that answers it.
NOTHING = "nothing is known of it yet; perform corrects it (lost, active, slots, xp)"
NO_TEXT = "its words are labels that are not among the files"
TOKEN = "what moves its token, and whether it negates damage; perform says it (advances_on, negates_damage)"
LASTING = "whether it lasts for the round or longer; perform says it (active)"
BONUS = "how much Shield or Retaliate it gives, or when; perform says it (shield, retaliate, range)"
SERVES = "whom its Shield or Retaliate serves; perform says it (shield, retaliate, beneficiaries)"
SERVES_TOO = "whom its Shield or Retaliate serves besides; perform says it (beneficiaries)"
EXPERIENCE = "for what its text gives experience; perform says how much (xp)"
BELOW_WORDS = "whether its words make its experience depend on something; perform says another (xp)"
SEVERAL = "which of its spent elements give experience; perform says how much (xp)"
SUMMON_FIGURES = "the figures of what it summons; summon asks for them"
TRAITS = "what else its summon does; summon takes it (traits)"

#: Actions that only lay out their children.
_LAYOUT = ("concatenation", "grid")
_NOT_TOLD_YET = "%character.abilities.wip%"
_LABEL = re.compile(r"%data\.([^%]+)%")
#: A figure of a summon followed by the elements that it infuses.
_INFUSES = re.compile(r"([0-9]{1,5})(?: ?%game\.element\.[a-z]+%)+")
#: Actions that hold text of the card, with actions below them.
_WORDS = ("custom", "box")
_IN_TEXT = {EXPERIENCE: "%game.card.experience", BONUS: ("%game.action.shield", "%game.action.retaliate")}


class HalfReader:
    """Reads one half: `facts` in the TOML's form, and the questions that are `left_open`."""

    def __init__(self, card: JsonObject, half: Half, labels: Labels) -> None:
        self.facts: dict[str, Any] = {}
        self.left_open: list[str] = []
        self._card, self._half, self._labels = card, half, labels
        whole = list(_walk(card.get("actions" if half == "top" else "bottomActions")))
        #: whether the data has anything about this half
        self.has_data = bool(whole) and not any(action.get("value") == _NOT_TOLD_YET for _, action in whole)
        if not self.has_data:
            self.left_open = [NOTHING]
            return
        self._symbols([part for part in whole if part[1].get("type") == "card"])
        self._bonuses([part for part in whole if part[1].get("type") in ("shield", "retaliate")])
        self._summon([action for _, action in whole if action.get("type") == "summon"])
        self._texts([str(action.get("value", "")) for _, action in whole if action.get("type") in ("custom", "box")])

    def _flag(self, name: str) -> Any:
        return self._card.get(name if self._half == "top" else f"bottom{name[0].upper()}{name[1:]}")

    def _symbols(self, symbols: list[tuple[tuple[JsonObject, ...], JsonObject]]) -> None:
        """Read lost, active, slots and experience; `symbols` are (parent actions, symbol)."""
        lasting = {kind: 0 for kind in ("round", "persistent") if self._flag(kind)}
        slots, xp = [], whole_number(self._flag("xp")) or 0
        conditional: list[int] = []
        loses_card = bool(self._flag("lost"))
        for parents, symbol in symbols:
            kind, _, text = str(symbol.get("value", "")).partition(":")
            number = whole_number(text)
            if kind == "lost":
                loses_card = True
            elif kind in ("round", "persistent"):
                lasting[kind] = 0
            elif kind == "slot" or (kind == "slotXp" and number is not None):
                slots.append(number or 0)
            elif kind == "experience" and number is not None:
                if any(action.get("type") == "element" and action.get("valueType") == "minus" for action in parents):
                    conditional.append(number)
                    continue
                xp += number
                if any(action.get("type") in _WORDS for action in parents):
                    self.left_open.append(BELOW_WORDS)
            elif kind not in ("recover", "refresh"):
                self.left_open.append(f"what its symbol {kind[:40]!r} means")
        self.facts["lost"] = loses_card
        if len(lasting) > 1 or (slots and not lasting):
            self.left_open.append(LASTING)
        else:
            self.facts |= {"active": next(iter(lasting), None), "slots": slots}
            if slots:
                self.left_open.append(TOKEN)
        self.facts["xp"] = xp
        if len(conditional) > 1:
            self.left_open.append(SEVERAL)
        elif conditional:
            self.facts["conditional_xp"] = conditional[0]
        if self._flag("loss"):
            self.facts["unrecoverable"] = True

    def _bonuses(self, bonuses: list[tuple[tuple[JsonObject, ...], JsonObject]]) -> None:
        """Read Shield and Retaliate that are unconditional, have a number and serve at least the character."""
        for parents, bonus in bonuses:
            kind, amount = str(bonus["type"]), whole_number(bonus.get("value"))
            parts = [part for part in _list(bonus.get("subActions")) if isinstance(part, Mapping)]
            targets = [str(part.get("value")) for part in parts if part.get("type") == "specialTarget"]
            reach = next((whole_number(part.get("value")) for part in parts if part.get("type") == "range"), 0)
            if any(action.get("type") not in _LAYOUT for action in parents) or amount is None or reach is None:
                self.left_open.append(BONUS)
            elif not all(target.startswith("self") for target in targets):
                self.left_open.append(SERVES)
            elif self.facts.get("active") is None:
                self.left_open.append(LASTING)
            else:
                if any(target != "self" for target in targets):
                    self.left_open.append(SERVES_TOO)
                self.facts[kind] = self.facts.get(kind, 0) + amount
                if kind == "retaliate":
                    self.facts["range"] = reach

    def _summon(self, summons: list[JsonObject]) -> None:
        if not summons:
            return
        figures = summons[0].get("valueObject")
        summon = summon_of(figures) if isinstance(figures, Mapping) and len(summons) == 1 else None
        if summon is None:
            self.left_open.append(SUMMON_FIGURES)
            return
        self.facts["summon"] = summon
        does = sum(bool(figures.get(key)) for key in SKILLS) if isinstance(figures, Mapping) else 0
        if len(summon["traits"]) < does or _with_elements(figures):
            self.left_open.append(TRAITS)

    def _texts(self, values: list[str]) -> None:
        """Search the card's texts for symbols: a text may make them conditional, so they become open questions."""
        for value in values:
            label = _LABEL.fullmatch(value.strip())
            text = value if label is None else label_of(self._labels, label[1])
            if text is None:
                self.left_open.append(NO_TEXT)
                continue
            for question, symbols in _IN_TEXT.items():
                if any(symbol in text for symbol in ((symbols,) if isinstance(symbols, str) else symbols)):
                    self.left_open.append(question)


def _walk(actions: Any, above: tuple[JsonObject, ...] = ()) -> Iterator[tuple[tuple[JsonObject, ...], JsonObject]]:
    """Every action, depth first, as (parent actions from the outermost, action)."""
    for action in _list(actions):
        if isinstance(action, Mapping):
            yield above, action
            yield from _walk(action.get("subActions"), (*above, action))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def summon_of(figures: JsonObject) -> dict[str, Any] | None:
    """The figures of a summon in the TOML's form; None if one is no number or there are several summons."""
    values = {name: figures.get(key) for name, key in FIGURES.items()}
    numbers = {name: whole_number(_plain(value)) for name, value in values.items() if value is not None}
    if not numbers.get("hp") or None in numbers.values() or figures.get("count", 1) not in (1, "1"):
        return None
    skills = [_trait(figures.get(key)) for key in SKILLS]
    return {**numbers, "traits": list(dict.fromkeys(skill for skill in skills if skill is not None))}


def _plain(value: Any) -> Any:
    """A figure without the elements printed beside it."""
    beside = _INFUSES.fullmatch(value) if isinstance(value, str) else None
    return value if beside is None else beside[1]


def _with_elements(figures: Any) -> bool:
    return any(_plain(figures.get(key)) != figures.get(key) for key in FIGURES.values())


#: The figures of a summon by the data's keys for them, and the keys of its other traits.
FIGURES = {"hp": "health", "attack": "attack", "move": "movement", "range": "range"}
SKILLS = ("flying", "action", "additionalAction")


def _trait(action: Any) -> str | None:
    """A trait of a summon, if it is one word with a number ("retaliate 2 at range 2", "poison"); else None."""
    if action is True:
        return "flying"
    if not isinstance(action, Mapping):
        return None
    kind, value = str(action.get("type", "")), action.get("value")
    if kind == "fly":
        return "flying"
    if kind == "condition":
        return str(value)[:40]
    if kind in ("shield", "retaliate", "pierce", "push", "pull", "target") and whole_number(value) is not None:
        reach = [part for part in _list(action.get("subActions")) if isinstance(part, Mapping)]
        range_ = next((part.get("value") for part in reach if part.get("type") == "range"), None)
        return f"{kind} {value}{f' at range {range_}' if whole_number(range_) else ''}"
    return None


#: Larger than any number in the data.
LARGEST_NUMBER = 99_999


def whole_number(value: Any) -> int | None:
    """A number that the data has as a number or as text; None if it is neither."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value if 0 <= value <= LARGEST_NUMBER else None
    return int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,5}", value) else None


def label_of(labels: Labels, key: str) -> str | None:
    """The text of a label; None if the files lack it."""
    value: Any = labels
    for part in key.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    value = value.get("") if isinstance(value, Mapping) else value
    return value if isinstance(value, str) else None
