"""What an undo, a redo, an amendment or an adoption says: the turns that it names, and what became of other turns."""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from domain.common.revisions import Adopt, Amend, Redo, Undo
from domain.log.effective_history import EffectiveTurn, since_of
from domain.naming import ended, listed
from domain.registry import action_kinds
from domain.registry.uninstalled import Uninstalled
from domain.system.field_schema import fields_of
from domain.system.rulesystem import RuleSystem
from domain.turn import REVISION_EVENTS, Sentence, TurnRedecided, TurnUndone, same
from domain.values import in_words
from projections.secrecy import Onlooker
from projections.sentences import read_alike


def revision_parts(system: RuleSystem, current: EffectiveTurn, onlooker: Onlooker | None = None) -> Sentence:
    """The sentence of a revising turn, as `onlooker` may see what an amendment changed (None: the keeper)."""
    action = current.turn.action
    undone_turns = [event.turn for event in current.turn.events if isinstance(event, TurnUndone)]
    parts: list[str] = []
    named_turns: list[int] = []
    if isinstance(action, Undo):
        named_turns = undone_turns[: len(action.turns or ())]
        parts.append(f"Undoes {_turn_list(named_turns)}.")
    elif isinstance(action, Redo):
        named_turns = undone_turns[: action.last or 1]
        parts.append(f"Restores {_turn_list(current.restored)}.")
    elif isinstance(action, Amend):
        named_turns = list(action.new_actions)
        parts.append(f"Amends {_amended(named_turns, _visible_changes(system, current, action, onlooker))}.")
        if current.turn.place is not None:
            parts.append(f" T{action.turn} happened directly after T{current.turn.place}.")
    elif isinstance(action, Adopt):
        parts.append(f"Adopts {_turn_list(action.turns)} from the branch {action.branch}.")
    why = getattr(action, "why", None)
    if why and isinstance(action, Undo | Amend):
        parts.append(f" Why: {ended(why)}")
    same_turns = _turns_that_read_as_before(current) if onlooker is None else ()
    return (*parts, *consequences(current, named_turns, same_turns))


def _turn_list(turns: Sequence[int]) -> str:
    return listed(f"T{turn}" for turn in turns)


# -- what an amendment changed ---------------------------------------------------------------------------


def _amended(turns: Sequence[int], changes: Mapping[int, str]) -> str:
    """The amended turns, each with what was changed of it: "T4: amount 3 → 2", "T4 (amount 3 → 2) and T5"."""
    if len(turns) == 1 and changes.get(turns[0]):
        return f"T{turns[0]}: {changes[turns[0]]}"
    return listed(f"T{turn} ({change})" if (change := changes.get(turn)) else f"T{turn}" for turn in turns)


def _visible_changes(
    system: RuleSystem, current: EffectiveTurn, action: Amend, onlooker: Onlooker | None
) -> dict[int, str]:
    """Turn -> what an amendment changed of its action, without the fields that no reader may see."""
    if isinstance(system, Uninstalled):
        return {}

    def visible(action_json: Mapping[str, Any]) -> dict[str, Any]:
        seen = action_json if onlooker is None else onlooker.amendment(action_json)
        return {name: value for name, value in seen.items() if name not in system.fold_only and value is not None}

    before = current.amended_from
    return {
        turn: amendment_in_words(system, visible(before[turn]), visible(new))
        for turn, new in action.new_actions.items()
        if turn in before
    }


def amendment_in_words(system: RuleSystem, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What an amendment changed of an action: "strength 12 → 28, Pip instead of Isolde"; empty if nothing visible."""
    if old.get("type") != new.get("type"):
        kinds = (str(action.get("type", "")).rpartition(".")[2].replace("_", " ") for action in (old, new))
        return " → ".join(kinds)
    defaults = _defaults(system, str(new.get("type")))
    keys = [key for key in (*old, *(key for key in new if key not in old)) if not same(old.get(key), new.get(key))]
    return ", ".join(
        _field_in_words(key, old.get(key, defaults.get(key)), new.get(key, defaults.get(key))) for key in keys
    )


@cache
def _defaults(system: RuleSystem, tag: str) -> Mapping[str, Any]:
    """The values that the fields of an action have where they are left out; {} if the action is unknown."""
    kind = None if isinstance(system, Uninstalled) else action_kinds(system.key).get(tag)
    return {} if kind is None else {field.key: field.default for field in fields_of(kind)}


def _field_in_words(key: str, old: Any, new: Any) -> str:
    if key == "character" and old is not None and new is not None:  # that it is about a character shows from the names
        return f"{_in_quotes(new)} instead of {_in_quotes(old)}"
    title = key.replace("_", " ")
    if key == "rolled" and None in (old, new):  # dice that nobody reports are drawn
        dice = ("drawn dice" if value is None else f"{title} {_in_quotes(value)}" for value in (new, old))
        return " instead of ".join(dice)
    return f"{title} {_in_quotes(old)} → {_in_quotes(new)}"


def _in_quotes(value: Any) -> str:
    """A value in words; one that reads like a sentence in quotes."""
    words = in_words(value)
    return f'"{words}"' if isinstance(value, str) and re.search(r"[.,:;!?]", words) else words


# -- what became of other turns --------------------------------------------------------------------------


def _turns_that_read_as_before(current: EffectiveTurn) -> frozenset[int]:
    """The turns that an undo decided again and that read as they did before it."""
    before = current.facts_before
    return frozenset(
        event.turn
        for event in (current.turn.events if before else ())
        if isinstance(event, TurnRedecided) and event.turn in before and read_alike(before[event.turn], event.events)
    )


def consequences(
    current: EffectiveTurn, named_turns: Collection[int] = (), same_turns: Collection[int] = ()
) -> Sentence:
    """The effects of a turn on earlier turns that its action did not name.

    `same_turns`: the turns that it decided again and that read as before. Turns that were undone since are left out.

    Empty if the turn was undone, or was decided again and came out differently: the turn that caused this tells the
    effects.
    """
    if not current.standing or (current.redecided_by is not None and not _is_unchanged(current)):
        return ()
    dropped_turns, kept_turns, redecided_turns = list[int](), list[int](), list[int]()
    for event in current.turn.events:
        if isinstance(event, TurnRedecided) and event.kept:
            kept_turns.append(event.turn)
        elif isinstance(event, REVISION_EVENTS) and event.turn not in named_turns:
            (redecided_turns if isinstance(event, TurnRedecided) else dropped_turns).append(event.turn)
    redecided_turns = [turn for turn in redecided_turns if turn not in current.undone_among_named]
    stays = [turn for turn in redecided_turns if turn in same_turns]
    different_turns = [turn for turn in redecided_turns if turn not in same_turns]
    parts: list[str] = []
    for turns, singular, plural in (
        (stays, "stays as it was announced", "stay as they were announced"),
        (different_turns, "comes out differently", "come out differently"),
        (dropped_turns, "is dropped", "are dropped"),
        (kept_turns, "is kept as it was", "are kept as they were"),
    ):
        if turns:
            parts.append(f" {_turn_list(turns)} {singular if len(turns) == 1 else plural}.")
    return tuple(parts)


def _is_unchanged(current: EffectiveTurn) -> bool:
    """Whether a turn has the same action, place and facts as when it was recorded."""
    turn = current.turn
    return (
        current.action == turn.action
        and current.facts == turn.facts
        and (current.place == turn.place or since_of(turn.action) is not None)
    )
