"""The figures of a sheet that can be changed by touch: hit points, and the gold and experience that are gained."""

from collections.abc import Sequence
from typing import Any

from domain.gloomhaven.damage import Damage
from domain.gloomhaven.healing import Heal
from domain.gloomhaven.money import Loot, Reward
from domain.gloomhaven.sheet import GloomhavenState
from domain.system.figures import Adjustment, Figure

HIT = Adjustment(Damage, "amount", says="Hit")
HEAL = Adjustment(Heal, "amount", says="Heal")
PICK_UP = Adjustment(Loot, "tokens", says="Pick up money tokens")
EARN = Adjustment(Reward, "gold", says="Gain gold", offers=(1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50))
LEARN = Adjustment(Reward, "xp", says="Gain experience")


def figures(state: GloomhavenState, name: str, view: dict[str, Any]) -> Sequence[Figure]:
    """The figures with their steps; those of the exhausted have none."""
    sheet = state.characters[name]
    if sheet.exhausted:
        return (Figure("hit points", sheet.hp, view["max_hp"], vital=True),)
    hp = Figure("hit points", sheet.hp, view["max_hp"], less=HIT, more=HEAL, vital=True)
    gold = Figure("gold", sheet.gold, more=PICK_UP if state.table.playing else EARN)
    return (hp, Figure("experience", sheet.xp, more=LEARN), gold)
