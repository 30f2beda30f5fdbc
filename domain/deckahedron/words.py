"""Words that the sentences of several chapters share."""


def counted(number: int, thing: str) -> str:
    """ "1 card", "3 cards"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def inside(text: str) -> str:
    """A player's words inside a sentence: without their own full stop."""
    return text.strip().rstrip(".")
