"""What one player may see of sheets and turns: the one place that leaves out what fields declare to be secret."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from domain.common.revisions import Amend, Amended
from domain.log.deciding import names_in
from domain.log.effective_history import effective_history
from domain.log.folding import state_at
from domain.log.port import Log
from domain.naming import called, did_you_mean, key_of
from domain.refusal import Refusal, Unknown
from domain.registry import action_from, action_kinds
from domain.system.field_schema import fields_of, stored_fields
from domain.system.rulesystem import RuleSystem
from domain.system.secrets import Secret, holding, secrets_of
from domain.system.state import Game
from domain.turn import Action, Event, Sentence, Turn

#: Everybody who looks at one screen together: they see all but what lies face down. No player can be called so.
TABLE = "\0table"
#: Somebody who plays nobody: what everybody at the table may know, and not more. No player can be called so.
ANYBODY = "\0anybody"


def player_meant(system: RuleSystem, log: Log, viewer: str) -> str:
    """A player of this campaign as the sheets spell the name. Raises Unknown, naming the players there are."""
    players = {
        str(player): None
        for sheet in state_at(system, log).characters.values()
        if (player := getattr(sheet, "player", None))
    }
    for player in players:
        if key_of(player) == key_of(viewer):
            return player
    none = "no character of this campaign has a player yet."
    hint = did_you_mean(viewer, players, otherwise=none)
    raise Unknown("player", viewer, f"There is no player {viewer[:60]!r}", hint)


def owns(state: Game, name: str, viewer: str) -> bool:
    """Whether a player plays this character."""
    sheet = next((sheet for each, sheet in state.characters.items() if key_of(each) == key_of(name)), None)
    return sheet is not None and _is(getattr(sheet, "player", None), viewer)


def must_be_own(system: RuleSystem, state: Game, action: Action, viewer: str) -> None:
    """Raise Refusal where an action speaks of what another player keeps: whether it is legal would tell what that is.

    That is a card that may lie in somebody's hand, in whichever field, and a field of a sheet that is kept.
    """
    others = [name for name in names_in(action) if name in state.characters and not owns(state, name, viewer)]
    if others and _speaks_of_kept(system, action):
        raise Refusal(None, f"Only {called(others[0])}'s player can say that.")
    for field in holding(type(action), "an action"):
        must_be_own(system, state, action_from(system.key, getattr(action, field)), viewer)


def _speaks_of_kept(system: RuleSystem, action: Action) -> bool:
    kind, kept = type(action), secrets_of(type(action))
    for field in fields_of(kind):
        item = field.kind.item if field.kind.shape == "list" and field.kind.item is not None else field.kind
        may_be_kept = field.key in kept or (item.reference and field.key not in system.open_references)
        if may_be_kept and getattr(action, field.name) not in (None, ()):
            return True
    sheet = secrets_of(system.sheet)
    return any(set(getattr(action, field)) & set(sheet) for field in holding(kind, "sheet fields"))


def played_by(state: Game, viewer: str | None) -> tuple[str, ...]:
    """The characters whom a player plays; None: everybody, for whoever keeps the log acts for all."""
    return tuple(name for name in state.characters if viewer is None or owns(state, name, viewer))


def _is(player: Any, viewer: str) -> bool:
    return isinstance(player, str) and key_of(player) == key_of(viewer)


def sheet_for(system: RuleSystem, state: Game, name: str, viewer: str | None = None) -> dict[str, Any]:
    """One sheet as JSON; what `viewer` may not see is a count, or null. None: the keeper, who sees all."""
    if viewer is None:
        return system.sheet_view(state, name)
    told = system.sheet_view(system.before_reveal(state) if viewer == TABLE else state, name)
    for field, secret in kept_from(system, state, name, viewer).items():
        if field in told:
            told[field] = _count(told[field], secret)
    return told


def kept_from(system: RuleSystem, state: Game, name: str, viewer: str | None) -> Mapping[str, Secret]:
    """The fields of a sheet that `viewer` may not see now."""
    if viewer is None or not system.keeps_secrets or owns(state, name, viewer):
        return {}
    open_now = system.lies_open(state, name)
    return {field: each for field, each in secrets_of(system.sheet).items() if _is_kept(each, open_now, viewer)}


def _is_kept(secret: Secret, revealed: bool, viewer: str) -> bool:
    """Whether a secret is kept from somebody who does not own it."""
    return not revealed if secret.until_revealed else viewer != TABLE


def face_down(system: RuleSystem, state: Game) -> list[str]:
    """Those who have chosen something that lies face down until it is revealed."""
    fields = stored_fields(system.sheet)
    kept = [fields[name] for name, each in secrets_of(system.sheet).items() if each.until_revealed]
    return [
        name
        for name, sheet in state.characters.items()
        if any(getattr(sheet, field.name) != field.default for field in kept) and not system.lies_open(state, name)
    ]


def as_known_to(system: RuleSystem, state: Game, viewer: str) -> Game:
    """The state with nothing in it that a player may not know: so that nobody can ask it by guessing."""
    known = (system.before_reveal(state) if viewer == TABLE else state).copy()
    fields = stored_fields(system.sheet)
    for name in state.characters:
        hidden = kept_from(system, state, name, viewer)
        known.change(name, **{fields[each].name: fields[each].default for each in hidden})
    return known


def _count(value: Any, secret: Secret) -> int | None:
    return len(value) if secret.counted and value is not None else None


def keeps_turn(system: RuleSystem, log: Log, turn: Turn, viewer: str) -> bool:
    """Whether the action in force of a turn holds something that `viewer` may not know now."""
    effective, number = effective_history(log), turn.number
    action, at_its_number = effective.action(turn), number not in effective.place and number not in effective.redecided
    after = state_at(system, log, number) if effective.stands(number) and at_its_number else None
    told: dict[str, Any] = to_builtins(action)
    return Onlooker(system, state_at(system, log), viewer).action(action, told, turn.events, after) != told


class Onlooker:
    """A player who reads a log at a point; `now` is the state there.

    `after` is the state after a turn in that reading; None: the turn has no place in it as it is told here, so
    nothing that it keeps until it is revealed ever was.
    """

    def __init__(self, system: RuleSystem, now: Game, viewer: str) -> None:
        self.system, self.now, self.viewer = system, now, viewer

    def action(
        self, action: Action, told: dict[str, Any], facts: Sequence[Event], after: Game | None
    ) -> dict[str, Any]:
        """The JSON of an action that came to these facts, as the player sees it."""
        kept = [fact for fact in facts if any(each.until_revealed for each in secrets_of(type(fact)).values())]
        revealed = bool(kept) and all(self._revealed(fact, after) for fact in kept)
        return self._asked(type(action), told, revealed)

    def _asked(self, kind: type[Struct], told: dict[str, Any], revealed: bool) -> dict[str, Any]:
        for field in holding(kind, "an action"):
            inside = action_kinds(self.system.key).get(str(told[field].get("type")))
            # what nobody knows the secrets of is left out whole
            told = {**told, field: self._asked(inside, told[field], False) if inside else {}}
        if kind is Amend and "also" in told:
            told = {**told, "also": [self._asked(Amended, each, False) for each in told["also"]]}
        if self._own(told):
            return told
        hidden = {field for field, each in secrets_of(kind).items() if _is_kept(each, revealed, self.viewer)}
        told = {field: value for field, value in told.items() if field not in hidden}
        return {**told, **self._by_field(kind, told)}

    def event(self, event: Event, told: dict[str, Any], after: Game | None) -> tuple[dict[str, Any], Sentence]:
        """The JSON of an event and its sentence, as the player sees them."""
        told, known = self._known(event, told, after)
        return told, event.told() if known is event else known.told_to_others()

    def in_story(self, event: Event, after: Game | None) -> tuple[Any, Sentence]:
        """What an event is to the story of an evening, and its sentence, as the player may know them."""
        _, known = self._known(event, to_builtins(event), after)
        return known.in_story(), event.told() if known is event else known.told_to_others()

    def _known(self, event: Event, told: dict[str, Any], after: Game | None) -> tuple[dict[str, Any], Event]:
        """The JSON of an event as the player sees it, and an event that holds no more: the same if nothing is kept."""
        if self._own(told):
            return told, event
        kind, revealed = type(event), self._revealed(event, after)
        hidden = {field: each for field, each in secrets_of(kind).items() if _is_kept(each, revealed, self.viewer)}
        instead: dict[str, Any] = {field: _count(told.get(field), each) for field, each in hidden.items()}
        instead |= self._by_field(kind, told)
        if not instead:
            return told, event
        # the sentence is told by an event that does not hold the secret: it cannot slip out
        names = dict(zip(event.__struct_encode_fields__, event.__struct_fields__, strict=True))
        known = replace(event, **{names[field]: each for field, each in instead.items()})
        left_out = {field for field in hidden if instead[field] is None}
        return {field: value for field, value in {**told, **instead}.items() if field not in left_out}, known

    def _by_field(self, kind: type[Struct], told: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The maps by sheet fields in which something is secret, with null in its place."""
        secret = {name for name, each in secrets_of(self.system.sheet).items() if _is_kept(each, False, self.viewer)}
        return {
            field: {name: None if name in secret else value for name, value in told[field].items()}
            for field in holding(kind, "sheet fields")
            if not secret.isdisjoint(told.get(field, ()))
        }

    def _own(self, told: Mapping[str, Any]) -> bool:
        """Whether it is about the player's own character; who joins says whose it is."""
        if "player" in told:
            return _is(told["player"], self.viewer)
        who = told.get("character")
        return isinstance(who, str) and owns(self.now, who, self.viewer)

    def _revealed(self, event: Event, after: Game | None) -> bool:
        return after is not None and self.system.was_revealed(event, after, self.now)
