"""What checks of a log find: a sentence, the turn that it is about, and how serious it is."""

from msgspec import Struct


class Finding(Struct, frozen=True):
    """One result of verifying a log, as a sentence.

    `kind` is "damage" for what is not as it was written; "older" for turns that an older version of the rules decided
    and "trust" for turns taken over as they were, both held by their links alone; "newer" for a turn that only a
    newer version of the program can read; "note" for what is worth knowing and not wrong. `count`: how many turns
    an "older" or "trust" is about.
    """

    sentence: str
    turn: int | None = None
    kind: str = "damage"
    count: int = 0
