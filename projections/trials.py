"""Trials: what happened under a ruling compared with what would have happened without it.

Both directions are worked out like a dry run: the ruling undone, and the ruling made to count from the beginning. The
turns are decided again as the table would have played them: fields that only the ruling gives a meaning are left out,
and a turn that would not be legal is told as such and skipped. Nothing is appended.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from domain.common.revisions import Undo
from domain.common.rulings import Ruling
from domain.log.command_handler import CommandHandler
from domain.log.effective_history import EffectiveTurn, effective_history, effective_turns
from domain.log.port import AsOf, Log
from domain.log.revising import Changed
from domain.log.simulation import WithoutIdleFields
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.system.rulesystem import RuleSystem
from domain.values import in_words
from projections.chronicle import entry_of, parts_of, plain
from projections.difference import between
from projections.history import Remark


class Otherwise(Struct, frozen=True):
    """One turn that would read otherwise: its sentence on either side.

    Where the turn would not be legal the sentence says why; None: the turn would not stand.
    """

    turn: int
    session: int
    characters: tuple[str, ...]
    under: str | None
    without: str | None


class Share(Struct, frozen=True):
    """How many turns of one character would read otherwise in one session."""

    session: int
    character: str
    turns: int


class Evidence(Struct, frozen=True):
    """What a trial made of the game up to turn `upto`, which is the last one, or the one before it was adopted or
    ended."""

    ruling: int
    upto: int
    #: the turns that were played under it
    played: tuple[int, ...]
    #: the turns under it, and those that follow from them, that would read otherwise without it
    differing: tuple[Otherwise, ...]
    #: the turns before it that would read otherwise if it had counted from the beginning
    earlier: tuple[Otherwise, ...]
    #: the sheets at the end that would be different: character -> "hp 7, without it 9"
    sheets: Mapping[str, str]
    #: whether it was adopted or ended
    over: bool = False

    @property
    def shares(self) -> tuple[Share, ...]:
        """The turns that would read otherwise, counted by session and character."""
        found: dict[tuple[int, str], int] = {}
        for each in self.differing:
            for name in each.characters or ("nobody in particular",):
                found[each.session, name] = found.get((each.session, name), 0) + 1
        return tuple(Share(session, name, count) for (session, name), count in sorted(found.items()))

    def told(self) -> str:
        """The evidence in a sentence or two."""
        under, other, earlier = len(self.played), len(self.differing), len(self.earlier)
        turns = f"{under} {'turn was' if under == 1 else 'turns were'} played under it"
        without = f"without it {other} {'turn' if other == 1 else 'turns'} would read otherwise" if other else ""
        came_of_it = f"{turns}; {without or 'without it every turn would read the same'}."
        before = f" Had it counted from the beginning, {earlier} earlier {'turn' if earlier == 1 else 'turns'}"
        return (
            f"{came_of_it if under or other or self.over else 'Nothing was played under it so far.'}"
            f"{f'{before} would read otherwise.' if earlier else ''}"
        )


def evidence_of(handler: CommandHandler, trial: Remark, played: Iterable[int], over: int | None) -> Evidence:
    """The evidence of a trial that stands; `over` is the turn that adopted or ended it, if any did.

    `played` are the turns under it. Without a ruling that sets no option every turn would read the same.
    """
    log, system = handler.log, handler.system
    upto = log.last() if over is None else over - 1
    turns = tuple(turn for turn in played if turn <= upto)
    if not trial.set:
        return Evidence(trial.ruling or 0, upto, turns, (), (), {}, over is not None)
    then = AsOf(log, upto)
    told = {each.turn.number: each for each in effective_turns(then)}
    before = handler.on(then, draw_source=WithoutIdleFields(system))
    without = before.record(Undo(turns=(trial.turn,)), dry_run=True)
    changed = [each for each in without.changed if each.turn != trial.turn]
    differing = _otherwise(system, told, changed, without.conflicts, with_it=True)
    sheets = {}
    if without.state is not None:
        for name, person in between(system, before.state(), without.state, 0, 0).characters.items():
            fields = (f"{each.field} {in_words(each.old)}, without it {in_words(each.new)}" for each in person.fields)
            sheets[name] = "; ".join(fields)
    earlier = _earlier(handler, log, trial)
    return Evidence(trial.ruling or 0, upto, turns, differing, earlier, sheets, over is not None)


def _earlier(handler: CommandHandler, log: Log, trial: Remark) -> tuple[Otherwise, ...]:
    """The turns before the ruling that would read otherwise if it had counted from the beginning."""
    first = trial.late or trial.since or trial.turn - 1
    if first < 2:
        return ()
    then = AsOf(log, first)
    ruling = Ruling(rule=trial.rule, text=trial.text or "tried", set=dict(trial.set), since="T1")
    try:
        outcome = handler.on(then, draw_source=WithoutIdleFields(handler.system)).record(ruling, dry_run=True)
    except (Refusal, Invalid, Conflict):  # its paragraph was not there yet
        return ()
    told = {each.turn.number: each for each in effective_turns(then, effective=effective_history(then))}
    changed = [each for each in outcome.changed if each.turn != outcome.turn.number]
    return _otherwise(handler.system, told, changed, outcome.conflicts, with_it=False)


def _otherwise(
    system: RuleSystem,
    told: Mapping[int, EffectiveTurn],
    changed: Iterable[Changed],
    conflicts: Iterable[LaterTurn],
    *,
    with_it: bool,
) -> tuple[Otherwise, ...]:
    in_the_way = {each.turn: f"not possible: {Refusal(each.rule, each.reason)}" for each in conflicts}
    found = []
    for change in changed:
        here = told[change.turn]
        was = plain(parts_of(change.before)) if change.before is not None else None
        now = plain(parts_of(change.after)) if change.after is not None else in_the_way.get(change.turn)
        under, without = (was, now) if with_it else (now, was)
        characters = tuple(sorted(entry_of(system, here).characters))
        found.append(Otherwise(change.turn, here.session, characters, under, without))
    return tuple(sorted(found, key=lambda each: each.turn))
