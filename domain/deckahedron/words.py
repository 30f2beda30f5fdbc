"""Words that several chapters tell their events with."""


def counted(number: int, thing: str) -> str:
    """ "1 card", "3 cards"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def inside(text: str) -> str:
    """Words of the table within a sentence of ours: without their own full stop."""
    return text.strip().rstrip(".")
