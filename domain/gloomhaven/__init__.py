"""Gloomhaven: ability cards, rests, damage, bonuses, items and exhaustion (GH 1 to 87)."""

from typing import Any, ClassVar

from domain.gloomhaven import (
    attacks,
    bonuses,
    brief,
    card_piles,
    changes,
    class_lookups,
    conditions,
    damage,
    exhaustion,
    figures,
    ghs_data,
    ghs_saves,
    healing,
    items,
    joining,
    learning,
    levels,
    modifiers,
    money,
    order,
    overrides,
    performing,
    piles,
    presentation,
    proposals,
    recovering,
    rests,
    rounds,
    scenarios,
    secrecy,
    summons,
)
from domain.gloomhaven.sheet import HIDDEN, GloomhavenOptions, GloomhavenSheet, GloomhavenState, GloomhavenTable
from domain.system.rulesystem import RuleSystem


class Gloomhaven(RuleSystem):
    """Ability cards, rests, damage and items."""

    key, cite, version = "gloomhaven", "GH", 4
    chapters = (
        joining, learning, scenarios, rounds, performing, attacks, modifiers, damage, healing, conditions, exhaustion,
        rests, items, money, bonuses, recovering, summons, piles, levels, overrides,
    )  # fmt: skip
    sheet, table, options = GloomhavenSheet, GloomhavenTable, GloomhavenOptions
    hidden = HIDDEN
    harmful_events = frozenset({"gloomhaven.damaged"})
    readers = (ghs_data.READER, ghs_saves.READER)
    lookups = (class_lookups.LOOKUP, class_lookups.LEARNED_LOOKUP)

    def read_value(self, state: GloomhavenState, name: str, field: str, value: Any) -> Any:
        """As any list, and its cards by their names as well."""
        return presentation.read_value(
            state, name, field, super().read_value(state, name, field, value), is_typed=not isinstance(value, list)
        )

    to_view = staticmethod(presentation.to_view)
    table_to_view = staticmethod(presentation.table_to_view)
    rows = staticmethod(presentation.rows)
    figures = staticmethod(figures.figures)
    brief = staticmethod(brief.brief)
    laid_out = staticmethod(card_piles.laid_out)
    table_rows = staticmethod(presentation.table_rows)
    in_words = staticmethod(presentation.in_words)
    field_in_words = staticmethod(presentation.field_in_words)
    pending_for = staticmethod(presentation.pending_for)
    pending_for_table = staticmethod(presentation.pending_for_table)
    loose_ends = staticmethod(presentation.loose_ends)
    follow_ups = staticmethod(presentation.follow_ups)
    audit = staticmethod(overrides.audit)
    proposals_for = staticmethod(proposals.proposals_for)
    spoilers = staticmethod(proposals.spoilers)
    proposals = staticmethod(proposals.proposals)
    fallen = staticmethod(presentation.fallen)
    changed_by = changes.CHANGED_BY
    whose_turn = staticmethod(order.whose_turn)
    piles = presentation.PILES
    open_references = frozenset({"item", "items"})
    draw_words: ClassVar = {
        "short rest": "draws {count} of {whose} discarded cards to lose",
        "re-roll": "draws another of {whose} discarded cards to lose",
        "modifier": "draws from {whose} modifier deck",
        "modifier 2": "draws once more",
        "look": "looks at {count} of {whose} modifiers",
    }
    secrets_are_open = staticmethod(secrecy.secrets_are_open)
    was_revealed = staticmethod(secrecy.was_revealed)
    before_reveal = staticmethod(secrecy.before_reveal)


SYSTEM = Gloomhaven()
