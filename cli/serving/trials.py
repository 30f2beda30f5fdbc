"""Whether an action can be done at all: tried with values that its fields could have, and none of it recorded."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from cli.recording.audience import Audience
from domain.refusal import Conflict, Invalid, Refusal
from domain.registry import action_from, tag_of
from domain.system.drafts import legal_values
from domain.system.field_schema import Field, fields_of
from domain.turn import Action

#: Trials of one action, to see whether it can be done at all.
MOST_TRIALS = 24
#: Values that are tried for a field that can have any.
ANY_NUMBERS, ANY_TEXT = (1, 20), "x"


def is_possible(
    kind: type[Action], names: Sequence[str], audience: Audience, preview_of: Callable[[Action], str]
) -> bool:
    """Whether an action of one of these characters is not refused whatever is filled in.

    `preview_of` raises what recording the action would raise. After `MOST_TRIALS` trials the answer is yes.
    """
    for count, value in enumerate(_trials(kind, names, audience)):
        if count == MOST_TRIALS:
            return True  # it is not known
        try:
            preview_of(action_from(audience.log.rules, value))
        except Refusal:
            continue
        except (Invalid, Conflict):
            return True  # what was tried is no value of it, but another may be
        return True
    return False


def _trials(kind: type[Action], names: Sequence[str], audience: Audience) -> Iterator[dict[str, Any]]:
    """An action with values that it could have, one for each combination of what can be counted off."""
    required_fields = [field for field in fields_of(kind) if field.required]
    for name in names or ("",):
        columns = [_trial_values(kind, field, name, audience) for field in required_fields]
        for values in product(*columns):
            yield {"type": tag_of(kind), **dict(zip((field.key for field in required_fields), values, strict=True))}


def _trial_values(kind: type[Action], field: Field, name: str, audience: Audience) -> Sequence[Any]:
    many = field.kind.shape == "list"
    if field.names == "new character":
        return (ANY_TEXT,)
    if field.names is not None:
        return ([name],) if many and name else (name,) if name else ()
    if field.kind.shape == "flag":
        return (True, False)
    legal = legal_values(audience.system, audience.known(), kind, field, name or None)
    if legal:
        return [[value] for value in legal] if many else legal
    return ANY_NUMBERS if field.kind.shape == "number" else (ANY_TEXT,)
