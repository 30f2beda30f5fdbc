"""Which actions change which field of a sheet and of the table, to suggest them where a field is set by hand."""

from collections.abc import Mapping

from domain.gloomhaven.attacks import Kill
from domain.gloomhaven.bonuses import PutAway, Trigger
from domain.gloomhaven.conditions import Expire, SetCondition
from domain.gloomhaven.damage import Damage
from domain.gloomhaven.healing import Heal
from domain.gloomhaven.items import Refresh, UseItem
from domain.gloomhaven.levels import ChooseHand, LevelUp
from domain.gloomhaven.money import BuyItem, Loot, Reward, SellItem
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.recovering import Recover
from domain.gloomhaven.rounds import BeginRound, CleanUp, DeclareLongRest, EndTurn, Reveal, Select, TurnOrder
from domain.gloomhaven.scenarios import BeginScenario, EndScenario
from domain.gloomhaven.summons import Summon, SummonDamage
from domain.turn import Action

#: The field as shown -> the actions, those used most first.
CHANGED_BY: Mapping[str, tuple[type[Action], ...]] = {
    "class": (ChooseHand,),
    "level": (LevelUp,),
    "hp": (Damage, Heal),
    "max_hp": (LevelUp,),
    "xp": (Reward, Perform),
    "gold": (Reward, Loot, BuyItem, SellItem),
    "hand": (Select, ChooseHand, Recover),
    "selected": (Select,),
    "discard": (Perform, EndTurn, Recover),
    "lost": (Perform, Recover),
    "active": (Perform, PutAway, Trigger),
    "items": (UseItem, Refresh, BuyItem, SellItem),
    "summons": (Summon, SummonDamage),
    "conditions": (SetCondition, Expire),
    "resting": (DeclareLongRest,),
    "initiative": (Select,),
    "acted": (EndTurn,),
    "exhausted": (Damage,),
    "kills": (Kill,),
    "scenario": (BeginScenario, EndScenario),
    "round": (BeginRound,),
    "phase": (BeginRound, Reveal, CleanUp),
    "order": (Reveal, TurnOrder),
    "outcome": (EndScenario,),
}
