"""What stood behind a turn, told: the dice and cards of it, and the rulings that had a say."""

from typing import Any

from domain.naming import ended
from projections.views.why import RulingThen


def told_chance(chance: Any) -> list[str]:
    """Dice and cards, one line a purpose."""
    lines = []
    for each in chance:
        of = len(each.values)
        how = "drawn" if not each.reported else "reported" if each.reported == of else f"{each.reported} reported"
        lines.append(f"{each.purpose}: {' '.join(map(str, each.values))} ({how})")
    return lines


def told_ruling(ruling: RulingThen) -> str:
    """A ruling that had a say."""
    import msgspec

    sets = ", ".join(f"{name} = {msgspec.json.encode(value).decode()}" for name, value in ruling.options.items())
    reason = f" Why: {ended(ruling.why)}" if ruling.why else ""
    return f"ruling R{ruling.ruling} on {ruling.rule}: {ended(ruling.text)}{reason}{f' [{sets}]' if sets else ''}"


def shown(value: Any) -> str:
    """A value as a person writes it."""
    import msgspec

    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if names(value):
        return ", ".join(value)
    if isinstance(value, list | dict):
        return msgspec.json.encode(value).decode() if value else "nothing"
    return str(value)


def names(value: Any) -> bool:
    """Whether a value is a list of names."""
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)
