"""Overrides by the referee, and checks of the paper sheet against the log."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from domain.naming import called, did_you_mean, ended, inside, listed, possessive, same_letters
from domain.refusal import Invalid, Refusal, Unknown
from domain.system.decision import Deciding
from domain.system.field_schema import stored_fields
from domain.system.secrets import SHEET_FIELDS
from domain.system.state import Game, Sheet
from domain.system.story import ELSEWHERE, Own, StoryPart, left_out
from domain.system.type_descriptions import type_description, value_in_brief
from domain.turn import Action, Event, Name, Sentence, Text, same
from domain.values import as_json, as_written, in_words, settings

#: The fields that every sheet has whatever its rules, and the verbs that change them.
OF_EVERY_SHEET = {"tracked": "track", "away": "absent or retire"}


class Override(Action, frozen=True, kw_only=True, tag="override"):
    """Change a sheet because the referee says so."""

    character: Annotated[Name, Meta(description="the character")]
    set: Annotated[dict[str, Any], SHEET_FIELDS, Meta(description="what to set")]
    why: Annotated[Text, Meta(description="the reason", extra={"remark": True})]

    def check(self) -> None:
        if not self.set:
            raise Invalid("Name at least one sheet field to set.")
        if not self.why.strip():
            raise Invalid("An override needs a reason: end the line with it.")

    def decide(self, decision: Deciding) -> None:
        kind, hidden_fields = decision.system.sheet, {*decision.system.hidden, *OF_EVERY_SHEET}
        field_names = [name for name, field in stored_fields(kind).items() if field.name not in hidden_fields]
        tracked_values = decision.sheet(self.character).tracked
        for name, value in self.set.items():
            if name in OF_EVERY_SHEET:
                raise Refusal(None, f"{name} cannot be overridden; change it with {OF_EVERY_SHEET[name]}.")
            if name not in field_names and (tracked_name := same_letters(name, tracked_values)) is not None:
                track = f"track {self.character} {tracked_name} {as_written(value)}"
                raise Refusal(
                    None, f"{called(tracked_name)} is tracked beside the rules, so no override is needed: {track}"
                )
            if name not in field_names:
                raise Invalid(
                    f"{name!r} is not a sheet field that can be set in {decision.system.key}; "
                    f"{did_you_mean(name, field_names, otherwise='')}"
                )
            as_field(kind, name, value)
        at = len(decision.events)
        event = SheetOverridden(self.character, dict(self.set), self.why)
        decision.tell(event)
        decision.system.audit(decision, self.character, self.set)
        # the words need a sheet that passed the audit; the fold ignores them
        decision.events[at] = replace(event, words=self._fields_in_words(decision) or UNSET)

    def _fields_in_words(self, decision: Deciding) -> dict[str, Any]:
        """In words: the fields whose values are ids or tables."""
        name, view = self.character, decision.system.sheet_view(decision.state, self.character)
        words = {field: decision.system.in_words(decision.state, name, field, view[field]) for field in self.set}
        return {field: text for field, text in words.items() if text != view[field]}


class SheetOverridden(Event, frozen=True, tag="sheet.overridden"):
    """The referee set sheet fields against the rules."""

    character: str
    set: Annotated[dict[str, Any], SHEET_FIELDS]
    why: str
    #: Values that read differently in words; unset if there are none, and in earlier logs.
    words: Annotated[dict[str, Any] | UnsetType, SHEET_FIELDS] = UNSET

    def sentence(self) -> Sentence:
        values = {**self.set, **(self.words or {})}
        return (f"Override: {possessive(self.character)} ", *settings(values), f". Why: {ended(self.why)}")

    def sentence_for_others(self) -> Sentence:
        return (f"Override: {possessive(self.character)} {listed(self.set)}. Why: {ended(self.why)}",)

    def in_story(self) -> StoryPart:
        """The figures that were set: the hit points after a healing. Whatever is secret has no value here."""
        figures = {name: value for name, value in self.set.items() if type(value) is int}
        if not figures:
            return ELSEWHERE
        now = listed(f"{name.replace('_', ' ')} to {value}" for name, value in figures.items())
        text = f"The referee sets {possessive(self.character)} {now} ({inside(self.why)})."
        return Own(text, who=self.character)

    def fold(self, state: Game) -> None:
        sheet = state.characters.get(self.character)
        if sheet is not None:
            kind: type[Sheet] = type(sheet)
            values = {stored_fields(kind)[name].name: as_field(kind, name, value) for name, value in self.set.items()}
            state.change(self.character, **values)
            for sheet_name in state.characters:
                # changes are found by identity, and another sheet may show something of this one
                if sheet_name != self.character:
                    state.change(sheet_name)


class SheetDifference(Struct, frozen=True):
    """A field of a sheet, as the sheet spells it, whose value on paper is not the one in the log."""

    field: str
    in_log: Any
    on_paper: Any
    #: The turn that last changed it in the log; None: no turn did, or it was not asked for.
    changed: int | None
    #: The same as a part of a sentence.
    reason: str


class SheetDiffers(Refusal):
    """The paper sheet of `character` differs from the log; `expect` is what it says, by the fields of the sheet."""

    def __init__(self, character: str, expect: Mapping[str, Any], differences: Sequence[SheetDifference]) -> None:
        reasons = "; ".join(difference.reason for difference in differences)
        super().__init__(None, f"{possessive(character)} paper sheet differs: {reasons}.")
        self.character, self.expect, self.differences = character, expect, differences


class SheetCheck(Action, frozen=True, kw_only=True, tag="sheet.check"):
    """Compare the paper sheet with the log."""

    verb: ClassVar = "check-sheet"

    character: Annotated[Name, Meta(description="the character")]
    expect: Annotated[dict[str, Any], SHEET_FIELDS, Meta(description="what is on the paper sheet")]

    def check(self) -> None:
        if not self.expect:
            raise Invalid("Name at least one sheet field to compare.")

    def decide(self, decision: Deciding) -> None:
        view = decision.system.fields_view(decision.state, self.character)
        expect: dict[str, Any] = {}
        differences = []
        for field, value_on_paper in self.expect.items():
            name = field if field in view else same_letters(field, view["tracked"]) or field
            if name not in view:
                raise Unknown(
                    "sheet field", name, f"There is no sheet field {name!r}", did_you_mean(name, view, otherwise="")
                )
            expect[name] = value_on_paper
            if not same(view[name], value_on_paper):
                turn = decision.last_change(self.character, name) if decision.last_change else None
                at = f", last changed at T{turn}" if turn else ""
                in_log, on_paper = (
                    in_words(self._value_in_words(decision, name, value)) for value in (view[name], value_on_paper)
                )
                if in_log == on_paper:  # the number 10 and the text "10"
                    in_log, on_paper = as_json(view[name]), as_json(value_on_paper)
                reason = f"{name.replace('_', ' ')} is {in_log} in the log{at}, {on_paper} on paper"
                differences.append(SheetDifference(name, view[name], value_on_paper, turn, reason))
        if differences:
            raise SheetDiffers(self.character, expect, differences)
        decision.tell(SheetChecked(self.character, dict(self.expect)))

    def _value_in_words(self, decision: Deciding, field: str, value: Any) -> Any:
        """A value in words; unchanged if the sheet cannot have it."""
        if field in stored_fields(decision.system.sheet):
            try:
                as_field(decision.system.sheet, field, value)
            except Invalid:
                return value
        return decision.system.in_words(decision.state, self.character, field, value)


class SheetChecked(Event, frozen=True, tag="sheet.checked"):
    """The paper sheet matched the log."""

    character: str
    fields: Annotated[dict[str, Any], SHEET_FIELDS]

    def sentence(self) -> Sentence:
        return (f"{possessive(self.character)} paper sheet agrees with the log: {listed(self.fields)}.",)

    sentence_for_others = sentence

    in_story = left_out

    def fold(self, state: Game) -> None:
        """A check changes no sheet."""


def as_field(sheet: type[Sheet], name: str, value: Any) -> Any:
    """A value converted to the type of this sheet field. Raises Invalid."""
    field = stored_fields(sheet)[name]
    try:
        return msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        raise Invalid(
            f"The sheet field {name} takes {type_description(field.type, value)}, not {value_in_brief(value)}."
        ) from None
