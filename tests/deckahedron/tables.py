"""Tables of deckahedron for the tests: short names for what is asked, and characters whose deck is known."""

from collections.abc import Mapping, Sequence
from typing import Any

from domain.deckahedron.cards import FRESH_DECK
from tests.kit.given import Given

#: Starts 3, 0, 12, 5: at rank 1 ✗✗ …; the first Stamina lies third.
TOP = ("3", "0", "12", "5")


def deck(*top: str) -> tuple[str, ...]:
    """A whole deck that begins with these cards; the others follow in the order of their ids."""
    return (*top, *(card for card in FRESH_DECK if card not in top))


def enrol(name: str = "brog", top: Sequence[str] = TOP, **fields: Any) -> dict[str, Any]:
    ranks = {"strength": 2, "dexterity": 3, "intelligence": 3}
    return {"type": "deckahedron.enrol", "character": name, **ranks, "deck": list(deck(*top)), **fields}


def act(verb: str, character: str | None = "brog", **fields: Any) -> dict[str, Any]:
    who = {} if character is None else {"character": character}
    return {"type": f"deckahedron.{verb}", **who, **fields}


def attack(**fields: Any) -> dict[str, Any]:
    return act("attack", None, **{"attacker": "brog", "style": "melee", **fields})


def scene(which: str) -> dict[str, Any]:
    return act("scene", None, scene=which)


def override(why: str = "The Storyteller says so", name: str = "brog", **fields: Any) -> dict[str, Any]:
    return {"type": "override", "character": name, "set": fields, "why": why}


def table(*actions: Mapping[str, Any], options: Mapping[str, Any] | None = None, seed: int = 0) -> Given:
    """A table at which all of this has happened."""
    given = Given("deckahedron", options=options, seed=seed)
    for action in actions:
        given.when(action)
        assert given.error is None, f"{action}: {given.error}"
    return given


def brog(top: Sequence[str] = TOP, *actions: Mapping[str, Any], **options: Any) -> Given:
    """A table with brog, whose deck begins with these cards, and what happened since."""
    return table(enrol(top=top), *actions, options=options)


def deck_of(given: Given, name: str = "brog") -> tuple[str, ...]:
    """The face-down cards, top first: what only the log knows."""
    order: tuple[str, ...] = given.handler.state().characters[name].deck
    return order
