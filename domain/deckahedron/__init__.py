"""deckahedron: stamina, breathers, harm, wounds, rest and healing, kept in a deck of twenty cards."""

from domain.deckahedron import (
    actions,
    attacks,
    attempts,
    breathers,
    days,
    harm,
    healing,
    looks,
    overrides,
    rests,
    stamina,
)
from domain.deckahedron.events import EVENTS
from domain.deckahedron.remembering import EVOLVE
from domain.deckahedron.sheet import DeckahedronOptions, DeckahedronSheet, DeckahedronTable
from domain.system.seam import RuleSystem

SYSTEM = RuleSystem(
    key="deckahedron",
    cite="DH",
    version=1,
    actions=actions.ACTIONS,
    events=EVENTS,
    options=DeckahedronOptions,
    sheet=DeckahedronSheet,
    table=DeckahedronTable,
    decide={
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
    },
    evolve=EVOLVE,
    shown=looks.shown,
    audit=overrides.audit,
    open_matters=looks.open_matters,
    drawn=looks.drawn,
    drawn_table=looks.drawn_table,
    proposals=looks.proposals,
    vital=("stamina_left", "Stamina"),
    worse_when_higher=frozenset({"harm", "wounds"}),
    blows=frozenset({"deckahedron.stamina_lost", "deckahedron.harm_taken", "deckahedron.wound_taken"}),
    fallen=looks.fallen,
    guessed=looks.guessed,
    hidden=looks.HIDDEN,
    unread=looks.UNREAD,
    sides=looks.sides,
    piles=looks.PILES,
)
