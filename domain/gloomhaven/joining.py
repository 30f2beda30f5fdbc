"""Enrolling a character; the log learns the class with its first character."""

from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from domain.choice import Choice
from domain.gloomhaven.classes import find_card, find_class, find_item, levels, met_classes, read_class
from domain.gloomhaven.exhaustion import must_not_be_lost
from domain.gloomhaven.facts import CLASS_NAME, Named, PrintedCard, PrintedClass, PrintedItem, as_named
from domain.gloomhaven.learning import ClassLearned, learn_items, must_leave_items_alone
from domain.gloomhaven.levels import must_fill_the_hand
from domain.gloomhaven.modifiers import KeptBy, fresh_deck
from domain.gloomhaven.piles import ids, summons_on_board
from domain.gloomhaven.sheet import (
    GloomhavenDecision,
    GloomhavenSheet,
    GloomhavenState,
    Items,
    Refs,
    hit_points,
)
from domain.naming import called, key_of, listed, nearest, quantity
from domain.refusal import Invalid, Refusal, Unknown, refuse_unless
from domain.system.drafts import with_more
from domain.system.secrets import secret
from domain.system.story import Share
from domain.turn import Action, Event, NewName, Sentence, Text, Whole


class Enrol(Action, frozen=True, kw_only=True, tag="gloomhaven.enrol"):
    """Enrol a character.

    Somebody enrolled in the middle of a scenario joins the next.
    """

    shorts: ClassVar = {"enroll": {}}

    character: Annotated[NewName, Meta(description="the new character's name")]
    player: Annotated[Text | None, Meta(description="who plays the character", extra={"wanted": True})] = None
    class_: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=CLASS_NAME,
            description="the class, like brute or spellweaver",
            extra={"asked_first": True},
        ),
    ] = msgspec.field(name="class")
    level: Annotated[int, Meta(ge=1, le=9, description="the level to begin at")] = 1
    hand: Annotated[
        Refs | None,
        Meta(description="the cards taken along", extra={"otherwise": "the class's level-1 cards", "in_order": True}),
        secret(),
    ] = None
    gained: Annotated[
        Refs | None, Meta(description="cards gained above level 1 that are not in this hand"), secret()
    ] = None
    items: Annotated[Refs | None, Meta(description="items owned")] = None
    gold: Annotated[Whole, Meta(description="gold owned")] = 0
    xp: Annotated[Whole | None, Meta(description="experience", extra={"otherwise": "what the level needs"})] = None
    modifiers: KeptBy = "table"
    class_data: Annotated[
        dict[str, Any] | None,
        Meta(description="a whole class as TOML, for one that is not built in", extra={"file": "class-file"}),
    ] = None

    def check(self) -> None:
        if self.class_data is not None:
            name = read_class(self.class_data).class_
            if key_of(name) != key_of(self.class_):
                raise Invalid(f"The class data is of the {name}, not of the {self.class_}.")

    def decide(self, decision: GloomhavenDecision) -> None:
        """Enrols a character; the class file is needed for the first character of a class only."""
        must_not_be_lost(decision)
        for summon in summons_on_board(decision.state):
            if key_of(summon.name) == key_of(self.character):
                raise Refusal(None, f"{called(summon.name)} is a summon on the board; choose another name.")
        facts = _class_for(decision, self)
        if facts.class_ not in decision.table.classes:
            if not decision.chance.lenient:  # older logs let a class file replace items that the log had learned
                must_leave_items_alone(decision.table.items, facts.items)
            decision.tell(ClassLearned(facts))
        hand = _opening_hand(facts, self)
        gain = _gained_cards(facts, self, hand)
        items: list[PrintedItem] = []
        for ref in self.items or ():
            item = find_item(decision.table.items, ref)
            refuse_unless(
                item.id not in [own_item.id for own_item in items],
                "GH 60",
                f"Nobody owns {item.name} twice; name it once.",
            )
            items.append(item)
        learn_items(decision, *items)
        xp = levels()["xp"][self.level - 1] if self.xp is None else self.xp
        decision.tell(
            Enrolled(
                self.character,
                self.player,
                facts.class_,
                self.level,
                facts.max_hp(self.level),
                xp,
                self.gold,
                tuple(as_named(card) for card in hand),
                gain,
                tuple(as_named(item) for item in items),
                UNSET if self.modifiers == "table" else self.modifiers,
            )
        )


def _class_for(decision: GloomhavenDecision, action: Enrol) -> PrintedClass:
    if action.class_data is None:
        classes_in_play = [sheet.class_ for sheet in decision.state.characters.values()]
        try:
            return find_class(action.class_, decision.table.classes, classes_in_play)
        except Unknown as error:
            met = met_classes(decision.table.classes, classes_in_play)
            near = nearest(action.class_, met)
            # where no spelling was meant, the cards are of another class
            other = {} if near else {"hand": None, "gained": None}
            said = with_more(action, "", **{"class": None, **other}).fields
            error.choices = [
                Choice(Enrol, {"character": action.character, "class": name, **said})
                for name in ((near,) if near else met)
            ]
            raise
    facts = read_class(action.class_data)
    class_here = decision.table.classes.get(facts.class_)
    if class_here not in (None, facts):
        raise Refusal(None, f"This log knows the {facts.class_} already, with other cards; leave the class data out.")
    return facts


def _opening_hand(facts: PrintedClass, action: Enrol) -> list[PrintedCard]:
    """The cards named in the action, else those of level 1. Raises Refusal unless they fill the hand."""
    character = called(action.character)
    if action.hand is None:
        hand = [card for card in facts.cards if card.level == 1]
    else:
        hand = [find_card(facts, ref) for ref in action.hand]
    must_fill_the_hand(facts, hand, character)
    return hand


def _gained_cards(facts: PrintedClass, action: Enrol, hand: list[PrintedCard]) -> tuple[int, ...]:
    """The cards gained above level 1, in the hand or not. Raises Refusal if there are too many or of too high level."""
    character = called(action.character)
    named_cards = [find_card(facts, ref) for ref in action.gained or ()]
    for card in named_cards:
        if card.level in (1, "X"):
            raise Refusal(None, f"{card.name} is of level {card.level}: it can be chosen from the start.")
    higher = {card.id: card for card in (*hand, *named_cards) if card.level not in (1, "X")}
    for card in higher.values():
        if isinstance(card.level, int) and card.level > action.level:
            raise Refusal(None, f"{card.name} is of level {card.level}, {character} of level {action.level}.")
    if len(higher) > action.level - 1:
        most = quantity(action.level - 1, "card")
        raise Refusal(None, f"{character} has gained {most} above level 1, not {len(higher)}.")
    return tuple(sorted(higher))


class Enrolled(Event, frozen=True, tag="gloomhaven.enrolled"):
    """A character joins the campaign. Undoing it takes the character off."""

    character: str
    player: str | None
    class_: str = msgspec.field(name="class")
    level: int
    hp: int
    xp: int
    gold: int
    hand: Annotated[tuple[Named, ...], secret(counted=True)]
    gained: Annotated[tuple[int, ...], secret()]
    items: tuple[Named, ...]
    #: Left out where the table keeps the modifier deck.
    modifiers: Literal["deck"] | UnsetType = UNSET

    def sentence(self) -> Sentence:
        owns = f" with {listed(item.name for item in self.items)}" if self.items else ""
        a = "an" if self.class_[:1] in "aeiou" else "a"
        return (
            f"{called(self.character)} joins as {a} {called(self.class_)} of level {self.level}: "
            f"{hit_points(self.hp)}, {self.gold} gold{owns}.",
        )

    sentence_for_others = sentence

    def in_story(self) -> Share:
        return Share(self.character, "joins")

    def fold(self, state: GloomhavenState) -> None:
        if self.character in state.characters or self.class_ not in state.table.classes:
            return
        hand = tuple(sorted(ids(self.hand)))
        state.characters[self.character] = GloomhavenSheet(
            player=self.player,
            class_=self.class_,
            level=self.level,
            hp=self.hp,
            xp=self.xp,
            gold=self.gold,
            hand=hand,
            chosen=hand,
            gained=self.gained,
            items=Items(ready=tuple(sorted(ids(self.items)))),
            modifier_deck=fresh_deck() if self.modifiers else None,
        )
