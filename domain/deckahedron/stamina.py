"""Stamina and exhaustion (DH 4 to 9): the search for cards with the symbol, and what happens if there are too few."""

from collections.abc import Sequence

from domain.deckahedron.actions import LoseStamina, Storyteller
from domain.deckahedron.cards import is_wound, stamina_in
from domain.deckahedron.events import (
    Incapacitated,
    IncapacitationTold,
    Recovered,
    StaminaLost,
    WoundCardBit,
)
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.turning import Turning
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless


@rule("DH 9")
def must_be_able_to_act(decision: DeckahedronDecision, character: str, *, to: str) -> None:
    """An incapacitated character takes no further action."""
    refuse_unless(
        not decision.sheet(character).incapacitated,
        "DH 9",
        f"{called(character)} is incapacitated and cannot {to}.",
    )


def lose_stamina(decision: DeckahedronDecision, action: LoseStamina) -> None:
    must_be_able_to_act(decision, action.character, to="lose Stamina")
    turning = Turning(decision, action.character, "search", action.flipped, action.shuffled)
    lose(decision, turning, action.points, reshuffle_first=action.reshuffle_first)
    turning.finish(rule="DH 4")


def lose(decision: DeckahedronDecision, turning: Turning, points: int, *, reshuffle_first: bool = False) -> bool:
    """Lose Stamina, and more for the Wound cards met on the way if they bite there. Whether the points were paid."""
    character = turning.character
    paid, met = search(turning, points, reshuffle_first=reshuffle_first)
    fall_if_spent(decision, character, paid=paid)
    while wounds_bite_in_search(decision, character, met):
        more, met = search(turning, len(met))
        fall_if_spent(decision, character, paid=more)
    return paid


@rule("DH 4", "DH 5")
def search(turning: Turning, points: int, *, reshuffle_first: bool = False) -> tuple[bool, list[str]]:
    """Flip until `points` cards bear the symbol; those go to the exhaustion pile, the others to the discard pile.

    Whether all were found, and the Wound cards met.
    """
    turning.begin_search()
    flipped: list[str] = []
    lost: list[str] = []
    shuffles: list[int] = []
    searching_on = False
    if reshuffle_first:
        may_reshuffle(turning)
        shuffles.append(0)
    while len(lost) < points:
        if not turning.deck:
            if searching_on or not turning.discard:
                break
            searching_on = True
            must_reshuffle(turning)
            shuffles.append(len(flipped))
        card = turning.turn_over(rule="DH 4", short="DH 8" if searching_on else "DH 4")
        flipped.append(card)
        if turning.put_down(card):
            lost.append(card)
    left = stamina_in(turning.deck, turning.discard)
    turning.decision.tell(
        StaminaLost(
            **turning.fields,
            points=points,
            flipped=tuple(flipped),
            lost=tuple(lost),
            left=left,
            shuffles=tuple(shuffles),
        )
    )
    return len(lost) == points, [card for card in flipped if is_wound(card)]


@rule("DH 7")
def may_reshuffle(turning: Turning) -> None:
    """Before the search starts, and only then, the player may shuffle the discard pile into the deck."""
    turning.reshuffle(rule="DH 7")


@rule("DH 8")
def must_reshuffle(turning: Turning) -> None:
    """The deck held too little: the discard pile is shuffled in and the search goes on. What was found stays found."""
    turning.reshuffle(rule="DH 8")


@rule("DH 9")
def fall_if_spent(decision: DeckahedronDecision, character: str, *, paid: bool) -> None:
    """Too little Stamina even after the reshuffle incapacitates; by ruling, having none left already does."""
    sheet = decision.sheet(character)
    if sheet.incapacitated:
        return
    none_left = decision.options.incapacitated_when == "none_left" and not stamina_in(sheet.deck, sheet.discard)
    if not paid or none_left:
        decision.tell(Incapacitated(character, "DH 9"))


@rule("DH 26")
def wounds_bite_in_search(decision: DeckahedronDecision, character: str, met: Sequence[str]) -> bool:
    """By ruling, a Wound card met in a search costs one more Stamina, searched for after it."""
    bites = (
        bool(met) and decision.options.wound_card_in_search == "as_flip" and not decision.sheet(character).incapacitated
    )
    if bites:
        decision.tell(WoundCardBit(character, tuple(met), searching=True))
    return bites


@rule("DH 9")
def storyteller(decision: DeckahedronDecision, action: Storyteller) -> None:
    """The Storyteller says what being incapacitated means, and when it is over."""
    refuse_unless(
        decision.sheet(action.character).incapacitated,
        "DH 9",
        f"{called(action.character)} is not incapacitated.",
    )
    if action.recovered:
        decision.tell(Recovered(action.character, action.meaning))
    else:
        decision.tell(IncapacitationTold(action.character, action.meaning))
