"""The round: selection, the reveal, turns by initiative, cleanup."""

from domain.gloomhaven.actions import BeginRound, CleanUp, DeclareLongRest, EndTurn, Reveal, Select
from domain.gloomhaven.bonuses import end_round_bonuses
from domain.gloomhaven.events import (
    CardsSelected,
    CleanedUp,
    InOrder,
    LongRestDeclared,
    Revealed,
    RoundBegun,
    TurnEnded,
    named_one,
)
from domain.gloomhaven.exhaustion import able, can_rest, exhaust, not_lost, out_of_cards
from domain.gloomhaven.items import pick_up
from domain.gloomhaven.order import in_play, no_open_attack, on_own_turn, whose_turn
from domain.gloomhaven.piles import card_meant, discard, facts_of, named
from domain.gloomhaven.sheet import Deciding, GloomhavenState
from domain.naming import called, listed
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.turn import refuse_unless

#: The initiative of a long rest.
RESTING = 99


@rule("GH 10", "GH 75")
def begin_round(decision: Deciding, _: BeginRound) -> None:
    """Selection begins; whoever can neither play two cards nor rest is exhausted, and only now."""
    table = decision.table
    not_lost(decision)
    if not table.playing:
        raise Refusal(None, "No scenario is being played; begin one first.")
    refuse_unless(
        table.phase in (None, "cleanup"),
        "GH 75",
        f"Round {table.round} is not over; a round begins after the cleanup of the last.",
    )
    decision.tell(RoundBegun(table.round + 1))
    for name in in_play(decision.state):
        if out_of_cards(decision.state, name):
            exhaust(decision, name, "cards")


def _selecting(decision: Deciding, name: str, citation: str) -> None:
    able(decision, name)
    refuse_unless(
        decision.table.phase == "selection", citation, "Cards and long rests are chosen at the start of a round only."
    )
    refuse_unless(
        decision.sheet(name).joined,
        citation,
        f"{called(name)} joins with the next scenario and has no turn in this one.",
    )


@rule("GH 75", "GH 76")
def select(decision: Deciding, action: Select) -> None:
    """Exactly two different cards of the hand; chosen again before the reveal, the later choice counts."""
    name = action.character
    _selecting(decision, name, "GH 75")
    lead, second = card_meant(decision, name, action.lead), card_meant(decision, name, action.second)
    sheet = decision.sheet(name)
    hand = (*sheet.hand, *sheet.selected)
    refuse_unless(
        len(hand) >= 2,
        "GH 76",
        f"{called(name)} has fewer than two cards in hand: only a long rest is left.",
    )
    refuse_unless(lead.id != second.id, "GH 75", f"Select two different cards; {lead.name} is only one.")
    for card in (lead, second):
        refuse_unless(card.id in hand, "GH 75", f"{called(name)} does not have {card.name} in hand.")
    decision.tell(CardsSelected(name, named_one(lead), named_one(second), decision.number))


@rule("GH 75", "GH 78", "GH 82")
def declare_long_rest(decision: Deciding, action: DeclareLongRest) -> None:
    """Instead of two cards, with two or more discarded."""
    name = action.character
    _selecting(decision, name, "GH 82")
    refuse_unless(
        can_rest(decision.state, name), "GH 78", f"{called(name)} needs two discarded cards for a rest and has fewer."
    )
    decision.tell(LongRestDeclared(name))


@rule("GH 10", "GH 47", "GH 49", "GH 50", "GH 83", "GH 87")
def reveal(decision: Deciding, _: Reveal) -> None:
    """Ascending initiative, a tie by the second card, then by enrolment; rests last; summons before their owners."""
    not_lost(decision)
    refuse_unless(decision.table.phase == "selection", "GH 87", "There is nothing to reveal: no selection is open.")
    missing = []
    for name in in_play(decision.state):
        sheet = decision.sheet(name)
        if len(sheet.selected) != 2 and not sheet.resting:
            if out_of_cards(decision.state, name):
                exhaust(decision, name, "cards")
            else:
                missing.append(called(name))
    have = "has" if len(missing) == 1 else "have"
    refuse_unless(
        not missing, "GH 75", f"{listed(missing)} {have} neither selected two cards nor declared a long rest."
    )
    # sorting is stable: what is still tied stays in the order of enrolment
    order = sorted(in_play(decision.state), key=lambda name: _rank(decision.state, name))
    if order:
        decision.tell(Revealed(tuple(_in_order(decision.state, name) for name in order)))


def _initiatives(state: GloomhavenState, name: str) -> tuple[int, ...]:
    facts = facts_of(state, name)
    cards = [facts.card(number) for number in state.characters[name].selected]
    return tuple(card.initiative for card in cards if card)


def _rank(state: GloomhavenState, name: str) -> tuple[bool, tuple[int, ...]]:
    resting = state.characters[name].resting
    return resting, (() if resting else _initiatives(state, name))


def _in_order(state: GloomhavenState, name: str) -> InOrder:
    sheet = state.characters[name]
    summons = tuple(summon.name for summon in sheet.summons if summon.since_round < state.table.round)
    if sheet.resting:
        return InOrder(name, RESTING, summons=summons)
    return InOrder(name, _initiatives(state, name)[0], named(state, name, sheet.selected), summons)


@rule("GH 6", "GH 61", "GH 70", "GH 82")
def end_turn(decision: Deciding, action: EndTurn) -> None:
    """Selected cards that were not performed are discarded; what lies in the own hex is picked up."""
    name = action.character
    able(decision, name)
    on_own_turn(decision, name)
    sheet = decision.sheet(name)
    if sheet.resting:
        drained = decision.options.long_rest_short_of_cards == "refuse" and not can_rest(decision.state, name)
        refuse_unless(drained, "GH 82", f"{called(name)}'s turn is a long rest and ends with it.")
    no_open_attack(decision, name)
    discard(decision, name, *sheet.selected, why="unplayed")
    finish_turn(decision, name, action.tokens, action.treasures)


@rule("GH 61")
def finish_turn(decision: Deciding, name: str, tokens: int, treasures: tuple[int, ...] | None) -> None:
    if tokens or treasures:
        pick_up(decision, name, tokens, treasures)
    decision.tell(TurnEnded(name))


@rule("GH 28")
def clean_up(decision: Deciding, _: CleanUp) -> None:
    """When every turn is over, round bonuses end, before any short rest."""
    not_lost(decision)
    refuse_unless(decision.table.phase == "turns", "GH 28", "There is nothing to clean up: no turns were played.")
    turn = whose_turn(decision.state)
    if turn is not None:
        resting = decision.sheet(turn).resting
        raise Refusal(
            "GH 82" if resting else "GH 69",
            f"{called(turn)}'s {'long rest' if resting else 'turn'} is still to come; the round is not over.",
        )
    end_round_bonuses(decision)
    decision.tell(CleanedUp(decision.table.round))
