"""Questions that the rules ask about an action before it is done, and what each answer makes of it.

Every surface that can ask somebody goes through these generators: a pending decision comes out, the choice that was
made goes in, until the actions are whole.
"""

from collections.abc import Generator, Mapping, Sequence

from cli.line.errors import Missing
from cli.line.verbs import verb_at
from cli.line.words import Line
from domain.choice import Choice
from domain.common.revisions import Conflicts
from domain.log.backdating import NOW, Backdating
from domain.log.command_handler import CommandHandler
from domain.log.deciding import with_names
from domain.naming import called
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, tag_of
from domain.system.drafts import about, narrowed
from domain.system.pending import PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Action

#: The keys that pick the choices of a pending decision.
KEYS = "1234567890abcdefghijklmnopqrstuvwxyz"

#: The question where later turns are no longer legal; the first letter of an answer gives it, the last does nothing.
IN_THE_WAY = "Later turns stand in the way."
SETTLED: Mapping[Conflicts, str] = {"drop": "drop them: they are undone too", "keep": "keep them as they were"}
LEFT_ALONE = "leave everything as it is"

#: Sends pending decisions and receives choices; returns the actions, or a choice whose rest has to be typed.
Choosing = Generator[PendingDecision, Choice, tuple[Action, ...] | Choice]


def opened(system: RuleSystem, before: Game, after: Game) -> list[PendingDecision]:
    """What characters wait for that they did not wait for before, and that is asked as it stands.

    Either it has several answers of one key each, or one that has to be typed.
    """
    known = system.pending_for_anyone(before)
    return [
        matter
        for matter in system.pending_for_anyone(after)
        if matter not in known and (is_typed(system, after, matter) or _has_a_key_for_each_answer(matter))
    ]


def _has_a_key_for_each_answer(matter: PendingDecision) -> bool:
    return len(matter.choices) + bool(matter.leave) > 1 and not any(way.asks for way in matter.choices)


def is_typed(system: RuleSystem, state: Game, matter: PendingDecision) -> bool:
    """Whether one line settles it, and the rest of that has to be typed: totals of dice, a name."""
    return (
        len(matter.choices) == 1 and bool(matter.choices[0].asks) and narrowed(system, state, matter.choices[0]) is None
    )


def asked_of(matter: PendingDecision) -> str:
    """What a matter asks: why, or whose it is where its ways do not say that."""
    who = about(matter.choices[0])
    return matter.why or (f"{called(who)}:" if who is not None and all(way.says for way in matter.choices) else "")


def counted_off(system: RuleSystem, state: Game, missing: Missing) -> tuple[str, list[tuple[str, str]]] | None:
    """What a line does not say yet, as a question, and each value that it may have with what choosing it means.

    None where the values cannot be counted off.
    """
    if not missing.legal or missing.of is None:
        return None
    field, who = missing.fields[0], about(missing.of)
    says = {
        str(way.fields[field.key]): way.says
        for matter in system.pending_for_anyone(state)
        for way in matter.choices
        if way.action is missing.of.action and about(way) == who and field.key in way.fields
    }
    whose = f"{called(who)}: " if who is not None else ""
    return f"{whose}{field.description or field.key}", [(each, says.get(each) or each) for each in missing.legal]


def left_open(system: RuleSystem, line: Line, missing: Missing) -> str:
    """A line that ends too early, up to where it is typed on.

    Behind what is said of somebody already, who that is goes by the name of the field.
    """
    field, (_, beyond) = missing.fields[0], verb_at(system.key, line)
    named = f"{field.key}=" if field.names and len(line.words) > beyond else ""
    return f"{line.text.rstrip()} {named}"


def decided(
    handler: CommandHandler,
    actions: Sequence[Action],
    state: Game,
    backdating: Backdating = NOW,
    *,
    draws: bool = True,
) -> Choosing:
    """Ask what is left to decide about each of these actions; what the rules forbid is left for them to say.

    `state` is what whoever is asked may know: what is offered comes from there. `draws`: what hangs on the chance of an
    action is asked too, with its cards and dice drawn ahead; nothing is recorded before it is answered.
    """
    done: list[Action] = []
    for action in actions:
        try:
            draft = with_names(action, state)
        except (Refusal, Invalid):
            draft = action
        while (matter := _undecided(handler, draft, backdating, draws)) is not None:
            chosen = yield from _said(handler, (yield matter), state)
            if isinstance(chosen, Choice):
                return chosen
            if type(chosen) is not type(draft):
                # something else is done instead
                return (yield from decided(handler, (chosen,), state, backdating, draws=draws))
            if chosen == draft:
                break
            draft = chosen
        done.append(draft)
    return tuple(done)


def taken(handler: CommandHandler, way: Choice, state: Game) -> Choosing:
    """The same of a way that settles what the table waits for."""
    chosen = yield from _said(handler, way, state)
    return chosen if isinstance(chosen, Choice) else (yield from decided(handler, (chosen,), state))


def _undecided(handler: CommandHandler, action: Action, backdating: Backdating, draws: bool) -> PendingDecision | None:
    matter = handler.undecided(action, backdating)
    if matter is None and draws and not backdating:
        return handler.undecided_once_drawn(action)
    return matter


def _said(handler: CommandHandler, way: Choice, state: Game) -> Generator[PendingDecision, Choice, Action | Choice]:
    """The action of a way, each field that it asks for chosen; the way itself, where one has to be typed."""
    while way.asks:
        matter = narrowed(handler.system, state, way)
        if matter is None:
            return way
        way = yield matter
    return action_from(handler.log.rules, {"type": tag_of(way.action), **way.fields})
