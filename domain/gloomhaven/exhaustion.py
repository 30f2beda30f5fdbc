"""Exhaustion: who is out, and what is closed to those who are."""

from typing import Literal

from domain.gloomhaven.events import Exhausted, ScenarioLost, SummonGone
from domain.gloomhaven.sheet import Deciding, GloomhavenState
from domain.naming import called
from domain.system.citing import rule
from domain.turn import refuse_unless


@rule("GH 12", "GH 13", "GH 14")
def able(decision: Deciding, name: str) -> None:
    """Raise Refusal if nothing more can be done by or on this character in this scenario."""
    refuse_unless(
        not decision.sheet(name).exhausted,
        "GH 13",
        f"{called(name)} is exhausted and takes no further part in this scenario.",
    )
    not_lost(decision)


@rule("GH 14")
def not_lost(decision: Deciding) -> None:
    """Raise Refusal if the scenario is lost and only waits for its end."""
    refuse_unless(
        not (decision.table.playing and decision.table.outcome == "lost"),
        "GH 14",
        "The scenario is lost; end it with `campaign gloomhaven end-scenario --no-won`.",
    )


@rule("GH 9", "GH 10", "GH 12", "GH 46")
def exhaust(decision: Deciding, name: str, why: Literal["hit points", "cards"]) -> None:
    """One character is out: summons leave the board, every card is lost; hit points, gold and experience stay."""
    for summon in decision.sheet(name).summons:
        decision.tell(SummonGone(name, summon.name))
    decision.tell(Exhausted(name, why))
    _lost_with_the_last(decision)


@rule("GH 14")
def _lost_with_the_last(decision: Deciding) -> None:
    """When the last of those who take part is exhausted, the scenario is lost."""
    taking_part = [sheet for sheet in decision.state.characters.values() if sheet.joined]
    open_still = decision.table.playing and decision.table.outcome is None
    if open_still and taking_part and all(sheet.exhausted for sheet in taking_part):
        decision.tell(ScenarioLost())


@rule("GH 29", "GH 78")
def cards_for_rest(state: GloomhavenState, name: str) -> int:
    """How many cards count towards the two discarded ones that a rest needs."""
    sheet = state.characters[name]
    counted = [bonus for bonus in sheet.active if bonus.counts_as == "discarded"]
    return len(sheet.discard) + (len(counted) if state.options.active_counts_for_rest else 0)


def can_rest(state: GloomhavenState, name: str) -> bool:
    return cards_for_rest(state, name) >= 2


@rule("GH 10", "GH 11", "GH 77")
def out_of_cards(state: GloomhavenState, name: str) -> bool:
    """Neither two cards to play nor a rest to take."""
    sheet = state.characters[name]
    return len(sheet.hand) + len(sheet.selected) <= 1 and not can_rest(state, name)
