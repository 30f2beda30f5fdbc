"""An action as a form: its fields from the same description as its verb, with what is legal now; and back again."""

import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import msgspec
from msgspec import Struct

from cli.line.verbs import verb_name, verbs_of
from cli.recording.audience import Audience
from cli.serving.doing import is_for_players
from cli.shell.words import field_value, shape_of
from domain.common.notes import Note
from domain.common.start import CampaignStart
from domain.naming import called
from domain.refusal import Invalid, Unknown
from domain.system.drafts import legal_values
from domain.system.field_schema import Field, fields_of
from domain.system.registry import action_from, tag_of
from domain.turn import Action
from projections.secrecy import played_by

#: What a field is called in a form.
PREFIX = "f."
#: The actions of every campaign that have a form; the others speak of earlier turns or of rules, and are typed.
COMMON: tuple[type[Action], ...] = (Note,)


class Control(Struct, frozen=True):
    """One field, as one fills it in."""

    name: str
    label: str
    kind: Literal["choice", "several", "number", "dice", "flag", "text", "long"]
    required: bool = False
    #: (value, what it is called)
    values: tuple[tuple[str, str], ...] = ()
    given: tuple[str, ...] = ()
    help: str = ""


class Form(Struct, frozen=True):
    """One action, to be filled in; `whose` are those whom it may be about, the first of them chosen."""

    verb: str
    title: str
    help: str
    controls: tuple[Control, ...]
    #: fields of the action that are settled already
    settled: tuple[tuple[str, str], ...] = ()
    whose: tuple[str, ...] = ()
    chosen: str = ""


class FormEntry(Struct, frozen=True):
    """One action in a list of them."""

    name: str
    shorts: tuple[str, ...]
    help: str


class Forms:
    """The forms of one seat: `plays` are the characters that it acts for; None: all of them."""

    def __init__(self, audience: Audience, player: str | None) -> None:
        self.audience, self._player = audience, player

    def plays(self) -> tuple[str, ...]:
        """The characters that this seat acts for."""
        return played_by(self.audience.current(), self._player)

    @cached_property
    def _kinds(self) -> Mapping[str, type[Action]]:
        found: dict[str, type[Action]] = {}
        for verb in verbs_of(self.audience.system.key):
            ours = verb.kind in COMMON or verb.kind in self.audience.system.actions
            fits = self._player is None or is_for_players(verb.kind)
            if ours and fits and verb.kind is not CampaignStart:
                found[verb_name(verb.kind)] = verb.kind
        return found

    def listed(self) -> tuple[FormEntry, ...]:
        """The actions that this seat can fill in: those with a short name first."""
        verbs = [
            FormEntry(name, tuple(kind.shorts), (inspect.getdoc(kind) or "").partition("\n")[0])
            for name, kind in self._kinds.items()
        ]
        return tuple(sorted(verbs, key=lambda verb: not verb.shorts))

    def form(self, verb: str, whose: str = "", given: Mapping[str, Any] | None = None) -> Form:
        """The form of an action. Raises Unknown if this seat has no such action."""
        kind = self._kind(verb)
        given = dict(given or {})
        fields = [field for field in fields_of(kind) if _is_filled_in(field)]
        who = next((field for field in fields if field.names == "character"), None)
        settled: list[tuple[str, str]] = []
        able = self.plays()
        chosen = str(given.get(who.key, "")) if who is not None else ""
        chosen = chosen or next((name for name in able if name == whose), able[0] if able else "")
        single = who is not None and who.kind.shape == "text"
        if single and who is not None and chosen:
            settled.append((f"{PREFIX}{who.key}", chosen))
            fields.remove(who)
        controls = tuple(self._control(kind, field, chosen if single else None, given, able) for field in fields)
        whole = inspect.getdoc(kind) or ""
        title = verb.replace("-", " ")
        return Form(
            verb, title[:1].upper() + title[1:], whole, controls, tuple(settled), able if single else (), chosen
        )

    def _kind(self, verb: str) -> type[Action]:
        kind = self._kinds.get(verb)
        if kind is None:
            raise Unknown("action", verb, f"There is no form for {verb[:60]!r} here", "/act lists what there is.")
        return kind

    def _control(
        self, kind: type[Action], field: Field, whose: str | None, given: Mapping[str, Any], able: Sequence[str]
    ) -> Control:
        words = field.description or field.key.replace("_", " ")
        label = f"{words[:1].upper()}{words[1:].removesuffix('.')}"
        held = given.get(field.key)
        filled = tuple(map(str, held)) if isinstance(held, list | tuple) else (str(held),) if held is not None else ()
        state = self.audience.known()
        name, required = f"{PREFIX}{field.key}", field.required
        many = field.kind.shape == "list"
        if field.names is not None:
            names = able if field.names == "character" and field.required else tuple(state.characters)
            values = tuple((each, called(each)) for each in names)
            alone = tuple(names) if many and required and len(names) == 1 else ()
            return Control(name, label, "several" if many else "choice", required, values, filled or alone)
        if field.kind.shape == "flag":
            set_ = filled[0] == "True" if filled else field.default is True
            return Control(name, label, "flag", False, (), ("yes",) if set_ else ())
        if field.dice:
            return Control(name, label, "dice", required, (), ("".join(filled),) if filled else (), "as rolled: 5 4 5")
        legal = legal_values(self.audience.system, state, kind, field, whose)
        if legal:
            values = tuple((each, each.replace("_", " ")) for each in legal)
            return Control(name, label, "several" if many else "choice", required, values, filled)
        if field.kind.shape == "number":
            return Control(name, label, "number", required, (), filled)
        if field.kind.shape == "map":
            return Control(name, label, "text", required, (), filled, "NAME=VALUE, parted by spaces")
        return Control(name, label, "long" if field.remark else "text", required, (), filled)

    def action(self, verb: str, told: Mapping[str, Sequence[str]]) -> str:
        """What was filled in, as the JSON of an action. Raises Unknown, Invalid."""
        kind = self._kind(verb)
        fields = fields_of(kind)
        value: dict[str, Any] = {"type": tag_of(kind)}
        for field in fields:
            if not _is_filled_in(field):
                continue
            words = [word.strip() for word in told.get(f"{PREFIX}{field.key}", ()) if word.strip()]
            if field.kind.shape == "flag":
                # a box that is not ticked sends nothing
                ticked = any(word == "yes" for word in words)
                if ticked != (field.default is True):
                    value[field.key] = ticked
            elif words:
                if shape_of(field) == "map" or field.dice:
                    words = [part for word in words for part in word.split()]
                value[field.key] = field_value(field, words, value, fields)
            elif field.required:
                label = field.description or field.key.replace("_", " ")
                raise Invalid(f"{label[:1].upper()}{label[1:].removesuffix('.')} is missing.")
        return msgspec.json.encode(action_from(self.audience.log.rules, value)).decode()


def _is_filled_in(field: Field) -> bool:
    """Whether a field has a place in a form: not what is read from a file, or holds records of its own."""
    item = field.kind.item if field.kind.shape == "list" else None
    deep = {"object", "any", "map"}
    return field.file is None and not (item is not None and item.shape in deep) and field.kind.shape not in (
        "object", "any",
    )  # fmt: skip
