"""Lasting harm: strains and Wounds (DH 16, 17, 24, 25)."""

from domain.deckahedron.actions import Strain, TakeWound
from domain.deckahedron.cards import WOUND_CARDS
from domain.deckahedron.events import HarmTaken, Incapacitated, StrainBecameWound, WoundTaken
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.stamina import lose, must_be_able_to_act
from domain.deckahedron.turning import Turning
from domain.naming import called, listed
from domain.refusal import Refusal
from domain.system.citing import rule

#: How many tokens of each kind an exhaustion pile bears.
MOST_TOKENS = 2


def strain(decision: DeckahedronDecision, action: Strain) -> None:
    must_be_able_to_act(decision, action.character, to="take a strain")
    turning = Turning(decision, action.character, "search", action.flipped, action.shuffled)
    be_strained(decision, turning, action.what)
    turning.finish(rule=_ends_by(decision, action.character))


def wound(decision: DeckahedronDecision, action: TakeWound) -> None:
    must_be_able_to_act(decision, action.character, to="take a Wound")
    turning = Turning(decision, action.character, "search", action.flipped, action.shuffled)
    be_wounded(decision, turning, action.what, action.card)
    turning.finish(rule=_ends_by(decision, action.character))


def _ends_by(decision: DeckahedronDecision, character: str) -> str:
    """The paragraph that ended the flipping: an incapacitating Wound searches for nothing."""
    by_wound = any(isinstance(event, Incapacitated) and event.rule == "DH 24" for event in decision.events)
    return "DH 24" if by_wound and decision.sheet(character).incapacitated else "DH 4"


@rule("DH 16")
def be_strained(decision: DeckahedronDecision, turning: Turning, what: str) -> None:
    """Lose a Stamina and place a Harm token, paid or not."""
    harm = decision.sheet(turning.character).harm
    if harm >= MOST_TOKENS:
        third_strain(decision, turning, what)
        return
    lose(decision, turning, 1)
    decision.tell(HarmTaken(turning.character, what, harm + 1))


@rule("DH 17")
def third_strain(decision: DeckahedronDecision, turning: Turning, what: str) -> None:
    """With two Harm tokens there, take a Wound instead; by ruling, the strain costs its own Stamina too."""
    if decision.options.third_strain == "both" and not lose(decision, turning, 1):
        return
    decision.tell(StrainBecameWound(turning.character, what))
    be_wounded(decision, turning, what)


@rule("DH 24", "DH 25")
def be_wounded(decision: DeckahedronDecision, turning: Turning, what: str, card: str | None = None) -> None:
    """A third Wound incapacitates. Otherwise lose a Stamina, place a token, and a Wound card starts to cycle."""
    character = turning.character
    sheet = decision.sheet(character)
    if sheet.wounds >= MOST_TOKENS:
        decision.tell(Incapacitated(character, "DH 24", what))
        return
    placed = wound_card(decision, character, card)
    if not sheet.incapacitated:
        lose(decision, turning, 1)
    turning.read()
    turning.discard += [placed] if placed else []
    decision.tell(WoundTaken(**turning.fields, what=what, wounds=sheet.wounds + 1, card=placed))


@rule("DH 25")
def wound_card(decision: DeckahedronDecision, character: str, asked: str | None) -> str | None:
    """The Wound card asked for, or the lowest that the character does not bear yet; None if all are borne."""
    borne = decision.sheet(character).wound_cards
    free = [card for card in WOUND_CARDS if card not in borne]
    if asked is not None and asked not in free:
        raise Refusal(
            "DH 25", f"{called(character)} bears Wound card {asked} already; free: {listed(free) if free else 'none'}."
        )
    return asked or next(iter(free), None)
