"""What can be asked for at a deckahedron table. What lies on the table may be reported; the rest is drawn."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.deckahedron.cards import CARDS, Attribute
from domain.deckahedron.sheet import Rank, Scene
from domain.refusal import Invalid
from domain.turn import Action, Name, NewName, Positive, Text, Whole

#: Whoever the action is about.
Character = Annotated[Name, Meta(description="the character")]
CardId = Annotated[str, Meta(max_length=20, extra={"values": tuple(CARDS)})]
Cards = tuple[CardId, ...]
FoeName = Annotated[str, Meta(min_length=1, max_length=200)]
Flipped = Annotated[
    Cards | None,
    Meta(
        description="the cards turned over at the table, in order, to the last one; left out: from the recorded deck",
        extra={"in_order": True},
    ),
]
Shuffled = Annotated[
    Cards | None,
    Meta(description="the whole new deck as it was shuffled at the table, top first; left out: shuffled here"),
]
Kept = Annotated[
    Cards | None,
    Meta(description="the cards that stayed in the exhaustion pile at random; left out: drawn here"),
]
DayNumber = Annotated[Whole, Meta(description="the campaign's day, so that its hours are counted together")]
Hours = Annotated[int, Meta(ge=1, le=24, description="how many hours it takes")]
MOST_DAYS = 365


class Enrol(Action, frozen=True, kw_only=True, tag="deckahedron.enrol"):
    """Enrol a character with three attributes and a fresh deck."""

    shorts: ClassVar = {"enroll": {}}

    character: Annotated[NewName, Meta(description="the new character")]
    player: Annotated[Text | None, Meta(description="who plays the character")] = None
    strength: Annotated[Rank, Meta(description="rank 1 to 4")]
    dexterity: Annotated[Rank, Meta(description="rank 1 to 4")]
    intelligence: Annotated[Rank, Meta(description="rank 1 to 4")]
    deck: Annotated[
        Cards | None, Meta(description="the shuffled deck as it lies on the table, top first; left out: shuffled here")
    ] = None


class BeginScene(Action, frozen=True, kw_only=True, tag="deckahedron.scene"):
    """Begin a scene: combat, travel, a calm camp, or a peaceful haven."""

    scene: Annotated[Scene, Meta(description="combat, travel, camp (calm) or haven (peaceful, with resources)")]


class Flip(Action, frozen=True, kw_only=True, tag="deckahedron.flip"):
    """Flip cards for an attempt."""

    shorts: ClassVar = {"f": {}}

    character: Character
    attribute: Annotated[Attribute, Meta(description="the attribute at whose rank the cards are read")]
    cards: Annotated[Positive, Meta(description="how many cards to flip")] = 1
    keep: Annotated[Literal["best", "worst"], Meta(description="which of their results counts")] = "best"
    attempt: Annotated[Text | None, Meta(description="what is attempted", extra={"remark": True})] = None
    flipped: Flipped = None
    shuffled: Shuffled = None


class LoseStamina(Action, frozen=True, kw_only=True, tag="deckahedron.lose_stamina"):
    """Lose Stamina: flip cards until enough of them bear the symbol."""

    shorts: ClassVar = {"ls": {}}

    character: Character
    points: Annotated[Positive, Meta(description="how many Stamina are lost")]
    flipped: Flipped = None
    reshuffle_first: Annotated[
        bool, Meta(description="shuffle the discard pile into the deck before the search starts")
    ] = False
    shuffled: Shuffled = None


class Breather(Action, frozen=True, kw_only=True, tag="deckahedron.breather"):
    """Take a breather in combat and regain Stamina."""

    shorts: ClassVar = {"br": {}}

    character: Character
    attribute: Annotated[Attribute, Meta(description="intelligence or dexterity")]
    how: Annotated[Text | None, Meta(description="the tactic, or the way into safety", extra={"remark": True})] = None
    flipped: Flipped = None
    rolled: Annotated[int | None, Meta(description="the d4, if the result calls for one")] = None
    regained: Annotated[Cards | None, Meta(description="the cards that came back at random; left out: drawn here")] = (
        None
    )
    shuffled: Shuffled = None


class Strain(Action, frozen=True, kw_only=True, tag="deckahedron.strain"):
    """Take a strain, a sprain or a bruise."""

    character: Character
    what: Annotated[Text, Meta(description="how the Storyteller describes it", extra={"remark": True})]
    flipped: Flipped = None
    shuffled: Shuffled = None


class TakeWound(Action, frozen=True, kw_only=True, tag="deckahedron.wound"):
    """Take a Wound."""

    character: Character
    what: Annotated[Text, Meta(description="how the Storyteller describes it", extra={"remark": True})]
    flipped: Flipped = None
    shuffled: Shuffled = None
    card: Annotated[
        Literal["w1", "w2", "w3", "w4"] | None,
        Meta(description="which Wound card goes into the discard pile; left out: the lowest free one"),
    ] = None


class Rest(Action, frozen=True, kw_only=True, tag="deckahedron.rest"):
    """Rest for several hours, out of combat and not on the road."""

    character: Character
    hours: Hours
    day: DayNumber | None = None
    kept: Kept = None
    shuffled: Shuffled = None


class Heal(Action, frozen=True, kw_only=True, tag="deckahedron.heal"):
    """Spend a day healing in a peaceful place, or be healed by magic or an item."""

    character: Character
    days: Annotated[int, Meta(ge=1, le=MOST_DAYS, description="how many days of healing", extra={"in_order": True})] = 1
    by: Annotated[
        Literal["magic", "item"] | None, Meta(description="healed at once by magic or an item, in any scene")
    ] = None
    how: Annotated[Text | None, Meta(description="what the healing is like", extra={"remark": True})] = None
    day: DayNumber | None = None
    kept: Kept = None
    shuffled: Shuffled = None

    def check(self) -> None:
        if self.by is not None and self.days != 1:
            raise Invalid(f"Healing by {self.by} takes no day; leave the days out.")


class Effort(Action, frozen=True, kw_only=True, tag="deckahedron.effort"):
    """Spend hours on learning, studying or anything else that takes effort."""

    character: Character
    what: Annotated[Text, Meta(description="what the hours go into", extra={"remark": True})]
    hours: Hours
    day: DayNumber | None = None


class Attack(Action, frozen=True, kw_only=True, tag="deckahedron.attack"):
    """Attack: both sides flip, or only the attacker if the foe is unaware."""

    shorts: ClassVar = {"at": {}}

    attacker: Annotated[Name, Meta(description="who attacks")]
    defender: Annotated[Name | None, Meta(description="the character who is attacked", extra={"in_order": True})] = None
    foe: Annotated[
        FoeName | None, Meta(description="the foe who is attacked, if no character", extra={"remark": True})
    ] = None
    foe_result: Annotated[
        Literal["✔✔", "✔", "✗", "✗✗", "vv", "v", "x", "xx"] | None,
        Meta(
            description="what the foe flipped: vv, v, x or xx; left out: the foe is unaware", extra={"in_order": True}
        ),
    ] = None
    style: Annotated[Literal["melee", "ranged"], Meta(description="hand to hand (Strength) or at range (Dexterity)")]
    flipped: Annotated[
        Cards | None,
        Meta(
            description="the attacker's cards in order; left out: from the recorded deck",
            extra={"in_order": True, "keyed_by": "attacker"},
        ),
    ] = None
    defender_flipped: Annotated[
        Cards | None,
        Meta(
            description="the defender's cards in order; left out: from the recorded deck",
            extra={"in_order": True, "keyed_by": "defender"},
        ),
    ] = None
    rolled: Annotated[
        tuple[int, ...] | None,
        Meta(description="the d4s that the result calls for, the defender's loss first", extra={"dice": True}),
    ] = None
    choice: Annotated[
        Literal["wound", "harm", "stamina", "gear"] | None,
        Meta(description="what is chosen where the result offers a choice; left out: stamina"),
    ] = None

    def check(self) -> None:
        if self.defender is not None and (self.foe is not None or self.foe_result is not None):
            raise Invalid("An attack has one target: name a defender or a foe.")
        if self.defender is None and self.defender_flipped is not None:
            raise Invalid("Only a defender who is a character has cards to flip; name the defender.")


class Storyteller(Action, frozen=True, kw_only=True, tag="deckahedron.storyteller"):
    """Say what being incapacitated means, or let the character act again."""

    character: Character
    meaning: Annotated[
        Text, Meta(description="what it means: dead, unconscious, unable to stand …", extra={"remark": True})
    ]
    recovered: Annotated[bool, Meta(description="the character can act again")] = False


ACTIONS = (
    Enrol, BeginScene, Flip, LoseStamina, Breather, Strain, TakeWound, Rest, Heal, Effort, Attack, Storyteller,
)  # fmt: skip
