"""What one player may see of sheets and turns, and what nobody may: the one place that removes secret fields."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from domain.common.revisions import Amend, Amended
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history
from domain.log.folding import state_at
from domain.log.port import Log
from domain.naming import did_you_mean, key_of, possessive
from domain.refusal import Refusal, Unknown
from domain.registry import action_from, action_kinds
from domain.system.chance import UNSEEN
from domain.system.field_schema import fields_of, stored_fields
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import Secret, holding, secrets_of
from domain.system.state import Game
from domain.turn import Action, Event, Sentence, Turn, TurnRedecided
from domain.values import as_json

#: The viewer of a shared screen: sees everything except face-down cards. Not a valid name of a player.
TABLE = "\0table"
#: A viewer who plays nobody: sees what everybody may know. Not a valid name of a player.
ANYBODY = "\0anybody"


def players_of(system: RuleSystem, log: Log) -> list[str]:
    """Everybody who plays a character of this campaign, spelled as on the sheets."""
    sheets = state_at(system, log).characters.values()
    return list(dict.fromkeys(str(player) for sheet in sheets if (player := getattr(sheet, "player", None))))


def find_player(system: RuleSystem, log: Log, viewer: str) -> str:
    """The name of a player of this campaign, spelled as on the sheets. Raises Unknown, naming the players."""
    players = players_of(system, log)
    for player in players:
        if key_of(player) == key_of(viewer):
            return player
    no_players = "no character of this campaign has a player yet."
    hint = did_you_mean(viewer, players, otherwise=no_players)
    raise Unknown("player", viewer, f"There is no player {viewer[:60]!r}", hint)


def owns(state: Game, name: str, viewer: str) -> bool:
    sheet = next((sheet for owner, sheet in state.characters.items() if key_of(owner) == key_of(name)), None)
    return sheet is not None and _plays(viewer, sheet)


def must_be_own(system: RuleSystem, state: Game, action: Action, viewer: str) -> None:
    """Raise Refusal if an action names another player's secret: whether it is legal would reveal the secret.

    Secrets are cards that may be in a hand, in any field of the action, and secret fields of a sheet.
    """
    names_of_others = [name for name in names_in(action) if name in state.characters and not owns(state, name, viewer)]
    if names_of_others and _names_a_secret(system, action):
        raise Refusal(None, f"Only {possessive(names_of_others[0])} player can say that.")
    for field in holding(type(action), "an action"):
        must_be_own(system, state, action_from(system.key, getattr(action, field)), viewer)


def _names_a_secret(system: RuleSystem, action: Action) -> bool:
    kind, secrets = type(action), secrets_of(type(action))
    for field in fields_of(kind):
        may_be_secret = field.key in secrets or (field.one.reference and field.key not in system.open_references)
        if may_be_secret and getattr(action, field.name) not in (None, ()):
            return True
    sheet = secrets_of(system.sheet)
    return any(set(getattr(action, field)) & set(sheet) for field in holding(kind, "sheet fields"))


def played_by(state: Game, viewer: str | None) -> tuple[str, ...]:
    """The characters of a player; all of them for None, the keeper of the log."""
    return tuple(name for name, sheet in state.characters.items() if viewer is None or _plays(viewer, sheet))


def _plays(viewer: str, sheet: Any) -> bool:
    return _is(getattr(sheet, "player", None), viewer)


def _is(player: Any, viewer: str) -> bool:
    return isinstance(player, str) and key_of(player) == key_of(viewer)


def sheet_for(system: RuleSystem, state: Game, name: str, viewer: str | None = None) -> dict[str, Any]:
    """One sheet as JSON; secrets are a count or null. `viewer` None: the keeper, who sees everything."""
    if viewer is None:
        return system.sheet_view(state, name)
    view = system.sheet_view(system.before_reveal(state) if viewer == TABLE else state, name)
    for field, secret in kept_from(system, state, name, viewer).items():
        if field in view:
            view[field] = _count(view[field], secret)
    return view


def kept_from(system: RuleSystem, state: Game, name: str, viewer: str | None) -> Mapping[str, Secret]:
    """The secret fields of a sheet that `viewer` may not see now."""
    if viewer is None or not system.keeps_secrets or owns(state, name, viewer):
        return {}
    open_now = system.secrets_are_open(state, name)
    return {field: secret for field, secret in secrets_of(system.sheet).items() if _is_kept(secret, open_now, viewer)}


def _is_kept(secret: Secret, revealed: bool, viewer: str) -> bool:
    """Whether a secret is hidden from a viewer who does not own it."""
    return not revealed if secret.until_revealed else viewer != TABLE


def face_down(system: RuleSystem, state: Game) -> list[str]:
    """The characters with a face-down choice that is not revealed yet."""
    fields = stored_fields(system.sheet)
    face_down_fields = [fields[name] for name, secret in secrets_of(system.sheet).items() if secret.until_revealed]
    return [
        name
        for name, sheet in state.characters.items()
        if any(getattr(sheet, field.name) != field.default for field in face_down_fields)
        and not system.secrets_are_open(state, name)
    ]


def as_known_to(system: RuleSystem, state: Game, viewer: str) -> Game:
    """A copy of the state without what the player may not know, so that it cannot be found out by guessing."""
    visible = (system.before_reveal(state) if viewer == TABLE else state).copy()
    fields = stored_fields(system.sheet)
    for name in state.characters:
        hidden_fields = kept_from(system, state, name, viewer)
        visible.change(name, **{fields[field].name: fields[field].default for field in hidden_fields})
    return visible


def _count(value: Any, secret: Secret) -> int | None:
    return len(value) if secret.counted and value is not None else None


def keeps_turn(system: RuleSystem, log: Log, turn: Turn, viewer: str) -> bool:
    """Whether the effective action of a turn contains something that `viewer` may not see now."""
    effective, number = effective_history(log), turn.number
    action = effective.action(turn)
    at_its_number = number not in effective.place and number not in effective.redecided_by
    after = state_at(system, log, number) if effective.stands(number) and at_its_number else None
    whole: dict[str, Any] = to_builtins(action)
    return Onlooker(system, state_at(system, log), viewer).action(action, whole, turn.events, after) != whole


class Onlooker:
    """A player who reads a log at a point; `now` is the state there.

    `after` in the methods is the state after the turn in that reading; None: the turn in this form has no place in it,
    so that its face-down choices were never revealed.
    """

    def __init__(self, system: RuleSystem, now: Game, viewer: str) -> None:
        self.system, self.now, self.viewer = system, now, viewer

    def action(
        self, action: Action, whole: dict[str, Any], facts: Sequence[Event], after: Game | None
    ) -> dict[str, Any]:
        """The JSON of an action with these facts, `whole` without what the player may not see."""
        secret_facts = [
            fact for fact in facts if any(secret.until_revealed for secret in secrets_of(type(fact)).values())
        ]
        revealed = bool(secret_facts) and all(self._was_revealed(fact, after) for fact in secret_facts)
        return self._visible_action(type(action), whole, revealed)

    def amendment(self, action: Mapping[str, Any]) -> dict[str, Any]:
        """An action as JSON before or after an amendment, without what the player may not see of either."""
        kind = action_kinds(self.system.key).get(str(action.get("type")))
        return {} if kind is None else self._visible_action(kind, dict(action), False)

    def _visible_action(self, kind: type[Struct], fields: dict[str, Any], revealed: bool) -> dict[str, Any]:
        for field in holding(kind, "an action"):
            inside = action_kinds(self.system.key).get(str(fields[field].get("type")))
            # an unknown type is left out whole: its secrets are unknown
            fields = {**fields, field: self._visible_action(inside, fields[field], False) if inside else {}}
        if kind is Amend and "also" in fields:
            fields = {
                **fields,
                "also": [self._visible_action(Amended, amendment, False) for amendment in fields["also"]],
            }
        if self._is_own(fields):
            return fields
        hidden_fields = {field for field, secret in secrets_of(kind).items() if _is_kept(secret, revealed, self.viewer)}
        fields = {field: value for field, value in fields.items() if field not in hidden_fields}
        return {**fields, **self._by_field(kind, fields)}

    def event(self, event: Event, whole: dict[str, Any], after: Game | None) -> tuple[dict[str, Any], Sentence]:
        """The JSON of an event, and its sentence, as the player sees them."""
        whole, visible = self._visible_event(event, whole, after)
        return whole, event.sentence() if visible is event else visible.sentence_for_others()

    def in_story(self, event: Event, after: Game | None) -> tuple[Any, Sentence]:
        """The story part of an event, and its sentence, as the player sees them."""
        _, visible = self._visible_event(event, to_builtins(event), after)
        return visible.in_story(), event.sentence() if visible is event else visible.sentence_for_others()

    def _visible_event(self, event: Event, whole: dict[str, Any], after: Game | None) -> tuple[dict[str, Any], Event]:
        """The JSON as the player sees it, and the event without secrets: the same event if it has none."""
        if self._is_own(whole):
            return whole, event
        kind, revealed = type(event), self._was_revealed(event, after)
        hidden_fields = {
            field: secret for field, secret in secrets_of(kind).items() if _is_kept(secret, revealed, self.viewer)
        }
        instead: dict[str, Any] = {field: _count(whole.get(field), secret) for field, secret in hidden_fields.items()}
        instead |= self._by_field(kind, whole)
        if not instead:
            return whole, event
        # the sentence comes from an event without the secret, so that it cannot contain it
        names = dict(zip(event.__struct_encode_fields__, event.__struct_fields__, strict=True))
        visible = replace(event, **{names[field]: value for field, value in instead.items()})
        left_out = {field for field in hidden_fields if instead[field] is None}
        return {field: value for field, value in {**whole, **instead}.items() if field not in left_out}, visible

    def _by_field(self, kind: type[Struct], fields: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The mappings by sheet field that contain a secret, with null in its place."""
        secret = {
            name for name, secrecy in secrets_of(self.system.sheet).items() if _is_kept(secrecy, False, self.viewer)
        }
        return {
            field: {name: None if name in secret else value for name, value in fields[field].items()}
            for field in holding(kind, "sheet fields")
            if not secret.isdisjoint(fields.get(field, ()))
        }

    def _is_own(self, fields: Mapping[str, Any]) -> bool:
        """Whether it is about the player's own character; an enrolment names the player itself."""
        if "player" in fields:
            return _is(fields["player"], self.viewer)
        name = fields.get("character")
        return isinstance(name, str) and owns(self.now, name, self.viewer)

    def _was_revealed(self, event: Event, after: Game | None) -> bool:
        return after is not None and self.system.was_revealed(event, after, self.now)


# -- what nobody may see ---------------------------------------------------------------------------------


def readable(system: RuleSystem, record: Action | Event) -> dict[str, Any]:
    """An action or event as JSON, without the fields that no reader may see (the order of a deck)."""
    fields: dict[str, Any] = to_builtins(record)
    if not system.fold_only:
        return fields
    if isinstance(record, TurnRedecided):
        fields["chance"] = {key: draw for key, draw in fields["chance"].items() if not key.endswith(UNSEEN)}
        fields["events"] = [readable(system, event) for event in record.events]
    if isinstance(record, Amend):
        for amendment in (fields, *fields.get("also", ())):
            amendment["action"] = {
                name: value for name, value in amendment["action"].items() if name not in system.fold_only
            }
    return {name: value for name, value in fields.items() if name not in system.fold_only}


def readable_json(system: RuleSystem, record: Action | Event) -> str:
    """A record as JSON text, without what no reader may see."""
    return as_json(readable(system, record) if _may_hold_unread(system, type(record)) else record)


@cache
def _may_hold_unread(system: RuleSystem, kind: type[Action | Event]) -> bool:
    """Whether an action or event of this type can contain a field that no reader may see."""
    return bool(system.fold_only) and (
        issubclass(kind, TurnRedecided | Amend) or not system.fold_only.isdisjoint(kind.__struct_fields__)
    )
