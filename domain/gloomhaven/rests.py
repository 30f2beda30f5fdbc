"""Short and long rests: both lose one discarded card and return the others to the hand."""

from typing import Annotated, ClassVar

from msgspec import Meta

from domain.choice import Choice
from domain.gloomhaven.bonuses import serving
from domain.gloomhaven.damage import ask_for_second_discard, deal, payment, suffer_or_negate
from domain.gloomhaven.exhaustion import can_rest, must_take_part
from domain.gloomhaven.facts import Named
from domain.gloomhaven.healing import heal_by
from domain.gloomhaven.items import refresh_all_spent
from domain.gloomhaven.order import must_be_own_turn
from domain.gloomhaven.piles import find_own_card, lose, move, named_cards, refreshing_allies, take_back
from domain.gloomhaven.rounds import DeclareLongRest, finish_turn
from domain.gloomhaven.sheet import (
    FIGURES,
    Character,
    GloomhavenDecision,
    GloomhavenState,
    LoseDiscard,
    LoseHand,
    Ref,
    SecondThought,
    Tokens,
    Treasures,
)
from domain.naming import called, possessive
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, narrow, with_more
from domain.system.pending import PendingDecision
from domain.system.story import Share, left_out
from domain.turn import Action, Event, Sentence, Struck

#: The damage for keeping the drawn card.
REROLL_DAMAGE: int = FIGURES["81"]["damage"]
#: What a long rest heals.
LONG_REST_HEAL: int = FIGURES["85"]["heal"]


# -- the short rest ------------------------------------------------------------------------------------


class ShortRest(Action, frozen=True, kw_only=True, tag="gloomhaven.short_rest"):
    """Take a short rest in the cleanup.

    A random discarded card is lost; the others come back.
    """

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"sr": {}}
    synonyms: ClassVar = ("rest",)

    character: Character
    drawn: Annotated[
        Ref | None,
        Meta(
            description="the card drawn at the table",
            extra={"otherwise": "drawn here", "in_order": True, "reported": True},
        ),
    ] = None
    reroll: Annotated[bool, Meta(description="suffer 1 damage to keep it and lose another")] = False
    redrawn: Annotated[Ref | None, Meta(description="the second card drawn at the table", extra={"reported": True})] = (
        None
    )
    lose_hand: LoseHand = None
    lose_discard: LoseDiscard = None

    def check(self) -> None:
        if not self.reroll and any(value is not None for value in (self.redrawn, self.lose_hand, self.lose_discard)):
            raise Invalid("A second card, and cards lost against the damage, belong to a re-roll; say reroll too.")

    def announcement(self) -> str:
        return f"{called(self.character)} takes a short rest"

    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """For a re-roll: whether to suffer its damage or to negate it."""
        return _ask_how_to_pay(draft, self) if self.reroll else None

    @rule("GH 80", "GH 78", "GH 79", "GH 71")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Loses a random discarded card and returns the others, once per cleanup."""
        name = self.character
        must_take_part(decision, name)
        sheet, character = decision.sheet(name), called(name)
        refuse_unless(
            decision.table.phase == "cleanup", "GH 80", f"{character} can take a short rest only in the cleanup."
        )
        already = "has rested in this cleanup already and " if sheet.rested else ""
        refuse_unless(sheet.discard, "GH 78", f"{character} {already}has no card in the discard pile to lose.")
        refuse_unless(not sheet.rested, "GH 80", f"{character} has taken a short rest in this cleanup already.")
        refuse_unless(
            can_rest(decision.state, name), "GH 78", f"{character} needs two discarded cards for a rest and has fewer."
        )
        reported_card = None if self.drawn is None else (find_own_card(decision, name, self.drawn).id,)
        (card,) = decision.chance.cards(
            f"{name}/short rest",
            sheet.discard,
            1,
            reported_card,
            rule="GH 80",
            name_of=lambda number: _title(decision, name, number),
        )
        decision.tell(ShortRestDrawn(name, named_cards(decision.state, name, (card,))[0], kept=self.reroll))
        lost_card = _reroll(decision, self, card) if self.reroll else card
        if lost_card is not None:
            _rest_costs(decision, name, lost_card)


def may_rest(state: GloomhavenState, name: str) -> bool:
    """Whether the character can take a short rest in this cleanup."""
    sheet = state.characters[name]
    return not sheet.rested and bool(sheet.discard) and can_rest(state, name)


def _rest_costs(decision: GloomhavenDecision, name: str, lost_card: int) -> None:
    """Lose one card of the discard pile and return the others to the hand."""
    rest = tuple(number for number in decision.sheet(name).discard if number != lost_card)
    lose(decision, name, lost_card)
    take_back(decision, name, *rest)


class ShortRestDrawn(Event, frozen=True, tag="gloomhaven.short_rest_drawn"):
    """The random card of a short rest; `kept`: it is kept, for 1 damage and another card."""

    cites: ClassVar[tuple[str, ...]] = ("GH 80",)
    character: str
    card: Named
    kept: bool

    def sentence(self) -> Sentence:
        character = called(self.character)
        if self.kept:
            return (f"{character} takes a short rest, draws ", Struck(self.card.name), " and keeps it for 1 damage.")
        return (f"{character} takes a short rest and draws {self.card.name}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            thought = None if self.kept else SecondThought(self.card.id, sheet.discard)
            state.change(self.character, rested=True, second_thought=thought)


# -- the second thought --------------------------------------------------------------------------------


class RerollRest(Action, frozen=True, kw_only=True, tag="gloomhaven.reroll_rest"):
    """Lose another card after a short rest, for 1 damage.

    The card that was lost comes back, and another discarded card is drawn and lost instead.
    """

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"rr": {}}

    character: Character
    redrawn: Annotated[
        Ref | None, Meta(description="the second card drawn at the table", extra={"in_order": True, "reported": True})
    ] = None
    lose_hand: LoseHand = None
    lose_discard: LoseDiscard = None

    def announcement(self) -> str:
        return f"{called(self.character)} thinks again about the short rest"

    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask whether to suffer the damage or to negate it."""
        return _ask_how_to_pay(draft, self)

    @rule("GH 81")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Re-rolls the short rest of this cleanup afterwards, with the same result as `reroll` at the rest itself."""
        name = self.character
        must_take_part(decision, name)
        sheet, character, thought = decision.sheet(name), called(name), decision.sheet(name).second_thought
        refuse_unless(
            decision.table.phase == "cleanup",
            "GH 81",
            f"{character} can draw again only in the cleanup of a short rest.",
        )
        refuse_unless(sheet.rested, "GH 81", f"{character} has taken no short rest in this cleanup.")
        if thought is None:
            raise Refusal("GH 81", f"{character} has drawn again already; a rest allows it once.")
        refuse_unless(
            thought.card in sheet.lost,
            "GH 81",
            f"{_title(decision, name, thought.card)} is not lost any more, so there is no other card to lose for it.",
        )
        back = tuple(card for card in thought.discard if card in (thought.card, *sheet.hand))
        (kept_card,) = named_cards(decision.state, name, (thought.card,))
        decision.tell(ShortRestReconsidered(name, kept_card, back))
        lost_card = _reroll(decision, self, thought.card)
        if lost_card is not None:
            _rest_costs(decision, name, lost_card)


class ShortRestReconsidered(Event, frozen=True, tag="gloomhaven.short_rest_reconsidered"):
    """The card of a short rest is kept after all. `back`: what lies in the discard pile again, as before the rest."""

    cites: ClassVar[tuple[str, ...]] = ("GH 81",)
    character: str
    card: Named
    back: tuple[int, ...]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} thinks again and keeps {self.card.name} for 1 damage.",)

    in_story = left_out

    @refreshing_allies
    def fold(self, state: GloomhavenState) -> None:
        move(state, self.character, self.back, "discard")
        state.change(self.character, second_thought=None)


# -- drawing again -------------------------------------------------------------------------------------


@rule("GH 81")
def _reroll(decision: GloomhavenDecision, action: ShortRest | RerollRest, kept_card: int) -> int | None:
    """Keep the drawn card for 1 damage and return another to lose; None if the damage exhausts. Raises Refusal."""
    name = action.character
    other_cards = [card for card in decision.sheet(name).discard if card != kept_card]
    refuse_unless(other_cards, "GH 81", f"{called(name)} has no other discarded card to lose and cannot draw again.")
    paying = action.lose_hand is not None or action.lose_discard is not None
    if paying:
        refuse_unless(
            decision.options.reroll_damage_negatable, "GH 81", "The damage of drawing again cannot be negated here."
        )
        refs = (*(action.lose_discard or ()), *([action.lose_hand] if action.lose_hand is not None else []))
        refuse_unless(
            kept_card not in [find_own_card(decision, name, ref).id for ref in refs],
            "GH 81",
            f"{_title(decision, name, kept_card)} was drawn; it is kept or lost, and pays for nothing.",
        )
        paid = payment(decision, name, action.lose_hand, action.lose_discard)
        refuse_unless(
            [card for card in other_cards if card not in paid],
            "GH 81",
            f"After that {called(name)} has no other discarded card left to lose.",
        )
    deal(
        decision,
        name,
        REROLL_DAMAGE,
        REROLL_DAMAGE,
        source="the re-roll",
        attack=False,
        lose_hand=action.lose_hand,
        lose_discard=action.lose_discard,
    )
    sheet = decision.sheet(name)
    if sheet.exhausted:
        return None
    among = [card for card in sheet.discard if card != kept_card]
    reported_card = None if action.redrawn is None else (find_own_card(decision, name, action.redrawn).id,)
    (card,) = decision.chance.cards(
        f"{name}/re-roll", among, 1, reported_card, rule="GH 81", name_of=lambda number: _title(decision, name, number)
    )
    decision.tell(ShortRestRedrawn(name, named_cards(decision.state, name, (card,))[0]))
    return card


@rule("GH 81")
def _ask_how_to_pay(draft: Draft, action: ShortRest | RerollRest) -> PendingDecision | None:
    """Ask how to pay a re-roll: as for other damage, with the hand and discard pile as before the rest."""
    name = action.character
    sheet, thought = draft.state.characters[name], draft.state.characters[name].second_thought
    if action.lose_hand is not None or action.lose_discard is not None:
        return ask_for_second_discard(draft, action, action.lose_discard)
    negates = any(bonus.negates_damage for _, bonus in serving(draft.state, name))
    if not draft.options.reroll_damage_negatable or negates or sheet.exhausted:
        return None
    if thought is None:
        drawn_before = isinstance(action, ShortRest) and draft.state.table.phase == "cleanup" and not sheet.rested
        if not drawn_before:
            return None
        hand, discard, drawn_words = sheet.hand, sheet.discard, ""
    else:
        drawn_words = f"{named_cards(draft.state, name, (thought.card,))[0].name} was drawn. "
        hand = tuple(card for card in sheet.hand if card not in thought.discard)
        discard = thought.discard
    # the drawn card cannot pay, and one more must be left to lose
    payable = discard[2:]
    hand = hand if len(discard) > 1 else ()
    return suffer_or_negate(action, name, REROLL_DAMAGE, sheet.hp, hand, payable, first=drawn_words)


def _title(decision: GloomhavenDecision, name: str, card: int) -> str:
    return named_cards(decision.state, name, (card,))[0].name


class ShortRestRedrawn(Event, frozen=True, tag="gloomhaven.short_rest_redrawn"):
    """The card that is lost in place of the one kept."""

    cites: ClassVar[tuple[str, ...]] = ("GH 81",)
    character: str
    card: Named

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} draws {self.card.name} instead.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        """No change: a separate event moves the card."""


# -- the long rest -------------------------------------------------------------------------------------


class LongRest(Action, frozen=True, kw_only=True, tag="gloomhaven.long_rest"):
    """Take the declared long rest as the whole turn."""

    only_when_pending: ClassVar = True
    own_turn_rule: ClassVar = "GH 84"

    character: Character
    lose: Annotated[Ref | None, Meta(description="the discarded card to lose", extra={"in_order": True})] = None
    tokens: Tokens = 0
    treasures: Treasures = None

    @rule("GH 84")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask which discarded card to lose."""
        sheet = draft.state.characters[self.character]
        if self.lose is not None or not sheet.resting:
            return None
        return narrow(draft.system, draft.state, with_more(self, "", "lose"))

    @rule("GH 84", "GH 78", "GH 79", "GH 82", "GH 85", "GH 71")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Loses a chosen discarded card, returns the others, heals 2 and refreshes spent items; ends the turn."""
        name = self.character
        must_take_part(decision, name)
        sheet, character = decision.sheet(name), called(name)
        if not sheet.resting:
            may_declare = decision.table.phase == "selection" and can_rest(decision.state, name)
            declare = [Choice(DeclareLongRest, {"character": name})] if may_declare else []
            raise Refusal("GH 82", f"{character} has not declared a long rest this round.", declare)
        must_be_own_turn(decision, name, self.own_turn_rule)
        refuse_unless(
            can_rest(decision.state, name) or decision.options.long_rest_short_of_cards == "lose_if_available",
            "GH 78",
            f"{character} no longer has two discarded cards, so there is no rest; end the turn.",
        )
        chosen_card = None if self.lose is None else find_own_card(decision, name, self.lose)
        refuse_unless(
            chosen_card is not None or not sheet.discard,
            "GH 84",
            f"{character} must choose which discarded card the rest costs; lose names it.",
        )
        decision.tell(LongRested(name))
        if chosen_card is not None:
            refuse_unless(
                chosen_card.id in sheet.discard,
                "GH 84",
                f"{chosen_card.name} is not in {possessive(character)} discard pile.",
            )
            lose(decision, name, chosen_card.id)
            take_back(decision, name, *decision.sheet(name).discard)
        heal_by(decision, name, LONG_REST_HEAL, "the long rest")
        refresh_all_spent(decision, name)
        finish_turn(decision, name, self.tokens, self.treasures)


class LongRested(Event, frozen=True, tag="gloomhaven.long_rested"):
    """A long rest begins the turn of the one who declared it."""

    cites: ClassVar[tuple[str, ...]] = ("GH 84", "GH 85", "GH 86")
    character: str

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} takes the long rest.",)

    def in_story(self) -> Share:
        return Share(self.character, "takes a long rest")

    def fold(self, state: GloomhavenState) -> None:
        """No change: separate events have its cost and gains."""
