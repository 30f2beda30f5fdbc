"""An action as a form: its fields from the same description as its verb, with what is legal now; and back again."""

import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cli.line.grammar import as_list
from cli.line.values import json_or_text
from cli.line.verbs import verbs_of
from cli.line.words import quote
from cli.recording.audience import Audience
from cli.serving.permissions import is_for_players
from cli.serving.trials import is_possible
from cli.shell.references import turn_number, turn_numbers
from cli.shell.words import field_value, shape_of
from cli.terminal.sheet import ends_of_those_out
from domain.common import ACTIONS as COMMON
from domain.common.notes import Note
from domain.common.revisions import Amend, Redo, Undo
from domain.common.rulings import Ruling
from domain.common.start import CampaignStart
from domain.naming import called, capitalised, listed
from domain.refusal import Invalid, Unfit, Unknown
from domain.registry import action_from, tag_of, verb_name
from domain.system.drafts import about as about_whom
from domain.system.drafts import legal_values
from domain.system.field_schema import Field, fields_of, kind_of
from domain.system.groups import able as able_to_act
from domain.system.options import Option, options_of
from domain.system.paragraphs import known_rule
from domain.system.rows import CardView
from domain.system.type_descriptions import either
from domain.turn import Action
from domain.values import as_written
from projections.secrecy import played_by

#: What a field is called in a form.
PREFIX = "f."
#: Begun with the log, and never again.
WITHOUT_FORM: tuple[type[Action], ...] = (CampaignStart,)
#: Turns among which an undo is looked for, for a redo to be at hand.
LATELY = 12
#: What the end of a description begins with that says what it means to leave the field out.
LEFT_OUT = ("otherwise ", "default:")
#: Controls with which something is chosen from a list.
LISTS = ("choice", "several", "cards")
#: What it is called to choose nothing, where nothing is said of what that means.
LABEL_OF_NONE = "not said"
#: How dice are typed.
DICE_HELP = "as rolled: 5 4 5"
#: The field of a ruling that holds the options which it sets.
OPTIONS = "set"
#: What an address says of a form is cut off here.
LONGEST_VALUE = 200


class Control(Struct, frozen=True):
    """One field, as one fills it in."""

    name: str
    label: str
    kind: Literal["choice", "several", "number", "dice", "flag", "text", "long", "cards"]
    required: bool = False
    #: (value, what it is called)
    values: tuple[tuple[str, str], ...] = ()
    initial: tuple[str, ...] = ()
    help: str = ""
    #: whether a number may be below zero
    signed: bool = False
    #: how values look that are cards
    cards: Mapping[str, CardView] = {}
    #: whether it stands with what has to be filled in
    is_first: bool = False
    #: what it means to leave it out
    note: str = ""
    #: what it is called to choose none of the values
    label_of_none: str = LABEL_OF_NONE
    #: whether there are values that are not listed, because nobody at the table has met them, but can be typed
    takes_others: bool = False


class Form(Struct, frozen=True):
    """One action, to be filled in; `whose` are those whom it may be about, the first of them chosen."""

    verb: str
    title: str
    help: str
    controls: tuple[Control, ...] = ()
    #: what is to be chosen before the rest can be asked for; None: that is chosen, or there is no such thing
    first: Control | None = None
    #: what was chosen so
    after: str = ""
    #: fields of the action that are settled already
    presets: tuple[tuple[str, str], ...] = ()
    whose: tuple[str, ...] = ()
    about: str = ""
    #: why it cannot be filled in now
    why_not: str = ""


class FormEntry(Struct, frozen=True):
    """One action in a list of them."""

    name: str
    shorts: tuple[str, ...]
    help: str


class Forms:
    """The forms of one seat: `player` is whose it is; None: the referee's, who acts for everybody."""

    def __init__(
        self,
        audience: Audience,
        player: str | None,
        preview_of: Callable[[Action], str],
        cards: Callable[[], Mapping[str, CardView]],
    ) -> None:
        self.audience, self._player, self._preview_of, self._cards = audience, player, preview_of, cards
        #: up to which turn it is known which actions are possible, and which
        self._possible: tuple[int, frozenset[str]] = (-1, frozenset())

    def plays(self) -> tuple[str, ...]:
        """The characters that this seat acts for."""
        return played_by(self.audience.current(), self._player)

    @cached_property
    def _kinds(self) -> Mapping[str, type[Action]]:
        return {
            verb_name(verb.kind): verb.kind
            for verb in verbs_of(self.audience.system.key)
            if verb.kind not in WITHOUT_FORM and (self._player is None or is_for_players(verb.kind))
        }

    def entries(self) -> tuple[FormEntry, ...]:
        """The actions that this seat can fill in now, those with a short name first."""
        possible = self._possible_now()
        entries = [_entry(name, kind) for name, kind in self._kinds.items() if name in possible]
        return tuple(sorted(entries, key=lambda entry: not entry.shorts))

    def at_hand(self) -> tuple[FormEntry, ...]:
        """Those with a short name that are no answer to what the rules ask: a list for the first page."""
        acts = self._acts_now()
        return tuple(
            _entry(name, kind)
            for name, kind in self._kinds.items()
            if kind.shorts and not kind.only_when_pending and self._has_something_to_act_on(kind, acts)
        )

    def _has_something_to_act_on(self, kind: type[Action], acts: bool) -> bool:
        """Whether there is a character for what needs one, a turn to undo, an undo of late to redo; a quick check."""
        log, last = self.audience.log, self.audience.log.last()
        if kind is Undo:
            return last > 1
        if kind is Redo:
            return any(True for _ in log.read(max(0, last - LATELY), last, (tag_of(Undo),)))
        return acts or not any(field.required and field.names == "character" for field in fields_of(kind))

    def _acts_now(self) -> bool:
        """Whether this seat has a character who is not out of play, as the dead and the retired are."""
        system, state, names = self.audience.system, self.audience.current(), self.plays()
        if any(system.fallen(state, name) is None and state.characters[name].away is None for name in names):
            return True
        sheets = self.audience.sheets(state)
        return len(ends_of_those_out(system, state, {name: sheets[name] for name in names})) < len(names)

    # -- what could be done at all -------------------------------------------------------------------------

    def _possible_now(self) -> frozenset[str]:
        """The verbs that are not refused whatever is filled in; worked out once a turn."""
        last = self.audience.log.last()
        if self._possible[0] != last:
            self._possible = (last, frozenset(name for name, kind in self._kinds.items() if self._is_possible(kind)))
        return self._possible[1]

    def _is_possible(self, kind: type[Action]) -> bool:
        asked_for = {choice.action for choice in self.audience.choices()}
        if kind in COMMON or kind in asked_for:
            return True
        return is_possible(kind, self.plays(), self.audience, self._preview_of)

    def able(self, kind: type[Action]) -> tuple[str, ...]:
        """The characters of this seat, without those for whom such an action can only be refused; all if it is so."""
        names, choices = self.plays(), self.audience.choices()
        if kind in COMMON or not names:
            return names
        # whoever has nothing to settle first is asked about nothing
        fallen = {name for name in names if self.audience.system.fallen(self.audience.known(), name)}
        awaited = {about_whom(choice) for choice in choices if choice.action is kind}
        doubtful = (fallen | {about_whom(choice) for choice in choices}) - awaited
        ruled_out = {
            name
            for name in names
            if name in doubtful and not is_possible(kind, (name,), self.audience, self._preview_of)
        }
        return tuple(name for name in names if name not in ruled_out) or names

    # -- one form ------------------------------------------------------------------------------------------

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
        kind = self._kind(verb)
        content = dict(content or {})
        fields = [
            field for field in map(as_list, fields_of(kind)) if _is_filled_in(field) and self._has_a_meaning(field)
        ]
        able = self.able(kind)
        title, help_ = capitalised(verb).replace("-", " "), inspect.getdoc(kind) or ""
        first = next((field for field in fields if field.asked_first), None)
        if first is not None and not content.get(first.key):
            return Form(verb, title, help_, first=self._asked_first(kind, first, titles))
        who = next((field for field in fields if field.names == "character" and field.kind.shape == "text"), None)
        presets: list[tuple[str, str]] = []
        about = ""
        if who is not None and who.required and able:
            about = str(content.get(who.key, "")) or next((name for name in self.plays() if name == whose), able[0])
            presets.append((f"{PREFIX}{who.key}", about))
            fields.remove(who)
        after = ""
        if first is not None:
            after = self._with_title(first, str(content[first.key]), titles)
            presets.append((f"{PREFIX}{first.key}", str(content[first.key])))
            fields.remove(first)
        # what the table waits for has to be filled in, and what somebody chose to fill in stands first
        first_names = [f"{PREFIX}{key}" for key in asks]
        parts = (
            replace(control, required=True, note="")
            if self._is_reported(kind, field, about)
            else replace(control, is_first=control.is_first or control.name in first_names)
            for field in fields
            for control in self._controls(kind, field, about or None, content, able)
        )
        # nothing to choose from: it is left out by itself
        controls = tuple(
            control for control in parts if control.required or control.values or control.kind not in LISTS
        )
        why_not = ""
        if any(
            control.required and control.kind in ("choice", "several") and not control.values for control in controls
        ):
            why_not = "There is nothing to choose from right now." if able else "Nobody is enrolled yet."
        return Form(
            verb,
            title,
            help_,
            controls,
            after=after,
            presets=tuple(presets),
            whose=able if about else (),
            about=about,
            why_not=why_not,
        )

    def _is_reported(self, kind: type[Action], field: Field, whose: str) -> bool:
        """Whether the table waits for a value of this field, which somebody has to read off a card."""
        if not field.usual:
            return False
        return any(
            choice.action is kind and field.key in choice.asks and (about_whom(choice) or "") == whose
            for choice in self.audience.choices()
        )

    def in_address(self, verb: str, query: Mapping[str, str]) -> Mapping[str, str]:
        """What the address of a form may say of it: a turn, and what is asked first. Raises Unknown."""
        keys = {field.key for field in fields_of(self._kind(verb)) if field.turn or field.asked_first}
        return {name: value[:LONGEST_VALUE] for name, value in query.items() if name in keys}

    def asks_for_a_paragraph(self, verb: str) -> bool:
        """Whether a form asks first which paragraph is meant. Raises Unknown."""
        return any(field.asked_first and field.key == "rule" for field in fields_of(self._kind(verb)))

    def _asked_first(self, kind: type[Action], field: Field, titles: Mapping[str, str]) -> Control:
        """What is chosen before the rest: a paragraph in force, or one of the values that the rules list."""
        system, state = self.audience.system, self.audience.known()
        legal = list(titles) if field.key == "rule" else legal_values(system, state, kind, field, None)
        values = tuple((value, self._with_title(field, value, titles)) for value in legal)
        # what nobody has met is not listed, and what a file tells is not known yet
        others = bool(system.spoilers(state, kind, field.key)) or any(
            other.file is not None for other in fields_of(kind)
        )
        return Control(field.key, _name(field), "choice", True, values, takes_others=others)

    def _with_title(self, field: Field, value: str, titles: Mapping[str, str]) -> str:
        """A value of what is asked first, as it is read: a paragraph with its title. Raises Unknown."""
        if field.key != "rule":
            return value.replace("_", " ")
        number = known_rule(self.audience.system, value, self.audience.known().campaign.paragraphs)
        return f"{number} {titles.get(number, '')}".rstrip()

    def _kind(self, verb: str) -> type[Action]:
        asked_for = (choice.action for choice in self.audience.choices())
        kind = self._kinds.get(verb) or next((action for action in asked_for if verb_name(action) == verb), None)
        if kind is None:
            raise Unknown("action", verb, f"There is no form for {verb[:60]!r} here", "/act lists what there is.")
        return kind

    def _has_a_meaning(self, field: Field) -> bool:
        """Whether the options in force give a field a meaning."""
        options = self.audience.known().options
        return all(getattr(options, name) == value for name, value in field.under.items())

    def _controls(
        self, kind: type[Action], field: Field, whose: str | None, content: Mapping[str, Any], able: Sequence[str]
    ) -> Iterator[Control]:
        if kind is Ruling and field.key == OPTIONS:
            state = self.audience.known()
            rule = known_rule(self.audience.system, str(content["rule"]), state.campaign.paragraphs)
            for option in options_of(self.audience.system.options).values():
                if option.rule == rule:
                    yield _control_of(option, getattr(state.options, option.name))
        elif field.keyed_by_names and field.names is None:
            for name in able:
                label = f"{_label(field)}: {called(name)}"
                yield Control(
                    f"{PREFIX}{field.key}.{name}", label, "dice", help=DICE_HELP, is_first=True, note=_note(field)
                )
        else:
            yield self._control(kind, field, whose, content, able)

    def _control(
        self, kind: type[Action], field: Field, whose: str | None, content: Mapping[str, Any], able: Sequence[str]
    ) -> Control:
        control = self._input(kind, field, whose, content, able)
        reports = control.kind in ("cards", "dice")
        # a single word that may be left out says something beside
        is_word = field.kind.shape == "choice" and len(field.kind.choices) == 1
        is_first = control.is_first or (field.in_order and not reports and not is_word)
        is_needed = control.required or control.kind == "flag" or (reports and is_first)
        note = "" if is_needed else _note(field)
        beginnings = [begin for begin in LEFT_OUT if note.startswith(begin)]
        label_of_none = note.removeprefix(beginnings[0]).strip() if beginnings else LABEL_OF_NONE
        # what means the same as one of the values would stand there twice
        if control.kind == "choice" and label_of_none.removeprefix("a ") not in (label for _, label in control.values):
            return replace(control, is_first=is_first, label_of_none=label_of_none)
        return replace(control, is_first=is_first, note=note)

    def _input(
        self, kind: type[Action], field: Field, whose: str | None, content: Mapping[str, Any], able: Sequence[str]
    ) -> Control:
        entry = content.get(field.key)
        preset = (
            tuple(map(str, entry)) if isinstance(entry, list | tuple) else (str(entry),) if entry is not None else ()
        )
        state = self.audience.known()
        name, label, required = f"{PREFIX}{field.key}", _label(field), field.required
        if field.names == "new character":
            return Control(name, label, "text", required, (), preset)
        cards_in = self.audience.system.cards_to_report(state, kind, field.key, whose)
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
                return Control(name, label, "choice", True, (("yes", "yes"), ("no", "no")), preset)
            is_set = preset[0] == "True" if preset else field.default is True
            return Control(name, label, "flag", False, (), ("yes",) if is_set else ())
        if field.dice:
            return Control(name, label, "dice", required, (), ("".join(preset),) if preset else (), DICE_HELP)
        legal = legal_values(self.audience.system, state, kind, field, whose, content)
        if not legal and field.added_by is None and self.audience.system.proposals(state, kind, field.key, whose) == ():
            return Control(name, label, "choice", required)  # the rules know that there is nothing
        if legal:
            values = tuple((value, field.kind.reading_of(value)) for value in legal)
            faces = self._cards()
            cards = {value: faces[value] for value in legal if value in faces}
            hides = bool(self.audience.system.spoilers(state, kind, field.key))
            several: Literal["several", "choice"] = "several" if field.kind.shape == "list" else "choice"
            return Control(name, label, several, required, values, preset, cards=cards, takes_others=hides)
        if self._is_reported(kind, field, whose or ""):
            values = tuple((value, value) for value in field.usual)
            return Control(name, label, "choice", required, values, preset, takes_others=True)
        return self._input_of_text(field, whose, preset)

    def _input_of_names(
        self, kind: type[Action], field: Field, whose: str | None, able: Sequence[str], preset: tuple[str, ...]
    ) -> Control:
        """The control for characters: whom it is about, or the others."""
        state, required, many = self.audience.known(), field.required, field.kind.shape == "list"
        is_about = field.key == next(candidate.key for candidate in fields_of(kind) if candidate.names)
        is_own = is_about and field.names == "character" and (required or self._player is not None)
        if is_own or field.among:
            names = tuple(able)
        elif is_about or field.names == "ally":
            names = tuple(state.characters)
        else:  # the other side of it
            names = tuple(name for name in able_to_act(self.audience.system, state) if name != whose)
        values = tuple((name, called(name)) for name in names)
        alone = names if many and required and len(names) == 1 else ()
        # a player speaks for the own characters, and for nobody's things
        is_required = required or (is_own and not many and kind is not Note)
        control: Literal["several", "choice"] = "several" if many else "choice"
        return Control(f"{PREFIX}{field.key}", _label(field), control, is_required, values, preset or alone)

    def _input_of_text(self, field: Field, whose: str | None, preset: tuple[str, ...]) -> Control:
        """The control for what is typed, as no values are proposed for it."""
        name, label, required = f"{PREFIX}{field.key}", _label(field), field.required
        if field.turn:
            return Control(name, label, "text", required, (), preset, "like T12")
        if field.kind.shape == "number":
            return Control(name, label, "number", required, (), preset, signed=field.kind.bounds.get("ge", -1) < 0)
        if field.file is not None:
            return Control(name, label, "long", required, (), preset, "as TOML")
        if field.kind.shape == "map":
            return Control(name, label, "text", required, (), preset, _like(field, self.audience, whose))
        return Control(name, label, "long" if field.remark else "text", required, (), preset)

    def line(self, verb: str, form_fields: Mapping[str, Sequence[str]]) -> str:
        """An amendment as the line that says only what is otherwise; nothing of any other action. Raises Unknown."""
        if self._kind(verb) is not Amend:
            return ""
        texts = {
            key: " ".join(form_fields.get(f"{PREFIX}{key}", ())).strip()
            for key in ("turn", "action", "why", "conflicts")
        }
        conflicts = f" conflicts={texts['conflicts']}" if texts["conflicts"] else ""
        why = f" why {quote(texts['why'])}" if texts["why"] else ""
        return f"amend {texts['turn']} {texts['action']}{why}{conflicts}"

    def own_words(self, verb: str, form_fields: Mapping[str, Sequence[str]], outcome: str) -> str:
        """What to know of a reported value that stands in the outcome as it was typed: it is none of the usual ones."""
        for field in fields_of(self._kind(verb)):
            text = "".join(form_fields.get(f"{PREFIX}{field.key}", ())[-1:]).strip()
            if field.usual and text and text not in field.usual and f" {text}" in outcome:
                return f"“{text}” is none of {listed(field.usual)}: it is recorded in your words."
        return ""

    def action(self, verb: str, form_fields: Mapping[str, Sequence[str]]) -> str:
        """What was filled in, as the JSON of an action. Raises Unknown, Invalid."""
        kind = self._kind(verb)
        fields = tuple(map(as_list, fields_of(kind)))
        value: dict[str, Any] = {"type": tag_of(kind)}
        for field in fields:
            if not _is_filled_in(field):
                continue
            words = [word.strip() for word in form_fields.get(f"{PREFIX}{field.key}", ()) if word.strip()]
            # as it would be typed in a line
            words = [word.removeprefix(f"{field.key}=") for word in words]
            if field.keyed_by_names:
                # dice that name nobody belong to whoever alone is named, as in a line
                bare = [word if "=" in word else ",".join(word.replace(",", " ").split()) for word in words]
                words = [*bare, *_by_name(f"{PREFIX}{field.key}.", form_fields)]
            if kind is Ruling and field.key == OPTIONS:
                if options := _options_from(options_of(self.audience.system.options), form_fields):
                    value[field.key] = options
            elif field.kind.shape == "flag":
                # a box that is not ticked sends nothing
                is_ticked = "yes" in words
                if is_ticked != (field.default is True) or (field.required and words):
                    value[field.key] = is_ticked
            elif words:
                if shape_of(field) == "map" and not field.keyed_by_names:
                    _must_be_pairs(field, words, self.audience, value.get("character"))
                value[field.key] = _value(field, words, value, fields)
            elif field.required or self._is_reported(kind, field, str(value.get("character", ""))):
                raise Invalid(f"{_name(field)} is missing.")
        try:
            return msgspec.json.encode(action_from(self.audience.log.rules, value)).decode()
        except Unfit as error:
            # a form has labels, and no names of fields
            wrong = next((field for field in fields if error.without_tag.startswith(f"{field.key} ")), None)
            if wrong is None:
                raise
            raise Invalid(f"{_label(wrong)}{error.without_tag.removeprefix(wrong.key)}") from None


def _control_of(option: Option, now: Any) -> Control:
    """An option that a ruling may set, which has the value `now`."""
    name, label = f"{PREFIX}{OPTIONS}.{option.name}", capitalised(option.meaning)
    as_now = f"as it is now: {_value_of_text(now)}"
    if option.values is None:
        is_number = kind_of(option.type).shape == "number"
        return Control(name, label, "number" if is_number else "text", is_first=True, note=as_now)
    values = tuple((as_written(value), _value_of_text(value)) for value in option.values)
    return Control(name, label, "choice", values=values, is_first=True, label_of_none=as_now)


def _value_of_text(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else as_written(value).replace("_", " ")


def _options_from(options: Mapping[str, Option], form_fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """The options that the form of a ruling sets, each value as a line at the table reads it."""
    begin = f"{PREFIX}{OPTIONS}."
    texts = {
        key.removeprefix(begin): values[-1].strip() for key, values in form_fields.items() if key.startswith(begin)
    }
    return {
        name: json_or_text(text, options[name].type if name in options else Any) for name, text in texts.items() if text
    }


def _by_name(begin: str, form_fields: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What was filled in for each name, as NAME=VALUES."""
    for key, values in form_fields.items():
        if key.startswith(begin) and (parts := values[-1].replace(",", " ").split()):
            yield f"{key.removeprefix(begin)}={','.join(parts)}"


def _label(field: Field) -> str:
    words, _ = _label_and_help(field.description or field.key.replace("_", " "))
    choices = field.kind.offered_choices
    # what can be chosen stands below
    return capitalised(words.removesuffix(f": {either(choices)}") if choices else words)


def _name(field: Field) -> str:
    """The label of a field without examples of its values."""
    return _label(field).partition(", like ")[0]


def _note(field: Field) -> str:
    """What it means to leave a field out, where its description ends with that."""
    has_default = field.kind.shape == "number" and isinstance(field.default, int)
    return _label_and_help(field.description)[1] or (f"otherwise {field.default}" if has_default else "optional")


def _label_and_help(description: str) -> tuple[str, str]:
    """What a field is, and what it means to leave it out ("" where it does not say)."""
    description = description.removesuffix(".")
    what, _, end = description.rpartition("; ")
    return (what, end) if end.startswith(LEFT_OUT) and what else (description, "")


def _like(field: Field, audience: Audience, whose: str | None) -> str:
    """How a map is typed, with a name that it may have."""
    state = audience.known()
    if field.key == "action":
        return "like amount=3"
    if field.keyed_by_names:
        return "NAME=5,4 for everyone who rolls"
    if whose is not None and field.key in ("set", "expect"):
        vital = audience.system.vital[0]
        return f"{vital}={audience.system.to_view(state, whose).get(vital)}"
    return "NAME=VALUE, separated by spaces"


def _must_be_pairs(field: Field, words: Sequence[str], audience: Audience, whose: str | None) -> None:
    """Raise Invalid, with what is likely meant, for a map that is not typed as names with their values."""
    parts = [part for word in words for part in word.split()]
    if all("=" in part for part in parts):
        return
    match parts:
        case [value] if value.isdecimal() and field.key in ("set", "expect"):
            example = f"{audience.system.vital[0]}={value}"
        case [name, value] | [name, "=", value] if "=" not in name + value:
            example = f"{name}={value}"
        case _:
            example = _like(field, audience, whose)
    raise Invalid(f"Write a name and its value with = between them: {example}")


def _value(field: Field, words: list[str], so_far: dict[str, Any], fields: tuple[Field, ...]) -> Any:
    """The value of one field as it was typed. Raises Invalid."""
    if field.file is not None:
        try:
            return tomllib.loads("\n".join(words))
        except tomllib.TOMLDecodeError as error:
            raise Invalid(f"{_label(field)} is not TOML: {error}.") from None
    if field.turn and field.kind.shape == "list":
        return [number for word in words for number in turn_numbers(word.replace(",", " ").split())]
    if field.turn and field.kind.shape == "number":
        return turn_number(words[-1])
    if field.kind.letter and field.kind.shape == "number":
        words = [word.removeprefix(field.kind.letter).removeprefix(field.kind.letter.lower()) for word in words]
    if shape_of(field) == "map" or field.dice or _lists_ids(field):
        words = [part for word in words for part in word.split()]
    return field_value(field, words, so_far, fields)


def _entry(name: str, kind: type[Action]) -> FormEntry:
    return FormEntry(name, tuple(kind.shorts), (inspect.getdoc(kind) or "").partition("\n")[0])


def _lists_ids(field: Field) -> bool:
    """Whether a field lists values without spaces out of a fixed set, so that spaces part them."""
    item = field.kind.item if field.kind.shape == "list" else None
    return item is not None and bool(item.values) and not any(" " in value for value in item.values or ())


def _is_filled_in(field: Field) -> bool:
    """Whether a field has a place in a form: not what holds records of its own, but for a file that can be pasted."""
    if field.file is not None:
        return True
    item = field.kind.item if field.kind.shape == "list" else None
    deep = {"object", "any", "map"}
    return not (item is not None and item.shape in deep) and field.kind.shape not in ("object", "any")
