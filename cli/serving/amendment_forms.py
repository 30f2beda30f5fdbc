"""An earlier turn as a form, to be corrected: its fields with the values that it has, and what was changed of them."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from cli.line.amending import action_of
from cli.recording.audience import Audience
from cli.serving.controls import LISTS, PREFIX, Control, Form
from cli.serving.field_controls import FieldControls
from cli.serving.seat_actions import LATELY, SeatActions
from cli.serving.sent_forms import SentForms
from cli.serving.wording import sentence_in_words
from cli.shell.references import turn_number
from domain.common.revisions import REVISIONS, Amend
from domain.log.deciding import names_in
from domain.naming import capitalised
from domain.refusal import Invalid, Refusal
from domain.registry import tag_of
from domain.system.field_schema import fields_of
from domain.turn import Action

#: What the name of a field of the amended turn begins with, and the actions that are not amended.
AMENDED = f"{PREFIX}action."
REVISING = frozenset(map(tag_of, REVISIONS))


class AmendmentForms:
    """Amendments at one seat; `amendable` are the turns that it may amend, None for all of them."""

    def __init__(
        self,
        audience: Audience,
        actions: SeatActions,
        controls: FieldControls,
        sent: SentForms,
        amendable: Callable[[], tuple[int, ...] | None],
    ) -> None:
        self._audience, self._actions, self._controls, self._sent = audience, actions, controls, sent
        self._amendable = amendable

    def form(self, verb: str, content: Mapping[str, Any]) -> Form:
        """The form of the turn that is amended, as it stands; which turn that is, is asked first. Raises Unknown."""
        title, help_ = capitalised(verb), inspect.getdoc(Amend) or ""
        own = self._amendable()
        turn = str(content.get("turn", "")) or (f"T{own[0]}" if own is not None and len(own) == 1 else "")
        if not turn:
            last = self._audience.log.last()
            values = tuple(
                (f"T{entry.turn}", f"T{entry.turn} {sentence_in_words(entry)}")
                for entry in reversed(list(self._audience.chronicle(max(1, last - LATELY), last)))
                if entry.standing and entry.kind not in REVISING and (own is None or entry.turn in own)
            )
            return Form(
                verb,
                title,
                help_,
                first=Control(
                    "turn",
                    "Which turn?",
                    "choice",
                    True,
                    values,
                    help="Another one, like T12",
                    takes_others=own is None,
                ),
            )
        number, action = self._turn_to_amend(turn)
        controls = tuple(self._controls_of_turn(action))
        why = next(field for field in fields_of(Amend) if field.key == "why")
        reason = self._controls.control(Amend, why, None, {}, ())
        return Form(
            verb, title, help_, (*controls, reason), after=f"T{number}", presets=((f"{PREFIX}turn", f"T{number}"),)
        )

    def action(self, form_fields: Mapping[str, Sequence[str]]) -> Action:
        """The amendment of a turn by those of its fields that were filled in otherwise. Raises Invalid, Refusal."""
        number, action = self._turn_to_amend("".join(form_fields.get(f"{PREFIX}turn", ("",))[-1:]))
        changed = {
            control.name.removeprefix(AMENDED).partition(".")[0]
            for control in self._controls_of_turn(action)
            if [word for word in form_fields.get(control.name, ()) if word.strip()] != list(control.initial)
        }
        sent = {
            f"{PREFIX}{name.removeprefix(AMENDED)}": values
            for name, values in form_fields.items()
            if name.startswith(AMENDED)
        }
        filled, whole = self._sent.values(type(action), sent), msgspec.to_builtins(action)
        whole = {key: value for key, value in whole.items() if key not in changed}
        whole |= {key: value for key, value in filled.items() if key in changed}
        if self._sent.as_action(whole) == action:
            raise Invalid(f"Change something of T{number}; so far it says what it said.")
        why = " ".join(form_fields.get(f"{PREFIX}why", ())).strip()
        amendment = {"type": tag_of(Amend), "turn": number, "action": whole, **({"why": why} if why else {})}
        return self._sent.as_action(amendment)

    def _turn_to_amend(self, turn: str) -> tuple[int, Action]:
        """A turn and what it says by now.

        Raises Refusal for one that this seat may not amend, Unknown where there is none, Invalid for no turn.
        """
        number, own = turn_number(turn), self._amendable()
        if not isinstance(number, int):
            raise Invalid("Which turn? Write it like T12.")
        if own is not None and number not in own:
            raise Refusal(None, "You may change your own last line, and no other.")
        action = action_of(self._audience.context, number)
        if isinstance(action, REVISIONS):
            raise Refusal(None, f"T{number} changes earlier turns itself; undo it instead.")
        return number, action

    def _controls_of_turn(self, action: Action) -> Iterator[Control]:
        """The fields of a turn with the values that it has."""
        kind, content = type(action), msgspec.to_builtins(action)
        names = self._actions.plays()
        for field in self._controls.fields(kind):
            if field.file is not None:
                continue
            whose = next(iter(names_in(action)), None)
            for control in self._controls.controls(kind, field, whose, content, names):
                known = {value for value, _ in control.values}
                # what it says need not be one of what could be chosen by now
                values = [*control.values, *((value, value) for value in control.initial if value not in known)]
                if control.kind not in LISTS or values:
                    name = f"{AMENDED}{control.name.removeprefix(PREFIX)}"
                    yield replace(control, name=name, values=tuple(values) if control.kind in LISTS else control.values)
