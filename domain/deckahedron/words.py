"""Words that the sentences of several chapters share."""


def counted(number: int, thing: str) -> str:
    """ "no cards", "1 card", "3 cards"."""
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"
