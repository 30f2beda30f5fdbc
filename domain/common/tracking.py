"""Tracked values: what a group keeps beside the rules, as numbers and short texts on the log.

Gold, torches, spells and armour belong to a character, the day and the fund to the table. The rules never ask for
them; they are turns like any other, so that they can be undone, amended and explained.
"""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from domain.choice import Choice
from domain.common.sheets import OF_EVERY_SHEET, Override
from domain.naming import called, fit_text, inside, letters, listed, possessive, refuse_other_meaning, same_letters
from domain.refusal import Invalid, Refusal
from domain.system.decision import Deciding
from domain.system.field_schema import fields_of, stored_fields
from domain.system.groups import present
from domain.system.pending import PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game, TrackedValue
from domain.system.story import ELSEWHERE, Own, Share, StoryPart, left_out
from domain.system.type_descriptions import either
from domain.turn import LARGEST, Action, Event, Name, Sentence, Text

LONGEST_NAME = 30
LONGEST_TEXT = 200
Number = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]


class Track(Action, frozen=True, kw_only=True, tag="track"):
    """Track a number or a short text beside the rules.

    Say whose, what, and how much: track hob gold +5. Without a character it is the table's own.
    """

    meant_by: ClassVar = ("gold", "coins", "money", "torches", "xp", "experience")

    character: Annotated[Name | None, Meta(description="whose it is", extra={"otherwise": "the table's own"})] = None
    name: Annotated[Text, Meta(description="what is kept: gold, torches, day")]
    change: Annotated[Number | None, Meta(description="add or take away this many")] = None
    value: Annotated[
        Number | Annotated[str, Meta(max_length=LONGEST_TEXT)] | None, Meta(description="what it is now")
    ] = None
    drop: Annotated[bool, Meta(description="stop tracking it")] = False
    debt: Annotated[bool, Meta(description="allow it to go below zero")] = False
    pin: Annotated[bool | None, Meta(description="show it beside every character, or stop showing it")] = None
    source: Annotated[Text | None, Meta(description="where it comes from", extra={"remark": True})] = None

    def check(self) -> None:
        if (self.change, self.value, self.pin).count(None) + (not self.drop) != 3:
            raise Invalid("Say one thing about a tracked value: change, value, drop or pin.")
        if self.change == 0:
            raise Invalid("A change of 0 changes nothing; give a number, or value to set it.")
        if isinstance(self.value, str) and not self.value.strip():
            raise Invalid("A tracked text must not be blank; drop takes it away.")
        if self.pin is not None and self.character is not None:
            raise Invalid("A name is pinned for the whole table; leave the character out.")
        fit_text(self.name, "The name of a tracked value", LONGEST_NAME)

    def decide(self, decision: Deciding) -> None:
        if self.pin is not None:
            self._pin(decision, pinned=self.pin)
            return
        state = decision.state
        tracked_values = state.table.tracked if self.character is None else decision.sheet(self.character).tracked
        name = same_letters(self.name, tracked_values)
        if name is None:
            if not decision.chance.lenient:  # older logs may have such names
                refuse_other_meaning(self.name)
            must_be_free(decision.system, state, self.character, self.name)
            name = self.name.strip()
        before = tracked_values.get(name)
        now = self._now(owned_by(self.character, name), before)
        decision.tell(Tracked(self.character, name, now, before, self.source or UNSET))

    def _now(self, title: str, before: TrackedValue | None) -> TrackedValue | None:
        """The new value; None is gone. Raises Refusal."""
        if self.drop:
            if before is None:
                raise Refusal(None, f"{called(title)} is not tracked, so there is nothing to drop.")
            return None
        if self.change is None:
            now = self.value.strip() if isinstance(self.value, str) else self.value
        elif isinstance(before, str):
            raise Refusal(None, f'{called(title)} is a text ("{before}"); you cannot add to it, only set it.')
        else:
            now = (before or 0) + self.change
        if isinstance(now, int) and now < 0 and not self.debt:
            raise Refusal(None, f"{called(title)} would be {now}, which is below zero; add debt if you mean that.")
        if isinstance(now, int) and abs(now) > LARGEST:
            raise Refusal(None, f"{called(title)} would be {now}, more than can be kept.")
        return now

    def _pin(self, decision: Deciding, *, pinned: bool) -> None:
        state = decision.state
        name = same_letters(self.name, state.campaign.pinned if not pinned else tracked_names(state))
        if name is None:
            problem = "Nobody tracks" if pinned else "Not pinned:"
            raise Refusal(None, f"{problem} {self.name.strip()}.")
        if pinned and name in state.campaign.pinned:
            raise Refusal(None, f"{called(name)} is pinned already.")
        decision.tell(TrackedPinned(name, pinned))


class Tracked(Event, frozen=True, tag="tracked"):
    """A tracked value is another. `character` None: the table's own; `value` None: it is kept no longer."""

    character: str | None
    name: str
    value: TrackedValue | None
    before: TrackedValue | None
    source: str | UnsetType = UNSET

    def sentence(self) -> Sentence:
        subject = called(owned_by(self.character, self.name))
        because = f" ({inside(self.source)})" if self.source else ""
        if self.value is None:
            return (f"{subject} {_in_quotes(self.before)} → no longer tracked{because}.",)
        if self.before is None:
            return (f"{subject}: {_in_quotes(self.value)}{because}.",)
        return (f"{subject} {_in_quotes(self.before)} → {_in_quotes(self.value)}{because}.",)

    def in_story(self) -> StoryPart | None:
        """What came and went is gathered; what is written down for the first time needs no telling."""
        return ELSEWHERE if self.before is None and not self.source else self.story_of_gain()

    def story_of_gain(self) -> StoryPart | None:
        """What came and went, also from nothing."""
        if self.value is None:
            return ELSEWHERE
        because = inside(self.source) if self.source else ""
        if self.character is None and self.before is not None:
            stands = "stand" if self.name.endswith("s") else "stands"
            return Own(
                f"{called(self.name)} {stands} at {_in_quotes(self.value)} now{f' ({because})' if because else ''}."
            )
        if self.character is None or isinstance(self.value, str) or isinstance(self.before, str):
            return None
        change = self.value - (self.before or 0)
        singular = self.name.removesuffix("es" if self.name.endswith(("ches", "shes", "xes", "sses")) else "s")
        does = "gains" if change > 0 else "loses"
        return Share(self.character, does, abs(change), self.name, singular, remark=because)

    def fold(self, state: Game) -> None:
        if self.character is None:
            state.change_table(tracked=_with(state.table.tracked, self.name, self.value))
        elif (sheet := state.characters.get(self.character)) is not None:
            state.change(self.character, tracked=_with(sheet.tracked, self.name, self.value))


class TrackedPinned(Event, frozen=True, tag="tracked.pinned"):
    """Everybody's value of this name is shown with the party, or no longer."""

    name: str
    pinned: bool

    def sentence(self) -> Sentence:
        return (
            f"{called(self.name)} is {'shown with the party' if self.pinned else 'no longer shown with the party'}.",
        )

    in_story = left_out

    def fold(self, state: Game) -> None:
        other_names = tuple(pinned_name for pinned_name in state.campaign.pinned if pinned_name != self.name)
        pinned_names = (*other_names, self.name) if self.pinned else other_names
        state.campaign = replace(state.campaign, pinned=pinned_names)


# -- names ---------------------------------------------------------------------------------------------


def tracked_names(state: Game) -> tuple[str, ...]:
    """Every name that is tracked now: those of the characters in their order, then the table's. Each once."""
    names: dict[str, str] = {}
    for values in (*(sheet.tracked for sheet in state.characters.values()), state.table.tracked):
        for name in values:
            names.setdefault(letters(name), name)
    return tuple(names.values())


def ask_for_values_of_others(system: RuleSystem, state: Game, name: str) -> PendingDecision | None:
    """A pending decision for the numbers that are tracked for every other character of a player but not for this one.

    For a character who joins in mid-campaign; it need not be answered. None: there are no such numbers.
    """
    own = state.characters[name].tracked
    values_of_others = [
        state.characters[other_name].tracked
        for other_name in present(system, state)
        if other_name != name and getattr(state.characters[other_name], "player", None)
    ]
    names = [
        tracked_name
        for tracked_name, value in (values_of_others[0] if values_of_others else {}).items()
        if isinstance(value, int)
        and same_letters(tracked_name, own) is None
        and all(isinstance(values.get(tracked_name), int) for values in values_of_others)
    ]
    if not names or system.is_foe(state, name):
        return None
    choices = tuple(Choice(Track, {"character": name, "name": tracked_name, "value": 0}) for tracked_name in names)
    return PendingDecision(choices, f"The others keep {listed(names)}; say what {called(name)} has.")


def owned_by(character: str | None, name: str) -> str:
    """ "Hob's gold", and "torches" if they are the table's."""
    return f"{possessive(character)} {name}" if character else name


def must_be_free(system: RuleSystem, state: Game, character: str | None, name: str) -> None:
    """Raise Refusal for a name that the rules keep themselves, with the verbs that change it."""
    view = system.table_view(state) if character is None else system.sheet_view(state, character)
    stored_names = stored_fields(system.table if character is None else system.sheet)
    field = same_letters(
        name, dict.fromkeys((*view, *(stored_name for stored_name in stored_names if stored_name not in system.hidden)))
    )
    if field is None:
        return
    changes = system.changed_by.get(field, () if character is None or field in OF_EVERY_SHEET else (Override,))
    choices = [_choice_about(kind, character) for kind in changes]
    verbs = [(kind.verb or str(kind.__struct_config__.tag).rpartition(".")[2]).replace("_", "-") for kind in changes]
    verbs += [OF_EVERY_SHEET[field]] if field in OF_EVERY_SHEET else []
    by = f"; it changes with {either(verbs)}" if verbs else ""
    raise Refusal(None, f"{called(owned_by(character, field))} is kept by the rules of {system.key}{by}.", choices)


def _choice_about(kind: type[Action], character: str | None) -> Choice:
    """An action about a character, with its other required fields still to be filled in."""
    needs = [field for field in fields_of(kind) if field.required]
    character_field = next(
        (field for field in needs if field.names == "character" and field.kind.shape in ("text", "list")),
        None,
    )
    fields: dict[str, Any] = {}
    if character_field is not None and character is not None:
        fields[character_field.key] = [character] if character_field.kind.shape == "list" else character
    return Choice(kind, fields, tuple(field.key for field in needs if field.key not in fields))


def _with(values: Mapping[str, TrackedValue], name: str, value: TrackedValue | None) -> Mapping[str, TrackedValue]:
    if value is not None:
        return {**values, name: value}
    return {other_name: other_value for other_name, other_value in values.items() if other_name != name}


def _in_quotes(value: TrackedValue | None) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
