"""Folding: what the standing turns come to, from the nearest kept state on.

Kept states are the fold at intervals, so that reading costs what follows and not what lies before. They are
disposable: made when turns are appended, never changed, only added, and passed over whenever there is a
doubt. One holds at a point if it was made at or before it, of the same log, by the same version of the
rules, and if no later turn up to that point revises anything that it was folded from.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from domain.common.start import CampaignStarted
from domain.log.chance import COUNTED
from domain.log.effective_history import EffectiveHistory, EffectiveTurn, effective_history, turns_as_folded
from domain.log.port import Log, Packed, Snapshot
from domain.log.used_numbers import UsedNumbers
from domain.system.registry import record_types
from domain.system.ruled import PackedRulings, Rulings
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game, State
from domain.turn import FoldableTurn, StoredDrawn, Turn, TurnRedecided

#: A state is kept every so many turns.
EVERY = 200


def fold(state: Game, turns: Iterable[FoldableTurn], effective: EffectiveHistory) -> None:
    """Fold what stands of the turns into the state."""
    undone, retold, place, late = effective.undone, effective.retold, effective.place, effective.late
    otherwise = {*undone, *retold, *place, *late}
    for turn in turns:
        number = turn.number
        if number not in otherwise:  # as nearly all of them
            for event in turn.events:
                event.fold(state)
            continue
        if number not in undone and number not in place:
            # words among a turn's own events fold into nothing, so they need no sorting out here
            for event in retold[number][1].events if number in retold else turn.events:
                event.fold(state)
        for each in late.get(number, ()):
            if each.number not in undone:
                for event in effective.facts(each):
                    event.fold(state)


def state_at(system: RuleSystem, log: Log, upto: int | None = None) -> Game:
    """The state as the log told it when turn `upto` was its last (None: now)."""
    upto = log.last() if upto is None else upto
    after, state, _, effective = nearest(system, log, upto, upto)
    fold(state, log.happened(after, upto), effective)
    return state


def nearest(system: RuleSystem, log: Log, turn: int, upto: int) -> tuple[int, Game, UsedNumbers, EffectiveHistory]:
    """The nearest kept state not after `turn` that holds when `upto` is the last turn, else the opening.

    Given as (the turn that it is after, the state, the numbers given out up to then, what stands of what follows).
    """
    found = kept_between(system, log, 0, turn, upto)
    return found if found is not None else (0, system.opening(), UsedNumbers(), effective_history(log, upto))


def kept_between(
    system: RuleSystem, log: Log, after: int, turn: int, upto: int
) -> tuple[int, Game, UsedNumbers, EffectiveHistory] | None:
    """The same, if it is a later one than that after turn `after`."""
    for kept in log.snapshots.upto(turn, upto):
        if kept.turn <= after:
            break
        if not is_of(system, log, kept):
            continue
        effective = effective_history(log, upto, after=kept.turn)
        if any(number > kept.as_of and first <= kept.turn for number, first in effective.changes):
            continue
        found = unpacked(system, kept.state)
        if found is not None:
            return kept.turn, *found, effective
    return None


def is_of(system: RuleSystem, log: Log, kept: Snapshot) -> bool:
    """Whether a state was kept of this very log, by these rules."""
    if kept.version != system.version:
        return False
    for number, identity in {kept.turn: kept.turn_id, kept.as_of: kept.as_of_id}.items():
        turn = log.find(identity)
        if turn is None or turn.number != number:
            return False
    return True


def packed(state: Game, used: UsedNumbers) -> Packed:
    """A state and the numbers given out so far, as bytes. The rulings, of which there are ever more, are in pieces."""
    known, pieces = state.campaign.rulings.packed()
    record = {
        "characters": state.characters,
        "table": state.table,
        "options": state.options,
        "campaign": state.campaign,
        "used": used.runs,
        "version": used.version,
    }
    return Packed(msgspec.msgpack.encode(record, enc_hook=lambda _: known), pieces)


def unpacked(system: RuleSystem, packed: Packed) -> tuple[Game, UsedNumbers] | None:
    """The state again; None if these bytes are none."""

    def rulings(_: type, known: Any) -> Rulings:
        return Rulings.unpacked(msgspec.convert(known, PackedRulings), packed.pieces)

    try:
        record = msgspec.msgpack.decode(packed.state, type=record_types(system.key).state, dec_hook=rulings)
    except (msgspec.MsgspecError, ValueError, TypeError):
        return None
    return State(record.characters, record.table, record.options, record.campaign), UsedNumbers(
        record.used, record.version
    )


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
    for told in turns_as_folded(log, upto, effective, after=after, session=state.campaign.session or 0):
        folded = told.place is not None and effective.trunk(told.turn.number) <= after
        if told.standing and not folded:
            for event in told.facts:
                event.fold(state)
        yield told, state


def last_change(
    system: RuleSystem,
    log: Log,
    character: str,
    name: str,
    before: int | None = None,
    effective: EffectiveHistory | None = None,
) -> int | None:
    """The number of the turn that last changed a sheet field as shown; None if none ever did.

    `before`: as far as the turn of this number, which is left out; where it folds, as `judgement` has it.
    """
    changed, sheet, table, value = None, None, None, None
    for told, state in steps(system, log, effective=effective):
        if told.turn.number == before:
            break
        if character not in state.characters:
            sheet = None
        elif state.characters[character] is not sheet or state.table is not table:
            sheet, table = state.characters[character], state.table
            now = system.to_view(state, character).get(name)
            if now != value or changed is None:
                changed, value = told.turn.number, now
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
