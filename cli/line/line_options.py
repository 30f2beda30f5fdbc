"""The options of a line itself, and not of its action: who says it, when, where in the log, and over what it goes."""

from collections.abc import Sequence
from typing import get_args

from cli.line.errors import Misread
from cli.line.verbs import names_a_turn
from cli.line.words import Line, Word
from domain.common.revisions import Conflicts

#: Options of the line and not of its action; an action with such a field of its own keeps it.
MANNER = ("by", "when", "after", "before", "conflicts")
#: Those of them that have a turn for their value.
PLACES = ("after", "before")
#: The options that settle conflicts with later turns, each with how. The long ones are for a verb that has a field
#: called like the short one, and are understood with every verb.
SETTLING = {f"{how}{end}": how for how in get_args(Conflicts) for end in ("", "-later")}


def manner_off(line: Line, at: int) -> tuple[Line, dict[str, str]]:
    """A line without the options of the line itself from a place on, and these options.

    They say who says it, when, and where in the log.

    These are `--by Mia`, `--when …`, `--after T3`, `--drop`, wherever they stand, and `after T3` at its end. Raises
    Misread for one without its value.
    """
    manner: dict[str, str] = {}
    rest = list(line.words[:at])
    here = at
    while here < len(line.words):
        word = line.words[here]
        name, sign, value = word.text.removeprefix("--").partition("=")
        is_option = word.text.startswith("--") and not word.quoted
        if is_option and name in SETTLING and not sign:
            manner["conflicts"] = SETTLING[name]
        elif is_option and name in MANNER:
            if not sign and here + 1 >= len(line.words):
                raise Misread(f"{word.text} needs a value.", here)
            manner[name] = value if sign else line.words[here + 1].text
            here += not sign
        elif (late := late_at(line.words, here)) is not None:
            manner[late[0]] = late[1]
            break
        else:
            rest.append(word)
        here += 1
    return Line(line.text, tuple(rest)), manner


def late_at(words: Sequence[Word], here: int) -> tuple[str, str] | None:
    """`after T6`, `before=@-1`: where in the log it happened, where that is the end of a line."""
    name, sign, point = words[here].text.partition("=")
    if not sign and here + 1 < len(words):
        point = words[here + 1].text
    ends = here + 1 + (not sign) == len(words)
    return (name, point) if name in PLACES and ends and names_a_turn(point) else None
