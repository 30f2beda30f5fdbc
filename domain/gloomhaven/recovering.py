"""Recovering cards into the hand."""

from domain.gloomhaven.actions import Recover
from domain.gloomhaven.exhaustion import able
from domain.gloomhaven.piles import card_meant, take_back
from domain.gloomhaven.sheet import Deciding
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless


@rule("GH 29", "GH 52", "GH 53", "GH 73")
def recover(decision: Deciding, action: Recover) -> None:
    """Cards of the named kind, from their pile or active and counting so; never a lost unrecoverable one."""
    name = action.character
    able(decision, name)
    refuse_unless(
        len(action.cards) <= action.up_to,
        "GH 52",
        f"This recovers at most {action.up_to} card{'' if action.up_to == 1 else 's'}, not {len(action.cards)}.",
    )
    sheet = decision.sheet(name)
    pile = sheet.lost if action.kind == "lost" else sheet.discard
    kind = {*pile, *(bonus.card for bonus in sheet.active if bonus.counts_as == action.kind)}
    chosen: list[int] = []
    for ref in action.cards:
        card = card_meant(decision, name, ref)
        refuse_unless(card.id in kind, "GH 52", f"{card.name} is not among {called(name)}'s {action.kind} cards.")
        refuse_unless(
            action.kind != "lost" or not card.unrecoverable,
            "GH 53",
            f"{card.name} cannot be recovered once it is lost.",
        )
        refuse_unless(card.id not in chosen, "GH 52", f"{card.name} is named twice.")
        chosen.append(card.id)
    take_back(decision, name, *chosen)
