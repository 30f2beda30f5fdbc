"""deckahedron in the suite that every rule system has to pass."""

from collections import Counter
from pathlib import Path
from random import Random

from domain.deckahedron.cards import CARDS, FRESH_DECK, is_wound
from domain.deckahedron.sheet import DeckahedronSheet
from tests.deckahedron.evening import EVENING
from tests.deckahedron.tables import act, override, scene
from tests.kit.given import Given
from tests.kit.subjects import Line, Subject

NAMES = ("brog", "Orik")
ATTRIBUTES = ("strength", "dexterity", "intelligence")


def report_of_a_search(chance: Random, sheet: DeckahedronSheet, points: int) -> list[str] | None:
    """The cards a table might turn over in this search; None if the deck does not hold enough Stamina."""
    order = chance.sample(sheet.deck, len(sheet.deck))
    for length in range(1, len(order) + 1):
        if sum(CARDS[card].stamina for card in order[:length]) == points:
            return order[:length]
    return None


def report_of_an_attempt(chance: Random, sheet: DeckahedronSheet, cards: int) -> list[str] | None:
    """The cards a table might flip in this attempt, not telling what a Wound card costs."""
    order = chance.sample(sheet.deck, len(sheet.deck))[:cards]
    wounds = [place for place, card in enumerate(order) if is_wound(card)]
    if wounds:
        return order[: wounds[0] + 1]
    return order if len(order) == cards else None


def line(chance: Random, at: Given) -> Line:
    """Something that might be done under deckahedron, by two who were enrolled first."""
    sheets = at.handler.state().characters
    absent = [name for name in NAMES if name not in sheets]
    if absent and chance.random() < 0.8:
        ranks = {"strength": 2, "dexterity": 3, "intelligence": 1}
        return {"type": "deckahedron.enrol", "character": absent[0], **ranks}
    who = chance.choice(NAMES)
    sheet = sheets.get(who)
    reports = sheet is not None and chance.random() < 0.5
    points, cards = chance.choice((1, 1, 1, 2, 3, 6)), chance.choice((1, 1, 2, 3, 5))
    search = report_of_a_search(chance, sheet, points) if reports and sheet else None
    single = report_of_a_search(chance, sheet, 1) if reports and sheet else None
    attempt = report_of_an_attempt(chance, sheet, cards) if reports and sheet else None
    flipped = report_of_an_attempt(chance, sheet, 1) if reports and sheet else None
    day = chance.choice((None, 1, 2, 3))
    first = chance.random() < 0.2
    shuffled = chance.sample((*sheet.deck, *sheet.discard), len(sheet.deck) + len(sheet.discard)) if sheet else []
    everything = {
        "deckahedron.lose_stamina": (
            act("lose_stamina", who, points=points, reshuffle_first=True, shuffled=shuffled if reports else None)
            if first
            else act("lose_stamina", who, points=points, flipped=search)
        ),
        "deckahedron.flip": act("flip", who, attribute=chance.choice(ATTRIBUTES), cards=cards, flipped=attempt),
        "deckahedron.breather": act("breather", who, attribute=chance.choice(ATTRIBUTES), flipped=flipped),
        "deckahedron.strain": act("strain", who, what="a bruise", flipped=single),
        "deckahedron.wound": act("wound", who, what="a cut", flipped=single),
        "deckahedron.rest": act("rest", who, hours=chance.choice((1, 4, 8)), day=day),
        "deckahedron.heal": act("heal", who, by=chance.choice((None, "magic")), day=day),
        "deckahedron.effort": act("effort", who, what="study", hours=chance.choice((1, 8)), day=day),
        "deckahedron.scene": scene(chance.choice(("combat", "combat", "camp", "haven", "travel"))),
        "deckahedron.attack": act(
            "attack",
            None,
            attacker=who,
            defender=next(name for name in NAMES if name != who),
            style=chance.choice(("melee", "ranged")),
            flipped=flipped,
        ),
        "deckahedron.cards": act("cards", who, cards="table" if sheet and sheet.cards == "log" else "log"),
        "deckahedron.foe": act(
            "foe", None, foe="a ghoul", **chance.choice(({}, {"stamina": 5}, {"stamina": 5}, {"gone": True}))
        ),
        "deckahedron.foe_attack": act(
            "foe_attack", None, foe="A ghoul", foe_result=chance.choice(("vv", "v", "x", "xx")), target=who
        ),
        "deckahedron.storyteller": act("storyteller", who, meaning="stunned", recovered=chance.random() < 0.7),
        "override": override(
            name=who,
            exhaustion=[card for card in shuffled[:3] if not is_wound(card)],
            discard=[card for card in shuffled[3:6] if sheet and card not in sheet.exhaustion],
        ),
    }
    if sheet is not None and sheet.incapacitated and chance.random() < 0.4:
        return everything["deckahedron.storyteller"]
    return everything[chance.choice(tuple(everything))]


def sound(at: Given) -> None:
    """The twenty cards and the Wound cards lie somewhere once each; two tokens of a kind at most."""
    for name, sheet in at.handler.state().characters.items():
        lying = Counter((*sheet.deck, *sheet.discard, *sheet.exhaustion))
        assert lying == Counter((*FRESH_DECK, *sheet.wound_cards)), name
        assert not any(is_wound(card) for card in sheet.exhaustion)
        shown = at.sheet(name)
        assert shown["deck_count"] + len(shown["discard"]) + len(shown["exhaustion"]) == 20 + len(shown["wound_cards"])
        assert shown["harm"] <= 2
        assert shown["wounds"] <= 2


SUBJECT = Subject(
    key="deckahedron",
    line=line,
    stored_names=Path(__file__).with_name("stored.txt"),
    paragraphs=tuple(str(number) for number in range(1, 36)),
    options={
        "third_strain": ("17", ("wound_only", "both")),
        "incapacitated_when": ("9", ("cannot_pay", "none_left")),
        "incapacitated_heal": ("9", (False, True)),
        "wound_card_in_search": ("26", ("no_effect", "as_flip")),
        "regained_to": ("12", ("discard", "deck")),
        "rested_to": ("22", ("deck", "discard")),
        "wound_card_removed": ("31", (True, False)),
        "rest_hours": ("18", (4,)),
    },
    sound=sound,
    sound_when_kept=sound,
    contract=Path(__file__).with_name("contract.txt"),
    evening=EVENING,
)
