"""The views of an osr sheet, as JSON and as rows for people, its pending decisions and proposals."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from domain.choice import Choice
from domain.naming import called, possessive
from domain.osr.hit_points import LevelUp, dice_in_words, most_hit_points
from domain.osr.injuries import ChooseFate, Damage, InjurySaves, Rally
from domain.osr.rests import NightRest, ShortRest
from domain.osr.sheet import ABILITIES, FIGURES, Injury, OsrSheet, OsrState, Wound
from domain.osr.wounds import RecoverWound, RecoveryRoll, Treat, Worsen, most_marks, points_lost, until_in_words
from domain.system.figures import Adjustment, Figure
from domain.system.pending import PendingDecision
from domain.system.rows import Bar, Bit, Marks, Phrase, Pips, Row
from domain.turn import Action

#: Fields that no view shows and no override sets.
HIDDEN = frozenset({"non_player", "saves", "worsening", "rested_down", "recovery_rolls"})


def to_view(state: OsrState, name: str) -> dict[str, Any]:
    """The sheet as `status --json` prints it: the stored fields without the hidden ones."""
    sheet: dict[str, Any] = msgspec.to_builtins(state.characters[name])
    for field in HIDDEN:
        del sheet[field]
    sheet["wounds"] = list(sheet["wounds"])
    return sheet


def rows(state: OsrState, name: str, view: dict[str, Any]) -> Sequence[Row]:  # noqa: ARG001
    """The sheet as rows; what is zero is left out, except hit points."""
    sheet = state.characters[name]
    rows: list[Row] = []
    rank = f"{sheet.level}, {dice_in_words(sheet.hit_dice)}"
    rows.append(("level", (Phrase(rank), *_side(sheet))))
    rows.append(("hit points", (Bar(sheet.hp, most_hit_points(sheet.hit_dice)),)))
    rows.append(("condition", (_condition(sheet),)))
    if sheet.injury is not None:
        rows.append(("open injury", (Phrase(_injury(sheet.injury), "bad"),)))
    if sheet.fatigue:
        rows.append(("fatigue", (Marks(sheet.fatigue),)))
    most = max(most_marks(sheet), sheet.marks)
    rows.append(("wound marks", (Pips(sheet.marks, most),)))
    rows += [(f"wound {wound.id}", drawn_wound(wound, dead=sheet.condition == "dead")) for wound in sheet.wounds]
    if sheet.ability_loss:
        rows.append(("ability loss", (Phrase(points_lost(sheet.ability_loss), "bad"),)))
    if sheet.recovery_marks:
        rows.append(("recovery marks", (Marks(sheet.recovery_marks),)))
    return rows


def figures(state: OsrState, name: str, view: dict[str, Any]) -> Sequence[Figure]:  # noqa: ARG001
    """Hit points, which decrease by damage and are re-rolled at a rest, and fatigue, which a night removes."""
    sheet = state.characters[name]
    most = most_hit_points(sheet.hit_dice)
    if sheet.condition == "dead" or sheet.injury is not None:
        # nothing is done to the dead, and an open injury comes first
        return (Figure("hit points", sheet.hp, most, vital=True),)
    hit, rest = Adjustment(Damage, "amount", says="Hit"), Adjustment(ShortRest, says="Short rest")
    hit_points = Figure("hit points", sheet.hp, most, less=hit, more=rest, vital=True)
    return (hit_points, Figure("fatigue", sheet.fatigue, less=Adjustment(NightRest, says="Night's sleep")))


def brief(state: OsrState, name: str, view: dict[str, Any]) -> Sequence[tuple[Bit, ...]]:  # noqa: ARG001
    """One line with hit points, condition, fatigue, marks and wounds, treated ones ticked; none for the dead."""
    sheet = state.characters[name]
    if sheet.condition == "dead":
        return ()
    bits: list[Bit] = [Bar(sheet.hp, most_hit_points(sheet.hit_dice))]
    if sheet.condition != "up":
        bits.append(_condition(sheet))
    if sheet.injury is not None:
        due = f"saves (DC {sheet.injury.dc})" if sheet.injury.stage == "saves" else "death or a major wound"
        bits.append(Phrase(due, "bad"))
    if sheet.fatigue:
        bits.append(Phrase(f"fatigue {sheet.fatigue}", "bad"))
    if sheet.marks:
        bits += [Phrase("marks", "faint"), Pips(sheet.marks, max(most_marks(sheet), sheet.marks))]
    for wound in sorted(sheet.wounds, key=lambda wound: wound.treated):  # what may worsen stays in a line that is cut
        bits.append(Phrase(f"{wound.what} ✔", "faint") if wound.treated else Phrase(wound.what, "bad"))
    return (tuple(bits),)


def _side(sheet: OsrSheet) -> tuple[Phrase, ...]:
    side = "foe" if sheet.side == "foe" else "non-player" if sheet.non_player else ""
    return (Phrase(side, "faint"),) if side else ()


def _condition(sheet: OsrSheet) -> Phrase:
    return Phrase(sheet.condition, "plain" if sheet.condition == "up" else "bad")


def _injury(injury: Injury) -> str:
    source = f" ({injury.source})" if injury.source else ""
    if injury.stage == "saves":
        return f"strength and will saves against DC {injury.dc}{source}"
    return f"death or a major wound{source}"


def drawn_wound(wound: Wound, *, dead: bool) -> tuple[Phrase, ...]:
    """A wound as phrases; for the living with its end and treatment."""
    is_unnamed = wound.what == FIGURES["6.10"]["wound"]  # its words are its severity already
    title = wound.what if is_unnamed else f"{wound.severity}, {wound.what}"
    text = f"{title}: {wound.effect}" if wound.effect else title
    if dead:
        return (Phrase(text, "faint"),)
    ends = until_in_words(wound.until) if wound.until else "until the referee says it is over"
    return (
        Phrase(text),
        Phrase(ends, "faint"),
        Phrase("treated", "good") if wound.treated else Phrase("not treated, may worsen", "bad"),
    )


def in_words(state: OsrState, name: str, field: str, value: Any) -> Any:
    """Wounds and an open injury in the words of the sheet; other values unchanged."""
    if field == "injury" and isinstance(value, Mapping):
        return _injury(msgspec.convert(value, Injury))
    if field.split(".")[0] != "wounds":
        return value
    if isinstance(value, list | tuple):
        return [in_words(state, name, field, wound) for wound in value]
    if not isinstance(value, Mapping) or "severity" not in value:
        return value
    sheet = state.characters.get(name)
    dead = sheet is not None and sheet.condition == "dead"
    wound = msgspec.convert(value, Wound)
    phrases = [phrase.text for phrase in drawn_wound(wound, dead=dead)]
    # the treatment is shown for the dead too, so that treating a wound makes a visible difference
    return " · ".join([*phrases, "treated"] if dead and wound.treated else phrases)


def fallen(state: OsrState, name: str) -> str | None:
    """The condition that keeps the character from acting; None for one who is up."""
    condition = state.characters[name].condition
    return None if condition == "up" else condition


def is_foe(state: OsrState, name: str) -> bool:
    """Whether the character was enrolled as a foe."""
    return state.characters[name].side == "foe"


def pending_for(state: OsrState, name: str) -> Sequence[PendingDecision]:
    """The saves of an open injury, then the choice of a fate; else whether a collapsed character gets up."""
    sheet = state.characters[name]
    injury = sheet.injury
    if injury is None:
        return (_still_down(name),) if sheet.condition == "collapsed" and sheet.rested_down else ()
    if injury.stage == "saves":
        prompt = f"{called(name)} is injured: {_injury(injury)}."
        return (PendingDecision((Choice(InjurySaves, {"character": name}, ("strength", "will")),), prompt=prompt),)
    fates = _fates(state.characters[name])
    choices = tuple(
        Choice(ChooseFate, {"character": name, "fate": fate}, says=fate.replace("_", " ")) for fate in fates
    )
    return (PendingDecision(choices, prompt=f"{possessive(name)} strength save failed: choose a fate."),)


#: The actions that change each field of the sheet.
CHANGED_BY: Mapping[str, tuple[type[Action], ...]] = {
    "level": (LevelUp,),
    "hit_dice": (LevelUp,),
    "hp": (Damage, ShortRest, NightRest),
    "fatigue": (ShortRest, NightRest),
    "marks": (ChooseFate,),
    "condition": (Rally,),
    "injury": (Damage, InjurySaves),
    "wounds": (ChooseFate, Treat, RecoverWound),
    "ability_loss": (ChooseFate,),
    "recovery_marks": (RecoveryRoll,),
}


def _still_down(name: str) -> PendingDecision:
    """Whether a collapsed character gets up after a short rest, as after a minor wound (OSR 6.9)."""
    choice = Choice(Rally, {"character": name}, says="back up")
    return PendingDecision(
        (choice,), f"{called(name)} lay collapsed and has rested since; back up?", leave="stays down"
    )


def _fates(sheet: OsrSheet) -> tuple[str, ...]:
    return ("death", "major_wound") if sheet.marks < most_marks(sheet) else ("death",)


def proposals(state: OsrState, action: type[Action], field: str, name: str | None) -> Sequence[str] | None:
    """The legal wounds, fates and abilities, and the usual end of a wound."""
    if field == "until" and action is InjurySaves:
        return (FIGURES["6.9"]["until"],)
    sheet = state.characters.get(name or "")
    if field in ("ability", "ability_loss", "stat_loss"):
        return tuple(dict.fromkeys((*ABILITIES, *(sheet.ability_loss if sheet is not None else ()))))
    if sheet is None:
        return None
    if field == "wound" and action in (Treat, Worsen, RecoverWound):
        return tuple(numbered(state, action, field, name))
    if field == "fate" and action is ChooseFate:
        return _fates(sheet)
    return None


def numbered(state: OsrState, action: type[Action], field: str, name: str | None) -> Mapping[str, str]:
    """The wounds that can be meant, by their numbers: treated ones only where it is about recovering."""
    sheet = state.characters.get(name or "")
    if sheet is None or field != "wound" or action not in (Treat, Worsen, RecoverWound):
        return {}
    return {str(wound.id): wound.what for wound in sheet.wounds if action is RecoverWound or not wound.treated}
