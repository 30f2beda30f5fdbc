"""The facts of cards, classes and items, in the form of the data files and of the log."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from domain.turn import LARGEST, Whole

CLASS_NAME = 60
EDITION_NAME = 60
ClassName = Annotated[str, Meta(min_length=1, max_length=CLASS_NAME)]
#: An edition of the game, by the key that its data has.
Edition = Annotated[str, Meta(min_length=1, max_length=EDITION_NAME)]
Half = Literal["top", "bottom"]
Advance = Literal["attacked", "damaged", "manual"]
Condition = Literal[
    "poison", "wound", "immobilize", "disarm", "stun", "muddle", "invisible", "strengthen", "curse", "bless"
]
Id = Annotated[int, Meta(ge=1, le=LARGEST)]
Title = Annotated[str, Meta(min_length=1, max_length=200)]
Level = Annotated[int, Meta(ge=1, le=9)] | Literal["X"]
HitPoints = Annotated[int, Meta(ge=1, le=1000)]


class PrintedSummon(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The figures of a summon, as printed on its card."""

    hp: HitPoints
    attack: Whole | None = None
    move: Whole | None = None
    range: Whole | None = None
    traits: tuple[Title, ...] = ()


class PrintedHalf(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One half of a card. `slots` holds the experience on each; `range` is that of Retaliate, 0: adjacent only."""

    lost: bool = False
    active: Literal["round", "persistent"] | None = None
    slots: tuple[Whole, ...] = ()
    advances_on: Advance = "manual"
    xp: Whole = 0
    conditional_xp: Whole = 0
    unrecoverable: bool = False
    shield: Whole = 0
    retaliate: Whole = 0
    range: Whole = 0
    negates_damage: bool = False
    summon: PrintedSummon | None = None


class PrintedCard(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One ability card."""

    id: Id
    name: Title
    level: Level
    initiative: Annotated[int, Meta(ge=1, le=99)]
    top: PrintedHalf = PrintedHalf()
    bottom: PrintedHalf = PrintedHalf()

    def half(self, half: Half) -> PrintedHalf:
        """The top or the bottom half."""
        return self.top if half == "top" else self.bottom

    @property
    def unrecoverable(self) -> bool:
        """Whether either half has the symbol, which counts for the whole card (GH 53)."""
        return self.top.unrecoverable or self.bottom.unrecoverable


class PrintedItem(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One item. `once_used`: its place after its use, or the use of its last circle; "ready": it does not move."""

    id: Id
    name: Title
    price: Whole
    once_used: Literal["spent", "consumed", "ready"]
    circles: Whole = 0
    #: The Shield that a use gives; `true`, as the data of earlier logs has it, is 1.
    shields: bool | Whole = False
    affects_attack: bool = False
    unrecoverable: bool = False
    #: None: of Gloomhaven itself, or not told, as in earlier logs.
    edition: Edition | None = None
    #: Its number in its edition, where an item of another edition has that number in the log; None: its `id`.
    number: Id | None = None

    @property
    def printed(self) -> tuple[str | None, int]:
        """Its edition, and the number printed on its card."""
        return self.edition, self.id if self.number is None else self.number


class PrintedClass(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One class: its cards, its hand size, its hit points at levels 1 to 9, and items that come with its file."""

    class_: ClassName = msgspec.field(name="class")
    hand_size: Annotated[int, Meta(ge=2, le=100)]
    hp: Annotated[tuple[HitPoints, ...], Meta(min_length=9, max_length=9)]
    cards: tuple[PrintedCard, ...]
    items: tuple[PrintedItem, ...] = ()
    #: None: of Gloomhaven itself, or not told, as in earlier logs.
    edition: Edition | None = None
    #: What its edition calls it, where a class of another edition is called so in the log; None: as its `class`.
    name: ClassName | None = None

    @property
    def printed(self) -> tuple[str | None, str]:
        """Its edition, and its name in that edition."""
        return self.edition, self.class_ if self.name is None else self.name

    def card(self, number: int) -> PrintedCard | None:
        """The card of this number; None if the class has no such card."""
        for card in self.cards:
            if card.id == number:
                return card
        return None

    def max_hp(self, level: int) -> int:
        """The maximum of hit points at a level."""
        return self.hp[level - 1]


class Named(Struct, frozen=True):
    """A card or an item with its name."""

    id: int
    name: str

    def __str__(self) -> str:
        return self.name


def as_named(facts: PrintedCard | PrintedItem) -> Named:
    """The number and the name of a card or an item, as events store it."""
    return Named(facts.id, facts.name)
