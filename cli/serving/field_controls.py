"""What is offered for one field of an action at one seat: a control with what is legal there now."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec.structs import replace

from cli.line.grammar import as_list
from cli.recording.audience import Audience
from cli.serving.controls import (
    LABEL_OF_NONE,
    OPTIONS,
    PREFIX,
    Control,
    control_of_option,
    holds_sheet_fields,
    label_of_field,
    left_out,
    note_of_field,
    sheet_controls,
)
from cli.serving.seat_actions import SeatActions
from domain.common.notes import Note
from domain.common.rulings import Ruling
from domain.naming import called
from domain.system.drafts import about as about_whom
from domain.system.drafts import legal_values
from domain.system.field_schema import NEW, Field, fields_of
from domain.system.groups import able as able_to_act
from domain.system.options import options_of
from domain.system.paragraphs import known_rule
from domain.system.rows import CardView
from domain.turn import Action

#: How dice are typed.
DICE_HELP = "as rolled: 5 4 5"


class FieldControls:
    """The controls of the fields of actions; `cards` are the cards that somebody at the table may look at, by name."""

    def __init__(self, audience: Audience, actions: SeatActions, cards: Callable[[], Mapping[str, CardView]]) -> None:
        self._audience, self._actions, self._cards = audience, actions, cards

    def fields(self, kind: type[Action]) -> list[Field]:
        """The fields of an action that are filled in under the options in force."""
        options = self._audience.known().options
        return [
            field
            for field in map(as_list, fields_of(kind))
            if is_filled_in(field) and all(getattr(options, name) == value for name, value in field.under.items())
        ]

    def controls(
        self, kind: type[Action], field: Field, whose: str | None, content: Mapping[str, Any], able: Sequence[str]
    ) -> Iterator[Control]:
        if kind is Ruling and field.key == OPTIONS:
            state = self._audience.known()
            rule = known_rule(self._audience.system, str(content["rule"]), state.campaign.paragraphs)
            for option in options_of(self._audience.system.options).values():
                if option.rule == rule:
                    yield control_of_option(option, getattr(state.options, option.name))
        elif holds_sheet_fields(field):
            yield from sheet_controls(self._audience, field, whose or able[0]) if whose or able else ()
        elif field.keyed_by_names and field.names is None:
            rolled = content.get(field.key) or {}
            for name in able:
                label = f"{label_of_field(field)}: {called(name)}"
                yield Control(
                    f"{PREFIX}{field.key}.{name}",
                    label,
                    "dice",
                    initial=(" ".join(map(str, rolled[name])),) if name in rolled else (),
                    help=DICE_HELP,
                    is_first=True,
                    note=note_of_field(field),
                )
        else:
            yield self.control(kind, field, whose, content, able)

    def control(
        self, kind: type[Action], field: Field, whose: str | None, content: Mapping[str, Any], able: Sequence[str]
    ) -> Control:
        control = self._input(kind, field, whose, content, able)
        reports = control.kind in ("cards", "dice")
        # a single word that may be left out says something beside
        is_word = field.kind.shape == "choice" and len(field.kind.choices) == 1
        is_first = control.is_first or (field.in_order and not reports and not is_word)
        is_needed = control.required or control.kind == "flag" or (reports and is_first)
        note = "" if is_needed else note_of_field(field)
        otherwise = "" if is_needed else left_out(field)
        label_of_none = otherwise or LABEL_OF_NONE
        # what means the same as one of the values would stand there twice; where it is that by itself, few ask for more
        names_a_value = label_of_none.removeprefix("a ") in (label for _, label in control.values)
        if control.kind == "choice" and not names_a_value:
            is_aimed = any(other.added_by is not None for other in fields_of(kind))
            has_meaning = label_of_none != LABEL_OF_NONE or field.added_by is not None
            decides = is_aimed and has_meaning and is_first and not control.required and not control.initial
            return replace(control, is_first=is_first, label_of_none=label_of_none, decides=decides)
        return replace(control, is_first=is_first and not (names_a_value and otherwise), note=note)

    def _input(
        self, kind: type[Action], field: Field, whose: str | None, content: Mapping[str, Any], able: Sequence[str]
    ) -> Control:
        entry = content.get(field.key)
        preset = (
            tuple(map(str, entry)) if isinstance(entry, list | tuple) else (str(entry),) if entry is not None else ()
        )
        state = self._audience.known()
        name, label, required = f"{PREFIX}{field.key}", label_of_field(field), field.required
        if field.names == NEW:
            return Control(name, label, "text", required, (), preset)
        cards_in = self._audience.system.cards_to_report(state, kind, field.key, whose)
        if cards_in is not None:
            values = tuple((value, card.name) for value, card in cards_in.cards)
            initial = (" ".join(preset),) if preset else ()
            return Control(
                name, label, "cards", required, values, initial, "in order, like 17 3",
                cards=dict(cards_in.cards), is_first=required or bool(preset) or cards_in.awaited,
            )  # fmt: skip
        if field.names is not None:
            return self._input_of_names(kind, field, whose, able, preset)
        if field.kind.shape == "flag":
            if required:
                initial = ("yes" if entry else "no",) if isinstance(entry, bool) else ()
                return Control(name, label, "choice", True, (("yes", "yes"), ("no", "no")), initial)
            is_set = preset[0] == "True" if preset else field.default is True
            return Control(name, label, "flag", False, (), ("yes",) if is_set else ())
        if field.dice:
            return Control(name, label, "dice", required, (), (" ".join(preset),) if preset else (), DICE_HELP)
        system = self._audience.system
        legal = legal_values(system, state, kind, field, whose, content)
        if field.added_by is not None and len(legal) == 1:
            preset = preset or (legal[0],)  # the only foe there is
        if (
            not legal
            and field.added_by is None
            and self._audience.system.proposals(state, kind, field.key, whose) == ()
        ):
            return Control(name, label, "choice", required)  # the rules know that there is nothing
        if legal:
            values = tuple((value, field.kind.reading_of(value)) for value in legal)
            faces = self._cards()
            cards = {value: faces[value] for value in legal if value in faces}
            hides = bool(system.spoilers(state, kind, field.key))
            several: Literal["several", "choice"] = "several" if field.kind.shape == "list" else "choice"
            # at a foe or at nobody: that would be refused
            needed = required or field.added_by is not None
            return Control(name, label, several, needed, values, preset, cards=cards, takes_others=hides)
        if self.is_reported(kind, field, whose or ""):
            values = tuple((value, value) for value in field.usual)
            return Control(name, label, "choice", required, values, preset, takes_others=True)
        return self._input_of_text(field, preset)

    def _input_of_names(
        self, kind: type[Action], field: Field, whose: str | None, able: Sequence[str], preset: tuple[str, ...]
    ) -> Control:
        """The control for characters: whom it is about, or the others."""
        state, required, many = self._audience.known(), field.required, field.kind.shape == "list"
        is_about = field.key == next(candidate.key for candidate in fields_of(kind) if candidate.names)
        is_own = is_about and field.names == "character" and (required or self._actions.player is not None)
        if is_own or field.among:
            names = tuple(able)
        elif is_about or field.names == "ally":
            names = tuple(state.characters)
        else:  # the other side of it
            names = tuple(name for name in able_to_act(self._audience.system, state) if name != whose)
        values = tuple((name, called(name)) for name in names)
        alone = names if many and required and len(names) == 1 else ()
        # a player speaks for the own characters, and for nobody's things
        is_required = required or (is_own and not many and kind is not Note)
        control: Literal["several", "choice"] = "several" if many else "choice"
        return Control(f"{PREFIX}{field.key}", label_of_field(field), control, is_required, values, preset or alone)

    def _input_of_text(self, field: Field, preset: tuple[str, ...]) -> Control:
        """The control for what is typed, as no values are proposed for it."""
        name, label, required = f"{PREFIX}{field.key}", label_of_field(field), field.required
        if field.turn:
            return Control(name, label, "text", required, (), preset, "like T12")
        if field.kind.shape == "number":
            return Control(name, label, "number", required, (), preset, signed=field.kind.bounds.get("ge", -1) < 0)
        if field.file is not None:
            return Control(name, label, "long", required, (), preset, "Paste its whole text")
        if field.kind.shape == "map":
            return Control(name, label, "text", required, (), (), "like strength 1")
        return Control(name, label, "long" if field.remark else "text", required, (), preset)

    def is_reported(self, kind: type[Action], field: Field, whose: str) -> bool:
        """Whether the table waits for a value of this field, which somebody has to read off a card."""
        if not field.usual:
            return False
        return any(
            choice.action is kind and field.key in choice.asks and (about_whom(choice) or "") == whose
            for choice in self._audience.choices()
        )


def is_filled_in(field: Field) -> bool:
    """Whether a field has a place in a form: not what holds records of its own, but for a file that can be pasted.

    What becomes of later turns is asked once it is known that there are any.
    """
    if field.file is not None:
        return True
    if field.key == "conflicts":
        return False
    item = field.kind.item if field.kind.shape == "list" else None
    deep = {"object", "any", "map"}
    return not (item is not None and item.shape in deep) and field.kind.shape not in ("object", "any")
