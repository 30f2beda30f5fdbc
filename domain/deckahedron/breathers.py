"""Taking a breather (DH 10 to 15)."""

from typing import Literal

from domain.deckahedron.actions import Breather
from domain.deckahedron.attempts import attempted, wound_bites
from domain.deckahedron.cards import Result
from domain.deckahedron.events import BreatherTaken
from domain.deckahedron.sheet import DeckahedronDecision
from domain.deckahedron.stamina import must_be_able_to_act
from domain.deckahedron.turning import Turning
from domain.naming import called
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import refuse_unless


@rule("DH 10", "DH 11")
def breather(decision: DeckahedronDecision, action: Breather) -> None:
    """In combat only; by Intelligence or Dexterity; with the flip of one card."""
    name = called(action.character)
    must_be_able_to_act(decision, action.character, to="take a breather")
    refuse_unless(
        decision.table.scene == "combat",
        "DH 10",
        f"{name} can take a breather only in combat; this is {_here(decision)}.",
    )
    refuse_unless(
        action.attribute != "strength",
        "DH 11",
        f"{name} takes a breather by Intelligence or Dexterity, not by Strength.",
    )
    turning = Turning(decision, action.character, "attempt", action.flipped, action.shuffled)
    attempt = attempted(turning, action.attribute, attempt="a breather")
    paragraph = PARAGRAPHS[attempt.result]
    die = rolled(decision, action, attempt.result)
    regained = comes_back(decision, action, attempt.result, die, rule=paragraph)
    turning.exhaustion = [card for card in turning.exhaustion if card not in regained]
    if regained and decision.options.regained_to == "deck":
        turning.deck = list(turning.shuffles.order((*turning.deck, *regained), rule=paragraph))
    else:
        turning.discard += regained
    decision.tell(
        BreatherTaken(
            **turning.fields,
            rule=paragraph,
            attribute=action.attribute,
            result=attempt.result,
            die=die,
            regained=regained,
            foe_moved=foe_moves(attempt.result),
            how=action.how,
        )
    )
    wound_bites(turning, attempt)
    turning.finish(rule="DH 1")


#: Each result of the flip has its own paragraph.
PARAGRAPHS: dict[Result, Literal["DH 12", "DH 13", "DH 14", "DH 15"]] = {
    "✔✔": "DH 12",
    "✔": "DH 13",
    "✗": "DH 14",
    "✗✗": "DH 15",
}


@rule("DH 12", "DH 13")
def rolled(decision: DeckahedronDecision, action: Breather, result: Result) -> int | None:
    """The d4 of a success; a failure calls for none."""
    if result in ("✔✔", "✔"):
        told = None if action.rolled is None else (action.rolled,)
        return decision.chance.dice(f"{action.character}/breather", 1, 4, told, rule=PARAGRAPHS[result])[0]
    if action.rolled is not None and not decision.chance.lenient:
        raise Refusal(PARAGRAPHS[result], f"No d4 is rolled on {result}.")
    return None


@rule("DH 14", "DH 15")
def comes_back(
    decision: DeckahedronDecision, action: Breather, result: Result, die: int | None, *, rule: str
) -> tuple[str, ...]:
    """As many cards as the d4 shows, one on ✗, none on ✗✗; never more than the exhaustion pile holds; at random."""
    pile = decision.sheet(action.character).exhaustion
    points = die if die is not None else 1 if result == "✗" else 0
    return decision.chance.cards(
        f"{action.character}/regained", pile, min(points, len(pile)), action.regained, rule=rule
    )


@rule("DH 13", "DH 14", "DH 15")
def foe_moves(result: Result) -> bool:
    """Only ✔✔ keeps the foe from a superior position."""
    return result != "✔✔"


def _here(decision: DeckahedronDecision) -> str:
    return {"travel": "a journey", "camp": "a camp", "haven": "a haven", "combat": "a fight"}[decision.table.scene]
