"""Gloomhaven: ability cards, rests, damage, bonuses, items and exhaustion (GH 1 to 87)."""

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
from domain.gloomhaven.auditing import audit
from domain.gloomhaven.completing import proposals
from domain.gloomhaven.events import EVENTS
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
from domain.system.seam import RuleSystem

SYSTEM = RuleSystem(
    key="gloomhaven",
    cite="GH",
    version=1,
    actions=a.ACTIONS,
    events=EVENTS,
    options=GloomhavenOptions,
    sheet=GloomhavenSheet,
    table=GloomhavenTable,
    decide={
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
    },
    evolve=EVOLVE,
    shown=shown,
    audit=audit,
    shown_table=shown_table,
    open_matters=open_matters,
    table_matters=table_matters,
    drawn=drawn,
    in_words=in_words,
    drawn_table=drawn_table,
    proposals=proposals,
    blows=frozenset({"gloomhaven.damaged"}),
    fallen=fallen,
    hidden=HIDDEN,
    piles=PILES,
    secrets=SECRETS,
)
