"""Lines that are offered instead of one that is not understood, with one key each."""

from collections.abc import Sequence
from typing import NoReturn

from cli.line import tracking
from cli.line.ambiguities import ambiguity_of
from cli.line.amending import amendments
from cli.line.clause import Clause
from cli.line.errors import Ambiguous, Meaning, Misread
from cli.line.search import read
from cli.line.values import Context
from cli.line.verbs import names_a_turn
from cli.line.words import Line, quote, tokenize
from domain.common.notes import Note
from domain.common.tracking import Track
from domain.refusal import Invalid, Refusal
from domain.registry import verb_name

#: The question about a line of which the rules have several, or one that is likely.
WHICH = "Which do you mean?"
#: The same about one line: there is nothing to choose.
MEANT = "Do you mean:"
#: Before the lines that keep what the rules do not.
TO_KEEP_IT = "To write it down anyway:"


def nearest_lines(context: Context, reason: str, lines: Sequence[str], instead: str = "Say:") -> Ambiguous:
    """Lines that may be meant, of those that can be read; `instead` leads to them where they are spelt out."""
    choices = [text for text in dict.fromkeys(lines) if can_be_read(context, tokenize(text))]
    if reason == WHICH and len(choices) == 1:
        return Ambiguous(MEANT, MEANT, [Meaning(choices[0], choices[0])], 0)
    sentence = reason if reason.endswith(("?", ".")) else f"{reason}."
    return Ambiguous.between(sentence, choices, 0, instead)


def offer_of(context: Context, reason: str, lines: Sequence[str]) -> Ambiguous | None:
    """The same; None: none of the lines can be read."""
    offer = nearest_lines(context, reason, lines)
    return offer if offer.choices else None


def can_be_read(context: Context, line: Line) -> bool:
    """Whether a line has one meaning."""
    try:
        if names_a_turn(line.words[0].text):
            return bool(amendments(line, 0, context, _no_line))
        verb, at = tracking.verb_in(context, line)
        assert not isinstance(verb, str)
        if verb.kind is Track:
            return bool(tracking.read(context, verb, line, at).actions())
        result = read(context, verb, line, at)
        return result.whole and ambiguity_of(result) is None
    except (Invalid, Refusal):
        return False


def line_if_read(clause: Clause, words: Sequence[str], *, doubted: bool = False) -> list[str]:
    """The line of these words and the verb of a clause, if it can be read; [] if not.

    With `doubted`, also the first meaning of one that has several.
    """
    line = " ".join(words)
    result = read(clause.context, clause.grammar.verb, tokenize(line), clause.start)
    if not result.whole:
        return []
    unclear = ambiguity_of(result)
    if unclear is None:
        return [line]
    return [choice.line for choice in unclear.choices[:1]] if doubted else []


def note_line(line: Line, at: int = 0) -> str:
    """The line that keeps the words of another from a place on, as they are."""
    text = line.text[line.words[at].start : line.words[-1].end]
    means_more = any("=" in word.text or word.text.startswith("--") or word.quoted for word in line.words[at:])
    return f"{verb_name(Note)} {quote(text, always=True) if means_more else text}"


def _no_line(line: Line, at: int, context: Context) -> NoReturn:  # noqa: ARG001
    """Offered amendments change fields: none puts another line in the place of a turn."""
    raise Misread("An amendment that is offered changes fields.", at)
