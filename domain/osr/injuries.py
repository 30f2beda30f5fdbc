"""Harm that hit points do not stop, and the saves and the choice that follow: OSR 6.6, 6.7, 6.8 and 6.12."""

from domain.naming import called
from domain.osr.actions import BypassingHit, ChooseFate, Damage, InjurySaves, Rally
from domain.osr.events import (
    Damaged,
    DeathChosen,
    DiedOutright,
    HitPointsBypassed,
    HitPointsSacrificed,
    Injured,
    Rallied,
    StrengthSaveFailed,
    StrengthSavePassed,
    WillSaveFailed,
    WillSavePassed,
    hit_points,
)
from domain.osr.free import must_be_free, must_live
from domain.osr.sheet import FIGURES, Injury, OsrDecision, OsrState
from domain.osr.wounds import (
    most_marks,
    must_have_room_for_a_mark,
    stat_loss_allowed,
    take_major_wound,
    take_minor_wound,
)
from domain.refusal import Refusal
from domain.system.citing import rule
from domain.system.seam import Decide, Evolve
from domain.turn import Action, Event, refuse_unless

BASE_DC: int = FIGURES["6.6"]["base_dc"]
COST_PER_LEVEL: int = FIGURES["6.12"]["cost_per_level"]


# -- being hit -------------------------------------------------------------------------------------------


@rule("OSR 6.6")
def damage(decision: OsrDecision, action: Damage) -> None:
    """Damage beyond the hit points injures; what is beyond them makes the saves harder."""
    must_be_free(decision, action.character)
    before = decision.sheet(action.character).hp
    if injures(action.amount, before, zero_is_injury=decision.options.zero_is_injury):
        overflow = action.amount - before
        decision.tell(
            Injured(action.character, action.amount, before, overflow, BASE_DC + overflow, source=action.source)
        )
    else:
        decision.tell(Damaged(action.character, action.amount, before - action.amount, action.source))


@rule("OSR 6.6")
def injures(amount: int, before: int, *, zero_is_injury: bool) -> bool:
    """Damage injures beyond the hit points, or, if the table ruled so, by using up the last of them."""
    return amount > before or (zero_is_injury and amount == before > 0)


@rule("OSR 6.12")
def bypassing_hit(decision: OsrDecision, action: BypassingHit) -> None:
    """Saves whatever hit points are left, unless they pay the whole price."""
    must_be_free(decision, action.character)
    if not action.sacrifice:
        decision.tell(HitPointsBypassed(action.character, action.dc, action.source))
        return
    cost = price(action.cost, action.attacker_level)
    before = decision.sheet(action.character).hp
    refuse_unless(
        before >= cost,
        "OSR 6.12",
        f"{called(action.character)} cannot stop this with {hit_points(before)}: it costs {cost}.",
    )
    decision.tell(HitPointsSacrificed(action.character, cost, before - cost, action.source))


@rule("OSR 6.12")
def price(cost: int | None, attacker_level: int | None) -> int:
    """What it takes to stop harm that bypasses hit points: the referee's price, or ten for each level."""
    return cost if cost is not None else COST_PER_LEVEL * (attacker_level or 0)


# -- saves and fate --------------------------------------------------------------------------------------


@rule("OSR 6.6", "OSR 6.7", "OSR 6.8")
def injury_saves(decision: OsrDecision, action: InjurySaves) -> None:
    """Both saves at once: strength for how bad it is, will for staying upright."""
    name = action.character
    must_live(decision, name)
    injury = decision.sheet(name).injury
    if injury is None:
        raise Refusal("OSR 6.6", f"{called(name)} has no injury to save against.")
    if injury.stage == "fate":
        must_be_free(decision, name)
    refuse_unless(
        action.will is not None or action.fail_will,
        "OSR 6.6",
        "An injury takes both saves: give the total of the will save too, or fail it on purpose.",
    )
    stat_loss_allowed(decision, action.stat_loss)
    strength_save(decision, action, injury.dc)
    will_save(decision, action, injury.dc)


@rule("OSR 6.6")
def passes(total: int, dc: int, *, save_meets_dc: bool) -> bool:
    """Whether a save is made; what a total equal to the DC does is the table's to rule."""
    return total > dc or (save_meets_dc and total == dc)


@rule("OSR 6.7")
def strength_save(decision: OsrDecision, action: InjurySaves, dc: int) -> None:
    """Passed: a minor wound. Failed: the player's choice, or death outright where 6.11 leaves none."""
    name = action.character
    if passes(action.strength, dc, save_meets_dc=decision.options.save_meets_dc):
        decision.tell(StrengthSavePassed(name, action.strength, dc))
        take_minor_wound(decision, name, action.wound, action.effect, action.until, action.stat_loss)
        return
    decision.tell(StrengthSaveFailed(name, action.strength, dc))
    sheet = decision.sheet(name)
    if sheet.marks >= most_marks(sheet):
        decision.tell(DiedOutright(name, sheet.marks))


@rule("OSR 6.8")
def will_save(decision: OsrDecision, action: InjurySaves, dc: int) -> None:
    """Failed, by the dice or on purpose: down. Passed: whoever stood keeps standing."""
    name, total, ruled = action.character, action.will, decision.options.save_meets_dc
    if total is not None and not action.fail_will and passes(total, dc, save_meets_dc=ruled):
        decision.tell(WillSavePassed(name, total, dc))
    else:
        stands = decision.sheet(name).condition == "up"
        decision.tell(WillSaveFailed(name, total, dc, on_purpose=action.fail_will, collapses=stands))


@rule("OSR 6.7")
def choose_fate(decision: OsrDecision, action: ChooseFate) -> None:
    """After a failed strength save the player chooses. As many marks as levels leave no major wound to choose."""
    name = action.character
    sheet = decision.sheet(name)
    if sheet.injury is not None and sheet.injury.stage == "saves":
        must_be_free(decision, name)
    if action.fate == "major_wound":
        must_have_room_for_a_mark(sheet, name)
    must_live(decision, name)
    refuse_unless(sheet.injury, "OSR 6.7", f"{called(name)} has no fate to choose: that takes a failed strength save.")
    if action.fate == "death":
        decision.tell(DeathChosen(name))
    else:
        take_major_wound(decision, name, action.wound, action.effect, action.ability_loss)


@rule("OSR 6.8")
def rally(decision: OsrDecision, action: Rally) -> None:
    """Only who collapsed gets back up."""
    must_be_free(decision, action.character)
    refuse_unless(
        decision.sheet(action.character).condition == "collapsed",
        "OSR 6.8",
        f"{called(action.character)} has not collapsed.",
    )
    decision.tell(Rallied(action.character))


# -- what is remembered ----------------------------------------------------------------------------------


def damaged(state: OsrState, event: Damaged) -> None:
    state.change(event.character, hp=event.hp)


def injured(state: OsrState, event: Injured) -> None:
    state.change(event.character, hp=0, injury=Injury(event.dc, event.source))


def hit_points_bypassed(state: OsrState, event: HitPointsBypassed) -> None:
    state.change(event.character, injury=Injury(event.dc, event.source))


def hit_points_sacrificed(state: OsrState, event: HitPointsSacrificed) -> None:
    state.change(event.character, hp=event.hp)


def strength_save_passed(state: OsrState, event: StrengthSavePassed) -> None:
    state.change(event.character, injury=None)


def strength_save_failed(state: OsrState, event: StrengthSaveFailed) -> None:
    sheet = state.characters.get(event.character)
    source = sheet.injury.source if sheet is not None and sheet.injury is not None else None
    state.change(event.character, injury=Injury(event.dc, source, "fate"))


def will_save_passed(_state: OsrState, _event: WillSavePassed) -> None:
    """Passing it changes nothing: who lay down stays down."""


def will_save_failed(state: OsrState, event: WillSaveFailed) -> None:
    if event.collapses:
        state.change(event.character, condition="collapsed")


def died(state: OsrState, event: DeathChosen | DiedOutright) -> None:
    state.change(event.character, condition="dead", injury=None)


def rallied(state: OsrState, event: Rallied) -> None:
    state.change(event.character, condition="up")


DECIDE: dict[type[Action], Decide] = {
    Damage: damage,
    BypassingHit: bypassing_hit,
    InjurySaves: injury_saves,
    ChooseFate: choose_fate,
    Rally: rally,
}
EVOLVE: dict[type[Event], Evolve] = {
    Damaged: damaged,
    Injured: injured,
    HitPointsBypassed: hit_points_bypassed,
    HitPointsSacrificed: hit_points_sacrificed,
    StrengthSavePassed: strength_save_passed,
    StrengthSaveFailed: strength_save_failed,
    WillSavePassed: will_save_passed,
    WillSaveFailed: will_save_failed,
    DeathChosen: died,
    DiedOutright: died,
    Rallied: rallied,
}
