"""Conditions: gained and lost by their own action, gained with damage, and ended with a turn."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, ClassVar

from msgspec import Meta

from domain.gloomhaven.exhaustion import must_take_part
from domain.gloomhaven.facts import Condition
from domain.gloomhaven.modifiers import IN_THE_PARTY, ModifierAdded, deck_of, put_in
from domain.gloomhaven.piles import change_summon, find_summon
from domain.gloomhaven.sheet import Character, GloomhavenDecision, GloomhavenState, Held, OfSummon, SummonOnBoard
from domain.naming import called, possessive
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.story import ELSEWHERE, Elsewhere, Share, left_out
from domain.turn import Action, Event, Sentence

#: The adjective of each condition.
STATES: Mapping[str, str] = {
    "poison": "poisoned", "wound": "wounded", "immobilize": "immobilized", "disarm": "disarmed", "stun": "stunned",
    "muddle": "muddled", "invisible": "invisible", "strengthen": "strengthened", "curse": "cursed", "bless": "blessed",
}  # fmt: skip
#: The conditions that last until the end of the next turn of whoever has them.
UNTIL_END_OF_TURN = frozenset({"disarm", "immobilize", "invisible", "muddle", "strengthen", "stun"})


class SetCondition(Action, frozen=True, kw_only=True, tag="gloomhaven.condition"):
    """Gain or lose a condition."""

    character: Character
    condition: Annotated[Condition, Meta(description="the condition")]
    gained: Annotated[bool, Meta(description="it is gained; no if it is lost", extra={"in_order": True})] = True
    summon: OfSummon = None

    def decide(self, decision: GloomhavenDecision) -> None:
        """Sets or clears a condition. Bless and curse change a deck in the log: for a summon that of its owner."""
        name = self.character
        must_take_part(decision, name)
        ally = find_summon(decision, name, self.summon) if self.summon is not None else None
        deck = deck_of(decision.state, name) if self.condition in IN_THE_PARTY else None
        if ally is not None and deck is None:
            _change(decision, name, self.condition, gained=self.gained, ally=ally)
            return
        if deck is not None and self.gained:
            put_in(decision, name, self.condition)
            if self.condition in decision.sheet(name).conditions:
                return
        elif deck is not None and deck.added.get(self.condition):
            decision.tell(ModifierAdded(name, self.condition, removed=True))
            if deck.added[self.condition] > 1:
                return
        _change(decision, name, self.condition, gained=self.gained)


def _change(
    decision: GloomhavenDecision,
    name: str,
    condition: Condition,
    *,
    gained: bool,
    ally: SummonOnBoard | None = None,
) -> None:
    had_it = condition in (decision.sheet(name) if ally is None else ally).conditions
    kind = ConditionGained if gained else ConditionLost
    decision.tell(kind(name, condition, ally.name if ally is not None else None, no_change=had_it == gained))


@rule("GH 5")
def gain(
    decision: GloomhavenDecision, name: str, conditions: Sequence[str], summon: SummonOnBoard | None = None
) -> None:
    """Add conditions, also if the damage was negated.

    Only bless and curse add up, as cards of a deck in the log; others last longer if they are gained again.
    """
    for condition in dict.fromkeys(conditions):
        bearer = summon
        if condition in IN_THE_PARTY and deck_of(decision.state, name) is not None:
            put_in(decision, name, condition)
            bearer = None
        holds = condition in (decision.sheet(name) if bearer is None else bearer).conditions
        if not holds or condition in UNTIL_END_OF_TURN:
            decision.tell(ConditionGained(name, condition, bearer.name if bearer else None, no_change=holds))


class ConditionGained(Event, frozen=True, omit_defaults=True, tag="gloomhaven.condition_gained"):
    """A condition holds; gained twice it holds once."""

    cites: ClassVar[tuple[str, ...]] = ("GH 5",)
    character: str
    condition: str
    summon: str | None = None
    #: It held already.
    no_change: bool = False

    def sentence(self) -> Sentence:
        already = " already" if self.no_change else ""
        return (f"{called(self.summon or self.character)} is {STATES[self.condition]}{already}.",)

    def in_story(self) -> Share | Elsewhere:
        return (
            ELSEWHERE if self.no_change else Share(self.summon or self.character, "is", what=(STATES[self.condition],))
        )

    def fold(self, state: GloomhavenState) -> None:
        _change_conditions(state, self.character, self.summon, lambda conditions: {*conditions, self.condition})
        sheet = state.characters.get(self.character)
        if sheet is not None and self.condition in UNTIL_END_OF_TURN:
            held = Held(self.condition, self.summon)
            # monsters act before the next character does, so a turn begins with the first half that is performed
            begun = bool(sheet.halves or sheet.attack) and not sheet.acted
            gained = {*sheet.gained_this_turn, held} if begun else {*sheet.gained_this_turn} - {held}
            state.change(
                self.character,
                gained_this_turn=tuple(sorted(gained, key=str)),
                due=tuple(other for other in sheet.due if other != held),
            )


class ConditionLost(Event, frozen=True, omit_defaults=True, tag="gloomhaven.condition_lost"):
    """A condition is gone."""

    character: str
    condition: str
    summon: str | None = None
    #: It did not hold.
    no_change: bool = False

    def sentence(self) -> Sentence:
        no_longer = "not" if self.no_change else "no longer"
        return (f"{called(self.summon or self.character)} is {no_longer} {STATES[self.condition]}.",)

    def in_story(self) -> Share | Elsewhere:
        return ELSEWHERE if self.no_change else no_longer(self.summon or self.character, self.condition)

    def fold(self, state: GloomhavenState) -> None:
        _change_conditions(state, self.character, self.summon, lambda conditions: {*conditions} - {self.condition})
        _no_longer_due(state, self.character, Held(self.condition, self.summon))


# -- a wound at the start of a turn ----------------------------------------------------------------------

#: The source of a wound's damage at the start of a turn; not "wound", which is the name of the condition.
BLEEDING = "bleeding"


def settles_a_wound(source: str | None, *, attack: bool) -> bool:
    """Whether damage is that of a wound at the start of a turn."""
    return not attack and (source or "").casefold() in (BLEEDING, "wound", "the wound")


def settle_wound_of_summon(state: GloomhavenState, name: str, summon: str) -> None:
    """Note that the wound of a summon is suffered or healed for this turn of its owner."""
    sheet = state.characters.get(name)
    if sheet is not None and summon not in sheet.summons_settled:
        state.change(name, summons_settled=(*sheet.summons_settled, summon))


# -- with the end of a turn ------------------------------------------------------------------------------


class Expire(Action, frozen=True, kw_only=True, tag="gloomhaven.expire"):
    """End the conditions that lasted until the end of a turn.

    All of the character's and the summons' end that are due; keep names those that stay.
    """

    only_when_pending: ClassVar = True

    character: Character
    keep: Annotated[
        Annotated[tuple[Condition, ...], Meta(min_length=1)] | None, Meta(description="conditions that stay")
    ] = None
    summon: OfSummon = None

    @rule("GH 5")
    def decide(self, decision: GloomhavenDecision) -> None:
        """Ends the conditions that are due at the end of a turn, except those that are kept."""
        name = self.character
        must_take_part(decision, name)
        only = None if self.summon is None else find_summon(decision, name, self.summon).name
        due = [held for held in decision.sheet(name).conditions_due if only in (None, held.summon)]
        if not due:
            raise Refusal(None, f"No condition of {possessive(only or name)} is due to end.")
        for condition in self.keep or ():
            if condition not in [held.condition for held in due]:
                raise Refusal(None, f"{called(only or name)} does not lose {condition} now; leave it out.")
        for held in due:
            kind = ConditionKept if held.condition in (self.keep or ()) else ConditionLost
            decision.tell(kind(name, held.condition, held.summon))


def end_by_themselves(decision: GloomhavenDecision, name: str) -> None:
    """End what is due with a turn where the table has ruled that it needs no asking."""
    if decision.options.conditions_end == "by_themselves":
        for held in decision.sheet(name).conditions_due:
            decision.tell(ConditionLost(name, held.condition, held.summon))


class ConditionKept(Event, frozen=True, omit_defaults=True, tag="gloomhaven.condition_kept"):
    """A condition that was due to end stays."""

    character: str
    condition: str
    summon: str | None = None

    def sentence(self) -> Sentence:
        return (f"{called(self.summon or self.character)} stays {STATES[self.condition]}.",)

    in_story = left_out

    def fold(self, state: GloomhavenState) -> None:
        _no_longer_due(state, self.character, Held(self.condition, self.summon))


def _no_longer_due(state: GloomhavenState, name: str, held: Held) -> None:
    sheet = state.characters.get(name)
    if sheet is not None and held in (*sheet.due, *sheet.gained_this_turn):
        state.change(
            name,
            due=tuple(other for other in sheet.due if other != held),
            gained_this_turn=tuple(other for other in sheet.gained_this_turn if other != held),
        )


def due_after_turn(state: GloomhavenState, name: str) -> tuple[Held, ...]:
    """What is due once the open turn of a character is over: of the character's own, and of summons that acted."""
    sheet = state.characters[name]
    summons = [summon for summon in sheet.summons if summon.since_round < state.table.round]
    holding = [(None, sheet.conditions), *((summon.name, summon.conditions) for summon in summons)]
    held_now = (Held(condition, summon) for summon, conditions in holding for condition in conditions)
    ending = [held for held in held_now if held.condition in UNTIL_END_OF_TURN and held not in sheet.gained_this_turn]
    return tuple(dict.fromkeys((*sheet.conditions_due, *ending)))


def no_longer(name: str, *conditions: str) -> Share:
    """What a recap tells of conditions that are gone."""
    return Share(name, "is no longer", what=tuple(STATES[condition] for condition in conditions))


def _change_conditions(
    state: GloomhavenState, name: str, summon: str | None, change: Callable[[tuple[str, ...]], set[str]]
) -> None:
    """Change the conditions of a character, or of the summon of that name."""
    sheet = state.characters.get(name)
    bearer = sheet.summon(summon) if sheet is not None and summon is not None else sheet
    if bearer is None:
        return
    conditions = tuple(sorted(change(bearer.conditions)))
    if summon is not None:
        change_summon(state, name, summon, conditions=conditions)
    else:
        state.change(name, conditions=conditions)
