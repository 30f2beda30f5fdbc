"""The round: selection, the reveal, turns by initiative, cleanup."""

from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from domain.choice import Choice
from domain.gloomhaven.bonuses import end_round_bonuses
from domain.gloomhaven.conditions import due_after_turn, end_by_themselves
from domain.gloomhaven.exhaustion import can_rest, exhaust, must_not_be_lost, must_take_part, out_of_cards
from domain.gloomhaven.facts import Named, as_named
from domain.gloomhaven.modifiers import shuffle_in_cleanup
from domain.gloomhaven.money import pick_up
from domain.gloomhaven.order import awaited, in_play, must_be_own_turn, must_have_no_open_attack, whose_turn
from domain.gloomhaven.performing import Perform
from domain.gloomhaven.piles import discard, facts_of, find_own_card, ids, move, named_cards, taken_back
from domain.gloomhaven.sheet import (
    FIGURES,
    Character,
    GloomhavenDecision,
    GloomhavenState,
    Place,
    Ref,
    Tokens,
    Treasures,
)
from domain.naming import called, listed, possessive
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands
from domain.system.pending import PendingDecision
from domain.system.secrets import secret
from domain.system.story import Begins, left_out
from domain.turn import Action, Event, Name, Sentence

#: The initiative of a long rest.
RESTING: int = FIGURES["83"]["initiative"]
#: The number of cards played per turn.
PLAYED: int = FIGURES["75"]["cards"]
#: What is said of a round that nobody can play.
NOBODY_HERE = "Nobody is here to act this round."


# -- beginning -----------------------------------------------------------------------------------------


class BeginRound(Action, frozen=True, kw_only=True, tag="gloomhaven.begin_round"):
    """Begin the next round with the selection of cards."""

    only_when_pending: ClassVar = True
    synonyms: ClassVar = ("next round", "new round", "round", "start round", "start the round")
    ends_for_everybody: ClassVar = "Whoever has not rested by then takes no short rest this round."
    confirm_only_if_unready: ClassVar = True

    @rule("GH 10", "GH 75")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Opens the selection and exhausts those who can neither play two cards nor rest."""
        table = decision.table
        must_not_be_lost(decision)
        if not table.playing:
            raise Refusal(None, "No scenario is being played; begin one first.", awaited(decision))
        if table.phase not in (None, "cleanup"):
            reason = f"Round {table.round} is not over; a round begins after the cleanup of the last."
            raise Refusal("GH 75", reason, awaited(decision))
        decision.tell(RoundBegun(table.round + 1))
        for name in in_play(decision.state):
            if out_of_cards(decision.state, name):
                exhaust(decision, name, "cards")


class RoundBegun(Event, frozen=True, tag="gloomhaven.round_begun"):
    """The selection of a round begins."""

    cites: ClassVar[tuple[str, ...]] = ("GH 75",)
    round: int

    def sentence(self) -> Sentence:
        return (f"Round {self.round} begins.",)

    def in_story(self) -> Begins:
        return Begins("round", f"Round {self.round}")

    def fold(self, state: GloomhavenState) -> None:
        for name in list(state.characters):
            state.change(name, second_thought=None)
        state.change_table(round=self.round, phase="selection")


# -- selection -----------------------------------------------------------------------------------------


class Select(Action, frozen=True, kw_only=True, tag="gloomhaven.select"):
    """Select two cards for this round.

    They lie face down until the reveal; the first gives the initiative.
    """

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"s": {}}
    synonyms: ClassVar = ("play", "choose")

    character: Character
    lead: Annotated[Ref, Meta(description="the card that gives the initiative"), secret(until_revealed=True)]
    second: Annotated[Ref, Meta(description="the other card"), secret(until_revealed=True)]

    @rule("GH 75", "GH 76")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Selects two different cards of the hand; a later selection before the reveal replaces it."""
        name = self.character
        _selecting(decision, name, "GH 75")
        lead, second = find_own_card(decision, name, self.lead), find_own_card(decision, name, self.second)
        sheet = decision.sheet(name)
        hand = (*sheet.hand, *sheet.selected)
        refuse_unless(
            len(hand) >= PLAYED,
            "GH 76",
            f"{called(name)} has fewer than two cards in hand: only a long rest is left.",
        )
        refuse_unless(lead.id != second.id, "GH 75", f"Select two different cards; {lead.name} is only one.")
        for card in (lead, second):
            refuse_unless(card.id in hand, "GH 75", f"{called(name)} does not have {card.name} in hand.")
        decision.tell(CardsSelected(name, as_named(lead), as_named(second), decision.number))


class CardsSelected(Event, frozen=True, tag="gloomhaven.cards_selected"):
    """Two cards lie face down. `selection` is the number of the turn, for telling the one revealed from others."""

    cites: ClassVar[tuple[str, ...]] = ("GH 75",)
    character: str
    lead: Annotated[Named, secret(until_revealed=True)]
    second: Annotated[Named, secret(until_revealed=True)]
    selection: int

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} selects {self.lead.name}, then {self.second.name}.",)

    def sentence_for_others(self) -> Sentence:
        return (f"{called(self.character)} selects two cards.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        _unselect(state, self.character)
        move(state, self.character, ids((self.lead, self.second)), "selected")
        state.change(self.character, selection=self.selection, resting=False)


class DeclareLongRest(Action, frozen=True, kw_only=True, tag="gloomhaven.declare_long_rest"):
    """Declare a long rest instead of selecting two cards."""

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"lr": {}}
    synonyms: ClassVar = ("rest",)

    character: Character

    @rule("GH 75", "GH 78", "GH 82")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Declares a long rest in place of a selection; takes two discarded cards."""
        name = self.character
        _selecting(decision, name, "GH 82")
        refuse_unless(
            can_rest(decision.state, name),
            "GH 78",
            f"{called(name)} needs two discarded cards for a rest and has fewer.",
        )
        decision.tell(LongRestDeclared(name))


class LongRestDeclared(Event, frozen=True, tag="gloomhaven.long_rest_declared"):
    """No cards are played this round; what was selected goes back into the hand."""

    cites: ClassVar[tuple[str, ...]] = ("GH 82",)
    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} will take a long rest this round.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        _unselect(state, self.character)
        state.change(self.character, resting=True)


def _selecting(decision: GloomhavenDecision, name: str, citation: str) -> None:
    must_take_part(decision, name)
    if (away := decision.sheet(name).away) is not None:
        raise Refusal(None, f"{called(name)} {'has retired' if away == 'retired' else 'is not here tonight'}.")
    if decision.table.playing and decision.table.phase in (None, "cleanup"):
        raise Refusal(
            citation,
            f"Round {decision.table.round + 1} has not begun; cards and long rests are chosen when it has.",
            [Choice(BeginRound)],
        )
    if decision.table.phase != "selection":
        reason = "Cards and long rests are chosen only at the start of a round."
        raise Refusal(citation, reason, awaited(decision))
    refuse_unless(
        decision.sheet(name).joined,
        citation,
        f"{called(name)} joins with the next scenario and has no turn in this one.",
    )


def _unselect(state: GloomhavenState, name: str) -> None:
    """Return a face-down selection to the hand."""
    sheet = state.characters.get(name)
    if sheet is not None:
        state.change(name, **taken_back(sheet))
        move(state, name, sheet.selected, "hand")


# -- the reveal ----------------------------------------------------------------------------------------


class Reveal(Action, frozen=True, kw_only=True, tag="gloomhaven.reveal"):
    """Reveal the cards and set the order of turns."""

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"rev": {}}
    synonyms: ClassVar = ("reveal cards",)

    @rule("GH 10", "GH 47", "GH 49", "GH 50", "GH 83", "GH 87")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Orders turns by initiative, then second card, then enrolment; rests last; summons before their owners."""
        must_not_be_lost(decision)
        if decision.table.phase != "selection":
            raise Refusal("GH 87", "There is nothing to reveal: no selection is open.", awaited(decision))
        missing = []
        for name in in_play(decision.state):
            sheet = decision.sheet(name)
            # cards that lie face down are not in a state as others know it, but that they lie there is
            if len(sheet.selected) != PLAYED and sheet.selection is None and not sheet.resting:
                if out_of_cards(decision.state, name):
                    exhaust(decision, name, "cards")
                else:
                    missing.append(called(name))
        have = "has" if len(missing) == 1 else "have"
        refuse_unless(
            not missing, "GH 75", f"{listed(missing)} {have} neither selected two cards nor declared a long rest."
        )
        # sorting is stable, so that ties stay in the order of enrolment
        order = sorted(in_play(decision.state), key=lambda name: _rank(decision.state, name))
        # older logs have a turn in which nothing happened
        if not (order or decision.events or decision.chance.lenient):
            raise Refusal(None, NOBODY_HERE)
        if order:
            decision.tell(Revealed(tuple(_in_order(decision.state, name) for name in order)))


class InOrder(Struct, frozen=True):
    """One character's place in the order, with the summons that act directly before."""

    character: str
    initiative: int
    cards: tuple[Named, ...] = ()
    summons: tuple[str, ...] = ()

    def __str__(self) -> str:
        cards = f": {listed(card.name for card in self.cards)}" if self.cards else ", resting"
        return f"{', '.join((*self.summons, ''))}{called(self.character)} ({self.initiative}{cards})"


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
    return InOrder(name, _initiatives(state, name)[0], named_cards(state, name, sheet.selected), summons)


class Revealed(Event, frozen=True, tag="gloomhaven.revealed"):
    """The selected cards are turned up and the order of turns is set."""

    cites: ClassVar[tuple[str, ...]] = ("GH 83", "GH 87")
    order: tuple[InOrder, ...]

    def sentence(self) -> Sentence:
        order = ", ".join(str(place) for place in self.order)
        return (f"The cards are revealed. Order: {order}." if order else "Nobody is left to act this round.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        order: list[Place] = []
        for place in self.order:
            sheet = state.characters.get(place.character)
            order += [Place(place.character, summon) for summon in place.summons]
            order.append(Place(place.character))
            if sheet is not None:
                latest = sheet.revealed if sheet.selection is None else max(sheet.revealed, sheet.selection)
                state.change(
                    place.character,
                    initiative=place.initiative,
                    acted=False,
                    halves=(),
                    performed=(),
                    selection=None,
                    revealed=latest,
                )
        state.change_table(phase="turns", order=tuple(order))


class TurnOrder(Action, frozen=True, kw_only=True, tag="gloomhaven.turn_order"):
    """Say who goes first of those whose initiatives tie."""

    for_everybody: ClassVar = True

    characters: Annotated[
        tuple[Name, ...], Meta(min_length=2, description="those who tie, in the order in which they act")
    ]

    @rule("GH 83")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Orders characters with the same initiatives, or several rests, before any of them has begun."""
        must_not_be_lost(decision)
        names, state = self.characters, decision.state
        refuse_unless(
            decision.table.phase == "turns", "GH 83", "The order of turns stands once the cards are revealed."
        )
        for name in names:
            sheet = decision.sheet(name)
            has_turn = name in in_play(state) and sheet.initiative is not None
            refuse_unless(has_turn, "GH 83", f"{called(name)} has no turn in this round.")
            begun = sheet.acted or sheet.halves or sheet.attack
            refuse_unless(not begun, "GH 83", f"{called(name)} has begun to act already.")
        if len({_rank(state, name) for name in names}) > 1:
            initiatives = listed(f"{called(name)} has {_initiatives_in_words(state, name)}" for name in names)
            raise Refusal("GH 83", f"{initiatives}: only those whose initiatives tie can be put in order.")
        decision.tell(TurnsOrdered(names))


def ties(state: GloomhavenState) -> list[list[str]]:
    """Those in the order of turns whose initiatives tie, before any of them has begun."""
    ranked: dict[tuple[bool, tuple[int, ...]], list[str]] = {}
    for place in state.table.order:
        sheet = state.characters.get(place.character)
        waits = place.character in in_play(state) and sheet is not None and not (sheet.acted or sheet.halves)
        if place.summon is None and waits:
            ranked.setdefault(_rank(state, place.character), []).append(place.character)
    return [names for names in ranked.values() if len(names) > 1]


class TurnsOrdered(Event, frozen=True, tag="gloomhaven.turns_ordered"):
    """Some who tie act in another order, each with the own summons before."""

    cites: ClassVar[tuple[str, ...]] = ("GH 83",)
    characters: tuple[str, ...]

    def sentence(self) -> Sentence:
        first, *others = map(called, self.characters)
        return (f"{first} acts before {', then '.join(others)}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        places: dict[str, list[Place]] = {place.character: [] for place in state.table.order}
        for place in state.table.order:
            places[place.character].append(place)
        names = iter([name for name in self.characters if name in places])
        order = [next(names) if name in self.characters else name for name in places]
        state.change_table(order=tuple(place for name in order for place in places[name]))


def _initiatives_in_words(state: GloomhavenState, name: str) -> str:
    resting = state.characters[name].resting
    return "a long rest" if resting else " and ".join(map(str, _initiatives(state, name)))


# -- the end of a turn, and of the round ---------------------------------------------------------------


class EndTurn(Action, frozen=True, kw_only=True, tag="gloomhaven.end_turn"):
    """End the turn and pick up what lies in the hex."""

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"e": {}, "end": {}}
    synonyms: ClassVar = ("next turn", "next", "is done", "pass", "pass turn", "skip", "done", "finished")

    character: Character
    tokens: Tokens = 0
    treasures: Treasures = None

    @rule("GH 70")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask whether to discard cards that were not played."""
        selected = draft.state.characters[self.character].selected
        if not selected or not any(isinstance(event, TurnEnded) for event in draft.events):
            return None
        cards = listed(card.name for card in named_cards(draft.state, self.character, selected))
        play = Choice(Perform, {"character": self.character}, ("card", "half"), "play on")
        why = f"{called(self.character)} has not played {cards}."
        return PendingDecision((as_it_stands(self, "discard and end the turn"), play), why)

    @rule("GH 6", "GH 61", "GH 70", "GH 82")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Ends the turn: discards cards that were not performed and picks up what is in the character's hex."""
        name = self.character
        must_take_part(decision, name)
        must_be_own_turn(decision, name)
        sheet = decision.sheet(name)
        if sheet.resting:
            too_few = decision.options.long_rest_short_of_cards == "refuse" and not can_rest(decision.state, name)
            refuse_unless(too_few, "GH 82", f"{possessive(name)} turn is a long rest and ends with it.")
        must_have_no_open_attack(decision, name)
        discard(decision, name, *sheet.selected, why="unplayed")
        finish_turn(decision, name, self.tokens, self.treasures)


@rule("GH 61")
def finish_turn(decision: GloomhavenDecision, name: str, tokens: int, treasures: tuple[int, ...] | None) -> None:
    """End a character's turn, with the money and the treasures that lie where it ends."""
    if tokens or treasures:
        pick_up(decision, name, tokens, treasures)
    decision.tell(TurnEnded(name))
    end_by_themselves(decision, name)


class TurnEnded(Event, frozen=True, tag="gloomhaven.turn_ended"):
    """A character's turn is over."""

    character: str

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} turn ends.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        if self.character in state.characters:
            state.change(
                self.character, acted=True, halves=(), performed=(), wound_settled=False, summons_settled=(),
                gained_this_turn=(), due=due_after_turn(state, self.character),
            )  # fmt: skip


class CleanUp(Action, frozen=True, kw_only=True, tag="gloomhaven.clean_up"):
    """Close the round; short rests may follow."""

    only_when_pending: ClassVar = True
    synonyms: ClassVar = ("next round", "new round", "round", "end round")
    ends_for_everybody: ClassVar = "The round ends for everybody."
    confirm_only_if_unready: ClassVar = True

    @rule("GH 28")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Ends the round after the last turn: round bonuses end, decks are shuffled, short rests can follow."""
        must_not_be_lost(decision)
        if decision.table.phase != "turns":
            raise Refusal("GH 28", "There is nothing to clean up: no turns were played.", awaited(decision))
        turn = whose_turn(decision.state)
        if turn is not None:
            resting = decision.sheet(turn).resting
            raise Refusal(
                "GH 82" if resting else "GH 69",
                f"{possessive(turn)} {'long rest' if resting else 'turn'} is still to come; the round is not over.",
                awaited(decision),
            )
        end_round_bonuses(decision)
        shuffle_in_cleanup(decision)
        decision.tell(CleanedUp(decision.table.round))


class CleanedUp(Event, frozen=True, tag="gloomhaven.cleaned_up"):
    """The turns of the round are over. Who is away keeps the cards that were selected."""

    round: int

    def sentence(self) -> Sentence:
        return (f"Round {self.round} is cleaned up.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        for name, sheet in list(state.characters.items()):
            if sheet.away is not None:
                _unselect(state, name)
            state.change(
                name, resting=False, initiative=None, acted=False, halves=(), performed=(), rested=False,
                second_thought=None,
            )  # fmt: skip
        state.change_table(phase="cleanup", order=())
