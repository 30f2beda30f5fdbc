"""An action as a form: which fields it has at one seat, and what is legal in each now; and the action filled in."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cli.line.amending import action_of
from cli.line.grammar import as_list
from cli.line.trials import why_not
from cli.line.verbs import verbs_of
from cli.recording.audience import Audience
from cli.serving.controls import (
    LABEL_OF_NONE,
    OPTIONS,
    PREFIX,
    Control,
    control_of_option,
    holds_sheet_fields,
    label_of_field,
    label_of_sheet_field,
    left_out,
    name_of_field,
    note_of_field,
    sheet_controls,
    types_of_sheet,
)
from cli.serving.form_values import dice_by_name, pairs_in_words, value_from, values_by_name, what_is_wrong
from cli.serving.permissions import is_for_players
from cli.serving.wording import sentence_in_words
from cli.shell.references import turn_number
from cli.terminal.sheet import ends_of_those_out
from domain.common import ACTIONS as COMMON
from domain.common.notes import Note
from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.common.rulings import Ruling
from domain.common.tracking import Track
from domain.log.backdating import PLACELESS
from domain.log.deciding import names_in
from domain.naming import called, capitalised, listed
from domain.refusal import Invalid, Refusal, Unfit, Unknown
from domain.registry import action_from, tag_of, verb_name
from domain.system.drafts import about as about_whom
from domain.system.drafts import legal_values
from domain.system.field_schema import NEW, Field, fields_of
from domain.system.groups import able as able_to_act
from domain.system.options import options_of
from domain.system.paragraphs import known_rule
from domain.system.rows import CardView
from domain.turn import Action
from projections.secrecy import played_by

#: Fields that stand with what has to be filled in although they may be left out, by the actions that have them.
ASKED: Mapping[type[Action], tuple[str, ...]] = {Track: ("character", "value")}
#: The same of whatever brings somebody in: who plays them.
PLAYER = "player"
#: The name of the field that says when it happened, of what may be told late.
AFTER = "after"
#: Turns among which an undo is looked for, for a redo to be at hand.
LATELY = 12
#: Controls with which something is chosen from a list.
LISTS = ("choice", "several", "cards")
#: How dice are typed.
DICE_HELP = "as rolled: 5 4 5"
#: What the name of a field of an amended turn begins with, and the actions that are not amended.
AMENDED = f"{PREFIX}action."
REVISING = frozenset(map(tag_of, REVISIONS))
#: What an address says of a form is cut off here.
LONGEST_VALUE = 200


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
    #: the turn directly after which it happened, as an address said; "": it happens now, or that is to be filled in
    late: str = ""
    #: why it cannot be filled in now
    why_not: str = ""
    #: why the table waits for it, as which saves against what
    awaited: str = ""


class FormEntry(Struct, frozen=True):
    """One action in a list of them."""

    name: str
    help: str


#: Where an action stands in the list of all: what the table waits for, what is done all evening, what is about the
#: evening and the rules, and the rest.
Group = Literal["Now", "Often", "For the table", "More"]


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
        self.audience, self._player, self._cards = audience, player, cards
        self._amendable, self.late = amendable, late
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
            if not (self.late and issubclass(verb.kind, REVISIONS))
            and (self._player is None or verb.kind is Amend or is_for_players(verb.kind))
        }

    def entries(self) -> Mapping[Group, Sequence[FormEntry]]:
        """The actions that this seat can fill in now, by their groups."""
        possible, awaited = self._possible_now(), {choice.action for choice in self.audience.choices()}
        groups: dict[Group, list[FormEntry]] = {"Now": [], "Often": [], "For the table": [], "More": []}
        for name, kind in self._kinds.items():
            if name in possible:
                is_common = kind in COMMON and not kind.shorts
                group: Group = (
                    "Now" if kind in awaited else "For the table" if is_common else "Often" if kind.shorts else "More"
                )
                groups[group].append(_entry(name, kind))
        return {group: entries for group, entries in groups.items() if entries}

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
        needed = [field for field in fields_of(kind) if field.required]
        if any(field.names == "character" for field in needed) and not acts:
            return False
        # as an item, of those who have none
        system, state, names = self.audience.system, self.audience.known(), self.plays()
        return not names or not any(
            field.added_by is None and all(system.proposals(state, kind, field.key, name) == () for name in names)
            for field in needed
        )

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
        return why_not(self.audience.context, kind, self.plays()) is None

    def able(self, kind: type[Action]) -> tuple[str, ...]:
        """The characters of this seat, without those for whom such an action can only be refused; all if it is so."""
        names, choices = self.plays(), self.audience.choices()
        if kind in COMMON or not names:
            return names
        # whoever has nothing to settle first is asked about nothing
        fallen = {name for name in names if self.audience.system.fallen(self.audience.known(), name)}
        awaited = {about_whom(choice) for choice in choices if choice.action is kind}
        if kind.only_when_pending and awaited & set(names):
            return tuple(name for name in names if name in awaited)
        doubtful = (fallen | {about_whom(choice) for choice in choices}) - awaited
        context = self.audience.context
        ruled_out = {name for name in names if name in doubtful and why_not(context, kind, (name,))}
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
        if kind is Amend:
            return self._form_of_amendment(verb, content)
        fields = [
            field for field in map(as_list, fields_of(kind)) if is_filled_in(field) and self._has_a_meaning(field)
        ]
        title, help_ = capitalised(verb).replace("-", " "), inspect.getdoc(kind) or ""
        first = next((field for field in fields if field.asked_first), None)
        if first is not None and not content.get(first.key):
            return Form(verb, title, help_, first=self._asked_first(kind, first, titles), late=self.late)
        able, about = self.able(kind), ""
        who = next((field for field in fields if field.names == "character" and field.kind.shape == "text"), None)
        if who is not None and not who.required and whose in self.plays():
            content.setdefault(who.key, whose)
        settled: dict[str, str] = {}
        if who is not None and who.required and able:
            about = settled[who.key] = str(content.get(who.key, "")) or (
                whose if whose in self.plays() else self._first_for_whom(kind, able)
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
            late=self.late,
            why_not=nothing if lacks else "",
            awaited=self._why_awaited(kind, about),
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
            if self._is_reported(kind, field, about)
            else replace(control, is_first=control.is_first or control.name in first_names)
            for field in fields
            for control in self._controls(kind, field, about or None, content, able)
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
        if self._player is None and not issubclass(kind, PLACELESS):
            when, initial = "After which turn did it happen?", (self.late,) if self.late else ()
            controls += (Control(AFTER, when, "text", initial=initial, help="like T12", note="otherwise just now"),)
        return controls

    def _why_awaited(self, kind: type[Action], whose: str) -> str:
        """Why the table waits for such an action of somebody; "" if it does not."""
        whys = (
            decision.why or decision.prompt
            for decision in self.audience.pending()
            if any(choice.action is kind and about_whom(choice) == whose for choice in decision.choices)
        )
        return next(whys, "")

    def _first_for_whom(self, kind: type[Action], able: Sequence[str]) -> str:
        """The first of these for whom an action is not refused whatever is filled in, as the wounded to be treated."""
        if kind in COMMON or len(able) == 1:
            return able[0]
        context = self.audience.context
        possible = (name for name in able if why_not(context, kind, (name,)) is None)
        return next(possible, able[0])

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
        return Control(field.key, name_of_field(field), "choice", True, values, takes_others=others)

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
            raise Unknown(
                "action", verb, f"There is no form for {verb[:60]!r} here", "What can be done is listed under Do."
            )
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
                    yield control_of_option(option, getattr(state.options, option.name))
        elif holds_sheet_fields(field):
            yield from sheet_controls(self.audience, field, whose or able[0]) if whose or able else ()
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
        state = self.audience.known()
        name, label, required = f"{PREFIX}{field.key}", label_of_field(field), field.required
        if field.names == NEW:
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
                initial = ("yes" if entry else "no",) if isinstance(entry, bool) else ()
                return Control(name, label, "choice", True, (("yes", "yes"), ("no", "no")), initial)
            is_set = preset[0] == "True" if preset else field.default is True
            return Control(name, label, "flag", False, (), ("yes",) if is_set else ())
        if field.dice:
            return Control(name, label, "dice", required, (), (" ".join(preset),) if preset else (), DICE_HELP)
        legal = legal_values(self.audience.system, state, kind, field, whose, content)
        if field.added_by is not None and len(legal) == 1:
            preset = preset or (legal[0],)  # the only foe there is
        if not legal and field.added_by is None and self.audience.system.proposals(state, kind, field.key, whose) == ():
            return Control(name, label, "choice", required)  # the rules know that there is nothing
        if legal:
            values = tuple((value, field.kind.reading_of(value)) for value in legal)
            faces = self._cards()
            cards = {value: faces[value] for value in legal if value in faces}
            hides = bool(self.audience.system.spoilers(state, kind, field.key))
            several: Literal["several", "choice"] = "several" if field.kind.shape == "list" else "choice"
            # at a foe or at nobody: that would be refused
            needed = required or field.added_by is not None
            return Control(name, label, several, needed, values, preset, cards=cards, takes_others=hides)
        if self._is_reported(kind, field, whose or ""):
            values = tuple((value, value) for value in field.usual)
            return Control(name, label, "choice", required, values, preset, takes_others=True)
        return self._input_of_text(field, preset)

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

    def own_words(self, verb: str, form_fields: Mapping[str, Sequence[str]], outcome: str) -> str:
        """What to know of a reported value that stands in the outcome as it was typed: it is none of the usual ones."""
        for field in fields_of(self._kind(verb)):
            text = "".join(form_fields.get(f"{PREFIX}{field.key}", ())[-1:]).strip()
            if field.usual and text and text not in field.usual and f" {text}" in outcome:
                return f"“{text}” is none of {listed(field.usual)}: it is recorded in your words."
        return ""

    def action(self, verb: str, form_fields: Mapping[str, Sequence[str]]) -> str:
        """What was filled in, as the JSON of an action. Raises Unknown, Invalid, Refusal."""
        kind = self._kind(verb)
        if kind is Amend:
            value = self._amendment_from(form_fields)
        else:
            value = {"type": tag_of(kind), **self._values(kind, form_fields)}
            self._check_target(kind, value)
            self._check_chosen(kind, value, form_fields)
        return msgspec.json.encode(self._as_action(value)).decode()

    def _check_target(self, kind: type[Action], value: Mapping[str, Any]) -> None:
        """Raise Invalid for what is aimed at nobody while there are foes to choose from."""
        for field in fields_of(kind):
            is_open = field.added_by is not None and not value.keys() & {field.key, *field.unless}
            if is_open and legal_values(self.audience.system, self.audience.known(), kind, field, None, value):
                raise Invalid(f"Choose first: {_decapitalised(name_of_field(field))}.")

    def _as_action(self, value: Mapping[str, Any]) -> Action:
        """Fields that were filled in as an action. Raises Invalid with their labels."""
        try:
            return action_from(self.audience.log.rules, value)
        except Unfit as error:
            raise Invalid(what_is_wrong(error.field, error.value)) from None

    def _check_chosen(
        self, kind: type[Action], value: Mapping[str, Any], form_fields: Mapping[str, Sequence[str]]
    ) -> None:
        """Raise Invalid where nothing is chosen of what decides the outcome of an attack on a foe either way."""
        target = next((field for field in fields_of(kind) if field.added_by is not None), None)
        if target is None or value.keys() & set(target.unless):
            return
        for field in map(as_list, fields_of(kind)):
            if field.added_by is None and field.in_order and f"{PREFIX}{field.key}" not in form_fields:
                whose = next(iter(self.plays()), None)
                if self._control(kind, field, whose, {}, self.plays()).decides:
                    raise Invalid(f"Choose first: {_decapitalised(name_of_field(field))}.")

    def _values(self, kind: type[Action], form_fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """The fields of an action as they were filled in. Raises Invalid."""
        value: dict[str, Any] = {}
        for field in filter(is_filled_in, map(as_list, fields_of(kind))):
            words = [word.strip() for word in form_fields.get(f"{PREFIX}{field.key}", ()) if word.strip()]
            # as it would be typed in a line
            words = [word.removeprefix(f"{field.key}=") for word in words]
            begin, label = f"{PREFIX}{field.key}.", label_of_field(field)
            if kind is Ruling and field.key == OPTIONS:
                options = options_of(self.audience.system.options)
                types: Mapping[str, Any] = {name: option.type for name, option in options.items()}
                meanings = {name: option.meaning for name, option in options.items()}
                value[field.key] = values_by_name(begin, form_fields, types, meanings)
            elif holds_sheet_fields(field):
                types = types_of_sheet(self.audience)
                labels = {name: label_of_sheet_field(self.audience.system, name) for name in types}
                value[field.key] = values_by_name(begin, form_fields, types, labels)
            elif field.keyed_by_names:
                value[field.key] = dice_by_name(field, form_fields, value.get(field.keyed_by or ""))
            elif field.kind.shape == "map" and field.file is None:
                value[field.key] = pairs_in_words(label, " ".join(words)) if words else {}
            elif field.kind.shape == "flag":
                # a box that is not ticked sends nothing
                is_ticked = "yes" in words
                if is_ticked != (field.default is True) or (field.required and words):
                    value[field.key] = is_ticked
            elif words:
                value[field.key] = value_from(field, words, str(value.get(field.sides_in or "")))
            if not value.get(field.key, True) and field.kind.shape == "map":
                del value[field.key]  # nothing was filled in
            if field.added_by is not None and any(key in value for key in field.unless):
                value.pop(field.key, None)  # the only foe was chosen by itself, and somebody else by hand
            needed = field.required or self._is_reported(kind, field, str(value.get("character", "")))
            if needed and field.key not in value:
                name = name_of_field(field)
                if name.endswith("?"):
                    raise Invalid(f"Answer first: {name}")
                whose = str(value.get("character", "")) or None
                is_chosen = self._input(kind, field, whose, value, self.able(kind)).kind in ("choice", "several")
                raise Invalid(f"Choose first: {_decapitalised(name)}." if is_chosen else f"{name} is missing.")
        return value

    # -- an earlier turn, corrected ------------------------------------------------------------------------

    def _form_of_amendment(self, verb: str, content: Mapping[str, Any]) -> Form:
        """The form of the turn that is amended, as it stands; which turn that is, is asked first. Raises Unknown."""
        title, help_ = capitalised(verb), inspect.getdoc(Amend) or ""
        own = self._amendable()
        turn = str(content.get("turn", "")) or (f"T{own[0]}" if own is not None and len(own) == 1 else "")
        if not turn:
            last = self.audience.log.last()
            values = tuple(
                (f"T{entry.turn}", f"T{entry.turn} {sentence_in_words(entry)}")
                for entry in reversed(list(self.audience.chronicle(max(1, last - LATELY), last)))
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
        reason = self._control(Amend, why, None, {}, ())
        return Form(
            verb, title, help_, (*controls, reason), after=f"T{number}", presets=((f"{PREFIX}turn", f"T{number}"),)
        )

    def _turn_to_amend(self, turn: str) -> tuple[int, Action]:
        """A turn and what it says by now.

        Raises Refusal for one that this seat may not amend, Unknown where there is none, Invalid for no turn.
        """
        number, own = turn_number(turn), self._amendable()
        if not isinstance(number, int):
            raise Invalid("Which turn? Write it like T12.")
        if own is not None and number not in own:
            raise Refusal(None, "You may change your own last line, and no other.")
        action = action_of(self.audience.context, number)
        if isinstance(action, REVISIONS):
            raise Refusal(None, f"T{number} changes earlier turns itself; undo it instead.")
        return number, action

    def _controls_of_turn(self, action: Action) -> Iterator[Control]:
        """The fields of a turn with the values that it has."""
        kind, content = type(action), msgspec.to_builtins(action)
        names = self.plays()
        for field in map(as_list, fields_of(kind)):
            if not is_filled_in(field) or field.file is not None or not self._has_a_meaning(field):
                continue
            whose = next(iter(names_in(action)), None)
            for control in self._controls(kind, field, whose, content, names):
                known = {value for value, _ in control.values}
                # what it says need not be one of what could be chosen by now
                values = [*control.values, *((value, value) for value in control.initial if value not in known)]
                if control.kind not in LISTS or values:
                    name = f"{AMENDED}{control.name.removeprefix(PREFIX)}"
                    yield replace(control, name=name, values=tuple(values) if control.kind in LISTS else control.values)

    def _amendment_from(self, form_fields: Mapping[str, Sequence[str]]) -> dict[str, Any]:
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
        filled, whole = self._values(type(action), sent), msgspec.to_builtins(action)
        whole = {key: value for key, value in whole.items() if key not in changed}
        whole |= {key: value for key, value in filled.items() if key in changed}
        if self._as_action(whole) == action:
            raise Invalid(f"Change something of T{number}; so far it says what it said.")
        why = " ".join(form_fields.get(f"{PREFIX}why", ())).strip()
        return {"type": tag_of(Amend), "turn": number, "action": whole, **({"why": why} if why else {})}


def _decapitalised(label: str) -> str:
    """A label as it stands within a sentence."""
    return f"{label[:1].lower()}{label[1:]}"


def _with_only_candidate(control: Control) -> Control:
    """What has to be chosen, and can only be one thing, is chosen."""
    is_settled = control.required and control.kind == "choice" and len(control.values) == 1 and not control.takes_others
    return replace(control, initial=(control.values[0][0],)) if is_settled else control


def _entry(name: str, kind: type[Action]) -> FormEntry:
    return FormEntry(name, (inspect.getdoc(kind) or "").partition("\n")[0])


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
