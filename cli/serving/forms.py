"""An action as a form at one seat: what is settled, what is filled in, and what is chosen before the rest."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from cli.recording.audience import Audience
from cli.serving.amendment_forms import AmendmentForms
from cli.serving.controls import LISTS, PREFIX, Control, Form, name_of_field
from cli.serving.field_controls import FieldControls
from cli.serving.seat_actions import SeatActions
from cli.serving.sent_forms import SentForms
from domain.common.revisions import Amend
from domain.common.tracking import Track
from domain.log.backdating import PLACELESS
from domain.naming import capitalised
from domain.system.drafts import legal_values
from domain.system.field_schema import Field, fields_of
from domain.system.paragraphs import known_rule
from domain.system.rows import CardView
from domain.turn import Action

#: Fields that stand with what has to be filled in although they may be left out, by the actions that have them.
ASKED: Mapping[type[Action], tuple[str, ...]] = {Track: ("character", "value")}
#: The same of whatever brings somebody in: who plays them.
PLAYER = "player"
#: The name of the field that says when it happened, of what may be told late.
AFTER = "after"
#: What an address says of a form is cut off here.
LONGEST_VALUE = 200


class Forms:
    """The forms of one seat: `player` is whose it is; None: the referee's, who acts for everybody."""

    def __init__(
        self,
        audience: Audience,
        player: str | None,
        cards: Callable[[], Mapping[str, CardView]],
        amendable: Callable[[], tuple[int, ...] | None],
        late: str = "",
    ) -> None:
        """`amendable`: the turns that this seat may amend, None for all of them.

        `late`: the turn directly after which it happened, of which the audience knows the state.
        """
        self._audience, self.actions = audience, SeatActions(audience, player, late)
        self._controls = FieldControls(audience, self.actions, cards)
        self.sent = SentForms(audience, self.actions, self._controls)
        self._amendments = AmendmentForms(audience, self.actions, self._controls, self.sent, amendable)

    def form(
        self,
        verb: str,
        whose: str = "",
        content: Mapping[str, Any] | None = None,
        titles: Mapping[str, str] | None = None,
        asks: Sequence[str] = (),
    ) -> Form:
        """The form of an action; `titles` are those of the paragraphs in force, of which one may be asked for first.

        `asks`: fields that stand first, because somebody chose to fill them in.

        Raises Unknown if this seat has no such action.
        """
        titles = titles or {}
        kind = self.actions.kind(verb)
        content = dict(content or {})
        if kind is Amend:
            return self._amendments.form(verb, content)
        fields = self._controls.fields(kind)
        title, help_ = capitalised(verb).replace("-", " "), inspect.getdoc(kind) or ""
        first = next((field for field in fields if field.asked_first), None)
        if first is not None and not content.get(first.key):
            return Form(verb, title, help_, first=self._asked_first(kind, first, titles), late=self.actions.late)
        able, about = self.actions.able(kind), ""
        who = next((field for field in fields if field.names == "character" and field.kind.shape == "text"), None)
        if who is not None and not who.required and whose in self.actions.plays():
            content.setdefault(who.key, whose)
        settled: dict[str, str] = {}
        if who is not None and who.required and able:
            about = settled[who.key] = str(content.get(who.key, "")) or (
                whose if whose in self.actions.plays() else self.actions.first_for_whom(kind, able)
            )
        if first is not None:
            settled[first.key] = str(content[first.key])
        open_fields = [field for field in fields if field.key not in settled]
        controls = self._to_fill_in(kind, open_fields, about, content, able, asks)
        lacks = any(each.required and each.kind in ("choice", "several") and not each.values for each in controls)
        nothing = "There is nothing to choose from right now." if able else "Nobody is enrolled yet."
        return Form(
            verb,
            title,
            help_,
            controls,
            after=self._with_title(first, settled[first.key], titles) if first is not None else "",
            presets=tuple((f"{PREFIX}{key}", value) for key, value in settled.items()),
            whose=able if about else (),
            about=about,
            late=self.actions.late,
            why_not=nothing if lacks else "",
            awaited=self.actions.why_awaited(kind, about),
        )

    def _to_fill_in(
        self,
        kind: type[Action],
        fields: Sequence[Field],
        about: str,
        content: Mapping[str, Any],
        able: Sequence[str],
        asks: Sequence[str],
    ) -> tuple[Control, ...]:
        """The controls of what nobody has settled yet; and when it happened, of what the referee may tell late."""
        # what the table waits for has to be filled in, and what somebody chose to fill in stands first
        first_names = [f"{PREFIX}{key}" for key in (*asks, PLAYER, *ASKED.get(kind, ()))]
        parts = (
            replace(control, required=True, note="")
            if self._controls.is_reported(kind, field, about)
            else replace(control, is_first=control.is_first or control.name in first_names)
            for field in fields
            for control in self._controls.controls(kind, field, about or None, content, able)
        )
        filled = [_with_only_candidate(control) for control in parts]
        # where the only foe is chosen, whoever else could be meant is asked for behind the rest
        chosen = {control.name for control in filled if control.initial}
        instead = {f"{PREFIX}{key}" for field in fields if f"{PREFIX}{field.key}" in chosen for key in field.unless}
        # nothing to choose from: it is left out by itself
        controls = tuple(
            replace(control, is_first=control.is_first and control.name not in instead - chosen)
            for control in filled
            if control.required or control.values or control.kind not in LISTS
        )
        if self.actions.player is None and not issubclass(kind, PLACELESS):
            when, initial = "After which turn did it happen?", (self.actions.late,) if self.actions.late else ()
            controls += (Control(AFTER, when, "text", initial=initial, help="like T12", note="otherwise just now"),)
        return controls

    def in_address(self, verb: str, query: Mapping[str, str]) -> Mapping[str, str]:
        """What the address of a form may say of it: a turn, and what is asked first. Raises Unknown."""
        keys = {field.key for field in fields_of(self.actions.kind(verb)) if field.turn or field.asked_first}
        return {name: value[:LONGEST_VALUE] for name, value in query.items() if name in keys}

    def asks_for_a_paragraph(self, verb: str) -> bool:
        """Whether a form asks first which paragraph is meant. Raises Unknown."""
        return any(field.asked_first and field.key == "rule" for field in fields_of(self.actions.kind(verb)))

    def _asked_first(self, kind: type[Action], field: Field, titles: Mapping[str, str]) -> Control:
        """What is chosen before the rest: a paragraph in force, or one of the values that the rules list."""
        system, state = self._audience.system, self._audience.known()
        legal = list(titles) if field.key == "rule" else legal_values(system, state, kind, field, None)
        values = tuple((value, self._with_title(field, value, titles)) for value in legal)
        # what nobody has met is not listed, and what a file tells is not known yet
        others = bool(system.spoilers(state, kind, field.key)) or any(
            other.file is not None for other in fields_of(kind)
        )
        return Control(field.key, name_of_field(field), "choice", True, values, takes_others=others)

    def _with_title(self, field: Field, value: str, titles: Mapping[str, str]) -> str:
        """A value of what is asked first, as it is read: a paragraph with its title. Raises Unknown."""
        if field.key != "rule":
            return value.replace("_", " ")
        number = known_rule(self._audience.system, value, self._audience.known().campaign.paragraphs)
        return f"{number} {titles.get(number, '')}".rstrip()

    def action(self, verb: str, form_fields: Mapping[str, Sequence[str]]) -> str:
        """What was filled in, as the JSON of an action. Raises Unknown, Invalid, Refusal."""
        kind = self.actions.kind(verb)
        action = self._amendments.action(form_fields) if kind is Amend else self.sent.action(kind, form_fields)
        return msgspec.json.encode(action).decode()


def _with_only_candidate(control: Control) -> Control:
    """What has to be chosen, and can only be one thing, is chosen."""
    is_settled = control.required and control.kind == "choice" and len(control.values) == 1 and not control.takes_others
    return replace(control, initial=(control.values[0][0],)) if is_settled else control
