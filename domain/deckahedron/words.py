"""Words that the sentences of several chapters share."""

from domain.naming import quantity


def how_many(number: int, thing: str) -> str:
    """ "no cards", "1 card", "3 cards"."""
    return quantity(number, thing) if number else f"no {thing}s"
