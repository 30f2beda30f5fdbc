"""Wounds and what becomes of them, marks and recovery marks: OSR 6.9, 6.10 and 6.11."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from domain.naming import called, key_of, listed
from domain.osr.actions import DieOfWounds, RecoverWound, RecoveryRoll, Treat, Worsen
from domain.osr.events import (
    AbilityScoreLost,
    DiedOfWounds,
    MajorWoundTaken,
    MinorWoundTaken,
    RecoveryMarkErased,
    RecoveryMarkGained,
    WoundRecovered,
    WoundTreated,
    WoundWorsened,
    dice_told,
    marks_told,
)
from domain.osr.free import must_be_free
from domain.osr.sheet import ABILITIES, FIGURES, Ability, Injury, OsrDecision, OsrSheet, OsrState, Wound
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.seam import Decide, Evolve
from domain.turn import Action, Event, refuse_unless

MINOR: Mapping[str, str] = FIGURES["6.9"]
MAJOR: Mapping[str, str] = FIGURES["6.10"]


# -- wounds taken ----------------------------------------------------------------------------------------


@rule("OSR 6.9")
def take_minor_wound(
    decision: OsrDecision,
    name: str,
    what: str | None,
    effect: str | None,
    until: str | None,
    stat_loss: Mapping[Ability, int] | None,
) -> None:
    """What the referee says, or a shallow cut. Where recovery marks are tried out, it costs ability points too."""
    if what is None:
        # the default effect belongs to the default wound; of any other the referee says what it does
        what, effect = MINOR["wound"], effect if effect is not None else MINOR["effect"]
    decision.tell(
        MinorWoundTaken(
            name, wound_number(decision, name), what, effect, until if until is not None else MINOR["until"]
        )
    )
    if decision.options.minor_injuries == "recovery_marks":
        lost = stat_loss if stat_loss is not None else drawn_stat_loss(decision, name)
        lose_ability(decision, name, lost, drawn=stat_loss is None)
        decision.tell(RecoveryMarkGained(name, decision.sheet(name).recovery_marks + 1))


@rule("OSR 6.9")
def stat_loss_allowed(decision: OsrDecision, stat_loss: Mapping[Ability, int] | None) -> None:
    """A minor wound costs ability points only where recovery marks are tried out."""
    refuse_unless(
        stat_loss is None or decision.options.minor_injuries == "recovery_marks",
        "OSR 6.9",
        "A minor wound costs no ability points here; a ruling minor_injuries = recovery_marks makes it so.",
    )


@rule("OSR 6.9")
def drawn_stat_loss(decision: OsrDecision, name: str) -> dict[Ability, int]:
    """One point of one of the six abilities, each as likely."""
    (ability,) = decision.chance.cards(f"{name}/ability lost", ABILITIES, 1, rule="OSR 6.9")
    return {ability: 1}  # type: ignore[dict-item]


@rule("OSR 6.10")
def take_major_wound(
    decision: OsrDecision, name: str, what: str | None, effect: str | None, ability_loss: Mapping[Ability, int] | None
) -> None:
    """What the referee says, mostly with a loss of ability score, and a mark on the sheet."""
    number = wound_number(decision, name)
    marks = decision.sheet(name).marks + 1
    decision.tell(MajorWoundTaken(name, number, what if what is not None else MAJOR["wound"], effect, marks))
    if ability_loss:
        lose_ability(decision, name, ability_loss, drawn=False)


def lose_ability(decision: OsrDecision, name: str, lost: Mapping[Ability, int], *, drawn: bool) -> None:
    before = decision.sheet(name).ability_loss
    now = {ability: before.get(ability, 0) + points for ability, points in lost.items()}
    decision.tell(AbilityScoreLost(name, dict(lost), now, drawn))


def wound_number(decision: OsrDecision, name: str) -> int:
    """The next number that no wound under this name ever had, however the name was spelled."""
    return decision.chance.number(wound_key(name))


def wound_key(name: str) -> str:
    return f"{key_of(name)}/wound"


@rule("OSR 6.11")
def most_marks(sheet: OsrSheet) -> int:
    """One mark for each level; for a non-player, for each hit die."""
    return sheet.hit_dice if sheet.non_player else sheet.level


@rule("OSR 6.11")
def must_have_room_for_a_mark(sheet: OsrSheet, name: str) -> None:
    """As many marks as levels, and there is no major wound to choose."""
    most = most_marks(sheet)
    rank = dice_told(most) if sheet.non_player else f"level {most}"
    refuse_unless(
        sheet.marks < most,
        "OSR 6.11",
        f"{called(name)} cannot take a major wound: {marks_told(sheet.marks)} at {rank}.",
    )


# -- what becomes of a wound -----------------------------------------------------------------------------


def wound_of(decision: OsrDecision, name: str, number: int) -> Wound:
    """The wound of this number. Raises Refusal, naming those there are."""
    wounds = {wound.id: wound for wound in decision.sheet(name).wounds}
    if number not in wounds:
        one = "is" if len(wounds) == 1 else "are"
        there_is = f"there {one} {listed(map(str, wounds))}" if wounds else "there is none"
        raise Refusal(None, f"{called(name)} has no wound {number}; {there_is}.")
    return wounds[number]


def paragraph_of(wound: Wound) -> str:
    return "OSR 6.9" if wound.severity == "minor" else "OSR 6.10"


@rule("OSR 6.9", "OSR 6.10")
def treat(decision: OsrDecision, action: Treat) -> None:
    """Once is enough."""
    must_be_free(decision, action.character)
    wound = wound_of(decision, action.character, action.wound)
    refuse_unless(
        not wound.treated,
        paragraph_of(wound),
        f"{called(action.character)}'s wound {wound.id} has been treated already.",
    )
    decision.tell(WoundTreated(action.character, wound.id, wound.what))


@rule("OSR 6.10")
def worsen(decision: OsrDecision, action: Worsen) -> None:
    """Any wound that nobody treated can worsen: a new pair of saves, against what the referee says."""
    must_be_free(decision, action.character)
    wound = wound_of(decision, action.character, action.wound)
    refuse_unless(
        not wound.treated,
        "OSR 6.10",
        f"{called(action.character)}'s wound {wound.id} is treated and cannot worsen.",
    )
    decision.tell(WoundWorsened(action.character, wound.id, wound.what, action.dc))


@rule("OSR 6.10")
def die_of_wounds(decision: OsrDecision, action: DieOfWounds) -> None:
    """The player of somebody with a major wound may let them die of it."""
    must_be_free(decision, action.character)
    refuse_unless(
        any(wound.severity == "major" for wound in decision.sheet(action.character).wounds),
        "OSR 6.10",
        f"{called(action.character)} has no major wound to die of.",
    )
    decision.tell(DiedOfWounds(action.character))


@rule("OSR 6.9", "OSR 6.10")
def recover_wound(decision: OsrDecision, action: RecoverWound) -> None:
    """The referee says that it is over."""
    must_be_free(decision, action.character)
    wound = wound_of(decision, action.character, action.wound)
    decision.tell(WoundRecovered(action.character, wound.id, wound.what, action.why))


@rule("OSR 6.9")
def recovery_roll(decision: OsrDecision, action: RecoveryRoll) -> None:
    """One recovery mark for one improvement roll, where the table tries them out."""
    must_be_free(decision, action.character)
    refuse_unless(
        decision.options.minor_injuries == "recovery_marks",
        "OSR 6.9",
        "There are no recovery marks here; a ruling minor_injuries = recovery_marks brings them in.",
    )
    marks = decision.sheet(action.character).recovery_marks
    refuse_unless(marks, "OSR 6.9", f"{called(action.character)} has no recovery mark to erase.")
    decision.tell(RecoveryMarkErased(action.character, action.ability, action.improved, marks - 1))


# -- what is remembered ----------------------------------------------------------------------------------


def minor_wound_taken(state: OsrState, event: MinorWoundTaken) -> None:
    with_wound(state, event.character, Wound(event.wound, "minor", event.what, event.effect, event.until))


def major_wound_taken(state: OsrState, event: MajorWoundTaken) -> None:
    with_wound(state, event.character, Wound(event.wound, "major", event.what, event.effect))
    state.change(event.character, marks=event.marks, injury=None)


def ability_score_lost(state: OsrState, event: AbilityScoreLost) -> None:
    gone = {**_sheet_loss(state, event.character), **event.now}
    state.change(event.character, ability_loss={ability: gone[ability] for ability in ABILITIES if ability in gone})


def _sheet_loss(state: OsrState, name: str) -> Mapping[Ability, int]:
    sheet = state.characters.get(name)
    return sheet.ability_loss if sheet is not None else {}


def recovery_mark_gained(state: OsrState, event: RecoveryMarkGained) -> None:
    state.change(event.character, recovery_marks=event.now)


def recovery_mark_erased(state: OsrState, event: RecoveryMarkErased) -> None:
    state.change(event.character, recovery_marks=event.now)


def wound_treated(state: OsrState, event: WoundTreated) -> None:
    state.change(
        event.character,
        wounds=tuple(
            replace(wound, treated=True) if wound.id == event.wound else wound
            for wound in wounds_of(state, event.character)
        ),
    )


def wound_worsened(state: OsrState, event: WoundWorsened) -> None:
    state.change(event.character, injury=Injury(event.dc, event.what))


def wound_recovered(state: OsrState, event: WoundRecovered) -> None:
    without_wound(state, event.character, event.wound)


def died_of_wounds(state: OsrState, event: DiedOfWounds) -> None:
    state.change(event.character, condition="dead", injury=None)


def wounds_of(state: OsrState, name: str) -> Iterable[Wound]:
    sheet = state.characters.get(name)
    return sheet.wounds if sheet is not None else ()


def with_wound(state: OsrState, name: str, wound: Wound) -> None:
    """A wound more; one of the same number gives way to it."""
    others = (each for each in wounds_of(state, name) if each.id != wound.id)
    state.change(name, wounds=(*others, wound))


def without_wound(state: OsrState, name: str, number: int) -> None:
    """A wound less, if it is there."""
    state.change(name, wounds=tuple(each for each in wounds_of(state, name) if each.id != number))


DECIDE: dict[type[Action], Decide] = {
    Treat: treat,
    Worsen: worsen,
    DieOfWounds: die_of_wounds,
    RecoverWound: recover_wound,
    RecoveryRoll: recovery_roll,
}
EVOLVE: dict[type[Event], Evolve] = {
    MinorWoundTaken: minor_wound_taken,
    MajorWoundTaken: major_wound_taken,
    AbilityScoreLost: ability_score_lost,
    RecoveryMarkGained: recovery_mark_gained,
    RecoveryMarkErased: recovery_mark_erased,
    WoundTreated: wound_treated,
    WoundWorsened: wound_worsened,
    WoundRecovered: wound_recovered,
    DiedOfWounds: died_of_wounds,
}
