"""An evening of deckahedron with each of its verbs, as forms, slots and the palette are filled in."""

from tests.kit.subjects import Filled

EVENING: tuple[Filled, ...] = (
    ("enrol", {"character": "Wren", "player": "Kim", "strength": "2", "dexterity": "3", "intelligence": "2"}),
    ("enrol", {"character": "Ash", "player": "Lou", "strength": "3", "dexterity": "1", "intelligence": "2"}),
    ("session open", {}),
    ("scene", {"scene": "haven"}),
    ("flip", {"character": "Wren", "attribute": "dexterity", "attempt": "climb the wall"}),
    ("strain", {"character": "Wren", "what": "a sprain"}),
    ("wound", {"character": "Ash", "what": "a bite"}),
    ("lose-stamina", {"character": "Ash", "points": "2"}),
    ("rest", {"character": "Wren", "hours": "4"}),
    ("heal", {"character": "Ash", "days": "1"}),
    ("effort", {"character": "Wren", "what": "studying", "hours": "2"}),
    ("scene", {"scene": "combat"}),
    ("foe", {"foe": "Troll", "stamina": "6"}),
    ("attack", {"attacker": "Wren", "foe": "Troll", "foe_result": "x", "choice": "stamina"}),
    ("foe-attack", {"foe": "Troll", "foe_result": "x", "target": "Ash", "choice": "stamina"}),
    ("breather", {"character": "Wren", "attribute": "dexterity", "how": "behind the door"}),
    ("override", {"character": "Ash", "set.incapacitated": "true", "why": "the fall"}),
    ("storyteller", {"character": "Ash", "meaning": "out cold"}),
    ("cards", {"character": "Wren", "cards": "table"}),
)
