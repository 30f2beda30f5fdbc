"""The state of Gloomhaven: the sheet of one character, the table, and the options of the open questions.

Every card of a character is in exactly one of five piles: hand, selected, discard, lost, active.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from domain.gloomhaven.facts import CLASS_NAME, Advance, Condition, Half, Id, PrintedClass, PrintedItem, Title
from domain.naming import called, quantity
from domain.system.decision import Decision
from domain.system.paragraphs import figures_of
from domain.system.secrets import secret
from domain.system.state import Options, Sheet, State, TableState, option
from domain.turn import LARGEST, Name, NonEmptyText, Positive, Text, Whole

#: The numbers of the rules, by paragraph; those of levels and starting classes are in another file.
FIGURES = figures_of("gloomhaven")
#: The attack modifier decks: figures of the game that the paragraphs do not have.
MODIFIERS = figures_of("gloomhaven", "modifiers")

Pile = Literal["hand", "selected", "discard", "lost", "active"]
PILES: tuple[Pile, ...] = get_args(Pile)
Phase = Literal["selection", "turns", "cleanup"]
CountsAs = Literal["discarded", "lost"]
Initiative = Annotated[int, Meta(ge=1, le=99)]


class Place(Struct, frozen=True, forbid_unknown_fields=True):
    """A character, or one of the character's summons: a place in the order of turns, or an ally."""

    character: str
    summon: str | None = None

    def __str__(self) -> str:
        return called(self.summon or self.character)


class ActiveBonus(Struct, frozen=True, forbid_unknown_fields=True):
    """A card in the active area. `token` is the slot it stands on, None without slots.

    `advances_on` None: as the card's data says. `beneficiaries` are the characters whom the bonus serves too,
    `ally_summons` the summons (unset where it serves none, as in earlier logs). `lent_by` is set only where a sheet
    shows a bonus that an ally's card lends.
    """

    card: Id
    half: Half
    kind: Literal["round", "persistent"]
    counts_as: CountsAs
    slots: tuple[Whole, ...] = ()
    token: Whole | None = None
    shield: Whole = 0
    retaliate: Whole = 0
    range: Whole = 0
    negates_damage: bool = False
    advances_on: Advance | None = None
    beneficiaries: tuple[str, ...] = ()
    lent_by: str | None = None
    ally_summons: tuple[Place, ...] | UnsetType = UNSET

    @property
    def served_summons(self) -> tuple[Place, ...]:
        """The summons that it serves too."""
        return () if isinstance(self.ally_summons, UnsetType) else self.ally_summons


class Items(Struct, frozen=True, forbid_unknown_fields=True):
    """The items owned, by where they are. `circles_used`: item -> use circles taken, for ready items only."""

    ready: tuple[Id, ...] = ()
    spent: tuple[Id, ...] = ()
    consumed: tuple[Id, ...] = ()
    circles_used: Mapping[Annotated[str, Meta(pattern="^[0-9]+$")], Positive] = {}

    @property
    def owned(self) -> tuple[int, ...]:
        return (*self.ready, *self.spent, *self.consumed)


class SummonOnBoard(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A summon on the board, and the card it comes from. `max_hp` None: as many as its `hp`."""

    name: Title
    hp: Positive
    card: Id
    colour: Title
    since_round: Whole
    max_hp: Positive | None = None
    attack: Whole | None = None
    move: Whole | None = None
    range: Whole | None = None
    traits: tuple[Title, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def most_hp(self) -> int:
        """Its maximum of hit points, which a heal cannot exceed."""
        return self.hp if self.max_hp is None else self.max_hp


class Held(Struct, frozen=True):
    """A condition that a character holds, or the summon of that name."""

    condition: str
    summon: str | None = None


class SecondThought(Struct, frozen=True):
    """The discard pile before a short rest without a re-roll, while the player can still choose a re-roll."""

    #: the card that the rest lost
    card: int
    discard: tuple[int, ...]


#: A card of a modifier deck, as it is written: "+1", "null", "rolling +1".
ModifierCard = Annotated[str, Meta(min_length=1, max_length=60)]


class ModifierDeck(Struct, frozen=True):
    """A character's modifier deck, in counts. `drawn` is what lies drawn of its own `cards`; `added` is what a
    scenario put in, `out` what it took out. `top` and `bottom` are the cards of which somebody has seen where they
    lie, in order. `shuffles`: in the next cleanup. `kept` False: the table keeps it for now."""

    cards: Mapping[str, int]
    drawn: Mapping[str, int] = {}
    added: Mapping[str, int] = {}
    out: Mapping[str, int] = {}
    top: tuple[str, ...] = ()
    bottom: tuple[str, ...] = ()
    shuffles: bool = False
    kept: bool = True


class OpenAttack(Struct, frozen=True):
    """An attack whose modifier is not drawn yet."""

    target: str | None = None
    value: int | None = None


class GloomhavenSheet(Sheet, frozen=True):
    """One character. The fields from `chosen` on are the log's own bookkeeping and are not shown."""

    player: Text | None
    class_: Annotated[str, Meta(max_length=CLASS_NAME)] = msgspec.field(name="class")
    level: Annotated[int, Meta(ge=1, le=9)]
    hp: Whole
    xp: Annotated[Whole, Meta(description="experience")]
    gold: Whole
    hand: Annotated[tuple[Id, ...], secret(counted=True)] = ()
    selected: Annotated[tuple[Id, ...], secret(counted=True, until_revealed=True)] = ()
    discard: tuple[Id, ...] = ()
    lost: tuple[Id, ...] = ()
    active: tuple[ActiveBonus, ...] = ()
    items: Items = Items()
    summons: tuple[SummonOnBoard, ...] = ()
    conditions: tuple[Condition, ...] = ()
    resting: bool = False
    initiative: Initiative | None = None
    acted: bool = False
    exhausted: bool = False
    kills: Whole = 0
    #: The cards taken along: those that the five piles hold together.
    chosen: Annotated[tuple[int, ...], secret()] = ()
    #: Cards of higher levels, and X cards taken at a level, that were gained.
    gained: Annotated[tuple[int, ...], secret()] = ()
    #: Taking part in the scenario that is being played.
    joined: bool = False
    #: The halves performed this turn.
    halves: tuple[Half, ...] = ()
    #: The cards that they were performed with.
    performed: tuple[int, ...] = ()
    #: A rest was taken in this cleanup.
    rested: bool = False
    #: The rest of this cleanup, as long as its re-roll is open.
    second_thought: SecondThought | None = None
    attack: OpenAttack | None = None
    #: The turn of the selection that lies face down, and of the last one that was revealed.
    selection: int | None = None
    revealed: int = 0
    #: Selections that were replaced before they were revealed: nobody else ever sees those.
    taken_back: tuple[int, ...] = ()
    #: None: the table keeps it, and always did.
    modifier_deck: ModifierDeck | None = None
    #: The damage of a wound at the start of this turn is suffered, or healed away.
    wound_settled: bool = False
    #: The summons of which the same is true.
    summons_settled: tuple[str, ...] = ()
    #: The conditions gained after this turn began, which last until the end of the next one.
    gained_this_turn: tuple[Held, ...] = ()
    #: The conditions that ended with a turn by the rules, until the table has said so or kept them.
    due: tuple[Held, ...] = ()

    @property
    def conditions_due(self) -> list[Held]:
        """Those of them that are still held."""
        bearers: dict[str | None, Sequence[str]] = {summon.name: summon.conditions for summon in self.summons}
        bearers[None] = self.conditions
        return [held for held in self.due if held.condition in bearers.get(held.summon, ())]

    @property
    def cards(self) -> tuple[int, ...]:
        """Every card in a pile."""
        return (*self.hand, *self.selected, *self.discard, *self.lost, *(bonus.card for bonus in self.active))

    def summon(self, name: str) -> SummonOnBoard | None:
        """The summon of exactly this name; None if there is none."""
        return next((summon for summon in self.summons if summon.name == name), None)

    def bonus(self, card: int) -> ActiveBonus | None:
        """The bonus of this card; None if it is not active."""
        return next((bonus for bonus in self.active if bonus.card == card), None)


#: Fields that no view shows and no override sets.
HIDDEN = frozenset(
    {
        "chosen",
        "gained",
        "joined",
        "halves",
        "performed",
        "rested",
        "second_thought",
        "attack",
        "selection",
        "revealed",
        "taken_back",
        "modifier_deck",
        "wound_settled",
        "summons_settled",
        "gained_this_turn",
        "due",
    }
)


class GloomhavenTable(TableState, frozen=True):
    """The scenario and its round, and the facts of classes and items that the log has learned."""

    scenario: str | None = None
    level: int | None = None
    round: int = 0
    phase: Phase | None = None
    order: tuple[Place, ...] = ()
    outcome: Literal["won", "lost"] | None = None
    #: A scenario is being played.
    playing: bool = False
    #: What one money token is worth in it.
    token_worth: int = 1
    classes: Mapping[str, PrintedClass] = {}
    items: Mapping[int, PrintedItem] = {}


class GloomhavenOptions(Options, frozen=True):
    """The open questions of the rules, each with its default."""

    conditions_end: Annotated[
        Literal["asked", "by_themselves"],
        option("5", "how conditions end that last until the end of a turn: when the table says so, or by themselves"),
    ] = "asked"

    active_counts_for_rest: Annotated[
        bool, option("29", "active cards that count as discarded count towards the two that a rest needs")
    ] = True
    persistent_to: Annotated[
        Literal["its_pile", "lost"],
        option("26", "where a persistent card goes when it is taken out of play before its end"),
    ] = "its_pile"
    reroll_damage_negatable: Annotated[
        bool, option("81", "the 1 damage of a re-roll may be negated with cards like any other")
    ] = True
    long_rest_short_of_cards: Annotated[
        Literal["lose_if_available", "refuse"],
        option("78", "what becomes of a declared long rest when fewer than two cards are left at its turn"),
    ] = "lose_if_available"
    part_used_items: Annotated[
        Literal["stay", "reset"],
        option("86", "whether a long rest frees the use circles of an item that is only partly used"),
    ] = "stay"


GloomhavenState = State[GloomhavenSheet, GloomhavenTable, GloomhavenOptions]
GloomhavenDecision = Decision[GloomhavenSheet, GloomhavenTable, GloomhavenOptions]


# -- fields of actions that several chapters share ------------------------------------------------------

#: A card or an item, by its number or (ignoring case) its name.
Ref = Annotated[int, Meta(ge=1, le=LARGEST)] | Annotated[str, Meta(min_length=1, max_length=200)]
Refs = Annotated[tuple[Ref, ...], Meta(min_length=1)]
#: An ally on the board, by its name; without it the character is meant.
OfSummon = Annotated[NonEmptyText | None, Meta(description="the character's summon, if it happens to that")]
Character = Annotated[Name, Meta(description="the character")]
Source = Annotated[Text | None, Meta(description="what it came from", extra={"remark": True, "led_by": ("from", "by")})]
LoseHand = Annotated[Ref | None, Meta(description="one card of the hand, lost to negate the damage")]
LoseDiscard = Annotated[Refs | None, Meta(description="two cards of the discard pile, lost to negate the damage")]
OF_TOKENS = {"in_order": True}
Tokens = Annotated[Whole, Meta(description="money tokens picked up", extra=OF_TOKENS)]
Treasures = Annotated[
    Annotated[tuple[Positive, ...], Meta(min_length=1)] | None, Meta(description="numbers of the treasure tiles")
]


# -- in words ------------------------------------------------------------------------------------------


def hit_points(count: int) -> str:
    """ "1 hit point", "7 hit points"."""
    return quantity(count, "hit point")
