"""deckahedron: stamina, breathers, harm, wounds, rest and healing, kept in a deck of twenty cards."""

from typing import ClassVar

from domain.deckahedron import (
    attacks,
    attempts,
    breathers,
    days,
    deck,
    foes,
    harm,
    healing,
    incapacitation,
    overrides,
    presentation,
    reference_tables,
    rests,
    scenes,
    stamina,
)
from domain.deckahedron.sheet import DeckahedronOptions, DeckahedronSheet, DeckahedronTable
from domain.system.rulesystem import RuleSystem


class Deckahedron(RuleSystem):
    """Stamina, harm and wounds in a deck of cards."""

    key, cite, version = "deckahedron", "DH", 4
    chapters = (
        deck, scenes, attempts, stamina, breathers, harm, rests, healing, days, attacks, foes, incapacitation,
    )  # fmt: skip
    sheet, table, options = DeckahedronSheet, DeckahedronTable, DeckahedronOptions
    to_view = staticmethod(presentation.to_view)
    audit = staticmethod(overrides.audit)
    pending_for = staticmethod(presentation.pending_for)
    rows = staticmethod(presentation.rows)
    figures = staticmethod(presentation.figures)
    laid_out = staticmethod(presentation.laid_out)
    brief = staticmethod(presentation.brief)
    table_rows = staticmethod(presentation.table_rows)
    proposals = staticmethod(presentation.proposals)
    past = staticmethod(presentation.past)
    cards_to_report = staticmethod(presentation.cards_to_report)
    vital = ("stamina_left", "Stamina")
    worse_when_higher = frozenset({"harm", "wounds"})
    harmful_events = frozenset({"deckahedron.stamina_lost", "deckahedron.harm_taken", "deckahedron.wound_taken"})
    fallen = staticmethod(presentation.fallen)
    changed_by = presentation.CHANGED_BY
    reference_table = staticmethod(reference_tables.reference_table)
    turned_up = staticmethod(presentation.turned_up)
    as_reports = staticmethod(presentation.as_reports)
    hidden = presentation.HIDDEN
    fold_only = presentation.UNREAD
    face_down = "deck"
    piles = presentation.PILES
    draw_words: ClassVar = {
        "regained": "draws {count} of {whose} exhausted cards",
        "kept": "draws {count} of {whose} exhausted cards to stay",
        "attack, defender loses": "rolls 1d4 for what the defender loses",
        "attack, attacker loses": "rolls 1d4 for what the attacker loses",
    }


SYSTEM = Deckahedron()
