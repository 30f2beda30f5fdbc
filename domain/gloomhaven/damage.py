"""Damage: shields, then bonuses that negate it, then the choice to suffer it or to negate it with cards.

One source of damage is resolved in this order: active shields and those of items reduce it; a persistent bonus that
negates damage is used if any is left; the rest is suffered, or negated with cards.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from domain.gloomhaven.bonuses import advance, advances_on, retaliation, serving, traits_of
from domain.gloomhaven.conditions import gain, settles_a_wound
from domain.gloomhaven.exhaustion import exhaust, must_take_part
from domain.gloomhaven.facts import Condition, PrintedItem
from domain.gloomhaven.items import ItemFigures, figures_unknown, learn_figures, ready_items, use
from domain.gloomhaven.piles import find_own_card, find_summon, lose, named_cards
from domain.gloomhaven.sheet import (
    FIGURES,
    ActiveBonus,
    Character,
    GloomhavenDecision,
    GloomhavenState,
    LoseDiscard,
    LoseHand,
    OfSummon,
    Refs,
    Source,
    SummonOnBoard,
    hit_points,
)
from domain.gloomhaven.summons import hurt_summon
from domain.naming import as_cause, called, capitalised, is_noun, listed
from domain.refusal import Refusal, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands, narrow, with_more
from domain.system.pending import PendingDecision
from domain.system.story import Share, cause_alone, left_out
from domain.turn import Action, Event, Positive, Sentence, Whole


class Damage(Action, frozen=True, kw_only=True, tag="gloomhaven.damage"):
    """Deal damage to a character.

    The character suffers it, or loses cards to negate it.
    """

    shorts: ClassVar = {"d": {}}
    number_sign: ClassVar = "-"
    synonyms: ClassVar = ("dmg", "takes", "take", "suffers")
    meant_by: ClassVar = ("hit", "hurt", "harm")

    character: Character
    amount: Annotated[Whole, Meta(description="the damage before shields")]
    source: Source = None
    attack: Annotated[bool, Meta(description="whether it comes from an attack")] = True
    distance: Annotated[Positive, Meta(description="how many hexes away the attacker is; 1 is adjacent")] = 1
    item_shield: Annotated[Whole, Meta(description="Shield from items against this attack")] = 0
    items: Annotated[
        Refs | dict[str, ItemFigures] | None,
        Meta(description="items used against it; as an object, each with the figures that the log does not know"),
    ] = None
    effects: Annotated[
        Annotated[tuple[Condition, ...], Meta(min_length=1)] | None, Meta(description="conditions that come with it")
    ] = None
    lose_hand: LoseHand = None
    lose_discard: LoseDiscard = None
    summon: OfSummon = None

    @rule("GH 1")
    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask for an item that must be used, and for figures that the log lacks; then whether to suffer the damage."""
        if (item := ask_for_item_shields(draft, self) or ask_for_item_figures(draft, self)) is not None:
            return item
        if self.lose_hand is None and self.lose_discard is None:
            damage = next((event for event in draft.events if isinstance(event, Damaged) and event.left), None)
            if damage is None or damage.negated:
                return None
            sheet = draft.state.characters[self.character]
            sentences = [f"{''.join(event.sentence())} " for event in draft.events if isinstance(event, Shielded)]
            return suffer_or_negate(
                self,
                self.character,
                damage.left,
                sheet.hp,
                sheet.hand,
                sheet.discard,
                first="".join(sentences),
                source=self.source,
            )
        return ask_for_second_discard(draft, self, self.lose_discard)

    def decide(self, decision: GloomhavenDecision) -> None:
        """Resolves one source of damage, with its conditions and the retaliation against it."""
        name = self.character
        must_take_part(decision, name)
        if self.summon is not None:
            self._at_a_summon(decision, find_summon(decision, name, self.summon))
            return
        items = items_used(decision, name, self.items or (), attack=self.attack)
        shielding: tuple[Shielding, ...] = ()
        if self.attack:
            must_use_item_shields(decision.state, self, items)
            shielding = (*from_bonuses(decision.state, name), *from_items(items, self.item_shield))
        struck_back = retaliation(decision.state, name, self.distance) if self.attack else 0
        damage_left = after_shields(self.amount, sum(shield.shield for shield in shielding))
        if shielding and self.amount:
            decision.tell(Shielded(name, shielding, self.amount, damage_left))
        deal(
            decision,
            name,
            self.amount,
            damage_left,
            source=self.source,
            attack=self.attack,
            lose_hand=self.lose_hand,
            lose_discard=self.lose_discard,
        )
        if not decision.sheet(name).exhausted:
            gain(decision, name, self.effects or ())
            if struck_back:
                retaliate(decision, name, struck_back, self.source)

    @rule("GH 1", "GH 21", "GH 39")
    def _at_a_summon(self, decision: GloomhavenDecision, ally: SummonOnBoard) -> None:
        """Damage to a summon, which has no cards or items; its own shield, bonuses and a reported shield reduce it."""
        name, paying = self.character, self.lose_hand is not None or self.lose_discard is not None
        refuse_unless(not paying, "GH 1", f"{called(ally.name)} has no cards to negate damage with.")
        refuse_unless(not self.items, "GH 15", f"{called(ally.name)} uses no items.")
        shielding: tuple[Shielding, ...] = ()
        if self.attack:
            shielding = (*from_bonuses(decision.state, name, ally.name), *from_items((), self.item_shield))
        struck_back = retaliation(decision.state, name, self.distance, ally.name) if self.attack else 0
        damage_left = after_shields(self.amount, sum(shield.shield for shield in shielding))
        if shielding and self.amount:
            decision.tell(Shielded(name, shielding, self.amount, damage_left, ally.name))
        advances, negating = trigger(decision, name, damage_left, attack=self.attack, summon=ally.name)
        for owner, bonus in advances:
            advance(decision, owner, bonus.card)
        hurt_summon(decision, name, ally, 0 if negating else damage_left, self.source, attack=self.attack)
        alive = decision.sheet(name).summon(ally.name)
        if alive is not None:
            gain(decision, name, self.effects or (), alive)
            if struck_back:
                retaliate(decision, name, struck_back, self.source, ally.name)


class Shielding(Struct, frozen=True, omit_defaults=True):
    """One shield: its value and source, and the owner if an ally lends it. `name` None: an item not named."""

    shield: int
    name: str | None = None
    lent_by: str | None = None

    def __str__(self) -> str:
        lender = f", lent by {called(self.lent_by)}" if self.lent_by else ""
        return f"{self.name or 'an item'} ({self.shield}{lender})"


@rule("GH 31", "GH 32")
def from_bonuses(state: GloomhavenState, name: str, summon: str | None = None) -> list[Shielding]:
    """The active shields that serve a character or a summon, and those that the summon has of itself."""
    of_itself = [Shielding(shield, "its own shield") for shield, _ in traits_of(state, name, summon, "shield")]
    return of_itself + [
        Shielding(bonus.shield, named_cards(state, owner, (bonus.card,))[0].name, None if owner == name else owner)
        for owner, bonus in serving(state, name, summon)
        if bonus.shield
    ]


def from_items(items: Sequence[PrintedItem], reported_figure: int) -> list[Shielding]:
    """The shields of items: those of the items used here, and `reported_figure` for the others.

    If exactly one item without a known Shield is used, the reported figure is taken for its own.
    """
    shields = [Shielding(int(facts.shields), facts.name) for facts in items if facts.shields]
    if reported_figure:
        without_shield = [facts.name for facts in items if not facts.shields]
        shields.append(Shielding(reported_figure, without_shield[0] if len(without_shield) == 1 else None))
    return shields


class Shielded(Event, frozen=True, tag="gloomhaven.shielded"):
    """Shields take off what they can: of `amount`, `left` is left. `summon`: whom they serve, if not the character."""

    cites: ClassVar[tuple[str, ...]] = ("GH 31", "GH 32")
    character: str
    by: tuple[Shielding, ...]
    amount: int
    left: int
    summon: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        shield = "shields" if len(self.by) == 1 else "shield"
        shields = listed(map(str, self.by))
        target = called(self.summon or self.character)
        return (f"{capitalised(shields)} {shield} {target}: {self.amount} becomes {self.left}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        """No change: a separate event has the damage that is left."""


@rule("GH 31", "GH 33")
def after_shields(amount: int, shields: int) -> int:
    """The damage left after shields, at least 0."""
    return max(0, amount - shields)


@rule("GH 19", "GH 33")
def items_used(
    decision: GloomhavenDecision,
    name: str,
    items: Sequence[int | str] | Mapping[str, ItemFigures],
    *,
    attack: bool,
) -> tuple[PrintedItem, ...]:
    """Use the named items against one source of damage and return them. Raises Refusal.

    Figures given with an item are learned; those that contradict the log are refused.
    """
    in_use: list[PrintedItem] = []
    for ref in items:
        if isinstance(items, Mapping):
            learn_figures(decision, name, ref, items[str(ref)])
        facts = use(decision, name, ref, against="attack" if attack else "damage")
        refuse_unless(
            facts not in in_use, "GH 19", f"{facts.name} is named twice; it is used once against one source of damage."
        )
        refuse_unless(attack or not facts.shields, "GH 33", f"{facts.name} shields against attacks only.")
        in_use.append(facts)
    return tuple(in_use)


@rule("GH 20", "GH 25")
def must_use_item_shields(state: GloomhavenState, attack: Damage, in_use: Sequence[PrintedItem]) -> None:
    """Raise Refusal unless every ready item that shields and has a free use circle is used."""
    items = state.characters[attack.character].items
    for number in items.ready:
        facts = state.table.items.get(number)
        if attack.item_shield or facts is None or not facts.shields or facts in in_use:
            continue
        if facts.circles > items.circles_used.get(str(number), 0):
            used = (
                {**attack.items, str(number): {}}
                if isinstance(attack.items, Mapping)
                else [*(attack.items or ()), number]
            )
            raise Refusal(
                "GH 20",
                f"{called(attack.character)} must use {facts.name} against an attack; name it among the items used.",
                (
                    with_more(attack, f"use {facts.name}", items=used),
                    with_more(attack, "it comes from no attack", attack=False),
                ),
            )


@rule("GH 20")
def ask_for_item_shields(draft: Draft, action: Damage) -> PendingDecision | None:
    """Ask about an item that must be used against an attack and is not named among the items used."""
    if not action.attack or action.summon is not None:
        return None
    in_use = [facts for _, facts in ready_items(draft.state, action.character, action.items or ())]
    try:
        must_use_item_shields(draft.state, action, in_use)
    except Refusal as refusal:
        return PendingDecision(tuple(refusal.choices), f"{refusal.reason.partition(';')[0]}.")
    return None


@rule("GH 16", "GH 19")
def ask_for_item_figures(draft: Draft, action: Damage) -> PendingDecision | None:
    """Ask for the Shield of an item used against an attack if the log knows neither that nor another effect."""
    if not action.attack or action.item_shield or action.summon is not None or action.items is None:
        return None
    figures_by_item: Mapping[str, ItemFigures] = action.items if isinstance(action.items, Mapping) else {}
    for ref, facts in ready_items(draft.state, action.character, action.items):
        figures = figures_by_item.get(str(ref), ItemFigures())
        if not figures_unknown(facts) or figures != ItemFigures():
            continue

        def with_figures(figures_of_item: dict[str, Any], this_ref: str = str(ref)) -> dict[str, Any]:
            return {
                str(item_ref): figures_of_item if str(item_ref) == this_ref else {} for item_ref in action.items or ()
            }

        choices = [
            with_more(action, f"Shield {number}", items=with_figures({"shields": number})) for number in (1, 2, 3)
        ]
        choices.append(with_more(action, "it affects the attack", items=with_figures({"affects_attack": True})))
        choices.append(with_more(action, "neither", items=with_figures({"shields": 0})))
        return PendingDecision(tuple(choices), f"What does {facts.name} do against an attack?")
    return None


# -- suffering or negating it --------------------------------------------------------------------------


@rule("GH 1", "GH 3", "GH 4")
def suffer_or_negate(
    action: Action,
    name: str,
    damage_left: int,
    hp: int,
    hand: Sequence[int],
    discard: Sequence[int],
    *,
    first: str = "",
    source: str | None = None,
) -> PendingDecision | None:
    """Ask whether to suffer damage or to negate it; None if no card can. `first` is a sentence about shields."""
    after = hp - damage_left
    suffer = (
        f"suffer {damage_left}, {hit_points(after)} left" if after > 0 else f"suffer {damage_left} and be exhausted"
    )
    ways_to_negate = (
        *([with_more(action, "lose a card of the hand", "lose_hand")] if hand else []),
        *(
            [with_more(action, "lose two discarded cards", "lose_discard")]
            if len(discard) >= FIGURES["4"]["discarded_cards"]
            else []
        ),
    )
    if not ways_to_negate:
        return None
    damage = f"{damage_left} damage ({source})" if source else f"{damage_left} damage"
    return PendingDecision(
        (as_it_stands(action, suffer), *ways_to_negate), f"{first}{called(name)}: suffer {damage}, or negate it?"
    )


@rule("GH 4")
def ask_for_second_discard(
    draft: Draft, action: Action, discards: Sequence[int | str] | None
) -> PendingDecision | None:
    """Ask for the second discarded card if only one is named; else None."""
    if discards is None or len(discards) != 1:
        return None
    return narrow(draft.system, draft.state, with_more(action, "", "lose_discard", lose_discard=list(discards)))


@rule("GH 1", "GH 2", "GH 9", "GH 27")
def deal(
    decision: GloomhavenDecision,
    name: str,
    amount: int,
    damage_left: int,
    *,
    source: str | None,
    attack: bool,
    lose_hand: int | str | None,
    lose_discard: Sequence[int | str] | None,
) -> None:
    """Resolve the damage that shields leave: suffer or negate it. Hit points below 1 exhaust at once."""
    advances, negating = trigger(decision, name, damage_left, attack=attack)
    paying = lose_hand is not None or lose_discard is not None
    refuse_unless(
        not paying or (damage_left and negating is None),
        "GH 1",
        f"There is no damage left to negate{f' of {amount}' if amount else ''}; {called(name)} keeps the cards.",
    )
    cards = payment(decision, name, lose_hand, lose_discard) if paying else ()
    for owner, bonus in advances:
        advance(decision, owner, bonus.card)
    hp = decision.sheet(name).hp
    if cards or negating or not damage_left:
        negated_by: Literal["cards", "bonus"] | None = "cards" if cards else "bonus" if negating else None
        paid: Literal["hand", "discard"] | None = ("hand" if lose_hand is not None else "discard") if cards else None
        decision.tell(Damaged(name, amount, damage_left, negated_by, hp, source, attack, paid))
        lose(decision, name, *cards, why="to negate it")
        return
    hp = max(0, hp - damage_left)
    decision.tell(Damaged(name, amount, damage_left, None, hp, source, attack))
    if hp < 1:
        exhaust(decision, name, "hit points")


#: The owner of a card, and its bonus.
BonusOf = tuple[str, ActiveBonus]


@rule("GH 23", "GH 25", "GH 27")
def trigger(
    decision: GloomhavenDecision, name: str, damage_left: int, *, attack: bool, summon: str | None = None
) -> tuple[list[BonusOf], BonusOf | None]:
    """The bonuses whose tokens one source of damage moves, and the bonus that negates it, if any."""
    serve = list(serving(decision.state, name, summon))
    advances = [(owner, bonus) for owner, bonus in serve if attack and _moves(decision, owner, bonus.card, "attacked")]
    negating = next(((owner, bonus) for owner, bonus in serve if damage_left and bonus.negates_damage), None)
    if damage_left:
        advances += [
            (owner, bonus)
            for owner, bonus in serve
            if _moves(decision, owner, bonus.card, "damaged")
            and (negating == (owner, bonus) or (negating is None and not bonus.negates_damage))
        ]
    return advances, negating


def _moves(decision: GloomhavenDecision, owner: str, card: int, on: str) -> bool:
    bonus = decision.sheet(owner).bonus(card)
    return bonus is not None and bonus.token is not None and advances_on(decision.state, owner, bonus) == on


@rule("GH 3", "GH 4", "GH 6")
def payment(
    decision: GloomhavenDecision, name: str, lose_hand: int | str | None, lose_discard: Sequence[int | str] | None
) -> tuple[int, ...]:
    """The cards that negate damage: one of the hand, or two of the discard pile. Raises Refusal."""
    victim = called(name)
    if lose_hand is not None and lose_discard is not None:
        raise Refusal("GH 4", "Damage is negated with one card of the hand or two discarded ones, not with both.")
    refs = (lose_hand,) if lose_hand is not None else tuple(lose_discard or ())
    cards = tuple(find_own_card(decision, name, ref) for ref in refs)
    citation, pile = ("GH 3", "hand") if lose_hand is not None else ("GH 4", "discard")
    if lose_hand is None:
        refuse_unless(
            len(cards) == len({card.id for card in cards}) == FIGURES["4"]["discarded_cards"],
            "GH 4",
            f"Negating with discarded cards takes exactly two different ones, not {len({card.id for card in cards})}.",
        )
    sheet = decision.sheet(name)
    for card in cards:
        refuse_unless(
            card.id not in sheet.selected,
            "GH 6",
            f"{card.name} is selected for this round: it is neither in hand nor discarded, and cannot pay.",
        )
        refuse_unless(
            sheet.bonus(card.id) is None,
            citation,
            f"{card.name} is active; it can pay for nothing until it is put away.",
        )
        place = "in hand" if pile == "hand" else "in the discard pile"
        refuse_unless(card.id in getattr(sheet, pile), citation, f"{victim} does not have {card.name} {place}.")
    return tuple(card.id for card in cards)


class Damaged(Event, frozen=True, omit_defaults=True, tag="gloomhaven.damaged"):
    """One source of damage. `left` is what shields leave of `amount`, `hp` the hit points after it.

    `paid`: from where the cards came that negated it, if cards did (None in earlier logs).
    """

    cites: ClassVar[tuple[str, ...]] = ("GH 1", "GH 2")
    character: str
    amount: int
    left: int
    negated: Literal["cards", "bonus"] | None
    hp: int
    source: str | None
    attack: bool
    paid: Literal["hand", "discard"] | None = None

    @property
    def rule(self) -> str | None:
        """The paragraph that allowed to negate it; None if it was not negated."""
        if self.negated == "bonus":
            return "GH 25"
        return {"hand": "GH 3", "discard": "GH 4"}.get(self.paid or "")

    def sentence(self) -> Sentence:
        victim, source = called(self.character), f" ({cause_alone(self.source)})" if self.source else ""
        cause = f"{'an attack' if self.attack else 'damage'} of {self.amount}{source}"
        if not self.left:
            return (f"{victim} takes no harm from {cause}.",)
        if self.negated:
            return (f"{victim} negates {cause}.",)
        # at 0 hit points the event of exhaustion follows and tells it
        so = f" and has {hit_points(self.hp)}" if self.hp else ""
        if self.left != self.amount:
            return (f"{victim} suffers {self.left} of {cause}{so}.",)
        return (f"{victim} suffers {self.left} damage{source}{so}.",)

    def in_story(self) -> Share:
        cause = cause_alone(self.source)
        if self.negated or not self.left:
            foe, remark = as_cause(cause), f" ({cause})" if cause else ""
            what = foe if foe and is_noun(foe) else f"{self.amount} damage{remark}"
            return Share(self.character, "fends off", what=(what,))
        return Share(self.character, "loses", self.left, "hit points", by=cause)

    def fold(self, state: GloomhavenState) -> None:
        settles = settles_a_wound(self.source, attack=self.attack)
        state.change(self.character, hp=self.hp, **({"wound_settled": True} if settles else {}))


# -- retaliating ---------------------------------------------------------------------------------------


@rule("GH 34", "GH 36", "GH 37")
def retaliate(
    decision: GloomhavenDecision, name: str, amount: int, source: str | None, summon: str | UnsetType = UNSET
) -> None:
    """Strike back after an attack; to be called only for those whom it did not exhaust."""
    decision.tell(Retaliated(name, amount, source, summon))


class Retaliated(Event, frozen=True, tag="gloomhaven.retaliated"):
    """The attacker takes this much. `summon`: who strikes back, if not the character."""

    cites: ClassVar[tuple[str, ...]] = ("GH 34", "GH 36")
    character: str
    amount: int
    source: str | None
    summon: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        retaliator = called(self.summon or self.character)
        return (f"{retaliator} retaliates: {self.amount} damage to {self.source or 'the attacker'}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        """No change: the hit points of monsters are not in the log."""
