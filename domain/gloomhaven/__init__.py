"""Gloomhaven: ability cards, rests, damage, bonuses, items and exhaustion (GH 1 to 87)."""

from typing import Any

from domain.gloomhaven import actions as a
from domain.gloomhaven import (
    bonuses,
    damage,
    items,
    performing,
    recovering,
    rests,
    rounds,
    scenarios,
    summons,
)
from domain.gloomhaven import events as e
from domain.gloomhaven.auditing import audit
from domain.gloomhaven.completing import proposals
from domain.gloomhaven.order import whose_turn
from domain.gloomhaven.remembering import EVOLVE
from domain.gloomhaven.secrecy import SECRETS
from domain.gloomhaven.sheet import HIDDEN, GloomhavenOptions, GloomhavenSheet, GloomhavenTable
from domain.gloomhaven.showing import (
    PILES,
    drawn,
    drawn_table,
    fallen,
    in_words,
    open_matters,
    shown,
    shown_table,
    table_matters,
)
from domain.system.rulesystem import RuleSystem


class Gloomhaven(RuleSystem):
    """Ability cards, rests, damage and items."""

    key, cite, version = "gloomhaven", "GH", 1
    chapters = (a, e)
    sheet, table, options = GloomhavenSheet, GloomhavenTable, GloomhavenOptions
    shown = staticmethod(shown)
    audit = staticmethod(audit)
    shown_table = staticmethod(shown_table)
    open_matters = staticmethod(open_matters)
    table_matters = staticmethod(table_matters)
    drawn = staticmethod(drawn)
    in_words = staticmethod(in_words)
    drawn_table = staticmethod(drawn_table)
    proposals = staticmethod(proposals)
    fallen = staticmethod(fallen)
    whose_turn = staticmethod(whose_turn)
    hidden = HIDDEN
    blows = frozenset({"gloomhaven.damaged"})
    piles = PILES
    secrets = SECRETS


def _deciding(decide: Any) -> Any:
    return lambda self, decision: decide(decision, self)


def _folding(evolve: Any) -> Any:
    return lambda self, state: evolve(state, self)


_DECIDE = {
    a.Enrol: scenarios.enrol,
    a.BeginScenario: scenarios.begin_scenario,
    a.BeginRound: rounds.begin_round,
    a.Select: rounds.select,
    a.DeclareLongRest: rounds.declare_long_rest,
    a.Reveal: rounds.reveal,
    a.Perform: performing.perform,
    a.EndTurn: rounds.end_turn,
    a.LongRest: rests.long_rest,
    a.CleanUp: rounds.clean_up,
    a.ShortRest: rests.short_rest,
    a.Damage: damage.damage,
    a.Heal: damage.heal,
    a.SetCondition: damage.set_condition,
    a.Attack: performing.attack,
    a.DrawModifier: performing.draw_modifier,
    a.UseItem: items.use_item,
    a.Trigger: bonuses.trigger,
    a.PutAway: bonuses.put_away,
    a.Recover: recovering.recover,
    a.Refresh: items.refresh,
    a.Loot: items.loot,
    a.Summon: summons.summon,
    a.SummonDamage: summons.summon_damage,
    a.Kill: summons.kill,
    a.EndScenario: scenarios.end_scenario,
    a.BuyItem: items.buy_item,
    a.SellItem: items.sell_item,
    a.LevelUp: scenarios.level_up,
    a.ChooseHand: scenarios.choose_hand,
}
for _kind, _decide in _DECIDE.items():
    _kind.decide = _deciding(_decide)  # type: ignore[attr-defined]
for _event, _evolve in EVOLVE.items():
    _event.fold = _folding(_evolve)  # type: ignore[method-assign]

SYSTEM = Gloomhaven()
