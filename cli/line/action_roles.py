"""Which action of a rule system is its loss of points, its healing, an attack, and which one adds a foe.

Readers of lines look for actions by what they do, so that no reader knows a rule system.
"""

from cli.line.values import Context
from domain.registry import verb_name
from domain.system.field_schema import NEW, Field, fields_of
from domain.turn import Action


def action_of_sign(context: Context, sign: str) -> type[Action] | None:
    """The system's own loss ("-") or healing ("+") of a number of points; None: the rules have none."""
    return next((kind for kind in context.system.actions if kind.number_sign == sign), None)


def harm_of(context: Context) -> type[Action] | None:
    """The action of whoever loses points, under these rules."""
    return action_of_sign(context, "-")


def attacks_of(context: Context) -> list[type[Action]]:
    """The actions of whoever strikes, under rules that have them."""
    return [
        kind
        for kind in context.system.actions
        if kind.number_sign != "-" and {"attack", "hit"} & {verb_name(kind), *kind.synonyms}
    ]


def points_of(kind: type[Action]) -> Field:
    """The field for the number of points of a loss or a healing."""
    return next(field for field in fields_of(kind) if field.required and field.kind.shape == "number")


def adds_foes(kind: type[Action]) -> bool:
    """Whether an action enrols somebody on either side: under other rules there are no foes in the log."""
    fields = fields_of(kind)
    return any(field.names == NEW for field in fields) and any("foe" in field.kind.offered_choices for field in fields)


def remark_of(kind: type[Action]) -> Field | None:
    """The field for where the points come from, or for what is struck."""
    return next((field for field in fields_of(kind) if field.remark), None)
