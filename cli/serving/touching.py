"""The less and more buttons of a figure: the amounts that they offer, for one character or several, and the taps."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import urlencode

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cli.serving.tap import Tap
from cli.serving.tap_handler import TapHandler
from domain.common.tracking import Track
from domain.naming import called, listed
from domain.refusal import Conflict, Invalid, Refusal, Unknown
from domain.registry import tag_of, verb_name
from domain.system.field_schema import fields_of
from domain.system.figures import Adjustment, Figure
from domain.system.rulesystem import RuleSystem
from domain.system.state import Game, TrackedValue

Direction = Literal["less", "more"]


class Amount(Struct, frozen=True):
    """One amount, or word, in which a figure changes: the tap that does it, and its outcome."""

    amount: int | str
    tap: Tap
    says: str = ""


class Touch(Struct, frozen=True):
    """A touched figure: for whom it changes, who else could be hit by the same, and the amounts."""

    title: str
    amounts: Sequence[Amount]
    #: (name, whether it is one of them, the address with or without it)
    others: Sequence[tuple[str, bool, str]] = ()
    several: bool = False
    #: the form with everything else that can be said
    more: str = ""
    why_not: str = ""


#: How much of a tracked number is offered.
AMOUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100)


def figures_of(system: RuleSystem, state: Game, name: str, sheet: dict[str, Any]) -> Sequence[Figure]:
    """The figures of the rules, and whatever number else is tracked for a character."""
    return (*system.figures(state, name, sheet), *tracked_figures(state.characters[name].tracked))


def tracked_figures(tracked: Mapping[str, TrackedValue]) -> Iterator[Figure]:
    """Tracked numbers, of a character or of the table."""
    for name, value in tracked.items():
        if isinstance(value, int):
            less = Adjustment(Track, "change", {"name": name}, f"Less {name}", AMOUNTS, negated=True)
            more = Adjustment(Track, "change", {"name": name}, f"More {name}", AMOUNTS)
            yield Figure(name, value, less=less, more=more)


def adjustment_of(figures: Iterable[Figure], label: str, direction: Direction) -> Adjustment:
    """The adjustment that a touch means. Raises Unknown."""
    for figure in figures:
        adjustment = figure.less if direction == "less" else figure.more
        if figure.label == label and adjustment is not None:
            return adjustment
    raise Unknown("figure", label, f"There is no button for {label[:60]!r} here")


def touch_of(
    handler: TapHandler,
    adjustment: Adjustment,
    names: Sequence[str],
    able: Sequence[str],
    label: str,
    direction: Direction,
) -> Touch:
    """What the touch of a figure offers to whoever acts for `able`; no name: it is the table's."""
    several = len(names) > 1
    at = handler.handler.log.last()
    amounts, why_not = [], ""
    for amount in adjustment.offers if adjustment.amount else ("",):
        tap = Tap(at, action=_json(adjustment, names, amount))
        try:
            tap, says = (tap, "") if several else _with_first_answers(handler, tap)
        except (Refusal, Invalid, Conflict) as error:
            why_not = why_not or str(error)
            continue
        # whom it is about stands above
        amounts.append(Amount(amount, tap, says.removeprefix(f"{called(names[0])}: ") if names else says))
    what = adjustment.says or verb_name(adjustment.action).replace("-", " ")
    more = f"/act/{verb_name(adjustment.action)}?{urlencode({'for': names[0]})}" if len(names) == 1 else ""
    return Touch(
        f"{what}: {listed(map(called, names))}" if names else what,
        amounts,
        tuple(_others(names, able, label, direction)) if names and len(able) > 1 else (),
        several,
        more,
        "" if amounts else why_not,
    )


def _json(adjustment: Adjustment, names: Sequence[str], amount: int | str) -> str:
    by = -amount if adjustment.negated and isinstance(amount, int) else amount
    action = {
        "type": tag_of(adjustment.action),
        **({adjustment.amount: by} if adjustment.amount else {}),
        **adjustment.fields,
    }
    whose = next(
        (field for field in fields_of(adjustment.action) if field.names == "character" and field.required), None
    )
    if whose is not None and whose.kind.shape == "list":
        # all of them do it together, in one action
        return msgspec.json.encode({**action, whose.key: list(names)}).decode()
    actions = [{**action, "character": name} for name in names] or [action]
    return msgspec.json.encode(actions if len(actions) > 1 else actions[0]).decode()


def _with_first_answers(handler: TapHandler, tap: Tap) -> tuple[Tap, str]:
    """The tap with what it comes to, or what the rules ask first; what only asks for words is left unsaid."""
    preview = handler.preview(tap)
    without_words = next((choice for choice in preview.choices if choice.outcome and preview.asks_for_words), None)
    if without_words is not None:
        return without_words.tap, without_words.outcome
    return replace(tap, fingerprint=preview.fingerprint), preview.why or preview.outcome


def _others(
    names: Sequence[str], able: Sequence[str], label: str, direction: Direction
) -> Iterator[tuple[str, bool, str]]:
    for name in able:
        others = [other for other in able if (other in names) != (other == name)]
        if others:
            fields = [("figure", label), *(("who", other) for other in others)]
            yield name, name in names, f"/touch/{direction}?{urlencode(fields)}"
