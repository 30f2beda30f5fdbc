"""Folding: effective turns into a state, starting from the nearest snapshot.

With it goes what only a walk over the turns can find: the state after each of them, the turn that last changed a field,
and the numbers that were given out.
"""

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
    """Fold the standing turns into the state, with their effective outcome and order."""
    undone_by, redecided_by, place, late = effective.undone_by, effective.redecided_by, effective.place, effective.late
    affected = {*undone_by, *redecided_by, *place, *late}
    for turn in turns:
        number = turn.number
        if number not in affected:  # true for nearly all of them
            for event in turn.events:
                event.fold(state)
            continue
        if number not in undone_by and number not in place:
            # revision events do not change the state, so they need not be filtered out
            redecision = effective.redecision(number)
            for event in turn.events if redecision is None else redecision.events:
                event.fold(state)
        for late_turn in late.get(number, ()):
            if late_turn.number not in undone_by:
                for event in effective.facts(late_turn):
                    event.fold(state)


def state_at(system: RuleSystem, log: Log, upto: int | None = None) -> Game:
    """The state as of turn `upto` (None: the last one), without the revisions by later turns."""
    upto = log.last() if upto is None else upto
    return state_before(system, log, upto + 1, upto)


def state_before(system: RuleSystem, log: Log, turn: int, upto: int) -> Game:
    """The state before turn `turn`, with the revisions up to turn `upto`."""
    base = nearest_base(system, log, turn - 1, upto)
    fold(base.state, log.read(base.turn, turn - 1), base.effective)
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
    """Every turn in folding order, each with the state after it.

    All turns come with the same state object, which is folded on: copy it to keep it. For an undone turn it is
    unchanged. To start after turn `after`, pass the state there, with late entries that fold up to there.
    """
    effective = effective or effective_history(log, upto)
    state = system.opening() if state is None else state
    for effective_turn in turns_as_folded(log, upto, effective, after=after, session=state.campaign.session or 0):
        folded_before = effective_turn.place is not None and effective.trunk(effective_turn.number) <= after
        if effective_turn.standing and not folded_before:
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
    """The number of the turn that last changed a field of a sheet's view; None if none did.

    `before`: only turns that fold before this one, by `effective`.
    """
    turn_of_change, sheet, table, value = None, None, None, None
    for effective_turn, state in steps(system, log, effective=effective):
        if effective_turn.number == before:
            break
        if character not in state.characters:
            sheet = None
        elif state.characters[character] is not sheet or state.table is not table:
            sheet, table = state.characters[character], state.table
            now = system.fields_view(state, character).get(name)
            if now != value or turn_of_change is None:
                turn_of_change, value = effective_turn.number, now
    return turn_of_change


def counting_numbers(turns: Iterable[Turn], used_numbers: UsedNumbers) -> Iterator[Turn]:
    """Yield the turns, recording every number that was given out in them, undone or not."""
    for turn in turns:
        note_turn(turn, used_numbers)
        yield turn


def note_turn(turn: Turn, used_numbers: UsedNumbers) -> None:
    """Record every number that was given out in one turn, and the version of the rules that decided it."""
    if turn.rules_version is not None:
        used_numbers.version = turn.rules_version
    elif turn.number == 1:
        used_numbers.version = first_version(turn)
    if turn.chance:
        note_numbers(turn.chance, used_numbers)
    for event in turn.events:
        if isinstance(event, TurnRedecided):
            note_numbers(event.chance, used_numbers)


def first_version(turn: Turn) -> int:
    """The version of the rules that turn 1 names; 0 if it names none."""
    return next((event.version for event in turn.events if isinstance(event, CampaignStarted)), 0)


def note_numbers(chance: Mapping[str, StoredDrawn], used_numbers: UsedNumbers) -> None:
    """Record every number that was given out in the chance of one turn."""
    for key, draw in chance.items():
        if key.endswith(COUNTED):
            used_numbers.add(key, map(int, draw.values))


def without_used_numbers(chance: Mapping[str, StoredDrawn], used_numbers: UsedNumbers) -> dict[str, StoredDrawn]:
    """The chance of a turn of another branch, without what gave out a number that is used here."""
    return {
        key: draw
        for key, draw in chance.items()
        if not (key.endswith(COUNTED) and any(used_numbers.has(key, int(number)) for number in draw.values))
    }
