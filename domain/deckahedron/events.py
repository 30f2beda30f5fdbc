"""What happens at a deckahedron table.

Whatever moves cards says where all cards of the character lie afterwards. `deck` is the order of the face-down
cards, top first: it is known to the log, so that reading it needs no chance, and not for reading; no sentence tells it.
"""

from collections.abc import Sequence
from typing import Literal

from domain.deckahedron.cards import Attribute, Result
from domain.deckahedron.sheet import Scene
from domain.naming import called, listed
from domain.turn import Event, Sentence, Struck


def counted(number: int, thing: str) -> str:
    """ "1 card", "3 cards"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def inside(text: str) -> str:
    """Words of the table within a sentence of ours: without their own full stop."""
    return text.strip().rstrip(".")


def row(cards: Sequence[str], counting: Sequence[bool], shuffles: Sequence[int]) -> Sentence:
    """Cards in the order turned over, those that do not count struck, with the shuffles in between."""
    pieces: list[str] = []
    for place, (card, counts) in enumerate(zip(cards, counting, strict=True)):
        pieces += [", "] if place else []
        pieces += ["(shuffles) "] if place in shuffles else []
        pieces.append(card if counts else Struck(card))
    return tuple(pieces)


class Enrolled(Event, frozen=True, gc=False, tag="deckahedron.enrolled"):
    """A character joins with a fresh deck."""

    character: str
    player: str | None
    strength: int
    dexterity: int
    intelligence: int
    deck: tuple[str, ...]
    cites = ("DH 1",)

    def told(self) -> Sentence:
        played = f", played by {self.player}," if self.player else ""
        return (
            f"{called(self.character)}{played} joins with Strength {self.strength}, Dexterity {self.dexterity}, "
            f"Intelligence {self.intelligence} and a deck of {counted(len(self.deck), 'card')}.",
        )


class SceneBegan(Event, frozen=True, gc=False, tag="deckahedron.scene_began"):
    """A scene begins; no foe is in a superior position yet."""

    scene: Scene

    def told(self) -> Sentence:
        return (
            {
                "combat": "A fight begins.",
                "travel": "The journey goes on.",
                "camp": "Camp is made; it is calm.",
                "haven": "Everybody is in a haven, in peace and with what healing needs.",
            }[self.scene],
        )


class Piled(Event, frozen=True, kw_only=True, gc=False):
    """Cards of one character moved; the piles are those afterwards. Undoing the turn puts every card back."""

    character: str
    deck: tuple[str, ...]
    discard: tuple[str, ...]
    exhaustion: tuple[str, ...]


class CardsFlipped(Piled, frozen=True, kw_only=True, gc=False, tag="deckahedron.cards_flipped"):
    """The cards of one attempt, in the order turned, with what each shows.

    `counts` is the place of the one that counts; `shuffles` are the places before which the discard pile was
    shuffled into the empty deck.
    """

    attribute: Attribute
    cards: tuple[str, ...]
    results: tuple[Result, ...]
    counts: int
    attempt: str | None = None
    shuffles: tuple[int, ...] = ()

    @property
    def result(self) -> Result:
        return self.results[self.counts]

    def told(self) -> Sentence:
        attempt = f" ({inside(self.attempt)})" if self.attempt else ""
        shown = [f"{card} {result}" for card, result in zip(self.cards, self.results, strict=True)]
        return (
            f"{called(self.character)} flips for {self.attribute.capitalize()}{attempt}: ",
            *row(shown, [place == self.counts for place in range(len(shown))], self.shuffles),
            ".",
        )


class WoundCardBit(Event, frozen=True, gc=False, tag="deckahedron.wound_card_bit"):
    """Revealed Wound cards hurt: a Stamina each, lost in what follows. `searching`: met in a search for Stamina."""

    character: str
    cards: tuple[str, ...]
    searching: bool = False
    cites = ("DH 26", "DH 27", "DH 28")

    def told(self) -> Sentence:
        name, cards = called(self.character), f"Wound card{'' if len(self.cards) == 1 else 's'} {listed(self.cards)}"
        if self.searching:
            return (f"{name} groans: {cards} turned up in the search.",)
        return (f"{name} groans: {cards} ends the flip.",)


class StaminaLost(Piled, frozen=True, kw_only=True, gc=False, tag="deckahedron.stamina_lost"):
    """One search: of `points` asked for, the cards in `lost` were found and paid; `left` Stamina remain."""

    points: int
    flipped: tuple[str, ...]
    lost: tuple[str, ...]
    left: int
    shuffles: tuple[int, ...] = ()
    cites = ("DH 4", "DH 5")

    def told(self) -> Sentence:
        name = called(self.character)
        short = f" of {self.points}" if len(self.lost) < self.points else ""
        turned = row(self.flipped, [card in self.lost for card in self.flipped], self.shuffles)
        return (
            f"{name} loses {len(self.lost)}{short} Stamina",
            ": " if turned else "",
            *turned,
            f"; {self.left} left.",
        )


class Incapacitated(Event, frozen=True, gc=False, tag="deckahedron.incapacitated"):
    """The character can do nothing more. `rule` says why: no Stamina (9) or one Wound too many (24)."""

    character: str
    rule: Literal["DH 9", "DH 24"]
    what: str | None = None

    def told(self) -> Sentence:
        why = "has no Stamina left to give" if self.rule == "DH 9" else "cannot take a third Wound"
        what = f" ({inside(self.what)})" if self.what else ""
        return (f"{called(self.character)} {why}{what} and is incapacitated.",)


class BreatherTaken(Piled, frozen=True, kw_only=True, gc=False, tag="deckahedron.breather_taken"):
    """What a breather brought: the cards `regained`, and whether the foe moved to a superior position."""

    rule: Literal["DH 12", "DH 13", "DH 14", "DH 15"]
    attribute: Attribute
    result: Result
    die: int | None
    regained: tuple[str, ...]
    foe_moved: bool
    how: str | None = None
    cites = ("DH 10", "DH 11")

    def told(self) -> Sentence:
        how = f" ({inside(self.how)})" if self.how else ""
        rolled = f" on a {self.die}" if self.die else ""
        gained = f"{len(self.regained)} Stamina{rolled}" + (f": {listed(self.regained)}" if self.regained else "")
        foe = "; the foe moves to a superior position" if self.foe_moved else ""
        return (f"{called(self.character)} takes a breather{how} and regains {gained}{foe}.",)


class HarmTaken(Event, frozen=True, gc=False, tag="deckahedron.harm_taken"):
    """A strain, sprain or bruise; `harm` is the number of Harm tokens now."""

    character: str
    what: str
    harm: int
    cites = ("DH 16",)

    def told(self) -> Sentence:
        return (f"{called(self.character)} is strained: {inside(self.what)}. {counted(self.harm, 'Harm token')}.",)


class StrainBecameWound(Event, frozen=True, gc=False, tag="deckahedron.strain_became_wound"):
    """Two Harm tokens lie there already: what would be the third is a Wound, told next."""

    character: str
    what: str
    cites = ("DH 17",)

    def told(self) -> Sentence:
        return (f"{called(self.character)} bears two Harm tokens already: {inside(self.what)} becomes a Wound.",)


class WoundTaken(Piled, frozen=True, kw_only=True, gc=False, tag="deckahedron.wound_taken"):
    """A Wound: `wounds` tokens now, and a Wound card in the discard pile if one was free."""

    what: str
    wounds: int
    card: str | None
    cites = ("DH 25",)

    def told(self) -> Sentence:
        card = f"Wound card {self.card} goes into the discard pile" if self.card else "no Wound card is free"
        return (
            f"{called(self.character)} is wounded: {inside(self.what)}. {counted(self.wounds, 'Wound token')}; {card}.",
        )


class Rested(Piled, frozen=True, kw_only=True, gc=False, tag="deckahedron.rested"):
    """Several hours of rest: `harm` tokens now, the cards that stayed, the cards that are free again."""

    hours: int
    harm: int
    kept: tuple[str, ...]
    freed: tuple[str, ...]
    day: int | None = None
    cites = ("DH 18", "DH 19", "DH 20", "DH 21", "DH 22")

    def told(self) -> Sentence:
        return (
            f"{called(self.character)} rests for {counted(self.hours, 'hour')}: "
            f"{counted(self.harm, 'Harm token')} left, "
            f"{counted(len(self.freed), 'card')} back, {counted(len(self.kept), 'card')} still exhausted.",
        )


class Healed(Piled, frozen=True, kw_only=True, gc=False, tag="deckahedron.healed"):
    """A day of healing, or magic or an item: all Harm gone, `wounds` tokens now, perhaps a Wound card taken out."""

    wounds: int
    harm: int
    kept: tuple[str, ...]
    freed: tuple[str, ...]
    removed: str | None = None
    by: Literal["magic", "item"] | None = None
    how: str | None = None
    day: int | None = None
    cites = ("DH 29", "DH 30", "DH 31", "DH 32", "DH 33")

    def told(self) -> Sentence:
        by = {"magic": "is healed by magic", "item": "is healed by an item", None: "spends a day healing"}[self.by]
        how = f" ({inside(self.how)})" if self.how else ""
        out = f", Wound card {self.removed} is taken out" if self.removed else ""
        return (
            f"{called(self.character)} {by}{how}: {counted(self.wounds, 'Wound token')} left{out}, "
            f"{counted(len(self.freed), 'card')} back, {counted(len(self.kept), 'card')} still exhausted.",
        )


class EffortSpent(Event, frozen=True, gc=False, tag="deckahedron.effort_spent"):
    """Hours that went into something and so into neither rest nor healing."""

    character: str
    what: str
    hours: int
    day: int | None = None
    cites = ("DH 23", "DH 34")

    def told(self) -> Sentence:
        return (f"{called(self.character)} spends {counted(self.hours, 'hour')} on {inside(self.what)}.",)


class Attacked(Event, frozen=True, gc=False, tag="deckahedron.attacked"):
    """An attack and what it comes to. `defender_loses` and `attacker_loses` are Stamina; a foe's are told only.

    `dice` are the d4s behind them, the defender's first. `inflicts` stands in the place of points.
    """

    attacker: str
    style: Literal["melee", "ranged"]
    result: Result
    against: Result | None
    defender: str | None = None
    foe: str | None = None
    dice: tuple[int, ...] = ()
    defender_loses: int = 0
    attacker_loses: int = 0
    inflicts: Literal["wound", "harm"] | None = None
    drops_gear: bool = False
    outcome: str | None = None
    cites = ("DH 35",)

    def told(self) -> Sentence:
        attacker = called(self.attacker)
        target = called(self.defender) if self.defender else self.foe or "the foe"
        against = f"{self.result} against {self.against}" if self.against else f"{self.result}, unopposed"
        costs = [
            f"{who} {points} Stamina"
            for who, points in ((target, self.defender_loses), (attacker, self.attacker_loses))
            if points
        ]
        if self.inflicts:
            so = f", which gives {target} a {self.inflicts.capitalize()}."
        elif self.drops_gear:
            so = f", so {attacker} drops gear."
        elif costs:
            so = f", which costs {listed(costs)}."
        else:
            so = "." if self.outcome else "; nobody is hurt."
        outcome = f" {self.outcome}" if self.outcome else ""
        where = "in melee" if self.style == "melee" else "from afar"
        return (f"{attacker} attacks {target} {where}: {against}{so}{outcome}",)


class IncapacitationTold(Event, frozen=True, gc=False, tag="deckahedron.incapacitation_told"):
    """The Storyteller says what it means."""

    character: str
    meaning: str
    cites = ("DH 9",)

    def told(self) -> Sentence:
        return (f"What it means for {called(self.character)} to be incapacitated: {inside(self.meaning)}.",)


class Recovered(Event, frozen=True, gc=False, tag="deckahedron.recovered"):
    """The Storyteller lets the character act again."""

    character: str
    meaning: str
    cites = ("DH 9",)

    def told(self) -> Sentence:
        return (f"{called(self.character)} can act again: {inside(self.meaning)}.",)


class DeckShuffledAnew(Piled, frozen=True, kw_only=True, gc=False, tag="deckahedron.deck_shuffled_anew"):
    """After an override moved cards: whatever lies on no other pile is shuffled into the deck."""

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s deck is shuffled anew: {counted(len(self.deck), 'card')}.",)


EVENTS = (
    Enrolled, SceneBegan, CardsFlipped, WoundCardBit, StaminaLost, Incapacitated, BreatherTaken, HarmTaken,
    StrainBecameWound, WoundTaken, Rested, Healed, EffortSpent, Attacked, IncapacitationTold, Recovered,
    DeckShuffledAnew,
)  # fmt: skip
