"""The order of turns: who takes part, whose turn it is, and the checks of actions that depend on it."""

from collections.abc import Iterable

from domain.choice import Choice
from domain.gloomhaven.sheet import GloomhavenDecision, GloomhavenState
from domain.naming import called, not_their_turn, possessive
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.pending import PendingDecision


def in_play(state: GloomhavenState) -> list[str]:
    """The characters who take part in the scenario, are present and not exhausted, in the order of enrolment."""
    return [
        name for name, sheet in state.characters.items() if sheet.joined and not sheet.exhausted and sheet.away is None
    ]


def whose_turn(state: GloomhavenState) -> str | None:
    """The first character in the order who is present and has not acted; None if there is none or no turns are on."""
    if state.table.phase != "turns":
        return None
    for place in state.table.order:
        sheet = state.characters.get(place.character)
        if place.summon is None and sheet is not None and not (sheet.exhausted or sheet.acted or sheet.away):
            return place.character
    return None


def must_be_own_turn(decision: GloomhavenDecision, name: str, citation: str = "GH 69") -> None:
    """Raise Refusal unless it is this character's turn, with what comes first where nobody's turn is open."""
    state, system = decision.state, decision.system
    turn = whose_turn(state)
    if turn == name:
        return
    if turn is not None:
        raise Refusal(citation, not_their_turn(name, turn))
    choices = choices_of(system.pending_for(state, name)) or awaited(decision)
    reason = not_their_turn(name, None)
    if state.table.phase == "selection":
        reason = f"It is not {possessive(name)} turn yet: all choose their cards first, then reveal."
    raise Refusal(citation, reason, choices)


def awaited(decision: GloomhavenDecision) -> list[Choice]:
    """What the table waits for, as what can be done instead of what is out of its turn."""
    return choices_of(decision.system.pending_for_table(decision.state))


def choices_of(pending: Iterable[PendingDecision]) -> list[Choice]:
    """All that settles any of these decisions."""
    return [choice for decision in pending for choice in decision.choices]


@rule("GH 82")
def must_not_rest(decision: GloomhavenDecision, name: str) -> None:
    """Raise Refusal if the character rests this round: a long rest is the whole turn."""
    refuse_unless(
        not decision.sheet(name).resting, "GH 82", f"{called(name)} takes a long rest, which is the whole turn."
    )


def must_be_during_turns(decision: GloomhavenDecision, name: str) -> None:
    """Raise Refusal outside the turns of a round, and if the character joins with the next scenario."""
    if decision.table.phase != "turns":
        raise Refusal(None, "That can be done only during the turns of a round.")
    if not decision.sheet(name).joined:
        raise Refusal(None, f"{called(name)} joins with the next scenario and takes no part in this one.")


@rule("GH 16")
def must_have_no_open_attack(decision: GloomhavenDecision, name: str) -> None:
    """Raise Refusal while the character's attack waits for its modifier."""
    refuse_unless(
        decision.sheet(name).attack is None,
        "GH 16",
        f"{possessive(name)} attack waits for its modifier; draw it first.",
    )
