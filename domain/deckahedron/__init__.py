"""deckahedron: stamina, breathers, harm, wounds, rest and healing, kept in a deck of twenty cards."""

from typing import Any

from domain.deckahedron import (
    actions,
    attacks,
    attempts,
    breathers,
    days,
    events,
    harm,
    healing,
    looks,
    overrides,
    rests,
    stamina,
)
from domain.deckahedron.remembering import EVOLVE
from domain.deckahedron.sheet import DeckahedronOptions, DeckahedronSheet, DeckahedronTable
from domain.system.rulesystem import RuleSystem


class Deckahedron(RuleSystem):
    """Stamina, harm and wounds in a deck of cards."""

    key, cite, version = "deckahedron", "DH", 1
    chapters = (actions, events)
    sheet, table, options = DeckahedronSheet, DeckahedronTable, DeckahedronOptions
    shown = staticmethod(looks.shown)
    audit = staticmethod(overrides.audit)
    open_matters = staticmethod(looks.open_matters)
    drawn = staticmethod(looks.drawn)
    drawn_table = staticmethod(looks.drawn_table)
    proposals = staticmethod(looks.proposals)
    vital = ("stamina_left", "Stamina")
    worse_when_higher = frozenset({"harm", "wounds"})
    blows = frozenset({"deckahedron.stamina_lost", "deckahedron.harm_taken", "deckahedron.wound_taken"})
    fallen = staticmethod(looks.fallen)
    guessed = staticmethod(looks.guessed)
    hidden = looks.HIDDEN
    unread = looks.UNREAD
    sides = staticmethod(looks.sides)
    piles = looks.PILES


def _deciding(decide: Any) -> Any:
    return lambda self, decision: decide(decision, self)


def _folding(evolve: Any) -> Any:
    return lambda self, state: evolve(state, self)


_DECIDE = {
    actions.Enrol: attempts.enrol,
    actions.BeginScene: attempts.begin_scene,
    actions.Flip: attempts.flip,
    actions.LoseStamina: stamina.lose_stamina,
    actions.Breather: breathers.breather,
    actions.Strain: harm.strain,
    actions.TakeWound: harm.wound,
    actions.Rest: rests.rest,
    actions.Heal: healing.heal,
    actions.Effort: days.effort,
    actions.Attack: attacks.attack,
    actions.Storyteller: stamina.storyteller,
}
for _kind, _decide in _DECIDE.items():
    _kind.decide = _deciding(_decide)  # type: ignore[attr-defined]
for _event, _evolve in EVOLVE.items():
    _event.fold = _folding(_evolve)  # type: ignore[method-assign]

SYSTEM = Deckahedron()
