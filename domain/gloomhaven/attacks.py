"""Attacks, the modifier cards drawn for them, and kills."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from domain.choice import Choice
from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.modifiers import (
    REPORT,
    ROLLING,
    How,
    after_drawing,
    cards_in,
    deck_of,
    draw,
    modifier_called,
    worth,
)
from domain.gloomhaven.order import (
    must_be_during_turns,
    must_be_own_turn,
    must_have_no_open_attack,
    must_not_rest,
    whose_turn,
)
from domain.gloomhaven.piles import find_summon
from domain.gloomhaven.sheet import (
    Character,
    GloomhavenDecision,
    GloomhavenState,
    ModifierDeck,
    OpenAttack,
    SummonOnBoard,
)
from domain.naming import as_noun, called, listed, possessive
from domain.refusal import Invalid, Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, with_more
from domain.system.pending import PendingDecision
from domain.system.story import ELSEWHERE, Elsewhere, Share, left_out
from domain.turn import Action, Event, NonEmptyText, Sentence, Struck, Text, Whole


class Attack(Action, frozen=True, kw_only=True, tag="gloomhaven.attack"):
    """Open an attack; its modifier is drawn next."""

    shorts: ClassVar = {"a": {}}
    meant_by: ClassVar = ("hits", "strikes")

    character: Character
    target: Annotated[Text | None, Meta(description="who is attacked", extra={"remark": True})] = None
    value: Annotated[Whole | None, Meta(description="the attack value", extra={"in_order": True, "unsigned": True})] = (
        None
    )

    @rule("GH 16")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Opens an attack; items that affect it can be used until its modifier is drawn."""
        name = self.character
        must_take_part(decision, name)
        must_be_own_turn(decision, name)
        must_not_rest(decision, name)
        must_have_no_open_attack(decision, name)
        decision.tell(AttackOpened(name, self.target, self.value))


class AttackOpened(Event, frozen=True, tag="gloomhaven.attack_opened"):
    """An attack waits for its modifier."""

    character: str
    target: str | None
    value: int | None

    def sentence(self) -> Sentence:
        target = f" {as_noun(self.target)}" if self.target else ""
        value = f" for {self.value}" if self.value is not None else ""
        return (f"{called(self.character)} attacks{target}{value}.",)

    def in_story(self) -> Share | Elsewhere:
        return Share(self.character, "attacks", what=(as_noun(self.target),)) if self.target else ELSEWHERE

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, attack=OpenAttack(self.target, self.value))


#: Which of two cards counts.
BETTER = {"advantage": "better", "disadvantage": "worse"}


class DrawModifier(Action, frozen=True, kw_only=True, tag="gloomhaven.draw_modifier"):
    """Draw the modifier that closes the attack."""

    only_when_pending: ClassVar = True
    shorts: ClassVar = {"m": {}}
    synonyms: ClassVar = ("flip",)

    character: Character
    modifier: Annotated[
        NonEmptyText | None,
        Meta(
            description='what the card says, like "+1" or "null"',
            extra={
                "otherwise": "drawn from the deck that the log keeps",
                "remark": True,
                "reported": True,
                "written_as": REPORT,
                "usual": ("+0", "+1", "-1", "+2", "-2", "2x", "null"),
            },
        ),
    ] = None
    second: Annotated[NonEmptyText | None, Meta(description="the second card, with advantage or disadvantage")] = None
    advantage: Annotated[bool, Meta(description="two cards are drawn, and the better one counts")] = False
    disadvantage: Annotated[bool, Meta(description="two cards are drawn, and the worse one counts")] = False
    summon: Annotated[NonEmptyText | None, Meta(description="the summon that attacks, with its owner's deck")] = None

    def announcement(self) -> str:
        return f"{called(self.character)} draws a modifier"

    def check(self) -> None:
        if self.second is not None and self.modifier is None:
            raise Invalid("Give the first card too (modifier).")

    @property
    def how(self) -> How | None:
        """Advantage or disadvantage; None for neither, and for both, which cancel out."""
        if self.advantage == self.disadvantage:
            return None
        return "advantage" if self.advantage else "disadvantage"

    @rule("GH 16", "GH 48")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Closes the open attack. A summon draws from its owner's deck and needs no open attack."""
        name = self.character
        must_take_part(decision, name)
        summon = find_summon(decision, name, self.summon).name if self.summon is not None else None
        if summon is None and decision.sheet(name).attack is None:
            may_attack = whose_turn(decision.state) == name and not decision.sheet(name).resting
            first = Choice(Attack, {"character": name}, ("value", "target"))
            reason = f"{called(name)} has no attack open to draw a modifier for; each target is an attack of its own."
            raise Refusal("GH 16", reason, (first,) if may_attack else ())
        reported_words = [words.strip() for words in (self.modifier, self.second) if words is not None]
        deck = deck_of(decision.state, name)
        if deck is None:
            if not decision.chance.lenient:  # older logs took any number of cards
                self._check_report(reported_words)
            decision.tell(self._from_report(name, reported_words, summon))
            return
        cards = [card for words in reported_words for card in cards_in(words)]
        modifiers = draw(decision, name, deck, cards, self.how)
        decision.tell(
            ModifierDrawn(
                name,
                listed(modifiers.cards[place] for place in modifiers.counts),
                cards=modifiers.cards,
                counts=modifiers.counts,
                how=self.how or UNSET,
                dealt=modifiers.dealt,
                shuffled=UNSET if modifiers.shuffled is None else modifiers.shuffled,
                summon=summon or UNSET,
            )
        )

    def _check_report(self, reported_words: Sequence[str]) -> None:
        """Refuse more cards than are drawn: one, and another after each rolling one; two with advantage, apart."""
        cards = [card for words in reported_words for card in cards_in(words)]
        plain = [card for card in cards if not modifier_called(card).startswith(ROLLING)]
        behind = cards[cards.index(plain[0]) + 1 :] if plain else []
        if self.how is None and behind:
            raise Refusal("GH 16", f"No card is drawn after {plain[0]}; leave {behind[0]} out.")
        if self.how is not None and len(plain) > len(reported_words):
            raise Invalid(f"Give {plain[1]} as the second card (second), so that the {BETTER[self.how]} one counts.")

    def _from_report(self, name: str, reported_words: Sequence[str], summon: str | None) -> "ModifierDrawn":
        """The event for cards that were drawn from a deck at the table; their texts are not checked."""
        if not reported_words:
            raise Invalid(
                f"The log does not keep {possessive(name)} modifier deck: say what the card says (modifier), like +1, "
                f"or let the log keep the deck: modifiers {name} deck."
            )
        first, *rest = reported_words
        if not rest:
            return ModifierDrawn(name, first, how=self.how or UNSET, summon=summon or UNSET)
        values = [worth(modifier_called(card)) for card in reported_words]
        second_counts = values[1] > values[0] if self.how == "advantage" else values[1] < values[0]
        counts = (int(second_counts),) if self.how is not None else (0, 1)
        return ModifierDrawn(
            name,
            listed(reported_words[place] for place in counts),
            cards=tuple(reported_words),
            counts=counts,
            how=self.how or UNSET,
            summon=summon or UNSET,
        )


class ModifierDrawn(Event, frozen=True, tag="gloomhaven.modifier_drawn"):
    """The open attack is resolved; `modifier` is what counts.

    `cards` are all that were drawn, in order, and `counts` the places that count: left out where one was reported.
    `dealt`: the log drew from the deck that it keeps. `shuffled` is the place before which that deck ran out.
    """

    character: str
    modifier: str
    cards: tuple[str, ...] | UnsetType = UNSET
    counts: tuple[int, ...] | UnsetType = UNSET
    how: How | UnsetType = UNSET
    dealt: bool | UnsetType = UNSET
    shuffled: int | UnsetType = UNSET
    summon: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        attacker = called(self.summon or self.character)
        how = f" with {self.how}" if self.how else ""
        if not self.cards:
            return (f"{attacker} draws {self.modifier}{how}.",)
        pieces: list[str] = []
        for place, card in enumerate(self.cards):
            pieces += [", " if place else "", card if place in (self.counts or ()) else Struck(card)]
        return (f"{attacker} draws ", *pieces, f"{how}{' (drawn)' if self.dealt else ''}.")

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is None:
            return
        deck = sheet.modifier_deck
        if deck is not None and self.cards and isinstance(self.dealt, bool):
            shuffle_place = self.shuffled if isinstance(self.shuffled, int) else None
            deck = after_drawing(deck, self.cards, shuffle_place)
        conditions = tuple(
            condition for condition in sheet.conditions if not _drawn_away(condition, sheet.modifier_deck, deck)
        )
        attack = sheet.attack if self.summon else None
        state.change(self.character, attack=attack, modifier_deck=deck, conditions=conditions)


def _drawn_away(condition: str, before: ModifierDeck | None, after: ModifierDeck | None) -> bool:
    """Whether the last bless or curse card of a deck in the log was drawn, which ends the condition."""
    return before is not None and after is not None and condition in before.added and condition not in after.added


# -- kills ---------------------------------------------------------------------------------------------


class Kill(Action, frozen=True, kw_only=True, tag="gloomhaven.kill"):
    """Credit a kill to a character.

    A summon's kill goes to its owner.
    """

    character: Character
    monster: Annotated[NonEmptyText, Meta(description="what was killed", extra={"remark": True})]
    summon: Annotated[NonEmptyText | None, Meta(description="the summon that struck")] = None

    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask whose kill it is in somebody else's turn, where whoever retaliates kills too."""
        turn = whose_turn(draft.state)
        if turn is None or turn == self.character or self.summon is not None or not draft.events:
            return None
        choices = (with_more(self, possessive(name), character=name) for name in (self.character, turn))
        return PendingDecision(tuple(choices), f"It is {possessive(turn)} turn. Whose kill is {as_noun(self.monster)}?")

    @rule("GH 51", "GH 67")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Counts the kill for the character, also if a summon struck; it gives no experience."""
        name = self.character
        must_take_part(decision, name)
        must_be_during_turns(decision, name)
        victim = find_summon(decision, name, self.summon) if self.summon is not None else None
        if victim is not None:
            must_have_a_turn(victim, decision.table.round)
        summon_name = victim.name if victim is not None else None
        decision.tell(Killed(name, self.monster.strip(), summon_name, decision.sheet(name).kills + 1))


@rule("GH 50")
def must_have_a_turn(summon: SummonOnBoard, now: int) -> None:
    """Raise Refusal if the summon appeared in this round, in which it does not act."""
    refuse_unless(
        summon.since_round < now, "GH 50", f"{called(summon.name)} appeared this round and has no turn in it."
    )


class Killed(Event, frozen=True, tag="gloomhaven.killed"):
    """A monster is dead. `kills` is the owner's new count; there is no experience in it (GH 67)."""

    cites: ClassVar[tuple[str, ...]] = ("GH 67",)
    character: str
    monster: str
    summon: str | None
    kills: int

    def sentence(self) -> Sentence:
        killer = f"{called(self.summon)}, for {called(self.character)}," if self.summon else called(self.character)
        return (f"{killer} kills {as_noun(self.monster)}.",)

    def in_story(self) -> Share:
        return Share(self.summon or self.character, "kills", what=(as_noun(self.monster),))

    def fold(self, state: GloomhavenState) -> None:
        state.change(self.character, kills=self.kills)
