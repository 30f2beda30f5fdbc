"""The fingerprint that a button carries of the sentence it was shown with, so that nothing else is recorded for it.

It holds the last turn at that moment too: while nothing has been recorded since, the sentence need not be worked out
again.
"""

from hashlib import blake2b

#: Characters of a fingerprint at most: a number and a hash.
LONGEST = 40


def fingerprint(last: int, sentence: str) -> str:
    """The fingerprint of a sentence shown when `last` was the last turn; "" of no sentence."""
    return f"{last} {_hash(sentence)}" if sentence else ""


def is_of_turn(mark: str, last: int) -> bool:
    """Whether a fingerprint was made when this was the last turn."""
    return mark.startswith(f"{last} ")


def is_of_sentence(mark: str, sentence: str) -> bool:
    """Whether a fingerprint is of this sentence, at whatever turn; "" is of none."""
    return bool(sentence) and mark.partition(" ")[2] == _hash(sentence)


def _hash(sentence: str) -> str:
    return blake2b(sentence.encode(), digest_size=9).hexdigest()
