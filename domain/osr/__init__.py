"""osr: every rule stands in the file of its chapter, beside its number."""

from typing import ClassVar

from domain.osr import absence, hit_points, injuries, overrides, presentation, rests, wounds
from domain.osr.sheet import OsrOptions, OsrSheet, OsrTable
from domain.system.rulesystem import RuleSystem


class Osr(RuleSystem):
    """Hit points, injuries and healing."""

    key, cite, version = "osr", "OSR", 4
    chapters = (hit_points, rests, injuries, wounds, absence)
    sheet, table, options = OsrSheet, OsrTable, OsrOptions
    hidden = presentation.HIDDEN
    worse_when_higher = frozenset({"fatigue", "marks", "recovery_marks"})
    harmful_events = frozenset(
        {"osr.damaged", "osr.injured", "osr.foe_slain", "osr.hit_points_bypassed", "osr.hit_points_sacrificed"}
    )
    to_view = staticmethod(presentation.to_view)
    rows = staticmethod(presentation.rows)
    figures = staticmethod(presentation.figures)
    brief = staticmethod(presentation.brief)
    in_words = staticmethod(presentation.in_words)
    audit = staticmethod(overrides.audit)
    pending_for = staticmethod(presentation.pending_for)
    proposals = staticmethod(presentation.proposals)
    numbered = staticmethod(presentation.numbered)
    fallen = staticmethod(presentation.fallen)
    is_foe = staticmethod(presentation.is_foe)
    may_leave = staticmethod(absence.may_leave)
    changed_by = presentation.CHANGED_BY
    draw_words: ClassVar = {"ability lost": "draws which of {whose} abilities loses a point"}
    totals = frozenset({"strength save", "will save", "improvement roll"})


SYSTEM = Osr()
