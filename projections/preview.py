"""Previews: what an action would do, shown before it is done, without a draw that the real turn would make.

It is decided in several simulations (`domain.log.simulation`). What is the same in all of them is shown; the rest is
open.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from domain.common.revisions import Conflicts, Undo
from domain.log.adopting import Adoption, adopted
from domain.log.backdating import reaches_back
from domain.log.command_handler import Command, CommandHandler
from domain.log.effective_history import effective_history
from domain.log.port import Log
from domain.log.revising import Outcome, latest_line
from domain.log.simulation import SIMULATIONS, FaceDown, Simulation
from domain.naming import called, listed
from domain.refusal import Conflict, Invalid, LaterTurn, Refusal
from domain.system.chance import Draw
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import REVISION_EVENTS, Event, Turn, TurnRedecided, same
from projections.chronicle import readable
from projections.difference import Difference, between, in_their_words

Facts = tuple[Event, ...] | None


class Expected(Struct, frozen=True):
    """One turn and what it would come to. None: it does not stand. `open`: that rests on what is drawn."""

    turn: int
    before: Facts
    after: Facts
    draws: tuple[Draw, ...] = ()
    open: bool = False


class OnSheet(Struct, frozen=True):
    """How one sheet would change. A difference that is open has the value that it would have in no simulation."""

    name: str
    #: "changed", "new" or "gone"
    change: str
    fields: tuple[Difference, ...] = ()
    open: frozenset[str] = frozenset()
    #: The same fields with their names and values in the rule system's words.
    told: tuple[Difference, ...] = ()


class ActionPreview(Struct, frozen=True):
    """What would be appended, what it would make of earlier turns and of sheets, and what would stand in its way."""

    turns: tuple[Turn, ...]
    own: tuple[Expected, ...]
    changed: tuple[Expected, ...]
    conflicts: tuple[LaterTurn, ...]
    #: Turns that may come to stand in its way.
    doubtful: tuple[int, ...]
    sheets: tuple[OnSheet, ...]
    #: Whether anything of all this rests on what is drawn.
    open: bool
    #: Whether it changes no turn before the latest line, and takes back none that somebody else told or that was not
    #: the last thing told.
    only_latest: bool
    #: The earlier turns that would fold elsewhere, each with the turn directly after which; None: at its number.
    moved: Mapping[int, int | None] = {}

    @property
    def reaches_back(self) -> bool:
        """Whether earlier turns would come out differently, be taken back, or stand in its way."""
        return bool(self.changed or self.conflicts or self.doubtful or self.moved)


#: Said where what nobody has seen decides whether something may be done: the reasons would tell what lies there.
RESTS_ON_A_DRAW = "Whether this may be done rests on what is drawn, and is told when it is done."


def simulate(handler: CommandHandler, *lines: Command) -> ActionPreview:
    """What these lines would do, done together. Raises what `CommandHandler.record` raises before it appends.

    Later turns that stand in their way are told and not raised. What is refused in every simulation, but not for the
    same reason in each, is refused for what nobody has seen: then only that is said.
    """
    handler.catch_up()
    found: list[list[Outcome]] = []
    failed: list[Refusal | Invalid | Conflict] = []
    face_down = FaceDown(
        handler.system,
        handler.log.read() if any(reaches_back(each.action, each.backdating) for each in lines) else None,
    )
    for number in range(1, SIMULATIONS + 1):
        try:
            found.append(_decided(handler.simulating(Simulation(number, face_down)), lines))
        except (Refusal, Invalid, Conflict) as error:
            failed.append(error)
        if face_down.field is None and len(found) == 1 and not any(map(_draws, found[0])):
            break
    if failed and not found:
        if len(lines) > 1 and all(isinstance(each, Conflict) for each in failed):
            return _in_the_way([each for each in failed if isinstance(each, Conflict)])
        raise failed[0] if len(set(map(_reason, failed))) == 1 else Refusal(None, RESTS_ON_A_DRAW)
    return _merged(handler, lines, found, refused=bool(failed))


def _in_the_way(failed: Sequence[Conflict]) -> ActionPreview:
    """What several lines done together meet with, where later turns stand in the way of one of them."""
    first, *others = ({(each.turn, each.rule, each.reason): each for each in error.turns} for error in failed)
    certain = tuple(each for key, each in first.items() if all(key in other for other in others))
    doubtful = {turn for simulation in (first, *others) for turn, _, _ in simulation} - {each.turn for each in certain}
    return ActionPreview((), (), (), certain, tuple(sorted(doubtful)), (), bool(doubtful), only_latest=False)


def _reason(error: Refusal | Invalid | Conflict) -> tuple[LaterTurn, ...] | str:
    return error.turns if isinstance(error, Conflict) else str(error)


def _draws(outcome: Outcome) -> bool:
    return any(outcome.draws.values())


def _decided(handler: CommandHandler, lines: Sequence[Command]) -> list[Outcome]:
    if len(lines) > 1:
        return handler.record_together(lines, dry_run=True)
    (line,) = lines
    return [
        handler.record(
            line.action,
            by=line.by,
            at=line.at,
            turn_id=line.turn_id,
            backdating=line.backdating,
            cites=line.cites,
            dry_run=True,
        )
    ]


def _merged(
    handler: CommandHandler, lines: Sequence[Command], simulations: list[list[Outcome]], *, refused: bool
) -> ActionPreview:
    system, first = handler.system, simulations[0]
    own = tuple(
        _expected(
            system,
            [(None, simulation[at].turn.facts) for simulation in simulations],
            outcome.turn.number,
            _drawn_by(outcome),
        )
        for at, outcome in enumerate(first)
    )
    changed = tuple(_changes(system, simulations))
    found = [
        {(each.turn, each.rule, each.reason): each for out in simulation for each in out.conflicts}
        for simulation in simulations
    ]
    certain = [each for key, each in found[0].items() if all(key in simulation for simulation in found)]
    doubtful = {turn for simulation in found for turn, _, _ in simulation} - {each.turn for each in certain}
    states = [simulation[-1].state for simulation in simulations]
    told = [state for state in states if state is not None]
    sheets = () if certain or doubtful else tuple(on_sheets(system, handler.state(), *told))
    touched = [turn.turn for turn in changed]
    moved = {number: place for outcome in first for number, place in outcome.moved.items()}
    touched += moved
    if sheets:
        touched += [each.turn.place for each in first if each.turn.place is not None]
    latest = latest_line(handler.log, effective_history(handler.log), handler.number) if touched else ()
    return ActionPreview(
        tuple(outcome.turn for outcome in first),
        own,
        changed,
        tuple(certain),
        tuple(sorted(doubtful)),
        sheets,
        refused or bool(doubtful) or any(each.open for each in (*own, *changed)) or any(each.open for each in sheets),
        not certain
        and not doubtful
        and all(turn >= min(latest, default=0) for turn in touched)
        and _is_ones_own(handler, lines, latest),
        moved,
    )


def _is_ones_own(handler: CommandHandler, lines: Sequence[Command], latest: Sequence[int]) -> bool:
    """Whether an undo that names no turn takes back what the same person told last."""
    bare = [
        each.by
        for each in lines
        if isinstance(each.action, Undo) and each.action.turns is None and each.action.to is None
    ]
    if not bare or not latest:
        return True
    told = [turn.by for turn in handler.log.read(latest[0] - 1, latest[-1]) if turn.number in latest]
    return latest[-1] == handler.number and {*told} == {*bare}


def _drawn_by(outcome: Outcome) -> tuple[Draw, ...]:
    return outcome.draws.get(outcome.turn.number, ())


def _expected(system: RuleSystem, told: Sequence[tuple[Facts, Facts]], turn: int, draws: tuple[Draw, ...]) -> Expected:
    before, after = told[0]
    is_open = bool(draws) or any(not _alike(system, after, other) for _, other in told[1:])
    return Expected(turn, before, after, draws, is_open)


def _changes(system: RuleSystem, simulations: Sequence[Sequence[Outcome]]) -> Iterator[Expected]:
    """Every earlier turn that comes to something else, as far as anybody can see."""
    own = {outcome.turn.number for outcome in simulations[0]}
    told: dict[int, dict[int, tuple[Facts, Facts]]] = {}
    for at, simulation in enumerate(simulations):
        for outcome in simulation:
            for change in outcome.changed:
                known = told.setdefault(change.turn, {}).get(at)
                told[change.turn][at] = (change.before if known is None else known[0], change.after)
    draws = {turn: drawn for outcome in simulations[0] for turn, drawn in outcome.draws.items()}
    for turn in sorted(told.keys() - own):
        before = next(iter(told[turn].values()))[0]
        # where a simulation says nothing of a turn, it comes to what it came to
        each = [told[turn].get(at, (before, before)) for at in range(len(simulations))]
        if not all(_alike(system, before, after) for _, after in each):
            yield _expected(system, each, turn, draws.get(turn, ()))


def _alike(system: RuleSystem, one: Facts, other: Facts) -> bool:
    """Whether two outcomes are the same to whoever reads them."""
    if one is None or other is None:
        return one is other
    return one == other or [readable(system, each) for each in one] == [readable(system, each) for each in other]


def sheets_unseen(
    shown: Sequence[OnSheet], system: RuleSystem, before: Game, after: Game, *, viewer: str | None = None
) -> tuple[OnSheet, ...]:
    """What became of the sheets; nothing of it where just that was `shown` before it was done."""
    came_to = tuple(on_sheets(system, before, after, viewer=viewer))
    return () if came_to == shown else came_to


def on_sheets(system: RuleSystem, before: Game, *after: Game, viewer: str | None = None) -> Iterator[OnSheet]:
    """How the sheets differ that do, as `viewer` may see them; open is what differs between the states of `after`."""
    told = [between(system, before, state, 0, 0, viewer=viewer).characters for state in after]
    for name in dict.fromkeys(name for each in told for name in each):
        persons = [each.get(name) for each in told]
        first = next(person for person in persons if person is not None)
        if first.change != "changed":
            yield OnSheet(name, first.change)
            continue
        fields = [{field.field: field for field in person.fields} if person else {} for person in persons]
        names = dict.fromkeys(field for each in fields for field in each)
        shown = {field: next(each[field] for each in fields if field in each) for field in names}
        is_open = {
            field
            for field, value in shown.items()
            if not all(field in each and same(each[field].new, value.new) for each in fields)
        }
        words = tuple(
            replace(
                each,
                field=system.field_called(before if each.change == "gone" else after[0], name, each.field, each.new),
            )
            for each in in_their_words(system, name, tuple(shown.values()), before, after[0])
        )
        yield OnSheet(name, "changed", tuple(shown.values()), frozenset(is_open), words)


def adoption(
    handler: CommandHandler, branch: Log, name: str, fork: int, conflicts: Conflicts | None
) -> tuple[Adoption, tuple[Expected, ...], tuple[OnSheet, ...]]:
    """What adopting a branch would do, in one simulation; its turns as far as they are certain, and the sheets.

    Raises what `adopted` raises.
    """
    face_down = FaceDown(handler.system, handler.log.read())
    found: list[Adoption] = []
    for number in range(1, SIMULATIONS + 1):
        found.append(adopted(handler.simulating(Simulation(number, face_down)), branch, name, fork, conflicts))
        if face_down.field is None and not found[0].draws:
            break
    own = tuple(
        _expected(
            handler.system,
            [(None, each.played[at].facts if at < len(each.played) else None) for each in found],
            turn.number,
            found[0].draws.get(turn.number, ()),
        )
        for at, turn in enumerate(found[0].played)
    )
    return found[0], own, tuple(on_sheets(handler.system, handler.state(), *(each.state for each in found)))


# -- in words ----------------------------------------------------------------------------------------------


def draws_in_words(draws: Sequence[Draw], words: Mapping[str, str] = MappingProxyType({})) -> str:
    """What would be drawn, without its values: "rolls 2d6 for Brog's re-roll, draws one of Ada's exhausted cards".

    `words` are those of the rule system for what cards are drawn for.
    """
    return listed([_draw_told(draw, words) for draw in draws]) if draws else ""


def _draw_told(draw: Draw, words: Mapping[str, str]) -> str:
    whose = f"{called(draw.whose)}'s " if draw.whose else ""
    if draw.purpose in words:
        return words[draw.purpose].format(whose=whose.rstrip(), count=_cards(draw.count).partition(" ")[0])
    purpose, _, which = draw.purpose.partition(", ")
    if draw.sides is not None:
        return f"rolls {draw.count}d{draw.sides} for {whose}{purpose}{f' ({which})' if which else ''}"
    if draw.shuffles:
        return f"shuffles {_cards(draw.count)}{f' of {called(draw.whose)}' if draw.whose else ''}"
    return f"draws {_cards(draw.count)} for {whose}{draw.purpose}"


def _cards(count: int) -> str:
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    return f"{words[count] if count < len(words) else count} {'card' if count == 1 else 'cards'}"


# -- as JSON -----------------------------------------------------------------------------------------------


def preview_json(system: RuleSystem, told: ActionPreview) -> dict[str, Any]:
    """The keys of a dry run; they are stable. What is open has null in the place of what it comes to."""
    return {
        "turns": own_json(system, told),
        "changed": [_change_json(system, each) for each in told.changed],
        "conflicts": [{"turn": each.turn, "rule": each.rule, "reason": each.reason} for each in told.conflicts],
        **({"doubtful": list(told.doubtful)} if told.doubtful else {}),
        **({"moved": [{"turn": turn, "after": place} for turn, place in told.moved.items()]} if told.moved else {}),
        "sheets": sheets_json(told.sheets),
    }


def sheets_json(sheets: Sequence[OnSheet]) -> dict[str, Any]:
    """The sheets that would change, and how."""
    return {each.name: _sheet_json(each) for each in sheets}


def _events(system: RuleSystem, facts: Facts) -> list[dict[str, Any]] | None:
    return None if facts is None else [readable(system, event) for event in facts]


def _open_json(system: RuleSystem, told: Expected) -> dict[str, Any]:
    draws = [_draw_told(draw, system.draw_words) for draw in told.draws]
    return {"open": True, "draws": draws} if told.open else {}


def own_json(system: RuleSystem, told: ActionPreview) -> list[dict[str, Any]]:
    """The turns that would be appended, with all that they say."""
    return turns_json(system, told.turns, told.own, {each.turn for each in told.changed if each.open})


def turns_json(
    system: RuleSystem, turns: Sequence[Turn], own: Sequence[Expected], left_open: Collection[int] = ()
) -> list[dict[str, Any]]:
    """Turns that would be appended; of those of `left_open` they say no more than that they are open."""

    def word_json(word: Event) -> dict[str, Any]:
        if isinstance(word, TurnRedecided) and word.turn in left_open:
            return {"type": word.__struct_config__.tag, "turn": word.turn, "open": True}
        return readable(system, word)

    return [
        {
            "turn": each.turn,
            "events": None
            if each.open
            else [
                *(readable(system, event) for event in each.after or ()),
                *(word_json(event) for event in turn.events if isinstance(event, REVISION_EVENTS)),
            ],
            **_open_json(system, each),
        }
        for turn, each in zip(turns, own, strict=True)
    ]


def _change_json(system: RuleSystem, told: Expected) -> dict[str, Any]:
    after = None if told.open else _events(system, told.after)
    return {"turn": told.turn, "before": _events(system, told.before), "after": after, **_open_json(system, told)}


def _sheet_json(told: OnSheet) -> dict[str, Any]:
    fields = [
        {
            "field": each.field,
            "change": each.change,
            "old": each.old,
            **({"new": None, "open": True} if each.field in told.open else {"new": each.new}),
        }
        for each in told.fields
    ]
    return {"change": told.change, "fields": fields}
