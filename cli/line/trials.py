"""Why an action can be done by nobody now: tried with values that its fields could have, and none of it recorded."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from cli.line.context import Context
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import action_from, tag_of
from domain.system.drafts import legal_values
from domain.system.field_schema import NEW, Field, fields_of
from domain.turn import Action

#: Trials of one action, to see whether it can be done at all.
MOST_TRIALS = 24
#: Values that are tried for a field that can have any.
ANY_NUMBERS, ANY_TEXT = (1, 20), "x"


def why_not(
    context: Context,
    kind: type[Action],
    names: Sequence[str],
    preview_of: Callable[[Action], object],
    given: Mapping[str, Any] = {},
) -> Refusal | None:
    """The first refusal of an action of these characters that is refused whatever is filled in; None: it may be done.

    What is `given` is not filled in otherwise.
    `preview_of` raises what recording the action would raise. After `MOST_TRIALS` trials the answer is None.
    """
    first: Refusal | None = None
    nothing: Refusal | None = None
    for count, (value, nothing_for) in enumerate(_trials(context, kind, names, given)):
        if count == MOST_TRIALS:
            return None  # it is not known
        try:
            preview_of(action_from(context.system.key, value))
        except Refusal as refusal:
            if nothing_for is None:
                first = first or refusal
            else:  # which says less than what forbids it to somebody who has something to choose
                nothing = Refusal(None, f"There is no {nothing_for.key.replace('_', ' ')} to choose.")
        except (Invalid, Conflict):
            return None  # what was tried is no value of it, but another may be
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
    legal = legal_values(context.system, context.state, kind, field, name or None)
    if legal:
        return [[value] for value in legal] if many else legal
    return ANY_NUMBERS if field.kind.shape == "number" else (ANY_TEXT,)
