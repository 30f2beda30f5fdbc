"""Healing (DH 29 to 33)."""

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from domain.choice import Choice
from domain.common.notes import Note
from domain.deckahedron.cards import Shuffled
from domain.deckahedron.days import HOURS_OF_A_DAY, DayNumber, must_have_hours, spend
from domain.deckahedron.rests import Staying, come_back, which_stay
from domain.deckahedron.sheet import Character, DeckahedronDecision, DeckahedronState
from domain.deckahedron.turning import Piled, Piles
from domain.deckahedron.words import how_many
from domain.naming import called, inside
from domain.refusal import Invalid, refuse_unless
from domain.system.citing import rule
from domain.system.drafts import Draft, as_it_stands
from domain.system.pending import PendingDecision
from domain.system.story import Own
from domain.turn import Action, Sentence, Text

MOST_DAYS = 365


class Heal(Action, frozen=True, kw_only=True, tag="deckahedron.heal"):
    """Heal for a day in a haven, or by magic or an item."""

    character: Character
    days: Annotated[int, Meta(ge=1, le=MOST_DAYS, description="how many days of healing", extra={"in_order": True})] = 1
    by: Annotated[
        Literal["magic", "item"] | None, Meta(description="healed at once by magic or an item, in any scene")
    ] = None
    how: Annotated[Text | None, Meta(description="what the healing is like", extra={"remark": True})] = None
    day: DayNumber | None = None
    kept: Staying = None
    shuffled: Shuffled = None

    def announcement(self) -> str:
        takes = f"by {'an item' if self.by == 'item' else self.by}" if self.by else f"for {how_many(self.days, 'day')}"
        return f"{called(self.character)} heals {takes}"

    def check(self) -> None:
        if self.by is not None and self.days != 1:
            raise Invalid(f"Healing by {self.by} takes no day; leave the days out.")

    def open_decision(self, draft: Draft) -> PendingDecision | None:
        """Ask whether healing by magic or an item is wasted on somebody who has nothing to heal."""
        sheet = draft.state.characters.get(self.character)
        if self.by is None or sheet is None or sheet.harm or sheet.wounds or sheet.exhaustion:
            return None
        note = f"{called(self.character)} is healed by {'an item' if self.by == 'item' else self.by}"
        choices = (
            as_it_stands(self, f"use up the {self.by} all the same"),
            Choice(Note, {"text": f"{note}{f' ({inside(self.how)})' if self.how else ''}"}, says="only a note"),
        )
        return PendingDecision(choices, f"{called(self.character)} has no Harm, no Wound and no exhausted card.")

    @rule("DH 29")
    def decide(self, decision: DeckahedronDecision) -> None:
        """Heals by days in a haven, or at once by magic or an item, which heal the incapacitated too.

        Healing does not end being incapacitated.
        """
        if self.by is not None:
            heal_at_once(decision, self)
            return
        must_be_able_to_heal(decision, self.character)
        refuse_unless(
            decision.table.scene == "haven",
            "DH 29",
            f"{called(self.character)} can heal only in a peaceful place with resources, or by magic or an item.",
        )
        days = [None if self.day is None else self.day + later for later in range(self.days)]
        for day in days:
            must_have_hours(decision, self.character, day, HOURS_OF_A_DAY, healing=True)
        piles = Piles(decision, self.character, self.shuffled)
        for time, day in enumerate(days, start=1):
            get_better(decision, piles, self, day=day, time=time)
        piles.shuffles.finish(rule="DH 33")


@rule("DH 9")
def must_be_able_to_heal(decision: DeckahedronDecision, character: str) -> None:
    """Raise Refusal for the incapacitated, who cannot spend a day healing except by an option."""
    refuse_unless(
        decision.options.incapacitated_heal or not decision.sheet(character).incapacitated,
        "DH 9",
        f"{called(character)} is incapacitated and cannot spend a day healing; magic or an item can heal them.",
    )


@rule("DH 30")
def heal_at_once(decision: DeckahedronDecision, action: Heal) -> None:
    """Heal by magic or an item, in any scene and without spending a day."""
    piles = Piles(decision, action.character, action.shuffled)
    get_better(decision, piles, action, day=action.day, time=1)
    piles.shuffles.finish(rule="DH 33")


@rule("DH 32", "DH 33")
def get_better(decision: DeckahedronDecision, piles: Piles, action: Heal, *, day: int | None, time: int) -> None:
    """Remove all Harm and one Wound; one card per Wound token left stays exhausted, the others come back."""
    piles.read()
    wounds, card_off = one_wound_off(decision, piles)
    staying = which_stay(piles, wounds, action.kept if time == 1 else None, rule="DH 33", time=time)
    returning = come_back(piles, staying, rule="DH 33")
    decision.tell(
        Healed(
            **piles.fields,
            wounds=wounds,
            harm=0,
            kept=staying,
            freed=returning,
            removed=card_off,
            by=action.by,
            how=action.how,
            day=day,
        )
    )


@rule("DH 31")
def one_wound_off(decision: DeckahedronDecision, piles: Piles) -> tuple[int, str | None]:
    """Remove a Wound token and, unless an option says otherwise, the lowest Wound card: (tokens left, card)."""
    sheet = decision.sheet(piles.character)
    if not sheet.wounds:
        return 0, None
    card_off = next(iter(sheet.wound_cards), None) if decision.options.wound_card_removed else None
    piles.deck = [card for card in piles.deck if card != card_off]
    piles.discard = [card for card in piles.discard if card != card_off]
    return sheet.wounds - 1, card_off


class Healed(Piled, frozen=True, kw_only=True, tag="deckahedron.healed"):
    """A day of healing, or magic or an item: all Harm gone, `wounds` tokens now, perhaps a Wound card taken out."""

    cites: ClassVar[tuple[str, ...]] = ("DH 29", "DH 30", "DH 31", "DH 32", "DH 33")

    wounds: int
    harm: int
    kept: tuple[str, ...]
    freed: tuple[str, ...]
    removed: str | None = None
    by: Literal["magic", "item"] | None = None
    how: str | None = None
    day: int | None = None

    def sentence(self) -> Sentence:
        means = {"magic": "is healed by magic", "item": "is healed by an item", None: "spends a day healing"}[self.by]
        how = f" ({inside(self.how)})" if self.how else ""
        out = f", Wound card {self.removed} is taken out" if self.removed else ""
        return (
            f"{called(self.character)} {means}{how}: {how_many(self.wounds, 'Wound token')} left{out}, "
            f"{how_many(len(self.freed), 'card')} back, {how_many(len(self.kept), 'card')} still exhausted.",
        )

    def in_story(self) -> Own:
        how = f" ({inside(self.how)})" if self.how else ""
        means = {"magic": "is healed by magic", "item": "is healed by an item", None: "spends a day healing"}[self.by]
        return Own(f"{called(self.character)} {means}{how}.")

    def fold(self, state: DeckahedronState) -> None:
        self.lay(state, harm=self.harm, wounds=self.wounds)
        if self.by is None:
            spend(state, self.character, self.day, HOURS_OF_A_DAY, healing=True)
