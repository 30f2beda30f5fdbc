"""Secrecy of selected cards: other players see them once they are revealed, and never if they were not.

A selection that was replaced, taken back or undone before its reveal stays secret.
"""

from domain.gloomhaven.rounds import CardsSelected
from domain.gloomhaven.sheet import GloomhavenState
from domain.system.citing import rule
from domain.turn import Event


@rule("GH 87")
def secrets_are_open(state: GloomhavenState, name: str) -> bool:
    """Whether a character's selected cards are face up: not during the selection, nor before their own reveal."""
    return state.table.phase != "selection" and state.characters[name].selection is None


@rule("GH 87")
def before_reveal(state: GloomhavenState) -> GloomhavenState:
    """A copy of the state for views, with face-down cards in the hand too, so that their absence reveals nothing."""
    view = state.copy()
    for name, sheet in state.characters.items():
        if sheet.selected and not secrets_are_open(state, name):
            view.change(name, hand=tuple(sorted((*sheet.hand, *sheet.selected))))
    return view


@rule("GH 87")
def was_revealed(event: Event, after: GloomhavenState, now: GloomhavenState) -> bool:
    """Whether the selection of this event was revealed: not replaced, undone or amended, and its reveal in effect."""
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
