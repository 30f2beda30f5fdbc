"""What somebody says was forgotten: `forgot: agnes was hit for 2 before the rest`, as a late entry."""

from cli.line.errors import Misread
from cli.line.name_first import with_verb_first
from cli.line.offering import nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.table import PLACES
from cli.line.turn_references import turn_meant
from cli.line.words import typed, words_between


def late_entry(phrase: LinePhrase) -> Misread | None:
    """The late entry that a phrase means which says that something was forgotten; None: it says no more."""
    line, context, words = phrase.line, phrase.context, phrase.line.words
    if len(words) < 2:
        return None
    place = next((at for at in range(len(words) - 1, 0, -1) if words[at].text.casefold() in PLACES), None)
    end = place if place is not None and place + 1 < len(words) else len(words)
    forgotten = typed(words_between(line, 1, end))
    entry = with_verb_first(forgotten, context)
    text = note_line(forgotten) if entry is None else entry.text
    turn = turn_meant(line, end + 1, context) if end < len(words) else None
    if turn is not None:
        offer = nearest_lines(context, "That is a late entry.", [f"{text} --{words[end].text.casefold()} T{turn}"])
        if offer.choices:
            return offer
    latest = f"{text} --before T{context.log.last()}"
    return Misread(f"Say which turn it came before, or after (log shows them): {latest}.", 0)
