"""What stood behind a turn, told: the dice and cards of it, and the rulings that had a say."""

from typing import Any

from domain.naming import ended
from domain.values import assigned
from projections.views.why import RulingThen


def chance_lines(chance: Any) -> list[str]:
    """Dice and cards, one line a purpose."""
    lines = []
    for each in chance:
        of = len(each.values)
        how = "drawn" if not each.reported else "reported" if each.reported == of else f"{each.reported} reported"
        shown = " ".join(map(str, each.values))
        dealt = each.purpose.endswith("dealt by the log")
        lines.append(f"{each.purpose}: {shown}{'' if dealt else f' ({how})'}")
    return lines


def ruling_line(ruling: RulingThen) -> str:
    """A ruling that had a say."""
    sets = assigned(ruling.options)
    reason = f" Why: {ended(ruling.why)}" if ruling.why else ""
    return f"ruling R{ruling.ruling} on {ruling.rule}: {ended(ruling.text)}{reason}{f' [{sets}]' if sets else ''}"
