"""What somebody says was forgotten: `forgot: agnes was hit for 2 before the rest`, as a late entry."""

from cli.line import tracking
from cli.line.blows import foe_first
from cli.line.errors import Misread
from cli.line.offering import nearest_lines, noted
from cli.line.spoken import verb_first
from cli.line.table import PLACES
from cli.line.turns_told import turn_meant
from cli.line.values import Context
from cli.line.words import Line, typed, written
from domain.refusal import Invalid

#: What such a line begins with, whatever sign stands behind it.
FORGOTTEN = frozenset(("forgot", "forgotten", "earlier", "missed", "oops"))


def refuse_forgotten(line: Line, context: Context) -> None:
    """Raise Misread for a line that says that something was forgotten, with the late entry that it means."""
    if len(line.words) < 2 or line.words[0].text.casefold().rstrip(":,;.!") not in FORGOTTEN:
        return
    words = line.words
    place = next((at for at in range(len(words) - 1, 0, -1) if words[at].text.casefold() in PLACES), None)
    end = place if place is not None and place + 1 < len(words) else len(words)
    told = _in_order(typed(" ".join(written(line, at) for at in range(1, end))), context)
    turn = turn_meant(line, end + 1, context) if end < len(words) else None
    if turn is not None:
        found = nearest_lines(context, "That is a late entry.", [f"{told} --{words[end].text.casefold()} T{turn}"])
        if found.choices:
            raise found
    latest = f"{told} --before T{context.log.last()}"
    raise Misread(f"Say which turn it came before, or after (log shows them): {latest}.", 0)


def _in_order(line: Line, context: Context) -> str:
    """A line with its verb first; a note where it is none that can be understood."""
    try:
        tracking.verb_in(context, line)
    except Invalid:
        spoken = foe_first(line, context) or verb_first(line, context)
        return noted(line) if spoken is None else spoken.text
    return line.text
