"""Summons: allies on the board that come from an active card and leave with it."""

from domain.gloomhaven.actions import Kill, Summon, SummonDamage
from domain.gloomhaven.events import Killed, SummonDamaged, Summoned
from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.order import in_turns, not_resting, on_own_turn
from domain.gloomhaven.piles import card_meant, put
from domain.gloomhaven.sheet import Deciding, SummonOnBoard
from domain.naming import called, did_you_mean, fit_name, key_of
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import refuse_unless

#: How many colours of summon tokens there are.
COLOURS = 8


@rule("GH 42", "GH 43", "GH 44", "GH 45", "GH 49", "GH 50")
def summon(decision: Deciding, action: Summon) -> None:
    """In an empty hex beside the summoner, with a token of a colour that is not on the board yet."""
    name = action.character
    able(decision, name)
    on_own_turn(decision, name)
    not_resting(decision, name)
    refuse_unless(action.free_hex, "GH 43", f"No hex beside {called(name)} is empty, so nothing can be summoned.")
    card = card_meant(decision, name, action.card)
    sheet = decision.sheet(name)
    refuse_unless(sheet.bonus(card.id) is not None, "GH 46", f"{card.name} is not in {called(name)}'s active area.")
    refuse_unless(
        all(each.card != card.id for each in sheet.summons), "GH 46", f"{card.name} has a summon on the board already."
    )
    on_board = [each for other in decision.state.characters.values() for each in other.summons]
    colour = action.colour.strip().lower()
    refuse_unless(
        colour not in [each.colour for each in on_board], "GH 44", f"The {colour} token is on the board already."
    )
    refuse_unless(len(on_board) < COLOURS, "GH 44", "All eight summon tokens are on the board.")
    called_so = fit_name(action.name)
    taken = {key_of(each) for each in (*decision.state.characters, *(each.name for each in on_board))}
    if key_of(called_so) in taken:
        raise Refusal(None, f"Somebody on the board is called {called_so} already; choose another name.")
    new = SummonOnBoard(called_so, action.hp, card.id, colour, decision.table.round)
    decision.tell(Summoned(name, new, action.attack, action.move, action.range))


def _find(decision: Deciding, name: str, summon: str) -> SummonOnBoard:
    """The character's summon of this name. Raises Refusal, naming the nearest."""
    summons = decision.sheet(name).summons
    for each in summons:
        if key_of(each.name) == key_of(summon):
            return each
    hint = did_you_mean(summon, [each.name for each in summons], otherwise="none is on the board.")
    raise Refusal(None, f"{called(name)} has no summon {summon.strip()!r}; {hint}")


@rule("GH 46")
def summon_damage(decision: Deciding, action: SummonDamage) -> None:
    """Without hit points a summon leaves the board, and its card goes to its pile."""
    name = action.character
    able(decision, name)
    in_turns(decision, name)
    hurt = _find(decision, name, action.summon)
    left = max(0, hurt.hp - action.amount)
    decision.tell(SummonDamaged(name, hurt.name, action.amount, left))
    if not left:
        bonus = decision.sheet(name).bonus(hurt.card)
        if bonus is not None:
            put(decision, name, hurt.card, bonus.counts_as)


@rule("GH 51", "GH 67")
def kill(decision: Deciding, action: Kill) -> None:
    """A summon's kill is its owner's; no kill gives experience."""
    name = action.character
    able(decision, name)
    in_turns(decision, name)
    struck = _find(decision, name, action.summon).name if action.summon is not None else None
    decision.tell(Killed(name, action.monster.strip(), struck, decision.sheet(name).kills + 1))
