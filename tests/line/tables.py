"""The tables at which the lines of the corpus are said, each made of a few turns."""

from functools import cache
from typing import Any

from tests.kit.given import Given

#: Brann and Ysa begin the first round of a scenario.
FIRST_ROUND: list[dict[str, Any]] = [
    {"type": "gloomhaven.enrol", "character": "Brann", "player": "Mia", "class": "brute", "items": [8, 12]},
    {"type": "gloomhaven.enrol", "character": "Ysa", "player": "Ines", "class": "spellweaver", "items": [11]},
    {"type": "gloomhaven.begin_scenario", "scenario": "1"},
    {"type": "gloomhaven.begin_round"},
]
#: They have chosen their cards, and it is Brann's turn, with Eye for an Eye and Trample.
BRANNS_TURN: list[dict[str, Any]] = [
    *FIRST_ROUND,
    {"type": "gloomhaven.select", "character": "Brann", "lead": 2, "second": 1},
    {"type": "gloomhaven.select", "character": "Ysa", "lead": 61, "second": 62},
    {"type": "gloomhaven.reveal"},
]
#: The rules, and the turns that make each table.
TABLES: dict[str, tuple[str, list[dict[str, Any]]]] = {
    # four with a player, one without, one of two words, one with accents, one with a typographic apostrophe
    "osr evening": (
        "osr",
        [
            *(
                {"type": "osr.enrol", "character": name, "player": player, "level": 2, "rolled": [5, 6]}
                for name, player in (
                    ("brog", "Mia"), ("Wen", "Jon"), ("Ada", None), ("Ségolène", "Zoë"), ("Big Bo", "Mia"),
                )
            ),
            {"type": "osr.enrol", "character": "Corin d’Arc", "player": "Ann", "rolled": [6]},
        ],
    ),
    # a skeleton beside a second one, both on the other side; one of us is not here tonight
    "osr fight": (
        "osr",
        [
            {"type": "osr.enrol", "character": "Oswin", "player": "Ann", "level": 2, "rolled": [5, 6]},
            {"type": "osr.enrol", "character": "Tilda", "player": "Sam", "level": 2, "rolled": [5, 5]},
            {"type": "osr.enrol", "character": "Hilde", "level": 1, "rolled": [4]},
            {"type": "osr.enrol", "character": "Skeleton", "level": 1, "side": "foe", "rolled": [4]},
            {"type": "osr.enrol", "character": "Second Skeleton", "level": 1, "side": "foe", "rolled": [3]},
            {"type": "absence", "character": "Tilda", "why": "the last train"},
        ],
    ),
    # one of two words, and two who are Lukas's; gold is tracked for two of them, torches for the table
    "osr tower": (
        "osr",
        [
            *(
                {"type": "osr.enrol", "character": name, "player": player, "level": 2, "rolled": [5, 6]}
                for name, player in (("Hilda", "Rosa"), ("Old Tom", "Karl"), ("Agnes", "Lukas"), ("Bram", "Lukas"))
            ),
            {"type": "osr.damage", "character": "Hilda", "amount": 4},
        ],
    ),
    # the same, where gold and torches are tracked
    "osr purse": (
        "osr",
        [
            *(
                {"type": "osr.enrol", "character": name, "player": player, "level": 2, "rolled": [5, 6]}
                for name, player in (("Hilda", "Rosa"), ("Old Tom", "Karl"), ("Agnes", "Lukas"))
            ),
            {"type": "track", "character": "Agnes", "name": "gold", "value": 20},
            {"type": "track", "name": "torches", "value": 6},
        ],
    ),
    # somebody is injured, and somebody has to choose
    "osr injured": (
        "osr",
        [
            {"type": "osr.enrol", "character": "Oswin", "player": "Ann", "level": 2, "rolled": [5, 6]},
            {"type": "osr.enrol", "character": "Tilda", "player": "Sam", "level": 2, "rolled": [5, 5]},
            {"type": "osr.damage", "character": "Oswin", "amount": 40},
            {"type": "osr.injury_saves", "character": "Oswin", "strength": 3, "will": 60},
            {"type": "osr.damage", "character": "Tilda", "amount": 12},
        ],
    ),
    # three with a player and one without, against foes whose names end with a number; one of us is hurt
    "osr raid": (
        "osr",
        [
            *(
                {"type": "osr.enrol", "character": name, "player": player, "level": 2, "rolled": [5, 6]}
                for name, player in (("Brog", "Mia"), ("Fingers", "Tom"), ("Sister Agnes", "Ida"))
            ),
            {"type": "osr.enrol", "character": "Hob", "rolled": [4]},
            *(
                {"type": "osr.enrol", "character": name, "side": "foe", "rolled": [6]}
                for name in ("Rat 1", "Rat 2", "Rat 3", "Goblin", "Goblin 2", "Ogre")
            ),
            {"type": "osr.damage", "character": "Fingers", "amount": 3},
            {"type": "osr.damage", "character": "Ogre", "amount": 2, "source": "Brog"},
            {"type": "osr.damage", "character": "Sister Agnes", "amount": 1, "source": "a rat"},
        ],
    ),
    "deckahedron camp": (
        "deckahedron",
        [
            {"type": "deckahedron.enrol", "character": name, "player": "Mia", "strength": 3, "dexterity": 2,
             "intelligence": 1}
            for name in ("Wren", "Tobin")
        ],
    ),
    # one who plays with cards on the table, and two lurkers
    "deckahedron fight": (
        "deckahedron",
        [
            {"type": "deckahedron.enrol", "character": "Ash", "player": "Jo", "strength": 2, "dexterity": 2,
             "intelligence": 3},
            {"type": "deckahedron.enrol", "character": "Pim", "player": "Ida", "strength": 2, "dexterity": 2,
             "intelligence": 2, "cards": "table"},
            {"type": "deckahedron.scene", "scene": "combat"},
            {"type": "deckahedron.foe", "foe": "Reed lurker", "stamina": 6},
            {"type": "deckahedron.foe", "foe": "Second lurker"},
        ],
    ),
    # guard 3 is down, the guard is not, and neither is the big wolf beside the wolf that is
    "deckahedron downed": (
        "deckahedron",
        [
            {"type": "deckahedron.enrol", "character": "Ash", "player": "Jo", "strength": 2, "dexterity": 2,
             "intelligence": 3},
            {"type": "deckahedron.foe", "foe": "guard", "stamina": 12},
            *({"type": "deckahedron.foe", "foe": name, "stamina": 1} for name in ("guard 3", "wolf")),
            {"type": "deckahedron.foe", "foe": "big wolf", "stamina": 9},
            {"type": "deckahedron.scene", "scene": "combat"},
            *({"type": "deckahedron.attack", "attacker": "Ash", "foe": name, "foe_result": "x", "style": "ranged",
               "flipped": [card]} for name, card in (("guard 3", "19"), ("wolf", "18"))),
        ],
    ),
    # a foe whose name ends with a number
    "deckahedron pack": (
        "deckahedron",
        [
            {"type": "deckahedron.enrol", "character": "Ash", "player": "Jo", "strength": 2, "dexterity": 2,
             "intelligence": 3},
            {"type": "deckahedron.foe", "foe": "wolf 2", "stamina": 3},
        ],
    ),
    # a guard was attacked beside a wolf, and is gone by now
    "deckahedron afterwards": (
        "deckahedron",
        [
            {"type": "deckahedron.enrol", "character": "Ash", "player": "Jo", "strength": 2, "dexterity": 2,
             "intelligence": 3},
            {"type": "deckahedron.foe", "foe": "guard 5", "stamina": 6},
            {"type": "deckahedron.foe", "foe": "wolf"},
            {"type": "deckahedron.attack", "attacker": "Ash", "foe": "wolf", "foe_result": "x"},
            {"type": "deckahedron.foe", "foe": "guard 5", "gone": True},
            {"type": "note", "text": "Rain."},
        ],
    ),
    "gloomhaven selection": (
        "gloomhaven",
        FIRST_ROUND,
    ),
    # it is Brann's turn, with Eye for an Eye and Trample
    "gloomhaven turns": (
        "gloomhaven",
        BRANNS_TURN,
    ),
    # Brann has attacked, and the attack waits for its modifier
    "gloomhaven attack": (
        "gloomhaven",
        [
            *BRANNS_TURN,
            {"type": "gloomhaven.attack", "character": "Brann", "target": "guard 1", "value": 3},
        ],
    ),
    # nobody's turn is to come, and the round waits for its cleanup
    "gloomhaven end of a round": (
        "gloomhaven",
        [
            *BRANNS_TURN,
            {"type": "gloomhaven.end_turn", "character": "Brann"},
            {"type": "gloomhaven.end_turn", "character": "Ysa"},
        ],
    ),
    # the round is over, and whoever has two discarded cards may rest
    "gloomhaven cleanup": (
        "gloomhaven",
        [
            *BRANNS_TURN,
            {"type": "gloomhaven.end_turn", "character": "Brann"},
            {"type": "gloomhaven.end_turn", "character": "Ysa"},
            {"type": "gloomhaven.clean_up"},
        ],
    ),
    # it is Ysa's turn, whose summon is on the board
    "gloomhaven summon": (
        "gloomhaven",
        [
            {"type": "gloomhaven.enrol", "character": "Brann", "player": "Mia", "class": "brute", "items": [12]},
            {"type": "gloomhaven.enrol", "character": "Ysa", "player": "Ines", "class": "spellweaver",
             "hand": [61, 62, 63, 64, 65, 66, 67, 71]},
            {"type": "gloomhaven.begin_scenario", "scenario": "1"},
            {"type": "gloomhaven.begin_round"},
            {"type": "gloomhaven.select", "character": "Brann", "lead": 2, "second": 1},
            {"type": "gloomhaven.select", "character": "Ysa", "lead": 65, "second": 71},
            {"type": "gloomhaven.reveal"},
            {"type": "gloomhaven.perform", "character": "Ysa", "card": 71, "half": "bottom"},
            {"type": "gloomhaven.summon", "character": "Ysa", "card": 71, "name": "Mystic Ally", "colour": "red"},
        ],
    ),
}  # fmt: skip


@cache
def table_of(name: str) -> Given:
    """The table of this name. Nothing is recorded at it: it is the same for every line."""
    rules, turns = TABLES[name]
    table = Given(rules)
    for turn in turns:
        table.when(turn).then_some()
    return table
