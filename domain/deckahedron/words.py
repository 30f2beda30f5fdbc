"""Words that the sentences of several chapters share."""

from domain.naming import called, quantity


def how_many(number: int, thing: str) -> str:
    """ "no cards", "1 card", "3 cards"."""
    return quantity(number, thing) if number else f"no {thing}s"


#: What the Storyteller would say of harm that an attack does.
AN_ATTACK = "an attack by "


def attack_by(name: str) -> str:
    """The description of harm that somebody's attack does."""
    return f"{AN_ATTACK}{called(name)}"


def cause_in(what: str) -> str:
    """The cause in a description of harm; empty where it tells of the harm alone, like "a broken arm"."""
    return what if what.startswith(AN_ATTACK) else ""
