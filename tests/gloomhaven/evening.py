"""An evening of gloomhaven with each of its verbs, as forms, slots and the palette are filled in."""

from tests.kit.subjects import Filled

LEARNED = """
class = "brute"

[[items]]
id = 900
name = "Drum"
price = 20
once_used = "spent"

[[cards]]
id = 14
name = "Fatal Advance"
level = 2
initiative = 61
bottom = {active = "persistent", summon = {hp = 4, attack = 2, move = 2}}
"""
#: The brute's hand with the card that was gained, and without Grab and Go.
HAND = [
    "Trample", "Eye for an Eye", "Sweeping Blow", "Provoking Roar", "Overwhelming Assault", "Warding Strength",
    "Shield Bash", "Leaping Cleave", "Spare Dagger", "Fatal Advance",
]  # fmt: skip
EVENING: tuple[Filled, ...] = (
    ("enrol", {"character": "Brann", "class": "brute", "player": "Ines", "gold": "60", "xp": "50"}),
    ("enrol", {"character": "Ysa", "class": "spellweaver", "player": "Marek"}),
    ("learn", {"data": LEARNED}),
    ("buy-item", {"character": "Brann", "item": "Minor Healing Potion"}),
    ("level-up", {"character": "Brann", "card": "Fatal Advance"}),
    ("choose-hand", {"character": "Brann", "hand": HAND}),
    ("reward", {"character": "Brann", "gold": "5", "why": "the city"}),
    ("modifiers", {"character": "Ysa", "modifiers": "deck"}),
    ("perk", {"character": "Ysa", "add": "+1", "remove": "-1", "why": "the first one"}),
    ("begin-scenario", {"scenario": "1", "level": "1"}),
    ("begin-round", {}),
    ("select", {"character": "Brann", "lead": "Trample", "second": "Warding Strength"}),
    ("select", {"character": "Ysa", "lead": "Mana Bolt", "second": "Reviving Ether"}),
    ("reveal", {}),
    ("attack", {"character": "Ysa", "target": "guard", "value": "2"}),
    ("draw-modifier", {"character": "Ysa", "modifier": "+1"}),
    ("kill", {"character": "Ysa", "monster": "guard"}),
    ("perform", {"character": "Ysa", "card": "Mana Bolt", "half": "top"}),
    ("perform", {"character": "Ysa", "card": "Reviving Ether", "half": "bottom"}),
    ("loot", {"character": "Ysa", "tokens": "1"}),
    ("end-turn", {"character": "Ysa"}),
    ("perform", {"character": "Brann", "card": "Warding Strength", "half": "bottom"}),
    ("trigger", {"character": "Brann", "card": "Warding Strength"}),
    ("damage", {"character": "Brann", "amount": "2"}),
    ("heal", {"character": "Brann", "amount": "1"}),
    ("condition", {"character": "Brann", "condition": "poison"}),
    ("condition", {"character": "Ysa", "condition": "muddle"}),
    ("use-item", {"character": "Brann", "item": "Minor Healing Potion"}),
    ("refresh", {"character": "Brann", "items": ["Minor Healing Potion"], "kind": "consumed"}),
    ("put-away", {"character": "Brann", "card": "Warding Strength"}),
    ("perform", {"character": "Brann", "card": "Trample", "half": "top"}),
    ("end-turn", {"character": "Brann"}),
    ("clean-up", {}),
    ("begin-round", {}),
    ("select", {"character": "Brann", "lead": "Fatal Advance", "second": "Shield Bash"}),
    ("select", {"character": "Ysa", "lead": "Ride the Wind", "second": "Flame Strike"}),
    ("reveal", {}),
    ("perform", {"character": "Brann", "card": "Fatal Advance", "half": "bottom"}),
    ("summon", {"character": "Brann", "card": "Fatal Advance", "name": "Bear", "hp": "4", "colour": "red"}),
    ("summon-damage", {"character": "Brann", "summon": "Bear", "amount": "1"}),
    ("end-turn", {"character": "Brann"}),
    ("end-turn", {"character": "Ysa"}),
    ("clean-up", {}),
    ("short-rest", {"character": "Ysa"}),
    ("reroll-rest", {"character": "Ysa"}),
    ("recover", {"character": "Brann", "cards": ["Trample"], "kind": "discarded", "up_to": "1"}),
    ("begin-round", {}),
    ("declare-long-rest", {"character": "Brann"}),
    ("select", {"character": "Ysa", "lead": "Frost Armor", "second": "Impaling Eruption"}),
    ("reveal", {}),
    ("end-turn", {"character": "Ysa"}),
    ("expire", {"character": "Ysa"}),
    ("long-rest", {"character": "Brann", "lose": "Shield Bash"}),
    ("end-scenario", {"won": "yes"}),
    ("sell-item", {"character": "Brann", "item": "Minor Healing Potion"}),
    ("look", {"character": "Ysa", "count": "2", "cards": ["+1", "+0"]}),
    ("put-back", {"character": "Ysa", "cards": ["+0"], "bottom": ["+1"]}),
    ("shuffle", {"character": "Ysa", "undrawn": "yes"}),
    ("take-out", {"character": "Ysa", "cards": ["+0"], "why": "a curse of the road"}),
    ("enrol", {"character": "Orik", "class": "brute", "player": "Jo"}),
    ("begin-scenario", {"scenario": "2", "level": "1"}),
    ("begin-round", {}),
    ("select", {"character": "Brann", "lead": "Trample", "second": "Warding Strength"}),
    ("select", {"character": "Orik", "lead": "Trample", "second": "Warding Strength"}),
    ("select", {"character": "Ysa", "lead": "Mana Bolt", "second": "Reviving Ether"}),
    ("reveal", {}),
    ("turn-order", {"characters": ["Orik", "Brann"]}),
)
