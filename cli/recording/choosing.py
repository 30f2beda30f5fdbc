"""Completing an action before it is recorded: generators that ask for the pending decisions it leaves.

They yield a pending decision, receive the choice that was made, and return the complete actions. Every face that can
ask somebody uses them.
"""

from collections.abc import Generator, Mapping, Sequence

from cli.line.words import Line
from domain.choice import Choice
from domain.common.revisions import Conflicts
from domain.log.backdating import NOW, Backdating
from domain.log.command_handler import CommandHandler
from domain.log.deciding import with_names
from domain.log.open_questions import open_question, open_question_after_draws
from domain.naming import called
from domain.refusal import Invalid, Refusal
from domain.registry import action_from, tag_of
from domain.system.drafts import Draft, about, legal_values, narrow
from domain.system.field_schema import Field, fields_of
from domain.system.pending import PendingDecision
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game
from domain.turn import Action

#: The keys of answers: a digit answers at once, a letter with Enter, as a line may begin with it.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KEYS = f"1234567890{LETTERS}"

#: The question about later turns that are no longer legal, its answers, and the answer that changes nothing.
IN_THE_WAY = "Later turns would no longer be legal."
SETTLED: Mapping[Conflicts, str] = {"drop": "drop them: they are undone too", "keep": "keep them as they were"}
ONE_SETTLED: Mapping[Conflicts, str] = {"drop": "drop it: it is undone too", "keep": "keep it as it was"}
LEFT_ALONE = "leave everything as it is"

#: Yields pending decisions, receives choices, and returns the actions or a choice whose open fields must be typed.
Choosing = Generator[PendingDecision, Choice, tuple[Action, ...] | Choice]


def in_the_way(count: int, *, is_certain: bool) -> tuple[str, Mapping[Conflicts, str]]:
    """The question about so many later turns that are no longer legal, or perhaps not, and its answers."""
    who, settled = ("Later turns", SETTLED) if count > 1 else ("A later turn", ONE_SETTLED)
    return f"{who} {'would' if is_certain else 'may'} no longer be legal.", settled


def newly_pending(system: RuleSystem, before: Game, after: Game) -> list[PendingDecision]:
    """The decisions pending after a turn but not before it that can be asked at once.

    Those have several answers with a key each, or a single one whose fields must be typed.
    """
    earlier_decisions = system.pending_for_anyone(before)
    return [
        decision
        for decision in system.pending_for_anyone(after)
        if decision not in earlier_decisions and (is_typed(system, after, decision) or _has_keys_only(decision))
    ]


def _has_keys_only(decision: PendingDecision) -> bool:
    return len(decision.choices) + bool(decision.leave) > 1 and not any(choice.asks for choice in decision.choices)


def is_typed(system: RuleSystem, state: Game, decision: PendingDecision) -> bool:
    """Whether the only choice has open fields that must be typed, as totals of dice or a name."""
    return (
        len(decision.choices) == 1
        and bool(decision.choices[0].asks)
        and narrow(system, state, decision.choices[0]) is None
    )


def question_of(decision: PendingDecision) -> str:
    """The question of a decision: its reason, or whose it is if its choices have their own words."""
    who = about(decision.choices[0])
    return decision.why or (
        f"{called(who)}:" if who is not None and all(choice.says for choice in decision.choices) else ""
    )


def first_asked(lacks: Choice) -> Field:
    """The first of the fields that an action lacks."""
    return next(field for field in fields_of(lacks.action) if field.key == lacks.asks[0])


def counted_off(system: RuleSystem, state: Game, lacks: Choice) -> tuple[str, list[tuple[str, str, str]]] | None:
    """The question about the first field that an action lacks; None if its legal values cannot be listed.

    Behind it those values, each with its meaning behind what to type, and the meaning alone.
    """
    field, who = first_asked(lacks), about(lacks)
    values = legal_values(system, state, lacks.action, field, who, lacks.fields)
    if not values:
        return None
    says = {
        str(choice.fields[field.key]): choice.says
        for decision in system.pending_for_anyone(state)
        for choice in decision.choices
        if choice.action is lacks.action and about(choice) == who and field.key in choice.fields
    }
    whose = f"{called(who)}: " if who is not None else ""
    return f"{whose}{field.description or field.key}", [
        (value, says.get(value) or field.kind.with_reading(value), says.get(value) or field.kind.reading_of(value))
        for value in values
    ]


def left_open(line: Line, lacks: Choice) -> str:
    """An unfinished line with whatever has to stand before the missing value: who it is about goes by its name."""
    field = first_asked(lacks)
    return f"{line.text.rstrip()} {f'{field.key}=' if field.names and lacks.fields else ''}"


def completed(
    handler: CommandHandler,
    actions: Sequence[Action],
    state: Game,
    backdating: Backdating = NOW,
    *,
    draws: bool = True,
) -> Choosing:
    """Ask for the pending decisions of each of these actions, and return them complete.

    What the rules forbid is not checked here. `state` is the state as whoever is asked may know it. With `draws`
    decisions that depend on chance are asked too, with the cards and dice drawn beforehand.
    """
    complete: list[Action] = []
    for action in actions:
        try:
            draft = with_names(action, state)
        except (Refusal, Invalid):
            draft = action
        while (decision := _to_decide(handler, draft, backdating, draws)) is not None:
            choice = yield from _filled_in(handler, (yield decision), state)
            if isinstance(choice, Choice):
                return choice
            if type(choice) is not type(draft):
                # the choice replaces the action, or comes before it
                instead = yield from completed(handler, (choice,), state, backdating, draws=draws)
                if isinstance(instead, Choice) or not draft.follows(choice, _draft(handler, draft, backdating)):
                    return instead
                return (*instead, draft)
            if choice == draft:
                break
            draft = choice
        complete.append(draft)
    return tuple(complete)


def completed_choice(handler: CommandHandler, choice: Choice, state: Game) -> Choosing:
    """Ask for the open fields of a choice and for the decisions of its action, and return that complete."""
    final_choice = yield from _filled_in(handler, choice, state)
    return final_choice if isinstance(final_choice, Choice) else (yield from completed(handler, (final_choice,), state))


def _draft(handler: CommandHandler, action: Action, backdating: Backdating) -> Draft:
    """An action as its own questions see it, without what it would come to."""
    return Draft(handler.system, handler.state_at_place(action, backdating), tuple)


def _to_decide(handler: CommandHandler, action: Action, backdating: Backdating, draws: bool) -> PendingDecision | None:
    decision = open_question(handler, action, backdating)
    if decision is None and draws and not backdating:
        return open_question_after_draws(handler, action)
    return decision


def _filled_in(
    handler: CommandHandler, choice: Choice, state: Game
) -> Generator[PendingDecision, Choice, Action | Choice]:
    """Ask for the open fields of a choice and return its action; the choice itself if a field must be typed."""
    while choice.asks:
        decision = narrow(handler.system, state, choice)
        if decision is None:
            return choice
        choice = yield decision
    return action_from(handler.log.rules, {"type": tag_of(choice.action), **choice.fields})
