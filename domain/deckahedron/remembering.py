"""What each event leaves behind. Nothing is worked out here but which of the cards are Wound cards."""

from collections.abc import Callable
from typing import Any

from domain.deckahedron import events as e
from domain.deckahedron.cards import wounds_in
from domain.deckahedron.sheet import Attributes, Day, DeckahedronSheet, DeckahedronState
from domain.turn import Event


def enrolled(state: DeckahedronState, event: e.Enrolled) -> None:
    attributes = Attributes(event.strength, event.dexterity, event.intelligence)
    state.characters[event.character] = DeckahedronSheet(event.player, attributes, event.deck)


def scene_began(state: DeckahedronState, event: e.SceneBegan) -> None:
    state.change_table(scene=event.scene, foe_superior=False)


def piled(state: DeckahedronState, event: e.Piled, **changes: Any) -> None:
    """Every card lies where the event says."""
    state.change(
        event.character,
        deck=event.deck,
        discard=event.discard,
        exhaustion=event.exhaustion,
        wound_cards=wounds_in(event.deck, event.discard),
        **changes,
    )


def breather_taken(state: DeckahedronState, event: e.BreatherTaken) -> None:
    piled(state, event)
    if event.foe_moved:
        state.change_table(foe_superior=True)


def harm_taken(state: DeckahedronState, event: e.HarmTaken) -> None:
    state.change(event.character, harm=event.harm)


def wound_taken(state: DeckahedronState, event: e.WoundTaken) -> None:
    piled(state, event, wounds=event.wounds)


def incapacitated(state: DeckahedronState, event: e.Incapacitated) -> None:
    state.change(event.character, incapacitated=True, incapacitated_means=None)


def incapacitation_told(state: DeckahedronState, event: e.IncapacitationTold) -> None:
    state.change(event.character, incapacitated_means=event.meaning)


def recovered(state: DeckahedronState, event: e.Recovered) -> None:
    state.change(event.character, incapacitated=False, incapacitated_means=None)


def rested(state: DeckahedronState, event: e.Rested) -> None:
    piled(state, event, harm=event.harm)
    _spend(state, event.character, event.day, event.hours)


def healed(state: DeckahedronState, event: e.Healed) -> None:
    piled(state, event, harm=event.harm, wounds=event.wounds)
    if event.by is None:
        _spend(state, event.character, event.day, 24, healing=True)


def effort_spent(state: DeckahedronState, event: e.EffortSpent) -> None:
    _spend(state, event.character, event.day, event.hours)


def _spend(state: DeckahedronState, name: str, day: int | None, hours: int, *, healing: bool = False) -> None:
    """Note how hours of a day were spent, if it was said which day it was."""
    sheet = state.characters.get(name)
    if sheet is not None and day is not None:
        before = sheet.days.get(day, Day())
        spent = Day(before.hours + hours, before.healing or healing)
        state.change(name, days={**sheet.days, day: spent})


def unchanged(_state: DeckahedronState, _event: Event) -> None:
    """Told for the table; what it costs is told by the events that follow."""


EVOLVE: dict[type[Event], Callable[[Any, Any], None]] = {
    e.Enrolled: enrolled,
    e.SceneBegan: scene_began,
    e.CardsFlipped: piled,
    e.WoundCardBit: unchanged,
    e.StaminaLost: piled,
    e.Incapacitated: incapacitated,
    e.BreatherTaken: breather_taken,
    e.HarmTaken: harm_taken,
    e.StrainBecameWound: unchanged,
    e.WoundTaken: wound_taken,
    e.Rested: rested,
    e.Healed: healed,
    e.EffortSpent: effort_spent,
    e.Attacked: unchanged,
    e.IncapacitationTold: incapacitation_told,
    e.Recovered: recovered,
    e.DeckShuffledAnew: piled,
}
