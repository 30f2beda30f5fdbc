"""What every campaign has, whatever its rules: its start, sessions, notes, rulings, overrides, checks.

The actions that revise earlier turns (`undo`, `redo`, `amend`) are asked for here and worked out in
`domain.log.scribe`, because they speak of the log and not of the state.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.common.rulings import holdings
from domain.log.chance import Chance
from domain.naming import called, did_you_mean, ended, find_name, fit_name, key_of, known_are, listed
from domain.refusal import Invalid, Refusal
from domain.system.hints import Field, fields_of, hints_of, kind_of
from domain.system.paragraphs import paragraphs_of
from domain.system.seam import Decision, Evolve, Facts, Game, Options, RuleSystem, RulingInForce, cited
from domain.turn import Action, Event, Name, Positive, Sentence, Text, same

Conflicts = Literal["drop", "keep"]
Deciding = Decision[Any, Any, Any]


# -- actions ---------------------------------------------------------------------------------------------


class CampaignStart(Action, frozen=True, kw_only=True, tag="campaign.start"):
    """Start a campaign; turn 1 of every log."""

    name: Text
    rules: str
    options: dict[str, Any] = {}


class SessionOpen(Action, frozen=True, kw_only=True, tag="session.open"):
    """Open the next session."""

    title: Text | None = None
    number: Positive | None = None
    date: Text | None = None
    place: Text | None = None


class SessionClose(Action, frozen=True, kw_only=True, tag="session.close"):
    """Close the open session."""

    summary: Text | None = None


class Note(Action, frozen=True, kw_only=True, tag="note"):
    """Write a note into the log."""

    text: Text
    about: Name | None = None
    rule: str | None = None
    turn: Positive | None = None

    def check(self) -> None:
        if not self.text.strip():
            raise Invalid("A note must not be blank.")


class Ruling(Action, frozen=True, kw_only=True, tag="ruling"):
    """Record what the group decided about a rule."""

    rule: str
    text: Text
    why: Text | None = None
    trial: bool = False
    set: dict[str, Any] | None = None
    since: str | None = None
    conflicts: Conflicts | None = None

    def check(self) -> None:
        if not self.text.strip():
            raise Invalid("A ruling needs its words; they must not be blank.")
        if self.set is not None and not self.set:
            raise Invalid("A ruling with an empty set decides nothing; leave it out or name an option.")


class RulingEnd(Action, frozen=True, kw_only=True, tag="ruling.end"):
    """End a ruling: its options fall back to the ruling before it, or to the default."""

    ruling: Positive
    why: Text | None = None


class Undo(Action, frozen=True, kw_only=True, tag="undo"):
    """Take turns back without erasing them."""

    turns: tuple[Positive, ...] | None = None
    last: Positive | None = None
    to: str | None = None
    why: Text | None = None
    conflicts: Conflicts | None = None

    def check(self) -> None:
        if sum(each is not None for each in (self.turns, self.last, self.to)) > 1:
            raise Invalid("Name what to undo in one way: turns, last or to.")


class Redo(Action, frozen=True, kw_only=True, tag="redo"):
    """Let the turns of the latest undo stand again."""

    last: Positive | None = None
    conflicts: Conflicts | None = None


class Amend(Action, frozen=True, kw_only=True, tag="amend"):
    """Put another action in the place of an earlier turn's."""

    turn: Positive
    action: dict[str, Any]
    why: Text | None = None
    conflicts: Conflicts | None = None


class Adopt(Action, frozen=True, kw_only=True, tag="adopt"):
    """Close the adoption of a branch: which turns came from it, and which of them are kept against the rules."""

    branch: Text
    turns: tuple[Positive, ...]
    conflicts: Conflicts | None = None


class Override(Action, frozen=True, kw_only=True, tag="override"):
    """Set sheet fields by the referee's word, against the rules."""

    character: Name
    set: dict[str, Any]
    why: Text

    def check(self) -> None:
        if not self.set:
            raise Invalid("An override sets at least one sheet field.")
        if not self.why.strip():
            raise Invalid("An override needs its reason: say why.")


class SheetCheck(Action, frozen=True, kw_only=True, tag="sheet.check"):
    """Hold the paper sheet against the log."""

    character: Name
    expect: dict[str, Any]

    def check(self) -> None:
        if not self.expect:
            raise Invalid("A check expects at least one sheet field.")


ACTIONS: tuple[type[Action], ...] = (
    CampaignStart, SessionOpen, SessionClose, Note, Ruling, RulingEnd, Undo, Redo, Amend, Adopt, Override, SheetCheck,
)  # fmt: skip
#: Actions whose events are words about earlier turns.
REVISIONS = (Undo, Redo, Amend, Adopt)


# -- events ----------------------------------------------------------------------------------------------


class CampaignStarted(Event, frozen=True, gc=False, tag="campaign.started"):
    """The log begins. `version` is the rule system's at that time."""

    name: str
    rules: str
    version: int
    options: dict[str, Any] = {}

    def told(self) -> Sentence:
        return (f"The campaign {self.name} begins under the rules of {self.rules}.",)


class SessionOpened(Event, frozen=True, gc=False, tag="session.opened"):
    """An evening begins."""

    number: int
    title: str | None = None
    date: str | None = None
    place: str | None = None

    def told(self) -> Sentence:
        title = f": {self.title}" if self.title else ""
        where = ", ".join(each for each in (self.date, self.place) if each)
        return (f"Session {self.number} opens{title}{f' ({where})' if where else ''}.",)


class SessionClosed(Event, frozen=True, gc=False, tag="session.closed"):
    """An evening ends."""

    number: int
    summary: str | None = None

    def told(self) -> Sentence:
        return (f"Session {self.number} closes{f': {ended(self.summary)}' if self.summary else '.'}",)


class Noted(Event, frozen=True, gc=False, tag="noted"):
    """Words without effect on any sheet."""

    text: str
    about: str | None = None
    rule: str | None = None
    turn: int | None = None

    def told(self) -> Sentence:
        on = [
            *([called(self.about)] if self.about else []),
            *([f"rule {self.rule}"] if self.rule else []),
            *([f"T{self.turn}"] if self.turn else []),
        ]
        return (f"Note{f' on {listed(on)}' if on else ''}: {self.text}",)


class RulingMade(Event, frozen=True, gc=False, tag="ruling.made"):
    """The group decided; the options hold from this turn on, or from directly after turn `since`."""

    number: int
    rule: str
    text: str
    why: str | None = None
    trial: bool = False
    set: dict[str, Any] = {}
    since: int | None = None

    def told(self) -> Sentence:
        sets = listed(f"{name} = {msgspec.json.encode(value).decode()}" for name, value in self.set.items())
        return (
            f"Ruling R{self.number} on {self.rule}{' (on trial)' if self.trial else ''}: {ended(self.text)}"
            f"{f' Why: {ended(self.why)}' if self.why else ''}"
            f"{f' [{sets}]' if self.set else ''}{f' Counts from T{self.since} on.' if self.since else ''}",
        )


class RulingEnded(Event, frozen=True, gc=False, tag="ruling.ended"):
    """A ruling no longer holds."""

    ruling: int
    why: str | None = None

    def told(self) -> Sentence:
        return (f"Ruling R{self.ruling} ends{f': {ended(self.why)}' if self.why else '.'}",)


class SheetOverridden(Event, frozen=True, gc=False, tag="sheet.overridden"):
    """The referee's word against the rules."""

    character: str
    set: dict[str, Any]
    why: str

    def told(self) -> Sentence:
        sets = listed(f"{name} = {msgspec.json.encode(value).decode()}" for name, value in self.set.items())
        return (f"Override: {called(self.character)}'s {sets}. Why: {ended(self.why)}",)


class SheetChecked(Event, frozen=True, gc=False, tag="sheet.checked"):
    """The paper sheet agreed with the log."""

    character: str
    fields: dict[str, Any]

    def told(self) -> Sentence:
        return (f"{called(self.character)}'s paper sheet agrees with the log: {listed(self.fields)}.",)


EVENTS: tuple[type[Event], ...] = (
    CampaignStarted, SessionOpened, SessionClosed, Noted, RulingMade, RulingEnded, SheetOverridden, SheetChecked,
)  # fmt: skip


# -- options ---------------------------------------------------------------------------------------------


class Option(Struct, frozen=True):
    """One open question of a rule system: its paragraph, its values (None: any of the type), its default."""

    name: str
    rule: str
    meaning: str
    type: Any
    default: Any
    values: tuple[Any, ...] | None

    def reading_of(self, value: Any) -> Any:
        """The value, checked. Raises Refusal, naming the known ones."""
        try:
            return msgspec.convert(value, self.type)
        except msgspec.ValidationError:
            from domain.system.wanted import given, wanted

            raise Refusal(
                None,
                f"{given(value)} is not a value of {self.name} ({self.rule}); it takes {wanted(self.type, value)}.",
            ) from None


def _json(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


@cache
def options_of(options: type[Options]) -> dict[str, Option]:
    """The options of a rule system by name, in their order."""
    defaults = options()
    found = {}
    for name, hint in hints_of(options):
        kind = kind_of(hint)
        values = (False, True) if kind.shape == "flag" else kind.choices or None
        default = getattr(defaults, name)
        if values is not None:
            values = (default, *(each for each in values if each != default))
        found[name] = Option(name, kind.extra.get("rule", ""), kind.description, hint, default, values)
    return found


def checked_options(system: RuleSystem, given: Mapping[str, Any], rule: str | None = None) -> dict[str, Any]:
    """Option values as asked for, of one paragraph if `rule` is given. Raises Refusal, naming the known ones."""
    known = options_of(system.options)
    values = {}
    for name, value in given.items():
        option = known.get(name)
        if option is None:
            raise Refusal(None, f"There is no option {name!r}; {known_are(name, known)}")
        if rule is not None and option.rule != rule:
            raise Refusal(None, f"The option {name} belongs to {option.rule}, not to {rule}.")
        values[name] = option.reading_of(value)
    return values


def known_rule(system: RuleSystem, rule: str) -> str:
    """The bare number of a paragraph that exists. Raises Refusal, naming the nearest and the known ones."""
    number = cited(system, rule)
    paragraphs = paragraphs_of(system.key)
    if number not in paragraphs:
        raise Refusal(None, f"There is no rule {number!r} in {system.key}; {known_are(number, paragraphs)}")
    return number


# -- decide ----------------------------------------------------------------------------------------------


def start(decision: Deciding, action: CampaignStart) -> None:
    if decision.number != 1:
        raise Refusal(None, "This campaign has begun already; start another with `campaign new`.")
    options = checked_options(decision.system, action.options)
    decision.tell(CampaignStarted(action.name, decision.system.key, decision.system.version, options))


def open_session(decision: Deciding, action: SessionOpen) -> None:
    open_now = decision.state.campaign.session
    if open_now is not None:
        raise Refusal(None, f"Session {open_now} is still open; close it first with `campaign session close`.")
    if action.number is not None and decision.chance.is_used("session", action.number):
        raise Refusal(None, f"Session {action.number} has been used in this log; leave the number out for the next.")
    number = decision.chance.number("session", action.number)
    decision.tell(SessionOpened(number, action.title, action.date, action.place))


def close_session(decision: Deciding, action: SessionClose) -> None:
    number = decision.state.campaign.session
    if number is None:
        raise Refusal(None, "No session is open; open one with `campaign session open`.")
    decision.tell(SessionClosed(number, action.summary))


def note(decision: Deciding, action: Note) -> None:
    rule = known_rule(decision.system, action.rule) if action.rule is not None else None
    if action.turn is not None and action.turn >= decision.number:
        raise Refusal(None, f"There is no turn T{action.turn} yet; the last one is T{decision.number - 1}.")
    decision.tell(Noted(action.text, action.about, rule, action.turn))


def make_ruling(decision: Deciding, action: Ruling) -> None:
    rule = known_rule(decision.system, action.rule)
    options = checked_options(decision.system, action.set or {}, rule)
    number = decision.chance.number("ruling")
    since = int(action.since.removeprefix("T")) if action.since is not None else None
    decision.tell(RulingMade(number, rule, action.text, action.why, action.trial, options, since))


def end_ruling(decision: Deciding, action: RulingEnd) -> None:
    rulings = {each.number: each for each in decision.state.campaign.rulings}
    if action.ruling not in rulings:
        known = listed(f"R{each}" for each in rulings) if rulings else "none so far"
        raise Refusal(None, f"There is no ruling R{action.ruling}; known: {known}.")
    if rulings[action.ruling].ended:
        raise Refusal(None, f"Ruling R{action.ruling} has ended already.")
    decision.tell(RulingEnded(action.ruling, action.why))


def override(decision: Deciding, action: Override) -> None:
    fields = _stored_fields(decision.system)
    for name, value in action.set.items():
        _as_field(decision.system, fields, name, value)
    decision.tell(SheetOverridden(action.character, dict(action.set), action.why))
    decision.system.audit(decision, action.character, action.set)


def check_sheet(decision: Deciding, action: SheetCheck) -> None:
    shown = decision.system.shown(decision.state, action.character)
    wrong = []
    for name, expected in action.expect.items():
        if name not in shown:
            raise Refusal(None, f"There is no sheet field {name!r}; {did_you_mean(name, shown, otherwise='')}")
        if not same(shown[name], expected):
            turn = decision.last_change(action.character, name) if decision.last_change else None
            at = f", last changed at T{turn}" if turn else ""
            logged, on_paper = _json(shown[name]), _json(expected)
            if logged == on_paper:  # the number 10 and the text "10"
                logged, on_paper = (msgspec.json.encode(each).decode() for each in (shown[name], expected))
            wrong.append(f"{name} is {logged} in the log{at}, {on_paper} on paper")
    if wrong:
        raise Refusal(None, f"{called(action.character)}'s paper sheet differs: {'; '.join(wrong)}.")
    decision.tell(SheetChecked(action.character, dict(action.expect)))


def adopt(_decision: Deciding, _action: Adopt) -> None:
    raise Refusal(None, "A branch is adopted with `campaign adopt`, which decides its turns here.")


DECIDE: dict[type[Action], Callable[[Any, Any], None]] = {
    CampaignStart: start,
    SessionOpen: open_session,
    SessionClose: close_session,
    Note: note,
    Ruling: make_ruling,
    RulingEnd: end_ruling,
    Adopt: adopt,
    Override: override,
    SheetCheck: check_sheet,
}


# -- override: the sheet's stored fields -------------------------------------------------------------------


def _stored_fields(system: RuleSystem) -> dict[str, Any]:
    """The fields an override may set: name as printed -> the Struct's field."""
    return {f.encode_name: f for f in msgspec.structs.fields(system.sheet) if f.name not in system.hidden}


def _as_field(system: RuleSystem, fields: Mapping[str, Any], name: str, value: Any) -> Any:
    if name not in fields:
        raise Invalid(
            f"{name!r} is not a sheet field that can be set in {system.key}; {did_you_mean(name, fields, otherwise='')}"
        )
    try:
        return msgspec.convert(value, fields[name].type)
    except msgspec.ValidationError:
        from domain.system.wanted import given, wanted

        raise Invalid(f"The sheet field {name} is {wanted(fields[name].type, value)}, not {given(value)}.") from None


# -- evolve ----------------------------------------------------------------------------------------------


def evolve_with(system: RuleSystem) -> dict[type[Event], Evolve]:
    """What the events of every campaign leave behind, for one rule system."""
    fields = _stored_fields(system)

    def options_in_force(campaign: Facts) -> Options:
        values = dict(campaign.options)
        for holding in holdings(campaign.rulings).values():
            values.update(holding.options)
        return msgspec.convert(values, system.options)

    def started(state: Game, event: CampaignStarted) -> None:
        state.campaign = replace(state.campaign, name=event.name, options=event.options)
        state.options = options_in_force(state.campaign)

    def session_opened(state: Game, event: SessionOpened) -> None:
        state.campaign = replace(state.campaign, session=event.number)

    def session_closed(state: Game, _: SessionClosed) -> None:
        state.campaign = replace(state.campaign, session=None)

    def ruling_made(state: Game, event: RulingMade) -> None:
        made = RulingInForce(event.number, event.rule, event.set)
        state.campaign = replace(state.campaign, rulings=(*state.campaign.rulings, made))
        state.options = options_in_force(state.campaign)

    def ruling_ended(state: Game, event: RulingEnded) -> None:
        rulings = tuple(
            replace(each, ended=True) if each.number == event.ruling else each for each in state.campaign.rulings
        )
        state.campaign = replace(state.campaign, rulings=rulings)
        state.options = options_in_force(state.campaign)

    def overridden(state: Game, event: SheetOverridden) -> None:
        values = {fields[name].name: _as_field(system, fields, name, value) for name, value in event.set.items()}
        state.change(event.character, **values)

    def unchanged(_state: Game, _event: Event) -> None:
        """Notes and agreeing checks are on record and change no sheet."""

    return {
        CampaignStarted: started,
        SessionOpened: session_opened,
        SessionClosed: session_closed,
        RulingMade: ruling_made,
        RulingEnded: ruling_ended,
        SheetOverridden: overridden,
        Noted: unchanged,
        SheetChecked: unchanged,
    }


# -- names in actions ------------------------------------------------------------------------------------


@cache
def _naming_fields(action: type[Action]) -> tuple[Field, ...]:
    """The fields of an action that hold names, in values or in keys."""
    return tuple(field for field in fields_of(action) if field.names or field.keyed_by_names)


def with_names(action: Action, state: Game) -> Action:
    """The action with every name as enrolled.

    Raises Refusal for a name that nobody bears (or, enrolling, that somebody bears), Invalid for one that is
    unfit or given twice in one list.
    """
    changes: dict[str, Any] = {}
    for field in _naming_fields(type(action)):
        value = getattr(action, field.name)
        if value is None:
            continue
        if field.names == "new character":
            changes[field.name] = _new_name(value, state)
        elif field.keyed_by_names:
            changes[field.name] = {find_name(name, state.characters): each for name, each in value.items()}
            _refuse_doubles(field.name, changes[field.name], value)
        elif isinstance(value, str):
            changes[field.name] = find_name(value, state.characters)
        else:
            changes[field.name] = tuple(find_name(name, state.characters) for name in value)
            _refuse_doubles(field.name, set(changes[field.name]), value)
    return replace(action, **changes) if changes else action


def _refuse_doubles(field: str, unique: Any, given: Any) -> None:
    if len(unique) != len(given):
        raise Invalid(f"{field} names the same character twice.")


def _new_name(name: str, state: Game) -> str:
    fit = fit_name(name)
    for each in state.characters:
        if key_of(each) == key_of(fit):
            raise Refusal(None, f"{called(each)} is enrolled already; choose another name.")
    return fit


def decide(
    system: RuleSystem,
    state: Game,
    action: Action,
    chance: Chance,
    number: int,
    last_change: Callable[[str, str], int | None] | None = None,
) -> Deciding:
    """Decide one action as turn `number`. Raises Refusal or Invalid; the state given is left as it was."""
    decision: Deciding = Decision(system, state, action, chance, number, last_change)
    decision.action = with_names(action, state)
    system.decide[type(action)](decision, decision.action)
    return decision


def names_in(action: Action) -> tuple[str, ...]:
    """The characters that an action names, in its order."""
    found: list[str] = []
    for field in _naming_fields(type(action)):
        value = getattr(action, field.name)
        if value is not None and not field.keyed_by_names:
            found += [value] if isinstance(value, str) else value
    return tuple(dict.fromkeys(found))
