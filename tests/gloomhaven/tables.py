"""Tables to start a test from: Brog the Brute (cards 1 to 10) and Spell the Spellweaver (61 to 68)."""

import copy
from typing import Any

from domain.common.sheets import Override
from domain.gloomhaven.joining import Enrol
from domain.gloomhaven.learning import Learn
from domain.gloomhaven.rounds import BeginRound, CleanUp, DeclareLongRest, EndTurn, Reveal, Select
from domain.gloomhaven.scenarios import BeginScenario
from domain.turn import Action
from tests.kit.given import Given

BRUTE = tuple(range(1, 11))
WEAVER = tuple(range(61, 69))


#: A class that is not built in, as its file gives it.
TINKER: dict[str, Any] = {
    "class": "Tinkerer",
    "hand_size": 2,
    "hp": [8, 9, 11, 12, 14, 15, 17, 18, 20],
    "cards": [
        {"id": 201, "name": "Spark", "level": 1, "initiative": 40, "top": {"xp": 1}},
        {"id": 202, "name": "Oil", "level": 1, "initiative": 20, "bottom": {"lost": True, "active": "round"}},
        {"id": 203, "name": "Gear", "level": "X", "initiative": 30},
        {"id": 204, "name": "Lens", "level": 2, "initiative": 31},
        {"id": 205, "name": "Engine", "level": 3, "initiative": 32},
    ],
    "items": [{"id": 901, "name": "Wrench", "price": 7, "once_used": "consumed", "unrecoverable": True}],
}

#: As a person writes it, in TOML.
TINKERER = """
class = "Tinkerer"
hand_size = 2
hp = [8, 9, 11, 12, 14, 15, 17, 18, 20]

[[cards]]
id = 201
name = "Spark"
level = 1
initiative = 40

[[cards]]
id = 202
name = "Oil"
level = 1
initiative = 20
"""


def tinker(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(TINKER), **changes}


def brog(**fields: Any) -> Enrol:
    return Enrol(**{"character": "brog", "class_": "brute", "player": "ann", **fields})


def spell(**fields: Any) -> Enrol:
    return Enrol(**{"character": "spell", "class_": "spellweaver", "player": "ben", **fields})


def rush() -> Learn:
    """Three cards of level 2 that the Brute is not built in with."""
    names = {901: "Barrow Rush", 902: "Lantern Throw", 903: "Long Stride"}
    facts = {"class": "brute", "level": 2, "initiative": 40}
    return Learn(cards=tuple({**facts, "id": number, "name": name} for number, name in names.items()))


def playing(*enrolled: Action, level: int | None = None, **options: Any) -> Given:
    """A scenario begun, no round yet; with Brog alone unless others are named."""
    return Given("gloomhaven", *(enrolled or (brog(),)), BeginScenario(scenario="1", level=level), options=options)


def selecting(*enrolled: Action, **options: Any) -> Given:
    """The selection of round 1."""
    return playing(*enrolled, **options).and_given(BeginRound())


def on_turn(lead: int = 1, second: int = 4, *enrolled: Action, **options: Any) -> Given:
    """Brog's turn of round 1 with two cards selected; others, if named, act later."""
    table = selecting(*enrolled, **options)
    table.and_given(Select(character="brog", lead=lead, second=second))
    if len(enrolled) > 1:
        table.and_given(Select(character="spell", lead=68, second=63))
    return table.and_given(Reveal())


def cleaned_up(**options: Any) -> Given:
    """The cleanup of round 1: 1 and 4 are in the discard pile."""
    return on_turn(**options).and_given(EndTurn(character="brog"), CleanUp())


def sheet(name: str = "brog", **fields: Any) -> Override:
    """The sheet as the situation needs it."""
    return Override(character=name, set=fields, why="the situation of the test")


def piles(hand: str = "", discard: str = "", name: str = "brog", **fields: Any) -> Override:
    """Cards in hand and discarded, as the contract writes them ("2 3"); every other one lost."""
    held = {"hand": [int(card) for card in hand.split()], "discard": [int(card) for card in discard.split()]}
    active = [bonus["card"] for bonus in fields.get("active", ())]
    taken = {*held["hand"], *held["discard"], *fields.get("selected", ()), *active}
    whole = BRUTE if name == "brog" else WEAVER
    return sheet(name, **{"selected": [], **held, "lost": [card for card in whole if card not in taken], **fields})


def resting(hand: str = "", discard: str = "1 4 9", *actions: Action, **options: Any) -> Given:
    """Brog's turn, after a long rest was declared with these cards; the actions come before the reveal."""
    table = selecting(**options).and_given(piles(hand, discard), DeclareLongRest(character="brog"), *actions)
    return table.and_given(Reveal())
