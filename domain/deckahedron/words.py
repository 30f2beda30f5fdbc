"""Words that the sentences of several chapters share."""


def counted(number: int, thing: str) -> str:
    """ "1 card", "3 cards"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
