"""osr: hit points, injuries and healing. Every rule stands in the file of its chapter, beside its number."""

from domain.osr import hit_points, injuries, rests, showing, wounds
from domain.osr.actions import ACTIONS
from domain.osr.events import EVENTS
from domain.osr.hit_points import sides
from domain.osr.overriding import audit
from domain.osr.sheet import OsrOptions, OsrSheet, OsrTable
from domain.system.seam import RuleSystem

CHAPTERS = (hit_points, rests, injuries, wounds)

SYSTEM = RuleSystem(
    key="osr",
    cite="OSR",
    version=1,
    actions=ACTIONS,
    events=EVENTS,
    options=OsrOptions,
    sheet=OsrSheet,
    table=OsrTable,
    decide={action: decide for chapter in CHAPTERS for action, decide in chapter.DECIDE.items()},
    evolve={event: evolve for chapter in CHAPTERS for event, evolve in chapter.EVOLVE.items()},
    shown=showing.shown,
    audit=audit,
    open_matters=showing.open_matters,
    drawn=showing.drawn,
    proposals=showing.proposals,
    worse_when_higher=frozenset({"fatigue", "marks", "recovery_marks"}),
    blows=frozenset({"osr.damaged", "osr.injured", "osr.hit_points_bypassed", "osr.hit_points_sacrificed"}),
    fallen=showing.fallen,
    hidden=showing.HIDDEN,
    sides=sides,
)
