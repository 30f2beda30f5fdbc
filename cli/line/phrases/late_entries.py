"""What somebody says was forgotten: `forgot: agnes was hit for 2 before the rest`, as a late entry."""

from collections.abc import Iterator
from itertools import islice

from cli.line.clause import PLACES
from cli.line.errors import Misread
from cli.line.offers import nearest_lines, note_line
from cli.line.phrase import LinePhrase
from cli.line.phrases.corrections import correction
from cli.line.phrases.name_first import with_verb_first
from cli.line.phrases.turn_references import standing_turns, turn_meant
from cli.line.values import Context, names_between
from cli.line.vocabulary import FORGETTING, OPENERS, WE
from cli.line.words import Line, tokenize, words_between
from domain.log.deciding import names_in
from domain.system.field_schema import NEW, fields_of
from domain.turn import Turn

#: The question about a late entry that names no turn which is known.
WHEN = "Before which turn, or now?"
#: So many turns are offered at most.
MOST_PLACES = 3


def late_entry(phrase: LinePhrase) -> Misread | None:
    """The late entry that a phrase means which says that something was forgotten; None: it says no more."""
    line, context, words = phrase.line, phrase.context, phrase.line.words
    begin = 1 + (phrase.bare[0] in WE)
    if len(words) < 2 or FORGETTING.isdisjoint(phrase.bare[begin - 1 : begin]):
        return None
    if len(words) == begin:
        return nearest_lines(context, "What was forgotten?", [note_line(line)])
    if phrase.bare[0] in OPENERS and (correcting_line := correction(phrase)) is not None:
        return correcting_line  # `oops, that was Grim`
    place = next((at for at in range(len(words) - 1, 0, -1) if words[at].text.casefold() in PLACES), None)
    end = place if place is not None and place + 1 < len(words) else len(words)
    earlier_line = tokenize(words_between(line, begin, end))
    entry = with_verb_first(earlier_line, context)
    text = note_line(earlier_line) if entry is None else entry.text
    turn = turn_meant(line, end + 1, context) if end < len(words) else None
    if turn is not None:
        offer = nearest_lines(context, "That is a late entry.", [f"{text} --{words[end].text.casefold()} T{turn}"])
        if offer.choices:
            return offer
    if entry is not None and (places := list(_places(entry, context))):
        return nearest_lines(context, WHEN, [*places, entry.text])
    latest = f"{text} --before T{context.log.last()}"
    return Misread(f"Say which turn it came before, or after (log shows them): {latest}.", 0)


def _places(entry: Line, context: Context) -> Iterator[str]:
    """The line before each of the latest turns about those whom it names, but for those that enrol them."""
    names = set(names_between(entry, 1, len(entry.words), context))
    turns = (turn for turn in standing_turns(context) if names & set(names_in(turn.action)))
    for turn in islice((turn for turn in turns if not _enrols(turn)), MOST_PLACES):
        yield f"{entry.text} --before T{turn.number}"


def _enrols(turn: Turn) -> bool:
    return any(field.names == NEW for field in fields_of(type(turn.action)))
