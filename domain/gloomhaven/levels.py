"""Levels, and the choice of a hand for the next scenario."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from domain.gloomhaven.classes import levels
from domain.gloomhaven.facts import Named, PrintedCard, PrintedClass, as_named
from domain.gloomhaven.piles import facts_of, find_own_card, ids, named_cards
from domain.gloomhaven.scenarios import must_be_between_scenarios
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenSheet, GloomhavenState, Ref, Refs
from domain.naming import called, listed, possessive
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.secrets import secret
from domain.system.story import NOTABLE, Own, left_out
from domain.turn import Action, Event, Sentence

# -- gaining a level -----------------------------------------------------------------------------------


HIGHEST_LEVEL = len(levels()["xp"])


class LevelUp(Action, frozen=True, kw_only=True, tag="gloomhaven.level_up"):
    """Gain a level and a card, between scenarios.

    The character needs enough experience for it.
    """

    character: Character
    card: Annotated[Ref, Meta(description="the card gained"), secret()]

    @rule("GH 68")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Gains a level and a card of at most that level; takes enough experience."""
        name = self.character
        must_be_between_scenarios(decision, name)
        sheet, facts, character = decision.sheet(name), facts_of(decision.state, name), called(name)
        if sheet.level == HIGHEST_LEVEL:
            raise Refusal(None, f"{character} is of level {HIGHEST_LEVEL}, the highest there is.")
        level, threshold = sheet.level + 1, levels()["xp"][sheet.level]
        refuse_unless(
            sheet.xp >= threshold, "GH 68", f"Level {level} takes {threshold} experience; {character} has {sheet.xp}."
        )
        card = find_own_card(decision, name, self.card)
        if card.level == "X":
            raise Refusal(None, f"{card.name} is an X card: it can be chosen from the start and is not gained.")
        if card.level == 1 or card.id in sheet.gained:
            raise Refusal(None, f"{character} has {card.name} already.")
        if isinstance(card.level, int) and card.level > level:
            raise Refusal(None, f"{card.name} is of level {card.level}; {character} reaches level {level}.")
        decision.tell(LeveledUp(name, level, facts.max_hp(level), as_named(card)))


class LeveledUp(Event, frozen=True, tag="gloomhaven.leveled_up"):
    """A level is gained, and a card with it."""

    character: str
    level: int
    hp: int
    card: Annotated[Named, secret()]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} reaches level {self.level} and gains {self.card.name}.",)

    def sentence_for_others(self) -> Sentence:
        return (f"{called(self.character)} reaches level {self.level} and gains a card.",)

    def in_story(self) -> Own:
        return Own(gravity=NOTABLE, who=self.character, by="")

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            gained_cards = tuple(sorted({*sheet.gained, self.card.id}))
            state.change(self.character, level=self.level, hp=self.hp, gained=gained_cards)


# -- choosing a hand -----------------------------------------------------------------------------------


class ChooseHand(Action, frozen=True, kw_only=True, tag="gloomhaven.choose_hand"):
    """Choose the cards for the next scenario.

    Choose exactly as many as the hand holds.
    """

    character: Character
    hand: Annotated[
        Refs | None,
        Meta(
            description="all the cards taken along; with remove, those that come in for them",
            extra={"in_order": True, "unless": ("add", "remove")},
        ),
        secret(),
    ] = None
    add: Annotated[Refs | None, Meta(description="the cards that come in"), secret()] = None
    remove: Annotated[
        Refs | None, Meta(description="the cards that stay at home instead", extra={"in_order": True}), secret()
    ] = None

    @property
    def comes_in(self) -> Refs:
        """The cards that come in when cards are exchanged; else empty."""
        return self.add if self.add is not None else (self.hand or ()) if self.remove is not None else ()

    def check(self) -> None:
        exchange = self.add is not None or self.remove is not None
        if (not exchange and self.hand is None) or (self.hand is not None and self.add is not None):
            raise Invalid("Name the whole hand, or the cards that come in (add) and those that they replace (remove).")

    def decide(self, decision: GloomhavenDecision) -> None:
        """Sets the hand, between scenarios, to exactly as many cards as the class holds."""
        name = self.character
        must_be_between_scenarios(decision, name)
        facts = facts_of(decision.state, name)
        hand = self._hand_after_exchange(decision)
        if self.hand is not None and self.remove is None:
            hand = [find_own_card(decision, name, ref) for ref in self.hand]
        for card in hand:
            if card.id not in pool(decision.state, name):
                raise Refusal(None, f"{called(name)} has not gained {card.name}.")
        must_fill_the_hand(facts, hand, called(name))
        cards: tuple[Named, ...] = named_cards(decision.state, name, sorted(card.id for card in hand))
        decision.tell(HandChosen(name, cards))

    def _hand_after_exchange(self, decision: GloomhavenDecision) -> list[PrintedCard]:
        """The current hand without the removed cards and with those that come in. Raises Refusal."""
        name, facts = self.character, facts_of(decision.state, self.character)
        hand = list(decision.sheet(name).chosen)
        for ref in self.remove or ():
            card = find_own_card(decision, name, ref)
            if card.id not in hand:
                raise Refusal(None, f"{card.name} is not in {possessive(name)} hand.")
            hand.remove(card.id)
        for ref in self.comes_in:
            card = find_own_card(decision, name, ref)
            if card.id in hand:
                raise Refusal(None, f"{card.name} is in {possessive(name)} hand already.")
            hand.append(card.id)
        return [printed_card for number in hand if (printed_card := facts.card(number)) is not None]


class HandChosen(Event, frozen=True, tag="gloomhaven.hand_chosen"):
    """The cards that the next scenario is played with."""

    character: str
    hand: Annotated[tuple[Named, ...], secret(counted=True)]

    def sentence(self) -> Sentence:
        return (f"{called(self.character)} takes along {listed(card.name for card in self.hand)}.",)

    def sentence_for_others(self) -> Sentence:
        return (f"{called(self.character)} chooses a hand.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        hand = tuple(sorted(ids(self.hand)))
        state.change(self.character, chosen=hand, hand=hand, selected=(), discard=(), lost=(), active=(), summons=())


def next_level(sheet: GloomhavenSheet) -> int | None:
    """The next level if the experience is enough for it; else None."""
    if sheet.level >= HIGHEST_LEVEL or sheet.xp < levels()["xp"][sheet.level]:
        return None
    return sheet.level + 1


def pool(state: GloomhavenState, name: str) -> list[int]:
    """The cards that a hand can be chosen from: levels 1 and X, and those gained."""
    gained_cards = state.characters[name].gained
    return [card.id for card in facts_of(state, name).cards if card.level in (1, "X") or card.id in gained_cards]


def must_fill_the_hand(facts: PrintedClass, hand: Sequence[PrintedCard], character: str) -> None:
    """Raise Refusal unless the hand has as many different cards as the class takes along."""
    if len({card.id for card in hand}) != len(hand):
        raise Refusal(None, f"The same card is twice in {possessive(character)} hand.")
    if len(hand) != facts.hand_size:
        raise Refusal(None, f"The hand of the {facts.class_} is exactly {facts.hand_size} cards, not {len(hand)}.")
