"""How an osr sheet is shown: as JSON, as rows to look at, and what it waits for."""

from collections.abc import Sequence
from shlex import quote
from typing import Any

import msgspec

from domain.osr.actions import ChooseFate, InjurySaves, RecoverWound, Treat, Worsen
from domain.osr.events import dice_told, points_lost, until_told
from domain.osr.hit_points import most_hit_points
from domain.osr.sheet import FIGURES, OsrSheet, OsrState, Wound
from domain.osr.wounds import most_marks
from domain.system.seam import Bar, Marks, Pips, Row, Words
from domain.turn import Action

#: Fields that the sheet as JSON leaves out and no override sets.
HIDDEN = frozenset({"non_player"})


def shown(state: OsrState, name: str) -> dict[str, Any]:
    """The stored fields, as JSON has them."""
    sheet: dict[str, Any] = msgspec.to_builtins(state.characters[name])
    return {
        field: list(value) if isinstance(value, tuple) else value
        for field, value in sheet.items()
        if field not in HIDDEN
    }


def drawn(state: OsrState, name: str, _shown: dict[str, Any]) -> Sequence[Row]:
    """The sheet as one looks at it: what there is none of is left out, except for the hit points."""
    sheet = state.characters[name]
    rows: list[Row] = []
    rank = f"{sheet.level}, {dice_told(sheet.hit_dice)}"
    rows.append(("level", (Words(rank), *((Words("non-player", "faint"),) if sheet.non_player else ()))))
    rows.append(("hit points", (Bar(sheet.hp, most_hit_points(sheet.hit_dice)),)))
    rows.append(("condition", (_condition(sheet),)))
    if sheet.injury is not None:
        rows.append(("open injury", (Words(_injury(sheet), "bad"),)))
    if sheet.fatigue:
        rows.append(("fatigue", (Marks(sheet.fatigue),)))
    most = max(most_marks(sheet), sheet.marks)
    rows.append(("wound marks", (Pips(sheet.marks, most),)))
    rows += [(f"wound {wound.id}", _wound(wound)) for wound in sheet.wounds]
    if sheet.ability_loss:
        rows.append(("ability loss", (Words(points_lost(sheet.ability_loss), "bad"),)))
    if sheet.recovery_marks:
        rows.append(("recovery marks", (Marks(sheet.recovery_marks),)))
    return rows


def _condition(sheet: OsrSheet) -> Words:
    return Words(sheet.condition, "plain" if sheet.condition == "up" else "bad")


def _injury(sheet: OsrSheet) -> str:
    assert sheet.injury is not None
    source = f" ({sheet.injury.source})" if sheet.injury.source else ""
    if sheet.injury.stage == "saves":
        return f"strength and will saves against DC {sheet.injury.dc}{source}"
    return f"death or a major wound{source}"


def _wound(wound: Wound) -> tuple[Words, ...]:
    effect = f": {wound.effect}" if wound.effect else ""
    ends = until_told(wound.until) if wound.until else "until the referee says it is over"
    return (
        Words(f"{wound.severity}, {wound.what}{effect}"),
        Words(ends, "faint"),
        Words("treated", "good") if wound.treated else Words("not treated, may worsen", "bad"),
    )


def fallen(state: OsrState, name: str) -> str | None:
    """Collapsed or dead, as the sheet says it."""
    condition = state.characters[name].condition
    return None if condition == "up" else condition


def open_matters(state: OsrState, name: str) -> Sequence[str]:
    """What has to be settled before anything else, with the command that settles it."""
    injury = state.characters[name].injury
    if injury is None:
        return ()
    who = quote(name)
    if injury.stage == "saves":
        return (f"Next: campaign osr injury-saves {who} --strength … --will …",)
    # each a command of its own: a | between them would be a pipe to the shell
    return tuple(
        f"{'or:  ' if number else 'Next:'} campaign osr choose-fate {who} {fate}"
        for number, fate in enumerate(_fates(state.characters[name]))
    )


def _fates(sheet: OsrSheet) -> tuple[str, ...]:
    return ("death", "major_wound") if sheet.marks < most_marks(sheet) else ("death",)


def proposals(state: OsrState, action: type[Action], field: str, name: str | None) -> Sequence[str] | None:
    """Wounds that can be treated, worsen or be over; the fates that are left; what a wound usually lasts until."""
    if field == "until" and action is InjurySaves:
        return (FIGURES["6.9"]["until"],)
    sheet = state.characters.get(name) if name is not None else None
    if sheet is None:
        return None
    if field == "wound" and action in (Treat, Worsen):
        return tuple(str(wound.id) for wound in sheet.wounds if not wound.treated)
    if field == "wound" and action is RecoverWound:
        return tuple(str(wound.id) for wound in sheet.wounds)
    if field == "fate" and action is ChooseFate:
        return _fates(sheet)
    return None
