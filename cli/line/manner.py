"""What a line says about itself and not about its verb: by whom, when, and where in the log it happened.

`after T3` or `before T3` are the last two words of a line, options apart; the options `--by Mia`, `--when TIME`,
`--after T3`, `--drop` and `--keep` stand anywhere.
"""

from collections.abc import Collection
from typing import get_args

from msgspec import structs

from cli.line.errors import LineError
from cli.line.verbs import names_a_turn
from cli.line.words import Line, Word
from domain.common.revisions import Conflicts
from domain.log.backdating import PLACES
from domain.log.points import turn_at
from domain.log.port import Log
from domain.refusal import Invalid, Refusal
from domain.times import local_now

#: Options of the line and not of its action; an action with such a field of its own keeps it.
MANNER = ("by", "when", *PLACES, "conflicts")
#: The options that settle conflicts with later turns, each with how. The long ones are for a verb that has a field
#: called like the short one, and are understood with every verb.
SETTLING = {f"{how}{end}": how for how in get_args(Conflicts) for end in ("", "-later")}


def place_of(line: Line) -> tuple[Line, int, dict[str, str]]:
    """The line with the place in the log that it names last behind its options too, where that begins, and the place.

    So what reads the words before it, or suggests others, meets options in front of a place alone.
    """
    words, end = line.words, len(line.words)
    while end and (words[end - 1].is_option or (end > 1 and _takes_value(words[end - 2]))):
        end -= 1 if words[end - 1].is_option else 2
    for count in (1, 2):
        if end < count + 1 or any(word.quoted for word in words[end - count : end]):
            continue
        name, sign, point = words[end - count].text.partition("=")
        if bool(sign) == (count == 1) and name in PLACES and names_a_turn(point or words[end - 1].text):
            placed = (*words[: end - count], *words[end:], *words[end - count : end])
            return structs.replace(line, words=placed), len(words) - count, {name: point or words[end - 1].text}
    return line, len(words), {}


def happened_after(line: Line, log: Log, looked_back: str | None = None) -> int | None:
    """The turn directly after which a line says that it happened; None: now, or at no place of this log.

    `looked_back`: the turn that is looked back to, which counts where the line names no place.
    """
    named = place_of(line)[2] or ({"after": looked_back} if looked_back is not None else {})
    for at, word in enumerate(line.words):
        name, sign, value = word.text.removeprefix("--").partition("=")
        if word.is_option and name in PLACES:
            named = {name: value if sign else "".join(behind.text for behind in line.words[at + 1 : at + 2])}
    try:
        turns = [turn_at(point, log, now=local_now()) - (name == "before") for name, point in named.items()]
    except (Invalid, Refusal):  # which is said once it is to be recorded
        return None
    return next((turn for turn in turns if 0 < turn < log.last()), None)


def _takes_value(word: Word) -> bool:
    """Whether an option has its value in the next word."""
    return word.is_option and "=" not in word.text


def option_at(line: Line, at: int, end: int, fields: Collection[str] = ()) -> tuple[str, str, int] | None:
    """An option of the line at a place, its value, and the place behind it; one called like a field is the verb's."""
    word = line.words[at]
    name, sign, value = word.text.removeprefix("--").partition("=")
    if not word.is_option:
        return None
    if name in SETTLING and not sign and name not in fields:
        return "conflicts", SETTLING[name], at + 1
    if name not in MANNER or name in fields:
        return None
    if not sign and at + 1 >= end:
        raise LineError(f"{word.text} needs a value.", at=at)
    return name, value if sign else line.words[at + 1].text, at + 1 + (not sign)
