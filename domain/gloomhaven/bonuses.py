"""Active bonuses: tokens and their slots, shields, retaliation, and taking a card out of play."""

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar, Literal

from msgspec import Meta
from msgspec.structs import replace

from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import Advance, Named
from domain.gloomhaven.piles import facts_of, find_own_card, lose, named_cards, put, refreshing_allies
from domain.gloomhaven.sheet import ActiveBonus, Character, GloomhavenDecision, GloomhavenState, Place, Ref
from domain.naming import possessive
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.story import left_out
from domain.turn import Action, Event, Sentence

# -- whom a bonus serves -------------------------------------------------------------------------------


@rule("GH 21")
def serving(state: GloomhavenState, name: str, summon: str | None = None) -> Iterator[tuple[str, ActiveBonus]]:
    """The bonuses that serve a character, as (owner of the card, bonus): the character's own and those of allies.

    With `summon`: those that serve this summon of the character.
    """
    for owner, sheet in state.characters.items():
        for bonus in sheet.active:
            if summon is not None:
                serves = Place(name, summon) in bonus.served_summons
            else:
                serves = owner == name or (name in bonus.beneficiaries and not state.characters[name].exhausted)
            if serves:
                yield owner, bonus


@rule("GH 34", "GH 35", "GH 38")
def retaliation(state: GloomhavenState, name: str, distance: int, summon: str | None = None) -> int:
    """The damage to an attacker at this distance: the sum of every Retaliate that reaches."""
    figures = [(bonus.retaliate, bonus.range) for _, bonus in serving(state, name, summon)]
    figures += traits_of(state, name, summon, "retaliate")
    return sum(retaliate for retaliate, reach in figures if distance <= max(1, reach))


#: What a card writes of a summon that shields itself or strikes back: "shield 1", "Retaliate 2 at range 3".
_TRAIT = re.compile(r"(shield|retaliate)\s*(\d{1,3})(?:\W*(?:at\s+|with\s+)?range\s*(\d{1,3})\W*)?", re.IGNORECASE)


@rule("GH 45")
def traits_of(
    state: GloomhavenState, name: str, summon: str | None, kind: Literal["shield", "retaliate"]
) -> list[tuple[int, int]]:
    """The Shield or Retaliate among the traits of a summon, each with its range; none of a character."""
    ally = state.characters[name].summon(summon) if summon is not None else None
    traits = [_TRAIT.fullmatch(trait.strip()) for trait in ally.traits] if ally is not None else []
    return [(int(trait[2]), int(trait[3] or 0)) for trait in traits if trait and trait[1].casefold() == kind]


# -- tokens and their slots ----------------------------------------------------------------------------


class Trigger(Action, frozen=True, kw_only=True, tag="gloomhaven.trigger"):
    """Move the token of an active bonus by hand."""

    character: Character
    card: Annotated[Ref, Meta(description="the active card")]

    @rule("GH 23", "GH 66")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Moves the token of an active card by one slot; any card with slots can be moved by hand."""
        name = self.character
        must_take_part(decision, name)
        card = find_own_card(decision, name, self.card)
        bonus = decision.sheet(name).bonus(card.id)
        refuse_unless(
            bonus is not None, "GH 23", f"{card.name} is not in {possessive(name)} active area; no token stands on it."
        )
        refuse_unless(bonus and bonus.token is not None, "GH 23", f"{card.name} has no slots for a token to move on.")
        advance(decision, name, card.id)


@rule("GH 22", "GH 23", "GH 24", "GH 25", "GH 66")
def advance(decision: GloomhavenDecision, owner: str, card: int) -> None:
    """Move the token one slot on. Leaving a slot gives its experience; leaving the last one loses the card."""
    bonus, sheet = decision.sheet(owner).bonus(card), decision.sheet(owner)
    if bonus is None or bonus.token is None:
        return
    xp = bonus.slots[bonus.token] if bonus.token < len(bonus.slots) else 0
    onward = bonus.token + 1 if bonus.token + 1 < len(bonus.slots) else None
    decision.tell(TokenMoved(owner, named_cards(decision.state, owner, (card,))[0], onward, xp, sheet.xp + xp))
    if onward is None:
        lose(decision, owner, card, why="after its last slot")


def advances_on(state: GloomhavenState, owner: str, bonus: ActiveBonus) -> Advance:
    """What moves the token: the correction of the table, else the card's data."""
    if bonus.advances_on is not None:
        return bonus.advances_on
    card = facts_of(state, owner).card(bonus.card)
    return card.half(bonus.half).advances_on if card else "manual"


class TokenMoved(Event, frozen=True, tag="gloomhaven.token_moved"):
    """A bonus was triggered. `token` is its new slot, None: it left the last one. `xp` is the new total."""

    cites: ClassVar[tuple[str, ...]] = ("GH 23", "GH 66")
    character: str
    card: Named
    token: int | None
    gained: int
    xp: int

    def sentence(self) -> Sentence:
        movement = f"moves to slot {self.token + 1}" if self.token is not None else "leaves the last slot"
        xp = f" for {self.gained} experience" if self.gained else ""
        return (f"{possessive(self.character)} token on {self.card.name} {movement}{xp}.",)

    in_story = left_out

    @refreshing_allies
    def fold(self, state: GloomhavenState) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            # past the last slot the token stays where it is: a separate event loses the card
            active = tuple(
                replace(bonus, token=self.token) if bonus.card == self.card.id and self.token is not None else bonus
                for bonus in sheet.active
            )
            state.change(self.character, active=active, xp=self.xp)


# -- out of play ---------------------------------------------------------------------------------------


class PutAway(Action, frozen=True, kw_only=True, tag="gloomhaven.put_away"):
    """Put an active card away; its bonus ends."""

    character: Character
    card: Annotated[Ref, Meta(description="the active card")]

    @rule("GH 26", "GH 29", "GH 30")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Takes an active card out of play, at any time; an option tells the pile of a persistent one."""
        name = self.character
        must_take_part(decision, name)
        card = find_own_card(decision, name, self.card)
        bonus = decision.sheet(name).bonus(card.id)
        if bonus is None:
            raise Refusal("GH 30", f"{card.name} is not in {possessive(name)} active area.")
        always_lost = bonus.kind == "persistent" and decision.options.persistent_to == "lost"
        put(decision, name, card.id, "lost" if always_lost else bonus.counts_as, why="out of the active area")


@rule("GH 28")
def end_round_bonuses(decision: GloomhavenDecision) -> None:
    """End the round bonuses: their cards go to their piles."""
    for name, sheet in list(decision.state.characters.items()):
        for bonus in sheet.active:
            if bonus.kind == "round":
                put(decision, name, bonus.card, bonus.counts_as, why="at the end of the round")
