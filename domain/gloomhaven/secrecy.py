"""What players may not tell each other: the cards in hand always, the selected ones until the reveal.

Of another player's character a hand is a count. A selection is shown once it was revealed; one that was
replaced, taken back or undone before that went back into the hand and stays secret for good.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from domain.common.revisions import Amend
from domain.common.sheets import SheetChecked, SheetOverridden
from domain.gloomhaven.joining import Enrolled
from domain.gloomhaven.levels import HandChosen, LeveledUp
from domain.gloomhaven.looks import shown
from domain.gloomhaven.overrides import CardsLaidOut
from domain.gloomhaven.rounds import CardsSelected
from domain.gloomhaven.sheet import GloomhavenState
from domain.naming import called, key_of, listed
from domain.system.citing import rule
from domain.system.rulesystem import Secrets, Veiled
from domain.turn import Action, Event


def as_json(event: Event) -> dict[str, Any]:
    """The event as JSON tells it."""
    told: dict[str, Any] = msgspec.to_builtins(event)
    return told


#: Sheet fields that an override or a check may speak of.
_SECRET_FIELDS = ("hand", "selected")


def plays(player: str | None, viewer: str) -> bool:
    """Whether this is the viewer's own character."""
    return player is not None and key_of(player) == key_of(viewer)


def _owned(state: GloomhavenState, name: str, viewer: str) -> bool:
    for each, sheet in state.characters.items():
        if key_of(each) == key_of(name):
            return plays(sheet.player, viewer)
    return False


@rule("GH 87")
def sheet(state: GloomhavenState, name: str, viewer: str) -> dict[str, Any]:
    """The sheet as shown to one player."""
    told = shown(state, name)
    if _owned(state, name, viewer):
        return told
    told["hand"] = len(told["hand"])
    if state.table.phase == "selection":
        told["selected"] = len(told["selected"])
    return told


# -- turns -------------------------------------------------------------------------------------------------


@rule("GH 87")
def turn(
    action: Action, facts: Sequence[Event], after: GloomhavenState, now: GloomhavenState, viewer: str
) -> Veiled | None:
    """A turn as one player sees it; None if nothing in it is secret from this player."""
    told = _veiled_action(action, facts, after, now, viewer)
    events = [_veiled_event(event, after, now, viewer) for event in facts]
    if told is None and not any(events):
        return None
    sentences = [veil[1] if veil else "".join(event.told()) for event, veil in zip(facts, events, strict=True)]
    if isinstance(action, Amend):
        sentences.insert(0, f"Amends T{action.turn}.")
    return Veiled(
        action=msgspec.to_builtins(action) if told is None else told,
        events=tuple(veil[0] if veil else as_json(event) for event, veil in zip(facts, events, strict=True)),
        sentence=" ".join(sentences),
    )


def _veiled_action(
    action: Action, facts: Sequence[Event], after: GloomhavenState, now: GloomhavenState, viewer: str
) -> dict[str, Any] | None:
    """The action without what is secret, None if nothing is."""
    told: dict[str, Any] = msgspec.to_builtins(action)
    if isinstance(action, Amend):
        inner = _without_secrets(action.action, facts, after, now, viewer)
        return None if inner is None else {**told, "action": inner}
    return _without_secrets(told, facts, after, now, viewer)


def _without_secrets(
    told: dict[str, Any],
    facts: Sequence[Event],
    after: GloomhavenState,
    now: GloomhavenState,
    viewer: str,
) -> dict[str, Any] | None:
    tag, who = told.get("type"), told.get("character")
    secret = _SECRET_IN_ACTION.get(str(tag))
    if secret is None or not isinstance(who, str):
        return None
    own = plays(told.get("player"), viewer) if tag == "gloomhaven.enrol" else _owned(now, who, viewer)
    if own or (tag == "gloomhaven.select" and facts and _all_revealed(facts, after, now)):
        return None
    for field in secret:
        if field in ("set", "expect"):
            fields = {key: value for key, value in told[field].items() if key not in _SECRET_FIELDS}
            told = {**told, field: {**fields, **{key: None for key in _SECRET_FIELDS if key in told[field]}}}
        else:
            told = {key: value for key, value in told.items() if key != field}
    return told


_SECRET_IN_ACTION: dict[str, tuple[str, ...]] = {
    "gloomhaven.select": ("lead", "second"),
    "gloomhaven.enrol": ("hand",),
    "gloomhaven.choose_hand": ("hand",),
    "gloomhaven.level_up": ("card",),
    "override": ("set",),
    "sheet.check": ("expect",),
}


def _all_revealed(facts: Sequence[Event], after: GloomhavenState, now: GloomhavenState) -> bool:
    return all(_was_revealed(fact, after, now) for fact in facts if isinstance(fact, CardsSelected))


def _was_revealed(event: CardsSelected, after: GloomhavenState, now: GloomhavenState) -> bool:
    """Whether this very selection was turned up: it stood, was not replaced or amended, and its reveal stands."""
    then, sheet = after.characters.get(event.character), now.characters.get(event.character)
    return (
        then is not None
        and sheet is not None
        and then.selection == event.selection
        and then.selected == (event.lead.id, event.second.id)
        and event.selection <= sheet.revealed
        and event.selection not in sheet.taken_back
    )


Veil = tuple[dict[str, Any], str]


def _veiled_event(event: Event, after: GloomhavenState, now: GloomhavenState, viewer: str) -> Veil | None:
    """The event and its sentence without what is secret, None if nothing is."""
    veil = _VEILS.get(type(event))
    if veil is None:
        return None
    own = (
        plays(event.player, viewer) if isinstance(event, Enrolled) else _owned(now, event.character, viewer)  # type: ignore[attr-defined]
    )
    if own or (isinstance(event, CardsSelected) and _was_revealed(event, after, now)):
        return None
    return veil(event, as_json(event))


def _without(told: dict[str, Any], *fields: str) -> dict[str, Any]:
    return {key: value for key, value in told.items() if key not in fields}


def _selected(event: CardsSelected, told: dict[str, Any]) -> Veil:
    return _without(told, "lead", "second"), f"{called(event.character)} selects two cards."


def _enrolled(event: Enrolled, told: dict[str, Any]) -> Veil:
    return {**_without(told, "gained"), "hand": len(event.hand)}, "".join(event.told())


def _hand_chosen(event: HandChosen, told: dict[str, Any]) -> Veil:
    return {**told, "hand": len(event.hand)}, f"{called(event.character)} chooses a hand."


def _leveled_up(event: LeveledUp, told: dict[str, Any]) -> Veil:
    return _without(told, "card"), f"{called(event.character)} reaches level {event.level} and gains a card."


def _overridden(event: SheetOverridden, told: dict[str, Any]) -> Veil | None:
    if not any(field in event.set for field in _SECRET_FIELDS):
        return None
    hidden = {field: None if field in _SECRET_FIELDS else value for field, value in event.set.items()}
    return {**told, "set": hidden}, f"Override: {called(event.character)}'s {listed(event.set)}. Why: {event.why}"


def _checked(event: SheetChecked, told: dict[str, Any]) -> Veil | None:
    if not any(field in event.fields for field in _SECRET_FIELDS):
        return None
    hidden = {field: None if field in _SECRET_FIELDS else value for field, value in event.fields.items()}
    return {**told, "fields": hidden}, "".join(event.told())


def _laid_out(event: CardsLaidOut, told: dict[str, Any]) -> Veil:
    return {**told, "hand": len(event.hand), "selected": len(event.selected)}, "".join(event.told())


_VEILS: dict[type[Event], Callable[[Any, dict[str, Any]], Veil | None]] = {
    CardsSelected: _selected,
    CardsLaidOut: _laid_out,
    Enrolled: _enrolled,
    HandChosen: _hand_chosen,
    LeveledUp: _leveled_up,
    SheetOverridden: _overridden,
    SheetChecked: _checked,
}

SECRETS = Secrets(sheet=sheet, turn=turn)
