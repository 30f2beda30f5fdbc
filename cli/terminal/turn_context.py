"""The chance and the rulings behind a turn as text, for every face that explains one."""

from collections.abc import Iterable

from domain.naming import ended
from domain.system.options import settings_in_words
from domain.system.rulesystem import RuleSystem
from projections.views.turn_context import Rolls, RulingThen


def chance_lines(chance: Iterable[Rolls]) -> list[str]:
    """A line for each purpose of a turn's dice and cards, with the values and whether they were reported."""
    lines = []
    for draw in chance:
        of = len(draw.values)
        how = "drawn" if not draw.reported else "reported" if draw.reported == of else f"{draw.reported} reported"
        values = " ".join(map(str, draw.values))
        is_of_the_log = draw.purpose.endswith("dealt by the log")
        lines.append(f"{draw.purpose}: {values}{'' if is_of_the_log else f' ({how})'}")
    return lines


def ruling_line(system: RuleSystem, ruling: RulingThen) -> str:
    """A ruling that the turn was decided under, with its reason and what it sets."""
    sets = settings_in_words(system.options, ruling.options)
    reason = f" Why: {ended(ruling.why)}" if ruling.why else ""
    return f"ruling R{ruling.ruling} on {ruling.rule}: {ended(ruling.text)}{reason}{f' ({sets})' if sets else ''}"
