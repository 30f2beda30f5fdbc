"""Previews: what an action would do, without revealing what the real turn would draw.

The action is decided in several simulations (`domain.log.simulation`) with different draws. What is the same in all of
them is certain and shown; the rest is open.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import Conflicts, Undo
from domain.log.adopting import Adoption, decide_adoption
from domain.log.command_handler import Command, CommandHandler
from domain.log.port import Log
from domain.log.revising import ChangedTurn, Outcome
from domain.log.revision_draft import latest_line
from domain.log.simulation import SIMULATIONS, FaceDown, Simulation
from domain.naming import called, listed, possessive, quantity, singular
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.registry import tag_of
from domain.system.chance import Draw
from domain.system.rulesystem import RuleSystem
from domain.turn import Event, Turn
from projections.secrecy import readable
from projections.sheet_changes import SheetChange, sheet_changes

Facts = tuple[Event, ...] | None
#: The simulations in which something has to be drawn before a preview promises that it is.
CERTAIN = 24
#: The reason of a conflict that is not the same in every simulation.
WHETHER_IS_DRAWN = "This depends on what is drawn."


class ActionPreview(Struct, frozen=True):
    """The turns that would be appended, and their effects: on earlier turns, on sheets, and conflicts."""

    #: The lines as they come out in one of the simulations.
    outcomes: tuple[Outcome, ...] = ()
    #: Those lines as turns, and earlier turns that would change.
    own: tuple[ChangedTurn, ...] = ()
    changed: Sequence[ChangedTurn] = ()
    conflicts: tuple[LaterTurn, ...] = ()
    #: Turns that would conflict in some simulations only.
    doubtful: tuple[int, ...] = ()
    sheets: tuple[SheetChange, ...] = ()
    #: Whether any of this depends on draws.
    open: bool = False
    #: Whether it changes no turn before the latest line, and undoes only a line of the same person.
    only_latest: bool = False
    #: The earlier turns that would be moved, each to directly after another; None: to its number.
    moved: Mapping[int, int | None] = {}
    #: Sentences about characters whom a late entry hits and whose figure now stays what it is.
    unmoved: tuple[str, ...] = ()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that would be appended, without what they say of the turns in `changed`."""
        return tuple(outcome.turn for outcome in self.outcomes)

    @property
    def reaches_back(self) -> bool:
        """Whether earlier turns would change, be undone, be moved or conflict."""
        return bool(self.changed or self.conflicts or self.doubtful or self.moved)

    @property
    def possible_conflicts(self) -> tuple[LaterTurn, ...]:
        """The conflicts, and the turns of which what is drawn decides whether they are some."""
        return (*self.conflicts, *(LaterTurn(turn, None, WHETHER_IS_DRAWN) for turn in self.doubtful))


class RestsOnDraw(Refusal):
    """Hidden cards or draws decide whether it is legal, which the reasons would reveal."""

    def __init__(self) -> None:
        super().__init__(None, "Whether this is allowed depends on what is drawn; you see it when you record it.")


def simulate(handler: CommandHandler, *lines: Command) -> ActionPreview:
    """Preview these lines, recorded together. Raises what `CommandHandler.record` raises before it appends.

    Conflicts with later turns are part of the preview and not raised. If every simulation refuses the lines but for
    different reasons, RestsOnDraw is raised instead of one of them.
    """
    handler.catch_up()
    simulations = list(_simulations(handler, lines))
    outcomes = [simulation for simulation in simulations if isinstance(simulation, list)]
    errors = [simulation for simulation in simulations if not isinstance(simulation, list)]
    if errors and not outcomes:
        conflicts = [error.turns for error in errors if isinstance(error, Conflict)]
        if len(lines) > 1 and len(conflicts) == len(errors):
            certain, doubtful = _certain_and_doubtful(conflicts)
            return ActionPreview(conflicts=certain, doubtful=doubtful, open=bool(doubtful))
        reasons = {error.turns if isinstance(error, Conflict) else str(error) for error in errors}
        raise errors[0] if len(reasons) == 1 else RestsOnDraw()
    return _merge(handler, lines, outcomes, refused=bool(errors))


def _simulations(
    handler: CommandHandler, lines: Sequence[Command]
) -> Iterator[list[Outcome] | Refusal | Invalid | Conflict]:
    """What the lines come to in each simulation; a single one where it is the same in all of them."""
    reaches_back = any(line.reaches_back for line in lines)
    face_down = FaceDown(handler.system, handler.log.read() if reaches_back else None)
    simulations = [Simulation(number, face_down) for number in range(1, CERTAIN + 1)]
    revision = handler.revision_of(lines[0]) if reaches_back and len(lines) == 1 else None
    if revision is not None:
        for outcome in revision.outcomes(simulations[:SIMULATIONS]):
            if isinstance(outcome, Outcome):
                yield [replace(outcome, state=outcome.state or handler.state())]
            else:
                yield outcome
        return
    decided: list[list[Outcome]] = []
    for count, simulation in enumerate(simulations, 1):
        try:
            simulating = handler.simulating(simulation)
            if len(lines) == 1:
                outcomes = [simulating.handle(lines[0], dry_run=True)]
            else:
                outcomes = simulating.record_together(lines, dry_run=True)
        except (Refusal, Invalid, Conflict) as error:
            yield error
        else:
            yield outcomes
            decided.append(outcomes)
            if face_down.field is None and count == 1 and not any(map(_draws, outcomes)):
                return
        if count >= SIMULATIONS and not any(_certain_draws(decided, at) for at in range(len(lines))):
            return  # no draw is left of which it is asked whether it is certain


def _certain_draws(simulations: Sequence[Sequence[Outcome]], at: int) -> tuple[Draw, ...]:
    """What a new turn draws in every simulation; what only some cards or dice lead to is none of it."""
    draws = [outcomes[at].draws.get(outcomes[at].turn.number, ()) for outcomes in simulations]
    return tuple(draw for draw in draws[0] if all(draw in others for others in draws[1:])) if draws else ()


def _certain_and_doubtful(
    simulations: Iterable[Iterable[LaterTurn]],
) -> tuple[tuple[LaterTurn, ...], tuple[int, ...]]:
    """The conflicts that every simulation meets, and the turns of those that only some meet."""
    first, *others = (
        {(conflict.turn, conflict.rule, conflict.reason): conflict for conflict in conflicts}
        for conflicts in simulations
    )
    certain = tuple(conflict for key, conflict in first.items() if all(key in other for other in others))
    every = {turn for conflicts in (first, *others) for turn, _, _ in conflicts}
    return certain, tuple(sorted(every - {conflict.turn for conflict in certain}))


def _draws(outcome: Outcome) -> bool:
    return any(outcome.draws.values())


def _merge(
    handler: CommandHandler, lines: Sequence[Command], simulations: list[list[Outcome]], *, refused: bool
) -> ActionPreview:
    """What is the same in the simulations that were not refused; where one is `refused`, everything stays as it is."""
    system, state, first = handler.system, handler.state(), simulations[0]
    new_turns = tuple(
        _expected_turn(
            system,
            outcome.turn.number,
            None,
            [*(simulation[at].turn.facts for simulation in simulations), *([None] if refused else [])],
            _certain_draws(simulations, at),
            is_drawn=_draws(outcome),
        )
        for at, outcome in enumerate(first)
    )
    changed_turns = _changed_turns(system, [*simulations, *([[]] if refused else [])])
    certain, doubtful = _certain_and_doubtful(
        [conflict for outcome in simulation for conflict in outcome.conflicts] for simulation in simulations
    )
    moved = {number: place for outcome in first for number, place in outcome.moved.items()}
    touched_turns = [*(change.turn for change in changed_turns[:1]), *moved]  # they are in the order of the log
    sheets: tuple[SheetChange, ...] = ()
    unmoved: tuple[str, ...] = ()
    if not certain and not doubtful:
        ends = [simulation[-1].state for simulation in simulations]
        states_after = [*(end for end in ends if end is not None), *([state] if refused else [])]
        sheets = tuple(sheet_changes(system, state, *states_after))
        unmoved = tuple(_stable_figures(handler, first, sheets))
    if sheets:
        touched_turns += [outcome.turn.place for outcome in first if outcome.turn.place is not None]
    latest = latest_line(handler.log, handler.number) if touched_turns else ()
    left_open = any(part.open for part in chain(new_turns, changed_turns)) or any(part.open for part in sheets)
    return ActionPreview(
        outcomes=tuple(first),
        own=new_turns,
        changed=changed_turns,
        conflicts=certain,
        doubtful=doubtful,
        sheets=sheets,
        open=refused or bool(doubtful) or left_open,
        only_latest=not certain
        and not doubtful
        and all(turn >= min(latest, default=0) for turn in touched_turns)
        and _undoes_own_line(handler, lines, latest),
        moved=moved,
        unmoved=unmoved,
    )


def _stable_figures(
    handler: CommandHandler, outcomes: Sequence[Outcome], sheets: Sequence[SheetChange]
) -> Iterator[str]:
    """A sentence for each character whom a late entry hits, and whose figure later turns set to what it is."""
    system, state = handler.system, handler.state()
    field, measure = system.vital
    moving_sheets = {
        sheet.name for sheet in sheets if sheet.change != "changed" or any(f.field == field for f in sheet.fields)
    }
    hit = dict.fromkeys(
        str(getattr(fact, "character", ""))
        for outcome in outcomes
        if outcome.turn.place is not None
        for fact in outcome.turn.facts
        if tag_of(type(fact)) in system.harmful_events
    )
    for name in hit:
        value = (
            system.sheet_view(state, name).get(field)
            if name in state.characters and name not in moving_sheets
            else None
        )
        if isinstance(value, int):
            yield f"{called(name)} still has {quantity(value, singular(measure), measure)} now."


def _undoes_own_line(handler: CommandHandler, lines: Sequence[Command], latest: Sequence[int]) -> bool:
    """Whether an undo without a turn number, if it is one, undoes the latest line of the same person."""
    undoers = {
        line.by
        for line in lines
        if isinstance(line.action, Undo) and line.action.turns is None and line.action.to is None
    }
    if not undoers or not latest:
        return True
    loggers = {turn.by for turn in handler.log.read(latest[0] - 1, latest[-1]) if turn.number in latest}
    return latest[-1] == handler.number and loggers == undoers


def _expected_turn(
    system: RuleSystem,
    turn: int,
    before: Facts,
    facts_in_each: Sequence[Facts],
    draws: tuple[Draw, ...],
    *,
    is_drawn: bool = False,
) -> ChangedTurn:
    """One turn with its facts before, and after it in each of the simulations; `draws` are those that are certain."""
    is_open = is_drawn or bool(draws) or not all(_alike(system, facts_in_each[0], facts) for facts in facts_in_each[1:])
    first, *others = (facts or () for facts in facts_in_each)
    certain = tuple(fact for fact in first if fact.foretold and all(fact in facts for facts in others))
    return ChangedTurn(turn, before, facts_in_each[0], draws, is_open, certain)


def _changed_turns(system: RuleSystem, simulations: Sequence[Sequence[Outcome]]) -> Sequence[ChangedTurn]:
    """Every earlier turn whose outcome changes visibly in one of the simulations, by number, not by place."""
    first, *others = (outcome for simulation in simulations for outcome in simulation)
    if len(simulations) == 1 and not others and not _draws(first) and not system.fold_only:
        return sorted(first.changed, key=lambda change: change.turn)  # nothing is open where nothing is drawn
    befores: dict[int, Facts] = {}
    afters: dict[int, dict[int, Facts]] = {}
    for at, simulation in enumerate(simulations):
        for change in chain.from_iterable(outcome.changed for outcome in simulation):
            befores.setdefault(change.turn, change.before)
            afters.setdefault(change.turn, {})[at] = change.after
    draws_in_each = [
        {turn: turn_draws for outcome in simulation for turn, turn_draws in outcome.draws.items()}
        for simulation in simulations
    ]
    visible_changes = []
    for turn in sorted(befores.keys() - {outcome.turn.number for outcome in simulations[0]}):
        before = befores[turn]
        # in a simulation that does not mention the turn its outcome stays the same
        facts_in_each = [afters[turn].get(at, before) for at in range(len(simulations))]
        if not all(_alike(system, before, facts) for facts in facts_in_each):
            draws = [draws_of_turns.get(turn, ()) for draws_of_turns in draws_in_each]
            # so few simulations do not tell whether a card that nobody has seen calls for the dice
            foretold = (draw for draw in draws[0] if draw.sides is None or system.face_down is None)
            certain = tuple(draw for draw in foretold if all(draw in each for each in draws))
            visible_changes.append(_expected_turn(system, turn, before, facts_in_each, certain, is_drawn=any(draws)))
    return visible_changes


def _alike(system: RuleSystem, first: Facts, second: Facts) -> bool:
    """Whether two outcomes of a turn are the same to whoever reads them."""
    if first == second or first is None or second is None or not system.fold_only:
        return first == second
    return [readable(system, event) for event in first] == [readable(system, event) for event in second]


def adoption(
    handler: CommandHandler, branch: Log, name: str, fork: int, conflicts: Conflicts | None
) -> tuple[Adoption, tuple[ChangedTurn, ...], tuple[SheetChange, ...]]:
    """Preview the adoption of a branch: the adoption in the first simulation, its turns, and the sheets.

    Raises what `decide_adoption` raises.
    """
    face_down = FaceDown(handler.system, handler.log.read())
    adoptions: list[Adoption] = []
    for number in range(1, SIMULATIONS + 1):
        adoptions.append(
            decide_adoption(handler.simulating(Simulation(number, face_down)), branch, name, fork, conflicts)
        )
        if face_down.field is None and not adoptions[0].draws:
            break
    new_turns = tuple(
        _expected_turn(
            handler.system,
            turn.number,
            None,
            [adoption.new_turns[at].facts if at < len(adoption.new_turns) else None for adoption in adoptions],
            adoptions[0].draws.get(turn.number, ()),
        )
        for at, turn in enumerate(adoptions[0].new_turns)
    )
    return (
        adoptions[0],
        new_turns,
        tuple(sheet_changes(handler.system, handler.state(), *(adoption.state for adoption in adoptions))),
    )


# -- in words ----------------------------------------------------------------------------------------------


def draws_in_words(draws: Sequence[Draw], words: Mapping[str, str]) -> str:
    """The draws without their values: "rolls 2d6 for Brog's re-roll and draws one of Ada's exhausted cards".

    `words` are the rule system's templates by purpose.
    """
    counts = Counter(draw_in_words(draw, words) for draw in draws)
    times = {1: "", 2: " twice"}
    return listed([f"{draw}{times.get(count, f' {count} times')}" for draw, count in counts.items()]) if draws else ""


def draw_in_words(draw: Draw, words: Mapping[str, str]) -> str:
    """One draw without its values, by the template of its purpose if there is one."""
    owner = f"{possessive(draw.whose)} " if draw.whose else ""
    if draw.purpose in words:
        return words[draw.purpose].format(whose=owner.rstrip(), count=_cards(draw.count).partition(" ")[0])
    purpose, _, detail = draw.purpose.partition(", ")
    if purpose == "dice":
        return f"rolls {draw.count}d{draw.sides}"  # what for was said before
    if draw.sides is not None:
        return f"rolls {draw.count}d{draw.sides} for {owner}{purpose}{f' ({detail})' if detail else ''}"
    if draw.shuffles:
        return f"shuffles {_cards(draw.count)}{f' of {called(draw.whose)}' if draw.whose else ''}"
    return f"draws {_cards(draw.count)} for {owner}{draw.purpose}"


def _cards(count: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    return f"{words[count] if count < len(words) else count} {'card' if count == 1 else 'cards'}"
