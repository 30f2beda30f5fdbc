"""What can be asked for at a table of Gloomhaven. Cards and items go by their number or their name."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta

from domain.gloomhaven.classes import read_class
from domain.gloomhaven.facts import CLASS_NAME, Condition, Half
from domain.naming import key_of
from domain.refusal import Invalid
from domain.turn import LARGEST, Action, Name, NewName, Positive, Text, Whole

#: A card or an item, by its number or (ignoring case) its name.
Ref = Annotated[int, Meta(ge=1, le=LARGEST)] | Annotated[str, Meta(min_length=1, max_length=200)]
Refs = Annotated[tuple[Ref, ...], Meta(min_length=1)]
Words = Annotated[str, Meta(min_length=1, max_length=10_000)]

Character = Annotated[Name, Meta(description="the character")]
Source = Annotated[Text | None, Meta(description="what it came from", extra={"remark": True})]
LoseHand = Annotated[Ref | None, Meta(description="one card of the hand, lost to negate the damage")]
LoseDiscard = Annotated[Refs | None, Meta(description="two cards of the discard pile, lost to negate the damage")]
Tokens = Annotated[Whole, Meta(description="money tokens picked up", extra={"in_order": True})]
Treasures = Annotated[
    Annotated[tuple[Positive, ...], Meta(min_length=1)] | None, Meta(description="numbers of the treasure tiles")
]


def _not_blank(what: str, text: str | None) -> None:
    if text is not None and not text.strip():
        raise Invalid(f"{what} must not be blank.")


# -- between scenarios -------------------------------------------------------------------------------------


class Enrol(Action, frozen=True, kw_only=True, tag="gloomhaven.enrol"):
    """Enrol a character; one enrolled in mid-scenario joins the next."""

    shorts: ClassVar = {"enroll": {}}

    character: Annotated[NewName, Meta(description="the new character's name")]
    player: Annotated[Text | None, Meta(description="who plays the character")] = None
    class_: Annotated[
        str, Meta(min_length=1, max_length=CLASS_NAME, description="the class, like brute or spellweaver")
    ] = msgspec.field(name="class")
    level: Annotated[int, Meta(ge=1, le=9, description="the level to begin at")] = 1
    hand: Annotated[Refs | None, Meta(description="the cards taken along; default: the class's level-1 cards")] = None
    items: Annotated[Refs | None, Meta(description="items owned")] = None
    gold: Annotated[Whole, Meta(description="gold owned")] = 0
    xp: Annotated[Whole | None, Meta(description="experience; default: what the level needs")] = None
    class_data: Annotated[
        dict[str, Any] | None,
        Meta(description="a whole class as TOML, for one that is not built in", extra={"file": "class-file"}),
    ] = None

    def check(self) -> None:
        _not_blank("The class", self.class_)
        if self.class_data is not None:
            told = read_class(self.class_data).class_
            if key_of(told) != key_of(self.class_):
                raise Invalid(f"The class data is of the {told}, not of the {self.class_}.")


class BeginScenario(Action, frozen=True, kw_only=True, tag="gloomhaven.begin_scenario"):
    """Begin a scenario with everyone enrolled, fresh and ready."""

    scenario: Annotated[Words, Meta(description="its number or name")]
    level: Annotated[
        Annotated[int, Meta(ge=0, le=7)] | None, Meta(description="the scenario level: what a money token is worth")
    ] = None

    def check(self) -> None:
        _not_blank("The scenario", self.scenario)


class EndScenario(Action, frozen=True, kw_only=True, tag="gloomhaven.end_scenario"):
    """End the scenario; cards, items and hit points come back."""

    won: Annotated[bool, Meta(description="whether the goal was reached")]


class BuyItem(Action, frozen=True, kw_only=True, tag="gloomhaven.buy_item"):
    """Buy an item in the city, between scenarios."""

    character: Character
    item: Annotated[Ref, Meta(description="the item")]


class SellItem(Action, frozen=True, kw_only=True, tag="gloomhaven.sell_item"):
    """Sell an item for half its price, between scenarios."""

    character: Character
    item: Annotated[Ref, Meta(description="the item")]


class LevelUp(Action, frozen=True, kw_only=True, tag="gloomhaven.level_up"):
    """Gain a level and a card, between scenarios, when there is experience enough."""

    character: Character
    card: Annotated[Ref, Meta(description="the card gained")]


class ChooseHand(Action, frozen=True, kw_only=True, tag="gloomhaven.choose_hand"):
    """Choose the cards for the next scenario, exactly as many as the hand holds."""

    character: Character
    hand: Annotated[Refs, Meta(description="the cards taken along")]


# -- the round ---------------------------------------------------------------------------------------------


class BeginRound(Action, frozen=True, kw_only=True, tag="gloomhaven.begin_round"):
    """Begin the next round with the selection of cards."""


class Select(Action, frozen=True, kw_only=True, tag="gloomhaven.select"):
    """Select the two cards of this round, face down until the reveal."""

    shorts: ClassVar = {"s": {}}

    character: Character
    lead: Annotated[Ref, Meta(description="the card that gives the initiative")]
    second: Annotated[Ref, Meta(description="the other card")]


class DeclareLongRest(Action, frozen=True, kw_only=True, tag="gloomhaven.declare_long_rest"):
    """Declare a long rest instead of selecting two cards."""

    shorts: ClassVar = {"lr": {}}

    character: Character


class Reveal(Action, frozen=True, kw_only=True, tag="gloomhaven.reveal"):
    """Reveal the selected cards and set the order of turns."""

    shorts: ClassVar = {"rev": {}}


class EndTurn(Action, frozen=True, kw_only=True, tag="gloomhaven.end_turn"):
    """End one's turn, picking up what lies in one's own hex."""

    shorts: ClassVar = {"e": {}}

    character: Character
    tokens: Tokens = 0
    treasures: Treasures = None


class CleanUp(Action, frozen=True, kw_only=True, tag="gloomhaven.clean_up"):
    """Close the round: round bonuses end, short rests may follow."""


# -- performing --------------------------------------------------------------------------------------------


class Perform(Action, frozen=True, kw_only=True, tag="gloomhaven.perform"):
    """Perform one half of a played card; the card is placed where it belongs."""

    shorts: ClassVar = {"t": {"half": "top"}, "b": {"half": "bottom"}}

    character: Character
    card: Annotated[Ref, Meta(description="the played card")]
    half: Annotated[Half, Meta(description="which half")]
    basic: Annotated[bool, Meta(description="used for the basic Attack 2 or Move 2 instead")] = False
    condition_met: Annotated[bool, Meta(description="the condition for extra experience was met")] = False
    abilities_used: Annotated[Whole, Meta(description="how many of its abilities were used")] = 1
    beneficiaries: Annotated[
        Annotated[tuple[Name, ...], Meta(min_length=1)] | None, Meta(description="allies whom the bonus serves too")
    ] = None
    lost: Annotated[bool | None, Meta(description="corrects the card: whether it bears the lost symbol")] = None
    active: Annotated[
        Literal["round", "persistent", "none"] | None, Meta(description="corrects the card: its kind of bonus, or none")
    ] = None
    slots: Annotated[
        Annotated[tuple[Whole, ...], Meta(min_length=1)] | None,
        Meta(description="corrects the card: the experience on each slot"),
    ] = None
    xp: Annotated[Whole | None, Meta(description="corrects the card: its experience")] = None
    shield: Annotated[Whole | None, Meta(description="corrects the card: its Shield")] = None
    retaliate: Annotated[Whole | None, Meta(description="corrects the card: its Retaliate")] = None
    range: Annotated[Whole | None, Meta(description="corrects the card: the range of its Retaliate")] = None

    def check(self) -> None:
        corrections = ("beneficiaries", "lost", "active", "slots", "xp", "shield", "retaliate", "range")
        if self.basic and any(getattr(self, field) is not None for field in corrections):
            raise Invalid("A basic action uses nothing that is on the card; leave corrections and beneficiaries out.")


class Attack(Action, frozen=True, kw_only=True, tag="gloomhaven.attack"):
    """Open an attack; it stays open until its modifier is drawn."""

    shorts: ClassVar = {"a": {}}

    character: Character
    target: Annotated[Text | None, Meta(description="who is attacked", extra={"remark": True})] = None
    value: Annotated[Whole | None, Meta(description="the attack value", extra={"in_order": True})] = None


class DrawModifier(Action, frozen=True, kw_only=True, tag="gloomhaven.draw_modifier"):
    """Draw the attack modifier, which closes the open attack."""

    shorts: ClassVar = {"m": {}}

    character: Character
    modifier: Annotated[Words, Meta(description='what the card says, like "+1" or "null"')]

    def check(self) -> None:
        _not_blank("The modifier", self.modifier)


class Kill(Action, frozen=True, kw_only=True, tag="gloomhaven.kill"):
    """Credit a kill to a character, or through a summon to its owner."""

    character: Character
    monster: Annotated[Words, Meta(description="what was killed", extra={"remark": True})]
    summon: Annotated[Words | None, Meta(description="the summon that struck")] = None

    def check(self) -> None:
        _not_blank("The monster", self.monster)


# -- damage, healing, conditions ---------------------------------------------------------------------------


class Damage(Action, frozen=True, kw_only=True, tag="gloomhaven.damage"):
    """Deal damage to a character, who suffers it or loses cards to negate it."""

    shorts: ClassVar = {"d": {}}

    character: Character
    amount: Annotated[Whole, Meta(description="the damage before shields")]
    source: Source = None
    attack: Annotated[bool, Meta(description="whether it comes from an attack")] = True
    distance: Annotated[Positive, Meta(description="how many hexes away the attacker is; 1: adjacent")] = 1
    item_shield: Annotated[Whole, Meta(description="Shield from items against this attack")] = 0
    effects: Annotated[
        Annotated[tuple[Condition, ...], Meta(min_length=1)] | None, Meta(description="conditions that come with it")
    ] = None
    lose_hand: LoseHand = None
    lose_discard: LoseDiscard = None


class Heal(Action, frozen=True, kw_only=True, tag="gloomhaven.heal"):
    """Heal a character."""

    shorts: ClassVar = {"h": {}}

    character: Character
    amount: Annotated[Positive, Meta(description="hit points")]
    source: Source = None


class SetCondition(Action, frozen=True, kw_only=True, tag="gloomhaven.condition"):
    """Gain or lose a condition."""

    character: Character
    condition: Annotated[Condition, Meta(description="the condition")]
    gained: Annotated[bool, Meta(description="false: it is gone")] = True


# -- resting -----------------------------------------------------------------------------------------------


class LongRest(Action, frozen=True, kw_only=True, tag="gloomhaven.long_rest"):
    """Take the declared long rest, which is the whole turn."""

    character: Character
    lose: Annotated[Ref | None, Meta(description="the discarded card to lose", extra={"in_order": True})] = None
    tokens: Tokens = 0
    treasures: Treasures = None


class ShortRest(Action, frozen=True, kw_only=True, tag="gloomhaven.short_rest"):
    """Take a short rest in cleanup: a random discarded card is lost."""

    shorts: ClassVar = {"sr": {}}

    character: Character
    drawn: Annotated[
        Ref | None, Meta(description="the card drawn at the table; default: drawn here", extra={"in_order": True})
    ] = None
    reroll: Annotated[bool, Meta(description="suffer 1 damage to keep it and lose another")] = False
    redrawn: Annotated[Ref | None, Meta(description="the second card drawn at the table")] = None
    lose_hand: LoseHand = None
    lose_discard: LoseDiscard = None

    def check(self) -> None:
        if not self.reroll and any(each is not None for each in (self.redrawn, self.lose_hand, self.lose_discard)):
            raise Invalid("redrawn, lose_hand and lose_discard belong to a re-roll; say reroll too.")


# -- bonuses, recovering, summons --------------------------------------------------------------------------


class Trigger(Action, frozen=True, kw_only=True, tag="gloomhaven.trigger"):
    """Move the token of an active bonus one slot on, by hand."""

    character: Character
    card: Annotated[Ref, Meta(description="the active card")]


class PutAway(Action, frozen=True, kw_only=True, tag="gloomhaven.put_away"):
    """Take an active card out of play; its bonus ends at once."""

    character: Character
    card: Annotated[Ref, Meta(description="the active card")]


class Recover(Action, frozen=True, kw_only=True, tag="gloomhaven.recover"):
    """Recover discarded or lost cards into the hand."""

    character: Character
    cards: Annotated[Refs, Meta(description="the cards")]
    kind: Annotated[Literal["discarded", "lost"], Meta(description="which kind the ability names")]
    up_to: Annotated[Positive, Meta(description="how many the ability allows")]


class Summon(Action, frozen=True, kw_only=True, tag="gloomhaven.summon"):
    """Place a summon in an empty hex beside its summoner."""

    character: Character
    card: Annotated[Ref, Meta(description="the active card it comes from")]
    name: Annotated[Words, Meta(description="what the summon is called")]
    hp: Annotated[Positive, Meta(description="its hit points")]
    attack: Annotated[Whole | None, Meta(description="its attack value")] = None
    move: Annotated[Whole | None, Meta(description="its move value")] = None
    range: Annotated[Whole | None, Meta(description="its range")] = None
    colour: Annotated[Words, Meta(description="the colour of its token")]
    free_hex: Annotated[bool, Meta(description="an adjacent hex is empty")] = True

    def check(self) -> None:
        _not_blank("The summon's name", self.name)
        _not_blank("The colour", self.colour)


class SummonDamage(Action, frozen=True, kw_only=True, tag="gloomhaven.summon_damage"):
    """Deal damage to a summon."""

    character: Character
    summon: Annotated[Words, Meta(description="the summon's name")]
    amount: Annotated[Positive, Meta(description="the damage")]


# -- items and money ---------------------------------------------------------------------------------------


class UseItem(Action, frozen=True, kw_only=True, tag="gloomhaven.use_item"):
    """Use an item, or decline to; what it does is logged by itself."""

    shorts: ClassVar = {"i": {}}

    character: Character
    item: Annotated[Ref, Meta(description="the item")]
    declined: Annotated[bool, Meta(description="it could be used, and is not")] = False


class Refresh(Action, frozen=True, kw_only=True, tag="gloomhaven.refresh"):
    """Refresh spent or consumed items."""

    character: Character
    items: Annotated[Refs, Meta(description="the items")]
    kind: Annotated[Literal["spent", "consumed"], Meta(description="which kind the ability names")]


class Loot(Action, frozen=True, kw_only=True, tag="gloomhaven.loot"):
    """Pick up money tokens, treasure or an item."""

    shorts: ClassVar = {"l": {}}

    character: Character
    tokens: Tokens = 0
    treasures: Treasures = None
    item: Annotated[Ref | None, Meta(description="the item found")] = None


ACTIONS: tuple[type[Action], ...] = (
    Enrol, BeginScenario, BeginRound, Select, DeclareLongRest, Reveal, Perform, EndTurn, LongRest, CleanUp, ShortRest,
    Damage, Heal, SetCondition, Attack, DrawModifier, UseItem, Trigger, PutAway, Recover, Refresh, Loot, Summon,
    SummonDamage, Kill, EndScenario, BuyItem, SellItem, LevelUp, ChooseHand,
)  # fmt: skip
