"""When a selection lies open: others see the cards once they are revealed, and those that never were stay secret.

A selection that was replaced, taken back or undone before its reveal went back into the hand.
"""

from domain.gloomhaven.rounds import CardsSelected
from domain.gloomhaven.sheet import GloomhavenState
from domain.system.citing import rule
from domain.turn import Event


@rule("GH 87")
def lies_open(state: GloomhavenState, name: str) -> bool:
    """Selected cards lie face down while cards are selected, and until their own reveal if that did not come."""
    return state.table.phase != "selection" and state.characters[name].selection is None


@rule("GH 87")
def before_reveal(state: GloomhavenState) -> GloomhavenState:
    """To look at only: what lies face down is in the hand as well, so that nobody sees what is missing there."""
    seen = state.copy()
    for name, sheet in state.characters.items():
        if sheet.selected and not lies_open(state, name):
            seen.change(name, hand=tuple(sorted((*sheet.hand, *sheet.selected))))
    return seen


@rule("GH 87")
def was_revealed(event: Event, after: GloomhavenState, now: GloomhavenState) -> bool:
    """Whether this very selection was turned up: it stood, was not replaced or amended, and its reveal stands."""
    if not isinstance(event, CardsSelected):
        return False
    then, sheet = after.characters.get(event.character), now.characters.get(event.character)
    return (
        then is not None
        and sheet is not None
        and then.selection == event.selection
        and then.selected == (event.lead.id, event.second.id)
        and event.selection <= sheet.revealed
        and event.selection not in sheet.taken_back
    )
