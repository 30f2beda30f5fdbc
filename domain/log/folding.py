"""Folding: what the effective turns come to, from the nearest snapshot on."""

from collections.abc import Iterable, Iterator, Mapping

from domain.common.start import CampaignStarted
from domain.log.effective_history import EffectiveHistory, EffectiveTurn, effective_history, turns_as_folded
from domain.log.port import Log
from domain.log.snapshots import nearest_base
from domain.system.chance import COUNTED
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.system.used_numbers import UsedNumbers
from domain.turn import StoredDrawn, Turn, TurnRedecided


def fold(state: Game, turns: Iterable[Turn], effective: EffectiveHistory) -> None:
    """Fold what stands of the turns into the state."""
    undone, redecided, place, late = effective.undone, effective.redecided, effective.place, effective.late
    otherwise = {*undone, *redecided, *place, *late}
    for turn in turns:
        number = turn.number
        if number not in otherwise:  # as nearly all of them
            for event in turn.events:
                event.fold(state)
            continue
        if number not in undone and number not in place:
            # revision events fold into nothing, so they need no sorting out here
            for event in redecided[number][1].events if number in redecided else turn.events:
                event.fold(state)
        for each in late.get(number, ()):
            if each.number not in undone:
                for event in effective.facts(each):
                    event.fold(state)


def state_at(system: RuleSystem, log: Log, upto: int | None = None) -> Game:
    """The state of the log when turn `upto` was its last one (None: now)."""
    upto = log.last() if upto is None else upto
    base = nearest_base(system, log, upto, upto)
    fold(base.state, log.read(base.turn, upto), base.effective)
    return base.state


def steps(
    system: RuleSystem,
    log: Log,
    upto: int | None = None,
    effective: EffectiveHistory | None = None,
    *,
    after: int = 0,
    state: Game | None = None,
) -> Iterator[tuple[EffectiveTurn, Game]]:
    """Every turn in the order in which it folds, each with the state after it.

    The state is the one being folded: copy it to keep it. Undone turns come with the state unchanged. To begin
    after turn `after`, give the state there with everything in it that folds up to there.
    """
    effective = effective or effective_history(log, upto)
    state = system.opening() if state is None else state
    for effective_turn in turns_as_folded(log, upto, effective, after=after, session=state.campaign.session or 0):
        folded = effective_turn.place is not None and effective.trunk(effective_turn.number) <= after
        if effective_turn.standing and not folded:
            for event in effective_turn.facts:
                event.fold(state)
        yield effective_turn, state


def last_change(
    system: RuleSystem,
    log: Log,
    character: str,
    name: str,
    before: int | None = None,
    effective: EffectiveHistory | None = None,
) -> int | None:
    """The number of the turn that last changed a sheet field as shown; None if none ever did.

    `before`: as far as the turn of this number, which is left out; where it folds, as `effective` has it.
    """
    changed, sheet, table, value = None, None, None, None
    for effective_turn, state in steps(system, log, effective=effective):
        if effective_turn.number == before:
            break
        if character not in state.characters:
            sheet = None
        elif state.characters[character] is not sheet or state.table is not table:
            sheet, table = state.characters[character], state.table
            now = system.fields_view(state, character).get(name)
            if now != value or changed is None:
                changed, value = effective_turn.number, now
    return changed


def counted(turns: Iterable[Turn], used: UsedNumbers) -> Iterator[Turn]:
    """Pass the turns on, noting every number that was given out in them, undone or not."""
    for turn in turns:
        note_turn(turn, used)
        yield turn


def note_turn(turn: Turn, used: UsedNumbers) -> None:
    """Note every number that was given out in one turn, and the version of the rules that decided it."""
    if turn.rules_version is not None:
        used.version = turn.rules_version
    elif turn.number == 1:
        used.version = version_begun(turn)
    if turn.chance:
        note_numbers(turn.chance, used)
    for event in turn.events:
        if isinstance(event, TurnRedecided):
            note_numbers(event.chance, used)


def version_begun(turn: Turn) -> int:
    """The version of the rules that turn 1 of a log names; 0 if it names none."""
    return next((event.version for event in turn.events if isinstance(event, CampaignStarted)), 0)


def note_numbers(chance: Mapping[str, StoredDrawn], used: UsedNumbers) -> None:
    """Note every number that one turn's chance gave out."""
    for key, drawn in chance.items():
        if key.endswith(COUNTED):
            used.add(key, map(int, drawn.values))
