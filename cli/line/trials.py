"""Why an action can be done by nobody now: tried with values that its fields could have, and none of it recorded."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from cli.line.context import Context
from domain.common.paragraphs import free_number
from domain.common.revisions import REVISIONS, Amend, Redo, Undo
from domain.log.backdating import NOW, Backdating, backdate
from domain.log.deciding import decide, with_names
from domain.log.effective_history import reaches_back
from domain.log.folding import state_before
from domain.log.revision_draft import RevisionDraft
from domain.refusal import Invalid, Refusal, ReportedShort, Unreported
from domain.registry import action_from, record_types, tag_of
from domain.system.chance import Chance
from domain.system.drafts import Draft, about, legal_values
from domain.system.field_schema import NEW, Field, fields_of
from domain.system.paragraphs import paragraphs_of
from domain.system.pending import choices_in
from domain.times import local_now
from domain.turn import Action

#: Trials of one action, to see whether it can be done at all.
MOST_TRIALS = 24
#: Values that are tried for a field that can have any.
ANY_NUMBERS, ANY_TEXT = (1, 20), "x"


def reason_now(context: Context, kind: type[Action], own: Sequence[str], sets: Mapping[str, Any] = {}) -> str:
    """Why none of these people can do such a thing now, whatever is filled in; "" where somebody may.

    `sets` are the fields that its verb sets. It follows from what those who type may know: what they may not decides
    nothing, and neither does a draw.
    """
    key, tried = (kind, tuple(own), tuple(sets.items())), context.tried if context.tried is not None else {}
    if key not in tried:
        of_rules = kind in context.system.actions
        required_fields = [field for field in fields_of(kind) if field.required]
        is_tried = of_rules or all(field.names == "character" or field.one.letter for field in required_fields)
        pending = choices_in(context.system.pending_for_anyone(context.state)) if of_rules else []
        choices = (*context.awaited, *pending)
        is_awaited = any(
            choice.action is kind
            and about(choice) in (None, *own)
            and all(choice.fields.get(key, value) == value for key, value in sets.items())
            for choice in choices
        )
        turn = context.system.whose_turn(context.state)
        names = sorted(own, key=lambda name: name != turn)  # what keeps whose turn it is from it says most
        if kind in (Undo, Redo):
            tried[key] = as_reason(refusal_of(context, [kind()]))
        else:
            tried[key] = as_reason(why_not(context, kind, names, sets) if is_tried and not is_awaited else None)
    return tried[key]


def refused_with(context: Context, kind: type[Action], fields: Mapping[str, Any]) -> Refusal | None:
    """The refusal of an action in which these fields have these values, whatever the others have; None: none."""
    named = next((field.key for field in fields_of(kind) if field.names == "character"), "")
    names = fields.get(named, ())
    whom = (names,) if isinstance(names, str) else tuple(names)
    return why_not(context, kind, whom, fields)


def refusal_of(context: Context, actions: Sequence[Action], backdating: Backdating = NOW) -> Refusal | Invalid | None:
    """Why whole actions are refused one after another, as far as those who type may know it; None: nothing says so yet.

    Of what reaches back it is looked at whether the turns can be revised so, and decided what takes their place; not
    what becomes of later turns, which is asked.
    """
    system, log, state = context.system, context.log, context.state
    for action in actions:
        last = log.last()
        try:
            draft = backdate(
                log,
                record_types(log.rules).turn(
                    number=last + 1, id="", at=local_now().isoformat(), action=action, events=(), seed=0
                ),
                backdating,
                keep_time=True,
            )
            if not reaches_back(action, placed=draft.place is not None):
                state = decide(system, state, action, Chance(0), last + 1).state
                continue
            RevisionDraft(log, draft)
            then = action_from(system.key, action.action) if isinstance(action, Amend) else action
            number = action.turn if isinstance(action, Amend) else last + 1
            if context.keeps is None and not isinstance(then, REVISIONS):
                place = number - 1 if draft.place is None else draft.place
                decide(system, state_before(system, log, place + 1, last), then, Chance(0), number)
        except (Unreported, ReportedShort):
            return None  # what was rolled is asked for
        except (Refusal, Invalid) as refusal:
            return None if _is_asked(context, action) else refusal
        except Exception:  # what cannot be decided without what is secret
            return None
    return None


def _is_asked(context: Context, action: Action) -> bool:
    """Whether the rules ask something about an action, so that it is not decided as it stands."""
    try:
        draft = Draft(context.system, context.state, tuple)
        return with_names(action, context.state).open_decision(draft) is not None
    except (Refusal, Invalid):
        return False


def as_reason(refusal: Refusal | Invalid | None) -> str:
    """A refusal as the reason beside a candidate."""
    return refusal.reason.removesuffix(".") if refusal is not None else ""


def why_not(
    context: Context, kind: type[Action], names: Sequence[str], given: Mapping[str, Any] = {}
) -> Refusal | None:
    """The first refusal of an action of these characters that is refused whatever is filled in; None: it may be done.

    What is `given` is not filled in otherwise. After `MOST_TRIALS` trials the answer is None.
    """
    first: Refusal | None = None
    nothing: Refusal | None = None
    for count, (value, nothing_for) in enumerate(_trials(context, kind, names, given)):
        if count == MOST_TRIALS:
            return None  # it is not known
        try:
            action = action_from(context.system.key, value)
            decide(context.system, context.state, action, Chance(0), context.log.last() + 1)
        except ReportedShort:
            return None
        except Refusal as refusal:
            if any(choice.action is kind for choice in refusal.choices):
                return None  # once it is said which
            if nothing_for is None:
                first = first or refusal
            else:  # which says less than what forbids it to somebody who has something to choose
                nothing = Refusal(None, f"There is no {nothing_for.key.replace('_', ' ')} to choose.")
        except Exception:  # what is still to be said, or cannot be decided without what is secret, is no reason
            return None
        else:
            return None
    if (first or nothing) is None and context.state.characters:
        return None  # nothing could be tried, as nobody is named yet
    return first or nothing or Refusal(None, "Nobody is enrolled yet.")


def _trials(
    context: Context, kind: type[Action], names: Sequence[str], given: Mapping[str, Any]
) -> Iterator[tuple[dict[str, Any], Field | None]]:
    """An action with values that it could have, one for each combination of what can be counted off.

    Behind it the first field for which the rules have nothing to choose.
    """
    required_fields = [field for field in fields_of(kind) if field.required and field.key not in given]
    # a number, where one of several fields has to be said
    counted = (field for field in fields_of(kind) if field.unless and field.one.shape == "number")
    required_fields += [
        field for field in counted if not field.needed_with and not given.keys() & {field.key, *field.unless}
    ]
    for name in names or ("",):
        columns = [_trial_values(context, kind, field, name) for field in required_fields]
        nothing = (
            field
            for field, values in zip(required_fields, columns, strict=True)
            if values == (ANY_TEXT,) and _has_none(context, kind, field, name)
        )
        nothing_for = next(nothing, None)
        for values in product(*columns):
            value = dict(zip((field.key for field in required_fields), values, strict=True))
            yield {"type": tag_of(kind), **value, **given}, nothing_for


def _has_none(context: Context, kind: type[Action], field: Field, name: str) -> bool:
    """Whether the rules have nothing to choose for a field, to which nobody can add either."""
    legal = context.system.proposals_for(context.state, kind, field.key, name or None, {})
    return field.one.reference or (field.added_by is None and legal is not None and not legal)


def _trial_values(context: Context, kind: type[Action], field: Field, name: str) -> Sequence[Any]:
    many = field.kind.shape == "list"
    if field.names == NEW:
        return (ANY_TEXT,)
    if field.names is not None:
        return ([name],) if many and name else (name,) if name else ()
    if field.kind.shape == "flag":
        return (True, False)
    if field.one.letter:  # of the rulings
        return [ruling.number for ruling in context.state.campaign.rulings] or (1,)
    if field.key == "rule":
        own = context.state.campaign.paragraphs
        return (*paragraphs_of(context.system.key), *own, free_number(context.system, context.state))
    legal = legal_values(context.system, context.state, kind, field, name or None)
    if legal:
        return [[value] for value in legal] if many else legal
    return ANY_NUMBERS if field.kind.shape == "number" else (ANY_TEXT,)
