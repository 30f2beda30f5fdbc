"""A preview as JSON: what is open is null, and says what it waits for."""

from collections.abc import Collection, Sequence
from typing import Any

from domain.log.revising import ChangedTurn
from domain.system.rulesystem import RuleSystem
from domain.turn import REVISION_EVENTS, Event, Turn, TurnRedecided
from projections.preview import ActionPreview, draw_in_words
from projections.secrecy import readable
from projections.sheet_changes import sheets_json


def preview_json(system: RuleSystem, preview: ActionPreview) -> dict[str, Any]:
    """The JSON of a dry run; the keys are stable. Open outcomes are null."""
    return {
        "turns": own_json(system, preview),
        "changed": [
            {
                "turn": change.turn,
                "before": _events(system, change.before),
                "after": None if change.open else _events(system, change.after),
                **_open_json(system, change),
            }
            for change in preview.changed
        ],
        "conflicts": [
            {"turn": conflict.turn, "rule": conflict.rule, "reason": conflict.reason} for conflict in preview.conflicts
        ],
        **({"doubtful": list(preview.doubtful)} if preview.doubtful else {}),
        **(
            {"moved": [{"turn": turn, "after": place} for turn, place in preview.moved.items()]}
            if preview.moved
            else {}
        ),
        "sheets": sheets_json(preview.sheets),
    }


def own_json(system: RuleSystem, preview: ActionPreview) -> list[dict[str, Any]]:
    """The turns that would be appended, with their events."""
    turns = [outcome.whole_turn for outcome in preview.outcomes]
    return turns_json(system, turns, preview.own, {change.turn for change in preview.changed if change.open})


def turns_json(
    system: RuleSystem, turns: Sequence[Turn], own: Sequence[ChangedTurn], left_open: Collection[int] = ()
) -> list[dict[str, Any]]:
    """Turns that would be appended; their events about the turns `left_open` say only that these are open."""

    def event_json(event: Event) -> dict[str, Any]:
        if isinstance(event, TurnRedecided) and event.turn in left_open:
            return {"type": event.__struct_config__.tag, "turn": event.turn, "open": True}
        return readable(system, event)

    return [
        {
            "turn": change.turn,
            "events": None
            if change.open
            else [
                *(readable(system, event) for event in change.after or ()),
                *(event_json(event) for event in turn.events if isinstance(event, REVISION_EVENTS)),
            ],
            **_open_json(system, change),
        }
        for turn, change in zip(turns, own, strict=True)
    ]


def _events(system: RuleSystem, facts: Sequence[Event] | None) -> list[dict[str, Any]] | None:
    return None if facts is None else [readable(system, event) for event in facts]


def _open_json(system: RuleSystem, turn: ChangedTurn) -> dict[str, Any]:
    draws = [draw_in_words(draw, system.draw_words) for draw in turn.draws]
    return {"open": True, "draws": draws} if turn.open else {}
